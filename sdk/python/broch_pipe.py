"""Data points of a Python generator for Broch's dataflow `pipe`.

    python3 -m broch_pipe MODULE:NAME              (the command of the dataflow)
    python3 -m broch_pipe --show 3 MODULE:NAME     prints what the first points are

NAME is a function that returns an iterable, a class that is one, or an iterable object. Each item
is a data point: a tuple or list of components, a dict of them by name, or a single component. A
component is a NumPy array, a number, bytes, a list of numbers, or anything with the buffer
protocol. Functions, constructors and `__iter__` get those of these arguments that they name:

    round, seed    the number of the pass over the data, from 0, and a seed of the run
    rank, world    the number of this process of the training, and how many there are
    start          how many points of the round to leave out, since they were used before

A function or an `__iter__` with `start`, or an object with the method `seek(start)`, continues a
resumed run at once. Of all others, Broch reads the points from the start and drops them.

A script of its own can call `serve(generator)` instead. What it prints goes to the log.

Python 3.8 or newer; NumPy is not needed. The protocol is described in docs/data/pipe_protocol.md.
"""
import argparse
import array
import importlib
import inspect
import os
import select
import struct
import sys
import traceback

__all__ = ["serve"]

POINT, END, ERROR = 1, 2, 3
FRAME = struct.Struct("<4sHHIIQ")  # magic, version, kind, components, bytes of text, of the body
COMPONENT = struct.Struct("<BBHIQ")  # dtype, dimensions, bytes of name, of shared name, of data
DTYPES = {"float32": 1, "float64": 2, "float16": 3, "bfloat16": 4, "int8": 5, "int16": 6,
          "int32": 7, "int64": 8, "uint8": 9, "bool": 10, "complex64": 11, "complex128": 12}
# Of the buffer protocol: the kind of a type by its format; the size of an element tells the rest.
KINDS = {**dict.fromkeys("efd", "float"), **dict.fromkeys("bhilqn", "int"),
         **dict.fromkeys("BHILQN", "uint"), "?": "bool", "c": "uint",
         "Zf": "complex", "Zd": "complex"}
MOST_BUFFERS = 512  # of one writev


class Component:
    """The elements of a tensor: name of the dtype, shape, and memory."""

    def __init__(self, dtype, shape, data):
        if dtype not in DTYPES:
            raise TypeError("found elements of %s, expected one of %s; convert them, for example "
                            "with .astype('int32')" % (dtype, ", ".join(DTYPES)))
        self.dtype, self.shape, self.data = dtype, tuple(shape), data

    def __str__(self):
        return "%s%s" % (self.dtype, list(self.shape))


def flat_bytes(view):
    """The elements of a memoryview in C order."""
    try:
        return view.cast("B")
    except TypeError:  # gaps, no elements, or a format that cast does not know
        return view.tobytes()


def of_array(x):
    """A NumPy array or scalar."""
    if x.dtype.byteorder not in "=|" + ("<" if sys.byteorder == "little" else ">"):
        x = x.astype(x.dtype.newbyteorder("="))
    try:
        data = flat_bytes(memoryview(x))
    except (TypeError, ValueError, BufferError):
        data = x.tobytes()
    return Component(x.dtype.name, x.shape, data)


def of_list(x):
    """A list of numbers, or of such lists of equal lengths."""
    shape, level = [], x
    while isinstance(level, (list, tuple)):
        shape.append(len(level))
        level = level[0] if level else None
    flat = x
    for size in shape[1:]:
        if any(not isinstance(row, (list, tuple)) or len(row) != size for row in flat):
            raise TypeError("found lists of different lengths, expected a rectangular one")
        flat = [number for row in flat for number in row]
    types = {type(number) for number in flat}
    if types <= {bool} and flat:
        return Component("bool", shape, bytes(flat))
    if types <= {bool, int} and flat:
        return Component("int64", shape, memoryview(array.array("q", flat)).cast("B"))
    if types <= {bool, int, float}:
        # Not array.array, which makes infinity of 1e39; struct refuses it.
        return Component("float32", shape, struct.pack("<%df" % len(flat), *flat))
    raise TypeError("found a list of %s, expected numbers"
                    % ", ".join(sorted(t.__name__ for t in types)))


def of_buffer(view):
    kind = KINDS.get(view.format.lstrip("@=<|"))
    if kind is None:
        raise TypeError("found a buffer of format %r, expected numbers" % view.format)
    dtype = kind if kind == "bool" else "%s%d" % (kind, 8 * view.itemsize)
    return Component(dtype, view.shape, flat_bytes(view))


def component_of(x):
    if callable(getattr(x, "detach", None)):  # a tensor of PyTorch
        x = x.detach().cpu().numpy()
    if hasattr(x, "dtype") and hasattr(x, "tobytes"):  # first: float64 of NumPy is a float
        return of_array(x)
    if isinstance(x, bool):
        return Component("bool", (), struct.pack("<?", x))
    if isinstance(x, int):
        return Component("int64", (), struct.pack("<q", x))
    if isinstance(x, float):
        return Component("float32", (), struct.pack("<f", x))
    if isinstance(x, str):
        x = x.encode()
    if isinstance(x, (list, tuple)):
        return of_list(x)
    try:
        view = memoryview(x)
    except TypeError:
        raise TypeError("found %s, expected an array, a number, a list of numbers or bytes"
                        % type(x).__name__) from None
    return of_buffer(view)


def point_of(item):
    """The components of a data point, each with its name or ''."""
    if isinstance(item, dict):
        named = [(str(name), x) for name, x in item.items()]
    elif isinstance(item, (tuple, list)):
        named = [("", x) for x in item]
    else:
        named = [("", item)]
    found = []
    for i, (name, x) in enumerate(named):
        try:
            found.append((name, component_of(x)))
        except (TypeError, OverflowError, struct.error) as error:
            raise TypeError("component %s: %s" % (name or i, error)) from None
    return found


class SharedMemory:
    """Some files in shared memory, whose names begin with the prefix that Broch gives. The first
    byte of a file is 1 from when a frame names it until Broch has read it."""
    HEADER, FILES = 64, 16

    def __init__(self, prefix, output):
        self.prefix, self.files = prefix, []
        self.closed = select.poll()
        self.closed.register(output, 0)  # reports when nobody reads the output any more

    def free_file(self):
        while True:
            for file in self.files:
                if os.pread(file[0], 1, 0) == b"\0":
                    return file
            if len(self.files) < self.FILES:
                name = "%s%d" % (self.prefix, len(self.files))
                file = os.open("/dev/shm/" + name, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
                self.files.append((file, name.encode()))
                return self.files[-1]
            if self.closed.poll(1):
                raise BrokenPipeError

    def put(self, buffers):
        """Writes buffers to a file. Returns its name and the offset of each of them."""
        file, name = self.free_file()
        offsets, offset = [], self.HEADER
        for data in buffers:
            offsets.append(offset)
            rest = memoryview(data)
            while len(rest):
                n = os.pwrite(file, rest, offset)
                rest, offset = rest[n:], offset + n
        os.pwrite(file, b"\1", 0)
        return name, offsets


class Writer:
    """Writes frames to a file descriptor. Points of at least `shared` bytes go through shared
    memory."""

    def __init__(self, descriptor, shared=None):
        self.descriptor, self.shared = descriptor, shared
        self.prefix = os.environ.get("BROCH_PIPE_SHARED")
        self.memory = SharedMemory(self.prefix, descriptor) if self.prefix else None

    def write(self, buffers):
        buffers = [memoryview(b) for b in buffers if len(b)]
        while buffers:
            n = os.writev(self.descriptor, buffers[:MOST_BUFFERS])
            while buffers and n >= len(buffers[0]):
                n -= len(buffers.pop(0))
            if n:
                buffers[0] = buffers[0][n:]

    def frame(self, kind, text=b"", components=0, body=()):
        size = len(text) + sum(len(b) for b in body)
        self.write([FRAME.pack(b"BRPF", 1, kind, components, len(text), size), text, *body])

    def point(self, components, cursor):
        size = sum(len(x.data) for _, x in components)
        shared, offsets = b"", None
        if self.shared is not None and self.memory and size >= max(self.shared, 1):
            shared, offsets = self.memory.put([x.data for _, x in components])
        body = []
        for i, (name, x) in enumerate(components):
            name = name.encode()
            body.append(COMPONENT.pack(DTYPES[x.dtype], len(x.shape), len(name), len(shared),
                                       len(x.data)))
            body.append(struct.pack("<%dq" % len(x.shape), *x.shape) + name)
            body.append(struct.pack("<Q", offsets[i]) + shared if shared else x.data)
        self.frame(POINT, cursor, len(components), body)


def named_arguments(function, values):
    """Those of the values that the function has parameters for. `**kwargs` get no start: a function
    that does not name it would begin at the first point."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # of a built-in one
        return {}
    takes_all = any(p.kind == p.VAR_KEYWORD for p in parameters.values())
    return {name: value for name, value in values.items()
            if name in parameters or (takes_all and name != "start")}


class Source:
    """What is served. iterate(values) gives the points of a round; after that, seeks tells whether
    they begin at values['start']."""

    def __init__(self, target):
        self.target, self.made, self.seeks = target, None, False

    def iterate(self, values):
        if inspect.isclass(self.target):
            if self.made is None:
                self.made = self.target(**named_arguments(self.target, values))
            found = self.made
        elif callable(self.target):
            arguments = named_arguments(self.target, values)
            found = self.target(**arguments)
            self.seeks = "start" in arguments
            if self.seeks:
                return iter(found)
        else:
            found = self.target
        arguments = named_arguments(found.__iter__, values)
        self.seeks = "start" in arguments or hasattr(found, "seek")
        if "start" not in arguments and self.seeks:
            found.seek(values["start"])
        return found.__iter__(**arguments)


def rounds(stream):
    """What Broch asks for: a line for each round."""
    for line in stream:
        words = line.split()
        if len(words) != 7 or words[0] != "broch-pipe" or words[1] != "1":
            raise ValueError("found %r on the standard input, expected 'broch-pipe 1 ROUND SEED "
                             "RANK WORLD CURSOR'; use a Broch of this version" % line[:80])
        start = 0 if words[6] == "-" else int(bytes.fromhex(words[6]).decode())
        values = dict(zip(("round", "seed", "rank", "world"), map(int, words[2:6])))
        yield {**values, "start": start}


def serve_round(source, values, writer):
    index = values["start"]
    for item in source.iterate(values):
        index += 1
        writer.point(point_of(item), b"%d" % index if source.seeks else b"")
    writer.frame(END)


def serve(target, shared=None):
    """Gives the points of target to Broch until it wants no more. shared: points of at least so
    many bytes go through shared memory; None: none."""
    sys.stdout.flush()
    writer = Writer(os.dup(1), shared)
    os.dup2(2, 1)  # print must not get between the frames
    source = Source(target)
    try:
        for values in rounds(sys.stdin):
            serve_round(source, values, writer)
    except BrokenPipeError:  # Broch has ended, or wants no more of this round
        pass
    except Exception as error:
        traceback.print_exc()
        sys.stderr.flush()
        writer.frame(ERROR, ("%s: %s" % (type(error).__name__, error)).encode()[:60000])
        sys.exit(1)


def show(target, count):
    source = Source(target)
    values = dict(round=0, seed=0, rank=0, world=1, start=0)
    for i, item in enumerate(source.iterate(values)):
        if i == count:
            break
        print("point %d: %s" % (i, ", ".join(
            (name + " " if name else "") + str(x) for name, x in point_of(item))))


def main():
    parser = argparse.ArgumentParser(
        prog="python3 -m broch_pipe", description="Data points of a Python generator for Broch.")
    parser.add_argument("target", metavar="MODULE:NAME")
    parser.add_argument("--shared", type=int, metavar="BYTES",
                        help="points of at least so many bytes go through shared memory")
    parser.add_argument("--show", type=int, metavar="N",
                        help="print what the first N points are, and end")
    options = parser.parse_args()
    module, _, name = options.target.partition(":")
    if not name:
        parser.error("%r: expected MODULE:NAME" % options.target)
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        target = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if not (module + ".").startswith(error.name + "."):
            raise  # the module was found, but not what it imports
        sys.exit("broch_pipe: found no module %r, expected one in %s or in a folder of PYTHONPATH"
                 % (error.name, os.getcwd()))
    for part in name.split("."):
        if not hasattr(target, part):
            sys.exit("broch_pipe: %s: found no %r in %r" % (options.target, part, target))
        target = getattr(target, part)
    if options.show is not None:
        show(target, options.show)
    else:
        serve(target, options.shared)


if __name__ == "__main__":
    main()
