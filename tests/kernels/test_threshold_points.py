from itertools import product

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels.bins import runs_of_points
from evalcore.kernels.sorting import order
from evalcore.kernels.thresholds import counted_points
from evalcore.kernels.weights import weighted_points
from evalcore.measures import curves
from tests.reference import scored_cases as slow
from tests.strategies import BLOCKS, block_size, case_arrays, cases_of, close_to, columns_of

ROWS = columns_of(list(product([0.1, 0.4, 0.5, -0.0, 0.0], [False, True], range(4))), 1, 30)


def columns(rows):
    scores, correct, weights = zip(*rows, strict=True)
    return np.array(scores), np.array(correct), np.array(weights, np.float64)


@given(case_arrays(), BLOCKS)
@example(cases_of([]), 1)
@example(cases_of([(0.5, True), (0.5, False)] * 8), 7)
def test_points_count_the_cases_at_or_above_each_score(cases, block):
    with block_size(block):
        points = counted_points(order(cases.scores, cases.correct))
    assert list(zip(points.tp, points.fp, strict=True)) == slow.operating_points(cases.pairs)
    assert points.tp.dtype == points.fp.dtype == np.float64
    assert points.scores.dtype == cases.scores.dtype
    assert points.scores.tolist() == sorted({score + 0.0 for score, _ in cases.pairs}, reverse=True)


@given(case_arrays())
def test_points_are_what_argsort_and_cumulative_sums_make(cases):
    ranks = np.argsort(-cases.scores, kind="stable")
    scores, correct = cases.scores[ranks], cases.correct[ranks]
    ends = np.flatnonzero(np.append(scores[:-1] != scores[1:], scores.size > 0))
    points = counted_points(order(cases.scores, cases.correct))
    assert np.array_equal(points.tp, np.cumsum(correct)[ends])
    assert np.array_equal(points.fp, np.cumsum(~correct)[ends])


@given(case_arrays(), BLOCKS, st.data())
def test_marked_points_are_those_that_stay(cases, block, data):
    points = counted_points(order(cases.scores, cases.correct))
    size = points.tp.size
    chosen = np.array(data.draw(columns_of([False, True], size)), np.bool_)
    with block_size(block):
        kept = points.at(chosen)
    for column, whole in zip(kept, points, strict=True):
        assert np.array_equal(column, whole[chosen])


@given(ROWS, BLOCKS)
def test_points_add_up_the_weights_at_or_above_each_score(rows, block):
    with block_size(block):
        points = weighted_points(*columns(rows))
    distinct = sorted({score + 0.0 for score, _, _ in rows}, reverse=True)
    assert points.scores.tolist() == distinct
    for side, sums in ((True, points.tp), (False, points.fp)):
        assert sums.tolist() == [
            sum(weight for score, correct, weight in rows if score >= least and correct is side) for least in distinct
        ]


@given(ROWS)
def test_areas_of_whole_weights_are_those_of_repeated_cases(rows):
    tp, fp, _ = weighted_points(*columns(rows))
    repeated = [(score, correct) for score, correct, weight in rows for _ in range(weight)]
    assert curves.roc_areas(runs_of_points(tp, fp))[0] == close_to(float(slow.roc_area(repeated)))
    average = slow.average_precision(repeated)
    assert curves.average_precisions(runs_of_points(tp, fp))[0] == close_to(float(average))


def test_no_score_is_a_negative_zero():
    for scores in ([0.0, -0.0], [-0.0, 0.0]):
        for dtype in (np.float32, np.float64):
            points = weighted_points(np.array(scores, dtype), np.array([True, False]), np.ones(2))
            assert not np.signbit(points.scores).any()
            assert points.scores.dtype == dtype
