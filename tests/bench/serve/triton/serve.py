"""serve.py NAME FILE PORT: Triton, with ONNX Runtime behind PyTriton."""

import sys

import numpy
import onnxruntime
from pytriton.decorators import batch
from pytriton.model_config import ModelConfig, Tensor
from pytriton.triton import Triton, TritonConfig

name, file, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
session = onnxruntime.InferenceSession(file, options, ["CPUExecutionProvider"])
(output,) = session.get_outputs()


def tensor(one):
    return Tensor(name=one.name, dtype=numpy.float32, shape=tuple(one.shape[1:]))


@batch
def infer(**inputs):
    return session.run([output.name], inputs)


config = TritonConfig(http_address="127.0.0.1", http_port=port, grpc_port=port + 1,
                      metrics_port=port + 2, allow_grpc=False, allow_metrics=False)
with Triton(config=config) as triton:
    triton.bind(model_name=name, infer_func=infer, inputs=[tensor(i) for i in session.get_inputs()],
                outputs=[tensor(output)], config=ModelConfig(max_batch_size=32))
    triton.serve()
