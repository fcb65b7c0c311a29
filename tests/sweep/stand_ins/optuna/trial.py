"""Trials, as they run and as they are kept."""
import dataclasses
import enum


class TrialState(enum.IntEnum):
    RUNNING = 0
    COMPLETE = 1
    PRUNED = 2
    FAIL = 3


@dataclasses.dataclass
class FrozenTrial:
    number: int
    params: dict
    state: TrialState = TrialState.RUNNING
    value: float | None = None
    intermediate_values: dict = dataclasses.field(default_factory=dict)

    @property
    def _trial_id(self):
        return self.number + 1  # an id of the storage is no number of a trial

    def as_json(self):
        return {"number": self.number, "params": self.params, "state": self.state.name,
                "value": self.value, "intermediate_values": self.intermediate_values}

    @staticmethod
    def of(json):
        steps = {int(step): value for step, value in json["intermediate_values"].items()}
        return FrozenTrial(json["number"], json["params"], TrialState[json["state"]],
                           json["value"], steps)


class Trial:
    def __init__(self, study, trial_id):
        self.study = study
        self._trial_id = trial_id
        self.number = trial_id - 1

    @property
    def params(self):
        return self.study.trials[self.number].params

    def report(self, value, step):
        assert isinstance(value, float) and isinstance(step, int), (value, step)
        self.study.trials[self.number].intermediate_values[step] = value
        self.study.store()

    def should_prune(self):
        return self.study.prunes(self.study.trials[self.number])
