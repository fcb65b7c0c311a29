"""Where the installation and LibTorch are."""
from __future__ import annotations

import importlib.util
import os
import pathlib
import sys

_HERE = pathlib.Path(__file__).resolve().parent


def _found_prefix() -> pathlib.Path:
    """Inside the package of a wheel; otherwise PREFIX of PREFIX/share/broch/python/broch."""
    inside = _HERE / "prefix"
    return inside if inside.exists() else _HERE.parents[3]


prefix: pathlib.Path = _found_prefix()
samples: pathlib.Path = prefix / "share/broch/samples"


def _package_torch() -> str | None:
    """The folder of the package torch, which is not imported."""
    try:
        found = importlib.util.find_spec("torch")
    except (ImportError, ValueError):  # of what others left in sys.modules or sys.meta_path
        return None
    return os.path.dirname(found.origin) if found and found.origin else None


def environment() -> dict[str, str]:
    """The variables for the program: those of this process, and LibTorch in the package torch.

    What BROCH_TORCH_DIR names already stays, and so does a LibTorch that came with the program.
    Otherwise, BROCH_PYTHON tells the program whose pip can bring a LibTorch that fits.
    """
    variables = dict(os.environ)
    if not variables.get("BROCH_TORCH_DIR") and not (prefix / "lib/broch/torch").exists():
        torch = _package_torch()
        if torch:
            variables["BROCH_TORCH_DIR"] = torch
        variables["BROCH_PYTHON"] = sys.executable or "python3"
    return variables
