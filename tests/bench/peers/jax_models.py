"""jax_models.py: the workloads as functions of JAX, in the layouts that XLA prefers: weights are
(in, out), pictures (N, H, W, C). A model is built by reading its parameters from a dictionary; one
pass over a Maker fills it."""

import math

import formula
import jax
import jax.numpy as jnp
import numpy as np


class Maker(dict):
    """Parameters by name, made when first read; averages: of the batch normalizations."""

    def __init__(self):
        super().__init__()
        self.averages = {}

    def weight(self, name, shape):
        """shape: (out, in), as everywhere in the benchmark; kept (in, out)."""
        if name not in self:
            self[name] = np.ascontiguousarray(formula.weight(name, shape).T)
        return self[name]

    def table(self, name, shape):
        if name not in self:
            self[name] = formula.weight(name, shape)
        return jnp.asarray(self[name])  # numpy cannot be indexed by what is traced

    def kernel(self, name, shape):
        """shape: (out, in, height, width); kept (height, width, in, out)."""
        if name not in self:
            value = formula.weight(name, shape)
            self[name] = np.ascontiguousarray(value.transpose(2, 3, 1, 0))
        return self[name]

    def vector(self, name, size, first):
        return self.setdefault(name, np.full(size, first, np.float32))

    def over_picture(self, name, units, height, width, channels):
        """A weight over a flattened picture, whose columns the benchmark has as (C, H, W)."""
        if name not in self:
            value = formula.weight(name, (units, channels * height * width))
            value = value.reshape(units, channels, height, width).transpose(2, 3, 1, 0)
            self[name] = np.ascontiguousarray(value.reshape(-1, units))
        return self[name]


    def to_picture(self, name, height, width, channels, units):
        """A weight whose result is a picture, whose rows the benchmark has as (C, H, W)."""
        if name not in self:
            value = formula.weight(name, (channels * height * width, units))
            value = value.reshape(channels, height, width, units).transpose(3, 1, 2, 0)
            self[name] = np.ascontiguousarray(value.reshape(units, -1))
        return self[name]

    def average(self, name, value, first):
        self.averages[name] = np.full(value.shape, first, np.float32)


class Reader:
    """The same names over the parameters that are trained; averages become the new ones."""

    def __init__(self, parameters, averages):
        self.parameters = parameters
        self.averages = dict(averages)

    def average(self, name, value, first):
        self.averages[name] = 0.9 * self.averages[name] + 0.1 * value

    def _get(self, name, *unused):
        return self.parameters[name]

    weight = table = kernel = vector = over_picture = to_picture = _get


def connected(p, name, x, units):
    w = p.weight(name + "/W", (units, x.shape[-1]))
    return x @ w + p.vector(name + "/b", units, 0)


def cross_entropy(logits, labels):
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1)
    return -jnp.mean(chosen)


def mlp(p, options, x, label):
    sizes = options.sizes[1:]
    for i, units in enumerate(sizes):
        x = connected(p, f"fc{i + 1}", x, units)
        if i + 1 < len(sizes):
            x = jax.nn.relu(x)
    return cross_entropy(x, label)


def convolved(p, name, x, channels, kernel=3, stride=1, padding=1):
    w = p.kernel(name + "/W", (channels, x.shape[-1], kernel, kernel))
    return jax.lax.conv_general_dilated(
        x, w, (stride, stride), [(padding, padding)] * 2, dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


def batch_normalized(p, name, x):
    channels = x.shape[-1]
    count = x.size // channels
    mean = x.mean((0, 1, 2))
    variance = jnp.square(x - mean).mean((0, 1, 2))
    p.average(name + "/mean", mean, 0)
    p.average(name + "/variance", variance * (count / (count - 1)), 1)
    scale = jax.lax.rsqrt(variance + 1e-5) * p.vector(name + "/gamma", channels, 1)
    return (x - mean) * scale + p.vector(name + "/beta", channels, 0)


def convnet(p, options, image, label):
    x = convolved(p, "conv1", image, 32, padding=options.padding) + p.vector("conv1/b", 32, 0)
    x = convolved(p, "conv2", jax.nn.relu(x), 64, padding=options.padding)
    x = jax.nn.relu(batch_normalized(p, "bn", x + p.vector("conv2/b", 64, 0)))
    x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    w = p.over_picture("fc/W", 10, *x.shape[1:])
    return cross_entropy(x.reshape(x.shape[0], -1) @ w + p.vector("fc/b", 10, 0), label)


def residual_part(p, name, x, *shape):
    return batch_normalized(p, name + "/bn", convolved(p, name + "/conv", x, *shape))


def resnet20(p, options, image, label):
    x = jax.nn.relu(residual_part(p, "stem", image, 16))
    for i in range(9):
        name, channels, stride = f"block{i + 1}", 16 << i // 3, 2 if i in (3, 6) else 1
        y = jax.nn.relu(residual_part(p, name + "/a", x, channels, 3, stride))
        y = residual_part(p, name + "/b", y, channels)
        if stride > 1:
            x = residual_part(p, name + "/shortcut", x, channels, 1, stride, 0)
        x = jax.nn.relu(x + y)
    return cross_entropy(connected(p, "fc", x.mean((1, 2)), 10), label)


def layer_normalized(p, name, x):
    width = x.shape[-1]
    mean = x.mean(-1, keepdims=True)
    variance = jnp.square(x - mean).mean(-1, keepdims=True)
    normal = (x - mean) * jax.lax.rsqrt(variance + 1e-5)
    return normal * p.vector(name + "/gamma", width, 1) + p.vector(name + "/beta", width, 0)


def attention(p, options, block, x):
    batch, context, width = x.shape
    head = width // options.heads
    qkv = connected(p, block + "/qkv", x, 3 * width).reshape(batch, context, 3, options.heads, head)
    scores = jnp.einsum("bqhd,bkhd->bhqk", qkv[:, :, 0], qkv[:, :, 1]) * np.float32(head**-0.5)
    mask = np.tril(np.ones((context, context), bool))
    shares = jax.nn.softmax(jnp.where(mask, scores, -1e30))
    mixed = jnp.einsum("bhqk,bkhd->bqhd", shares, qkv[:, :, 2]).reshape(batch, context, width)
    return connected(p, block + "/out", mixed, width)


def gpt(p, options, tokens, following):
    width, vocabulary = options.width, options.vocabulary
    x = p.table("token/W", (vocabulary, width))[tokens]
    x = x + p.table("position/W", (options.context, width))
    for i in range(options.layers):
        block = f"block{i + 1}"
        x = x + attention(p, options, block, layer_normalized(p, block + "/norm1", x))
        wide = connected(p, block + "/up", layer_normalized(p, block + "/norm2", x), 4 * width)
        x = x + connected(p, block + "/down", jax.nn.gelu(wide, approximate=True), width)
    logits = layer_normalized(p, "norm", x) @ p.weight("head/W", (vocabulary, width))
    return cross_entropy(logits.reshape(-1, vocabulary), following.reshape(-1))


def widened(p, name, x, channels):
    """Transposed, with twice the height and width: the gradient of a convolution of kernel 4,
    stride 2 and padding 1."""
    w = p.kernel(name + "/W", (x.shape[-1], channels, 4, 4))
    return jax.lax.conv_transpose(
        x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), transpose_kernel=True
    )


def generated(p, options, z):
    channels = 4 * options.width
    x = z @ p.to_picture("gen/fc/W", 4, 4, channels, options.noise)
    x = jax.nn.relu(batch_normalized(p, "gen/bn0", x.reshape(-1, 4, 4, channels)))
    for i in (1, 2):
        channels //= 2
        x = jax.nn.relu(batch_normalized(p, f"gen/bn{i}", widened(p, f"gen/up{i}", x, channels)))
    return jnp.tanh(widened(p, "gen/up3", x, 3))


def discriminated(p, options, x):
    x = jax.nn.leaky_relu(convolved(p, "discrim/conv1", x, options.width, 4, 2), 0.2)
    for i in (2, 3):
        x = convolved(p, f"discrim/conv{i}", x, 2 * x.shape[-1], 4, 2)
        x = jax.nn.leaky_relu(batch_normalized(p, f"discrim/bn{i}", x), 0.2)
    w = p.over_picture("discrim/fc/W", 1, *x.shape[1:])
    return x.reshape(x.shape[0], -1) @ w


def gan(p, options, z, image):
    real, fake = discriminated(p, options, image), discriminated(p, options, generated(p, options, z))
    takes, refuses = jax.nn.softplus(-fake).mean(), jax.nn.softplus(fake).mean()
    return takes, jax.nn.softplus(-real).mean() + refuses


def recsys(p, options, dense, ids, click):
    tables = range(options.tables)
    shape = (options.rows, options.width)
    x = jnp.concatenate([dense] + [p.table(f"table{i + 1}/W", shape)[ids[i]] for i in tables], 1)
    x = jax.nn.relu(connected(p, "fc1", x, 128))
    return cross_entropy(connected(p, "fc3", jax.nn.relu(connected(p, "fc2", x, 64)), 2), click)


FAMILIES = {
    "mlp": mlp,
    "convnet": convnet,
    "resnet20": resnet20,
    "gpt": gpt,
    "gan": gan,
    "recsys": recsys,
}


def columns(workload):
    """The inputs, each (BATCHES, *shape), in JAX's integers and layout."""
    laid_out = []
    for column in workload.columns():
        if column.dtype == np.int64:
            column = column.astype(np.int32)
        if column.ndim == 5:
            column = np.ascontiguousarray(column.transpose(0, 1, 3, 4, 2))
        laid_out.append(column)
    return laid_out


def build(workload):
    """The first parameters and averages, and a function of parameters, averages and a batch that
    gives the costs, one for each scope, and the new averages."""
    model = FAMILIES[workload.family]
    maker = Maker()
    first = [column[0] for column in columns(workload)]
    jax.eval_shape(lambda *point: model(maker, workload.options, *point), *first)

    def costs(parameters, averages, point):
        reader = Reader(parameters, averages)
        given = model(reader, workload.options, *point)
        return given if isinstance(given, tuple) else (given,), reader.averages

    return dict(maker), maker.averages, costs


def gradients_of(workload, costs_of, parameters, averages, point):
    """The sum of the costs, the new averages, and of each parameter the gradient of its cost."""
    run = lambda values: costs_of(values, averages, point)  # noqa: E731
    costs, backward, averages = jax.vjp(run, parameters, has_aux=True)
    gradients = {}
    for i, scope in enumerate(workload.scopes):
        (of_one,) = backward(tuple(jnp.float32(i == k) for k in range(len(costs))))
        gradients |= {name: g for name, g in of_one.items() if name.startswith(scope)}
    return sum(costs), averages, gradients


def updated(workload, parameters, slots, gradients):
    """One step of the workload's rule. slots: of momentum m, of Adam m, v and the step."""
    rate = workload.rate
    each = jax.tree.map
    if workload.rule == "sgd":
        return each(lambda p, g: p - rate * g, parameters, gradients), slots
    if workload.rule == "momentum":
        m = each(lambda m, g: 0.9 * m + g, slots["m"], gradients)
        return each(lambda p, m: p - rate * m, parameters, m), {"m": m}
    step = slots["step"] + 1
    m = each(lambda m, g: 0.9 * m + 0.1 * g, slots["m"], gradients)
    v = each(lambda v, g: 0.999 * v + 0.001 * g * g, slots["v"], gradients)
    size = rate / (1 - 0.9**step)
    root = jnp.sqrt(1 - 0.999**step)
    moved = each(lambda p, m, v: p - size * m / (jnp.sqrt(v) / root + 1e-8), parameters, m, v)
    return moved, {"m": m, "v": v, "step": step}


def first_slots(workload, parameters):
    zeros = {name: np.zeros_like(value) for name, value in parameters.items()}
    if workload.rule == "sgd":
        return {}
    if workload.rule == "momentum":
        return {"m": zeros}
    return {"m": zeros, "v": {k: z.copy() for k, z in zeros.items()}, "step": np.float32(0)}
