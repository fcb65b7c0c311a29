"""stages.py: microseconds that a point spends in each stage of a pipeline that does nothing."""

import json
import os
import statistics
import subprocess

from catalog import cpus, environment

BATCH = 64  # of the manifest


def measure(contenders, options):
    """Prints a table and gives rows for JSON."""
    rounds, seconds = (3, 0.3) if options.quick else (12, 1)
    found = [microseconds_of(contenders, seconds) for _ in range(rounds)]
    print("\nmicroseconds per point, by stage")
    rows = []
    for number, (stage, _) in enumerate(found[0]):
        values = [run[number][1] for run in found]
        middle = statistics.median(values)
        print(f"  {stage:40}{middle:8.3f}  {min(values):.3f}-{max(values):.3f}", flush=True)
        rows.append(
            {"stage": stage, "us_per_point": middle, "low": min(values), "high": max(values)}
        )
    return rows


def microseconds_of(contenders, seconds):
    """Pairs of a stage and its own microseconds per point."""
    command = [contenders.build / "bin/broch", "bench", *contenders.manifest("stages")]
    command += ["--only", "data", "--json", "--seconds", seconds]
    output = subprocess.run(
        ["taskset", "-c", cpus(2), *map(str, command)],
        env={**os.environ, **environment(2)},
        stdout=subprocess.PIPE,
        check=True,
    ).stdout
    result = json.loads(output)
    points = [1] * (len(result["stages"]) - 1) + [BATCH]
    pairs = [
        (f"{number}. {stage['use']}", stage["own_microseconds"] / in_one)
        for number, (stage, in_one) in enumerate(zip(result["stages"], points), 1)
    ]
    batches = result["stages"][-1]["microseconds_per_point"]
    for entry in result["input_threads"]:
        own = (entry["microseconds_per_step"] - batches) / BATCH
        pairs.append((f"queue, {entry['threads']} thread(s), beyond the stages", own))
        pairs.append(
            (f"all, queue of {entry['threads']} thread(s)", entry["microseconds_per_step"] / BATCH)
        )
    return pairs
