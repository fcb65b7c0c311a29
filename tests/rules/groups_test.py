#!/usr/bin/env python3
"""The optimizer variable-groups, against plain arithmetic in Python.

  groups_test.py BROCH
"""
import math

import logistic
from logistic import STEPS, elements

RATE, DECAY = 0.05, 0.3
FEW_DIMS = {"max_dims": 1, "factors": {"weight_decay": 0}}


def adamw(w, g, t, state, rate=RATE, decay=DECAY):
    mean = state.get("mean", [0.0] * len(w))
    squares = state.get("squares", [0.0] * len(w))
    mean = state["mean"] = [0.9 * m + 0.1 * b for m, b in zip(mean, g)]
    squares = state["squares"] = [0.999 * v + 0.001 * b * b for v, b in zip(squares, g)]
    return [a - rate * decay * a -
            rate * (m / (1 - 0.9**t)) / (math.sqrt(v / (1 - 0.999**t)) + 1e-8)
            for a, m, v in zip(w, mean, squares)]


def no_decay(w, g, t, state):
    return adamw(w, g, t, state, decay=0)


def stay(w, g, t, state):
    return w


def lion(w, g, t, state, rate, decay):
    mean = state.setdefault("mean", [0.0] * len(w))
    signs = [math.copysign(1, 0.9 * m + 0.1 * b) for m, b in zip(mean, g)]
    state["mean"] = [0.99 * m + 0.01 * b for m, b in zip(mean, g)]
    return [a - rate * (s + decay * a) for a, s in zip(w, signs)]


def grouped(*groups, use="adamw", inner=None, **options):
    options = options or {"learning_rate": RATE, "weight_decay": DECAY}
    return {"use": "variable-groups",
            "with": {"groups": groups, "optimizer": inner or {"use": use, "with": options}}}


class Groups(logistic.Training):
    def test_no_decay_for_biases(self):
        for level in "fast", "bitwise":
            self.check(grouped(FEW_DIMS), {"weight": adamw, "bias": no_decay},
                       runtime={"level": level})

    def test_all_groups_that_match_count(self):
        self.check(grouped({"variables": ".*weight", "factors": {"learning_rate": 0.1}},
                           {"factors": {"learning_rate": 0.5}}, FEW_DIMS),
                   {"weight": lambda *a: adamw(*a, rate=RATE * 0.05),
                    "bias": lambda *a: adamw(*a, rate=RATE * 0.5, decay=0)})

    def test_groups_in_groups(self):
        inner = grouped({"variables": ".*bias", "factors": {"learning_rate": 0.1}})
        self.check(grouped(FEW_DIMS, inner=inner),
                   {"weight": adamw, "bias": lambda *a: adamw(*a, rate=RATE * 0.1, decay=0)})

    def test_rule_of_a_plugin(self):
        for level in "fast", "bitwise":
            self.check(grouped(FEW_DIMS, {"variables": ".*weight", "factors": {"learning_rate": 3}},
                               use="lion", learning_rate=0.01, weight_decay=DECAY),
                       {"weight": lambda *a: lion(*a, 0.03, DECAY),
                        "bias": lambda *a: lion(*a, 0.01, 0)},
                       runtime={"level": level})

    def test_summed_gradients(self):
        """Two runs for each update; groups may stand on either side of accum-grad."""
        def once_in_two(rule):
            def step(w, g, t, state):
                total = [a + b for a, b in zip(state.get("sum", [0.0] * len(g)), g)]
                state["sum"] = total if t % 2 else [0.0] * len(g)
                return w if t % 2 else rule(w, total, t // 2, state)
            return step
        rule = {"use": "adamw", "with": {"learning_rate": RATE, "weight_decay": DECAY}}
        expected = {"weight": once_in_two(adamw), "bias": once_in_two(no_decay)}
        two = {"use": "accum-grad", "with": {"niter": 2, "optimizer": rule}}
        self.check(grouped(FEW_DIMS, inner=two), expected)
        two["with"]["optimizer"] = grouped(FEW_DIMS)
        self.check(two, expected)

    def test_every_trainer(self):
        """The towers see the same rows, so that their mean is the gradient of one tower."""
        two = {"devices": ["cpu:0", "cpu:1"]}
        for trainer, arguments in (
                ({"use": "queue-input"}, []),
                ({"use": "sync-parameter-server", "with": two}, []),
                ({"use": "sync-replicated", "with": two}, []),
                ({"use": "allreduce"}, ["--ranks", "2"]),
                ({"use": "distributed-replicated", "with": two}, ["--ranks", "2", "--ps", "1"])):
            with self.subTest(trainer["use"]):
                found, _ = self.train(trainer["use"], STEPS, arguments, trainer=trainer,
                                      optimizer=grouped(FEW_DIMS))
                self.compare(found, {"weight": adamw, "bias": no_decay})

    def test_frozen(self):
        frozen = {"variables": ".*bias", "frozen": True}
        for trainer in "simple", "sync-replicated":
            values = self.check(grouped(frozen), {"weight": adamw, "bias": stay}, trainer=trainer)
            self.assertFalse(any("bias/exp_avg" in name for name in values))
        log = (self.folder / "run/log.log").read_text()
        self.assertRegex(log, r"name +shape +#elements +update\n")
        self.assertRegex(log, r"bias +\[3\] +3 +frozen\n")

    def test_frozen_has_no_gradient(self):
        """The norm of the gradients that are clipped is that of the weights alone."""
        def clip(name, gradient):
            length = math.sqrt(sum(x * x for x in elements(gradient)))
            return [x * min(1, 0.1 / length) for x in elements(gradient)]
        self.check(grouped({"variables": ".*bias", "frozen": True}, use="sgd", learning_rate=1),
                   {"weight": lambda w, g, *_: [a - b for a, b in zip(w, g)], "bias": stay}, clip,
                   gradient_processors=[{"use": "global-norm-clip", "with": {"global_norm": 0.1}}])

    def test_schedule(self):
        """A factor goes with the value that a schedule sets."""
        steps = {"use": "schedule", "with": {"param": "learning_rate", "phases": [
            {"shape": "multi_step", "from": RATE, "points": [2, 4], "factor": 0.1}]}}

        def rate(t):
            return RATE * 0.1 ** ((t > 2) + (t > 4))
        self.check(grouped({"variables": ".*bias", "factors": {"learning_rate": 0.5}}),
                   {"weight": lambda w, g, t, s: adamw(w, g, t, s, rate=rate(t)),
                    "bias": lambda w, g, t, s: adamw(w, g, t, s, rate=rate(t) / 2)},
                   callbacks=["model-saver", steps])

    def test_resume(self):
        optimizer = grouped(FEW_DIMS, {"variables": ".*weight", "factors": {"beta1": 0.5}})
        _, whole = self.train("whole", STEPS, optimizer=optimizer)
        self.train("parts", 2, optimizer=optimizer)
        _, parts = self.train("parts", STEPS, ["--resume"], optimizer=optimizer)
        self.assertEqual(whole, parts)

    def test_told(self):
        self.train("run", 1, optimizer=grouped(FEW_DIMS, {"factors": {"learning_rate": 0.5}}))
        log = (self.folder / "run/log.log").read_text()
        self.assertRegex(log, r"bias +\[3\] +3 +learning_rate x 0.5, weight_decay x 0\n")
        self.assertRegex(log, r"weight +\[3, 5\] +15 +learning_rate x 0.5\n")

    def test_mistakes(self):
        """(groups, exit code, what the message says)"""
        for groups, code, words in (
                ([{"variables": "conv.*", "frozen": True}], 1,
                 ["/optimizer/with/groups/0", "conv.*", "takes no variable", "weight' (3, 5)"]),
                ([FEW_DIMS, {"factors": {"weigth_decay": 0}}], 3,
                 ["/optimizer/with/groups/1/factors", "did you mean 'weight_decay'?"]),
                ([{"factors": {"learning_rate": -1}}], 3, ["-1"]),
                ([{"variables": "a"}], 3, ["either factors or"]),
                ([{"variables": "(", "frozen": True}], 3, ["'('", "regular expression"]),
                ([{"frozen": True}], 1, ["at least one that the optimizer does not freeze"])):
            result = self.run_program("run", 1, optimizer=grouped(*groups))
            for word in words:
                self.assertIn(word, result.stderr)
            self.assertEqual(result.returncode, code, result.stderr)


if __name__ == "__main__":
    logistic.main()
