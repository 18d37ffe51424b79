"""A report on files: exact if the columns fit in memory, else from summaries with bounds; resumed from a checkpoint."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from evalcore.batched.checkpoint import (
    Accumulator,
    Checkpoint,
    CheckpointWriter,
    FinishedFile,
    check_mode,
    read_checkpoint,
)
from evalcore.batched.grouped_summaries import GroupedSummaries, SummaryLimits
from evalcore.batched.kept_rows import KeptRows
from evalcore.batched.memory_budget import budget_for, database_bytes, exact_bytes, query_bytes
from evalcore.batched.pair_counts import ClassPairCounts
from evalcore.batched.row_buffer import RowBuffer
from evalcore.batched.runner import FilesToRead, read_files
from evalcore.batched.weighted_rows import WeightedRows
from evalcore.errors import EvaluationError
from evalcore.io.byte_progress import Progress
from evalcore.io.columns import Selection
from evalcore.io.datasets import common_schema, file_batches, folder_columns, inspect_files
from evalcore.io.formats import IN_MEMORY, format_of, is_read_once, naming
from evalcore.io.memory import PROGRAM_BYTES, check_room, default_memory, shown_size
from evalcore.io.opening import full_name, state_of
from evalcore.io.paths import expand_paths
from evalcore.io.readers import BATCH_ROWS, is_read_in_batches, read_columns, table_contents
from evalcore.measures.probability_losses import BINS
from evalcore.optional import require
from evalcore.report.answers import answer_on, notes_of_rows, with_accuracy_differences, with_chosen_fractions
from evalcore.report.costs import with_expected_costs
from evalcore.report.group_choice import sorted_groups
from evalcore.report.model import CERTIFIED, Answer
from evalcore.report.options import FREQUENCY
from evalcore.report.outputs import NOTHING, Outputs
from evalcore.report.progress import Bar
from evalcore.report.question import Question
from evalcore.report.question_checks import check_question
from evalcore.report.statistics.net_benefits import with_net_benefits
from evalcore.saving.files import check_writable

EXACT = "exact"
_NOT_IN_CHECKPOINTS = (
    "by", "ci_method", "compare", "costs", "grouping", "groups", "level", "matrix", "measures", "memory",
    "proportion_method", "reading", "rows", "targets", "text", "thresholds", "weighting",
)  # fmt: skip
"""Fields of a question that leave the state of a run as it is, or are kept in another form."""


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


class _Limit(NamedTuple):
    """How much memory the process may take."""

    memory: int | None
    """In bytes; None if it is not known how much there is."""
    reserved: int
    """The part of it that a database takes."""

    def allows(self, size: int) -> bool:
        """Whether so many bytes are left beside what a database takes.  O(1)."""
        return self.memory is None or size + self.reserved <= self.memory


def answer_files(
    question: Question,
    paths: Sequence[str],
    bar: Bar,
    *,
    memory: int | None = None,
    outputs: Outputs = NOTHING,
) -> FilesAnswer:
    """Read files and return their report.  O(n log n) for each column of scores.

    paths: as `evalcore.io.paths.expand_paths` takes them; memory: a limit in bytes for the process, by default half of
    the machine's memory; outputs: what will be written of the report, and the checkpoint, which keeps what is known of
    finished files, so that they are not read again.

    Raises EvaluationError as readers and reports do, naming the file; before anything is read, if an output cannot be
    written or the checkpoint has another question; and if the question needs all rows and they exceed the memory limit.
    """
    check_question(question)
    files = expand_paths(paths, question.reading)
    outputs.check(files)
    if memory is None:
        memory = default_memory()
    question = question._replace(memory=memory)
    selection, reserved = question.selection, 0
    if memory is not None and format_of(files[0], question.reading) == "duckdb":
        selection, reserved = selection._replace(query_bytes=query_bytes(memory)), database_bytes(memory)
    limit = _Limit(memory, reserved)
    if _is_whole(question, paths, files, outputs.checkpoint) and _fits_memory(question, files[0], selection, limit):
        columns = read_columns(files[0], selection, bar)
        with naming(files[0]):
            read = answer_on(question, columns, selection.rows)
        return FilesAnswer(read, EXACT, 1, None)
    return _FilesReport(question, files, selection, limit, outputs).answer(bar.rows)


def _is_whole(question: Question, paths: Sequence[str], files: Sequence[str], checkpoint: str | None) -> bool:
    """Whether one file was named, holds all columns itself, and is read by the reader of its format."""
    read_whole = is_read_once(files[0]) or not is_read_in_batches(files[0], question.reading)
    if checkpoint is not None and (read_whole or files[0] == IN_MEMORY):
        raise EvaluationError(
            f"{files[0]}: --checkpoint needs files that are read in batches; NPZ files, standard input, pipes and "
            "databases in memory are not"
        )
    of_folders = folder_columns(files[:1])[files[0]].keys() & set(question.selection.names)
    named = len(files) == 1 and files == list(paths)
    return read_whole or (named and checkpoint is None and not of_folders and question.rows.are_all)


def _fits_memory(question: Question, file: str, selection: Selection, limit: _Limit) -> bool:
    if limit.memory is None or is_read_once(file):
        return True
    whole = not is_read_in_batches(file, question.reading)
    try:
        found = table_contents(file, selection) if whole else inspect_files([file], [file], selection)[0]
    except EvaluationError:
        return True  # the reader says what is wrong
    needed = exact_bytes(question, found.schema, found.rows)
    if whole:
        what = f"{file}: {found.rows:,} rows of a file that is read whole take"
        check_room(needed - PROGRAM_BYTES, limit.memory, what, "write Parquet, which is read in batches")
    return limit.allows(needed)


class _FilesReport:
    """Reads files, resumes from a checkpoint if there is one, and computes the report."""

    def __init__(
        self, question: Question, files: list[str], selection: Selection, limit: _Limit, outputs: Outputs
    ) -> None:
        self._question = question
        self._plots = outputs.plots is not None
        self._path = checkpoint = outputs.checkpoint
        # without a checkpoint nobody compares states, and those of remote files cost a request each
        self._stamps = {file: (full_name(file), *(state_of(file) if checkpoint else (0, 0))) for file in files}
        self._files = files
        self._asked = _facts_of(question)
        before = None
        if checkpoint is not None:
            before = read_checkpoint(checkpoint, self._asked, [stamp[0] for stamp in self._stamps.values()])
        self._before = before
        finished = {file.path: file.rows for file in before.files} if before else {}
        waiting = [file for file in files if self._stamps[file][0] not in finished]
        self._selection = selection
        self._waiting = inspect_files(waiting, files, selection)
        self._schema = common_schema(self._waiting, _schema_of(before), selection)
        pa = require("pyarrow", "report")
        self._evaluated = pa.schema([field for field in self._schema if selection.evaluates(field.name)])
        """The columns without those that only a condition on rows needs."""
        self._finished_rows = sum(finished.values())
        self._rows = self._finished_rows + sum(file.rows for file in self._waiting)
        self._limit = limit
        self._memory = limit.memory

    def answer(self, progress: Progress) -> FilesAnswer:
        """Read the files and return their report."""
        found = self._answer(progress)
        rows = self._selection.rows
        return found if rows is None else found._replace(kept=rows.left)

    def _answer(self, progress: Progress) -> FilesAnswer:
        kept = self._rows if self._question.rows.sample is None else min(self._rows, self._question.rows.sample)
        needed = exact_bytes(self._question, self._evaluated, kept, self._path is not None)
        fits = self._limit.allows(needed)
        if self._memory is not None and not fits:
            self._refuse_what_needs_all_rows(kept, needed + self._limit.reserved, self._memory)
        if self._question.predicted is not None and self._question.cluster is None:
            pairs = ClassPairCounts(self._question)
            rows = self._read(pairs, {"kept": "counts"}, BATCH_ROWS, progress)
            counted = Answer(pairs.sections())
            noted = counted._replace(notes=(*self._notes_of_rows, *pairs.notes))
            found = with_chosen_fractions(self._question, with_accuracy_differences(self._question, noted))
            found = found._replace(sections=sorted_groups(found.sections, self._question.grouping.sort))
            return FilesAnswer(found, EXACT, len(self._files), rows)
        if self._memory is None or fits:
            buffer = RowBuffer(self._question, self._evaluated)
            rows = self._read(buffer, {"kept": "rows"}, BATCH_ROWS, progress)
            with self._naming_one_file():
                read = answer_on(self._question, buffer.columns(), self._selection.rows)
            return FilesAnswer(read, EXACT, len(self._files), rows)
        budget = budget_for(self._memory, self._question, self._path is not None, self._limit.reserved)
        summaries = GroupedSummaries(self._question, budget.limits)
        rows = self._read(summaries, self._mode(budget.limits), budget.batch_rows, progress)
        sections = with_net_benefits(summaries.sections(), summaries.probabilities)
        sections = with_expected_costs(sections, self._question.costs)
        sections = sorted_groups(sections, self._question.grouping.sort)
        found = Answer(sections, notes=(*self._notes_of_rows, *summaries.notes))
        return FilesAnswer(found, EXACT if summaries.exact else CERTIFIED, len(self._files), rows)

    def _read(self, state: Accumulator, mode: Mapping[str, Any], batch_rows: int, progress: Progress) -> int:
        """Read the rows that are kept of unfinished files into a state; return the number of rows of all files."""
        selection = self._selection
        weighted = None if self._question.weighting.column is None else WeightedRows(state, self._question.weighting)
        state = state if weighted is None else weighted
        kept = None if selection.rows is None else KeptRows(state, selection.rows, self._evaluated)
        state = state if kept is None else kept
        writer = self._writer(state, mode)
        files_to_read = FilesToRead(
            self._waiting,
            lambda file: file_batches(file, self._schema, selection, batch_rows),
            lambda file, rows: FinishedFile(*self._stamps[file.path], rows),
        )
        rows = self._finished_rows + read_files(files_to_read, state, writer, progress)
        if not rows:
            raise EvaluationError(
                f"{self._files[0]}: there are no rows" + (" in any file" if len(self._files) > 1 else "")
            )
        with self._naming_one_file():
            for filtered in (kept, weighted):
                if filtered is not None:
                    filtered.finish()
        return rows

    @property
    def _notes_of_rows(self) -> tuple[str, ...]:
        """Say which rows were left out, after all were read."""
        rows = self._selection.rows
        return () if rows is None else notes_of_rows(self._question, rows)

    def _naming_one_file(self) -> AbstractContextManager[None]:
        return naming(self._files[0]) if len(self._files) == 1 else nullcontext()

    def _writer(self, state: Accumulator, mode: Mapping[str, Any]) -> CheckpointWriter | None:
        """Return the writer of the checkpoint, if one is asked for, and restore the state from it."""
        if self._path is None:
            return None
        if self._before:
            if self._waiting:
                check_writable(self._path)
            check_mode(self._before, self._path, mode, self._memory)
            state.restore(self._before.facts, self._before.columns)
            self._before.columns.clear()
        files = self._before.files if self._before else []
        writer = CheckpointWriter(
            self._path, {**self._asked, **mode, "memory": self._memory}, self._schema.serialize().to_pybytes(), files
        )
        writer.save(state)  # now, so that a file that cannot be written is reported before hours of reading
        return writer

    def _mode(self, limits: SummaryLimits) -> dict[str, Any]:
        """Return what decides the bits of a report from summaries, beside the question."""
        thresholds = list(self._question.thresholds)
        return {
            "kept": "summaries",
            "threshold": thresholds,
            "limits": list(limits),
            "calibration_bins": BINS,
        }

    def _refuse_what_needs_all_rows(self, rows: int, needed: int, memory: int) -> None:
        question = self._question
        if question.predicted is not None and question.rows.sample is None and question.cluster is None:
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


def _facts_of(question: Question) -> dict[str, Any]:
    """Return what decides the rows and columns of a question; the schema and the mode hold the rest."""
    chosen, delimiter, query, decimal = question.reading
    read = {
        "input-format": chosen,
        "delimiter": delimiter,
        "decimal": decimal,
        "sql": query,
        "by": question.by_as_json,
    }
    weighted = {
        "weight": question.weighting.column,
        "weight-type": FREQUENCY if question.weighting.of_frequencies else None,
        "target-prevalence": question.weighting.target_prevalence,
    }
    kept = {name: value for name, value in question._asdict().items() if name not in _NOT_IN_CHECKPOINTS}
    return kept | read | weighted | question.rows.asked()


def _schema_of(checkpoint: Checkpoint | None) -> Any:
    pa = require("pyarrow", "report")
    return None if checkpoint is None else pa.ipc.read_schema(pa.py_buffer(checkpoint.schema))
