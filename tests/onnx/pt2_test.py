#!/usr/bin/env python3
"""Trained weights go back into the .pt2 file that a model came from, and PyTorch loads it.

  pt2_test.py BROCH MANIFEST      samples/exported/digits.json

Compared are the weights, and the outputs with those of the original with the same weights. Needs
torch and safetensors.
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy
import torch
from safetensors.numpy import load_file


def computed(module, x):
    torch.manual_seed(2)  # the model draws for its dropout
    return module(image=x)


def main():
    broch, manifest = sys.argv[1:]
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        run = [broch, "train", manifest, "max_epoch=1", f"log_dir={folder}/log"]
        subprocess.run(run, check=True, capture_output=True)
        for name in ("pt2", "safetensors"):
            subprocess.run([broch, "export", folder / "log", "--format", name,
                            "-o", folder / f"model.{name}"], check=True, capture_output=True)
        program = torch.export.load(folder / "model.pt2")
        weights = load_file(folder / "model.safetensors")
        own = program.state_dict
        assert set(weights) == set(own), set(weights) ^ set(own)
        for name, values in weights.items():
            assert numpy.array_equal(own[name].detach().numpy(), values), name
        original = torch.export.load(pathlib.Path(manifest).with_suffix(".pt2")).module()
        original.load_state_dict({name: torch.from_numpy(one) for name, one in weights.items()})
        x = torch.randn(5, 1, 8, 8, generator=torch.Generator().manual_seed(1))
        assert torch.equal(computed(program.module(), x), computed(original, x))
    print("ok")


if __name__ == "__main__":
    main()
