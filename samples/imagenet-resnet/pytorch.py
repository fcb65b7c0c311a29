"""torchvision's ResNet-50 on generated images, trained by PyTorch as resnet50.json is by Broch:

    pytorch.py RANKS THREADS IMAGES SIZE STEPS EPOCHS

Prints the images per second of the fastest epoch but the first, the cost of the last step, and the
number of parameters. IMAGES are those of a rank in a step. Memory formats and options are those
that are fastest on a CPU.
"""

import os
import sys
import tempfile
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing
import torchvision
from torch.nn.parallel import DistributedDataParallel


def optimizer_of(module):
    """Weight decay for what has more than one dimension."""
    flat = [p for p in module.parameters() if p.ndim <= 1]
    other = [p for p in module.parameters() if p.ndim > 1]
    groups = [{"params": other, "weight_decay": 1e-4}, {"params": flat, "weight_decay": 0}]
    return torch.optim.SGD(groups, lr=0.003125, momentum=0.9, nesterov=True, fused=True)


def points_of(rank, ranks, images, size):
    """The batches of this rank: every RANKS-th of eight."""
    generator = torch.Generator().manual_seed(1)
    points = []
    for number in range(8):
        image = torch.empty(images, 3, size, size).uniform_(-2, 2, generator=generator)
        label = torch.randint(1000, (images,), generator=generator)
        if number % ranks == rank:
            points.append((image.contiguous(memory_format=torch.channels_last), label))
    return points


def train(rank, ranks, threads, images, size, steps, epochs, meeting):
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    module = torchvision.models.resnet50(zero_init_residual=True)
    module = module.to(memory_format=torch.channels_last)
    optimizer = optimizer_of(module)
    forward = module
    if ranks > 1:
        dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank,
                                world_size=ranks)
        forward = DistributedDataParallel(module, gradient_as_bucket_view=True, static_graph=True,
                                          broadcast_buffers=False)
    points, loss, rates = points_of(rank, ranks, images, size), torch.nn.CrossEntropyLoss(), []
    for epoch in range(epochs):
        start = time.perf_counter()
        for step in range(epoch * steps, (epoch + 1) * steps):
            image, label = points[step % len(points)]
            cost = loss(forward(image), label)
            optimizer.zero_grad()
            cost.backward()
            optimizer.step()
        rates.append(steps * images * ranks / (time.perf_counter() - start))
    if rank == 0:
        print(max(rates[1:]), cost.item(), sum(p.numel() for p in module.parameters()))
    if ranks > 1:
        dist.destroy_process_group()


def main(ranks, threads, images, size, steps, epochs):
    with tempfile.TemporaryDirectory() as folder:
        words = (ranks, threads, images, size, steps, epochs, os.path.join(folder, "meeting"))
        multiprocessing.spawn(train, args=words, nprocs=ranks)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
