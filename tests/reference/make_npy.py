#!/usr/bin/env python3
"""Makes the good files of tests/plugins_arrays with numpy, and what numpy reads from them.

  tests/reference/make_npy.py        needs numpy 2; writes tests/plugins_arrays/good

Each line of expected.txt: file, options of the column, element type, shape, values. The options are
first:count or -, dtype or -, scale, header or -.
"""
import csv
import pathlib

import numpy as np

OUT = pathlib.Path(__file__).resolve().parents[1] / "plugins_arrays" / "good"
NAMES = {"b1": "bool", "u1": "uint8", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64",
         "f4": "float32", "f8": "float64"}
lines = []


def expect(file, array, columns="-", dtype="-", scale=1.0, header="-"):
    kind = array.dtype.str[1:]
    values = " ".join(repr(v.item()) if kind != "b1" else str(int(v)) for v in array.ravel())
    shape = ",".join(map(str, array.shape))
    lines.append("|".join([file, columns, dtype, repr(scale), header, NAMES[kind], shape, values]))


def cast(array, dtype, scale=1.0):
    if np.dtype(dtype).kind == "f":
        return (array.astype("f8") * scale).astype(dtype)
    return array.astype(dtype)


def save(name, array, version=None):
    with open(OUT / name, "wb") as stream:
        np.lib.format.write_array(stream, array, version=version)
    expect(name, array)


def arrays():
    random = np.random.default_rng(1)
    for kind in NAMES:
        if kind[0] == "f":
            array = random.standard_normal((3, 2)).astype(kind)
        elif kind == "b1":
            array = np.array([[True, False], [False, False], [True, True]])
        else:
            limits = np.iinfo(kind)
            array = np.array([[limits.min, limits.max], [0, 1], [7, 100]], dtype=kind)
        save(f"{kind}.npy", array)
    vector = np.arange(5, dtype="i8")
    save("vector.npy", vector)
    save("v2.npy", np.arange(12, dtype="f4").reshape(2, 3, 2) / 7, (2, 0))
    save("v3.npy", np.arange(4, dtype="u1").reshape(4, 1), (3, 0))
    save("one.npy", np.array([np.inf]))
    expect("vector.npy", cast(vector, "f4", 0.1), dtype="float32", scale=0.1)
    for kind in ["f4", "f8", "i8", "u1"]:
        expect("b1.npy", cast(np.load(OUT / "b1.npy"), kind), dtype=NAMES[kind])
        expect("v3.npy", cast(np.load(OUT / "v3.npy"), kind), dtype=NAMES[kind])
    for kind in ["f4", "f8"]:
        for source in ["i8", "f8", "u1"]:
            array = np.load(OUT / f"{source}.npy")
            expect(f"{source}.npy", cast(array, kind, 0.0625), dtype=NAMES[kind], scale=0.0625)


def tables():
    random = np.random.default_rng(2)
    numbers = random.standard_normal((4, 3)) * 10.0 ** random.integers(-9, 9, (4, 3))
    np.savetxt(OUT / "savetxt.csv", numbers, delimiter=",")
    read = np.loadtxt(OUT / "savetxt.csv", delimiter=",")
    expect("savetxt.csv", read.astype("f4"))
    expect("savetxt.csv", read, dtype="float64")
    expect("savetxt.csv", cast(read[:, 1:3], "f4", 1 / 16), "1:2", scale=1 / 16)

    whole = random.integers(-100, 100, (3, 4))
    with open(OUT / "quoted.csv", "w", newline="") as stream:  # CRLF, all cells in quotes
        writer = csv.writer(stream, quoting=csv.QUOTE_ALL)
        writer.writerow(["a", "b \"c\"", "d, e", "f\ng"])
        writer.writerows(whole.tolist())
    expect("quoted.csv", whole.astype("f4"), header="header")
    expect("quoted.csv", whole[:, 3:4].astype("i8"), "3:1", "int64", header="header")
    expect("quoted.csv", whole[:, 0:1].astype("i8"), "0:1", "int64", header="header")

    (OUT / "open_end.csv").write_bytes(b"\xef\xbb\xbf+1,2e0\r\n-.5,3.")
    expect("open_end.csv", np.array([[1, 2], [-.5, 3]], dtype="f4"))


OUT.mkdir(exist_ok=True)
arrays()
tables()
(OUT / "expected.txt").write_text("\n".join(lines) + "\n")
