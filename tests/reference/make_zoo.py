#!/usr/bin/env python3
"""Writes what the models of plugins/models/zoo, and recurrent layers of the model sequential,
compute according to their Python originals.

  make_zoo.py FOLDER          small configurations, for tests/zoo/recorded
  make_zoo.py --full FOLDER   well-known ones, such as resnet50; tests/zoo runs this itself if
                              BROCH_REFERENCE_PYTHON is set

Weights, inputs and labels come from a formula of their names (tests/zoo/formula.hpp), so a file
holds only results: of one training step, of inference after it, and the gradients. Of each tensor
it has a digest: the L2 norm, a product with numbers of the formula, and some elements. The results
are those of float64; well-known configurations have those of float32, too. A file also says what
the initial values of the original are like.

Where an input of relu is nearly zero, rounding decides whether its gradient is, and one such
element among millions changes the gradient of a weight by percents. Of well-known configurations,
which have millions, the biases of batch norm are therefore not those of the formula: they are moved
until no such input is left. The file has them.
"""
import argparse
import json
import math
import pathlib

import numpy as np
import torch
import torchvision
import transformers
from torch import nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode
from torchvision.models.resnet import BasicBlock, Bottleneck


# The formula.

def draws(name, count):
    """64 random bits for each of count elements."""
    seed = 0xCBF29CE484222325
    for byte in name.encode():
        seed = (seed ^ byte) * 0x100000001B3 % 2**64
    with np.errstate(over="ignore"):
        number = np.arange(1, count + 1, dtype=np.uint64)
        x = np.uint64(seed) + number * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


def numbers(name, count):
    """From -1 to 1."""
    return (draws(name, count) >> np.uint64(40)).astype(np.float64) / 2**23 - 1


def weights(name, shape):
    u = numbers(name, math.prod(shape))
    if len(shape) > 1:
        u *= math.sqrt(3 / (math.prod(shape) / shape[0]))
    elif name.endswith("running_var"):
        u = 1 + 0.5 * u
    elif name.endswith(".weight"):
        u = 1 + 0.25 * u
    else:
        u *= 0.1
    return torch.tensor(u.astype(np.float32).reshape(shape))


def data(one):
    count = math.prod(one["shape"])
    if "below" in one:
        values = (draws(one["name"], count) >> np.uint64(40)) % np.uint64(one["below"])
        return torch.tensor(values.astype(np.int64).reshape(one["shape"]))
    return torch.tensor(numbers(one["name"], count).astype(np.float32).reshape(one["shape"]))


# Models that no package has; names as in the versions that plugins/models/zoo names.

class Named(nn.Module):
    """A module with one member of the given name."""

    def __init__(self, name, module, forward=None):
        super().__init__()
        self.add_module(name, module)
        self.name, self.prepared = name, forward or (lambda x: x)

    def forward(self, x):
        return getattr(self, self.name)(self.prepared(x))


def he(model):
    """The initial values of torchvision's resnets and of WideResNet-pytorch."""
    for module in model.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")


def linear(inputs, classes):
    return Named("fc", nn.Linear(inputs, classes), lambda x: x.flatten(1))


class Lenet(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1, self.fc2 = nn.Linear(400, 120), nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.fc2(F.relu(self.fc1(x.flatten(1)))))
        return self.fc3(x)


class Padding(nn.Module):
    def __init__(self, added, stride):
        super().__init__()
        self.added, self.stride = added, stride

    def forward(self, x):
        half = self.added // 2
        return F.pad(x[:, :, ::self.stride, ::self.stride], (0, 0, 0, 0, half, self.added - half))


class SmallResnet(nn.Module):
    """Blocks of torchvision, but any width; cifar: the stem and the shortcuts for small images."""

    def __init__(self, block, blocks, width, classes, cifar=False, zero_init_residual=False,
                 **more):
        super().__init__()
        self.cifar = cifar
        self.conv1 = nn.Conv2d(3, width, 3 if cifar else 7, 1 if cifar else 2, 1 if cifar else 3,
                               bias=False)
        self.bn1, inputs = nn.BatchNorm2d(width), width
        for stage, count in enumerate(blocks):
            layer, outputs = nn.Sequential(), (width << stage) * block.expansion
            for i in range(count):
                stride, shortcut = 2 if stage and not i else 1, None
                if cifar and (stride > 1 or inputs != outputs):
                    shortcut = Padding(outputs - inputs, stride)
                elif stride > 1 or inputs != outputs:
                    shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False),
                                             nn.BatchNorm2d(outputs))
                layer.append(block(inputs, width << stage, stride, shortcut, **more))
                inputs = outputs
            self.add_module(f"layer{stage + 1}", layer)
        self.stages, self.fc = len(blocks), nn.Linear(inputs, classes)
        he(self)
        for module in self.modules() if zero_init_residual else ():
            if isinstance(module, (BasicBlock, Bottleneck)):
                nn.init.zeros_(getattr(module, "bn3", module.bn2).weight)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = x if self.cifar else F.max_pool2d(x, 3, 2, 1)
        for stage in range(self.stages):
            x = getattr(self, f"layer{stage + 1}")(x)
        return self.fc(x.mean((2, 3)))


class PreactivatedBottleneck(nn.Module):
    def __init__(self, inputs, width, stride):
        super().__init__()
        self.bn1, self.conv1 = nn.BatchNorm2d(inputs), nn.Conv2d(inputs, width, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn3, self.conv3 = nn.BatchNorm2d(width), nn.Conv2d(width, 4 * width, 1, bias=False)
        self.downsample = None
        if stride > 1 or inputs != 4 * width:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, 4 * width, 1, stride, bias=False))

    def forward(self, x):
        first = F.relu(self.bn1(x))
        y = self.conv2(F.relu(self.bn2(self.conv1(first))))
        y = self.conv3(F.relu(self.bn3(y)))
        return y + (self.downsample(first) if self.downsample else x)


class PreactivatedResnet(nn.Module):
    def __init__(self, blocks, width, classes):
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, 3, 1, 1, bias=False)
        inputs = width
        for stage, count in enumerate(blocks):
            layer = nn.Sequential()
            for i in range(count):
                layer.append(PreactivatedBottleneck(inputs, width << stage,
                                                    2 if stage and not i else 1))
                inputs = 4 * width << stage
            self.add_module(f"layer{stage + 1}", layer)
        self.stages, self.bn = len(blocks), nn.BatchNorm2d(inputs)
        self.fc = nn.Linear(inputs, classes)
        he(self)

    def forward(self, x):
        x = self.conv1(x)
        for stage in range(self.stages):
            x = getattr(self, f"layer{stage + 1}")(x)
        return self.fc(F.relu(self.bn(x)).mean((2, 3)))


class WideBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.bn1, self.conv1 = nn.BatchNorm2d(inputs), nn.Conv2d(inputs, outputs, 3, stride, 1,
                                                                 bias=False)
        self.bn2, self.conv2 = nn.BatchNorm2d(outputs), nn.Conv2d(outputs, outputs, 3, 1, 1,
                                                                  bias=False)
        if inputs != outputs:
            self.convShortcut = nn.Conv2d(inputs, outputs, 1, stride, bias=False)

    def forward(self, x):
        first = F.relu(self.bn1(x))
        y = self.conv2(F.relu(self.bn2(self.conv1(first))))
        return y + (self.convShortcut(first) if hasattr(self, "convShortcut") else x)


class WideResnet(nn.Module):
    def __init__(self, depth, factor, classes):
        super().__init__()
        self.conv1, inputs = nn.Conv2d(3, 16, 3, 1, 1, bias=False), 16
        for stage in range(3):
            layer = nn.Sequential()
            for i in range((depth - 4) // 6):
                outputs = (16 << stage) * factor
                layer.append(WideBlock(inputs, outputs, 2 if stage and not i else 1))
                inputs = outputs
            self.add_module(f"block{stage + 1}", Named("layer", layer))
        self.bn1, self.fc = nn.BatchNorm2d(inputs), nn.Linear(inputs, classes)
        he(self)
        nn.init.zeros_(self.fc.bias)

    def forward(self, x):
        x = self.block3(self.block2(self.block1(self.conv1(x))))
        return self.fc(F.relu(self.bn1(x)).mean((2, 3)))


def two_convs(inputs, outputs, between=None):
    between = between or outputs
    return Named("double_conv", nn.Sequential(
        nn.Conv2d(inputs, between, 3, padding=1, bias=False), nn.BatchNorm2d(between), nn.ReLU(),
        nn.Conv2d(between, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()))


class Up(nn.Module):
    def __init__(self, inputs, outputs, bilinear):
        super().__init__()
        if bilinear:
            self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
            self.conv = two_convs(inputs, outputs, inputs // 2)
        else:
            self.up = nn.ConvTranspose2d(inputs, inputs // 2, 2, 2)
            self.conv = two_convs(inputs, outputs)

    def forward(self, x, larger):
        x = self.up(x)
        rows, columns = larger.shape[2] - x.shape[2], larger.shape[3] - x.shape[3]
        x = F.pad(x, (columns // 2, columns - columns // 2, rows // 2, rows - rows // 2))
        return self.conv(torch.cat([larger, x], 1))


class Unet(nn.Module):
    def __init__(self, width, classes, bilinear):
        super().__init__()
        share = 2 if bilinear else 1
        self.inc = two_convs(3, width)
        for i in range(1, 5):
            outputs = (width << i) // (share if i == 4 else 1)
            self.add_module(f"down{i}", Named("maxpool_conv", nn.Sequential(
                nn.MaxPool2d(2), two_convs(width << (i - 1), outputs))))
            self.add_module(f"up{i}", Up(width << (5 - i),
                                         (width << (4 - i)) // (1 if i == 4 else share), bilinear))
        self.outc = Named("conv", nn.Conv2d(width, classes, 1))

    def forward(self, x):
        down = [self.inc(x)]
        for i in range(1, 5):
            down.append(getattr(self, f"down{i}")(down[-1]))
        x = down[4]
        for i in range(1, 5):
            x = getattr(self, f"up{i}")(x, down[4 - i])
        return self.outc(x)


class LstmLm(nn.Module):
    def __init__(self, vocabulary, width, units, layers, tied):
        super().__init__()
        self.encoder = nn.Embedding(vocabulary, width)
        self.rnn = nn.LSTM(width, units, layers, batch_first=True)
        self.decoder = nn.Linear(units, vocabulary)
        for weight in (self.encoder.weight, self.decoder.weight):
            nn.init.uniform_(weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)
        if tied:
            self.decoder.weight = self.encoder.weight

    def forward(self, tokens):
        return self.decoder(self.rnn(self.encoder(tokens))[0])


class Recurrent(nn.Module):
    """Layers of model.sequential: recurrent ones, and a linear one on all results or the last."""

    def __init__(self, kind, last, **options):
        super().__init__()
        self.last = last
        self.rnn = kind(4, 3, batch_first=True, **options)
        self.fc = nn.Linear((1 if last else 5) * (2 if self.rnn.bidirectional else 1) * 3, 6)
        nn.init.uniform_(self.fc.weight, -0.1, 0.1)
        nn.init.zeros_(self.fc.bias)

    def forward(self, x):
        results, state = self.rnn(x)
        state = state[0] if isinstance(state, tuple) else state
        directions = 2 if self.rnn.bidirectional else 1
        return self.fc(torch.cat(list(state[-directions:]), 1) if self.last else results.flatten(1))


class Gpt(nn.Module):
    def __init__(self, **options):
        super().__init__()
        config = transformers.GPT2Config(resid_pdrop=0, embd_pdrop=0, attn_pdrop=0, use_cache=False,
                                         bos_token_id=0, eos_token_id=0, **options)
        model = transformers.GPT2LMHeadModel(config)
        self.transformer, self.lm_head = model.transformer, model.lm_head
        self.lm_head.weight = self.transformer.wte.weight

    def forward(self, tokens):
        return self.lm_head(self.transformer(tokens)[0])


class Dcgan(nn.Module):
    """Its result in training are the two losses, and the images."""

    def __init__(self, size, channels, noise, generator, discriminator):
        super().__init__()
        doublings = int(math.log2(size)) - 2
        made, judged = nn.Sequential(), nn.Sequential()
        inputs = noise
        for i in reversed(range(doublings)):
            outputs = generator << i
            stride, padding = (1, 0) if i == doublings - 1 else (2, 1)
            made.extend([nn.ConvTranspose2d(inputs, outputs, 4, stride, padding, bias=False),
                         nn.BatchNorm2d(outputs), nn.ReLU()])
            inputs = outputs
        made.extend([nn.ConvTranspose2d(inputs, channels, 4, 2, 1, bias=False), nn.Tanh()])
        inputs = channels
        for i in range(doublings):
            outputs = discriminator << i
            judged.append(nn.Conv2d(inputs, outputs, 4, 2, 1, bias=False))
            if i:
                judged.append(nn.BatchNorm2d(outputs))
            judged.append(nn.LeakyReLU(0.2))
            inputs = outputs
        judged.extend([nn.Conv2d(inputs, 1, 4, 1, 0, bias=False), nn.Sigmoid()])
        self.gen, self.discrim = Named("main", made), Named("main", judged)
        for module in self.modules():
            if isinstance(module, (nn.Conv2d, nn.ConvTranspose2d)):
                nn.init.normal_(module.weight, 0, 0.02)
            elif isinstance(module, nn.BatchNorm2d):
                nn.init.normal_(module.weight, 1, 0.02)


# Which configurations are compared: the class of the zoo, its options, and the original.

def images(batch, channels, size, classes):
    return [{"name": "image", "shape": [batch, channels, size, size]},
            {"name": "label", "shape": [batch], "below": classes}]


def texts(batch, steps, vocabulary):
    return [{"name": name, "shape": [batch, steps], "below": vocabulary}
            for name in ("tokens", "targets")]


def pixels(batch, height, width, classes):
    return [{"name": "image", "shape": [batch, 3, height, width]},
            {"name": "label", "shape": [batch, height, width], "below": classes}]


def dcgan(size, width, noise, batch):
    return {"model": "dcgan", "trainer": "gan",
            "with": {"image_size": size, "channels": 3, "noise": noise, "generator_width": width,
                     "discriminator_width": width},
            "inputs": [{"name": "image", "shape": [batch, 3, size, size]}],
            "feeds": [{"name": "noise", "shape": [batch, noise, 1, 1]}],
            "original": lambda: Dcgan(size, 3, noise, width, width)}


def sequences(layer, kind, last, **options):
    layers = [
        {"layer": layer, "name": "rnn", "units": 3, "last": last, **options},
        {"layer": "fully_connected", "name": "fc", "units": 6,
         "weight": {"init": "uniform", "scale": 0.1}}]
    names = {"stacked": "num_layers", "use_bias": "bias"}
    return {"model": "sequential",
            "with": {"inputs": [{"name": "x", "shape": [-1, 5, 4]},
                                {"name": "label", "shape": [-1], "dtype": "int64"}],
                     "layers": layers, "loss": "cross_entropy", "names": "torch"},
            "inputs": [{"name": "x", "shape": [7, 5, 4]},
                       {"name": "label", "shape": [7], "below": 6}],
            "original": lambda: Recurrent(
                kind, last, **{names.get(name, name): value for name, value in options.items()})}


def small():
    return {
        "recurrent_lstm": sequences("lstm", nn.LSTM, True, stacked=2, bidirectional=True),
        "recurrent_gru": sequences("gru", nn.GRU, False, stacked=3, bidirectional=True),
        "recurrent_rnn": sequences("rnn", nn.RNN, False, bidirectional=True, use_bias=False),
        "recurrent_stacked": sequences("lstm", nn.LSTM, True, stacked=2),
        "linear": {
            "model": "linear", "with": {"shape": [3, 4, 4], "classes": 5},
            "inputs": images(4, 3, 4, 5), "original": lambda: linear(48, 5)},
        "mlp": {
            "model": "mlp", "with": {"shape": [6], "hidden": [7, 5], "classes": 3},
            "inputs": [{"name": "image", "shape": [4, 6]},
                       {"name": "label", "shape": [4], "below": 3}],
            "original": lambda: torchvision.ops.MLP(6, [7, 5, 3])},
        "lenet": {
            "model": "lenet", "with": {}, "inputs": images(3, 1, 28, 10), "original": Lenet},
        "resnet": {
            "model": "resnet",
            "with": {"block": "basic", "blocks": [2, 1, 1], "width": 8, "classes": 6,
                     "image_size": 32, "label_smoothing": 0.1},
            "inputs": images(4, 3, 32, 6),
            "original": lambda: SmallResnet(BasicBlock, [2, 1, 1], 8, 6)},
        "resnext": {
            "model": "resnet",
            "with": {"blocks": [2, 1, 1], "width": 8, "classes": 6, "image_size": 32, "groups": 2,
                     "width_per_group": 32, "zero_init_residual": True},
            "inputs": images(4, 3, 32, 6),
            "original": lambda: SmallResnet(Bottleneck, [2, 1, 1], 8, 6, groups=2, base_width=32,
                                            zero_init_residual=True)},
        "resnet_cifar": {
            "model": "resnet",
            "with": {"form": "cifar", "blocks": [2, 1, 1], "width": 8, "classes": 4,
                     "image_size": 16, "zero_init_residual": True},
            "inputs": images(3, 3, 16, 4),
            "original": lambda: SmallResnet(BasicBlock, [2, 1, 1], 8, 4, cifar=True,
                                            zero_init_residual=True)},
        "resnet_preactivation": {
            "model": "resnet",
            "with": {"form": "cifar", "blocks": [2, 1], "width": 4, "classes": 4,
                     "block": "bottleneck", "preactivation": True, "shortcut": "projection",
                     "image_size": 16},
            "inputs": images(4, 3, 16, 4), "original": lambda: PreactivatedResnet([2, 1], 4, 4)},
        "wide_resnet": {
            "model": "wide-resnet",
            "with": {"depth": 10, "widen_factor": 1, "classes": 4, "image_size": 16},
            "inputs": images(4, 3, 16, 4), "original": lambda: WideResnet(10, 1, 4)},
        "vit": {
            "model": "vit",
            "with": {"image_size": 16, "patch_size": 4, "layers": 2, "heads": 2, "width": 8,
                     "hidden": 12, "classes": 5},
            "inputs": images(3, 3, 16, 5),
            "original": lambda: torchvision.models.VisionTransformer(16, 4, 2, 2, 8, 12,
                                                                     num_classes=5)},
        "unet": {
            "model": "unet", "with": {"width": 4, "image_size": [36, 40], "classes": 3},
            "inputs": pixels(2, 36, 40, 3), "original": lambda: Unet(4, 3, False)},
        "unet_bilinear": {
            "model": "unet",
            "with": {"width": 4, "image_size": [36, 40], "classes": 3, "bilinear": True},
            "inputs": pixels(2, 36, 40, 3), "original": lambda: Unet(4, 3, True)},
        "gpt": {
            "model": "gpt",
            "with": {"vocabulary": 13, "context": 10, "layers": 2, "heads": 2, "width": 8,
                     "dropout": 0},
            "inputs": texts(3, 7, 13),
            "original": lambda: Gpt(vocab_size=13, n_positions=10, n_embd=8, n_layer=2, n_head=2)},
        "lstm_lm": {
            "model": "lstm-lm",
            "with": {"vocabulary": 11, "width": 5, "units": 6, "layers": 2, "dropout": 0},
            "inputs": texts(3, 5, 11), "original": lambda: LstmLm(11, 5, 6, 2, False)},
        "lstm_lm_tied": {
            "model": "lstm-lm",
            "with": {"vocabulary": 11, "width": 6, "units": 6, "layers": 1, "dropout": 0,
                     "tied": True},
            "inputs": texts(3, 5, 11), "original": lambda: LstmLm(11, 6, 6, 1, True)},
        "dcgan": dcgan(16, 4, 5, 4),
    }


def full():
    models = torchvision.models

    def imagenet(depth, original, more={}):
        return {"model": "resnet", "with": {"depth": depth, "image_size": 96, **more},
                "inputs": images(4, 3, 96, 1000), "original": original}

    return {
        "resnet18": imagenet(18, models.resnet18),
        "resnet50": imagenet(50, models.resnet50),
        "resnext50_32x4d": imagenet(50, models.resnext50_32x4d,
                                    {"groups": 32, "width_per_group": 4}),
        "resnet20": {
            "model": "resnet", "with": {"form": "cifar", "depth": 20, "classes": 10},
            "inputs": images(8, 3, 32, 10),
            "original": lambda: SmallResnet(BasicBlock, [3, 3, 3], 16, 10, cifar=True)},
        "wide_resnet_16_4": {
            "model": "wide-resnet", "with": {"depth": 16, "widen_factor": 4},
            "inputs": images(8, 3, 32, 10), "original": lambda: WideResnet(16, 4, 10)},
        "vit_b_16": {
            "model": "vit", "with": {"image_size": 64}, "inputs": images(2, 3, 64, 1000),
            "original": lambda: models.VisionTransformer(64, 16, 12, 12, 768, 3072)},
        "gpt2": {
            "model": "gpt", "with": {"layers": 3, "dropout": 0}, "inputs": texts(2, 32, 50257),
            "original": lambda: Gpt(n_layer=3)},
        "unet": {
            "model": "unet", "with": {"image_size": [64, 64]}, "inputs": pixels(2, 64, 64, 2),
            "original": lambda: Unet(64, 2, False)},
        "lstm_lm": {
            "model": "lstm-lm", "with": {"vocabulary": 1000, "dropout": 0},
            "inputs": texts(4, 35, 1000), "original": lambda: LstmLm(1000, 200, 200, 2, False)},
        "dcgan": dcgan(64, 64, 100, 8),
    }


# What is recorded.

def digest(name, tensor, samples):
    values = tensor.detach().double().flatten().numpy()
    count = len(values)
    chosen = [i * (count - 1) // max(1, samples - 1) for i in range(samples)]
    return {"count": count, "norm": float(np.sqrt(np.sum(values * values))),
            "largest": float(np.max(np.abs(values))),
            "product": float(np.sum(values * numbers(name + "/product", count))),
            "samples": [float(values[i]) for i in (chosen if count > samples else range(count))]}


def dcgan_step(model, image, noise):
    """Both losses with the same weights, as the trainer `gan` has them."""
    fake = model.gen(noise)
    of_real, of_fake = model.discrim(image).flatten(), model.discrim(fake).flatten()
    real, made = torch.ones_like(of_real), torch.zeros_like(of_fake)
    g = F.binary_cross_entropy(of_fake, real)
    d = F.binary_cross_entropy(of_real, real) + F.binary_cross_entropy(of_fake, made)
    gradients = {}
    for loss, part in ((g, "gen."), (d, "discrim.")):
        named = [(n, p) for n, p in model.named_parameters() if n.startswith(part)]
        for (name, _), gradient in zip(named, torch.autograd.grad(
                loss, [p for _, p in named], retain_graph=True)):
            gradients[name] = gradient
    return {"g_loss": g, "d_loss": d, "fake": fake}, gradients


def step(model, inputs, smoothing):
    logits = model(inputs[0])
    flat = logits.flatten(0, 1) if inputs[0].dtype == torch.int64 else logits
    label = inputs[1].flatten() if inputs[0].dtype == torch.int64 else inputs[1]
    cost = F.cross_entropy(flat, label, label_smoothing=smoothing)
    wrong = (flat.argmax(1) != label).float()
    return {"logits": logits, "cost": cost, "train_error": wrong.mean()}


def published(case, outputs):
    """By the names that the model has for them."""
    if case["model"] != "sequential":
        return outputs
    return {"output": outputs["logits"], "cost": outputs["cost"]}


class ReluInputs(TorchFunctionMode):
    """Keeps them."""

    def __init__(self):
        super().__init__()
        self.inputs = []

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function is F.relu:
            self.inputs.append(args[0].detach().double().clone())
        return function(*args, **(kwargs or {}))


class MovedBiases(TorchFunctionMode):
    """Moves the biases of batch norms so that no input of relu is nearly zero. A bias moves all
    inputs of its channel, until zero is in the middle of the widest gap near it."""

    bias = None  # of the last batch norm

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function is F.relu and self.bias is not None:
            for channel, x in enumerate(args[0].transpose(0, 1).flatten(1)):
                limit = x.std() / 20
                near = torch.cat([x[x.abs() < limit], torch.stack([-limit, limit])]).sort().values
                widest = near.diff().argmax()
                old = self.bias[channel].clone()
                self.bias[channel] = (old - (near[widest] + near[widest + 1]) / 2).float()
                args[0][:, channel] += self.bias[channel] - old
            self.bias = None
        elif function is F.batch_norm:
            self.bias = kwargs["bias"]
        return function(*args, **(kwargs or {}))


def inputs_of(case, dtype):
    return [x.to(dtype) if x.is_floating_point() else x for x in map(data, case["inputs"])]


def prepared(case, dtype):
    """The original with the weights of the formula, or those of the case."""
    model = case["original"]().to(dtype).train()
    with torch.no_grad():
        for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
            if tensor.dtype == dtype:
                tensor.copy_(weights(in_zoo(name), list(tensor.shape)))
        for name, values in case.get("weights", {}).items():
            model.get_parameter(name).copy_(torch.tensor(values))
    return model


def moved_biases(case):
    model = prepared(case, torch.float64)
    before = {name: p.clone() for name, p in model.named_parameters()}
    with torch.no_grad(), MovedBiases():
        model(inputs_of(case, torch.float64)[0])
    return {name: p.tolist() for name, p in model.named_parameters()
            if not torch.equal(p, before[name])}


def run(case, dtype):
    """Outputs in training and in inference, gradients and statistics; and the inputs of relu in
    training."""
    model, gan = prepared(case, dtype), "feeds" in case
    inputs = inputs_of(case, dtype)
    smoothing = case["with"].get("label_smoothing", 0)
    if gan:
        train, gradients = dcgan_step(model, inputs[0], data(case["feeds"][0]).to(dtype))
        relu = []
    else:
        with ReluInputs() as mode:
            train = step(model, inputs, smoothing)
        train["cost"].backward()
        relu = mode.inputs
        gradients = {name: p.grad for name, p in model.named_parameters()}
    statistics = {name: b.clone() for name, b in model.named_buffers() if "running" in name}
    model.eval()
    inference = {} if gan else step(model, inputs, smoothing)
    return {"train": published(case, train), "inference": published(case, inference), "gradients": gradients,
            "statistics": statistics}, relu


def in_zoo(name):
    for part in ("gen", "discrim"):
        name = name.replace(part + ".main", part + "/main")
    return name


def rounding(exact, rounded):
    """The largest difference of float32, in parts of the largest number of a tensor."""
    return {group: max((((rounded[group][name] - x).abs().max() / (x.abs().max() or 1)).item()
                        for name, x in tensors.items()), default=0)
            for group, tensors in exact.items()}


def first_values(case):
    """Size, mean and root of the mean square of what each parameter begins with."""
    values = {name: p.detach().double() for name, p in case["original"]().named_parameters()}
    return {in_zoo(name): [x.numel(), x.mean().item(), x.square().mean().sqrt().item()]
            for name, x in values.items()}


def nearly_zero(exact, rounded):
    """Whether rounding may decide about an input of relu."""
    return any(x.abs().min() < 10 * (y - x).abs().max() for x, y in zip(exact, rounded))


def record(name, case, is_full):
    case["first_values"] = first_values(case)
    if is_full and "feeds" not in case:
        case["weights"] = moved_biases(case)
    exact, exact_inputs = run(case, torch.float64)
    rounded, rounded_inputs = run(case, torch.float32)
    case["rounding"] = rounding(exact, rounded)
    if is_full and nearly_zero(exact_inputs, rounded_inputs):
        raise SystemExit(f"{name}: an input of relu is nearly zero; change the size")
    # A small configuration with such an input would fail on another machine.
    if not is_full and max(case["rounding"].values()) > 3e-5:
        raise SystemExit(f"{name}: float32 differs by {case['rounding']}; change the size")
    del case["original"]

    def digests(results):
        return {group: {in_zoo(member): digest(in_zoo(member), x, 400 if is_full else 10)
                        for member, x in tensors.items()}
                for group, tensors in results.items()}

    return case | digests(exact) | ({"float32": digests(rounded)} if is_full else {})


def shortened(value):
    """With nine digits, which tell float32 numbers apart."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, dict):
        return {key: shortened(one) for key, one in value.items()}
    return [shortened(one) for one in value] if isinstance(value, list) else value


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    for name, case in (full() if options.full else small()).items():
        torch.manual_seed(0)
        recorded = record(name, case, options.full)
        text = json.dumps(shortened(recorded), separators=(",", ":")).replace(
            '},"', '},\n"')
        (options.folder / f"{name}.json").write_text(text + "\n")
        print(name, flush=True)


if __name__ == "__main__":
    main()
