"""keras_models.py: the workloads as Keras models with the benchmark's first values."""

import formula
import keras
import numpy as np
from keras import layers


def put(layer, *values):
    layer.set_weights([np.ascontiguousarray(value, np.float32) for value in values])


def connected(name, units, x, activation=None):
    layer = layers.Dense(units, activation)
    y = layer(x)
    w = formula.weight(name + "/W", (units, x.shape[-1]))
    put(layer, w.T, np.zeros(units))
    return y


def convolved(name, x, channels, kernel=3, stride=1, padding="same", activation=None, bias=False):
    """Padding as in the other contenders: equal on both sides, which "same" is not at stride 2."""
    if stride > 1 and kernel > 1:
        x = layers.ZeroPadding2D(kernel // 2)(x)
        padding = "valid"
    layer = layers.Conv2D(
        channels, kernel, stride, padding, activation=activation, use_bias=bias
    )
    y = layer(x)
    w = formula.weight(name + "/W", (channels, x.shape[-1], kernel, kernel)).transpose(2, 3, 1, 0)
    put(layer, w, *([np.zeros(channels)] if bias else []))
    return y


def batch_normalized(x):
    return layers.BatchNormalization(momentum=0.9, epsilon=1e-5)(x)


def mlp(options):
    x = inputs = keras.Input(options.sizes[:1])
    sizes = options.sizes[1:]
    for i, units in enumerate(sizes):
        x = connected(f"fc{i + 1}", units, x, "relu" if i + 1 < len(sizes) else None)
    return keras.Model(inputs, x)


def convnet(options):
    side = options.pooled * 2 + (0 if options.padding else 4)
    padding = "same" if options.padding else "valid"
    inputs = keras.Input((side, side, 1))
    x = convolved("conv1", inputs, 32, padding=padding, activation="relu", bias=True)
    x = convolved("conv2", x, 64, padding=padding, bias=True)
    x = layers.MaxPooling2D(2)(layers.ReLU()(batch_normalized(x)))
    last = layers.Dense(10)
    y = last(layers.Flatten()(x))
    w = formula.weight("fc/W", (10, 64 * options.pooled**2))
    w = w.reshape(10, 64, options.pooled, options.pooled).transpose(2, 3, 1, 0)
    put(last, w.reshape(-1, 10), np.zeros(10))
    return keras.Model(inputs, y)


def residual_part(name, x, *shape):
    return batch_normalized(convolved(name + "/conv", x, *shape))


def resnet20(options):
    inputs = keras.Input((32, 32, 3))
    x = layers.ReLU()(residual_part("stem", inputs, 16))
    for i in range(9):
        name, channels, stride = f"block{i + 1}", 16 << i // 3, 2 if i in (3, 6) else 1
        y = layers.ReLU()(residual_part(name + "/a", x, channels, 3, stride))
        y = residual_part(name + "/b", y, channels)
        if stride > 1:
            x = residual_part(name + "/shortcut", x, channels, 1, stride)
        x = layers.ReLU()(layers.Add()([x, y]))
    return keras.Model(inputs, connected("fc", 10, layers.GlobalAveragePooling2D()(x)))


def attention(options, name, x):
    """Keras keeps the projections apart and with a dimension for the heads."""
    width, heads = options.width, options.heads
    layer = layers.MultiHeadAttention(heads, width // heads)
    y = layer(x, x, use_causal_mask=True)
    qkv = formula.weight(name + "/qkv/W", (3 * width, width)).reshape(3, heads, -1, width)
    out = formula.weight(name + "/out/W", (width, width)).reshape(width, heads, -1)
    zeros = np.zeros((heads, width // heads))
    split = [value for part in qkv for value in (part.transpose(2, 0, 1), zeros)]
    put(layer, *split, out.transpose(1, 2, 0), np.zeros(width))
    return y


class Embedded(layers.Layer):
    """Tokens and their learnt positions."""

    def __init__(self, options):
        super().__init__()
        self.options = options

    def build(self, shape):
        sizes = (("token", self.options.vocabulary), ("position", self.options.context))
        for name, rows in sizes:
            table = self.add_weight((rows, self.options.width), name=name)
            table.assign(formula.weight(name + "/W", (rows, self.options.width)))
            setattr(self, name, table)

    def call(self, tokens):
        return keras.ops.take(self.token, tokens, 0) + self.position


def gpt(options):
    inputs = keras.Input((options.context,), dtype="int32")
    x = Embedded(options)(inputs)
    for i in range(options.layers):
        name = f"block{i + 1}"
        x = layers.Add()([x, attention(options, name, layers.LayerNormalization(epsilon=1e-5)(x))])
        y = layers.LayerNormalization(epsilon=1e-5)(x)
        y = connected(name + "/up", 4 * options.width, y, tanh_gelu)
        x = layers.Add()([x, connected(name + "/down", options.width, y)])
    head = layers.Dense(options.vocabulary, use_bias=False)
    y = head(layers.LayerNormalization(epsilon=1e-5)(x))
    put(head, formula.weight("head/W", (options.vocabulary, options.width)).T)
    return keras.Model(inputs, y)


def tanh_gelu(x):
    return keras.activations.gelu(x, approximate=True)


def recsys(options):
    dense = keras.Input((options.dense,))
    ids = keras.Input((options.tables,), dtype="int32")
    looked_up = []
    for i in range(options.tables):
        table = layers.Embedding(options.rows, options.width)
        looked_up.append(table(ids[:, i]))
        put(table, formula.weight(f"table{i + 1}/W", (options.rows, options.width)))
    x = connected("fc1", 128, layers.Concatenate()([dense, *looked_up]), "relu")
    return keras.Model([dense, ids], connected("fc3", 2, connected("fc2", 64, x, "relu")))


FAMILIES = {"mlp": mlp, "convnet": convnet, "resnet20": resnet20, "gpt": gpt, "recsys": recsys}


def build(workload):
    return FAMILIES[workload.family](workload.options)


def batches(workload):
    """(inputs, targets) of each batch, in Keras's layout: the batch first, channels last."""
    *columns, targets = workload.columns()
    for i, column in enumerate(columns):
        if column.ndim == 5:
            columns[i] = np.ascontiguousarray(column.transpose(0, 1, 3, 4, 2))
        elif workload.family == "recsys" and column.dtype == np.int64:
            columns[i] = np.ascontiguousarray(column.transpose(0, 2, 1))
    columns = [c.astype(np.int32) if c.dtype == np.int64 else c for c in columns]
    inputs = columns[0] if len(columns) == 1 else zip(*columns)
    return list(zip(inputs, targets.astype(np.int32)))
