#!/usr/bin/env python3
"""Writes tests/builtins/inferred: samples, and the metrics that inferencers compute from them.

  tests/reference/record_inferred.py tests/builtins/inferred

Needs numpy and scipy. Each metric is its definition, in the slowest and plainest way, over all
samples at once. The definitions are those of scikit-learn 1.7 (user guide, 3.4, Metrics and
scoring), except top_k_error (tf.math.in_top_k), calibration (Guo et al. 2017, equations 3 and 5),
perplexity (exp of the mean negative log likelihood) and the Fréchet distance (Heusel et al. 2017,
equation 6).
"""
import json
import pathlib
import sys

import numpy as np
import scipy.linalg

TO = pathlib.Path(sys.argv[1])
SAMPLES = 203
CLASSES = 6  # the last one never occurs, and is never predicted
random = np.random.default_rng(28)


def multiples(scale, *shape, step=0.25):
    """Random multiples of a power of two, so that many are equal and floats hold them exactly."""
    return np.round(random.normal(0, scale, shape) / step) * step


label = random.integers(0, CLASSES - 1, SAMPLES)
logits = multiples(1, SAMPLES, CLASSES)
logits[np.arange(SAMPLES), label] += 1
logits[:, CLASSES - 1] = -8
yes = random.integers(0, 2, SAMPLES)
score = multiples(1, SAMPLES) + 0.5 * yes
said = (score > 0).astype(int)
target = multiples(2, SAMPLES, 2) + [100, -3]
predicted = target + multiples(0.5, SAMPLES, 2, step=1 / 64)
losses = np.abs(multiples(1, SAMPLES, 3, step=1 / 64))
mask = random.integers(0, 3, (SAMPLES, 3))
pixels = multiples(1, SAMPLES, 3, 2, 2)  # scores (N, C, H, W)
truth = random.integers(0, 3, (SAMPLES, 2, 2))
truth[random.random(truth.shape) < 0.2] = 255
expected = {}


def write_samples():
    columns = [logits, label, score, yes, said, predicted, target, losses, mask, pixels, truth]
    rows = np.concatenate([np.reshape(c, (SAMPLES, -1)) for c in columns], 1)
    lines = [",".join(f"{value:.10g}" for value in row) for row in rows]
    (TO / "samples.csv").write_text("\n".join(lines) + "\n")


def top_k_error(k):
    wrong = [np.sum(row > row[c]) >= k for row, c in zip(logits, label)]
    return np.mean(wrong)


def of_classes(name, found, true):
    """Precision, recall, F1 and Jaccard index: of each class that occurs, and their averages."""
    occurring = sorted(set(found) | set(true))
    right = {c: np.sum((found == c) & (true == c)) for c in occurring}
    said_so = {c: np.sum(found == c) for c in occurring}
    are = {c: np.sum(true == c) for c in occurring}

    def divided(a, b):
        return a / b if b else 0.0

    def metrics(tp, p, t):
        return {"precision": divided(tp, p), "recall": divided(tp, t),
                "f1": divided(2 * tp, p + t), "iou": divided(tp, p + t - tp)}

    each = {c: metrics(right[c], said_so[c], are[c]) for c in occurring}
    everything = metrics(*(sum(d.values()) for d in (right, said_so, are)))
    for metric in ("precision", "recall", "f1", "iou"):
        listed = [each[c][metric] for c in occurring]
        expected[f"{name}_{metric}_macro"] = np.mean(listed)
        expected[f"{name}_{metric}_micro"] = everything[metric]
        expected[f"{name}_{metric}_weighted"] = np.average(listed, weights=[are[c]
                                                                            for c in occurring])
        for c in occurring:
            expected[f"{name}_{metric}_class{c}"] = each[c][metric]


def roc_auc(scores, positive):
    """The share of pairs in which the positive sample has the larger score; half for equal ones."""
    pairs = [(p > n) + 0.5 * (p == n) for p in scores[positive] for n in scores[~positive]]
    return np.mean(pairs)


def average_precision(scores, positive):
    """The sum of (R_n - R_n-1) P_n over the thresholds."""
    total, recall = 0, 0
    for threshold in sorted(set(scores), reverse=True):
        found = scores >= threshold
        right = np.sum(found & positive)
        total += (right / np.sum(positive) - recall) * right / np.sum(found)
        recall = right / np.sum(positive)
    return total


def softmax(z):
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def calibration(confidence, right, bins, norm):
    gaps, shares = [], []
    for i in range(bins):
        inside = (confidence > i / bins) & (confidence <= (i + 1) / bins)
        if inside.any():
            gaps.append(abs(np.mean(right[inside]) - np.mean(confidence[inside])))
            shares.append(np.mean(inside))
    gaps, shares = np.array(gaps), np.array(shares)
    return {"l1": np.sum(shares * gaps), "l2": np.sqrt(np.sum(shares * gaps ** 2)),
            "max": gaps.max()}[norm]


def r2(column):
    error = np.sum((target[:, column] - predicted[:, column]) ** 2)
    return 1 - error / np.sum((target[:, column] - np.mean(target[:, column])) ** 2)


def frechet(a, b):
    """Of normal distributions with the means and covariances of two lists of samples."""
    of_a, of_b = np.cov(a.T), np.cov(b.T)
    apart = np.sum((a.mean(0) - b.mean(0)) ** 2)
    return apart + np.trace(of_a + of_b - 2 * scipy.linalg.sqrtm(of_a @ of_b).real)


write_samples()
tp = np.sum(said & yes)
expected["val_precision"] = tp / np.sum(said)
expected["val_recall"] = tp / np.sum(yes)
for k in 1, 2, 3:
    expected[f"validation_top{k}_error"] = top_k_error(k)
of_classes("scored", logits.argmax(1), label)
of_classes("binary", said, yes)
of_classes("pixels", pixels.argmax(1)[truth != 255], truth[truth != 255])
tokens = pixels.reshape(SAMPLES, 4, 3)  # the same numbers as scores (N, T, C)
of_classes("tokens", tokens.argmax(2)[truth.reshape(SAMPLES, 4) != 255], truth[truth != 255])

probabilities = softmax(logits)
occurring = [c for c in range(CLASSES) if c in label]
for name, area in ("roc_auc", roc_auc), ("average_precision", average_precision):
    expected[f"binary_{name}"] = area(score, yes == 1)
    expected[f"validation_{name}"] = np.mean([area(probabilities[:, c], label == c)
                                              for c in occurring])
confidence, right = probabilities.max(1), probabilities.argmax(1) == label
for norm in "l1", "l2", "max":
    expected[f"{norm}_calibration_error"] = calibration(confidence, right, 15, norm)
expected["binary_calibration_error"] = calibration(1 / (1 + np.exp(-score)), yes == 1, 10, "l1")

errors = predicted - target
expected["validation_mae"] = np.mean(np.abs(errors))
expected["validation_mse"] = np.mean(errors ** 2)
expected["validation_rmse"] = np.sqrt(np.mean(errors ** 2))
expected["validation_r2"] = (r2(0) + r2(1)) / 2
expected["validation_score"] = np.mean(score)
expected["validation_yes"] = np.mean(yes)
expected["masked_losses"] = np.average(losses, weights=mask)
expected["token_perplexity"] = np.exp(np.average(losses, weights=mask))
cross_entropy = -np.log(probabilities[np.arange(SAMPLES), label])
expected["label_perplexity"] = np.exp(np.mean(cross_entropy))
expected["not0_loss"] = np.mean(cross_entropy[label != 0])

# The columns 12 to 16, those from 20 on, and one that never changes.
features = np.concatenate([target, losses], 1)
generated = pixels.reshape(SAMPLES, -1)
expected["validation_frechet_distance"] = frechet(features, generated[:, :5])
expected["same_frechet_distance"] = 0
expected["singular_frechet_distance"] = frechet(logits, generated[:, :6])
(TO / "expected.json").write_text(json.dumps({k: float(v) for k, v in expected.items()}, indent=1,
                                             sort_keys=True) + "\n")
