"""JSON lines, one object in each: their keys, and their rows in batches.

Types never depend on the rows, as in CSV: scores and weights are float64, and every other column is text, numbers as
they are written.  Arrow reads the blocks of lines in which each key has the type that it has in the first line; Python
reads the others, in three times the time.
"""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from operator import methodcaller
from typing import Any, NoReturn

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.io.columns import ColumnArrays, Selection, TableContents, selected_arrays, selected_names, text_contents
from evalcore.io.formats import refuse_other_files
from evalcore.io.opening import Progress, Source, blocks_of_lines
from evalcore.io.text_cells import FIRST_INEXACT_INTEGER, NOT_UTF8, CellError, is_missing_number, numbers_of_text
from evalcore.optional import require

_BLOCK_BYTES = 1 << 20
_SAMPLED_LINES = 100
"""Number of lines whose keys are the columns; more are read only to find a column or a prefix that is asked for."""
_MOST_LETTERS = 60
"""How much of a bad line an error shows."""
_AS_WRITTEN = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
"""Reads numbers as text, so that none is rounded and 1 differs from 1.0."""
_DECODED = methodcaller("decode", "utf-8", "surrogateescape")
"""Keeps what is not UTF-8, so that only columns that are read need to be."""
_TEXTS_OF_BOOLEANS = {True: "true", False: "false"}
_TYPES_OF_NUMBERS = {int: "double", float: "double", type(None): "double", str: "string"}
_TYPES_OF_TEXT = {int: "int64", bool: "bool", type(None): "string", str: "string"}
"""What Arrow reads without a change of what is written, by the type of the first value."""
_LONG_EXPONENT = re.compile(rb"e-\d{3}")
_MANY_ZEROS = b"0" * 200
"""Fewer do not make a number of a short exponent 0."""
_STRUCTURES: dict[type, str] = {dict: "an object", list: "a list"}


def json_lines_contents(source: Source, selection: Selection) -> TableContents:
    """Return the keys of a file and about how many rows it has, from its first megabyte.  O(1)."""
    _, sample = next(_numbered_blocks(source))
    keys = _keys(sample, selection) if sample else []
    return text_contents(source, keys, selection, sample, _BLOCK_BYTES)


def json_lines_batches(
    source: Source, names: Sequence[str] | None, selection: Selection, _rows: int = 0
) -> Iterator[Any]:
    """Yield the rows of some columns, by default the selected ones, as record batches, one at least.  O(bytes).

    A missing key is a null.  Raises EvaluationError, which names the line but not the file.
    """
    pa = require("pyarrow", "report")
    for first, block in _numbered_blocks(source):
        names = selected_names(selection, _keys(block, selection)) if names is None else list(names)
        if selection.rows is not None:
            untyped = {name for name in names if not selection.holds_numbers(name)}
            selection.rows.untyped |= untyped.difference(selection.text)
        columns = _columns_of_one_type(block, names, selection)
        if columns is None:
            columns = [
                _numbers_or_text(cells, name, selection, first, block)
                for name, cells in _cells(block, names, first).items()
            ]
        yield pa.record_batch(columns, names)


def read_json_lines(source: Source, selection: Selection, _progress: Progress) -> ColumnArrays:
    """Read the selected columns of a file, (n,) each.  O(bytes)."""
    pa = require("pyarrow", "report")
    if selection.as_text:
        return _read_lists(source, selection)
    table = pa.Table.from_batches(json_lines_batches(source, None, selection))
    return selected_arrays(table, table.column_names, selection)


def _read_lists(source: Source, selection: Selection) -> ColumnArrays:
    """Read cells of strings, lists of strings and None."""
    parts = []
    for first, block in _numbered_blocks(source):
        names = selected_names(selection, _keys(block, selection)) if first == 1 else selection.names
        parts.append(_cells(block, names, first, allowed=list))
    return {
        name: np.array([*chain.from_iterable(part[name] for part in parts), None], object)[:-1]
        for name in selection.names
    }


def _numbered_blocks(source: Source) -> Iterator[tuple[int, bytes]]:
    """Yield the number of the first line, from 1 on, and the lines."""
    with source.stream() as file:
        for first, block in blocks_of_lines(file, _BLOCK_BYTES):
            if first == 1:
                refuse_other_files(block)
            yield first, block


def _keys(block: bytes, selection: Selection) -> list[str]:
    """Return the keys of the first lines of a file, the selected ones if no line has any."""
    needed, found = dict.fromkeys(selection.needed), dict[str, Any]()
    for count, line in enumerate(block.split(b"\n")):
        if count >= _SAMPLED_LINES and selection.prefix is None and needed.keys() <= found.keys():
            break
        if line.strip():
            found |= _objects(line, count + 1)[0]
    return list(found or needed)


def _columns_of_one_type(block: bytes, names: Sequence[str], selection: Selection) -> list[Any] | None:
    """Return columns as numbers and text if each has the type of its first value; else None.  O(bytes)."""
    pa = require("pyarrow", "report")
    pa_json = require("pyarrow.json", "report")
    types = _types_of_line(block.partition(b"\n")[0], names, selection)
    if types is None:
        return None
    try:
        table = pa_json.read_json(
            pa.BufferReader(block),
            pa_json.ReadOptions(use_threads=False, block_size=len(block)),
            pa_json.ParseOptions(explicit_schema=pa.schema(types), unexpected_field_behavior="ignore"),
        )
        table.validate(full=True)  # strings may not be UTF-8
        if table.num_rows != block.count(b"\n") + (not block.endswith(b"\n")):
            return None  # an object of several lines, or several in one
        columns = [(table.column(name).combine_chunks(), selection.holds_numbers(name)) for name in names]
        floats = [column for column, _ in columns if column.type == pa.float64()]
        if not all(_is_exact(column, block) for column in floats):
            return None
        return [
            cells if cells.type == pa.float64() else numbers_of_text(cells) if is_number else cells.cast(pa.string())
            for cells, is_number in columns
        ]
    except (pa.ArrowInvalid, CellError):
        return None


def _types_of_line(line: bytes, names: Sequence[str], selection: Selection) -> list[tuple[str, str]] | None:
    """Return the types in which Arrow reads the values of a line; None if it cannot."""
    try:
        values = json.loads(line)
    except ValueError:
        return None
    if not isinstance(values, dict):
        return None
    kinds = {name: type(values.get(name)) for name in names}
    types = {
        name: (_TYPES_OF_NUMBERS if selection.holds_numbers(name) else _TYPES_OF_TEXT).get(kind)
        for name, kind in kinds.items()
    }
    found = [(name, kind) for name, kind in types.items() if kind is not None]
    return found if len(found) == len(types) else None


def _is_exact(numbers: Any, block: bytes) -> bool:
    """Whether no number of a column was rounded or is NaN, as far as Arrow's conversion and the lines tell."""
    values = numbers.fill_null(1).to_numpy()
    if (values == 0).any() and (_MANY_ZEROS in block or _LONG_EXPONENT.search(block.lower())):
        return False  # it may be 1e-400
    return bool((np.abs(values) < FIRST_INEXACT_INTEGER).all())


def _numbers_or_text(cells: list[str | None], name: str, selection: Selection, first: int, block: bytes) -> Any:
    """Return cells as numbers or text; raise EvaluationError for the line of a cell that is no number."""
    pa = require("pyarrow", "report")
    try:
        column = pa.array(cells, pa.string())
    except UnicodeEncodeError:
        index = next(index for index, cell in enumerate(cells) if cell and not _is_unicode(cell))
        raise EvaluationError(f"{_line(block, first, index)}: column {name!r} {NOT_UTF8}") from None
    try:
        if not selection.holds_numbers(name):
            return column
        return numbers_of_text(column) if selection.rows is None else selection.rows.numbers_of_text(column)
    except CellError as error:
        way_out = selection.way_out_of_nulls if is_missing_number(column[error.index].as_py()) else ""
        way_out = selection.why_scores(name) + way_out
        raise EvaluationError(f"{_line(block, first, error.index)}: column {name!r} {error.why}{way_out}") from error


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _cells(block: bytes, names: Sequence[str], first: int, allowed: type | None = None) -> dict[str, list[Any]]:
    """Return the values of some keys, numbers and Booleans as they are written, and None for missing ones.  O(bytes).

    allowed: a type of values beside text.
    """
    objects = _objects(block, first)
    cells = {}
    for name in names:
        values = list(map(methodcaller("get", name), objects))
        kinds = set(map(type, values))
        for kind in kinds.intersection(_STRUCTURES) - {allowed}:
            where = _line(block, first, list(map(type, values)).index(kind))
            raise EvaluationError(
                f"{where}: column {name!r} must hold one value in each line, got {_STRUCTURES[kind]}; write one object"
                " for each row, as pandas does with to_json(orient='records', lines=True)"
            )
        if bool in kinds and list not in kinds:
            values = list(map(_TEXTS_OF_BOOLEANS.get, values, values))
        cells[name] = values
    return cells


def _objects(block: bytes, first: int) -> list[dict[str, Any]]:
    """Return the objects of lines, numbers as text; raise EvaluationError for a line that holds none.  O(bytes)."""
    try:
        objects = list(map(_AS_WRITTEN.decode, map(_DECODED, filter(bytes.strip, block.split(b"\n")))))
    except ValueError:
        _refuse_line(block, first)
    if not set(map(type, objects)) <= {dict}:
        _refuse_line(block, first)
    return objects


def _refuse_line(block: bytes, first: int) -> NoReturn:
    """Raise EvaluationError for the first line that is not an object."""
    for number, line in enumerate(block.split(b"\n"), first):
        where, ways_out = f"line {number}", "each line must be one object (jq -c . FILE)"
        try:
            found = _AS_WRITTEN.decode(line.decode()) if line.strip() else {}
        except UnicodeDecodeError:
            raise EvaluationError(f"{where} {NOT_UTF8}") from None
        except json.JSONDecodeError as error:
            if number == 1 and line.lstrip().startswith(b"["):
                break
            raise EvaluationError(f"{where} is not JSON: {error.msg} at character {error.colno}; {ways_out}") from None
        if isinstance(found, list):
            break
        if not isinstance(found, dict):
            raise EvaluationError(f"{where} must be an object, got {line.decode()[:_MOST_LETTERS]}; {ways_out}")
    raise EvaluationError(f"{where} is a JSON array; each line must be one object (jq -c '.[]' FILE)")


def _line(block: bytes, first: int, index: int) -> str:
    """Return the line of a row of a block, as words.  Empty lines are not rows."""
    numbers = [number for number, line in enumerate(block.split(b"\n"), first) if line.strip()]
    return f"line {numbers[index]}"
