"""JSON lines and JSON documents, compressed or not: their columns, and their rows in batches.

As in CSV, scores and weights are float64 whatever the rows hold, and every other column is text, numbers as they are
written.  Arrow reads the blocks of lines in which each key has the type that it has in the first line; Python reads
the others, in three times the time.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from operator import methodcaller
from typing import Any, NoReturn, cast

import numpy as np

from evalcore.errors import EvaluationError, check, refuse
from evalcore.io import text_cells, text_files
from evalcore.io.columns import ColumnArrays, Selection, Table
from evalcore.io.formats import BYTE_ORDER_MARK, format_of, refuse_other_files
from evalcore.io.layouts import Objects, check_room_of_json, rows_of_archive, rows_of_log, tell_errors
from evalcore.io.libraries import pa, pa_json
from evalcore.io.opening import Source, blocks_of_lines
from evalcore.io.paths import Paths, path_of, steps_of, value_at, way_out_of_nested
from evalcore.io.text_files import as_numbers_or_text, leave_untyped, rows_about, text_table

_READ_BYTES = 1 << 22
"""Bytes of a document read at once."""
_MOST_OF_LINE = 60
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
_SURROGATE = re.compile("[\ud800-\udfff]")
"""What stands for bytes that are not UTF-8."""
_STRUCTURES: dict[type, str] = {dict: "an object", list: "a list"}

_Part = tuple[bytes | None, Callable[[], Objects], Callable[[int], str]]
"""Rows as lines, if they are lines, what gives their objects, and what says where the row of an index is."""


@contextmanager
def open_json(source: Source, selection: Selection, *, whole: bool) -> Iterator[Table]:
    """Open a file and read its first megabyte, whose keys are the columns; missing keys are nulls.  O(1).

    A document that is not of lines is read whole.  An empty file that is read whole has the selected columns.  Errors
    name the line or the row but not the file.
    """
    with source.stream() as file:
        begin = file.read(text_files.SAMPLE_BYTES)
        refuse_other_files(begin)
        begin = begin.removeprefix(BYTE_ORDER_MARK)
        if format_of(source.path, selection.reading) == "json" and not _are_lines(begin):
            parts_read, size = [begin], len(begin)
            while part := file.read(_READ_BYTES):
                parts_read.append(part)
                check_room_of_json(size := size + len(part))
            begin = b"".join(parts_read)
            objects = rows_of_document(begin, selection, source.path)
            if objects is not None:
                yield _table_of_rows(objects, selection)
                return
        blocks = blocks_of_lines(file, text_files.SAMPLE_BYTES, begin)
        begun = next(blocks)
        lines = (_objects(line, number)[0] for number, line in enumerate(begun[1].split(b"\n"), 1) if line.strip())
        paths = selection.paths(lines) if begun[1] or whole else {}
        parts = (
            (block, partial(_objects, block, first), partial(_line, block, first))
            for first, block in chain([begun], blocks)
        )
        table = _table_of_objects(paths, parts, selection, lambda: rows_about(source, begun[1]))
        asked = (*selection.needed, *selection.optional)
        if {"filter", "filtered_resps"} <= paths.keys() and "filter" not in asked:  # of lm-evaluation-harness
            table = table._replace(batches=partial(_of_one_filter, table))
        yield table


@contextmanager
def open_log(source: Source, selection: Selection, *, whole: bool) -> Iterator[Table]:
    """Open an archive of inspect_ai, whose samples are the rows.  O(bytes)."""
    with source.seekable() as file:
        needed = (*selection.needed, *selection.optional)
        rows = rows_of_archive(file, source.path, lambda text: _AS_WRITTEN.decode(_DECODED(text)), needed)
    yield _table_of_rows(rows, selection)


def _table_of_rows(rows: Objects, selection: Selection) -> Table:
    def parts() -> Iterator[_Part]:
        tell_errors(rows, (*selection.needed, *selection.optional))
        yield None, lambda: rows, lambda index: f"row {index + 1}"

    return _table_of_objects(selection.paths(rows), parts(), selection, lambda: len(rows))


def _of_one_filter(table: Table, names: Sequence[str], most: int) -> Iterator[Any]:
    """Yield the rows of a file of samples, and raise EvaluationError at the end if they are of several filters."""
    filters = set[str]()
    for batch in table.batches([*names, "filter"], most):
        filters.update(batch.column(len(names)).unique().to_pylist())
        yield batch.select(list(names))
    found = sorted(filter(None, filters))
    which = f"{', '.join(found)}; choose one, such as --where \"filter = '{found[-1]}'\"" if found else ""
    refuse({f"holds the rows of {len(found)} filters of answers, {which}": len(found) > 1})


def _are_lines(begin: bytes) -> bool:
    """Whether a file of JSON that begins so has an object on its first line, and further lines."""
    first, _, more = begin.strip().partition(b"\n")
    return not first or (first[:1] == b"{" and first.rstrip()[-1:] == b"}" and bool(more))


def rows_of_document(text: bytes, selection: Selection, name: str) -> Objects | None:
    """Return the objects of the rows of a document, None for a single object on a line that may be one row.  O(bytes).

    Raises EvaluationError for text that is no JSON, and where no array of objects is named.
    """
    try:
        document = _AS_WRITTEN.decode(_DECODED(text))
    except json.JSONDecodeError as error:
        several = "; write each object on a line of its own (jq -c . FILE)" if error.msg == "Extra data" else ""
        where = f"line {error.lineno}, character {error.colno}"
        raise EvaluationError(f"{where}: is not JSON: {error.msg}{several}") from None
    rows, path = document, selection.reading.rows
    if path is None and (of_log := rows_of_log(document, name)) is not None:
        return of_log
    if path is not None:
        rows = value_at(document, steps_of(path))
    found = [f"--rows {path}" for path in _arrays_in(document)]
    is_array = isinstance(rows, list) and set(map(type, rows)) <= {dict}
    if path is None and isinstance(document, dict) and b"\n" not in text.strip():
        own = any(value_at(document, steps_of(name)) is not None for name in selection.needed)
        if own or not found:
            return None
    got = repr(path) if path else "one object" if isinstance(document, dict) else "other values"
    got += f"; name the array of rows: {', '.join(found)}" if found else ", which has no array of objects"
    check(is_array, "--rows" if path else "a document", "be an array of objects, one for each row", got)
    return cast("Objects", rows)


def _arrays_in(node: Any, *above: str) -> Iterator[str]:
    """Yield the paths to the arrays of objects in a document that are no parts of others."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _arrays_in(value, *above, key)
    elif above and isinstance(node, list) and node and set(map(type, node)) == {dict}:
        yield path_of(above)


def _table_of_objects(paths: Paths, parts: Iterable[_Part], selection: Selection, rows: Callable[[], int]) -> Table:
    """Return an open table of objects of JSON; parts: gives them once.  O(columns)."""

    def batches(names: Sequence[str], _rows: int) -> Iterator[Any]:
        leave_untyped(names, selection)
        chosen = {name: paths.get(name, (name,)) for name in names}
        for lines, objects, where in parts:
            columns = None if lines is None else _columns_of_one_type(lines, chosen, selection)
            if columns is None:
                columns = [
                    as_numbers_or_text(_strings(cells, name, where), name, selection, where, of_json=True)
                    for name, cells in _cells(objects(), chosen, where, nested=selection.nested).items()
                ]
            yield pa.record_batch(columns, list(names))

    def lists(names: Sequence[str]) -> ColumnArrays:
        chosen = {name: paths.get(name, (name,)) for name in names}
        found = [_cells(objects(), chosen, where, allowed=list) for _, objects, where in parts]
        joined = {name: [*chain.from_iterable(part[name] for part in found), None] for name in names}
        return {name: np.array(cells, object)[:-1] for name, cells in joined.items()}

    table = text_table(list(paths), selection, batches, rows)
    return table._replace(arrays=lists if selection.as_text else None)


def _columns_of_one_type(block: bytes, paths: Paths, selection: Selection) -> list[Any] | None:
    """Return columns as numbers and text if each has the type of its first value; else None.  O(bytes)."""
    try:
        values = json.loads(block.partition(b"\n")[0])
        if not isinstance(values, dict) or any(steps != (name,) for name, steps in paths.items()):
            return None
        kinds = {name: _TYPES_OF_NUMBERS if selection.holds_numbers(name) else _TYPES_OF_TEXT for name in paths}
        types = {name: of_values.get(type(values.get(name))) for name, of_values in kinds.items()}
        if None in types.values():
            return None
        at_once = pa_json.ReadOptions(use_threads=False, block_size=len(block))
        typed = pa_json.ParseOptions(explicit_schema=pa.schema([*types.items()]), unexpected_field_behavior="ignore")
        table = pa_json.read_json(pa.BufferReader(block), at_once, typed)
        table.validate(full=True)  # strings may not be UTF-8
        if table.num_rows != block.count(b"\n") + (not block.endswith(b"\n")):
            return None  # an object of several lines, or several in one
        columns = {name: table.column(name).combine_chunks() for name in paths}
        for name, column in columns.items():
            if column.type == pa.float64():
                if not _is_exact(column, block):
                    return None
            else:
                number = selection.holds_numbers(name)
                columns[name] = text_cells.numbers_of_text(column) if number else column.cast(pa.string())
        return list(columns.values())
    except ValueError:  # also of Arrow, and of a cell that is no number
        return None


def _is_exact(numbers: Any, block: bytes) -> bool:
    """Whether no number of a column was rounded or is NaN, as far as Arrow's conversion and the lines tell."""
    values = numbers.fill_null(1).to_numpy()
    if (values == 0).any() and (_MANY_ZEROS in block or _LONG_EXPONENT.search(block.lower())):
        return False  # it may be 1e-400
    return bool((np.abs(values) < text_cells.FIRST_INEXACT_INTEGER).all())


def _strings(cells: list[str | None], name: str, where: Callable[[int], str]) -> Any:
    """Return cells as a pyarrow array; raise EvaluationError for the line of one that is not UTF-8.  O(letters)."""
    try:
        return text_cells.strings_of(cells).cast(pa.string())
    except UnicodeEncodeError:
        index = next(index for index, cell in enumerate(cells) if cell and _SURROGATE.search(cell))
        raise EvaluationError(f"{where(index)}: column {name!r} {text_cells.NOT_UTF8}") from None


def _cells(
    objects: Objects, paths: Paths, where: Callable[[int], str], allowed: type | None = None, *, nested: bool = False
) -> dict[str, list[Any]]:
    """Return the values of columns, numbers and Booleans as they are written, and None for missing ones.  O(rows).

    allowed: a type of values beside text; nested: whether objects and lists, which have paths, are missing values.
    """
    cells = {}
    for name, steps in paths.items():
        at = methodcaller("get", name) if steps == (name,) else partial(value_at, steps=steps)
        values = list(map(at, objects))
        if nested:
            values = [None if type(value) in _STRUCTURES else value for value in values]
        kinds = set(map(type, values))
        for kind in kinds.intersection(_STRUCTURES) - {allowed}:
            index = list(map(type, values)).index(kind)
            whole = "write one object for each row, as pandas does with to_json(orient='records', lines=True)"
            got = f"got {_STRUCTURES[kind]}; {way_out_of_nested(name, values[index]) or whole}"
            raise EvaluationError(f"{where(index)}: column {name!r} must hold one value in each row, {got}")
        if bool in kinds and list not in kinds:
            values = list(map(_TEXTS_OF_BOOLEANS.get, values, values))
        cells[name] = values
    return cells


def _objects(block: bytes, first: int) -> Objects:
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
            raise EvaluationError(f"{where} {text_cells.NOT_UTF8}") from None
        except json.JSONDecodeError as error:
            if number == 1 and line.lstrip().startswith(b"["):
                break
            raise EvaluationError(f"{where} is not JSON: {error.msg} at character {error.colno}; {ways_out}") from None
        if isinstance(found, list):
            break
        if not isinstance(found, dict):
            raise EvaluationError(f"{where} must be an object, got {line.decode()[:_MOST_OF_LINE]}; {ways_out}")
    raise EvaluationError(f"{where} is a JSON array; each line must be one object (jq -c '.[]' FILE)")


def _line(block: bytes, first: int, index: int) -> str:
    """Return the line of a row of a block, as words.  Empty lines are not rows."""
    numbers = [number for number, line in enumerate(block.split(b"\n"), first) if line.strip()]
    return f"line {numbers[index]}"
