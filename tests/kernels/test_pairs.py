from hypothesis import example, given

from evalcore.kernels.pairs import pair_counts
from tests import slow
from tests.strategies import BLOCKS, block_size, case_arrays, cases_of


@given(case_arrays(), BLOCKS)
@example(cases_of([(1.0, False), (1.0, True)]), 1)
def test_pairs_are_those_of_the_cases(cases, block):
    before = cases.keys.tobytes()
    with block_size(block):
        assert tuple(pair_counts(cases.keys)) == slow.pair_counts(cases.pairs)
    assert cases.keys.tobytes() == before


def test_pairs_of_many_cases_are_whole_numbers_of_any_size():
    cases = cases_of([(0.5, False)] * 70_000 + [(0.5, True)] * 70_000)
    assert pair_counts(cases.keys) == (70_000, 70_000**2, 70_000**2)
