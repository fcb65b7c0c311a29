#!/usr/bin/env python3
"""What tf-event-writer writes, read by a plain reader, and by TensorBoard where
BROCH_REFERENCE_PYTHON names a Python that has it.

  tensorboard_test.py BROCH PLUGIN

PLUGIN has the callback test.presenter.
"""
import io
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import unittest
import wave

import event_file
from training import MANIFEST, Training

HERE = pathlib.Path(__file__).resolve().parent
PLUGIN = ""


class TensorBoard(Training):
    def write_events(self, options, *arguments, expect=0, **more):
        """What a run of two epochs has written, by tag."""
        self.train({"use": "tf-event-writer", "with": options}, *arguments, expect=expect,
                   plugins=[PLUGIN], **{"max_epoch": 2, **more})
        return event_file.by_tag(self.folder / "log")

    def test_texts_sounds_and_pictures(self):
        found = self.write_events({}, callbacks=["test.presenter"])
        self.assertEqual([step for step, _ in found["words"]], [5, 10])
        words = event_file.Tensor(found["words"][1][1])
        self.assertEqual((words.plugin, words.shape, words.elements),
                         ("text", [1], ["**epoch** 2"]))
        sound = event_file.fields(found["tone"][0][1][6][0])
        self.assertEqual((sound[1], sound[2], sound[3], sound[5]),
                         ([8000.0], [2], [3], [b"audio/wav"]))
        with wave.open(io.BytesIO(sound[4][0])) as file:
            self.assertEqual((file.getframerate(), file.getnchannels(), file.getsampwidth()),
                             (8000, 2, 2))
            # 0, 1, 0.5, -1, 2 and -0.25 times 32767; 2 is cut off at 1.
            self.assertEqual(struct.unpack("<6h", file.readframes(3)),
                             (0, 32767, 16384, -32767, 32767, -8192))
        for k in range(3):
            picture = event_file.fields(found[f"dots/{k}"][0][1][4][0])
            self.assertEqual(event_file.gray_pixels(picture[4][0]), [[2 * k + 1, 2 * k + 2]])

    def test_pictures_of_one_name_as_a_grid(self):
        found = self.write_events({"image_columns": 2}, callbacks=["test.presenter"])
        self.assertFalse([tag for tag in found if tag.startswith("dots/")])
        picture = event_file.fields(found["dots"][0][1][4][0])
        self.assertEqual((picture[1], picture[2], picture[3]), ([4], [6], [1]))
        black = [0] * 6
        self.assertEqual(event_file.gray_pixels(picture[4][0]),
                         [[1, 2, 0, 0, 3, 4], black, black, [5, 6, 0, 0, 0, 0]])

    def test_events_in_a_folder_of_their_own(self):
        self.assertEqual(self.write_events({"logdir": "events"}), {})
        found = event_file.by_tag(self.folder / "events")
        self.assertEqual([step for step, _ in found["cost"]], [5, 10])

    def test_events_of_components_and_of_the_end_are_lines_of_the_log(self):
        self.write_events({}, callbacks=["test.presenter"])
        lines = [(event.step, event.message) for event in event_file.events(self.folder / "log")
                 if event.message]
        self.assertEqual(lines, [
            (5, "org.example.news: epoch 1"), (10, "org.example.news: epoch 2"),
            (10, 'broch.training-ended: {"outcome":"finished","reason":"","exit_code":0}')])

    def sizes(self, seconds):
        """Of the event file, after each step of an epoch."""
        shutil.rmtree(self.folder / "log", ignore_errors=True)
        self.write_events({"max_queue": 1000, "flush_secs": seconds}, max_epoch=1, callbacks=[
            {"use": "simple-moving-average", "with": {"tensors": ["cost"], "window_size": 1}},
            {"use": "periodic-trigger", "with": {"every_k_steps": 1, "callback": {
                "use": "send-stat", "with": {
                    "command":
                        "sleep 0.2; cat log/events.out* | wc -c >> log/sizes; : {cost/SMA}",
                    "names": ["cost/SMA"]}}}}])
        return [int(size) for size in (self.folder / "log" / "sizes").read_text().split()][:5]

    def test_events_wait_for_flush_secs_at_most(self):
        at_once = self.sizes(0)
        self.assertEqual(at_once, sorted(at_once))
        self.assertLess(at_once[0], at_once[-1])  # it grows within the epoch
        waiting = self.sizes(1000)
        self.assertEqual((len(waiting), len(set(waiting))), (5, 1))

    def curve(self, found, tag):
        tensor = event_file.Tensor(found[tag][-1][1])
        self.assertEqual(tensor.plugin, "pr_curves")
        n = event_file.one(tensor.content, 2, 0)
        self.assertEqual(tensor.shape, [6, n])
        return [tensor.elements[row * n:(row + 1) * n] for row in range(6)]

    def test_precision_over_recall_of_each_class(self):
        found = self.write_events({}, callbacks=[{"use": "inference-runner", "with": {
            "dataflow": self.digits(), "inferencers": [
                {"use": "pr-curve", "with": {"thresholds": 5, "prefix": "test"}}]}}])
        totals = set()
        for k in range(10):
            hit, false, right, missed, precision, recall = self.curve(found, f"test_pr_curve/{k}")
            totals |= {sum(counts) for counts in zip(hit, false, right, missed)}
            self.assertEqual((right[0], missed[0]), (0, 0))  # all reach the threshold 0
            for i in range(5):
                reached = hit[i] + false[i]
                self.assertAlmostEqual(precision[i], hit[i] / reached if reached else 0, places=6)
                self.assertAlmostEqual(recall[i], hit[i] / hit[0], places=6)
                self.assertTrue(i == 0 or hit[i] <= hit[i - 1])
        self.assertEqual(totals, {100})

    def digits(self):
        """The first hundred digits."""
        arrays = MANIFEST["dataflow"]["with"]["dataflow"]["with"]["dataflow"]
        return {"use": "batch", "with": {"batch_size": 30, "remainder": True, "dataflow": {
            "use": "take", "with": {"dataflow": arrays, "points": 100}}}}

    def graph(self, *arguments, options=None):
        """(op, inputs, shapes of results) of the nodes of the graph, by name."""
        self.write_events({"graph": True, **(options or {})}, *arguments)
        written = [event.graph for event in event_file.events(self.folder / "log") if event.graph]
        self.assertEqual(len(written), 1)
        nodes = {}
        for node in map(event_file.fields, event_file.fields(written[0])[1]):
            attributes = {event_file.one(entry, 1): event_file.one(entry, 2)
                          for entry in node.get(5, [])}
            shapes = [[event_file.signed(event_file.one(size, 1, 0))
                       for size in event_file.fields(shape).get(2, [])]
                      for shape in event_file.fields(event_file.one(
                          attributes[b"_output_shapes"], 1))[7]]
            inputs = [name.decode() for name in node.get(3, [])]
            self.assertNotIn(node[1][0].decode(), nodes)
            nodes[node[1][0].decode()] = (node[2][0].decode(), inputs, shapes)
        return nodes

    def test_the_graph_of_the_model(self):
        nodes = self.graph()
        self.assertEqual(nodes["image"], ("Placeholder", [], [[-1, 64]]))
        self.assertEqual(nodes["0/weight"], ("Parameter", [], [[8, 64]]))
        self.assertEqual(nodes["0/linear"],
                         ("aten::linear", ["flatten.using_ints", "0/weight", "0/bias"], [[-1, 8]]))
        self.assertEqual(nodes["0/relu"], ("aten::relu", ["0/linear"], [[-1, 8]]))
        for _, inputs, _ in nodes.values():
            self.assertLessEqual({name.split(":")[0] for name in inputs}, nodes.keys())
        self.assertEqual([op for op, _, _ in nodes.values()].count("Output"), 1)

    def test_a_model_without_a_graph_is_trained(self):
        (self.folder / "text").write_text("abcdefgh" * 40)
        said = self.train(
            {"use": "tf-event-writer", "with": {"graph": True}}, max_epoch=1,
            model={"use": "lstm-lm", "with": {"vocabulary": 256, "width": 8, "units": 8,
                                              "layers": 1}},
            dataflow={"use": "batch", "with": {"batch_size": 2, "dataflow": {
                "use": "tokens", "with": {"file": "text", "dtype": "uint8", "length": 8}}}})
        self.assertIn("warning", said)
        self.assertIn("no graph of the model is written: ", said)
        self.assertFalse([event for event in event_file.events(self.folder / "log")
                          if event.graph])

    def test_the_graph_changes_nothing_in_the_training(self):
        costs = []
        for graph in (True, False):
            shutil.rmtree(self.folder / "log", ignore_errors=True)
            self.write_events({"graph": graph})
            costs.append([record["cost"] for record in json.loads(
                (self.folder / "log" / "stats.json").read_text())])
        self.assertEqual(*costs)

    HPARAMS = ["optimizer.with.learning_rate", "model.use", "model.with.hidden.0",
               "runtime.deterministic"]

    def hparams(self, found):
        """Hyper-parameters and the status of the end."""
        begin = event_file.Tensor(found["_hparams_/session_start_info"][0][1])
        self.assertEqual(begin.plugin, "hparams")
        values = {}
        for entry in event_file.fields(event_file.one(begin.content, 3)).get(1, []):
            value = event_file.fields(event_file.one(entry, 2))
            name = event_file.one(entry, 1).decode()
            values[name] = value.get(2, value.get(3, value.get(4)))[0]
        end = found.get("_hparams_/session_end_info")
        status = end and event_file.one(event_file.one(event_file.Tensor(end[0][1]).content, 4), 1)
        return values, status

    def test_hyper_parameters_and_how_the_run_ended(self):
        found = self.write_events({"hparams": self.HPARAMS})
        values, status = self.hparams(found)
        self.assertEqual(values["optimizer.with.learning_rate"], 0.1)
        self.assertEqual(values["model.use"], b"broch.model.mlp")
        self.assertEqual(values["model.with.hidden.0"], 8)
        self.assertIn(values["runtime.deterministic"], (0, 1))
        self.assertEqual(status, 1)  # STATUS_SUCCESS
        self.write_events({"hparams": self.HPARAMS[:1]}, "optimizer.with.learning_rate=1e30",
                          "log_dir=failed", expect=6, callbacks=["nan-guard"])
        found = event_file.by_tag(self.folder / "failed")
        self.assertEqual(self.hparams(found)[1], 2)  # STATUS_FAILURE

    def test_a_place_that_the_manifest_does_not_have(self):
        said = self.train({"use": "tf-event-writer", "with": {"hparams": ["model.with.width"]}},
                          expect=3)
        self.assertIn("/monitors/2/with/hparams/0: ", said)
        self.assertIn("found 'model.with.width', expected a place in the manifest", said)

    @unittest.skipUnless(os.environ.get("BROCH_REFERENCE_PYTHON"), "no Python with TensorBoard")
    def test_tensorboard_itself_reads_all_of_it(self):
        self.write_events({"hparams": self.HPARAMS, "graph": True}, callbacks=[
            "test.presenter", {"use": "inference-runner", "with": {
                "dataflow": self.digits(), "inferencers": [{"use": "pr-curve"}]}}])
        script = HERE.parent / "reference" / "check_events.py"
        result = subprocess.run([os.environ["BROCH_REFERENCE_PYTHON"], script, "log"],
                                cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertIn("node 0/relu aten::relu 0/linear", lines)
        for line in ("audio tone 5:8000x2x3 10:8000x2x3", "text words 5:**epoch** 1 10:**epoch** 2",
                     "pr_curve validation_pr_curve/9 5:101 10:101",
                     "hparams model.use=broch.model.mlp model.with.hidden.0=8.0 "
                     "optimizer.with.learning_rate=0.1 runtime.deterministic=False success"):
            self.assertIn(line, lines)


if __name__ == "__main__":
    Training.broch = pathlib.Path(sys.argv.pop(1)).resolve()
    PLUGIN = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
