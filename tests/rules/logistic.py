"""Trainings of logistic regression by the program, and the same by plain arithmetic.

The gradients of this network are a few lines of Python.
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


class Training(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        draw = random.Random(1)
        self.rows = [([round(draw.uniform(-2, 2), 3) for _ in range(INPUTS)], i % CLASSES)
                     for i in range(ROWS)]
        self.write_rows()

    def write_rows(self):
        with open(self.folder / "data.csv", "w", newline="") as file:
            csv.writer(file).writerows([*inputs, label] for inputs, label in self.rows)

    def run_program(self, name, steps, arguments=(), **more):
        """Trains for so many steps on all rows."""
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
        return subprocess.run([BROCH, "train", "run.json", *arguments], cwd=self.folder,
                              capture_output=True, text=True)

    def train(self, name, steps, arguments=(), **more):
        """The weights after so many steps on all rows, and all float32 values of the checkpoint."""
        result = self.run_program(name, steps, arguments, **more)
        self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
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
        """Trains, and compares the weights after some steps with those of a rule in Python."""
        found, values = self.train("run", STEPS, optimizer=optimizer, **more)
        self.compare(found, rule, process)
        return values

    def compare(self, found, rule, process=lambda name, g: g):
        """rule: a function, or one for each variable."""
        weights = self.start()
        rules = rule if isinstance(rule, dict) else {name: rule for name in weights}
        states = {name: {} for name in weights}
        for t in range(1, STEPS + 1):
            current = gradients(weights, self.rows)
            current["bias"] = current["bias"][0]
            new = {}
            for name, table in weights.items():
                g = elements(process(name, current[name]))
                flat = rules[name](elements(table), g, t, states[name])
                new[name] = [flat[k * INPUTS:(k + 1) * INPUTS] for k in range(CLASSES)] \
                    if name == "weight" else flat
            weights = new
        for name, table in weights.items():
            for a, b in zip(elements(found[name]), elements(table)):
                self.assertLess(abs(a - b), 2e-6 * max(1, abs(b)), name)


def main():
    """Called with the program as the first argument."""
    global BROCH
    BROCH = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main("__main__", verbosity=2)
