#!/usr/bin/env python3
"""Makes the good files of tests/plugins_containers with the packages that define the formats.

  tests/reference/make_containers.py     needs requirements.txt

The values are formulas of the index, which the tests repeat.
"""
import io
import os
import pathlib
import tarfile

import h5py
import lmdb
import msgpack
import msgpack_numpy
import numpy as np
import webdataset

OUT = pathlib.Path(__file__).resolve().parents[1] / "plugins_containers" / "good"
COUNT = 5


def image(index):
    return (np.arange(2 * 3 * 1).reshape(2, 3, 1) + index).astype("uint8")


def make_tar(folder):
    with webdataset.TarWriter(str(folder / "webdataset.tar"), mtime=0) as sink:
        for index in range(COUNT):
            sink.write({
                "__key__": f"train/sample{index:04}",
                "jpg": bytes([0xFF, 0xD8, index]),
                "cls": index * 10,
                "seg.npy": np.arange(4, dtype="float32").reshape(2, 2) + index,
            })
    for name, kind in ("gnu", tarfile.GNU_FORMAT), ("pax", tarfile.PAX_FORMAT):
        with tarfile.open(folder / f"{name}.tar", "w", format=kind) as archive:
            add(archive, "folder", b"", tarfile.DIRTYPE)
            for index in range(2):
                add(archive, "folder/" + "x" * 150 + f"{index}.TXT", f"text {index}".encode())
            add(archive, "README", b"no extension")
            add(archive, "link.txt", b"", tarfile.SYMTYPE)


def add(archive, name, content, kind=tarfile.REGTYPE):
    info = tarfile.TarInfo(name)
    info.size, info.type = len(content), kind
    if kind == tarfile.SYMTYPE:
        info.linkname = "README"
    archive.addfile(info, io.BytesIO(content))


def make_tfrecord(folder):
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow as tf

    def feature(**kinds):
        return tf.train.Feature(**kinds)

    with tf.io.TFRecordWriter(str(folder / "tensorflow.tfrecord")) as sink:
        for index in range(COUNT):
            sink.write(tf.train.Example(features=tf.train.Features(feature={
                "image": feature(bytes_list=tf.train.BytesList(value=[image(index).tobytes()])),
                "label": feature(int64_list=tf.train.Int64List(value=[-index])),
                "box": feature(float_list=tf.train.FloatList(value=[0.5, index, 2, 3])),
            })).SerializeToString())


def make_lmdb(folder):
    """What LMDBSerializer.save of tensorpack 0.11 does."""
    path = folder / "tensorpack.lmdb"
    path.unlink(missing_ok=True)
    msgpack_numpy.patch()
    db = lmdb.open(str(path), subdir=False, map_size=1 << 41, lock=False)
    with db.begin(write=True) as txn:
        for index in range(COUNT):
            point = [image(index), index, np.float32(index / 2), f"text {index}".encode(), [1, 2]]
            txn.put(f"{index:08}".encode(), msgpack.dumps(point, use_bin_type=True))
        keys = [f"{index:08}".encode() for index in range(COUNT)]
        txn.put(b"__keys__", msgpack.dumps(keys, use_bin_type=True))
    db.sync()
    db.close()


def datum_class():
    """The message Datum of caffe.proto, without Caffe."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    kind = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="datum.proto", package="caffe")
    message = file.message_type.add(name="Datum")
    for number, (name, of) in enumerate((
            ("channels", kind.TYPE_INT32), ("height", kind.TYPE_INT32), ("width", kind.TYPE_INT32),
            ("data", kind.TYPE_BYTES), ("label", kind.TYPE_INT32), ("float_data", kind.TYPE_FLOAT),
            ("encoded", kind.TYPE_BOOL)), start=1):
        label = kind.LABEL_REPEATED if name == "float_data" else kind.LABEL_OPTIONAL
        message.field.add(name=name, number=number, type=of, label=label)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("caffe.Datum"))


def make_caffe(folder):
    """What convert_imageset of Caffe 1.0 writes: images as planes, keys with the file's name."""
    path = folder / "caffe.lmdb"
    path.unlink(missing_ok=True)
    db = lmdb.open(str(path), subdir=False, map_size=1 << 41, lock=False)
    datum = datum_class()
    with db.begin(write=True) as txn:
        for index in range(COUNT):
            planes = (np.arange(3 * 2 * 4).reshape(3, 2, 4) + index).astype("uint8")
            made = datum(channels=3, height=2, width=4, data=planes.tobytes(), label=-index)
            txn.put(f"{index:08}_cat.jpg".encode(), made.SerializeToString())
    db.close()


def make_msgpack(folder):
    msgpack_numpy.patch()
    messages = {
        "tensorpack": [np.arange(6, dtype="uint8").reshape(2, 3), 7, 0.5, True, b"ab", "é", [1, 2],
                       [1, 2.5], np.int16(3), np.zeros((2, 0), "int16")],
        "named": {"image": np.ones((1, 2), "float16"), "label": 300},
        "one": np.array([[1 + 2j]], "complex64"),
        "keys": [b"%08d" % index for index in range(3)],
    }
    for name, message in messages.items():
        (folder / f"{name}.msgpack").write_bytes(msgpack.dumps(message, use_bin_type=True))


def make_hdf5(folder):
    images = np.stack([image(index) for index in range(COUNT)])
    with h5py.File(folder / "h5py.h5", "w") as file:
        file["images"] = images
        file["values"] = np.arange(COUNT, dtype="float32")
        file["big_endian"] = (np.arange(COUNT) * 7).astype(">i4")
        file["flags"] = np.arange(COUNT) % 2 == 0
        file["half"] = np.arange(COUNT, dtype="float16") / 2
        file["scalar"] = 1.0
        file["unsigned"] = np.arange(COUNT, dtype="uint16")
        file["short"] = np.zeros(COUNT - 1)
        file.create_dataset("group/packed", data=images.astype("float64"), chunks=(2, 2, 3, 1),
                            compression="gzip")


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    for make in make_tar, make_lmdb, make_caffe, make_msgpack, make_hdf5, make_tfrecord:
        make(OUT)
