"""Intervals and comparisons of ROC AUCs and average precisions, beside their definitions."""

import math
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy import integrate, stats

from evalcore import inference, metrics
from evalcore.errors import UndefinedMetricWarning
from evalcore.inference.intervals import (
    bounds_of_difference,
    effective_trials_of_areas,
    misplaced_cases,
    wilson_bounds,
)
from tests.differences import every
from tests.reference import scored_cases as slow
from tests.strategies import case_arrays, cases_of, close_to, columns_of

LEVELS = st.sampled_from([0.5, 0.9, 0.95, 0.999])
SEPARATED = cases_of([(0.9, True), (0.8, True), (0.2, False), (0.1, False)])
TIED = cases_of([(0.5, True), (0.5, True), (0.5, False), (0.5, False)])
MIXED = cases_of([(0.9, True), (0.4, True), (0.4, False), (0.6, False), (0.1, False), (0.5, True)])


@st.composite
def both_classes(draw):
    """Draw two to seven cases of each class, in any order, with common ties."""
    pool = draw(st.sampled_from([[0.0, 0.5, 1.0], [-np.inf, -0.5, 0.0, 0.1, 0.3, 2.0, 1e300, np.inf]]))
    pairs = [(score, side) for side in (True, False) for score in draw(columns_of(pool, 2, 7))]
    order = np.random.default_rng(draw(st.integers(0, 99))).permutation(len(pairs))
    return cases_of([pairs[row] for row in order])


def has_variance(cases):
    """Tell whether the area of these cases has a variance above 0."""
    return slow.covariance(cases.pairs, cases.pairs) > 0


VARIED = both_classes().filter(has_variance)


@st.composite
def scored_by_two(draw):
    """Draw cases of both classes, and what a second model says of them."""
    cases = draw(both_classes())
    return cases, cases._replace(scores=np.array(draw(columns_of([0.0, 0.25, 0.5, 1.0], cases.scores.size))))


def area_of(cases):
    """Area by the metric, which takes no infinite scores."""
    return metrics.roc_auc_score(cases.correct, np.unique(cases.scores, return_inverse=True)[1])


def interval_of(cases, **options):
    return inference.roc_auc_interval(cases.correct, cases.scores, **options)


def variance_of(cases):
    return inference.roc_auc_covariance(cases.correct, [cases.scores]).covariance[0, 0]


def compared(first, second, **options):
    return inference.compare_roc_auc(first.correct, second.scores, first.scores, **options)


def compared_unpaired(first, second, **options):
    return inference.compare_unpaired_roc_auc(second.correct, second.scores, first.correct, first.scores, **options)


def values(comparison):
    names = ("difference", "low", "high", "statistic", "p_value")
    return [getattr(comparison, name) for name in names]


@given(VARIED, LEVELS)
@example(MIXED, 0.95)
def test_intervals_are_what_their_definitions_say(cases, level):
    area, deviation = float(slow.area(cases.pairs)), math.sqrt(slow.covariance(cases.pairs, cases.pairs))
    z = stats.norm.ppf((1 + level) / 2)
    plain = interval_of(cases, level=level, method="delong")
    assert [plain.low, plain.high] == close_to(
        [max(area - z * deviation, 0.0), min(area + z * deviation, 1.0)], rel=1e-9
    )
    centre, reach = math.log(area / (1 - area)), z * deviation / (area * (1 - area))
    logit = interval_of(cases, level=level, method="delong-logit")
    assert [logit.low, logit.high] == close_to(
        [1 / (1 + math.exp(-centre + side * reach)) for side in (1, -1)], rel=1e-9
    )
    wilson = interval_of(cases, level=level)
    least = min(np.count_nonzero(cases.correct), np.count_nonzero(~cases.correct))
    lost = min(area, 1 - area)
    misplaced = math.sqrt(least * lost * least * lost**2 / (least * deviation**2 + lost**2))
    variance = (misplaced * deviation**2 + area * (1 - area) / (2 * least)) / (misplaced + 1)
    t = z * (1 + (z * z + 1) / (4 * least))
    for bound in wilson:
        assert variance * (area - bound) ** 2 == close_to(t**2 * variance**2 * bound * (1 - bound) / area / (1 - area))
    for interval, method in ((wilson, "delong-wilson"), (plain, "delong"), (logit, "delong-logit")):
        assert 0 <= interval.low <= interval.estimate <= interval.high <= 1
        assert interval.estimate == area_of(cases)
        assert (interval.level, interval.method) == (level, method)


@given(scored_by_two(), LEVELS)
def test_comparisons_are_what_their_definitions_say(pair, level):
    rankings = [cases.pairs for cases in pair]
    (own, shared), (_, others) = slow.covariances(rankings)
    variance = own + others - 2 * shared
    assume(variance > 0)
    areas = tuple(map(area_of, pair))
    comparison = compared(*pair, level=level, method="delong")
    deviation, z = math.sqrt(variance), stats.norm.ppf((1 + level) / 2)
    difference = float(slow.area(rankings[0]) - slow.area(rankings[1]))
    statistic = difference / deviation
    expected = [difference, max(difference - z * deviation, -1), min(difference + z * deviation, 1), statistic]
    assert values(comparison) == close_to([*expected, 2 * stats.norm.sf(abs(statistic))], rel=1e-9, abs=1e-12)
    assert (comparison.estimates, comparison.level, comparison.method) == (areas, level, "delong")


@given(scored_by_two(), LEVELS)
def test_comparisons_by_score_agree_with_their_p_value(pair, level):
    (own, shared), (_, others) = slow.covariances([cases.pairs for cases in pair])
    assume(own + others > 2 * shared)
    found, other = compared(*pair, level=level), compared(*pair[::-1], level=level, method="delong")
    assert found.estimates == other.estimates[::-1]
    assert found.method == "delong-score"
    assert -1 <= found.low <= found.difference <= found.high <= 1
    assert abs(found.statistic) <= abs(other.statistic)
    assert found.p_value == close_to(2 * stats.norm.sf(abs(found.statistic)), rel=1e-9)
    fewer, difference = min(pair[0].correct.sum(), (~pair[0].correct).sum()), found.difference
    if fewer > 2:
        area = sum(found.estimates) / 2
        variance = float(own + others - 2 * shared) + 2 * area * (1 - area) * difference**2 / (fewer - 2)
        assert found.statistic == close_to(difference / math.sqrt(variance), rel=1e-9, abs=1e-12)
    if abs(found.p_value - (1 - level)) > 1e-9:
        assert (found.low <= 0 <= found.high) == (found.p_value > 1 - level)
    turned = compared(*pair[::-1], level=level)
    assert values(turned) == close_to(
        [-found.difference, -found.high, -found.low, -found.statistic, found.p_value], rel=1e-12
    )


def test_comparisons_by_score_are_delongs_for_many_cases():
    rng = np.random.default_rng(3)
    correct = np.arange(20_000) < 8_000
    scores = rng.normal(correct, size=(2, correct.size))
    plain, score = (inference.compare_roc_auc(correct, *scores, method=method) for method in ("delong", "delong-score"))
    assert values(score) == close_to(values(plain), rel=2e-3, abs=2e-6)


def test_models_that_separate_the_classes_have_bounds_of_their_difference():
    correct = np.arange(60) < 20
    found = inference.compare_roc_auc(correct, correct * 2.0, correct * 1.0)
    # h = z² w, with w = 2 / 3 of 1 / 40
    assert values(found) == close_to([0.0, -0.06402431, 0.06402431, 0.0, 1.0], abs=1e-8)
    certain = compared(SEPARATED, TIED)
    assert -1 <= certain.low < 0.5 < certain.high <= 1
    assert compared_unpaired(MIXED, SEPARATED).p_value < 1  # one sample that has a variance is enough


def test_models_that_rank_alike_may_differ_as_if_they_moved_half_a_case():
    correct, scores = np.arange(20) % 2 == 0, np.array([3.0] * 8 + [1.0, 2.0] * 6)
    found = inference.compare_roc_auc(correct, scores * 2, scores)
    area, [[variance]] = inference.roc_auc_covariance(correct, [scores])
    trials, k = (of(area, variance, np.array([10])) for of in (effective_trials_of_areas, misplaced_cases))
    reach = 1.959964**2 / trials * math.sqrt(1 / 20) * 2 / (3 + k)
    assert values(found) == close_to([0.0, -reach[0], reach[0], 0.0, 1.0], rel=1e-6)
    many = [np.tile(each, 5000) for each in (correct, scores)]
    assert values(inference.compare_roc_auc(*many, many[1])) == [0.0, 0.0, 0.0, 0.0, 1.0]


def test_models_that_move_all_cases_by_as_much_have_wide_bounds():
    """The variance is 0, though neither area is certain."""
    higher, lower = cases_of([(3, True), (1, True), (2, False), (0, False)]), np.array([1.0, -1.0, 2.0, 0.0])
    found = compared(higher, higher._replace(scores=lower))
    assert (found.difference, found.statistic > 0, found.low < 0, found.high) == (0.5, True, True, 1.0)
    assert found.p_value > 0.999  # two cases of a class prove nothing


@given(VARIED, both_classes(), LEVELS)
def test_unpaired_comparisons_are_what_their_definitions_say(first, second, level):
    spread = slow.covariance(first.pairs, first.pairs), slow.covariance(second.pairs, second.pairs)
    deviation = math.sqrt(sum(spread))
    sizes = first.scores.size, second.scores.size
    terms = (variance**2 / (size - 1) for variance, size in zip(spread, sizes, strict=True))
    freedom = float(sum(spread) ** 2 / sum(terms))
    difference = float(slow.area(first.pairs) - slow.area(second.pairs))
    t, statistic = stats.t.ppf((1 + level) / 2, freedom), difference / deviation
    expected = [difference, max(difference - t * deviation, -1), min(difference + t * deviation, 1), statistic]
    comparison = compared_unpaired(first, second, level=level, method="delong")
    assert values(comparison) == close_to([*expected, 2 * stats.t.sf(abs(statistic), freedom)], rel=1e-9, abs=1e-12)
    assert (comparison.level, comparison.method) == (level, "delong")
    found, sides = compared_unpaired(first, second, level=level), []
    fewer = [min(each.correct.sum(), (~each.correct).sum()) for each in (first, second)]
    own = [min(size - 1, (few - 1) ** 2) for size, few in zip(sizes, fewer, strict=True)]
    welch = sum(spread) ** 2 / sum(variance**2 / each for variance, each in zip(spread, own, strict=True))
    t = stats.t.ppf((1 + level) / 2, max(float(welch), 1.0))
    for each, few, variance in zip((first, second), fewer, spread, strict=True):
        area = np.array([float(slow.area(each.pairs))])
        trials = effective_trials_of_areas(area, np.array([float(variance)]), np.array([few]))
        sides.append([area, *wilson_bounds(area * trials, trials, t, area)])
    low, high = bounds_of_difference(*sides)
    assert [found.low, found.high] == close_to([low[0], high[0]], rel=1e-9, abs=1e-12)
    if abs(found.p_value - (1 - level)) > 1e-9:
        assert (found.low <= 0 <= found.high) == (found.p_value > 1 - level)


@given(VARIED, st.integers(0, 99))
def test_an_interval_depends_only_on_the_order_of_the_scores(cases, seed):
    interval, variance = interval_of(cases, level=0.5), variance_of(cases)
    rows = np.random.default_rng(seed).permutation(cases.scores.size)
    mixed = cases._replace(scores=cases.scores[rows], correct=cases.correct[rows])
    _, ranks = np.unique(cases.scores, return_inverse=True)
    for same_order in (mixed, cases._replace(scores=np.exp(ranks)), cases._replace(scores=-1.0 / (ranks + 1))):
        assert interval_of(same_order, level=0.5) == interval
        assert variance_of(same_order) == variance
    for turned in (cases._replace(correct=~cases.correct), cases._replace(scores=-cases.scores)):
        other = interval_of(turned, level=0.5)
        assert [1 - other.high, 1 - other.estimate, 1 - other.low] == close_to(
            [interval.low, interval.estimate, interval.high], rel=1e-12, abs=1e-15
        )
        assert variance_of(turned) == variance


@given(scored_by_two(), columns_of([0.0, 0.5, 1.0], 20))
def test_covariances_are_the_exact_ones_rounded_once(pair, scores):
    correct = pair[0].correct
    third = pair[0]._replace(scores=np.array(scores[: correct.size]))
    models = [cases.scores for cases in (*pair, third)]
    whole = inference.roc_auc_covariance(correct, models)
    assert isinstance(whole, inference.RocAreas)
    assert whole.areas.tolist() == list(map(area_of, (*pair, third)))
    assert whole.covariance.tolist() == [
        [float(value) for value in row] for row in slow.covariances([cases.pairs for cases in (*pair, third)])
    ]
    for rows in ([0, 1], [2, 1]):
        part = inference.roc_auc_covariance(correct, [models[row] for row in rows])
        assert part.areas.tolist() == whole.areas[rows].tolist()
        assert part.covariance.tolist() == whole.covariance[np.ix_(rows, rows)].tolist()


def test_scores_of_models_may_be_columns_of_an_array_or_a_table():
    scores = np.array([[0.1, 0.2], [0.4, 0.1], [0.3, 0.9], [0.8, 0.05]])
    forms = scores, np.asfortranarray(scores), pd.DataFrame(scores), list(scores.T), tuple(scores.T)
    results = [inference.roc_auc_covariance([0, 0, 1, 1], form) for form in forms]
    for result in results:
        assert result.areas.tolist() == [0.75, 0.5]
        assert result.covariance.tolist() == results[0].covariance.tolist()


def test_narrow_scores_are_those_that_they_are():
    narrow = MIXED.scores.astype(np.float32)
    assert interval_of(MIXED._replace(scores=narrow)) == interval_of(MIXED._replace(scores=narrow.astype(np.float64)))
    both = inference.roc_auc_covariance(MIXED.correct, [narrow, narrow.astype(np.float64)]).covariance
    assert len(set(both.ravel().tolist())) == 1


def test_infinite_scores_are_the_outermost():
    infinite = np.where(MIXED.scores == 0.9, np.inf, np.where(MIXED.scores == 0.1, -np.inf, MIXED.scores))
    assert interval_of(MIXED._replace(scores=infinite)) == interval_of(MIXED)
    assert set(inference.roc_auc_covariance(MIXED.correct, [infinite, MIXED.scores]).covariance.ravel()) == {
        variance_of(MIXED)
    }


def test_variances_of_areas_next_to_one_lose_nothing():
    size = 100_000
    scores = np.concatenate([[1.0], np.full(size - 1, 2.0), [1.5], np.zeros(size - 1)])
    cases = cases_of([])._replace(scores=scores, correct=np.arange(2 * size) < size)
    assert interval_of(cases).estimate == (size**2 - 1) / size**2
    # the components of either class are 1 but one of 1 - 1 / size, whose sample variance is 1 / size³
    assert variance_of(cases) == 2 / size**4


@every("size", [2, 20, 1000])
def test_perfect_separation_has_a_bound(size):
    correct = np.arange(3 * size) < size
    t = 1.959963984540054 * (1 + (1.959963984540054**2 + 1) / (4 * size))
    least = 2 * size / (2 * size + t * t)
    assert [*inference.roc_auc_interval(correct, correct * 1.0)] == close_to([least, 1.0], rel=1e-12)
    assert [*inference.roc_auc_interval(correct, correct * -1.0)] == close_to([0.0, 1 - least], rel=1e-12)
    low, high = inference.roc_auc_interval(correct, np.zeros(3 * size))
    assert 0.5 - 1.5 / size < low < 0.5 < high < 0.5 + 1.5 / size


def test_fractions_and_areas_need_no_scipy(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    assert inference.proportion_interval(1, 2).estimate == 0.5
    assert interval_of(MIXED).low < interval_of(MIXED).high
    assert compared(MIXED, MIXED._replace(scores=-MIXED.scores)).p_value < 1
    assert variance_of(MIXED) > 0


def changes_of_precision(cases):
    """Return the influence values of the average precision: complex steps of the weight of each case."""
    order = np.argsort(-cases.scores, kind="stable")
    correct, scores = cases.correct[order], cases.scores[order]
    weights = 1 + 1e-30j * np.eye(order.size)
    ends = np.searchsorted(-scores, -scores, side="right") - 1
    tp, every = (np.cumsum(each, axis=1)[:, ends] for each in (weights * correct, weights))
    return ((weights * correct * tp / every).sum(axis=1) / (weights * correct).sum(axis=1)).imag * 1e30


def interval_of_precision(cases, level):
    """Return the bounds: unseen cases are integrated over where they may be."""
    correct, scores = cases.correct, cases.scores
    m, estimate, changes = correct.sum(), float(slow.average_precision(cases.pairs)), changes_of_precision(cases)
    above = [((scores >= score) & ~correct).sum() for score in scores[correct]]
    tp = np.array([((scores >= score) & correct).sum() for score in scores[correct]])
    rest = sum(own / (own + fp) / (own + fp + 1) for own, fp in zip(tp, above, strict=True) if fp) / m

    def moments(value, length):
        mean = integrate.quad(lambda at: value(length * at), 0, 1)[0]
        return mean, integrate.quad(lambda at: (value(length * at) - mean) ** 2, 0, 1)[0]

    clean = above.count(0)
    _, gained = moments(lambda place: 1 / (1 + place) / m, min(above))
    loss, lost = moments(lambda place: math.log((1 + clean) / (1 + place)) / m + rest, clean)
    variance = (changes**2).sum() * correct.size / (correct.size - 1) + gained + lost
    ratio = stats.norm.ppf((1 + level) / 2) ** 2 * variance / ((estimate - loss) * (1 - estimate + loss))
    roots = [np.sort(np.roots([1 + ratio, -2 * at - ratio, at**2]).real) for at in (estimate - loss, estimate)]
    return [estimate, roots[0][0], roots[1][1]]


SEVERAL = case_arrays().filter(lambda cases: 2 <= cases.correct.sum() < cases.correct.size)


@given(SEVERAL, st.sampled_from([0.5, 0.9, 0.95, 0.999]))
@example(cases_of([(0.9, False), (0.5, True), (0.5, True), (0.4, False)]), 0.95)
@example(cases_of([(0.9, True), (0.5, True), (0.1, False)]), 0.95)
def test_the_interval_of_the_average_precision_is_what_its_definition_says(cases, level):
    interval = inference.average_precision_interval(cases.correct, cases.scores, level=level)
    assert [interval.estimate, *interval] == close_to(interval_of_precision(cases, level), rel=1e-7)
    assert 0 <= interval.low <= interval.estimate <= interval.high <= 1
    assert (interval.level, interval.method) == (level, "influence-wilson")


def test_a_perfect_ranking_says_the_more_the_more_positives_it_has():
    lows = [inference.average_precision_interval(np.arange(2 * m) < m, -np.arange(2 * m)).low for m in (2, 10, 1000)]
    assert lows == pytest.approx([0.418425, 0.72345, 0.994], abs=1e-3)


def test_one_positive_among_very_many_cases_says_nothing():
    labels = np.arange(200_000) == 0
    with pytest.warns(UndefinedMetricWarning, match="one positive case alone has no variance"):
        interval = inference.average_precision_interval(labels, np.zeros(labels.size))
    assert interval.estimate == 1 / labels.size
