"""pytorch_loop.py WORKLOAD THREADS VARIANT: PyTorch.

default      the loop of the tutorial
tuned        fused optimizers; pictures and convolutions channels-last
compile      tuned, with torch.compile
autocast     tuned, the forward pass under torch.autocast in bfloat16
compile-max  tuned, with torch.compile in mode max-autotune (CUDA graphs are of no use on a CPU)
"""

import sys

import torch
import torch_models
import turns
import workloads

COMPILE = {
    "compile": {},
    "compile-max": {"mode": "max-autotune-no-cudagraphs"},
}


def main(name, threads, variant):
    torch.set_num_threads(int(threads))
    workload = workloads.WORKLOADS[name]
    module = torch_models.build(workload)
    points = torch_models.batches(workload)
    tuned = variant != "default"
    if tuned and workload.pictures:
        module = module.to(memory_format=torch.channels_last)
        points = torch_models.channels_last(points)
    optimizers = torch_models.optimizers(workload, module, tuned)
    learners = torch_models.learners(workload, module)
    forward = torch.compile(module, **COMPILE[variant]) if variant in COMPILE else module
    if variant == "autocast":
        forward = torch.autocast("cpu", torch.bfloat16)(module)
    step, costs = 0, ()

    def run_one(count):
        nonlocal step, costs
        (optimizer,) = optimizers
        for step in range(step, step + count):
            cost = forward(*points[step % len(points)])
            optimizer.zero_grad()
            cost.backward()
            optimizer.step()
        step, costs = step + 1, (cost,)

    def run_several(count):
        nonlocal step, costs
        for step in range(step, step + count):
            costs = forward(*points[step % len(points)])
            for optimizer in optimizers:
                optimizer.zero_grad()
            for cost, those in zip(costs, learners):
                cost.backward(inputs=those, retain_graph=cost is not costs[-1])
            for optimizer in optimizers:
                optimizer.step()
        step += 1

    run = run_one if len(optimizers) == 1 else run_several
    turns.serve(run, lambda: sum(cost.item() for cost in costs))


main(*sys.argv[1:])
