"""Intervals of many groups at once are those of each group, to the last bit."""

import warnings
from functools import partial

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalcore.errors import UndefinedMetricWarning
from evalcore.inference import proportion_interval
from evalcore.inference.areas.curve_areas import average_precision_interval_of_estimate, roc_auc_interval_of_keys
from evalcore.inference.areas.roc_area_bounds import AREA_METHODS
from evalcore.inference.decisions.agreement import f1_interval_of_counts, kappa_interval_of_counts
from evalcore.inference.interval_columns import (
    average_precision_intervals,
    f1_intervals,
    kappa_intervals,
    proportion_intervals,
    roc_area_intervals,
)
from evalcore.measures import curves
from evalcore.measures.roc_variances import roc_area_variances_of_runs
from tests.kernels.dealt import DEALT, grouped
from tests.strategies import TABLES

LEVELS = st.sampled_from([0.5, 0.95, 0.999])


def same(intervals, level, one_by_one):
    """Compare the numbers, NaN too, and the types of all fields."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        expected = [make() for make in one_by_one]
    return [fields(each) for each in intervals.each(level)] == [fields(each) for each in expected]


def fields(interval):
    return repr((interval.estimate, interval.low, interval.high, interval.level, interval.method))


@given(st.lists(TABLES, min_size=1, max_size=8), LEVELS)
def test_intervals_of_decisions(tables, level):
    tp, fn, fp, _ = np.array(tables).T
    assert same(
        proportion_intervals(tp, tp + fn, level),
        level,
        [lambda t=t: proportion_interval(t.tp, t.tp + t.fn, level=level) for t in tables],
    )
    assert same(
        f1_intervals(tp, fn, fp, level), level, [lambda t=t: f1_interval_of_counts(*t[:3], level) for t in tables]
    )
    assert same(
        kappa_intervals(np.reshape(tables, (-1, 2, 2)), level),
        level,
        [lambda t=t: kappa_interval_of_counts(np.reshape(t, (2, 2)), level) for t in tables],
    )


@given(DEALT, LEVELS)
def test_intervals_of_rankings(dealt, level):
    if not dealt[1]:
        return
    runs, groups = grouped(*dealt)
    areas = curves.roc_areas(runs), roc_area_variances_of_runs(runs)
    for method in AREA_METHODS:
        found = roc_area_intervals(*areas, runs.totals.min(axis=0), level, method)
        assert same(found, level, [partial(roc_auc_interval_of_keys, cases.keys, level, method) for cases in groups])
    averages, positives = curves.average_precisions(runs), runs.totals[0]
    assert same(
        average_precision_intervals(averages, positives, level),
        level,
        [
            lambda pair=pair: average_precision_interval_of_estimate(*pair, level)
            for pair in zip(averages.tolist(), positives.tolist(), strict=True)
        ],
    )
