"""Measures of curves of one ranking and of many at once, and influence values, beside slow twins."""

import json
from fractions import Fraction
from itertools import product
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from evalcore import evaluate
from evalcore.inference import compare_roc_auc, roc_auc_interval
from evalcore.kernels import blocks
from evalcore.kernels.bins import ScoreIntervals, runs_of_points, runs_of_scores
from evalcore.kernels.blocks import BLOCK
from evalcore.kernels.pairs import PairCounts, doubled_ranks, pair_counts
from evalcore.kernels.placements import moments_of, moments_of_runs, placements
from evalcore.kernels.runs import lazy_runs, runs_of_keys
from evalcore.kernels.sorting import found_order, indexed_order, order
from evalcore.kernels.thresholds import counted_points
from evalcore.kernels.weights import sort_weights, walk_of_weights
from evalcore.measures import curves, influence, ranks, roc_variances, thresholds
from evalcore.measures.bounds import average_precision_bounds
from evalcore.measures.curves import areas_of_rows, of_columns
from evalcore.metrics import roc_auc_score
from evalcore.streaming import ScoreSummary
from tests.differences import every
from tests.lingpipe.evaluations import scored
from tests.reference import scored_cases as slow
from tests.strategies import BLOCKS, DEALT, Cases, block_size, case_arrays, case_matrices, cases_of, close_to, grouped

CASES = case_arrays(max_size=25)
MISSES = st.sampled_from([0, 0, 1, 4])
BETAS = st.sampled_from([0.0, 0.5, 1.0, 2.0, -3.0])


def runs_of(cases, misses=0, negative_misses=0):
    runs = runs_of_keys(cases.keys)
    return runs._replace(totals=runs.totals + np.array([[misses], [negative_misses]]))


@given(CASES, MISSES, MISSES, BLOCKS)
@example(cases_of([]), 0, 0, 1)
@example(cases_of([]), 2, 0, 1)
def test_measures_of_one_ranking_are_those_of_its_cases_and_leave_its_runs_alone(cases, misses, negative_misses, block):
    runs, pairs = runs_of(cases, misses, negative_misses), cases.pairs
    before = [column.tobytes() for column in runs if column is not None]
    positives, negatives = slow.positives(pairs, misses), slow.negatives(pairs, negative_misses)
    won = slow.roc_auc(pairs, misses, negative_misses), slow.roc_auc(pairs, misses, negative_misses, tied=Fraction(0))
    with block_size(block):
        assert curves.average_precisions(runs)[0] == close_to(slow.average_precision(pairs, misses))
        assert curves.roc_auc(pair_counts(cases.keys), positives, negatives) == close_to(won[0], rel=0)
        assert curves.roc_step_area(runs) == close_to(won[1], rel=0)
        assert curves.break_even_points(runs).tolist() == [float(slow.break_even_point(pairs, misses))]
        heights = curves.interpolated_precisions(runs).tolist()
        assert heights == [float(height) for height in slow.interpolated_precisions(pairs, misses)]
        for measure in (curves.roc_aucs, curves.maximum_f_measures):
            measure(runs)
    assert before == [column.tobytes() for column in runs if column is not None]


@given(case_arrays(), st.sampled_from([1, 2, 3, 7]), st.sampled_from([1, -1]), st.sampled_from([0, 8, 99]))
@example(cases_of([(0.5, False), (0.5, True), (0.25, True), (0.25, False)]), 1, 1, 99)
@example(cases_of([(score, score in (0.0, 3.0, 7.0)) for score in (*np.arange(20.0), 3.0, 7.0, 7.0)]), 7, -1, 8)
def test_areas_and_curves_of_cases_that_come_sorted_are_those_of_any_order_to_the_last_bit(cases, block, step, few):
    keys = order(*cases)
    ranks = cases.scores.argsort(kind="stable")[::step]
    positives, negatives = int(cases.correct.sum()), int((~cases.correct).sum())
    with block_size(block), pytest.MonkeyPatch.context() as patch:
        patch.setattr("evalcore.kernels.pairs._FEW_TIES", few)
        found = found_order(cases.scores[ranks], cases.correct[ranks])
        assert (found is None) == (ranks.size <= block)
        if found:
            area = curves.roc_aucs_of_rank_sums(*doubled_ranks(found), ranks.size).item()
            of_found, of_keys = ([*counted_points(each)] for each in (found, keys))
            assert [column.tobytes() for column in of_found] == [column.tobytes() for column in of_keys]
            areas = [area, curves.average_precisions(lazy_runs(found)).item()]
            own = curves.roc_auc(pair_counts(keys.keys), positives, negatives)
            np.testing.assert_array_equal(areas, [own, curves.average_precisions(lazy_runs(keys.keys)).item()])


@given(case_matrices(), BLOCKS)
def test_areas_of_columns_are_those_of_each_to_the_last_bit(cases, block):
    with block_size(block):
        found = of_columns(areas_of_rows, *cases)
    columns = [Cases(*column) for column in zip(cases.scores.T, cases.correct.T, strict=True)]
    counts = [(int(each.correct.sum()), int((~each.correct).sum())) for each in columns]
    areas = [curves.roc_auc(pair_counts(each.keys), *own) for each, own in zip(columns, counts, strict=True)]
    precisions = [curves.average_precisions(lazy_runs(each.keys))[0] for each in columns]
    np.testing.assert_array_equal(found, [areas, precisions])


def test_areas_of_rank_sums_are_rounded_once_however_many_cases_there_are():
    correct, cases = np.array([2**29 + 1, 0, 7]), 2**30
    sums = np.array([(2**29 + 1) ** 2 + 2**58 + 1, 0, 50 + 2**30])
    found = curves.roc_aucs_of_rank_sums(correct, sums, cases)
    first = (2**58 + 1) / (2 * (2**29 + 1) * (2**29 - 1))
    np.testing.assert_array_equal(found, [first, np.nan, (1 + 2**30) / (14 * (2**30 - 7))])


def test_both_roc_aucs_stay_exact_beyond_the_integers_of_float64():
    tp, fp = np.array([10**9, 3 * 10**9]), np.array([3, 10**9 + 1])
    positives, negatives = 3 * 10**9 + 7, 2 * 10**9 + 1
    pairs = 10**9 * (negatives - 3) + 2 * 10**9 * (negatives - 10**9 - 1)
    runs = runs_of_points(tp, fp)._replace(totals=np.array([[positives], [negatives]]))
    assert curves.roc_step_area(runs) == pairs / (positives * negatives)
    lost, tied = 3 * 10**9 * negatives - pairs, 10**9 * 3 + 2 * 10**9 * (10**9 - 2)
    area = curves.roc_auc(PairCounts(3 * 10**9, lost, tied), positives, negatives)
    assert area == (2 * pairs + tied) / (2 * positives * negatives) == curves.roc_aucs(runs)[0]
    frequent = runs_of_scores(np.array([1, 2**50]), np.array([2**50, 1]))
    assert curves.roc_step_area(frequent) == 1 / (2**50 + 1) ** 2


@every("huge", [10**15, 2**53 + 1, 10**18, 2**62])
def test_huge_numbers_of_references_that_were_not_retrieved_do_not_overflow(huge):
    pairs = [(2.0, True)] * 3 + [(1.0, False), (0.5, True), (0.5, False)]
    cases = cases_of(pairs)
    runs = runs_of(cases, 0, huge)
    area = curves.roc_auc(pair_counts(cases.keys), 4, huge + 2)
    assert curves.roc_step_area(runs) == float(slow.roc_auc(pairs, 0, huge, tied=0))
    assert area == float(slow.roc_auc(pairs, 0, huge)) == curves.roc_aucs(runs)[0]
    runs = runs_of(cases, huge)
    assert curves.average_precisions(runs)[0] == close_to(slow.average_precision(pairs) * 4 / (4 + huge))
    assert curves.maximum_f_measures(runs).values[0] == close_to(slow.maximum_f_measure(pairs, huge))
    assert curves.interpolated_precisions(runs).tolist() == [1.0] + [0.0] * 10


@given(CASES, MISSES, st.booleans())
def test_area_of_a_selection_of_points_is_that_of_its_steps(cases, misses, interpolate):
    runs = runs_of(cases, misses)
    if interpolate:
        runs = runs.at(np.array(slow.undominated((runs.tp / (runs.tp + runs.fp)).tolist()), np.bool_))
    rows = slow.pr_curve(cases.pairs, misses, interpolate)
    area = np.nan_to_num(curves.average_precisions(runs)[0])
    assert area == close_to(slow.step_area(rows))


@given(CASES, MISSES, BETAS, BLOCKS)
def test_maximum_f_measure_is_the_largest_of_the_runs_and_says_where(cases, misses, beta, block):
    with block_size(block):
        (value,), (best,) = curves.maximum_f_measures(runs_of(cases, misses), beta)
    if not cases.correct.any():
        assert (value, best) == (0, -1)
        return
    assert value == close_to(slow.maximum_f_measure(cases.pairs, misses, beta))
    recall, precision, _ = slow.pr_curve(cases.pairs, misses)[best]
    assert value == close_to(slow.f_measure(precision, recall, beta))


@every("block", [1, 2, 7])
def test_of_equally_good_runs_maximum_f_measure_takes_the_best_scored(block):
    runs = runs_of_points(np.array([1, 2, 3]), np.array([1, 4, 7]))  # F = 2 tp / (2 tp + fn + fp) = 1/2, ..
    with block_size(block):
        assert curves.maximum_f_measures(runs._replace(totals=np.array([[2], [7]]))) == curves.BestRuns([0.5], [0])


@given(CASES.filter(lambda cases: cases.scores.size), st.sampled_from([0.0, 0.25, 1.0, 3.0]), st.integers(0, 9), BLOCKS)
@example(cases_of([(0.5, False), (0.25, True)]), 1.0, 1, 1)
@example(cases_of([(0.5, True), (0.25, False)]), 0.0, 0, 1)
@example(cases_of([(0.5, True), (0.25, False)]), 1.0, 5, 1)
def test_the_least_expected_cost_is_that_of_some_threshold(cases, false_positive, false_negative, block):
    positives = int(cases.correct.sum())

    def cost_at(size):
        tp = sum(cases.correct[np.argsort(-cases.scores, kind="stable")][:size].tolist())
        return (false_positive * (size - tp) + false_negative * (positives - tp)) / cases.scores.size

    distinct = sorted(set(cases.scores.tolist()), reverse=True)
    least = min([0, *(np.count_nonzero(cases.scores >= score) for score in distinct)], key=cost_at)
    with block_size(block):
        runs = runs_of(cases)
        (value,), (best,) = curves.minimum_expected_costs(runs, np.array([0.0, false_negative, false_positive, 0.0]))
    assert (value, np.append(runs.tp + runs.fp, 0)[best]) == (cost_at(least), least)
    assert not np.signbit(value)  # 0 of a perfect ranking is not printed as -0


COSTS = np.array([0.0, 5.0, 2.0, 0.0])
"""Of tp, fn, fp and tn."""


def measured(runs, depth):
    """List the measures of rankings."""
    depths = runs.totals[0], np.full(runs.sizes.size, depth)
    return (
        curves.roc_aucs(runs),
        curves.average_precisions(runs),
        *predicted_positive(runs, curves.maximum_f_measures(runs)),
        *predicted_positive(runs, curves.minimum_expected_costs(runs, COSTS)),
        curves.break_even_points(runs),
        *(ranks.precisions_at(runs, each) for each in depths),
        *(ranks.recalls_at(runs, each) for each in depths),
        ranks.reciprocal_ranks(runs),
    )


def variance_of(cases):
    moments = moments_of([placements(indexed_order(cases.scores, cases.correct))])
    return roc_variances.roc_covariance(moments, [[1]]).item()


def alone(cases, depth):
    """List the measures of one group."""
    keys, positives = cases.keys, int(cases.correct.sum())
    return (
        curves.roc_auc(pair_counts(keys), positives, keys.size - positives),
        variance_of(cases),
        *(column.item() for column in measured(runs_of_keys(keys), depth)),
    )


def predicted_positive(runs, best):
    """List the best values, and the cases at or above the scores where they are reached."""
    return best.values, np.append(runs.before + runs.size, 0)[best.runs]


@given(DEALT, st.integers(1, 12), BLOCKS)
def test_each_group_has_the_measures_of_its_cases_alone(dealt, depth, block):
    if not dealt[1]:
        return
    runs, groups = grouped(*dealt)
    with block_size(block):
        areas = curves.roc_aucs(runs)
        found = areas, roc_variances.roc_auc_variances(*moments_of_runs(runs)), *measured(runs, depth)
    expected = [alone(cases, depth) for cases in groups]
    assert repr(list(zip(*(column.tolist() for column in found), strict=True))) == repr(expected)


def test_a_group_as_large_as_a_block_has_exact_sums():
    rng = np.random.default_rng(5)
    size = (1 << 16) - 8
    for scores in (rng.random(size), rng.integers(0, 50, size) / 64):
        cases = Cases(scores, rng.random(size) < 2 / 3)
        runs, groups = grouped(cases, np.zeros(size, np.int64))
        assert roc_variances.roc_auc_variances(*moments_of_runs(runs))[0] == variance_of(groups[0])


ROUNDING = 2e-15


def exact_area(y_true, scores, weights):
    """Compare each positive with each negative."""
    exact = [Fraction(weight) for weight in weights.tolist()]
    cases = list(zip(y_true.tolist(), scores.tolist(), exact, strict=True))
    pairs = [(own, score - other, weight * others) for own, score, weight in cases for label, other, others in cases
             if own and not label]  # fmt: skip
    return sum(weight * (2 * (gap > 0) + (gap == 0)) / 2 for _, gap, weight in pairs) / sum(
        weight for *_, weight in pairs
    )


def areas(y_true, scores, weights):
    """The area by each route."""
    yield "metric", roc_auc_score(y_true, scores, sample_weight=weights)
    for cluster in (None, np.arange(y_true.size)):
        options = {"sample_weight": weights, "cluster": cluster}
        yield "interval", roc_auc_interval(y_true, scores, **options).estimate
        yield "comparison", compare_roc_auc(y_true, scores, scores, **options).estimates[0]
    summary = ScoreSummary(100)
    summary.update(y_true, scores, sample_weight=weights)
    yield "summary", float(summary.roc_auc())
    frame = {"y": y_true.astype(int), "s": scores, "w": weights, "group": np.array(["all"] * y_true.size)}
    report = json.loads(evaluate(frame, label="y", score="s", weight="w", by="group").to_json())
    for group, own in report["scores"]["s"].items():
        yield f"report {group}", own["roc_auc"]


def cases_in_wrong_order(seed, high=0):
    """Cases of which all positives but the first are below all negatives; weights that differ widely."""
    rng = np.random.default_rng(seed)
    y_true = np.arange(12) < 6
    scores = np.where(y_true, 0.0, 1.0) + rng.integers(0, 8, 12) / 10
    scores[:high] = 3.0
    weights = rng.gamma(0.5, size=12) * np.where(np.arange(12) == 0, 1e-9, 1)
    shuffled = rng.permutation(12)
    return y_true[shuffled], scores[shuffled], weights[shuffled]


@every("seed", range(8))
def test_areas_near_0_keep_their_digits_and_those_of_0_and_1_are_0_and_1(seed):
    cases = cases_in_wrong_order(seed, high=1)
    expected = exact_area(*cases)
    assert 0 < expected < 1e-6
    for route, area in areas(*cases):
        assert float(abs(Fraction(area) - expected) / expected) < ROUNDING, route
    y_true, scores, weights = cases_in_wrong_order(seed)
    assert {area for _, area in areas(y_true, scores, weights)} == {0.0}
    for route, area in areas(y_true, -scores, weights):
        assert area == pytest.approx(1, rel=ROUNDING), route


LEVELS = [0.0, 1.0, 2.0]


ROWS_OF_INTERVALS = st.tuples(st.sampled_from(LEVELS), st.sampled_from(LEVELS), st.integers(0, 2), st.integers(0, 2))


def few_intervals(rows):
    """Whether at most five cases are in them, and no interval is empty."""
    return sum(sum(row[2:]) for row in rows) <= 5 and all(row[2] + row[3] for row in rows)


@given(st.lists(ROWS_OF_INTERVALS, min_size=1, max_size=4).filter(few_intervals), st.integers(0, 1))
def test_every_arrangement_has_its_average_precision_between_the_bounds(rows, misses):
    rows = sorted((min(row[:2]), max(row[:2]), *row[2:]) for row in rows)
    low, high, positives, negatives = map(np.array, zip(*rows, strict=True))
    total = int(positives.sum()) + misses
    bounds = average_precision_bounds(ScoreIntervals(low, high, positives, negatives), total)
    if total == 0:
        assert np.isnan(bounds).all()
        return
    cases = [(row, label) for row in rows for label in [True] * row[2] + [False] * row[3]]
    # halves too, for scores between those where intervals end
    choices = [[s / 2 for s in range(5) if row[0] <= s / 2 <= row[1]] for row, _ in cases]
    for scores in product(*choices):
        pairs = list(zip(scores, (label for _, label in cases), strict=True))
        exact = float(slow.average_precision(pairs, misses))
        assert bounds[0] - 1e-12 <= exact <= bounds[1] + 1e-12
    if np.array_equal(low, high):
        np.testing.assert_allclose(bounds, [exact, exact], rtol=0, atol=1e-12)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12), st.data())
@example([(1, 1), (1, 0)], None)
def test_weights_have_the_partial_areas_of_counts(gained, data):
    tp, fp = np.cumsum(np.array(gained, np.float64), axis=0).T
    if not tp[-1] or not fp[-1]:
        return
    rate = st.fractions(0, 1, max_denominator=12)
    low, high = (Fraction(0), Fraction(1, 2)) if data is None else sorted((data.draw(rate), data.draw(rate)))
    exact = thresholds.partial_roc_auc(tp, fp, low, high)
    found = thresholds.partial_roc_auc(0.3 * tp, 0.7 * fp, low, high)
    assert float(found) == pytest.approx(float(exact), abs=1e-12)


def precision_influence(truth, scores):
    ordering = indexed_order(scores, truth)
    found = influence.average_precision_influence(ordering)
    return found.of_cases(placements(ordering), slice(0, truth.size))


def test_influence_is_the_same_across_blocks(monkeypatch):
    generator = np.random.default_rng(3)
    truth, scores = generator.random(3000) < 0.2, generator.integers(0, 400, 3000) / 400
    whole = precision_influence(truth, scores)
    ranking = walk_of_weights(sort_weights(scores, truth, np.ones(3000)))
    assert whole == pytest.approx(influence.average_precision_influence_of_weights(ranking))
    monkeypatch.setattr(blocks, "BLOCK", 16)
    assert precision_influence(truth, scores) == pytest.approx(whole, rel=1e-12)


@given(BLOCKS, st.booleans())
def test_covariances_of_weighted_areas_are_those_of_deviations_from_the_means_to_the_last_difference(block, frequent):
    generator = np.random.default_rng(5)
    correct, weights = generator.random(60).round() > 0, generator.integers(1, 9, 60) / 2
    lost = generator.random(60)
    losses, contrasts = [lost, lost + 1e-9 * generator.random(60), np.full(60, 0.3)], np.array([[1, -1, 0], [0, 1, 1]])
    expected = np.zeros((2, 2))
    for side in (correct, ~correct):
        own, values = weights[side], contrasts @ np.array(losses)[:, side]
        apart, units = (
            values - np.average(values, axis=1, weights=own)[:, np.newaxis],
            own.sum() if frequent else own.size,
        )
        scaled = apart * (own if frequent else own**2)
        expected += scaled @ apart.T / own.sum() ** 2 * units / (units - 1)
    with block_size(block):
        found = roc_variances.weighted_roc_covariance(losses, correct, weights, contrasts, frequencies=frequent)
        constant = roc_variances.weighted_roc_covariance(losses, correct, weights, [[0, 0, 1]], frequencies=frequent)
    assert found == pytest.approx(expected, rel=1e-9, abs=0)
    assert constant == 0


def test_influence_without_positives_is_none_and_on_a_mean_the_weighted_deviation():
    assert precision_influence(np.zeros(2, np.bool_), np.array([0.5, 0.1])).tolist() == [0, 0]
    values, weights = np.array([1.0, 2.0, 6.0]), np.array([1.0, 1.0, 2.0])
    assert influence.mean_influence(values, weights) == pytest.approx([-2.75 / 4, -1.75 / 4, 2 * 2.25 / 4])


CLUSTERED = st.lists(
    st.tuples(st.integers(0, 6), st.booleans(), st.integers(1, 4), st.integers(0, 3)), min_size=4, max_size=60
)


@given(CLUSTERED, st.sampled_from([1, 12, 1 << 14]), st.booleans())
def test_each_cluster_is_left_out(cases, block, known):
    scores, correct, weights, clusters = map(np.array, zip(*cases, strict=True))
    clusters, weights = np.unique(clusters, return_inverse=True)[1], weights / 3
    with mock.patch.object(influence, "_BLOCK", block):
        ranked = sort_weights(scores / 7, correct, weights)
        found = influence.average_precisions_left_out(ranked, clusters, known_prevalence=known)
    for cluster, ours in enumerate(found.tolist()):
        kept = clusters != cluster
        lacking = not correct[kept].any() or (known and correct[kept].all())
        own = weights.copy()
        if known and not lacking:  # the weight of each class is that of all cases still
            for side in (correct, ~correct):
                own[side] *= weights[side].sum() / weights[side & kept].sum()
        expected = np.nan if lacking else average_precision_score(correct[kept], scores[kept], sample_weight=own[kept])
        assert ours == pytest.approx(expected, rel=1e-9, nan_ok=True)


def test_a_class_alone_has_no_pairs_of_classes():
    areas, counts = curves.pair_areas(np.eye(2), np.zeros(2, np.int64)), np.array([2, 0])
    assert np.isnan(curves.mean_pair_area(areas, counts))


def test_more_runs_than_a_block_are_measured_in_parts():
    correct = np.arange(2 * BLOCK + 5) % 2 == 0
    ranks = np.flatnonzero(correct[::-1]) + 1
    expected = np.mean(np.arange(1, ranks.size + 1) / ranks)
    assert scored(correct, np.arange(correct.size)).averagePrecision() == close_to(expected)
