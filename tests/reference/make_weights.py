#!/usr/bin/env python3
"""Makes the files of tests/weights/good with PyTorch, NumPy and safetensors, and what they hold.

  tests/reference/make_weights.py              needs torch, numpy and safetensors
  tests/reference/make_weights.py --seeds DIR  writes inputs for the fuzzers torch, pt2 and weights
                                               into folders of these names, for tests/fuzz/run

Each line of tensors.txt: file, key or -, tensor, type, shape, bytes as hexadecimal digits.
"""
import io
import json
import pathlib
import pickle
import sys
import zipfile

import numpy as np
import safetensors.torch
import torch
from torch import nn

OUT = pathlib.Path(__file__).resolve().parents[1] / "weights" / "good"
NAMES = {torch.float32: "F32", torch.float64: "F64", torch.float16: "F16", torch.bfloat16: "BF16",
         torch.int64: "I64", torch.int32: "I32", torch.int16: "I16", torch.int8: "I8",
         torch.uint8: "U8", torch.uint16: "U16", torch.uint32: "U32", torch.uint64: "U64",
         torch.bool: "BOOL", torch.complex64: "C64"}
lines = []


def expect(file, tensors, key="-"):
    for name, tensor in tensors.items():
        tensor = tensor.detach()
        shape = ",".join(map(str, tensor.shape)) or "-"
        data = tensor.reshape(-1).contiguous().view(torch.uint8).numpy().tobytes().hex() or "-"
        lines.append("|".join([file, key, name, NAMES[tensor.dtype], shape, data]))


def save(file, tensors, whole=None, key="-"):
    torch.save(tensors if whole is None else whole, OUT / file)
    expect(file, tensors, key)


def module():
    torch.manual_seed(1)
    return nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Linear(2, 3))


def repack(source, target, change=lambda name, data: data, method=zipfile.ZIP_STORED):
    with zipfile.ZipFile(OUT / source) as old, zipfile.ZipFile(OUT / target, "w", method) as new:
        for member in old.infolist():
            new.writestr(zipfile.ZipInfo(member.filename),
                         change(member.filename, old.read(member.filename)), method)


def saved():
    """Files of torch.save."""
    net = module()
    save("state.pt", net.state_dict())
    repack("state.pt", "packed.pt", method=zipfile.ZIP_DEFLATED)
    expect("packed.pt", net.state_dict())
    save("parameters.pt", dict(net.named_parameters()))
    base = torch.arange(24, dtype=torch.float32)
    save("views.pt", {
        "transposed": base.reshape(4, 6).t(), "sliced": base.reshape(4, 6)[1:3, ::2],
        "channels_last": base.reshape(2, 3, 2, 2).contiguous(memory_format=torch.channels_last),
        "expanded": base[3:4].expand(5, 1), "shared": base[5:], "scalar": torch.tensor(2.5),
        "empty": torch.zeros(0, 3)})
    numbers = torch.linspace(-3, 3, 5, dtype=torch.float64)
    types = {NAMES[dtype].lower(): (numbers.abs() if "uint" in str(dtype) else numbers).to(dtype)
             for dtype in NAMES}
    save("types.pt", types)
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.ones(2, 1, 3, 3)).sum().backward()
    optimizer.step()
    save("nested.pt", net.state_dict(), {
        "state_dict": net.state_dict(), "epoch": 3, "optimizer": optimizer.state_dict(),
        "big": 2**40, "less": -2**40, "rate": 0.125, "name": "Ünicode", "none": None,
        "flag": True, "size": net[0].weight.shape, "list": [1, (2,), {"a": 1}], "type": torch.half})
    other = {"w": torch.tensor([1.0, 2.0])}
    save("two.pt", other, {"models": {"first": net.state_dict(), "second": other}},
         "models/second")
    save("slashes.pt", other, {"a/b": other, "a": net.state_dict()}, "a/b")


def refused():
    """What must be refused."""
    net = module()
    torch.save(net.state_dict(), OUT / "legacy.pt", _use_new_zipfile_serialization=False)
    torch.jit.script(nn.Linear(2, 3)).save(OUT / "script.pt")
    torch.save(nn.Linear(2, 3), OUT / "module.pt")
    torch.save(net.state_dict(), OUT / "protocol.pt", pickle_protocol=4)
    torch.save(torch.ones(2), OUT / "tensor.pt")
    torch.save({"a": net.state_dict(), "b": net.state_dict()}, OUT / "several.pt")
    torch.save({"epoch": 3}, OUT / "nothing.pt")

    class Evil:
        def __reduce__(self):
            import os
            return os.system, ("touch executed",)

    evil = pickle.dumps({"w": Evil()}, 2)
    repack("state.pt", "evil.pt", lambda name, data: evil if "data.pkl" in name else data)
    repack("state.pt", "big_endian.pt", lambda name, data: b"big" if "byteorder" in name else data)
    repack("state.pt", "short.pt", lambda name, data: data[:-1] if "/data/" in name else data)


def exported():
    """Programs of torch.export: as this version saves them, and in the layouts before."""
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = module()
            self.register_buffer("scale", torch.tensor([0.5]), persistent=False)
            self.tied = self.net[3].weight
            self.low = nn.Parameter(torch.ones(3, dtype=torch.bfloat16))

        def forward(self, x):
            return self.net(x) * self.scale + self.low + self.tied.sum()

    net = Net()
    program = torch.export.export(net, (torch.ones(2, 1, 3, 3),))
    torch.export.save(program, OUT / "program.pt2")
    weights, constants = program.state_dict, {"scale": net.scale}
    expect("program.pt2", {**weights, **constants})

    def bytes_of(value):
        buffer = io.BytesIO()
        torch.save(value, buffer)
        return buffer.getvalue()

    for file, names in {"program_2_8.pt2": ("m/data/weights/model.pt", "m/data/constants/model.pt",
                                            "m/archive_format"),
                        "program_2_6.pt2": ("serialized_state_dict.pt", "serialized_constants.pt",
                                            "serialized_exported_program.json")}.items():
        with zipfile.ZipFile(OUT / file, "w") as archive:
            archive.writestr(zipfile.ZipInfo(names[0]), bytes_of(dict(weights)))
            archive.writestr(zipfile.ZipInfo(names[1]), bytes_of(constants))
            archive.writestr(zipfile.ZipInfo(names[2]), "pt2")
        expect(file, {**weights, **constants})


def arrays():
    """numpy.savez, with names as tensorpack's varmanip writes them."""
    random = np.random.default_rng(1)
    numbers = random.normal(size=(2, 3, 4)).astype("<f4")
    good = {"conv0/W:0": numbers, "conv0/b:0": numbers[0, 0].astype("<f2"),
            "fc/W": np.asfortranarray(numbers[0]), "fortran": np.asfortranarray(numbers),
            "big": numbers[1].astype(">f8"), "complex": (numbers[0] + 1j).astype(">c8"),
            "global_step:0": np.int64(7), "empty": np.zeros((0, 2), "<i4"), "mask": numbers > 0,
            "unsigned": np.arange(3, dtype=">u2")}
    bad = {"text": np.array(["a", "b"]), "objects": np.array([{}], dtype=object),
           "wide": np.array([1j])}
    for file, write in {"stored.npz": np.savez, "packed.npz": np.savez_compressed}.items():
        write(OUT / file, **good, **bad)
        expect(file, {name: torch.from_numpy(np.ascontiguousarray(
            array.astype(array.dtype.newbyteorder("="))).reshape(array.shape))
            for name, array in good.items()})
    np.save(OUT / "single.npy", numbers)


def safe():
    tensors = {"a.weight": torch.ones(2, 3), "a.bias": torch.tensor([1, 2], dtype=torch.bfloat16),
               "b": torch.tensor(3)}
    safetensors.torch.save_file(tensors, OUT / "plain.safetensors", metadata={"format": "pt"})
    expect("plain.safetensors", tensors)
    folder = OUT / "sharded"
    folder.mkdir(exist_ok=True)
    names = {"a.weight": "model-00001-of-00002.safetensors",
             "a.bias": "model-00002-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}
    for file in set(names.values()):
        safetensors.torch.save_file({name: tensors[name] for name in names if names[name] == file},
                                    folder / file)
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {"total_size": 36}, "weight_map": names}, indent=2) + "\n")
    expect("sharded", tensors)
    expect("sharded/model.safetensors.index.json", tensors)


def seeds(folder):
    for name in ("torch", "pt2", "weights"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for path in sorted(OUT.glob("*.*")):
        if not zipfile.is_zipfile(path):
            continue
        (folder / "weights" / path.name).write_bytes(path.read_bytes())
        with zipfile.ZipFile(path) as archive:
            for member in archive.namelist():
                if member.endswith("data.pkl"):
                    (folder / "torch" / path.name).write_bytes(archive.read(member))
                if member.endswith("config.json"):
                    config = archive.read(member)
                    (folder / "pt2" / pathlib.Path(member).name).write_bytes(
                        config + b"\0" + bytes(range(96)))


if sys.argv[1:2] == ["--seeds"]:
    seeds(pathlib.Path(sys.argv[2]))
    sys.exit()
OUT.mkdir(parents=True, exist_ok=True)
saved()
refused()
exported()
arrays()
safe()
(OUT / "tensors.txt").write_text("\n".join(lines) + "\n")
