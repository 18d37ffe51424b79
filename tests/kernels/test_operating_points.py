import numpy as np
from hypothesis import example, given

from evalcore.kernels.operating_points import (
    LazyOperatingPoints,
    OperatingPoints,
    correct_points,
    correct_points_of_columns,
)
from evalcore.kernels.ordering import map_ordered_columns
from tests.reference import scored_cases as slow
from tests.strategies import BLOCKS, Cases, block_size, case_arrays, case_matrices, cases_of

TIED_THROUGHOUT = cases_of([(0.5, True), (0.5, False)] * 8)


def counts(points):
    return list(zip(points.tp.tolist(), points.fp.tolist(), strict=True))


@given(case_arrays(), BLOCKS)
@example(cases_of([]), 1)
@example(TIED_THROUGHOUT, 7)
def test_correct_points_are_those_whose_score_holds_a_correct_case(cases, block):
    with block_size(block):
        points = correct_points(cases.keys)
    assert counts(points) == slow.correct_points(cases.pairs)


@given(cases=case_arrays(), block=BLOCKS)
@example(cases=TIED_THROUGHOUT, block=3)
def test_pieces_of_points_know_what_stands_before_them(cases, block):
    points = correct_points(cases.keys)
    for points_of in (correct_points, LazyOperatingPoints):
        with block_size(block):
            parts = points_of(cases.keys).map(lambda part: part)
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
    assert chosen.predicted_positive.tolist() == [5, 9]


@given(case_arrays())
def test_counts_are_int64_and_keys_stay_as_they_were(cases):
    keys = cases.keys
    before = keys.tobytes()
    points = correct_points(keys)
    assert points.tp.dtype == points.fp.dtype == points.gained.dtype == np.int64
    assert keys.tobytes() == before


@given(case_matrices())
def test_points_of_columns_are_those_of_each(cases):
    (found,) = map_ordered_columns(correct_points_of_columns, *cases)
    alone = [correct_points(Cases(*column).keys) for column in zip(cases.scores.T, cases.correct.T, strict=True)]
    assert found.sizes.tolist() == [points.tp.size for points in alone]
    assert found.correct.tolist() == cases.correct.sum(axis=0).tolist()
    for name in ("tp", "fp", "gained"):
        joined = np.concatenate([getattr(points, name) for points in alone])
        assert getattr(found, name).tolist() == joined.tolist()
