"""CSV, TSV and JSON lines, compressed or not: their columns, and their rows in batches.

Types never depend on the rows: scores and weights are float64, and every other column is text, numbers as they are
written.  Of JSON lines, Arrow reads the blocks of lines in which each key has the type that it has in the first line;
Python reads the others, in three times the time.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from operator import methodcaller
from typing import Any, NoReturn

import numpy as np

from evalcore.errors import EvaluationError, note, shortened
from evalcore.io.columns import ColumnArrays, Selection, TableContents, selected_arrays, selected_names
from evalcore.io.formats import DELIMITERS, Reading, format_of, refuse_other_files, spoken_name
from evalcore.io.libraries import pa, pa_csv, pa_json, pc
from evalcore.io.opening import ChainedFiles, Progress, Source, blocks_of_lines
from evalcore.io.text_cells import (
    FIRST_INEXACT_INTEGER,
    LONGEST_LINE,
    NOT_UTF8,
    CellError,
    check_no_empty_cell,
    has_decimal_comma,
    is_missing_number,
    line_of_row,
    numbers_of_text,
    with_decimal_points,
)

_SAMPLE_BYTES = 1 << 20
"""How much tells the columns and about how many rows there are; JSON lines are read by as much."""
_COMPRESSION_RATIO = 8
"""A guess of how many times larger text is when it is decompressed."""
_UNKNOWN_SIZE = 1 << 30
"""A guess of the bytes of a file whose server does not say."""
_BLOCK_BYTES = 1 << 22
"""What Arrow parses at once, and the most that a row may have."""
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
_NAMES_OF_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_END = "\x04end\x04"
"""Fills the cells of a row added at the end: if a quote was left open, the row is not found there."""
_ARROW_ROW = re.compile(r"(?:In CSV column #(\d+): )?.*?Row #(\d+): (.*)", re.DOTALL)
"""How Arrow names a row, counting from 1."""
_MOST_LETTERS = 120
"""How much of a bad row an error shows."""


def read_header(file: io.BufferedReader, delimiter: str, selection: Selection) -> list[str]:
    """Read the names of the columns and nothing more, so that a missing column is named before rows are read.  O(1).

    An empty file has none.  Raises EvaluationError if the names seem to stand between other signs than the delimiter.
    """
    _, first = next(blocks_of_lines(file, 0))
    if not first:
        return []
    refuse_other_files(first)
    lines = (line.decode("utf-8-sig") for line in chain([first], iter(partial(file.readline, LONGEST_LINE), b"")))
    try:
        header = next(csv.reader(lines, delimiter=delimiter), [])
    except UnicodeDecodeError:
        raise EvaluationError(f"line 1 {NOT_UTF8}") from None
    except csv.Error:
        if b"\r" not in first:
            raise EvaluationError(f"names of columns must have at most {csv.field_size_limit():,} letters") from None
        raise EvaluationError(
            "lines must end in LF or CRLF, got CR alone (tr '\\r' '\\n' < FILE converts them)"
        ) from None
    if not header:
        raise EvaluationError("there is no header line")
    if not any(map(selection.evaluates, header)):
        _refuse_numbers(header, delimiter)
        _refuse_other_delimiter(first.decode("utf-8-sig"), header, delimiter, selection)
    return header


def _refuse_numbers(header: list[str], delimiter: str) -> None:
    """Raise EvaluationError if all names are numbers, for then the first line is a row."""
    if all(map(_NUMBER.fullmatch, header)):
        sign = "\\t" if delimiter == "\t" else delimiter
        names = sign.join(["label", "score", *(f"other{count}" for count in range(1, len(header) - 1))][: len(header)])
        more = "" if delimiter == "," else f" --delimiter {'tab' if sign != delimiter else repr(sign)}"
        raise EvaluationError(
            f"the first line holds only numbers ({shortened(delimiter.join(header))}), so the file seems to have no "
            f"header; write one before it, such as <(printf '{names}\\n'; cat FILE){more}"
        )


def _refuse_other_delimiter(line: str, header: list[str], delimiter: str, selection: Selection) -> None:
    """Raise EvaluationError if another delimiter finds selected columns in the first line, or alone parts it."""
    for other, name in _NAMES_OF_DELIMITERS.items():
        names = next(csv.reader([line], delimiter=other), [])
        if any(map(selection.evaluates, names)) or (len(header) == 1 < len(names)):
            between = _NAMES_OF_DELIMITERS.get(delimiter, repr(delimiter))
            given = "tab" if other == "\t" else repr(other)
            raise EvaluationError(
                f"no column {selection.names[0]!r} between {between}; the header seems to have {name} "
                f"(--delimiter {given})"
            )


def _text_contents(source: Source, names: Iterable[str], selection: Selection, sample: bytes) -> TableContents:
    """Return the types of columns, float64 for numbers, and an estimate of the rows of a file.  O(columns + sample).

    sample: the first rows, the whole file if they have fewer than `_SAMPLE_BYTES`.
    """
    types = [(name, pa.float64() if selection.holds_numbers(name) else pa.string()) for name in names]
    rows = sample.count(b"\n") + (not sample.endswith(b"\n")) if sample else 0
    if len(sample) >= _SAMPLE_BYTES:
        packed = 1 if source.compression is None else _COMPRESSION_RATIO
        rows = (source.size() or _UNKNOWN_SIZE) * packed * rows // len(sample)
    return TableContents(pa.schema(types), rows, False)


def delimited_contents(source: Source, selection: Selection) -> TableContents:
    """Return the columns of a text file and about how many rows it has, from its first megabyte.  O(1)."""
    with source.stream() as file:
        header = read_header(file, _delimiter_of(source, selection.reading), selection)
        sample = file.read(_SAMPLE_BYTES)
    return _text_contents(source, header, selection, sample)


def delimited_batches(
    source: Source, names: Sequence[str] | None, selection: Selection, _rows: int = 0
) -> Iterator[Any]:
    """Yield the rows of some columns, by default the selected ones, as record batches, one at least.  O(bytes).

    Raises EvaluationError, which names the line but not the file.
    """
    delimiter = _delimiter_of(source, selection.reading)
    with source.stream() as file:
        header = read_header(file, delimiter, selection) or selection.needed
        names = selected_names(selection, header) if names is None else list(names)
        _leave_untyped(names, selection)
        first = 0
        for batch in _batches(file, header, source, names, delimiter):
            strings = dict(zip(names, batch.columns, strict=True))
            numbers = _all_numbers(
                {name: strings[name] for name in names if selection.holds_numbers(name)}, selection.reading
            )
            columns = [
                numbers[name] if name in numbers else _as_numbers_or_text(column, name, selection, source, first)
                for name, column in strings.items()
            ]
            yield pa.record_batch(columns, names)
            first += batch.num_rows


def read_delimited(source: Source, selection: Selection, _progress: Progress) -> ColumnArrays:
    """Read the selected columns of a text file, (n,) each.  O(bytes)."""
    table = pa.Table.from_batches(delimited_batches(source, None, selection))
    return selected_arrays(table, table.column_names, selection)


def _leave_untyped(names: Iterable[str], selection: Selection) -> None:
    """Let conditions on rows find out what columns hold that are neither numbers nor asked for as text."""
    if selection.rows is not None:
        untyped = {name for name in names if not selection.holds_numbers(name)}
        selection.rows.untyped |= untyped.difference(selection.text)


def _all_numbers(columns: dict[str, Any], reading: Reading) -> dict[str, Any]:
    """Convert the columns of numbers of a batch at once: wide files have few rows in each; {} if a cell is wrong."""
    if len(columns) < 2:
        return {}
    try:
        numbers = numbers_of_text(_with_points(pa.concat_arrays(columns.values()), reading))
    except CellError:
        return {}
    rows = len(numbers) // len(columns)
    return {name: numbers.slice(index * rows, rows) for index, name in enumerate(columns)}


def _as_numbers_or_text(column: Any, name: str, selection: Selection, source: Source, first: int) -> Any:
    """Return a column of strings as numbers or text."""
    try:
        if selection.holds_numbers(name):
            pointed = _with_points(column, selection.reading)
            return numbers_of_text(pointed) if selection.rows is None else selection.rows.numbers_of_text(pointed)
        if selection.as_text or selection.rows is not None:
            return pc.if_else(pc.equal(column, ""), None, column)
        return check_no_empty_cell(column)
    except CellError as error:
        where = _where(source, first + error.index, _delimiter_of(source, selection.reading))
        text, why = column[error.index].as_py(), error.why
        if has_decimal_comma(text) and selection.holds_numbers(name):
            why = f"must hold numbers with a decimal point, got {text!r}; for decimal commas give --decimal ','"
        way_out = selection.way_out_of_nulls if is_missing_number(text) else ""
        raise EvaluationError(f"{where}: column {name!r} {why}{selection.why_scores(name)}{way_out}") from error


def _with_points(column: Any, reading: Reading) -> Any:
    return with_decimal_points(column) if reading.decimal == "," else column


def _batches(
    file: io.BufferedReader, header: list[str], source: Source, names: list[str], delimiter: str
) -> Iterator[Any]:
    """Yield the rows as strings, without the one added at the end."""
    end = f"\n{delimiter.join([_END] * len(header))}\n".encode()
    blocks = _Blocks(ChainedFiles(file, io.BytesIO(end)), len(end) + 1)
    done, held = 0, None
    try:
        options = (
            # without threads Arrow names the bad row, and it parses on one thread anyway
            pa_csv.ReadOptions(column_names=header, block_size=_BLOCK_BYTES, use_threads=False),
            pa_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            pa_csv.ConvertOptions(
                include_columns=names, column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
        # no name keeps the reader after an error: its thread would read on while the program ends, and abort it
        for batch in pa_csv.open_csv(pa.PythonFile(blocks, mode="r"), *options):
            if held is not None and batch.num_rows:
                yield held
            held = batch if batch.num_rows else held
            done += batch.num_rows
    except pa.ArrowInvalid as error:
        raise EvaluationError(_plain_message(error, source, header, done, delimiter)) from error
    if held is None or any(column[-1].as_py() != _END for column in held.columns):
        raise EvaluationError(
            f"{_where(source, done - 1, delimiter)}: a quote is not closed, so all rows after it are one cell"
        )
    if done > 1 and not blocks.last.removesuffix(end).endswith((b"\n", b"\r", b'"')):
        note(
            f"{spoken_name(source.path)}: there is no line break at the end, so the last cell may be cut off; check "
            "that the file is whole"
        )
    yield held.slice(0, held.num_rows - 1)


class _Blocks:
    """A file that Arrow reads in blocks, none of which ends in CR: it would drop an LF that begins the next one."""

    closed = False

    def __init__(self, file: Any, most_last: int) -> None:
        self.last = b""
        """The last bytes that were read, so many at most."""
        self._most_last = most_last
        self._file = io.BufferedReader(file)

    def read(self, size: int) -> bytes:
        """Return about as many bytes as asked, none at the end."""
        block = self._file.read(size)
        while block.endswith(b"\r") and (more := self._file.read(1)):
            block += more
        self.last = (self.last + block[-self._most_last :])[-self._most_last :]
        return block


def _plain_message(error: Exception, source: Source, header: list[str], done: int, delimiter: str) -> str:
    """Return an error of Arrow in plain words."""
    text = str(error)
    if "straddl" in text:
        return (
            f"{_where(source, done, delimiter)}: takes more than {_BLOCK_BYTES:,} bytes; is a quote not closed there,"
            " or is there another delimiter (--delimiter)?"
        )
    found = _ARROW_ROW.match(text)
    if found is None:
        return f"cannot be read: {' '.join(text.split())}"
    column, row, why = found.groups()
    where = _where(source, int(row) - 1, delimiter)
    if column is not None:
        return f"{where}: column {header[int(column)]!r} {NOT_UTF8}"
    why = why if len(why) <= _MOST_LETTERS else f"{why[:_MOST_LETTERS]}..."
    return f"{where}: {' '.join(why.split())}"


def _where(source: Source, row: int, delimiter: str) -> str:
    """Return the line where a row begins or, if the file cannot be read again, the number of the row."""
    line = None
    if source.is_repeatable:
        with Source(source.path).stream() as file:
            line = line_of_row(file, delimiter, row)
    return f"row {row + 1} below the header" if line is None else f"line {line}"


def _delimiter_of(source: Source, reading: Reading) -> str:
    return reading.delimiter or DELIMITERS[format_of(source.path, reading)]


_SAMPLED_LINES = 100
"""Number of lines whose keys are the columns; more are read only to find a column or a prefix that is asked for."""
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


def json_lines_contents(source: Source, selection: Selection) -> TableContents:
    """Return the keys of a file and about how many rows it has, from its first megabyte.  O(1)."""
    _, sample = next(_numbered_blocks(source))
    keys = _keys(sample, selection) if sample else []
    return _text_contents(source, keys, selection, sample)


def json_lines_batches(
    source: Source, names: Sequence[str] | None, selection: Selection, _rows: int = 0
) -> Iterator[Any]:
    """Yield the rows of some columns, by default the selected ones, as record batches, one at least.  O(bytes).

    A missing key is a null.  Raises EvaluationError, which names the line but not the file.
    """
    for first, block in _numbered_blocks(source):
        names = selected_names(selection, _keys(block, selection)) if names is None else list(names)
        _leave_untyped(names, selection)
        columns = _columns_of_one_type(block, names, selection)
        if columns is None:
            columns = [
                _numbers_or_text(cells, name, selection, first, block)
                for name, cells in _cells(block, names, first).items()
            ]
        yield pa.record_batch(columns, names)


def read_json_lines(source: Source, selection: Selection, _progress: Progress) -> ColumnArrays:
    """Read the selected columns of a file, (n,) each.  O(bytes)."""
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
        for first, block in blocks_of_lines(file, _SAMPLE_BYTES):
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


def _types_of_line(line: bytes, names: Sequence[str], selection: Selection) -> list[tuple[str, str | None]] | None:
    """Return the types in which Arrow reads the values of a line; None if it cannot."""
    try:
        values = json.loads(line)
    except ValueError:
        return None
    if not isinstance(values, dict):
        return None
    found = {
        name: (_TYPES_OF_NUMBERS if selection.holds_numbers(name) else _TYPES_OF_TEXT).get(type(values.get(name)))
        for name in names
    }
    return None if None in found.values() else list(found.items())


def _is_exact(numbers: Any, block: bytes) -> bool:
    """Whether no number of a column was rounded or is NaN, as far as Arrow's conversion and the lines tell."""
    values = numbers.fill_null(1).to_numpy()
    if (values == 0).any() and (_MANY_ZEROS in block or _LONG_EXPONENT.search(block.lower())):
        return False  # it may be 1e-400
    return bool((np.abs(values) < FIRST_INEXACT_INTEGER).all())


def _numbers_or_text(cells: list[str | None], name: str, selection: Selection, first: int, block: bytes) -> Any:
    """Return cells as numbers or text; raise EvaluationError for the line of a cell that is no number."""
    try:
        column = pa.array(cells, pa.string())
    except UnicodeEncodeError:
        index = next(index for index, cell in enumerate(cells) if cell and _SURROGATE.search(cell))
        raise EvaluationError(f"{_line(block, first, index)}: column {name!r} {NOT_UTF8}") from None
    try:
        if not selection.holds_numbers(name):
            return column
        return numbers_of_text(column) if selection.rows is None else selection.rows.numbers_of_text(column)
    except CellError as error:
        way_out = selection.way_out_of_nulls if is_missing_number(column[error.index].as_py()) else ""
        way_out = selection.why_scores(name) + way_out
        raise EvaluationError(f"{_line(block, first, error.index)}: column {name!r} {error.why}{way_out}") from error


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
            raise EvaluationError(f"{where} must be an object, got {line.decode()[:_MOST_OF_LINE]}; {ways_out}")
    raise EvaluationError(f"{where} is a JSON array; each line must be one object (jq -c '.[]' FILE)")


def _line(block: bytes, first: int, index: int) -> str:
    """Return the line of a row of a block, as words.  Empty lines are not rows."""
    numbers = [number for number, line in enumerate(block.split(b"\n"), first) if line.strip()]
    return f"line {numbers[index]}"
