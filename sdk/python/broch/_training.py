"""Trains what a manifest describes, and exports what was trained."""
from __future__ import annotations

import contextlib
import json
import math
import os
import pathlib
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

from ._program import run_program

_LOG_DIR = "log_dir: "
_LONGEST_WORD = 128 * 1024  # of a command line on Linux


def train(manifest: str | os.PathLike[str] | Mapping[str, Any], /,
          **overrides: Any) -> pathlib.Path | Any:
    """Trains, and returns the log folder, which read_run and export take.

    In a process that a launcher has started as a rank other than 0, it returns None: the log folder
    is that of rank 0.

    manifest: the path of a manifest, or the manifest as a dict. Paths in a dict are relative to the
    working directory, as are log folders always. A dict without `name` and `log_dir` trains in a
    log folder of its own: `train_log/run`, `train_log/run-2` and so on.

    overrides: values that replace those of the manifest: `max_epoch=1`. Longer paths come in a
    dict: `**{"optimizer.with.learning_rate": 0.01}`. `"+callbacks": …` appends to a list, and
    `"~callbacks[test]": None` removes an entry. They mean the same as on the command line (`broch
    help overrides`); a str is always a str, and paths may be path objects.

    The log appears on sys.stderr while the program trains. Raises ProgramError with the message and
    the exit code of the program if it fails. After Ctrl-C it finishes the step and saves;
    KeyboardInterrupt follows, and the same call with `resume=True` continues. A dict then has to
    have a `name` or a `log_dir`, which says where.
    """
    words = [_word(path, value) for path, value in overrides.items()]
    if isinstance(manifest, Mapping):
        manifest = _with_folder(manifest, overrides)
    with _file_of(manifest) as file:
        printed = run_program("train", file, *words)
    # Not splitlines, which also ends lines at letters that the name of a folder may have.
    folders = [line for line in printed.split("\n") if line.startswith(_LOG_DIR)]
    # The program writes names of files in UTF-8, in whatever encoding Python holds them.
    return pathlib.Path(os.fsdecode(folders[-1][len(_LOG_DIR):].encode())) if folders else None


def export(run: str | os.PathLike[str], bundle: str | os.PathLike[str],
           force: bool = False) -> pathlib.Path:
    """Writes the model of a log folder into one file, which Predictor opens; returns that file.

    force: replaces a file that is there already.
    """
    run_program("export", _path(run), "-o", _path(bundle), *(["--force"] if force else []))
    return pathlib.Path(bundle)


def _path(path: str | os.PathLike[str]) -> str:
    """Never an option of the program."""
    text = os.fsdecode(path)
    return f"./{text}" if text.startswith("-") else text


def _with_folder(manifest: Mapping[str, Any], overrides: Mapping[str, Any]) -> Mapping[str, Any]:
    """The manifest with a name. One that says nothing of its folder gets a new one: it would else
    rename the folder of the one before, which a caller may still hold."""
    given = {**manifest, **overrides}
    if any(key in given for key in ("name", "log_dir", "extends")):
        return {"name": "run", **manifest}
    if given.get("resume") in (True, "auto"):
        raise ValueError(f"resume: {given['resume']!r}, expected a name or a log_dir beside it, "
                         "since a manifest that is a dict has a new log folder otherwise")
    return {"name": "run", "log_dir_action": "new", **manifest}


@contextlib.contextmanager
def _file_of(manifest: str | os.PathLike[str] | Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(manifest, Mapping):
        yield _path(manifest)
        return
    text = _json(manifest, "")
    # In the working directory, to which its paths are then relative.
    try:
        file = tempfile.NamedTemporaryFile("w", dir=".", prefix=".manifest-", suffix=".json",
                                           encoding="utf-8")
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror}; expected a working directory that can be "
                      "written, for a manifest that is a dict", os.getcwd()) from None
    with file:
        file.write(text)
        file.flush()
        yield os.path.relpath(file.name)


def _json(value: Any, place: str) -> str:
    try:
        return json.dumps(_plain(value, place), ensure_ascii=False)
    except RecursionError:
        raise ValueError(f"{place or 'manifest'}: contains itself, expected JSON") from None


def _plain(value: Any, place: str) -> Any:
    """What JSON can say. place: where in the manifest it is, for messages."""
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):  # JSON would make one key of 1 and "1"
                raise TypeError(f"{place or '/'}: the key {key!r}, expected a str")
        return {key: _plain(item, f"{place}/{key}") for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{place}/{number}") for number, item in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{place}: {value}, expected a finite number; JSON has no other")
    if isinstance(value, str) and not _is_unicode(value):
        raise ValueError(f"{place}: {value!r}, expected text that UTF-8 can write")
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, os.PathLike):
        return _plain(os.fspath(value), place)
    if hasattr(value, "tolist"):  # of NumPy
        return _plain(value.tolist(), place)
    raise TypeError(f"{place}: {type(value).__name__}, expected JSON, a path or an array")


def _is_unicode(text: str) -> bool:
    """Not so: names of files that are no UTF-8."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _word(path: str, value: Any) -> bytes:
    """The override as a word of the command line, in UTF-8 with every locale."""
    if path.startswith("-"):
        raise ValueError(f"{path!r}: an option, expected a path of the manifest")
    if "=" in path:
        raise ValueError(f"{path!r}: with '=', expected a path of the manifest, the value apart")
    if not path.startswith("~"):
        word = f"{path}={_json(value, path)}".encode()
        if len(word) >= _LONGEST_WORD:
            raise ValueError(f"{path}: {len(word)} bytes, expected fewer than {_LONGEST_WORD}; "
                             "write it into the manifest")
        return word
    if value is not None:
        raise ValueError(f"{path!r}: {value!r}, expected None, since ~ removes")
    return path.encode()
