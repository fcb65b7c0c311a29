#!/usr/bin/env python3
"""Trains the digits sample with seeds 1 to 5 and once with shuffled labels.

  digits_seeds.py BROCH PLUGIN

The median test error of last-epoch weights is at most 1.5 %, and with shuffled labels accuracy
stays under 20 %. With BROCH_REFERENCE_PYTHON (tools/reference-python) the error is also recomputed
from the checkpoint with numpy, and TensorBoard's reader has to give the scalars of stats.json.
"""
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "samples" / "digits"


def train(program, plugin, manifest, log_dir, seed):
    """The test error of a run."""
    command = [program, "train", manifest, f"seed={seed}", f'plugins=["{plugin}"]', f"log_dir={log_dir}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return json.loads((log_dir / "stats.json").read_text())[-1]["test_error"]


def shuffle_labels(folder):
    """A copy of the sample whose labels belong to other images. Its last column is the label."""
    (folder / "data").mkdir(parents=True)
    rows = [row.rsplit(",", 1) for row in (SAMPLE / "data" / "digits.csv").read_text().split()]
    labels = [row[1] for row in rows]
    random.Random(1).shuffle(labels)
    lines = [f"{row[0]},{label}\n" for row, label in zip(rows, labels)]
    (folder / "data" / "digits.csv").write_text("".join(lines))
    manifest = folder / "digits.json"
    manifest.write_text((SAMPLE / "digits.json").read_text())
    return manifest


def check_with_others(log_dir):
    python = os.environ.get("BROCH_REFERENCE_PYTHON")
    if not python:
        print("skipped: BROCH_REFERENCE_PYTHON is not set")
        return
    reference = ROOT / "tests" / "reference"
    subprocess.run([python, reference / "digits_error.py", log_dir], check=True)
    subprocess.run([python, reference / "check_events.py", log_dir, log_dir / "stats.json"], check=True)


def main():
    program, plugin = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        errors = []
        for seed in range(1, 6):
            errors.append(train(program, plugin, SAMPLE / "digits.json", folder / str(seed), seed))
            print(f"seed {seed}: test error {errors[-1]:.2%}", flush=True)
        check_with_others(folder / "1")
        manifest = shuffle_labels(folder / "shuffled")
        shuffled = train(program, plugin, manifest, folder / "log_shuffled", 1)
    median = statistics.median(errors)
    print(f"median {median:.2%}; with shuffled labels {shuffled:.2%}")
    if median > 0.015:
        sys.exit("the median is over 1.5 %")
    if shuffled < 0.8:
        sys.exit("labels that mean nothing were learned: the test set is in the training set")


if __name__ == "__main__":
    main()
