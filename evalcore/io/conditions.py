"""Conditions on rows: SQL, which DuckDB parses and computes, or expressions of pyarrow.

Columns of text files have the types that pyarrow infers for CSV; text is not compared with numbers, because DuckDB
casts it to the type of the number as it is written: 1.234 equals 1.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NoReturn, TypeAlias

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, at_index, did_you_mean, shown
from evalcore.io.libraries import duckdb, pa, pa_csv, pc
from evalcore.io.paths import path_of
from evalcore.io.text_cells import LONGEST_LINE
from evalcore.typing import IntArray

_BEFORE, _AFTER = "SELECT (\n", "\n)"
_TABLE = "rows_of_the_table"
_SETTINGS = (
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET GLOBAL TimeZone = 'UTC'",
    "SET lock_configuration = true",
)
_ORDERED_DATE = r"^\s*(\d{4}-\d\d(-\d\d(\D|$)|\s*$)|$)"
"""Text that has the order of dates, or is empty."""
_EMPTY_OR_NUMBER = r"^\s*([+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)?\s*$"
_YEAR_FIRST = re.compile(r"\s*\d{4}-")
_ONE_DIGIT = re.compile(r"-(?=\d(?!\d))")


def condition_of(where: Any, option: str) -> "ArrowCondition | SqlCondition":
    """Return a condition from SQL or from an expression of pyarrow; option: its name in errors.  O(letters)."""
    if isinstance(where, str):
        return SqlCondition(where, option)
    if type(where).__module__.startswith("pyarrow") and type(where).__name__ == "Expression":
        return ArrowCondition(where, option)
    raise EvaluationTypeError(f"{option} must be SQL or an expression of pyarrow, got {shown(where)}")


class ArrowCondition:
    """An expression of pyarrow, such as ``pyarrow.compute.field("month") >= 7``."""

    def __init__(self, expression: Any, option: str) -> None:
        self.named: Sequence[str] = ()
        self._expression, self._option = expression, option

    def columns(self, present: Sequence[str]) -> list[str]:
        """Return the columns whose names occur in the expression, and perhaps more.  O(columns)."""
        text = str(self._expression)
        return [name for name in present if name in text]

    def rows_that_meet(self, table: Any, first: int) -> IntArray:
        """Return the indices of the rows that meet the condition, ascending.  O(n)."""
        try:
            numbered, row = _numbered(table, self.columns(table.schema.names))
            return np.asarray(numbered.filter(self._expression).column(row).to_numpy())
        except pa.ArrowException as error:
            raise EvaluationError(f"{self._option} cannot be computed: {' '.join(str(error).split())}") from error


class SqlCondition:
    """A condition as it stands after WHERE in the SQL of DuckDB, without access to files or other tables.

    Text that is compared with a number is refused, and with dates unless it has their order.

    >>> import pyarrow
    >>> condition = SqlCondition("month >= 7 and Carrier = 'UA'", "where")
    >>> condition.columns(["late", "carrier", "month"])
    ['month', 'carrier']
    >>> condition.rows_that_meet(pyarrow.table({"month": [10, 2, 8], "carrier": ["UA", "UA", "AA"]}), 0)
    array([0])
    """

    def __init__(self, text: str, option: str) -> None:
        tree, self._sql = _checked_tree(text, option)
        columns, arguments = dict.fromkeys(map(_column_of, _nodes_in(tree))), _arguments_in(tree)
        self.named: Sequence[str] = [name for name in columns if name not in arguments]
        """The columns that the condition names, without the arguments of lambda functions."""
        self._comparisons = list(_comparisons_in(tree))
        self._dates = _dates_of(self._comparisons)
        self._text, self._option = text, option
        self._errors = duckdb.Error
        self._connection: Any = None

    def columns(self, present: Sequence[str]) -> list[str]:
        """Return the columns that the condition names; case matters only where names differ in nothing else.

        O(columns).  Raises EvaluationError for a column that is not there, and for names that may mean several.
        """
        found = list(dict.fromkeys(self._column(name, present) for name in self.named))
        if len({name.lower() for name in found}) < len(found):
            self._refuse("names columns that differ in case alone, which SQL does not tell apart; rename one of them")
        return found

    def rows_that_meet(self, table: Any, first: int) -> IntArray:
        """Return the indices of the rows that meet the condition, ascending; first: that of the first row.  O(n)."""
        numbered, row = _numbered(table, self.columns(table.schema.names))
        if self._connection is None:
            self._connection = _database().cursor()
        self._connection.register(_TABLE, numbered)
        try:
            self._refuse_numbers_as_text(numbered, first)
            self._refuse_other_dates(numbered, first)
            sql = f"SELECT {quoted(row)} FROM {_TABLE} WHERE (\n{self._sql}\n) ORDER BY {quoted(row)}"
            found = self._connection.execute(sql).fetchnumpy()[row]
        except self._errors as error:
            line = str(error).splitlines()[0]
            self._refuse(line.partition(" Error: ")[2] or line)
        return np.asarray(found, np.int64)

    def _column(self, name: str, present: Sequence[str]) -> str:
        matches = [name] if name in present else [other for other in present if other.lower() == name.lower()]
        if len(matches) > 1:
            self._refuse(f"{name} may mean {' or '.join(map(repr, matches))}")
        if not matches:
            near = did_you_mean(name, present) or f"; the columns are {', '.join(map(repr, present[:20]))}"
            self._refuse(f"no column {name!r}{near}; text stands in single quotes")
        return matches[0]

    def _refuse_numbers_as_text(self, table: Any, first: int) -> None:
        """Raise EvaluationError for text that is compared with numbers, which DuckDB would round to their type."""
        expression = _text_beside_number(self._connection, self._comparisons)
        if expression is None:
            return
        for name in (name for name in table.column_names if expression in (name, quoted(name))):
            if found := _first_unlike(table.column(name), _EMPTY_OR_NUMBER, first):
                rule = f"hold numbers, because {self._option} compares it with them"
                way_out = "leave an empty cell or a null where there is none"
                raise EvaluationError(f"column {name!r} must {rule}, got {found[0]!r} {found[1]}; {way_out}")
        self._refuse(f"{expression} is text; write cast({expression} as double), or numbers beside it in quotes")

    def _refuse_other_dates(self, table: Any, first: int) -> None:
        """Raise EvaluationError for text whose order is not that of dates where the condition orders it as such."""
        for name in table.column_names:
            column, dates = table.column(name), self._dates.get(name.lower(), [])
            if not dates or not holds_text(column.type):
                continue
            if found := _first_unlike(column, _ORDERED_DATE, first):
                order = "%Y-%m-%d" if _YEAR_FIRST.match(found[0]) else "%d.%m.%Y"
                rule = f"hold dates such as 2026-07-01, because {self._option} orders them as text"
                way_out = f"convert them, such as strptime({quoted(name)}, '{order}') < DATE '2026-07-01'"
                raise EvaluationError(f"column {name!r} must {rule}, got {found[0]!r} {found[1]}; {way_out}")
            if other := next((date for date in dates if not re.match(_ORDERED_DATE, date)), None):
                full = _ONE_DIGIT.sub("-0", other) if _YEAR_FIRST.match(other) else "2026-07-01"
                self._refuse(f"column {name!r} holds text, so write dates in full, such as {full!r}")

    def _refuse(self, why: str) -> NoReturn:
        _refuse(self._text, self._option, why)


def _first_unlike(column: Any, pattern: str, first: int) -> tuple[str, str] | None:
    """Return the first text that does not fit a pattern, and words for its index; first: that of the first row."""
    index = pc.index(pc.match_substring_regex(column, pattern), False).as_py()
    return (column[index].as_py(), at_index(first + index)) if index >= 0 else None


@cache
def _database() -> Any:
    """Open the one database in memory, which reads no files; it takes as long as a small report."""
    connection = duckdb.connect(":memory:", config={"enable_external_access": False, "threads": 1})
    connection.execute("; ".join(_SETTINGS)).fetchall()
    return connection


@lru_cache(maxsize=16)
def _checked_tree(text: str, option: str) -> tuple[Any, str]:
    """Return the syntax tree of a condition and its SQL, in which each path, such as a.b, is the name of a column.

    Raises EvaluationError unless it is one condition.  O(letters).
    """
    with _database().cursor() as connection:
        tree = _parsed(connection, text, option)
        nodes = list(_nodes_in(tree))
        classes = {node.get("class") for node in nodes}
        for kind, what in {"SUBQUERY": "have no SELECT", "STAR": "name each column", "PARAMETER": "have no ?"}.items():
            if kind in classes:
                _refuse(text, option, f"it must {what}")
        called = {str(node.get("function_name", "")).lower() for node in nodes} - {""}
        volatile = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE stability = 'VOLATILE'"
        changing = called.intersection(name for (name,) in connection.execute(volatile).fetchall()) if called else ()
        arguments, sql = _arguments_in(tree), text
        for node in nodes:
            steps = node["column_names"] if node.get("class") == "COLUMN_REF" else []
            if len(steps) > 1 and steps[0] not in arguments:
                node["column_names"], sql = [path_of(steps)], ""
        sql = sql or _sql_of(connection, "SELECT 1", tree).removeprefix("SELECT ")
    if changing:
        _refuse(text, option, f"{min(changing)}() gives other rows each time; ask for a sample instead")
    return tree, sql


def _parsed(connection: Any, text: str, option: str) -> Any:
    """Return the syntax tree of a condition as DuckDB has it, after checking that it is one expression."""
    if any("\ud800" <= letter <= "\udfff" for letter in text):  # bytes of a shell, which DuckDB does not take
        _refuse(text, option, "it must be UTF-8")
    queries = (f"{_BEFORE}{condition}{_AFTER}" for condition in (text, "true"))
    found, plain = (json.loads(_asked(connection, "json_serialize_sql", sql)) for sql in queries)
    if found["error"] and int(found.get("position", 0)) >= len(_BEFORE) + len(text):
        _refuse(text, option, "it ends too early")
    if found["error"] and found["error_type"] == "parser":
        _refuse(text, option, found["error_message"])
    nodes = [] if found["error"] else [statement["node"] for statement in found["statements"]]
    expected = plain["statements"][0]["node"]
    expressions = [each.get("function_name") for node in nodes for each in node["select_list"]]
    plain_query = len(nodes) == 1 and nodes[0] | {"select_list": expected["select_list"]} == expected
    if not plain_query or len(expressions) != 1 or expressions == ["row"]:
        _refuse(text, option, "it must be one condition")
    return nodes[0]["select_list"]


def _refuse(text: str, option: str, why: str) -> NoReturn:
    why = f"{option} must be a condition such as \"month >= 7 and carrier = 'UA'\", got {text!r}: {why}"
    raise EvaluationError(why)


def _column_of(node: Mapping[str, Any]) -> str:
    """Return the column that an expression is; an empty string for other expressions."""
    return str(node["column_names"][0]) if node.get("class") == "COLUMN_REF" else ""


def _arguments_in(tree: Any) -> set[str]:
    """Return the names of the arguments of lambda functions, and '', which is no column."""
    lambdas = [node["lhs"] for node in _nodes_in(tree) if node.get("class") == "LAMBDA"]
    return {"", *map(_column_of, _nodes_in(lambdas))}


def _numbered(table: Any, names: Sequence[str]) -> tuple[Any, str]:
    """Return columns as a pyarrow Table with the indices of the rows in a column more, and its name.  O(n).

    Dictionaries, views of strings and half floats become types that all functions take.
    """
    columns = {name: plain(table.column(name)) for name in names}
    columns |= {name: each.cast(pa.float32()) for name, each in columns.items() if pa.types.is_float16(each.type)}
    row = "row" + "_" * max(map(len, names), default=0)  # longer than any other name
    return pa.table({**columns, row: np.arange(table.num_rows)}), row


def plain(column: Any) -> Any:
    """Return a pyarrow array with the values of dictionaries, and with strings for views; few functions take these."""
    if pa.types.is_string_view(column.type):
        return column.cast(pa.string())
    if not pa.types.is_dictionary(column.type):
        return column
    if isinstance(column, pa.ChunkedArray):
        kind = column.type.value_type
        chunks = [plain(chunk) for chunk in column.chunks]
        return pa.chunked_array(chunks, pa.string() if pa.types.is_string_view(kind) else kind)
    return plain(column.dictionary).take(column.indices)  # Arrow decodes no dictionary of views


def holds_text(kind: Any) -> bool:
    """Whether a type of Arrow is one of strings that all functions take.  O(1)."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def quoted(name: str) -> str:
    """Return a name as SQL has it.  O(letters)."""
    return '"' + name.replace('"', '""') + '"'


_TEXT = "VARCHAR"
_ORDERED = re.compile("COMPARE_(LESS|GREATER)THAN.*")
_NUMBER = re.compile(r"\b(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|INTEGER_LITERAL|BIGNUM|DECIMAL|FLOAT|DOUBLE)\b")
_DATE = re.compile(r"\s*(\d{4}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{4})\b.*", re.DOTALL)
_CODE = r"0[xX]?[\da-fA-F]+"
"""Digits that say more than their number does: 01 is not 1."""
_FRACTION = re.compile(r"\s*[+-]?\d*\.\d*[1-9]\d*\s*")
_WIDER = {"int64": ("double",), "timestamp[s]": ("timestamp[ns]",)}
"""Types that later rows may need, and that compare with others as the first ones do; dates make times dates."""


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
        known = self._known.get(name)
        values = column if known == pa.string() else _inferred(column)
        if known in (None, values.type) or pa.types.is_null(known) or str(values.type) in _WIDER.get(str(known), ()):
            self._known[name] = values.type
        elif pa.types.is_null(values.type) or str(known) in _WIDER.get(str(values.type), ()):
            try:
                values = values.cast(known)
            except pa.ArrowInvalid as error:
                why = f"column {name!r}: {at_index(first)} or after: {' '.join(str(error).split())}"
                raise EvaluationError(why) from error
        else:
            kinds = ["text" if kind == pa.string() else str(kind) for kind in (known, values.type)]
            raise EvaluationError(
                f"column {name!r} must hold values of one type in a condition, got {kinds[0]}, and {kinds[1]} in the "
                f"rows from {at_index(first).removeprefix('at ')} on; write Parquet, whose columns have types, or "
                "pipe the file to standard input, which is read whole"
            )
        return values


def _inferred(column: Any) -> Any:
    if column.null_count == len(column):
        return pa.chunked_array([pa.nulls(len(column))])
    written = pa.BufferOutputStream()
    pa_csv.write_csv(pa.table({"": column}), written, pa_csv.WriteOptions(include_header=False))
    found = pa_csv.read_csv(
        pa.BufferReader(written.getvalue()),
        pa_csv.ReadOptions(column_names=[""], block_size=2 * LONGEST_LINE),
        pa_csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        pa_csv.ConvertOptions(null_values=[""]),  # NA may be Namibia
    ).column(0)
    codes = {"int64": _CODE, "double": rf"({_CODE}|\d{{19,}})"}.get(str(found.type))
    is_code = codes is not None and pc.any(pc.match_substring_regex(column, rf"^\s*[+-]?{codes}\s*$")).as_py()
    return column if is_code or found.type == pa.string() else found


Comparison: TypeAlias = tuple[Sequence[Mapping[str, Any]], bool]
"""Expressions that a condition compares with each other, as trees, and whether it asks which one comes first."""


def _dates_of(comparisons: Sequence[Comparison]) -> dict[str, list[str]]:
    """Return texts of dates by the columns, in small letters, that are ordered beside them.  O(nodes).

    The columns may include "".
    """
    found: dict[str, list[str]] = {}
    for operands, by_order in comparisons:
        dates = [date for operand in operands for date in _texts(operand, _DATE)] if by_order else []
        for operand in operands if dates else ():
            found.setdefault(_column_of(operand).lower(), []).extend(dates)
    return found


def _text_beside_number(connection: Any, comparisons: Sequence[Comparison]) -> str | None:
    """Return the first expression of text that a condition compares with a number, as SQL.  O(nodes)."""
    every = [operand for operands, _ in comparisons for operand in operands]
    described = iter(_described(connection, every) if every else [])
    for operands, _ in comparisons:
        kinds = [(operand, *next(described)) for operand in operands]
        if numbers := [kind for _, _, kind in kinds if _NUMBER.search(kind)]:
            whole = any("INT" in kind for kind in numbers)  # which DuckDB makes '1.5' too: 2
            for operand, expression, kind in kinds:
                is_text = operand.get("class") != "CONSTANT" or (whole and _texts(operand, _FRACTION))
                if _TEXT in kind and is_text:
                    return expression
    return None


def _comparisons_in(tree: Any) -> Iterator[Comparison]:
    """Yield the comparisons in a syntax tree, without those of lambda functions, whose arguments are no columns."""
    for node in _nodes_in(tree, but="LAMBDA"):
        kind, name = node.get("class"), str(node.get("type"))
        if kind == "COMPARISON":
            yield [node["left"], node["right"]], _ORDERED.fullmatch(name) is not None
        elif kind == "BETWEEN":
            yield [node["input"], node["lower"], node["upper"]], True
        elif name in ("COMPARE_IN", "COMPARE_NOT_IN"):
            yield node["children"], False


def _nodes_in(tree: Any, but: str = "") -> Iterator[dict[str, Any]]:
    """Yield all objects of a tree of lists and objects; but: a class of those that are left out whole.  O(nodes)."""
    if isinstance(tree, dict):
        if tree.get("class") == but:
            return
        yield tree
    for part in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _nodes_in(part, but)


def _texts(node: Mapping[str, Any], pattern: re.Pattern[str]) -> list[str]:
    """Return the text that is an expression if it fits a pattern; versions of DuckDB differ."""
    texts = [text for part in _nodes_in(node) for text in part.values() if isinstance(text, str)]
    return list(filter(pattern.fullmatch, texts)) if node.get("class") == "CONSTANT" else []


def _described(connection: Any, expressions: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return expressions over the table as SQL, and the types that DuckDB gives them."""
    sql = _sql_of(connection, f"SELECT 1 FROM {_TABLE}", expressions)
    return [row[:2] for row in connection.execute(f"DESCRIBE {sql}").fetchall()]


def _sql_of(connection: Any, query: str, expressions: Sequence[Mapping[str, Any]]) -> str:
    """Return a query as SQL that selects some expressions in place of its own."""
    tree = json.loads(_asked(connection, "json_serialize_sql", query))
    tree["statements"][0]["node"]["select_list"] = [{**expression, "alias": ""} for expression in expressions]
    return _asked(connection, "json_deserialize_sql", json.dumps(tree))


def _asked(connection: Any, function: str, text: str) -> str:
    return str(connection.execute(f"SELECT {function}(?)", [text]).fetchall()[0][0])
