"""Sorted partitions are cut into balanced ranges, in whichever form is smaller, and joined without a loss."""

import pickle
import sys
from collections import Counter

import numpy as np
import pytest
from dask.sizeof import sizeof
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.distributed.partitions.range_counts import TalliedRange, range_cases
from evalcore.distributed.partitions.sorted_partitions import (
    CutPartition,
    SortedCases,
    TalliedCases,
    WeightedScores,
    choose_cuts,
    merge_pieces,
    sort_cases,
    sort_weighted_scores,
    tally,
)
from tests.distributed.parted import equally, random_cases
from tests.strategies import Cases, case_arrays


def weighted(piece):
    """The same cases with a weight of one each."""
    return sort_weighted_scores(np.concatenate(piece), np.repeat([1, -1], [side.size for side in piece]))


FORMS = st.sampled_from([lambda piece: piece, lambda piece: tally([piece]), weighted])


def counted(piece):
    """Scores and labels of a piece in either form, with how many cases have them."""
    if isinstance(piece, TalliedCases):
        rows = zip(*(column.tolist() for column in piece), strict=True)
        found = Counter()
        for score, positives, negatives in rows:
            found[score, True] += positives
            found[score, False] += negatives
        return +found
    if isinstance(piece, WeightedScores):
        assert np.all(np.abs(piece.weights) == 1)
        return Counter(zip(piece.scores.tolist(), (piece.weights > 0).tolist(), strict=True))
    return Counter(
        (score, correct) for correct, side in zip((True, False), piece, strict=True) for score in side.tolist()
    )


def of_cases(cases):
    return Counter(zip(cases.scores.tolist(), cases.correct.tolist(), strict=True))


@given(case_arrays(), FORMS)
def test_a_sorted_piece_holds_all_cases(cases, form):
    piece = form(sort_cases(cases.correct, cases.scores))
    assert counted(piece) == of_cases(cases)
    sides = piece if isinstance(piece, SortedCases) else [piece.scores[::-1]]
    assert all(np.all(side[1:] >= side[:-1]) for side in sides)


def of_two_widths(narrow, wide):
    """A partition of a float32 score, and one of a float64 score."""
    return [
        (Cases(np.array([score], width), np.array([True])), lambda piece: piece)
        for score, width in ((narrow, np.float32), (wide, np.float64))
    ]


@given(st.lists(st.tuples(case_arrays(), FORMS), min_size=1, max_size=4), st.integers(1, 6), st.integers(1, 10))
@example(of_two_widths(0, 5e-324), 2, 1)
@example(of_two_widths(0, 1e300), 2, 1)
def test_pieces_are_all_cases_of_their_ranges_and_nothing_else(drawn, count, size):
    partitions = [form(sort_cases(cases.correct, cases.scores)) for cases, form in drawn]
    cuts = choose_cuts([piece.sample(size) for piece in partitions], count)
    assert cuts.size < count
    assert np.all(cuts[1:] > cuts[:-1])
    cut = [CutPartition(piece, cuts, count) for piece in partitions]
    ranges = [merge_pieces([each.piece(number) for each in cut]) for number in range(count)]
    assert sum(map(counted, ranges), Counter()) == sum((of_cases(cases) for cases, _ in drawn), Counter())
    edges = [np.inf, *cuts[::-1].tolist(), -np.inf]
    for number, piece in enumerate(ranges):
        found = counted(piece)
        assert not found or number <= cuts.size
        assert all(edges[number + 1] <= score and (score < edges[number] or number == 0) for score, _ in found)
        positives = sum(each.counts[number, 0] for each in cut)
        assert positives == sum(count for (_, correct), count in found.items() if correct)


@pytest.mark.parametrize("shuffled", [True, False])
@pytest.mark.parametrize("levels", [None, 3])
def test_no_range_holds_more_than_an_eighth_above_the_mean(shuffled, levels):
    cases = random_cases(10_000, levels)
    order = slice(None) if shuffled else np.argsort(cases.scores)
    splits = np.cumsum(equally(10_000, 8))[:-1]
    parts = [
        sort_cases(*part)
        for part in zip(np.split(cases.correct[order], splits), np.split(cases.scores[order], splits), strict=True)
    ]
    cuts = choose_cuts([part.sample(16 * 9) for part in parts], 9)
    sizes = np.sum([CutPartition(part, cuts, 9).counts for part in parts], axis=0).sum(axis=1)
    assert sizes.sum() == 10_000
    if levels is None:
        assert sizes.max() <= 10_000 / 9 * 1.125 <= 10_000 / 8


def test_a_score_that_most_cases_share_costs_a_row():
    piece = sort_cases(np.arange(1000) % 3 == 0, np.repeat([0.5, 0.25], [990, 10]))
    pieces = CutPartition(piece, np.array([0.5]), 2)
    assert [part.scores.tolist() for part in pieces.pieces] == [[0.5], [0.25]]
    assert isinstance(range_cases([pieces.piece(0)] * 50), TalliedRange)


def test_distinct_scores_stay_as_they_are_and_give_back_their_memory():
    piece = sort_cases(np.arange(1000) % 3 == 0, np.arange(1000.0))
    pieces = CutPartition(piece, np.array([500.0]), 2)
    for part in pieces.pieces:
        assert isinstance(part, SortedCases)
        assert all(side.base is None for side in part)
    assert sizeof(pieces.piece(0)) > 4000
    sent = pickle.loads(pickle.dumps(pieces, 5))
    assert [counted(part) for part in sent.pieces] == [counted(part) for part in pieces.pieces]
    assert np.array_equal(sent.counts, pieces.counts)
    assert sizeof(pieces) == sys.getsizeof(pieces) < 200


def test_empty_partitions_widen_no_others():
    narrow = sort_cases(np.array([True, False]), np.array([0.5, 0.25], np.float32))
    none = sort_cases(np.array([], bool), np.array([]))
    assert merge_pieces([none, narrow]).positives.dtype == np.float32
    assert range_cases([none, narrow]).code.score_dtype == np.float32
    assert range_cases([none]).keys.size == 0
