"""The bytes of files, wherever they are: on this machine or remote, in pipes and standard input, compressed or not."""

import bz2
import gzip
import io
import lzma
import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

from evalcore.errors import EvaluationError
from evalcore.io.byte_progress import CountedFile, Progress, quiet
from evalcore.io.formats import BYTE_ORDER_MARK, STANDARD_INPUT, is_read_once, is_remote, local_name
from evalcore.io.remote import RemotePath
from evalcore.io.text_cells import LONGEST_LINE
from evalcore.optional import require

_COMPRESSIONS = {
    "gzip": re.compile(rb"\x1f\x8b"),
    "bz2": re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
}
"""How compressed bytes begin; text never begins so."""
_SIGNATURE_BYTES = 10


class Source:
    """The bytes of a file, decompressed.  A pipe can be read once, and all else as often as asked.

    progress: takes the number of bytes read, before they are decompressed, and the size of the file.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"late,model")
    ...     file.flush()
    ...     Source(file.name).first_bytes(4), Source(file.name).stream().read()
    (b'late', b'late,model')
    """

    def __init__(self, path: str, progress: Progress = quiet) -> None:
        self.path = path
        self.is_repeatable = not is_read_once(path)
        self.compression: str | None = None
        """How the file is compressed; known when its stream is open."""
        self._progress = progress
        self._begun: io.BufferedReader | None = None

    def first_bytes(self, count: int) -> bytes:
        """Return how the file begins; the stream will begin there too.  O(count)."""
        stream = self.stream()
        first = stream.read(count)
        if self.is_repeatable:
            stream.close()
        else:
            self._begun = io.BufferedReader(ChainedFiles(io.BytesIO(first), stream))
        return first

    def stream(self) -> io.BufferedReader:
        """Open the file to read it from its beginning to its end.  O(1)."""
        if self._begun is not None:
            begun, self._begun = self._begun, None
            return begun
        size = None if self._progress is quiet else self.size()  # asking may cost a request
        raw = CountedFile(self._open(), size, self._progress)
        first = b""
        while len(first) < _SIGNATURE_BYTES and (more := raw.read(_SIGNATURE_BYTES - len(first))):
            first += more  # pipes give their bytes piece by piece
        whole = ChainedFiles(io.BytesIO(first), raw)
        self.compression = _compression_of(first)
        if self.compression is None:
            return io.BufferedReader(whole)
        return _DecompressedFile(_decompressed(whole, self.compression), whole)

    def seekable(self) -> Any:
        """Open the file to read it at any position, a pipe or a compressed file from memory.  O(1), else O(bytes)."""
        pa = require("pyarrow", "report")
        if self.is_repeatable:
            file = RemotePath.of(self.path).open_file() if is_remote(self.path) else pa.OSFile(self.path)
            if file.seekable() and _compression_of(file.read(_SIGNATURE_BYTES)) is None:
                file.seek(0)
                return file
            file.close()
        with self.stream() as stream:
            return pa.BufferReader(stream.read())

    def size(self) -> int | None:
        """Return the number of bytes, before they are decompressed; None if it is not known.  O(1)."""
        if not self.is_repeatable:
            return None
        return RemotePath.of(self.path).size() if is_remote(self.path) else os.path.getsize(self.path)

    def _open(self) -> Any:
        if self.path == STANDARD_INPUT:
            if sys.stdin is None:
                raise EvaluationError("standard input is closed")
            return sys.stdin.buffer
        if is_remote(self.path):
            return RemotePath.of(self.path).open_stream()
        return open(self.path, "rb", buffering=0)


class ChainedFiles(io.RawIOBase):
    """Files read one after another as one.

    >>> ChainedFiles(io.BytesIO(b"late,"), io.BytesIO(b"model")).read()
    b'late,model'
    """

    def __init__(self, *files: Any) -> None:
        self._files = files

    def readable(self) -> bool:
        """Return True, as the io protocol asks."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Read into a buffer and return the number of bytes, as the io protocol asks."""
        for file in self._files:
            count: int = file.readinto(buffer)
            if count:
                return count
        return 0

    def close(self) -> None:
        """Close the files too."""
        for file in self._files:
            file.close()
        super().close()


class _DecompressedFile(io.BufferedReader):
    """A file that closes the compressed one with it, as those of the standard library do not."""

    def __init__(self, file: Any, compressed: ChainedFiles) -> None:
        super().__init__(file)
        self._compressed = compressed

    def close(self) -> None:
        try:
            super().close()
        finally:
            self._compressed.close()


def blocks_of_lines(file: io.BufferedReader, size: int) -> Iterator[tuple[int, bytes]]:
    """Yield the number of the first line, from 1 on, and about so many bytes of lines; of an empty file none, once.

    Raises EvaluationError for a line of more than `LONGEST_LINE` bytes, of which no more are read.
    """
    first, block = 1, file.read(size).removeprefix(BYTE_ORDER_MARK)
    while block or first == 1:
        end = file.readline(LONGEST_LINE + 1)
        if len(end) > LONGEST_LINE:
            line = first + block.count(b"\n")
            raise EvaluationError(
                f"line {line} must have at most {LONGEST_LINE:,} bytes, got more; write each row "
                "on a line of its own, which ends in LF or CRLF, and shorten long cells"
            )
        block += end
        yield first, block
        first += block.count(b"\n") + (not block.endswith(b"\n"))
        block = file.read(size)


def full_name(path: str) -> str:
    """Return the name of a file from the root, a URL as it is.  O(1)."""
    return path if is_remote(path) else os.path.abspath(local_name(path))


def real_name(path: str) -> str:
    """Return the name of a file from the root, with links followed, a URL as it is.  O(1)."""
    return path if is_remote(path) else os.path.realpath(local_name(path))


def _compression_of(first: bytes) -> str | None:
    return next((name for name, signature in _COMPRESSIONS.items() if signature.match(first)), None)


def _decompressed(file: Any, compression: str) -> Any:
    """Return a file that decompresses another as it is read."""
    opened: dict[str, Callable[[Any], Any]] = {"gzip": gzip.open, "bz2": bz2.open, "xz": lzma.open}
    if compression == "zstd":
        pa = require("pyarrow", "report")
        return pa.CompressedInputStream(pa.PythonFile(file, mode="r"), compression)
    return opened[compression](file)
