#!/usr/bin/env python3
"""Recomputes the error of the digits sample from a checkpoint with numpy alone.

  tests/reference/digits_error.py LOG_DIR [STATS_NAME]

Reads the newest checkpoint of LOG_DIR and samples/digits/data/digits.csv, evaluates the network on
every fifth row and compares with STATS_NAME (default test_error) of the last record of stats.json.
Exit code 1 when they differ.
"""
import json
import pathlib
import sys

import numpy as np
from safetensors.numpy import load_file

ROOT = pathlib.Path(__file__).resolve().parents[2]


def newest(log_dir):
    first = (log_dir / "checkpoint").read_text().splitlines()[0]
    return log_dir / (first.split('"')[1] + ".safetensors")


def conv3x3(x, w):
    """x (N, C, H, W), w (K, C, 3, 3), padding 1."""
    n, _, height, width = x.shape
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    y = np.zeros((n, w.shape[0], height, width))
    for i in range(3):
        for j in range(3):
            y += np.einsum("nchw,kc->nkhw", padded[:, :, i:i + height, j:j + width], w[:, :, i, j])
    return y


def block(x, weights, name):
    y = conv3x3(x, weights[f"{name}/conv/W"])
    at = [1, -1, 1, 1]
    mean = weights[f"{name}/bn/mean/EMA"].reshape(at)
    variance = weights[f"{name}/bn/variance/EMA"].reshape(at)
    y = (y - mean) / np.sqrt(variance + 1e-5)
    y = y * weights[f"{name}/bn/gamma"].reshape(at) + weights[f"{name}/bn/beta"].reshape(at)
    return np.maximum(y, 0)


def pool(x):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2).max(axis=(3, 5))


def logits(x, weights):
    x = pool(block(block(x, weights, "block1"), weights, "block2"))
    x = pool(block(x, weights, "block3"))
    return x.reshape(len(x), -1) @ weights["fc/W"].T + weights["fc/b"]


def main():
    log_dir = pathlib.Path(sys.argv[1])
    name = sys.argv[2] if len(sys.argv) > 2 else "test_error"
    path = newest(log_dir)
    weights = {k: v.astype(np.float64) for k, v in load_file(path).items()
               if not k.startswith("broch.")}
    rows = np.loadtxt(ROOT / "samples/digits/data/digits.csv", delimiter=",")
    test = rows[np.arange(len(rows)) % 5 == 4]
    images, labels = test[:, :64].reshape(-1, 1, 8, 8) / 16, test[:, 64]
    error = float(np.mean(logits(images, weights).argmax(axis=1) != labels))
    told = json.loads((log_dir / "stats.json").read_text())[-1][name]
    print(f"{path.name}: {len(test)} samples, error {error:.6f} recomputed, {told:.6f} in stats.json")
    return 0 if np.isclose(error, told, atol=1e-9) else 1


if __name__ == "__main__":
    sys.exit(main())
