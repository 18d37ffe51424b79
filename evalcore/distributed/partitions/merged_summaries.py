"""The approximate route: a tree of merged summaries, whose bounds always contain the exact values."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from evalcore.distributed.partitions.columns import PartitionedColumns
from evalcore.distributed.partitions.partition_tasks import (
    CheckedCases,
    check_found,
    check_pos_label,
    check_weight,
    sample_partition,
    summarise_partition,
)
from evalcore.distributed.partitions.sorted_partitions import LabelCounts
from evalcore.streaming import ScoreSummary, learn_cuts
from evalcore.validation.weights import total_weight

_SAMPLED_PER_INTERVAL = 10
"""Cases from which an interval of the summary is learnt."""


def merged_summary(columns: PartitionedColumns, capacity: int, pos_label: Any) -> ScoreSummary:
    """Summarise all cases, by a tree of merges.

    The cuts are learnt from a sample of every partition first, and shared.  So partitions are loaded twice, of Parquet
    files only a few rows of every row group.  O(n log n) in all; a summary is up to 2 MB at a capacity of 65,536.

    Raises as the partitions do, and as `check_found`.
    """
    check_pos_label(pos_label)
    samples = columns.samples(_SAMPLED_PER_INTERVAL * capacity, sample_partition, pos_label)
    empty = empty_summary(samples, capacity, columns.names)
    merge = partial(merge_summaries, names=columns.names)
    summary: ScoreSummary = columns.merged("summarise", summarise_partition, merge, pos_label, empty)
    check_found(LabelCounts(summary.positives, summary.negatives), columns.names, pos_label)
    return summary


def empty_summary(samples: list[CheckedCases], capacity: int, names: Sequence[str] = ()) -> ScoreSummary:
    """Return a summary of no cases, with cuts learnt from samples, or with none if they are empty.  O(n log n).

    names: of the columns.  Raises as `check_weight`.
    """
    correct, scores = (np.concatenate([sample[index] for sample in samples]) for index in range(2))
    if not scores.size:
        return ScoreSummary(capacity)
    weights = [sample.weights for sample in samples if sample.weights is not None]
    sample_weight = np.concatenate(weights) if weights else None
    if sample_weight is not None:
        check_weight(total_weight(sample_weight), names)
    return ScoreSummary(capacity, learn_cuts(correct, scores, capacity, sample_weight=sample_weight))


def merge_summaries(summaries: list[ScoreSummary], names: Sequence[str] = ()) -> ScoreSummary:
    """Return one summary of what several hold, which are left as they are.  O(k log k) for each.

    names: of the columns.  Raises as `check_weight`, unless no case has a weight.
    """
    total = sum(summary.size for summary in summaries)
    if total:
        check_weight(total, names)
    merged = ScoreSummary(summaries[0].capacity, summaries[0].cuts)
    for summary in summaries:
        merged.merge(summary)
    return merged
