"""catalog.py: the contenders of each workload: how they are started, and what they are."""

import argparse
import os
import pathlib
import subprocess
import sys

from contender import Contender

HERE = pathlib.Path(__file__).resolve().parent.parent
BUILD = HERE.parent.parent / "build/release"
LEVELS = ("bitwise", "fast")
EXPORTED = (
    "exported-resnet18",
    "exported-mobilenet",
    "exported-vit",
    "exported-gpt2",
    "exported-bert",
)
WORKLOADS = (
    "mlp",
    "mlp-adam",
    "mlp-wide",
    "cnn8",
    "cnn28",
    "resnet20",
    "gpt-small",
    "gpt-medium",
    "gan",
    "recsys",
    *EXPORTED,
)
# Peer: script and variant. The first one gives the loss that the others must have.
SCRIPTS = {
    "pytorch": ("pytorch_loop.py", "default"),
    "pytorch-tuned": ("pytorch_loop.py", "tuned"),
    "compile": ("pytorch_loop.py", "compile"),
    "compile-max": ("pytorch_loop.py", "compile-max"),
    "lightning": ("lightning_fit.py", "default"),
    "lightning-bare": ("lightning_fit.py", "bare"),
    "keras": ("keras_fit.py", "plain"),
    "keras-multi": ("keras_fit.py", "multi"),
    "jax": ("jax_steps.py", "jit"),
    "jax-scan": ("jax_steps.py", "scan"),
}
AUTOCAST = "pytorch-autocast"
PLAIN = {"plain": [], "plain-fused": ["--fused"]}
EAGER = "broch-eager"
PEERS = (*SCRIPTS, *PLAIN, EAGER)
# XLA runs convolutions inside a loop about 15 times slower than outside on a CPU, so these lose
# minutes to say nothing; name the peer to have them run.
LEFT_OUT = {
    "cnn28": ("jax-scan", "keras-multi"),
    "resnet20": ("jax-scan", "keras-multi"),
    # Their models are written for PyTorch.
    **{
        workload: ("lightning", "lightning-bare", "keras", "keras-multi", "jax", "jax-scan")
        + ("plain", "plain-fused")
        for workload in EXPORTED
    },
    # Keras has no fit for two optimizers: a step by hand, which is what jax does.
    "gan": ("jax-scan", "keras", "keras-multi"),
}


class Catalog:
    """build: folder of the build tree. python: interpreter of the peers, or None when unused."""

    def __init__(self, build, python, scratch, timeout=600):
        self.build = pathlib.Path(build).resolve()
        self.python = python
        self.scratch = pathlib.Path(scratch)
        self.timeout = timeout

    def broch(self, name, workload, threads, level, execution="recorded", more=(), towers=1):
        """more: further arguments of the program. towers: processors for each thread of a tower."""
        command = [
            self.build / "bin/broch",
            "train",
            HERE / "manifests" / f"{workload}.json",
            f'plugins=["{self.build}/tests/bench/bench.so"]',
            *self._exported(workload),
            f"log_dir={self.scratch}/{name}",
            "log_dir_action=delete",
            f"runtime.execution={execution}",
            f"runtime.level={level}",
            f"runtime.threads={threads}",
            *more,
        ]
        return self._contender(name, command, threads, towers)

    def ddp(self, name, workload, ranks):
        command = [self.python, HERE / "peers/pytorch_ddp.py", workload, ranks, name]
        return self._contender(name, command, 1, ranks)

    def peer(self, name, workload, threads):
        if name == EAGER:
            return self.broch(name, workload, threads, "bitwise", "eager")
        if name in PLAIN:
            command = [self.build / "bin/broch_bench_plain", workload, threads, *PLAIN[name]]
        elif name == AUTOCAST:
            loop = HERE / "peers/pytorch_loop.py"
            command = [self.python, loop, workload, threads, "autocast"]
        else:
            script, variant = SCRIPTS[name]
            command = [self.python, HERE / "peers" / script, workload, threads, variant]
        return self._contender(name, command, threads)

    def _exported(self, workload):
        """The argument that names the file of an exported model, which is written at first."""
        if workload not in EXPORTED:
            return []
        file = self.scratch / f"{workload}.pt2"
        if not file.exists():
            subprocess.run(
                [self.python, HERE / "peers/export.py", workload, file],
                stdout=sys.stderr,
                check=True,
            )
        return [f"model.with.file={file}"]

    def _contender(self, name, command, threads, towers=1):
        return Contender(name, command, cpus(threads * towers), environment(threads), self.timeout)


def cpus(threads):
    """The last ones: others tend to use the first."""
    last = sorted(os.sched_getaffinity(0))[-threads:]
    return ",".join(map(str, last))


def environment(threads):
    """Waiting contenders sleep, and none looks for a GPU."""
    return {
        "OMP_NUM_THREADS": str(threads),
        "MKL_NUM_THREADS": str(threads),
        "OMP_WAIT_POLICY": "PASSIVE",
        "CUDA_VISIBLE_DEVICES": "",
        "JAX_PLATFORMS": "cpu",
    }


def some_of(names):
    """The type of a command line's argument: a list of some of these names."""

    def parse(text):
        chosen = text.split(",")
        for name in chosen:
            if name not in names:
                raise argparse.ArgumentTypeError(f"'{name}' is none of {', '.join(names)}")
        return chosen

    return parse


def python_for(peers, workloads):
    """The interpreter of the peers' environment, which is made when it is not there; None when none
    of these peers and workloads needs it."""
    if not set(peers) & set(SCRIPTS) and not set(workloads) & set(EXPORTED):
        return None
    tool = HERE.parent.parent / "tools/bench-python"
    return subprocess.run([tool], stdout=subprocess.PIPE, check=True).stdout.decode().strip()
