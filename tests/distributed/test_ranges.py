"""Partitions are cut into ranges of about equal size, in whichever form is smaller, and no case is lost."""

from collections import Counter

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.distributed.partitions import LabelCounts
from evalcore.distributed.ranges import _added, choose_cuts, count_range, cut_cases
from tests.differences import every
from tests.distributed.parted import NAMES, equally, random_cases
from tests.strategies import Cases, case_arrays


def cut(cases, cuts, ranges, weights=None):
    more = [] if weights is None else [weights]
    return cut_cases([cases.correct, cases.scores, *more], NAMES[: 2 + len(more)], None, cuts, ranges)


def of_two_widths(narrow, wide):
    """A partition of a float32 score, and one of a float64 score."""
    pairs = ((narrow, np.float32), (wide, np.float64))
    return [(Cases(np.array([score], width), np.array([True])), False) for score, width in pairs]


@given(st.lists(st.tuples(case_arrays(), st.booleans()), min_size=1, max_size=4), st.integers(1, 6))
@example(of_two_widths(0, 5e-324), 2)
@example(of_two_widths(0, 1e300), 2)
def test_ranges_count_all_cases_and_nothing_else(drawn, ranges):
    scores = np.concatenate([cases.scores.astype(np.float64) for cases, _ in drawn])
    cuts = choose_cuts(scores, ranges)
    assert cuts.size < ranges
    assert np.all(np.diff(cuts) > 0)
    parts = [cut(cases, cuts, ranges, np.ones(cases.scores.size, int) if weighs else None) for cases, weighs in drawn]
    found, above = Counter(), LabelCounts(0, 0)
    edges = [np.inf, *cuts[::-1].tolist(), *[-np.inf] * (ranges - cuts.size)]
    for number, pieces in enumerate(zip(*parts, strict=True)):
        counted = count_range(pieces, NAMES[:2])
        assert counted.above == above
        assert np.all((edges[number + 1] <= counted.counts.scores) & (counted.counts.scores <= edges[number]))
        for score, *counts in zip(*(column.tolist() for column in counted.counts), strict=True):
            found.update({(score, side): count for side, count in zip((True, False), counts, strict=True)})
        above = LabelCounts(*(one + int(own.sum()) for one, own in zip(above, counted.counts[1:], strict=True)))
    assert above == counted.total
    assert +found == Counter(
        pair for cases, _ in drawn for pair in zip(cases.scores.tolist(), cases.correct.tolist(), strict=True)
    )


@every("shuffled", [True, False])
def test_no_range_is_much_larger_than_the_mean(shuffled):
    cases = random_cases(10_000)
    rows = slice(None) if shuffled else np.argsort(cases.scores)
    splits = np.cumsum(equally(10_000, 8))[:-1]
    parts = [Cases(*part) for part in zip(*(np.split(column[rows], splits) for column in cases), strict=True)]
    cuts = choose_cuts(np.concatenate([part.scores[::5] for part in parts]), 8)
    sizes = np.sum([[piece.cases.scores.size for piece in cut(part, cuts, 8)] for part in parts], axis=0)
    assert sizes.sum() == 10_000
    assert sizes.max() < 1.2 * 10_000 / 8


@every("weight", [None, 2, 0.5])
def test_a_score_that_most_cases_share_costs_two_rows(weight):
    cases = Cases(np.repeat([0.5, 0.25], [990, 10]), np.arange(1000) % 3 == 0)
    pieces = cut(cases, np.array([0.5]), 2, None if weight is None else np.full(1000, weight))
    assert [piece.cases.scores.tolist() for piece in pieces] == [[0.5, 0.5], [0.25, 0.25]]
    each = 1 if weight is None else weight
    assert pieces[0].cases.weights.tolist() == [330 * each, -660 * each]
    assert pieces[0].cases.weights.dtype == (np.float64 if weight == 0.5 else np.int64)


def test_distinct_scores_keep_their_width_and_give_back_the_memory_of_the_partition():
    cases = Cases(np.arange(1000, dtype=np.float32), np.arange(1000) % 3 == 0)
    for weights, width in ((None, np.int8), (np.ones(1000), np.int64), (np.full(1000, 0.5), np.float64)):
        for piece in cut(cases, np.array([500.0]), 2, weights):
            assert piece.cases.scores.dtype == np.float32
            assert piece.cases.weights.dtype == width
            assert all(column.base is None for column in piece.cases)


@given(st.lists(st.floats(0, 1e300), min_size=3, max_size=20), st.integers(0, 10**6))
def test_sums_of_weights_do_not_depend_on_the_order_of_the_pieces(weights, seed):
    pieces = [LabelCounts(weight, weight / 3) for weight in weights]
    shuffled = [pieces[index] for index in np.random.default_rng(seed).permutation(len(pieces))]
    assert _added(pieces) == _added(shuffled)


def test_a_range_of_whole_weights_may_be_above_others_of_fractions():
    cases, cuts = Cases(np.array([0.9, 0.1]), np.array([True, False])), np.array([0.5])
    top, low = (cut(Cases(*(column[part] for column in cases)), cuts, 2, np.array([weight]))
                for part, weight in ((slice(0, 1), 3), (slice(1, 2), 0.5)))  # fmt: skip
    for pieces, sums in zip(zip(top, low, strict=True), ((3, 0), (3, 0.5)), strict=True):
        counted = count_range(pieces, NAMES)
        assert (counted.tp[-1], counted.fp[-1]) == sums
