"""Cases sorted with their indices have the order, the ties and the scores of `order`."""

import numpy as np
from hypothesis import given

from evalcore.kernels.runs import score_changes
from evalcore.kernels.sorting import indexed_order, order
from tests.strategies import BLOCKS, block_size, case_arrays


@given(case_arrays(), BLOCKS)
def test_keys_are_those_of_order_but_for_their_numbers(cases, block):
    with block_size(block):
        found, expected = indexed_order(cases.scores, cases.correct), order(cases.scores, cases.correct)
    ranks = np.arange(cases.scores.size)
    assert (found.keys & 1).tolist() == (expected.keys & 1).tolist()
    assert found.ordering.scores(ranks).tolist() == expected.scores(ranks).tolist()
    assert score_changes(found.keys).tolist() == score_changes(expected.keys).tolist()
    assert sorted(found.cases.tolist()) == ranks.tolist()
    assert cases.correct[found.cases].tolist() == (found.keys & 1).astype(bool).tolist()
    assert cases.scores[found.cases].tolist() == expected.scores(ranks).tolist()


def test_scores_that_share_a_level_are_in_order():
    rng = np.random.default_rng(0)
    near = 1 + rng.integers(0, 9, 3000) * 2.0**-52
    scores = np.concatenate([near, -near, near * 1e300, [0.0, -0.0, np.inf, -np.inf, 5e-324]])
    correct = rng.random(scores.size) < 0.5
    found = indexed_order(scores, correct)
    assert found.ordering.scores(np.arange(scores.size)).tolist() == (np.sort(scores)[::-1] + 0.0).tolist()
    assert np.array_equal(found.keys, np.sort(found.keys))
    ends = np.flatnonzero(np.diff(found.keys >> 1))
    assert ends.size + 1 == np.unique(scores).size


def test_memory_of_another_ordering_changes_nothing():
    rng = np.random.default_rng(1)
    scores, correct = rng.random((2, 3000)), rng.random(3000) < 0.5
    used = indexed_order(scores[0], correct).keys
    found, expected = indexed_order(scores[1], correct, used), indexed_order(scores[1], correct)
    assert np.shares_memory(found.keys, used)
    assert (found.keys.tolist(), found.cases.tolist()) == (expected.keys.tolist(), expected.cases.tolist())
