#!/usr/bin/env python3
"""samples/tensorpack: each example can be planned; trained for a minute, it has learned what it is
about.

  tensorpack_test.py BROCH PLUGINS [NAME OF A TEST]...

PLUGINS is the folder of their plugins.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "samples" / "tensorpack"
BROCH = PLUGINS = ""


class Examples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def broch(self, *arguments):
        result = subprocess.run([BROCH, *arguments], cwd=self.folder, capture_output=True,
                                text=True)
        self.assertEqual(result.returncode, 0, result.stderr)

    def on(self, command, name, *overrides):
        """A command with the manifest of an example, on the plugins of this build."""
        plugins = [f"{PLUGINS}/{part}.so" for part in (name, "shapes", "phrases")]
        self.broch(command, SAMPLES / f"{name}.json", f"plugins={json.dumps(plugins)}",
                   "log_dir=log", "log_dir_action=delete", *overrides)

    def train(self, name, *overrides):
        """The metrics of a training, each as a list of its values."""
        self.on("train", name, *overrides)
        metrics = {}
        for record in json.loads((self.folder / "log/stats.json").read_text()):
            for metric, value in record.items():
                metrics.setdefault(metric, []).append(value)
        return metrics

    def predict(self, name, data):
        """An output of the model that was trained last, for each of the data."""
        self.broch("predict", "log", "--name", name, "--output", "out.jsonl",
                   "--data", json.dumps(data))
        lines = (self.folder / "out.jsonl").read_text().splitlines()
        return [json.loads(line)[name] for line in lines]

    def test_plans(self):
        for manifest in SAMPLES.glob("*.json"):
            with self.subTest(manifest.stem):
                self.on("plan", manifest.stem)

    def test_spatial_transformer(self):
        found = self.train("spatial_transformer")
        self.assertLess(found["test_error"][-1], 0.1)  # chance: 0.9
        self.assertLess(found["off_center"][-1], 0.5 * found["from_middle"][-1])

    def test_similarity_learning(self):
        for loss, dims in (("siamese", 2), ("cosine", 16), ("triplet", 2), ("softtriplet", 2),
                           ("center", 2)):
            with self.subTest(loss):
                found = self.train("similarity_learning", f"model.with.loss={loss}",
                                   f"model.with.dims={dims}")
                self.assertLess(found["neighbor_error"][-1], 0.15)  # untrained: 0.71, 0.22

    def test_dorefa(self):
        found = self.train("dorefa")
        self.assertLess(found["test_error"][-1], 0.05)
        data = {"use": "fake", "with": {"size": 20, "components": [
            {"shape": [1, 8, 8], "name": "image"}]}}
        activations = set(flat(self.predict("coarse_activation", data)))
        self.assertEqual(sorted(round(3 * number, 4) for number in activations), [0, 1, 2, 3])

    def test_conditional_gan(self):
        found = self.train("conditional_gan")
        self.assertLess(found["judge_error"][-1], 0.05)
        self.assertLess(found["disobeyed"][-1], 0.15)  # chance: 0.9

    def test_info_gan(self):
        found = self.train("info_gan")
        self.assertLess(found["code_error"][-1], 0.1)  # chance: 0.9
        self.assertGreater(found["purity"][-1], 0.35)  # chance: about 0.2

    def test_image2image(self):
        found = self.train("image2image")
        self.assertLess(found["wrong_pixels"][-1], 0.5 * found["colored_pixels"][-1])

    def test_cycle_gan(self):
        found = self.train("cycle_gan")
        self.assertLess(found["wrong_mask"][-1], 0.05)  # blank: 0.16
        self.assertLess(found["wrong_ringed"][-1], 0.08)

    def test_began(self):
        found = self.train("began")
        self.assertGreater(found["real_digits"][-1], 8)
        self.assertGreater(found["drawn_digits"][-1], 4)  # one picture alone: 1

    def test_improved_wgan(self):
        found = self.train("improved_wgan")
        self.assertGreater(found["drawn_digits"][-1], 6)
        self.assertAlmostEqual(found["gradient_norm"][-1], 1, delta=0.2)

    def test_dynamic_filter(self):
        found = self.train("dynamic_filter")
        self.assertLess(found["filter_error"][-1], 0.05)  # a filter of zeros: 1

    def test_saliency(self):
        found = self.train("saliency")
        self.assertLess(found["test_error"][-1], 0.05)  # chance: 0.67
        self.assertLess(found["cam_missed"][-1], 0.1)  # chance: 0.84
        self.assertLess(found["saliency_missed"][-1], 0.2)
        self.assertGreater(found["saliency_inside"][-1], 0.25)  # chance: 0.16

    def test_hed(self):
        found = self.train("hed")
        precision, recall = found["edge_precision"][-1], found["edge_recall"][-1]
        self.assertGreater(2 * precision * recall / (precision + recall), 0.7)

    def test_ctc(self):
        found = self.train("ctc")
        self.assertLess(found["symbol_error"][-1], 0.1)


def flat(values):
    """All numbers in lists of lists."""
    for value in values:
        if isinstance(value, list):
            yield from flat(value)
        else:
            yield value


if __name__ == "__main__":
    BROCH, PLUGINS, *names = sys.argv[1:]
    unittest.main(argv=[sys.argv[0], *(f"Examples.test_{name}" for name in names)])
