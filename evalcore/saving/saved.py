"""The methods that save and restore an object."""

import os
from abc import abstractmethod
from typing import Any, ClassVar, Self

from evalcore.errors import EvaluationError, EvaluationTypeError, check_type, refuse
from evalcore.saving.container import Snapshot, packed, snapshot_of, table_of, unpacked
from evalcore.saving.files import path_name, read_whole, write_atomically


class Saved:
    """Save and restore objects as bytes, files or Arrow tables, without pickle: reading them runs no foreign code.

    A restored object gives the same answers and can be updated further.  A subclass defines `_snapshot` and
    `_of_snapshot`.  Its kind in what is saved is the name of the class, unless ``class C(Saved, kind="D")`` gives
    another; subclasses have the kind of their parent.

    >>> from evalcore import ConfusionMatrix
    >>> ConfusionMatrix.from_bytes(ConfusionMatrix(["a"], [[3]]).to_bytes()).count("a", "a")
    3
    """

    __slots__ = ()

    _kind: ClassVar[str]

    def __init_subclass__(cls, kind: str | None = None, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        if kind is not None or not hasattr(cls, "_kind"):
            cls._kind = kind or cls.__name__

    def to_bytes(self) -> bytes:
        """Return the saved state as bytes, the same for the same state.  O(bytes).

        >>> from evalcore import ConfusionMatrix
        >>> saved = ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]).to_bytes()
        >>> ConfusionMatrix.from_bytes(saved).totalAccuracy()
        0.7
        """
        return packed(self._snapshot())

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview) -> Self:
        """Restore an object from the bytes of `to_bytes`.  O(bytes).

        Parameters
        ----------
        data : bytes, bytearray or memoryview
            From any version up to this one.

        Raises
        ------
        EvaluationError
            If the data are cut short or damaged, were written by a newer version, hold an object of another class, or
            are not evalcore's.
        EvaluationTypeError
            If `data` is not bytes.

        Examples
        --------
        >>> from evalcore import ConfusionMatrix
        >>> ConfusionMatrix.from_bytes(ConfusionMatrix(["a"], [[3]]).to_bytes())
        ConfusionMatrix(categories=1, cases=3, correct=3)
        >>> ConfusionMatrix.from_bytes(b"CONFUSION")
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: data is not a saved evalcore object
        """
        rule = "be bytes, a bytearray or a memoryview"
        check_type(isinstance(data, bytes | bytearray | memoryview), "data", rule, data)
        view = memoryview(data)
        content = view.cast("B") if view.c_contiguous else memoryview(view.tobytes())
        return cls._restored(unpacked(content, "data"), "data")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the object to a file for `load`.  O(bytes).

        The file holds all of the new state, or the old file stays.  A process that is killed may leave a temporary file
        beside it, whose name begins with a dot and ends in ``.part``.

        Parameters
        ----------
        path : str or os.PathLike
            The file.

        Raises
        ------
        EvaluationError
            If the file cannot be written.
        EvaluationTypeError
            If `path` is not a path.

        Examples
        --------
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
        """Restore an object from a file of `save`.  O(bytes).

        Parameters
        ----------
        path : str or os.PathLike
            The file.

        Raises
        ------
        EvaluationError
            If the file cannot be read, or as `from_bytes`; it names the path.
        EvaluationTypeError
            If `path` is not a path.

        Examples
        --------
        >>> from evalcore import ConfusionMatrix
        >>> ConfusionMatrix.load("nowhere.evalcore")
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: nowhere.evalcore: no such file
        """
        content, name = memoryview(read_whole(path)), path_name(path)
        return cls._restored(unpacked(content, name), name)

    def to_arrow(self) -> Any:
        """Return the saved state as a pyarrow Table with readable columns.  O(bytes).

        The metadata of its schema hold the rest, and a checksum; Parquet and Feather files keep them.

        Raises
        ------
        MissingLibraryError
            If pyarrow is missing.

        Examples
        --------
        >>> from evalcore import ConfusionMatrix
        >>> ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]).to_arrow().to_pydict()
        {'reference': ['a', 'a', 'b', 'b'], 'response': ['a', 'b', 'a', 'b'], 'count': [3, 1, 2, 4]}
        """
        return table_of(self._snapshot())

    @classmethod
    def from_arrow(cls, table: Any) -> Self:
        """Restore an object from the pyarrow Table of `to_arrow`.  O(bytes).

        Parameters
        ----------
        table : pyarrow.Table
            Unchanged.

        Raises
        ------
        EvaluationError
            If the table has lost its metadata or was changed, was made by a newer version or from an object of another
            class, or pyarrow is missing.
        EvaluationTypeError
            If `table` is not a pyarrow Table.

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
        return cls._restored(snapshot_of(table), "table")

    @abstractmethod
    def _snapshot(self) -> Snapshot:
        """Return the state of the object; columns may be its own arrays, which nobody writes to."""

    @classmethod
    @abstractmethod
    def _of_snapshot(cls, snapshot: Snapshot) -> Self:
        """Make an object from a snapshot with new arrays.  Raises EvaluationError if the state is invalid."""

    @classmethod
    def _restored(cls, snapshot: Snapshot, name: str) -> Self:
        refuse({f"{name} holds a {snapshot.kind}, not a {cls._kind}": snapshot.kind != cls._kind})
        try:
            return cls._of_snapshot(snapshot)
        except (EvaluationError, EvaluationTypeError) as error:
            raise EvaluationError(f"{name} is not a valid {cls._kind}: {error}") from error
