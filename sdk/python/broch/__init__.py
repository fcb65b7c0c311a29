"""Broch from Python: trains what a manifest describes, reads runs, and computes trained models.

    import broch
    folder = broch.train(broch.samples / "digits/layers.json", max_epoch=3)
    frame = broch.read_run(folder)                        # a row for each record
    predict = broch.Predictor(broch.export(folder, "digits.bundle"))
    scores = predict(image)                               # a NumPy array

The program itself is the command `broch`, or `python -m broch`. `broch.prefix` is the folder of the
installation: the one that CMake is given to build plugins (`-DCMAKE_PREFIX_PATH`).
"""
from ._place import prefix, samples
from ._program import ProgramError
from ._runs import read_run
from ._training import export, train

__all__ = ["Cancel", "Cancelled", "Error", "InputError", "Predictor", "ProgramError", "export",
           "prefix", "read_run", "samples", "train"]

__version__ = "0.2.0"

_OF_PREDICTOR = ("Cancel", "Cancelled", "Error", "InputError", "Predictor")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._predictor import Cancel, Cancelled, Error, InputError, Predictor


def __getattr__(name: str) -> object:
    # The command `broch` imports this package, too, and has no use for NumPy and the library.
    if name in _OF_PREDICTOR:
        from . import _predictor
        return getattr(_predictor, name)
    raise AttributeError(f"module 'broch' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})  # for completion, also before Predictor was used
