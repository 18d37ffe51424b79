"""Files of predictions, from names, globs and folders."""

import glob
import os
from collections.abc import Iterator, Sequence
from typing import NoReturn

from evalcore.errors import EvaluationError
from evalcore.io.columns import BY_NAME, Reading
from evalcore.io.formats import STANDARD_INPUT, format_of, is_remote, no_such_file, reason

_NOT_DATA = ("_", ".")
"""How names of files and folders beside the data begin, such as _SUCCESS and .crc, as in Arrow and Spark."""


def expand_paths(paths: Sequence[str], reading: Reading = BY_NAME) -> list[str]:
    """Return the files that paths name, each once, in the order of their full names.  O(files log files).

    paths: files; globs, where ``**`` matches nested folders; folders, which mean all Parquet files in them, nested ones
    too, except names that begin with a dot or an underscore.  The name of an existing file is not taken for a glob.

    Raises EvaluationError if a path matches no file, if formats differ or are unknown, and if one of several files is
    NPZ or standard input.
    """
    found = [file for path in paths for file in _files_of(path)]
    found.sort(key=os.path.abspath)
    files = list({os.path.realpath(file): file for file in reversed(found)}.values())[::-1]
    _check_formats(files, reading)
    return files


def _files_of(path: str) -> list[str]:
    if os.path.isdir(path):
        files = list(_parquet_files(path))
        if not files:
            raise EvaluationError(f"{path}: this folder has no Parquet files (names that end in .parquet)")
        return files
    if path == STANDARD_INPUT or os.path.exists(path):
        return [path]
    if is_remote(path) or not glob.has_magic(path):
        raise no_such_file(path)
    files = [file for name in _glob_matches(path) for file in (_parquet_files(name) if os.path.isdir(name) else [name])]
    if not files:
        raise EvaluationError(f"{path}: no file matches")
    return files


def _glob_matches(pattern: str) -> Iterator[str]:
    """Yield the files and folders that a glob matches, without those that are not data."""
    root = pattern
    while glob.has_magic(root):
        root = os.path.dirname(root)
    for name in glob.iglob(pattern, recursive=True):
        if all(map(_is_data, os.path.relpath(name, root or None).split(os.sep))):
            yield name


def _parquet_files(folder: str) -> Iterator[str]:
    for parent, folders, names in os.walk(folder, onerror=_refuse_folder):
        folders[:] = filter(_is_data, folders)
        yield from (os.path.join(parent, name) for name in filter(_is_data, names) if name.lower().endswith(".parquet"))


def _refuse_folder(error: OSError) -> NoReturn:
    raise EvaluationError(f"{error.filename}: cannot be read: {reason(error)}") from error


def _is_data(name: str) -> bool:
    return not name.startswith(_NOT_DATA)


def _check_formats(files: Sequence[str], reading: Reading) -> None:
    first = format_of(files[0], reading)
    if len(files) == 1:
        return
    for file in files:
        if file == STANDARD_INPUT:
            raise EvaluationError("standard input (-) must be the only file")
        found = format_of(file, reading)
        if found == "npz":
            raise EvaluationError(f"{file}: an NPZ file must be the only file")
        if found != first:
            raise EvaluationError(f"{file}: several files must have one format, and {files[0]} has another")
