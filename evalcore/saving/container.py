r"""The state of an object apart from its class, as bytes that no other file has and as an Arrow table.

Damaged ones are refused.  All numbers are little-endian.  A container is

- ``\x89evalcore\r\n\x1a``; the version of the format, uint32; the lengths of the container and of its header, uint64
  each; the CRC-32 of these 32 bytes, uint32.  Every version begins so, so that old readers recognise newer containers;
- the header, JSON: the kind, the facts, and of each column the name, type and length;
- the columns, one after another;
- the SHA-256 of everything before it.

Equal snapshots have equal bytes.
"""

import hashlib
import json
import math
import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.equality import equal_by_content
from evalcore.errors import EvaluationError, EvaluationTypeError, check, check_type, refuse, shown
from evalcore.kernels.tables import BinaryCounts
from evalcore.optional import Library

pa = Library("pyarrow", "report")


@equal_by_content
class Snapshot(NamedTuple):
    """Hold the state of an object as plain facts and columns of numbers.

    >>> import numpy as np
    >>> snapshot = Snapshot("ConfusionMatrix", {"categories": ["a"]}, {"count": np.array([3])})
    >>> snapshot.fact("categories"), snapshot.column("count", np.int64)
    (['a'], array([3]))
    """

    kind: str
    """Name of the class."""
    facts: dict[str, Any]
    """JSON values: integers, floats, strings, Booleans, lists, mappings, None."""
    columns: dict[str, npt.NDArray[Any]]
    """Booleans, integers or floats of 1 to 8 bytes, shape (n,) each; lengths may differ."""

    def fact(self, name: str) -> Any:
        """Return a fact by its name.  O(1).

        Parameters
        ----------
        name : str
            Its key in `facts`.

        Raises
        ------
        EvaluationError
            If there is no such fact.

        Examples
        --------
        >>> Snapshot("ConfusionMatrix", {}, {}).fact("categories")
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: there is no 'categories'
        """
        if name not in self.facts:
            raise EvaluationError(f"there is no {name!r}")
        return self.facts[name]

    def count(self, name: str, maximum: int | None = None) -> int:
        """Return a fact that is a number of cases.  O(1).

        Parameters
        ----------
        name : str
            Its key in `facts`.
        maximum : int, optional
            The largest valid number.

        Raises
        ------
        EvaluationError
            If the fact is missing or invalid.

        Examples
        --------
        >>> Snapshot("ScoredPrecisionRecallEvaluation", {"misses": -1}, {}).count("misses")
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: misses must be an integer of at least 0, got -1 (int)
        """
        value: int = self.fact(name)
        check_type(type(value) is int and value >= 0, name, "be an integer of at least 0", value, EvaluationError)
        check(maximum is None or value <= maximum, name, f"be at most {maximum}", value)
        return value

    def column(self, name: str, *dtypes: npt.DTypeLike) -> npt.NDArray[Any]:
        """Return a column of one of several types.  O(1).

        Parameters
        ----------
        name : str
            Its key in `columns`.
        *dtypes : numpy.dtype
            The valid types.

        Raises
        ------
        EvaluationError
            If the column is missing or has another type.

        Examples
        --------
        >>> Snapshot("ConfusionMatrix", {}, {"count": np.array([0.5])}).column("count", np.int64)
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: column 'count' must hold int64, got float64
        """
        if name not in self.columns:
            raise EvaluationError(f"there is no column {name!r}")
        values = self.columns[name]
        allowed = [np.dtype(dtype) for dtype in dtypes]
        rule = f"hold {' or '.join(dtype.name for dtype in allowed)}"
        check(values.dtype in allowed, f"column {name!r}", rule, values.dtype)
        return values


_EXACT_IN_JSON = 2**53
_DEEPEST = 100
"""Levels of tuples within tuples: Python's own limit is near 1000 calls."""
_ALLOWED = "a string, an integer, a float that is a number, True or False, bytes, None, or a tuple of these"


def plain_names(names: Iterable[Any]) -> list[Any]:
    """Return JSON values for names of categories, NumPy scalars as Python's.  O(k).

    Strings, Booleans, None and integers below 2**53 stay as they are; other names become a mapping from their type.

    Parameters
    ----------
    names : iterable of hashable
        The names.

    Returns
    -------
    list
        For the facts of a snapshot.

    Raises
    ------
    EvaluationTypeError
        If a name has another type.

    Examples
    --------
    >>> plain_names(["spam", 1, 1.5, None, (b"x",)])
    ['spam', 1, {'float': '0x1.8000000000000p+0'}, None, {'tuple': [{'bytes': '78'}]}]
    >>> plain_names([{1}])
    Traceback (most recent call last):
    evalcore.errors.EvaluationTypeError: category {1} (set) cannot be saved; a name that can is a string, an integer, \
a float that is a number, True or False, bytes, None, or a tuple of these
    """
    plain = []
    for name in names:
        try:
            plain.append(_plain(name, _DEEPEST))
        except TypeError:
            why = f"category {shown(name)} cannot be saved; a name that can is {_ALLOWED}"
            raise EvaluationTypeError(why) from None
    return plain


def names_of_plain(values: Any) -> list[Any]:
    """Return the names of categories from their JSON values.  O(k).

    Parameters
    ----------
    values : list
        From `plain_names`.

    Returns
    -------
    list
        The names.

    Raises
    ------
    EvaluationError
        If a value does not represent a name.

    Examples
    --------
    >>> names_of_plain(plain_names(["spam", 1, True, (2.5, b"x")]))
    ['spam', 1, True, (2.5, b'x')]
    """
    check_type(isinstance(values, list), "categories", "be a list", values, EvaluationError)
    try:
        return [_name(value) for value in values]
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise EvaluationError(f"categories must hold valid names: {error}") from None


def _plain(name: Any, deepest: int) -> Any:
    value = name.item() if isinstance(name, np.generic) else name
    kind = type(value)
    if kind in (str, bool, type(None)) or (kind is int and abs(value) < _EXACT_IN_JSON):
        return value
    if kind is int:
        return {"int": hex(value)}
    if kind is float and value == value:  # noqa: PLR0124  NaN is no name: it does not equal itself
        return {"float": value.hex()}
    if kind is bytes:
        return {"bytes": value.hex()}
    if kind is tuple and deepest:
        return {"tuple": [_plain(part, deepest - 1) for part in value]}
    raise TypeError


def _name(value: Any) -> Any:
    match value:
        case str() | int() | None:
            return value
        case {"int": str(digits), **rest} if not rest:
            return int(digits, 16)
        case {"float": str(digits), **rest} if not rest:
            number = float.fromhex(digits)
            if number == number:  # noqa: PLR0124
                return number
        case {"bytes": str(digits), **rest} if not rest:
            return bytes.fromhex(digits)
        case {"tuple": list(parts), **rest} if not rest:
            return tuple(map(_name, parts))
    raise ValueError(shown(value))


VERSION = 1
_MAGIC = b"\x89evalcore\r\n\x1a"
_PREAMBLE = struct.Struct(f"<{len(_MAGIC)}sIQQ")
_CHECK = struct.Struct("<I")
_FOREIGN = "not a saved evalcore object"
_BEGIN = _PREAMBLE.size + _CHECK.size
_DIGEST_SIZE = hashlib.sha256().digest_size
_CODES = "|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f4", "<f8"
_TYPES = {code: np.dtype(code) for code in _CODES}
"""The valid types of columns, by their names in a header."""


class Header(NamedTuple):
    """The description of the columns of a snapshot, and the rest of it."""

    kind: str
    facts: dict[str, Any]
    columns: list[tuple[str, np.dtype[Any], int]]
    """Name, little-endian type and length of each."""


def packed(snapshot: Snapshot) -> bytes:
    """Return the container of a snapshot.  O(bytes); the columns are copied once."""
    parts = _parts(snapshot)
    return b"".join([*parts, _digest(parts)])


def digest(snapshot: Snapshot) -> str:
    """Return the SHA-256 of the container of a snapshot, in hexadecimal digits.  O(bytes)."""
    return _digest(_parts(snapshot)).hex()


def unpacked(data: memoryview, name: str) -> Snapshot:
    """Return the snapshot of a container; its columns are new arrays.  O(bytes).

    Raises EvaluationError that names the data if they are cut short, damaged, of a newer version, or not evalcore's.

    >>> content = packed(Snapshot("ConfusionMatrix", {"categories": ["a"]}, {"count": np.array([3])}))
    >>> unpacked(memoryview(content), "data")
    Snapshot(kind='ConfusionMatrix', facts={'categories': ['a']}, columns={'count': array([3])})
    >>> unpacked(memoryview(content)[:100], "data")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: data is cut short: 100 of 161 bytes
    """
    version, length, header_length = _begin(data, name)
    check_version(version, name)
    refuse({f"{name} is cut short: {len(data):,} of {length:,} bytes": len(data) < length})
    refuse({f"{name} is damaged: {len(data) - length:,} bytes follow its end": len(data) > length})
    content = data[:-_DIGEST_SIZE]
    refuse({f"{name} is damaged: its checksum is wrong": _digest([content]) != data[-_DIGEST_SIZE:]})
    columns_begin = _BEGIN + header_length
    header = header_of(json_value(bytes(content[_BEGIN:columns_begin]), name), name)
    return Snapshot(header.kind, header.facts, dict(_columns(content[columns_begin:], header, name)))


def check_version(version: int, name: str) -> None:
    """Raise EvaluationError for a version of the format that cannot be read.  O(1)."""
    newer = "a newer format" if version > VERSION else "an unknown format"
    refuse({f"{name} was written by {newer} {version}, this evalcore reads {VERSION}": version != VERSION})


def described(snapshot: Snapshot) -> dict[str, Any]:
    """Return kind, facts and the description of the columns as a JSON value.  O(columns)."""
    columns = [[name, values.dtype.newbyteorder("<").str, values.size] for name, values in snapshot.columns.items()]
    return {"kind": snapshot.kind, "facts": snapshot.facts, "columns": columns}


def header_of(value: Any, name: str) -> Header:
    """Return the header from the value of `described`.  Raises EvaluationError if it is invalid.  O(columns)."""
    match value:
        case {"kind": str(kind), "facts": dict(facts), "columns": list(columns), **rest} if not rest:
            if all(map(_describes_column, columns)):
                return Header(kind, facts, [(column, _TYPES[dtype], size) for column, dtype, size in columns])
    raise EvaluationError(f"{name} is damaged: its header has an unexpected format")


def json_of(value: Any) -> str:
    """Return JSON text, the same for equal values.  O(size)."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def json_value(text: bytes, name: str) -> Any:
    """Return the value of JSON text.  Raises EvaluationError if it is invalid.  O(size)."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise EvaluationError(f"{name} is damaged: its header cannot be read: {error}") from None


def _parts(snapshot: Snapshot) -> list[Any]:
    """Return the buffers of a container, without the digest."""
    header = json_of(described(snapshot)).encode("ascii")
    columns = [np.ascontiguousarray(each, each.dtype.newbyteorder("<")) for each in snapshot.columns.values()]
    length = _BEGIN + len(header) + sum(values.nbytes for values in columns) + _DIGEST_SIZE
    preamble = _PREAMBLE.pack(_MAGIC, VERSION, length, len(header))
    return [preamble, _CHECK.pack(zlib.crc32(preamble)), header, *(values.view(np.uint8).data for values in columns)]


def _digest(parts: list[Any]) -> bytes:
    running = hashlib.sha256()
    for part in parts:
        running.update(part)
    return running.digest()


def _begin(data: memoryview, name: str) -> tuple[int, int, int]:
    """Return the version, the length of the container, and that of its header."""
    known = bytes(data[: len(_MAGIC)]) == _MAGIC[: len(data)]
    refuse({f"{name} is {f'cut short: {len(data)} bytes' if known else _FOREIGN}": len(data) < _BEGIN})
    preamble = bytes(data[len(_MAGIC) : _PREAMBLE.size])
    intact = _CHECK.unpack_from(data, _PREAMBLE.size) == (zlib.crc32(_MAGIC + preamble),)
    refuse({f"{name} is {_FOREIGN}": not known and not intact})
    refuse({f"{name} is damaged: its first {_BEGIN} bytes contradict each other": not known or not intact})
    _, version, length, header_length = _PREAMBLE.unpack_from(data)
    return version, length, header_length


def _columns(content: memoryview, header: Header, name: str) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """Yield the columns.  The checksum is right, but the writer may not have been evalcore."""
    if sum(size * dtype.itemsize for _, dtype, size in header.columns) != len(content):
        raise EvaluationError(f"{name} is damaged: the length of its columns contradicts its header")
    begin = 0
    for column, dtype, size in header.columns:
        end = begin + size * dtype.itemsize
        values = np.frombuffer(content[begin:end], dtype).astype(dtype.newbyteorder("="))
        if dtype.kind == "b" and values.view(np.uint8).max(initial=0) > 1:
            raise EvaluationError(f"{name} is damaged: column {column!r} holds values other than true and false")
        yield column, values
        begin = end


def _describes_column(value: Any) -> bool:
    match value:
        case [str(), str(dtype), int(size)]:
            return dtype in _TYPES and size >= 0
    return False


KEY = b"evalcore"
"""The key of the metadata that hold the rest."""
_AXES = {"ConfusionMatrix": ("reference", "response"), "Contingency": ("category",)}
"""Names of the columns of categories that accompany counts, by kind."""


def table_of(snapshot: Snapshot) -> Any:
    """Return a pyarrow Table of a snapshot; shorter columns end in nulls.  O(rows), copies the columns.

    Raises MissingLibraryError where pyarrow is missing.

    >>> table_of(Snapshot("ConfusionMatrix", {"categories": ["a", "b"]}, {"count": np.arange(4)})).to_pydict()
    {'reference': ['a', 'a', 'b', 'b'], 'response': ['a', 'b', 'a', 'b'], 'count': [0, 1, 2, 3]}
    """
    columns = _readable_columns(snapshot)
    rows = max([*map(len, columns.values()), *map(len, snapshot.columns.values())], default=0)
    for name, values in snapshot.columns.items():
        column = pa.array(values.copy())  # otherwise Arrow would share memory that changes
        columns[name] = pa.chunked_array([column, pa.nulls(rows - len(column), column.type)])
    rest = {"version": VERSION, "rows": rows, "header": described(snapshot), "sha256": digest(snapshot)}
    return pa.table(columns).replace_schema_metadata({KEY: json_of(rest)})


def snapshot_of(table: Any) -> Snapshot:
    """Return the snapshot that a pyarrow Table was made of; its columns are new arrays.  O(rows).

    Raises EvaluationError if the table has lost its metadata, was made by a newer version, or has other columns, rows
    or values than it was made with, and where pyarrow is missing; EvaluationTypeError for no table.
    """
    check_type(isinstance(table, pa.Table), "table", "be a pyarrow.Table", table)
    rows, (kind, facts, columns), sha256 = _rest_of(table)
    refuse({f"table was changed: it has {table.num_rows:,} rows, where {rows:,} were saved": table.num_rows != rows})
    snapshot = Snapshot(kind, facts, {column[0]: _saved_values(table, *column) for column in columns})
    refuse({"table was changed: its values or their order are not those that were saved": digest(snapshot) != sha256})
    beside = _readable_columns(snapshot, rows)
    for name, column in beside.items():
        if not _says_the_same(_column(table, name), column):
            raise EvaluationError(f"table was changed: column {name!r} is not the one that was saved")
    more = [name for name in table.column_names if name not in {*snapshot.columns, *beside}]
    if more:
        raise EvaluationError(f"table was changed: column {more[0]!r} was not saved")
    return snapshot


def _rest_of(table: Any) -> tuple[int, Header, str]:
    """Return the rows, the header and the checksum in the metadata."""
    text = (table.schema.metadata or {}).get(KEY)
    if text is None:
        raise EvaluationError("table is not a saved evalcore object: its schema has no evalcore metadata")
    rest = json_value(text, "table")
    if isinstance(rest, dict) and isinstance(rest.get("version"), int):
        check_version(rest["version"], "table")
    match rest:
        case {"version": int(), "rows": int(rows), "header": header, "sha256": str(sha256)}:
            return rows, header_of(header, "table"), sha256
    raise EvaluationError("table is damaged: its metadata has an unexpected format")


def _column(table: Any, name: str) -> Any:
    found = table.column_names.count(name)
    refuse({f"table was changed: it has {f'{found} columns' if found else 'no column'} {name!r}": found != 1})
    return table.column(name)


def _saved_values(table: Any, name: str, dtype: np.dtype[Any], size: int) -> npt.NDArray[Any]:
    column = _column(table, name)
    if column.type != pa.from_numpy_dtype(dtype):
        raise EvaluationError(f"table was changed: column {name!r} holds {column.type}, where {dtype.name} was saved")
    values, padding = column[:size], column[size:]
    if len(values) < size or values.null_count or padding.null_count < len(padding):
        raise EvaluationError(f"table was changed: column {name!r} has other nulls than those that were saved")
    return np.array(values.to_numpy(), dtype.newbyteorder("="))


def _says_the_same(column: Any, saved: Any) -> bool:
    """Whether a column has the saved words; a file may have changed their type."""
    try:
        words = column.cast(pa.string())
    except pa.ArrowException:  # not words
        return False
    return bool(words.equals(pa.chunked_array([saved.cast(pa.string())])))


def _readable_columns(snapshot: Snapshot, rows: int | None = None) -> dict[str, Any]:
    """Return columns that repeat facts in readable form: names of categories beside the counts, or large counts.

    Raises EvaluationError if they do not have `rows` rows.
    """
    if snapshot.kind == "PrecisionRecallEvaluation":
        counts = {name: snapshot.count(name) for name in BinaryCounts._fields}
        return {name: pa.array([count if count < 2**63 else str(count)]) for name, count in counts.items()}
    axes = _AXES.get(snapshot.kind, ())
    if not axes:
        return {}
    names = names_of_plain(snapshot.fact("categories"))
    shape = (len(names),) * len(axes)
    if rows is not None and math.prod(shape) != rows:
        raise EvaluationError(f"table was changed: {len(names)} categories do not have {rows} cells")
    words = pa.array([_word(name) for name in names], pa.string()).dictionary_encode()  # "1" and 1 are one word
    codes = np.indices(shape, np.int32).reshape(len(axes), -1)
    return {axis: words.take(pa.array(code)) for axis, code in zip(axes, codes, strict=True)}


def _word(name: Any) -> str:
    """Return a readable name; Arrow refuses lone surrogates."""
    return (name if isinstance(name, str) else repr(name)).encode("utf-8", "backslashreplace").decode()
