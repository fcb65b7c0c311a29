#!/usr/bin/env python3
"""Makes the programs of tests/exported/data/versions: the same four models, written by the PyTorch
that runs this script.

  make_exported_versions.py FOLDER        with each PyTorch from 2.6 on, one after the other

For each model: NAME_VERSION.pt2, such as mlp_2.6.pt2, as torch.export.save wrote it, with its texts
compressed; NAME_VERSION.json with the losses of 20 steps of SGD of PyTorch's eager loop; and
NAME.INPUT.npy with the data of these steps, which are the same for all versions. The models are
exported by sdk/python/broch_export.py, except for the one with a dict as its argument.
"""
import json
import pathlib
import sys
import zipfile

import numpy
import torch
from torch import nn
from torch.nn import functional

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "sdk" / "python"))
import broch_export  # noqa: E402

STEPS, BATCH, RATE = 20, 4, 0.05


class Mlp(nn.Module):
    """A dict as the argument."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(5, 8), nn.Linear(8, 3)

    def forward(self, batch):
        logits = self.b(functional.gelu(self.a(batch["x"])))
        return {"logits": logits, "loss": functional.cross_entropy(logits, batch["label"])}


class Convolution(nn.Module):
    """Batch norm and dropout. The probability is 0, since random numbers differ from program to
    program."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4),
                                 nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Flatten(),
                                 nn.Dropout(0.0), nn.Linear(36, 3))

    def forward(self, image):
        return self.net(image)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(11, 8)
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)

    def forward(self, tokens):
        return self.layer(self.embed(tokens)).mean(1)


class Tied(nn.Module):
    """Tied weights, constants, a buffer that is not saved, one that changes, sizes as numbers."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(9, 4)
        self.head = nn.Linear(4, 9, bias=False)
        self.head.weight = self.embed.weight
        self.scale = torch.tensor(0.5)
        self.register_buffer("table", torch.linspace(0, 1, 4), persistent=False)
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))

    def forward(self, tokens):
        with torch.no_grad():
            self.steps += 1
        x = self.embed(tokens).mean(1) + self.table * self.scale + torch.tensor([1.0, 0.0, 2.0, 0.5])
        rows = torch.arange(tokens.shape[0]) / tokens.shape[0]
        return self.head(x * rows.unsqueeze(1))


def data(name):
    """The inputs of all steps."""
    draw = numpy.random.default_rng(7)
    rows = STEPS * BATCH
    classes = {"mlp": 3, "convolution": 3, "encoder": 8, "tied": 9}[name]
    inputs = {"mlp": {"batch_x": draw.normal(size=(rows, 5))},
              "convolution": {"image": draw.normal(size=(rows, 1, 6, 6))},
              "encoder": {"tokens": draw.integers(11, size=(rows, 5))},
              "tied": {"tokens": draw.integers(9, size=(rows, 3))}}[name]
    label = "batch_label" if name == "mlp" else "label"
    inputs = {key: value.astype("float32") if value.dtype == "float64" else value
              for key, value in inputs.items()}
    return {**inputs, label: draw.integers(classes, size=rows)}


def train(model, loss_of, batches):
    losses = []
    for batch in batches:
        model.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        with torch.no_grad():
            for p in model.parameters():
                p.sub_(p.grad, alpha=RATE)
        losses.append(loss.item())
    return losses


def export_mlp(path):
    torch.manual_seed(0)
    model = Mlp().train()
    batch = torch.export.Dim("batch", min=2)
    example = {"x": torch.randn(BATCH, 5), "label": torch.randint(3, (BATCH,))}
    program = torch.export.export(model, (example,), strict=False,
                                  dynamic_shapes=({"x": {0: batch}, "label": {0: batch}},))
    for node in program.graph.nodes:
        node.meta.pop("stack_trace", None)
    torch.export.save(program, str(path))
    return model


def export_other(name, path):
    """With broch_export.py, which makes the same weights from the same seed."""
    make = {"convolution": Convolution, "encoder": Encoder, "tied": Tied}[name]
    shape = {"convolution": "4x1x6x6", "encoder": "4x5:int64<11", "tied": "4x3:int64<9"}[name]
    broch_export.main([f"make_exported_versions:{make.__name__}", "--input", shape, "--loss",
                       "cross_entropy", "--no-source", "-o", str(path)])
    torch.manual_seed(0)
    return make().train()


def compress(path):
    """The same entries, without the example, which may be executed, and which no reader needs."""
    with zipfile.ZipFile(path) as file:
        entries = {name: file.read(name) for name in file.namelist()
                   if "sample_inputs" not in name and "example_inputs" not in name}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in entries.items():
            file.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def main():
    folder = pathlib.Path(sys.argv[1])
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    torch.set_num_threads(1)
    version = ".".join(torch.__version__.split(".")[:2])
    for name in ["mlp", "convolution", "encoder", "tied"]:
        inputs = data(name)
        for key, value in inputs.items():
            numpy.save(folder / f"{name}.{key}.npy", value)
        path = folder / f"{name}_{version}.pt2"
        model = export_mlp(path) if name == "mlp" else export_other(name, path)
        compress(path)
        tensors = {key: torch.from_numpy(value) for key, value in inputs.items()}
        batches = [{key: value[i * BATCH:(i + 1) * BATCH] for key, value in tensors.items()}
                   for i in range(STEPS)]

        def loss_of(model, batch):
            if name == "mlp":
                return model({"x": batch["batch_x"], "label": batch["batch_label"]})["loss"]
            first = next(iter(batch))
            return functional.cross_entropy(model(batch[first]), batch["label"])
        (folder / f"{name}_{version}.json").write_text(
            json.dumps({"losses": train(model, loss_of, batches)}) + "\n")


if __name__ == "__main__":
    main()
