"""What the files of an unpacked package need, as readelf says: needs_test.py FOLDER [torch]

Libraries are in the package, or among those that every machine has; versions of symbols are those
of RHEL 9 and manylinux_2_34. LibTorch comes with the package `torch`, but for its part for CUDA.
"""
import pathlib
import re
import subprocess
import sys

EVERYWHERE = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1",
              "libutil.so.1", "libresolv.so.2", "ld-linux-x86-64.so.2", "libstdc++.so.6",
              "libgcc_s.so.1"}
OF_CUDA = {"libtorch_cuda.so", "libc10_cuda.so", "libcudart.so.13"}
OF_A_CLUSTER = {"libmpi.so.40"}
OF_TORCH = {"libtorch_cpu.so", "libc10.so"}
MOST = {"GLIBC": (2, 34), "GLIBCXX": (3, 4, 29), "CXXABI": (1, 3, 13)}


def readelf(option, file):
    return subprocess.run(["readelf", "--wide", option, str(file)], text=True, check=True,
                          capture_output=True).stdout


def mistakes_of(file, names, outside):
    dynamic = readelf("--dynamic", file)
    for library in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
        if library not in EVERYWHERE | OF_A_CLUSTER | OF_CUDA | outside | names:
            yield f"{file}: needs {library}"
    for path in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic):
        if not all(folder.startswith("$ORIGIN") for folder in path.split(":")):
            yield f"{file}: looks in {path}"
    needed = readelf("--version-info", file).split("Version needs section")[-1]
    for kind, version in re.findall(r"Name: ([A-Z]+)_([0-9.]+) ", needed):
        if tuple(map(int, version.split("."))) > MOST.get(kind, (99,)):
            yield f"{file}: needs {kind}_{version}"


def main():
    folder, outside = pathlib.Path(sys.argv[1]), set() if "torch" in sys.argv else OF_TORCH
    files = []
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                if file.read(4) == b"\x7fELF":
                    files.append(path)
    names = {path.name for path in files}
    mistakes = [text for file in files for text in mistakes_of(file, names, outside)]
    print(f"{len(files)} files, {len(mistakes)} mistakes")
    sys.exit("\n".join(mistakes) if mistakes or len(files) < 100 else 0)


if __name__ == "__main__":
    main()
