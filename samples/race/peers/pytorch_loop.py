"""pytorch_loop.py SETTINGS VARIANT: PyTorch in one process, with a thread for each processor.

tuned    fused optimizer, channels last, batches made ahead
compile  the same with torch.compile
"""

import sys

import fashion
import settings as race
import torch
import torch_network


def main(variant):
    settings = race.given()
    torch.set_num_threads(settings.processors)
    network = torch_network.build(settings)
    forward = torch.compile(network) if variant == "compile" else network
    optimizer, schedule = torch_network.optimizer_and_schedule(settings, network)
    data = torch_network.points(settings)
    images, labels = torch_network.tensors(*fashion.evaluated(settings))
    for epoch in range(1, settings.epochs + 1):
        torch_network.learn(settings, forward, optimizer, schedule, data)
        wrong = torch_network.wrong(network, images, labels)
        if race.tell(settings, epoch, wrong, len(labels)):
            break


main(sys.argv[2])
