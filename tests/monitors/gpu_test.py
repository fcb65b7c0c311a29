#!/usr/bin/env python3
"""The callback gpu-utilization-tracker, with a stand-in for nvidia-smi.

  gpu_test.py BROCH PLUGIN
"""
import os
import pathlib
import shutil
import sys
import unittest

from training import Training

STAND_IN = """#!/bin/sh
test "$*" = "--query-gpu=index,uuid,utilization.gpu --format=csv,noheader,nounits" || exit 9
echo >> count
echo 0, GPU-11aa, 37
echo 1, GPU-22bb, 0
echo 2, GPU-33cc, "[N/A]"
"""


class Gpu(Training):
    def use(self, program, script=None, expect=0, visible=None, **options):
        if script:
            (self.folder / program).write_text(script)
            (self.folder / program).chmod(0o755)
        tracker = {"use": "gpu-utilization-tracker", "with": {
            "program": program, "seconds": 0.1, **options}}
        # The last step waits for the second sample.
        mean = {"use": "simple-moving-average", "with": {"tensors": ["cost"], "window_size": 5}}
        wait = {"use": "send-stat", "with": {
            "command": "until test $(cat count 2>/dev/null | wc -l) -gt 1; do sleep 0.02; done",
            "names": ["cost/SMA"], "when_all_new": True}}
        callbacks = [tracker, mean, wait] if script == STAND_IN else [tracker]
        env = {name: value for name, value in os.environ.items() if name != "CUDA_VISIBLE_DEVICES"}
        if visible is not None:
            env["CUDA_VISIBLE_DEVICES"] = visible
        return self.train("json-writer", expect=expect, env=env, max_epoch=1, callbacks=callbacks)

    def reported(self, **options):
        self.use("./nvidia-smi", STAND_IN, **options)
        record = self.records()[-1]
        (self.folder / "count").unlink()
        shutil.rmtree(self.folder / "log")
        return {name: value for name, value in record.items() if name.startswith("GPUUtil/")}

    def test_a_metric_for_each_gpu(self):
        self.assertEqual(self.reported(), {"GPUUtil/0": 37, "GPUUtil/1": 0})

    def test_chosen_gpus(self):
        self.assertEqual(self.reported(devices=[0]), {"GPUUtil/0": 37})
        self.assertEqual(self.reported(devices=[0], visible="1"), {"GPUUtil/0": 37})
        self.assertEqual(self.reported(visible="1"), {"GPUUtil/1": 0})
        self.assertEqual(self.reported(visible="7, GPU-11"), {"GPUUtil/0": 37})
        self.assertEqual(self.reported(visible=""), {})

    def test_a_gpu_that_is_not_there(self):
        said = self.use("./nvidia-smi", STAND_IN, devices=[0, 7])
        self.assertEqual(said.count("/devices: ./nvidia-smi lists no GPU 7"), 1)

    def test_a_gpu_without_a_number(self):
        said = self.use("./nvidia-smi", STAND_IN, devices=[0, 2])
        self.assertEqual(said.count("./nvidia-smi gives no number for GPU 2"), 1)
        self.assertNotIn("lists no GPU", said)

    def test_a_part_of_a_gpu(self):
        said = self.use("./nvidia-smi", STAND_IN, visible="MIG-55ee")
        self.assertEqual(said.count("lists no GPU of CUDA_VISIBLE_DEVICES, MIG-55ee"), 1)

    def test_a_program_that_fails_or_is_missing(self):
        said = self.use("./nvidia-smi", "#!/bin/sh\necho no driver; exit 9\n")
        self.assertNotIn("GPUUtil", said)
        self.assertIn("/callbacks/0/with/program: ", self.use("no-such-program", expect=3))


if __name__ == "__main__":
    Training.broch = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1], verbosity=2)
