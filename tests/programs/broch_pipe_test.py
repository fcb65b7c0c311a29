#!/usr/bin/env python3
"""Tests broch_pipe.py alone, with or without NumPy: broch_pipe_test.py FOLDER_OF_BROCH_PIPE"""
import array
import io
import os
import struct
import sys
import unittest

sys.path.insert(0, sys.argv.pop(1))
import broch_pipe  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None


def facts(x):
    made = broch_pipe.component_of(x)
    return made.dtype, made.shape, bytes(made.data)


def sent(target, lines, shared=None):
    """What target writes for these lines: kind, cursor or message, and names of each frame."""
    ends = os.pipe()
    writer = broch_pipe.Writer(ends[1], shared)
    source = broch_pipe.Source(target)
    for values in broch_pipe.rounds(io.StringIO(lines)):
        broch_pipe.serve_round(source, values, writer)
    os.close(ends[1])
    with open(ends[0], "rb") as file:
        data = file.read()
    frames = []
    while data:
        magic, version, kind, count, text, body = broch_pipe.FRAME.unpack_from(data)
        assert (magic, version) == (b"BRPF", 1)
        rest, data = data[24:24 + body], data[24 + body:]
        frames.append((kind, rest[:text], count, rest[text:]))
    return frames


def line(round=0, cursor="-", seed=1, rank=0, world=1):
    return "broch-pipe 1 %d %d %d %d %s\n" % (round, seed, rank, world, cursor)


class Components(unittest.TestCase):
    def test_numbers(self):
        self.assertEqual(facts(True), ("bool", (), b"\1"))
        self.assertEqual(facts(-2), ("int64", (), struct.pack("<q", -2)))
        self.assertEqual(facts(1.5), ("float32", (), struct.pack("<f", 1.5)))
        with self.assertRaisesRegex(TypeError, "component label: .*"):
            broch_pipe.point_of({"label": 1 << 80})

    def test_lists(self):
        self.assertEqual(facts([1, 2]), ("int64", (2,), struct.pack("<2q", 1, 2)))
        self.assertEqual(facts([[1, 2.5], [3, 4]]),
                         ("float32", (2, 2), struct.pack("<4f", 1, 2.5, 3, 4)))
        self.assertEqual(facts([True, False]), ("bool", (2,), b"\1\0"))
        self.assertEqual(facts([]), ("float32", (0,), b""))
        for wrong in ([[1], [2, 3]], [[1], 2], ["x"], [None]):
            with self.assertRaises(TypeError):
                facts(wrong)
        for large in 1e39, [1e39], [[1.5, -1e39]]:
            with self.assertRaisesRegex(TypeError, "component x: .* too large"):
                broch_pipe.point_of({"x": large})
        infinity = float("inf")
        self.assertEqual(facts([infinity, 1])[2], struct.pack("<2f", infinity, 1))

    def test_buffers(self):
        self.assertEqual(facts(b"ab"), ("uint8", (2,), b"ab"))
        self.assertEqual(facts("é"), ("uint8", (2,), "é".encode()))
        self.assertEqual(facts(array.array("h", [1, -1])), ("int16", (2,), b"\1\0\xff\xff"))
        self.assertEqual(facts(memoryview(bytes(6)).cast("B", (2, 3)))[1], (2, 3))
        self.assertEqual(facts(memoryview(bytearray(b"abcd"))[::2]), ("uint8", (2,), b"ac"))
        with self.assertRaisesRegex(TypeError, "uint32.*expected one of float32"):
            facts(array.array("I", [1]))
        for wrong in (None, object(), {1}):
            with self.assertRaisesRegex(TypeError, "expected an array"):
                facts(wrong)

    @unittest.skipUnless(numpy, "no NumPy here")
    def test_numpy(self):
        for name in broch_pipe.DTYPES:
            if name == "bfloat16":
                continue
            x = numpy.arange(6).astype(name).reshape(2, 3)
            self.assertEqual(facts(x), (name, (2, 3), x.tobytes()))
            self.assertEqual(facts(x.T), (name, (3, 2), x.T.tobytes()))
            self.assertEqual(facts(x[1, 2]), (name, (), x[1, 2].tobytes()))
            self.assertEqual(facts(x[:, :0]), (name, (2, 0), b""))
            self.assertEqual(facts(x.reshape(2, 3)[0, 0].reshape(()))[1], ())
        big = numpy.array([1, 2], ">i4")
        self.assertEqual(facts(big), ("int32", (2,), struct.pack("<2i", 1, 2)))
        with self.assertRaisesRegex(TypeError, "uint16"):
            facts(numpy.zeros(3, "uint16"))
        with self.assertRaisesRegex(TypeError, "found elements of"):
            facts(numpy.array(["a"]))


class Rounds(unittest.TestCase):
    def test_function(self):
        def points(round, rank):
            yield {"a": round, "b": [rank]}
        frames = sent(points, line(3, rank=2) + line(4))
        self.assertEqual([f[:3] for f in frames],
                         [(1, b"", 2), (2, b"", 0), (1, b"", 2), (2, b"", 0)])
        self.assertIn(struct.pack("<q", 3), frames[0][3])
        self.assertIn(struct.pack("<q", 4), frames[2][3])

    def test_seekable(self):
        def with_start(start):
            return (float(i) for i in range(start, 4))

        class Iterable:
            def __iter__(self, start=0):
                return iter(range(start, 4))

        class Seeks:
            first = 0

            def seek(self, start):
                self.first = start

            def __iter__(self):
                return iter(range(self.first, 4))
        for target in (with_start, Iterable, Iterable(), Seeks, Seeks()):
            frames = sent(target, line() + line(0, b"2".hex()))
            self.assertEqual([f[1] for f in frames],
                             [b"1", b"2", b"3", b"4", b"", b"3", b"4", b""])

    def test_keywords(self):
        self.assertEqual(broch_pipe.named_arguments(lambda **values: 0, {"round": 1, "start": 2}),
                         {"round": 1})
        frames = sent(lambda **values: range(3), line())
        self.assertEqual([f[1] for f in frames], [b""] * 4)  # it continues after no cursor
        frames = sent(lambda start, **values: range(start, 3), line(0, b"2".hex()))
        self.assertEqual([f[1] for f in frames], [b"3", b""])

    def test_iterables(self):
        frames = sent([1, (2, 3), {"x": 4}], line() + line(1))
        self.assertEqual([f[2] for f in frames], [1, 2, 1, 0] * 2)
        self.assertEqual(sent([], line()), [(2, b"", 0, b"")])

    def test_wrong_line(self):
        with self.assertRaisesRegex(ValueError, "use a Broch of this version"):
            sent([1], "broch-pipe 2 0 1 0 1 -\n")


if __name__ == "__main__":
    unittest.main()
