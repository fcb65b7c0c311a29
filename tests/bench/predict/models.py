"""models.py: what is predicted: the workloads of ../peers/workloads.py without their costs."""

import dataclasses
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "peers"))

import formula  # noqa: E402
import torch  # noqa: E402
import torch_models  # noqa: E402
import workloads  # noqa: E402

WORKLOADS = {
    "mlp": "mlp",
    "cnn8": "cnn8",
    "resnet20": "resnet20",
    "resnet18": "exported-resnet18",
    "gpt-small": "gpt-small",
}


class Trained(torch.nn.Module):
    """What is exported and trained for one step: a cost, and the scores that are predicted."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x, label):
        scores = self.module.scores(x)
        loss = torch.nn.functional.cross_entropy(
            scores.flatten(0, -2), label.flatten()
        )
        return {"loss": loss, "scores": scores}


class Predictor(torch.nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x):
        return self.module.scores(x)


class Model:
    """A workload with batches of this size."""

    def __init__(self, name, batch):
        self.workload = workloads.WORKLOADS[WORKLOADS[name]]
        self.inputs = [
            dataclasses.replace(component, name=called, shape=(batch, *component.shape[1:]))
            for component, called in zip(self.workload.components, ("x", "label"))
        ]

    def module(self):
        return torch_models.build(self.workload)

    def predictor(self, weights):
        """With the weights of the safetensors file."""
        import safetensors.torch

        predictor = Predictor(self.module())
        missing, unknown = predictor.load_state_dict(safetensors.torch.load_file(weights), False)
        missing = [name for name in missing if not name.endswith("num_batches_tracked")]
        if missing or unknown:
            sys.exit(f"{weights}: missing {missing}, unknown {unknown}")
        return predictor.eval()

    def batches(self):
        """The input x of each batch, as arrays."""
        return list(formula.column(self.inputs[0]))
