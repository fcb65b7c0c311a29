#!/usr/bin/env python3
"""Composes the schema of what is installed and of a stranger's plugin, and gives it to a validator.

  schema_test.py BROCH STRANGER PLUGIN_FOLDER...      checks, and compares with transcript.txt
  schema_test.py --transcript BROCH STRANGER          prints what an editor would show

PLUGIN_FOLDERs have the plugins of the samples. Needs python3-jsonschema.
"""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

import editor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

MANIFEST = {
    "$schema": "./broch.schema.json",
    "broch": 1,
    "model": "bench",
    "trainer": {"use": "no-op"},
    "callbacks": [
        "model-saver",
        {"use": "org.example.stranger", "with": {"metric": "cost", "patience": 3, "x-why": "slow"}},
    ],
    "steps_per_epoch": 2,
    "max_epoch": 1,
}
STRANGER = ["callbacks", 1]
OPTIONS = STRANGER + ["with"]


def compose(program, *words):
    done = subprocess.run([program, "config", "schema", *words], check=True, capture_output=True, text=True)
    assert done.stderr == "", done.stderr
    return done.stdout


def written(folder, plugin, manifest=None):
    path = pathlib.Path(folder) / "run.json"
    path.write_text(json.dumps({**(manifest or MANIFEST), "plugins": [plugin]}))
    return str(path)


def changed(path, value):
    """The manifest with another value at a path; no value: without it."""
    manifest = copy.deepcopy(MANIFEST)
    inner = manifest
    for step in path[:-1]:
        inner = inner[step]
    if value is None:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return manifest


GOOD = [
    (OPTIONS + ["patience"], "${vars.patience}"),
    (OPTIONS + ["direction"], "${env:DIRECTION:-rising}"),
    (OPTIONS + ["then"], "model-saver"),
    (OPTIONS + ["then"], {"use": "org.example.stranger", "with": {"metric": "x"}}),
    (OPTIONS, "${vars.options}"),
    (STRANGER, "${vars.stranger}"),
    (["trainer"], "broch.trainer.no-op"),
    (["callbacks"], "${vars.callbacks}"),
    (["vars"], {"patience": [1, {"a": None}]}),
    (["extends"], ["base.json"]),
    (["nr_tower"], 1),
    (["tower"], 0),
    (["predict_devices"], "cpu:0"),
    (["steps_per_epoch"], {"samples": 64}),
    (["session_init"], []),
    (["resume"], "auto"),
]
# A change, where the fault is to be told, and a part of what is said.
BAD = [
    (OPTIONS + ["patiense"], 3, "/callbacks/1/with", "patiense"),
    (OPTIONS + ["patience"], "three", "/callbacks/1/with/patience", "is not of type 'integer'"),
    (OPTIONS + ["patience"], 0, "/callbacks/1/with/patience", "minimum"),
    (OPTIONS + ["direction"], "down", "/callbacks/1/with/direction", "is not one of"),
    (OPTIONS + ["metric"], None, "/callbacks/1/with", "'metric' is a required property"),
    (OPTIONS + ["then"], {"use": "modle-saver"}, "/callbacks/1/with/then/use", "is not one of"),
    (OPTIONS + ["limits"], {"second": 1}, "/callbacks/1/with/limits", "second"),
    (OPTIONS + ["limits"], {"seconds": 0}, "/callbacks/1/with/limits/seconds", "minimum"),
    (STRANGER + ["use"], "org.example.strangr", "/callbacks/1/use", "is not one of"),
    (STRANGER + ["whit"], {}, "/callbacks/1", "whit"),
    (STRANGER + ["use"], None, "/callbacks/1", "'use' is a required property"),
    (["trainer"], "org.example.stranger", "/trainer", "is not one of"),
    (["trainer"], {"use": "no-op", "with": {"speed": 1}}, "/trainer/with", "speed"),
    (["trainer"], {"use": "no-op", "run_on": "all"}, "/trainer", "run_on"),
    (["session_init"], [{"use": "none"}], "/session_init/0/use", "is not one of"),
    (["max_epok"], 1, "/", "max_epok"),
    (["broch"], None, "/", "'broch' is a required property"),
]


def check_changes(shown):
    for path, value in GOOD:
        assert shown.faults(changed(path, value)) == [], (path, value, shown.faults(changed(path, value)))
    for path, value, place, words in BAD:
        faults = shown.faults(changed(path, value))
        assert any(where == place and words in said for where, said in faults), (path, value, faults)
    # Where another file brings the rest, an entry may be a part.
    assert shown.faults({"broch": 1, "extends": "base.json", "model": {"with": {"width": 1}}}) == []


def check_against_program(program, plugin, folder):
    """The program refuses what the schema refuses."""
    for path, value, place, _ in BAD:
        manifest = written(folder, plugin, changed(path, value))
        done = subprocess.run([program, "check", manifest], capture_output=True, text=True)
        assert done.returncode in (3, 4), (path, value, done.returncode, done.stderr)


def check_samples(program, folders):
    words = [word for folder in folders for word in ("--plugin-path", folder)]
    shown = editor.Editor(json.loads(compose(program, *words)))
    samples = [path for path in sorted(ROOT.glob("samples/*/*.json"))
               if not path.name.endswith(".sweep.json")]
    assert len(samples) >= 4, samples
    for sample in samples:
        faults = shown.faults(json.loads(editor.read_jsonc(sample.read_text())))
        assert faults == [], (sample, faults)


def check_layers(shown):
    """The layers of the model sequential: kinds, their options, and layers inside layers."""
    layer = {"layer": "conv2d", "channels": 4, "kernel": [3, 1], "name": "a"}
    text = {"broch": 1, "trainer": "no-op", "model": {"use": "sequential", "with": {
        "inputs": [{"name": "x", "shape": [-1, 1, 8, 8]}],
        "layers": [layer, {"layer": "residual", "layers": [{"layer": "batch_norm"}, layer]}],
        "loss": {"loss": "cross_entropy", "label_smoothing": 0.1},
        "metrics": ["accuracy", {"metric": "top_k", "k": 3}]}}}
    assert shown.faults(text) == [], shown.faults(text)
    options = ["model", "with"]
    for place, kind, own, foreign in (
            (options + ["layers", 0], "conv2d", "dilation", "momentum"),
            (options + ["layers", 1, "layers", 0], "batch_norm", "virtual_batch", "channels"),
            (options + ["loss"], "cross_entropy", "class_weights", "delta")):
        keys = shown.keys(text, place)
        assert own in keys and foreign not in keys and keys[own], (place, keys)
        words = shown.values(text, place + [place[-1] if place[-1] == "loss" else "layer"])
        assert words.get(kind) and len(words) >= 10, (place, words)
    assert "accuracy" in shown.values(text, options + ["metrics", 0])
    for change, place, words in (
            ({"layer": "conv2d", "channels": 4, "kernal": 3}, "", "kernal"),
            ({"layer": "conv2"}, "/layer", "is not one of"),
            ({"channels": 4}, "", "'layer' is a required property"),
            ({"layer": "conv2d"}, "", "'channels' is a required property"),
            ({"layer": "conv2d", "channels": 0}, "/channels", "minimum"),
            ({"layer": "residual", "layers": [{"layer": "dropout", "rate": 2}]}, "/layers/0/rate", "maximum")):
        wrong = copy.deepcopy(text)
        wrong["model"]["with"]["layers"][1] = change
        faults = shown.faults(wrong)
        # Of this kind alone.
        assert {where for where, _ in faults} == {"/model/with/layers/1" + place}, (change, faults)
        assert any(words in said for _, said in faults), (change, faults)


def transcript(shown):
    """What somebody sees who types in an editor that was given the schema."""
    lines = ["Written by schema_test.py --transcript. | is where one types.", ""]

    def show(what, text, path, found):
        lines.append(what)
        lines.append("  " + json.dumps(text) + "  at /" + "/".join(map(str, path)))
        lines.extend(f"    {name}  {said}".rstrip() for name, said in found.items())
        lines.append("")

    start = {"use": "org.example.stranger", "with": {}}
    text = {"callbacks": [start]}
    show("the options of a third party's callback", text, ["callbacks", 0, "with"],
         shown.keys(text, ["callbacks", 0, "with"]))
    show("a word for one of them", text, ["callbacks", 0, "with", "direction"],
         shown.values(text, ["callbacks", 0, "with", "direction"]))
    show("the keys inside another", {"callbacks": [{**start, "with": {"limits": {}}}]},
         ["callbacks", 0, "with", "limits"],
         shown.keys({"callbacks": [{**start, "with": {"limits": {}}}]}, ["callbacks", 0, "with", "limits"]))
    names = shown.values({"callbacks": [{}]}, ["callbacks", 0, "use"])
    show("the component itself, among the installed ones", {"callbacks": [{"use": "org|"}]},
         ["callbacks", 0, "use"], {name: said for name, said in names.items() if name.startswith("org")})
    show("the keys of an entry", {"callbacks": [{}]}, ["callbacks", 0], shown.keys({"callbacks": [{}]}, ["callbacks", 0]))
    faulty = changed(OPTIONS + ["patiense"], "three")
    show("a misspelt option", faulty["callbacks"][1], OPTIONS, dict(shown.faults(faulty)))
    return "\n".join(lines)


def main(words):
    if words[0] == "--transcript":
        with tempfile.TemporaryDirectory() as folder:
            shown = editor.Editor(json.loads(compose(words[1], written(folder, words[2]))))
        print(transcript(shown), end="")
        return
    program, plugin, *folders = words
    with tempfile.TemporaryDirectory() as folder:
        manifest = written(folder, plugin)
        text = compose(program, manifest)
        output = pathlib.Path(folder) / "broch.schema.json"
        assert compose(program, manifest, "-o", str(output)) == ""
        assert output.read_text() == text
        schema = json.loads(text)
        jsonschema.Draft7Validator.check_schema(schema)
        shown = editor.Editor(schema)
        assert shown.faults(MANIFEST) == [], shown.faults(MANIFEST)
        check_changes(shown)
        check_layers(shown)
        check_against_program(program, plugin, folder)
    assert transcript(shown) == (HERE / "transcript.txt").read_text(), "write transcript.txt anew"
    check_samples(program, folders)


main(sys.argv[1:])
