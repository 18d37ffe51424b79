"""Columns as data frames of other libraries, and rows as a table of a page."""

import html
from collections.abc import Mapping, Sequence
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


def to_html(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of cells, the first of them the head, as an HTML table.

    >>> to_html([["a<b"], ["1"]])
    '<table><tr><th>a&lt;b</th></tr><tr><td>1</td></tr></table>'
    """
    lines = []
    for place, row in enumerate(rows):
        tag = "td" if place else "th"
        lines.append("".join(["<tr>", *(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row), "</tr>"]))
    return f"<table>{''.join(lines)}</table>"


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise EvaluationError(f"{name} is not installed; pip install {name}") from None
