"""Items of many groups come in order, by one sort or by two."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.kernels.grouping import first_of_each, order_by_group, products_before, sums_before
from tests.strategies import columns_of

SCORES = [-np.inf, -1.5, -1e-40, -0.0, 0.0, 1e-40, 0.5, 1.5, np.inf]
ITEMS = columns_of(list(product([0, 1, 2, 5, 2**20, 2**31 - 1, 2**40], SCORES)), 0, 40)


@given(ITEMS, st.sampled_from([np.float32, np.float64]))
def test_items_stand_by_group_and_score_as_they_came(items, dtype):
    groups = np.array([group for group, _ in items], np.int64)
    scores = np.array([score for _, score in items], dtype)
    order, starts = order_by_group(groups, scores)
    expected = sorted(range(len(items)), key=lambda row: (groups[row], -scores[row]))
    assert order.tolist() == expected
    keys = [(groups[row], scores[row]) for row in expected]
    assert starts.tolist() == [place for place, key in enumerate(keys) if place == 0 or key != keys[place - 1]]


@pytest.mark.parametrize("highest", [2**14, 2**15, 2**16, 2**30])
def test_groups_that_do_not_fit_a_word_beside_score_and_place_are_sorted_too(highest):
    rng = np.random.default_rng(0)
    groups = rng.integers(highest - 3, highest, 40_000)
    scores = rng.integers(-50, 50, 40_000).astype(np.float32)
    order, _ = order_by_group(groups, scores)
    assert np.array_equal(order, np.lexsort((-scores, groups)))


@given(columns_of(list(product(range(5), range(10))), 0, 30))
def test_places_know_what_comes_before_them_in_their_group(pairs):
    pairs = sorted(pairs, key=lambda pair: pair[0])
    groups, values = (np.array(column, float) for column in zip(*pairs, strict=True)) if pairs else (np.empty(0),) * 2
    names = groups.tolist()
    assert first_of_each(groups.astype(np.int64)).tolist() == [names.index(name) for name in names]
    before = [sum(other for name, other in pairs[:place] if name == pairs[place][0]) for place in range(len(pairs))]
    assert sums_before(groups.astype(np.int64), values).tolist() == before
    halves = np.exp2(-values)
    assert products_before(groups.astype(np.int64), halves).tolist() == np.exp2(-np.array(before, float)).tolist()
