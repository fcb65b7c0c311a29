"""Makes a folder out of an installed prefix that runs on any machine which fits the baseline.

What the files need beyond the baseline lies in lib/broch/bundled, with the licenses as Debian
records them and the names of the source packages; LibTorch comes along where it is asked for.
"""
import json
import pathlib
import re
import shutil
import stat
import subprocess

import baseline
import elf

BUNDLED = pathlib.Path("lib/broch/bundled")
# LibTorch has its own place, and OpenMPI must be that of the cluster.
NEVER_BUNDLED = re.compile(r"lib(torch\w*|c10\w*|cudart|cupti|gomp|mpi)\.so")
LICENSES = pathlib.Path("share/licenses/broch")
SOURCES = LICENSES / "sources.txt"  # a line for each bundled library
# What Debian's records refer to in place of the text of a license.
COMMON = re.compile(r"/usr/share/common-licenses/([A-Za-z0-9]+(?:-[0-9]+(?:\.[0-9]+)*)?)")
TORCH_FILES = ("libtorch_cpu.so", "libc10.so", "libgomp.so.1")


def elf_files(folder):
    return sorted(path for path in folder.rglob("*") if elf.is_elf(path))


def system_libraries():
    """Where the dynamic linker of this machine finds each library."""
    printed = subprocess.run(["/sbin/ldconfig", "-p"], check=True, text=True, capture_output=True)
    return dict(reversed(re.findall(r"^\s(\S+) \(libc6,x86-64.*\) => (\S+)$", printed.stdout,
                                    re.MULTILINE)))


def wanted(file):
    return [name for name in file.libraries()
            if name not in baseline.SYSTEM and not NEVER_BUNDLED.match(name)]


def add_copyright(package, stage):
    record = pathlib.Path("/usr/share/doc", package, "copyright")
    if not record.exists():
        raise elf.Unfit(f"{record}: not on this machine, expected the package {package} of Debian "
                        "12 with its documentation")
    shutil.copyfile(record, stage / LICENSES / f"{package}.txt")


def source_of(package):
    """Name and version of the source package."""
    printed = subprocess.run(["dpkg-query", "-W", "-f", "${source:Package} ${source:Version}\\n",
                              package], check=True, text=True, capture_output=True).stdout
    return printed.splitlines()[0]


def add_license(library, stage):
    """Copies what Debian says of the package that a library comes from."""
    real = library.resolve()
    for path in (library, real, str(real).removeprefix("/usr")):
        owner = subprocess.run(["dpkg", "-S", str(path)], text=True, capture_output=True)
        if owner.returncode == 0:
            package = owner.stdout.split(":")[0]
            add_copyright(package, stage)
            with (stage / SOURCES).open("a") as sources:
                sources.write(f"{library.name}: {source_of(package)}\n")
            return
    raise elf.Unfit(f"{library}: belongs to no Debian package, so that its license is not known")


def add_license_texts(stage):
    """The texts to which the records refer; a name that Debian does not have is a slip there."""
    for record in (stage / LICENSES).glob("*.txt"):
        for name in set(COMMON.findall(record.read_text(errors="replace"))):
            text = pathlib.Path("/usr/share/common-licenses", name)
            if text.exists():
                target = stage / LICENSES / "common-licenses" / name
                target.parent.mkdir(exist_ok=True)
                shutil.copyfile(text, target)


def add_library(name, source, stage):
    if not source:
        raise elf.Unfit(f"{name}: not on this machine, expected the packages of tools/packages")
    target = stage / BUNDLED / name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    add_license(pathlib.Path(source), stage)
    for symbol, library in baseline.borrowed(elf.File(target)):
        elf.patch(target, "--add-needed", library)
    return target


def set_search_path(path, stage):
    """Puts the folder of bundled libraries behind the folders in which a file looks already.

    As DT_RPATH: LD_LIBRARY_PATH comes before DT_RUNPATH, and often names a folder with another
    version of the same libraries.
    """
    up = "../" * (len(path.relative_to(stage).parts) - 1)
    beside = path.parent == stage / BUNDLED
    folders = [] if beside else elf.File(path).search_path()
    folders.append("$ORIGIN" if beside else f"$ORIGIN/{up}{BUNDLED}")
    elf.patch(path, "--force-rpath", "--set-rpath", ":".join(folders))


def bundle(stage):
    """Copies the libraries that the files need, and theirs."""
    known, missing = system_libraries(), elf_files(stage)
    (stage / LICENSES).mkdir(parents=True, exist_ok=True)
    while missing:
        path = missing.pop()
        names = wanted(elf.File(path))
        missing += [add_library(name, known.get(name), stage) for name in names
                    if not (stage / BUNDLED / name).exists()]
        if names or path.parent == stage / BUNDLED:
            set_search_path(path, stage)


def torch_libraries(torch):
    """The files of LibTorch's wheel that computing on the CPU takes, relative to its root."""
    root = torch.parent
    folders = [torch / "lib", *sorted(root.glob("nvidia/*/lib"))]
    found, missing = {}, list(TORCH_FILES)
    while missing:
        name = missing.pop()
        path = next((folder / name for folder in folders if (folder / name).exists()), None)
        if path and path.relative_to(root) not in found:
            file = elf.File(path)
            found[path.relative_to(root)] = path
            missing += file.libraries()
    return found


def torch_version(torch):
    """What the folder says, as the program reads it: of a wheel, or of LibTorch's archive."""
    alone, of_wheel = torch / "build-version", torch / "version.py"
    if alone.exists():
        return alone.read_text().strip()
    found = of_wheel.exists() and re.search(r"^__version__ = '(.*?)'", of_wheel.read_text(), re.M)
    return found.group(1) if found else ""


def require_version(torch, expected):
    """LibTorch's minor version is part of what the program's files rely on."""
    found = torch_version(torch)
    if found.split(".")[:2] != expected.split(".")[:2]:
        raise elf.Unfit(f"{torch}: version '{found}', expected LibTorch {expected}, for which this "
                        "Broch was built; leave --torch out, or name what tools/setup prints")


def add_torch(torch, stage, version):
    torch = pathlib.Path(torch).resolve()
    if not (torch / "lib/libtorch_cpu.so").exists():
        torch = torch / "torch"
    found = torch_libraries(torch)
    if pathlib.Path("torch/lib/libtorch_cpu.so") not in found:
        raise elf.Unfit(f"{torch}: no lib/libtorch_cpu.so, expected what tools/setup prints")
    require_version(torch, version)
    for relative, source in found.items():
        target = stage / "lib/broch" / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    for name in "version.py", "build-version":
        if (torch / name).exists():
            shutil.copyfile(torch / name, stage / "lib/broch/torch" / name)
    if any(relative.name == "libgomp.so.1" for relative in found):
        add_copyright("libgomp1", stage)  # the wheel of torch has no license of GCC's library
    for licenses in torch.parent.glob("*.dist-info/licenses"):
        shutil.copytree(licenses, stage / LICENSES / licenses.parent.stem, dirs_exist_ok=True)


def check(stage):
    """Nothing is needed that is neither in the folder nor in the baseline; the highest versions."""
    highest, mistakes, elsewhere = {}, [], []
    for path in elf_files(stage):
        file = elf.File(path)
        name = path.relative_to(stage)
        mistakes += [f"{name}: needs {library}" for library in wanted(file)
                     if not (stage / BUNDLED / library).exists()]
        # An empty entry is the folder in which somebody happens to be.
        elsewhere += [f"{name}: looks for libraries in '{folder}'" for folder in file.search_path()
                      if not folder.startswith("$ORIGIN")]
        for need in file.needs():
            kind, numbers = elf.numbers_of(need.version)
            if kind in baseline.MOST:
                highest[kind] = max(highest.get(kind, ()), numbers)
            if baseline.is_newer(need.version):
                mistakes.append(f"{name}: needs {need.version} for {', '.join(need.symbols)}")
    if mistakes:
        raise elf.Unfit("\n".join([*mistakes, f"expected at most {baseline.NAMES}"]))
    if elsewhere:
        raise elf.Unfit("\n".join([*elsewhere, "expected folders that begin with $ORIGIN"]))
    return {kind: ".".join(map(str, numbers)) for kind, numbers in sorted(highest.items())}


def versions_of(stage):
    """What the program says of itself: broch, interface, libtorch."""
    printed = subprocess.run([stage / "bin/broch", "version", "--json"], check=True, text=True,
                             capture_output=True)
    return json.loads(printed.stdout)


def left_out(folder, names):
    """The LibTorch of a prefix, which may be a link, and what Python leaves beside its modules."""
    is_place = pathlib.Path(folder).parts[-2:] == ("lib", "broch")
    return {name for name in names
            if name == "__pycache__" or is_place and name in ("torch", "nvidia")}


def open_to_all(stage):
    """Whatever umask the prefix was made with, everybody can read a package and only its owner
    can write it."""
    for path in [stage, *stage.rglob("*")]:
        if not path.is_symlink():
            is_run = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
            path.chmod(0o755 if is_run else 0o644)


def require_installed(prefix):
    if (prefix / "CMakeCache.txt").exists():
        raise elf.Unfit(f"{prefix}: a build folder, expected what cmake --install makes; a build "
                        "folder is the argument of --build")
    if not (prefix / "bin/broch").exists():
        raise elf.Unfit(f"{prefix}: no bin/broch, expected what cmake --install makes")


def make(prefix, stage, torch=None):
    """Fills the folder `stage`; returns the highest versions that its files need."""
    prefix, stage = pathlib.Path(prefix), pathlib.Path(stage)
    require_installed(prefix)
    shutil.copytree(prefix, stage, symlinks=True, ignore=left_out)
    for path in elf_files(stage):
        subprocess.run(["strip", "--strip-unneeded", str(path)], check=True)
    bundle(stage)
    for path in elf_files(stage):
        baseline.lower(path)
    if torch:
        add_torch(torch, stage, versions_of(stage)["libtorch"])
    add_license_texts(stage)
    open_to_all(stage)
    return check(stage)
