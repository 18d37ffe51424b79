"""Files of other machines: URLs such as s3://bucket/x.parquet, read by file systems of pyarrow or else of fsspec."""

import fnmatch
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import SplitResult, urlsplit

from evalcore.errors import EvaluationError
from evalcore.io.formats import reason
from evalcore.optional import require

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
        is_glob = "?" in url and "=" not in parts.query and parts.scheme not in _WEB  # else the query has options
        if is_glob:
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
        size: int | None = self.system.get_file_info(self.path).size
        return size

    def files(self, is_data: Callable[[str], bool]) -> list[str] | None:
        """Return the files that a glob or folder names, as URLs; None for a single file.  O(files below its root).

        is_data: whether the name of a file or folder is one of data.
        """
        path = self.path.rstrip("/")
        if self.url.scheme in _WEB and self.url.query:
            return None
        folder, pattern = _split_glob(path)
        if not pattern and not self._is_folder():
            return None
        found = dict.fromkeys(self._below(folder, pattern, is_data))
        return [self.url._replace(path=name[len(self.root) :]).geturl() for name in found]

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

    def _below(self, folder: str, pattern: Sequence[str], is_data: Callable[[str], bool]) -> Iterator[str]:
        """Yield the files below a folder that match the parts of a glob; no parts match all files."""
        selector = require("pyarrow.fs", "report").FileSelector(folder, recursive=not pattern, allow_not_found=True)
        nested = pattern[:1] == ["**"]
        first, *rest = pattern[nested:] or ["*"]
        for info in self.system.get_file_info(selector):
            names = info.path[len(folder) :].strip("/").split("/")
            if not all(map(is_data, names)):
                continue
            matches = not pattern or fnmatch.fnmatchcase(names[-1], first)
            if info.is_file and matches and not rest:
                yield info.path
            elif not info.is_file and pattern:
                if nested:
                    yield from self._below(info.path, pattern, is_data)
                if matches:
                    yield from self._below(info.path, rest, is_data)

    def _is_folder(self) -> bool:
        if self.url.scheme in _WEB:  # asking would cost a request, and a page of links is a file too
            return self.url.path.endswith("/")
        kind = require("pyarrow.fs", "report").FileType
        return bool(self.system.get_file_info(self.path.rstrip("/")).type == kind.Directory)


@cache
def _file_system(scheme: str, host: str, options: str) -> tuple[Any, str]:
    """Return the file system of a host or bucket, and what it calls its root."""
    fs = require("pyarrow.fs", "report")
    root = f"{scheme}://{host}/" + (f"?{options}" if options else "")
    if scheme in _OF_PYARROW:
        try:
            system, path = fs.FileSystem.from_uri(root)
        except (ImportError, NotImplementedError, require("pyarrow", "report").ArrowInvalid):
            pass  # pyarrow was built without it
        else:
            return system, path.rstrip("/")
    core = require("fsspec.core", "remote")
    try:
        system, path = core.url_to_fs(root)
    except ImportError as error:
        raise EvaluationError(f"{scheme}:// needs another library: {reason(error)}") from error
    except ValueError as error:
        raise EvaluationError(
            f"{scheme}:// cannot be read; copy the file to this machine, or pipe it into standard input (-)"
        ) from error
    return fs.PyFileSystem(fs.FSSpecHandler(system)), path.rstrip("/")


def _split_glob(path: str) -> tuple[str, list[str]]:
    """Return the folders of a path before the first part that is a glob, and the parts from there on.

    >>> _split_glob("bucket/flights/month=*/x.csv"), _split_glob("bucket/x.csv")
    (('bucket/flights', ['month=*', 'x.csv']), ('bucket/x.csv', []))
    """
    parts = path.split("/")
    first = next((index for index, part in enumerate(parts) if _GLOB.search(part)), len(parts))
    return "/".join(parts[:first]), parts[first:]
