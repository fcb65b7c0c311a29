"""predict.py: the same as predict.c in Python: python3 predict.py BUNDLE < NUMBERS"""
import sys

import broch_model
import numpy

try:
    model = broch_model.Model(sys.argv[1])
    numbers = numpy.array(sys.stdin.read().split(), "float32")
    scores = model(numbers.reshape(-1, *model.inputs[0].shape[1:]))
except (broch_model.Error, ValueError) as error:  # the latter are of NumPy: words, parts of rows
    sys.exit(f"{error}")
for row in scores.reshape(len(scores), -1):
    print(*(f"{value:.4f}" for value in row))
