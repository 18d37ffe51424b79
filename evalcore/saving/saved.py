"""The methods that save an object and make it again."""

import os
from abc import abstractmethod
from typing import Any, ClassVar, Self

from evalcore.errors import EvaluationError, EvaluationTypeError, shown
from evalcore.saving.container import packed, unpacked
from evalcore.saving.files import path_name, read_whole, write_atomically
from evalcore.saving.snapshot import Snapshot


class Saved:
    """Objects that are saved as bytes or files, without pickle: reading them runs no code of theirs.

    What is read back answers everything as the saved object did, and goes on from there.  A class adds `_snapshot`
    and `_of_snapshot`.  Its name is the kind that stands in what is saved, unless ``class C(Saved, kind="D")`` says
    another; subclasses have the kind of their parent.

    >>> from evalcore import ConfusionMatrix
    >>> issubclass(ConfusionMatrix, Saved)
    True
    """

    __slots__ = ()

    _kind: ClassVar[str]

    def __init_subclass__(cls, kind: str | None = None) -> None:
        super().__init_subclass__()
        if kind is not None or not hasattr(cls, "_kind"):
            cls._kind = kind or cls.__name__

    def to_bytes(self) -> bytes:
        """Return what the object remembers as bytes; the same for the same state.  O(bytes).

        >>> from evalcore import ConfusionMatrix
        >>> saved = ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]).to_bytes()
        >>> ConfusionMatrix.from_bytes(saved).totalAccuracy()
        0.7
        """
        return packed(self._snapshot())

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview) -> Self:
        """Make the object again that `to_bytes` was called on.  O(bytes).

        Raises
        ------
        EvaluationError
            If the data are cut short or damaged, were written by a newer version, hold an object of another class, or
            are none of evalcore's.
        EvaluationTypeError
            If they are no bytes.

        Examples
        --------
        >>> from evalcore import ConfusionMatrix
        >>> ConfusionMatrix.from_bytes(ConfusionMatrix(["a"], [[3]]).to_bytes())
        ConfusionMatrix(categories=1, cases=3, correct=3)
        >>> ConfusionMatrix.from_bytes(b"CONFUSION")
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: data is no evalcore state
        """
        return cls._restored(unpacked(_bytes_of(data), "data"), "data")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the object as a file that `load` reads: whole, or the old file stays as it was.  O(bytes).

        Even a process that is killed leaves the old file, and perhaps a temporary one beside it that begins with a
        dot and ends in ``.part``.

        Raises EvaluationError if the file cannot be written, EvaluationTypeError if the path is none.

        >>> import tempfile
        >>> from evalcore import ConfusionMatrix
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]).save(f"{folder}/wine.evalcore")
        ...     ConfusionMatrix.load(f"{folder}/wine.evalcore").matrix()
        array([[3, 1],
               [2, 4]])
        """
        write_atomically(path, self.to_bytes())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Make the object again that was saved as a file.  O(bytes).

        Raises EvaluationError that names the path if the file cannot be read, or as `from_bytes` does;
        EvaluationTypeError if the path is none.

        >>> from evalcore import ConfusionMatrix
        >>> ConfusionMatrix.load("nowhere.evalcore")
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: nowhere.evalcore: no such file
        """
        content, name = memoryview(read_whole(path)), path_name(path)
        return cls._restored(unpacked(content, name), name)

    def to_arrow(self) -> Any:
        """Return what the object remembers as a pyarrow Table, of columns that people can read.

        The metadata of its schema hold the rest, and a checksum.  Parquet and Feather files keep them.  O(bytes).

        Raises EvaluationError where pyarrow is missing.

        >>> from evalcore import ConfusionMatrix
        >>> ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]).to_arrow().to_pydict()
        {'reference': ['a', 'a', 'b', 'b'], 'response': ['a', 'b', 'a', 'b'], 'count': [3, 1, 2, 4]}
        """
        from evalcore.saving.arrow_tables import table_of

        return table_of(self._snapshot())

    @classmethod
    def from_arrow(cls, table: Any) -> Self:
        """Make the object again of the pyarrow Table that `to_arrow` returned.  O(bytes).

        Raises
        ------
        EvaluationError
            If the table has lost its metadata, has other columns, rows or values than it was made with, was made by a
            newer version or of an object of another class, and where pyarrow is missing.
        EvaluationTypeError
            If it is no table.

        Examples
        --------
        >>> from evalcore import ConfusionMatrix
        >>> table = ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]).to_arrow()
        >>> ConfusionMatrix.from_arrow(table)
        ConfusionMatrix(categories=2, cases=10, correct=7)
        >>> ConfusionMatrix.from_arrow(table.slice(1))
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: table was changed: it has 3 rows, where 4 were saved
        """
        from evalcore.saving.arrow_tables import snapshot_of

        return cls._restored(snapshot_of(table), "table")

    @abstractmethod
    def _snapshot(self) -> Snapshot:
        """Return what the object remembers; columns may be its own arrays, which are not written to."""

    @classmethod
    @abstractmethod
    def _of_snapshot(cls, snapshot: Snapshot) -> Self:
        """Make an object of a snapshot's new arrays.  Raises EvaluationError for what no such object can hold."""

    @classmethod
    def _restored(cls, snapshot: Snapshot, name: str) -> Self:
        if snapshot.kind != cls._kind:
            raise EvaluationError(f"{name} holds a {snapshot.kind}, not a {cls._kind}")
        try:
            return cls._of_snapshot(snapshot)
        except (EvaluationError, EvaluationTypeError) as error:
            raise EvaluationError(f"{name} holds what no {cls._kind} can: {error}") from error


def _bytes_of(data: Any) -> memoryview:
    if not isinstance(data, bytes | bytearray | memoryview):
        raise EvaluationTypeError(f"data must be bytes, a bytearray or a memoryview, got {shown(data)}")
    view = memoryview(data)
    return view.cast("B") if view.c_contiguous else memoryview(view.tobytes())
