"""The statistics of one model that a report on partitioned scores has, exact or with bounds."""

from typing import Any, NamedTuple

import numpy as np

from evalcore.batched.summaries import certified_statistics, measures_of
from evalcore.distributed.partitions.columns import PartitionedColumns
from evalcore.distributed.partitions.merged_summaries import merged_summary
from evalcore.distributed.partitions.partition_tasks import ClassWeights, merge_class_weights, weigh_partition
from evalcore.distributed.partitions.range_statistics import AVERAGE_PRECISION, MAXIMUM_F1, ROC_AREA, exact_statistics
from evalcore.distributed.partitions.sorted_partitions import LabelCounts
from evalcore.kernels.weight_sums import WeightSums
from evalcore.measures.certified import Certified
from evalcore.report.catalogue import statistic
from evalcore.report.model import Statistic
from evalcore.report.weighting import Weighting
from evalcore.validation.weights import check_total_weight


class ModelStatistics(NamedTuple):
    """What is asked of a model: numbers of cases, ROC area, average precision and maximum F1."""

    pos_label: Any
    weighting: Weighting
    capacity: int | None
    """Number of intervals of a summary; None for exact values."""

    def of_model(self, columns: PartitionedColumns, classes: ClassWeights | None) -> list[Statistic]:
        """Return the statistics of all cases; classes: the weights of both classes, if cases have some."""
        if self.capacity is None:
            return self._exact(columns, classes)
        summary = merged_summary(columns, self.capacity, self.pos_label)
        sums, divisor = classes or _of_counts(LabelCounts(summary.positives, summary.negatives))
        return certified_statistics(sums, self.weighting, measures_of(summary), bounded=True, divisor=divisor)

    def class_weights(self, columns: PartitionedColumns) -> ClassWeights:
        """Add up the weights of positives and of negatives; columns: labels and weights.  O(n)."""
        frequencies = self.weighting.of_frequencies
        classes: ClassWeights = columns.merged(
            "weigh", weigh_partition, merge_class_weights, self.pos_label, frequencies
        )
        check_total_weight(classes.total, columns.names[1], whole=frequencies)
        return classes

    def _exact(self, columns: PartitionedColumns, classes: ClassWeights | None) -> list[Statistic]:
        counts, (*areas, best) = exact_statistics(columns, self.pos_label, ROC_AREA, AVERAGE_PRECISION, MAXIMUM_F1)
        maximum = Certified(best.value, best.value) if counts.positives else Certified(0.0, 0.0)
        sums, divisor = classes or _of_counts(counts)
        certified = certified_statistics(sums, self.weighting, (*areas, maximum), bounded=False, divisor=divisor)
        return [*certified, statistic("maximum_f1_score", best.threshold)]


def _of_counts(counts: LabelCounts) -> ClassWeights:
    """Return counts of cases, below 2**53, as the sums of weights of one."""
    sums = np.array(counts, np.float64)
    return ClassWeights(WeightSums(sums, sums, sums))
