"""Columns of a table, found by name and turned into arrays."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError, check, did_you_mean
from evalcore.io.conditions import holds_text, plain
from evalcore.io.formats import BY_NAME, Reading
from evalcore.io.libraries import pa, pc
from evalcore.io.opening import Progress
from evalcore.io.paths import Paths, columns_at, heads, leaves, steps_of, value_at, way_out_of_nested
from evalcore.io.rows import RowFilter, nulls_text
from evalcore.typing import AnyArray, IntArray
from evalcore.validation.label_sets import CodedNames

ColumnArrays = dict[str, AnyArray]
"""One array of shape (n,) per name."""
_OF_PANDAS = {"pandas.interval": "intervals", "pandas.period": "periods"}
"""Types that Arrow has from pandas alone, and cannot convert."""
_SAMPLED = 100
"""Number of objects of JSON whose keys are the columns."""
_ROWS_OF_PROGRESS = 1 << 18
"""Rows between two reports of progress."""
_FLOATS = {"halffloat": "float16", "float": "float32", "double": "float64"}
"""Names of dtypes by those that Arrow has for them."""


class Selection(NamedTuple):
    """What to read of a table: columns of some names, those whose names begin with prefixes, and which rows."""

    names: tuple[str, ...]
    prefixes: tuple[str, ...] = ()
    as_text: bool = False
    """Whether cells are strings or lists of strings, and an empty cell is a null rather than an error."""
    numbers: tuple[str, ...] = ()
    """Which of the names hold numbers: scores and weights."""
    text: tuple[str, ...] = ()
    """Which of the names are read as text, whatever their types; CSV and JSON lines read all but numbers so."""
    reading: Reading = BY_NAME
    rows: RowFilter | None = None
    """Keeps some of the rows, and counts the others; None keeps all."""
    way_out_of_nulls: str = ""
    """What errors about nulls add."""
    query_bytes: int | None = None
    """Memory limit of the query of a database, in bytes; None leaves it to DuckDB."""
    optional: tuple[str, ...] = ()
    """Further columns that are read if the table has them."""
    thresholds: Mapping[str, Sequence[float]] = {}
    """By column of scores, the thresholds that they are compared with."""
    shown: tuple[str, ...] = ()
    """Which of the names are shown alone: texts, empty in place of nulls, which leave no row out."""
    nested: bool = False
    """Whether the paths below nested columns take their place."""
    kept_nulls: tuple[str, ...] = ()
    """Which of the names may hold nulls: NaN in their place, as a number or a text."""
    ids: tuple[str, ...] = ()
    """Which of the names, where they are of text, become `Texts`, of which few cells are read."""

    @property
    def with_nulls(self) -> tuple[str, ...]:
        """The names whose nulls are no error.  O(names)."""
        return (*self.shown, *self.kept_nulls)

    @property
    def needed(self) -> list[str]:
        """The columns that are known by name, those that a condition names included.  O(names)."""
        return [*self.names, *(() if self.rows is None else self.rows.named)]

    def why_scores(self, name: str) -> str:
        """Say, for errors, that a column is read as scores because of a prefix, if that is why.  O(names)."""
        begin = next(filter(name.startswith, self.prefixes), None)
        if begin is None or name in self.names or name in self.numbers:
            return ""
        return f"; it counts as scores because its name begins with {begin!r}, so give a longer prefix"

    def evaluates(self, name: str) -> bool:
        """Whether a column is selected for itself, not for a condition on rows alone.  O(names)."""
        return name in self.names or name in self.optional or name.startswith(self.prefixes)

    @property
    def is_filtered(self) -> bool:
        """Whether rows must meet a condition, known once the columns of the table are.  O(1)."""
        return self.rows is not None and self.rows.asked.where is not None

    def holds_numbers(self, name: str) -> bool:
        """Whether a column is named among the numbers or begins with a prefix.  O(names)."""
        named = name in self.names or name in self.optional
        return name in self.numbers or (name.startswith(self.prefixes) and not named)

    def paths(self, nodes: Iterable[Any]) -> Paths:
        """Return the columns of objects of JSON, or of a type of Arrow: their own names, and paths below.  O(paths).

        Paths are columns if they are selected; all are if one that is needed is not there, or nothing begins with a
        prefix.  More objects than the first hundred are looked at only to find what is selected.
        """
        needed, looked_at, found, missing = self.needed, list[Any](), Paths(), object()
        asked = {name: steps_of(name) for name in (*needed, *self.optional)}
        for count, node in enumerate(nodes):
            if count >= _SAMPLED and not self.prefixes and all(map(found.__contains__, needed)):
                break
            looked_at.append(node)
            found |= {name: (name,) for name in (node if isinstance(node, dict) else (field.name for field in node))}
            unknown = [(name, steps) for name, steps in asked.items() if name not in found]
            found |= {name: steps for name, steps in unknown if value_at(node, steps, missing) is not missing}
        begun = all(any(name.startswith(prefix) for name in found) for prefix in self.prefixes)
        if self.nested or not begun or not all(map(found.__contains__, needed)):
            every = dict.fromkeys(path for node in looked_at[:_SAMPLED] for path, _ in leaves(node))
            below = {path: found.get(path) or steps_of(path) for path in every}
            found = below if self.nested else found | below
        return found or {name: (name,) for name in needed}


class TableFile(NamedTuple):
    """What a file of a table says of itself before its rows are read."""

    path: str
    schema: Any
    """Columns and their types, a pyarrow Schema: all, or those that are selected with those from its folders."""
    rows: int
    """The number of rows, for CSV and TSV an estimate."""
    rows_are_counted: bool
    """Whether the number is exact."""
    partitions: Mapping[str, Any] = {}
    """Columns from the names of its folders, such as ``month=1``, each of one value."""


class Table(NamedTuple):
    """A table that is open."""

    schema: Any
    """Columns and their types, a pyarrow Schema."""
    batches: Callable[[Sequence[str], int], Iterable[Any]]
    """Gives the rows of some columns as record batches, once, up to a number of rows each; text ignores the limit."""
    rows: int | Callable[[], int]
    """The number of rows, or what counts or estimates them, in place of reading them."""
    is_counted: bool = True
    """Whether the number is exact; an estimate is that of text, which reports its bytes in place of rows."""
    arrays: Callable[[list[str]], ColumnArrays] | None = None
    """Reads columns whole, (n,) each, where that is not what batches make."""
    takes_fields: bool = False
    """Whether batches may have only some fields of a nested column."""

    def with_paths(self, selection: Selection) -> "Table":
        """Return the table with the selected paths as columns.  O(columns)."""
        own = self.schema
        if not any(map(pa.types.is_nested, own.types)):
            return self
        row = pa.struct(list(own))
        found = {path: value_at(row, steps) for path, steps in selection.paths([row]).items() if path not in own.names}
        kept = [field for field in own if not (selection.nested and pa.types.is_nested(field.type))]
        schema = pa.schema([*kept, *(pa.field(path, kind) for path, kind in found.items() if kind is not None)])

        def batches(names: Sequence[str], rows: int) -> Iterable[Any]:
            for batch in self.batches(heads(names, own, fields=self.takes_fields), rows):
                yield pa.record_batch(columns_at(batch, names, own), list(names))

        return self._replace(schema=schema, batches=batches)


def selected_names(selection: Selection, present: Sequence[str]) -> list[str]:
    """Return the names of the selected columns, each once; raise EvaluationError if one is not there.  O(columns).

    Columns that a condition on rows needs are among them.

    >>> selected_names(Selection(("late",), ("p_",)), ["p_a", "late", "p_b"])
    ['late', 'p_a', 'p_b']
    """
    names = list(selection.names)
    for prefix in selection.prefixes:
        prefixed = [name for name in present if name.startswith(prefix)]
        if not prefixed:
            near = did_you_mean(prefix, (name[: len(prefix)] for name in present)) or "; " + _listed_columns(present)
            raise EvaluationError(f"no column begins with {prefix!r}{near}")
        names += prefixed
    occurrences = Counter(present)
    names += filter(occurrences.get, selection.optional)
    for name in names:
        found = occurrences[name]
        if found > 1:
            raise EvaluationError(f"{found} columns are called {name!r}")
        if found == 0:
            raise EvaluationError(f"no column {name!r}{_near_column(name, present)}")
    if selection.rows is not None:
        names += selection.rows.columns(present)
    return list(dict.fromkeys(names))


def _near_column(name: str, present: Sequence[str]) -> str:
    """Return what an error adds about a column that is not there.  O(letters)."""
    composed = unicodedata.normalize("NFC", name)
    if any(unicodedata.normalize("NFC", other) == composed for other in present):
        spelled = "with other code points for the same letters (Unicode NFC and NFD)"
        return f"; the table spells it {spelled}; copy the name from the table"
    if whole := next((other for other in present if other.endswith(f"={name}")), None):
        return f"; the table has {whole!r}, but what precedes = in --score is a class: rename the column"
    ends = {steps_of(each)[-1]: each for each in present}
    near = did_you_mean(name, present) or did_you_mean(name, ends, ends.__getitem__)
    return near or f"; {_listed_columns(present)}"


def _listed_columns(present: Sequence[str]) -> str:
    return f"the columns are {', '.join(map(repr, present[:20]))}" if present else "the table has no columns"


def column_arrays(table: Any, names: Sequence[str], way_out: str = "", ids: Collection[str] = ()) -> ColumnArrays:
    """Return columns of a pyarrow Table as arrays, (n,) each; raise EvaluationError for nulls.  O(n).

    way_out: what an error about nulls adds; ids: as of a `Selection`.
    """
    columns = {name: table.column(name) for name in names}
    for name, column in columns.items():
        kind = column.type
        got = "; ".join(filter(None, (str(kind), way_out_of_nested(name, kind))))
        check(not pa.types.is_nested(kind), f"column {name!r}", "hold one value in each row", got)
    nulls = {name: (each.null_count, _first_null(each)) for name, each in columns.items() if each.null_count}
    if nulls:
        raise EvaluationError(nulls_text(nulls) + way_out)
    return {name: _column_array(column, name, name in ids) for name, column in columns.items()}


def table_arrays(table: Table, selection: Selection, progress: Progress) -> ColumnArrays:
    """Read the selected columns of an open table, (n,) each, and report progress.  O(n).

    Numbers of a known number of rows are copied as they come: Arrow reuses the memory of a batch for the next one.
    """
    schema, names = table.schema, selected_names(selection, table.schema.names)
    if table.arrays is not None:
        columns = table.arrays(names)
        progress(1, 1)
        return columns
    rows = table.rows if isinstance(table.rows, int) else None
    copied = [] if rows is None or selection.rows is not None or selection.kept_nulls else names
    text = names if selection.as_text else (*selection.text, *selection.shown)
    kinds = {name: schema.field(name).type for name in copied if name not in text}
    numbers = {name: np.empty(rows or 0, numpy_dtype(kind)) for name, kind in kinds.items() if _is_number(kind)}
    others = [name for name in names if name not in numbers]
    nulls: dict[str, tuple[int, int]] = {}
    kept, done = [], 0
    for batch in table.batches(names, _ROWS_OF_PROGRESS):
        for name in copied:
            column = batch.column(name)
            if column.null_count and name not in selection.shown:
                count, first = nulls.get(name, (0, done + _first_null(column)))
                nulls[name] = count + column.null_count, first
            elif name in numbers and batch.num_rows:
                numbers[name][done : done + batch.num_rows] = numbers_of_array(column)
        kept.append(batch.select(others) if numbers else batch)
        done += batch.num_rows
        progress(done, rows)
    if nulls and not selection.as_text:
        found = {name: nulls[name] for name in names if name in nulls}
        raise EvaluationError(nulls_text(found) + selection.way_out_of_nulls)
    arrays = selected_arrays(pa.Table.from_batches(kept, pa.schema([*map(schema.field, others)])), others, selection)
    arrays |= {name: each[:done] for name, each in numbers.items()}
    return {name: arrays[name] for name in names if name in arrays}


def _first_null(column: Any) -> int:
    return int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))


def selected_arrays(table: Any, names: list[str], selection: Selection) -> ColumnArrays:
    """Return columns of a pyarrow Table as arrays, (n,) each, those that the selection says as text.  O(n).

    If only some rows are kept, the arrays have these rows, and no columns that only a condition needs.
    """
    if selection.as_text:  # strings or lists of them, None for nulls
        columns = {}
        for name in names:
            column = table.column(name)
            if pa.types.is_struct(column.type) or pa.types.is_map(column.type):
                raise EvaluationError(f"column {name!r} must hold strings or lists of strings, got {column.type}")
            cells = (column if pa.types.is_nested(column.type) else as_strings(column, name)).to_pylist()
            columns[name] = np.fromiter(cells, object, len(cells))
        return columns
    for name in set(selection.text).intersection(names):
        table = table.set_column(table.column_names.index(name), name, as_strings(table.column(name), name))
    if selection.rows is not None:
        names = list(filter(selection.evaluates, names))
        table = selection.rows.sampled(table, names)
    for name in filter(table.column_names.__contains__, selection.shown):
        kind, index = table.schema.field(name).type, table.column_names.index(name)
        check(not pa.types.is_nested(kind), f"column {name!r}", "hold one value in each row to be shown", kind)
        table = table.set_column(index, name, as_strings(table.column(name), name).fill_null(""))
    for name in filter(table.column_names.__contains__, selection.kept_nulls):
        column, index = plain(table.column(name)), table.column_names.index(name)
        if column.null_count and not pa.types.is_nested(column.type):
            of_text = holds_text(column.type)
            filled = column.fill_null("NaN") if of_text else column.cast(pa.float64()).fill_null(np.nan)
            table = table.set_column(index, name, filled)
    return column_arrays(table, names, selection.way_out_of_nulls, selection.ids)


def as_strings(column: Any, name: str, kind: str = "string") -> Any:
    """Return a pyarrow array or chunked array as strings; raises EvaluationError for bytes not in UTF-8.  O(n)."""
    try:
        return plain(column).cast(kind)
    except pa.ArrowInvalid:
        why = f"column {name!r} must hold text in UTF-8, got other bytes; decode them first"
        raise EvaluationError(why) from None


def _column_array(column: Any, name: str, is_id: bool) -> AnyArray:
    types, kind = pa.types, column.type  # wide tables have many columns
    if kept := not is_id and types.is_dictionary(kind) and holds_text(kind.value_type):
        values = [chunk.dictionary for chunk in column.chunks]  # Arrow joins none that have a null
        kept = sum(map(len, values)) <= len(column) and not any(each.null_count for each in values)
    column = column if kept else plain(column)
    of_pandas = _OF_PANDAS.get(getattr(column.type, "extension_name", ""))
    got = f"{of_pandas} of pandas; convert it to text, such as frame[{name!r}].astype(str)"
    check(of_pandas is None, f"column {name!r}", "hold names, numbers or dates", got)
    if any(holds(column.type) for holds in (types.is_binary, types.is_large_binary, types.is_fixed_size_binary)):
        column = as_strings(column.cast(pa.large_binary()), name, "large_string")
    if types.is_decimal(column.type):
        column = column.cast(pa.float64())
    if kept or holds_text(column.type):
        return cast(AnyArray, Texts(column)) if is_id and not column.null_count else _objects(column)
    if types.is_timestamp(column.type) and column.type.tz is not None:
        return _objects(column, zoned_texts)
    if _is_number(column.type):
        parts = [numbers_of_array(chunk) for chunk in column.chunks]
        return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, numpy_dtype(column.type)), *parts])
    return np.asarray(column.to_numpy())


def _is_number(kind: Any) -> bool:
    types = pa.types
    return bool(types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind))


def numpy_dtype(kind: Any) -> np.dtype[Any]:
    """Return the dtype of a pyarrow type of numbers or Booleans, without pandas, which pyarrow before 26 asks.  O(1).

    >>> import pyarrow
    >>> numpy_dtype(pyarrow.float32()), numpy_dtype(pyarrow.uint8())
    (dtype('float32'), dtype('uint8'))
    """
    name = str(kind)
    return np.dtype(_FLOATS.get(name, name))


def numbers_of_array(array: Any) -> AnyArray:
    """Return a pyarrow array of numbers or Booleans without nulls, (n,), numbers as a view.  O(n).

    `to_numpy` imports pandas where it is installed, which takes longer than a report on ten million rows.
    """
    dtype = numpy_dtype(array.type)
    values, first, rows = array.buffers()[1], array.offset, len(array)
    if not rows:
        return np.empty(0, dtype)  # there may be no buffer
    if dtype != np.bool_:
        return np.frombuffer(values, dtype, rows, first * dtype.itemsize)
    skipped = first % 8
    bits = np.frombuffer(values, np.uint8, offset=first // 8)
    return np.unpackbits(bits, count=skipped + rows, bitorder="little")[skipped:].view(np.bool_)


class Texts:
    """Texts of a pyarrow chunked array, or of some of its rows, (n,), which become objects where they are read.

    >>> import pyarrow
    >>> texts = Texts(pyarrow.chunked_array([["a", "b"], ["a"]]))
    >>> texts[1], texts[np.array([2, 1])].tolist(), np.asarray(texts)
    ('b', ['a', 'b'], array(['a', 'b', 'a'], dtype=object))
    """

    dtype = np.dtype(object)

    def __init__(self, column: Any, rows: IntArray | None = None) -> None:
        self._column, self._rows = column, rows
        self.size = len(column if rows is None else rows)

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, rows: Any) -> Any:
        found = rows if self._rows is None else self._rows[rows]
        return Texts(self._column, found) if np.ndim(found) else self._column[int(found)].as_py()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        return _objects(pa.chunked_array([self.strings()]))

    def tolist(self) -> list[Any]:
        """Return the texts.  O(n)."""
        return list(self.strings().to_pylist())

    def strings(self) -> Any:
        """Return the texts as a pyarrow array of large strings.  O(letters)."""
        texts = self._column if self._rows is None else taken_rows(self._column, self._rows)
        return texts.cast(pa.large_string()).combine_chunks()


def taken_rows(column: Any, rows: IntArray) -> Any:
    """Return some rows, (m,), of pyarrow's, without pandas, which `pyarrow.array` imports.  O(m)."""
    kind = pa.from_numpy_dtype(rows.dtype)
    return column.take(pa.Array.from_buffers(kind, rows.size, [None, pa.py_buffer(rows)]))


def _objects(
    column: Any, objects_of: Callable[[Any], AnyArray] = lambda texts: np.array(texts.to_pylist(), object)
) -> AnyArray:
    """Return a chunked array as objects, (n,), equal values as one object, because labels and groups are few.

    Nulls, which only dictionaries may hold, become None.  objects_of: makes an array of objects of distinct values.
    """
    coded = pa.types.is_dictionary(column.type)
    encoded = column.unify_dictionaries() if coded else column.dictionary_encode("encode")  # one for all chunks
    values = np.empty(len(encoded), object)
    if encoded.num_chunks:
        objects = objects_of(encoded.chunk(0).dictionary)
        ends = np.cumsum([len(chunk) for chunk in encoded.chunks])
        for chunk, end in zip(encoded.chunks, ends, strict=True):
            values[end - len(chunk) : end] = objects[numbers_of_array(chunk.indices)]
    return values


_FIXED = re.compile(r"([+-])(\d\d):(\d\d)")
_DATE = len("2013-01-31")


def zoned_texts(times: Any) -> AnyArray:
    """Return a pyarrow array of times of a zone, without nulls, as texts, (k,) objects.  O(k).

    >>> import pyarrow
    >>> zoned_texts(pyarrow.array([0, 90], pyarrow.timestamp("s", "America/New_York"))).tolist()
    ['1969-12-31T19:00-05:00', '1969-12-31T19:01:30-05:00']
    """
    unit, zone = times.type.unit, times.type.tz
    in_utc = _without_zone(times, unit)
    if fixed := _FIXED.fullmatch(zone):  # which pyarrow before 22 looks for in the database of zones
        sign, hours, minutes = fixed.groups()
        local = in_utc + np.timedelta64(int(f"{sign}{60 * int(hours) + int(minutes)}"), "m")
    else:
        local = _without_zone(pc.local_timestamp(times), unit)
    offsets = (local - in_utc).astype("m8[m]").astype(np.int64)
    zone = "Z" if zone == "UTC" else ""
    written = zip(np.datetime_as_string(local, unit="auto").tolist(), offsets.tolist(), strict=True)
    texts = np.empty(len(times), object)
    for row, (text, minutes) in enumerate(written):
        hours, rest = divmod(abs(minutes), 60)
        offset = zone or f"{'-' if minutes < 0 else '+'}{hours:02}:{rest:02}"
        texts[row] = f"{text}{'T00:00' if len(text) == _DATE else ''}{offset}"
    return texts


def _without_zone(times: Any, unit: str) -> npt.NDArray[np.datetime64]:
    return np.asarray(times.cast(pa.int64()).to_numpy().view(f"M8[{unit}]"))


def listed_columns(table: Any, names: Sequence[str], *, as_text: bool) -> list[Any]:
    """Return columns of a pyarrow Table by names that may repeat; as_text: whether as `coded_names`.  O(n)."""
    if as_text:
        return [coded_names(table.column(name), name) for name in names]
    found = column_arrays(table, list(dict.fromkeys(names)))
    return [found[name] for name in names]


def coded_names(column: Any, name: str) -> CodedNames:
    """Return a pyarrow chunked array that holds a name or a list of names in each row, none for nulls.  O(n)."""
    column, kind = column.combine_chunks(), column.type
    if not pa.types.is_nested(kind):
        flat, lengths = as_strings(column.drop_null(), name), column.is_valid().cast(pa.int64())
    elif hasattr(kind, "value_type") and not pa.types.is_nested(kind.value_type):
        flat, lengths = column.flatten(), pc.list_value_length(column).fill_null(0).cast(pa.int64())
    else:
        raise EvaluationError(f"column {name!r} must hold strings or lists of strings, got {kind}")
    if not pa.types.is_dictionary(flat.type):
        flat = flat.dictionary_encode()
    distinct = [*flat.dictionary.to_pylist(), None]
    codes = numbers_of_array(flat.indices.cast(pa.int64()).fill_null(len(distinct) - 1))
    return CodedNames(distinct, codes, numbers_of_array(lengths))
