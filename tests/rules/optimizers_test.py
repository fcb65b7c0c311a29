#!/usr/bin/env python3
"""Optimizers, against plain arithmetic in Python.

  optimizers_test.py BROCH
"""
import logistic
from logistic import INPUTS, STEPS
from plain import (adadelta, adafactor, adam, adamax, adamw, lamb, lion, lookahead, nadam, radam,
                   sgd)


class Optimizers(logistic.Training):
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

    def check_both(self, use, rule, options):
        """With the defaults, and with all options; `options`: from the program's name to ours."""
        values = self.check(use, rule)
        given = {name: value for name, (_, value) in options.items()}
        self.check({"use": use, "with": given},
                   lambda *a: rule(*a, **dict(options.values())))
        return values

    def test_adadelta(self):
        self.check_both("adadelta", adadelta, {
            "learning_rate": ("rate", 5), "rho": ("rho", 0.5), "eps": ("eps", 1e-4),
            "weight_decay": ("decay", 0.1)})

    def test_adamax(self):
        self.check_both("adamax", adamax, {
            "learning_rate": ("rate", 0.05), "beta1": ("beta1", 0.5), "beta2": ("beta2", 0.3),
            "eps": ("eps", 1e-2), "weight_decay": ("decay", 0.1)})

    def test_adam(self):
        """With a beta2 of 0.3, the means of squares fall in the course of the training."""
        options = {
            "learning_rate": ("rate", 0.05), "beta1": ("beta1", 0.8), "beta2": ("beta2", 0.3),
            "eps": ("eps", 1e-2), "weight_decay": ("decay", 0.1)}
        for use, rule in ("adam", adam), ("adamw", adamw):
            for amsgrad, slots in (False, 0), (True, 2):
                with self.subTest(use, amsgrad=amsgrad):
                    given = {name: value for name, (_, value) in options.items()}
                    values = self.check(
                        {"use": use, "with": {**given, "amsgrad": amsgrad}},
                        lambda *a: rule(*a, **dict(options.values()), amsgrad=amsgrad))
                    found = [name for name in values if name.endswith("/max_exp_avg_sq")]
                    self.assertEqual(len(found), slots)

    def test_amsgrad_resumes(self):
        use = {"use": "adam", "with": {"learning_rate": 0.5, "beta2": 0.3, "amsgrad": True}}
        _, whole = self.train("whole", 4, optimizer=use)
        self.train("parts", 2, optimizer=use)
        self.assertEqual(self.train("parts", 4, ["--resume"], optimizer=use)[1], whole)

    def test_nadam(self):
        options = {
            "learning_rate": ("rate", 0.05), "beta1": ("beta1", 0.8), "beta2": ("beta2", 0.7),
            "eps": ("eps", 1e-2), "momentum_decay": ("momentum_decay", 3),
            "weight_decay": ("decay", 0.1)}
        values = self.check_both("nadam", nadam, options)
        self.assertEqual([len(v) for k, v in values.items() if k.endswith("/mu_product")], [1, 1])
        self.check_both("nadam", nadam, {**options, "decoupled_weight_decay": ("decoupled", True)})

    def test_radam(self):
        """With a beta2 of 0.9, the steps are Adam's from the sixth on; with 0.5, never."""
        for beta2, decoupled in (0.9, False), (0.9, True), (0.5, False):
            self.check_both("radam", radam, {
                "learning_rate": ("rate", 0.05), "beta1": ("beta1", 0.8),
                "beta2": ("beta2", beta2), "eps": ("eps", 1e-2), "weight_decay": ("decay", 0.1),
                "decoupled_weight_decay": ("decoupled", decoupled)})

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
        self.assertEqual(self.train("parts", STEPS, ["--resume"], optimizer=rule), whole)

    def check_adafactor(self, options, **python):
        return self.check({"use": "adafactor", "with": options},
                          {"weight": lambda *a: adafactor(*a, INPUTS, **python),
                           "bias": lambda *a: adafactor(*a, 0, **python)})

    def test_adafactor(self):
        values = self.check_adafactor({})
        for name, size in ("weight/rows", 3), ("weight/columns", 5), ("bias/squares", 3):
            self.assertEqual([len(v) for k, v in values.items() if k.endswith(name)], [size])
        self.check_adafactor(
            {"learning_rate": 0.6, "beta2_decay": 0.5, "eps1": 1e-3, "eps2": 0.1, "clip": 0.5,
             "weight_decay": 0.1},
            rate=0.6, power=0.5, eps1=1e-3, eps2=0.1, clip=0.5, decay=0.1)

    def test_adafactor_without_gradient(self):
        """Inputs that are always 0 have gradients of 0; their weights stay."""
        self.rows = [([0.0] + inputs[1:], label) for inputs, label in self.rows]
        self.write_rows()
        self.check_adafactor({})

    def test_adafactor_resumes(self):
        _, whole = self.train("whole", 4, optimizer="adafactor")
        self.train("parts", 2, optimizer="adafactor")
        self.assertEqual(self.train("parts", 4, ["--resume"], optimizer="adafactor")[1], whole)


if __name__ == "__main__":
    logistic.main()
