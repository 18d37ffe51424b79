import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels.pairs import pair_counts, wins_over_classes
from tests.reference import scored_cases as slow
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


@given(case_arrays(), st.data())
def test_wins_over_classes_are_those_of_the_cases(cases, data):
    size = cases.scores.size
    codes = np.array(data.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size)), np.int64)
    for own in range(3):
        wins = wins_over_classes(cases.scores, codes, own, 3)
        mine = cases.scores[codes == own].tolist()
        assert wins.tolist() == [
            sum((one > other) + (one == other) / 2 for one in mine for other in cases.scores[codes == code].tolist())
            for code in range(3)
        ]
