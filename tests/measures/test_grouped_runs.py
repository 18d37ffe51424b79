"""Measures of many rankings at once are those of each ranking alone, to the last bit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalcore.kernels.operating_points import correct_points
from evalcore.kernels.pairs import pair_counts
from evalcore.kernels.placements import placement_moments
from evalcore.kernels.tie_groups import first_correct_group, tie_group_at
from evalcore.measures import curves, grouped_runs, ranks, roc_variances
from tests.kernels.dealt import DEALT, grouped
from tests.strategies import Cases


def precision_at(keys, depth):
    return ranks.precision_at(tie_group_at(keys, depth - 1), depth) if 0 < depth <= keys.size else np.nan


COSTS = np.array([0.0, 5.0, 2.0, 0.0])
"""Of tp, fn, fp and tn."""


def alone(cases, depth):
    """List the measures of one group."""
    keys, positives = cases.keys, int(cases.correct.sum())
    points, first = correct_points(keys), first_correct_group(keys)
    best = curves.maximum_f_measure(points, positives)
    return [
        curves.roc_area(pair_counts(keys), positives, keys.size - positives),
        float(roc_variances.roc_covariance(placement_moments(keys))[0, 0]),
        curves.average_precision(points, positives),
        best.value if best.predicted_positive else 0.0,
        best.predicted_positive,
        *curves.minimum_expected_cost(points, positives, keys.size - positives, COSTS),
        curves.break_even_point(points, positives),
        precision_at(keys, positives),
        precision_at(keys, depth),
        ranks.reciprocal_rank(first) if first else 0.0,
    ]


def predicted_positive(runs, best):
    """List the best values, and the cases at or above the scores where they are reached."""
    return best.values, np.append(runs.before + runs.size, 0)[best.runs]


@given(DEALT, st.integers(1, 12))
def test_each_group_has_the_measures_of_its_cases_alone(dealt, depth):
    if not dealt[1]:
        return
    runs, groups = grouped(*dealt)
    found = (
        grouped_runs.roc_areas(runs),
        grouped_runs.roc_area_variances(runs),
        grouped_runs.average_precisions(runs),
        *predicted_positive(runs, grouped_runs.maximum_f_measures(runs)),
        *predicted_positive(runs, grouped_runs.minimum_expected_costs(runs, COSTS)),
        grouped_runs.break_even_points(runs),
        *grouped_runs.precisions_at(runs, np.array([runs.positives, np.full(len(groups), depth)])),
        grouped_runs.reciprocal_ranks(runs),
    )
    expected = [alone(cases, depth) for cases in groups]
    assert repr(list(zip(*(column.tolist() for column in found), strict=True))) == repr(list(map(tuple, expected)))


def test_a_group_as_large_as_a_block_has_exact_sums():
    rng = np.random.default_rng(5)
    size = (1 << 16) - 8
    for scores in (rng.random(size), rng.integers(0, 50, size) / 64):
        cases = Cases(scores, rng.random(size) < 2 / 3)
        runs, groups = grouped(cases, np.zeros(size, np.int64))
        moments = placement_moments(groups[0].keys)
        assert grouped_runs.roc_area_variances(runs)[0] == roc_variances.roc_covariance(moments)[0, 0]
