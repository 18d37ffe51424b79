"""Types of the columns of text files in a condition, as pyarrow infers them for CSV, and what text is compared with.

DuckDB compares text with a number by casting the text to the type of the number as it is written: 1.234 equals 1.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from evalcore.errors import EvaluationError, at_index
from evalcore.io.text_cells import LONGEST_LINE
from evalcore.optional import require

_TEXT = "VARCHAR"
_ORDERED = re.compile("COMPARE_(LESS|GREATER)THAN.*")
_NUMBER = re.compile(r"\b(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|INTEGER_LITERAL|BIGNUM|DECIMAL|FLOAT|DOUBLE)\b")
_DATE = re.compile(r"\s*\d{4}-\d\d?-\d\d?\b.*", re.DOTALL)
_CODE = r"0[xX]?[\da-fA-F]+"
"""Digits that say more than their number does: 01 is not 1."""
_WIDER = {"int64": ("double",), "date32[day]": ("timestamp[s]", "timestamp[ns]"), "timestamp[s]": ("timestamp[ns]",)}
"""Types that later rows may need, and that compare with others as the first ones do."""


class ColumnTypes:
    """Gives columns of strings the types that pyarrow infers for those of CSV, the same in all batches.

    >>> import pyarrow
    >>> types = ColumnTypes()
    >>> types.typed(pyarrow.chunked_array([["10", " 2", None]]), "month", 0).to_pylist()
    [10, 2, None]
    >>> types.typed(pyarrow.chunked_array([["01", "2"]]), "code", 0).to_pylist()
    ['01', '2']
    """

    def __init__(self) -> None:
        self._known: dict[str, Any] = {}

    def typed(self, column: Any, name: str, first: int) -> Any:
        """Return a chunked array of strings as what they spell; text, codes such as 01 too, as it is.  O(letters).

        first: the index of its first row.  Raises EvaluationError if that is not what earlier rows spell.
        """
        pa = require("pyarrow", "report")
        known = self._known.get(name)
        values = column if known == pa.string() else _inferred(column)
        if known in (None, values.type) or pa.types.is_null(known) or str(values.type) in _WIDER.get(str(known), ()):
            self._known[name] = values.type
        elif pa.types.is_null(values.type) or str(known) in _WIDER.get(str(values.type), ()):
            values = values.cast(known)
        else:
            kinds = ["text" if kind == pa.string() else str(kind) for kind in (known, values.type)]
            raise EvaluationError(
                f"column {name!r} must hold values of one type in a condition, got {kinds[0]}, and {kinds[1]} in the "
                f"rows from {at_index(first).removeprefix('at ')} on; allow more memory (--memory SIZE), so that its "
                "type is chosen from all rows"
            )
        return values


def _inferred(column: Any) -> Any:
    pa, csv = require("pyarrow", "report"), require("pyarrow.csv", "report")
    if column.null_count == len(column):
        return pa.chunked_array([pa.nulls(len(column))])
    written = pa.BufferOutputStream()
    csv.write_csv(pa.table({"": column}), written, csv.WriteOptions(include_header=False))
    found = csv.read_csv(
        pa.BufferReader(written.getvalue()),
        csv.ReadOptions(column_names=[""], block_size=2 * LONGEST_LINE),
        csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        csv.ConvertOptions(null_values=[""]),  # NA may be Namibia
    ).column(0)
    codes = {"int64": _CODE, "double": rf"({_CODE}|\d{{19,}})"}.get(str(found.type))
    pc = require("pyarrow.compute", "report")
    is_code = codes is not None and pc.any(pc.match_substring_regex(column, rf"^\s*[+-]?{codes}\s*$")).as_py()
    return column if is_code or found.type == pa.string() else found


class Comparison(NamedTuple):
    """Expressions that a condition compares with each other, as trees."""

    operands: Sequence[Mapping[str, Any]]
    by_order: bool
    """Whether it asks which one comes first."""


def dates_of(comparisons: Sequence[Comparison]) -> dict[str, list[str]]:
    """Return texts such as 2026-07-01 by the columns, in small letters, that are ordered beside them.  O(nodes).

    The columns may include "".
    """
    found: dict[str, list[str]] = {}
    for comparison in comparisons:
        dates = [date for operand in comparison.operands for date in _dates(operand)] if comparison.by_order else []
        for operand in comparison.operands if dates else ():
            column = str(operand["column_names"][0]).lower() if operand.get("class") == "COLUMN_REF" else ""
            found.setdefault(column, []).extend(dates)
    return found


def text_beside_number(connection: Any, comparisons: Sequence[Comparison], source: str) -> str | None:
    """Return an expression of text that a condition compares with a number, as SQL; None if there is none.  O(nodes).

    source: the table in SQL.
    """
    operands = [operand for comparison in comparisons for operand in comparison.operands]
    described = iter(_described(connection, operands, source) if operands else [])
    for comparison in comparisons:
        kinds = [(operand, *next(described)) for operand in comparison.operands]
        if any(_NUMBER.search(kind) for _, _, kind in kinds):
            for operand, expression, kind in kinds:
                if _TEXT in kind and operand.get("class") != "CONSTANT":
                    return expression
    return None


def comparisons_in(tree: Any) -> Iterator[Comparison]:
    """Yield the comparisons in a syntax tree, without those of lambda functions, whose arguments are no columns."""
    if isinstance(tree, dict):
        kind, name = tree.get("class"), str(tree.get("type"))
        if kind == "LAMBDA":
            return
        if kind == "COMPARISON":
            yield Comparison([tree["left"], tree["right"]], _ORDERED.fullmatch(name) is not None)
        elif kind == "BETWEEN":
            yield Comparison([tree["input"], tree["lower"], tree["upper"]], True)
        elif name in ("COMPARE_IN", "COMPARE_NOT_IN"):
            yield Comparison(tree["children"], False)
    for part in parts_of(tree):
        yield from comparisons_in(part)


def nodes_in(tree: Any) -> Iterator[dict[str, Any]]:
    """Yield all objects of a tree of lists and objects.  O(nodes)."""
    if isinstance(tree, dict):
        yield tree
    for part in parts_of(tree):
        yield from nodes_in(part)


def parts_of(tree: Any) -> Sequence[Any]:
    """Return what a list or object holds.  O(parts)."""
    return list(tree.values()) if isinstance(tree, dict) else tree if isinstance(tree, list) else ()


def _dates(node: Mapping[str, Any]) -> list[str]:
    """Return the text that is an expression if it begins with a date, the year first; versions of DuckDB differ."""
    texts = [text for part in nodes_in(node) for text in part.values() if isinstance(text, str)]
    return list(filter(_DATE.fullmatch, texts)) if node.get("class") == "CONSTANT" else []


def _described(connection: Any, expressions: Sequence[Mapping[str, Any]], source: str) -> list[tuple[str, str]]:
    """Return expressions over a table as SQL, and the types that DuckDB gives them."""
    query = json.loads(_asked(connection, "json_serialize_sql", f"SELECT 1 FROM {source}"))
    query["statements"][0]["node"]["select_list"] = [{**expression, "alias": ""} for expression in expressions]
    sql = _asked(connection, "json_deserialize_sql", json.dumps(query))
    return [row[:2] for row in connection.execute(f"DESCRIBE {sql}").fetchall()]


def _asked(connection: Any, function: str, text: str) -> str:
    found: str = connection.execute(f"SELECT {function}(?)", [text]).fetchall()[0][0]
    return found
