#!/usr/bin/env python3
"""samples/cifar10-resnet: its transform subtracts the mean image of the training set.

  mean_image_test.py BROCH FOLDER

FOLDER has the plugins of the sample.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

MANIFEST = pathlib.Path(__file__).resolve().parents[2] / "samples/cifar10-resnet/resnet.json"
BROCH = FOLDER = ""

BATCH = "data.with.dataflow.with"
MAP = BATCH + ".dataflow.with"
CROP = MAP + ".transforms[crop-flip-normalize].with"


class MeanImage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        numbers = random.Random(1)
        self.picture = bytes(numbers.randrange(40, 200) for _ in range(3 * 32 * 32))

    def record(self, label, brighter):
        return bytes([label]) + bytes(pixel + brighter for pixel in self.picture)

    def write(self, training):
        folder = self.folder / "cifar-10-batches-bin"
        folder.mkdir()
        for number in range(1, 6):
            (folder / f"data_batch_{number}.bin").write_bytes(training)
        (folder / "test_batch.bin").write_bytes(self.record(0, 0))

    def points(self, *overrides):
        """What the training gets, an image at a time."""
        plugins = [f"{FOLDER}/cifar10_resnet.so", f"{FOLDER}/cifar10_mean_image.so"]
        done = subprocess.run(
            [BROCH, "data", "show", MANIFEST, "--json", "--limit", "10",
             f"plugins={json.dumps(plugins)}", f"vars.folder={self.folder}",
             f"{BATCH}.batch_size=1", *overrides], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [point["components"] for point in json.loads(done.stdout)["points"]]

    def test_what_is_left_is_the_difference_from_the_mean(self):
        # One image in four is brighter by 48: so much as it is above the mean, 36, is left of it.
        self.write(3 * self.record(0, 0) + self.record(1, 48))
        points = self.points(f"{CROP}.flip=0", f"{CROP}.pad=0")
        self.assertEqual(len(points), 10)
        for image, label in points:
            expected = 36 / 128 if label["max"] else -12 / 128
            self.assertAlmostEqual(image["min"], expected, places=5)
            self.assertAlmostEqual(image["max"], expected, places=5)
        self.assertEqual({label["max"] for _, label in points}, {0, 1})

    def test_the_border_is_black_before_the_mean_is_subtracted(self):
        self.write(4 * self.record(0, 0))
        lowest = min(image["min"] for image, _ in self.points())
        darkest = (min(self.picture) - max(self.picture)) / 128  # if no pixel were a border
        self.assertLess(lowest, darkest)
        self.assertGreaterEqual(lowest, -max(self.picture) / 128)


if __name__ == "__main__":
    BROCH, FOLDER, *rest = sys.argv[1:]
    unittest.main(argv=[sys.argv[0], *rest])
