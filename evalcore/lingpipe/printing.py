"""How the documented classes print their statistics."""

from collections.abc import Iterable

import numpy as np

from evalcore.typing import FloatArray, ScoreArray


def statistic_lines(statistics: Iterable[tuple[str, int | float]]) -> str:
    """Write one ``  name=value`` line per statistic, floats by Python's shortest form, NaN as the original does.

    >>> print(statistic_lines([("Total", 3), ("Recall", float("nan"))]))
      Total=3
      Recall=NaN
    """
    return "\n".join(f"  {name}={_java_name(repr(value))}" for name, value in statistics)


def read_only_rows(*columns: ScoreArray) -> FloatArray:
    """Stack columns of shape (p,) into a (p, c) float64 array that cannot be written to.

    >>> read_only_rows(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    array([[1., 3.],
           [2., 4.]])
    """
    rows = np.empty((columns[0].size, len(columns)))
    for index, column in enumerate(columns):
        rows[:, index] = column
    rows.flags.writeable = False
    return rows


def _java_name(text: str) -> str:
    return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(text, text)
