#!/usr/bin/env python3
"""What broch_export.py says of mistakes, with a stand-in for PyTorch."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "sdk/python/broch_export.py"
# As much as comes before the export.
TORCH = """
import types


class Module:
    def train(self, mode):
        pass


class dtype:
    is_floating_point = True


float32, nn = dtype(), types.SimpleNamespace(Module=Module)


def manual_seed(seed):
    pass


def randn(shape, dtype):
    return shape
"""
NETS = """
import torch


class Net(torch.nn.Module):
    def forward(self, image, mask, scale=1):
        raise NotImplementedError


class Any(torch.nn.Module):
    def forward(self, **inputs):
        raise NotImplementedError
"""


class Mistakes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "torch.py").write_text(TORCH)
        (self.folder / "nets.py").write_text(NETS)
        (self.folder / "lacks.py").write_text("import no_such_package\n")

    def errors(self, *words):
        done = subprocess.run([sys.executable, SCRIPT, *words], cwd=self.folder, text=True,
                              env={**os.environ, "PYTHONPATH": str(self.folder)},
                              capture_output=True)
        self.assertEqual(done.returncode, 1)
        return done.stderr

    def says(self, text, *words):
        self.assertRegex(self.errors(*words), f"^broch_export: {text}.*\n$")

    def test_a_module_that_is_not_there(self):
        self.says("found no module 'nest', expected one in ", "nest:Net", "--input", "4x3")
        self.says("found no module 'nets.py'", "nets.py:Net", "--input", "4x3")
        self.says("found ':Net', expected MODULE:NAME", ":Net", "--input", "4x3")
        self.assertIn("No module named 'no_such_package'",
                      self.errors("lacks:Net", "--input", "4x3"))

    def test_without_pytorch(self):
        (self.folder / "torch.py").write_text("raise ImportError('libcudart.so.13: missing')\n")
        self.says("libcudart.so.13: missing; expected PyTorch", "nets:Net", "--input", "4x3")

    def test_inputs_that_are_not_those_of_forward(self):
        self.says("found --input imgae, expected arguments of forward: image, mask, scale",
                  "nets:Net", "--input", "imgae=4x3", "--input", "mask=4x3")
        self.says("found --input image twice", "nets:Net", "--input", "image=4x3", "--input",
                  "image=4x3")
        self.says("found no --input for mask, expected", "nets:Net", "--input", "4x3")
        for fits in (("nets:Net", "--input", "4x3", "--input", "4x3"),
                     ("nets:Any", "--input", "any=4x3")):
            self.assertIn("has no attribute 'export'", self.errors(*fits))

    def test_a_folder_that_is_not_there(self):
        self.says("--output none/net.pt2: found no folder none that can be written",
                  "nets:Net", "--input", "4x3", "-o", "none/net.pt2")


if __name__ == "__main__":
    unittest.main()
