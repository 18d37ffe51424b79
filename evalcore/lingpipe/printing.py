"""How the documented classes print their statistics."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.typing import FloatArray, ScoreArray


def statistic_lines(statistics: Iterable[tuple[str, int | float]], indent: str = "  ") -> str:
    """Write one ``name=value`` line per statistic, indented."""
    return "\n".join(f"{indent}{name}={printed(value)}" for name, value in statistics)


def printed(value: int | float) -> str:
    """Write a number, floats by Python's shortest form, NaN and infinities as the original does."""
    return _as_the_original(repr(value))


def printed_in_columns(value: float) -> str:
    """Write a number with six decimals, eight characters wide; NaN and infinities as `printed` does."""
    return f"{value:8.6f}" if math.isfinite(value) else f"{printed(float(value)):>8}"


def read_only_rows(*columns: ScoreArray) -> FloatArray:
    """Stack columns of shape (p,) into a (p, c) float64 array that cannot be written to."""
    rows = np.empty((columns[0].size, len(columns)))
    for index, column in enumerate(columns):
        rows[:, index] = column
    rows.flags.writeable = False
    return rows


def histogram_lines(title: str, names: str, values: npt.NDArray[Any]) -> str:
    """Write a title, the names of k categories, separated by commas, and a value for each, (k,).  O(k)."""
    return f"{title}=\n  {names}\n  {_as_the_original(','.join(map(repr, values.tolist())))}"


def _as_the_original(numbers: str) -> str:
    return numbers.replace("nan", "NaN").replace("inf", "Infinity")
