"""Places of categories in rankings, sums of ranks and codes of labels, beside slow twins."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels import label_ranks, matching
from evalcore.kernels.blocks import BLOCK
from tests.differences import every
from tests.reference import rankings as slow
from tests.strategies import BLOCKS, WIDTHS, block_size, case_arrays, case_matrices, columns_of, many_threads

SCORES = [-np.inf, -1.5, -0.0, 0.0, 0.25, 0.25, np.inf, np.nan]
METHODS = {"compared": 128, "sorted": 0}
"""How many categories are compared at most."""


@st.composite
def score_tables(draw, most_categories=5, most_cases=12):
    """Draw scores by category and case, (k, n), with a score in each case."""
    categories, cases = draw(st.integers(1, most_categories)), draw(st.integers(0, most_cases))
    rows = np.reshape(draw(columns_of(SCORES, cases * categories)), (cases, categories))
    rows[np.isnan(rows).all(axis=1), 0] = 0.25
    return rows.astype(draw(st.sampled_from(list(WIDTHS.values())))).T


@st.composite
def code_tables(draw, most_categories=4, most_places=6, most_cases=12):
    """Draw a number of categories, and codes (n, r) that repeat, that leave categories out, and -1."""
    categories, places = draw(st.integers(1, most_categories)), draw(st.integers(1, most_places))
    codes = draw(columns_of(range(-1, categories), draw(st.integers(0, most_cases)) * places))
    return categories, np.array(codes, np.intp).reshape(-1, places)


def read_only(array):
    array.flags.writeable = False
    return array


def turned(rows, categories):
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in range(categories)]


def slow_ranks(scores):
    codes = range(len(scores))
    rankings_of_cases = [slow.ranking_by_score(codes, column) for column in scores.T.tolist()]
    return turned([[slow.rank_in(row, code, len(codes)) for code in codes] for row in rankings_of_cases], len(codes))


@given(scores=score_tables(), block=BLOCKS)
@example(scores=np.array([[np.nan], [np.inf], [-np.inf]]), block=1)
@example(scores=np.zeros((3, 0)), block=1)
def test_ranks_by_score(scores, block):
    expected = slow_ranks(scores)
    for most in METHODS.values():
        with block_size(block), pytest.MonkeyPatch.context() as patch:
            patch.setattr(label_ranks, "_MOST_COMPARED", most)
            assert label_ranks.ranks_by_score(read_only(scores)).tolist() == expected


@every("dtype", WIDTHS.values())
@every("categories", [1, 2, 3, 127, 128, 129, 255, 256, 257, 300])
def test_ranks_by_score_of_many_categories(categories, dtype):
    rng = np.random.default_rng(categories)
    scores = rng.integers(0, max(categories // 2, 2), (categories, 3)).astype(dtype)
    scores[rng.random(scores.shape) < 0.2] = np.nan
    scores[rng.integers(0, categories, 3), np.arange(3)] = -np.inf
    expected = slow_ranks(scores)
    for block in 2 * categories, 1 << 16:
        with block_size(block):
            ranks = label_ranks.ranks_by_score(scores)
        assert ranks.tolist() == expected
        assert ranks.dtype == (np.uint8 if categories < 256 else np.uint16)


@given(code_tables())
@example((1, np.array([[-1, 0], [0, 0]])))
@example((2, np.array([[-1, -1, 1], [0, -1, 1]])))
def test_ranks_by_place(table):
    categories, codes = table
    ranks = label_ranks.ranks_in_rankings(read_only(codes), categories)
    expected = [[slow.rank_in(row, code, categories) for code in range(categories)] for row in codes.tolist()]
    assert ranks.tolist() == turned(expected, categories)


@every(("categories", "dtype"), [(3, np.uint8), (255, np.uint8), (256, np.uint16), (300, np.uint16)])
def test_ranks_by_place_of_many_categories(categories, dtype):
    rng = np.random.default_rng(categories)
    codes = rng.integers(-1, categories, (3, categories + 20))
    ranks = label_ranks.ranks_in_rankings(codes, categories)
    expected = [[slow.rank_in(row, code, categories) for row in codes.tolist()] for code in range(categories)]
    assert ranks.tolist() == expected
    assert ranks.dtype == dtype


@given(code_tables(), st.data())
def test_by_category(table, data):
    categories, codes = table
    values = data.draw(columns_of([-np.inf, -1.0, 0.5, np.inf], codes.size))
    values = np.array(values, np.float64).reshape(codes.shape)
    pairs = list(zip(codes.tolist(), values.tolist(), strict=True))
    columns = label_ranks.by_category(read_only(codes), read_only(values), categories)
    expected = [[slow.value_of(*pair, code) for pair in pairs] for code in range(categories)]
    np.testing.assert_array_equal(columns, np.array(expected).reshape(categories, -1))
    assert columns.dtype == np.float64


@given(score_tables(), BLOCKS, st.sampled_from("CF"), st.booleans())
def test_columns_are_a_copy_in_the_same_width(scores, block, layout, reverse):
    rows = np.array(scores.T, order=layout)[:: -1 if reverse else 1]
    with block_size(block):
        columns = label_ranks.by_columns(read_only(rows))
    np.testing.assert_array_equal(columns, rows.T)
    assert columns.dtype == rows.dtype
    assert columns.flags.c_contiguous
    assert columns.flags.writeable
    assert not np.shares_memory(columns, rows)


def assert_tallies(reference, ranks):
    tallies = label_ranks.rank_tallies(read_only(reference), read_only(ranks))
    firsts, counts, sums = np.zeros((3, len(ranks), len(ranks)), np.int64)
    for case, row in zip(reference.tolist(), ranks.T.tolist(), strict=True):
        counts[case, row[case]] += 1
        for category, rank in enumerate(row):
            firsts[case, category] += rank == 0
            sums[case, category] += rank
    for table, expected in ((tallies.firsts, firsts), (tallies.counts, counts), (tallies.sums, sums)):
        assert table.dtype == np.int64
        assert np.array_equal(table, expected)


@given(score_tables(), BLOCKS, st.data())
def test_tallies_and_firsts_of_ranks(scores, block, data):
    size = scores.shape[1]
    reference = data.draw(columns_of(range(len(scores)), size))
    with block_size(block):
        assert_tallies(np.array(reference, np.intp), ranks := label_ranks.ranks_by_score(scores))
    firsts = [slow.ranking_by_score(range(len(scores)), column)[0] for column in scores.T.tolist()]
    assert label_ranks.first_ranked(ranks).tolist() == firsts


@every(("categories", "cases"), [(1, 300), (2, 300), (3, 300), (64, 20), (65, 20), (300, 3)])
def test_tallies_of_many_cases(categories, cases):
    rng = np.random.default_rng(categories)
    ranks = np.argsort(rng.random((categories, cases)), axis=0).astype(np.min_scalar_type(categories))
    assert_tallies(rng.integers(0, categories, cases), ranks)


@every("categories", [2, 3, 300])
def test_tallies_are_exact_over_blocks_where_every_rank_is_the_last(categories):
    cases = 3 * (1 << 16) // categories + 1
    ranks = np.full((categories, cases), categories - 1, np.min_scalar_type(categories))
    ranks[0] = 0
    tallies = label_ranks.rank_tallies(np.ones(cases, np.uint8), ranks)
    assert tallies.sums[1].tolist() == [0] + [cases * (categories - 1)] * (categories - 1)
    assert tallies.counts[1, -1] == tallies.firsts[1, 0] == cases
    assert tallies.counts.sum() == tallies.firsts.sum() == cases


@given(case_arrays())
def test_doubled_ranks_count_cases_below_twice_and_those_beside_once(cases):
    scores = cases.scores.tolist()
    expected = [sum(2 * (other < own) + (other == own) for other in scores) for own in scores]
    ranks = label_ranks.doubled_ranks(cases.scores)
    assert ranks.tolist() == expected
    assert ranks.dtype == np.int64


@given(case_matrices(), BLOCKS)
def test_sums_are_those_of_each_label(cases, block):
    labels, ranks = cases.correct, label_ranks.doubled_ranks(cases.scores[:, 0])
    with block_size(block):
        correct, sums = label_ranks.rank_sums(labels, ranks)
        by_columns = label_ranks.rank_sums(np.asfortranarray(labels), ranks)
    assert correct.tolist() == by_columns[0].tolist() == [int(own.sum()) for own in labels.T]
    assert sums.tolist() == by_columns[1].tolist() == [int(ranks[own].sum()) for own in labels.T]


def test_sums_of_several_threads_are_those_of_one():
    rng = np.random.default_rng(5)
    labels, ranks = rng.random((3000, 70)) < 0.3, rng.permutation(3000)
    with many_threads(4, 500):
        correct, sums = label_ranks.rank_sums(labels, ranks)
    assert (correct.tolist(), sums.tolist()) == (labels.sum(axis=0).tolist(), (ranks @ labels).tolist())


def test_sums_beyond_the_whole_numbers_of_float32_are_exact():
    ranks = np.arange(2**31 - 600, 2**31, dtype=np.int64)
    labels = np.ones((600, 2), np.bool_)
    assert label_ranks.rank_sums(labels, ranks)[1].tolist() == [int(ranks.sum())] * 2


def test_sums_beyond_the_whole_numbers_of_float64_are_exact():
    labels = np.ones((3 * BLOCK, 1), np.bool_)
    labels[::BLOCK] = False
    ranks = np.full(labels.size, 2**36 + 1)  # odd sums of blocks, each below 2**53
    assert label_ranks.rank_sums(labels, ranks)[1].tolist() == [3 * (BLOCK - 1) * (2**36 + 1)]


POOLS = {
    np.int64: [0, 1, -1, 2**62, -(2**62), 7],
    np.object_: ["", "a", "ab", None, 3, ("a", 1)],
    np.str_: ["", "a", "b", "ab", "ba", "\U0001f600", "a\0b"],
}


def check(labels, found):
    """Fail unless the labels of the first cases, taken by the codes, are the labels."""
    assert labels[found.first][found.codes].tolist() == labels.tolist()


def column(kind, labels):
    if kind is not np.object_:
        return np.array(labels, kind)
    objects = np.empty(len(labels), object)
    objects[:] = labels
    return objects


LABELS = st.sampled_from(list(POOLS)).flatmap(
    lambda kind: st.tuples(st.just(kind), st.lists(st.sampled_from(POOLS[kind]), min_size=1))
)


@given(LABELS)
def test_codes_give_the_labels_back(drawn):
    labels = column(*drawn)
    found = matching.code_few(labels)
    check(labels, found)
    assert len({*map(repr, labels[found.first].tolist())}) == found.first.size == len({*map(repr, labels.tolist())})


def test_numbers_have_any_width_and_zero_no_sign():
    for dtype in (np.bool_, np.int8, np.uint64, np.float16, np.float32, np.float64):
        labels = np.array([1, 0, 3, 1, 0]).astype(dtype)
        check(labels, matching.code_few(labels))
    assert matching.code_few(np.array([0.0, -0.0])).first.tolist() == [0]


@every("distinct", [1, 2, 100, 256, 257, 5000])
def test_labels_that_come_late_are_numbered_too_or_there_are_many(distinct):
    random = np.random.default_rng(distinct)
    labels = np.sort(random.integers(0, 2**63, distinct)[random.integers(0, distinct, 40_000)])
    found = matching.code_few(labels)
    if np.unique(labels).size > 256:
        assert found is None
    else:
        check(labels, found)


def test_a_text_that_is_not_that_of_its_code_is_noticed(monkeypatch):
    monkeypatch.setattr(matching, "_text_words", lambda labels: np.ones(labels.size, np.uint64))
    assert matching.code_few(np.array(["a", "a"])) is not None
    assert matching.code_few(np.array(["a", "b"])) is None
