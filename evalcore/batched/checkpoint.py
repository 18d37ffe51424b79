"""The state of a long run, on disk: which files are finished, and what is known of their rows."""

import json
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError
from evalcore.io.opening import state_of
from evalcore.saving import Saved, Snapshot
from evalcore.saving.files import check_writable

_WAY_OUT = "delete it or name another (--checkpoint FILE)"
_WAY_OUT_OF_OTHER_FILES = "name another (--checkpoint FILE)"
"""Without advice to delete: the file may be something else of value."""
_SHORTEST_PAUSE = 2.0
"""Seconds between two saves."""
_OPTION_OF_FIELD = {"scores": "score", "classes": "score", "format": "input-format", "prefix": "scores"}
"""The command's options by the fields of a question, where they differ."""
_PAUSE_PER_SAVE = 20
"""Seconds until the next save for each second that a save took: saving takes a twentieth of the time at most."""


class FinishedFile(NamedTuple):
    """A file whose rows are counted, as it was then."""

    path: str
    size: int
    """In bytes."""
    modified: int
    """In nanoseconds."""
    rows: int


class Accumulator(Protocol):
    """Whatever collects what a report needs to know of rows."""

    def update(self, batch: Any, first: int) -> None:
        """Add a record batch whose first row has this index in its file."""

    def copy(self) -> "Accumulator":
        """Return a copy, and leave this one as if it had been saved and restored."""

    def saved(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what is known as facts and columns."""

    def restore(self, facts: Mapping[str, Any], columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Restore what was saved."""


class Checkpoint(Saved):
    """The question, the finished files, and what is known of their rows.

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
        """Raise EvaluationError if the question differs, or a finished file is missing or has changed.  O(files)."""
        now = json.loads(json.dumps(asked))
        other = [name for name in now if self.asked.get(name) != now[name]]
        if other:
            raise EvaluationError(_difference(self.asked, now, other))
        there = set(present)
        for file in self.files:
            if file.path not in there:
                raise EvaluationError(f"includes {file.path}, which is not among the files of this run")
            if state_of(file.path) != (file.size, file.modified):
                raise EvaluationError(f"includes {file.path}, which has changed since")

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
    """Raise EvaluationError if a checkpoint was computed in another way or with another memory limit.  O(1)."""
    for name, after in json.loads(json.dumps(mode)).items():
        before, memory_before = checkpoint.asked.get(name), checkpoint.asked.get("memory")
        if before == after:
            continue
        how = f"was computed in another way ({name} was {before} and is {after} now);"
        if name == "threshold":
            how = f"{_difference(checkpoint.asked, mode, [name])};"
        if memory_before != memory:
            how = f"was made with --memory {memory_before}, not {memory}; give the same limit again,"
        raise EvaluationError(f"{path}: the checkpoint {how} {_WAY_OUT}")


def _difference(before: Mapping[str, Any], now: Mapping[str, Any], names: Sequence[str]) -> str:
    return f"was made {_spelled(before, names)}, but this run is {_spelled(now, names)}"


def _spelled(asked: Mapping[str, Any], names: Sequence[str]) -> str:
    """Write options as one would type them."""
    given = [part for name in names for part in _option_words(_OPTION_OF_FIELD.get(name, name), asked.get(name))]
    missing = dict.fromkeys(f"--{_OPTION_OF_FIELD.get(name, name)}" for name in names)
    return f"with {' '.join(given)}" if given else f"without {' '.join(missing)}"


def _option_words(option: str, value: Any) -> Iterator[str]:
    each = [f"{key}={column}" for key, column in value.items()] if isinstance(value, dict) else value
    for one in each if isinstance(each, list) else [each]:
        if one is not None:
            yield f"--{option} {shlex.quote(str(one))}"


def read_checkpoint(path: str, asked: Mapping[str, Any], present: Sequence[str]) -> Checkpoint | None:
    """Return the checkpoint of a question about files, None if there is no such file.  O(bytes).

    present: full names of the files of this run.  Raises EvaluationError, which says what to do, if the file is not a
    checkpoint, is damaged, has another question or files that have changed, or cannot be written.

    Two runs at once may share a checkpoint: each counts for itself, and the file holds what the last one saved.
    """
    if not Path(path).is_file():
        check_writable(path)
        return None
    try:
        checkpoint = Checkpoint.load(path)
    except EvaluationError as error:
        raise EvaluationError(f"{error}; {_WAY_OUT_OF_OTHER_FILES}") from error
    try:
        checkpoint.check(asked, present)
    except EvaluationError as error:
        raise EvaluationError(f"{path}: the checkpoint {error}; {_WAY_OUT}") from error
    return checkpoint


class CheckpointWriter:
    """Saves the state of a run now and then.

    asked: the question and the mode, in JSON types; schema: types of the columns; files: those finished before.
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
        """Rows of the finished files."""
        return sum(file.rows for file in self.finished)

    def add(self, files: Sequence[FinishedFile], state: Accumulator) -> None:
        """Count files as finished, and save if the last save was long ago.  O(bytes)."""
        self.finished += files
        if time.monotonic() >= self._next:
            self.save(state)

    def save(self, state: Accumulator) -> None:
        """Save unless nothing is new; raise EvaluationError if the file cannot be written.  O(bytes)."""
        if self._saved == len(self.finished):
            return
        begin = time.monotonic()
        Checkpoint(self._asked, self.finished, self._schema, *state.saved()).save(self.path)
        end = time.monotonic()
        self._saved = len(self.finished)
        if self.finished:  # the first finished file is saved at once
            self._next = end + max(_SHORTEST_PAUSE, _PAUSE_PER_SAVE * (end - begin))
