"""Files that are written whole or not at all."""

import contextlib
import errno
import os
import secrets
from pathlib import Path

from evalcore.checks import shown
from evalcore.errors import EvaluationError, EvaluationTypeError

_NAME_KEPT = 40
"""Letters of a file's name in that of its temporary file: file systems allow 255 bytes."""


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file so that at any time it holds all of the old content or all of the new.

    Writes a temporary file in the same folder, flushes it to the disk and gives it the name.  A writer that is killed
    leaves the old file, and may leave the temporary one: its name begins with a dot and ends in ``.part``.  A file
    that is replaced keeps its permissions, a symbolic link its target's name.  O(bytes).

    Raises
    ------
    EvaluationError
        If the file cannot be written, or is a pipe or a device; what was there stays.
    EvaluationTypeError
        If the path is none.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "state"
    ...     write_atomically(path, b"old")
    ...     write_atomically(path, b"new")
    ...     path.read_bytes(), len(list(path.parent.iterdir()))
    (b'new', 1)
    """
    name = path_name(path)
    try:
        file = Path(os.path.realpath(name))
        if file.exists() and not (file.is_file() or file.is_dir()):
            raise OSError(errno.EINVAL, "it is no file, but a pipe or a device")
        _write(file, content)
    except (OSError, ValueError) as error:  # a path that holds a null byte is a ValueError
        raise EvaluationError(f"{name}: cannot be written: {_reason(error)}") from error


def read_whole(path: str | os.PathLike[str]) -> bytes:
    """Return what a file holds.  O(bytes).

    Raises EvaluationError that names the path if it cannot be read, EvaluationTypeError if it is none.

    >>> read_whole("nowhere.state")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: nowhere.state: no such file
    """
    name = path_name(path)
    try:
        return Path(name).read_bytes()
    except FileNotFoundError:
        raise EvaluationError(f"{name}: no such file") from None
    except (OSError, ValueError) as error:
        raise EvaluationError(f"{name}: cannot be read: {_reason(error)}") from error


def path_name(path: str | os.PathLike[str]) -> str:
    """Return a path as text.  Raises EvaluationTypeError for what is none.

    >>> path_name(Path("here"))
    'here'
    """
    try:
        return os.fsdecode(path)
    except TypeError:
        raise EvaluationTypeError(f"path must be a path, got {shown(path)}") from None


def _write(path: Path, content: bytes) -> None:
    part = path.with_name(f".{path.name[:_NAME_KEPT]}.{secrets.token_hex(8)}.part")
    try:
        with open(part, "xb") as file:
            with contextlib.suppress(FileNotFoundError):
                part.chmod(path.stat().st_mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    _flush_folder(path.parent)


def _flush_folder(folder: Path) -> None:
    """Let the new name, too, outlast a loss of power, where a folder can be opened."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
