"""Bounds of average precision, beside every way in which a few cases may lie in their intervals."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalcore.kernels.bins import ScoreIntervals
from evalcore.measures.bounds import average_precision_bounds
from tests.reference import scored_cases as slow

LEVELS = [0.0, 1.0, 2.0]


ROWS = st.tuples(st.sampled_from(LEVELS), st.sampled_from(LEVELS), st.integers(0, 2), st.integers(0, 2))


def few_intervals(rows):
    """Whether at most five cases are in them, and no interval is empty."""
    return sum(sum(row[2:]) for row in rows) <= 5 and all(row[2] + row[3] for row in rows)


@given(st.lists(ROWS, min_size=1, max_size=4).filter(few_intervals), st.integers(0, 1))
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
        assert bounds.low - 1e-12 <= exact <= bounds.high + 1e-12
    if np.array_equal(low, high):
        np.testing.assert_allclose(bounds, [exact, exact], rtol=0, atol=1e-12)
