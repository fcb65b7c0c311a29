"""report.py: what a race showed, for people and as JSON."""

import json
import subprocess
import sys

from catalog import environment

PACKAGES = ("torch", "lightning", "keras", "jax", "jaxlib", "onnxruntime", "openvino")


def progress(text):
    print(text, file=sys.stderr, flush=True)


def table(workload, threads, level, broch, others, ratios):
    """One line a contender, ours first; the best peer last."""
    print(f"\n{workload}, {threads} thread(s), level {level}")
    print(f"  {'':16}{'us/step':>10}{'ratio':>8}  {'95 %':13}{'MiB':>7}{'steps':>7}  loss")
    print(line(broch, None))
    by_name = {ratio.peer: ratio for ratio in ratios}
    for entry in others:
        print(line(entry, by_name[entry.name]))
    valid = [one for one in ratios if not one.void and not one.peer.startswith("broch")]
    if valid:
        best = min(valid, key=lambda ratio: ratio.ratio)
        print(f"  best peer: {best.peer}, {best.ratio:.2f} times Broch's time", flush=True)


def line(entry, ratio):
    text = f"  {entry.name:16}"
    if entry.void:
        return f"{text}      VOID  {entry.void.splitlines()[0]}"
    text += f"{entry.median() * 1e6:10.1f}"
    if ratio is None:
        text += f"{'':8}  {'':13}"
    elif ratio.void:
        text += f"{'VOID':>8}  {'':13}"
    else:
        text += f"{ratio.ratio:8.2f}  {f'{ratio.low:.2f}-{ratio.high:.2f}':13}"
    return f"{text}{entry.memory:7.0f}{entry.steps:7}  {entry.loss:.6f}"


def rows(workload, threads, level, ratios):
    return [
        {
            "workload": workload,
            "threads": threads,
            "level": level,
            "peer": ratio.peer,
            "ratio": ratio.ratio,
            "low": ratio.low,
            "high": ratio.high,
            "void": bool(ratio.void),
        }
        for ratio in ratios
    ]


def write(path, all_rows, versions):
    with open(path, "w") as file:
        json.dump([{**row, "versions": versions} for row in all_rows], file, indent=1)
        file.write("\n")


def versions(build, python):
    """What runs here, on what, a fact a line."""
    facts = said([f"{build}/bin/broch", "env"]).split("\n")
    wanted = ("broch", "compiler", "libtorch", "cpu")
    found = [fact for fact in facts if fact.split(":")[0] in wanted]
    if python:
        script = (
            "import importlib.metadata as m, platform; print('python:', platform.python_version(), "
            f"*(p + ' ' + m.version(p) for p in {PACKAGES}))"
        )
        found.append(said([python, "-c", script]))
    shared = " ".join(f"{name}={value}" for name, value in environment("N").items())
    return "\n".join(found + [f"started with: taskset -c, {shared}"])


def said(command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode().strip()
