"""tools/package and its modules, on small prefixes made with the compiler of this machine; and
where tools put what they fetch."""
import importlib.machinery
import importlib.util
import os
import pathlib
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging"))
import elf  # noqa: E402
import parts  # noqa: E402
import stage  # noqa: E402
import wheel  # noqa: E402


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def library(self, path, source="", *arguments):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cc", "-x", "c", "-", "-shared", "-fPIC", "-Wl,--no-as-needed", "-o", file,
                        "-x", "none", *arguments], input=source, text=True, check=True)
        return file


@unittest.skipUnless(shutil.which("patchelf"), "no patchelf")
class SearchPath(Case):
    def test_bundled_libraries_come_before_ld_library_path(self):
        inner = self.library("stage/lib/broch/bundled/libinner.so",
                             "int inner(void) { return 1; }", "-Wl,-soname,libinner.so")
        plugin = self.library("stage/lib/broch/plugins/plugin.so",
                              "int inner(void); int outer(void) { return inner(); }", inner,
                              "-Wl,--enable-new-dtags", "-Wl,-rpath,$ORIGIN")
        other = self.library("other/libinner.so", "int inner(void) { return 2; }")
        stage.set_search_path(plugin, self.folder / "stage")
        self.assertEqual(elf.File(plugin).search_path(),
                         ["$ORIGIN", "$ORIGIN/../../../lib/broch/bundled"])
        code = f"import ctypes; print(ctypes.CDLL({str(plugin)!r}).outer())"
        done = subprocess.run([sys.executable, "-c", code], text=True, check=True,
                              stdout=subprocess.PIPE,
                              env={**os.environ, "LD_LIBRARY_PATH": str(other.parent)})
        self.assertEqual(done.stdout, "1\n")

    def test_both_tags_are_read(self):
        for tags in "--enable-new-dtags", "--disable-new-dtags":
            file = self.library("made.so", "", f"-Wl,{tags}", "-Wl,-rpath,$ORIGIN:$ORIGIN/lib")
            self.assertEqual(elf.File(file).search_path(), ["$ORIGIN", "$ORIGIN/lib"])

    def test_folders_of_this_machine_are_refused(self):
        path = "stage/lib/broch/made.so"
        for folders, found in ("$ORIGIN:/usr/lib/conda", "'/usr/lib/conda'"), ("$ORIGIN:", "''"):
            self.library(path, "", f"-Wl,-rpath,{folders}")
            with self.assertRaisesRegex(elf.Unfit, f"^lib/broch/made.so: looks .* in {found}\n"):
                stage.check(self.folder / "stage")
        self.library(path, "", "-Wl,-rpath,$ORIGIN:$ORIGIN/torch/lib")
        stage.check(self.folder / "stage")


class Prefix(Case):
    def test_a_build_folder_is_refused(self):
        prefix = self.folder / "build"
        (prefix / "bin").mkdir(parents=True)
        (prefix / "CMakeCache.txt").touch()
        with self.assertRaisesRegex(elf.Unfit, "a build folder, .*--build"):
            stage.make(prefix, self.folder / "stage")
        (prefix / "CMakeCache.txt").unlink()
        with self.assertRaisesRegex(elf.Unfit, "no bin/broch"):
            stage.make(prefix, self.folder / "stage")

    def test_everybody_can_read_a_package(self):
        made = self.folder / "stage/share/file"
        made.parent.mkdir(parents=True, mode=0o700)
        made.touch(mode=0o600)
        script, link = made.with_name("script"), made.with_name("link")
        script.touch(mode=0o770)
        link.symlink_to("/nowhere")
        stage.open_to_all(self.folder / "stage")
        self.assertEqual([oct(path.stat().st_mode & 0o777) for path in
                          (self.folder / "stage", made.parent, made, script)],
                         ["0o755", "0o755", "0o644", "0o755"])


class Torch(Case):
    def test_another_version_is_refused(self):
        torch = self.folder / "torch"
        self.library("torch/lib/libtorch_cpu.so")
        for text in "2.10.1+cu130", "2.110.0", "2.11.0":
            (torch / "version.py").write_text(f"__version__ = '{text}'\ndebug = False\n")
            if text == "2.11.0":
                stage.add_torch(torch, self.folder / "stage", "2.11.0")
                continue
            with self.assertRaisesRegex(elf.Unfit, f"version '{re.escape(text)}', .* 2.11.0"):
                stage.add_torch(torch, self.folder / "stage", "2.11.0")
        (torch / "build-version").write_text("2.12.0+cpu\n")
        with self.assertRaisesRegex(elf.Unfit, "version '2.12.0"):
            stage.add_torch(self.folder, self.folder / "stage", "2.11.0")


class Licenses(Case):
    def setUp(self):
        super().setUp()
        self.texts = self.folder / stage.LICENSES
        self.texts.mkdir(parents=True)

    def test_texts_that_records_refer_to_are_copied(self):
        (self.texts / "made.txt").write_text(
            "text in /usr/share/common-licenses/LGPL-2.1.\n"
            "or `/usr/share/common-licenses/GPL-2', not /usr/share/common-licenses/GPL-2.0\n")
        stage.add_license_texts(self.folder)
        copied = self.texts / "common-licenses"
        self.assertEqual(sorted(path.name for path in copied.iterdir()), ["GPL-2", "LGPL-2.1"])
        self.assertIn("GNU LESSER GENERAL PUBLIC LICENSE", (copied / "LGPL-2.1").read_text())

    def test_the_source_package_is_noted(self):
        library = pathlib.Path(stage.system_libraries()["libstdc++.so.6"])
        stage.add_license(library, self.folder)
        self.assertRegex((self.folder / stage.SOURCES).read_text(),
                         r"^libstdc\+\+.so.6: gcc-12 12\.[0-9.]+-.*\n$")
        self.assertIn("GCC Runtime Library Exception",
                      " ".join((self.texts / "libstdc++6.txt").read_text().split()))
        with self.assertRaisesRegex(elf.Unfit, "/doc/no-package/copyright: not on this machine"):
            stage.add_copyright("no-package", self.folder)


class Parts(Case):
    def test_names_what_a_prefix_lacks(self):
        plugins = self.folder / "lib/broch/plugins"
        plugins.mkdir(parents=True)
        for name in parts.PARTS:
            (self.folder / name).touch()
        self.assertEqual(parts.warnings(self.folder), [])
        (plugins / "hdf5.so").unlink()
        self.assertEqual(parts.warnings(self.folder), [
            "warning: without lib/broch/plugins/hdf5.so, and so without the dataflow hdf5; a build "
            "has it that finds libhdf5-dev"])

    def test_knows_what_the_build_leaves_out(self):
        needs = " ".join(needs for _, needs in parts.PARTS.values())
        for file in (ROOT / "plugins").rglob("CMakeLists.txt"):
            for package in re.findall(r"broch_needs\(\w+ PACKAGE \w+ DEBIAN (\S+)\)",
                                      file.read_text().replace("# broch_needs", "")):
                self.assertIn(package, needs)


class Wheel(Case):
    def test_the_python_package_is_that_of_the_prefix(self):
        prefix, output = self.folder / "stage", self.folder / "dist"
        for name in "bin/broch", "share/broch/python/broch_model.py":
            (prefix / name).parent.mkdir(parents=True)
            (prefix / name).touch()
        output.mkdir()
        versions = {"broch": "0.9.0", "libtorch": "2.11.0"}
        (self.folder / "none").mkdir()
        with self.assertRaisesRegex(elf.Unfit, "no share/broch/python/broch"):
            wheel.make(prefix, versions, self.folder / "none", output)
        package = prefix / "share/broch/python/broch"
        package.mkdir()
        (package / "__init__.py").write_text("# of the prefix\n")
        with zipfile.ZipFile(wheel.make(prefix, versions, self.folder, output)) as made:
            self.assertEqual(made.read("broch/__init__.py"), b"# of the prefix\n")
            self.assertEqual(sorted(made.namelist()), [
                "broch-0.9.0.dist-info/METADATA", "broch-0.9.0.dist-info/RECORD",
                "broch-0.9.0.dist-info/WHEEL", "broch-0.9.0.dist-info/entry_points.txt",
                "broch/__init__.py", "broch/prefix/bin/broch",
                "broch/prefix/share/broch/python/broch_model.py"])


@unittest.skipUnless(shutil.which("patchelf"), "no patchelf")
class Tool(Case):
    """tools/package, with a script in place of the program."""

    def setUp(self):
        super().setUp()
        self.program = self.folder / "prefix/bin/broch"
        self.package = self.folder / "prefix/share/broch/python/broch"
        self.output = self.folder / "dist"
        for folder in self.program.parent, self.package:
            folder.mkdir(parents=True)

    def run_with(self, program, **variables):
        self.program.write_text(f"#!/bin/sh\n{program}\n")
        self.program.chmod(0o755)
        return subprocess.run([sys.executable, ROOT / "tools/package", "wheel", "--prefix",
                               self.folder / "prefix", "--output", self.output], text=True,
                              capture_output=True, env={**os.environ, **variables})

    def test_a_failure_is_one_line_and_leaves_the_package_before(self):
        name = "broch-0.9.0-py3-none-manylinux_2_34_x86_64.whl"
        versions = """echo '{"broch": "0.9.0", "libtorch": "2.11.0"}'"""
        made = self.run_with(versions)
        self.assertEqual(made.stdout, f"{self.output / name}\n", made.stderr)
        self.assertIn("package: warning: without lib/broch/broch_cuda.so", made.stderr)
        before = (self.output / name).read_bytes()
        failed = self.run_with("echo torn >&2; exit 3")
        self.assertEqual(failed.returncode, 1)
        self.assertRegex(failed.stderr.splitlines()[-1],
                         "^package: /.*/bin/broch version --json: has ended with 3; torn$")
        failed = self.run_with(versions, TMPDIR=str(self.folder / "none"))
        self.assertNotIn("Traceback", failed.stderr)
        self.package.rmdir()
        failed = self.run_with(versions)
        self.assertRegex(failed.stderr, "package: no share/broch/python/broch in the prefix")
        self.assertEqual([(path.name, path.read_bytes()) for path in self.output.iterdir()],
                         [(name, before)])

    def test_options_that_would_do_nothing_are_refused(self):
        for words, said in ((["wheel", "--torch", "torch"], "--torch: a wheel has no LibTorch"),
                            (["deb", "--base", "debian:13"], "--base: deb, expected image")):
            done = subprocess.run([sys.executable, ROOT / "tools/package", *words, "--prefix",
                                   self.folder / "prefix", "--output", self.output], text=True,
                                  capture_output=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)

    def test_knows_the_files_that_git_does_not(self):
        for name in "samples/digits/new.json", "docs/new.md", "docs/new.txt", "other/new.md":
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).touch()
        loader = importlib.machinery.SourceFileLoader("package", str(ROOT / "tools/package"))
        package = importlib.util.module_from_spec(
            importlib.util.spec_from_loader("package", loader))
        loader.exec_module(package)
        self.assertEqual(package.untracked(self.folder), [])
        subprocess.run(["git", "init", "--quiet", self.folder], check=True)
        self.assertEqual(package.untracked(self.folder), ["docs/new.md", "samples/"])

    def test_a_missing_program_is_named(self):
        self.output.write_text("a file in place of the folder")
        failed = self.run_with("")
        self.assertEqual(failed.returncode, 1)
        self.assertRegex(failed.stderr, f"^package: {self.output}: File exists; ")
        self.output.unlink()
        here = self.folder / "path"
        here.mkdir()
        (here / "patchelf").symlink_to(shutil.which("patchelf"))
        self.library("prefix/lib/broch/made.so")
        failed = self.run_with("", PATH=str(here))
        self.assertEqual((failed.returncode, failed.stderr),
                         (1, "package: strip: no such program; tools/setup --tests installs what "
                             "packages need\n"))


class Cache(Case):
    def run_tool(self, name, *arguments, **variables):
        kept = {name: text for name, text in os.environ.items()
                if name not in ("HOME", "XDG_CACHE_HOME", "BROCH_CACHE")}
        return subprocess.run([ROOT / "tools" / name, *arguments], env={**kept, **variables},
                              text=True, check=True, stdout=subprocess.PIPE).stdout

    def test_is_found_without_a_home(self):
        home = pwd.getpwuid(os.getuid()).pw_dir
        self.assertEqual(self.run_tool("cache"), f"{home}/.cache/broch\n")
        self.assertEqual(self.run_tool("cache", HOME="/home/a b"), "/home/a b/.cache/broch\n")
        self.assertEqual(self.run_tool("cache", XDG_CACHE_HOME="/c"), "/c/broch\n")
        self.assertEqual(self.run_tool("cache", XDG_CACHE_HOME="/c", BROCH_CACHE="/d"), "/d\n")

    def test_an_environment_for_each_content(self):
        """With a script in place of Python, which notes what pip is to do."""
        stand_in = self.folder / "bin/python3"
        stand_in.parent.mkdir()
        stand_in.write_text('#!/bin/sh\nif [ "$2" = venv ]; then mkdir -p "$3/bin"; '
                            'cp "$0" "$3/bin/python"; else echo "$@" >> "$0.calls"; fi\n')
        stand_in.chmod(0o755)
        files = [self.folder / name for name in ("first.txt", "second.txt")]
        for file in files:
            file.write_text("# nothing\n")

        def made():
            printed = self.run_tool("venv", "made", *files, BROCH_CACHE=str(self.folder / "a cache"),
                                    PATH=f"{stand_in.parent}:{os.environ['PATH']}")
            return pathlib.Path(printed.strip())
        python = made()
        self.assertRegex(str(python), "/a cache/made-[0-9a-f]{12}/bin/python$")
        self.assertEqual(made(), python)
        self.assertEqual(python.with_name("python.calls").read_text(),
                         "-m pip install --quiet --disable-pip-version-check "
                         f"--requirement={files[0]} --requirement={files[1]}\n")
        files[1].write_text("# another\n")
        self.assertNotEqual(made(), python)


if __name__ == "__main__":
    unittest.main()
