"""Formats of files, told by the endings of their names, and errors that name the file."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

from evalcore.errors import EvaluationError, EvaluationTypeError, MissingLibraryError

STANDARD_INPUT = "-"
_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/", re.ASCII)
"""Begins a URL, such as s3://bucket/file."""
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
"""Of text, by the last ending."""
TEXTS = {".csv": ",", ".tsv": "\t"}
"""What stands between the cells of a line."""
ENDINGS = (".parquet", ".arrow", ".feather", *TEXTS, ".npz")


def ending_of(path: str) -> str:
    """Return the ending that tells a file's format, without that of its compression; an empty string for none.

    >>> ending_of("a.b.CSV.gz"), ending_of("x.parquet"), ending_of("x.parquet.gz"), ending_of("x")
    ('.csv', '.parquet', '.gz', '')
    """
    endings = [ending.lower() for ending in Path(path).suffixes]
    if len(endings) > 1 and endings[-1] in COMPRESSIONS and endings[-2] in TEXTS:
        endings.pop()
    return endings[-1] if endings else ""


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Raise an EvaluationError inside as one that names the file.

    >>> with naming("x.parquet"):
    ...     raise EvaluationError("there are no rows")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: x.parquet: there are no rows
    """
    try:
        yield
    except (EvaluationError, EvaluationTypeError) as error:
        raise type(error)(f"{path}: {error}") from error


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Raise whatever goes wrong inside as an EvaluationError that names the file, in one line.

    >>> with reading("x.parquet"):
    ...     raise OSError("not what its name says")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: x.parquet: cannot be read: not what its name says
    """
    try:
        yield
    except MissingLibraryError:  # not the file's fault
        raise
    except EvaluationError as error:
        raise EvaluationError(f"{path}: {error}") from error
    except FileNotFoundError:  # also of those who do open remote files
        raise EvaluationError(f"{path}: no such file") from None
    except Exception as error:  # whatever a reader raises at a file that is not what its name says
        raise EvaluationError(f"{path}: cannot be read: {reason(error)}") from error


def is_remote(path: str) -> bool:
    """Whether a path is a URL, such as s3://bucket/x.parquet.

    >>> is_remote("s3://bucket/*.parquet"), is_remote("C:/x.csv"), is_remote("month=1/x.csv")
    (True, False, False)
    """
    return _REMOTE.match(path) is not None


def no_such_file(path: str) -> EvaluationError:
    """Return the error for a file that is not there, or not on this machine.

    >>> no_such_file("x.csv")
    EvaluationError('x.csv: no such file')
    >>> no_such_file("file:///data/x.csv")
    EvaluationError('file:///data/x.csv: URLs are not read: give the plain path, /data/x.csv')
    """
    if is_remote(path):
        url = urlsplit(path)
        if url.scheme == "file":
            return EvaluationError(f"{path}: URLs are not read: give the plain path, {unquote(url.path)}")
        return EvaluationError(
            f"{path}: remote files are not read: copy it to this machine, or pipe it into standard input (-)"
        )
    return EvaluationError(f"{path}: no such file")


def reason(error: Exception) -> str:
    """Return what an error says in one line, without the number and the path that the system adds.

    >>> reason(PermissionError(13, "Permission denied", "x.csv"))
    'Permission denied'
    """
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(text.split())
