"""Intervals beside the statistics of a report, and comparisons of its score columns."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import combinations
from typing import Any

import numpy as np

from evalcore.errors import UndefinedMetricWarning
from evalcore.inference import (
    Interval,
    compare_roc_auc,
    holm,
    proportion_interval,
)
from evalcore.inference.agreement import f1_interval_of_counts, kappa_interval_of_counts
from evalcore.inference.average_precisions import average_precision_interval_of_estimate
from evalcore.inference.roc_areas import roc_auc_interval_of_keys
from evalcore.kernels.tables import BinaryCounts
from evalcore.report.catalogue import statistics
from evalcore.report.model import Section
from evalcore.state.scored_cases import ScoredCases
from evalcore.typing import BoolArray, IntArray


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Give undefined intervals no bounds, without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        yield


@_without_warnings()
def ranking_intervals(cases: ScoredCases, average_precision: float, level: float) -> dict[str, Interval]:
    """Return the intervals of prevalence, ROC area and average precision, of cases that are sorted already.  O(n)."""
    positives = cases.positives
    return {
        "prevalence": proportion_interval(positives, cases.size, level=level),
        "roc_area": roc_auc_interval_of_keys(cases.ordering.keys, level),
        "average_precision": average_precision_interval_of_estimate(average_precision, positives, level),
    }


@_without_warnings()
def decision_intervals(counts: BinaryCounts, level: float) -> dict[str, Interval]:
    """Return the intervals of what is reported of decisions, without bounds where they are not defined.  O(1)."""
    tp, fn, fp, tn = counts
    fractions = {
        "accuracy": (tp + tn, tp + fn + fp + tn),
        "recall": (tp, tp + fn),
        "precision": (tp, tp + fp),
        "specificity": (tn, tn + fp),
        "negative_predictive_value": (tn, tn + fn),
        "jaccard": (tp, tp + fn + fp),
    }
    return {
        **{name: proportion_interval(*parts, level=level) for name, parts in fractions.items()},
        "f1": f1_interval_of_counts(tp, fn, fp, level),
        "kappa": kappa_interval_of_counts(np.array([[tp, fn], [fp, tn]]), level),
    }


@_without_warnings()
def agreement_intervals(counts: IntArray, level: float) -> dict[str, Interval]:
    """Return the intervals of accuracy, which all micro averages equal, and of kappa, from counts (k, k).  O(k²)."""
    accuracy = proportion_interval(int(counts.trace()), int(counts.sum()), level=level)
    kappa = kappa_interval_of_counts(counts, level)
    return {**dict.fromkeys(("accuracy", "micro_precision", "micro_recall", "micro_f1"), accuracy), "kappa": kappa}


@_without_warnings()
def comparisons(positive: BoolArray, scores: Mapping[str, Any], level: float) -> Section:
    """Compare the ROC areas of every two score columns, (n,) each, by DeLong's paired test.  O(n log n) per pair.

    With more than one pair, p-values corrected by Holm's method are added.
    """
    shown = repr if any(" - " in name for name in scores) else str  # pairs have names of their own
    found = {
        f"{shown(first)} - {shown(second)}": compare_roc_auc(positive, scores[first], scores[second], level=level)
        for first, second in combinations(scores, 2)
    }
    p_values = np.array([comparison.p_value for comparison in found.values()])
    defined = ~np.isnan(p_values)
    adjusted = np.full(p_values.size, np.nan)
    adjusted[defined] = holm(p_values[defined])
    records = {}
    for (pair, one), corrected in zip(found.items(), adjusted.tolist(), strict=True):
        values = {"roc_area_difference": one.difference, "p_value": one.p_value}
        if p_values.size > 1:
            values["p_value_holm"] = corrected
        interval = Interval(one.difference, one.low, one.high, level, one.method)
        records[pair] = statistics(values, {"roc_area_difference": interval})
    return Section("comparisons", "ROC areas compared, on the same cases", "pair", records)
