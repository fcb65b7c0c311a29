#!/usr/bin/env python3
"""The monitor mlflow: its files, read line by line, and by MLflow where BROCH_REFERENCE_PYTHON
names a Python that has it; and what it says to a server.

  mlflow_test.py BROCH PLUGIN
"""
import fcntl
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest

from post_server import PostServer
from training import Training


def mlflow(**options):
    return {"use": "mlflow", "with": options}


def meta(folder):
    """The lines "key: value" of meta.yaml."""
    lines = (folder / "meta.yaml").read_text().splitlines()
    return {key: value.strip("'") for key, value in (line.split(": ", 1) for line in lines)}


def texts(folder):
    return {file.name: file.read_text() for file in folder.iterdir()}


def series(run, metric):
    """(step, value) of each line."""
    lines = [line.split(" ") for line in (run / "metrics" / metric).read_text().splitlines()]
    return [(int(step), float(value)) for time, value, step in lines if int(time) > 1e12]


# What MLflow reads of the runs of an experiment.
READ = """
import sys
from mlflow.tracking import MlflowClient
client = MlflowClient("file://" + sys.argv[1])
experiment = client.get_experiment_by_name(sys.argv[2])
for run in client.search_runs([experiment.experiment_id]):
    history = client.get_metric_history(run.info.run_id, "cost")
    cost = [(point.step, point.value) for point in history]
    print(run.info.status, run.info.run_name, run.data.params["model.use"], sorted(cost))
"""


class Files(Training):
    def runs(self, name="Default"):
        """Folders of the runs of an experiment."""
        experiment, = [folder for folder in (self.folder / "mlruns").iterdir()
                       if meta(folder)["name"] == name]
        self.assertEqual(meta(experiment)["experiment_id"], experiment.name)
        return [folder for folder in experiment.iterdir() if folder.is_dir()]

    def expected(self, metric):
        return [(record["global_step"], record[metric]) for record in self.records()
                if metric in record]

    def test_a_run(self):
        self.train(mlflow(run="first", tags={"team": "vision"}))
        run, = self.runs()
        self.assertEqual(run.parent.name, "0")
        said = meta(run)
        self.assertRegex(run.name, "^[0-9a-f]{32}$")
        self.assertEqual((said["run_id"], said["run_name"], said["status"]),
                         (run.name, "first", "3"))
        self.assertLess(int(said["start_time"]), int(said["end_time"]))
        self.assertEqual(said["artifact_uri"], f"file://{run}/artifacts")
        self.assertEqual(texts(run / "params")["optimizer.with.learning_rate"], "0.1")
        self.assertEqual(texts(run / "params")["model.with.hidden.0"], "8")
        self.assertEqual(texts(run / "tags")["team"], "vision")
        self.assertEqual(texts(run / "tags")["mlflow.runName"], "first")
        self.assertEqual(len(self.expected("cost")), 3)
        self.assertEqual(series(run, "cost"), self.expected("cost"))

    def test_a_run_that_looks_for_its_experiment_keeps_others_from_making_it(self):
        meta_file = self.folder / "mlruns" / "7" / "meta.yaml"
        meta_file.parent.mkdir(parents=True)
        os.mkfifo(meta_file)  # where the run waits
        self.write(mlflow(experiment="mine"))
        process = subprocess.Popen([self.broch, "train", "run.json"], cwd=self.folder,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        pipe = None
        while pipe is None:
            self.assertIsNone(process.poll())
            try:
                pipe = os.open(meta_file, os.O_WRONLY | os.O_NONBLOCK)
            except OSError:  # nobody reads yet
                time.sleep(0.05)
        folder = os.open(meta_file.parent.parent, os.O_RDONLY)
        try:
            with self.assertRaises(BlockingIOError):
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.close(folder)
            os.close(pipe)
        self.assertEqual(process.wait(timeout=60), 0)
        meta_file.unlink()
        meta_file.parent.rmdir()
        self.assertEqual(len(self.runs("mine")), 1)

    def test_names_that_are_no_files_and_chosen_parameters(self):
        self.train(mlflow(experiment="it's mine", params=["model.use"]), callbacks=[
            {"use": "derived-metric", "with": {"name": name, "value": "epoch_num"}}
            for name in ("../up", "a (b)", "cost/SMA")])
        run, = self.runs("it''s mine")
        self.assertEqual(set(texts(run / "params")), {"model.use"})
        self.assertLess({"__.up", "a _b_", "cost.SMA", "cost"}, set(texts(run / "metrics")))
        self.assertFalse((run / "up").exists())
        self.train(mlflow(experiment="it's mine"))
        self.assertEqual(len(self.runs("it''s mine")), 2)

    def go_back(self, last, step):
        """As if there were no later checkpoint than that of step."""
        (self.folder / "log" / f"model-{last}.safetensors").unlink()
        (self.folder / "log" / "checkpoint").write_text(
            f'model_checkpoint_path: "model-{step}"\n'
            f'all_model_checkpoint_paths: "model-{step}"\n')

    def test_a_resumed_run_has_each_value_once_and_a_branch_is_a_run_of_its_own(self):
        saver = [{"use": "model-saver", "when": {"every_k_epochs": 2}}]
        self.train(mlflow(), callbacks=saver, max_epoch=4)
        self.go_back(20, 10)
        self.train(mlflow(), "--resume", callbacks=saver, max_epoch=3)
        run, = self.runs()
        self.assertEqual([step for step, _ in series(run, "cost")], [5, 10, 15])
        self.assertEqual(series(run, "cost"), self.expected("cost"))
        self.assertEqual(meta(run)["status"], "3")
        self.train(mlflow(), f"--resume={self.folder}/log/model-10.safetensors", "log_dir=branch",
                   callbacks=saver, max_epoch=3)
        other, = [folder for folder in self.runs() if folder != run]
        self.assertEqual([step for step, _ in series(other, "cost")], [15])

    def test_a_part_without_the_monitor_costs_no_values_of_the_part_before(self):
        saver = ["model-saver"]
        self.train(mlflow(), callbacks=saver, max_epoch=2)
        first, = self.runs()
        self.train("csv-writer", "--resume", callbacks=saver, max_epoch=3)
        self.train(mlflow(), "--resume", callbacks=saver, max_epoch=4)
        self.assertEqual([step for step, _ in series(first, "cost")], [5, 10])
        second, = [folder for folder in self.runs() if folder != first]
        self.assertEqual([step for step, _ in series(second, "cost")], [20])

    def test_lines_that_a_power_failure_has_cost_are_not_counted(self):
        saver = ["model-saver"]
        self.train(mlflow(), callbacks=saver, max_epoch=2)
        run, = self.runs()
        cost = run / "metrics" / "cost"
        cost.write_text(cost.read_text().splitlines(keepends=True)[0])
        self.train(mlflow(), "--resume", callbacks=saver, max_epoch=4)
        self.assertEqual([step for step, _ in series(run, "cost")], [5, 15, 20])
        self.go_back(20, 15)
        self.train(mlflow(), "--resume", callbacks=saver, max_epoch=4)
        self.assertEqual([step for step, _ in series(run, "cost")], [5, 15, 20])

    def test_how_it_ended(self):
        self.train(mlflow(), "optimizer.with.learning_rate=1e30", expect=6, callbacks=["nan-guard"])
        run, = self.runs()
        self.assertEqual(meta(run)["status"], "4")
        shutil.rmtree(self.folder / "mlruns")
        process, logged = self.start(mlflow())
        logged("cost: ")
        run, = self.runs()
        self.assertEqual((meta(run)["status"], meta(run)["end_time"]), ("1", "null"))
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
        self.assertEqual(meta(run)["status"], "5")

    def test_of_two_metrics_with_one_name_in_mlflow_the_first_is_there(self):
        said = self.train(mlflow(), callbacks=[
            {"use": "derived-metric", "with": {"name": name, "value": value}}
            for name, value in (("a/b", "1"), ("a.b", "2"), ("\u00fc", "3"), ("\u00f6", "4"))])
        run, = self.runs()
        self.assertEqual(series(run, "a.b"), [(5, 1), (10, 1), (15, 1)])
        self.assertEqual(series(run, "__"), [(5, 3), (10, 3), (15, 3)])
        self.assertEqual(said.count("is left out of MLflow"), 2)
        self.assertRegex(said, "metric a.b is left out of MLflow, where it would have the name a.b, "
                         "as a/b has; rename one of them")

    def test_of_two_metrics_with_one_name_the_first_is_there_after_a_resume_too(self):
        first, second = ({"use": "derived-metric", "with": {"name": name, "value": value}}
                         for name, value in (("a/b", "1"), ("a.b", "2")))
        callbacks = [first, "model-saver", second]  # a resumed run begins with second
        self.train(mlflow(), callbacks=callbacks, max_epoch=2)
        self.train(mlflow(), "--resume", callbacks=callbacks)
        run, = self.runs()
        self.assertEqual(series(run, "a.b"), [(5, 1), (10, 1), (15, 1)])

    def test_a_disk_that_was_full_costs_no_values_and_leaves_no_half_lines(self):
        process, logged = self.start(mlflow(seconds=0), callbacks=[
            {"use": "derived-metric", "when": {"every_k_steps": 1},
             "with": {"name": "step", "value": "global_step"}}])
        logged("Start Epoch 2")
        run, = self.runs()
        file = run / "metrics" / "step"
        limit = file.stat().st_size + 1000
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        logged("lines could not be appended")
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        for _ in range(600):
            if file.stat().st_size > limit:
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
        steps = [step for step, _ in series(run, "step")]
        self.assertGreater(file.stat().st_size, limit)
        self.assertEqual(steps, list(range(1, len(steps) + 1)))

    @unittest.skipUnless(os.environ.get("BROCH_REFERENCE_PYTHON"), "no Python with MLflow")
    def test_mlflow_itself_reads_it(self):
        self.train(mlflow(experiment="mine", run="first"))
        result = subprocess.run([os.environ["BROCH_REFERENCE_PYTHON"], "-c", READ,
                                 self.folder / "mlruns", "mine"],
                                capture_output=True, text=True,
                                env={**os.environ, "MLFLOW_ALLOW_FILE_STORE": "true"})
        self.assertEqual(result.stdout, f"FINISHED first broch.model.mlp {self.expected('cost')}\n",
                         result.stderr)


class Server(Training):
    def answer(self, path, body):
        """A server with no experiment, at first."""
        function = path.removeprefix("/api/2.0/mlflow/")
        return 200, {"experiments/search": {}, "experiments/create": {"experiment_id": "7"},
                     "runs/create": {"run": {"info": {"run_id": "abc"}}}}.get(function, {})

    def test_a_run(self):
        with PostServer(self.answer) as server:
            self.train(mlflow(server=server.url + "/", experiment="digits", run="first"),
                       env={**os.environ, "MLFLOW_TRACKING_TOKEN": "se\"cret"})
        self.assertFalse((self.folder / "mlruns").exists())
        self.assertEqual({headers["Authorization"] for _, headers, _ in server.requests},
                         {'Bearer se"cret'})
        asked = [(path.removeprefix("/api/2.0/mlflow/"), body) for path, _, body in server.requests]
        self.assertEqual(asked[0], ("experiments/search",
                                    {"filter": "name = 'digits'", "max_results": 1}))
        self.assertEqual(asked[1], ("experiments/create", {"name": "digits"}))
        self.assertEqual((asked[2][0], asked[2][1]["experiment_id"], asked[2][1]["run_name"]),
                         ("runs/create", "7", "first"))
        batches = [body for function, body in asked if function == "runs/log-batch"]
        self.assertEqual({body["run_id"] for body in batches}, {"abc"})
        params = [param for body in batches for param in body.get("params", [])]
        self.assertIn({"key": "optimizer.with.learning_rate", "value": "0.1"}, params)
        cost = [(metric["step"], metric["value"]) for body in batches
                for metric in body.get("metrics", []) if metric["key"] == "cost"]
        self.assertEqual(cost, [(record["global_step"], record["cost"])
                                for record in self.records() if "cost" in record])
        self.assertEqual((asked[-1][0], asked[-1][1]["status"]), ("runs/update", "FINISHED"))

    def test_an_experiment_that_another_run_makes_at_the_same_time(self):
        made = []

        def answer(path, body):
            if path.endswith("experiments/create"):
                made.append(body)
                return 400, {"error_code": "RESOURCE_ALREADY_EXISTS"}
            if path.endswith("experiments/search") and made:
                return 200, {"experiments": [{"experiment_id": "8"}]}
            return self.answer(path, body)
        with PostServer(answer) as server:
            self.train(mlflow(server=server.url, experiment="digits"), max_epoch=1)
        self.assertEqual([body["experiment_id"] for path, _, body in server.requests
                          if path.endswith("runs/create")], ["8"])

    def test_a_server_that_fails_or_hangs_costs_values_not_the_run(self):
        over = threading.Event()

        def answer(path, body):
            if "metrics" in body:
                over.wait()
            return self.answer(path, body)
        with PostServer(answer) as server:
            said = self.train(mlflow(server=server.url, timeout=2))
            over.set()
        self.assertRegex(said, f"MLflow misses a part of this training: {self.values()} values were "
                         r"lost \(failed requests: 1, dropped: \d\); the first failure: MLflow's "
                         r"runs/log-batch: curl")
        self.assertEqual(len(self.records()), 3)

    def test_a_slow_server_gets_a_limited_time_at_the_end(self):
        def answer(path, body):
            if "metrics" in body:
                time.sleep(0.3)
            return self.answer(path, body)
        with PostServer(answer) as server:
            begin = time.monotonic()
            said = self.train(mlflow(server=server.url, seconds=0, end_seconds=1),
                              callbacks=[{"use": "derived-metric", "when": {"every_k_steps": 1},
                                          "with": {"name": "step", "value": "global_step"}}],
                              steps_per_epoch=200, max_epoch=1)
            took = time.monotonic() - begin
        lost, dropped = map(int, re.search(
            r"MLflow misses a part of this training: (\d+) values were lost \(failed requests: \d, "
            r"dropped: (\d+)\)", said).groups())
        received = sum(len(body["metrics"]) for _, _, body in server.requests if "metrics" in body)
        self.assertGreater(received, 0)
        self.assertGreater(dropped, 10)
        self.assertLess(took, 50)  # all 200 requests would take 60 seconds
        # A request that was cut off may have arrived.
        self.assertIn(received + lost - self.values(), (0, 1, 2))

    def test_a_slow_server_gets_the_values_of_short_epochs_together(self):
        def answer(path, body):
            if "metrics" in body:
                time.sleep(0.3)
            return self.answer(path, body)
        with PostServer(answer) as server:
            said = self.train(mlflow(server=server.url), steps_per_epoch=1, max_epoch=100)
        self.assertNotIn("MLflow misses", said)
        received = sum(len(body["metrics"]) for _, _, body in server.requests if "metrics" in body)
        self.assertEqual(received, self.values())

    def values(self):
        """How many values of metrics the records have."""
        return sum(len(record) - 2 for record in self.records())

    def test_no_server_at_the_start_is_a_mistake(self):
        self.assertRegex(self.train(mlflow(server="http://127.0.0.1:9"), expect=1),
                         r"MLflow's experiments/search: curl: \(7\)")
        with PostServer(lambda *_: (200, ["no object"])) as server:
            self.assertIn("is this the address of an MLflow server?",
                          self.train(mlflow(server=server.url), expect=1))


if __name__ == "__main__":
    Training.broch = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1], verbosity=2)
