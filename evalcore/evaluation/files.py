"""A report on files: exact if the columns fit in memory, else from summaries with bounds.

How much memory a report takes, and how much of the limit each part of it may use, is estimated first.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from evalcore.errors import EvaluationError
from evalcore.evaluation.answers import answer_on, check_report, completed
from evalcore.evaluation.batches import DistinctRows, KeptRows, RowBuffer
from evalcore.evaluation.memory import DATABASE_BYTES, FEWEST_OF_A_QUERY, budget_for, exact_bytes
from evalcore.evaluation.model import CERTIFIED, Answer
from evalcore.evaluation.progress import Bar
from evalcore.evaluation.question import Question
from evalcore.evaluation.summaries import GroupedSummaries
from evalcore.io.columns import Selection
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
    return _FilesReport(question, files, selection, reserved, plots).answer(bar.rows)


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


class _FilesReport:
    """Reads files and computes the report."""

    def __init__(self, question: Question, files: list[str], selection: Selection, reserved: int, plots: bool) -> None:
        self._question = question
        self._plots = plots
        self._selection = selection
        self._files = inspect_files(files, selection)
        self._schema = common_schema(self._files, selection)
        self._evaluated = pa.schema([field for field in self._schema if selection.evaluates(field.name)])
        """The columns without those that only a condition on rows needs."""
        self._rows = sum(file.rows for file in self._files)
        self._reserved = reserved
        """Bytes of the memory limit that a database takes."""

    def answer(self, progress: Progress) -> FilesAnswer:
        """Read the files and return their report."""
        question, memory, chosen = self._question, self._question.memory, self._selection.rows
        kept = self._rows if question.rows.sample is None else min(self._rows, question.rows.sample)
        needed, computed = exact_bytes(question, self._evaluated, kept) + self._reserved, EXACT
        if memory is not None and needed > memory:
            self._refuse_what_needs_all_rows(kept, needed, memory)
        if question.predicted and question.cluster is None:
            distinct = DistinctRows(question)
            rows = self._read(distinct.update, BATCH_ROWS, progress)
            found = completed(question, distinct.answer(), chosen)
        elif memory is None or needed <= memory:
            buffer = RowBuffer(question, self._evaluated)
            rows = self._read(buffer.update, BATCH_ROWS, progress)
            with self._naming_one_file():
                found = answer_on(question, buffer.columns(), chosen)
        else:
            limits, batch_rows = budget_for(memory, question, self._reserved)
            summaries = GroupedSummaries(question, limits)
            rows = self._read(summaries.update, batch_rows, progress)
            found = completed(question, Answer(summaries.sections(), notes=summaries.notes), chosen)
            computed = EXACT if summaries.exact else CERTIFIED
        return FilesAnswer(found, computed, len(self._files), rows, None if chosen is None else chosen.left)

    def _read(self, add: Callable[[Any, int], None], batch_rows: int, progress: Progress) -> int:
        """Hand on the rows that are kept of all files; return the number of all rows.

        add: takes a record batch and the index of its first row in its file.
        """
        selection = self._selection
        kept = KeptRows(add, self._question.weighting, selection.rows, self._evaluated.names)
        total = self._rows if all(file.rows_are_counted for file in self._files) else None
        rows = 0
        progress(rows, total)
        for file in self._files:
            before = rows
            for batch in file_batches(file, self._schema, selection, batch_rows):
                with naming(file.path):
                    kept.update(batch, rows - before)
                rows += batch.num_rows
                progress(rows, total)
        if not rows:
            raise EvaluationError(
                f"{self._files[0].path}: there are no rows" + (" in any file" if len(self._files) > 1 else "")
            )
        with self._naming_one_file():
            kept.finish()
        return rows

    def _naming_one_file(self) -> AbstractContextManager[None]:
        return naming(self._files[0].path) if len(self._files) == 1 else nullcontext()

    def _refuse_what_needs_all_rows(self, rows: int, needed: int, memory: int) -> None:
        question = self._question
        if question.predicted and question.rows.sample is None and question.cluster is None:
            return
        asked = {
            "samples (--sample)": question.rows.sample is not None,
            "intervals of clusters (--cluster)": question.cluster is not None,
            "intervals (--ci)": question.level is not None,
            "thresholds that reach a target (--threshold-for)": bool(question.targets),
            "plots (--plots)": self._plots,
            f"measures of single ranks ({', '.join(question.measures.of_single_ranks)})": (
                question.measures.of_single_ranks
            ),
            "scores of classes (--score CLASS=COL, --scores)": question.classes is not None,
        }
        for name, given in asked.items():
            if given:
                raise EvaluationError(
                    f"{name} need all rows in memory: {rows:,} rows take about {shown_size(needed)}, and the "
                    f"limit is {shown_size(memory)}; allow more (--memory SIZE)"
                )
