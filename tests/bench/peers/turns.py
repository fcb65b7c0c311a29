"""turns.py: the protocol of a contender, see ../README.md; the twin of turns.hpp."""

import os
import sys
import time

# What libraries print must not look like an answer.
_answers = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)


class Turns:
    """Counts steps for a loop that is not ours."""

    def __init__(self, read_cost, describe=None):
        self.read_cost = read_cost  # waits for what runs and gives the cost of the last step
        self.describe = describe  # takes one more batch, and says its dtype, shape and mean
        self.left = 0

    def ready(self):
        """Waits for the first command. False: the run is over."""
        print("ready", file=_answers)
        return self._wait()

    def steps_done(self, count=1):
        """After each step, or after count of them. False: the run is over."""
        self.left -= count
        if self.left > 0:
            return True
        self.cost = self.read_cost()
        seconds = time.perf_counter() - self.begin
        print(f"done {self.asked - self.left} {seconds:.9f}", file=_answers)
        return self._wait()

    def _wait(self):
        for line in sys.stdin:
            word, *rest = line.split()
            if word == "loss":
                print(f"loss {self.cost:.9g}", file=_answers)
            elif word == "batch":
                print(f"batch {self.describe()}", file=_answers)
            elif word == "quit":
                return False
            elif word == "go":
                self.asked = self.left = int(rest[0])
                self.begin = time.perf_counter()
                return True
        return False


def serve(run, read_cost):
    """A contender whose run(n) trains n steps."""
    turns = Turns(read_cost)
    go_on = turns.ready()
    while go_on:
        run(turns.asked)
        go_on = turns.steps_done(turns.asked)
