"""Trainings of a few steps on handwritten digits, for tests of what looks at them."""
import json
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIGITS = ROOT / "samples" / "digits" / "data" / "digits.csv"
MANIFEST = {
    "broch": 1,
    "model": {"use": "mlp", "with": {"shape": [64], "hidden": [8], "classes": 10}},
    "optimizer": {"use": "sgd", "with": {"learning_rate": 0.1}},
    "dataflow": {"use": "batch", "with": {"batch_size": 32, "dataflow": {
        "use": "repeat", "with": {"dataflow": {"use": "arrays", "with": {"components": [
            {"file": str(DIGITS), "columns": [0, 64], "shape": [64], "scale": 0.0625,
             "name": "image"},
            {"file": str(DIGITS), "columns": [64, 1], "shape": [], "dtype": "int64",
             "name": "label"}]}}}}}},
    "steps_per_epoch": 5,
    "max_epoch": 3,
    "log_dir": "log",
}


class Training(unittest.TestCase):
    """A folder with a manifest, in which it is trained."""

    broch = None  # the program

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, monitor, **more):
        """A manifest with this entry of monitors."""
        monitors = ["json-writer", "scalar-printer", monitor]
        manifest = {**MANIFEST, "monitors": monitors, **more}
        (self.folder / "run.json").write_text(json.dumps(manifest))

    def train(self, monitor, *arguments, expect=0, env=None, **more):
        """What a whole training printed."""
        self.write(monitor, **more)
        result = subprocess.run([self.broch, "train", "run.json", *arguments], cwd=self.folder,
                                capture_output=True, text=True, env=env)
        self.assertEqual(result.returncode, expect, result.stderr)
        return result.stderr

    def start(self, monitor, **more):
        """A training that has no end, and a function that waits until it has logged a pattern."""
        self.write(monitor, steps_per_epoch=3000, max_epoch=10**9, **more)
        with open(self.folder / "output", "w") as output:
            process = subprocess.Popen([self.broch, "train", "run.json"], cwd=self.folder,
                                       stdout=output, stderr=output)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

        def logged(pattern):
            for _ in range(600):
                text = (self.folder / "output").read_text()
                if match := re.search(pattern, text):
                    return match
                self.assertIsNone(process.poll(), text)
                time.sleep(0.1)
            self.fail(f"{pattern} is not in\n{text[-5000:]}")
        return process, logged

    def records(self):
        return json.loads((self.folder / "log" / "stats.json").read_text())
