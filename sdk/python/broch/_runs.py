"""Log folders of trainings."""
from __future__ import annotations

import json
import os
import pathlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    import pandas


def read_run(folder: str | os.PathLike[str]) -> pandas.DataFrame:
    """The metrics of a run, from stats.json in its log folder: a row for each record.

    The first columns are epoch_num and global_step. A metric that a record does not have is NaN.
    There is a record before the first step, with epoch_num 0, one at the end of each epoch, and one
    where something is reported between steps. One row for each epoch, with the last value of each
    metric: frame[frame.epoch_num > 0].groupby("epoch_num").last()
    """
    import pandas  # takes a while, and the command `broch` does without
    file = pathlib.Path(folder) / "stats.json"
    if not file.exists():
        raise FileNotFoundError(f"{file} is not there, expected the log folder of a training in "
                                "which an epoch has ended and that has the monitor 'json-writer'")
    try:
        frame = pandas.DataFrame(json.loads(file.read_bytes())).apply(pandas.to_numeric)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{file}: {error}, expected the metrics that the monitor 'json-writer' "
                         "writes; the file is damaged") from None
    first = [name for name in ("epoch_num", "global_step") if name in frame]
    return frame[first + [name for name in frame if name not in first]]
