"""Intervals and counts of scores, the cells, batches and spaced points that cases come to, beside slow twins."""

import random
from fractions import Fraction
from itertools import product
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels import bins, thresholds
from evalcore.kernels.runs import runs_of_keys
from evalcore.kernels.sorting import order
from evalcore.kernels.thresholds import (
    cases_at_or_above,
    counted_points,
    nearest_between_ties,
    rounded_up,
    spaced_points,
)
from evalcore.kernels.weights import points_of_weights, sort_weights
from tests.differences import every
from tests.reference import scored_cases
from tests.reference import summaries as slow
from tests.strategies import BLOCKS, block_size, case_arrays, cases_of, columns_of

ENDS = [-np.inf, -1.0, 0.0, 0.25, 0.5, 1.0, np.inf]
PAIRS_OF_ENDS, COUNTS = list(product(ENDS, repeat=2)), [pair for pair in product(range(4), repeat=2) if any(pair)]


@st.composite
def interval_lists(draw, max_size=12):
    """Draw intervals of few ends, in order of their lows, each with a case at least."""
    size = draw(st.integers(0, max_size))
    columns = draw(columns_of(PAIRS_OF_ENDS, size)), draw(columns_of(COUNTS, size))
    rows = [(*ends, *counts) for ends, counts in zip(*columns, strict=True)]
    return sorted((min(row[:2]), max(row[:2]), *row[2:]) for row in rows)


def intervals_of(rows):
    if not rows:
        return bins.NO_INTERVALS
    low, high, positives, negatives = zip(*rows, strict=True)
    return bins.ScoreIntervals(np.array(low), np.array(high), np.array(positives), np.array(negatives))


def rows_of(columns):
    return list(zip(*(column.tolist() for column in columns if isinstance(column, np.ndarray)), strict=True))


def ascending(scores):
    return np.unique(np.array(scores, np.float64))


@given(interval_lists())
def test_the_arrangements_and_certain_scores_are_what_their_definition_says(rows):
    intervals = intervals_of(rows)
    for positives_high in (False, True):
        counts = intervals.arranged(best=positives_high)
        assert rows_of(counts) == slow.counts_at(slow.arranged(rows, positives_high))
    assert intervals.are_points == all(low == high for low, high, *_ in rows)
    assert intervals.doubtful_pairs == sum(row[2] * row[3] for row in rows if row[0] < row[1])
    counts = intervals.certain  # scores that no interval straddles
    found = zip(counts.scores.tolist(), (counts.tp + counts.fp).tolist(), strict=True)
    assert list(found) == slow.certain(rows)


@given(case_arrays(), st.lists(st.sampled_from(ENDS) | st.floats(allow_nan=False), max_size=6), BLOCKS)
def test_cells_of_sorted_cases_and_of_their_points_are_what_their_definition_says(cases, scores, size):
    cuts = ascending(scores)
    with block_size(size):
        cells = bins.score_cells(order(cases.scores, cases.correct), cuts)
    assert rows_of(cells) == slow.cells(cases.pairs, cuts.tolist())
    points = bins.points_of(counted_points(order(cases.scores, cases.correct)))
    assert rows_of(points) == [(s, s, p, n) for s, p, n in reversed(slow.counts_at(cases.pairs))]
    assert rows_of(bins.in_cells(points, cuts)) == rows_of(cells)


@given(interval_lists(), interval_lists())
def test_together_keeps_all_cases_and_the_order(first, second):
    both = bins.together(intervals_of(first), intervals_of(second))
    low, high = np.array(both.low), np.array(both.high)
    assert np.all(low[1:] >= low[:-1])
    expected = {}
    for *ends, positives, negatives in (*first, *second):
        before = expected.get(tuple(ends), (0, 0))
        expected[tuple(ends)] = before[0] + positives, before[1] + negatives
    found = {}
    for *ends, positives, negatives in rows_of(both):
        before = found.get(tuple(ends), (0, 0))
        found[tuple(ends)] = before[0] + positives, before[1] + negatives
    assert found == expected
    if np.array_equal(low, high):
        assert np.all(low[1:] > low[:-1])
    if len(first) > 1:
        assert intervals_of(first).in_floats.joined(np.array([0])).roundings == len(first)


@given(interval_lists(max_size=40).filter(bool), st.integers(4, 12))
@example([(0.5, 0.5, 1, 0)], 4)
@example([(0.5, 0.5, 0, 3), (0.5, 1.0, 0, 1)], 4)
@example([(1.7976931348623157e308, 1.7976931348623157e308, 1, 0)], 4)
@example([(-1.7976931348623157e308, -1.7976931348623157e308, 1, 0), (0.0, 0.0, 9, 0), (1.0, 1.0, 1, 1)], 4)
@example([(-np.inf, -np.inf, 1, 1), (np.inf, np.inf, 5, 0)], 4)
def test_cuts_ascend_and_leave_no_more_cells_than_the_capacity(rows, capacity):
    intervals = intervals_of(rows)
    cuts = bins.cut_points(intervals, capacity)
    assert np.all(cuts[1:] > cuts[:-1])
    assert cuts.size < capacity
    assert bins.in_cells(intervals, cuts).low.size <= capacity


@given(case_arrays(max_size=200), st.integers(4, 40))
def test_every_cell_has_a_fair_share_of_either_class_or_is_one_score(cases, capacity):
    points = bins.points_of(counted_points(order(cases.scores, cases.correct)))
    if points.low.size == 0:
        return
    classes = [int(part.sum()) for part in points.columns[2:]]
    for low, high, positives, negatives in rows_of(bins.in_cells(points, bins.cut_points(points, capacity))):
        fraction = sum(Fraction(n, total) for n, total in zip((positives, negatives), classes, strict=True) if total)
        # half of the cells at least are for scores that do not stand alone, and one more such score may end each
        assert low == high or fraction * capacity <= 2 * (2 + 4) * sum(total > 0 for total in classes)


def test_a_score_of_many_cases_has_a_cell_of_its_own():
    scores = np.arange(100) / 100
    counts = np.ones(100, np.int64)
    counts[40] = 1000
    cuts = bins.cut_points(bins.ScoreIntervals(scores, scores, counts, counts), 16)
    assert {0.4, np.nextafter(0.4, 1)} <= set(cuts.tolist())


def test_cells_are_crowded_where_most_of_what_came_is_in_few():
    one, spread = intervals_of([(0.0, 1.0, 200, 200)]), intervals_of([(i, i + 0.5, 1, 1) for i in range(100)])
    assert bins.is_crowded(one, one, 100)
    assert not bins.is_crowded(spread, spread, 100)
    assert not bins.is_crowded(one, intervals_of([(0.0, 1.0, 1, 1)]), 100)  # what came is not what makes it so


@every("largest", [2**31, 2**62])
def test_sums_of_products_are_exact(largest):
    first, second = np.array([largest, 3, 0]), np.array([largest - 1, 5, 7])
    assert bins.sum_of_products(first, second) == largest * (largest - 1) + 15
    assert bins.sum_of_products(first[:0], second[:0]) == 0


@given(case_arrays())
def test_counts_of_scores_in_any_order_are_what_their_definition_says(cases):
    positives = cases.correct.astype(np.int64)
    counts = bins.score_counts(cases.scores.astype(np.float64), positives, 1 - positives)
    assert rows_of(counts) == slow.counts_at(cases.pairs)
    for threshold in (-np.inf, 0.0, 0.5, np.inf):
        at_or_above = [label for score, label in cases.pairs if score >= threshold]
        tp, below = sum(at_or_above), int(positives.sum()) - sum(at_or_above)
        assert counts.at_threshold(threshold) == (tp, below, len(at_or_above) - tp)


def test_pairs_and_points_of_large_counts_are_exact():
    counts = bins.ScoreCounts(np.array([0.9, 0.5]), np.array([2**60, 2**60]), np.array([2**60, 2**60]))
    assert bins.sum_of_products(counts.positives, counts.fp) == 3 * 2**120
    assert counts.runs().tp.tolist() == [2**60, 2**61]


TYPES = [np.float32, np.float64]
ANY_SCORE = st.one_of(
    st.floats(width=32, allow_nan=False),
    st.sampled_from([-np.inf, -1e300, -1.0, -5e-324, -0.0, 0.0, 5e-324, 0.1, 1 / 3, 1.0, 1e300, np.inf]),
)


@given(
    st.lists(ANY_SCORE, max_size=30), st.sets(ANY_SCORE, min_size=1, max_size=20).map(sorted), st.sampled_from(TYPES)
)
def test_cells_are_those_of_a_search(scores, cuts, score_type):
    with np.errstate(over="ignore"):
        scores = np.array(scores, np.float64).astype(score_type)
    cuts = np.array(cuts)
    found = bins.CutSearch(rounded_up(cuts, scores.dtype)).searchsorted(scores)
    assert found.tolist() == cuts.searchsorted(scores, "right").tolist()


@every("score_type", TYPES)
@every(
    ("spread", "steps"),
    (lambda z: z, 2),
    (np.exp, 2),
    (lambda z: 1 / (1 + np.exp(8 - 2 * z)), 2),
    (lambda z: 1 - np.exp(-9 - 2 * z), 10),
    (lambda z: z**9, 13),
)
def test_scores_spread_evenly_or_over_octaves_take_two_steps_and_others_more(spread, steps, score_type):
    scores = spread(np.random.default_rng(1).normal(size=20_000)).astype(score_type)
    cuts = np.unique(np.sort(scores)[10::20]).astype(np.float64)
    search = bins.CutSearch(rounded_up(cuts, scores.dtype))
    assert np.array_equal(search.searchsorted(scores), cuts.searchsorted(scores, "right"))
    assert len(search._steps) <= steps


SCORES = [-np.inf, -1e300, -1.0, -0.0, 0.0, 0.1, 0.25, 0.5, 1.0, 1e300, np.inf]
WHOLE = st.tuples(st.sampled_from(SCORES), st.booleans(), st.sampled_from([1, 2, 5]))
CUTS = st.sets(st.sampled_from([*SCORES, 0.3, 1e308, -1e308]), max_size=8).map(sorted)


@pytest.fixture(autouse=True)
def small_pieces():
    with mock.patch.object(bins, "_PIECE", 4):
        yield


def batch_of(rows, score_type=np.float64, weight_type=np.int64):
    """Return the batch, and (score, label) of each case as often as it counts."""
    scores, labels, weights = zip(*rows, strict=True) if rows else ((), (), ())
    with np.errstate(over="ignore"):
        scores = np.array(scores, np.float64).astype(score_type)
    signed = np.array(weights, weight_type) * np.where(np.array(labels, bool), 1, -1)
    repeated = [(float(s), y) for s, y, w in zip(scores, labels, weights, strict=True) for _ in range(w)]
    return bins.WeightedBatch(scores, signed), repeated


@given(st.lists(WHOLE, max_size=20), CUTS, st.sampled_from([np.float32, np.float64]), st.sampled_from([int, float]))
def test_cells_are_what_their_definition_says(rows, cuts, score_type, weight_type):
    batch, repeated = batch_of(rows, score_type, weight_type)
    cells = batch.cells(np.array(cuts, np.float64) + 0.0)
    assert rows_of(cells) == slow.cells(repeated, cuts)
    assert cells.whole == (weight_type is int)


@given(st.lists(WHOLE, max_size=20), st.integers(1, 8))
def test_points_are_the_distinct_scores_and_fit_if_they_are_few(rows, capacity):
    batch, repeated = batch_of(rows)
    counts = slow.counts_at(repeated)
    assert rows_of(batch.points) == [(s, s, p, n) for s, p, n in reversed(counts)]
    assert batch.fits(capacity) == (len(counts) <= capacity)


@given(st.lists(WHOLE, min_size=1, max_size=20), st.integers(1, 8))
def test_a_sample_holds_the_weight_of_all_cases(rows, size):
    batch, repeated = batch_of(rows)
    sample = batch.sample(size)
    assert sample.are_points
    assert set(sample.low.tolist()) <= {score for score, _ in repeated}
    assert (sample.positives.sum(), sample.size) == (sum(label for _, label in repeated), len(repeated))


ROWS = columns_of(list(product([0.1, 0.4, 0.5, -0.0, 0.0], [False, True], range(4))), 1, 30)


def columns(rows):
    scores, correct, weights = zip(*rows, strict=True)
    return np.array(scores), np.array(correct), np.array(weights, np.float64)


@given(case_arrays(), BLOCKS, st.randoms(use_true_random=False))
@example(cases_of([]), 1, random.Random(0))
@example(cases_of([(0.5, True), (0.5, False)] * 8), 7, random.Random(1))
def test_points_count_the_cases_at_or_above_each_score_and_marked_ones_stay(cases, block, random):
    with block_size(block):
        points = counted_points(order(cases.scores, cases.correct))
        chosen = np.array([random.random() < 0.5 for _ in points.tp], np.bool_)
        for column, whole in zip(points.at(chosen), points, strict=True):
            assert np.array_equal(column, whole[chosen])
    assert list(zip(points.tp, points.fp, strict=True)) == scored_cases.operating_points(cases.pairs)
    assert points.tp.dtype == points.fp.dtype == np.float64
    assert points.scores.dtype == cases.scores.dtype
    assert points.scores.tolist() == sorted({score + 0.0 for score, _ in cases.pairs}, reverse=True)


@given(ROWS, BLOCKS)
def test_points_add_up_the_weights_at_or_above_each_score(rows, block):
    with block_size(block):
        given = columns(rows)
        points = points_of_weights(sort_weights(*given), given[0])
    distinct = sorted({score + 0.0 for score, _, _ in rows}, reverse=True)
    assert points.scores.tolist() == distinct
    for side, sums in ((True, points.tp), (False, points.fp)):
        assert sums.tolist() == [
            sum(weight for score, correct, weight in rows if score >= least and correct is side) for least in distinct
        ]


@pytest.mark.parametrize("largest", [2**7, 2**15, 2**31, 2**7 - 1, 2**62])
def test_weights_keep_their_sign_where_a_narrow_integer_ends(largest):
    ranked = sort_weights(np.array([0.9, 0.8, 0.3]), np.array([True, False, True]), np.array([largest, largest, 1]))
    assert ranked.weights.tolist() == [largest, -largest, 1]


def test_no_score_is_a_negative_zero():
    for scores in ([0.0, -0.0], [-0.0, 0.0]):
        for dtype in (np.float32, np.float64):
            own = np.array(scores, dtype)
            points = points_of_weights(sort_weights(own, np.array([True, False]), np.ones(2)), own)
            assert not np.signbit(points.scores).any()
            assert points.scores.dtype == dtype


ANY_CASES = case_arrays(max_size=25)
SOME = ANY_CASES.filter(lambda cases: cases.scores.size)


@given(ANY_CASES, st.lists(st.floats(allow_nan=False), max_size=5))
@example(cases_of([(0.1, True), (0.3, False)], np.float32), [0.1, 1e39, -1e39])
@example(cases_of([(np.inf, True), (-np.inf, False)]), [np.inf, 0.0, -np.inf])
def test_cases_at_or_above_are_counted_in_the_width_of_the_scores(cases, thresholds):
    thresholds = np.array([*thresholds, *cases.scores.tolist()])
    with np.errstate(over="ignore"):
        least = thresholds.astype(cases.scores.dtype)
    expected = [sum(score >= threshold for score in cases.scores) for threshold in least]
    assert cases_at_or_above(order(cases.scores, cases.correct), thresholds).tolist() == expected


@given(SOME)
def test_the_nearest_number_of_cases_divides_no_ties(cases):
    ranked = sorted(cases.scores.tolist(), reverse=True)
    allowed = [size for size in range(1, len(ranked) + 1) if size == len(ranked) or ranked[size - 1] != ranked[size]]
    wanted = np.arange(1, len(ranked) + 1)
    expected = [min(allowed, key=lambda size: (abs(size - want), size)) for want in wanted.tolist()]
    assert nearest_between_ties(cases.keys, wanted).tolist() == expected


@given(ANY_CASES)
def test_correct_cases_among_the_first_are_counted(cases):
    sizes = [0, *(int(np.sum(cases.scores >= score)) for score in cases.scores)]
    expected = [0, *(int(np.sum(cases.correct[cases.scores >= score])) for score in cases.scores)]
    assert runs_of_keys(cases.keys).positives_among(np.array(sizes)).tolist() == expected


SPACES = 10
SPACED_CASES = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0, *np.linspace(0, 1, 60)]), st.booleans()), min_size=1
)


@pytest.fixture(autouse=True)
def few_spaces(monkeypatch):
    monkeypatch.setattr(thresholds, "_SPACES", SPACES)


@given(SPACED_CASES, st.integers(1, 50))
@example([(0.5, True)], 1)
def test_spaced_points_are_some_of_all_points_with_first_and_last(cases, size):
    scores, correct = (np.array(column) for column in zip(*cases, strict=True))
    ordering = order(scores, correct)
    every, some = counted_points(ordering), spaced_points(ordering, np.array([min(size, scores.size)]))
    rows = set(zip(*(column.tolist() for column in every), strict=True))
    found = list(zip(*(column.tolist() for column in some), strict=True))
    assert set(found) <= rows
    assert found[0] == min(rows, key=lambda row: row[0] + row[1])
    assert found[-1] == max(rows, key=lambda row: row[0] + row[1])
    assert sorted(found, key=lambda row: -row[2]) == found


@every("fraction", [0.01, 0.5, 0.97])
def test_no_curve_bends_between_spaced_points(fraction):
    rng = np.random.default_rng(7)
    correct = rng.random(20_000) < fraction
    ordering = order(rng.random(correct.size) + correct, correct)
    tp, fp, _ = spaced_points(ordering, np.array([17]))
    sizes = tp + fp
    assert 17 in sizes
    assert sizes.size < 100 * SPACES
    for counts in (tp, fp):
        assert np.diff(counts).max() <= max(counts[-1] / SPACES, 1) + 1
    assert (np.diff(sizes)[SPACES:] <= np.maximum(sizes[SPACES:-1] / SPACES, 1) + 1).all()
