#!/usr/bin/env python3
"""The programs of docs/sweep.md that choose. ask_optuna.py: in a sweep, and continued by hand, with
stand_ins/optuna, and with Optuna where BROCH_REFERENCE_PYTHON names a Python that has it.
around_best.py: with messages of a sweep.

  optuna_test.py BROCH
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
STAND_INS = pathlib.Path(__file__).resolve().parent / "stand_ins"
EPOCHS, TRIALS = 3, 6
MANIFEST = {
    "broch": 1, "vars": {"x": 1, "y": 0, "rate": 0.1, "whole": 1},
    "model": {"use": "bench", "with": {"scalars": 1}},
    "data": {"use": "dummy-constant", "with": {"shapes": [[]]}},
    "callbacks": [{"use": "derived-metric", "with": {
        "name": "score", "value": "(${vars.x} - 3) ** 2 + ${vars.y} + 1 / epoch_num"}},
        "model-saver"],
    "extra_callbacks": [], "monitors": ["json-writer"], 
    # So many that a trial is still running when its first value has been read.
    "steps_per_epoch": 100000, "max_epoch": EPOCHS,
}
PARAMETERS = {"vars.x": {"values": [1, 3, 5]}, "vars.y": {"uniform": [0, 0.5]},
              "vars.rate": {"log_uniform": [0.001, 0.1]}, "vars.whole": {"integers": [1, 4]}}
# The study as Optuna keeps it.
READ = """
import json, optuna
study = optuna.load_study(study_name="sweep", storage="sqlite:///study.db")
print(json.dumps([{"number": one.number, "params": one.params, "state": one.state.name,
                   "value": one.value, "intermediate_values": one.intermediate_values}
                  for one in study.get_trials()]))
"""


def script(name):
    """A program, as the page has it."""
    page = (ROOT / "docs" / "sweep.md").read_text()
    return re.search(rf"```python\n(# {re.escape(name)}.*?)```", page, re.DOTALL).group(1)


def answers_of(python, program, folder, environment, messages):
    """What the program answers to these messages."""
    result = subprocess.run([python, program], cwd=folder, env=environment,
                            input="".join(json.dumps(one) + "\n" for one in messages),
                            capture_output=True, text=True)
    if result.returncode != 0:
        raise AssertionError(result.stderr)
    return [json.loads(line) for line in result.stdout.splitlines()]


def has_optuna(python):
    return bool(python) and subprocess.run([python, "-c", "import optuna"],
                                           capture_output=True).returncode == 0


class StandIn(unittest.TestCase):
    broch = None  # the program
    python = sys.executable
    environment = {"PYTHONPATH": str(STAND_INS), "PYTHONDONTWRITEBYTECODE": "1"}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "ask_optuna.py").write_text(script("ask_optuna.py"))
        self.env = {**os.environ, **self.environment}

    def study(self):
        return json.loads((self.folder / "study.db").read_text())

    def say(self, *messages):
        return answers_of(self.python, "ask_optuna.py", self.folder, self.env, messages)

    def test_a_sweep(self):
        (self.folder / "base.json").write_text(json.dumps(MANIFEST))
        (self.folder / "sweep.json").write_text(json.dumps({
            "manifest": "base.json", "parameters": PARAMETERS, "metric": "score",
            "folder": str(self.folder / "sweep"),
            "method": {"command": [self.python, "ask_optuna.py"], "trials": TRIALS}}))
        result = subprocess.run([self.broch, "sweep", "sweep.json", "--runtime", "null", "--json"],
                                cwd=self.folder, env=self.env, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        trials = {one["id"]: one for one in json.loads(result.stdout)["trials"]}
        study = self.study()
        self.assertEqual(len(study), TRIALS)
        for kept in study:
            trial = trials[kept["number"]]
            self.assertEqual(kept["params"], trial["parameters"])
            states = {"COMPLETE": "finished", "PRUNED": "pruned"}
            self.assertEqual(states[kept["state"]], trial["state"])
            if trial["state"] == "finished":
                self.assertEqual(kept["value"], trial["value"])
                self.assertEqual(len(kept["intermediate_values"]), EPOCHS)
        self.look_at(study)

    def look_at(self, study):
        # Each is worse than the one three before it, so the last is worse than the median.
        self.assertEqual([one["state"] for one in study], ["COMPLETE"] * 5 + ["PRUNED"])

    def test_a_sweep_that_goes_on(self):
        start = {"start": 1, "metric": "score", "goal": "max", "parameters": PARAMETERS}
        first, = self.say({**start, "trials": 0}, {"ask": 1})
        self.assertEqual((first["trial"], set(first["parameters"])), (0, set(PARAMETERS)))
        self.assertIn(first["parameters"]["vars.x"], [1, 3, 5])
        self.assertIn(first["parameters"]["vars.whole"], [1, 2, 3, 4])
        self.assertTrue(0.001 <= first["parameters"]["vars.rate"] <= 0.1)
        answers = self.say(
            {**start, "trials": 1},
            {"known": 0, "parameters": first["parameters"], "state": "running", "value": 1.0,
             "values": [[1, 1.0]]},
            {"report": 0, "epoch": 2, "value": 2.0}, {"report": 0, "epoch": 3, "value": None},
            {"tell": 0, "state": "finished", "value": 2.0}, {"ask": 2},
            {"tell": 1, "state": "failed", "value": None}, {"ask": 3},
            {"report": 2, "epoch": 1, "value": None},
            {"tell": 2, "state": "finished", "value": None}, {"ask": 31})
        self.assertEqual([one["trial"] for one in answers[:2]], [1, 2])
        self.assertEqual(answers[2:], [{"done": True}])
        kept = self.study()
        self.assertEqual([(one["state"], one["value"]) for one in kept],
                         [("COMPLETE", 2.0), ("FAIL", None), ("FAIL", None)])
        self.assertEqual(kept[0]["intermediate_values"], {"2": 2.0})


@unittest.skipUnless(has_optuna(os.environ.get("BROCH_REFERENCE_PYTHON")), "no Python with Optuna")
class Itself(StandIn):
    python = os.environ.get("BROCH_REFERENCE_PYTHON")
    environment = {}

    def study(self):
        result = subprocess.run([self.python, "-c", READ], cwd=self.folder, capture_output=True,
                                text=True, check=True)
        return json.loads(result.stdout)

    def look_at(self, study):
        pass  # its choices differ each time


class AroundBest(unittest.TestCase):
    def test_trials_without_a_value(self):
        """They are never the best one, and do not end the program."""
        name = "optimizer.with.learning_rate"
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "around_best.py").write_text(script("around_best.py"))
            def known(number, rate, value):
                return {"known": number, "parameters": {name: rate}, "state": "finished",
                        "value": value, "values": [[1, value]]}
            answers = answers_of(sys.executable, "around_best.py", folder, os.environ, [
                {"start": 1, "metric": "cost", "goal": "min", "trials": 2,
                 "parameters": {name: {"log_uniform": [1e-4, 1e-1]}}},
                known(1, 1e-4, 0.5), known(2, 1e-1, None), {"ask": 3},
                {"tell": 3, "state": "finished", "value": None}, {"ask": 4}, {"ask": 6}])
        rates = [one["parameters"][name] for one in answers[:2]]
        # At most ten times the rate of the best trial.
        self.assertTrue(all(1e-4 <= rate <= 1e-3 * 1.001 for rate in rates), rates)
        self.assertEqual(answers[2:], [{"done": True}])


if __name__ == "__main__":
    StandIn.broch = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1], verbosity=2)
