"""Statistics of many tables of classes at once, and of the classes of a weighted one, as arrays."""

from collections.abc import Callable

import numpy as np

from evalcore.inference.interval_columns import (
    Intervals,
    f1_intervals_of_weights,
    kappa_intervals,
    kappa_intervals_of_weights,
    proportion_intervals,
    proportion_intervals_of_weights,
)
from evalcore.kernels.tables import sums_of_others
from evalcore.kernels.weights import WeightSums
from evalcore.measures import multiclass
from evalcore.report.statistics.case_tallies import Tally
from evalcore.report.statistics.class_scores import agreement_measures, class_scores
from evalcore.report.statistics.grouped_statistics import StatisticColumns
from evalcore.report.statistics.intervals import OF_ACCURACY
from evalcore.typing import FloatArray

_CELLS = -2, -1
"""Axes of a table."""


def agreement_columns(tables: Tally, level: float | None) -> StatisticColumns:
    """Return how labels and predictions agree in each of the tables, (g, k, k), with intervals of a level.  O(g k²)."""
    every = tables.sums(_CELLS)
    values = every.described | agreement_measures(tables.counts)
    if level is None:
        return StatisticColumns(values, {})
    if tables.weights is None or every.weights is None:
        accuracy = proportion_intervals(tables.counts.trace(0, *_CELLS), every.counts, level)
        kappa = kappa_intervals(tables.counts, level)
    else:
        right = WeightSums(*(column.trace(0, *_CELLS) for column in tables.weights))
        accuracy = proportion_intervals_of_weights(right, every.weights, level)
        kappa = kappa_intervals_of_weights(tables.weights, level)
    return StatisticColumns(values, {**dict.fromkeys(OF_ACCURACY, accuracy), "kappa": kappa})


def columns_of_classes(table: Tally, level: float | None) -> StatisticColumns:
    """Return the statistics of each class of a table of weighted cases, (k, k), with intervals of a level.  O(k²)."""
    tp, fn, fp, _ = multiclass.one_versus_all(table.counts)
    scores = {name: np.asarray(score) for name, score in class_scores(tp, fn, fp)._asdict().items()}
    values = table.sums(1).described | {"predicted": table.sums(0).cases} | scores
    return StatisticColumns(values, {} if level is None or not table.weights else _intervals(table.weights, level))


def _intervals(table: WeightSums, level: float) -> dict[str, Intervals]:
    """Return the intervals of precision, recall and F1 of each class, (k,) each.  O(k²)."""

    def of_classes(column: Callable[[FloatArray], FloatArray]) -> WeightSums:
        return WeightSums(*map(column, table))

    tp, predicted = of_classes(np.diagonal), of_classes(lambda sums: sums.sum(axis=0))
    fn = of_classes(lambda sums: sums_of_others(sums, 1).diagonal())
    fp = of_classes(lambda sums: sums_of_others(sums, 0).diagonal())
    return {
        "precision": proportion_intervals_of_weights(tp, predicted, level),
        "recall": proportion_intervals_of_weights(tp, of_classes(lambda sums: sums.sum(axis=1)), level),
        "f1": f1_intervals_of_weights(tp, fn, fp, level),
    }
