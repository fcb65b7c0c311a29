#!/usr/bin/env python3
"""samples/race: its contenders train the same network in the same way, and each is timed.

  race_test.py BUILD

BROCH_BENCH_PYTHON names the Python of tools/bench-python; without it the tests are skipped.
"""
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
RACE = HERE.parents[1] / "samples/race"
PYTHON = os.environ.get("BROCH_BENCH_PYTHON")
BUILD = ""
IMAGES, EPOCHS, STEPS = 400, 6, 10


def write_images(folder):
    """Noise, dark in class 0 and bright in class 1."""
    noise = random.Random(1)
    for split in ("train", "t10k"):
        labels = bytes(i % 2 for i in range(IMAGES))
        pixels = bytes(160 * label + noise.randrange(80) for label in labels for _ in range(784))
        for name, shape, data in (("images-idx3", (IMAGES, 28, 28), pixels),
                                  ("labels-idx1", (IMAGES,), labels)):
            head = bytes((0, 0, 8, len(shape))) + struct.pack(f">{len(shape)}i", *shape)
            (folder / f"{split}-{name}-ubyte").write_bytes(head + data)


@unittest.skipUnless(PYTHON, "BROCH_BENCH_PYTHON is not set")
class Race(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        write_images(self.folder)
        self.short = [f"vars.folder={self.folder}", "vars.verify=false", f"max_epoch={EPOCHS}",
                      f"steps_per_epoch={STEPS}", "data.with.dataflow.with.batch_size=16"]

    def said(self, *command):
        # Threads of PyTorch that wait shall not keep others from working.
        result = subprocess.run(list(map(str, command)), cwd=self.folder, capture_output=True,
                                text=True, env={**os.environ, "OMP_WAIT_POLICY": "PASSIVE"})
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def race(self, contenders, *overrides):
        """The results of samples/race/run."""
        output = self.folder / "race.json"
        self.said(RACE / "run", "--build", BUILD, "--output", output, "--seeds", "1",
                  "--contenders", contenders, *self.short, *overrides)
        return json.loads(output.read_text())

    def broch(self, command, *arguments):
        return self.said(f"{BUILD}/bin/broch", *command.split(), *arguments)

    def test_peers_have_the_network_and_the_schedule_of_broch(self):
        """With trained weights, whose statistics of batch norm are no longer 0 and 1."""
        settings = self.race("broch", "vars.target_error=-1")["settings"]
        manifest = [RACE / "race.json", *self.short, "vars.target_error=-1",
                    f'plugins=["{BUILD}/samples/fashion-mnist/fashion_convnet.so"]']
        self.broch("train", *manifest, "+callbacks=model-saver", "log_dir=log")
        self.broch("export", "log", "--format", "safetensors", "-o", "weights.safetensors")
        cost = json.loads((self.folder / "log/stats.json").read_text())[-1]["test_cost"]
        plot = json.loads(self.broch("run plot --schedule --json", *manifest))
        rates, = [panel["series"][0]["values"] for panel in plot["panels"]
                  if panel["title"] == "learning_rate"]
        found = json.loads(self.said(PYTHON, HERE / "race_peers.py", RACE / "peers",
                                     "weights.safetensors", json.dumps({**settings, "seed": 1})))
        for name, peer in found.items():
            with self.subTest(name):
                self.assertEqual(peer["parameters"], 278890)
                self.assertAlmostEqual(peer["cost"], cost, delta=1e-5)
                self.assertEqual(len(peer["rates"]), EPOCHS * STEPS)
                for ours, theirs in zip(rates, peer["rates"]):  # ours has one more: after training
                    self.assertAlmostEqual(theirs, ours, delta=1e-5 * settings["peak"])

    def test_each_contender_reaches_an_easy_target(self):
        found = self.race("broch,pytorch,compile,ddp,lightning,keras", "vars.target_error=0.2")
        picture = (self.folder / "race.svg").read_text()
        for name, (entry,) in found["results"].items():
            with self.subTest(name):
                self.assertIn(f">{name}<", picture)
                self.assertLessEqual(len(entry["epochs"]), EPOCHS)
                self.assertLessEqual(entry["epochs"][-1]["test_error"], 0.2)
                self.assertEqual(entry["seconds"], entry["epochs"][-1]["seconds"])


if __name__ == "__main__":
    BUILD, *rest = sys.argv[1:]
    unittest.main(argv=[sys.argv[0], *rest])
