"""CSV, TSV and JSON lines, compressed or not: their columns, and their rows in batches.

Types never depend on the rows: scores and weights are float64, and every other column is text, numbers as they are
written.  Of JSON lines, Arrow reads the blocks of lines in which each key has the type that it has in the first line;
Python reads the others, in three times the time.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from operator import methodcaller
from typing import Any, NoReturn

import numpy as np

from evalcore.errors import EvaluationError, note, refuse, shortened
from evalcore.io import text_cells
from evalcore.io.columns import ColumnArrays, Selection, Table
from evalcore.io.formats import DELIMITERS, format_of, refuse_other_files, spoken_name
from evalcore.io.libraries import pa, pa_csv, pa_json, pc
from evalcore.io.opening import Source, blocks_of_lines
from evalcore.io.text_cells import CellError

_SAMPLE_BYTES = 1 << 20
"""How much tells the columns and about how many rows there are; JSON lines are read by as much."""
_COMPRESSION_RATIO = 8
"""A guess of how many times larger text is when it is decompressed."""
_UNKNOWN_SIZE = 1 << 30
"""A guess of the bytes of a file whose server does not say."""
_BLOCK_BYTES = 1 << 22
"""What Arrow parses at once, and the most that a row may have."""
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
NAMES_OF_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_END = "\x04end\x04"
"""Fills the cells of a row added at the end: if a quote was left open, the row is not found there."""
_ARROW_ROW = re.compile(r"(?:In CSV column #(\d+): )?.*?Row #(\d+): (.*)", re.DOTALL)
"""How Arrow names a row, counting from 1."""
_OTHER_CELLS = re.compile(r"Expected (\d+) columns, got (\d+)")
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
    more = iter(partial(file.readline, text_cells.LONGEST_LINE), b"")
    lines = (line.decode("utf-8-sig") for line in chain([first], more))
    try:
        header = next(csv.reader(lines, delimiter=delimiter), [])
    except UnicodeDecodeError:
        raise EvaluationError(f"line 1 {text_cells.NOT_UTF8}") from None
    except csv.Error:
        why = f"names of columns must have at most {csv.field_size_limit():,} letters"
        if b"\r" in first:
            why = "lines must end in LF or CRLF, got CR alone (tr '\\r' '\\n' < FILE converts them)"
        raise EvaluationError(why) from None
    refuse({"there is no header line": not header})
    if not any(map(selection.evaluates, header)):
        _refuse_header(first.decode("utf-8-sig"), header, delimiter, selection)
    return header


def _refuse_header(line: str, header: list[str], delimiter: str, selection: Selection) -> None:
    """Raise EvaluationError if all names are numbers, for then the first line is a row.

    It is raised too if another delimiter finds selected columns in the first line, or alone parts it.
    """
    if all(map(_NUMBER.fullmatch, header)):
        held = shortened(delimiter.join(header))
        why = f"the first line holds only numbers ({held}), so the file seems to have no header; write one before it"
        raise EvaluationError(why)
    for other, name in NAMES_OF_DELIMITERS.items():
        names = next(csv.reader([line], delimiter=other), [])
        if any(map(selection.evaluates, names)) or (len(header) == 1 < len(names)):
            between = NAMES_OF_DELIMITERS.get(delimiter, repr(delimiter))
            given = "tab" if other == "\t" else repr(other)
            found = f"the header seems to have {name} (--delimiter {given})"
            raise EvaluationError(f"no column {selection.names[0]!r} between {between}; {found}")


def _text_table(names: list[str], selection: Selection, batches: Callable[..., Any], rows: Callable[[], int]) -> Table:
    """Return an open table whose columns are float64 where they are numbers.  O(columns)."""
    types = [(name, pa.float64() if selection.holds_numbers(name) else pa.string()) for name in names]
    return Table(pa.schema(types), batches, rows, is_counted=False)


def _rows_about(source: Source, sample: bytes) -> int:
    """Estimate the rows of a file; sample: the first rows, all if they have fewer than `_SAMPLE_BYTES`.  O(sample)."""
    rows = sample.count(b"\n") + (not sample.endswith(b"\n")) if sample else 0
    if len(sample) < _SAMPLE_BYTES:
        return rows
    packed = 1 if source.compression is None else _COMPRESSION_RATIO
    return (source.size() or _UNKNOWN_SIZE) * packed * rows // len(sample)


@contextmanager
def open_delimited(source: Source, selection: Selection, *, whole: bool) -> Iterator[Table]:
    """Open a text file and read its header.  O(1).

    An empty file that is read whole has the selected columns.  Errors name the line but not the file.
    """
    delimiter = selection.reading.delimiter or DELIMITERS[format_of(source.path, selection.reading)]
    with source.stream() as file:
        header = read_header(file, delimiter, selection) or (selection.needed if whole else [])

        def batches(names: Sequence[str], _rows: int) -> Iterator[Any]:
            _leave_untyped(names, selection)
            first = 0
            for batch in _batches(file, header or list(names), list(names), source, delimiter):
                where = partial(_where, source, delimiter, first)
                strings = dict(zip(names, batch.columns, strict=True))
                numbers = _all_numbers(strings, selection)
                columns = [
                    numbers[name] if name in numbers else _as_numbers_or_text(column, name, selection, where)
                    for name, column in strings.items()
                ]
                yield pa.record_batch(columns, list(names))
                first += batch.num_rows

        yield _text_table(header, selection, batches, lambda: _rows_about(source, file.read(_SAMPLE_BYTES)))


def _leave_untyped(names: Iterable[str], selection: Selection) -> None:
    """Let conditions on rows find out what columns hold that are neither numbers nor asked for as text."""
    if selection.rows is not None:
        untyped = {name for name in names if not selection.holds_numbers(name)}
        selection.rows.untyped |= untyped.difference(selection.text)


def _all_numbers(strings: dict[str, Any], selection: Selection) -> dict[str, Any]:
    """Convert the columns of numbers of a batch at once: wide files have few rows in each; {} if a cell is wrong."""
    columns = {name: column for name, column in strings.items() if selection.holds_numbers(name)}
    if len(columns) < 2:
        return {}
    try:
        together = pa.concat_arrays(columns.values())
        numbers = text_cells.numbers_of_text(text_cells.with_decimal_points(together, selection.reading.decimal))
    except CellError:
        return {}
    rows = len(numbers) // len(columns)
    return {name: numbers.slice(index * rows, rows) for index, name in enumerate(columns)}


def _as_numbers_or_text(
    column: Any, name: str, selection: Selection, where: Callable[[int], str], *, of_json: bool = False
) -> Any:
    """Return a column of strings as numbers or text; raise EvaluationError for a wrong cell.

    where: says, in words, where the row of an index is.
    """
    try:
        if selection.holds_numbers(name):
            pointed = text_cells.with_decimal_points(column, selection.reading.decimal)
            if selection.rows is None:
                return text_cells.numbers_of_text(pointed)
            return text_cells.numbers_and_nulls(pointed, words_too=selection.rows.asked.nulls == "drop")
        if of_json:
            return column
        if selection.as_text or selection.rows is not None or name in selection.shown:
            return pc.if_else(pc.equal(column, ""), None, column)
        return text_cells.check_no_empty_cell(column)
    except CellError as error:
        text, why = column[error.index].as_py(), error.why
        if text_cells.PLAIN_COMMA.fullmatch(text) and selection.holds_numbers(name) and not of_json:
            why = f"must hold numbers with a decimal point, got {text!r}; for decimal commas give --decimal ','"
        way_out = selection.way_out_of_nulls if text.strip() in text_cells.MISSING_NUMBERS else ""
        why += selection.why_scores(name) + way_out
        raise EvaluationError(f"{where(error.index)}: column {name!r} {why}") from error


def _batches(
    file: io.BufferedReader, header: list[str], names: list[str], source: Source, delimiter: str
) -> Iterator[Any]:
    """Yield the rows as strings, without the one added at the end."""
    blocks = _Blocks(file, f"\n{delimiter.join([_END] * len(header))}\n".encode())
    where = partial(_where, source, delimiter, 0)
    done, held = 0, None
    try:
        types = dict.fromkeys(names, pa.string())
        options = (
            # without threads Arrow names the bad row, and it parses on one thread anyway
            pa_csv.ReadOptions(column_names=header, block_size=_BLOCK_BYTES, use_threads=False),
            pa_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            pa_csv.ConvertOptions(include_columns=names, column_types=types, strings_can_be_null=False),
        )
        # no name keeps the reader after an error: its thread would read on while the program ends, and abort it
        for batch in pa_csv.open_csv(pa.PythonFile(blocks, mode="r"), *options):
            if held is not None and batch.num_rows:
                yield held
            held = batch if batch.num_rows else held
            done += batch.num_rows
    except pa.ArrowInvalid as error:
        raise EvaluationError(_plain_message(error, where, header, done)) from error
    if held is None or any(column[-1].as_py() != _END for column in held.columns):
        raise EvaluationError(f"{where(done - 1)}: a quote is not closed, so all rows after it are one cell")
    if done > 1 and blocks.last not in (b"\n", b"\r", b'"'):
        cut = "the last cell may be cut off; check that the file is whole"
        note(f"{spoken_name(source.path)}: there is no line break at the end, so {cut}")
    yield held.slice(0, held.num_rows - 1)


class _Blocks:
    """A file that Arrow reads in blocks, none of which ends in CR: it would drop an LF that begins the next one.

    end: the row that is added at the end.
    """

    closed = False

    def __init__(self, file: io.BufferedReader, end: bytes) -> None:
        self.last = b""
        """The last byte of the file, once all is read."""
        self._file, self._end = file, end

    def read(self, size: int) -> bytes:
        """Return about as many bytes as asked, none at the end."""
        block = self._file.read(size)
        while block.endswith(b"\r") and (more := self._file.read(1)):
            block += more
        self.last = block[-1:] or self.last
        if len(block) < size:
            block, self._end = block + self._end, b""
        return block


def _plain_message(error: Exception, where: Callable[[int], str], header: list[str], done: int) -> str:
    """Return an error of Arrow in plain words."""
    text = str(error)
    if "straddl" in text:
        ask = "is a quote not closed there, or is there another delimiter (--delimiter)?"
        return f"{where(done)}: takes more than {_BLOCK_BYTES:,} bytes; {ask}"
    found = _ARROW_ROW.match(text)
    if found is None:
        return f"cannot be read: {' '.join(text.split())}"
    column, row, why = found.groups()
    if column is not None:
        return f"{where(int(row) - 1)}: column {header[int(column)]!r} {text_cells.NOT_UTF8}"
    why = why if len(why) <= _MOST_LETTERS else f"{why[:_MOST_LETTERS]}..."
    if cells := _OTHER_CELLS.match(why):
        wanted, got = map(int, cells.groups())
        why = f"must have {wanted} cells, got {got}{why[cells.end() :]}"
        if got > wanted:
            why += "; put a cell that holds the delimiter in quotes, or name another delimiter (--delimiter)"
    return f"{where(int(row) - 1)}: {' '.join(why.split())}"


def _where(source: Source, delimiter: str, first: int, index: int) -> str:
    """Return the line where a row begins or, if the file cannot be read again, the number of the row."""
    line, row = None, first + index
    if source.is_repeatable:
        with Source(source.path).stream() as file:
            line = text_cells.line_of_row(file, delimiter, row)
    return f"row {row + 1} below the header" if line is None else f"line {line}"


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


@contextmanager
def open_json_lines(source: Source, selection: Selection, *, whole: bool) -> Iterator[Table]:
    """Open a file and read its first megabyte, whose keys are the columns; missing keys are nulls.  O(1).

    An empty file that is read whole has the selected columns.  Errors name the line but not the file.
    """
    with source.stream() as file:
        blocks = blocks_of_lines(file, _SAMPLE_BYTES)
        begin = next(blocks)
        refuse_other_files(begin[1])
        keys = _keys(begin[1], selection) if begin[1] or whole else []

        def batches(names: Sequence[str], _rows: int) -> Iterator[Any]:
            _leave_untyped(names, selection)
            for first, block in chain([begin], blocks):
                columns, where = _columns_of_one_type(block, names, selection), partial(_line, block, first)
                if columns is None:
                    columns = [
                        _as_numbers_or_text(_strings(cells, name, where), name, selection, where, of_json=True)
                        for name, cells in _cells(block, names, first).items()
                    ]
                yield pa.record_batch(columns, list(names))

        def lists(names: Sequence[str]) -> ColumnArrays:
            parts = [_cells(block, names, first, allowed=list) for first, block in chain([begin], blocks)]
            joined = {name: [*chain.from_iterable(part[name] for part in parts), None] for name in names}
            return {name: np.array(cells, object)[:-1] for name, cells in joined.items()}

        table = _text_table(keys, selection, batches, lambda: _rows_about(source, begin[1]))
        yield table._replace(arrays=lists if selection.as_text else None)


def _keys(block: bytes, selection: Selection) -> list[str]:
    """Return the keys of the first lines of a file, the selected ones if no line has any."""
    needed, found = dict.fromkeys(selection.needed), dict[str, Any]()
    for count, line in enumerate(block.split(b"\n")):
        if count >= _SAMPLED_LINES and not selection.prefixes and needed.keys() <= found.keys():
            break
        if line.strip():
            found |= _objects(line, count + 1)[0]
    return list(found or needed)


def _columns_of_one_type(block: bytes, names: Sequence[str], selection: Selection) -> list[Any] | None:
    """Return columns as numbers and text if each has the type of its first value; else None.  O(bytes)."""
    try:
        values = json.loads(block.partition(b"\n")[0])
        if not isinstance(values, dict):
            return None
        kinds = {name: _TYPES_OF_NUMBERS if selection.holds_numbers(name) else _TYPES_OF_TEXT for name in names}
        types = {name: of_values.get(type(values.get(name))) for name, of_values in kinds.items()}
        if None in types.values():
            return None
        at_once = pa_json.ReadOptions(use_threads=False, block_size=len(block))
        typed = pa_json.ParseOptions(explicit_schema=pa.schema([*types.items()]), unexpected_field_behavior="ignore")
        table = pa_json.read_json(pa.BufferReader(block), at_once, typed)
        table.validate(full=True)  # strings may not be UTF-8
        if table.num_rows != block.count(b"\n") + (not block.endswith(b"\n")):
            return None  # an object of several lines, or several in one
        columns = {name: table.column(name).combine_chunks() for name in names}
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
        return pa.array(cells, pa.string())
    except UnicodeEncodeError:
        index = next(index for index, cell in enumerate(cells) if cell and _SURROGATE.search(cell))
        raise EvaluationError(f"{where(index)}: column {name!r} {text_cells.NOT_UTF8}") from None


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
            way_out = "write one object for each row, as pandas does with to_json(orient='records', lines=True)"
            got = f"got {_STRUCTURES[kind]}; {way_out}"
            raise EvaluationError(f"{where}: column {name!r} must hold one value in each line, {got}")
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
