"""Intervals beside the statistics of a report, and comparisons of its score columns."""

import warnings
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from evalcore.errors import UndefinedMetricWarning
from evalcore.inference import (
    Interval,
    average_precision_interval,
    compare_roc_auc,
    holm,
    prevalence_interval,
    proportion_interval,
    roc_auc_interval,
)
from evalcore.inference.agreement import f1_interval_of_counts, kappa_interval_of_counts
from evalcore.kernels.tables import BinaryCounts
from evalcore.report.model import Section, Statistic
from evalcore.typing import BoolArray, IntArray, ScoreArray


def with_intervals(statistics: Iterable[Statistic], intervals: Mapping[str, Interval]) -> list[Statistic]:
    """Put intervals beside the statistics of their names.  O(statistics).

    >>> with_intervals([Statistic("f1", "F1", 0.5)], {"f1": Interval(0.5, 0.25, 0.75, 0.95, "normal")})[0].interval
    0.5 [0.25, 0.75] (95% normal)
    """
    return [statistic._replace(interval=intervals.get(statistic.name)) for statistic in statistics]


def ranking_intervals(positive: BoolArray, scores: ScoreArray, level: float) -> dict[str, Interval]:
    """Return the intervals of prevalence (Wilson), ROC area (DeLong) and average precision (Boyd).

    positive, scores: (n,).  Without bounds where they are not defined, and without a warning.  O(n log n).

    >>> sorted(ranking_intervals(np.array([True, False]), np.array([0.9, 0.1]), 0.95))
    ['average_precision', 'prevalence', 'roc_area']
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        return {
            "prevalence": prevalence_interval(positive, level=level),
            "roc_area": roc_auc_interval(positive, scores, level=level),
            "average_precision": average_precision_interval(positive, scores, level=level),
        }


def decision_intervals(counts: BinaryCounts, level: float) -> dict[str, Interval]:
    """Return the intervals of what is reported of decisions: Wilson's of shares, the delta method's of F1 and kappa.

    Without bounds where they are not defined, and without a warning.  O(1).

    >>> decision_intervals(BinaryCounts(1, 0, 1, 0), 0.95)["precision"]
    0.5 [0.0945312, 0.905469] (95% wilson)
    """
    tp, fn, fp, tn = counts
    shares = {
        "accuracy": (tp + tn, tp + fn + fp + tn),
        "recall": (tp, tp + fn),
        "precision": (tp, tp + fp),
        "specificity": (tn, tn + fp),
        "negative_predictive_value": (tn, tn + fn),
        "jaccard": (tp, tp + fn + fp),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        return {
            **{name: proportion_interval(*parts, level=level) for name, parts in shares.items()},
            "f1": f1_interval_of_counts(tp, fn, fp, level),
            "kappa": kappa_interval_of_counts(np.array([[tp, fn], [fp, tn]]), level),
        }


def agreement_intervals(counts: IntArray, level: float) -> dict[str, Interval]:
    """Return the intervals of accuracy, which is the micro average of all shares too, and of kappa.

    counts: (k, k), a row for each label.  Without bounds where they are not defined, and without a warning.  O(k²).

    >>> agreement_intervals(np.array([[1, 0], [1, 0]]), 0.95)["accuracy"]
    0.5 [0.0945312, 0.905469] (95% wilson)
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        accuracy = proportion_interval(int(counts.trace()), int(counts.sum()), level=level)
        kappa = kappa_interval_of_counts(counts, level)
    return {**dict.fromkeys(("accuracy", "micro_precision", "micro_recall", "micro_f1"), accuracy), "kappa": kappa}


def comparisons(positive: BoolArray, scores: Mapping[str, Any], level: float) -> Section:
    """Compare the ROC areas of each two score columns by DeLong's paired test; of more pairs, with Holm's p-values too.

    positive: (n,); scores: (n,) each, at least two.  O(n log n) for each pair.

    >>> scores = {"a": np.array([0.9, 0.5, 0.1, 0.6]), "b": np.array([0.5, 0.9, 0.6, 0.1])}
    >>> comparisons(np.array([True, False, False, True]), scores, 0.95).records["a - b"][0].value
    1.0
    """
    shown = repr if any(" - " in name for name in scores) else str  # pairs have names of their own
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        found = {
            f"{shown(first)} - {shown(second)}": compare_roc_auc(positive, scores[first], scores[second], level=level)
            for first, second in combinations(scores, 2)
        }
    p_values = np.array([comparison.p_value for comparison in found.values()])
    defined = ~np.isnan(p_values)
    adjusted = np.full(p_values.size, np.nan)
    adjusted[defined] = holm(p_values[defined])
    records = {}
    for place, (pair, one) in enumerate(found.items()):
        interval = Interval(one.difference, one.low, one.high, level, one.method)
        records[pair] = [
            Statistic("roc_area_difference", "difference", one.difference, interval),
            Statistic("p_value", "p", one.p_value),
        ]
        if p_values.size > 1:
            records[pair].append(Statistic("p_value_holm", "p, Holm", float(adjusted[place])))
    return Section("comparisons", "ROC areas compared, on the same cases", "pair", records)
