"""What the columns of text in a condition of SQL are read as, so that numbers are compared as numbers.

DuckDB compares text with a number by casting the text to the type of the number as it is written: 1.234 equals 1.
"""

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from evalcore.optional import require

TEXT = "VARCHAR"
_OTHERS = "DOUBLE", "BOOLEAN", "TIMESTAMP"
"""What else text may be read as, the first that fits."""
_MOST_TRIALS = 1000
_ORDERED = re.compile("COMPARE_(LESS|GREATER)THAN.*")
_COMPARING = "nullif", "contains", "list_contains", "array_contains", "list_has", "array_has"
"""Functions whose arguments are compared with each other."""
_AS_WRITTEN = "//", "||", "concat", "concat_ws", "format", "printf"
"""Functions that tell 1 from 1.0."""
_NUMBER = re.compile(r"\b(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|INTEGER_LITERAL|BIGNUM|DECIMAL|FLOAT|DOUBLE)\b")
_TIME = re.compile(r"\b(DATE|TIMESTAMP)\b")
_DATE = re.compile(r"\s*\d{4}-\d\d?-\d\d?\b.*", re.DOTALL)
_LONG = 15
"""Letters of a number that float64 may round."""


class Comparison(NamedTuple):
    """Expressions that a condition compares with each other, as trees."""

    operands: Sequence[Mapping[str, Any]]
    by_order: bool
    """Whether it asks which one comes first."""


class TextTypes:
    """Chooses types for the columns of text in a condition.

    tree: the syntax tree of the condition, as DuckDB has it.
    """

    def __init__(self, tree: Any) -> None:
        self._comparisons = list(_comparisons_in(tree))
        self._as_written = {
            column["column_names"][0].lower()
            for node in nodes_in(tree)
            if node.get("function_name") in _AS_WRITTEN or (node.get("class") == "CAST" and _casts_to_text(node))
            for column in nodes_in(node)
            if column.get("class") == "COLUMN_REF"
        }

    @property
    def dated(self) -> dict[str, list[str]]:
        """Texts such as 2026-07-01 by the columns, in small letters, that the condition orders beside them.  O(nodes).

        The columns may include "".
        """
        found: dict[str, list[str]] = {}
        for comparison in self._comparisons:
            dates = [date for operand in comparison.operands for date in _dates(operand)] if comparison.by_order else []
            for operand in comparison.operands if dates else ():
                found.setdefault(_column_of(operand), []).extend(dates)
        return found

    def trials(self, connection: Any, columns: Sequence[str], source: str) -> Iterator[dict[str, str]]:
        """Yield types for columns of text, those that leave most of them text first.  O(nodes) for the first.

        source: the table in SQL.  A column that is compared with a number, a date or a truth value has its type.
        """
        known = self._compared_types(connection, columns, source)
        free = [name for name in columns if name not in known]
        trials = (
            dict.fromkeys(free, TEXT) | dict(zip(chosen, types, strict=True)) | known
            for count in range(len(free) + 1)
            for chosen in itertools.combinations(free, count)
            for types in itertools.product(_OTHERS, repeat=count)
        )
        return itertools.islice(trials, _MOST_TRIALS)

    def mistaken(self, connection: Any, types: Mapping[str, str], source: str) -> str | None:
        """Return an expression that DuckDB would not compare as Parquet's, as SQL; None if there is none.  O(nodes).

        types: those of the columns of text; source: the table in SQL, read so.
        """
        numbers = [name for name, kind in types.items() if kind == "DOUBLE" and name.lower() in self._as_written]
        if numbers:
            return numbers[0]
        operands = [operand for comparison in self._comparisons for operand in comparison.operands]
        described = _described(connection, operands, source) if operands else []
        rest = iter(described)
        for comparison in self._comparisons:
            kinds = [next(rest) for _ in comparison.operands]
            if _is_mistaken(comparison, [kind for _, kind in kinds]):
                return next((name for name, kind in kinds if TEXT in kind), kinds[0][0])
        return None

    def _compared_types(self, connection: Any, columns: Sequence[str], source: str) -> dict[str, str]:
        """Return the types of columns of text that are compared with numbers, dates or truth values."""
        named = {name.lower(): name for name in columns}
        found: dict[str, str] = {}
        for comparison in self._comparisons:
            text = [named.get(_column_of(operand), "") for operand in comparison.operands]
            others = [operand for name, operand in zip(text, comparison.operands, strict=True) if not name]
            kinds: list[str] = []
            for operand in others if any(text) else ():
                with suppress(require("duckdb", "sql").Error):  # what only other types of columns allow
                    kinds += [kind for _, kind in _described(connection, [operand], source)]
            joined = " ".join(kinds)
            kind = "DOUBLE" if _NUMBER.search(joined) else "TIMESTAMP" if _TIME.search(joined) else None
            if kind is not None:
                found = {name: kind for name in text if name} | found
        return found


def _is_mistaken(comparison: Comparison, kinds: Sequence[str]) -> bool:
    """Whether DuckDB would read text as numbers or dates of fewer digits, order numbers as text, or dates as numbers.

    kinds: the types of the operands.
    """
    typed = list(zip(comparison.operands, kinds, strict=True))
    text = [operand for operand, kind in typed if TEXT in kind and operand.get("class") != "CONSTANT"]
    numbers, times = (any(map(pattern.search, kinds)) for pattern in (_NUMBER, _TIME))
    columns = sum(_column_of(operand) != "" for operand in text)
    return bool(text and (numbers or "DATE" in kinds)) or (numbers and times) or (comparison.by_order and columns > 1)


def _comparisons_in(tree: Any) -> Iterator[Comparison]:
    """Yield the comparisons in a syntax tree, without those of lambda functions, whose arguments are no columns."""
    if isinstance(tree, dict):
        kind, name = tree.get("class"), str(tree.get("type"))
        if kind == "LAMBDA":
            return
        if kind == "COMPARISON":
            yield Comparison([tree["left"], tree["right"]], _ORDERED.fullmatch(name) is not None)
        elif kind == "BETWEEN":
            yield Comparison([tree["input"], tree["lower"], tree["upper"]], True)
        elif name in ("COMPARE_IN", "COMPARE_NOT_IN") or tree.get("function_name") in _COMPARING:
            parts = tree.get("arguments") or tree.get("children") or []
            yield Comparison([part.get("expression", part) for part in parts], False)
    for part in parts_of(tree):
        yield from _comparisons_in(part)


def nodes_in(tree: Any) -> Iterator[dict[str, Any]]:
    """Yield all objects of a tree of lists and objects.  O(nodes)."""
    if isinstance(tree, dict):
        yield tree
    for part in parts_of(tree):
        yield from nodes_in(part)


def parts_of(tree: Any) -> Sequence[Any]:
    """Return what a list or object holds.  O(parts)."""
    return list(tree.values()) if isinstance(tree, dict) else tree if isinstance(tree, list) else ()


def _column_of(node: Mapping[str, Any]) -> str:
    """Return the column that an expression is, in small letters; an empty string for other expressions."""
    return str(node["column_names"][0]).lower() if node.get("class") == "COLUMN_REF" else ""


def _dates(node: Mapping[str, Any]) -> list[str]:
    """Return the text that is an expression if it begins with a date, the year first; versions of DuckDB differ."""
    texts = [text for part in nodes_in(node) for text in part.values() if isinstance(text, str)]
    return list(filter(_DATE.fullmatch, texts)) if node.get("class") == "CONSTANT" else []


def _casts_to_text(node: Mapping[str, Any]) -> bool:
    return TEXT in json.dumps(node.get("cast_type"))


def _described(connection: Any, expressions: Sequence[Mapping[str, Any]], source: str) -> list[tuple[str, str]]:
    """Return expressions over a table as SQL, and the types that DuckDB gives them."""
    query = json.loads(_asked(connection, "json_serialize_sql", f"SELECT 1 FROM {source}"))
    query["statements"][0]["node"]["select_list"] = [{**expression, "alias": ""} for expression in expressions]
    sql = _asked(connection, "json_deserialize_sql", json.dumps(query))
    return [row[:2] for row in connection.execute(f"DESCRIBE {sql}").fetchall()]


def _asked(connection: Any, function: str, text: str) -> str:
    found: str = connection.execute(f"SELECT {function}(?)", [text]).fetchall()[0][0]
    return found


def wide_integers(connection: Any, table: str, columns: Sequence[str]) -> dict[str, str]:
    """Return types of integers for quoted columns of text that hold nothing else, some too long for float64.  O(n)."""
    found = {}
    for column in columns:
        longest = f"SELECT max(length({column})) FROM {table}"
        if (connection.execute(longest).fetchall()[0][0] or 0) <= _LONG:
            continue
        every = f"bool_and(regexp_full_match(trim({column}), '[+-]?[0-9]+'))"
        held = ", ".join(
            f"{every} AND bool_and(TRY_CAST({column} AS {kind}) IS NOT NULL)" for kind in ("BIGINT", "HUGEINT")
        )
        (fits, fits_wide), *_ = connection.execute(f"SELECT {held} FROM {table} WHERE {column} IS NOT NULL").fetchall()
        if fits_wide:
            found[column] = "BIGINT" if fits else "HUGEINT"
    return found
