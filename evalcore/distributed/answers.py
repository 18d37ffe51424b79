"""The two routes from partitions of cases to measures of all: a tree of summaries, or ranges of scores."""

from collections.abc import Callable
from copy import copy
from typing import Any, NamedTuple

from evalcore.distributed import range_counts
from evalcore.distributed.partition_tasks import (
    check_label,
    empty_summary,
    merged,
    some_cases,
    sorted_partition,
    summarised,
)
from evalcore.distributed.range_counts import slices
from evalcore.distributed.range_shuffle import measured_ranges
from evalcore.distributed.sorted_partitions import Piece, Range, ordered
from evalcore.distributed.sources import Source, source_of
from evalcore.distributed.task_graph import Graph, Task
from evalcore.errors import EvaluationError
from evalcore.kernels.ratios import ratio
from evalcore.kernels.reproducible_sums import FixedSum, add_fixed_sums
from evalcore.measures import curves
from evalcore.measures.certified import Certified
from evalcore.optional import require
from evalcore.streaming import ScoreSummary

_CASES_FOR_CUTS = 10
"""For each interval."""
_AT_ONCE = 1 << 19
"""Cases of a range whose points are in memory at once."""


def summary_of(source: Source, capacity: int, pos_label: Any) -> ScoreSummary:
    """Summarise all cases, by a tree of merges.

    The cuts are learnt from some cases of every partition first, and shared: so partitions are loaded twice, of Parquet
    files only a few rows of every row group.  O(n log n) in all; a summary is up to 2 MB at a capacity of 65,536.

    Raises EvaluationError, EvaluationTypeError as the partitions do, and for no case, or none of the label `pos_label`.

    >>> summary_of(_example(), 65536, None).roc_auc()
    1.0
    """
    check_label(pos_label)
    # A graph of its own: in one with the summaries, every partition would wait in memory until the cuts are known.
    graph = source.graph()
    rows = -(-_CASES_FOR_CUTS * capacity // max(len(source.partitions), 1))
    samples = source.calls_with_some(graph, "sample", rows, some_cases, pos_label)
    empty: ScoreSummary = graph.compute(graph.call("cuts", empty_summary, samples, capacity))
    graph = source.graph()
    shared = graph.call("share", copy, empty)
    summaries = source.calls(graph, "summarise", summarised, pos_label, shared)
    summary: ScoreSummary = graph.compute(graph.tree("merge", merged, summaries))
    check_some(summary.size, summary.positives, source, pos_label)
    return summary


class Measure(NamedTuple):
    """Something to be found of all cases, once they are in ranges of scores."""

    of_range: Callable[[Range, Any], Any]
    """Takes a range and its `Place`, or None if it needs none."""
    joined: Callable[[list[Any]], Any]
    """Takes what it was of neighbouring ranges, highest first, and returns what it is of all of them."""
    needs_place: bool = True


PAIRS = Measure(range_counts.pairs_of, range_counts.joined_pairs, needs_place=False)
PRECISION_SUM = Measure(range_counts.precision_sum, add_fixed_sums)
BEST_F1 = Measure(range_counts.best_f1, range_counts.joined_best)
COUNTS = Measure(range_counts.counted, range_counts.joined_counts, needs_place=False)


def exactly(source: Source, pos_label: Any, *wanted: Measure) -> tuple[range_counts.Counts, list[Any]]:
    """Bring all cases into ranges; return how many they are, and what is wanted of them.  As `measured_ranges`.

    Raises EvaluationError, EvaluationTypeError as the partitions do, and for no case, or none of the label `pos_label`.

    >>> exactly(_example(), None, BEST_F1)
    (Counts(positives=1, negatives=1), [BestThreshold(value=1.0, score=0.9)])
    """
    measures = [COUNTS, *wanted]
    graph, answers = answers_of(source, pos_label, measures)
    counts, *found = graph.compute(graph.call("answer", _joined, measures, answers))
    check_some(sum(counts), counts.positives, source, pos_label)
    return counts, found


def answers_of(source: Source, pos_label: Any, measures: list[Measure]) -> tuple[Graph, list[Task]]:
    """Return a graph, and its tasks that give what is measured of each range, highest first.  As `measured_ranges`.

    >>> graph, answers = answers_of(_example(), None, [COUNTS])
    >>> graph.compute(answers[0])
    [Counts(positives=1, negatives=0)]
    """
    check_label(pos_label)
    graph = source.graph()
    sorted_parts = source.calls(graph, "sort", sorted_partition, pos_label)
    needs_place = any(measure.needs_place for measure in measures)

    def measured(pieces: list[Task], places: Task, number: int, after: list[Task]) -> Task:
        where = (places, number) if needs_place else ()
        return graph.call("measure", _measured, measures, pieces, after, *where)

    return graph, measured_ranges(graph, sorted_parts, measured)


def _measured(
    measures: list[Measure],
    pieces: list[Piece],
    _after: Any,
    places: list[range_counts.Place] | None = None,
    number: int = 0,
) -> list[Any]:
    cases = ordered(pieces)
    if places is None:
        return [measure.of_range(cases, None) for measure in measures]
    walked = [[measure.of_range(*each) for measure in measures] for each in slices(cases, places[number], _AT_ONCE)]
    return _joined(measures, walked)


def _joined(measures: list[Measure], answers: list[list[Any]]) -> list[Any]:
    return [measure.joined(list(parts)) for measure, parts in zip(measures, zip(*answers, strict=True), strict=True)]


def roc_area(pairs: range_counts.RangePairs, counts: range_counts.Counts) -> Certified:
    """Return the ROC area of all pairs, NaN of one class.  O(1).

    >>> counts, (pairs,) = exactly(_example(), None, PAIRS)
    >>> roc_area(pairs, counts)
    1.0
    """
    area = curves.roc_area(pairs.pairs, *counts)
    return Certified(area, area)


def average_precision(precisions: FixedSum, counts: range_counts.Counts) -> Certified:
    """Return the average precision, NaN without positives.  O(1).

    >>> average_precision(FixedSum(1.5, 0.0), range_counts.Counts(2, 3))
    0.75
    """
    value = float(ratio(precisions.value, counts.positives))
    return Certified(value, value)


def check_some(cases: int, positives: int, source: Source, pos_label: Any) -> None:
    """Raise EvaluationError where there is no case, or none of the label that was named.

    >>> check_some(1, 0, _example(), "late")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: pos_label='late' is not a valid label: y_true never is that
    """
    if not cases:
        raise EvaluationError(
            f"Found array with 0 sample(s) while a minimum of 1 is required: {source.names[0]} is empty."
        )
    if pos_label is not None and not positives:
        raise EvaluationError(f"pos_label={pos_label!r} is not a valid label: {source.names[0]} never is that")


def _example() -> Source:
    """Return two cases in two partitions, for the examples above."""
    array = require("dask.array", "distributed").from_array
    return source_of(array([1, 0], chunks=1), array([0.9, 0.1], chunks=1))
