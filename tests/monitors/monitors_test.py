#!/usr/bin/env python3
"""Monitors that other programs read while a training runs.

  monitors_test.py BROCH
"""
import json
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIGITS = ROOT / "samples" / "digits" / "data" / "digits.csv"
BROCH = ""

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
# https://prometheus.io/docs/instrumenting/exposition_formats
SAMPLE = re.compile(r'(\w+)\{run="([^"\\]*)"(?:,name="([^"\\]*)")?\} (\S+)')


def samples(text):
    """The values by name of the metric, or by name of the sample, of a page for Prometheus."""
    values = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        match = SAMPLE.fullmatch(line)
        if not match or match[2] != "log":
            raise AssertionError(line)
        values[match[3] or match[1]] = float(match[4])
    return values


def get(url, method="GET"):
    """Status, type and text of an answer."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, method=method), timeout=20) as page:
            return page.status, page.headers["Content-Type"], page.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers["Content-Type"], error.read().decode()


class Prometheus(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, options, **more):
        """A manifest with a monitor with these options."""
        monitors = ["json-writer", "scalar-printer", {"use": "prometheus", "with": options}]
        (self.folder / "run.json").write_text(json.dumps({**MANIFEST, "monitors": monitors, **more}))

    def train(self, options, expect=0, **more):
        """What a whole training printed."""
        self.write(options, **more)
        result = subprocess.run([BROCH, "train", "run.json"], cwd=self.folder, capture_output=True,
                                text=True)
        self.assertEqual(result.returncode, expect, result.stderr)
        return result.stderr

    def start(self, options, **more):
        """A training that has no end, and a function that waits until it has logged a pattern."""
        self.write(options, steps_per_epoch=3000, max_epoch=10**9, **more)
        with open(self.folder / "output", "w") as output:
            process = subprocess.Popen([BROCH, "train", "run.json"], cwd=self.folder,
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

    def last_record(self):
        return json.loads((self.folder / "log" / "stats.json").read_text())[-1]

    def test_the_file_has_the_latest_values(self):
        self.train({"file": "metrics.prom"})
        values = samples((self.folder / "metrics.prom").read_text())
        record = self.last_record()
        self.assertEqual(values.pop("broch_epoch"), 3)
        self.assertEqual(values.pop("broch_global_step"), 15)
        self.assertEqual(values["cost"], record["cost"])
        self.assertEqual(values["learning_rate"], 0.1)
        self.assertLessEqual({name for name in record if name not in ("epoch_num", "global_step")},
                             set(values))

    def test_the_page_is_there_while_the_training_runs(self):
        process, logged = self.start({"port": 0})
        url = logged(r"metrics at (http://127\.0\.0\.1:\d+/metrics)")[1]
        logged("cost: ")
        status, kind, text = get(url)
        self.assertEqual((status, kind), (200, "text/plain; version=0.0.4; charset=utf-8"))
        first = samples(text)
        self.assertIn("cost", first)
        for _ in range(600):
            later = samples(get(url)[2])
            if later["broch_epoch"] > first["broch_epoch"]:
                break
            time.sleep(0.1)
        self.assertGreater(later["broch_global_step"], first["broch_global_step"])
        self.assertEqual(get(url + "?name=cost")[0], 200)
        self.assertEqual(get(url, "HEAD")[::2], (200, ""))
        self.assertEqual(get(url, "POST")[0], 405)
        self.assertEqual(get(url + "/other")[0], 404)
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
        with self.assertRaises(OSError):
            get(url)

    def test_what_cannot_work_is_said_before_the_training(self):
        self.assertIn("found neither file nor port", self.train({}, expect=3))
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = other.getsockname()[1]
            self.assertIn(str(port), self.train({"port": port}, expect=1))
        self.assertIn("missing/metrics.prom",
                      self.train({"file": "missing/metrics.prom"}, expect=1))

    def test_a_folder_that_goes_away_does_not_end_the_training(self):
        (self.folder / "out").mkdir()
        process, logged = self.start({"file": "out/metrics.prom"})
        logged("cost: ")
        shutil.rmtree(self.folder / "out")
        logged("The training goes on; monitor 'prometheus' misses")
        step = self.last_record()["global_step"]
        while self.last_record()["global_step"] == step:
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
        logged_text = (self.folder / "output").read_text()
        self.assertRegex(logged_text, r"monitor 'prometheus' has failed \d+ times? in this")


if __name__ == "__main__":
    BROCH = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
