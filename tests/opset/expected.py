#!/usr/bin/env python3
"""Prints what PyTorch gives for each case of cases.def: how expected.txt was made.

  python tests/opset/expected.py > tests/opset/expected.txt      with PyTorch 2.11
"""
import pathlib
import re
import sys

import torch

HERE = pathlib.Path(__file__).resolve().parent
HIDDEN = {"Layout", "Device", "MemoryFormat", "Generator"}


def schemas():
    text = (HERE.parents[1] / "sdk" / "opset" / "opset-1.txt").read_text()
    return dict(line.split(" = ", 1) for line in text.splitlines() if line and line[0] != "#")


class Ops:
    def __init__(self):
        self.schemas = schemas()

    def __getattr__(self, wrapper):
        name = self.schemas[wrapper].split("(")[0].split("::")[1]
        packet, _, overload = name.partition(".")
        operator = getattr(getattr(torch.ops.aten, packet), overload or "default")
        arguments = [a for a in operator._schema.arguments
                     if not any(word in str(a.type) for word in HIDDEN) and a.name != "pin_memory"]

        def call(*values):
            given = {a.name: (a, value) for a, value in zip(arguments, values)}
            if "self" in given and "dtype" in given and given["dtype"][1] == 0:
                given.pop("dtype")
            positional = [value for a, value in given.values() if not a.kwarg_only]
            named = {n: value for n, (a, value) in given.items() if a.kwarg_only}
            return operator(*positional, **named)
        return call


def read(name, kind):
    text = (HERE / name).read_text()
    return re.findall(rf"^{kind}\((\w+), (.*)\)$", text, re.MULTILINE)


def main():
    names = {"ops": Ops(), "true": True, "false": False}
    for name, text in read("inputs.def", "INPUT"):
        first, step, modulus, shift, *shape = [float(part) for part in text.split(",")]
        shape = [int(dim) for dim in shape]
        count = torch.Size(shape).numel()
        values = [(first + i * step) % modulus / 8 - shift for i in range(count)]
        names[name] = torch.tensor(values).reshape(shape)
    for name, call in read("cases.def", "CASE"):
        result = eval(call.replace("{", "[").replace("}", "]"), names)
        for tensor in result if isinstance(result, tuple) else [result]:
            shape = " ".join(str(dim) for dim in tensor.shape)
            numbers = " ".join(f"{value:.9g}" for value in tensor.double().flatten().tolist())
            print(f"{name} ( {shape + ' ' if shape else ''}) {numbers}".rstrip())


if __name__ == "__main__":
    sys.exit(main())
