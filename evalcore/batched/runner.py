"""Reading files one after another into what is known of their rows, with stops that lose little."""

import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from evalcore.batched.checkpoint import FinishedFile, Keeper, State
from evalcore.errors import EvaluationError
from evalcore.io.byte_progress import Progress
from evalcore.io.datasets import TableFile
from evalcore.io.formats import naming

_UNIT_ROWS = 1 << 18
"""Smaller files are finished together: to finish costs about as much as to count so many rows."""


class StoppedError(Exception):
    """Say that a run was stopped by Ctrl-C, after what was finished was saved.

    >>> raise StoppedError("stopped")
    Traceback (most recent call last):
    evalcore.batched.runner.StoppedError: stopped
    """


class Source(NamedTuple):
    """Files to be read, and how."""

    files: Sequence[TableFile]
    batches: Callable[[TableFile], Iterable[Any]]
    """Yields the rows of a file as record batches."""
    finished: Callable[[TableFile, int], FinishedFile]
    """Tells what a file was before it was read, given its rows."""


def run(source: Source, state: State, keeper: Keeper | None, progress: Progress) -> int:
    """Read files into a state, saving it on the way, and return how many rows they had.

    The state settles after each unit of files, whether it is saved or not, so that a run which was stopped and went on
    ends with the same bits as one that was not.  Ctrl-C, where there is a keeper, stops between two batches; what was
    read of files that are not finished is forgotten.  O(rows).

    Raises EvaluationError that names the file, and StoppedError, both after saving what was finished.

    >>> import pyarrow
    >>> from evalcore.report.question import Question
    >>> from evalcore.batched.row_buffer import Gathered
    >>> batch = pyarrow.record_batch({"late": [True, False], "model": [0.9, 0.1]})
    >>> gathered = Gathered(Question("late", ("model",)), batch.schema)
    >>> files = [TableFile("x.parquet", 2, True, batch.schema, {})]
    >>> source = Source(files, lambda file: [batch], lambda file, rows: FinishedFile(file.path, 0, 0, rows))
    >>> run(source, gathered, None, print)
    0 2
    2 2
    2
    """
    before = keeper.rows if keeper else 0
    with _stop_asked(keeper is not None) as stop_asked:
        reading = _Reading(source, stop_asked, before, progress)
        for unit in units(source.files):
            with _kept_on_failure(state, keeper):
                finished = [reading.taken(file, state) for file in unit]
                with naming(unit[-1].path):
                    state.settle()
            if keeper:
                keeper.add(finished, state)
        if keeper:
            keeper.save(state)
    return reading.rows - before


@contextmanager
def _kept_on_failure(state: State, keeper: Keeper | None) -> Iterator[None]:
    """Save what was finished before, if something goes wrong inside."""
    if keeper is None:
        yield
        return
    mark = state.mark()
    try:
        yield
    except (EvaluationError, StoppedError):
        state.back_to(mark)
        keeper.save(state)
        raise


class _Reading:
    """How far the reading has come."""

    def __init__(self, source: Source, stop_asked: Callable[[], bool], rows: int, progress: Progress) -> None:
        self._source = source
        self._stop_asked = stop_asked
        self._progress = progress
        counted = all(file.rows_are_counted for file in source.files)
        self._total = rows + sum(file.rows for file in source.files) if counted else None
        self.rows = rows
        progress(rows, self._total)  # what was read before is not read in no time

    def taken(self, file: TableFile, state: State) -> FinishedFile:
        """Add a file to a state."""
        first = 0
        for batch in self._source.batches(file):
            if self._stop_asked():
                raise StoppedError("stopped; what is finished is kept, and the same command resumes from there")
            with naming(file.path):
                state.update(batch, first)
            first += batch.num_rows
            self.rows += batch.num_rows
            self._progress(self.rows, self._total)
        return self._source.finished(file, first)


def units(files: Sequence[TableFile]) -> Iterator[list[TableFile]]:
    """Yield files that are finished together: those that follow each other until they have 2**18 rows.  O(files).

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
    """Yield what tells whether Ctrl-C came; a second one ends the program as ever."""
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
