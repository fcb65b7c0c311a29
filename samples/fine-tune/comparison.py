"""What photographs.py and tones.py share: their command line, and the rows of their tables."""

import pathlib
import sys

import numpy as np


def rows(folder, names, authors, row):
    """Calls row(name, scores) for the authors' code and for each NAME.npy. Returns the scores of
    `before`, or None if it is none of the names."""
    row("authors' code", authors)
    outputs = {name: np.load(folder / f"{name}.npy") for name in names}
    for name, scores in outputs.items():
        row(name, scores)
    return outputs.get("before")


def run(make, compare):
    """make(folder) or compare(folder, names), as the command line says."""
    command, folder, *names = sys.argv[1:]
    folder = pathlib.Path(folder).resolve()
    make(folder) if command == "make" else compare(folder, names)
