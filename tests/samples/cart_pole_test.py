#!/usr/bin/env python3
"""The samples with a pole on a cart: it stays up, and a resumed training has the bits of a whole
one.

  cart_pole_test.py BROCH PLUGIN CartPoleDqn|Ppo
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "samples"
BROCH = PLUGIN = ""


class Sample(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_broch(self, *arguments):
        return subprocess.run([BROCH, *arguments], cwd=self.folder, capture_output=True, text=True)

    def broch(self, *arguments):
        result = self.run_broch(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def start(self, log_dir, *overrides):
        return ("train", self.MANIFEST, f"plugins={json.dumps([PLUGIN])}", f"log_dir={log_dir}",
                *overrides)

    def stats(self, log_dir):
        """The metrics of each epoch."""
        return json.loads((self.folder / log_dir / "stats.json").read_text())

    def check_that_the_pole_stays_up(self):
        self.broch(*self.start("log"))
        stats = self.stats("log")
        # Random pushes: about 20. A network that learns nothing gets a good score now and then.
        for record in stats[-5:]:
            self.assertGreaterEqual(record["score"], 475)
        return stats

    def check_resume_at(self, step, *overrides):
        """The last step has to be a multiple of this one, so that there is a checkpoint of it."""
        short = (*overrides, f"callbacks[model-saver].when.every_k_steps={step}")
        self.broch(*self.start("whole", *short))
        self.broch(*self.start("parts", *short),
                   f"--resume={self.folder}/whole/model-{step}.safetensors")
        self.assertIn("to the last bit", self.broch("ckpt", "diff", "whole", "parts"))
        self.assertEqual([record["score"] for record in self.stats("parts")[-3:]],
                         [record["score"] for record in self.stats("whole")[-3:]])


class CartPoleDqn(Sample):
    MANIFEST = SAMPLES / "cart-pole-dqn/cart_pole_dqn.json"

    def test_the_pole_stays_up(self):
        stats = self.check_that_the_pole_stays_up()
        self.assertLess(stats[-1]["global_step"], stats[-1]["pushes"])

    def test_a_resumed_training_has_the_bits_of_a_whole_one(self):
        # In the middle of an epoch and of an episode, with a memory that is full by then.
        self.check_resume_at(1250, "max_epoch=5", "dataflow.with.capacity=2000")


class Ppo(Sample):
    MANIFEST = SAMPLES / "ppo/ppo.json"

    def test_the_pole_stays_up(self):
        stats = self.check_that_the_pole_stays_up()
        self.assertLess(stats[-1]["pushes"], 100000)
        for record in stats:
            self.assertLess(record["entropy"], math.log(2))  # that of two equal probabilities
            self.assertLess(record["clipped"], 0.5)

    def test_a_resumed_training_has_the_bits_of_a_whole_one(self):
        with self.subTest("in the middle of an epoch, of a rollout and of a pass through it"):
            self.check_resume_at(100, "max_epoch=6", "steps_per_epoch=50")
        with self.subTest("right after a rollout was played"):
            self.check_resume_at(128, "max_epoch=6", "log_dir_action=delete")

    def test_reading_ahead_is_refused(self):
        # This trainer reads from a queue, which would get data of an earlier policy.
        result = self.run_broch(*self.start(
            "log", "max_epoch=2",
            'trainer={"use": "sync-replicated", "with": {"devices": ["cpu:0"]}}'))
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("nothing is left of the rollout", result.stderr)

    def test_batches_have_to_fit(self):
        result = self.run_broch(*self.start("log", "dataflow.with.batch_size=60"))
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("expected a divisor of poles * pushes, 1024", result.stderr)


if __name__ == "__main__":
    BROCH, PLUGIN, *rest = sys.argv[1:]
    unittest.main(argv=[sys.argv[0], *rest])
