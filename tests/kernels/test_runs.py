"""Runs of equal scores, and shapes of curves, beside their definitions."""

import math
from itertools import groupby

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from evalcore.kernels import shapes
from evalcore.kernels.bins import runs_of_points, runs_of_scores
from evalcore.kernels.runs import cut_between_ties, lazy_runs, run_starts, runs_of_groups, runs_of_keys
from tests.differences import every
from tests.reference import curves, scored_cases
from tests.reference import scored_cases as slow
from tests.reference.curves import concave_vertices, pool_adjacent_violators
from tests.strategies import BLOCKS, DEALT, block_size, case_arrays, cases_of, grouped

TIED_THROUGHOUT = cases_of([(0.5, True), (0.5, False)] * 8)


def tie_groups(runs):
    """List what is above each run, and in it, as `slow.tie_group`."""
    found = runs.before, runs.tp - runs.positives, runs.size, runs.positives
    return list(zip(*(column.tolist() for column in found), strict=True))


def expected_groups(cases):
    return [slow.tie_group(cases.pairs, score) for score in slow.correct_scores(cases.pairs)]


def columns(runs):
    return runs.positives, runs.negatives, runs.tp, runs.fp, runs.totals


def counts(runs):
    return list(zip(runs.tp.tolist(), runs.fp.tolist(), strict=True))


@given(case_arrays(), BLOCKS)
@example(cases_of([]), 1)
@example(TIED_THROUGHOUT, 7)
def test_runs_are_the_tie_groups_that_hold_a_correct_case(cases, block):
    keys = cases.keys
    before = keys.tobytes()
    with block_size(block):
        runs = runs_of_keys(keys)
        parts = lazy_runs(keys).map(lambda part: part)
    assert counts(runs) == slow.correct_points(cases.pairs)
    assert tie_groups(runs) == expected_groups(cases)
    assert runs.totals.tolist() == [[cases.correct.sum()], [(~cases.correct).sum()]]
    assert [pair for part in parts for pair in counts(part)] == counts(runs)
    assert [own for part in parts for own in part.positives.tolist()] == runs.positives.tolist()
    assert {column.dtype for column in columns(runs)} == {np.dtype(np.int64)}
    assert keys.tobytes() == before


@given(case_arrays(), BLOCKS)
def test_runs_of_amounts_at_scores_are_those_of_their_cases(cases, block):
    runs = runs_of_keys(cases.keys)
    points = np.array(slow.operating_points(cases.pairs), np.int64).reshape(-1, 2).T
    weights = [np.diff(side, prepend=0) / 2 for side in points]
    with block_size(block):
        of_points, of_weights = runs_of_points(*points), runs_of_scores(*weights)
    for own, count in zip(columns(runs), columns(of_points), strict=True):
        assert own.tolist() == count.tolist()
    for own, weight in zip(columns(runs), columns(of_weights), strict=True):
        assert (own / 2).tolist() == weight.tolist()
    assert (of_weights.fp + of_weights.fp_after).tolist() == [weights[1].sum()] * runs.positives.size


@given(DEALT, st.integers(0, 8))
@example((cases_of([(0.5, False)]), [3]), 0)
def test_runs_of_groups_are_those_of_each(dealt, depth):
    if not dealt[1]:
        return
    runs, groups = grouped(*dealt)
    own = [np.arange(start, stop) for start, stop in zip(runs.starts, runs.starts[1:], strict=False)]
    for cases, rows in zip(groups, own, strict=True):
        part = runs.part(slice(rows[0], rows[-1] + 1) if rows.size else slice(0, 0))
        assert tie_groups(part) == expected_groups(cases)
    assert runs.sizes.tolist() == [len(cases.pairs) for cases in groups]
    assert runs.totals[0].tolist() == [sum(correct for _, correct in cases.pairs) for cases in groups]
    assert runs.add_up(runs.size).tolist() == [runs.size[rows].sum() for rows in own]
    least = np.finfo(np.float64).min
    assert runs.largest(runs.tp / 2).tolist() == [max((runs.tp[rows] / 2).tolist(), default=least) for rows in own]
    assert runs.first(runs.tp > 1).tolist() == [next((row for row in rows if runs.tp[row] > 1), -1) for rows in own]
    last = [max(rows[runs.before[rows] < depth].tolist(), default=-1) for rows in own]
    assert runs.last_above(np.full(len(groups), depth)).tolist() == last
    halves = runs._replace(**{name: getattr(runs, name) / 2 for name in ("positives", "tied", "tp", "fp")})
    assert halves.last_above(np.full(len(groups), depth / 2)).tolist() == last
    cases_before = (np.cumsum(runs.sizes) - runs.sizes)[runs.group]
    assert runs.last_case(np.arange(runs.tp.size)).tolist() == (cases_before + runs.tp + runs.fp - 1).tolist()


@given(case_arrays(), st.integers(0, 12))
def test_the_last_run_above_a_rank_of_one_ranking_is_found(cases, depth):
    runs = runs_of_keys(cases.keys)
    expected = max(np.flatnonzero(runs.before < depth).tolist(), default=-1)
    assert runs.last_above(np.array([[depth], [depth]])).tolist() == [[expected], [expected]]


def test_chosen_runs_hold_those_before_them():
    chosen = runs_of_scores(np.array([1, 2, 1]), np.array([0, 2, 3])).at(np.array([False, True, True]))
    assert (chosen.starts.tolist(), counts(chosen)) == ([0, 2], [(3, 2), (4, 5)])
    assert (chosen.positives.tolist(), chosen.negatives.tolist()) == ([3, 1], [2, 3])


@every("dtype", [np.uint32, np.uint64, np.int64])
def test_a_group_does_not_tie_with_the_one_before(dtype):
    runs = runs_of_groups(np.array([2, 3, 3, 4, 7], dtype), np.array([1, 1, 1, 2]))
    assert (runs.positives.tolist(), runs.negatives.tolist(), runs.group.tolist()) == ([1, 1, 1], [0, 0, 0], [1, 2, 3])


@given(case_arrays(), BLOCKS)
def test_pieces_part_no_tie_group_and_hold_all_cases_once(cases, block):
    keys = cases.keys
    with block_size(block):
        pieces = cut_between_ties(keys)
    assert np.concatenate([keys[:0], *(keys[piece] for piece in pieces)]).tolist() == keys.tolist()
    assert all(keys[piece.start - 1] | 1 < keys[piece.start] | 1 for piece in pieces[1:])
    long = [keys[piece] | 1 for piece in pieces if piece.stop - piece.start > block]
    assert all((part == part[0]).all() for part in long)


@given(st.lists(st.tuples(st.sampled_from([0, 1]), st.sampled_from([0.0, -0.0, np.inf])), max_size=12), st.booleans())
def test_runs_start_where_a_row_differs_from_the_one_before(rows, both):
    columns = np.array([first for first, _ in rows], np.int64), np.array([second for _, second in rows], np.float64)
    columns = columns if both else columns[:1]
    runs = [len(list(run)) for _, run in groupby(zip(*(column.tolist() for column in columns), strict=True))]
    assert run_starts(*columns).tolist() == [sum(runs[:index]) for index in range(len(runs))]


RATIOS = st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 1.0]) | st.floats(0, 1)


@given(st.lists(RATIOS, max_size=60) | st.lists(RATIOS | st.just(math.nan), max_size=20))
@example([])
@example([math.nan, math.nan])
def test_undominated_is_what_its_definition_says_and_nan_neither_dominates_nor_is_dominated(heights):
    assert shapes.undominated(np.array(heights, np.float64)).tolist() == scored_cases.undominated(heights)


CURVES_OF_FEW_HEIGHTS = st.lists(st.tuples(*[st.sampled_from([0.0, 1.0, 2.0, 3.0])] * 2), max_size=12)


@given(CURVES_OF_FEW_HEIGHTS, BLOCKS)
def test_corners_do_not_go_on_as_before_and_level_points_have_two_neighbours_of_their_height(points, block):
    x, y = (np.array([point[side] for point in points], np.float64) for side in (0, 1))
    with block_size(block):
        of_corners, mask = shapes.corners(x, y), shapes.not_level(x)
    assert of_corners.tolist() == scored_cases.corners(points)
    assert mask.tolist() == scored_cases.not_level(x.tolist())


NEAR = shapes.TOLERANCE * (1 + 1e-9)
SPOTS = st.sampled_from([0.0, 0.0001, 0.0002, 0.0004, 0.0006, 0.25, 0.2502, 0.2504, 0.5, 1.0]) | st.floats(0, 1)
HEIGHTS = st.sampled_from([0.0, 0.0003, 0.0005, 0.5, 1.0]) | st.floats(0, 1)
CURVES = st.lists(st.tuples(SPOTS, HEIGHTS), min_size=1, max_size=40).map(
    lambda points: [(x, y) for x, (_, y) in zip(sorted(x for x, _ in points), points, strict=True)]
)
AXES = st.sampled_from([1.0, 2.0, 0.3])


def columns_of(points):
    return (np.array(column, np.float64) for column in zip(*points, strict=True))


def in_axes(line, width, height):
    return [(float(x) / width, float(y) / height) for x, y in zip(*line, strict=True)]


@given(CURVES, AXES, AXES)
@example([(0.25, 0.5)], 1.0, 1.0)
@example([(0.25, 0.0), (0.25, 1.0), (0.25, 0.5)], 1.0, 1.0)
def test_a_thinned_curve_is_near_the_full_one_and_it_near_the_thinned_one(points, width, height):
    x, y = columns_of(points)
    line = shapes.thinned(x, y, width, height)
    assert curves.apart(in_axes((x, y), width, height), in_axes(line, width, height)) <= NEAR
    assert set(zip(*line, strict=True)) <= set(zip(x, y, strict=True))
    assert [(line.x[at], line.y[at]) for at in (0, -1)] == [points[0], points[-1]]


@given(CURVES, AXES, AXES)
@example([(0.0, 0.5), (0.0, 1.0), (0.0002, 0.0)], 1.0, 1.0)
def test_thinned_steps_are_near_the_full_ones_and_they_near_the_thinned_ones(points, width, height):
    x, y = columns_of(points)
    assert list(zip(*shapes.steps(x, y, 0.0), strict=True)) == curves.steps(points, 0.0)
    line = shapes.thinned(x, y, width, height, 0.0)
    assert curves.apart(in_axes(shapes.steps(x, y, 0.0), width, height), in_axes(line, width, height)) <= NEAR
    assert [(line.x[at], line.y[at]) for at in (0, -1)] == [(0.0, points[0][1]), points[-1]]


@given(CURVES, st.lists(SPOTS, max_size=4, unique=True).map(sorted))
def test_each_column_keeps_its_ends_and_extremes(points, edges):
    x, y = columns_of(points)
    kept = shapes.column_extremes(x, y, np.array(edges)).tolist()
    assert kept == sorted(set(kept))
    numbers = [sum(edge <= x for edge in edges) for x, _ in points]
    for number in set(numbers):
        own = [place for place, other in enumerate(numbers) if other == number]
        of_column = [place for place in kept if numbers[place] == number]
        heights = [points[place][1] for place in of_column]
        assert (of_column[0], of_column[-1]) == (own[0], own[-1])
        assert (min(heights), max(heights)) == (min(y[own]), max(y[own]))
        assert len(of_column) <= 4


@given(st.lists(st.tuples(HEIGHTS, HEIGHTS), min_size=1, max_size=30), st.sampled_from([0.0, 0.001, 0.1, 0.5]))
def test_chords_stay_near_whatever_curve_they_replace(points, tolerance):
    x, y = columns_of(points)
    kept = shapes.chords(x, y, tolerance)
    assert (kept[0], kept[-1]) == (0, len(points) - 1)
    assert curves.apart(points, [points[place] for place in kept]) <= tolerance + 1e-12


def test_what_many_rounds_do_not_settle_is_kept_whole():
    spiral = np.exp(0.7j * np.arange(3_000)) * np.linspace(1, 0, 3_000)
    x, y = np.ascontiguousarray(spiral.real), np.ascontiguousarray(spiral.imag)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shapes, "_ROUNDS", 1)
        assert shapes.chords(x, y, 1e-9).tolist() == list(range(3_000))


def test_very_many_points_become_few_and_stay_near():
    rng = np.random.default_rng(3)
    x = np.sort(rng.random(200_000))
    smooth, noisy = x * (2 - x), np.where(rng.random(x.size) < 0.5, x, 1 - x)
    line = shapes.thinned(x, smooth, 1.0, 1.0)
    assert line.x.size <= 60
    assert np.abs(np.interp(x, line.x, line.y) - smooth).max() <= shapes.TOLERANCE * np.hypot(
        1, 2
    )  # the slope is 2 at most
    assert shapes.thinned(x, noisy, 1.0, 1.0).x.size <= 16_000


CASES = st.lists(st.tuples(st.integers(0, 6), st.booleans(), st.integers(1, 4)), min_size=1, max_size=40)


@given(CASES, st.sampled_from([np.float32, np.float64]), st.sampled_from([3, 1 << 16]))
def test_pools_are_those_of_the_definition(cases, width, block):
    scores, positive, weights = (np.array(column) for column in zip(*cases, strict=True))
    probabilities = (scores / 6).astype(width)
    for own in (None, weights.astype(np.float64)):
        with block_size(block):
            pools = shapes.isotonic_pools(probabilities, positive, own)
        given_weights = np.ones(len(cases)) if own is None else own
        expected = pool_adjacent_violators(probabilities.tolist(), positive, given_weights)
        assert list(zip(*map(np.ndarray.tolist, pools), strict=True)) == expected
        assert pools.low.dtype == width


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-3, 9)), min_size=1, max_size=30))
@example([(1, 0)])
def test_vertices_are_those_of_the_definition(steps):
    x, y = np.cumsum([(width, rise if width else abs(rise) + 1) for width, rise in steps], axis=0).T
    assert shapes.hull_vertices(x, y).tolist() == concave_vertices(x.tolist(), y.tolist())


@every("rises", [[*range(3000, 0, -1), 10**6], [-(10**6), *range(3000, 0, -1)], [1] * 3000])
def test_a_hull_whose_points_drop_out_one_after_the_other_is_that_of_the_definition(rises):
    y = np.cumsum([0, *rises])
    x = np.arange(y.size)
    assert shapes.hull_vertices(x, y).tolist() == concave_vertices(x.tolist(), y.tolist())


def test_curves_that_follow_each_other_have_hulls_of_their_own_and_no_weight_hides_a_pool():
    weights = np.array([1.0, 1e-30, 1.0, 1e-30, 1.0])  # some add nothing to the sums
    pools = shapes.isotonic_pools(np.arange(5) / 5, np.array([False, True, False, True, True]), weights)
    assert (pools.positives.tolist(), pools.negatives.tolist()) == ([0.0, 1.0], [2.0, 0.0])
    x, y = np.arange(6), np.array([0, 0, 2, 5, 9, 10])
    assert shapes.hull_vertices(x, y).tolist() == [0, 4, 5]
    assert shapes.hull_vertices(x, y, fixed=np.array([0, 2, 3, 5])).tolist() == [0, 2, 3, 4, 5]


def test_pools_hold_all_cases_where_weights_do_not_add_up_exactly():
    for seed in range(100):
        rng = np.random.default_rng(seed)
        probabilities, positive, weights = rng.integers(0, 4, 10) / 4, np.arange(10) < 3, rng.random(10)
        pools = shapes.isotonic_pools(probabilities, positive, weights)
        expected = IsotonicRegression().fit(probabilities, positive, weights).predict(probabilities)
        found = pools.positives / (pools.positives + pools.negatives)
        np.testing.assert_allclose(found[pools.high.searchsorted(probabilities)], expected, atol=1e-12)
