#!/usr/bin/env python3
"""samples/fine-tune/run: Broch sees and hears what the code of the networks' authors does, and more
after training.

  fine_tune_test.py BUILD

BROCH_MODELS_PYTHON names the Python of tools/models-python; without it the tests are skipped. The
packages with the weights are fetched from the package index.
"""
import os
import sys
import tempfile
import unittest

from sample_root import PROJECT, SampleRoot

PYTHON = os.environ.get("BROCH_MODELS_PYTHON")
BUILD = ""


@unittest.skipUnless(PYTHON, "BROCH_MODELS_PYTHON is not set")
class FineTune(unittest.TestCase):
    def compared(self, name):
        """The rows of the table that run prints, and what it says of the outputs before."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = SampleRoot(folder.name, BUILD, ["fine-tune"])
        root.tool("models-python", f"echo {PYTHON}")
        (root.folder / "tools/cache").symlink_to(PROJECT / "tools/cache")
        (root.folder / "sdk").symlink_to(PROJECT / "sdk")
        done = root.run("fine-tune", name)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        cells = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
        said = next(line for line in lines if line.startswith("before: "))
        return {row[0]: [float(cell.split()[0]) for cell in row[1:]] for row in cells[1:]}, said

    def test_photographs(self):
        rows, said = self.compared("photographs")
        self.assertEqual(rows["before"], rows["authors' code"])
        self.assertIn("the same class for 400 of 400", said)
        upright, turned, others = rows["before"]
        self.assertEqual((upright, others), (0, 0))
        self.assertGreater(turned, 100)  # of 150
        self.assertLess(sum(rows["after"]), 40)

    def test_tones(self):
        rows, said = self.compared("tones")
        self.assertEqual(rows["before"], rows["authors' code"])
        self.assertIn("the same pitch for 500 of 500", said)
        self.assertLess(rows["after"][1], 0.75 * rows["before"][1])


if __name__ == "__main__":
    BUILD = sys.argv.pop(1)
    unittest.main(verbosity=2)
