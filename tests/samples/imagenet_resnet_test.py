#!/usr/bin/env python3
"""samples/imagenet-resnet: its script measures each strategy, which trains ResNet-50.

  imagenet_resnet_test.py BROCH
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

MEASURE = pathlib.Path(__file__).resolve().parents[2] / "samples/imagenet-resnet/measure"
BROCH = ""
PARAMETERS = "25,557,032"  # of torchvision's resnet50


class ImagenetResnet(unittest.TestCase):
    def test_strategies_that_compute_the_same_end_with_the_same_cost(self):
        with tempfile.TemporaryDirectory() as folder:
            picture = pathlib.Path(folder) / "rates.svg"
            done = subprocess.run([MEASURE, "--broch", BROCH, "--size", "64", "--images", "16",
                                   "--steps", "1", "--picture", picture], capture_output=True,
                                  text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(picture.read_text().count("<rect"), 1 + 9)  # the background, and bars
        rows = [[cell.strip() for cell in line.strip("|").split("|")]
                for line in done.stdout.splitlines()[2:]]
        found = {name: (float(rate), cost) for name, rate, cost, parameters in rows}
        self.assertEqual({parameters for *_, parameters in rows}, {PARAMETERS})
        self.assertEqual(len(rows), 9)
        for name, (rate, cost) in found.items():
            self.assertGreater(rate, 0, name)
            self.assertLess(float(cost), 20, name)
        for same in (("sync-parameter-server", "sync-replicated", "allreduce"),
                     ("distributed-replicated", "distributed-parameter-server")):
            self.assertEqual(len({found[name][1] for name in same}), 1, found)
        self.assertNotEqual(found["async"][1], found["sync-parameter-server"][1])


if __name__ == "__main__":
    BROCH, *rest = sys.argv[1:]
    unittest.main(argv=[sys.argv[0], *rest])
