"""Times of a time zone as text, in local time with the offset from UTC, so that no hour is taken for another."""

from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.optional import require

_DATE = len("2013-01-31")


def zoned_texts(times: Any) -> npt.NDArray[Any]:
    """Return a pyarrow array of times of a zone, without nulls, as texts, (k,) objects.  O(k).

    >>> import pyarrow
    >>> zoned_texts(pyarrow.array([0, 90], pyarrow.timestamp("s", "America/New_York"))).tolist()
    ['1969-12-31T19:00-05:00', '1969-12-31T19:01:30-05:00']
    """
    pa, compute = require("pyarrow", "report"), require("pyarrow.compute", "report")
    unit = times.type.unit
    local = compute.local_timestamp(times).cast(pa.int64()).to_numpy().view(f"M8[{unit}]")
    offsets = (local - times.cast(pa.int64()).to_numpy().view(f"M8[{unit}]")).astype("m8[m]").astype(np.int64)
    zone = "Z" if times.type.tz == "UTC" else ""
    written = zip(np.datetime_as_string(local, unit="auto").tolist(), offsets.tolist(), strict=True)
    texts = np.empty(len(times), object)
    texts[:] = [f"{_with_hours(text)}{zone or _offset_text(minutes)}" for text, minutes in written]
    return texts


def _with_hours(time: str) -> str:
    return f"{time}T00:00" if len(time) == _DATE else time


def _offset_text(minutes: int) -> str:
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours:02}:{rest:02}"
