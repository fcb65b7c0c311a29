"""workloads.py: the contenders of each workload, and what they read."""

import pathlib

from catalog import cpus, environment
from contender import Contender

HERE = pathlib.Path(__file__).resolve().parent.parent

IMAGES = "{python} {here}/peers/images.py"
CIFAR = "{python} {here}/peers/cifar.py {threads}"
TOKENS = "{python} {here}/peers/tokens.py {threads}"
TABLE = "{python} {here}/peers/table.py {threads}"
# Workload: peer -> words of its command.
WORKLOADS = {
    "images-folder": {
        "loader-pil": IMAGES + " folder {threads} loader-pil {folder}/jpeg",
        "loader-io": IMAGES + " folder {threads} loader-io {folder}/jpeg",
        "tfdata": IMAGES + " folder {threads} tfdata {folder}/jpeg",
        "opencv": IMAGES + " folder {threads} opencv {folder}/jpeg",
        "dali": IMAGES + " folder {threads} dali {folder}/jpeg",
        "grain": IMAGES + " folder {threads} grain {folder}/jpeg",
    },
    "images-tar": {
        "webdataset": IMAGES + " tar {threads} webdataset {folder}/shards/{{0..7}}.tar",
        "dali": IMAGES + " tar {threads} dali {folder}/shards/{{0..7}}.tar",
    },
    "images-lmdb": {"loader-pil": IMAGES + " lmdb {threads} loader-pil {folder}/pictures.lmdb"},
    "cifar": {
        "loader": CIFAR + " loader",
        "batched": CIFAR + " batched",
        "tfdata": CIFAR + " tfdata",
    },
    "tokens": {
        "loader": TOKENS + " loader {folder}/tokens.bin",
        "memmap": TOKENS + " memmap {folder}/tokens.bin",
    },
    "csv": {
        "pandas": TABLE + " pandas {folder}/table.csv",
        "pyarrow": TABLE + " pyarrow {folder}/table.csv",
    },
}
PEERS = sorted({peer for peers in WORKLOADS.values() for peer in peers})
# Workload: what make.py makes for it.
FILES = {
    "images-folder": ["jpeg"],
    "images-tar": ["shards"],
    "images-lmdb": ["pictures.lmdb"],
    "cifar": ["cifar.npy"],
    "tokens": ["tokens.bin"],
    "csv": ["table.csv"],
    "million": ["million"],
}
class Contenders:
    """build: folder of the build tree. folder: that of the files. scratch: for logs."""

    def __init__(self, build, folder, python, scratch):
        self.build = pathlib.Path(build).resolve()
        self.folder = folder
        self.python = python
        self.scratch = scratch

    def manifest(self, name):
        """What follows `broch COMMAND`."""
        plugin = self.build / "tests/bench/data_turns.so"
        return [HERE / "manifests" / f"{name}.json", f'plugins=["{plugin}"]']

    def broch(self, workload, threads, more=(), name="broch"):
        """more: further arguments of the program."""
        command = [
            self.build / "bin/broch",
            "train",
            *self.manifest(workload),
            f"log_dir={self.scratch}/{workload}-{threads}-{name}",
            "log_dir_action=delete",
            f"data.with.threads={threads}",
            *more,
        ]
        if workload == "csv":
            command.append(f"{source_of(3)}.threads={threads}")
        more = {**environment(threads), "BROCH_BENCH_DATA": str(self.folder)}
        return Contender(name, command, cpus(threads), more)

    def peer(self, name, workload, threads):
        words = WORKLOADS[workload][name].split()
        command = [
            word.format(python=self.python, here=HERE, threads=threads, folder=self.folder)
            for word in words
        ]
        return Contender(name, command, cpus(threads), environment(threads))

    def million(self, threads):
        """images-folder on a million files: Broch with an index and without, and a DataLoader."""
        folder = f"{source_of(4)}.folder={self.folder}/million"
        yield self.broch("images-folder", threads, [folder])
        no_index = [folder, f"{source_of(4)}.use_index=false"]
        yield self.broch("images-folder", threads, no_index, "broch-no-index")
        words = ["folder", threads, "loader-pil", f"{self.folder}/million"]
        command = [self.python, HERE / "peers/images.py", *words]
        yield Contender("loader-pil", command, cpus(threads), environment(threads))


def source_of(depth):
    """The options of the dataflow inside so many others, in a manifest."""
    return "data" + ".with.dataflow" * depth + ".with"
