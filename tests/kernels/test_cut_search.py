"""Cells of scores beside NumPy's search, wherever the cuts crowd."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.kernels.bins import CutSearch
from evalcore.kernels.thresholds import rounded_up

TYPES = [np.float32, np.float64]
SCORES = st.one_of(
    st.floats(width=32, allow_nan=False),
    st.sampled_from([-np.inf, -1e300, -1.0, -5e-324, -0.0, 0.0, 5e-324, 0.1, 1 / 3, 1.0, 1e300, np.inf]),
)


@given(st.lists(SCORES, max_size=30), st.sets(SCORES, min_size=1, max_size=20).map(sorted), st.sampled_from(TYPES))
def test_cells_are_those_of_a_search(scores, cuts, score_type):
    with np.errstate(over="ignore"):
        scores = np.array(scores, np.float64).astype(score_type)
    cuts = np.array(cuts)
    assert (
        CutSearch(rounded_up(cuts, scores.dtype)).searchsorted(scores).tolist()
        == cuts.searchsorted(scores, "right").tolist()
    )


@pytest.mark.parametrize("score_type", TYPES)
@pytest.mark.parametrize(
    ("spread", "steps"),
    [
        (lambda z: z, 2),
        (np.exp, 2),
        (lambda z: 1 / (1 + np.exp(8 - 2 * z)), 2),
        (lambda z: 1 - np.exp(-9 - 2 * z), 10),
        (lambda z: z**9, 13),
    ],
)
def test_scores_spread_evenly_or_over_octaves_take_two_steps_and_others_more(spread, steps, score_type):
    scores = spread(np.random.default_rng(1).normal(size=20_000)).astype(score_type)
    cuts = np.unique(np.sort(scores)[10::20]).astype(np.float64)
    search = CutSearch(rounded_up(cuts, scores.dtype))
    assert np.array_equal(search.searchsorted(scores), cuts.searchsorted(scores, "right"))
    assert len(search._steps) <= steps
