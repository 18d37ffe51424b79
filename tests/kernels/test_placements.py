"""Placements and their moments are what the definition says: cases of the other class above, less those below."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels.placements import moments_of, placement_moments, placements, placements_in_groups
from evalcore.kernels.sorting import indexed_order, order
from tests.differences import every
from tests.reference import placements as slow
from tests.strategies import BLOCKS, Cases, block_size, case_arrays, cases_of, columns_of, many_threads

NEXT_TO_EACH_OTHER = [1.0, 1 + 2**-52, 1 + 2**-51, 2.0**-300, 2.0**-301, -(2.0**-300), 0.0, -1.0, -1 - 2**-52]
"""Scores of which several have one level."""


def listed(moments):
    return [(side.size, side.sums.tolist(), side.products.tolist()) for side in moments]


def joint_moments(columns, correct):
    return moments_of([placements(indexed_order(scores, correct)) for scores in columns])


def several(cases, data):
    """Draw scores of two more models for the same cases."""
    size = cases.scores.size
    pools = (NEXT_TO_EACH_OTHER, np.float64), ([0.0, 0.5, 1.0], np.float32)
    columns = [np.array(data.draw(columns_of(pool, size)), dtype) for pool, dtype in pools]
    return [cases.scores, *columns]


@given(case_arrays(), BLOCKS)
@example(cases_of([(1.0, False), (1.0, True)]), 1)
@example(cases_of([(value, place % 2 == 0) for place, value in enumerate(NEXT_TO_EACH_OTHER * 2)]), 3)
def test_moments_alone_and_beside_a_ranking_without_ties_are_those_of_the_cases(cases, block):
    before = cases.scores.tobytes(), cases.correct.tobytes()
    columns = [cases.scores, np.arange(cases.scores.size, dtype=np.float64)]
    rankings = [list(zip(column.tolist(), cases.correct.tolist(), strict=True)) for column in columns]
    keys = cases.keys
    with block_size(block):
        assert listed(joint_moments(columns, cases.correct)) == slow.moments(rankings)
        assert listed(placement_moments(keys)) == slow.moments([cases.pairs])
    assert (cases.scores.tobytes(), cases.correct.tobytes()) == before
    assert keys.tobytes() == cases.keys.tobytes()


@given(case_arrays(max_size=20), BLOCKS, st.data())
def test_moments_of_several_rankings_are_those_of_the_cases_and_of_chosen_pairs_alone(cases, block, data):
    columns = several(cases, data)
    pairs_of_cases = [list(zip(column.tolist(), cases.correct.tolist(), strict=True)) for column in columns]
    with block_size(block):
        assert listed(joint_moments(columns, cases.correct)) == slow.moments(pairs_of_cases)
        rankings = [placements(indexed_order(scores, cases.correct)) for scores in columns]
        whole, some = (moments_of(rankings, pairs) for pairs in (None, [(2, 0)]))
    assert listed(some.of([0, 2])) == listed(whole.of([0, 2]))
    for full, side in zip(whole, some, strict=True):
        assert side.products.diagonal().tolist() == full.products.diagonal().tolist()
        assert side.products[0, 1] == side.products[1, 2] == 0


@given(case_arrays(max_size=20), BLOCKS)
def test_placements_need_no_more_memory_than_their_ordering(cases, block):
    with block_size(block):
        found = indexed_order(cases.scores, cases.correct)
        for side in placements(found):
            assert side.size == 0 or np.shares_memory(side, found.cases)


@given(case_arrays(max_size=20), st.sampled_from([2, 3, 5]), st.sampled_from([2, 3, 7]), st.data())
def test_threads_change_no_number(cases, count, block, data):
    columns = several(cases, data)
    answers = []
    for allowed in (1, count):
        with many_threads(allowed, block):
            answers.append((listed(placement_moments(cases.keys)), listed(joint_moments(columns, cases.correct))))
    assert answers[0] == answers[1]


LAYOUTS = {
    "distinct": lambda scores: scores,
    "on both sides of zero": lambda scores: scores - 0.5,
    "two in three tied": lambda scores: np.where(np.arange(scores.size) % 3, np.float64(0.25), scores),
    "a thousand levels": lambda scores: np.floor(scores * 1000),
    "two levels": np.round,
    "equal": np.zeros_like,
    "far apart": lambda scores: np.exp(1000 * (scores - 0.5)),
    "infinite": lambda scores: np.log(np.maximum(np.round(scores, 3) - 0.1, 0)),
    "next to each other": lambda scores: 1 + np.floor(scores * 3000) * 2**-52,
    "next to each other, and one far away": lambda scores: np.where(scores == scores.max(), 1e300, 1 + scores * 2**-40),
}


@pytest.fixture
def _blocks_are_small():
    with block_size(1600):
        yield


@pytest.mark.usefixtures("_blocks_are_small")
@every("layout", LAYOUTS)
def test_moments_of_many_cases_agree_with_searches_in_the_sorted_scores(layout):
    rng = np.random.default_rng(8)
    correct, scores = rng.random(6000) < 0.3, rng.random(6000)
    with np.errstate(divide="ignore"):
        scores = LAYOUTS[layout](scores)
    sides = np.sort(scores[correct]), np.sort(scores[~correct])
    expected = []
    for own, other in zip((scores[correct], scores[~correct]), sides[::-1], strict=True):
        below, up_to = other.searchsorted(own, "left"), other.searchsorted(own, "right")
        placements = other.size - up_to - below
        expected.append((own.size, [int(placements.sum())], [[int(placements @ placements)]]))
    assert listed(joint_moments([scores], correct)) == expected
    assert listed(placement_moments(order(scores, correct).keys)) == expected


def test_moments_of_many_cases_are_whole_numbers_of_any_size():
    size = 100_000
    cases = Cases(np.repeat([0.25, 0.5], size), np.repeat([True, False], size))
    side = (size, [size**2], [[size**3]])
    other = (size, [-(size**2)], [[size**3]])
    assert listed(placement_moments(cases.keys)) == [side, other]
    assert listed(joint_moments([cases.scores], cases.correct)) == [side, other]


@pytest.mark.slow
def test_products_of_which_64_bits_hold_less_than_a_block_add_up_too():
    size, positives = 15_000_000, 100_000
    correct = np.arange(size) < positives
    scores = np.where(correct, np.float32(0.25), np.float32(0.5))
    negatives = size - positives
    moments = joint_moments([scores, -scores], correct)
    for side, squares in zip(moments, (positives * negatives**2, negatives * positives**2), strict=True):
        assert side.products.tolist() == [[squares, -squares], [-squares, squares]]


CASES = st.tuples(st.sampled_from([-np.inf, -1.0, -0.0, 0.0, 0.5, np.inf]), st.booleans())


def slow_placement(case, group):
    others = [score for score, correct in group if correct != case[1]]
    return sum(score > case[0] for score in others) - sum(score < case[0] for score in others)


@given(st.lists(st.lists(CASES, min_size=1, max_size=12), min_size=1, max_size=6))
def test_placements_are_within_the_group(groups):
    scores, correct = (np.array(column) for column in zip(*(case for group in groups for case in group), strict=True))
    sizes = np.array(list(map(len, groups)))
    found = placements_in_groups(scores, correct, sizes)
    assert found.tolist() == [slow_placement(case, group) for group in groups for case in group]
