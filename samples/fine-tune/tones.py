#!/usr/bin/env python3
"""Tones that CREPE finds hard, what its authors' code hears in them, and what a prediction heard.

    samples/fine-tune/tones.py make FOLDER
    samples/fine-tune/tones.py compare FOLDER NAME...     NAME.npy: scores of the test tones

`make` writes train_audio.npy, train_pitch.npy, test_audio.npy and test_pitch.npy, the network of
crepe_tiny.py without weights as crepe_tiny.pt2, and a link to the authors' weights, tiny.pth.
"""

import pathlib
import subprocess
import sys

import numpy as np
import torch

import comparison
import crepe_tiny

RATE, SAMPLES = 16000, 1024
LOWEST, HIGHEST = 100, 280  # pitches, 101 to 796 Hz
EXPORT = pathlib.Path(__file__).resolve().parents[2] / "sdk/python/broch_export.py"


def frequency(pitch):
    return 10 * 2 ** ((1997.3794084376191 + 20 * pitch) / 1200)  # as in torchcrepe/convert.py


def tone(pitch, random):
    """Overtones without the fundamental, and noise of the same power; as CREPE wants it."""
    time = np.arange(SAMPLES) / RATE
    clean = sum(random.uniform(0.2, 1) * np.sin(2 * np.pi * k * frequency(pitch) * time +
                                                random.uniform(0, 2 * np.pi))
                for k in range(2, 9) if k * frequency(pitch) < RATE / 2)
    noisy = clean / clean.std() + random.standard_normal(SAMPLES)
    return (noisy - noisy.mean()) / noisy.std()


def write_tones(folder, name, count, seed):
    random = np.random.default_rng(seed)
    pitches = random.integers(LOWEST, HIGHEST, count)
    np.save(folder / f"{name}_pitch.npy", pitches)
    np.save(folder / f"{name}_audio.npy",
            np.array([tone(pitch, random) for pitch in pitches], np.float32))


def make(folder):
    folder.mkdir(parents=True, exist_ok=True)
    write_tones(folder, "train", 2000, 1)
    write_tones(folder, "test", 500, 2)
    subprocess.run([sys.executable, EXPORT, "crepe_tiny:without_weights", "--input",
                    f"audio=4x{SAMPLES}", "--eval", "--no-source", "-o",
                    folder / "crepe_tiny.pt2"], check=True, cwd=pathlib.Path(__file__).parent)
    (folder / "tiny.pth").write_bytes(crepe_tiny.WEIGHTS.read_bytes())


def row(name, scores, pitches):
    off = np.abs(scores.argmax(1) - pitches)
    print(f"| {name} | {100 * np.mean(off > 0):.1f} % | {100 * np.mean(off > 2):.1f} % |")


def compare(folder, names):
    pitches = np.load(folder / "test_pitch.npy")
    with torch.no_grad():
        audio = torch.tensor(np.load(folder / "test_audio.npy"))
        authors = crepe_tiny.authors_network()(audio).numpy()
    print("| | another of 360 pitches | more than 50 cents off |\n|---|---|---|")
    before = comparison.rows(folder, names, authors,
                             lambda name, scores: row(name, scores, pitches))
    if before is not None:
        show_difference(before, authors)


def show_difference(scores, authors):
    sigmoid = 1 / (1 + np.exp(-scores.astype(np.float64)))
    same = np.sum(scores.argmax(1) == authors.argmax(1))
    print(f"before: outputs differ from the authors' by at most {np.abs(sigmoid - authors).max():.2g}; "
          f"the same pitch for {same} of {len(scores)}")


if __name__ == "__main__":
    comparison.run(make, compare)
