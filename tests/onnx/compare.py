#!/usr/bin/env python3
"""Exports models as bundles and as ONNX, and compares Broch's results with those of ONNX Runtime.

  compare.py BROCH PROBE [-o TABLE] [NAME...]

BROCH: the program. PROBE: the program broch_onnx_probe. NAME: some of the models; all, where none
is given. Each model is trained for a step with random data. Compared are the outputs for several
sizes of the inputs: the largest difference in parts of the largest number. TABLE: a file for the
results, in Markdown. Needs numpy, onnx and onnxruntime; models of .pt2 need what tests/exported
needs.
"""
import argparse
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import traceback
import warnings

import numpy
import onnx
import onnxruntime

import cases

LIMIT = 1e-4


class Failure(Exception):
    pass


def broch(options, *words):
    done = subprocess.run([options.broch, *map(str, words)], capture_output=True, text=True,
                          timeout=1800, check=False)
    if done.returncode:
        raise Failure(f"broch {words[0]}: " + done.stderr.split(" error ")[-1].strip())
    return done.stdout


def graph_of(bundle):
    with open(bundle, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        return json.loads(json.loads(file.read(size))["__metadata__"]["broch.graph"])


def shape_of(graph, value, sizes):
    shape = []
    for size in graph["types"][value][1]:
        if isinstance(size, list):
            total = 0
            for factor, *symbols in size:
                for symbol in symbols:
                    factor *= sizes[symbol]
                total += factor
            size = total
        shape.append(size)
    return shape


def difference(case, options, folder, bundle, model, sizes, session):
    """The largest one of all outputs with inputs of these sizes."""
    graph = graph_of(bundle)
    random, feeds = numpy.random.default_rng(sum(sizes)), {}
    for i, name in enumerate(graph["inputs"]):
        dtype, shape = graph["types"][i][0], shape_of(graph, i, sizes)
        if dtype == "float32":
            values = random.standard_normal(shape, dtype=numpy.float32)
        elif dtype == "bool":
            values = random.integers(2, size=shape).astype(bool)
        else:
            values = random.integers(case.get("below", {}).get(name, 2), size=shape).astype(dtype)
        if name in case.get("ones", []):
            values[:] = 1
        feeds[name] = values
        (folder / f"{i}.in").write_bytes(values.tobytes())
    done = subprocess.run([options.probe, bundle, folder, *map(str, sizes)], capture_output=True,
                          text=True, timeout=600, check=False)
    if done.returncode:
        raise Failure("bundle: " + done.stderr.strip())
    results = session.run([name for name, _ in graph["outputs"]], feeds)
    worst = 0.0
    for i, (name, value) in enumerate(graph["outputs"]):
        shape = shape_of(graph, value, sizes)
        own = numpy.frombuffer((folder / f"{i}.out").read_bytes()).reshape(shape)
        if list(results[i].shape) != shape or str(results[i].dtype) != graph["types"][value][0]:
            raise Failure(f"output {name}: {results[i].dtype} {results[i].shape}, not {shape}")
        if not numpy.isfinite(own).all():
            raise Failure(f"output {name} is not finite")
        if case.get("random"):
            continue
        scale = max(float(numpy.abs(own).max(initial=0)), 1e-9)
        worst = max(worst, float(numpy.abs(own - results[i]).max(initial=0)) / scale)
    return worst


def compare(name, options, folder):
    case = cases.ALL[name](folder)
    log = folder / "log"
    if "run" not in case:
        (folder / "run.json").write_text(json.dumps(case["manifest"], indent=1))
        case["run"] = [folder / "run.json"]
    broch(options, "train", *case["run"], f"log_dir={log}")
    words = case.get("words", [])
    broch(options, "export", log, "-o", folder / "bundle", "--force", *words)
    model = folder / "model.onnx"
    broch(options, "export", log, "-o", model, "--force", "--format", "onnx", *words,
          *(["--external-data"] if case.get("external") else []))
    onnx.checker.check_model(str(model), full_check=True)
    quiet = onnxruntime.SessionOptions()
    quiet.log_severity_level = 3
    quiet.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model), quiet, providers=["CPUExecutionProvider"])
    graph = graph_of(folder / "bundle")
    worst = 0.0
    for extra in (0, 1, 4):
        sizes = [least + extra for least in graph["least"]]
        worst = max(worst, difference(case, options, folder, folder / "bundle", model, sizes, session))
        if not sizes:
            break
    return worst, ", ".join(graph["symbols"]) or "none", len(graph["nodes"])


def main():
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("broch")
    parser.add_argument("probe")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("-o", dest="table")
    parser.add_argument("--keep", help="a folder for the files of one model")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_intermixed_args()
    rows, failed = [], 0
    for name in options.names or cases.ALL:
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(options.keep or place)
            folder.mkdir(exist_ok=True)
            try:
                apart, symbols, nodes = compare(name, options, folder)
                words = "ok" if apart <= LIMIT else "differs"
                row = f"| {name} | {nodes} | {symbols} | {apart:.1e} | {words} |"
            except Exception as error:
                if options.verbose:
                    traceback.print_exc()
                words = " ".join(str(error).split())[:1500].replace("|", "/")
                row = f"| {name} | | | | {words} |"
            reason = cases.REFUSED.get(name)
            failed += reason not in words if reason else words != "ok"
            rows.append(row)
            print(row, flush=True)
    if options.table:
        pathlib.Path(options.table).write_text(
            "| model | operators | sizes | difference | |\n|---|---|---|---|---|\n"
            + "\n".join(rows) + "\n")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
