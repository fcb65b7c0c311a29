"""Trains what a manifest describes, and exports what was trained."""
from __future__ import annotations

import contextlib
import json
import os
import pathlib
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

from ._program import run_program

_LOG_DIR = "log_dir: "


def train(manifest: str | os.PathLike[str] | Mapping[str, Any], /,
          **overrides: Any) -> pathlib.Path:
    """Trains, and returns the log folder, which read_run and export take.

    manifest: the path of a manifest, or the manifest as a dict. Paths in a dict are relative to the
    working directory, as are log folders always.

    overrides: values that replace those of the manifest: `max_epoch=1`. Longer paths come in a
    dict: `**{"optimizer.with.learning_rate": 0.01}`. `"+callbacks": …` appends to a list, and
    `"~callbacks[test]": None` removes an entry. They mean the same as on the command line (`broch
    help overrides`); a str is always a str, and paths may be path objects.

    The log appears on sys.stderr while the program trains. Raises ProgramError with the message and
    the exit code of the program if it fails. After Ctrl-C it finishes the step and saves;
    KeyboardInterrupt follows, and the same call with `resume=True` continues.
    """
    words = [_word(path, value) for path, value in overrides.items()]
    with _file_of(manifest) as file:
        printed = run_program("train", file, *words)
    folders = [line for line in printed.splitlines() if line.startswith(_LOG_DIR)]
    return pathlib.Path(folders[-1][len(_LOG_DIR):])


def export(run: str | os.PathLike[str], bundle: str | os.PathLike[str]) -> pathlib.Path:
    """Writes the model of a log folder into one file, which Predictor opens; returns that file."""
    run_program("export", _path(run), "-o", _path(bundle))
    return pathlib.Path(bundle)


def _path(path: str | os.PathLike[str]) -> str:
    """Never an option of the program."""
    text = os.fspath(path)
    return f"./{text}" if text.startswith("-") else text


@contextlib.contextmanager
def _file_of(manifest: str | os.PathLike[str] | Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(manifest, Mapping):
        yield _path(manifest)
        return
    # In the working directory, to which its paths are then relative.
    with tempfile.NamedTemporaryFile("w", dir=".", prefix=".manifest-", suffix=".json",
                                     encoding="utf-8") as file:
        file.write(_json({"name": "run", **manifest}))
        file.flush()
        yield os.path.relpath(file.name)


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):  # of NumPy
        return value.tolist()
    raise TypeError(f"{type(value).__name__} in a manifest, expected JSON, paths or arrays")


def _word(path: str, value: Any) -> str:
    """The override as a word of the command line."""
    if path.startswith("-"):
        raise ValueError(f"{path!r}: an option, expected a path of the manifest")
    if not path.startswith("~"):
        return f"{path}={_json(value)}"
    if value is not None:
        raise ValueError(f"{path!r}: {value!r}, expected None, since ~ removes")
    return path
