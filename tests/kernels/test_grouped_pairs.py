"""Pairs of many groups are those of each group alone."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels.grouping import group_layout, sorted_by_group
from evalcore.kernels.pairs import grouped_pair_counts
from tests.reference import scored_cases as slow
from tests.strategies import BLOCKS, Cases, block_size, case_arrays, cases_of, columns_of, many_threads


def counted(cases, codes, groups):
    layout = group_layout(codes, groups)
    return grouped_pair_counts(layout, sorted_by_group(layout, *cases).keys, groups)


@given(case_arrays(), st.data(), BLOCKS)
def test_pairs_of_each_group_are_those_of_its_cases(cases, data, block):
    codes = np.array(data.draw(columns_of(range(4), cases.scores.size)), np.int64)
    with block_size(block):
        counts = counted(cases, codes, 5)
    assert all(column.dtype == np.int64 and column.shape == (5,) for column in counts)
    for group in range(5):
        own = Cases(cases.scores[codes == group], cases.correct[codes == group])
        correct, lost, tied = slow.pair_counts(own.pairs)
        pairs = correct * (own.scores.size - correct)
        found = [int(column[group]) for column in counts]
        assert found == [pairs - lost, tied, correct, own.scores.size - correct]
        assert counts.pairs[group] == pairs


@example(1)
@given(BLOCKS)
def test_a_tie_does_not_reach_into_the_next_group(block):
    cases = cases_of([(0.5, False), (0.5, True), (0.5, False), (0.5, False)])
    with block_size(block):
        assert counted(cases, np.array([0, 1, 1, 2]), 3).tied.tolist() == [0, 1, 0]


def test_pairs_of_many_threads_are_those_of_one():
    rng = np.random.default_rng(0)
    cases, codes = Cases(rng.integers(0, 30, 5000) / 8, rng.random(5000) < 0.5), rng.integers(0, 50, 5000)
    expected = counted(cases, codes, 50)
    with many_threads(3, 256):
        assert np.array_equal(counted(cases, codes, 50), expected)


def test_pairs_of_large_groups_are_whole_numbers():
    cases, codes = Cases(np.full(280_000, 0.5), np.arange(280_000) % 2 > 0), np.arange(280_000) // 140_000
    counts = counted(cases, codes, 2)
    assert counts.won.tolist() == [0, 0]
    assert counts.tied.tolist() == [70_000**2] * 2
