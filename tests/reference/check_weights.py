"""Reads weights that Broch wrote with safetensors, NumPy and PyTorch.

    check_weights.py state.pt FILE...

state.pt is the state dict of the module that make_weights.py makes. Each FILE must have the same
tensors, to the last bit; it is loaded into the module with strict=True, and both compute the same.
"""

import sys

import numpy as np
import safetensors.torch
import torch
from torch import nn


def module():
    return nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Linear(2, 3))


def load(path):
    if path.endswith(".npz"):
        return {name: torch.from_numpy(array) for name, array in np.load(path).items()}
    return safetensors.torch.load_file(path)


def main(expected, *paths):
    want = torch.load(expected, weights_only=True)
    x = torch.ones(2, 1, 3, 3)
    original = module().eval()
    original.load_state_dict(want)
    for path in paths:
        found = load(path)
        assert found.keys() == want.keys(), found.keys()
        for name, tensor in want.items():
            assert found[name].dtype == tensor.dtype, name
            assert torch.equal(found[name], tensor), name
        copy = module().eval()
        copy.load_state_dict(found, strict=True)
        assert torch.equal(copy(x), original(x)), path
        print(path.rsplit("/", 1)[-1], len(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
