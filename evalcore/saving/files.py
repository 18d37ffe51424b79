"""Files that are written whole or not at all, and pipes and devices to write to."""

import contextlib
import errno
import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

from evalcore.errors import EvaluationError, EvaluationTypeError, check_type, refuse, shown

_Content = TypeVar("_Content", str, bytes)
_NAME_KEPT = 40
"""Characters of a file's name in the name of its temporary file: file systems allow 255 bytes."""
_MOST_LINKS = 40
"""Links that are followed one after another, as in Linux."""


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file so that at any time it holds all of the old content or all of the new.  O(bytes).

    Writes a temporary file in the same folder, flushes it to disk and renames it.  A process that is killed leaves the
    old file, and may leave the temporary one: its name begins with a dot and ends in ``.part``.  A replaced file keeps
    its permissions and, where the system allows it, its owner; a symbolic link keeps its target; other hard links keep
    the old content.  A new file gets its permissions from the umask.

    Parameters
    ----------
    path : str or os.PathLike
        The file.
    content : bytes
        All of it.

    Raises
    ------
    EvaluationError
        If the file cannot be written, or is a pipe or a device, such as /dev/stdout.  The old content stays.
    EvaluationTypeError
        If `path` is not a path.

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
    with _named(path) as name:
        _replace(_file_of(name), content)


def written(content: _Content, path: str | os.PathLike[str] | None) -> _Content | None:
    """Return content or, if a path is given, write it there, text in UTF-8 with the end of its last line.  O(content).

    >>> written("a,b", None)
    'a,b'
    """
    if path is None:
        return content
    write_output(path, content if isinstance(content, bytes) else f"{content}\n".encode("utf-8", "backslashreplace"))
    return None


def write_output(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a command's output to a pipe or device, or to a file as `write_atomically` does.  O(bytes).

    Pipes are named pipes and a shell's ``>(gzip)``; devices are terminals, /dev/null and the like, but not disks. The
    file behind standard output or standard error, under any name, is written to at its current position, not replaced.
    Blocks until a named pipe has a reader.

    Raises
    ------
    EvaluationError
        If it cannot be written.
    EvaluationTypeError
        If `path` is not a path.
    BrokenPipeError
        If the reader of a pipe is gone.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "page.html"
    ...     write_output(path, b"<html>")
    ...     path.read_bytes()
    b'<html>'
    """
    with _named(path) as name:
        opened = _opener_of(name)
        if opened is None:
            _replace(_file_of(name), content)
            return
        with open(opened(), "wb") as stream:
            stream.write(content)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Check that `write_output` could write a file now, before hours of work; an existing one stays as it is.  O(1).

    Makes a temporary file in the same folder and removes it.
    """
    with _named(path) as name:
        if _opener_of(name) is None:
            _try(_file_of(name))


def check_folder(path: str | os.PathLike[str]) -> None:
    """Check that files could be written now into a folder, which `make_folder` may have to make.  O(depth)."""
    with _named(path) as name:
        folder = Path(os.path.realpath(name))
        while not os.path.lexists(folder):
            folder = folder.parent
        _try(folder / "file")


def make_folder(path: str | os.PathLike[str]) -> None:
    """Make a folder and its missing parents.  O(depth)."""
    with _named(path) as name:
        Path(os.path.realpath(name)).mkdir(parents=True, exist_ok=True)


def read_whole(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a file.  Raises EvaluationError that names the path if it cannot be read.  O(bytes).

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
    """Return a path as text.  Raises EvaluationTypeError if it is none, EvaluationError if it cannot name a file."""
    try:
        name = os.fsdecode(path)
    except TypeError:
        raise EvaluationTypeError(f"path must be a path, got {shown(path)}") from None
    refuse({"path must not be empty": not name})
    check_type("\0" not in name, "path", "not hold a null character", name, EvaluationError)
    return name


@contextlib.contextmanager
def _named(path: str | os.PathLike[str]) -> Iterator[str]:
    """Give the name of a path, and let errors name it, not a temporary one."""
    name = path_name(path)
    try:
        yield name
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:  # a path that cannot be encoded is a ValueError
        raise EvaluationError(f"{name}: cannot be written: {_reason(error)}") from error


def _file_of(name: str) -> Path:
    """Return the file behind all links of a name.  Raises OSError if it is not a writable file."""
    file = Path(os.path.realpath(name))
    if file.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if file.is_dir():
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    if _descriptor_of(name) is not None or (file.exists() and not file.is_file()):
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file")
    if file.exists() and not os.access(file, os.W_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))
    return file


def _opener_of(name: str) -> Callable[[], int] | None:
    """Return what opens the pipe or device of a name to write to it; None for a file, or if there is nothing yet.

    Raises OSError if it cannot be written to.
    """
    descriptor = _descriptor_written_to(name)
    if descriptor is not None:
        os.write(descriptor, b"")  # fails for one that is closed, or open for reading only
        return partial(os.dup, descriptor)
    mode = os.stat(name).st_mode if os.path.exists(name) else 0
    if not (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)):
        return None
    if not os.access(name, os.W_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))
    return partial(os.open, name, os.O_WRONLY)  # makes no file if the pipe is gone by now


def _descriptor_written_to(name: str) -> int | None:
    """Return the open descriptor to write to for a name: its own, or that of a standard stream on the same file."""
    own = _descriptor_of(name)
    if own is not None:
        return own
    for descriptor in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(os.stat(name), os.fstat(descriptor)):
                return descriptor
    return None


def _descriptor_of(name: str) -> int | None:
    """Return the open descriptor that a name such as /dev/stdout or /dev/fd/63 stands for."""
    descriptors = os.path.realpath("/dev/fd")
    for _ in range(_MOST_LINKS):
        folder, last = os.path.split(os.path.abspath(name))
        if last.isdecimal() and os.path.realpath(folder) == descriptors:
            return int(last)
        if not os.path.islink(name):
            break
        name = os.path.join(folder, os.readlink(name))
    return None


def _part_of(file: Path) -> Path:
    return file.with_name(f".{file.name[:_NAME_KEPT]}.{secrets.token_hex(8)}.part")


def _try(file: Path) -> None:
    """Make the temporary file beside a file, and remove it."""
    part = _part_of(file)
    try:
        part.touch(exist_ok=False)
    finally:
        with contextlib.suppress(NotADirectoryError):  # touch has reported it
            part.unlink(missing_ok=True)


def _replace(path: Path, content: bytes) -> None:
    part = _part_of(path)
    try:
        with open(part, "xb") as file:
            with contextlib.suppress(FileNotFoundError):  # gives it the owner and permissions of the file it replaces
                before = path.stat()
                if sys.platform != "win32":
                    for user, group in ((-1, before.st_gid), (before.st_uid, -1)):  # the group may be allowed alone
                        with contextlib.suppress(PermissionError):
                            os.chown(part, user, group)
                part.chmod(before.st_mode & 0o777)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # the new name survives a loss of power, if the folder can be opened
        descriptor = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
