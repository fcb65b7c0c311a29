"""tokens.py THREADS VARIANT FILE: 64 blocks of 256 tokens at random places of a file of uint16.

VARIANT: loader (PyTorch's DataLoader over a numpy.memmap), memmap (a loop)."""

import random
import sys

from serving import pytorch_loader, serve

BATCH, BLOCK = 64, 256


def loader(threads, file):
    import numpy
    import torch

    tokens = numpy.memmap(file, numpy.uint16, "r")

    class Blocks(torch.utils.data.Dataset):
        def __len__(self):
            return len(tokens) // BLOCK

        def __getitem__(self, _index):
            begin = random.randrange(len(tokens) - BLOCK + 1)
            return torch.from_numpy(tokens[begin : begin + BLOCK].astype(numpy.int64))

    return pytorch_loader(Blocks(), BATCH, threads, shuffle=False)


def memmap(_threads, file):
    import numpy

    tokens = numpy.memmap(file, numpy.uint16, "r")
    draw = numpy.random.default_rng(1)
    while True:
        starts = draw.integers(0, len(tokens) - BLOCK + 1, BATCH)
        yield numpy.stack([tokens[i : i + BLOCK].astype(numpy.int64) for i in starts])


if __name__ == "__main__":
    serve({"loader": loader, "memmap": memmap}[sys.argv[2]](int(sys.argv[1]), sys.argv[3]))
