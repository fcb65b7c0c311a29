#!/usr/bin/env python3
"""The callback gpu-utilization-tracker, with a stand-in for nvidia-smi.

  gpu_test.py BROCH PLUGIN
"""
import pathlib
import sys
import unittest

from training import Training

STAND_IN = """#!/bin/sh
test "$*" = "--query-gpu=index,utilization.gpu --format=csv,noheader,nounits" || exit 9
echo >> count
echo 0, 37
echo 1, 0
"""


class Gpu(Training):
    def use(self, program, script=None, expect=0):
        if script:
            (self.folder / program).write_text(script)
            (self.folder / program).chmod(0o755)
        tracker = {"use": "gpu-utilization-tracker", "with": {"program": program, "seconds": 0.1}}
        # The last step waits for the second sample.
        mean = {"use": "simple-moving-average", "with": {"tensors": ["cost"], "window_size": 5}}
        wait = {"use": "send-stat", "with": {
            "command": "until test $(cat count 2>/dev/null | wc -l) -gt 1; do sleep 0.02; done",
            "names": ["cost/SMA"], "when_all_new": True}}
        callbacks = [tracker, mean, wait] if script == STAND_IN else [tracker]
        return self.train("json-writer", expect=expect, max_epoch=1, callbacks=callbacks)

    def test_a_metric_for_each_gpu(self):
        self.use("./nvidia-smi", STAND_IN)
        record = self.records()[-1]
        self.assertEqual((record["GPUUtil/0"], record["GPUUtil/1"]), (37, 0))

    def test_a_program_that_fails_or_is_missing(self):
        said = self.use("./nvidia-smi", "#!/bin/sh\necho no driver; exit 9\n")
        self.assertNotIn("GPUUtil", said)
        self.assertIn("/callbacks/0/with/program: ", self.use("no-such-program", expect=3))


if __name__ == "__main__":
    Training.broch = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1], verbosity=2)
