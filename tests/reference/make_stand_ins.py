"""Writes tests/docs_examples/stand_ins/resnet18.pt2, for machines without PyTorch:

    python tests/reference/make_stand_ins.py     # needs torch and torchvision

A page of the documentation exports torchvision's resnet18, which has 45 MB. This file takes its
place: the same class with fewer channels and blocks, so that names, input and output are alike.
"""
import pathlib
import sys

import torch
from torchvision.models.resnet import BasicBlock, ResNet

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT.parent / "sdk/python"))
import broch_export  # noqa: E402


def small_resnet():
    model = ResNet(BasicBlock, [1, 1, 1, 1], num_classes=10)
    model.inplanes = 8
    model.conv1 = torch.nn.Conv2d(3, 8, 7, stride=2, padding=3, bias=False)
    model.bn1 = torch.nn.BatchNorm2d(8)
    for number, channels in enumerate((8, 8, 16, 16), 1):
        stride = 1 if number == 1 else 2
        setattr(model, f"layer{number}", model._make_layer(BasicBlock, channels, 1, stride))
    model.fc = torch.nn.Linear(16, 10)
    return model


if __name__ == "__main__":
    broch_export.main(["make_stand_ins:small_resnet", "--input", "4x3x32x32", "--no-source",
                       "-o", str(ROOT / "docs_examples/stand_ins/resnet18.pt2")])
