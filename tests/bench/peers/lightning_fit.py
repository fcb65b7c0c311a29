"""lightning_fit.py WORKLOAD THREADS VARIANT: Lightning's Trainer.

default   as its tutorial: logs the cost, keeps checkpoints
bare      barebones=True
"""

import itertools
import logging
import sys
import tempfile
import warnings

import lightning
import torch
import torch_models
import turns
import workloads


class Task(lightning.LightningModule):
    def __init__(self, workload, logs):
        super().__init__()
        self.workload = workload
        self.logs = logs
        self.module = torch_models.build(workload)
        self.turns = turns.Turns(lambda: self.cost.item())
        self.automatic_optimization = len(workload.scopes) == 1

    def training_step(self, batch, index):
        costs = torch_models.costs_of(self.module(*batch))
        self.cost = sum(costs)
        if self.logs:
            self.log("cost", self.cost)
        if not self.automatic_optimization:
            self._learn(costs)
        return self.cost

    def _learn(self, costs):
        learners = torch_models.learners(self.workload, self.module)
        for optimizer in self.optimizers():
            optimizer.zero_grad()
        for cost, those in zip(costs, learners):
            self.manual_backward(cost, inputs=those, retain_graph=cost is not costs[-1])
        for optimizer in self.optimizers():
            optimizer.step()

    def configure_optimizers(self):
        return torch_models.optimizers(self.workload, self.module, fused=True)

    def on_train_start(self):
        self._go_on(self.turns.ready())

    def on_train_batch_end(self, outputs, batch, index):
        self._go_on(self.turns.steps_done())

    def _go_on(self, asked):
        if not asked:
            sys.exit()


def main(name, threads, variant):
    warnings.filterwarnings("ignore")
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    torch.set_num_threads(int(threads))
    workload = workloads.WORKLOADS[name]
    points = torch_models.batches(workload)
    with tempfile.TemporaryDirectory() as folder:
        if variant == "bare":
            trainer = lightning.Trainer(max_steps=-1, barebones=True, accelerator="cpu")
        else:
            trainer = lightning.Trainer(max_steps=-1, default_root_dir=folder, accelerator="cpu")
        trainer.fit(Task(workload, variant != "bare"), itertools.cycle(points))


main(*sys.argv[1:])
