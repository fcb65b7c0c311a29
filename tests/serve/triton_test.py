#!/usr/bin/env python3
"""broch serve, asked by the client of Triton.

  triton_test.py BROCH BUNDLES      BUNDLES: the program broch_serve_bundles

Needs tritonclient[http] (tools/serve-python).
"""
import concurrent.futures
import sys
import unittest

import numpy
import tritonclient.http as triton
from tritonclient.utils import InferenceServerException

from served import Served, linear

ROWS = numpy.array([[1, 2, 3], [0.5, -1, 2]], "float32")


def tensor(name, array, datatype, binary):
    made = triton.InferInput(name, list(array.shape), datatype)
    made.set_data_from_numpy(array, binary_data=binary)
    return made


class TritonClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Served(*sys.argv[1:3], "--batch-wait", "2")
        cls.client = triton.InferenceServerClient(cls.server.address, concurrency=4)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        assert cls.server.end() == 0
        cls.server.__exit__()

    def test_health_and_metadata(self):
        self.assertTrue(self.client.is_server_live())
        self.assertTrue(self.client.is_server_ready())
        self.assertTrue(self.client.is_model_ready("linear"))
        self.assertTrue(self.client.is_model_ready("linear", "1"))
        self.assertFalse(self.client.is_model_ready("none"))
        self.assertEqual(self.client.get_server_metadata()["name"], "broch")
        metadata = self.client.get_model_metadata("lookup")
        self.assertEqual(metadata["inputs"],
                         [{"name": "index", "datatype": "INT64", "shape": [-1, 1]}])

    def test_infer(self):
        for sent in (False, True):
            for received in (None, False, True):
                with self.subTest(sent=sent, received=received):
                    outputs = None if received is None else [
                        triton.InferRequestedOutput("y", binary_data=received)]
                    result = self.client.infer(
                        "linear", [tensor("x", ROWS, "FP32", sent)], outputs=outputs,
                        request_id="a")
                    self.assertEqual(result.get_response()["id"], "a")
                    self.assertEqual(result.as_numpy("y").tolist(), linear(ROWS.tolist()))

    def test_integers(self):
        index = numpy.array([[4], [0]], "int64")
        for binary in (False, True):
            result = self.client.infer("lookup", [tensor("index", index, "INT64", binary)])
            self.assertEqual(result.as_numpy("rows").tolist(), [[[8, 9]], [[0, 1]]])

    def test_many_at_once(self):
        rows = [numpy.full((1 + i % 3, 3), i, "float32") for i in range(200)]
        waiting = [self.client.async_infer("linear", [tensor("x", row, "FP32", True)])
                   for row in rows]
        for row, result in zip(rows, waiting):
            self.assertEqual(result.get_result().as_numpy("y").tolist(), linear(row.tolist()))

    def test_errors(self):
        for model, array, datatype, part in (
                ("none", ROWS, "FP32", "the model 'none'"),
                ("linear", ROWS[:, :2], "FP32", "float32 (2, 2)"),
                ("linear", ROWS.astype("float64"), "FP64", "datatype 'FP64'")):
            with self.assertRaises(InferenceServerException) as caught:
                self.client.infer(model, [tensor("x", array, datatype, True)])
            self.assertIn(part, str(caught.exception))
        with self.assertRaises(InferenceServerException) as caught:
            self.client.infer("linear", [tensor("x", ROWS, "FP32", True)],
                              request_compression_algorithm="gzip")
        self.assertIn("Content-Encoding", str(caught.exception))

    def test_clients_in_threads(self):
        def ask(number):
            with triton.InferenceServerClient(self.server.address) as client:
                row = numpy.full((1, 3), number, "float32")
                return [client.infer("linear", [tensor("x", row, "FP32", True)])
                        .as_numpy("y").tolist() == linear(row.tolist()) for _ in range(20)]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for results in pool.map(ask, range(8)):
                self.assertTrue(all(results))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
