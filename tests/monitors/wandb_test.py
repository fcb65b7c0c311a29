#!/usr/bin/env python3
"""to_wandb.py of docs/monitors.md: what it passes on of a run, with stand_ins/wandb.py; and with
their own package, offline, where BROCH_REFERENCE_PYTHON names a Python that has it.

  wandb_test.py BROCH PLUGIN
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

from training import ROOT, Training

STAND_INS = pathlib.Path(__file__).resolve().parent / "stand_ins"
REFERENCE = os.environ.get("BROCH_REFERENCE_PYTHON")


def script():
    """to_wandb.py, as the page has it."""
    page = (ROOT / "docs" / "monitors.md").read_text()
    return re.search(r"```python\n(# to_wandb\.py.*?)```", page, re.DOTALL).group(1)


def has_wandb():
    return bool(REFERENCE) and subprocess.run([REFERENCE, "-c", "import wandb"],
                                              capture_output=True).returncode == 0


class Wandb(Training):
    def pass_on(self, python, environment):
        # The cost of the second epoch is no number, which records have as null.
        self.train("csv-writer", callbacks=[{"use": "derived-metric", "with": {
            "name": "odd", "value": "1 / (epoch_num - 2)"}}])
        (self.folder / "to_wandb.py").write_text(script())
        result = subprocess.run([python, "to_wandb.py", "log", "my-project"], cwd=self.folder,
                                env={**os.environ, **environment}, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_what_is_passed_on(self):
        self.pass_on(sys.executable,
                     {"PYTHONPATH": str(STAND_INS), "PYTHONDONTWRITEBYTECODE": "1"})
        kept = json.loads((self.folder / "wandb.json").read_text())
        self.assertEqual((kept["project"], kept["name"]), ("my-project", "log"))
        self.assertEqual(kept["config"]["optimizer"]["with"]["learning_rate"], 0.1)
        records = self.records()
        self.assertEqual([one["_step"] for one in kept["history"]], [5, 10, 15])
        for passed, record in zip(kept["history"], records):
            self.assertEqual(passed.pop("_step"), record.pop("global_step"))
            self.assertEqual(passed, {name: value for name, value in record.items()
                                      if value is not None})
        self.assertEqual([one.get("odd") for one in kept["history"]], [-1, None, 1])

    @unittest.skipUnless(has_wandb(), "no Python with wandb")
    def test_their_package_takes_it(self):
        self.pass_on(REFERENCE, {"WANDB_MODE": "offline", "WANDB_SILENT": "true"})
        run, = (self.folder / "wandb").glob("offline-run-*")
        data, = run.glob("run-*.wandb")
        self.assertIn(b"train_error", data.read_bytes())


if __name__ == "__main__":
    Training.broch = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1], verbosity=2)
