"""mlserver_serve.py NAME FILE PORT: MLServer with ONNX Runtime."""

import asyncio
import sys

import onnxruntime
from mlserver import MLModel, MLServer, ModelSettings, Settings
from mlserver.codecs import NumpyCodec
from mlserver.types import InferenceResponse


class Onnx(MLModel):
    async def load(self):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(
            self.settings.parameters.uri, options, ["CPUExecutionProvider"])
        return True

    async def predict(self, payload):
        inputs = {one.name: NumpyCodec.decode_input(one) for one in payload.inputs}
        wanted = [output.name for output in self.session.get_outputs()]
        outputs = self.session.run(wanted, inputs)
        return InferenceResponse(
            model_name=self.name,
            outputs=[NumpyCodec.encode_output(*one) for one in zip(wanted, outputs)])


async def serve(name, file, port):
    settings = Settings(debug=False, parallel_workers=0, host="127.0.0.1", http_port=port,
                        grpc_port=0, metrics_endpoint=None, metrics_port=0)
    model = ModelSettings(name=name, implementation=Onnx, parameters={"uri": file})
    await MLServer(settings).start([model])


asyncio.run(serve(sys.argv[1], sys.argv[2], int(sys.argv[3])))
