"""The program: in place of this process, or as a child whose errors are raised."""
from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable
from typing import NoReturn

from ._place import environment, prefix

_PROGRAM = str(prefix / "bin/broch")
# Becomes the program; a second process sends it SIGTERM if its input ends without a line, that is,
# if this Python is gone.
_WATCHED = """exec 3<&0 < /dev/null
( { read -r _ <&3 || kill -TERM $$; } > /dev/null 2>&1 & )
exec "$0" "$@" 3<&-"""
_LEVEL = re.compile(r"^(?:\d\d:\d\d:\d\d )?(misbehavior|error|warning|info|debug) ")


class ProgramError(RuntimeError):
    """The program has failed: its message, and its `exit_code` (`broch help exit-codes`)."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.exit_code), vars(self)


def main() -> NoReturn:
    """Becomes the program, with the arguments of this process."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and the program would, too
    os.execve(_PROGRAM, ["broch", *sys.argv[1:]], environment())


class _Errors:
    """The last lines of a log that belong to errors."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._open = False

    def add(self, line: str) -> None:
        level = _LEVEL.match(line)
        is_error = level is not None and level.group(1) == "error"
        if is_error and not self._open:
            self._lines = []
        if level is not None:
            self._open = is_error
        if self._open:
            self._lines.append(line[level.end():] if level else line)

    def text(self) -> str:
        return "".join(self._lines).strip()


def _show(lines: Iterable[str], errors: _Errors) -> None:
    for line in lines:
        errors.add(line)
        if sys.stderr:  # None where a Python has no terminal
            sys.stderr.write(line)
            sys.stderr.flush()


def _end_of(process: subprocess.Popen[str], errors: _Errors) -> int:
    """Shows the log until the program has ended. It gets Ctrl-C, upon which it saves and ends."""
    assert process.stderr
    interrupted = False
    while True:
        try:
            _show(process.stderr, errors)
            code = process.wait()
            break
        except KeyboardInterrupt:
            interrupted = True
            process.send_signal(signal.SIGINT)
        except BaseException:  # of sys.stderr: nobody would see the rest of the training
            process.terminate()
            for _ in process.stderr:
                pass
            process.wait()
            raise
    if interrupted:
        raise KeyboardInterrupt
    return code


def _end_watch(process: subprocess.Popen[str]) -> None:
    """Where the program still runs, as when Ctrl-C has come twice at once, this ends it, too."""
    assert process.stdin
    with contextlib.suppress(BrokenPipeError):  # killed, as the program was
        if process.poll() is not None:
            process.stdin.write("\n")
        process.stdin.close()  # not only flush: whoever closes it later would write the line again


def run_program(command: str, *arguments: str | bytes) -> str:
    """Runs `broch COMMAND ARGUMENTS`; its log is written to sys.stderr, what it prints is returned.

    It has a process group of its own, so that Ctrl-C in a terminal reaches it once, not twice. If
    this process is killed, as when a notebook restarts, the program saves and ends. The log has no
    colors, whatever CLICOLOR_FORCE says, since messages are read from it.
    """
    words = ["/bin/sh", "-c", _WATCHED, _PROGRAM, "--color", "never", command, *arguments]
    process = subprocess.Popen(words, env=environment(), text=True, encoding="utf-8",
                               errors="replace", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
    printed: list[str] = []
    reader = threading.Thread(target=lambda: printed.extend(process.stdout or ()))
    errors = _Errors()
    with process:
        try:
            reader.start()
            code = _end_of(process, errors)
        finally:
            _end_watch(process)
        reader.join()
    if code:
        raise ProgramError(errors.text() or f"broch {command} has ended with {code}", code)
    return "".join(printed)
