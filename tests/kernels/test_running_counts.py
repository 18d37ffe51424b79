import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels.blocks import running_counts


@given(st.lists(st.integers(0, 1), max_size=300))
@example([])
@example([1] * 256)
def test_running_counts_are_cumulative_sums(mask):
    assert running_counts(np.array(mask, np.uint8)).tolist() == np.cumsum(mask).tolist()


@pytest.mark.parametrize("size", [65_528, 65_535])
def test_counts_reach_all_that_16_bits_hold(size):
    assert np.array_equal(running_counts(np.ones(size, np.uint8)), np.arange(1, size + 1))
