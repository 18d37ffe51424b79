"""Formats of files, chosen or told by the endings of their names, and errors that name the file."""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from evalcore.errors import EvaluationError, EvaluationTypeError, MissingLibraryError, check, refuse

STANDARD_INPUT = "-"
IN_MEMORY = _DATABASE = "duckdb:"
"""How names of databases begin; alone, it is an empty database in memory, whose queries may read files."""
_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/", re.ASCII)
"""How a URL begins, such as s3://bucket/file."""
_COMPRESSIONS = ".gz", ".bz2", ".zst", ".xz"
"""Last endings of compressed text."""
DELIMITERS = {"csv": ",", "tsv": "\t"}
"""What separates cells, by format."""
TEXTS = ("csv", "tsv", "jsonl", "json")
"""Formats of text, which may be compressed."""
FORMATS = {
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".npz": "npz",
    ".eval": "eval",
}
"""Formats by the endings of names."""
_SPREADSHEETS = ".xlsx", ".xls", ".ods"
_SIGNATURES = {
    rb"PAR1": "parquet",
    rb"ARROW1|\xff\xff\xff\xff": "arrow",
    rb"PK\x03\x04": "npz",
    rb"\{|\[[{ \n\r]": "json",
}
"""Formats other than CSV by patterns of their first bytes."""
SIGNATURE_BYTES = 6
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""How programs of Windows begin text in UTF-8."""
_SQLITE = b"SQLite format 3"
_NOT_TEXT = {
    _SQLITE: "is a database of SQLite, which is not read; write the table as CSV (sqlite3 -header -csv FILE QUERY)",
    b"\xff\xfe": "is UTF-16; convert it first (iconv -f UTF-16 -t UTF-8 FILE)",
    b"\xfe\xff": "is UTF-16; convert it first (iconv -f UTF-16 -t UTF-8 FILE)",
    b"PAR1": "is Parquet, whatever its name says (--input-format parquet)",
    b"ARROW1": "is Arrow, whatever its name says (--input-format arrow)",
    b"PK\x03\x04": "is a ZIP archive, as XLSX and NPZ are, and not text; save a sheet as CSV, or unpack it",
}
"""What files are that begin so, and what to do about them where text is expected."""
_DATABASE_ENDINGS = ".duckdb", ".ddb", ".db"
_DEVICES = "/dev/stdin", "/dev/fd/", "/proc/self/fd/"
"""How names of standard input and of process substitution begin; a file that is redirected there has no name."""
_NAMED_DELIMITERS = {"tab": "\t", "\\t": "\t"}


class Reading(NamedTuple):
    """How files are read, where their names do not tell."""

    format: str | None = None
    """The format of all files, one of those in `FORMATS`; None where the endings of their names decide."""
    delimiter: str | None = None
    """What separates cells of text; None where the format decides."""
    sql: str | None = None
    """The query of a database whose rows are the table."""
    decimal: str | None = None
    """The sign before the decimals of scores and weights in text; None for a point."""
    rows: str | None = None
    """The path to the array of rows in a document of JSON; None where the document is the array."""


BY_NAME = Reading()


def spoken_name(path: str) -> str:
    """Return what a title calls a file: its name without keys, if it has one.  O(1).

    >>> spoken_name("-"), spoken_name("/dev/fd/63"), spoken_name("duckdb:"), spoken_name("a.csv")
    ('standard input', 'a pipe', 'the query', 'a.csv')
    """
    if path in (STANDARD_INPUT, "/dev/stdin", "/dev/fd/0"):
        return "standard input"
    if path.startswith(_DEVICES):
        return "a pipe"
    return "the query" if path == IN_MEMORY else shown_name(path)


def format_of(path: str, reading: Reading = BY_NAME) -> str:
    """Return the format of a file: the chosen one, or that of its ending; pipes and standard input are CSV.  O(1).

    Raises EvaluationError if the name does not tell, and if a delimiter is given for a format without one.

    >>> format_of("a.b.CSV.gz"), format_of("x.txt", Reading("tsv")), format_of("x.txt", Reading(delimiter=";"))
    ('csv', 'tsv', 'csv')
    """
    if path.startswith(_DATABASE):
        found: str | None = "duckdb"
    else:
        found = reading.format or named_format(path)
    if found is None and reading.rows is not None:
        found = "json"
    if found is None and (reading.delimiter is not None or is_read_once(path)):
        found = "csv"
    if found is None:
        raise EvaluationError(f"{path}: {_way_out_of(path)}")
    if reading.sql is not None and found != "duckdb":
        raise EvaluationError(f"{path}: --sql is for databases, such as {_DATABASE}predictions.db")
    refuse({f"{path}: --input-format is for files, and this is a database": reading.format not in (None, found)})
    for option in ("delimiter", "decimal"):
        if getattr(reading, option) is not None and found not in DELIMITERS:
            raise EvaluationError(f"{path}: --{option} is for CSV and TSV, and the format is {found}")
    refuse({f"{path}: --rows is for JSON documents, and the format is {found}": reading.rows and found != "json"})
    return found


def _way_out_of(path: str) -> str:
    """Return what to do about a name that tells no format."""
    if path.lower().endswith(_SPREADSHEETS):
        return "spreadsheets are not read; save the sheet as CSV with decimal points"
    with suppress(OSError, ValueError), open(path, "rb") as file:
        if file.read(len(_SQLITE)) == _SQLITE:
            return _NOT_TEXT[_SQLITE]
    if path.lower().endswith(_DATABASE_ENDINGS):
        return f"a database of DuckDB is read as {_DATABASE}{path}"
    return f"the name must end in one of {' '.join(FORMATS)}; give the format of other names (--input-format FORMAT)"


def checked_delimiter(text: str | None) -> str | None:
    r"""Return a delimiter as one character, also if it is written as tab or ``\t``.  O(1).

    Raises EvaluationError for several characters, letters, digits, quotes, and what begins or ends lines or numbers.

    >>> checked_delimiter("tab"), checked_delimiter(";")
    ('\t', ';')
    """
    delimiter = text if text is None else _NAMED_DELIMITERS.get(text, text)
    sign = ";" if delimiter is None else delimiter
    is_sign = len(sign) == 1 and sign.isascii() and not sign.isalnum() and sign not in '"\r\n\0\4.+-'
    check(is_sign, "--delimiter", "be one ASCII sign such as ';' or '|', or tab", repr(text))
    return delimiter


def reading_of(asked: Mapping[str, Any]) -> Reading:
    """Return how options, by the names of their parameters, say that files are read.  O(1).

    >>> reading_of({"input_format": "json"}).format
    'json'
    """
    named, sql, decimal, rows = map(asked.get, ("input_format", "sql", "decimal", "rows"))
    return Reading(named, checked_delimiter(asked.get("delimiter")), sql, decimal, rows)


def named_format(path: str) -> str | None:
    """Return the format that the ending of a name tells, that of a compression of text left out; None if none.  O(1).

    >>> named_format("x.tsv.xz"), named_format("https://host/x.csv?key=a.b"), named_format("x.csv/part-0")
    ('tsv', 'csv', None)
    """
    name = urlsplit(path).path if is_remote(path) else path
    endings = [ending.lower() for ending in Path(name).suffixes]
    if len(endings) > 1 and endings[-1] in _COMPRESSIONS and FORMATS.get(endings[-2]) in TEXTS:
        endings.pop()
    return FORMATS.get(endings[-1]) if endings else None


def format_of_bytes(first: bytes) -> str | None:
    r"""Return the format of a pipe by its first bytes, None for CSV and others.  O(1).

    >>> format_of_bytes(b"PAR1..."), format_of_bytes(b"late,model"), format_of_bytes(b"\n{")
    ('parquet', None, 'json')
    """
    begins = first.removeprefix(BYTE_ORDER_MARK).lstrip()
    return next((name for signature, name in _SIGNATURES.items() if re.match(signature, begins)), None)


def is_database(first: bytes) -> bool:
    """Whether a file that begins so is a database of DuckDB.  O(1)."""
    return first[8:12] == b"DUCK"


def check_database(first: bytes) -> None:
    """Raise EvaluationError for a file that begins so and is no database of DuckDB.  O(1)."""
    of_sqlite = f"it is {_NOT_TEXT[_SQLITE].removeprefix('is ')}"
    way_out = of_sqlite if first.startswith(_SQLITE) else f"other files are read without {_DATABASE}"
    refuse({f"is not a database of DuckDB; {way_out}": not is_database(first)})


def refuse_other_files(first: bytes) -> None:
    """Raise EvaluationError if the first bytes of a file of text are those of another format.  O(1)."""
    found = next((what for signature, what in _NOT_TEXT.items() if first.startswith(signature)), None)
    if is_database(first):
        found = f"is a database of DuckDB; type {_DATABASE} before its name"
    refuse({f"the file {found}": found is not None})


def is_read_once(path: str) -> bool:
    """Whether a path is standard input, a pipe or a device, and not a file.  O(1)."""
    if path == STANDARD_INPUT or path.startswith(_DEVICES):
        return True
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):  # its reader says what is wrong
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Add the name of the file to an EvaluationError raised inside."""
    try:
        yield
    except (EvaluationError, EvaluationTypeError) as error:
        raise type(error)(f"{path}: {error}") from error


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Turn any error raised inside into an EvaluationError of one line that names the file.

    One is raised too if a local file is not the same at the end.
    """
    before = _local_state(path)
    try:
        yield
        if before is not None and (after := _local_state(path)) != before:
            sizes = [f"{state[0]:,} bytes" if state else "no file" for state in (before, after)]
            changed = "a change of its content" if len(set(sizes)) == 1 else f"{sizes[0]} before and {sizes[1]} after"
            why = f"must stay as it is while it is read, got {changed}; wait until it is written, or read a copy"
            raise EvaluationError(why)
    except MissingLibraryError:  # not the file's fault
        raise
    except EvaluationError as error:
        raise EvaluationError(f"{path}: {error}") from error
    except FileNotFoundError:  # also from libraries that open remote files
        raise EvaluationError(f"{path}: no such file") from None
    except Exception as error:  # readers raise all kinds if a file is not what its name says
        raise EvaluationError(f"{path}: cannot be read: {reason(error)}") from error


def _local_state(path: str) -> tuple[int, int] | None:
    """Return the size of a file and the time of its last change; None for pipes, URLs and what is not there."""
    try:
        found = os.stat(local_name(path))
    except (OSError, ValueError):
        return None
    return None if is_read_once(path) else (found.st_size, found.st_mtime_ns)


def is_remote(path: str) -> bool:
    """Whether a path is a URL, such as s3://bucket/x.parquet, and not a drive, such as C:/x.csv."""
    return _REMOTE.match(path) is not None and not path.startswith(_DATABASE)


def shown_name(path: str) -> str:
    """Return a URL without its password and its query, which may be a signature; other names as they are.  O(1).

    >>> shown_name("https://me:secret@host/x.csv?signature=secret"), shown_name("x?.csv")
    ('https://host/x.csv', 'x?.csv')
    """
    if not is_remote(path):
        return path
    url = urlsplit(path, allow_fragments=False)
    user, _, host = url.netloc.rpartition("@")
    host = host if ":" in user else url.netloc
    return url._replace(netloc=host, query="" if "=" in url.query else url.query).geturl()


def local_name(path: str) -> str:
    """Return the name of the file of a database, others as they are.  O(1)."""
    return path.removeprefix(_DATABASE)


def reason(error: Exception) -> str:
    """Return the message of an error in one line, without the number and the path that the system adds."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(text.split())
