"""Reports on files, exact if the columns fit in memory, else from summaries with bounds, and what memory they take.

How much memory a report or a comparison takes, and how much of the limit each part of it may use, is estimated first,
from what its files say of themselves.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import chain
from typing import Any

from evalcore.errors import EvaluationError, refuse
from evalcore.evaluation.answers import answer_on, check_report
from evalcore.evaluation.batches import DistinctRows, KeptRows, RowBuffer
from evalcore.evaluation.catalogue import measure_name
from evalcore.evaluation.joining import tables_in_turn
from evalcore.evaluation.measure_choice import RESAMPLED
from evalcore.evaluation.model import CERTIFIED, EXACT, Answer
from evalcore.evaluation.options import ANALYTIC
from evalcore.evaluation.question import Question
from evalcore.evaluation.summaries import BYTES_OF_AN_INTERVAL, GroupedSummaries, SummaryLimits
from evalcore.io.columns import Selection, TableFile
from evalcore.io.datasets import common_schema, expand_paths, file_batches, folder_columns, inspect_files
from evalcore.io.formats import format_of, is_read_once, naming
from evalcore.io.libraries import pa
from evalcore.io.memory import LEAST_BYTES, PROGRAM_BYTES, check_room, default_memory, shown_size
from evalcore.io.opening import Meter, Progress
from evalcore.io.readers import BATCH_ROWS, is_read_in_batches, read_columns, table_contents
from evalcore.io.rows import Rows

CONDITION_BYTES = 110_000_000
"""Bytes that DuckDB takes, and pandas, which it imports where it is installed."""
DATABASE_BYTES = 46_000_000
"""Bytes that DuckDB takes beyond the limit of a query."""
FEWEST_OF_A_QUERY = 64_000_000
_TEXT_BYTES = 12
"""A string of eight letters in Arrow; an array has eight bytes for a reference, because distinct strings are few."""
_MOST_INTERVALS, _FEWEST_INTERVALS = 1 << 18, 1 << 10
_MOST_WAITING, _FEWEST_WAITING = 1 << 22, 1 << 14
_JOIN_BYTES, _TEXT_ID_BYTES = 20, 120
"""For each row of a table, to find its match, and more where its id is text."""
_WEIGHT_BYTES, _CLUSTER_BYTES, _GROUP_BYTES, _RESAMPLE_BYTES = 140, 60, 40, 100
"""For each case, while differences are computed."""
_MOST_OF_JSON = 100
"""Bytes that a byte of JSON may take in a report or a comparison."""
_ROUNDED = 1.05
"""Two digits are shown, and what they are rounded by must not be missing from the limit that is allowed next."""


def answer_files(
    question: Question,
    paths: Sequence[str],
    bar: Meter,
    *,
    check: Callable[[Sequence[str]], None] | None = None,
    plots: bool = False,
    drawn: bool = False,
) -> Answer:
    """Read files and return their report.  O(n log n) for each column of scores.

    paths: as `evalcore.io.datasets.expand_paths` takes them; check: called with the names of the files before anything
    is read; plots: whether plots will be written; drawn: whether those or a page are certain to follow, for which
    scores stay sorted.  The question's memory limit is by default half of the machine's memory.

    Raises EvaluationError as readers and reports do, naming the file; before anything is read, if an output cannot be
    written; and if the question needs all rows and they exceed the memory limit.
    """
    check_report(question)
    files = expand_paths(paths, question.reading)
    if check is not None:
        check(files)
    memory = default_memory() if question.memory is None else question.memory
    question = question._replace(memory=memory)
    selection, reserved = question.selection, 0
    if memory is not None and format_of(files[0], question.reading) == "duckdb":
        query_bytes = max(FEWEST_OF_A_QUERY, memory // 8)  # a query that needs more spills to disk
        reserved = DATABASE_BYTES + query_bytes
        selection = selection._replace(query_bytes=query_bytes)
    if _is_whole(question, paths, files) and _fits_memory(question, files[0], selection, reserved):
        columns = read_columns(files[0], selection, bar)
        with naming(files[0]):
            return answer_on(question, columns, selection.rows, drawn=drawn)._replace(computed=EXACT)
    return _answer_in_batches(question, files, selection, reserved, bar.rows, plots=plots)


def _is_whole(question: Question, paths: Sequence[str], files: Sequence[str]) -> bool:
    """Whether one file was named, holds all columns itself, and is read by the reader of its format."""
    if is_read_once(files[0]) or not is_read_in_batches(files[0], question.reading):
        return True
    of_folders = folder_columns(files[:1])[files[0]].keys() & set(question.selection.names)
    return len(files) == 1 and files == list(paths) and not of_folders and question.rows.are_all


def _fits_memory(question: Question, file: str, selection: Selection, reserved: int) -> bool:
    if question.memory is None or is_read_once(file) or _are_small_logs([file], question, question.memory):
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


def _are_small_logs(files: Sequence[str], question: Question, memory: int) -> bool:
    """Whether files certainly fit, and are of formats that must be read whole to be looked at, so would be twice."""
    kinds = {os.path.splitext(file)[1].lower()[1:] for file in files}  # of compressed ones the size says nothing
    are_logs = kinds <= {"json", "eval"} and all(map(os.path.isfile, files))
    return are_logs and PROGRAM_BYTES + _MOST_OF_JSON * sum(map(os.path.getsize, files)) < memory


def _answer_in_batches(
    question: Question, paths: Sequence[str], selection: Selection, reserved: int, progress: Progress, *, plots: bool
) -> Answer:
    """Read files in batches and return their report; reserved: bytes of the memory limit that a database takes."""
    files, memory, chosen = inspect_files(paths, selection), question.memory, selection.rows
    schema = common_schema(files, selection)
    # without the columns that only a condition on rows needs
    evaluated = pa.schema([field for field in schema if selection.evaluates(field.name)])
    kept, batch_rows = sum(file.rows for file in files), BATCH_ROWS
    if question.rows.sample is not None:
        kept = min(kept, question.rows.sample)
    needed = exact_bytes(question, evaluated, kept) + reserved
    counted = question.predicted and question.cluster is None and not question.show
    if memory is not None and needed > memory and not (counted and question.rows.sample is None):
        _refuse_what_needs_all_rows(question, kept, needed, plots=plots)
    one: Callable[[], AbstractContextManager[None]]
    one = partial(naming, files[0].path) if len(files) == 1 else nullcontext
    states: Sequence[DistinctRows | RowBuffer | GroupedSummaries]
    if counted:
        states = [DistinctRows(each) for each in question.of_groupings]
    elif memory is None or needed <= memory:
        states = [RowBuffer(question, evaluated)]
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
    with one() if isinstance(states[0], RowBuffer) else nullcontext():
        found, *others = (state.answer(chosen) for state in states)
    if others:
        found = found._replace(further=dict(zip(question.also_by, others, strict=True)))
    computed = EXACT if all(state.exact for state in states) else CERTIFIED
    evaluated_rows = None if chosen is None else chosen.left
    return found._replace(computed=computed, files=len(files), rows=rows, kept=evaluated_rows)


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
    """Raise EvaluationError if a question needs all rows, and these take more bytes than its limit."""
    varying = question.measures.without_moments(weighted=question.weighting.asked)
    asked = {
        "values of cases (--value)": question.values,
        "samples (--sample)": question.rows.sample is not None,
        "intervals of clusters (--cluster)": question.cluster is not None,
        "differences of groups (--compare-groups)": bool(question.compare_groups),
        f"intervals (--ci) of {varying}": question.level is not None and varying,
        "means over folds (--fold)": bool(question.fold),
        "thresholds that reach a target (--threshold-for)": bool(question.targets),
        "plots (--plots)": plots,
        "cases that are listed (--show)": question.show,
        f"measures of single ranks ({', '.join(question.measures.of_single_ranks)})": question.measures.of_single_ranks,
        "scores of classes (--score CLASS=COL, --scores)": question.classes is not None,
    }
    taken = f"{rows:,} rows take about {shown_size(needed)}, and the limit is {shown_size(question.memory or 0)}"
    refuse({
        f"{name} need all rows in memory: {taken}; allow more (--memory SIZE)": given for name, given in asked.items()
    })  # fmt: skip


def exact_bytes(question: Question, schema: Any, rows: int) -> int:
    """Return about how many bytes an exact report takes, from its number of rows and their pyarrow schema.  O(columns).

    >>> import pyarrow
    >>> schema = pyarrow.schema([("late", pyarrow.bool_()), ("model", pyarrow.float64())])
    >>> exact_bytes(Question("late", ("model",)), schema, 10**7) / 1e6
    822.75
    """
    # columns twice, as they are read and as arrays, with an eighth to spare; then what the report computes from them
    each = 2.25 * sum(map(bytes_of_type, schema.types)) + 40 + 30 * len(question.by)
    if question.classes is not None:
        each += 20 * len(schema)
    else:
        each += 0 if question.level is None else 20 + 4 * len(schema)  # placements of each column
        each += 16 if question.targets else 0  # counts at all thresholds, beyond what the ranking takes
        each += 50 if question.weighting.asked else 0  # an order, and scores, labels and weights in it
        each += 90 if question.compare_groups else 0  # cases in two orders, and sums over runs
    return program_bytes(question.rows) + int(1.1 * rows * each)


def budget_for(memory: int, question: Question, reserved: int = 0) -> tuple[SummaryLimits, int]:
    """Return the limits of summaries, and how many rows to read at once; raise EvaluationError for too little memory.

    reserved: bytes for reading a database.  O(1).

    >>> budget_for(300_000_000, Question("late", ("model",)))[0]
    SummaryLimits(capacity=131072, waiting=524288, groups=50400000)
    """
    program = program_bytes(question.rows) + reserved
    needed = LEAST_BYTES + program - PROGRAM_BYTES
    if program > PROGRAM_BYTES and memory < needed:
        parts = {"--where": program - PROGRAM_BYTES - reserved, "the database": reserved}
        taken = " and ".join(f"{name} takes {shown_size(size)}" for name, size in parts.items() if size)
        got = f"{shown_size(memory)}; allow more (--memory SIZE)"
        raise EvaluationError(f"{taken}, so memory must be at least {needed // 10**6}M, got {got}")
    free = (memory - program) // (1 + len(question.also_by))  # each grouping has summaries of its own
    columns = len(question.scores)
    weights = 8 * (1 + columns) if question.weighting.column is not None else 0  # of rows of groups, and of each column
    capacity = _power_of_two(free * 0.2 / (columns * 3 * BYTES_OF_AN_INTERVAL), _MOST_INTERVALS)
    waiting = _power_of_two(free * 0.35 / (60 + 24 * columns + weights), _MOST_WAITING)
    too_little = f"{columns:,} score columns need more memory than {shown_size(memory)}; allow more (--memory SIZE)"
    refuse({too_little: capacity < _FEWEST_INTERVALS or waiting < _FEWEST_WAITING})
    limits = SummaryLimits(capacity, waiting, int(free * 0.36))
    return limits, _power_of_two(free * 0.1 / (16 * columns), BATCH_ROWS)


def program_bytes(rows: Rows) -> int:
    """Return the bytes that are taken whatever the number of rows; rows: which are kept.  O(1)."""
    return PROGRAM_BYTES + (CONDITION_BYTES if isinstance(rows.where, str) else 0)


def bytes_of_type(kind: Any) -> int:
    """Return the bytes of a number of a pyarrow type, or about those of a string.  O(1)."""
    try:
        return kind.bit_width // 8 or 1
    except ValueError:
        return _TEXT_BYTES


def _power_of_two(size: float, most: int) -> int:
    return min(1 << max(int(size), 1).bit_length() - 1, most)


def check_memory(question: Question, paths: Sequence[str]) -> None:
    """Raise EvaluationError if a comparison of files takes more memory than its limit.  O(files), O(columns).

    paths: the old one first.  By default the limit is half of the machine's memory.  Files that tell their rows only as
    they are read, such as pipes, and those that the reader will refuse pass.
    """
    limit = default_memory() if question.memory is None else question.memory
    if limit is None:
        return
    files = [expand_paths([path], question.reading) for path in paths]
    if any(is_read_once(each[0]) for each in files) or _are_small_logs([*chain(*files)], question, limit):
        return

    def contents(table: int, selection: Selection) -> tuple[Any, int]:
        parts = inspect_files(files[table], selection)
        return common_schema(parts, selection=selection), sum(part.rows for part in parts)

    try:
        tables = [found for _, found in tables_in_turn(question, len(paths), contents, lambda found: found[0].names)]
    except EvaluationError:
        return  # the reader says what is wrong
    needed, count = comparison_bytes(question, tables), f"{len(tables)} tables" if len(tables) > 1 else "one table"
    taken = f"the rows of {count} take at least {shown_size(needed * _ROUNDED)}"
    allowed = f"the memory limit of {shown_size(limit)}; allow more memory (--memory SIZE)"
    refuse({f"{taken}, more than {allowed}": needed > limit})


def comparison_bytes(question: Question, tables: Sequence[tuple[Any, int]]) -> int:
    """Return about how many bytes a comparison takes; tables: pyarrow schemas, and numbers of rows.  O(columns).

    >>> import pyarrow
    >>> schema = pyarrow.schema([("id", pyarrow.int64()), ("late", pyarrow.bool_()), ("score", pyarrow.float64())])
    >>> comparison_bytes(Question("late", ("score",), on=("id",)), [(schema, 3_000_000)] * 2) / 1e6
    509.5
    """
    are_text = pa.types.is_string, pa.types.is_large_string, pa.types.is_fixed_size_binary
    needed: float = program_bytes(question.rows)
    for schema, rows in tables:
        of_ids = [schema.field(name).type for name in question.on if name in schema.names]
        of_text = sum(any(holds(kind) for holds in are_text) for kind in of_ids)
        # columns twice, as they are read and as arrays, with an eighth to spare
        each = 2.25 * sum(map(bytes_of_type, schema.types)) + _JOIN_BYTES + _TEXT_ID_BYTES * of_text
        needed += rows * each
    cases = min(rows for _, rows in tables)
    weighted = 0 if question.weighting.column is None else _WEIGHT_BYTES
    clustered = 0 if question.cluster is None else _CLUSTER_BYTES
    named = {measure_name(name).measure for name in (*question.measures.names, *question.conditions)}
    resampled = _RESAMPLE_BYTES if question.method != ANALYTIC or not named.isdisjoint(RESAMPLED) else 0
    return int(needed + cases * (weighted + clustered + resampled + _GROUP_BYTES * len(question.by)))
