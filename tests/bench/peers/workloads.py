"""workloads.py: what is trained, beside manifests/*.json and plain/models.cpp."""

import dataclasses
import types

import formula

PERIOD = formula.BATCHES // 2  # batches after which inputs repeat; targets do not


@dataclasses.dataclass(frozen=True)
class Component:
    """One input of all data points."""

    name: str
    shape: tuple  # of a batch
    classes: int = 0  # the values are integers below it; 0: real numbers
    period: int = formula.BATCHES


@dataclasses.dataclass(frozen=True)
class Workload:
    family: str
    options: types.SimpleNamespace
    components: tuple
    rule: str
    rate: float
    scopes: tuple = ("",)  # one for each cost: the start of the names of what learns from it
    pictures: bool = False  # convolutions, which are faster with channels last

    def columns(self):
        """One array (BATCHES, *shape) a component; batch k is row k of each."""
        return [formula.column(component) for component in self.components]


def mlp(rule, rate, batch, *sizes):
    return Workload(
        "mlp",
        types.SimpleNamespace(sizes=sizes),
        (Component("x", (batch, sizes[0]), 0, PERIOD), Component("label", (batch,), sizes[-1])),
        rule,
        rate,
    )


def convnet(side, padding, pooled):
    return Workload(
        "convnet",
        types.SimpleNamespace(padding=padding, pooled=pooled),
        (Component("image", (64, 1, side, side), 0, PERIOD), Component("label", (64,), 10)),
        "momentum",
        0.0002,
        pictures=True,
    )


def resnet20():
    return Workload(
        "resnet20",
        types.SimpleNamespace(),
        (Component("image", (16, 3, 32, 32), 0, PERIOD), Component("label", (16,), 10)),
        "momentum",
        0.0002,
        pictures=True,
    )


def gpt(layers, width):
    return Workload(
        "gpt",
        types.SimpleNamespace(layers=layers, width=width, heads=4, context=64, vocabulary=96),
        (Component("tokens", (8, 64), 96, PERIOD), Component("next", (8, 64), 96)),
        "adam",
        1e-3,
    )


def gan():
    return Workload(
        "gan",
        types.SimpleNamespace(width=32, noise=100),
        (
            Component("z", (32, 100), 0, PERIOD),
            Component("image", (32, 3, 32, 32)),
        ),
        "adam",
        2e-6,
        ("gen/", "discrim/"),
        pictures=True,
    )


def recsys():
    return Workload(
        "recsys",
        types.SimpleNamespace(tables=26, rows=100000, width=16, dense=13),
        (
            Component("dense", (2048, 13), 0, PERIOD),
            Component("ids", (26, 2048), 100000, PERIOD),
            Component("click", (2048,), 2),
        ),
        "sgd",
        0.01,
    )


def exported(model, size, components, rule, rate, pictures=False):
    """A network of exported_models.py. size: its classes or words."""
    return Workload(
        "exported",
        types.SimpleNamespace(model=model, size=size),
        components,
        rule,
        rate,
        pictures=pictures,
    )


def exported_classifier(model, batch, rule, rate):
    components = (
        Component("image", (batch, 3, 64, 64), 0, PERIOD),
        Component("label", (batch,), 200),
    )
    return exported(model, 200, components, rule, rate, pictures=True)


def exported_gpt2():
    components = (
        Component("tokens", (8, 64), 1024, PERIOD),
        Component("next_tokens", (8, 64), 1024),
    )
    return exported("gpt2", 1024, components, "adam", 1e-4)


def exported_bert():
    components = (
        Component("tokens", (16, 64), 30522, PERIOD),
        Component("mask", (16, 64), 2, PERIOD),
        Component("label", (16,), 2),
    )
    return exported("bert", 30522, components, "adam", 1e-4)


WORKLOADS = {
    "mlp": mlp("momentum", 0.01, 32, 64, 128, 128, 10),
    "mlp-adam": mlp("adam", 1e-4, 32, 64, 128, 128, 10),
    "mlp-wide": mlp("adam", 1e-4, 64, 784, 256, 256, 10),
    "cnn8": convnet(8, 1, 4),
    "cnn28": convnet(28, 0, 12),
    "resnet20": resnet20(),
    "gpt-small": gpt(2, 64),
    "gpt-medium": gpt(4, 128),
    "gan": gan(),
    "recsys": recsys(),
    "exported-resnet18": exported_classifier("resnet18", 16, "momentum", 2e-5),
    "exported-mobilenet": exported_classifier("mobilenet", 32, "momentum", 2e-5),
    "exported-vit": exported_classifier("vit", 16, "adam", 1e-4),
    "exported-gpt2": exported_gpt2(),
    "exported-bert": exported_bert(),
}
