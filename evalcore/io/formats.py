"""Formats of files, told by the endings of their names, and errors that name the file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evalcore.errors import EvaluationError, EvaluationTypeError, MissingLibraryError

STANDARD_INPUT = "-"
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
    except FileNotFoundError:
        raise EvaluationError(f"{path}: no such file") from None
    except Exception as error:  # whatever a reader raises at a file that is not what its name says
        raise EvaluationError(f"{path}: cannot be read: {' '.join(str(error).split())}") from error
