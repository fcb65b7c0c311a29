#!/usr/bin/env python3
"""samples/a3c-atari: a policy is trained while simulators play, and none of them is left behind.

  a3c_atari_test.py BROCH PLUGIN

BROCH_ATARI_PYTHON names the Python of tools/atari-python; without it most tests are skipped.
"""
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "samples/a3c-atari"
PYTHON = os.environ.get("BROCH_ATARI_PYTHON")
BROCH = PLUGIN = ""
BATCH, STEPS, GAMES = 128, 100, 16
SHORT = (f"steps_per_epoch={STEPS}", f"dataflow.with.games={GAMES // 2}")


class Sample(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def command(self, *overrides, python=PYTHON, verb="train"):
        return [BROCH, verb, SAMPLE / "pong.json", f"plugins={json.dumps([PLUGIN])}",
                f"vars.python={python}", *SHORT, *overrides]

    def start(self, *command):
        return subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True,
                                env={**os.environ, "TMPDIR": str(self.folder)})

    def ran(self, *command):
        with self.start(*command) as process:
            out, errors = process.communicate(timeout=600)
        return process.returncode, out, errors

    def broch(self, *command):
        code, out, errors = self.ran(*command)
        self.assertEqual(code, 0, errors)
        return out

    def stats(self, log_dir):
        return json.loads((self.folder / log_dir / "stats.json").read_text())

    def simulators(self):
        """The ids of the processes that play for a trainer in this folder."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes()
            except OSError:  # it has just ended
                continue
            if b"simulator.py" in words and str(self.folder).encode() in words:
                found.append(int(path.parent.name))
        return sorted(found)

    def wait_until(self, condition, seconds):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, "it takes too long")
            time.sleep(0.05)

    def check_nothing_is_left(self):
        self.assertEqual(self.simulators(), [])
        self.assertEqual(list(self.folder.glob("broch-a3c-*")), [])


@unittest.skipUnless(PYTHON, "BROCH_ATARI_PYTHON is not set")
class Playing(Sample):
    def test_it_learns_what_to_expect_and_leaves_nothing_behind(self):
        self.broch(*self.command("max_epoch=3", "log_dir=log"))
        self.check_nothing_is_left()
        stats = self.stats("log")
        for epoch in stats:
            learned = epoch["global_step"] * BATCH
            # Those in the queue, and those of each game that are not lessons yet.
            self.assertGreaterEqual(epoch["frames"], learned)
            self.assertLessEqual(epoch["frames"], learned + 2 * BATCH + 7 * GAMES)
            self.assertLess(epoch["entropy"], math.log(6))
            self.assertGreater(epoch["entropy"], 0.5)
            # 1: the policy is the one that has chosen the actions.
            self.assertAlmostEqual(epoch["importance"], 1, delta=0.2)
            self.assertTrue(math.isfinite(epoch["value_error"]))
        # A policy that knows nothing loses a point every 50 frames, and one of 21 now and then.
        self.assertLess(stats[-1]["predicted_return"], -0.3)
        self.assertGreaterEqual(stats[-1]["episodes"], 10)
        self.assertGreaterEqual(stats[-1]["episode_score"], -21)
        self.assertLess(stats[-1]["episode_score"], -10)

        with self.subTest("a resumed training goes on counting"):
            self.broch(*self.command("max_epoch=4", "log_dir=log"), "--resume")
            more = self.stats("log")
            self.assertGreaterEqual(more[3]["frames"], stats[2]["frames"] + (STEPS - 3) * BATCH)
            self.assertGreaterEqual(more[3]["episodes"], stats[2]["episodes"])
        with self.subTest("whole episodes are played with the policy"):
            out = self.broch(*self.command(
                "callbacks[a3c.score].with.episodes=2",
                "--checkpoint", "log/model-300.safetensors", verb="eval"))
            score = float(re.search(r"score\s+(-?[\d.]+)", out)[1])
            self.assertEqual(score * 2, round(score * 2))
            self.assertTrue(-21 <= score <= 21, out)
            self.check_nothing_is_left()

    def play(self):
        """A training in which all simulators play."""
        process = self.start(*self.command("max_epoch=1000", "log_dir=log"))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        stats = self.folder / "log/stats.json"
        self.wait_until(lambda: stats.exists() and stats.stat().st_size > 10, 120)
        self.assertEqual(len(self.simulators()), 2)
        return process

    def test_a_simulator_that_dies_ends_the_training(self):
        process = self.play()
        os.kill(self.simulators()[0], signal.SIGKILL)
        _, errors = process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("a simulator has ended with signal 9", errors)
        self.check_nothing_is_left()

    def test_simulators_end_when_the_trainer_is_killed(self):
        process = self.play()
        process.kill()
        process.wait()
        self.wait_until(lambda: not self.simulators(), 10)
        self.wait_until(lambda: not list(self.folder.glob("broch-a3c-*")), 10)

    def test_a_signal_ends_all(self):
        process = self.play()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.check_nothing_is_left()

    def test_a_frame_has_the_means_of_the_screen(self):
        self.broch(PYTHON, "-c", f"""
import sys; sys.path.insert(0, {str(SAMPLE)!r})
import numpy, simulator
screen = numpy.random.default_rng(1).integers(0, 256, (210, 160)).astype("uint8")
# Each pixel as 2 x 21 equal parts, of which a frame's pixel has 5 x 40.
parts = screen.repeat(2, 0).repeat(21, 1).reshape(84, 5, 84, 40).mean((1, 3))
assert abs(simulator.shrunk(screen).astype(float) - parts).max() <= 0.51
""")


class NotPlaying(Sample):
    def check_refused(self, python, *texts):
        code, _, errors = self.ran(*self.command("log_dir=log", python=python))
        self.assertNotEqual(code, 0)
        for text in ("ale-py, numpy and pyzmq", "samples/a3c-atari/run", *texts):
            self.assertIn(text, errors)
        self.check_nothing_is_left()

    def test_a_python_that_is_not_there(self):
        self.check_refused("/nowhere/python", "cannot start /nowhere/python")

    def test_a_python_without_the_packages(self):
        bare = self.folder / "python"
        bare.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
        bare.chmod(0o755)
        self.check_refused(bare, "exit code 1", "No module named")

    def test_episodes_have_to_be_shared_by_the_simulators(self):
        code, _, errors = self.ran(*self.command(
            "log_dir=log", "callbacks[a3c.score].with.episodes=3", python="python3"))
        self.assertNotEqual(code, 0)
        self.assertIn("expected a multiple of processes, 2", errors)


if __name__ == "__main__":
    BROCH, PLUGIN, *rest = sys.argv[1:]
    unittest.main(argv=[sys.argv[0], *rest])
