"""What broch_model.py does with arrays of any kind: broch_model_test.py BUNDLE TWO_INPUTS

TWO_INPUTS is a bundle with the inputs city (int64) and numbers (float32).
"""
import concurrent.futures
import copy
import gc
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

import broch_model
import numpy

FILE, TWO_INPUTS = sys.argv.pop(1), sys.argv.pop(1)
X = numpy.arange(20, dtype="float32").reshape(5, 4) / 10


class BrochModel(unittest.TestCase):
    def setUp(self):
        self.model = broch_model.Model(FILE)
        self.y = self.model(X)

    def test_describes_itself(self):
        self.assertEqual(repr(self.model.inputs[0]), "x: float32 (B, 4)")
        self.assertEqual(self.model.outputs[0].shape, ("B", 3))
        self.assertEqual(self.model.about["name"], "small")
        self.assertEqual(self.model.file("words.txt"), b"")
        self.assertIn("LibTorch", self.model.runtime)
        self.assertRegex(broch_model.library_version(), r"^\d+\.\d+\.\d+$")

    def test_arrays_of_any_layout(self):
        self.assertEqual(self.y.shape, (5, 3))
        for given in (X.tolist(), numpy.asfortranarray(X), numpy.repeat(X, 2, axis=0)[::2]):
            numpy.testing.assert_array_equal(self.model(x=given), self.y)
        numpy.testing.assert_allclose(self.model(X[1:2]), self.y[1:2], rtol=1e-5)
        read_only = X.copy()
        read_only.flags.writeable = False
        numpy.testing.assert_array_equal(self.model(read_only), self.y)

    def test_bytes_and_levels(self):
        for level in broch_model.LEVELS:
            with broch_model.Model(pathlib.Path(FILE).read_bytes(), level=level) as model:
                numpy.testing.assert_allclose(model(X), self.y, rtol=1e-5, atol=1e-6)

    def test_threads(self):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for y in pool.map(lambda i: self.model(X[:1 + i % 5]), range(200)):
                numpy.testing.assert_allclose(y, self.y[:len(y)], rtol=1e-5, atol=1e-6)

    def test_what_is_wrong(self):
        cut = pathlib.Path(FILE).read_bytes()[:-1]
        wrong = [(TypeError, "expected float32", lambda: self.model(X.astype("float64"))),
                 (TypeError, "no array for x", lambda: self.model()),
                 (ValueError, "cancel: True, expected", lambda: self.model(X, cancel=True)),
                 (TypeError, "bundle: NoneType", lambda: broch_model.Model(None)),
                 (ValueError, "threads: 2.5", lambda: broch_model.Model(FILE, threads=2.5)),
                 (broch_model.Error, "bytes are the content of a bundle; a path is a str",
                  lambda: broch_model.Model(FILE.encode())),
                 (broch_model.Error, "copy it again[^;]*$", lambda: broch_model.Model(cut)),
                 (TypeError, "no input 'z'", lambda: self.model(z=X)),
                 (TypeError, "given twice", lambda: self.model(X, x=X)),
                 (TypeError, "2 arrays", lambda: self.model(X, X)),
                 (broch_model.Error, r"expected float32 \(B, 4\)", lambda: self.model(X[:, :3])),
                 (broch_model.Error, "at least 1", lambda: self.model(X[:0])),
                 (broch_model.Error, "No such file", lambda: broch_model.Model("none")),
                 (ValueError, r"\\x00tail', expected a path without zero bytes",
                  lambda: broch_model.Model(FILE + "\0tail")),
                 (TypeError, "open its bundle once more", lambda: copy.copy(self.model)),
                 (TypeError, "open its bundle once more", lambda: copy.deepcopy(self.model)),
                 (TypeError, "open its bundle once more", lambda: pickle.dumps(self.model)),
                 (TypeError, "same one to all calls", lambda: copy.copy(broch_model.Cancel())),
                 (TypeError, "same one to all calls", lambda: pickle.dumps(broch_model.Cancel())),
                 (ValueError, "level 'slow'", lambda: broch_model.Model(FILE, level="slow"))]
        for kind, text, call in wrong:
            with self.subTest(text):
                with self.assertRaisesRegex(kind, text) as caught:
                    call()
                self.assertIsInstance(caught.exception, broch_model.Error)
        self.model.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            self.model(X)

    def test_errors_are_pickled(self):
        for error in (broch_model.Error(5, "far"), broch_model.Cancelled(1, "ended"),
                      broch_model.InputError("another dtype")):
            with self.subTest(type(error)):
                again = pickle.loads(pickle.dumps(error))
                self.assertEqual((type(again), again.status, str(again)),
                                 (type(error), error.status, str(error)))

    def test_numbers_that_are_not_arrays(self):
        model = broch_model.Model(TWO_INPUTS)
        numbers = [[1, 2.5], [3, 0.1]]
        expected = model(numpy.array([0, 2]), numpy.array(numbers, "float32"))
        for city in ([0, 2], (0, 2), [numpy.int8(0), 2], [False, 2]):
            numpy.testing.assert_array_equal(model(city, numbers), expected)
        wrong = [([1.7, 0.2], numbers, "'city': float64, expected numbers that int64 can hold"),
                 ([1.0, 2.0], numbers, "'city': float64"),
                 (["Bonn", "Kiel"], numbers, "'city': <U4"),
                 ([2**63, 0], numbers, "'city'"),
                 ([0, 2], None, "'numbers': object"),
                 ([0, 2], [[1, 2], [3]], "'numbers': "),
                 ([0, 2], [[1e300, 2], [3, 4]], "'numbers': float64"),
                 ([0, 2], [[2**24 + 1, 2], [3, 4]], "'numbers': int64"),
                 ([0, 2], [[2**53 + 1, 2], [3, 4]], "'numbers': int64"),
                 ([0, 2], [[2**63 + 1, 2**63]] * 2, "'numbers': uint64"),
                 ([], numbers, "numbers")]
        for city, given, text in wrong:
            with self.subTest(text), self.assertRaisesRegex(broch_model.InputError, text):
                model(city, given)

    def test_what_gives_no_array(self):
        class Refuses:
            def __init__(self, error):
                self.error = error

            def __array__(self, *_, **__):
                raise self.error

        for error in TypeError("on a GPU"), RuntimeError("requires grad"), ValueError("no array"):
            with self.subTest(error), self.assertRaisesRegex(broch_model.InputError, str(error)):
                self.model(Refuses(error))

    def test_numbers_are_no_bits_of_bfloat16(self):
        port = self.model.inputs[0]
        port.dtype, port._code = numpy.dtype("uint16"), broch_model.BFLOAT16
        for given in 1, [1, 2], []:
            with self.assertRaisesRegex(broch_model.InputError, "'x': (int|list), .*uint16"):
                self.model(given)

    def test_a_copy_names_the_variable(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(broch_model.__file__, folder)
            environment = {name: text for name, text in os.environ.items()
                           if name not in ("PYTHONPATH", "BROCH_LIBRARY")}
            done = subprocess.run([sys.executable, "-c", "import broch_model"], cwd=folder,
                                  env=environment, stderr=subprocess.PIPE, text=True)
        self.assertIn("ImportError", done.stderr)
        self.assertIn("BROCH_LIBRARY", done.stderr)

    def test_what_pytorch_has_set_stays(self):
        calls = []
        torch = types.SimpleNamespace(
            are_deterministic_algorithms_enabled=lambda: True,
            is_deterministic_algorithms_warn_only_enabled=lambda: True,
            use_deterministic_algorithms=lambda mode, warn_only: calls.append((mode, warn_only)))
        with unittest.mock.patch.dict(sys.modules, torch=torch):
            broch_model.Model(FILE)
            self.assertEqual(calls, [(True, True)])
            with self.assertRaises(broch_model.Error):
                broch_model.Model(b"no bundle")
            self.assertEqual(calls, [(True, True)] * 2)
            torch.are_deterministic_algorithms_enabled = lambda: False
            broch_model.Model(FILE)
            self.assertEqual(calls, [(True, True)] * 2)

    def test_ctrl_c_while_it_opens_leaves_no_model(self):
        """Python raises KeyboardInterrupt when the library has returned."""
        library, opened, closed = broch_model._library, [], []
        real_open, real_close = library.libbroch_open, library.libbroch_close

        def interrupted(path, options, handle, error):
            real_open(path, options, handle, error)
            opened.append(handle.value)
            raise KeyboardInterrupt

        def close(handle):
            closed.append(handle.value)
            real_close(handle)

        with unittest.mock.patch.object(library, "libbroch_open", interrupted), \
                unittest.mock.patch.object(library, "libbroch_close", close):
            with self.assertRaises(KeyboardInterrupt):
                broch_model.Model(FILE)
            gc.collect()
        self.assertTrue(opened[0])
        self.assertIn(opened[0], closed)

    def test_cancel(self):
        cancel = broch_model.Cancel()
        cancel.set()
        with self.assertRaisesRegex(broch_model.Cancelled, "reset it before the next call"):
            self.model(X, cancel=cancel)
        cancel.reset()
        numpy.testing.assert_array_equal(self.model(X, cancel=cancel), self.y)


if __name__ == "__main__":
    unittest.main()
