"""export.py WORKLOAD FILE: writes the module of a workload as Broch's model `exported` reads it."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "sdk/python"))

import broch_export  # noqa: E402
import torch_models  # noqa: E402
import workloads  # noqa: E402

workload = workloads.WORKLOADS[sys.argv[1]]


def module():
    return torch_models.build(workload)


def example(component):
    shape = "x".join(map(str, component.shape))
    return shape + (f":int64<{component.classes}" if component.classes else "")


inputs = [word for component in workload.components for word in ("--input", example(component))]
broch_export.main(["__main__:module", *inputs, "-o", sys.argv[2]])
