#!/usr/bin/env python3
"""Trains with "precision": "bf16", and compares the training with that in float32.

  precision_test.py BROCH DIGITS [--long]

DIGITS: the plugin of samples/digits. --long: two further models of the zoo, a transformer on the
text of the documentation and a residual network on the digits.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIGITS = ROOT / "samples" / "digits" / "digits.json"
LIMIT = 0.02  # of the loss
BROCH = PLUGIN = ""

GPT = {
    "broch": 1,
    "seed": 1,
    "model": {"use": "gpt", "with": {
        "vocabulary": 256, "context": 64, "layers": 2, "heads": 4, "width": 64, "dropout": 0}},
    "optimizer": {"use": "adamw", "with": {"learning_rate": 0.0005, "weight_decay": 0.1}},
    "dataflow": {"use": "batch", "with": {"batch_size": 16, "dataflow": {"use": "tokens", "with": {
        "file": "text.txt", "dtype": "uint8", "length": 64, "blocks": "random"}}}},
    "steps_per_epoch": 50,
    "max_epoch": 4,
}
RESNET = {
    "broch": 1,
    "seed": 1,
    "model": {"use": "resnet", "with": {
        "form": "cifar", "blocks": [1, 1, 1], "width": 16, "classes": 10, "image_size": 8,
        "channels": 1}},
    "optimizer": {"use": "momentum", "with": {"learning_rate": 0.01, "momentum": 0.9}},
    "dataflow": {"use": "batch", "with": {"batch_size": 32, "dataflow": {
        "use": "shuffle", "with": {"dataflow": {"use": "arrays", "with": {"components": [
            {"file": str(DIGITS.parent / "data" / "digits.csv"), "columns": [0, 64],
             "shape": [1, 8, 8], "scale": 0.0625, "name": "image"},
            {"file": str(DIGITS.parent / "data" / "digits.csv"), "columns": [64, 1], "shape": [],
             "dtype": "int64", "name": "label"}]}}}}}},
    "max_epoch": 4,
}
BLOCK = [{"layer": "conv2d", "channels": 32, "kernel": 3, "use_bias": False},
         {"layer": "batch_norm", "activation": "relu"}]
# So deep that rounding its variables to bfloat16 moves the gradients by more than a tenth.
DEEP = {
    "broch": 1,
    "seed": 1,
    "model": {"use": "sequential", "with": {
        "inputs": [{"name": "image", "shape": [-1, 1, 16, 16]},
                   {"name": "label", "dtype": "int64", "shape": [-1]}],
        "layers": 8 * BLOCK + [{"layer": "flatten"}, {"layer": "fully_connected", "units": 10}],
        "loss": "cross_entropy"}},
    "dataflow": {"use": "fake", "with": {"size": 12, "components": [
        {"name": "image", "shape": [16, 1, 16, 16]},
        {"name": "label", "shape": [16], "dtype": "int64", "high": 10}]}},
    "optimizer": {"use": "sgd", "with": {"learning_rate": 0.01}},
    "runtime": {"precision": "bf16"},
    "steps_per_epoch": 12,
    "max_epoch": 1,
}
# A network that gives 0, whatever its layers are, and targets that bfloat16 does not have.
TARGET = 257
REGRESSION = {
    "broch": 1,
    "model": {"use": "sequential", "with": {
        "inputs": [{"name": "x", "shape": [-1, 2]}, {"name": "y", "shape": [-1, 1]}],
        "loss": "mse"}},
    "dataflow": {"use": "batch", "with": {"batch_size": 4, "dataflow": {"use": "csv", "with": {
        "file": "table.csv", "components": [{"columns": ["a", "b"], "name": "x"},
                                            {"columns": ["y"], "name": "y"}]}}}},
    "optimizer": {"use": "sgd", "with": {"learning_rate": 0}},
    "runtime": {"precision": "bf16"},
    "max_epoch": 1,
}


def broch(*arguments, expect=0):
    """What the command writes."""
    result = subprocess.run([BROCH, *map(str, arguments)], capture_output=True, text=True)
    if result.returncode != expect:
        raise AssertionError(f"{arguments}: exit code {result.returncode}\n{result.stderr}")
    return result.stdout + result.stderr


class Training(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def train(self, name, manifest, *overrides):
        """The log folder of a training with this name, and what it printed."""
        log_dir = self.folder / name
        return log_dir, broch("train", manifest, f"log_dir={log_dir}", *overrides)

    def digits(self, name, *overrides):
        plugin = f'plugins=["{PLUGIN}"]'
        return self.train(name, DIGITS, plugin, "~callbacks[test]", *overrides)

    def written(self, manifest):
        path = self.folder / "manifest.json"
        path.write_text(json.dumps(manifest))
        return path

    def check_curves(self, float32, bf16):
        """The losses of all epochs: their sums, and each compared with the first."""
        curves = [[epoch["cost"] for epoch in json.loads((folder / "stats.json").read_text())]
                  for folder in (float32, bf16)]
        print(*(" ".join(f"{cost:.4f}" for cost in curve) for curve in curves), sep="\n")
        wide, narrow = curves
        self.assertEqual(len(wide), len(narrow))
        self.assertNotEqual(wide, narrow)
        self.assertLess(abs(sum(narrow) - sum(wide)), LIMIT * sum(wide))
        for a, b in zip(wide, narrow):
            self.assertLess(abs(a - b), LIMIT * wide[0])

    def check_equal(self, one, other):
        broch("ckpt", "diff", one, other)


class Digits(Training):
    def test_networks_that_are_sensitive_to_rounding_are_recorded(self):
        _, text = self.train("deep", self.written(DEEP))
        self.assertIn(" recorded, ", text)
        self.assertIn("sensitive to rounding", text)
        self.assertNotIn("stays eager", text)

    def regression(self, name, *layers):
        """The cost of a network with these layers and a last one that gives 0."""
        (self.folder / "table.csv").write_text("a,b,y\n" + f"1,2,{TARGET}\n" * 8)
        last = {"layer": "fully_connected", "units": 1, "weight": {"init": "constant", "scale": 0}}
        manifest = json.loads(json.dumps(REGRESSION))
        manifest["model"]["with"]["layers"] = [*layers, last]
        log_dir, _ = self.train(name, self.written(manifest))
        return json.loads((log_dir / "stats.json").read_text())[-1]["cost"]

    def test_targets_are_not_rounded(self):
        self.assertAlmostEqual(self.regression("rounded"), TARGET ** 2, delta=1)

    def test_inputs_are_joined_with_what_layers_make_of_them(self):
        inner = {"layer": "fully_connected", "units": 2}
        joining = {"skip": {"layer": "skip", "layers": [inner]},
                   "mean": {"layer": "parallel", "branches": [[inner], []], "join": "mean"},
                   "product": {"layer": "parallel", "branches": [[], [inner]], "join": "multiply"}}
        for name, layer in joining.items():
            with self.subTest(name):
                self.assertAlmostEqual(self.regression(name, layer), TARGET ** 2, delta=1)

    def test_the_loss_is_that_of_float32(self):
        epochs = "max_epoch=4"
        wide, _ = self.digits("wide", epochs)
        narrow, said = self.digits("narrow", epochs, "runtime.precision=bf16",
                                   "runtime.execution=recorded")
        self.assertIn("recorded", said)
        self.check_curves(wide, narrow)

    def test_variables_and_what_is_saved_are_float32(self):
        log_dir, _ = self.digits("saved", "max_epoch=1", "runtime.precision=bf16")
        self.assertNotIn("bfloat16", broch("ckpt", "inspect", log_dir).lower())

    def test_products_are_computed_in_bfloat16(self):
        dump = broch("program", "dump", DIGITS, f'plugins=["{PLUGIN}"]', "runtime.precision=bf16")
        recording = dump[:dump.index("executed:")].splitlines()
        for name in ("aten::convolution(", "aten::convolution_backward(", "aten::addmm("):
            calls = [line for line in recording if name in line]
            self.assertTrue(calls, name)
            for line in calls:
                self.assertIn("BFloat16", line.split(" = ")[0])
        flags = pathlib.Path("/proc/cpuinfo").read_text().split()
        if "avx512_bf16" in flags and not {"BROCH_ISA", "ATEN_CPU_CAPABILITY"} & set(os.environ):
            self.assertIn("gemm16", dump[dump.index("executed:"):])
        losses = [line for line in recording if "nll_loss" in line or "log_softmax" in line]
        self.assertTrue(losses)
        for line in losses:
            self.assertNotIn("BFloat16", line)

    def test_a_replay_has_the_bits_of_an_eager_step(self):
        eager, _ = self.digits("eager", "max_epoch=1", "runtime.precision=bf16",
                               "runtime.execution=eager")
        bitwise, said = self.digits("bitwise", "max_epoch=1", "runtime.precision=bf16",
                                    "runtime.level=bitwise", "runtime.execution=recorded")
        self.assertIn("recorded", said)
        self.check_equal(eager, bitwise)

    def test_a_resumed_training_has_the_bits_of_one_in_one_piece(self):
        whole, _ = self.digits("whole", "max_epoch=3", "runtime.precision=bf16")
        self.digits("cut", "max_epoch=1", "runtime.precision=bf16")
        cut, _ = self.digits("cut", "max_epoch=3", "runtime.precision=bf16", "resume=true")
        self.check_equal(whole, cut)

    def test_predictions_and_evaluations_have_the_precision_of_the_run(self):
        log_dir, _ = self.digits("predicted", "max_epoch=1", "runtime.precision=bf16")

        def scores(*overrides):
            output = self.folder / f"{len(overrides)}.csv"
            broch("predict", log_dir, *overrides, "--data", json.dumps(
                {"use": "fake", "with": {"size": 2, "components": [{"shape": [8, 1, 8, 8]}]}}),
                "--output", output)
            return [float(cell) for line in output.read_text().splitlines()[1:]
                    for cell in line.split(",")]
        narrow, wide = scores(), scores("runtime.precision=float32")
        self.assertEqual(len(narrow), 160)
        largest = max(map(abs, wide))
        difference = max(abs(a - b) for a, b in zip(narrow, wide)) / largest
        self.assertGreater(difference, 1e-5)  # more than float32 ever rounds
        self.assertLess(difference, LIMIT)
        costs = [float(re.search(r"cost\W+([\d.]+)", broch("eval", log_dir, *more))[1])
                 for more in ((), ("runtime.precision=float32",))]
        self.assertNotEqual(*costs)
        self.assertLess(abs(costs[0] - costs[1]), LIMIT * costs[1])

    def test_a_resume_in_another_precision_says_so(self):
        self.digits("other", "max_epoch=1")
        _, said = self.digits("other", "max_epoch=2", "runtime.precision=bf16", "resume=true")
        self.assertIn("run.precision float32, this run has bf16", said)

    def test_a_processor_without_such_products_is_told(self):
        flags = pathlib.Path("/proc/cpuinfo").read_text().split()
        _, said = self.digits("told", "max_epoch=1", "runtime.precision=bf16")
        self.assertEqual("bf16 will be slower than float32" in said,
                         not {"avx512_bf16", "amx_bf16"} & set(flags))

    def test_towers_and_trainers(self):
        for trainer in ("sync-replicated", "sync-parameter-server", "async"):
            with self.subTest(trainer):
                self.digits(trainer, "max_epoch=1", "runtime.precision=bf16", "nr_tower=2",
                            f"trainer={trainer}")


class Long(Training):
    def compare(self, manifest):
        path = self.written(manifest)
        wide, _ = self.train("wide", path)
        narrow, said = self.train("narrow", path, "runtime.precision=bf16",
                                  "runtime.execution=recorded")
        self.assertIn("recorded", said)
        self.check_curves(wide, narrow)

    def test_transformer(self):
        text = "".join(page.read_text() for page in sorted((ROOT / "docs").rglob("*.md")))
        (self.folder / "text.txt").write_text(text)
        self.compare(GPT)

    def test_residual_network(self):
        self.compare(RESNET)


if __name__ == "__main__":
    arguments = [word for word in sys.argv[1:] if word != "--long"]
    BROCH, PLUGIN = arguments[:2]
    suite = Long if "--long" in sys.argv else Digits
    unittest.main(argv=[sys.argv[0], *(arguments[2:] or [suite.__name__])], verbosity=2)
