"""Reads a container that we wrote with the Python package that defines its format.

    check_containers.py tar|tfrecord|lmdb FILE

Prints a line per sample: each component with its name, dtype, shape and values.
"""

import os
import sys

import numpy


def read_tar(path):
    import webdataset
    for sample in webdataset.WebDataset(path, shardshuffle=False, empty_check=False).decode():
        yield {key: value for key, value in sample.items() if not key.startswith("__")}


def read_tfrecord(path):
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow as tf
    for record in tf.data.TFRecordDataset(path).as_numpy_iterator():
        features = tf.train.Example.FromString(record).features.feature
        yield {name: numpy.array(getattr(features[name], features[name].WhichOneof("kind")).value)
               for name in features}


def read_lmdb(path):
    """What LMDBSerializer.load of tensorpack 0.11 does."""
    import lmdb
    import msgpack
    import msgpack_numpy
    msgpack_numpy.patch()
    with lmdb.open(path, subdir=False, readonly=True, lock=False) as db, db.begin() as txn:
        for key in msgpack.loads(txn.get(b"__keys__"), raw=False):
            point = msgpack.loads(txn.get(key), raw=False)
            yield point if isinstance(point, dict) else dict(enumerate(point))


def text(value):
    array = numpy.asarray(value)
    return f"{array.dtype}{list(array.shape)} {' '.join(map(str, array.ravel()))}"


def main(kind, path):
    for sample in {"tar": read_tar, "tfrecord": read_tfrecord, "lmdb": read_lmdb}[kind](path):
        print("; ".join(f"{name} {text(value)}" for name, value in sorted(sample.items())))


if __name__ == "__main__":
    main(*sys.argv[1:])
