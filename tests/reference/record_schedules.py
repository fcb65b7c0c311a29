#!/usr/bin/env python3
"""Writes tests/builtins/schedules.json: learning rates of torch.optim.lr_scheduler.

  tests/reference/record_schedules.py FILE

Needs torch 2.11 of PyPI. Each entry has options of the callback "schedule" or "reduce-on-plateau",
the value before the first epoch, and that after each epoch. "metric" is what a plateau watches.
"""
import json
import sys

import torch
from torch.optim import lr_scheduler as lrs


def optimizer(rate):
    return torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=rate, momentum=0.9)


def rates(make, rate, steps, key="lr"):
    rule = optimizer(rate)
    scheduler = make(rule)
    values = [rule.param_groups[0][key]]
    for _ in range(steps):
        rule.step()
        scheduler.step()
        values.append(rule.param_groups[0][key])
    return values


def schedule(name, phases, make, rate, steps, key="lr"):
    return {"name": name, "use": "schedule", "with": {"phases": phases},
            "values": rates(make, rate, steps, key)}


def sequence(rule, parts, milestones):
    return lrs.SequentialLR(rule, [part(rule) for part in parts], milestones)


def cycles():
    def cyclic(**more):
        return lambda rule: lrs.CyclicLR(rule, base_lr=0.1, max_lr=0.5, cycle_momentum=False, **more)
    base = {"shape": "cyclic", "from": 0.1, "peak": 0.5}
    yield schedule("triangular", [{**base, "up": 4}], cyclic(step_size_up=4), 0.1, 30)
    yield schedule("triangular2", [{**base, "up": 3, "down": 5, "mode": "triangular2"}],
                   cyclic(step_size_up=3, step_size_down=5, mode="triangular2"), 0.1, 30)
    yield schedule("exp_range", [{**base, "up": 3, "mode": "exp_range", "factor": 0.9}],
                   cyclic(step_size_up=3, mode="exp_range", gamma=0.9), 0.1, 30)
    for factor in (1, 2, 3):
        yield schedule(f"restarts, {factor}",
                       [{"shape": "cosine_restarts", "from": 0.4, "to": 0.02, "period": 5,
                         "period_factor": factor}],
                       lambda rule, t=factor: lrs.CosineAnnealingWarmRestarts(rule, 5, t, 0.02),
                       0.4, 40)
    one = {"shape": "one_cycle", "peak": 0.5, "length": 25}
    for more, keys in (({}, {}),
                       ({"rise": 0.25, "anneal": "linear"}, {"pct_start": 0.25, "anneal_strategy": "linear"}),
                       ({"three_phase": True}, {"three_phase": True}),
                       ({"from": 0.05, "to": 0.001}, {"div_factor": 10, "final_div_factor": 50})):
        yield schedule(f"one cycle, {', '.join(more) or 'plain'}", [{**one, **more}],
                       lambda rule, k=keys: lrs.OneCycleLR(rule, 0.5, 25, **k), 0.1, 24)
    yield schedule("one cycle, momentum",
                   [{**one, "from": 0.95, "peak": 0.85, "to": 0.95}],
                   lambda rule: lrs.OneCycleLR(rule, 0.5, 25), 0.1, 24, "momentum")


def falls():
    yield schedule("constant", [{"shape": "constant", "from": 0.05, "length": 4},
                                {"shape": "constant", "from": 0.2}],
                   lambda rule: lrs.ConstantLR(rule, 0.25, 4), 0.2, 10)
    yield schedule("linear", [{"shape": "linear", "from": 0.05, "to": 0.4, "length": 7}],
                   lambda rule: lrs.LinearLR(rule, 0.125, 1, 7), 0.4, 12)
    for power in (1, 2.5):
        yield schedule(f"polynomial, {power}",
                       [{"shape": "polynomial", "from": 0.3, "power": power, "length": 20}],
                       lambda rule, p=power: lrs.PolynomialLR(rule, 20, p), 0.3, 19)
    yield schedule("cosine", [{"shape": "cosine", "from": 0.1, "to": 0.001, "length": 30}],
                   lambda rule: lrs.CosineAnnealingLR(rule, 30, 0.001), 0.1, 30)
    yield schedule("exponential", [{"shape": "exponential", "from": 0.1, "factor": 0.9}],
                   lambda rule: lrs.ExponentialLR(rule, 0.9), 0.1, 40)
    yield schedule("step", [{"shape": "step", "from": 0.1, "every": 7, "factor": 0.3}],
                   lambda rule: lrs.StepLR(rule, 7, 0.3), 0.1, 30)
    yield schedule("multi-step", [{"shape": "multi_step", "from": 0.1, "points": [8, 3, 8, 20]}],
                   lambda rule: lrs.MultiStepLR(rule, [8, 3, 8, 20]), 0.1, 25)
    yield schedule("inverse square root",
                   [{"shape": "linear", "from": 0, "to": 0.6, "length": 8},
                    {"shape": "inverse", "every": 8, "power": 0.5}],
                   lambda rule: lrs.LambdaLR(rule, lambda s: min(s / 8, (8 / max(s, 1)) ** 0.5)), 0.6, 40)


def chains():
    yield schedule("warm-up, cosine, step",
                   [{"shape": "linear", "from": 0.04, "to": 0.4, "length": 5},
                    {"shape": "cosine", "to": 0.02, "length": 12},
                    {"shape": "step", "from": 0.4, "every": 3, "factor": 0.5}],
                   lambda rule: sequence(rule, [
                       lambda r: lrs.LinearLR(r, 0.1, 1, 5),
                       lambda r: lrs.CosineAnnealingLR(r, 12, 0.02),
                       lambda r: lrs.StepLR(r, 3, 0.5)], [5, 17]), 0.4, 30)


def plateaus():
    metric = [5, 4, 4.2, 3.9999, 4.1, 4, 3.9, 3.95, 3.9, 4, 4, 4, 4, 3.5, 3.6, 3.7, 3.8, 3.9, 4, 4, 4, 4]
    for keys in ({"patience": 2}, {"patience": 1, "cooldown": 2, "factor": 0.5},
                 {"patience": 2, "threshold": 0.05, "threshold_mode": "abs"},
                 {"patience": 1, "mode": "max", "factor": 0.3, "min_lr": 0.004},
                 {"patience": 0, "mode": "max", "threshold_mode": "abs", "threshold": 0.1, "factor": 0.9}):
        rule = optimizer(0.1)
        scheduler = lrs.ReduceLROnPlateau(rule, **keys)
        values = [0.1]
        for value in metric:
            rule.step()
            scheduler.step(value)
            values.append(rule.param_groups[0]["lr"])
        options = {("min" if key == "min_lr" else key): value for key, value in keys.items()}
        yield {"name": "plateau, " + json.dumps(keys), "use": "reduce-on-plateau",
               "with": {"monitor_stat": "val", **options}, "metric": metric, "values": values}


def main():
    entries = [*falls(), *cycles(), *chains(), *plateaus()]
    with open(sys.argv[1], "w") as file:
        file.write("[\n" + ",\n".join(map(json.dumps, entries)) + "\n]\n")
    print(len(entries), "schedules")


if __name__ == "__main__":
    main()
