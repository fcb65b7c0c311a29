"""race_peers.py PEERS WEIGHTS SETTINGS: what the peers of samples/race make of the weights in a
.safetensors file of Broch. Prints JSON: for each of the two networks the number of parameters, the
cost of the test images, and the learning rates.
"""
import json
import os
import sys
import types

os.environ["KERAS_BACKEND"] = "jax"
sys.path.insert(0, sys.argv[1])

import fashion
import keras
import keras_network
import numpy as np
import torch
import torch_network
from safetensors.numpy import load_file

BATCH_NORM = ("gamma", "beta", "mean/EMA", "variance/EMA")
NAMES = {"conv.weight": "conv/W", "fc.weight": "fc/W", "fc.bias": "fc/b",
         **dict(zip(("bn.weight", "bn.bias", "bn.running_mean", "bn.running_var"),
                    (f"bn/{name}" for name in BATCH_NORM)))}


def of_torch(settings, weights):
    network = torch_network.build(settings)
    state = network.state_dict()
    for name in state:
        block, _, rest = name.partition(".") if name.startswith("block") else ("", "", name)
        if rest in NAMES:
            state[name] = torch.from_numpy(weights["/".join(filter(None, (block, NAMES[rest])))])
    network.load_state_dict(state)
    network.eval()
    with torch.inference_mode():
        cost = float(network(*torch_network.tensors(*fashion.evaluated(settings))))
    optimizer, schedule = torch_network.optimizer_and_schedule(settings, network)
    rates = []
    for _ in range(settings.epochs * settings.steps):
        rates += schedule.get_last_lr()
        optimizer.step()
        schedule.step()
    return {"parameters": sum(p.numel() for p in network.parameters()), "cost": cost,
            "rates": rates}


def of_keras(settings, weights):
    model = keras_network.build(settings)
    values = []
    for i in range(1, 6):
        values.append(weights[f"block{i}/conv/W"].transpose(2, 3, 1, 0))
        values += [weights[f"block{i}/bn/{name}"] for name in BATCH_NORM]
    model.set_weights([*values, weights["fc/W"].T, weights["fc/b"]])
    images, labels = fashion.evaluated(settings)
    scores = model.predict(images, verbose=0)
    cost = keras_network.cost(settings)(np.eye(10, dtype=np.float32)[labels], scores)
    rate = keras_network.optimizer(settings)._learning_rate
    return {"parameters": sum(int(np.prod(w.shape)) for w in model.trainable_weights),
            "cost": float(cost),
            "rates": [float(rate(step)) for step in range(settings.epochs * settings.steps)]}


def main():
    settings = types.SimpleNamespace(**json.loads(sys.argv[3]))
    weights = load_file(sys.argv[2])
    print(json.dumps({"torch": of_torch(settings, weights), "keras": of_keras(settings, weights)}))


main()
