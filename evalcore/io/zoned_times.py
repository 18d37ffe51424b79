"""Times of a time zone as text, in local time with the offset from UTC, so that no hour is taken for another."""

import re
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from evalcore.optional import require

_FIXED = re.compile(r"([+-])(\d\d):(\d\d)")
_DATE = len("2013-01-31")


def zoned_texts(times: Any) -> npt.NDArray[Any]:
    """Return a pyarrow array of times of a zone, without nulls, as texts, (k,) objects.  O(k).

    >>> import pyarrow
    >>> zoned_texts(pyarrow.array([0, 90], pyarrow.timestamp("s", "America/New_York"))).tolist()
    ['1969-12-31T19:00-05:00', '1969-12-31T19:01:30-05:00']
    """
    unit, zone = times.type.unit, times.type.tz
    in_utc = _without_zone(times, unit)
    if fixed := _FIXED.fullmatch(zone):  # which pyarrow before 22 looks for in the database of zones
        sign, hours, minutes = fixed.groups()
        local = in_utc + np.timedelta64(int(f"{sign}{60 * int(hours) + int(minutes)}"), "m")
    else:
        local = _without_zone(require("pyarrow.compute", "report").local_timestamp(times), unit)
    offsets = (local - in_utc).astype("m8[m]").astype(np.int64)
    zone = "Z" if zone == "UTC" else ""
    written = zip(np.datetime_as_string(local, unit="auto").tolist(), offsets.tolist(), strict=True)
    texts = np.empty(len(times), object)
    texts[:] = [f"{_with_hours(text)}{zone or _offset_text(minutes)}" for text, minutes in written]
    return texts


def _without_zone(times: Any, unit: str) -> npt.NDArray[np.datetime64]:
    numbers = times.cast(require("pyarrow", "report").int64()).to_numpy()
    return cast("npt.NDArray[np.datetime64]", numbers.view(f"M8[{unit}]"))


def _with_hours(time: str) -> str:
    return f"{time}T00:00" if len(time) == _DATE else time


def _offset_text(minutes: int) -> str:
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours:02}:{rest:02}"
