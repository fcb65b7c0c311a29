"""fashion.py: the images of Fashion-MNIST and their augmented batches, in NumPy, for all peers."""

import gzip
import pathlib
import queue
import threading

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

SIDE = 28


def read(settings, split):
    """Images (N, 28, 28) and classes (N) of "train" or "t10k", both uint8."""
    return tuple(idx(settings, f"{split}-{what}-ubyte") for what in ("images-idx3", "labels-idx1"))


def idx(settings, name):
    file = pathlib.Path(settings.folder) / name
    packed = file.with_name(name + ".gz")
    data = file.read_bytes() if file.exists() else gzip.decompress(packed.read_bytes())
    shape = np.frombuffer(data, ">i4", data[3], 4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * data[3]).reshape(shape)


def normalized(settings, images):
    """(N, 28, 28, 1), float32."""
    images = images.astype(np.float32)[..., None]
    images -= np.float32(settings.mean)
    images *= np.float32(1 / settings.std)
    return images


def evaluated(settings):
    """The test images, normalized, and their classes."""
    images, labels = read(settings, "t10k")
    return normalized(settings, images), labels.astype(np.int64)


def batches(settings, rank=0, world=1):
    """Without end: the augmented images and classes of each step; with several ranks, the part of
    this one. A batch is cropped by one copy of windows, so nothing is done image by image."""
    images, labels = read(settings, "train")
    pad = settings.pad
    padded = np.pad(images, ((0, 0), (pad, pad), (pad, pad)))
    windows = sliding_window_view(padded, (SIDE, SIDE), (1, 2))
    random = np.random.default_rng(settings.seed)
    part = slice(rank * settings.batch // world, (rank + 1) * settings.batch // world)
    while True:
        order = random.permutation(len(labels))
        for step in range(settings.steps):
            chosen = order[step * settings.batch : (step + 1) * settings.batch]
            top, left = random.integers(0, 2 * pad + 1, (2, len(chosen)))
            mirrored = random.random(len(chosen)) < settings.flip
            crops = windows[chosen[part], top[part], left[part]]
            crops[mirrored[part]] = crops[mirrored[part], :, ::-1]
            yield normalized(settings, crops), labels[chosen[part]].astype(np.int64)


def prefetched(points, depth=8):
    """The same points, made on a thread of their own."""
    ready = queue.Queue(depth)

    def fill():
        for point in points:
            ready.put(point)

    threading.Thread(target=fill, daemon=True).start()
    while True:
        yield ready.get()
