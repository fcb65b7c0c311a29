#!/usr/bin/env python3
"""Executes the code blocks of pages of the documentation, each page from top to bottom.

  execute_page.py --prefix PREFIX --build BUILD --samples SAMPLES --work WORK PAGE...

PREFIX is an installed Broch, BUILD a build folder, SAMPLES the folder of samples. The blocks of a
page run in a new folder below WORK, which holds a copy of samples/ and a link build/release, so
that paths are those that a reader at the root of the tree sees. `broch` is on the PATH. Files that
a reader gets from elsewhere are made by before/PAGE.py, where there is one, such as
before/docs-models-zoo.py. What follows ``` says what is done with a block:

  sh             runs with bash -eu and must end with 0
  sh exit=N      the same, must end with N
  sh python      runs only if BROCH_MODELS_PYTHON names a Python with PyTorch, which is then on the
                 PATH as python3
  sh python=FILE the same; otherwise FILE, which the block makes, comes from stand_ins/
  json           written to the file that its first line names (// NAME.json) and checked with
                 `broch check`; `// NAME.json, not checked` is only written
  json fragment  members of a manifest, laid over samples/digits/digits.json and checked
  c, cpp         written to the file that its first line names, compiled to build/NAME.so
  rust           the same; only written where there is no rustc
  cmake, meson, toml, python   written to the file that its first line names
  text           not executed: output, pictures, synopses

Any other block, and a block to be written that names no file, is an error.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

# Lines that install packages or take minutes; the continuous integration runs them by themselves.
ELSEWHERE = {"samples/digits/run", "tests/run", "tests/run --full"}
WRITTEN = {"cmake", "meson", "toml", "python"}
COMPILERS = {"c": ["cc", "-std=c11"], "cpp": ["c++", "-std=c++17"]}
FILE_NAME = re.compile(r"(?://|#)\s*([A-Za-z0-9_./-]*\w\.?\w+)\b(.*)")
MODELS_PYTHON = os.environ.get("BROCH_MODELS_PYTHON")  # made by tools/models-python
STAND_INS = pathlib.Path(__file__).resolve().parent / "stand_ins"
# Seconds per block, far above what one takes; the models that Python makes are larger.
LIMIT = 1200 if MODELS_PYTHON else 120


class Failure(Exception):
    pass


class Block:
    def __init__(self, kind, line, text):
        self.kind, self.line, self.text = kind, line, text

    def file_name(self):
        """Name and remark of the first line: `// NAME, REMARK` or `// NAME: REMARK`."""
        match = FILE_NAME.match(self.text)
        if not match:
            raise Failure("the first line names no file, expected a comment such as // name.cpp")
        return match.group(1), match.group(2)


def blocks_of(text):
    found, kind, start, lines = [], None, 0, []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            if kind is None:
                kind, start, lines = line[3:].strip(), number, []
            else:
                found.append(Block(kind, start, "\n".join(lines) + "\n"))
                kind = None
        elif kind is not None:
            lines.append(line)
    if kind is not None:
        raise Failure(f"the block of line {start} has no end")
    return found


class Page:
    def __init__(self, path, options):
        self.path, self.prefix = path, options.prefix.resolve()
        name = "-".join(path.with_suffix("").parts[-3:])
        self.work = options.work.resolve() / name
        self.before = pathlib.Path(__file__).resolve().parent / "before" / f"{name}.py"
        shutil.rmtree(self.work, ignore_errors=True)
        (self.work / "build").mkdir(parents=True)
        shutil.copytree(options.samples, self.work / "samples")
        (self.work / "build/release").symlink_to(options.build.resolve())
        self.environment = {
            **os.environ,
            "PATH": f"{self.prefix}/bin:" + os.environ["PATH"],
            "BROCH_PREFIX": str(self.prefix),
            "CMAKE_PREFIX_PATH": str(self.prefix),
            "PKG_CONFIG_PATH": f"{self.prefix}/lib/pkgconfig",
        }
        self.sdk_flags = subprocess.run(
            ["pkg-config", "--cflags", "--libs", "broch-sdk"], env=self.environment, text=True,
            check=True, stdout=subprocess.PIPE).stdout.split()

    def run(self, command, expected=0):
        try:
            done = subprocess.run(command, cwd=self.work, env=self.environment, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=LIMIT)
        except subprocess.TimeoutExpired as late:
            raise Failure(f"not ended after {LIMIT} s\n{late.output or ''}") from None
        if done.returncode != expected:
            raise Failure(f"exit code {done.returncode}, expected {expected}\n{done.stdout}")

    def write(self, block):
        name, remark = block.file_name()
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text)
        return name, remark

    def python(self, block, made):
        if MODELS_PYTHON:
            folder = pathlib.Path(MODELS_PYTHON).parent
            self.run(["bash", "-eu", "-c", f'PATH="{folder}:$PATH"\n{block.text}'])
        elif made:
            if not (STAND_INS / made).exists():
                raise Failure(f"{STAND_INS} has no {made}")
            shutil.copyfile(STAND_INS / made, self.work / made)

    def shell(self, block, expected):
        lines = [line for line in block.text.splitlines() if line.strip() not in ELSEWHERE]
        if any(line.strip() for line in lines):
            self.run(["bash", "-eu", "-c", "\n".join(lines)], expected)

    def compile(self, block):
        name, _ = self.write(block)
        flags = ["-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
        if block.kind == "cpp":
            flags.append("-fno-gnu-unique")
        target = f"build/{pathlib.Path(name).stem}.so"
        self.run([*COMPILERS[block.kind], *flags, name, "-o", target, *self.sdk_flags])

    def compile_rust(self, block):
        name, _ = self.write(block)
        if not shutil.which("rustc"):
            return
        rustc, crate = ["rustc", "--edition=2021", "-Dwarnings"], self.work / "build/libbroch.rlib"
        if not crate.exists():
            self.run([*rustc, "--crate-name=broch", "--crate-type=rlib", "-o", str(crate),
                      str(self.prefix / "share/broch/rust/src/lib.rs")])
        self.run([*rustc, "--crate-type=cdylib", f"--extern=broch={crate}", name,
                  "-o", f"build/{pathlib.Path(name).stem}.so"])

    def manifest(self, block):
        name, remark = self.write(block)
        if "not checked" not in remark:
            self.run(["broch", "check", name])

    def fragment(self, block):
        name = f"fragment-{block.line}.json"
        members = block.text.rstrip().rstrip(",")
        (self.work / name).write_text(
            '{"broch": 1, "extends": "samples/digits/digits.json",\n' + members + "\n}\n")
        self.run(["broch", "check", name])

    def execute(self, block):
        shell = re.fullmatch(r"sh(?: exit=(\d+))?", block.kind)
        python = re.fullmatch(r"sh python(?:=(\S+))?", block.kind)
        if shell:
            self.shell(block, int(shell.group(1) or 0))
        elif python:
            self.python(block, python.group(1))
        elif block.kind == "json":
            self.manifest(block)
        elif block.kind == "json fragment":
            self.fragment(block)
        elif block.kind in COMPILERS:
            self.compile(block)
        elif block.kind == "rust":
            self.compile_rust(block)
        elif block.kind in WRITTEN:
            self.write(block)
        elif block.kind != "text":
            raise Failure(f"a block of kind {block.kind!r}, expected one of those listed in "
                          f"{pathlib.Path(__file__).name}")

    def execute_all(self):
        """Returns how many blocks failed, each of which is printed."""
        blocks, failed = blocks_of(self.path.read_text()), 0
        if self.before.exists():
            self.run([sys.executable, self.before])
        for block in blocks:
            try:
                self.execute(block)
            except Failure as failure:
                failed += 1
                print(f"{self.path}:{block.line}: {failure}\n")
        print(f"{self.path.name}: {len(blocks)} blocks, {failed} failed", flush=True)
        return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pages", metavar="PAGE", type=pathlib.Path, nargs="+")
    for name in ("prefix", "build", "samples", "work"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    options = parser.parse_args()
    failed = sum(Page(page.resolve(), options).execute_all() for page in options.pages)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
