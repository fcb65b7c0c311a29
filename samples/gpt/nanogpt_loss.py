#!/usr/bin/env python3
"""The loss of a checkpoint of nanoGPT on the whole validation text, in the blocks of gpt.json.

    samples/gpt/nanogpt_loss.py NANOGPT OUT_DIR      a Python with torch

NANOGPT is a copy of nanoGPT in which data/shakespeare_char/prepare.py has run, OUT_DIR what its
train.py has written.
"""

import pathlib
import sys

import numpy as np
import torch

LENGTH, BATCH = 64, 134  # 13 batches


def main():
    nanogpt, out_dir = map(pathlib.Path, sys.argv[1:])
    sys.path.insert(0, str(nanogpt))
    from model import GPT, GPTConfig
    checkpoint = torch.load(out_dir / "ckpt.pt", map_location="cpu", weights_only=False)
    model = GPT(GPTConfig(**checkpoint["model_args"]))
    model.load_state_dict(checkpoint["model"])
    model.eval()
    tokens = np.fromfile(nanogpt / "data/shakespeare_char/val.bin", np.uint16).astype(np.int64)
    blocks = (len(tokens) - 1) // LENGTH
    inputs = torch.tensor(tokens[:blocks * LENGTH]).view(-1, BATCH, LENGTH)
    targets = torch.tensor(tokens[1:blocks * LENGTH + 1]).view(-1, BATCH, LENGTH)
    with torch.no_grad():
        losses = [model(x, y)[1].item() for x, y in zip(inputs, targets)]
    print(f"step {checkpoint['iter_num']}: {np.mean(losses):.4f} over {blocks} blocks")


if __name__ == "__main__":
    main()
