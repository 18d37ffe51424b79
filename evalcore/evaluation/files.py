"""A report on files: exact if the columns fit in memory, else from summaries with bounds.

How much memory a report takes, and how much of the limit each part of it may use, is estimated first.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, NamedTuple

from evalcore.errors import EvaluationError, refuse
from evalcore.evaluation.answers import answer_on, check_report
from evalcore.evaluation.batches import DistinctRows, KeptRows, RowBuffer
from evalcore.evaluation.memory import DATABASE_BYTES, FEWEST_OF_A_QUERY, budget_for, exact_bytes
from evalcore.evaluation.model import CERTIFIED, Answer
from evalcore.evaluation.progress import Bar
from evalcore.evaluation.question import Question
from evalcore.evaluation.summaries import GroupedSummaries
from evalcore.io.columns import Selection, TableFile
from evalcore.io.datasets import common_schema, expand_paths, file_batches, folder_columns, inspect_files
from evalcore.io.formats import format_of, is_read_once, naming
from evalcore.io.libraries import pa
from evalcore.io.memory import PROGRAM_BYTES, check_room, default_memory, shown_size
from evalcore.io.opening import Progress
from evalcore.io.readers import BATCH_ROWS, is_read_in_batches, read_columns, table_contents

EXACT = "exact"


class FilesAnswer(NamedTuple):
    """A report on files, and how it was computed."""

    answer: Answer
    computed: str
    """Either "exact" or "certified"; if certified, the exact values lie within the intervals."""
    files: int
    rows: int | None
    """None if one file was read whole, without counting."""
    kept: int | None = None
    """Rows that are evaluated; None if they are all."""

    @property
    def caption(self) -> str:
        """How the report was computed; empty for one file that was read whole.

        >>> FilesAnswer(Answer([]), "certified", 24, 10_000_000).caption
        '24 files, 10,000,000 rows; certified: exact values lie within the intervals'
        """
        if self.rows is None:
            return ""
        return f"{self.files:,} file{'s' if self.files > 1 else ''}, {self._rows} rows; {self._words}"

    def described(self) -> dict[str, str]:
        """Return how the report was computed, as rows of a table."""
        rows = {} if self.rows is None else {"Files": f"{self.files:,}", "Rows": self._rows}
        return {**rows, "Computed": self._words}

    @property
    def _rows(self) -> str:
        return f"{self.rows:,}" if self.kept is None else f"{self.kept:,} of {self.rows:,}"

    @property
    def _words(self) -> str:
        return "exact" if self.computed == EXACT else "certified: exact values lie within the intervals"


def answer_files(
    question: Question,
    paths: Sequence[str],
    bar: Bar,
    *,
    memory: int | None = None,
    check: Callable[[Sequence[str]], None] | None = None,
    plots: bool = False,
) -> FilesAnswer:
    """Read files and return their report.  O(n log n) for each column of scores.

    paths: as `evalcore.io.datasets.expand_paths` takes them; memory: a limit in bytes, by default half of
    the machine's memory; check: called with the names of the files before anything is read; plots: whether plots
    will be drawn.

    Raises EvaluationError as readers and reports do, naming the file; before anything is read, if an output cannot be
    written; and if the question needs all rows and they exceed the memory limit.
    """
    check_report(question)
    files = expand_paths(paths, question.reading)
    if check is not None:
        check(files)
    if memory is None:
        memory = default_memory()
    question = question._replace(memory=memory)
    selection, reserved = question.selection, 0
    if memory is not None and format_of(files[0], question.reading) == "duckdb":
        query_bytes = max(FEWEST_OF_A_QUERY, memory // 8)  # a query that needs more spills to disk
        reserved = DATABASE_BYTES + query_bytes
        selection = selection._replace(query_bytes=query_bytes)
    if _is_whole(question, paths, files) and _fits_memory(question, files[0], selection, reserved):
        columns = read_columns(files[0], selection, bar)
        with naming(files[0]):
            read = answer_on(question, columns, selection.rows)
        return FilesAnswer(read, EXACT, 1, None)
    return _answer_in_batches(question, files, selection, reserved, bar.rows, plots=plots)


def _is_whole(question: Question, paths: Sequence[str], files: Sequence[str]) -> bool:
    """Whether one file was named, holds all columns itself, and is read by the reader of its format."""
    if is_read_once(files[0]) or not is_read_in_batches(files[0], question.reading):
        return True
    of_folders = folder_columns(files[:1])[files[0]].keys() & set(question.selection.names)
    return len(files) == 1 and files == list(paths) and not of_folders and question.rows.are_all


def _fits_memory(question: Question, file: str, selection: Selection, reserved: int) -> bool:
    if question.memory is None or is_read_once(file):
        return True
    whole = not is_read_in_batches(file, question.reading)
    try:
        found = table_contents(file, selection) if whole else inspect_files([file], selection)[0]
    except EvaluationError:
        return True  # the reader says what is wrong
    needed = exact_bytes(question, found.schema, found.rows)
    if whole:
        what = f"{file}: {found.rows:,} rows of a file that is read whole take"
        check_room(needed - PROGRAM_BYTES, question.memory, what, "write Parquet, which is read in batches")
    return needed + reserved <= question.memory


def _answer_in_batches(
    question: Question, paths: Sequence[str], selection: Selection, reserved: int, progress: Progress, *, plots: bool
) -> FilesAnswer:
    """Read files in batches and return their report; reserved: bytes of the memory limit that a database takes."""
    files, memory, chosen = inspect_files(paths, selection), question.memory, selection.rows
    schema = common_schema(files, selection)
    # without the columns that only a condition on rows needs
    evaluated = pa.schema([field for field in schema if selection.evaluates(field.name)])
    kept, batch_rows = sum(file.rows for file in files), BATCH_ROWS
    if question.rows.sample is not None:
        kept = min(kept, question.rows.sample)
    needed, counted = exact_bytes(question, evaluated, kept) + reserved, question.predicted and question.cluster is None
    if memory is not None and needed > memory and not (counted and question.rows.sample is None):
        _refuse_what_needs_all_rows(question, kept, needed, plots=plots)
    one: Callable[[], AbstractContextManager[None]] = nullcontext
    if len(files) == 1:
        one = partial(naming, files[0].path)
    of_answer: Callable[[], AbstractContextManager[None]] = nullcontext
    states: Sequence[DistinctRows | RowBuffer | GroupedSummaries]
    if counted:
        states = [DistinctRows(each) for each in question.of_groupings]
    elif memory is None or needed <= memory:
        states, of_answer = [RowBuffer(question, evaluated)], one
    else:
        limits, batch_rows = budget_for(memory, question, reserved)
        states = [GroupedSummaries(each, limits) for each in question.of_groupings]

    def update(batch: Any, first: int) -> None:
        for state in states:
            state.update(batch, first)

    added = KeptRows(update, question.weighting, chosen, evaluated.names)
    rows = _read(files, added, lambda file: file_batches(file, schema, selection, batch_rows), progress)
    with one():
        added.finish()
    with of_answer():
        found, *others = (state.answer(chosen) for state in states)
    if others:
        found = found._replace(further=dict(zip(question.also_by, others, strict=True)))
    computed = EXACT if all(state.exact for state in states) else CERTIFIED
    return FilesAnswer(found, computed, len(files), rows, None if chosen is None else chosen.left)


def _read(
    files: Sequence[TableFile], added: KeptRows, batches_of: Callable[[TableFile], Iterator[Any]], progress: Progress
) -> int:
    """Add the batches of all files; return the number of their rows."""
    rows, total = 0, sum(file.rows for file in files) if all(file.rows_are_counted for file in files) else None
    progress(rows, total)
    for file in files:
        before = rows
        for batch in batches_of(file):
            with naming(file.path):
                added.update(batch, rows - before)
            rows += batch.num_rows
            progress(rows, total)
    if not rows:
        raise EvaluationError(f"{files[0].path}: there are no rows{' in any file' if len(files) > 1 else ''}")
    return rows


def _refuse_what_needs_all_rows(question: Question, rows: int, needed: int, *, plots: bool) -> None:
    """Raise EvaluationError if a question on so many rows, which take more bytes than its limit, needs all of them."""
    asked = {
        "samples (--sample)": question.rows.sample is not None,
        "intervals of clusters (--cluster)": question.cluster is not None,
        "intervals (--ci)": question.level is not None,
        "thresholds that reach a target (--threshold-for)": bool(question.targets),
        "plots (--plots)": plots,
        f"measures of single ranks ({', '.join(question.measures.of_single_ranks)})": question.measures.of_single_ranks,
        "scores of classes (--score CLASS=COL, --scores)": question.classes is not None,
    }
    taken = f"{rows:,} rows take about {shown_size(needed)}, and the limit is {shown_size(question.memory or 0)}"
    refuse({
        f"{name} need all rows in memory: {taken}; allow more (--memory SIZE)": given for name, given in asked.items()
    })  # fmt: skip
