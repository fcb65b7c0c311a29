#!/usr/bin/env python3
"""The monitor prometheus, read while a training runs.

  prometheus_test.py BROCH PLUGIN
"""
import pathlib
import re
import signal
import socket
import sys
import time
import unittest
import urllib.error
import urllib.request

from training import Training

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


class Prometheus(Training):
    def train_with(self, options, expect=0):
        return self.train({"use": "prometheus", "with": options}, expect=expect)

    def start_with(self, options):
        return self.start({"use": "prometheus", "with": options})

    def test_the_file_has_the_latest_values(self):
        self.train_with({"file": "metrics.prom"})
        values = samples((self.folder / "metrics.prom").read_text())
        record = self.records()[-1]
        self.assertEqual(values.pop("broch_epoch"), 3)
        self.assertEqual(values.pop("broch_global_step"), 15)
        self.assertEqual(values["cost"], record["cost"])
        self.assertEqual(values["learning_rate"], 0.1)
        self.assertLessEqual({name for name in record if name not in ("epoch_num", "global_step")},
                             set(values))

    def test_a_resumed_run_has_the_values_before(self):
        callbacks = [{"use": "derived-metric", "when": {"every_k_epochs": 2},
                      "with": {"name": "rare", "value": "epoch_num"}}, "model-saver"]
        monitor = {"use": "prometheus", "with": {"file": "metrics.prom"}}
        self.train(monitor, "max_epoch=2", callbacks=callbacks)
        self.train(monitor, "--resume", callbacks=callbacks)
        values = samples((self.folder / "metrics.prom").read_text())
        self.assertEqual((values["broch_epoch"], values["rare"]), (3, 2))

    def test_an_epoch_without_steps_counts(self):
        monitor = {"use": "prometheus", "with": {"file": "metrics.prom"}}
        self.train(monitor, "steps_per_epoch=0")
        values = samples((self.folder / "metrics.prom").read_text())
        self.assertEqual((values["broch_epoch"], values["broch_global_step"]), (3, 0))
        # The last checkpoint is from the end of an epoch, whose steps are not repeated.
        self.train(monitor, "log_dir=steps/log", callbacks=["model-saver"])
        self.train(monitor, "log_dir=steps/log", "--resume", callbacks=["model-saver"])
        values = samples((self.folder / "metrics.prom").read_text())
        self.assertEqual((values["broch_epoch"], values["broch_global_step"]), (3, 15))

    def test_the_page_is_there_while_the_training_runs(self):
        process, logged = self.start_with({"port": 0})
        url = logged(r"metrics at (http://127\.0\.0\.1:\d+/metrics)")[1]
        logged("cost: ")
        status, kind, text = get(url)
        self.assertEqual((status, kind), (200, "text/plain; version=0.0.4; charset=utf-8"))
        first = samples(text)
        for _ in range(600):  # values come through a queue, after what is logged
            if "cost" in first:
                break
            time.sleep(0.1)
            first = samples(get(url)[2])
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
        self.assertIn("found neither file nor port", self.train_with({}, expect=3))
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = other.getsockname()[1]
            self.assertIn(str(port), self.train_with({"port": port}, expect=1))
        said = self.train_with({"file": "missing/metrics.prom"}, expect=1)
        self.assertRegex(said, "failed in before_train: .*missing/metrics.prom")
        self.assertNotIn("after_train", said)

    def test_a_folder_that_goes_away_does_not_end_the_training(self):
        (self.folder / "out").mkdir()
        process, logged = self.start_with({"file": "out/metrics.prom"})
        logged("cost: ")
        (self.folder / "out").rename(self.folder / "gone")  # at once, between two of its files
        logged("The training goes on; monitor 'prometheus' misses")
        step = self.records()[-1]["global_step"]
        while self.records()[-1]["global_step"] == step:
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
        logged_text = (self.folder / "output").read_text()
        self.assertRegex(logged_text, r"monitor 'prometheus' has failed \d+ times? in this")


if __name__ == "__main__":
    Training.broch = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1], verbosity=2)
