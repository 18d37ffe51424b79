"""Formats of files, by the endings of their names, and errors that name the file."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

from evalcore.errors import EvaluationError, EvaluationTypeError, MissingLibraryError

STANDARD_INPUT = "-"
_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/", re.ASCII)
"""How a URL begins, such as s3://bucket/file."""
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
"""Compressions of text, by the last ending."""
TEXTS = {".csv": ",", ".tsv": "\t"}
"""Delimiters of text, by ending."""
ENDINGS = (".parquet", ".arrow", ".feather", *TEXTS, ".npz")


def ending_of(path: str) -> str:
    """Return the ending of a name, that of a compression left out, or an empty string.  O(1).

    >>> ending_of("a.b.CSV.gz"), ending_of("x.parquet"), ending_of("x.parquet.gz"), ending_of("x")
    ('.csv', '.parquet', '.gz', '')
    """
    endings = [ending.lower() for ending in Path(path).suffixes]
    if len(endings) > 1 and endings[-1] in COMPRESSIONS and endings[-2] in TEXTS:
        endings.pop()
    return endings[-1] if endings else ""


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Add the name of the file to an EvaluationError raised inside."""
    try:
        yield
    except (EvaluationError, EvaluationTypeError) as error:
        raise type(error)(f"{path}: {error}") from error


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Turn any error raised inside into an EvaluationError of one line that names the file."""
    try:
        yield
    except MissingLibraryError:  # not the file's fault
        raise
    except EvaluationError as error:
        raise EvaluationError(f"{path}: {error}") from error
    except FileNotFoundError:  # also from libraries that open remote files
        raise EvaluationError(f"{path}: no such file") from None
    except Exception as error:  # readers raise all kinds if a file is not what its name says
        raise EvaluationError(f"{path}: cannot be read: {reason(error)}") from error


def is_remote(path: str) -> bool:
    """Whether a path is a URL, such as s3://bucket/x.parquet, and not a drive, such as C:/x.csv."""
    return _REMOTE.match(path) is not None


def no_such_file(path: str) -> EvaluationError:
    """Return the error for a file that does not exist or is not on this machine."""
    if is_remote(path):
        url = urlsplit(path)
        if url.scheme == "file":
            return EvaluationError(f"{path}: URLs are not supported; give the plain path, {unquote(url.path)}")
        return EvaluationError(
            f"{path}: remote files are not supported; copy it to this machine, or pipe it into standard input (-)"
        )
    return EvaluationError(f"{path}: no such file")


def reason(error: Exception) -> str:
    """Return the message of an error in one line, without the number and the path that the system adds."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(text.split())
