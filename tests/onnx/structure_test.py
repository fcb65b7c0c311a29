#!/usr/bin/env python3
"""What `broch export --format onnx` writes, read with the standard library alone.

  structure_test.py BROCH UNWRITABLE

Checked are the names and types of inputs and outputs, operators and their attributes, that each
name is defined once and before it is used, and that the weights are those of the bundle. UNWRITABLE
is a plugin whose model cannot be written, except for some of its values.
"""
import json
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile

MANIFEST = {
    "broch": 1, "name": "small", "seed": 7,
    "model": {"use": "sequential", "with": {
        "inputs": [{"name": "image", "shape": [-1, 1, 8, 8]},
                   {"name": "label", "dtype": "int64", "shape": [-1]}],
        "layers": [{"layer": "conv2d", "channels": 4, "kernel": 3, "stride": 2, "name": "conv"},
                   {"layer": "batch_norm", "name": "norm"},
                   {"layer": "activation", "function": "relu"},
                   {"layer": "flatten"},
                   {"layer": "dropout"},
                   {"layer": "fully_connected", "units": 3, "name": "last"}],
        "loss": "cross_entropy"}},
    "dataflow": {"use": "fake", "with": {"components": [
        {"name": "image", "shape": [16, 1, 8, 8]},
        {"name": "label", "shape": [16], "dtype": "int64", "high": 3}]}},
    "optimizer": {"use": "sgd", "with": {"learning_rate": 0.1}},
    "callbacks": ["model-saver"], "steps_per_epoch": 2, "max_epoch": 1}

UNWRITABLE = {
    "broch": 1, "seed": 7, "model": "org.test.unwritable",
    "dataflow": {"use": "fake", "with": {"components": [{"name": "x", "shape": [4, 3]}]}},
    "optimizer": {"use": "sgd", "with": {"learning_rate": 0.1}},
    "callbacks": ["model-saver"], "steps_per_epoch": 2, "max_epoch": 1}


def fields(data):
    """The fields of a protobuf message: number to a list of integers, floats or bytes."""
    found, at = {}, 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value - (1 << 64) if value >> 63 else value
    while at < len(data):
        key = varint()
        if key & 7 == 0:
            value = varint()
        elif key & 7 == 2:
            size = varint()
            value, at = data[at:at + size], at + size
        elif key & 7 == 5:
            value, at = struct.unpack("<f", data[at:at + 4])[0], at + 4
        else:
            raise AssertionError(f"wire type {key & 7}")
        found.setdefault(key >> 3, []).append(value)
    return found


def words(message, number):
    return [value.decode() for value in message.get(number, [])]


def described(value):
    """Name, element type and sizes of a ValueInfoProto."""
    value = fields(value)
    tensor = fields(fields(value[2][0])[1][0])
    sizes = []
    for size in fields(tensor[2][0]).get(1, []):
        size = fields(size)
        sizes.append(size[1][0] if 1 in size else size[2][0].decode())
    return value[1][0].decode(), tensor[1][0], sizes


def attributes(node):
    found = {}
    for one in map(fields, node.get(5, [])):
        kind = one[20][0]
        found[one[1][0].decode()] = one.get({1: 2, 2: 3, 3: 4, 7: 8}[kind], [])
    return found


class Model:
    def __init__(self, path):
        self.model = fields(path.read_bytes())
        self.graph = fields(self.model[7][0])
        self.inputs = [described(one) for one in self.graph[11]]
        self.outputs = [described(one) for one in self.graph[12]]
        self.nodes = [fields(one) for one in self.graph[1]]
        self.weights = {}
        for one in map(fields, self.graph.get(5, [])):
            name, content = one[8][0].decode(), one.get(9, [b""])[0]
            if one.get(14) == [1]:
                place = dict((words(pair, 1)[0], words(pair, 2)[0])
                             for pair in map(fields, one[13]))
                whole = (path.parent / place["location"]).read_bytes()
                begin = int(place["offset"])
                assert begin % 64 == 0
                content = whole[begin:begin + int(place["length"])]
            self.weights[name] = (one.get(1, []), one[2][0], content)

    def check_names(self):
        defined = [name for name, _, _ in self.inputs] + list(self.weights)
        for node in self.nodes:
            for name in words(node, 1):
                assert name in defined or name == "", f"{name} is not defined"
            defined += words(node, 2)
        assert len(set(defined)) == len(defined), "a name is defined twice"
        for name, _, _ in self.outputs:
            assert name in defined, name

    def kinds(self):
        return [words(node, 4)[0] for node in self.nodes]

    def node(self, kind):
        return self.nodes[self.kinds().index(kind)]


def casts(model):
    return [attributes(node)["to"] for node in model.nodes if words(node, 4) == ["Cast"]]


def check_arguments(export):
    """Integers beyond the fractions of a double, a negative place, a factor that is not exact,
    windows that end behind the image, functions of whole numbers and of one number, types that ONNX
    Runtime does not have for an operator, and a difference of infinities."""
    def model_of(name):
        model = Model(export(name + ".onnx", name))
        model.check_names()
        return model

    def constants(name, kind):
        model = model_of(name)
        inputs = words(model.node(kind), 1)
        return [model.weights.get(one, (None, None, b""))[2] for one in inputs]
    assert struct.pack("<q", 2**53 + 1) in constants("large", "Add")
    begin, end = constants("end", "Slice")[1:3]
    assert struct.unpack("<2q", begin + end) == (1, 3), (begin, end)
    scales = constants("wide", "Resize")[2:]
    assert scales == [struct.pack("<4f", 1, 1, 1, 1.5)], scales
    for name in ("cut", "edges"):
        model = model_of(name)
        pool = attributes(model.node("AveragePool"))
        assert pool["ceil_mode"] == [1] and pool["count_include_pad"] == [0], pool
        assert pool["pads"] == [0, 0, 0, 0] and pool["kernel_shape"] == [1, 2], pool
        assert ("Pad" in model.kinds()) == (name == "edges"), model.kinds()
    assert constants("edges", "Pad")[1] == struct.pack("<8q", 0, 0, 0, 1, 0, 0, 0, 1)
    for name in ("edges", "inner", "maxima"):
        begin, end = constants(name, "Slice")[1:3]
        assert struct.unpack("<2q", begin + end) == (0, 2), (name, begin, end)
    assert "Slice" not in model_of("cut").kinds()
    assert attributes(model_of("times").node("Mod"))["fmod"] == [1]
    assert "Floor" not in model_of("whole").kinds()
    assert "Abs" in model_of("length").kinds()
    for name in ("every", "some"):
        model = model_of(name)
        assert model.outputs[0][1] == 2 and casts(model)[-2:] == [[6], [2]], casts(model)
    kinds = model_of("either").kinds()
    assert "Where" not in kinds and {"And", "Or", "Not"} <= set(kinds), kinds
    attended = model_of("attended")  # a row that a mask of -inf hides as a whole is zero
    where = words(attended.node("Where"), 1)
    assert where[0] == words(attended.node("Equal"), 2)[0], attended.kinds()
    assert where[2] == words(attended.node("Softmax"), 2)[0], attended.kinds()
    powers = model_of("powers")
    equal = words(powers.node("Equal"), 2)
    assert words(powers.node("Where"), 1)[:1] == equal, powers.kinds()
    assert casts(model_of("endless")) == [[10], [1]], casts(model_of("endless"))
    assert casts(model_of("bounded")) == [[16], [1]], casts(model_of("bounded"))
    assert struct.pack("<3d", 0.1, 0.1 + (0.4 - 0.1) / 2, 0.4) in constants("spaced", "Mul")
    assert casts(model_of("corner")) == [[6], [7], [6]], casts(model_of("corner"))
    diagonal = model_of("diagonal")
    assert casts(diagonal) == [[9], [1]], casts(diagonal)
    assert diagonal.weights[words(diagonal.node("Expand"), 1)[0]][1] == 7


def tensors_of(path):
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    return {name: (one["shape"], data[8 + size + one["data_offsets"][0]:
                                      8 + size + one["data_offsets"][1]])
            for name, one in header.items() if name != "__metadata__"}


def check_two_files(broch, folder):
    """The model and FILE.data beside it: both are old or both are new, and none is in the way."""
    place = folder / "two"
    place.mkdir()

    def export(*options, most=None, external=True):
        def limit():
            if most:
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        done = subprocess.run([broch, "export", folder / "log", "-o", place / "m.onnx",
                               "--format", "onnx", *(["--external-data"] if external else []),
                               *options],
                              capture_output=True, text=True, check=False, preexec_fn=limit)
        return done.returncode, done.stderr, {one.name: one.read_bytes() if one.is_file() else None
                                              for one in place.iterdir()}
    code, text, new = export()
    assert code == 0 and sorted(new) == ["m.onnx", "m.onnx.data"], text
    sizes = {name: len(content) for name, content in new.items()}
    assert sizes["m.onnx.data"] < sizes["m.onnx"], sizes

    old = {"m.onnx": b"old model", "m.onnx.data": b"old weights"}
    for name, content in old.items():
        (place / name).write_bytes(content)
    code, text, found = export("--force", most=sizes["m.onnx.data"])
    assert code == 5 and found == old, (code, text, found)
    code, text, found = export("--force", external=False)
    assert code == 0 and sorted(found) == ["m.onnx"], (code, text, sorted(found))
    code, text, found = export("--force")
    assert code == 0 and found == new, text

    (place / "m.onnx").unlink()
    (place / "m.onnx.data").write_bytes(old["m.onnx.data"])
    code, text, found = export()
    assert code == 5 and "m.onnx.data" in text and "--force" in text, (code, text)
    assert found == {"m.onnx.data": old["m.onnx.data"]}, found

    (place / "m.onnx.data").unlink()
    (place / "m.onnx").mkdir()
    code, text, found = export("--force")
    assert code == 5 and found == {"m.onnx": None}, (code, text, found)


def main():
    broch, unwritable = sys.argv[1:]

    def run(*arguments):
        done = subprocess.run([broch, *map(str, arguments)], capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stdout + done.stderr
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        (folder / "run.json").write_text(json.dumps(MANIFEST))
        assert run("train", folder / "run.json", f"log_dir={folder}/log")[0] == 0

        def export(name, *options):
            code, text = run("export", folder / "log", "-o", folder / name, *options)
            assert code == 0, text
            return folder / name
        bundle = tensors_of(export("bundle"))
        inside = Model(export("model.onnx", "--format", "onnx"))
        assert inside.model[1] == [8] and words(inside.model, 2) == ["broch"]
        assert [fields(one)[2] for one in inside.model[8]] == [[18]]
        about = {words(one, 1)[0]: words(one, 2)[0] for one in map(fields, inside.model[14])}
        assert about["name"] == "small" and about["model"].endswith("sequential"), about
        assert inside.inputs == [("image", 1, ["B", 1, 8, 8])], inside.inputs
        assert inside.outputs == [("output", 1, ["B", 3])], inside.outputs
        inside.check_names()
        kinds = inside.kinds()
        assert "Dropout" not in kinds and kinds.count("Conv") == 1 and "Relu" in kinds, kinds
        conv = attributes(inside.node("Conv"))
        assert conv["strides"] == [2, 2] and conv["pads"] == [1, 1, 1, 1] and conv["group"] == [1]
        assert abs(attributes(inside.node("BatchNormalization"))["epsilon"][0] - 1e-5) < 1e-10
        for name, (shape, content) in bundle.items():
            assert inside.weights[name] == (shape, 1, content), name

        weights = tensors_of(export("weights.safetensors", "--format", "safetensors"))
        saved = tensors_of(folder / "log" / "model-2.safetensors")
        assert set(bundle) <= set(weights) <= set(saved), sorted(weights)
        assert not [name for name in weights if "momentum" in name or name.startswith("broch")]
        assert all(weights[name] == saved[name] for name in weights)

        outside = Model(export("apart.onnx", "--format", "onnx", "--external-data"))
        assert outside.weights == inside.weights
        assert (folder / "apart.onnx").stat().st_size < (folder / "model.onnx").stat().st_size
        assert (folder / "apart.onnx.data").exists()

        fixed = Model(export("fixed.onnx", "--format", "onnx", "--size", "B=5", "--name", "cost"))
        assert fixed.inputs == [("image", 1, [5, 1, 8, 8]), ("label", 7, [5])], fixed.inputs
        assert fixed.outputs == [("cost", 1, [])], fixed.outputs

        check_two_files(broch, folder)

        code, text = run("export", folder / "log", "-o", folder / "x", "--format", "onxn")
        assert code == 2 and "onnx" in text, text
        code, text = run("export", folder / "log", "-o", folder / "x", "--format", "onnx",
                         "--name", "image")
        assert code == 2 and "the name of an input" in text, text
        assert not (folder / "x").exists()

        # All operators that ONNX does not have are named at once, and no file is left.
        (folder / "run.json").write_text(json.dumps({**UNWRITABLE, "plugins": [unwritable]}))
        code, text = run("train", folder / "run.json", f"log_dir={folder}/other")
        assert code == 0, text
        code, text = run("export", folder / "other", "-o", folder / "y", "--format", "onnx",
                         "--name", "distances")
        assert code != 0 and "2 that cannot be written as ONNX" in text, text
        assert "\n    aten::linalg_inv (2 times)\n" in text and "\n    aten::cdist\n" in text, text
        assert "--name" in text and "--format bundle" in text, text
        code, text = run("export", folder / "other", "-o", folder / "y", "--format", "onnx",
                         "--name", "bits")
        assert code != 0 and "aten::view.dtype: elements that are read as" in text, text
        assert not (folder / "y").exists()

        def export_other(file, name):
            code, text = run("export", folder / "other", "-o", folder / file, "--format", "onnx",
                             "--name", name, "--force")
            assert code == 0, text
            return folder / file
        check_arguments(export_other)

        # What is written to keeps its type.
        (folder / "run.json").write_text(json.dumps({**UNWRITABLE, "model": "org.test.writing",
                                                     "plugins": [unwritable]}))
        code, text = run("train", folder / "run.json", f"log_dir={folder}/writing")
        assert code == 0, text
        code, text = run("export", folder / "writing", "-o", folder / "writing.onnx",
                         "--format", "onnx", "--name", "greater")
        assert code == 0, text
        writing = Model(folder / "writing.onnx")
        writing.check_names()
        assert writing.outputs == [("greater", 1, ["B", 3])] and casts(writing) == [[1]], writing.kinds()
    print("ok")


if __name__ == "__main__":
    main()
