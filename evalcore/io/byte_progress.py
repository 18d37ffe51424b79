"""Reports of how much of a file has been read."""

import io
from collections.abc import Callable
from typing import Any, Protocol

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


class CountedFile(io.RawIOBase):
    """A file opened for reading that reports its bytes as they are read.

    >>> seen = []
    >>> with CountedFile(io.BytesIO(b"abc"), 3, lambda done, total: seen.append((done, total))) as file:
    ...     file.read(2), file.read()
    (b'ab', b'c')
    >>> seen
    [(2, 3), (3, 3), (3, 3)]
    """

    def __init__(self, file: Any, size: int | None, progress: Progress) -> None:
        self._file = file
        self._size = size
        self._progress = progress
        self._done = 0

    def readable(self) -> bool:
        """Return True, as the io protocol asks."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Read into a buffer, report, and return the number of bytes, as the io protocol asks."""
        count: int = self._file.readinto(buffer)
        self._done += count
        self._progress(self._done, self._size)
        return count

    def close(self) -> None:
        """Close the wrapped file too."""
        self._file.close()
        super().close()
