"""The bytes of files, wherever they are: on this machine or remote, in pipes and standard input, compressed or not."""

import bz2
import gzip
import io
import lzma
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any, NamedTuple, Protocol, cast
from urllib.parse import SplitResult, urlsplit

from evalcore.errors import EvaluationError
from evalcore.io.formats import BYTE_ORDER_MARK, STANDARD_INPUT, is_read_once, is_remote, local_name, reason
from evalcore.io.libraries import fs, pa
from evalcore.io.text_cells import LONGEST_LINE
from evalcore.optional import require

Progress = Callable[[int, int | None], None]
"""Takes what is done and the total, in bytes or rows; None if the total is unknown."""


class Meter(Protocol):
    """Takes how much of a file has been read."""

    def bytes(self, done: int, total: int | None) -> None:
        """Take the bytes of text, of a pipe or of a compressed file."""

    def rows(self, done: int, total: int | None) -> None:
        """Take the rows of a table."""


def quiet(done: int, total: int | None) -> None:
    """Take progress and report nothing."""


class _MeteredFile(io.RawIOBase):
    """A file that reports its bytes as they are read, of which the first read gives enough to tell a compression.

    below: files to close with it, as those of the standard library that decompress do not.

    >>> seen = []
    >>> with io.BufferedReader(_MeteredFile(io.BytesIO(b"abc"), lambda *done: seen.append(done), 3)) as file:
    ...     file.peek(1), file.read()
    (b'abc', b'abc')
    >>> seen
    [(3, 3), (3, 3)]
    """

    def __init__(self, file: Any, progress: Progress, size: int | None, *below: Any) -> None:
        self._file, self._below, self._done = file, below, 0
        self._progress, self._size = progress, size

    def readable(self) -> bool:
        """Return True, as the io protocol asks."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Read into a buffer, report, and return the number of bytes, as the io protocol asks."""
        read, view = 0, memoryview(buffer)
        while read < min(len(view), max(_SIGNATURE_BYTES - self._done, 1)):  # pipes give their bytes piece by piece
            count: int | None = self._file.readinto(view[read:])
            if count is None:
                why = "there is nothing to read yet, and the pipe does not block; write it to a file first"
                raise EvaluationError(why)
            if not count:
                break
            read += count
        self._done += read
        self._progress(self._done, self._size)
        return read

    def close(self) -> None:
        """Close the file too, and those that it reads."""
        try:
            self._file.close()
        finally:
            super().close()
            for file in self._below:
                file.close()


_OF_PYARROW = "s3", "gs", "gcs", "abfs", "abfss", "hdfs", "viewfs"
"""Schemes that pyarrow knows; fsspec knows others, and these where pyarrow was built without them."""
_WEB = "http", "https"
_NOT_FOUND = 404
_REQUEST_BYTES = 1 << 23
"""Bytes of a stream asked for at once: each request costs as much time as megabytes."""
_GLOB = re.compile(r"[*?\[]")


class RemotePath(NamedTuple):
    """A file, folder or glob of a file system of pyarrow."""

    system: Any
    root: str
    """What the file system calls the host or the bucket."""
    url: SplitResult

    @classmethod
    def of(cls, url: str) -> "RemotePath":
        """Find the file system of a URL; raise MissingLibraryError or EvaluationError if none reads it.  O(1)."""
        parts = urlsplit(url, allow_fragments=False)
        if "?" in url and "=" not in parts.query and parts.scheme not in _WEB:  # a glob; else the query has options
            parts = parts._replace(path=f"{parts.path}?{parts.query}", query="")
        return cls(*_file_system(parts.scheme, parts.netloc, "" if parts.scheme in _WEB else parts.query), parts)

    @property
    def path(self) -> str:
        """What the file system calls it."""
        query = f"?{self.url.query}" if self.url.query and self.url.scheme in _WEB else ""
        return self.root + self.url.path + query

    def open_file(self) -> Any:
        """Open the file at any position, where the server can."""
        with self._explained():
            return self.system.open_input_file(self.path)

    def open_stream(self) -> Any:
        """Open the file from its beginning."""
        with self._explained():
            return self.system.open_input_stream(self.path, compression=None, buffer_size=_REQUEST_BYTES)

    def size(self) -> int | None:
        """Return the size in bytes, None if unknown."""
        return cast("int | None", self.system.get_file_info(self.path).size)

    def files(self, is_data: Callable[[str], bool]) -> list[str] | None:
        """Return the files that a glob or folder names, as URLs; None for a single file.  O(files below its root).

        is_data: whether the name of a file or folder is one of data.
        """
        path, in_web = self.path.rstrip("/"), self.url.scheme in _WEB
        if in_web and self.url.query:
            return None
        pattern = _GLOB.search(path)
        is_folder = self.url.path.endswith("/")  # asking the web would cost a request
        if pattern is None and not in_web:
            is_folder = self.system.get_file_info(path).type == fs.FileType.Directory
        if pattern is None and not is_folder:
            return None
        matched = {path: {"type": "directory"}}
        if hasattr(self.system, "handler"):
            system = self.system.handler.fs
        else:
            system = require("fsspec.implementations.arrow", "remote").ArrowFSWrapper(self.system)
        if pattern is not None:
            matched = system.glob(path, detail=True)
        folder = path if pattern is None else path[: pattern.start()].rpartition("/")[0]
        folders = {name for name, about in matched.items() if about["type"] == "directory"}
        found = (file for name in matched for file in (system.find(name) if name in folders else [name]))
        kept = (file for file in found if all(map(is_data, file[len(folder) :].strip("/").split("/"))))
        return [self.url._replace(path=file[len(self.root) :]).geturl() for file in dict.fromkeys(kept)]

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Find out why a file of a web server cannot be opened: fsspec says that there is none, whatever is wrong."""
        try:
            yield
        except FileNotFoundError:
            if self.url.scheme in _WEB:
                try:
                    self.system.handler.fs.info(self.path)
                except FileNotFoundError as error:
                    cause = error.__cause__
                    missing = isinstance(cause, FileNotFoundError) or getattr(cause, "status", None) == _NOT_FOUND
                    if cause is not None and not missing:
                        raise cause from None
            raise


@cache
def _file_system(scheme: str, host: str, options: str) -> tuple[Any, str]:
    """Return the file system of a host or bucket, and what it calls its root."""
    root = f"{scheme}://{host}/" + (f"?{options}" if options else "")
    if scheme in _OF_PYARROW:
        with suppress(ImportError, NotImplementedError, pa.ArrowInvalid):  # pyarrow was built without it
            system, path = fs.FileSystem.from_uri(root)
            return system, path.rstrip("/")
    core = require("fsspec.core", "remote")
    try:
        system, path = core.url_to_fs(root)
    except ImportError as error:
        raise EvaluationError(f"{scheme}:// needs another library: {reason(error)}") from error
    except ValueError as error:
        why = f"{scheme}:// cannot be read; copy the file to this machine, or pipe it into standard input (-)"
        raise EvaluationError(why) from error
    return fs.PyFileSystem(fs.FSSpecHandler(system)), path.rstrip("/")


_COMPRESSIONS = {
    "gzip": re.compile(rb"\x1f\x8b"),
    "bz2": re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
}
"""How compressed bytes begin; text never begins so."""
_SIGNATURE_BYTES = 10
_OPENED: dict[str, Callable[[Any], Any]] = {"gzip": gzip.open, "bz2": bz2.open, "xz": lzma.open}


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
        self._begun = self.stream()
        return self._begun.peek(count)[:count]

    def stream(self) -> io.BufferedReader:
        """Open the file to read it from its beginning to its end.  O(1)."""
        if self._begun is not None:
            begun, self._begun = self._begun, None
            return begun
        size = None if self._progress is quiet else self.size()  # asking may cost a request
        raw: Any = _MeteredFile(self._open(), self._progress, size)
        file = io.BufferedReader(raw)
        self.compression = _compression_of(file.peek(_SIGNATURE_BYTES))
        if self.compression is None:
            return file
        if self.compression == "zstd":
            plain = pa.CompressedInputStream(pa.PythonFile(file, mode="r"), self.compression)
        else:
            plain = _OPENED[self.compression](file)
        return io.BufferedReader(_MeteredFile(plain, quiet, None, file))

    def seekable(self) -> Any:
        """Open the file to read it at any position, a pipe or a compressed file from memory.  O(1), else O(bytes)."""
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


def blocks_of_lines(file: io.BufferedReader, size: int, begin: bytes | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield the number of the first line, from 1 on, and lines of about `size` bytes; of an empty file none, once.

    begin: what has been read of the file.
    Raises EvaluationError for a line of more than `LONGEST_LINE` bytes, of which no more are read.
    """
    first, block = 1, (file.read(size) if begin is None else begin).removeprefix(BYTE_ORDER_MARK)
    while block or first == 1:
        end = file.readline(LONGEST_LINE + 1)
        if len(end) > LONGEST_LINE:
            line = first + block.count(b"\n")
            way_out = "write each row on a line of its own, which ends in LF or CRLF, and shorten long cells"
            raise EvaluationError(f"line {line} must have at most {LONGEST_LINE:,} bytes, got more; {way_out}")
        block += end
        yield first, block
        first += block.count(b"\n") + (not block.endswith(b"\n"))
        block = file.read(size)


def full_name(path: str, find: Callable[[str], str] = os.path.abspath) -> str:
    """Return the name of a file from the root, as a function finds it, and a URL as it is.  O(1)."""
    return path if is_remote(path) else find(local_name(path))


def _compression_of(first: bytes) -> str | None:
    return next((name for name, signature in _COMPRESSIONS.items() if signature.match(first)), None)
