"""pytorch_ddp.py SETTINGS VARIANT: PyTorch's DistributedDataParallel over Gloo, a process with one
thread for each processor. Each takes its part of a batch and of the test images.

tuned    as in pytorch_loop.py; gradients are views of buckets, the graph is static, and the
         statistics of batch norm are those of rank 0, sent before an evaluation
compile  the same with torch.compile
"""

import os
import socket
import subprocess
import sys

import fashion
import settings as race
import torch
import torch.distributed as dist
import torch_network
from torch.nn.parallel import DistributedDataParallel


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start_others(world):
    """The other ranks run this file again, with their number in the environment."""
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": str(world)}
    os.environ.update(place, RANK="0")
    command = [sys.executable, *sys.argv]
    return [
        subprocess.Popen(command, env={**os.environ, "RANK": str(rank)}) for rank in range(1, world)
    ]


def wrong_of_all(network, images, labels):
    for statistics in network.buffers():
        dist.broadcast(statistics, 0)
    found = torch.tensor([torch_network.wrong(network, images, labels)])
    dist.all_reduce(found)
    return int(found)


def train(settings, rank, variant):
    world = settings.processors
    network = torch_network.build(settings)
    forward = DistributedDataParallel(
        network, gradient_as_bucket_view=True, static_graph=True, broadcast_buffers=False
    )
    if variant == "compile":
        forward = torch.compile(forward)
    optimizer, schedule = torch_network.optimizer_and_schedule(settings, network)
    data = torch_network.points(settings, rank, world)
    test = torch_network.tensors(*fashion.evaluated(settings))
    own = [part.chunk(world)[rank] for part in test]
    for epoch in range(1, settings.epochs + 1):
        torch_network.learn(settings, forward, optimizer, schedule, data)
        wrong = wrong_of_all(network, *own)
        if rank == 0:
            race.tell(settings, epoch, wrong, len(test[1]))
        if race.reached(settings, wrong, len(test[1])):
            break


def main(variant):
    settings = race.given()
    others = [] if "RANK" in os.environ else start_others(settings.processors)
    rank = int(os.environ["RANK"])
    processors = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {processors[rank % len(processors)]})
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    train(settings, rank, variant)
    dist.destroy_process_group()
    for other in others:
        other.wait()


main(sys.argv[2])
