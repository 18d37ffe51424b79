"""Counts at all scores, at spaced ones and at a few thresholds are those that a look at every case gives."""

import random
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels import thresholds
from evalcore.kernels.sorting import order
from evalcore.kernels.thresholds import (
    cases_at_or_above,
    correct_among_first,
    counted_points,
    nearest_between_ties,
    spaced_points,
)
from evalcore.kernels.weights import points_of_weights, sort_weights
from tests.differences import every
from tests.reference import scored_cases as slow
from tests.strategies import BLOCKS, block_size, case_arrays, cases_of, columns_of

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
    assert list(zip(points.tp, points.fp, strict=True)) == slow.operating_points(cases.pairs)
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
    ranked = [correct for _, correct in sorted(zip(-cases.scores, cases.correct, strict=True), key=lambda case: case)]
    expected = [sum(ranked[:size]) for size in range(len(ranked) + 1)]
    assert correct_among_first(cases.keys, np.arange(len(ranked) + 1)).tolist() == expected


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
