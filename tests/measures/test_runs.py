"""Measures of many rankings at once are those of each ranking alone, to the last bit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalcore.kernels.pairs import pair_counts
from evalcore.kernels.placements import placement_moments
from evalcore.kernels.runs import runs_of_keys
from evalcore.measures import curves, ranks, roc_variances
from tests.kernels.dealt import DEALT, grouped
from tests.strategies import Cases

COSTS = np.array([0.0, 5.0, 2.0, 0.0])
"""Of tp, fn, fp and tn."""


def measured(runs, depth):
    """List the measures of rankings."""
    depths = runs.totals[0], np.full(runs.sizes.size, depth)
    return (
        curves.roc_areas(runs),
        curves.average_precisions(runs),
        *predicted_positive(runs, curves.maximum_f_measures(runs)),
        *predicted_positive(runs, curves.minimum_expected_costs(runs, COSTS)),
        curves.break_even_points(runs),
        *(ranks.precisions_at(runs, each) for each in depths),
        *(ranks.recalls_at(runs, each) for each in depths),
        ranks.reciprocal_ranks(runs),
    )


def alone(cases, depth):
    """List the measures of one group."""
    keys, positives = cases.keys, int(cases.correct.sum())
    return (
        curves.roc_area(pair_counts(keys), positives, keys.size - positives),
        float(roc_variances.roc_covariance(placement_moments(keys))[0, 0]),
        *(column.item() for column in measured(runs_of_keys(keys), depth)),
    )


def predicted_positive(runs, best):
    """List the best values, and the cases at or above the scores where they are reached."""
    return best.values, np.append(runs.before + runs.size, 0)[best.runs]


@given(DEALT, st.integers(1, 12))
def test_each_group_has_the_measures_of_its_cases_alone(dealt, depth):
    if not dealt[1]:
        return
    runs, groups = grouped(*dealt)
    areas = curves.roc_areas(runs)
    found = areas, roc_variances.roc_area_variances_of_runs(runs), *measured(runs, depth)
    expected = [alone(cases, depth) for cases in groups]
    assert repr(list(zip(*(column.tolist() for column in found), strict=True))) == repr(expected)


def test_a_group_as_large_as_a_block_has_exact_sums():
    rng = np.random.default_rng(5)
    size = (1 << 16) - 8
    for scores in (rng.random(size), rng.integers(0, 50, size) / 64):
        cases = Cases(scores, rng.random(size) < 2 / 3)
        runs, groups = grouped(cases, np.zeros(size, np.int64))
        moments = placement_moments(groups[0].keys)
        assert roc_variances.roc_area_variances_of_runs(runs)[0] == roc_variances.roc_covariance(moments)[0, 0]
