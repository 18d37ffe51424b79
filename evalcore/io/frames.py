"""Columns as data frames of other libraries."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from evalcore.errors import EvaluationError

Columns = Mapping[str, Any]


def to_pandas(columns: Columns) -> Any:
    """Return columns as a pandas data frame.  Raises EvaluationError where pandas is missing.

    >>> to_pandas({"a": [1]}).shape
    (1, 1)
    """
    return _library("pandas").DataFrame(dict(columns))


def to_polars(columns: Columns) -> Any:
    """Return columns as a polars data frame.  Raises EvaluationError where polars is missing.

    >>> to_polars({"a": [1]}).shape
    (1, 1)
    """
    return _library("polars").DataFrame(dict(columns))


def to_arrow(columns: Columns) -> Any:
    """Return columns as a pyarrow table.  Raises EvaluationError where pyarrow is missing.

    >>> to_arrow({"a": [1]}).shape
    (1, 1)
    """
    return _library("pyarrow").table(dict(columns))


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise EvaluationError(f"{name} is not installed; pip install {name}") from None
