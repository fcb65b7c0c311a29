#!/usr/bin/env python3
"""The monitor notify: what it sends at which end, and that nothing of it holds up a training.

  notify_test.py BROCH PLUGIN
"""
import json
import pathlib
import signal
import sys
import threading
import time
import unittest

from post_server import PostServer
from training import Training


def notify(**options):
    return {"use": "notify", "with": options}


class Notify(Training):
    def posted(self, *arguments, options=None, **more):
        """What a run sends to a server."""
        with PostServer() as server:
            self.train(notify(url=server.url + "/hook", **(options or {})), *arguments, **more)
        return server.requests

    def test_a_finished_run(self):
        (path, headers, message), = self.posted()
        self.assertEqual((path, headers["Content-Type"]), ("/hook", "application/json"))
        self.assertEqual(message["text"], "log has finished in epoch 3 (global_step 15)")
        self.assertEqual([message[key] for key in ("run", "outcome", "reason", "exit_code", "epoch",
                                                   "global_step")],
                         ["log", "finished", "", 0, 3, 15])
        self.assertEqual(message["metrics"]["cost"], self.records()[-1]["cost"])
        self.assertEqual(message["log_dir"], str(self.folder / "log"))

    def test_a_run_that_fails_and_one_that_is_stopped(self):
        (_, _, message), = self.posted("optimizer.with.learning_rate=1e30", expect=6,
                                       callbacks=["nan-guard"], options={"text_member": "content"})
        self.assertEqual((message["outcome"], message["exit_code"]), ("failed", 6))
        self.assertRegex(message["content"], r"^log failed in epoch 1 \(global_step \d\): .*finite")
        self.assertNotIn("text", message)
        (_, _, message), = self.posted(callbacks=[{"use": "early-stopping", "with": {
            "monitor_stat": "learning_rate", "patience": 1}}], options={"run": "mine"})
        self.assertEqual(message["outcome"], "stopped")
        self.assertRegex(message["text"], r"^mine was stopped in epoch 2 \(global_step 10\): .")

    def test_only_the_ends_that_are_wanted(self):
        self.assertEqual(self.posted(options={"on": ["failed"]}), [])
        process, logged = self.start(notify(command="cat > sent", on=["interrupted"]))
        logged("cost: ")
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
        message = json.loads((self.folder / "sent").read_text())
        self.assertEqual((message["outcome"], message["exit_code"]), ("interrupted", 75))

    def test_a_resumed_run_knows_the_values_before(self):
        callbacks = [{"use": "derived-metric", "when": {"every_k_epochs": 2},
                      "with": {"name": "rare", "value": "epoch_num"}}, "model-saver"]
        self.posted("max_epoch=2", callbacks=callbacks)
        (_, _, message), = self.posted("--resume", callbacks=callbacks)
        self.assertEqual((message["epoch"], message["metrics"]["rare"]), (3, 2))

    def test_a_command_gets_the_text_and_the_json(self):
        self.train(notify(command='echo "$BROCH_TEXT" > text; cat > message'))
        self.assertEqual((self.folder / "text").read_text(),
                         "log has finished in epoch 3 (global_step 15)\n")
        self.assertEqual(json.loads((self.folder / "message").read_text())["outcome"], "finished")

    def test_what_fails_or_hangs_is_told_once_and_the_run_is_whole(self):
        said = self.train(notify(command="echo no mail >&2; exit 3"))
        self.assertEqual(said.count("the command of the notification failed: exit code 3"), 1)
        self.assertIn("no mail", said)
        begin = time.monotonic()
        said = self.train(notify(command="sleep 100 & sleep 100", seconds=0.5))
        self.assertIn("the command of the notification failed: it took more than 0.5 seconds", said)
        self.assertLess(time.monotonic() - begin, 90)
        with PostServer(lambda *_: (500, {"why": "full"})) as server:
            said = self.train(notify(url=server.url))
        self.assertIn('the server answered 500: {"why": "full"}', said)
        said = self.train(notify(url=server.url))  # where nobody listens any more
        self.assertIn("the notification by HTTP failed: curl: (7)", said)
        self.assertNotIn(server.url, said.replace("url", ""))
        over = threading.Event()
        with PostServer(lambda *_: (over.wait(), (200, {}))[1]) as server:
            said = self.train(notify(url=server.url, seconds=3))
            over.set()
        self.assertIn("the notification by HTTP failed: curl: (28)", said)

    def test_what_cannot_work_is_said_before_the_training(self):
        self.assertIn("found neither url nor command", self.train(notify(), expect=3))
        self.assertIn("found no program curl",
                      self.train(notify(url="http://localhost"), expect=1, env={"PATH": "/none"}))


if __name__ == "__main__":
    Training.broch = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1], verbosity=2)
