"""torch_network.py: the network of ../../fashion-mnist/convnet.cpp in PyTorch, and what all peers
that use PyTorch train it with."""

import fashion
import torch
from settings import EVALUATED
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self, channels_in, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels_in, channels, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(channels)

    def forward(self, x):
        return F.relu(self.bn(self.conv(x)))


class ConvNet(nn.Module):
    def __init__(self, width, smoothing):
        super().__init__()
        self.smoothing = smoothing
        self.block1 = Block(1, width)
        self.block2 = Block(width, 2 * width)
        self.block3 = Block(2 * width, 2 * width)
        self.block4 = Block(2 * width, 4 * width)
        self.block5 = Block(4 * width, 4 * width)
        self.fc = nn.Linear(4 * width, 10)

    def scores(self, image):
        x = F.max_pool2d(self.block1(image), 2)
        x = F.max_pool2d(self.block3(self.block2(x)), 2)
        return self.fc(self.block5(self.block4(x)).mean((2, 3)))

    def forward(self, image, label):
        """The cost."""
        return F.cross_entropy(self.scores(image), label, label_smoothing=self.smoothing)


def build(settings):
    """With the first values that Broch gives, drawn by PyTorch, and channels last."""
    torch.manual_seed(settings.seed)
    network = ConvNet(settings.width, settings.smoothing)
    for parameter in network.parameters():
        if parameter.dim() > 1:
            nn.init.kaiming_normal_(parameter, nonlinearity="relu")
    nn.init.zeros_(network.fc.bias)
    return network.to(memory_format=torch.channels_last)


def optimizer_and_schedule(settings, network):
    optimizer = torch.optim.AdamW(
        network.parameters(), settings.peak, weight_decay=settings.weight_decay, fused=True
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer,
        settings.peak,
        settings.epochs * settings.steps,
        pct_start=settings.rise,
        cycle_momentum=False,
    )
    return optimizer, schedule


def tensors(images, labels):
    """A point of fashion.py. The strides say that channels come last."""
    return torch.from_numpy(images).permute(0, 3, 1, 2), torch.from_numpy(labels)


def points(settings, rank=0, world=1):
    """Batches, made ahead of the training."""
    for images, labels in fashion.prefetched(fashion.batches(settings, rank, world)):
        yield tensors(images, labels)


@torch.inference_mode()
def wrong(network, images, labels):
    """How many of the images are taken for another class."""
    network.eval()
    found = 0
    for image, label in zip(images.split(EVALUATED), labels.split(EVALUATED)):
        found += int((network.scores(image).argmax(1) != label).sum())
    network.train()
    return found


def learn(settings, forward, optimizer, schedule, data):
    """One epoch."""
    for _ in range(settings.steps):
        cost = forward(*next(data))
        optimizer.zero_grad()
        cost.backward()
        optimizer.step()
        schedule.step()
