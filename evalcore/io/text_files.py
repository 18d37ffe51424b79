"""CSV and TSV, compressed or not: their columns, and their rows in batches.

Types never depend on the rows: scores and weights are float64, and every other column is text, numbers as they are
written.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from typing import Any

from evalcore.errors import EvaluationError, note, refuse, shortened
from evalcore.io import text_cells
from evalcore.io.columns import Selection, Table
from evalcore.io.formats import DELIMITERS, format_of, refuse_other_files, spoken_name
from evalcore.io.libraries import pa, pa_csv, pc
from evalcore.io.opening import Source, blocks_of_lines
from evalcore.io.text_cells import CellError

SAMPLE_BYTES = 1 << 20
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
    for other in NAMES_OF_DELIMITERS:
        names = next(csv.reader([line], delimiter=other), [])
        if any(map(selection.evaluates, names)) or (len(header) == 1 < len(names)):
            between = NAMES_OF_DELIMITERS.get(delimiter, repr(delimiter))
            raise EvaluationError(f"no column {selection.names[0]!r} between {between}; {_seems_to_have(other)}")


def _seems_to_have(delimiter: str) -> str:
    """Name the delimiter that a header seems to have, and the option that selects it.  O(1)."""
    given = "tab" if delimiter == "\t" else repr(delimiter)
    return f"the header seems to have {NAMES_OF_DELIMITERS[delimiter]} (--delimiter {given})"


def text_table(names: list[str], selection: Selection, batches: Callable[..., Any], rows: Callable[[], int]) -> Table:
    """Return an open table whose columns are float64 where they are numbers.  O(columns)."""
    types = [(name, pa.float64() if selection.holds_numbers(name) else pa.string()) for name in names]
    return Table(pa.schema(types), batches, rows, is_counted=False)


def rows_about(source: Source, sample: bytes) -> int:
    """Estimate the rows of a file; sample: the first rows, all if they have fewer than `SAMPLE_BYTES`.  O(sample)."""
    rows = sample.count(b"\n") + (not sample.endswith(b"\n")) if sample else 0
    if len(sample) < SAMPLE_BYTES:
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
            leave_untyped(names, selection)
            first = 0
            for batch in _batches(file, header or list(names), list(names), source, delimiter):
                where = partial(_where, source, delimiter, first)
                strings = dict(zip(names, batch.columns, strict=True))
                numbers = _all_numbers(strings, selection)
                columns = [
                    numbers[name] if name in numbers else as_numbers_or_text(column, name, selection, where)
                    for name, column in strings.items()
                ]
                yield pa.record_batch(columns, list(names))
                first += batch.num_rows

        yield text_table(header, selection, batches, lambda: rows_about(source, file.read(SAMPLE_BYTES)))


def leave_untyped(names: Iterable[str], selection: Selection) -> None:
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


def as_numbers_or_text(
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
        if selection.as_text or selection.rows is not None or name in selection.with_nulls:
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
        raise EvaluationError(_plain_message(error, where, header, delimiter, done)) from error
    if held is None or any(column[-1].as_py() != _END for column in held.columns):
        raise EvaluationError(f"{where(done - 1)}: a quote is not closed, so all rows after it are one cell")
    if done > 1 and blocks.last not in (b"\n", b"\r", b'"'):
        cut = "the last cell may be cut off; check that the file is complete"
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


def _plain_message(error: Exception, where: Callable[[int], str], header: list[str], delimiter: str, done: int) -> str:
    """Return an error of Arrow in plain words."""
    text = str(error)
    if "straddl" in text:
        ask = "is a quote not closed there, or is the delimiter another one (--delimiter)?"
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
        why = f"must have {wanted} cell{'s' * (wanted != 1)}, got {got}{why[cells.end() :]}"
        others = [sign for sign in NAMES_OF_DELIMITERS if sign != delimiter and wanted == 1 and sign in header[0]]
        if others:
            why += f"; {_seems_to_have(others[0])}"
        elif got > wanted:
            why += "; put a cell that holds the delimiter in quotes, or name another delimiter (--delimiter)"
    return f"{where(int(row) - 1)}: {' '.join(why.split())}"


def _where(source: Source, delimiter: str, first: int, index: int) -> str:
    """Return the line where a row begins or, if the file cannot be read again, the number of the row."""
    line, row = None, first + index
    if source.is_repeatable:
        with Source(source.path).stream() as file:
            line = text_cells.line_of_row(file, delimiter, row)
    return f"row {row + 1} below the header" if line is None else f"line {line}"
