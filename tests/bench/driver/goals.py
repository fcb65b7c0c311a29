"""goals.py: what the rows must show; a peer counts in its fastest configuration."""

import dataclasses
import statistics

from catalog import EXPORTED, PLAIN, SCRIPTS, WORKLOADS

OTHERS = (*SCRIPTS, *PLAIN)  # everybody but ourselves


@dataclasses.dataclass(frozen=True)
class Goal:
    workload: str
    threads: int
    level: str
    what: str  # the peers in words
    peers: tuple
    least: float  # times Broch's time
    aim: float = None


def against(peers, what, least, aim=None):
    return Goal("mlp", 1, "fast", what, peers, least, aim)


MLP = [
    against(("pytorch", "pytorch-tuned"), "PyTorch", 10),
    against(("compile", "compile-max"), "torch.compile", 10),
    against(("lightning-bare",), "Lightning barebones", 20),
    against(("keras", "keras-multi"), "Keras", 3.5),
    against(("jax",), "JAX jit", 3),
    against(("jax-scan",), "JAX scan", 1.5, 2),
    Goal("mlp-adam", 1, "fast", "JAX scan", ("jax-scan",), 1.5, 2),
]
BEST = [
    Goal(workload, 1, "fast", "the best peer", OTHERS, least, aim)
    for workload, least, aim in (
        ("mlp-wide", 1.5, None),
        ("gpt-small", 1.8, 2.5),
        ("gpt-medium", 1.3, 1.6),
        ("cnn8", 1.4, 1.8),
        ("cnn28", 1.2, 1.4),
        ("resnet20", 1.3, 1.4),
        ("gan", 1.2, 1.4),
        ("recsys", 1.2, 1.4),
    )
]
BITWISE = [
    Goal(workload, 1, "bitwise", "plain LibTorch", tuple(PLAIN), 2.5 if workload == "mlp" else 1.1)
    for workload in WORKLOADS
]
NEVER_SLOWER = [
    Goal(workload, threads, "fast", "anybody", OTHERS, 1.0)
    for threads in (1, 2)
    for workload in WORKLOADS
]
GOALS = MLP + BEST + BITWISE + NEVER_SLOWER
EXPORTED_MEDIAN = 1.2  # of the best peers of the exported models


def judged(rows, goals=None):
    """A line for each goal that the rows say something about."""
    lines = []
    for goal in GOALS if goals is None else goals:
        ratios = [row["ratio"] for row in rows if concerns(goal, row) and not row["void"]]
        if ratios:
            lines.append(line(goal, min(ratios)))
    return lines


def median_of_exported(rows):
    """A line about all exported models together; none where one was left out."""
    best = []
    for workload in EXPORTED:
        goal = Goal(workload, 1, "fast", "the best peer", OTHERS, 1.0)
        ratios = [row["ratio"] for row in rows if concerns(goal, row) and not row["void"]]
        if not ratios:
            return []
        best.append(min(ratios))
    median = statistics.median(best)
    word = "met   " if median >= EXPORTED_MEDIAN else "missed"
    return [
        f"{word} exported models, 1 thread(s), fast: {median:.2f} in the median against the best "
        f"peers, at least {EXPORTED_MEDIAN}"
    ]


def concerns(goal, row):
    place = (row["workload"], row["threads"], row["level"])
    return place == (goal.workload, goal.threads, goal.level) and row["peer"] in goal.peers


def line(goal, ratio):
    word = "met   " if ratio >= goal.least else "missed"
    aim = f", aim {goal.aim}" if goal.aim else ""
    place = f"{goal.workload}, {goal.threads} thread(s), {goal.level}"
    return f"{word} {place}: {ratio:.2f} against {goal.what}, at least {goal.least}{aim}"
