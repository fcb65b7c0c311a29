#!/usr/bin/env python3
"""Makes the programs of tests/exported/data, and writes down what PyTorch computes with them.

  make_exported.py FOLDER        with the Python of tools/models-python

For each model: NAME.pt2, NAME.INPUT.npy with the data of 20 steps, and NAME.json with the losses of
20 steps of SGD, the gradients of the first step, and the buffers after the last. Of the random
model: its mean loss without noise.
"""
import json
import pathlib
import re
import sys
import warnings
import zipfile

import numpy
import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional

STEPS, BATCH, RATE = 20, 4, 0.05


class Net(nn.Module):
    """Batch norm, which changes its buffers in place; relu in place; a dict as the result."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 3, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(3)
        self.fc = nn.Linear(3 * 9, 5)

    def forward(self, image, label):
        x = functional.relu(self.bn(self.conv(image)), inplace=True)
        x = functional.max_pool2d(x, 2)
        logits = self.fc(functional.dropout(x.flatten(1), 0.0, self.training))
        return {"loss": functional.cross_entropy(logits, label), "logits": logits}


class Language(nn.Module):
    """Tied weights, a constant, a buffer that is not saved, symbolic sizes, lists of tensors, an
    index, and a part without gradients."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(11, 6)
        self.head = nn.Linear(6, 11, bias=False)
        self.head.weight = self.embed.weight
        self.mix = nn.Linear(6, 18)
        self.norm = nn.LayerNorm(6)
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))
        self.register_buffer("table", torch.linspace(0, 1, 48).reshape(8, 6), persistent=False)
        self.scales = torch.tensor([1.0, 0.5, 2.0])
        self.still = nn.Parameter(torch.ones(6), requires_grad=False)

    def forward(self, batch):
        tokens, mask = batch["tokens"], batch["mask"]
        length = tokens.shape[1]
        x = self.embed(tokens) + self.table[:length]
        with torch.no_grad():
            self.steps += 1
            noise = x.mean(-1, keepdim=True) / (length * 2 + 1)
        q, k, v = self.mix(x * self.still).split(6, dim=-1)
        scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
        causal = torch.full((length, length), float("-inf")).triu(1)
        attended = (scores + causal).softmax(-1) @ v
        x = self.norm(x + attended * mask.unsqueeze(-1) + noise)
        rows = torch.arange(tokens.shape[0])
        last = x[rows, mask.sum(1).to(torch.int64) - 1]
        first, rest = x[:, :1], x[:, 1:]
        x = torch.cat([first, rest * self.scales[1]], 1) + 0.1 * last.unsqueeze(1)
        x = torch.where(mask.unsqueeze(-1) > 0, x, 0.0)
        return self.head(x), (x ** 2).mean()


class Statistics(nn.Module):
    """Exported as the core set of operators, where batch norm returns its new statistics."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(7, 4)
        self.bn = nn.BatchNorm1d(4, momentum=0.3)

    def forward(self, x, y):
        return functional.mse_loss(torch.tanh(self.bn(self.fc(x))), y)


class Noise(nn.Module):
    """Dropout, and noise as stochastic depth draws it."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 6)

    def forward(self, x):
        h = self.fc(x)
        keep = torch.empty((h.shape[0], 1)).bernoulli_(0.8).div_(0.8)
        return functional.dropout(h * keep, 0.5, self.training).square().mean()


class Forms(nn.Module):
    """Operators that make tensors of numbers alone, writing to parts of a tensor, an LSTM, which
    transposes in place, None among the results, and arguments of several dtypes."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 6)
        self.lstm = nn.LSTM(6, 5, batch_first=True)

    def forward(self, x, row):
        n, d = x.shape
        y = self.fc(x)
        made = [torch.arange(d), torch.arange(1, d + 1, dtype=torch.float32), torch.zeros(n, d),
                torch.ones(d, dtype=torch.int32), torch.full((n, 1), 0.5), torch.eye(d)[0],
                torch.linspace(0, 1, d), torch.scalar_tensor(2.0), torch.tensor([1, 0, 2, 0, 3, 0]),
                torch.zeros((), dtype=torch.float64), torch.empty(d).fill_(0.25),
                torch.tril(torch.ones(d, d, dtype=torch.bool))[1], torch.randint_like(y, 1),
                torch.rand(d) * 0, x.new_zeros(d), x.new_full((n, 1), 3), torch.ones_like(y[:, :1])]
        for one in made:
            y = y + one * 0.1
        y[:, 0] = 1.0
        y[:, 1:3] = x[:, 3:5] * self.fc.bias[:2]
        y[0].mul_(2)
        y[row > 1] = 0
        other = torch.empty(n, d)
        other.copy_(y.half().float())
        other.zero_()
        other[:, :3] += y[:, :3]
        other.unsqueeze_(0).squeeze_(0)
        z, (h, _) = self.lstm(torch.stack([y, other, y * 0.5], 1).transpose(1, 2)[:, :, :1] + y[:, None])
        return z.square().mean() + h.mean() + y.square().mean() + other.mean(), None


def short(program):
    """Without the paths of the machine, and without what no reader needs."""
    clean(program["graph_module"]["graph"])
    return program


def clean(graph):
    for node in graph["nodes"]:
        trace = node["metadata"].get("stack_trace", "")
        frames = re.findall(r'File "[^"]*make_exported.py", line (\d+), in (\w+)\n +(.*)', trace)
        node["metadata"] = {}
        if frames:
            line, function, code = frames[-1]
            node["metadata"]["stack_trace"] = (
                f'File "make_exported.py", line {line}, in {function}\n    {code}')
        for argument in node["inputs"]:
            if "as_graph" in argument["arg"]:
                clean(argument["arg"]["as_graph"]["graph"])


def write(path, entries, compressed=True):
    """torch.export.save does not compress; most of these files are small."""
    with zipfile.ZipFile(path, "w") as file:
        for name, content in entries.items():
            info = zipfile.ZipInfo(name)
            packs = compressed and ".pt" not in name
            info.compress_type = zipfile.ZIP_DEFLATED if packs else zipfile.ZIP_STORED
            file.writestr(info, content)


def save(program, path, compressed):
    """As torch.export.save does, shortened. Returns the entries."""
    torch.export.save(program, path)
    with zipfile.ZipFile(path) as file:
        entries = {name: file.read(name) for name in file.namelist()
                   if "sample_inputs" not in name and ".data/" not in name}
    for name in entries:
        if "/models/" in name:
            entries[name] = json.dumps(short(json.loads(entries[name]))).encode()
    write(path, entries, compressed)
    return entries


def save_old(program, folder, name, entries):
    """The two layouts of torch 2.6 to 2.9, where torch.save has written the tensors."""
    from torch._export.serde.serialize import serialize
    saved = serialize(program)
    model = next(entries[entry] for entry in entries if "/models/" in entry)
    write(folder / f"{name}_26.pt2", {
        "serialized_exported_program.json": model, "serialized_state_dict.pt": saved.state_dict,
        "serialized_constants.pt": saved.constants, "serialized_example_inputs.pt": b"",
        "version": b"8.3"})
    write(folder / f"{name}_28.pt2", {
        f"{name}_28/archive_format": b"pt2", f"{name}_28/models/model.json": model,
        f"{name}_28/data/weights/model.pt": saved.state_dict,
        f"{name}_28/data/constants/model.pt": saved.constants})


def save_missing(path, entries):
    """Two nodes become operators that nobody has."""
    changed = dict(entries)
    for name in changed:
        if "/models/" in name:
            text = changed[name].decode()
            text = text.replace("torch.ops.aten.relu_.default", "torch.ops.aten.rellu.default")
            text = text.replace("torch.ops.aten.max_pool2d.default", "torch.ops.mine.pool.default")
            changed[name] = text.encode()
    write(path, changed)


def train(model, loss_of, batches):
    losses, gradients = [], {}
    parameters = {name: p for name, p in model.named_parameters() if p.requires_grad}
    for step, batch in enumerate(batches):
        model.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        if step == 0:
            gradients = {name: p.grad.double().flatten().tolist() for name, p in parameters.items()}
        with torch.no_grad():
            for p in parameters.values():
                p.sub_(p.grad, alpha=RATE)
        losses.append(loss.item())
    buffers = {name: b.double().flatten().tolist() for name, b in model.state_dict().items()
               if name not in parameters}
    return {"losses": losses, "gradients": gradients, "buffers": buffers}


def record(folder, name, model, loss_of, batches, program):
    entries = save(program, folder / f"{name}.pt2", name != "net")
    if name == "language":
        save_old(program, folder, name, entries)  # before train changes its tensors
    for key in batches[0]:
        numpy.save(folder / f"{name}.{key}.npy", torch.cat([b[key] for b in batches]).numpy())
    (folder / f"{name}.json").write_text(json.dumps(train(model, loss_of, batches)) + "\n")
    return entries


def main():
    warnings.simplefilter("ignore")
    folder = pathlib.Path(sys.argv[1])
    torch.set_num_threads(1)
    batch = Dim("batch", min=2)

    torch.manual_seed(1)
    net = Net().train()
    batches = [{"image": torch.randn(BATCH, 1, 6, 6), "label": torch.randint(5, (BATCH,))}
               for _ in range(STEPS)]
    program = torch.export.export(net, (), kwargs=batches[0],
                                  dynamic_shapes={"image": {0: batch}, "label": {0: batch}})
    entries = record(folder, "net", net, lambda m, b: m(**b)["loss"], batches, program)
    save_missing(folder / "missing.pt2", entries)

    language = Language().train()
    batches = []
    for _ in range(STEPS):
        mask = torch.ones(BATCH, 5)
        mask[0, 3:] = 0
        batches.append({"batch_tokens": torch.randint(11, (BATCH, 5)), "batch_mask": mask,
                        "label": torch.randint(11, (BATCH, 5))})
    length = Dim("length", min=3, max=8)
    program = torch.export.export(
        language, ({"tokens": batches[0]["batch_tokens"], "mask": batches[0]["batch_mask"]},),
        dynamic_shapes=({"tokens": {0: batch, 1: length}, "mask": {0: batch, 1: length}},))

    def language_loss(model, one):
        logits, _ = model({"tokens": one["batch_tokens"], "mask": one["batch_mask"]})
        return functional.cross_entropy(logits.flatten(0, 1), one["label"].flatten(),
                                        label_smoothing=0.1)
    record(folder, "language", language, language_loss, batches, program)

    statistics = Statistics().train()
    batches = [{"x": torch.randn(BATCH, 7), "y": torch.randn(BATCH, 4)} for _ in range(STEPS)]
    program = torch.export.export(statistics, (), kwargs=batches[0],
                                  dynamic_shapes={"x": {0: batch}, "y": {0: batch}})
    record(folder, "statistics", statistics, lambda m, b: m(**b), batches,
           program.run_decompositions())

    forms = Forms().train()
    batches = [{"x": torch.randn(BATCH, 6), "row": torch.arange(BATCH, dtype=torch.int32)}
               for _ in range(STEPS)]
    program = torch.export.export(forms, (), kwargs=batches[0],
                                  dynamic_shapes={"x": {0: batch}, "row": {0: batch}})
    record(folder, "forms", forms, lambda m, b: m(**b)[0], batches, program)

    noise = Noise().train()
    batches = [{"x": torch.randn(BATCH, 6)} for _ in range(STEPS)]
    save(torch.export.export(noise, (), kwargs=batches[0], dynamic_shapes={"x": {0: batch}}),
         folder / "noise.pt2", True)
    numpy.save(folder / "noise.x.npy", torch.cat([b["x"] for b in batches]).numpy())
    with torch.no_grad():
        costs = [noise.fc(b["x"]).square().mean().item() for b in batches]
    (folder / "noise.json").write_text(json.dumps({"inference": sum(costs) / STEPS}) + "\n")


if __name__ == "__main__":
    main()
