import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels.pairs import PairCounts, pair_counts, pair_counts_of_points, rises, wins_over_classes
from tests.reference import scored_cases as slow
from tests.strategies import BLOCKS, Cases, block_size, case_arrays, cases_of, columns_of


@given(case_arrays(), BLOCKS)
@example(cases_of([(1.0, False), (1.0, True)]), 1)
def test_pairs_are_those_of_the_cases(cases, block):
    before = cases.keys.tobytes()
    with block_size(block):
        assert tuple(pair_counts(cases.keys)) == slow.pair_counts(cases.pairs)
    assert cases.keys.tobytes() == before


def test_pairs_of_many_cases_are_whole_numbers_of_any_size():
    cases = Cases(np.full(140_000, 0.5), np.arange(140_000) % 2 > 0)
    assert pair_counts(cases.keys) == (70_000, 70_000**2, 70_000**2)


@given(case_arrays(), st.data())
def test_wins_over_classes_are_those_of_the_cases(cases, data):
    size = cases.scores.size
    codes = np.array(data.draw(columns_of(range(3), size)), np.int64)
    for own in range(3):
        wins = wins_over_classes(cases.scores, codes, own, 3)
        mine = cases.scores[codes == own].tolist()
        assert wins.tolist() == [
            sum((one > other) + (one == other) / 2 for one in mine for other in cases.scores[codes == code].tolist())
            for code in range(3)
        ]


@given(st.lists(st.tuples(*[st.integers(0, 3) | st.integers(0, 2**49)] * 2), min_size=1, max_size=8), BLOCKS)
def test_pairs_of_weights_are_whole_numbers_of_any_size(weights, block):
    tp, fp = np.cumsum(np.array(weights, np.float64), axis=0).T
    with block_size(block):
        found = pair_counts_of_points(tp, fp)
    lost = sum(gained * sum(wrong for _, wrong in weights[: row + 1]) for row, (gained, _) in enumerate(weights))
    assert found == PairCounts(sum(gained for gained, _ in weights), lost, sum(one * two for one, two in weights))


@given(st.lists(st.integers(0, 9), max_size=9), st.integers(0, 9))
def test_rises_are_differences(sums, before):
    sums = np.array(sums, np.float64)
    assert rises(sums, before).tolist() == np.diff(sums, prepend=float(before)).tolist()
