"""Reading files one after another into an accumulator, so that a stop loses little.

Each unit of files continues the same accumulator, and a copy from before it is what a failure saves.  Units do not fill
accumulators of their own to be merged: then cuts between intervals are learnt from one unit alone.  With 64 units of
262,144 normal scores, merging made bounds of the ROC area and of average precision 4.8 times as wide, those of maximum
F1 3 times (20 times where scores drift), and took 1.2 to 2.6 times as long, in about as much memory.
"""

import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from evalcore.batched.checkpoint import Accumulator, CheckpointWriter, FinishedFile
from evalcore.errors import EvaluationError, StoppedError
from evalcore.io.byte_progress import Progress
from evalcore.io.datasets import TableFile
from evalcore.io.formats import naming

_UNIT_ROWS = 1 << 18
"""Smaller files are finished together: finishing costs about as much as counting so many rows."""


class FilesToRead(NamedTuple):
    """Files to be read, and how."""

    files: Sequence[TableFile]
    batches: Callable[[TableFile], Iterable[Any]]
    """Yields the rows of a file as record batches."""
    finished: Callable[[TableFile, int], FinishedFile]
    """Describes a file as it was before it was read, given its rows."""


def read_files(
    files_to_read: FilesToRead, state: Accumulator, writer: CheckpointWriter | None, progress: Progress
) -> int:
    """Read files into a state, saving it now and then, and return how many rows they had.  O(rows).

    With a writer, Ctrl-C stops between two batches; rows of unfinished files are not saved.  Raises EvaluationError
    that names the file, and StoppedError, both after saving what was finished.
    """
    before = writer.rows if writer else 0
    with _stop_asked(writer is not None) as stop_asked:
        reader = _FileReader(files_to_read, stop_asked, before, progress)
        for unit in units(files_to_read.files):
            with _saved_on_failure(state, writer):
                finished = [reader.read(file, state) for file in unit]
            if writer:
                writer.add(finished, state)
        if writer:
            writer.save(state)
    return reader.rows - before


@contextmanager
def _saved_on_failure(state: Accumulator, writer: CheckpointWriter | None) -> Iterator[None]:
    """Save the state as it is now if reading fails inside."""
    before = state.copy()  # without a writer too: so the bits are the same, whether the run is resumed or not
    if writer is None:
        del before  # and free its memory
        yield
        return
    try:
        yield
    except (EvaluationError, StoppedError):
        writer.save(before)
        raise


class _FileReader:
    """Reads files into a state, and counts their rows."""

    def __init__(
        self, files_to_read: FilesToRead, stop_asked: Callable[[], bool], rows: int, progress: Progress
    ) -> None:
        self._files_to_read = files_to_read
        self._stop_asked = stop_asked
        self._progress = progress
        counted = all(file.rows_are_counted for file in files_to_read.files)
        self._total = rows + sum(file.rows for file in files_to_read.files) if counted else None
        self.rows = rows
        progress(rows, self._total)  # so that rows read before do not count for the speed

    def read(self, file: TableFile, state: Accumulator) -> FinishedFile:
        """Add the rows of a file to a state.  O(rows)."""
        first = 0
        for batch in self._files_to_read.batches(file):
            if self._stop_asked():
                raise StoppedError("stopped; finished files are saved, and the same command resumes after them")
            with naming(file.path):
                state.update(batch, first)
            first += batch.num_rows
            self.rows += batch.num_rows
            self._progress(self.rows, self._total)
        return self._files_to_read.finished(file, first)


def units(files: Sequence[TableFile]) -> Iterator[list[TableFile]]:
    """Yield lists of files that are finished together: successive files until they have 2**18 rows.  O(files).

    >>> files = [TableFile(name, rows, True, None, {}) for name, rows in [("a", 9), ("b", 10**6), ("c", 1), ("d", 1)]]
    >>> [[file.path for file in unit] for unit in units(files)]
    [['a', 'b'], ['c', 'd']]
    """
    unit: list[TableFile] = []
    rows = 0
    for file in files:
        unit.append(file)
        rows += file.rows
        if rows >= _UNIT_ROWS:
            yield unit
            unit, rows = [], 0
    if unit:
        yield unit


@contextmanager
def _stop_asked(wanted: bool) -> Iterator[Callable[[], bool]]:
    """Yield a function that says whether Ctrl-C was pressed; pressing it again ends the program at once."""
    asked = threading.Event()

    def ask(number: int, frame: object) -> None:
        asked.set()
        signal.signal(signal.SIGINT, before)

    if not wanted or threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, ask)
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGINT, before)
