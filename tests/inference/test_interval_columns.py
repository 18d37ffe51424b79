"""Intervals of many groups at once: those of each group to the last bit; of weights, those of repeated rows or none.

Variances of weighted areas are beside their formulas in fractions.
"""

import warnings
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.errors import UndefinedMetricWarning
from evalcore.inference import (
    proportion_interval,
)
from evalcore.inference.cells import (
    FRACTIONS,
    cells_of_counts,
    cells_of_sums,
    decision_intervals,
    intervals_of,
    intervals_of_parts,
    kappa_intervals,
)
from evalcore.inference.curve_areas import (
    average_precision_interval_of_estimate,
    average_precision_intervals,
    roc_area_intervals,
    roc_auc_interval_of_keys,
)
from evalcore.inference.proportions import proportion_intervals
from evalcore.inference.roc_area_bounds import AREA_METHODS
from evalcore.kernels.placements import losses_of_cases
from evalcore.kernels.weights import WeightSums, sort_weights, walk_of_weights, weight_sums
from evalcore.measures import curves
from evalcore.measures.effective_cases import effective_positives, weights_for_prevalence
from evalcore.measures.roc_variances import (
    roc_area_and_variance,
    roc_area_variances_of_runs,
    weighted_roc_covariance,
)
from tests.differences import every
from tests.kernels.dealt import DEALT, grouped
from tests.strategies import BLOCKS, TABLES, block_size

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
    tp, fn, _, _ = np.array(tables).T
    assert same(
        proportion_intervals(tp, tp + fn, level),
        level,
        [lambda t=t: proportion_interval(t.tp, t.tp + t.fn, level=level) for t in tables],
    )
    for name in (*FRACTIONS, "f1", "kappa"):
        found = intervals_of(name, cells_of_counts(np.reshape(tables, (-1, 2, 2))), level)
        each = (intervals_of(name, cells_of_counts(np.reshape(t, (1, 2, 2))), level) for t in tables)
        assert same(found, level, [lambda one=one: one.each(level)[0] for one in each])


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


LEVEL = 0.95
close = pytest.approx
cases = st.lists(
    st.tuples(st.booleans(), st.booleans(), st.sampled_from([0.25, 0.5, 1.0, 3.0])), min_size=1, max_size=12
)
"""Whether each is positive, whether it is predicted positive, and its weight."""
scored = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0.0, 1.0, 2.0, 3.0]), st.sampled_from([0.5, 1.0, 2.0, 5.0])),
    min_size=1,
    max_size=12,
)


def cells(y_true, y_pred, weights, *, frequencies=False):
    """Add up the weights of the cells tp, fn, fp, tn, (1,) each."""
    codes = 2 * ~np.asarray(y_true) + ~np.asarray(y_pred)
    sums = weight_sums(codes, np.asarray(weights), 4, frequencies=frequencies)
    return [sums.at(slice(cell, cell + 1)) for cell in range(4)]


def of_intervals(found):
    return [found.estimates[0], found.low[0], found.high[0]]


def drawn(size, seed=0):
    rng = np.random.default_rng(seed)
    y_true = rng.random(size) < 0.4
    return y_true, rng.random(size) < np.where(y_true, 0.8, 0.3), rng.integers(1, 5, size)


def tables_of(y_true, y_pred, weights, **options):
    return WeightSums(
        *(np.reshape(column, (1, 2, 2)) for column in zip(*cells(y_true, y_pred, weights, **options), strict=True))
    )


def intervals_at_prevalence(y_true, y_pred, given=None):
    tables = tables_of(y_true, y_pred, weights_for_prevalence(y_true, 0.1, given))
    return decision_intervals(cells_of_sums(tables, known_prevalence=True), LEVEL)


def test_no_weight_has_no_interval():
    nothing = WeightSums(*np.zeros((3, 1)))
    for found in (
        intervals_of_parts(nothing, nothing, LEVEL),
        *decision_intervals(cells_of_sums(WeightSums(*np.zeros((3, 1, 2, 2)))), LEVEL).values(),
        average_precision_intervals(
            np.array([np.nan]), effective_positives(np.array([np.nan]), nothing, nothing), LEVEL
        ),
    ):
        assert np.isnan(of_intervals(found)).all()


@every("predicted", [True, False])
def test_decisions_that_do_not_vary_still_have_uncertain_fractions(predicted):
    y_true, _, _ = drawn(60)
    y_pred = np.full(60, predicted)
    found = intervals_at_prevalence(y_true, y_pred)
    for name in ("accuracy", "precision" if predicted else "negative_predictive_value", "recall", "specificity"):
        estimate, low, high = of_intervals(found[name])
        assert 0 <= low <= estimate <= high <= 1
        assert high - low > 0.01


def test_full_agreement_has_no_variance_of_kappa_however_sums_are_rounded():
    sums = np.diag([0.1, 0.2, 0.3])
    found = kappa_intervals(cells_of_sums(WeightSums(sums[None], np.square(sums)[None], (sums[None] > 0) * 1.0)), LEVEL)
    assert found.estimates == 1
    assert np.isnan(found.low)


def area_and_variance(scores, correct, weights, *, frequencies=False):
    return roc_area_and_variance(walk_of_weights(sort_weights(scores, correct, weights)), frequencies=frequencies)


def slow_area_and_variance(rows, *, frequencies=False):
    """Compare all pairs, in fractions."""
    sides = [[(score, Fraction(weight)) for label, score, weight in rows if label == side] for side in (True, False)]
    positive, negative = (sum(weight for _, weight in side) for side in sides)
    if not (positive and negative):
        return None

    def won(better, worse):
        return Fraction(1, 2) if better == worse else Fraction(better > worse)

    of_correct = [sum(w * won(score, other) for other, w in sides[1]) / negative for score, _ in sides[0]]
    of_incorrect = [sum(w * won(other, score) for other, w in sides[0]) / positive for score, _ in sides[1]]
    area = sum(w * each for (_, w), each in zip(sides[0], of_correct, strict=True)) / positive
    variance = Fraction(0)
    for side, placed, total in ((sides[0], of_correct, positive), (sides[1], of_incorrect, negative)):
        size = total if frequencies else len(side)
        if size < 2:
            return area, None
        scatter = sum(
            (w if frequencies else w**2) * (each - area) ** 2 for (_, w), each in zip(side, placed, strict=True)
        )
        variance += scatter / total**2 * size / (size - 1)
    return area, variance


@given(scored, st.booleans(), BLOCKS)
def test_area_and_variance_are_those_of_all_pairs(rows, frequencies, block):
    rows = [(label, score, float(round(weight + 0.5)) if frequencies else weight) for label, score, weight in rows]
    correct, scores, weights = (np.array(column) for column in zip(*rows, strict=True))
    with block_size(block):
        area, variance, _ = area_and_variance(scores, correct, weights, frequencies=frequencies)
    expected = slow_area_and_variance(rows, frequencies=frequencies)
    if expected is None:
        assert np.isnan([area, variance]).all()
        return
    assert area == close(float(expected[0]), rel=1e-15, abs=1e-16)
    if expected[1] is None:
        assert np.isnan(variance)
    else:
        assert variance == close(float(expected[1]), rel=1e-13, abs=1e-32)
    losses = losses_of_cases(walk_of_weights(sort_weights(scores, correct, weights)))
    lost = np.average(losses[correct], weights=weights[correct])
    assert 1 - lost == close(float(expected[0]), rel=1e-14, abs=1e-15)
    covariance = weighted_roc_covariance([losses], correct, weights, frequencies=frequencies)
    assert covariance[0, 0] == close(variance, rel=1e-12, abs=1e-31, nan_ok=True)


@every("size", range(20, 30))
def test_turning_scores_round_turns_the_area_round(size):
    correct, scores, weights = (np.arange(size) % of for of in (2, 5, 7))
    area, variance, _ = area_and_variance(scores + 3.0 * correct, correct == 1, weights + 0.5)
    turned, same, _ = area_and_variance(-scores - 3.0 * correct, correct == 1, weights + 0.5)
    assert area > 0.9
    assert (turned, same) == (close(1 - area, rel=1e-14), close(variance, rel=1e-14))


def test_an_area_is_never_below_zero():
    weights, correct = np.random.default_rng(3).random((40, 60)), np.arange(60) % 2 == 0
    with block_size(7):
        areas = [area_and_variance(correct - 0.5, ~correct, each).area for each in weights]
    assert areas == [0] * 40


@every("scores", [[1, 2, 3, 4], [4, 3, 2, 1], [1, 1, 1, 1]])
def test_pairs_that_are_all_ranked_alike_have_no_variance(scores):
    correct, weights = np.array([False, False, True, True]), np.array([0.1, 0.2, 0.3, 0.7])
    area, variance, _ = area_and_variance(np.array(scores, dtype=np.float64), correct, weights)
    assert (area, variance) == ({1: 1.0, 4: 0.0}.get(scores[0] if scores[0] != scores[1] else None, 0.5), 0.0)
