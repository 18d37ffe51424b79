import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.kernels.tables import BinaryCounts, binary_counts, joint_counts, one_case, small_joint_counts, sums_below

CELLS = BinaryCounts(tp=(True, True), fn=(True, False), fp=(False, True), tn=(False, False))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=50))
def test_every_case_is_counted_in_its_cell(cases):
    reference, response = np.array(cases, np.bool_).reshape(-1, 2).T
    assert binary_counts(reference, response) == tuple(cases.count(cell) for cell in CELLS)


def test_one_case_is_a_column_of_length_one():
    for reference, response in itertools.product([True, False], repeat=2):
        table = one_case(reference, response)
        assert table == binary_counts(np.array([reference]), np.array([response]))
        assert {type(count) for count in table} == {int}


@given(st.lists(st.tuples(*[st.sampled_from([0, 1, 2, 5, 63])] * 2)))
def test_pairs_are_counted_whatever_the_largest(drawn):
    for dtype in (np.bool_, np.uint8, np.int32, np.uint64):
        cases = np.array(drawn, dtype).reshape(-1, 2)
        found = small_joint_counts(*cases.T, 64)
        assert np.array_equal(np.pad(found, (0, 64 - len(found))), joint_counts(*cases.T, 0, 64))


@pytest.mark.parametrize("late", [-1, 64])
def test_labels_out_of_range_are_noticed_late(late):
    labels = np.zeros(100_000, np.int64)
    labels[-2:] = 3, 5
    assert small_joint_counts(labels, labels, 64).diagonal()[[0, 3, 5]].tolist() == [99_998, 1, 1]
    labels[-1] = late
    assert small_joint_counts(labels, labels, 64) is None


@given(st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_sums_below_a_limit(weights):
    largest = sum(map(abs, weights))
    found = sums_below(np.array(weights, np.int64), 2**62)
    assert found == (largest < 2**62) or abs(largest - 2**62) < 2**20
