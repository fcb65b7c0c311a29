#!/usr/bin/env python3
"""What scikit-learn makes of the same rows, with the same networks, folds and numbers of epochs.

    samples/tabular/scikit_learn.py FOLDER SEEDS      a Python with scikit-learn

Writes FOLDER/diabetes.csv, which samples/tabular/diabetes.json reads, and FOLDER/scikit_learn.json:
for each set of data and each seed the mean over five folds.
"""

import json
import pathlib
import sys
import time

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

SAMPLE = pathlib.Path(__file__).resolve().parent
FOLDS, EPOCHS = 5, 60
NETWORK = {"hidden_layer_sizes": (32, 32), "alpha": 0, "batch_size": 32, "learning_rate_init": 1e-3,
           "max_iter": EPOCHS, "n_iter_no_change": EPOCHS + 1}


def write_diabetes(folder):
    """The columns as they were measured, and what is to be estimated."""
    data = load_diabetes(scaled=False)
    rows = np.column_stack([data.data, data.target])
    np.savetxt(folder / "diabetes.csv", rows, fmt="%.10g", delimiter=",", comments="",
               header=",".join([*data.feature_names, "progression"]))


def read(file):
    rows = np.loadtxt(file, delimiter=",", skiprows=1)
    return rows[:, :-1], rows[:, -1]


def error_rate(network, inputs, targets):
    return np.mean(network.predict(inputs) != targets)


def rmse(network, inputs, targets):
    return np.sqrt(np.mean((network.predict(inputs) - targets) ** 2))


def errors_by_seed(kind, error, inputs, targets, seeds):
    fold_of_row = np.arange(len(targets)) % FOLDS
    means = []
    for seed in range(1, seeds + 1):
        errors = []
        for fold in range(FOLDS):
            train, test = fold_of_row != fold, fold_of_row == fold
            network = make_pipeline(StandardScaler(), kind(random_state=seed, **NETWORK))
            network.fit(inputs[train], targets[train])
            errors.append(error(network, inputs[test], targets[test]))
        means.append(float(np.mean(errors)))
    return means


def main():
    folder, seeds = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    write_diabetes(folder)
    inputs, benign = read(SAMPLE / "data/breast_cancer.csv")
    begin = time.process_time()
    results = {"breast_cancer": errors_by_seed(MLPClassifier, error_rate, inputs, benign, seeds)}
    inputs, progression = read(folder / "diabetes.csv")
    results["diabetes"] = errors_by_seed(MLPRegressor, rmse, inputs, progression / 100, seeds)
    results["processor_seconds"] = time.process_time() - begin
    (folder / "scikit_learn.json").write_text(json.dumps(results))


if __name__ == "__main__":
    import warnings
    warnings.simplefilter("ignore")  # all epochs are wanted, converged or not
    main()
