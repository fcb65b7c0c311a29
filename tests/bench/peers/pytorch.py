"""pytorch.py WORKLOAD THREADS VARIANT: PyTorch.

default      the loop of the tutorial
tuned        fused optimizers; pictures and convolutions channels-last
compile      tuned, with torch.compile
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


def channels_last(points):
    def laid_out(tensor):
        return tensor.contiguous(memory_format=torch.channels_last) if tensor.dim() == 4 else tensor

    return [tuple(map(laid_out, point)) for point in points]


def main(name, threads, variant):
    torch.set_num_threads(int(threads))
    workload = workloads.WORKLOADS[name]
    module = torch_models.build(workload)
    points = torch_models.batches(workload)
    tuned = variant != "default"
    if tuned and workload.family in ("convnet", "resnet20"):
        module = module.to(memory_format=torch.channels_last)
        points = channels_last(points)
    optimizer = torch_models.optimizer(workload, module.parameters(), tuned)
    cost_of = torch.compile(module, **COMPILE[variant]) if variant in COMPILE else module
    step, cost = 0, None

    def run(count):
        nonlocal step, cost
        for step in range(step, step + count):
            cost = cost_of(*points[step % len(points)])
            optimizer.zero_grad()
            cost.backward()
            optimizer.step()
        step += 1

    turns.serve(run, lambda: cost.item())


main(*sys.argv[1:])
