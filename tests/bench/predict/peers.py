"""peers.py FOLDER WORKLOAD BATCH THREADS VARIANT: predicts with another program than Broch.

pytorch         eager
pytorch-tuned   with channels last, where there are convolutions
compile         torch.compile of that
compile-freeze  and with constant weights
onnxruntime     ONNX Runtime on the model as torch.onnx.export writes it, with memory bound
openvino        OpenVINO on the same model, asked for latency
broch-python    libbroch from Python
"""

import contextlib
import os
import pathlib
import sys

os.environ["TORCHINDUCTOR_FREEZING"] = "1" if sys.argv[5] == "compile-freeze" else "0"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "peers"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "sdk/python"))

import numpy  # noqa: E402
import turns  # noqa: E402

folder, name, batch = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
threads, variant = int(sys.argv[4]), sys.argv[5]
no_graph = contextlib.ExitStack()


def pytorch():
    import torch
    from models import Model
    from torch_models import channels_last

    torch.set_num_threads(threads)
    model = Model(name, batch)
    predictor = model.predictor(folder / "weights.safetensors")
    inputs = [torch.from_numpy(x) for x in model.batches()]
    if variant != "pytorch" and model.workload.pictures:
        predictor = predictor.to(memory_format=torch.channels_last)
        inputs = [x for (x,) in channels_last([(x,) for x in inputs])]
    if variant.startswith("compile"):
        predictor = torch.compile(predictor)
    no_graph.enter_context(torch.inference_mode())
    return inputs, predictor, lambda scores: scores.numpy()


def onnx_model():
    """The file, which is written at first."""
    import torch
    from models import Model

    file = folder / "torch.onnx"
    if not file.exists():
        model = Model(name, batch)
        predictor = model.predictor(folder / "weights.safetensors")
        example = torch.from_numpy(model.batches()[0])
        torch.onnx.export(predictor, (example,), file, input_names=["x"], output_names=["scores"],
                          dynamo=True, external_data=False)
    return file


def batches():
    return list(numpy.load(folder / "batches.npy"))


def onnxruntime():
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(onnx_model(), options, ["CPUExecutionProvider"])
    scores = numpy.empty(session.get_outputs()[0].shape, numpy.float32)
    bound = []
    for x in batches():
        binding = session.io_binding()
        binding.bind_cpu_input("x", x)
        binding.bind_output("scores", "cpu", 0, numpy.float32, scores.shape, scores.ctypes.data)
        bound.append(binding)
    return bound, session.run_with_iobinding, lambda _: scores


def openvino():
    import openvino

    core = openvino.Core()
    compiled = core.compile_model(
        onnx_model(),
        "CPU",
        {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1,
         "INFERENCE_PRECISION_HINT": "f32", "ENABLE_CPU_PINNING": False},
    )
    request = compiled.create_infer_request()
    inputs = [openvino.Tensor(x, shared_memory=True) for x in batches()]

    def run(x):
        request.set_input_tensor(x)
        request.infer()

    return inputs, run, lambda _: request.get_output_tensor().data


def broch_python():
    import broch_model

    model = broch_model.Model(str(folder / "model.bundle"), threads=threads)
    return batches(), model, lambda scores: scores


MAKE = {"onnxruntime": onnxruntime, "openvino": openvino, "broch-python": broch_python}
inputs, run, read = MAKE.get(variant, pytorch)()
step, last = 0, None


def run_some(count):
    global step, last
    for step in range(step, step + count):
        last = run(inputs[step % len(inputs)])
    step += 1


turns.serve(run_some, lambda: float(numpy.abs(read(last)).mean()))
