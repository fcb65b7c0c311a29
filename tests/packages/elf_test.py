"""packaging/elf.py and baseline.py, on libraries that this machine's compiler makes."""
import ctypes
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "packaging"))
import baseline  # noqa: E402
import elf  # noqa: E402


class Lower(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def library(self, source, *libraries):
        file = self.folder / "made.so"
        subprocess.run(["cc", "-x", "c", "-", "-O1", "-fPIC", "-shared", "-fno-builtin", "-o", file,
                        *libraries], input=source, text=True, check=True)
        return file

    def versions(self, file):
        """As readelf sees them."""
        printed = subprocess.run(["readelf", "-V", file], text=True, check=True, capture_output=True)
        return {word for word in printed.stdout.split() if word.startswith("GLIBC_")}

    def test_reads_what_readelf_reads(self):
        for name in ("/bin/sh", "/lib/x86_64-linux-gnu/libstdc++.so.6"):
            needed = {need.version for need in elf.File(name).needs()}
            self.assertEqual({version for version in needed if version.startswith("GLIBC_")},
                             self.versions(name) & needed)
            self.assertIn("libc.so.6", elf.File(name).libraries())

    def test_an_older_version_takes_the_place_and_computes_the_same(self):
        file = self.library("double hypot(double, double); int puts(const char*);"
                            "int say(void) { return puts(\"\"); }"
                            "double length(double x, double y) { return hypot(x, y); }", "-lm")
        self.assertIn("GLIBC_2.35", self.versions(file), "this machine's glibc is older than 2.35")
        baseline.lower(file)
        self.assertNotIn("GLIBC_2.35", self.versions(file))
        self.assertEqual(baseline.newer_needs(elf.File(file)), [])
        length = ctypes.CDLL(str(file)).length
        length.restype, length.argtypes = ctypes.c_double, [ctypes.c_double] * 2
        self.assertEqual(length(3, 4), 5)

    def test_a_symbol_may_come_from_another_library(self):
        file = self.library("void arc4random_buf(void*, unsigned long);"
                            "void fill(void* to) { arc4random_buf(to, 16); }")
        self.assertEqual(baseline.borrowed(elf.File(file)), [("arc4random_buf", "libbsd.so.0")])
        baseline.lower(file)
        self.assertNotIn("GLIBC_2.36", self.versions(file))
        buffer = ctypes.create_string_buffer(16)
        ctypes.CDLL(str(file)).fill(buffer)
        self.assertNotEqual(buffer.raw, bytes(16))

    def test_what_has_no_older_version_is_refused(self):
        file = self.library("unsigned arc4random_uniform(unsigned);"
                            "unsigned below(void) { return arc4random_uniform(6); }")
        before = file.read_bytes()
        with self.assertRaisesRegex(elf.Unfit, "GLIBC_2.36 of libc.so.6 for arc4random_uniform"):
            baseline.lower(file)
        self.assertEqual(file.read_bytes(), before)

    def test_other_files_are_no_libraries(self):
        text = self.folder / "text"
        text.write_text("\x7fEL")
        self.assertFalse(elf.is_elf(text))
        with self.assertRaises(elf.Unfit):
            elf.File(text)


if __name__ == "__main__":
    unittest.main()
