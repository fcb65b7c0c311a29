#!/usr/bin/env python3
"""Programs for the dataflow pipe, good and bad ones: children.py NAME [ARGUMENT]."""
import os
import signal
import struct
import subprocess
import sys
import time

import broch_pipe
from broch_pipe import FRAME, Component, Writer

out = Writer(1)
ARGUMENT = sys.argv[2] if len(sys.argv) > 2 else ""


def value(x, cursor=b""):
    out.point([("", Component("float32", (1,), struct.pack("<f", x)))], cursor)


def handshake():
    return sys.stdin.readline().split()


def component(dtype=1, rank=1, name=b"", shared=b"", size=4, shape=(1,), data=b"\0\0\x80?",
              offset=64):
    return (struct.pack("<BBHIQ", dtype, rank, len(name), len(shared), size) +
            struct.pack("<%dq" % len(shape), *shape) + name +
            (struct.pack("<Q", offset) + shared if shared else data))


def frame(body, magic=b"BRPF", version=1, kind=1, components=1, text=b"", size=None):
    out.write([FRAME.pack(magic, version, kind, components, len(text),
                          len(text) + len(body) if size is None else size), text + body])


def rounds():
    """Three points; the first is that of the round."""
    for line in sys.stdin:
        for x in (int(line.split()[2]), 8, 9):
            value(x)
        out.frame(broch_pipe.END)


def laps():
    """One point, which says how many rounds this process has given before."""
    for x, _ in enumerate(sys.stdin):
        value(x)
        out.frame(broch_pipe.END)


def three():
    handshake()
    for x in (1, 2, 3):
        value(x)
    out.frame(broch_pipe.END)


def scalars():
    """Four numbers; ARGUMENT: of how many bytes on they go through shared memory."""
    writer = Writer(1, int(ARGUMENT) if ARGUMENT else None)
    for x in (1, 2, 3, 4):
        writer.point(broch_pipe.point_of(float(x)), b"")
    writer.frame(broch_pipe.END)


def told():
    """What the program was told: round, rank, world; then its seed modulo 1000."""
    words = handshake()
    for x in (words[2], words[4], words[5], int(words[3]) % 1000):
        value(float(x))
    out.frame(broch_pipe.END)


def cursors():
    """Five points with cursors of its own, with which it continues."""
    cursor = handshake()[6]
    start = 0 if cursor == "-" else int(bytes.fromhex(cursor)[4:])
    print("starts at", start, file=sys.stderr)
    for i in range(start, 5):
        value(i + 1, b"\0\xff: %d" % (i + 1))
    out.frame(broch_pipe.END)


def garbage():
    value(1)
    os.write(1, b"Loading data ...\n" * 4)


def half():
    value(1)
    whole = FRAME.pack(b"BRPF", 1, 1, 1, 0, 1000)
    os.write(1, whole + bytes(int(ARGUMENT)) if ARGUMENT else whole[:11])
    print("no more memory", file=sys.stderr)
    sys.exit(3)


def killed():
    value(1)
    os.kill(os.getpid(), signal.SIGKILL)


def silent_exit():
    value(1)


def stall():
    value(1)
    print("waiting for the disk", file=sys.stderr, flush=True)
    time.sleep(1000)


def stubborn():
    """Ignores what can be ignored, and leaves a grandchild; their numbers go to a file."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    other = subprocess.Popen(["sh", "-c", "trap '' TERM; while :; do sleep 1000; done"])
    with open(ARGUMENT, "w") as file:
        file.write("%d %d\n" % (os.getpid(), other.pid))
    value(1)
    time.sleep(1000)


def report():
    value(1)
    out.frame(broch_pipe.ERROR, b"the camera is unplugged")


def more_after_end():
    three()
    value(4)


def fails_after_end():
    three()
    print("cannot remove the temporary folder", file=sys.stderr)
    out.descriptor = -1
    os.close(1)
    sys.exit(4)


def deaf():
    """Closes its standard input at once."""
    os.close(0)
    value(1)
    out.frame(broch_pipe.END)


def chatty():
    """More on the standard error than a pipe holds, before the first point."""
    for i in range(3000):
        print("line %d %s" % (i, "x" * 60), file=sys.stderr)
    value(1)
    out.frame(broch_pipe.END)


def big():
    """Points of 4 MiB, each of which has its number everywhere; ARGUMENT: of how many bytes on they
    go through shared memory."""
    writer = Writer(1, int(ARGUMENT) if ARGUMENT else None)
    for i in range(1, 10):
        writer.point([("", Component("float32", (1 << 20,), struct.pack("<f", i) * (1 << 20)))], b"")
    writer.frame(broch_pipe.END)


def leave_shared():
    """Fills shared memory that it never tells of."""
    with open("/dev/shm/" + out.prefix + "forgotten", "w") as file:
        file.write("x")
    with open(ARGUMENT, "w") as file:
        file.write(out.prefix)
    value(1)
    time.sleep(1000)


WRONG_FRAMES = {
    "version": lambda: frame(component(), version=2),
    "kind": lambda: frame(component(), kind=9),
    "no_components": lambda: frame(b"", components=0),
    "many_components": lambda: frame(component(), components=1 << 31),
    "body": lambda: frame(component(), size=1 << 62),
    "short_body": lambda: frame(component(), size=20),
    "long_body": lambda: frame(component() + b"more"),
    "dtype": lambda: frame(component(dtype=77)),
    "rank": lambda: frame(component(rank=200)),
    "shape": lambda: frame(component(rank=2, shape=(1 << 40, 1 << 40))),
    "negative": lambda: frame(component(shape=(-1,))),
    "bytes": lambda: frame(component(size=8, data=bytes(8))),
    "too_big": lambda: frame(component(size=4 << 40, shape=(1 << 40,)), size=1 << 20),
    "shared_elsewhere": lambda: frame(component(shared=b"someone-elses")),
    "shared_path": lambda: frame(component(shared=b"../tmp/x")),
    "shared_absent": lambda: frame(component(shared=out.prefix.encode() + b"absent")),
    "shared_header": lambda: (open("/dev/shm/" + out.prefix + "x", "w").close(), frame(
        component(shared=out.prefix.encode() + b"x", offset=60))),
    "end_text": lambda: frame(b"", kind=2, components=0, text=b"x"),
    "long_text": lambda: frame(b"", text=b"x" * 65001),
}


def wrong():
    WRONG_FRAMES[ARGUMENT]()
    time.sleep(1000)


def shared_short():
    """Shared memory with fewer bytes than its frame says."""
    name = out.prefix + "short"
    with open("/dev/shm/" + name, "w") as file:
        file.write(64 * " " + "xy")
    frame(component(shared=name.encode()))
    time.sleep(1000)


# For python3 -m broch_pipe children:NAME.
def generator(round, seed, rank, world):
    print("generator of round", round)
    for i in range(1, 6):
        yield [[float(i + 10 * round)]]


class Seekable:
    def __init__(self):
        self.start = 0

    def seek(self, start):
        print("seeks", start)
        self.start = start

    def __iter__(self):
        return ({"x": [float(i + 1)]} for i in range(self.start, 5))


def failing():
    yield [[1.0]]
    raise LookupError("no such image: 17.png")


def ragged():
    yield [[1.0]]
    yield [[[1.0], [2.0, 3.0]]]


if __name__ == "__main__":
    globals()[sys.argv[1]]()
