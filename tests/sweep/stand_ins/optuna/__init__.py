"""Stands in for Optuna: the functions that ask_optuna.py of docs/sweep.md uses, with Optuna's
parameters. Its sampler goes through the values in order. Its storage is a file of JSON."""
import json
import pathlib
import statistics

from . import distributions, pruners, trial
from .trial import FrozenTrial, Trial, TrialState


def create_study(*, storage=None, sampler=None, pruner=None, study_name=None, direction=None,
                 load_if_exists=False, directions=None):
    assert storage.startswith("sqlite:///") and study_name, "a study in a file has a name"
    assert direction in ("minimize", "maximize"), direction
    assert isinstance(pruner, pruners.MedianPruner)
    path = pathlib.Path(storage.removeprefix("sqlite:///"))
    assert load_if_exists or not path.exists(), "the study is there already"
    return Study(path, pruner, direction)


class Study:
    def __init__(self, path, pruner, direction):
        self.path, self.pruner, self.direction = path, pruner, direction
        self.trials = [FrozenTrial.of(one) for one in json.loads(path.read_text())] \
            if path.exists() else []

    def store(self):
        self.path.write_text(json.dumps([one.as_json() for one in self.trials]))

    def ask(self, fixed_distributions=None):
        number = len(self.trials)
        params = {}
        for name, one in fixed_distributions.items():
            assert isinstance(one, distributions.BaseDistribution), one
            params[name] = one.choose(number)
        self.trials.append(FrozenTrial(number, params))
        self.store()
        return Trial(self, self.trials[-1]._trial_id)

    def get_trials(self, deepcopy=True, states=None):
        return list(self.trials)

    def tell(self, trial, values=None, state=None, skip_if_finished=False):
        frozen = self.trials[trial.number]
        assert frozen.state == TrialState.RUNNING, f"trial {trial.number} has ended already"
        assert isinstance(state, TrialState)
        assert (values is not None) == (state == TrialState.COMPLETE), (values, state)
        frozen.state, frozen.value = state, values
        self.store()

    # As MedianPruner: worse than the median of the others at the same step.
    def prunes(self, frozen):
        complete = [one for one in self.trials if one.state == TrialState.COMPLETE]
        if len(complete) < self.pruner.n_startup_trials or not frozen.intermediate_values:
            return False
        step, value = max(frozen.intermediate_values.items())
        others = [one.intermediate_values[step] for one in complete
                  if step in one.intermediate_values]
        if not others:
            return False
        median = statistics.median(others)
        return value > median if self.direction == "minimize" else value < median
