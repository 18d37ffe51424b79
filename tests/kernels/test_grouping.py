"""Groups of cases come together, each in order of its scores; draws and blocks hold each case as often as due."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from evalcore.kernels import grouping
from evalcore.kernels.blocks import blocks, running_counts
from evalcore.kernels.draws import draw_cases, draw_clusters, draw_within
from evalcore.kernels.sorting import order
from evalcore.measures.retrieval import first_of_each, products_before
from tests.differences import every
from tests.strategies import BLOCKS, block_size, case_arrays, columns_of

LAYOUTS = st.sampled_from([0, 1, 3, 128])
"""Values of `_WORTH_A_CALL`: groups stay where they are, or stand by size."""


def rows_of(layout):
    """Return the rows of each group, by group."""
    order = np.arange(layout.starts[-1]) if layout.order is None else layout.order
    parts = np.split(order, layout.starts[1:-1])
    return {int(group): part.tolist() for group, part in zip(layout.groups, parts, strict=False)}


@given(columns_of(range(6), 0, 40), st.sampled_from(["mixed", "ascending", "descending"]), LAYOUTS)
def test_cases_stand_group_after_group_as_they_came(codes, arrangement, worth):
    if arrangement != "mixed":
        codes = sorted(codes, reverse=arrangement == "descending")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "_WORTH_A_CALL", worth)
        patch.setattr(grouping, "_FEW_CALLS", 1)
        layout = grouping.group_layout(np.array(codes, np.int64), 8)
    assert rows_of(layout) == {code: [row for row, other in enumerate(codes) if other == code] for code in set(codes)}
    assert layout.starts.tolist()[-1] == len(codes)


@given(case_arrays(), st.data(), BLOCKS, LAYOUTS)
def test_keys_of_each_group_are_those_of_its_cases_alone(cases, data, block, worth):
    codes = np.array(data.draw(columns_of(range(4), cases.scores.size)), np.int64)
    with pytest.MonkeyPatch.context() as patch, block_size(block):
        patch.setattr(grouping, "_WORTH_A_CALL", worth)
        patch.setattr(grouping, "_FEW_CALLS", 1)
        layout = grouping.group_layout(codes, 4)
        keys, code = grouping.sorted_by_group(layout, *cases)
    assert keys.size == codes.size
    for group, start, end in zip(layout.groups, layout.starts[:-1], layout.starts[1:], strict=True):
        own = codes == group
        alone = order(cases.scores[own], cases.correct[own])
        assert code.unpack(keys[start:end]).tolist() == alone.code.unpack(alone.keys).tolist()
        assert (keys[start:end] & 1).tolist() == (alone.keys & 1).tolist()


@given(columns_of(range(1, 9), 0, 30), BLOCKS)
def test_blocks_hold_whole_groups_or_one_is_larger(sizes, block):
    starts = np.concatenate([[0], np.cumsum(np.array(sizes, np.int64))])
    with block_size(block):
        small, large = grouping.blocks_of_groups(starts)
    every = [*((part.start, part.stop) for part in small), *((group, group + 1) for group in large)]
    assert sorted(group for part in every for group in range(*part)) == list(range(len(sizes)))
    assert all(starts[part.stop] - starts[part.start] <= block for part in small)
    assert all(sizes[group] > block for group in large)


CASES = st.lists(
    st.tuples(
        st.integers(0, 3), st.sampled_from([-0.0, 0.0, 0.25, 0.5, 1.0]), st.booleans(), st.sampled_from([0.5, 1, 2.75])
    ),
    min_size=1,
    max_size=30,
)


def columns_by_group(cases):
    group, scores, correct, weights = zip(*sorted(cases, key=lambda case: case[0]), strict=True)
    sizes = np.unique(group, return_counts=True)[1]
    return np.array(scores), np.array(correct), np.array(weights), sizes


@given(CASES, st.booleans())
def test_sums_are_of_each_group_and_score(cases, frequencies):
    scores, correct, weights, sizes = columns_by_group(cases)
    weights = np.ceil(weights) if frequencies else weights
    found = grouping.grouped_weights(scores, correct, weights, sizes, frequencies=frequencies)
    groups = np.arange(sizes.size).repeat(sizes)
    runs = sorted({(group, -score) for group, score in zip(groups.tolist(), scores.tolist(), strict=True)})
    assert found.scores.group.tolist() == [group for group, _ in runs]
    for side, mask in enumerate((correct, ~correct)):
        for index, (group, score) in enumerate(runs):
            own = weights[mask & (groups == group) & (scores == -score)]
            above = weights[mask & (groups == group) & (scores >= -score)]
            after = weights[mask & (groups == group) & (scores < -score)]
            expected = (own.sum(), (own if frequencies else own**2).sum(), own.sum() if frequencies else own.size)
            assert tuple(column[index] for column in found.at_scores.at(side)) == expected
            assert found.scores[3 + side][index] == above.sum()
            assert side == 0 or found.scores.fp_after[index] == after.sum()
        of_groups = [weights[mask & (groups == group)] for group in range(sizes.size)]
        assert found.of_groups.sums[side].tolist() == [own.sum() for own in of_groups]
        assert found.of_groups.cases[side].tolist() == [own.sum() if frequencies else own.size for own in of_groups]
    assert scores[found.cases.order][found.scores.lasts].tolist() == [-score for _, score in runs]


def test_a_heavy_group_leaves_no_rounding_errors_in_the_next():
    weights = np.array([1e16, 1.0, 0.1, 0.2, 0.4])
    found = grouping.grouped_weights(np.arange(5.0)[::-1], np.ones(5, np.bool_), weights, np.array([2, 3]))
    exact = float(sum(map(Fraction, weights[2:].tolist())))
    assert abs(found.of_groups.sums[0, 1] - exact) < 1e-15
    assert found.scores.tp[2] == 0.1


def test_weights_are_scaled_only_where_products_would_leave_float64():
    groups = np.array([0, 0, 1, 1, 2])
    weights = np.array([2.0**-300, 2.0**-301, 3.0, 1.0, 2.0**500])
    scaled, divisors = grouping.scaled_by_group(weights, groups, 3)
    assert scaled.tolist() == [1.0, 0.5, 3.0, 1.0, 1.0]
    assert divisors.tolist() == [2.0**-300, 1.0, 2.0**500]
    assert grouping.scaled_by_group(np.ones(5), groups, 3)[1].tolist() == [1.0, 1.0, 1.0]


def test_groups_with_whole_weights_are_found_in_any_order_of_rows():
    layout = grouping.group_layout(np.array([1, 0, 1, 2]), 3)
    found = grouping.whole_groups(np.array([2.0, 0.5, 3.0, 2.0**53]), layout)
    by_group = dict(zip(layout.groups.tolist(), zip(*(each.tolist() for each in found), strict=True), strict=True))
    assert by_group == {0: (False, 0.5), 1: (True, 5.0), 2: (False, 2.0**53)}
    assert grouping.whole_groups(np.array([2, 1, 3, 5]), layout)[0].all()


def test_a_part_of_a_layout_has_the_rows_of_its_groups():
    layout = grouping.GroupLayout(np.array([2, 0, 1]), np.array([0, 2, 3, 5]), np.array([4, 3, 0, 2, 1]))
    part = grouping.part_of_layout(layout, np.array([True, False, True]))
    assert (part.groups.tolist(), part.starts.tolist(), part.order.tolist()) == ([2, 1], [0, 2, 4], [4, 3, 2, 1])
    assert grouping.rows_of_groups(layout, slice(1, 3)).tolist() == [0, 2, 1]
    assert grouping.rows_of_groups(layout._replace(order=None), slice(1, 3)) == slice(2, 5)


SCORES = [-np.inf, -1.5, -1e-40, -0.0, 0.0, 1e-40, 0.5, 1.5, np.inf]
ITEMS = columns_of(list(product([0, 1, 2, 5, 2**20, 2**31 - 1, 2**40], SCORES)), 0, 40)


@given(ITEMS, st.sampled_from([np.float32, np.float64]))
def test_items_stand_by_group_and_score_as_they_came(items, dtype):
    groups = np.array([group for group, _ in items], np.int64)
    scores = np.array([score for _, score in items], dtype)
    order, starts = grouping.order_by_group(groups, scores)
    expected = sorted(range(len(items)), key=lambda row: (groups[row], -scores[row]))
    assert order.tolist() == expected
    keys = [(groups[row], scores[row]) for row in expected]
    assert starts.tolist() == [place for place, key in enumerate(keys) if place == 0 or key != keys[place - 1]]
    if items:  # where they stand group after group already, each is sorted by itself
        side_by_side, sizes = np.argsort(groups, kind="stable"), np.unique(groups, return_counts=True)[1]
        alone = grouping.order_in_groups(scores[side_by_side], sizes)
        assert (side_by_side[alone.order].tolist(), alone.starts.tolist()) == (expected, starts.tolist())


@every("highest", [2**14, 2047 << 4, (2047 << 4) + 1, 2**15, 2**16, 2**17, 2**30])
@every("dtype", [np.float32, np.float64])
def test_groups_that_do_not_fit_a_word_beside_score_and_place_are_sorted_too(highest, dtype):
    rng = np.random.default_rng(0)
    groups = rng.choice([1, highest // 2, highest - 1], 40_000)
    scores = rng.integers(-50, 50, 40_000).astype(dtype)
    order, _ = grouping.order_by_group(groups, scores)
    assert np.array_equal(order, np.lexsort((-scores, groups)))


@given(columns_of(list(product(range(5), range(10))), 0, 30))
def test_places_know_what_comes_before_them_in_their_group(pairs):
    pairs = sorted(pairs, key=lambda pair: pair[0])
    groups, values = (np.array(column, float) for column in zip(*pairs, strict=True)) if pairs else (np.empty(0),) * 2
    names = groups.tolist()
    assert first_of_each(groups.astype(np.int64)).tolist() == [names.index(name) for name in names]
    before = [sum(other for name, other in pairs[:place] if name == pairs[place][0]) for place in range(len(pairs))]
    halves = np.exp2(-values)
    assert products_before(groups.astype(np.int64), halves).tolist() == np.exp2(-np.array(before, float)).tolist()


@every("size", [0, 1, 2, 65_535, 65_536, 65_537, 200_001])
def test_as_many_cases_are_drawn_as_there_are(size):
    counts = draw_cases(size)(np.random.default_rng(size))
    assert (counts.size, counts.sum(), counts.dtype) == (size, size, np.int64)


def test_counts_are_spread_as_those_of_independent_draws():
    counts = draw_cases(300_000)(np.random.default_rng(1))
    seen = np.bincount(counts, minlength=8)[:8]
    expected = stats.binom.pmf(np.arange(8), 300_000, 1 / 300_000)
    assert stats.chisquare(seen, expected / expected.sum() * seen.sum()).pvalue > 0.001
    parts = counts.reshape(30, -1).sum(axis=1)
    assert stats.chisquare(parts).pvalue > 0.001


def test_two_cases_are_drawn_together_as_often_as_apart():
    draw, rng = draw_cases(2), np.random.default_rng(2)
    seen = np.bincount([draw(rng)[0] for _ in range(4000)], minlength=3)
    assert stats.chisquare(seen, [1000, 2000, 1000]).pvalue > 0.001


def test_strata_and_clusters_keep_together():
    strata = np.array([0, 1, 0, 2, 1, 0])
    counts = draw_within(strata, 3)(np.random.default_rng(3))
    assert np.bincount(strata, weights=counts).tolist() == [3, 2, 1]
    clusters = np.array([0, 1, 0, 2, 1, 0])
    counts = draw_clusters(clusters, 3)(np.random.default_rng(4))
    assert [np.unique(counts[clusters == cluster]).size for cluster in range(3)] == [1, 1, 1]
    assert sum(counts[[0, 1, 3]]) == 3


@every("size", [0, 1, 2, 3, 6, 7, 8])
@every("most", [1, 2, 3, 7])
def test_blocks_hold_every_index_once_in_order_and_none_is_empty_or_too_long(size, most):
    with block_size(most):
        pieces = [range(size)[block] for block in blocks(size)]
    assert [index for piece in pieces for index in piece] == list(range(size))
    assert all(len(piece) == most for piece in pieces[:-1])
    assert all(1 <= len(piece) <= most for piece in pieces)
    with block_size(4):
        assert [block.stop for block in blocks(6)] == [4, 6]  # within the size


@given(st.lists(st.integers(0, 1), max_size=300))
@example([])
@example([1] * 256)
@example([1] * 65_528)
@example([1] * 65_535)  # all that 16 bits hold
def test_running_counts_are_cumulative_sums(mask):
    assert running_counts(np.array(mask, np.uint8)).tolist() == np.cumsum(mask).tolist()
