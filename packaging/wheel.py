"""The Python wheel: the package broch with a staged prefix inside. See PEP 427."""
import base64
import hashlib
import pathlib
import zipfile

import elf

TAG = "py3-none-manylinux_2_34_x86_64"
LONGEST_AGO = (1980, 1, 1, 0, 0, 0)  # one build is one sequence of bytes
METADATA = """Metadata-Version: 2.1
Name: broch
Version: {broch}
Summary: Trains neural networks from one JSON file, with plugins in C, C++ and Rust
License: Apache-2.0
Requires-Python: >=3.10
Requires-Dist: torch=={torch}.*
Requires-Dist: numpy
Requires-Dist: pandas
Description-Content-Type: text/markdown

"""
DESCRIPTION = """# Broch

`broch` trains neural networks. `share/doc/broch/install.md` in the folder that
`python -c 'import broch; print(broch.prefix)'` prints tells how to begin, from Python and on the
command line; `broch help` lists all commands.
"""
WHEEL = f"""Wheel-Version: 1.0
Generator: broch tools/package
Root-Is-Purelib: false
Tag: {TAG}
"""
ENTRY_POINTS = """[console_scripts]
broch = broch._program:main
"""


def write_dist_info(folder, versions):
    folder.mkdir()
    torch = ".".join(versions["libtorch"].split(".")[:2])
    (folder / "METADATA").write_text(
        METADATA.format(broch=versions["broch"], torch=torch) + DESCRIPTION)
    (folder / "WHEEL").write_text(WHEEL)
    (folder / "entry_points.txt").write_text(ENTRY_POINTS)


def record_of(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def pack(root, dist_info, file):
    """Zips a folder; links become copies, since a wheel has none."""
    record = f"{dist_info}/RECORD"
    lines = []
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        def add(name, data, mode):
            entry = zipfile.ZipInfo(name, LONGEST_AGO)
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)

        for path in sorted(root.rglob("*")):
            if path.is_file():
                name, data = path.relative_to(root).as_posix(), path.read_bytes()
                add(name, data, path.stat().st_mode & 0o777)
                lines.append(record_of(name, data))
        add(record, "".join([*lines, f"{record},,\n"]).encode(), 0o644)


def make(stage, versions, work, output):
    """Packs a staged prefix into a wheel in `output`, as part of the Python package in it; returns
    the wheel's file."""
    root = pathlib.Path(work) / "wheel"
    dist_info = f"broch-{versions['broch']}.dist-info"
    root.mkdir()
    package = stage / "share/broch/python/broch"
    if not package.exists():
        raise elf.Unfit("no share/broch/python/broch in the prefix, expected the Python package, "
                        "which cmake --install puts there")
    package.rename(root / "broch")
    stage.rename(root / "broch/prefix")
    write_dist_info(root / dist_info, versions)
    file = pathlib.Path(output) / f"broch-{versions['broch']}-{TAG}.whl"
    pack(root, dist_info, file)
    return file
