"""An ELF file of x86-64 Linux: the libraries and versions of symbols that it needs."""
import dataclasses
import pathlib
import re
import struct
import subprocess

DYNAMIC, DYNSYM, VERSYM, VERNEED = 6, 11, 0x6FFFFFFF, 0x6FFFFFFE
DT_NULL, DT_NEEDED, DT_RPATH, DT_RUNPATH = 0, 1, 15, 29
UNVERSIONED = 1  # the index of symbols without a version


class Unfit(Exception):
    """A file that cannot be part of a package."""


@dataclasses.dataclass(frozen=True)
class Need:
    """A version of a library that a file needs, and the symbols for which it needs it."""
    library: str
    version: str
    entry: int  # where the file says so
    symbols: tuple


def is_elf(path):
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def hash_of(name):
    """What the dynamic linker compares before it compares names."""
    value = 0
    for byte in name.encode():
        value = (value << 4) + byte
        high = value & 0xF0000000
        value = (value ^ high >> 24) & ~high & 0xFFFFFFFF
    return value


class File:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.bytes = bytearray(self.path.read_bytes())
        if self.bytes[:6] != b"\x7fELF\x02\x01":
            raise Unfit(f"{path}: not a 64-bit ELF file")
        start, = struct.unpack_from("<Q", self.bytes, 0x28)
        size, count = struct.unpack_from("<HH", self.bytes, 0x3A)
        self._sections = {}
        for at in range(start, start + size * count, size):
            _, kind, _, _, offset, length, link, info = struct.unpack_from(
                "<IIQQQQII", self.bytes, at)
            self._sections.setdefault(kind, (offset, length, link, info))
        dynamic = self._sections.get(DYNAMIC)
        if dynamic:
            self._strings, self._strings_size = struct.unpack_from(
                "<QQ", self.bytes, start + size * dynamic[2] + 24)

    def _text(self, offset):
        start = self._strings + offset
        return self.bytes[start:self.bytes.index(0, start)].decode()

    def _dynamic(self, *tags):
        if DYNAMIC not in self._sections:
            return []
        offset, length, _, _ = self._sections[DYNAMIC]
        found = []
        for at in range(offset, offset + length, 16):
            tag, value = struct.unpack_from("<qQ", self.bytes, at)
            if tag == DT_NULL:
                break
            if tag in tags:
                found.append(self._text(value))
        return found

    def libraries(self):
        return self._dynamic(DT_NEEDED)

    def search_path(self):
        return [folder for text in self._dynamic(DT_RPATH, DT_RUNPATH) if text
                for folder in text.split(":")]

    def _symbols(self):
        """(name, index of its version, where that index stands) of each undefined symbol."""
        if VERSYM not in self._sections:
            return
        offset, length, _, _ = self._sections[DYNSYM]
        versions = self._sections[VERSYM][0]
        for number in range(length // 24):
            name, _, _, section = struct.unpack_from("<IBBH", self.bytes, offset + 24 * number)
            if section == 0 and name:
                at = versions + 2 * number
                yield self._text(name), struct.unpack_from("<H", self.bytes, at)[0] & 0x7FFF, at

    def needs(self):
        """Every Need of the file."""
        if VERNEED not in self._sections:
            return []
        found, symbols = [], {}
        for name, index, _ in self._symbols():
            symbols.setdefault(index, []).append(name)
        offset, _, _, count = self._sections[VERNEED]
        for _ in range(count):
            _, entries, library, first, following = struct.unpack_from("<HHIII", self.bytes, offset)
            at = offset + first
            for _ in range(entries):
                _, _, index, name, next_entry = struct.unpack_from("<IHHII", self.bytes, at)
                found.append(Need(self._text(library), self._text(name), at,
                                  tuple(symbols.get(index, ()))))
                at += next_entry
            offset += following
        return found

    def lower(self, need, version):
        """Asks for another version of the same library in place of this one."""
        name = self.bytes.find(f"\0{version}\0".encode(), self._strings - 1,
                               self._strings + self._strings_size)
        if name < 0:
            raise Unfit(f"{self.path}: needs {need.version} of {need.library} for "
                        f"{', '.join(need.symbols)} and names no {version}, to which that could be "
                        "lowered")
        struct.pack_into("<I", self.bytes, need.entry, hash_of(version))
        struct.pack_into("<I", self.bytes, need.entry + 8, name + 1 - self._strings)

    def unversion(self, symbol):
        """Takes a symbol of any version, from any library."""
        for name, _, at in self._symbols():
            if name == symbol:
                struct.pack_into("<H", self.bytes, at, UNVERSIONED)

    def write(self):
        self.path.write_bytes(self.bytes)


def numbers_of(version):
    """("GLIBC", (2, 34)) of GLIBC_2.34; numbers are () where there are none."""
    match = re.fullmatch(r"([A-Z]+)_([0-9.]+)", version)
    return (match.group(1), tuple(map(int, match.group(2).split(".")))) if match else (version, ())


def patch(path, *arguments):
    subprocess.run(["patchelf", *arguments, str(path)], check=True)
