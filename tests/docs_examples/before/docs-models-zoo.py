"""Makes files like those that a reader gets from torchvision and from transformers, with other
numbers: resnet18.pth, and gpt2/model.safetensors of a small GPT-2 with the names of the hub."""
import collections
import json
import math
import pathlib
import pickle
import random
import struct
import sys
import types
import zipfile


def numbers(count):
    some = [random.gauss(0, 0.02) for _ in range(1000)]
    return struct.pack(f"<{count}f", *(some[i % 1000] for i in range(count)))


# What torch.save writes: a pickle that names these two members of the module torch, and a file for
# each storage.
torch = types.ModuleType("torch")
torch._utils = types.ModuleType("torch._utils")
torch.FloatStorage = type("FloatStorage", (), {"__module__": "torch"})
torch.LongStorage = type("LongStorage", (), {"__module__": "torch"})
exec("def _rebuild_tensor_v2(): pass", torch._utils.__dict__)
torch._utils._rebuild_tensor_v2.__module__ = "torch._utils"
sys.modules |= {"torch": torch, "torch._utils": torch._utils}


class Storage:
    def __init__(self, key, kind, count):
        self.key, self.kind, self.count = key, kind, count


class Tensor:
    def __init__(self, storage, shape):
        self.storage, self.shape = storage, tuple(shape)

    def __reduce__(self):
        strides = tuple(math.prod(self.shape[i + 1:]) for i in range(len(self.shape)))
        return (torch._utils._rebuild_tensor_v2,
                (self.storage, 0, self.shape, strides, False, collections.OrderedDict()))


class Pickler(pickle.Pickler):
    def persistent_id(self, one):
        if isinstance(one, Storage):
            return "storage", one.kind, one.key, "cpu", one.count
        return None


def save(path, shapes):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        state = collections.OrderedDict()
        for i, (name, shape) in enumerate(shapes.items()):
            counter = name.endswith("num_batches_tracked")
            kind = torch.LongStorage if counter else torch.FloatStorage
            state[name] = Tensor(Storage(str(i), kind, math.prod(shape)), shape)
            archive.writestr(f"archive/data/{i}",
                             struct.pack("<q", 1) if counter else numbers(math.prod(shape)))
        with archive.open("archive/data.pkl", "w") as file:
            Pickler(file, 2).dump(state)
        archive.writestr("archive/byteorder", "little")
        archive.writestr("archive/version", "3\n")


def resnet18():
    shapes = {}

    def conv(name, norm, outputs, inputs, kernel):
        shapes[f"{name}.weight"] = (outputs, inputs, kernel, kernel)
        for member in ("weight", "bias", "running_mean", "running_var"):
            shapes[f"{norm}.{member}"] = (outputs,)
        shapes[f"{norm}.num_batches_tracked"] = ()

    conv("conv1", "bn1", 64, 3, 7)
    inputs = 64
    for stage, width in enumerate((64, 128, 256, 512), 1):
        for block in range(2):
            name = f"layer{stage}.{block}."
            conv(name + "conv1", name + "bn1", width, inputs, 3)
            conv(name + "conv2", name + "bn2", width, width, 3)
            if inputs != width:
                conv(name + "downsample.0", name + "downsample.1", width, inputs, 1)
            inputs = width
    return shapes | {"fc.weight": (1000, 512), "fc.bias": (1000,)}


def gpt2(layers, width, context, vocabulary):
    shapes = {"wte.weight": (vocabulary, width), "wpe.weight": (context, width)}
    for i in range(layers):
        for norm in ("ln_1", "ln_2"):
            shapes |= {f"h.{i}.{norm}.weight": (width,), f"h.{i}.{norm}.bias": (width,)}
        for name, inputs, outputs in (("attn.c_attn", 1, 3), ("attn.c_proj", 1, 1),
                                      ("mlp.c_fc", 1, 4), ("mlp.c_proj", 4, 1)):
            shapes[f"h.{i}.{name}.weight"] = (inputs * width, outputs * width)
            shapes[f"h.{i}.{name}.bias"] = (outputs * width,)
        shapes[f"h.{i}.attn.bias"] = (1, 1, context, context)  # which token sees which
    return shapes | {"ln_f.weight": (width,), "ln_f.bias": (width,)}


def save_safetensors(path, shapes):
    head, end = {}, 0
    for name, shape in shapes.items():
        begin, end = end, end + 4 * math.prod(shape)
        head[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(head).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + numbers(end // 4))


save("resnet18.pth", resnet18())
pathlib.Path("gpt2").mkdir()
save_safetensors(pathlib.Path("gpt2/model.safetensors"), gpt2(2, 32, 64, 256))
