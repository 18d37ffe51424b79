"""Draws have the sizes and the spread of drawing with replacement; blocks hold every index once."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from evalcore.kernels.blocks import blocks, running_counts
from evalcore.kernels.draws import cluster_pairs, draw_cases, draw_clusters, draw_within, ranked_cases
from tests.differences import every
from tests.reference import scored_cases as slow
from tests.strategies import block_size


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


CASES = st.lists(st.tuples(st.booleans(), st.sampled_from([0.1, 0.3, 0.5]), st.integers(0, 2)), max_size=12)


@given(CASES, st.lists(st.integers(0, 3), min_size=3, max_size=3))
@example([], [1, 1, 1])
@example([(True, 0.5, 0), (False, 0.3, 1), (False, 0.1, 2)], [1, 1, 1])  # only 0.3 is left out
def test_pairs_of_a_resample_are_those_of_its_cases(cases, drawn):
    columns = zip(*cases, strict=True) if cases else ([], [], [])
    kinds = np.bool_, np.float64, np.int64
    correct, scores, clusters = (np.array(column, kind) for column, kind in zip(columns, kinds, strict=True))
    ranked = ranked_cases(scores, correct)
    found, incorrect = cluster_pairs(ranked, clusters[ranked.rows], 3).drawn(np.array(drawn))
    repeated = [(score, label) for label, score, cluster in cases for _ in range(drawn[cluster])]
    assert found == slow.pair_counts(repeated)
    assert incorrect == sum(not label for _, label in repeated)


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
