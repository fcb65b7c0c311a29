#!/usr/bin/env python3
"""samples/cart-pole-dqn: it keeps the pole up, and a resumed training has the bits of a whole one.

  cart_pole_test.py BROCH PLUGIN
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

MANIFEST = pathlib.Path(__file__).resolve().parents[2] / "samples/cart-pole-dqn/cart_pole_dqn.json"
BROCH = PLUGIN = ""


class CartPoleDqn(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def broch(self, *arguments):
        result = subprocess.run([BROCH, *arguments], cwd=self.folder, capture_output=True,
                                text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def train(self, log_dir, *overrides):
        """The metrics of each epoch."""
        self.broch("train", MANIFEST, f"plugins={json.dumps([PLUGIN])}", f"log_dir={log_dir}",
                   *overrides)
        return json.loads((self.folder / log_dir / "stats.json").read_text())

    def test_the_pole_stays_up(self):
        stats = self.train("log")
        # Random pushes: about 20. A network that learns nothing gets a good score now and then.
        for record in stats[-5:]:
            self.assertGreaterEqual(record["score"], 475)
        self.assertLess(stats[-1]["global_step"], stats[-1]["pushes"])

    def test_a_resumed_training_has_the_bits_of_a_whole_one(self):
        # 1250: in the middle of an epoch and of an episode, with a memory that is full by then.
        short = ("dataflow.with.capacity=2000", "callbacks[model-saver].when.every_k_steps=1250")
        whole = self.train("whole", "max_epoch=5", *short)
        self.broch("train", MANIFEST, f"plugins={json.dumps([PLUGIN])}", "max_epoch=5", *short,
                   "log_dir=parts", f"--resume={self.folder}/whole/model-1250.safetensors")
        self.assertIn("to the last bit", self.broch("ckpt", "diff", "whole", "parts"))
        parts = json.loads((self.folder / "parts/stats.json").read_text())
        self.assertEqual([record["score"] for record in parts[-3:]],
                         [record["score"] for record in whole[-3:]])


if __name__ == "__main__":
    BROCH, PLUGIN, *rest = sys.argv[1:]
    unittest.main(argv=[sys.argv[0], *rest])
