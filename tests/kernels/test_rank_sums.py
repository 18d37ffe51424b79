import numpy as np
from hypothesis import given

from evalcore.kernels.label_ranks import doubled_ranks, rank_sums
from tests.strategies import BLOCKS, block_size, case_arrays, case_matrices


@given(case_arrays())
def test_doubled_ranks_count_cases_below_twice_and_those_beside_once(cases):
    scores = cases.scores.tolist()
    expected = [sum(2 * (other < own) + (other == own) for other in scores) for own in scores]
    ranks = doubled_ranks(cases.scores)
    assert ranks.tolist() == expected
    assert ranks.dtype == np.int64


@given(case_matrices(), BLOCKS)
def test_sums_are_those_of_each_label(cases, block):
    labels, ranks = cases.correct, doubled_ranks(cases.scores[:, 0])
    with block_size(block):
        found = rank_sums(labels, ranks)
    assert found.correct.tolist() == [int(own.sum()) for own in labels.T]
    assert found.sums.tolist() == [int(ranks[own].sum()) for own in labels.T]


def test_sums_beyond_the_whole_numbers_of_float32_are_exact():
    ranks = np.arange(2**31 - 600, 2**31, dtype=np.int64)
    labels = np.ones((600, 2), np.bool_)
    assert rank_sums(labels, ranks).sums.tolist() == [int(ranks.sum())] * 2
