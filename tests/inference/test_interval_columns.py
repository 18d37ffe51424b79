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
    f1_interval,
    kappa_interval,
    precision_interval,
    proportion_interval,
    recall_interval,
    roc_auc_covariance,
    specificity_interval,
)
from evalcore.inference.cells import (
    FRACTIONS,
    cells_of_counts,
    cells_of_sums,
    decision_intervals,
    f1_intervals,
    intervals_of,
    intervals_of_parts,
    kappa_intervals,
)
from evalcore.inference.curve_areas import average_precision_interval_of_estimate, roc_auc_interval_of_keys
from evalcore.inference.interval_columns import (
    average_precision_intervals,
    average_precision_intervals_of_weights,
    roc_area_intervals,
)
from evalcore.inference.intervals import logit_bounds
from evalcore.inference.proportions import proportion_intervals
from evalcore.inference.roc_area_bounds import AREA_METHODS
from evalcore.kernels.placements import losses_of_cases
from evalcore.kernels.weights import WeightSums, sort_weights, walk_of_weights, weight_sums
from evalcore.measures import curves, multiclass
from evalcore.measures.effective_cases import effective_positives, effective_trials, kish_number, weights_for_prevalence
from evalcore.measures.roc_variances import (
    roc_area_and_variance,
    roc_area_variances_of_runs,
    weighted_roc_areas,
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


def of_interval(interval):
    return [interval.estimate, interval.low, interval.high]


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


@every("weight", ["frequency", 0.1, 7.0, 1e-30, 1e30])
def test_intervals_of_weights_are_those_of_repeated_rows_and_equal_ones_those_of_none(weight):
    y_true, y_pred, drawn_weights = drawn(60)
    options, rows, rel = {}, (y_true, y_pred), 1e-14
    weights = np.full(60, weight) if weight != "frequency" else drawn_weights
    if weight == "frequency":
        options, rows, rel = {"frequencies": True}, (y_true.repeat(weights), y_pred.repeat(weights)), 0
    tp, fn, fp, tn = cells(y_true, y_pred, weights, **options)
    found_cells = cells_of_sums(tables_of(y_true, y_pred, weights, **options))
    for found, function in (
        (intervals_of_parts(tp, tp.plus(fp), LEVEL), precision_interval),
        (intervals_of("precision", found_cells, LEVEL), precision_interval),
        (f1_intervals(found_cells, LEVEL), f1_interval),
        (kappa_intervals(found_cells, LEVEL), kappa_interval),
    ):
        assert of_intervals(found) == close(of_interval(function(*rows)), rel=rel, abs=0)
    positives, negatives = tp.plus(fn), fp.plus(tn)
    number = np.count_nonzero(rows[0])
    assert kish_number(positives) == close(number, rel=1e-14)
    found = average_precision_intervals_of_weights(np.array([0.7]), positives, negatives, LEVEL)
    expected = average_precision_intervals(np.array([0.7]), np.array([number]), LEVEL)
    assert of_intervals(found) == close(of_intervals(expected), rel=1e-14)
    if weight != "frequency":
        assert effective_positives(np.array([0.3]), positives, negatives) == close(number, rel=1e-14)


@given(cases)
def test_effective_trials_have_the_variance_of_the_proportion(rows):
    y_true, _, weights = zip(*rows, strict=True)
    tp, _, fp, _ = cells(y_true, [True] * len(rows), weights)
    estimate, number = (float(each[0]) for each in effective_trials(tp, tp.plus(fp)))
    exact = [Fraction(weight) for weight in weights]
    mean = sum(weight for weight, success in zip(exact, y_true, strict=True) if success) / sum(exact)
    assert estimate == close(float(mean), rel=1e-14)
    scatter = sum(
        (weight * (success - mean)) ** 2 for weight, success in zip(exact, y_true, strict=True)
    )  # times Σw, squared
    if scatter:
        assert number == close(float(mean * (1 - mean) * sum(exact) ** 2 / scatter), rel=1e-13)
    else:
        assert number == close(float(sum(exact) ** 2 / sum(weight**2 for weight in exact)), rel=1e-13)


def test_no_weight_has_no_interval():
    nothing = WeightSums(*np.zeros((3, 1)))
    for found in (
        intervals_of_parts(nothing, nothing, LEVEL),
        *decision_intervals(cells_of_sums(WeightSums(*np.zeros((3, 1, 2, 2)))), LEVEL).values(),
        average_precision_intervals_of_weights(np.array([np.nan]), nothing, nothing, LEVEL),
    ):
        assert np.isnan(of_intervals(found)).all()


def numerical_variance(measure, y_true, y_pred, weights):
    """Add up the squares of how much the measure changes with each weight, times the weight."""
    of_cells = {}  # cases of one cell of the decision table change the measure alike
    for index, cell in enumerate(zip(y_true, y_pred, strict=True)):
        if cell not in of_cells:
            step = np.zeros(weights.size)
            step[index] = 1e-6
            rise = measure(y_true, y_pred, weights + step) - measure(y_true, y_pred, weights - step)
            of_cells[cell] = rise / 2e-6
    changes = [of_cells[cell] for cell in zip(y_true, y_pred, strict=True)]
    return np.sum(np.square(weights * changes))


def test_variances_are_those_of_the_derivatives_by_the_weights():
    metrics = pytest.importorskip("sklearn.metrics")
    y_true, y_pred, _ = drawn(20)
    weights = np.random.default_rng(1).lognormal(size=20)
    tables = tables_of(y_true, y_pred, weights)
    f1, kappa = (
        numerical_variance(lambda true, pred, own, of=of: of(true, pred, sample_weight=own), y_true, y_pred, weights)
        for of in (metrics.f1_score, metrics.cohen_kappa_score)
    )
    for name, variance in (("f1", f1), ("kappa", kappa)):
        derivatives = multiclass.decision_derivatives(name, tables.sums)
        assert cells_of_sums(tables).spread(derivatives)[0] == close(variance, rel=1e-7)


NAMES = {
    "accuracy": "accuracy_score",
    "recall": "recall_score",
    "precision": "precision_score",
    "f1": "f1_score",
    "jaccard": "jaccard_score",
    "kappa": "cohen_kappa_score",
}
"""In scikit-learn."""


def test_under_a_known_prevalence_only_decisions_within_classes_vary():
    y_true, y_pred, _ = drawn(20)
    given = np.random.default_rng(7).lognormal(size=20)
    found = intervals_at_prevalence(y_true, y_pred, given)
    reach = 1.959963984540054
    metrics = pytest.importorskip("sklearn.metrics")
    for name, function in NAMES.items():

        def measure(true, pred, own, function=function):
            return getattr(metrics, function)(true, pred, sample_weight=weights_for_prevalence(true, 0.1, own))

        estimate, low, high = of_intervals(found[name])
        assert estimate == close(measure(y_true, y_pred, given), rel=1e-13)
        variance = numerical_variance(measure, y_true, y_pred, given)
        if name == "kappa":
            bounds = estimate - reach * np.sqrt(variance), estimate + reach * np.sqrt(variance)
        elif name == "f1":
            bounds = logit_bounds(estimate, np.sqrt(variance), LEVEL)
        else:
            number = estimate * (1 - estimate) / variance
            bounds = (
                row[0] for row in proportion_intervals(np.array([estimate * number]), np.array([number]), LEVEL)[1:3]
            )
        assert [low, high] == close(list(bounds), rel=1e-6)


def test_measures_of_one_class_are_those_of_any_prevalence():
    y_true, y_pred, _ = drawn(60)
    found = intervals_at_prevalence(y_true, y_pred)
    assert of_intervals(found["recall"]) == close(of_interval(recall_interval(y_true, y_pred)), rel=1e-13)
    assert of_intervals(found["specificity"]) == close(of_interval(specificity_interval(y_true, y_pred)), rel=1e-13)


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
    losses = losses_of_cases(sort_weights(scores, correct, weights))
    assert weighted_roc_areas([losses], correct, weights) == close(float(expected[0]), rel=1e-14, abs=1e-15)
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
    weights = np.random.default_rng(3).random((40, 60))
    with block_size(7):
        areas = [weighted_roc_areas([np.ones(60)], np.ones(60, np.bool_), each)[0] for each in weights]
    assert areas == close([0] * 40, abs=1e-15)
    assert min(areas) == 0


@every("weight", [0.1, 7.0, 1e-30])
def test_equal_weights_give_the_covariances_of_none(weight):
    rng = np.random.default_rng(2)
    correct = rng.random(80) < 0.4
    models = [np.round(rng.normal(size=80) + correct, 1) for _ in range(2)]
    expected = roc_auc_covariance(correct, models)
    weights = np.full(80, weight)
    losses = [losses_of_cases(sort_weights(scores, correct, weights)) for scores in models]
    assert weighted_roc_areas(losses, correct, weights) == close(expected.areas, rel=1e-14)
    assert weighted_roc_covariance(losses, correct, weights) == close(expected.covariance, rel=1e-12)
    contrast = np.array([1, -1])
    assert weighted_roc_covariance(losses, correct, weights, [contrast]) == close(
        contrast @ expected.covariance @ contrast, rel=1e-12
    )
    assert area_and_variance(models[0], correct, weights).variance == close(expected.covariance[0, 0], rel=1e-14)


@every("scores", [[1, 2, 3, 4], [4, 3, 2, 1], [1, 1, 1, 1]])
def test_pairs_that_are_all_ranked_alike_have_no_variance(scores):
    correct, weights = np.array([False, False, True, True]), np.array([0.1, 0.2, 0.3, 0.7])
    area, variance, _ = area_and_variance(np.array(scores, dtype=np.float64), correct, weights)
    assert (area, variance) == ({1: 1.0, 4: 0.0}.get(scores[0] if scores[0] != scores[1] else None, 0.5), 0.0)
