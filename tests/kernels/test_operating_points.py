import numpy as np
import pytest
from hypothesis import example, given

from evalcore.kernels.operating_points import OperatingPoints, correct_points, operating_points
from tests import slow
from tests.strategies import BLOCKS, block_size, case_arrays, cases_of

TIED_THROUGHOUT = cases_of([(0.5, True), (0.5, False)] * 8)


def counts(points):
    return list(zip(points.tp.tolist(), points.fp.tolist(), strict=True))


@given(case_arrays(), BLOCKS)
@example(cases_of([]), 1)
@example(TIED_THROUGHOUT, 7)
def test_operating_points_count_the_cases_at_or_above_each_score(cases, block):
    with block_size(block):
        points = operating_points(cases.keys)
    assert counts(points) == slow.operating_points(cases.pairs)


@given(case_arrays())
def test_operating_points_are_what_argsort_and_cumulative_sums_make(cases):
    ranks = np.argsort(-cases.scores, kind="stable")
    scores, correct = cases.scores[ranks], cases.correct[ranks]
    ends = np.flatnonzero(np.append(scores[:-1] != scores[1:], scores.size > 0))
    points = operating_points(cases.keys)
    assert np.array_equal(points.tp, np.cumsum(correct)[ends])
    assert np.array_equal(points.fp, np.cumsum(~correct)[ends])
    assert np.array_equal(points.accepted, ends + 1)


@given(case_arrays(), BLOCKS)
@example(cases_of([]), 1)
@example(TIED_THROUGHOUT, 7)
def test_correct_points_are_those_whose_score_holds_a_correct_case(cases, block):
    with block_size(block):
        points = correct_points(cases.keys)
    assert counts(points) == slow.correct_points(cases.pairs)


@given(case_arrays(), BLOCKS)
def test_blocks_of_points_know_what_stands_before_them(cases, block):
    points = correct_points(cases.keys)
    with block_size(block):
        parts = list(points.blocks())
    assert [pair for part in parts for pair in counts(part)] == counts(points)
    assert [gain for part in parts for gain in part.gained.tolist()] == points.gained.tolist()


@given(case_arrays())
def test_every_correct_case_is_gained_once(cases):
    points = correct_points(cases.keys)
    assert points.gained.sum() == cases.correct.sum()
    assert (points.gained > 0).all()


def test_chosen_points_gain_from_each_other():
    chosen = OperatingPoints(np.array([1, 3, 4]), np.array([0, 2, 5])).at(np.array([False, True, True]))
    assert counts(chosen) == [(3, 2), (4, 5)]
    assert chosen.gained.tolist() == [3, 1]
    assert chosen.accepted.tolist() == [5, 9]


@pytest.mark.parametrize("count", [operating_points, correct_points])
@given(case_arrays())
def test_counts_are_int64_and_keys_stay_as_they_were(count, cases):
    keys = cases.keys
    before = keys.tobytes()
    points = count(keys)
    assert points.tp.dtype == points.fp.dtype == points.gained.dtype == np.int64
    assert keys.tobytes() == before
