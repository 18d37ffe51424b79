"""A thinned curve and the full one are nowhere further apart than they may be, and it is far smaller."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels import shapes
from evalcore.kernels.shapes import TOLERANCE, chords, column_extremes, steps, thinned, thinned_steps
from tests.reference import thinning as slow

NEAR = TOLERANCE * (1 + 1e-9)
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
    line = thinned(x, y, width, height)
    assert slow.apart(in_axes((x, y), width, height), in_axes(line, width, height)) <= NEAR
    assert set(zip(*line, strict=True)) <= set(zip(x, y, strict=True))
    assert [(line.x[at], line.y[at]) for at in (0, -1)] == [points[0], points[-1]]


@given(CURVES, AXES, AXES)
@example([(0.0, 0.5), (0.0, 1.0), (0.0002, 0.0)], 1.0, 1.0)
def test_thinned_steps_are_near_the_full_ones_and_they_near_the_thinned_ones(points, width, height):
    x, y = columns_of(points)
    line = thinned_steps(x, y, 0.0, width, height)
    assert slow.apart(in_axes(steps(x, y, 0.0), width, height), in_axes(line, width, height)) <= NEAR
    assert [(line.x[at], line.y[at]) for at in (0, -1)] == [(0.0, points[0][1]), points[-1]]


@given(CURVES)
def test_steps_have_the_corners_of_their_definition(points):
    x, y = columns_of(points)
    assert list(zip(*steps(x, y, 0.0), strict=True)) == slow.steps(points, 0.0)


@given(CURVES, st.lists(SPOTS, max_size=4, unique=True).map(sorted))
def test_each_column_keeps_its_ends_and_extremes(points, edges):
    x, y = columns_of(points)
    kept = column_extremes(x, y, np.array(edges)).tolist()
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
    kept = chords(x, y, tolerance)
    assert (kept[0], kept[-1]) == (0, len(points) - 1)
    assert slow.apart(points, [points[place] for place in kept]) <= tolerance + 1e-12


def test_what_many_rounds_do_not_settle_is_kept_whole():
    spiral = np.exp(0.7j * np.arange(3_000)) * np.linspace(1, 0, 3_000)
    x, y = np.ascontiguousarray(spiral.real), np.ascontiguousarray(spiral.imag)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shapes, "_ROUNDS", 1)
        assert chords(x, y, 1e-9).tolist() == list(range(3_000))


def test_very_many_points_become_few_and_stay_near():
    rng = np.random.default_rng(3)
    x = np.sort(rng.random(200_000))
    smooth, noisy = x * (2 - x), np.where(rng.random(x.size) < 0.5, x, 1 - x)
    line = thinned(x, smooth, 1.0, 1.0)
    assert line.x.size <= 60
    assert np.abs(np.interp(x, line.x, line.y) - smooth).max() <= TOLERANCE * np.hypot(1, 2)  # the slope is 2 at most
    assert thinned(x, noisy, 1.0, 1.0).x.size <= 16_000
