"""Isotonic regression beside scikit-learn's and beside pooling of neighbours, one after the other."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from evalcore.kernels.shapes import hull_vertices, isotonic_pools
from tests.reference.isotonic import concave_vertices, pool_adjacent_violators
from tests.strategies import block_size, close_to

CASES = st.lists(st.tuples(st.integers(0, 6), st.booleans(), st.integers(1, 4)), min_size=1, max_size=40)


@given(CASES, st.sampled_from([np.float32, np.float64]), st.sampled_from([3, 1 << 16]))
def test_pools_are_those_of_the_definition(cases, width, block):
    scores, positive, weights = (np.array(column) for column in zip(*cases, strict=True))
    probabilities = (scores / 6).astype(width)
    for own in (None, weights.astype(np.float64)):
        with block_size(block):
            pools = isotonic_pools(probabilities, positive, own)
        expected = pool_adjacent_violators(
            probabilities.tolist(), positive, np.ones(len(cases)) if own is None else own
        )
        assert list(zip(*map(np.ndarray.tolist, pools), strict=True)) == expected
        assert pools.low.dtype == width


def test_pools_are_those_of_scikit_learn():
    random = np.random.default_rng(7)
    probabilities = random.beta(2, 3, 5000)
    positive = random.random(5000) < probabilities**1.5
    for weights in (None, random.exponential(size=5000)):
        pools = isotonic_pools(probabilities, positive, weights)
        fitted = IsotonicRegression().fit(probabilities, positive, sample_weight=weights).predict(probabilities)
        rates = pools.positives / (pools.positives + pools.negatives)
        assert rates[pools.high.searchsorted(probabilities)].tolist() == close_to(fitted.tolist())


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-3, 9)), min_size=1, max_size=30))
@example([(1, 0)])
def test_vertices_are_those_of_the_definition(steps):
    x, y = np.cumsum([(width, rise if width else abs(rise) + 1) for width, rise in steps], axis=0).T
    assert hull_vertices(x, y).tolist() == concave_vertices(x.tolist(), y.tolist())


@pytest.mark.parametrize("rises", [[*range(3000, 0, -1), 10**6], [-(10**6), *range(3000, 0, -1)], [1] * 3000])
def test_a_hull_whose_points_drop_out_one_after_the_other_is_that_of_the_definition(rises):
    y = np.cumsum([0, *rises])
    x = np.arange(y.size)
    assert hull_vertices(x, y).tolist() == concave_vertices(x.tolist(), y.tolist())


def test_a_weight_that_adds_nothing_to_the_sums_hides_no_pool():
    weights = np.array([1.0, 1e-30, 1.0, 1e-30, 1.0])
    pools = isotonic_pools(np.arange(5) / 5, np.array([False, True, False, True, True]), weights)
    assert (pools.positives.tolist(), pools.negatives.tolist()) == ([0.0, 1.0], [2.0, 0.0])


def test_curves_that_follow_each_other_have_hulls_of_their_own():
    x, y = np.arange(6), np.array([0, 0, 2, 5, 9, 10])
    assert hull_vertices(x, y).tolist() == [0, 4, 5]
    assert hull_vertices(x, y, fixed=np.array([0, 2, 3, 5])).tolist() == [0, 2, 3, 4, 5]
