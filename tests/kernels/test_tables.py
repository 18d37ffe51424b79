"""Counts of decisions, beside twins that look at one cell at a time."""

from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels import tables
from tests.differences import every
from tests.reference import exact as slow
from tests.strategies import BLOCKS, block_size, columns_of

CELLS = tables.BinaryCounts(tp=(True, True), fn=(True, False), fp=(False, True), tn=(False, False))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=50))
def test_every_case_is_counted_in_its_cell(cases):
    reference, response = np.array(cases, np.bool_).reshape(-1, 2).T
    assert tables.binary_counts(reference, response) == tuple(cases.count(cell) for cell in CELLS)
    for cell in CELLS:
        assert tables.one_case(*cell) == tuple(each == cell for each in CELLS)
        assert {type(count) for count in tables.one_case(*cell)} == {int}


@given(st.lists(st.tuples(*[st.sampled_from([0, 1, 2, 5, 63])] * 2)))
def test_pairs_are_counted_whatever_the_largest(drawn):
    for dtype in (np.bool_, np.uint8, np.int32, np.uint64):
        cases = np.array(drawn, dtype).reshape(-1, 2)
        found = tables.small_joint_counts(*cases.T, 64)
        assert np.array_equal(np.pad(found, (0, 64 - len(found))), tables.joint_counts(*cases.T, 64))


@every("late", [-1, 64])
def test_labels_out_of_range_are_noticed_late(late):
    labels = np.zeros(100_000, np.int64)
    labels[-2:] = 3, 5
    assert tables.small_joint_counts(labels, labels, 64).diagonal()[[0, 3, 5]].tolist() == [99_998, 1, 1]
    labels[-1] = late
    assert tables.small_joint_counts(labels, labels, 64) is None


@given(st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_sums_below_a_limit(weights):
    largest = sum(map(abs, weights))
    found = tables.sums_below(np.array(weights, np.int64), 2**62)
    assert found == (largest < 2**62) or abs(largest - 2**62) < 2**20


FOLDS = st.sampled_from([1, 2, 3, 8, 256])
"""Rows side by side, so that few rows fill several folds and leave a rest."""
SUMS = st.sampled_from([1, 2, 3, 255])
"""Folded rows added at a time."""
LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "reversed": lambda rows: rows[::-1, ::-1].copy()[::-1, ::-1],
    "every second": lambda rows: np.repeat(np.repeat(rows, 2, axis=0), 2, axis=1)[::2, ::2],
    "field": lambda rows: np.rec.fromarrays([np.zeros(rows.shape, np.int16), rows], names="other,cell").cell,
}


@st.composite
def matrices(draw, count=1, most_rows=30, most_categories=5):
    """Draw Boolean matrices of one shape and some layout."""
    rows, categories = draw(st.integers(0, most_rows)), draw(st.integers(1, most_categories))
    cells = columns_of([False, True], rows * categories)
    layout = LAYOUTS[draw(st.sampled_from(sorted(LAYOUTS)))]
    arrays = [layout(np.array(draw(cells), np.bool_).reshape(rows, categories)) for _ in range(count)]
    return arrays if count > 1 else arrays[0]


@contextmanager
def fold_size(fold, summed):
    """Let so many rows lie side by side, and so many folded rows be added at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "_FOLD", fold)
        patch.setattr(tables, "_SUMMED", summed)
        yield


def read_only(array):
    array.flags.writeable = False
    return array


def random_cells(rows, categories, seed=0):
    return np.random.default_rng(seed).random((rows, categories)) < 0.4


def assert_counts(counts, expected):
    assert isinstance(counts, tables.DecisionCounts)
    assert [count.tolist() for count in counts] == expected
    assert all(count.dtype == np.int64 and count.flags.writeable for count in counts)
    assert not any(np.shares_memory(*pair) for pair in (counts[:2], counts[1:], counts[::2]))


@given(rows=matrices(), fold=FOLDS, summed=SUMS)
@example(rows=np.zeros((0, 3), np.bool_), fold=2, summed=1)
@example(rows=np.ones((13, 2), np.bool_), fold=2, summed=3)
def test_column_sums(rows, fold, summed):
    with fold_size(fold, summed):
        sums = tables.column_sums(read_only(rows))
    assert sums.dtype == np.int64
    assert sums.tolist() == slow.column_sums(rows.tolist(), rows.shape[1])


@given(pair=matrices(count=2), fold=FOLDS, summed=SUMS, block=BLOCKS)
def test_matrix_counts(pair, fold, summed, block):
    with block_size(block), fold_size(fold, summed):
        counts = tables.matrix_counts(*map(read_only, pair))
    assert_counts(counts, slow.matrix_counts(*(rows.tolist() for rows in pair), pair[0].shape[1]))


@every("folds", [254, 255, 256, 509, 510, 511])
@every("rest", [0, 1, 255])
def test_a_byte_holds_the_sums_of_as_many_rows_as_are_added(folds, rest):
    rows = np.ones((folds * 256 + rest, 3), np.bool_)
    rows[:, 1] = False
    rows[5, 2] = False
    assert tables.column_sums(rows).tolist() == [len(rows), 0, len(rows) - 1]
    single = [len(rows), 0, len(rows) - 1]
    assert_counts(tables.matrix_counts(rows, rows[::-1]), [[len(rows), 0, len(rows) - 2], single, single])


@every(("rows", "categories", "block"), [(9001, 1, 1 << 12), (9001, 50, 1 << 12), (3, 6000, 1000)])
def test_many_rows_and_more_categories_than_a_block_holds(rows, categories, block):
    assigned, correct = (random_cells(rows, categories, seed) for seed in (3, 4))
    expected = [np.count_nonzero(each, axis=0).tolist() for each in (assigned & correct, assigned, correct)]
    with block_size(block), fold_size(16, 255):
        assert_counts(tables.matrix_counts(assigned, correct), expected)
    keys = [np.flatnonzero(rows) for rows in (assigned, correct)]
    assert_counts(tables.listed_counts(*keys, categories), expected)


@every("rows", [0, 1, 300])
def test_no_categories_have_no_counts(rows):
    assert_counts(tables.listed_counts(np.empty(0, np.int64), np.empty(0, np.int64), 0), [[]] * 3)
    cells = np.zeros((rows, 0), np.bool_)
    assert tables.column_sums(cells).tolist() == []
    assert_counts(tables.matrix_counts(cells, cells), [[]] * 3)


KEYS = columns_of([*range(41), *[0, 7, 7, 8, 2**62] * 8], 0, 30)


@given(assigned=KEYS, correct=KEYS, categories=st.integers(1, 50))
@example(assigned=[3, 3, 3], correct=[3, 3], categories=2)
@example(assigned=[], correct=[0], categories=1)
@example(assigned=[5, 5], correct=[], categories=50)
def test_listed_counts(assigned, correct, categories):
    keys = [read_only(np.array(each, np.int64)) for each in (assigned, correct)]
    assert_counts(tables.listed_counts(*keys, categories), slow.listed_counts(assigned, correct, categories))
