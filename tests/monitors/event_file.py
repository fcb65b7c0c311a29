"""A plain reader of TensorBoard's event files, which knows nothing of Broch.

An event file is a list of records: length, checksum, bytes, checksum. The bytes are a message Event
of TensorFlow's event.proto; messages are lists of fields, each with its number.
"""
import struct
import zlib

FIXED = {1: "<d", 5: "<f"}  # of a field that is a number


def records(data):
    at = 0
    while at + 12 <= len(data):
        size = struct.unpack_from("<Q", data, at)[0]
        yield data[at + 12:at + 12 + size]
        at += 16 + size


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at


def fields(data):
    """The values of a message by the number of the field: lists of numbers and bytes."""
    found, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            value = struct.unpack_from(FIXED[kind], data, at)[0]
            at += struct.calcsize(FIXED[kind])
        found.setdefault(key >> 3, []).append(value)
    return found


def signed(number):
    return number - (1 << 64) if number >> 63 else number


def one(message, number, default=b""):
    return fields(message).get(number, [default])[0]


class Event:
    """step; message, a line of a log; graph, a GraphDef; values: the fields of each value by its
    tag."""

    def __init__(self, data):
        event = fields(data)
        self.step = event.get(2, [0])[0]
        self.message = one(event.get(6, [b""])[0], 2).decode()
        values = fields(event.get(5, [b""])[0]).get(1, [])
        self.graph = one(data, 4)
        self.values = {one(value, 1).decode(): fields(value) for value in values}


def events(folder):
    """All events of a log folder, file by file."""
    return [Event(record) for file in sorted(folder.glob("events.out.tfevents.*"))
            for record in records(file.read_bytes())]


def by_tag(folder):
    """(step, fields of the value) of each tag."""
    found = {}
    for event in events(folder):
        for tag, value in event.values.items():
            found.setdefault(tag, []).append((event.step, value))
    return found


class Tensor:
    """plugin, content: of the metadata. shape; elements: numbers, or texts."""

    def __init__(self, value):
        tensor = fields(value[8][0])
        plugin = one(value[9][0], 1)
        self.plugin, self.content = one(plugin, 1).decode(), one(plugin, 2)
        self.shape = [one(size, 1, 0) for size in fields(tensor[2][0]).get(2, [])]
        if tensor[1][0] == 7:
            self.elements = [text.decode() for text in tensor[8]]
        else:
            self.elements = [number for number, in struct.iter_unpack("<f", tensor[5][0])]


def gray_pixels(png):
    """Rows of a gray picture, whose rows have no filter."""
    width, height = struct.unpack(">II", png[16:24])
    at, data = 8, b""
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        data += png[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += 12 + size
    rows = zlib.decompress(data)
    return [list(rows[y * (width + 1) + 1:(y + 1) * (width + 1)]) for y in range(height)]
