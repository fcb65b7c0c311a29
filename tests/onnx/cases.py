"""The models of compare.py: each is a function that makes a manifest, by name."""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALL = {}
REFUSED = {}  # what cannot be exported or trained, with a part of the reason


def manifest(model, options, inputs, **more):
    """A training of one step. inputs: {"name", "shape", "below"}; those with "below" are
    integers."""
    components = [{"name": one["name"], "shape": one["shape"],
                   **({"dtype": "int64", "high": one["below"]} if "below" in one else {})}
                  for one in inputs]
    return {"broch": 1, "seed": 7, "model": {"use": model, "with": options},
            "dataflow": {"use": "fake", "with": {"components": components}},
            "optimizer": {"use": "sgd", "with": {"learning_rate": 0.01}},
            "callbacks": ["model-saver"], "steps_per_epoch": 1, "max_epoch": 1, **more}


def below(inputs):
    return {one["name"]: one["below"] for one in inputs if "below" in one}


# A recurrent network has a fixed number of steps. Only shapes can be compared where numbers are
# drawn.
NOTES = {"lstm-lm": {"words": ["--size", "T=7"]}, "dcgan": {"random": True, "words": ["--name", "fake"]}}


# The small configurations of the zoo.
def zoo(file):
    def make(_folder):
        recorded = json.loads(file.read_text())
        more = {"trainer": recorded["trainer"]} if "trainer" in recorded else {}
        return {"manifest": manifest(recorded["model"], recorded["with"], recorded["inputs"], **more),
                "below": below(recorded["inputs"]), **NOTES.get(recorded["model"], {})}
    ALL[file.stem] = make


for recorded_file in sorted((ROOT / "tests/zoo/recorded").glob("*.json")):
    zoo(recorded_file)


# Every kind of layer of sequential, as its test has them.
def sequential(_folder):
    texts = re.findall(r'R"\((.*?)\)"', (ROOT / "tests/sequential/kinds_test.cpp").read_text(), re.S)
    layers, inputs, components = map(json.loads, texts[:3])
    made = manifest("sequential", {"inputs": inputs, "layers": layers, "loss": "nll"}, [])
    made["dataflow"]["with"]["components"] = components
    # The last layer has logarithms; a sum of many layers is compared, too.
    return {"manifest": made, "below": {"words": 5}}


ALL["sequential"] = sequential


def sample(file, *words, **more):
    name = pathlib.Path(file).stem
    file += ".json"
    ALL["sample_" + ("exported_" if "exported" in file else "") + name] = lambda _folder: {
        "run": [ROOT / "samples" / file, "max_epoch=1", *words], **more}


sample("digits/digits", "~callbacks[test]")
sample("exported/digits")
sample("gan/gan", random=True, words=["--name", "fake"])
sample("strategies/strategies", "~callbacks[test]", "trainer=simple")
sample("digits/layers", "~callbacks[test]", external=True)
sample("gan/wgan", random=True, words=["--name", "fake"])
sample("gpt/gpt", "steps_per_epoch=2", "~callbacks[validation]")
sample("char-rnn/char_rnn", "steps_per_epoch=2", "~callbacks[validation]", words=["--size", "T=7"])
sample("cart-pole-dqn/cart_pole_dqn", "steps_per_epoch=20", "~callbacks[score]")
for one in ("ctc", "dorefa", "hed", "saliency", "similarity_learning", "spatial_transformer"):
    sample("tensorpack/" + one, "steps_per_epoch=2")
sample("tensorpack/dynamic_filter", "steps_per_epoch=2", words=["--name", "filter"])
for one in ("began", "conditional_gan", "improved_wgan", "info_gan"):
    sample("tensorpack/" + one, "steps_per_epoch=2", random=True, words=["--name", "fake"])
sample("tensorpack/image2image", "steps_per_epoch=2", words=["--name", "fake"])
sample("tensorpack/cycle_gan", "steps_per_epoch=2",
       words=["--name", "ringed_of_mask", "--name", "mask_of_ringed"])
sample("ppo/ppo", "steps_per_epoch=2")
if pathlib.Path("/usr/share/datasets/fashion-mnist").exists():
    sample("fashion-mnist/convnet", "steps_per_epoch=2", "trainer=simple")
    sample("fashion-mnist/resnet", "steps_per_epoch=2", "trainer=simple")
    sample("race/race", "steps_per_epoch=2", "trainer=simple", '+callbacks="model-saver"')
    for one in ("dcgan", "wgan_gp"):
        sample("dcgan/" + one, "steps_per_epoch=2", "session_init=[]", random=True,
               words=["--name", "fake"])


# Steps after which the running means of batch norm keep the outputs finite, where one is too few.
STEPS = {"regnet_x_400mf": 40}


# Those of layer_models.py.
LAYERS = ("roll", "roll_far", "narrow", "remainder_below_whole", "floor_divide_below_whole",
          "avg_pool2d_cut", "avg_pool2d_edges", "round_decimals", "scatter_reduce_add",
          "scatter_reduce_multiply", "stack_mixed", "index_select_one", "argmax_whole", "weight_norm",
          "weight_norm_whole", "weight_norm_bias", "conv1d_same", "conv2d_same", "upsample_odd_nearest",
          "upsample_odd_bilinear", "upsample_odd_bicubic", "compare_bytes")


# Programs of torch.export.
def exported(name, known):
    def make(folder):
        import numpy
        import torch
        torch.manual_seed(0)
        model, make_batch, rate = known[name]()
        model.train()
        batch = make_batch()
        dim = torch.export.Dim("batch", min=2)
        program = torch.export.export(model, (), kwargs=batch,
                                      dynamic_shapes={key: {0: dim} for key in batch})
        torch.export.save(program, str(folder / "model.pt2"))
        for key, value in batch.items():
            numpy.save(folder / f"{key}.npy", value.numpy())
        made = manifest("exported", {"file": str(folder / "model.pt2")}, [])
        made["dataflow"] = {"use": "batch", "with": {
            "batch_size": len(next(iter(batch.values()))), "dataflow": {"use": "npy", "with": {
                "components": [{"file": str(folder / f"{key}.npy"), "name": key}
                               for key in batch]}}}}
        made["optimizer"]["with"]["learning_rate"] = rate
        made["steps_per_epoch"] = STEPS.get(name, 1)
        return {"manifest": made, "ones": ["attention_mask"],
                "below": {"input_ids": 100, "labels": 5, "label": 5}}
    ALL["exported_" + name] = make


try:
    sys.path.insert(0, str(ROOT / "tests/exported"))
    import layer_models
    import models
    for exported_name in models.ALL:
        exported(exported_name, models.ALL)
    for exported_name in LAYERS:
        exported(exported_name, layer_models.ALL)
    REFUSED = {"exported_" + one: why for one, why in models.REFUSED.items()}
except ImportError:
    pass  # without PyTorch
