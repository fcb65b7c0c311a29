"""tokens.py THREADS VARIANT FILE: 64 blocks of 256 tokens at random places of a file of uint16.

VARIANT: loader (PyTorch's DataLoader over a numpy.memmap), memmap (a loop)."""

import sys

from images import endless, serve

BATCH, BLOCK = 64, 256


def loader(threads, file):
    import numpy
    import torch

    torch.set_num_threads(1)
    tokens = numpy.memmap(file, numpy.uint16, "r")

    class Blocks(torch.utils.data.Dataset):
        def __len__(self):
            return len(tokens) // BLOCK

        def __getitem__(self, index):
            return torch.from_numpy(tokens[index * BLOCK : (index + 1) * BLOCK].astype(numpy.int64))

    return endless(
        torch.utils.data.DataLoader(
            Blocks(),
            batch_size=BATCH,
            shuffle=True,
            drop_last=True,
            num_workers=threads,
            persistent_workers=True,
        )
    )


def memmap(_threads, file):
    import numpy

    tokens = numpy.memmap(file, numpy.uint16, "r")
    random = numpy.random.default_rng(1)
    while True:
        starts = random.integers(0, len(tokens) - BLOCK, BATCH)
        yield numpy.stack([tokens[i : i + BLOCK].astype(numpy.int64) for i in starts])


if __name__ == "__main__":
    serve({"loader": loader, "memmap": memmap}[sys.argv[2]](int(sys.argv[1]), sys.argv[3]))
