r"""The bytes of a snapshot: told apart from other files, and whole or refused.

All numbers are little-endian.  A container is

- ``\x89evalcore\r\n\x1a``; the version of the format, uint32; the lengths of the container and of its header, uint64
  each; the CRC-32 of these 32 bytes, uint32.  Every version begins so, and so old readers know newer containers;
- the header, JSON: the kind, the facts, and of each column the name, type and length;
- the columns, one after another;
- the SHA-256 of all before it.

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
_BEGIN = _PREAMBLE.size + _CHECK.size
_DIGEST_SIZE = hashlib.sha256().digest_size
_NO_HEADER = "the header is not of its form"
_TYPES = {
    np.dtype(code).str: np.dtype(code)
    for code in ("|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f4", "<f8")
}
"""What columns may hold, by the name in a header."""


class _Begin(NamedTuple):
    version: int
    length: int
    header_length: int


def packed(snapshot: Snapshot) -> bytes:
    """Return the container of a snapshot.  O(bytes), two copies of the columns at most.

    >>> packed(Snapshot("ConfusionMatrix", {"categories": ["a"]}, {"count": np.array([3])}))[1:9]
    b'evalcore'
    """
    parts = _parts(snapshot)
    return b"".join([*parts, _digest(parts)])


def digest(snapshot: Snapshot) -> str:
    """Return what differs where two snapshots do: the SHA-256 of the container, in hexadecimal digits.  O(bytes).

    >>> digest(Snapshot("ConfusionMatrix", {}, {})) == digest(Snapshot("Contingency", {}, {}))
    False
    """
    return _digest(_parts(snapshot)).hex()


def unpacked(data: memoryview, name: str) -> Snapshot:
    """Return the snapshot of a container; its columns are new arrays.  O(bytes).

    Raises EvaluationError that says of the data, under the name given: cut short, damaged, of a newer version, or none
    of evalcore's.

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
        raise EvaluationError(f"{name} is damaged: its checksum is another")
    try:
        return _snapshot(content[_BEGIN:], begin.header_length)
    except EvaluationError as error:
        raise EvaluationError(f"{name} holds no state: {error}") from error


def check_version(version: int, name: str) -> None:
    """Raise EvaluationError for a version of the format that cannot be read.

    >>> check_version(VERSION, "data")
    >>> check_version(VERSION + 1, "data")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: data was written by a newer format 2, this evalcore reads 1
    """
    if version != VERSION:
        newer = "a newer format" if version > VERSION else "an unknown format"
        raise EvaluationError(f"{name} was written by {newer} {version}, this evalcore reads {VERSION}")


def json_of(value: Any) -> str:
    """Return JSON that is the same for equal values.

    >>> json_of({"b": [1, 0.5], "a": None})
    '{"a":null,"b":[1,0.5]}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def json_value(text: str | bytes) -> Any:
    """Return the value that JSON says.  Raises EvaluationError for what is none.

    >>> json_value("[1, null]")
    [1, None]
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise EvaluationError(f"the header cannot be read: {error}") from None


def _parts(snapshot: Snapshot) -> list[Any]:
    """Buffers that make a container, without the digest."""
    columns = {name: _little_endian(values) for name, values in snapshot.columns.items()}
    described = [[name, values.dtype.str, values.size] for name, values in columns.items()]
    header = json_of({"kind": snapshot.kind, "facts": snapshot.facts, "columns": described}).encode("ascii")
    size = sum(values.nbytes for values in columns.values())
    preamble = _PREAMBLE.pack(_MAGIC, VERSION, _BEGIN + len(header) + size + _DIGEST_SIZE, len(header))
    buffers = [values.view(np.uint8).data for values in columns.values()]
    return [preamble, _CHECK.pack(zlib.crc32(preamble)), header, *buffers]


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
        raise EvaluationError(f"{name} is cut short: {len(data)} bytes" if known else f"{name} is no evalcore state")
    preamble = bytes(data[len(_MAGIC) : _PREAMBLE.size])
    intact = _CHECK.unpack_from(data, _PREAMBLE.size) == (zlib.crc32(_MAGIC + preamble),)
    if not known and not intact:
        raise EvaluationError(f"{name} is no evalcore state")
    if not known or not intact:
        raise EvaluationError(f"{name} is damaged: its first {_BEGIN} bytes contradict each other")
    return _Begin(*_PREAMBLE.unpack_from(data)[1:])


def _snapshot(content: memoryview, header_length: int) -> Snapshot:
    """Read header and columns.  The bytes are those that were written, but anyone may have written them."""
    header = json_value(bytes(content[:header_length]))
    if not isinstance(header, dict) or set(header) != {"kind", "facts", "columns"}:
        raise EvaluationError(_NO_HEADER)
    kind, facts, described = header["kind"], header["facts"], header["columns"]
    if not isinstance(kind, str) or not isinstance(facts, dict) or not isinstance(described, list):
        raise EvaluationError(_NO_HEADER)
    return Snapshot(kind, facts, dict(_columns(content[header_length:], described)))


def _columns(content: memoryview, described: list[Any]) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    begin = 0
    for column in described:
        name, dtype, size = _described(column)
        end = begin + size * dtype.itemsize
        if end > len(content):
            raise EvaluationError(f"column {name!r} reaches beyond the end")
        values = np.frombuffer(content[begin:end], dtype).astype(dtype.newbyteorder("="))
        if dtype.kind == "b" and values.view(np.uint8).max(initial=0) > 1:
            raise EvaluationError(f"column {name!r} holds what is neither true nor false")
        yield name, values
        begin = end
    if begin != len(content):
        raise EvaluationError(f"{len(content) - begin:,} bytes belong to no column")


def _described(column: Any) -> tuple[str, np.dtype[Any], int]:
    match column:
        case [str(name), str(dtype), int(size)] if dtype in _TYPES and size >= 0 and not isinstance(size, bool):
            return name, _TYPES[dtype], size
    raise EvaluationError(_NO_HEADER)
