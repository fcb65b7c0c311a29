"""formula.py: the twin of formula.hpp: the same numbers, bit for bit, as numpy arrays."""

import math

import numpy as np

BATCHES = 64


def seed_of(name):
    value = 2166136261
    for letter in name.encode():
        value = (value ^ letter) * 16777619 & 0xFFFFFFFF
    return value


def draws(name, first, count):
    """32 bits for each index from first on."""
    index = np.arange(first, first + count, dtype=np.uint64).astype(np.uint32)
    x = np.uint32(seed_of(name)) + index * np.uint32(0x9E3779B9)
    x = (x ^ x >> np.uint32(16)) * np.uint32(0x85EBCA6B)
    x = (x ^ x >> np.uint32(13)) * np.uint32(0xC2B2AE35)
    return x ^ x >> np.uint32(16)


def uniform(name, first, count, bound):
    unit = (draws(name, first, count) >> np.uint32(8)).astype(np.float32)
    return (unit * np.float32(2**-23) - np.float32(1)) * np.float32(bound)


def weight(name, shape):
    """First value of a variable with two dimensions or more: variance 1 / fan_in."""
    bound = math.sqrt(3 / math.prod(shape[1:]))
    return uniform(name, 0, math.prod(shape), bound).reshape(shape)


def column(component):
    """The values of an input in all batches: (BATCHES, *shape)."""
    size = math.prod(component.shape)
    batches = []
    for batch in range(BATCHES):
        first = batch % component.period * size
        if component.classes:
            values = (draws(component.name, first, size) % component.classes).astype(np.int64)
        else:
            values = uniform(component.name, first, size, math.sqrt(3))
        batches.append(values.reshape(component.shape))
    return np.stack(batches)
