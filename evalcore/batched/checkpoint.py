"""Where a long run stands, on disk: which files are finished, and what is known of their rows."""

import json
import os
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError
from evalcore.saving import Saved, Snapshot
from evalcore.saving.files import check_writable

_WAY_OUT = "delete it or name another (--checkpoint FILE)"
_OTHER_WAY_OUT = "name another (--checkpoint FILE)"
"""For what may be something else that is dear to somebody."""
_LEAST_PAUSE = 2.0
"""Seconds between two savings."""
_OPTIONS = {"scores": "score", "classes": "score", "prefix": "scores"}
"""The command's options by the fields of a question, where they differ."""
_SHARE = 20
"""So many times as long as it took to save, nothing is saved."""


class FinishedFile(NamedTuple):
    """A file whose rows are counted, as it was then."""

    path: str
    size: int
    modified: int
    """In nanoseconds."""
    rows: int


class State(Protocol):
    """What is known of rows."""

    def update(self, batch: Any, first: int) -> None:
        """Add a record batch, of which the first row has this index in its file."""

    def settle(self) -> None:
        """Come to what a state that was saved and read back would be."""

    def mark(self) -> Any:
        """Return what is known now, to go back to."""

    def back_to(self, mark: Any) -> None:
        """Forget what was added since."""

    def saved(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what is known as facts and columns."""

    def restore(self, facts: Mapping[str, Any], columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take back what was saved."""


class Checkpoint(Saved):
    """What was asked, which files are finished, and what is known of their rows.

    >>> checkpoint = Checkpoint({"label": "late"}, [FinishedFile("/x.parquet", 100, 1, 3)], b"", {}, {})
    >>> Checkpoint.from_bytes(checkpoint.to_bytes()).files
    [FinishedFile(path='/x.parquet', size=100, modified=1, rows=3)]
    """

    def __init__(
        self,
        asked: Mapping[str, Any],
        files: Sequence[FinishedFile],
        schema: bytes,
        facts: dict[str, Any],
        columns: dict[str, npt.NDArray[Any]],
    ) -> None:
        self.asked = dict(asked)
        self.files = list(files)
        self.schema = schema
        self.facts = facts
        self.columns = columns

    def check(self, asked: Mapping[str, Any], present: Sequence[str]) -> None:
        """Raise EvaluationError if it is of another question, or of files that are not there or have changed.

        >>> Checkpoint({"label": "late"}, [], b"", {}, {}).check({"label": "early"}, [])
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: was made with --label late, this run is with --label early
        """
        now = json.loads(json.dumps(asked))
        other = [name for name in now if self.asked.get(name) != now[name]]
        if other:
            raise EvaluationError(_difference(self.asked, now, other))
        there = set(present)
        for file in self.files:
            if file.path not in there:
                raise EvaluationError(f"counts {file.path}, which is not among the files now")
            if state_of(file.path) != (file.size, file.modified):
                raise EvaluationError(f"counts {file.path}, which has changed since")

    def _snapshot(self) -> Snapshot:
        facts = {"asked": self.asked, "files": self.files, "state": self.facts}
        columns = {f"state.{name}": values for name, values in self.columns.items()}
        return Snapshot("Checkpoint", facts, {"schema": np.frombuffer(self.schema, np.uint8), **columns})

    @classmethod
    def _of_snapshot(cls, snapshot: Snapshot) -> "Checkpoint":
        columns = {name.removeprefix("state."): values for name, values in snapshot.columns.items() if name != "schema"}
        files = [FinishedFile(*file) for file in snapshot.fact("files")]
        return cls(
            snapshot.fact("asked"),
            files,
            snapshot.column("schema", np.uint8).tobytes(),
            snapshot.fact("state"),
            columns,
        )


def check_mode(checkpoint: Checkpoint, path: str, mode: Mapping[str, Any], memory: int | None = None) -> None:
    """Raise EvaluationError, which says what to do, if a checkpoint was computed in another way, by other memory.

    >>> check_mode(Checkpoint({"kept": "rows", "memory": 400}, [], b"", {}, {}), "x", {"kept": "summaries"}, 300)
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: x: the checkpoint was made with --memory 400, not 300; give that again, delete it \
or name another (--checkpoint FILE)
    """
    for name, after in json.loads(json.dumps(mode)).items():
        before, memory_before = checkpoint.asked.get(name), checkpoint.asked.get("memory")
        if before == after:
            continue
        how = f"was made otherwise: {name} was {before}, is {after};"
        if name == "threshold":
            how = f"{_difference(checkpoint.asked, mode, [name])};"
        if memory_before != memory:
            how = f"was made with --memory {memory_before}, not {memory}; give that again,"
        raise EvaluationError(f"{path}: the checkpoint {how} {_WAY_OUT}")


def _difference(before: Mapping[str, Any], now: Mapping[str, Any], names: Sequence[str]) -> str:
    return f"was made {_spelled(before, names)}, this run is {_spelled(now, names)}"


def _spelled(asked: Mapping[str, Any], names: Sequence[str]) -> str:
    """Write what was asked as one would type it."""
    given = [part for name in names for part in _typed(_OPTIONS.get(name, name), asked.get(name))]
    missing = dict.fromkeys(f"--{_OPTIONS.get(name, name)}" for name in names)
    return f"with {' '.join(given)}" if given else f"without {' '.join(missing)}"


def _typed(option: str, value: Any) -> Iterator[str]:
    each = [f"{key}={column}" for key, column in value.items()] if isinstance(value, dict) else value
    for one in each if isinstance(each, list) else [each]:
        if one is not None:
            yield f"--{option} {shlex.quote(str(one))}"


def state_of(path: str) -> tuple[int, int]:
    """Return the size of a file and when it was modified, in nanoseconds.

    >>> state_of(__file__)[0] > 0
    True
    """
    found = os.stat(path)
    return found.st_size, found.st_mtime_ns


def read_checkpoint(path: str, asked: Mapping[str, Any], present: Sequence[str]) -> Checkpoint | None:
    """Return the checkpoint of a question about files, None if there is no such file.

    present: full names of the files that there are now.  Raises EvaluationError, which says what to do, for a file that
    is no checkpoint, is damaged, or is of another question or of files that have changed; and for what can be none: a
    folder, a pipe, a device, a file that cannot be written.  O(bytes).

    Two runs at once may have one checkpoint: each counts for itself, and the file holds what the last one saved.

    >>> read_checkpoint("nowhere.checkpoint", {}, [])
    """
    if not Path(path).is_file():
        check_writable(path)
        return None
    try:
        checkpoint = Checkpoint.load(path)
    except EvaluationError as error:
        raise EvaluationError(f"{error}; {_OTHER_WAY_OUT}") from error
    try:
        checkpoint.check(asked, present)
    except EvaluationError as error:
        raise EvaluationError(f"{path}: the checkpoint {error}; {_WAY_OUT}") from error
    return checkpoint


class Keeper:
    """Saves where a run stands, but not all the time.

    Parameters
    ----------
    path : str
        The file.
    asked : mapping
        The question, as JSON can say it.
    schema : bytes
        Types of the columns.
    files : list of FinishedFile
        What is finished before.

    Examples
    --------
    >>> Keeper("x.checkpoint", {}, b"", []).finished
    []
    """

    def __init__(self, path: str, asked: Mapping[str, Any], schema: bytes, files: Sequence[FinishedFile]) -> None:
        self.path = path
        self.finished = list(files)
        self._asked = asked
        self._schema = schema
        self._next = 0.0
        self._saved = len(files) or -1

    @property
    def rows(self) -> int:
        """Rows of the finished files.

        >>> Keeper("x.checkpoint", {}, b"", []).rows
        0
        """
        return sum(file.rows for file in self.finished)

    def add(self, files: Sequence[FinishedFile], state: State) -> None:
        """Take files for finished, and save if it is time.

        >>> import tempfile
        >>> from evalcore.report.question import Question
        >>> from evalcore.batched.grouped_summaries import Limits, Streamed
        >>> streamed = Streamed(Question("late", ("model",)), Limits(16, 1000))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     keeper = Keeper(f"{folder}/run", {}, b"", [])
        ...     keeper.add([FinishedFile("/x.parquet", 100, 1, 3)], streamed)
        ...     len(Checkpoint.load(keeper.path).files)
        1
        """
        self.finished += files
        if time.monotonic() >= self._next:
            self.save(state)

    def save(self, state: State) -> None:
        """Save, unless it is saved already.  O(bytes).

        Raises EvaluationError if the file cannot be written.

        >>> from evalcore.report.question import Question
        >>> from evalcore.batched.grouped_summaries import Limits, Streamed
        >>> Keeper("nowhere/run", {}, b"", []).save(Streamed(Question("late", ("model",)), Limits(16, 1000)))
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: nowhere/run: cannot be written: No such file or directory
        """
        if self._saved == len(self.finished):
            return
        begin = time.monotonic()
        Checkpoint(self._asked, self.finished, self._schema, *state.saved()).save(self.path)
        end = time.monotonic()
        self._saved = len(self.finished)
        if self.finished:  # the first that is finished is saved at once
            self._next = end + max(_LEAST_PAUSE, _SHARE * (end - begin))
