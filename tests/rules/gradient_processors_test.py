#!/usr/bin/env python3
"""Gradient processors, against plain arithmetic in Python.

  gradient_processors_test.py BROCH
"""
import json
import math
import re

import logistic
from logistic import CLASSES, elements, gradients
from plain import root_mean_square, sgd


class GradientProcessors(logistic.Training):
    def with_sgd(self, processor, process):
        return self.check({"use": "sgd", "with": {"learning_rate": 0.5}},
                          lambda *a: sgd(*a, 0.5), process, gradient_processors=[processor])

    def test_value_clip(self):
        def clip(_, gradient):
            return [max(-0.02, min(0.02, x)) for x in elements(gradient)]
        self.with_sgd({"use": "value-clip", "with": {"limit": 0.02}}, clip)

    def test_norm_clip(self):
        def clip(limit, average=False, names=("weight", "bias")):
            def process(name, gradient):
                values = elements(gradient)
                norm = math.sqrt(sum(x * x for x in values))
                limit_of_norm = limit * len(values) if average else limit
                factor = min(1, limit_of_norm / norm) if name in names else 1
                self.factors.add((name, factor < 1))
                return [x * factor for x in values]
            return process
        both = {(name, True) for name in ("weight", "bias")}
        for options, process, expected in [
                ({"norm": 0.05}, clip(0.05), both),
                ({"norm": 0.15}, clip(0.15), {("weight", True), ("bias", False)}),
                ({"norm": 0.02, "average": True}, clip(0.02, True),
                 {("weight", True), ("bias", True)}),
                ({"norm": 0.02, "regex": ".*bias"}, clip(0.02, names=["bias"]),
                 {("weight", False), ("bias", True)})]:
            with self.subTest(options):
                self.factors = set()
                self.with_sgd({"use": "norm-clip", "with": options}, process)
                self.assertLessEqual(expected, self.factors)

    def test_centralize_gradient(self):
        def centralize(name, gradient):
            if name == "bias":
                return gradient
            return [[x - sum(row) / len(row) for x in row] for row in gradient]
        self.with_sgd("centralize-gradient", centralize)

    def test_gradients_are_told(self):
        """Those of variables whose names match; each processor sees what the one before left."""
        weights = self.start()
        self.train("run", 1, optimizer={"use": "sgd", "with": {"learning_rate": 0.5}},
                   gradient_processors=[
                       {"use": "scale-gradient", "with": {"multipliers": [[".*bias", 0.5]]}},
                       {"use": "print-gradient", "with": {"regex": ".*bias"}},
                       {"use": "summary-gradient", "with": {"regex": ".*weight"}}])
        expected = gradients(weights, self.rows)
        bias = [x / 2 for x in expected["bias"][0]]
        log = (self.folder / "run/log.log").read_text()
        self.assertRegex(log, r"scale-gradient: 0\.5\d* for \S*bias \('\.\*bias'\)")
        told = re.findall(r"gradient of (\S+): shape \((\d+),\), mean (\S+), rms (\S+)", log)
        self.assertEqual([(name.endswith("bias"), shape) for name, shape, _, _ in told],
                         [(True, "3")], log)
        self.assertAlmostEqual(float(told[0][2]), sum(bias) / CLASSES, delta=1e-7)
        self.assertAlmostEqual(float(told[0][3]), root_mean_square(bias), delta=1e-6)
        record = json.loads((self.folder / "run/stats.json").read_text())[0]
        names = [name for name in record if name.endswith("/rms")]
        self.assertEqual(len(names), 1, record)
        self.assertAlmostEqual(record[names[0]], root_mean_square(elements(expected["weight"])),
                               delta=1e-6)
        self.assertTrue(names[0].endswith("weight/rms"))

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
    logistic.main()
