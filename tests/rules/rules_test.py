#!/usr/bin/env python3
"""Optimizers and gradient processors that are plugins, against plain arithmetic in Python.

  rules_test.py BROCH

The network is logistic regression, so that its gradients are a few lines, too.
"""
import csv
import json
import math
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

ROWS, INPUTS, CLASSES, STEPS = 12, 5, 3, 6
BROCH = ""


def softmax(logits):
    top = max(logits)
    powers = [math.exp(x - top) for x in logits]
    return [x / sum(powers) for x in powers]


def gradients(weights, rows):
    """Of the mean cross entropy: for each class the gradient of its weights, and of its bias."""
    matrix, bias = weights["weight"], weights["bias"]
    of_matrix = [[0.0] * INPUTS for _ in range(CLASSES)]
    of_bias = [0.0] * CLASSES
    for inputs, label in rows:
        logits = [sum(w * x for w, x in zip(matrix[k], inputs)) + bias[k] for k in range(CLASSES)]
        for k, p in enumerate(softmax(logits)):
            error = (p - (k == label)) / len(rows)
            of_bias[k] += error
            for i, x in enumerate(inputs):
                of_matrix[k][i] += error * x
    return {"weight": of_matrix, "bias": [of_bias]}


def elements(table):
    """A variable as a list of its elements."""
    return [x for row in table for x in row] if isinstance(table[0], list) else list(table)


def read_safetensors(path):
    """name → list of float32 elements; the format: https://github.com/huggingface/safetensors."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    tensors = {}
    for name, about in json.loads(data[8:8 + size]).items():
        if name != "__metadata__" and about["dtype"] == "F32":
            begin, end = (8 + size + x for x in about["data_offsets"])
            tensors[name] = list(struct.unpack(f"<{(end - begin) // 4}f", data[begin:end]))
    return tensors


# The rules: each returns new weights. state: whatever they keep for a variable.

def sgd(w, g, t, state, rate):
    return [a - rate * b for a, b in zip(w, g)]


def lion(w, g, t, state, rate, beta1, beta2, decay):
    mean = state.setdefault("mean", [0.0] * len(w))
    signs = [(c > 0) - (c < 0) for c in (beta1 * m + (1 - beta1) * b for m, b in zip(mean, g))]
    state["mean"] = [beta2 * m + (1 - beta2) * b for m, b in zip(mean, g)]
    return [a - rate * (s + decay * a) for a, s in zip(w, signs)]


def lamb(w, g, t, state, rate, beta1, beta2, epsilon, decay):
    mean = state.setdefault("mean", [0.0] * len(w))
    squares = state.setdefault("squares", [0.0] * len(w))
    mean = state["mean"] = [beta1 * m + (1 - beta1) * b for m, b in zip(mean, g)]
    squares = state["squares"] = [beta2 * v + (1 - beta2) * b * b for v, b in zip(squares, g)]
    direction = [m / (1 - beta1**t) / (math.sqrt(v / (1 - beta2**t)) + epsilon) + decay * a
                 for m, v, a in zip(mean, squares, w)]
    lengths = [math.sqrt(sum(x * x for x in values)) for values in (w, direction)]
    trust = lengths[0] / lengths[1] if lengths[0] > 0 and lengths[1] > 0 else 1
    return [a - rate * trust * d for a, d in zip(w, direction)]


def lookahead(w, g, t, state, inner, k, alpha):
    slow = state.setdefault("slow", list(w))
    fast = inner(w, g, t, state)
    if t % k:
        return fast
    state["slow"] = [a + alpha * (b - a) for a, b in zip(slow, fast)]
    return state["slow"]


class Rules(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        draw = random.Random(1)
        self.rows = [([round(draw.uniform(-2, 2), 3) for _ in range(INPUTS)], i % CLASSES)
                     for i in range(ROWS)]
        with open(self.folder / "data.csv", "w", newline="") as file:
            csv.writer(file).writerows([*inputs, label] for inputs, label in self.rows)

    def train(self, name, steps, resume=False, **more):
        """The weights after so many steps on all rows, and all float32 values of the checkpoint."""
        components = [
            {"file": "data.csv", "columns": [0, INPUTS], "shape": [INPUTS], "name": "image"},
            {"file": "data.csv", "columns": [INPUTS, 1], "shape": [], "dtype": "int64",
             "name": "label"}]
        manifest = {
            "broch": 1, "seed": 1,
            "model": {"use": "linear", "with": {"shape": [INPUTS], "classes": CLASSES}},
            "dataflow": {"use": "batch", "with": {"batch_size": ROWS, "dataflow": {
                "use": "arrays", "with": {"components": components}}}},
            "callbacks": ["model-saver"],
            "steps_per_epoch": 1, "max_epoch": steps, "log_dir": name, **more}
        (self.folder / "run.json").write_text(json.dumps(manifest))
        command = [BROCH, "train", "run.json"] + (["--resume"] if resume else [])
        result = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        newest = max((self.folder / name).glob("model-*.safetensors"),
                     key=lambda file: int(file.stem.split("-")[1]))
        values = read_safetensors(newest)
        matrix = next(v for k, v in values.items() if len(v) == INPUTS * CLASSES
                      and k.endswith("weight"))
        bias = next(v for k, v in values.items() if len(v) == CLASSES and k.endswith("bias"))
        table = [matrix[k * INPUTS:(k + 1) * INPUTS] for k in range(CLASSES)]
        return {"weight": table, "bias": bias}, values

    def start(self):
        """The weights before the first step: one whose length is 0 changes nothing."""
        return self.train("start", 1, optimizer={"use": "sgd", "with": {"learning_rate": 0}})[0]

    def check(self, optimizer, rule, process=lambda name, g: g, **more):
        """Compares the weights after some steps with those of a rule in Python."""
        weights = self.start()
        found, values = self.train("run", STEPS, optimizer=optimizer, **more)
        states = {name: {} for name in weights}
        for t in range(1, STEPS + 1):
            current = gradients(weights, self.rows)
            current["bias"] = current["bias"][0]
            new = {}
            for name, table in weights.items():
                g = elements(process(name, current[name]))
                flat = rule(elements(table), g, t, states[name])
                new[name] = [flat[k * INPUTS:(k + 1) * INPUTS] for k in range(CLASSES)] \
                    if name == "weight" else flat
            weights = new
        for name, table in weights.items():
            for a, b in zip(elements(found[name]), elements(table)):
                self.assertLess(abs(a - b), 2e-6 * max(1, abs(b)), name)
        return values

    def test_lion(self):
        self.check({"use": "lion", "with": {"learning_rate": 0.01, "weight_decay": 0.1}},
                   lambda *a: lion(*a, 0.01, 0.9, 0.99, 0.1))
        self.check({"use": "lion", "with": {"learning_rate": 0.02, "beta1": 0.5, "beta2": 0.7}},
                   lambda *a: lion(*a, 0.02, 0.5, 0.7, 0))

    def test_lamb(self):
        values = self.check({"use": "lamb", "with": {"learning_rate": 0.01, "weight_decay": 0.1}},
                            lambda *a: lamb(*a, 0.01, 0.9, 0.999, 1e-6, 0.1))
        self.assertEqual(sum(name.endswith("/mean_of_squares") for name in values), 2)
        self.check({"use": "lamb", "with": {"learning_rate": 0.1, "beta1": 0.5, "beta2": 0.7,
                                            "epsilon": 1e-3, "weight_decay": 0}},
                   lambda *a: lamb(*a, 0.1, 0.5, 0.7, 1e-3, 0))

    def test_lookahead(self):
        for k, alpha, rule, plain in [
                (2, 0.25, {"use": "sgd", "with": {"learning_rate": 0.5}}, lambda *a: sgd(*a, 0.5)),
                (4, 0.8, {"use": "lion", "with": {"learning_rate": 0.02}},
                 lambda *a: lion(*a, 0.02, 0.9, 0.99, 0)),
                (1, 1, {"use": "sgd", "with": {"learning_rate": 0.5}}, lambda *a: sgd(*a, 0.5))]:
            with self.subTest(k=k, alpha=alpha):
                values = self.check(
                    {"use": "lookahead", "with": {"optimizer": rule, "k": k, "alpha": alpha}},
                    lambda *a: lookahead(*a, plain, k, alpha))
                self.assertEqual(sum(name.endswith("/lookahead") for name in values), 2)

    def test_lookahead_goes_on_between_two_updates_of_the_slow_weights(self):
        rule = {"use": "lookahead", "with": {
            "k": 4, "optimizer": {"use": "momentum", "with": {"learning_rate": 0.5}}}}
        whole = self.train("whole", STEPS, optimizer=rule)
        self.train("parts", 3, optimizer=rule)
        self.assertEqual(self.train("parts", STEPS, optimizer=rule, resume=True), whole)

    def with_sgd(self, processor, process):
        return self.check({"use": "sgd", "with": {"learning_rate": 0.5}},
                          lambda *a: sgd(*a, 0.5), process, gradient_processors=[processor])

    def test_value_clip(self):
        def clip(_, gradient):
            return [max(-0.02, min(0.02, x)) for x in elements(gradient)]
        self.with_sgd({"use": "value-clip", "with": {"limit": 0.02}}, clip)

    def test_centralize_gradient(self):
        def centralize(name, gradient):
            if name == "bias":
                return gradient
            return [[x - sum(row) / len(row) for x in row] for row in gradient]
        self.with_sgd("centralize-gradient", centralize)

    def test_gradient_noise(self):
        """Its mean and deviation over many variables and steps, and that steps are counted."""
        options = {"eta": 4, "gamma": 3}
        drawn = []
        for seed in range(8):
            rule = {"use": "sgd", "with": {"learning_rate": 1e-3}}
            noisy, _ = self.train(f"noisy{seed}", 3, seed=seed, optimizer=rule,
                                  gradient_processors=[{"use": "gradient-noise", "with": options}])
            plain, _ = self.train(f"plain{seed}", 3, seed=seed, optimizer=rule)
            drawn += [(b - a) * 1e3 for name in noisy
                      for a, b in zip(elements(noisy[name]), elements(plain[name]))]
        mean = sum(drawn) / len(drawn)
        variance = sum(x * x for x in drawn) / len(drawn)
        expected = sum(4 / (1 + t)**3 for t in range(3))
        deviation = math.sqrt(expected / len(drawn))
        self.assertLess(abs(mean), 4 * deviation)
        self.assertLess(abs(variance / expected - 1), 4 * math.sqrt(2 / len(drawn)))


if __name__ == "__main__":
    BROCH = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
