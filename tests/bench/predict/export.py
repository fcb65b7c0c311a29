"""export.py WORKLOAD BATCH FOLDER: writes model.pt2, manifest.json, a training of one step, and
batches.npy, the inputs to predict from."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "sdk/python"))

import broch_export  # noqa: E402
import numpy  # noqa: E402
from models import Model, Trained  # noqa: E402

name, batch, folder = sys.argv[1], int(sys.argv[2]), pathlib.Path(sys.argv[3])
model = Model(name, batch)


def module():
    return Trained(model.module())


def example(component):
    shape = "x".join(map(str, component.shape))
    return f"{component.name}={shape}" + (f":int64<{component.classes}" if component.classes else "")


def fake(component):
    integers = {"dtype": "int64", "high": component.classes} if component.classes else {}
    return {"name": component.name, "shape": list(component.shape), **integers}


inputs = [word for component in model.inputs for word in ("--input", example(component))]
size = ["--static"] if batch == 1 else []  # else the batch may vary: broch cuts it into pieces
broch_export.main(["__main__:module", *inputs, *size, "-o", str(folder / "model.pt2")])
manifest = {
    "broch": 1,
    "name": name,
    "model": {"use": "exported", "with": {"file": str(folder / "model.pt2")}},
    "dataflow": {"use": "fake", "with": {"components": [fake(one) for one in model.inputs]}},
    "optimizer": {"use": "sgd", "with": {"learning_rate": 0.01}},
    "callbacks": ["model-saver"],
    "steps_per_epoch": 1,
    "max_epoch": 1,
    "log_dir": str(folder / "log"),
}
(folder / "manifest.json").write_text(json.dumps(manifest))
numpy.save(folder / "batches.npy", numpy.stack(model.batches()))
