r"""The bytes of a snapshot, which differ from any other file's and are refused if damaged.

All numbers are little-endian.  A container is

- ``\x89evalcore\r\n\x1a``; the version of the format, uint32; the lengths of the container and of its header, uint64
  each; the CRC-32 of these 32 bytes, uint32.  Every version begins so, so that old readers recognise newer containers;
- the header, JSON: the kind, the facts, and of each column the name, type and length;
- the columns, one after another;
- the SHA-256 of everything before it.

Equal snapshots have equal bytes.
"""

import hashlib
import json
import struct
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError
from evalcore.saving.snapshot import Snapshot

VERSION = 1
_MAGIC = b"\x89evalcore\r\n\x1a"
_PREAMBLE = struct.Struct(f"<{len(_MAGIC)}sIQQ")
_CHECK = struct.Struct("<I")
_FOREIGN = "not a saved evalcore object"
_BEGIN = _PREAMBLE.size + _CHECK.size
_DIGEST_SIZE = hashlib.sha256().digest_size
_TYPES = {
    np.dtype(code).str: np.dtype(code)
    for code in ("|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f4", "<f8")
}
"""The valid types of columns, by their names in a header."""


class Header(NamedTuple):
    """The description of the columns of a snapshot, and the rest of it."""

    kind: str
    facts: dict[str, Any]
    columns: list[tuple[str, np.dtype[Any], int]]
    """Name, little-endian type and length of each."""


class _Begin(NamedTuple):
    version: int
    length: int
    header_length: int


def packed(snapshot: Snapshot) -> bytes:
    """Return the container of a snapshot.  O(bytes); the columns are copied once."""
    parts = _parts(snapshot)
    return b"".join([*parts, _digest(parts)])


def begins_container(content: bytes) -> bool:
    """Whether bytes begin as a container of any version does.  O(1)."""
    return content.startswith(_MAGIC)


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
    begin = _begin(data, name)
    check_version(begin.version, name)
    if len(data) < begin.length:
        raise EvaluationError(f"{name} is cut short: {len(data):,} of {begin.length:,} bytes")
    if len(data) > begin.length:
        raise EvaluationError(f"{name} is damaged: {len(data) - begin.length:,} bytes follow its end")
    content = data[:-_DIGEST_SIZE]
    if _digest([content]) != data[-_DIGEST_SIZE:]:
        raise EvaluationError(f"{name} is damaged: its checksum is wrong")
    columns_begin = _BEGIN + begin.header_length
    header = header_of(json_value(bytes(content[_BEGIN:columns_begin]), name), name)
    return Snapshot(header.kind, header.facts, dict(_columns(content[columns_begin:], header, name)))


def check_version(version: int, name: str) -> None:
    """Raise EvaluationError for a version of the format that cannot be read.  O(1)."""
    if version != VERSION:
        newer = "a newer format" if version > VERSION else "an unknown format"
        raise EvaluationError(f"{name} was written by {newer} {version}, this evalcore reads {VERSION}")


def described(snapshot: Snapshot) -> dict[str, Any]:
    """Return kind, facts and the description of the columns as a JSON value.  O(columns)."""
    columns = [[name, values.dtype.newbyteorder("<").str, values.size] for name, values in snapshot.columns.items()]
    return {"kind": snapshot.kind, "facts": snapshot.facts, "columns": columns}


def header_of(value: Any, name: str) -> Header:
    """Return the header from the value of `described`.  Raises EvaluationError if it is invalid.  O(columns)."""
    match value:
        case {"kind": str(kind), "facts": dict(facts), "columns": list(columns), **rest} if not rest:
            return Header(kind, facts, [_column_header(column, name) for column in columns])
    raise _malformed(name)


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
    columns = [_little_endian(values) for values in snapshot.columns.values()]
    length = _BEGIN + len(header) + sum(values.nbytes for values in columns) + _DIGEST_SIZE
    preamble = _PREAMBLE.pack(_MAGIC, VERSION, length, len(header))
    return [preamble, _CHECK.pack(zlib.crc32(preamble)), header, *(values.view(np.uint8).data for values in columns)]


def _little_endian(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.ascontiguousarray(values, values.dtype.newbyteorder("<"))


def _digest(parts: list[Any]) -> bytes:
    running = hashlib.sha256()
    for part in parts:
        running.update(part)
    return running.digest()


def _begin(data: memoryview, name: str) -> _Begin:
    known = bytes(data[: len(_MAGIC)]) == _MAGIC[: len(data)]
    if len(data) < _BEGIN:
        raise EvaluationError(f"{name} is {f'cut short: {len(data)} bytes' if known else _FOREIGN}")
    preamble = bytes(data[len(_MAGIC) : _PREAMBLE.size])
    intact = _CHECK.unpack_from(data, _PREAMBLE.size) == (zlib.crc32(_MAGIC + preamble),)
    if not known and not intact:
        raise EvaluationError(f"{name} is {_FOREIGN}")
    if not known or not intact:
        raise EvaluationError(f"{name} is damaged: its first {_BEGIN} bytes contradict each other")
    return _Begin(*_PREAMBLE.unpack_from(data)[1:])


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


def _column_header(value: Any, name: str) -> tuple[str, np.dtype[Any], int]:
    match value:
        case [str(column), str(dtype), int(size)] if dtype in _TYPES and size >= 0:
            return column, _TYPES[dtype], size
    raise _malformed(name)


def _malformed(name: str) -> EvaluationError:
    return EvaluationError(f"{name} is damaged: its header has another form")
