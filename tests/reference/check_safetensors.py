"""Reads a checkpoint with Python's safetensors and recomputes its checksums without our code.

    check_safetensors.py model-300.safetensors

Prints one line per tensor: name, dtype, shape, CRC-32C of its bytes.
"""

import json
import struct
import sys

from safetensors import safe_open

CHUNK = 1 << 20
SUMS = "broch.crc32c"


def make_table():
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return table


TABLE = make_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def check_sums(raw):
    """The first sum is the header's, with its own digits as zeros; then one per MiB of data."""
    (length,) = struct.unpack("<Q", raw[:8])
    header, data = raw[: 8 + length], raw[8 + length :]
    sums = json.loads(header[8:])["__metadata__"][SUMS]
    field = f'"{SUMS}":"'.encode()
    at = header.index(field) + len(field)
    blanked = header[:at] + b"0" * 8 + header[at + 8 :]
    expected = f"{crc32c(blanked):08x}"
    for start in range(0, len(data), CHUNK):
        expected += f"{crc32c(data[start : start + CHUNK]):08x}"
    if sums != expected:
        sys.exit(f"checksums are {sums}, expected {expected}")
    if (8 + length) % 8 != 0:
        sys.exit("data do not start at a multiple of 8")


def main(path):
    with open(path, "rb") as file:
        raw = file.read()
    check_sums(raw)
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
        if metadata.get("broch.checkpoint") != "1":
            sys.exit("metadata do not say broch.checkpoint 1")
        for name in sorted(file.keys()):
            tensor = file.get_tensor(name)
            print(name, tensor.dtype, list(tensor.shape), f"{crc32c(tensor.tobytes()):08x}")


if __name__ == "__main__":
    main(sys.argv[1])
