"""Files of predictions, from names, globs, folders and URLs."""

import glob
import os
from collections.abc import Iterator, Sequence
from typing import NoReturn
from urllib.parse import unquote, urlsplit

from evalcore.errors import EvaluationError
from evalcore.io.columns import BY_NAME, Reading
from evalcore.io.formats import FORMATS, IN_MEMORY, format_of, is_read_once, is_remote, local_name, named_format, reason
from evalcore.io.formats import reading as naming_errors
from evalcore.io.opening import full_name, real_name
from evalcore.io.remote import RemotePath

_NOT_DATA = ("_", ".")
"""How names of files and folders beside the data begin, such as _SUCCESS and .crc, as in Arrow and Spark."""
_OF_THIS_MACHINE = "file:/"


def expand_paths(paths: Sequence[str], reading: Reading = BY_NAME) -> list[str]:
    """Return the files that paths name, each once, in the order of their full names.  O(files log files).

    paths: files; globs, where ``**`` matches nested folders; folders, which mean all files in them of one format,
    nested ones too, except names that begin with a dot or an underscore; URLs of these.  The name of an existing file
    is not taken for a glob.

    Raises EvaluationError if a path matches no file, if formats differ or are unknown, and if one of several files is
    NPZ, standard input or a pipe.
    """
    found = [file for path in paths for file in _files_of(_without_scheme(path), reading)]
    found.sort(key=full_name)
    first: dict[str, str] = {}
    for file in found:
        first.setdefault(real_name(file), file)
    files = list(first.values())
    _check_formats(files, reading)
    return files


def _without_scheme(path: str) -> str:
    return unquote(urlsplit(path).path) if path.lower().startswith(_OF_THIS_MACHINE) else path


def _files_of(path: str, reading: Reading) -> list[str]:
    if is_remote(path):
        return _remote_files(path, reading)
    if os.path.isdir(path):
        return _of_one_format(path, list(_files_below(path)), reading)
    if is_read_once(path) or path == IN_MEMORY or os.path.exists(local_name(path)):
        return [path]
    if not glob.has_magic(path):
        raise EvaluationError(f"{path}: no such file")
    names = list(_glob_matches(path))
    files = [name for name in names if not os.path.isdir(name)]
    nested = [file for name in names if os.path.isdir(name) for file in _files_below(name)]
    if not files and not nested:
        raise EvaluationError(f"{path}: no file matches")
    return files + (_of_one_format(path, nested, reading) if nested else [])


def _remote_files(url: str, reading: Reading) -> list[str]:
    with naming_errors(url):
        found = RemotePath.of(url).files(_is_data)
    if found is None:
        return [url]
    if not found:
        raise EvaluationError(f"{url}: no file matches")
    return _of_one_format(url, found, reading)


def _of_one_format(folder: str, files: Sequence[str], reading: Reading) -> list[str]:
    """Return the files of a folder that have the chosen format by their names, or else have names of no format."""
    chosen = reading.format or ("csv" if reading.delimiter is not None else None)
    named = [(named_format(file), file) for file in files]
    formats = list(dict.fromkeys(name for name, _ in named if name is not None))
    if chosen is None:
        if not formats:
            raise EvaluationError(
                f"{folder}: this folder has no file whose name ends in one of {' '.join(FORMATS)}; give the format of "
                "other names (--input-format FORMAT)"
            )
        if len(formats) > 1:
            raise EvaluationError(
                f"{folder}: this folder has files of several formats ({', '.join(sorted(formats))}); choose one "
                "(--input-format FORMAT)"
            )
        chosen = formats[0]
    of_format = [file for name, file in named if name == chosen]
    found = of_format or [file for name, file in named if name is None]
    if not found:
        others = f", but of {' and '.join(sorted(formats))}" if formats else ""
        raise EvaluationError(f"{folder}: this folder has no file of the format {chosen}{others}")
    return found


def _glob_matches(pattern: str) -> Iterator[str]:
    """Yield the files and folders that a glob matches, without those that are not data."""
    root = pattern
    while glob.has_magic(root):
        root = os.path.dirname(root)
    for name in glob.iglob(pattern, recursive=True):
        if all(map(_is_data, os.path.relpath(name, root or None).split(os.sep))):
            yield name


def _files_below(folder: str) -> Iterator[str]:
    for parent, folders, names in os.walk(folder, onerror=_refuse_folder):
        folders[:] = filter(_is_data, folders)
        yield from (os.path.join(parent, name) for name in filter(_is_data, names))


def _refuse_folder(error: OSError) -> NoReturn:
    raise EvaluationError(f"{error.filename}: cannot be read: {reason(error)}") from error


def _is_data(name: str) -> bool:
    return not name.startswith(_NOT_DATA)


def _check_formats(files: Sequence[str], reading: Reading) -> None:
    first = format_of(files[0], reading)
    if len(files) == 1:
        return
    for file in files:
        if is_read_once(file):
            named = "standard input (-)" if file == "-" else f"{file}: a pipe"
            raise EvaluationError(f"{named} must be the only file; write it to a file first")
        found = format_of(file, reading)
        if found == "npz":
            raise EvaluationError(f"{file}: an NPZ file must be the only file")
        if found != first:
            raise EvaluationError(f"{file}: several files must have one format, and {files[0]} has another")
