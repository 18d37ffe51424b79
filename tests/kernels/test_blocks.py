"""Blocks hold every index once, and counts of ones are cumulative sums."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels.blocks import blocks, running_counts
from tests.differences import every
from tests.strategies import block_size


@every("size", [0, 1, 2, 3, 6, 7, 8])
@every("most", [1, 2, 3, 7])
def test_blocks_hold_every_index_once_in_order_and_none_is_empty_or_too_long(size, most):
    with block_size(most):
        pieces = [range(size)[block] for block in blocks(size)]
    assert [index for piece in pieces for index in piece] == list(range(size))
    assert all(len(piece) == most for piece in pieces[:-1])
    assert all(1 <= len(piece) <= most for piece in pieces)


def test_stops_stay_within_the_size():
    with block_size(4):
        assert [block.stop for block in blocks(6)] == [4, 6]


@given(st.lists(st.integers(0, 1), max_size=300))
@example([])
@example([1] * 256)
def test_running_counts_are_cumulative_sums(mask):
    assert running_counts(np.array(mask, np.uint8)).tolist() == np.cumsum(mask).tolist()


@every("size", [65_528, 65_535])
def test_counts_reach_all_that_16_bits_hold(size):
    assert np.array_equal(running_counts(np.ones(size, np.uint8)), np.arange(1, size + 1))
