"""Computes trained models in this process, through libbroch (broch_model.py)."""
from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
import threading
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from ._place import environment, prefix


def _loaded_model() -> ModuleType:
    """broch_model, which lies in a folder of the installation that need not be on Python's path.

    One that was imported from another installation belongs to the library there.
    """
    file = prefix / "share/broch/python/broch_model.py"
    imported = sys.modules.get("broch_model")
    origin = getattr(imported, "__file__", None)
    if imported and origin and os.path.realpath(origin) == os.path.realpath(file):
        return imported
    spec = importlib.util.spec_from_file_location("broch_model", file)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules.setdefault("broch_model", module)
    return module


broch_model = _loaded_model()
Cancel, Cancelled = broch_model.Cancel, broch_model.Cancelled
Error, InputError = broch_model.Error, broch_model.InputError
for _class in Cancel, Cancelled, Error, InputError:
    _class.__module__ = "broch"  # where a process that gets a pickle finds it
_TORCH = ("BROCH_TORCH_DIR", "BROCH_PYTHON")
_environ_in_use = threading.RLock()  # the function `log` may open a model, too


@contextlib.contextmanager
def _torch_named() -> Iterator[None]:
    """For opening a model: the library reads variables of this process when it opens LibTorch.

    They are taken back, so that programs which this process starts have the variables of the user.
    """
    with _environ_in_use:
        before = {name: os.environ.get(name) for name in _TORCH}
        os.environ.update({name: text for name, text in environment().items() if name in _TORCH})
        try:
            yield
        finally:
            for name, text in before.items():
                os.environ.pop(name, None)
                if text is not None:
                    os.environ[name] = text


class Predictor(broch_model.Model):  # type: ignore[name-defined, misc]
    """An open bundle, the file that `broch export` and broch.export write, or its content as bytes.

    It is called with NumPy arrays, in the order of `inputs` or by their names, and gives an array,
    or a dict by name where there are several outputs. Any number of threads may call it at once.
    Errors are broch.Error, also broch.InputError. See share/doc/broch/embedding.md.
    """

    def __init__(self, bundle: str | os.PathLike[str] | bytes, threads: int = 0,
                 level: str = "fast", shapes: int = 0,
                 log: Callable[[str], None] | None = None) -> None:
        with _torch_named():
            super().__init__(bundle, threads=threads, level=level, shapes=shapes, log=log)

    def __call__(self, *arrays: Any, cancel: Any = None, **named: Any) -> Any:
        return super().__call__(*arrays, cancel=cancel, **named)
