"""Batches of cases with weights beside their slow twins: repeated cases, one by one."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.kernels import bins
from evalcore.kernels.bins import WeightedBatch
from tests.reference import summaries as slow

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
    return WeightedBatch(scores, signed), repeated


def rows_of(intervals):
    return list(zip(*(column.tolist() for column in intervals.columns), strict=True))


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
