#!/usr/bin/env python3
"""Makes the good files of tests/plugins_files with numpy, pandas and scipy, and what they hold.

  tests/reference/make_data_files.py     needs numpy 2, pandas and scipy

Each line of arrays.txt: file, array or -, element type and shape of a row, bytes of all rows as
hexadecimal digits. Each line of columns.txt: column, type, bytes of all rows.
"""
import pathlib

import numpy as np
import pandas as pd
import scipy.io

OUT = pathlib.Path(__file__).resolve().parents[1] / "plugins_files" / "good"
lines = []


def expect(file, array, name="-"):
    wide = {"u2": "i4", "u4": "i8"}.get(array.dtype.str[1:], array.dtype.str[1:])
    rows = np.ascontiguousarray(array.astype("<" + wide if wide != "b1" else "?"))
    shape = ",".join(map(str, array.shape[1:])) or "-"
    lines.append("|".join([file, name, wide, shape, rows.tobytes().hex()]))


def save(file, array):
    np.save(OUT / file, array)
    expect(file, array)


def arrays():
    random = np.random.default_rng(1)
    numbers = random.normal(size=(5, 2, 3))
    save("f2.npy", numbers.astype("<f2"))
    save("f8_big.npy", numbers.astype(">f8"))
    save("i2_big.npy", (numbers * 100).astype(">i2"))
    save("c8_big.npy", (numbers + 1j).astype(">c8"))
    save("c16.npy", (numbers - 2j).astype("<c16"))
    save("u2.npy", random.integers(0, 65536, (4, 3)).astype("<u2"))
    save("u4_big.npy", random.integers(0, 2**32, (4, 3)).astype(">u4"))
    save("b1.npy", numbers > 0)
    save("fortran.npy", np.asfortranarray(numbers.astype("<f4")))
    save("fortran_4.npy", np.asfortranarray(random.integers(-9, 9, (3, 2, 4, 2)).astype(">i4")))
    save("vector.npy", np.arange(7, dtype="<i8"))
    pair = {"x": numbers.astype("<f4"), "y": np.arange(5)}
    np.savez(OUT / "stored.npz", **pair)
    np.savez_compressed(OUT / "packed.npz", **pair)
    for name, array in pair.items():
        expect("stored.npz", array, name)
        expect("packed.npz", array, name)
    (OUT / "arrays.txt").write_text("\n".join(lines) + "\n")


def columns():
    random = np.random.default_rng(2)
    n = 40
    table = pd.DataFrame({
        "price": random.normal(size=n) * 10.0 ** random.integers(-30, 30, n),
        "count": random.integers(-2**62, 2**62, n),
        "kind": random.choice(["apple", "a, b", 'say "hi"', "two\nlines", "Öl"], n),
        "gap": np.where(random.random(n) < 0.2, np.nan, random.normal(size=n)),
    })
    table.to_csv(OUT / "table.csv", index=False)
    table.to_csv(OUT / "semicolon.csv", index=False, sep=";", lineterminator="\r\n")
    read = pd.read_csv(OUT / "table.csv")
    kinds = sorted(read["kind"].unique(), key=lambda word: word.encode())
    found = {
        "price|float64": read["price"].to_numpy("<f8"),
        # Rounded once: repr(float) of a float32 is read back exactly.
        "price|float32": np.array([np.float32(str(v)) for v in read["price"]], "<f4"),
        "count|int64": read["count"].to_numpy("<i8"),
        "kind|category": read["kind"].map(kinds.index).to_numpy("<i8"),
        "gap|float64": read["gap"].fillna(-7).to_numpy("<f8"),
    }
    text = "".join(f"{name}|{array.tobytes().hex()}\n" for name, array in found.items())
    (OUT / "columns.txt").write_text(text)


def matrices():
    random = np.random.default_rng(3)
    held = {"X": random.integers(0, 256, (4, 5, 3, 6)).astype("u1"),
            "y": np.array([[1], [10], [3], [9], [10], [2]], "u1")}
    scipy.io.savemat(OUT / "digits.mat", held)
    scipy.io.savemat(OUT / "digits_packed.mat", {"note": "text", **held}, do_compression=True)
    # Picture by picture: rows, columns, channels.
    np.transpose(held["X"], (3, 0, 1, 2)).tofile(OUT / "digits.bytes")


OUT.mkdir(exist_ok=True)
arrays()
columns()
matrices()
