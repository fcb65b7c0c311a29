"""contender.py: a live child that trains blocks of steps on demand, see ../README.md."""

import os
import select
import signal
import subprocess
import tempfile
import time

TAIL = 2000  # characters of a failed child's output that are shown


class Failed(Exception):
    """A contender died, hangs or answers nonsense. The text says which and ends with its output."""


class Contender:
    def __init__(self, name, command, cpus="", environment=None, timeout=600):
        self.name = name
        self.command = (["taskset", "-c", cpus] if cpus else []) + [str(part) for part in command]
        self.environment = {**os.environ, **(environment or {})}
        self.timeout = timeout  # seconds that an answer may take
        self.untimed = 0  # steps before those that run times
        self.process = None
        self.unread = b""

    def start(self):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env=self.environment,
            start_new_session=True,
        )
        self._answer("ready")

    def run(self, steps):
        """Seconds a step."""
        if self.untimed:
            self._ask(f"go {self.untimed}", "done")
        done, seconds = self._ask(f"go {steps}", "done")
        return float(seconds) / int(done)

    def loss(self):
        return float(self._ask("loss", "loss")[0])

    def batch(self):
        """Of one more batch of data: dtype, shape, mean."""
        dtype, shape, mean = self._ask("batch", "batch")
        return dtype, shape, float(mean)

    def memory(self, word):
        """In MiB, from a line of /proc/PID/status: VmRSS what is resident, VmHWM the most that ever
        was, RssAnon what is resident without mapped files."""
        with open(f"/proc/{self.process.pid}/status") as status:
            for line in status:
                if line.startswith(word + ":"):
                    return int(line.split()[1]) / 1024
        raise Failed(f"{self.name}: no {word} in /proc/{self.process.pid}/status")

    def stop(self):
        """Asks it to quit; kills it, with what it started, when it does not within ten seconds."""
        if self.process is None:
            return
        try:
            self.process.stdin.write(b"quit\n")
            self.process.stdin.close()
        except OSError:
            pass  # it is gone already
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self._kill()
        self.process.stdout.close()
        self.errors.close()
        self.process = None

    def _kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def _ask(self, command, word):
        try:
            self.process.stdin.write(command.encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            self._fail("does not listen any more")
        return self._answer(word)

    def _answer(self, word):
        """The words of the next line that begins with word; other lines are not meant for us."""
        until = time.monotonic() + self.timeout
        while True:
            line = self._line(until, word)
            first, *rest = line.split() or [""]
            if first == word:
                return rest

    def _line(self, until, word):
        while b"\n" not in self.unread:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                self._fail(f"did not say '{word}' within {self.timeout} s")
            chunk = os.read(self.process.stdout.fileno(), 65536)
            if not chunk:
                self._fail(f"ended before it said '{word}'")
            self.unread += chunk
        line, self.unread = self.unread.split(b"\n", 1)
        return line.decode(errors="replace")

    def _fail(self, what):
        self._kill()
        self.errors.seek(0)
        output = self.errors.read().decode(errors="replace")[-TAIL:]
        code = self.process.returncode
        raise Failed(f"{self.name} {what} (exit code {code}); it said:\n{output}")
