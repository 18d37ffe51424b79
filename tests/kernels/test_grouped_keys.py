"""Cases of many groups come together, and each group in order of its scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.kernels import grouping
from evalcore.kernels.grouping import blocks_of_groups, group_layout, sorted_by_group
from evalcore.kernels.sorting import order
from tests.strategies import BLOCKS, block_size, case_arrays, columns_of, many_threads

LAYOUTS = st.sampled_from([0, 1, 3, 128])
"""Values of `_WORTH_A_CALL`: groups stay where they are, or stand by size."""


def rows_of(layout):
    """Return the rows of each group, by group."""
    order = np.arange(layout.starts[-1]) if layout.order is None else layout.order
    parts = np.split(order, layout.starts[1:-1])
    return {int(group): part.tolist() for group, part in zip(layout.groups, parts, strict=False)}


@given(columns_of(range(6), 0, 40), st.sampled_from(["mixed", "ascending", "descending"]), LAYOUTS)
def test_cases_stand_group_after_group_as_they_came(codes, arrangement, worth):
    if arrangement != "mixed":
        codes = sorted(codes, reverse=arrangement == "descending")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "_WORTH_A_CALL", worth)
        patch.setattr(grouping, "_FEW_CALLS", 1)
        layout = group_layout(np.array(codes, np.int64), 8)
    assert rows_of(layout) == {code: [row for row, other in enumerate(codes) if other == code] for code in set(codes)}
    assert layout.starts.tolist()[-1] == len(codes)


@given(case_arrays(), st.data(), BLOCKS, LAYOUTS)
def test_keys_of_each_group_are_those_of_its_cases_alone(cases, data, block, worth):
    codes = np.array(data.draw(columns_of(range(4), cases.scores.size)), np.int64)
    with pytest.MonkeyPatch.context() as patch, block_size(block):
        patch.setattr(grouping, "_WORTH_A_CALL", worth)
        patch.setattr(grouping, "_FEW_CALLS", 1)
        layout = group_layout(codes, 4)
        keys, code = sorted_by_group(layout, *cases)
    assert keys.size == codes.size
    for group, start, end in zip(layout.groups, layout.starts[:-1], layout.starts[1:], strict=True):
        own = codes == group
        alone = order(cases.scores[own], cases.correct[own])
        assert code.unpack(keys[start:end]).tolist() == alone.code.unpack(alone.keys).tolist()
        assert (keys[start:end] & 1).tolist() == (alone.keys & 1).tolist()


def test_groups_of_many_threads_are_sorted_as_those_of_one():
    rng = np.random.default_rng(0)
    codes, scores, correct = rng.integers(0, 50, 5000), rng.random(5000), rng.random(5000) < 0.5
    layout = group_layout(codes, 50)
    expected = sorted_by_group(layout, scores, correct).keys
    with many_threads(3, 256):
        assert np.array_equal(sorted_by_group(layout, scores, correct).keys, expected)


@given(columns_of(range(1, 9), 0, 30), BLOCKS)
def test_blocks_hold_whole_groups_or_one_is_larger(sizes, block):
    starts = np.concatenate([[0], np.cumsum(np.array(sizes, np.int64))])
    with block_size(block):
        small, large = blocks_of_groups(starts)
    every = [*((part.start, part.stop) for part in small), *((group, group + 1) for group in large)]
    assert sorted(group for part in every for group in range(*part)) == list(range(len(sizes)))
    assert all(starts[part.stop] - starts[part.start] <= block for part in small)
    assert all(sizes[group] > block for group in large)
