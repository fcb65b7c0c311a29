#!/usr/bin/env python3
"""Photographs of faces, what the code of R-Net's authors sees in them, and what predictions saw.

    samples/fine-tune/photographs.py make FOLDER
    samples/fine-tune/photographs.py compare FOLDER NAME...     NAME.npy: scores of the test images

`make` writes train_image.npy, train_label.npy, test_image.npy and test_label.npy, the network of
r_net.py without weights as r_net.pt2, and the authors' weights as rnet.pt.
"""

import importlib.util
import pathlib
import subprocess
import sys

import numpy as np
import torch

import comparison
import r_net

EXPORT = pathlib.Path(__file__).resolve().parents[2] / "sdk/python/broch_export.py"
SKIMAGE = pathlib.Path(importlib.util.find_spec("skimage").submodule_search_locations[0])
TURNS = (0, 1, 2, 3)  # quarter turns


def photographs():
    """(200, 3, 24, 24) from -1 to 1, as R-Net wants them; 100 faces, then 100 other places."""
    gray = torch.tensor(np.load(SKIMAGE / "data/lfw_subset.npy"), dtype=torch.float32)  # 0 to 1
    small = torch.nn.functional.interpolate(gray[:, None], (24, 24), mode="area")
    return ((255 * small - 127.5) / 128).expand(-1, 3, -1, -1).numpy()


def write(folder, name, images, labels):
    """Each image in four directions, one direction after the other."""
    turned = np.concatenate([np.rot90(images, turns, axes=(2, 3)) for turns in TURNS])
    np.save(folder / f"{name}_image.npy", np.ascontiguousarray(turned))
    np.save(folder / f"{name}_label.npy", np.tile(labels, len(TURNS)))


def make(folder):
    folder.mkdir(parents=True, exist_ok=True)
    images = photographs()
    labels = np.repeat([1, 0], len(images) // 2)
    write(folder, "train", images[0::2], labels[0::2])
    write(folder, "test", images[1::2], labels[1::2])
    subprocess.run([sys.executable, EXPORT, "r_net:Scores", "--input", "image=4x3x24x24",
                    "--no-source", "-o", folder / "r_net.pt2"],
                   check=True, cwd=pathlib.Path(__file__).parent)
    (folder / "rnet.pt").write_bytes(r_net.WEIGHTS.read_bytes())


def row(name, classes, labels):
    """Faces that were missed, upright and turned, and other places that were taken for a face."""
    upright = np.arange(len(labels)) < len(labels) // len(TURNS)
    cells = ((labels == 1) & upright, (labels == 1) & ~upright, labels == 0)
    print(f"| {name} | " + " | ".join(f"{np.sum(classes[cell] != labels[cell])} of {cell.sum()}"
                                      for cell in cells) + " |")


def compare(folder, names):
    images, labels = np.load(folder / "test_image.npy"), np.load(folder / "test_label.npy")
    with torch.no_grad():
        authors = r_net.authors_network()(torch.tensor(images))[1].numpy()
    print("| | upright faces missed | turned faces missed | other places taken for faces |")
    print("|---|---|---|---|")
    before = comparison.rows(folder, names, authors,
                             lambda name, scores: row(name, scores.argmax(1), labels))
    if before is not None:
        show_difference(before, authors)


def show_difference(scores, authors):
    likely = torch.softmax(torch.tensor(scores, dtype=torch.float64), 1).numpy()
    same = np.sum(scores.argmax(1) == authors.argmax(1))
    print(f"before: probabilities differ from the authors' by at most "
          f"{np.abs(likely - authors).max():.2g}; the same class for {same} of {len(scores)}")


if __name__ == "__main__":
    comparison.run(make, compare)
