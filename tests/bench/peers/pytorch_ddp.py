"""pytorch_ddp.py WORKLOAD RANKS VARIANT: PyTorch's DistributedDataParallel over Gloo, one process
with one thread for each rank.

ddp          as the tutorial has it
ddp-tuned    a processor for each rank, fused optimizers, convolutions channels-last, gradients as
             views of buckets, a static graph, statistics not broadcast
ddp-compile  tuned, with torch.compile
"""

import os
import socket
import subprocess
import sys

import torch
import torch.distributed as dist
import torch_models
import turns
import workloads
from torch.nn.parallel import DistributedDataParallel

TUNED = {"gradient_as_bucket_view": True, "static_graph": True, "broadcast_buffers": False}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start_others(world):
    """The other ranks run this file again, with their number in the environment."""
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": str(world)}
    os.environ.update(place, RANK="0")
    for rank in range(1, world):
        subprocess.Popen(
            [sys.executable, *sys.argv], env={**os.environ, "RANK": str(rank)}, stdin=subprocess.DEVNULL
        )


def told(count):
    """What rank 0 says, on all ranks."""
    said = torch.tensor([count])
    dist.broadcast(said, 0)
    return int(said)


def main(name, world, variant):
    world = int(world)
    if "RANK" not in os.environ:
        start_others(world)
    rank = int(os.environ["RANK"])
    tuned = variant != "ddp"
    if tuned:
        own = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {own[rank % len(own)]})
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    workload = workloads.WORKLOADS[name]
    module = torch_models.build(workload)
    points = torch_models.batches(workload)
    if tuned and workload.pictures:
        module = module.to(memory_format=torch.channels_last)
        points = torch_models.channels_last(points)
    (optimizer,) = torch_models.optimizers(workload, module, tuned)
    forward = DistributedDataParallel(module, **(TUNED if tuned else {}))
    if variant == "ddp-compile":
        forward = torch.compile(forward)
    step, cost = 0, None

    def train(count):
        nonlocal step, cost
        for step in range(step, step + count):
            cost = forward(*points[(step * world + rank) % len(points)])
            optimizer.zero_grad()
            cost.backward()
            optimizer.step()
        step += 1

    if rank == 0:
        turns.serve(lambda count: train(told(count)), lambda: cost.item())
        told(0)
    else:
        while count := told(0):
            train(count)
    dist.destroy_process_group()


main(*sys.argv[1:])
