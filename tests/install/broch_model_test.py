"""What broch_model.py does with arrays of any kind: broch_model_test.py BUNDLE"""
import concurrent.futures
import pathlib
import sys
import unittest

import broch_model
import numpy

FILE = sys.argv.pop(1)
X = numpy.arange(20, dtype="float32").reshape(5, 4) / 10


class BrochModel(unittest.TestCase):
    def setUp(self):
        self.model = broch_model.Model(FILE)
        self.y = self.model(X)

    def test_describes_itself(self):
        self.assertEqual(repr(self.model.inputs[0]), "x: float32 (B, 4)")
        self.assertEqual(self.model.outputs[0].shape, ("B", 3))
        self.assertEqual(self.model.about["name"], "small")
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
        wrong = [(TypeError, "expected float32", lambda: self.model(X.astype("float64"))),
                 (TypeError, "no array for x", lambda: self.model()),
                 (TypeError, "no input 'z'", lambda: self.model(z=X)),
                 (TypeError, "given twice", lambda: self.model(X, x=X)),
                 (TypeError, "2 arrays", lambda: self.model(X, X)),
                 (broch_model.Error, r"expected float32 \(B, 4\)", lambda: self.model(X[:, :3])),
                 (broch_model.Error, "at least 1", lambda: self.model(X[:0])),
                 (broch_model.Error, "No such file", lambda: broch_model.Model("none")),
                 (ValueError, "level 'slow'", lambda: broch_model.Model(FILE, level="slow"))]
        for kind, text, call in wrong:
            with self.subTest(text), self.assertRaisesRegex(kind, text):
                call()
        self.model.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            self.model(X)

    def test_cancel(self):
        cancel = broch_model.Cancel()
        cancel.set()
        with self.assertRaises(broch_model.Cancelled):
            self.model(X, cancel=cancel)
        cancel.reset()
        numpy.testing.assert_array_equal(self.model(X, cancel=cancel), self.y)


if __name__ == "__main__":
    unittest.main()
