"""import broch, in the environment and folder of wheel_test."""
import ast
import json
import os
import pathlib
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest
import unittest.mock

import broch
import numpy
import pandas

DIGITS = broch.samples / "digits/layers.json"
ONE = {"max_epoch": 1, "~callbacks[test]": None}
POINTS = {
    "broch": 1,
    "model": {"use": "sequential", "with": {
        "inputs": [{"name": "x", "shape": [-1, 2]}, {"name": "y", "shape": [-1]}],
        "layers": [{"layer": "fully_connected", "units": 1}], "loss": "mse"}},
    "dataflow": {"use": "batch", "with": {"batch_size": 4, "dataflow": {"use": "arrays", "with": {
        "components": [{"file": "points/x.npy", "name": "x"}, {"file": "points/y.npy", "name": "y"}]}}}},
    "optimizer": {"use": "sgd", "with": {"learning_rate": 0.1}},
    "max_epoch": 2,
}


def held_out_digits():
    """Images and labels that the sample does not train on."""
    table = numpy.loadtxt(broch.samples / "digits/data/digits.csv", delimiter=",")[4::5]
    return (table[:, :64].reshape(-1, 1, 8, 8) / 16).astype("float32"), table[:, 64].astype(int)


def require_torch(test):
    if subprocess.run([sys.executable, "-c", "import torch"], capture_output=True).returncode:
        test.skipTest("no torch that can be imported")


class Place(unittest.TestCase):
    def test_a_torch_that_cannot_be_found_is_none(self):
        """As a stand-in of other tests, which has no __spec__."""
        code = ("import sys, types; sys.modules['torch'] = types.ModuleType('torch');"
                "from broch._place import environment;"
                "print(environment().get('BROCH_TORCH_DIR'))")
        variables = {name: text for name, text in os.environ.items() if name != "BROCH_TORCH_DIR"}
        done = subprocess.run([sys.executable, "-c", code], env=variables, text=True,
                              capture_output=True, check=True)
        self.assertEqual(done.stdout, "None\n")

    def test_python_of_rhel_9_can_read_it(self):
        """That is 3.9, which would evaluate `str | None` and fail."""
        for file in pathlib.Path(broch.__file__).parent.glob("*.py"):
            with self.subTest(file):
                text = file.read_text()
                ast.parse(text, feature_version=(3, 9))
                if " | " in text:
                    self.assertIn("from __future__ import annotations", text)


class Names(unittest.TestCase):
    def test_every_name_is_there(self):
        """Also before Predictor was used."""
        for name in broch.__all__:
            code = f"import broch; assert {name!r} in dir(broch); broch.{name}"
            subprocess.run([sys.executable, "-c", code], check=True)
        self.assertTrue(issubclass(broch.InputError, broch.Error))
        self.assertTrue(issubclass(broch.Cancelled, broch.Error))
        with self.assertRaisesRegex(AttributeError, "no attribute 'Cancle'"):
            broch.Cancle

    def test_broch_model_is_that_of_this_installation(self):
        folder = broch.prefix / "share/broch/python"
        code = "import broch_model, broch; assert broch.Error is broch_model.Error"
        subprocess.run([sys.executable, "-c", code], check=True,
                       env={**os.environ, "PYTHONPATH": str(folder)})
        code = ("import sys, types; sys.modules['broch_model'] = other = types.ModuleType('other');"
                "import broch; broch.Predictor; assert sys.modules['broch_model'] is other")
        subprocess.run([sys.executable, "-c", code], check=True)


class Program(unittest.TestCase):
    def test_has_the_version_of_the_package(self):
        printed = subprocess.run([sys.executable, "-m", "broch", "version", "--json"],
                                 stdout=subprocess.PIPE, check=True).stdout
        self.assertEqual(json.loads(printed)["broch"], broch.__version__)

    def test_ends_like_others_when_its_reader_has_left(self):
        """As in `broch help manifest | head`, where others end by SIGPIPE and say nothing."""
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([sys.executable, "-m", "broch", "help", "manifest"], stdout=writer,
                              stderr=subprocess.PIPE, text=True)
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, ""))


class Train(unittest.TestCase):
    def test_trains_reads_and_predicts(self):
        folder = broch.train(DIGITS, log_dir="digits", max_epoch=3, **{
            "~callbacks[test]": None, "optimizer.with.learning_rate": numpy.float32(0.001)})
        self.assertEqual(folder, pathlib.Path("digits").resolve())
        frame = broch.read_run(folder)
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(list(frame.columns[:2]), ["epoch_num", "global_step"])
        self.assertEqual(list(frame.epoch_num), [1, 2, 3])
        self.assertAlmostEqual(frame.learning_rate[0], 0.001, places=6)
        self.assertLess(frame.validation_error.iloc[-1], 0.2)
        variables = dict(os.environ)
        predict = broch.Predictor(broch.export(folder, "digits.bundle"))
        self.assertEqual(dict(os.environ), variables)
        images, labels = held_out_digits()
        self.assertGreater((predict(images).argmax(1) == labels).mean(), 0.9)
        with self.assertRaisesRegex(broch.InputError, "expected float32"):
            predict(images.astype("float64"))
        cancel = broch.Cancel()
        cancel.set()
        with self.assertRaises(broch.Cancelled):
            predict(images, cancel=cancel)

    def test_variables_are_those_of_the_user(self):
        code = ("import broch, os\nbefore = dict(os.environ)\n"
                "try: broch.Predictor(b'no bundle')\n"
                "except broch.Error: print(dict(os.environ) == before)")
        for variables in {}, {"BROCH_PYTHON": "another", "BROCH_TORCH_DIR": ""}:
            done = subprocess.run([sys.executable, "-c", code], env={**os.environ, **variables},
                                  text=True, capture_output=True, check=True)
            self.assertEqual(done.stdout, "True\n")

    def test_a_manifest_may_be_a_dict(self):
        os.makedirs("points", exist_ok=True)
        numpy.save("points/x.npy", numpy.ones((8, 2), "float32"))
        numpy.save("points/y.npy", numpy.ones(8, "float32"))
        folder = broch.train(POINTS, log_dir=pathlib.Path("from_dict"))
        self.assertEqual(len(broch.read_run(folder)), 2)
        self.assertEqual(json.loads((folder / "manifest.json").read_text())["max_epoch"], 2)
        self.assertEqual([name for name in os.listdir() if name.startswith(".manifest-")], [])

    def test_a_dict_without_a_name_has_its_own_folder(self):
        for folder in pathlib.Path("train_log").glob("run*"):
            shutil.rmtree(folder)
        points = {**POINTS, "dataflow": {"use": "fake", "with": {"size": 8, "components": [
            {"name": "x", "shape": [4, 2]}, {"name": "y", "shape": [4]}]}}}
        first, second = broch.train(points, max_epoch=1), broch.train(points, max_epoch=2)
        self.assertEqual([len(broch.read_run(folder)) for folder in (first, second)], [1, 2])
        named = broch.train(points, name="run", log_dir_action="keep", max_epoch=1)
        self.assertEqual(named, first)
        for resume in True, "auto":
            with self.assertRaisesRegex(ValueError, "^resume: .*expected a name or a log_dir"):
                broch.train(points, resume=resume)

    def test_a_rank_other_than_0_has_no_log_folder(self):
        """Its program prints none."""
        with unittest.mock.patch("broch._training.run_program", return_value="") as run:
            self.assertIsNone(broch.train(DIGITS))
        run.assert_called_once_with("train", str(DIGITS))

    def test_says_what_is_wrong(self):
        with self.assertRaises(broch.ProgramError) as raised:
            broch.train(DIGITS, **{"model.with.widht": 8})
        self.assertEqual(raised.exception.exit_code, 3)
        self.assertRegex(str(raised.exception), "^override model.with.widht: .*unknown key 'widht'")
        self.assertIn("hint: ", str(raised.exception))
        with self.assertRaises(ValueError):
            broch.train(DIGITS, **{"--resume": True})
        with self.assertRaises(ValueError):
            broch.train(DIGITS, **{"~callbacks[test]": 1})
        with self.assertRaisesRegex(ValueError, "^max_epoch: nan, expected a finite number"):
            broch.train(DIGITS, max_epoch=float("nan"))
        with self.assertRaisesRegex(ValueError, "^/model/with/layers/0/units: inf"):
            broch.train({"model": {"with": {"layers": [{"units": numpy.array(numpy.inf)}]}}})
        with self.assertRaisesRegex(TypeError, "^max_epoch: set, expected"):
            broch.train(DIGITS, max_epoch={1})
        with self.assertRaisesRegex(TypeError, "^/vars: the key 1, expected a str"):
            broch.train({"vars": {1: "a", "1": "b"}})
        with self.assertRaisesRegex(ValueError, "^'max_epoch=1': with '=', expected a path"):
            broch.train(DIGITS, **{"max_epoch=1": 2})
        with self.assertRaisesRegex(ValueError, "^x: .* write it into the manifest"):
            broch.train(DIGITS, x="x" * 200000)
        with self.assertRaisesRegex(FileNotFoundError, "stats.json"):
            broch.read_run("nowhere")

    def test_errors_are_pickled_for_other_processes(self):
        code = "import pickle, sys; print(repr(pickle.load(sys.stdin.buffer)))"
        for error in broch.ProgramError("no such file", 3), broch.InputError("another dtype"):
            done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(error),
                                  stdout=subprocess.PIPE, check=True)
            self.assertEqual(done.stdout.decode().strip(), repr(error))
        again = pickle.loads(pickle.dumps(broch.ProgramError("no such file", 3)))
        self.assertEqual((str(again), again.exit_code), ("no such file", 3))

    def test_what_follows_an_error_is_no_part_of_it(self):
        errors = broch._program._Errors()
        for line in ("12:00:00 warning it is late", "12:00:00 error it failed", "  on line 3",
                     "12:00:01 misbehavior callback 'watch' left 1 of its threads running"):
            errors.add(line + "\n")
        self.assertEqual(errors.text(), "it failed\n  on line 3")

    def test_colors_are_no_part_of_messages(self):
        with unittest.mock.patch.dict(os.environ, CLICOLOR_FORCE="1"):
            with self.assertRaisesRegex(broch.ProgramError, "^nowhere.json: no such file") as raised:
                broch.train("nowhere.json")
        self.assertNotIn("\x1b", str(raised.exception))

    def test_a_log_folder_of_any_letters(self):
        name = "page\x0cline\x85separator\u2028"
        self.assertEqual(broch.train(DIGITS, log_dir=name, **ONE).name, name)

    def test_letters_of_any_locale(self):
        """Here Python takes the names of files for ASCII, and the program for UTF-8."""
        code = (f"import broch; folder = broch.train({str(DIGITS)!r}, log_dir='gr\\xf6\\xdfe',"
                "max_epoch=1, **{'~callbacks[test]': None}); print(len(broch.read_run(folder)))")
        variables = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        done = subprocess.run([sys.executable, "-c", code], env={**os.environ, **variables},
                              text=True, stdout=subprocess.PIPE, check=True)
        self.assertEqual(done.stdout, "1\n")
        self.assertTrue(pathlib.Path("größe/stats.json").exists())

    def test_a_damaged_run_and_a_bundle_that_is_there(self):
        folder = broch.train(DIGITS, log_dir="damaged", **ONE)
        for _ in range(2):
            broch.export(folder, "again.bundle", force=True)
        with self.assertRaisesRegex(broch.ProgramError, "exists already"):
            broch.export(folder, "again.bundle")
        (folder / "stats.json").write_text('[{"epoch_num": 1},')
        with self.assertRaisesRegex(ValueError, "damaged/stats.json: .*the file is damaged"):
            broch.read_run(folder)

    def test_a_failure_while_training_has_its_message(self):
        with self.assertRaises(broch.ProgramError) as raised:
            broch.train(DIGITS, log_dir="diverged", **ONE,
                        **{"optimizer.with.learning_rate": 1e30, "+callbacks": "nan-guard"})
        self.assertEqual(raised.exception.exit_code, 6)
        self.assertIn("expected a finite number", str(raised.exception))

    def test_metrics_of_some_epochs_are_nan_in_others(self):
        folder = broch.train(DIGITS, log_dir="rare", max_epoch=2, **{
            "callbacks[test].when.every_k_epochs": 2})
        self.assertEqual(list(broch.read_run(folder).test_error.isna()), [True, False])

    def test_the_log_is_shown_while_it_trains(self):
        code = (f"import broch; broch.train({str(DIGITS)!r}, log_dir='shown', **{{'max_epoch': 1,"
                "'~callbacks[test]': None})")
        done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=True)
        self.assertIn("Start Epoch 1", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_ctrl_c_saves_and_resume_continues(self):
        shutil.rmtree("interrupted", ignore_errors=True)

        def interrupt_soon():
            while not pathlib.Path("interrupted/stats.json").exists():
                time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt_soon, daemon=True).start()
        with self.assertRaises(KeyboardInterrupt):
            broch.train(DIGITS, log_dir="interrupted", max_epoch=100000, **{"~callbacks[test]": None})
        self.assertEqual(json.loads(pathlib.Path("interrupted/run.json").read_text())["exit"], 75)
        done = broch.read_run("interrupted").epoch_num.max()
        broch.train(DIGITS, log_dir="interrupted", max_epoch=int(done) + 1, resume=True,
                    **{"~callbacks[test]": None})
        self.assertEqual(broch.read_run("interrupted").epoch_num.max(), done + 1)

    def test_ctrl_c_twice_at_once_leaves_no_training_behind(self):
        """The second comes while the first is passed on."""
        shutil.rmtree("twice", ignore_errors=True)

        def interrupt_soon():
            while not pathlib.Path("twice/stats.json").exists():
                time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt_soon, daemon=True).start()
        with unittest.mock.patch("subprocess.Popen.send_signal", side_effect=KeyboardInterrupt):
            with self.assertRaises(KeyboardInterrupt):
                broch.train(DIGITS, log_dir="twice", max_epoch=100000, **{"~callbacks[test]": None})
        self.assertEqual(json.loads(pathlib.Path("twice/run.json").read_text())["exit"], 75)

    def test_a_killed_python_leaves_no_training_behind(self):
        shutil.rmtree("killed", ignore_errors=True)
        code = (f"import broch; broch.train({str(DIGITS)!r}, log_dir='killed', max_epoch=100000,"
                "**{'~callbacks[test]': None})")
        process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
        while not pathlib.Path("killed/stats.json").exists():
            time.sleep(0.05)
        process.kill()
        process.wait()
        for _ in range(300):
            ended = json.loads(pathlib.Path("killed/run.json").read_text())["exit"]
            if ended is not None:
                break
            time.sleep(0.1)
        self.assertEqual(ended, 75)

    def test_a_program_that_is_killed_with_its_group(self):
        shutil.rmtree("group", ignore_errors=True)
        real, started = subprocess.Popen, []

        def start(*arguments, **options):
            started.append(real(*arguments, **options))
            return started[-1]

        def kill_soon():
            while not pathlib.Path("group/stats.json").exists():
                time.sleep(0.05)
            os.killpg(started[0].pid, signal.SIGKILL)

        threading.Thread(target=kill_soon, daemon=True).start()
        with unittest.mock.patch("subprocess.Popen", start):
            with self.assertRaises(broch.ProgramError) as raised:
                broch.train(DIGITS, log_dir="group", max_epoch=100000, **{"~callbacks[test]": None})
        self.assertEqual(raised.exception.exit_code, -signal.SIGKILL)

    def test_a_log_that_cannot_be_shown_ends_the_training(self):
        code = ("import broch, os, sys\n"
                "class Full:\n"
                "    def write(self, text): raise OSError('full')\n"
                "sys.stderr = Full()\n"
                f"try: broch.train({str(DIGITS)!r}, log_dir='full', max_epoch=100000,"
                "**{'~callbacks[test]': None})\n"
                "except OSError: os._exit(9)\n")
        done = subprocess.run([sys.executable, "-c", code], timeout=100)
        self.assertEqual(done.returncode, 9)

    def test_pytorch_may_be_in_the_same_process(self):
        require_torch(self)
        folder = broch.train(DIGITS, log_dir="together", **ONE)
        broch.export(folder, "together.bundle")
        use_torch = "import torch; torch.nn.Conv2d(1, 4, 3)(torch.zeros(2, 1, 8, 8))"
        use_broch = ("import broch, numpy; broch.Predictor('together.bundle')"
                     "(numpy.zeros((2, 1, 8, 8), 'float32'))")
        # The library leaves alone what PyTorch may compute.
        free = "assert not torch.are_deterministic_algorithms_enabled()"
        for first, second in (use_torch, use_broch), (use_broch, use_torch):
            subprocess.run([sys.executable, "-c", f"{first}; {second}; {free}"], check=True)


class ExportFromPyTorch(unittest.TestCase):
    def test_a_loss_leaves_batch_norm_as_it_was(self):
        require_torch(self)
        pathlib.Path("norm_net.py").write_text(
            "import collections, torch\n"
            "def make():\n"
            "    return torch.nn.Sequential(collections.OrderedDict(\n"
            "        first=torch.nn.Linear(3, 2), norm=torch.nn.BatchNorm1d(2)))\n")
        script = broch.prefix / "share/broch/python/broch_export.py"
        subprocess.run([sys.executable, script, "norm_net:make", "--input", "4x3", "--loss", "mse",
                        "-o", "norm.pt2"], check=True)
        code = ("import torch\n"
                "tensors = torch.export.load('norm.pt2').state_dict\n"
                "assert tensors['norm.running_mean'].tolist() == [0, 0], tensors\n"
                "assert tensors['norm.running_var'].tolist() == [1, 1], tensors\n"
                "assert tensors['norm.num_batches_tracked'] == 0, tensors\n")
        subprocess.run([sys.executable, "-c", code], check=True)


if __name__ == "__main__":
    unittest.main(buffer=True)
