#!/usr/bin/env python3
"""samples/*/run: train for a moment and draw what was measured; and what they tell broch to do.

  run_test.py BUILD [NAME]...     of the tests

Fashion-MNIST has to be there.
"""
import functools
import json
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile
import unittest

from sample_root import PROJECT, SampleRoot

BUILD = ""
SAMPLES = ("cart-pole-dqn", "digits", "evolution", "exported", "fashion-mnist", "ppo", "tabular",
           "tensorpack")


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = SampleRoot(folder.name, BUILD, SAMPLES)

    def draws(self, log, sample, *arguments):
        done = self.root.run(sample, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        picture = self.root.folder / "train_log" / log / "plot.png"
        self.assertIn(f"picture: {picture}", done.stdout)
        self.assertEqual(picture.read_bytes()[:4], b"\x89PNG")
        return done

    def test_evolution(self):
        self.draws("evolution", "evolution", "max_epoch=2")

    def test_exported(self):
        self.draws("exported", "exported", "max_epoch=1")

    def test_tensorpack(self):
        self.draws("similarity_learning", "tensorpack", "similarity_learning", "max_epoch=1")
        done = self.root.run("tensorpack")
        self.assertEqual(done.returncode, 2)
        self.assertIn("samples/tensorpack/run NAME", done.stderr)

    def test_fashion_mnist(self):
        short = ("max_epoch=1", "steps_per_epoch=2", "model.with.width=4")
        self.draws("fashion-mnist-convnet", "fashion-mnist", *short)

    def test_cart_pole(self):
        self.draws("cart-pole-dqn", "cart-pole-dqn", "max_epoch=1")
        self.draws("ppo", "ppo", "max_epoch=2")

    def shorten(self, file, old, new):
        text = (self.root.folder / "samples" / file).read_text()
        self.assertIn(old, text)
        (self.root.folder / "samples" / file).write_text(text.replace(old, new))

    def test_tabular(self):
        """Also with fewer seeds than before."""
        self.shorten("tabular/breast_cancer.json", '"max_epoch": 60', '"max_epoch": 1')
        self.shorten("tabular/breast_cancer.sweep.json", "[0, 1, 2, 3, 4]", "[0]")
        for seeds in 2, 1:
            done = self.root.run("tabular", "--without-scikit-learn", "--seeds", str(seeds))
            self.assertEqual(done.returncode, 0, done.stderr)
            head = " | ".join(f"seed {number}" for number in range(1, seeds + 1))
            self.assertIn(f"| breast_cancer | {head} | mean | deviation |", done.stdout)


class Pictures(unittest.TestCase):
    def test_a_torn_event_file(self):
        def field(number, value):
            return bytes((number << 3 | 2, len(value))) + value

        picture = field(1, b"drawn/0") + field(4, field(4, b"a picture"))
        event = bytes((2 << 3, 7)) + field(5, field(1, picture))
        record = struct.pack("<Q", len(event)) + bytes(4) + event + bytes(4)
        for cut in 0, 5, 13, len(record) - 1:
            with self.subTest(cut), tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "events.out.tfevents.1"
                file.write_bytes(record + record[:cut])
                done = subprocess.run([PROJECT / "samples/gan/pictures", folder], text=True,
                                      capture_output=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                torn = f"{file}: {cut} bytes at the end are no whole record\n"
                self.assertEqual(done.stderr, torn if cut else "")
                drawn = pathlib.Path(folder) / "pictures/drawn-0-000007.png"
                self.assertEqual(drawn.read_bytes(), b"a picture")


class Told(unittest.TestCase):
    """With a script in place of broch, which notes what it is told."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def root_with(self, program, *samples):
        stand_in = self.folder / "build/bin/broch"
        stand_in.parent.mkdir(parents=True)
        stand_in.write_text(f'#!/bin/sh\necho "$*" >> {self.folder}/told\n{program}\n')
        stand_in.chmod(0o755)
        return SampleRoot(self.folder / "root", self.folder / "build", samples)

    def told(self, root, sample, *arguments):
        """The lines that broch got from a script that ends well."""
        done = root.run(sample, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = (self.folder / "told").read_text().splitlines()
        (self.folder / "told").unlink()
        return lines

    def test_dcgan_goes_on_with_a_classifier_that_was_interrupted(self):
        root = self.root_with(f"echo log_dir: {self.folder}", "dcgan", "gan")
        classifier = root.folder / "train_log/clothes-classifier"
        classifier.mkdir(parents=True)
        (classifier / "checkpoint").touch()
        for code, trains in (75, True), (0, False):
            record = json.dumps({"pid": 1, "exit": code, "settings": None}, indent=2)
            (classifier / "run.json").write_text(record)
            lines = self.told(root, "dcgan")
            trained = [line for line in lines if line.startswith("train ")]
            self.assertEqual(len(trained), 1 + trains, lines)
            self.assertEqual("--resume=auto" in trained[0], trains)

    def test_a_rehearsal_has_nothing_to_draw(self):
        """--fast-dev-run keeps no log folder, and so broch train prints none."""
        scripts = [file for file in (PROJECT / "samples").glob("*/run")
                   if file.read_text().startswith("#!/usr/bin/env bash")]
        root = self.root_with("", *(file.parent.name for file in scripts))
        for tool, said in {"atari-python": "true", "models-python": "true",
                           "cache": self.folder}.items():
            root.tool(tool, f"echo {said}")
        (self.folder / "fine-tune-photographs").mkdir()
        for file in scripts:
            name = file.parent.name
            words = ["ctc"] if name == "tensorpack" else []
            with self.subTest(name):
                lines = self.told(root, name, *words, "--fast-dev-run")
                self.assertRegex(lines[-1], "^train .* --fast-dev-run$")

    def test_race_keeps_its_results_where_a_new_one_cannot_be_written(self):
        settings = {
            "model": {"with": {"width": 4, "label_smoothing": 0}},
            "trainer": {"with": {"devices": ["cpu:0"]}}, "max_epoch": 1, "steps_per_epoch": 1,
            "optimizer": {"with": {"weight_decay": 0}},
            "callbacks": [{"with": {"phases": [{"peak": 1, "rise": 0.5}]}},
                          {"when": 'stat("test_error") <= 0.5 '}],
            "data": {"with": {"dataflow": {"with": {"batch_size": 1, "dataflow": {"with": {
                "transforms": [{"with": {"pad": 0, "flip": 0, "mean": [0], "std": [1]}}],
                "dataflow": {"with": {"dataflow": {"with": {"folder": "/"}}}}}}}}}},
        }
        (self.folder / "settings").write_text(json.dumps(settings))
        # Many, as the results are the longest file; and after some time, as the picture needs it.
        epochs = "{ sleep 0.1; seq 100 | sed 's/.*/test_error: 0.25/'; }"
        root = self.root_with(f"[ $1 = train ] && {epochs} || cat {self.folder}/settings", "race")
        words = ["--contenders", "broch", "--add", "--seeds"]
        done = root.run("race", *words, "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        results = root.folder / "train_log/race/race.json"
        before = results.read_text()
        self.assertEqual(len(json.loads(before)["results"]["broch"]), 1)
        _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        limit = functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (len(before), most))
        done = root.run("race", *words, "1,2", preexec_fn=limit)
        self.assertIn("File too large", done.stderr)
        self.assertEqual(results.read_text(), before)

    def test_strategies_says_what_it_wants(self):
        root = self.root_with("exit 9", "strategies")
        for words, code, said in ((["--help"], 0, "--only STRATEGY,..."),
                                  (["--only"], 2, "--only: expected one argument"),
                                  (["--only", "simpel"], 2, "--only: found simpel, expected some")):
            done = root.run("strategies", *words)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(said, done.stdout + done.stderr)
        self.assertFalse((self.folder / "told").exists())
        done = root.run("strategies", "seed=2", "--only", "simple", "--limit", "train=1")
        self.assertIn("simple ended with exit code 9", done.stderr)
        self.assertIn(" seed=2 --limit train=1\n", (self.folder / "told").read_text())

    def test_strategies_has_nothing_to_compare_after_a_rehearsal(self):
        done = self.root_with("", "strategies").run("strategies", "--fast-dev-run")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "simple: found nothing to compare after --fast-dev-run,"
                                      " expected statistics and checkpoints\n")

    def test_tabular_ends_with_a_sweep_that_fails(self):
        done = self.root_with("exit 9", "tabular").run("tabular", "--without-scikit-learn")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\A\S+/broch sweep \S+ ended with exit code 9\n\Z")


if __name__ == "__main__":
    BUILD = sys.argv[1]
    unittest.main(argv=sys.argv[:1] + [f"Run.test_{name}" for name in sys.argv[2:]], verbosity=2)
