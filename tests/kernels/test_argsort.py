import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels import sorting
from evalcore.kernels.sorting import descending, descending_with_ends
from tests.differences import every

POOLS = (
    [0.0, -0.0, 0.5, 1.0],
    [-np.inf, np.inf, 0.0, 5e-324],
    [1e308, -1e308, 1.0],
    [1.0, 1.0 + 2**-52, 1.0 + 2**-51, 0.0],
    [1e-300, 2e-300, -1e-300],
)


@pytest.fixture(autouse=True)
def no_short_way(monkeypatch):
    monkeypatch.setattr(sorting, "_SHORT", 2)


def check_ends(scores):
    order, ends = descending_with_ends(scores)
    assert np.array_equal(order, descending(scores))
    ranked = scores[order]
    assert np.array_equal(ends[:-1], ranked[:-1] != ranked[1:])
    assert ends[-1:].all()


def plainly(scores):
    return sorted(range(len(scores)), key=lambda index: -scores[index])  # stable


@given(st.sampled_from(POOLS).flatmap(lambda pool: st.lists(st.sampled_from(pool) | st.floats(-2, 2), max_size=40)))
@example([])
@example([1.0, 1.0 + 2**-52] * 9)
def test_the_permutation_is_the_stable_one(scores):
    assert descending(np.array(scores, np.float64)).tolist() == plainly(scores)
    check_ends(np.array(scores, np.float64))


@given(
    st.lists(st.sampled_from([0.0, -0.0, np.inf, -np.inf, 1e-45]) | st.floats(width=32, allow_nan=False), max_size=40)
)
def test_float32_is_exact(scores):
    narrow = np.array(scores, np.float32)
    assert descending(narrow).tolist() == plainly(narrow.tolist())
    check_ends(narrow)


@every("size", [2, 1023, 1024, 1025, 70_000])
@every(
    "scores_of",
    [
        lambda rng, n: rng.random(n),
        lambda rng, n: np.round(rng.standard_normal(n), 1),
        lambda rng, n: np.exp(30 * rng.standard_normal(n)),  # most share a level
        lambda rng, n: np.append(rng.random(n - 1), 1e6),  # many share a level
        lambda rng, n: 1 + rng.integers(0, 3, n) * 2.0**-52,
        lambda rng, n: np.zeros(n),
        lambda rng, n: rng.standard_normal(n).astype(np.float32),
    ],
)
def test_many_scores_are_sorted_as_numpy_does(size, scores_of):
    scores = scores_of(np.random.default_rng(size), size)
    check_ends(scores)
    before = scores.copy()
    np.testing.assert_array_equal(descending(scores), np.argsort(-scores, kind="stable"))
    np.testing.assert_array_equal(scores, before)
