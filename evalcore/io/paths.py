"""Files of predictions by their names, by globs and by folders."""

import glob
import os
from collections.abc import Iterator, Sequence
from typing import NoReturn

from evalcore.errors import EvaluationError
from evalcore.io.formats import ENDINGS, STANDARD_INPUT, ending_of, is_remote, no_such_file, reason

_LEFT_OUT = ("_", ".")
"""Begin the names of files and folders beside the data, such as _SUCCESS and .crc, as Arrow and Spark have it."""


def expanded(paths: Sequence[str]) -> list[str]:
    """Return the files that are named, each once, in the order of their full names.

    paths: files; globs, where ``**`` stands for folders in folders; folders, which stand for the Parquet files in them
    and in their folders, without those whose names begin with a dot or an underscore.  A file that there is, is no
    glob.  O(files log files).

    Raises EvaluationError for a path, glob or folder without files, for files of several formats or of none that is
    known, and for several files of which one is an NPZ file or standard input.

    >>> expanded(["nowhere/*.parquet"])
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: nowhere/*.parquet: no file has such a name
    """
    found = [file for path in paths for file in _files_of(path)]
    found.sort(key=os.path.abspath)
    files = list({os.path.realpath(file): file for file in reversed(found)}.values())[::-1]
    _check_formats(files)
    return files


def _files_of(path: str) -> list[str]:
    if os.path.isdir(path):
        files = list(_parquet_files(path))
        if not files:
            raise EvaluationError(f"{path}: there are no Parquet files in this folder (their names end in .parquet)")
        return files
    if path == STANDARD_INPUT or os.path.exists(path):
        return [path]
    if is_remote(path) or not glob.has_magic(path):
        raise no_such_file(path)
    files = [file for name in _matches(path) for file in (_parquet_files(name) if os.path.isdir(name) else [name])]
    if not files:
        raise EvaluationError(f"{path}: no file has such a name")
    return files


def _matches(pattern: str) -> Iterator[str]:
    """Yield what a glob finds, but for what is kept beside the data."""
    root = pattern
    while glob.has_magic(root):
        root = os.path.dirname(root)
    for name in glob.iglob(pattern, recursive=True):
        if all(map(_is_data, os.path.relpath(name, root or None).split(os.sep))):
            yield name


def _parquet_files(folder: str) -> Iterator[str]:
    for parent, folders, names in os.walk(folder, onerror=_fail):
        folders[:] = filter(_is_data, folders)
        yield from (os.path.join(parent, name) for name in filter(_is_data, names) if ending_of(name) == ".parquet")


def _fail(error: OSError) -> NoReturn:
    raise EvaluationError(f"{error.filename}: cannot be read: {reason(error)}") from error


def _is_data(name: str) -> bool:
    return not name.startswith(_LEFT_OUT)


def _check_formats(files: Sequence[str]) -> None:
    if len(files) == 1:
        return  # its reader knows what it can read
    first = ending_of(files[0])
    for file in files:
        ending = ending_of(file)
        if file == STANDARD_INPUT:
            raise EvaluationError("standard input (-) cannot be read beside other files")
        if ending not in ENDINGS:
            raise EvaluationError(f"{file}: the name must end in one of {' '.join(ENDINGS)}")
        if ending == ".npz":
            raise EvaluationError(f"{file}: several files must be Parquet, Arrow, Feather, CSV or TSV")
        if ending != first:
            raise EvaluationError(f"{file}: is another format than {files[0]}; several files must be of one")
