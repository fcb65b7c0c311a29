"""table.py THREADS VARIANT FILE: batches of 1024 rows of a .csv file in random order, as float32.

VARIANT: pandas (read_csv, then PyTorch's DataLoader), pyarrow (read_csv, then a loop)."""

import sys

from serving import pytorch_loader, serve

BATCH = 1024


def by_pandas(threads, file):
    import numpy
    import pandas
    import torch

    table = pandas.read_csv(file, dtype=numpy.float32)
    rows = torch.from_numpy(numpy.array(table, order="C"))
    return pytorch_loader(torch.utils.data.TensorDataset(rows), BATCH, threads)


def by_pyarrow(threads, file):
    import numpy
    import pyarrow
    from pyarrow import csv

    pyarrow.set_cpu_count(threads)
    with open(file) as opened:
        names = opened.readline().strip().split(",")
    table = csv.read_csv(
        file,
        read_options=csv.ReadOptions(use_threads=threads > 1),
        convert_options=csv.ConvertOptions(column_types=dict.fromkeys(names, pyarrow.float32())),
    )
    rows = numpy.stack([column.to_numpy() for column in table.columns], axis=1)
    random = numpy.random.default_rng(1)
    while True:
        order = random.permutation(len(rows))
        for first in range(0, len(rows) - BATCH + 1, BATCH):
            yield rows[order[first : first + BATCH]]


if __name__ == "__main__":
    serve({"pandas": by_pandas, "pyarrow": by_pyarrow}[sys.argv[2]](int(sys.argv[1]), sys.argv[3]))
