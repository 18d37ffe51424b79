"""Spaced points are among all points, and close enough to each other that curves lose nothing that is seen."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels import thresholds
from evalcore.kernels.sorting import order
from evalcore.kernels.thresholds import counted_points, spaced_points

SPACES = 10
CASES = st.lists(st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0, *np.linspace(0, 1, 60)]), st.booleans()), min_size=1)


@pytest.fixture(autouse=True)
def few_spaces(monkeypatch):
    monkeypatch.setattr(thresholds, "_SPACES", SPACES)


@given(CASES, st.integers(1, 50))
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


@pytest.mark.parametrize("fraction", [0.01, 0.5, 0.97])
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
