"""Ranges of scores in one shuffle: every piece of a chunk tells how many cases of the chunk are above it.

The task that gets all pieces of a range adds these up, and so knows the cases of all other ranges without hearing of
them.  Sums of weights that are not whole are rounded once, whatever the order in which the pieces come: what one range
says is above it is to the last bit what the one above says it ends with.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from evalcore.distributed.partitions.columns import RangeMeasure
from evalcore.distributed.partitions.partition_tasks import sample_partition, sort_partition
from evalcore.distributed.partitions.range_counts import RangeContext
from evalcore.distributed.partitions.sorted_partitions import (
    CutPartition,
    LabelCounts,
    PartitionCases,
    ScoreSample,
    sort_cases,
)
from evalcore.typing import FloatArray

_CASES_OF_A_RANGE = 1 << 20
"""About, of a thousand ranges at most."""
_MOST_RANGES = 1 << 10


class CutPiece(NamedTuple):
    """The cases of a chunk in one range, and how they lie among all of the chunk."""

    cases: PartitionCases
    above: LabelCounts
    """Cases of the chunk in the ranges above."""
    through: LabelCounts
    """Cases of the chunk in this range and above."""
    total: LabelCounts
    """Cases of the chunk."""
    is_highest: bool


def number_of_ranges(rows: int) -> int:
    """Return among how many ranges so many cases are parted.  O(1).

    >>> number_of_ranges(0), number_of_ranges(100_000_000)
    (1, 96)
    """
    return max(min(-(-rows // _CASES_OF_A_RANGE), _MOST_RANGES), 1)


def sample_scores(columns: Sequence[Any], names: Sequence[str], pos_label: Any) -> ScoreSample:
    """Return the scores of a sample; of no cases if it is invalid.  O(n log n)."""
    correct, scores, _ = sample_partition(columns, names, pos_label)
    return sort_cases(correct, scores).sample(max(scores.size, 1))


def cut_chunk(
    columns: Sequence[Any], names: Sequence[str], pos_label: Any, cuts: FloatArray, ranges: int
) -> list[CutPiece]:
    """Check and sort the cases of a chunk, and cut them into ranges, highest first.  O(n log n + ranges)."""
    cut = CutPartition(sort_partition(columns, names, pos_label), cuts, ranges)
    edges = np.concatenate([np.zeros_like(cut.counts[:1]), np.cumsum(cut.counts, axis=0)]).tolist()
    total = LabelCounts(*edges[-1])
    return [
        CutPiece(cut.piece(number), LabelCounts(*above), LabelCounts(*through), total, number == 0)
        for number, (above, through) in enumerate(itertools.pairwise(edges))
    ]


def measure_pieces(measure: RangeMeasure, pieces: list[CutPiece]) -> Any:
    """Measure a range, of which there is a piece of every chunk.  O(n log n)."""
    edges = zip(*((piece.above, piece.through, piece.total) for piece in pieces), strict=True)
    above, through, total = map(_added, edges)
    context = RangeContext(above, through, total, pieces[0].is_highest)
    return measure.of_range([piece.cases for piece in pieces], context if measure.needs_context else None)


def _added(counts: Sequence[LabelCounts]) -> LabelCounts:
    """Add up counts, or weights with one rounding.  O(counts)."""
    add_up = sum if all(each.whole for each in counts) else math.fsum
    return LabelCounts(*(add_up(side) for side in zip(*counts, strict=True)))
