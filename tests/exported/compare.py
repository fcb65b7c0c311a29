#!/usr/bin/env python3
"""Trains models of other people with Broch and with PyTorch, and compares.

  compare.py BROCH PROBE [-o TABLE] [--level LEVEL] [--precision PRECISION] [--layers] [NAME...]

BROCH: the program. PROBE: the plugin exported_probe.so. NAME: some of the models; all, where none
is given. Each model has random weights from a seed and small inputs; it is exported in training
mode with a dynamic batch. Compared are the gradients of the first step and the losses of 20 steps
of SGD, with the same data. The level is bitwise by default: at level fast, models with batch norm
over few images amplify the last digits. With the precision bf16, PyTorch computes under
torch.autocast. TABLE: a file for the results, in Markdown. Needs torch, torchvision and
transformers.
"""
import argparse
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import warnings

import numpy
import torch

import layer_models
import models

STEPS = 20
# How far apart gradients and losses may be, by precision. In bf16, Broch has reductions in float32.
LIMITS = {"float32": (1e-5, 1e-4), "bf16": (0.1, 0.02)}


def train_here(model, batches, rate, precision):
    """Losses of all steps and the gradients of the first, with PyTorch's eager loop."""
    model.train()
    losses, gradients = [], {}
    parameters = {name: p for name, p in model.named_parameters() if p.requires_grad}
    for step, batch in enumerate(batches):
        with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
            loss = model(**batch)
        model.zero_grad()
        loss.backward()
        if step == 0:
            gradients = {name: p.grad.double().numpy().copy() for name, p in parameters.items()
                         if p.grad is not None}
        with torch.no_grad():
            for p in parameters.values():
                if p.grad is not None:
                    p.sub_(p.grad, alpha=rate)
        losses.append(loss.item())
    return losses, gradients


def export(model, batch, path):
    dim = torch.export.Dim("batch", min=2)
    shapes = {name: {0: dim} for name in batch}
    program = torch.export.export(model, (), kwargs=batch, dynamic_shapes=shapes)
    torch.export.save(program, path)


def train_there(options, folder, names, size, rate):
    """The same with Broch. Returns losses, gradients and the log."""
    manifest = {
        "broch": 1,
        "plugins": [str(pathlib.Path(options.probe).resolve())],
        "model": {"use": "exported", "with": {"file": str(folder / "model.pt2")}},
        "dataflow": {"use": "batch", "with": {"batch_size": size, "dataflow": {
            "use": "npy", "with": {"components": [
                {"file": str(folder / f"{name}.npy"), "name": name} for name in names]}}}},
        "optimizer": {"use": "sgd", "with": {"learning_rate": rate}},
        "gradient_processors": [
            {"use": "test.gradients", "with": {"file": str(folder / "gradients")}}],
        "callbacks": [{"use": "test.losses", "with": {"file": str(folder / "losses")}}],
        "runtime": {"level": options.level, "precision": options.precision, "threads": 1},
        "steps_per_epoch": STEPS, "max_epoch": 1, "log_dir": str(folder / "log")}
    (folder / "run.json").write_text(json.dumps(manifest, indent=1))
    done = subprocess.run([options.broch, "train", str(folder / "run.json")], capture_output=True,
                          text=True, timeout=1800, check=False)
    log = done.stdout + done.stderr
    if done.returncode:
        raise RuntimeError("broch train ended with " + str(done.returncode) + "\n" + log)
    losses = [float(line) for line in (folder / "losses").read_text().split()]
    gradients, data = {}, (folder / "gradients").read_bytes()
    while data:
        line, data = data.split(b"\n", 1)
        name, count = line.decode().rsplit(" ", 1)
        gradients[name] = numpy.frombuffer(data[:8 * int(count)])
        data = data[8 * int(count):]
    return losses, gradients, log


def distance(here, there):
    """Of all gradients together, as part of their length; and of the parameter that is the farthest
    apart, as part of the longest."""
    squares = total = 0.0
    for name, own in here.items():
        other = there.get(name)
        if other is None:
            raise RuntimeError(f"no gradient of {name}")
        squares += float(((own.ravel() - other) ** 2).sum())
        total += float((own ** 2).sum())
    return (squares / total) ** 0.5 if total else squares ** 0.5


def compare(make, options):
    """A line of the table: gradients, losses, seconds, words."""
    torch.manual_seed(0)
    numpy.random.seed(0)
    model, make_batch, rate = make()
    model.train()
    batches = [make_batch() for _ in range(STEPS)]
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(options.keep or place)
        folder.mkdir(exist_ok=True)
        for key in batches[0]:
            numpy.save(folder / f"{key}.npy", torch.cat([b[key] for b in batches]).numpy())
        try:
            export(model, batches[0], str(folder / "model.pt2"))
        except Exception as error:  # whatever stops torch.export
            return None, None, 0, "torch.export: " + str(error).strip().split("\n")[0][:120]
        size = len(next(iter(batches[0].values())))
        begin = time.time()
        losses, gradients, log = train_there(options, folder, list(batches[0]), size, rate)
        seconds = time.time() - begin
        own_losses, own_gradients = train_here(model, batches, rate, options.precision)
    apart = distance(own_gradients, gradients)
    off = max(abs(a - b) / max(abs(a), 1e-9) for a, b in zip(own_losses, losses))
    eager = [line.strip() for line in log.split("\n") if "stays eager" in line and "tower" in line]
    gradient_limit, loss_limit = LIMITS[options.precision]
    words = "ok" if apart <= gradient_limit and off <= loss_limit and len(losses) == STEPS else "differs"
    if eager:
        words += "; " + eager[0][:200]
    if options.verbose:
        print(list(zip(own_losses, losses)))
        worst = sorted(own_gradients, key=lambda n: -float(
            numpy.abs(own_gradients[n].ravel() - gradients[n]).max()))[:5]
        for n in worst:
            print(n, float(numpy.abs(own_gradients[n].ravel() - gradients[n]).max()),
                  float(numpy.abs(own_gradients[n]).max()))
        print(log)
    return apart, off, seconds, words


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("broch")
    parser.add_argument("probe")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("-o", dest="table")
    parser.add_argument("--level", default="bitwise")
    parser.add_argument("--layers", action="store_true",
                        help="the networks of layer_models.py, one for each layer or function")
    parser.add_argument("--precision", default="float32", choices=LIMITS)
    parser.add_argument("--keep", help="a folder for the files of one model")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_intermixed_args()
    rows, failed = [], 0
    known = layer_models.ALL if options.layers else models.ALL
    for name in options.names or known:
        try:
            apart, off, seconds, words = compare(known[name], options)
        except Exception as error:
            if options.verbose:
                traceback.print_exc()
            apart = off = None
            seconds, words = 0, " ".join(str(error).split())[-600:]
        reason = None if options.layers else models.REFUSED.get(name)
        failed += reason not in words if reason else not words.startswith("ok")
        number = lambda x: "" if x is None else f"{x:.1e}"
        rows.append(f"| {name} | {number(apart)} | {number(off)} | {words} |")
        print(f"{rows[-1]} {seconds:.0f} s", flush=True)
    if options.table:
        pathlib.Path(options.table).write_text(
            "| model | gradients | losses | |\n|---|---|---|---|\n" + "\n".join(rows) + "\n")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
