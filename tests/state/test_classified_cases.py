"""What is remembered of classified cases, beside twins that look at one case at a time."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalcore.kernels.label_ranks import ranks_by_score
from evalcore.state.tables import CaseBatch, ClassifiedCases
from tests.differences import every
from tests.reference import rankings as slow

CATEGORIES = 3
POOL = [-1.0, 0.5, 2.0, math.nan]


@st.composite
def batches(draw, most_cases=6):
    """Draw a batch of cases: codes, scores, and a second column that is the same, or another."""
    size = draw(st.integers(0, most_cases))
    row = st.lists(st.sampled_from(POOL), min_size=CATEGORIES, max_size=CATEGORIES)
    rows = draw(st.lists(row.filter(lambda row: not all(map(math.isnan, row))), min_size=size, max_size=size))
    reference = draw(st.lists(st.integers(0, CATEGORIES - 1), min_size=size, max_size=size))
    scores = np.array(rows, draw(st.sampled_from([np.float32, np.float64]))).reshape(-1, CATEGORIES).T
    second = draw(st.sampled_from([scores, scores / 2]))
    totals = np.arange(2 * size).reshape(2, -1) - 0.5
    return CaseBatch(np.array(reference, np.intp), ranks_by_score(scores), (scores, second), totals)


def filled(parts, columns=2, keeps_objects=True):
    cases = ClassifiedCases(CATEGORIES, columns, keeps_objects)
    number = 0
    for batch in parts:
        size = batch.reference.size
        cases.add(batch._replace(columns=batch.columns[:columns]), range(number, number + size))
        number += size
    return cases


def tables(cases):
    return [table.tolist() for table in cases.tallies]


def found(cases):
    sides = [(right, first) for right in (True, False) for first in (True, False)]
    return {(code, *side): cases.found(code, *side) for code in range(CATEGORIES) for side in sides}


def rows_of(parts):
    """Write batches out as pairs of reference and ranking."""
    return [
        (reference, slow.ranking_by_score(range(CATEGORIES), scores))
        for batch in parts
        for reference, scores in zip(batch.reference.tolist(), batch.columns[0].T.tolist(), strict=True)
    ]


@given(st.lists(batches(), max_size=4), st.sampled_from([0, 1, 2]), st.booleans())
def test_tallies_are_those_of_all_cases(parts, columns, keeps_objects):
    cases = filled(parts, columns, keeps_objects)
    rows = rows_of(parts)
    twins = slow.first_best, slow.rank_counts, slow.rank_sums
    assert tables(cases) == [twin(rows, range(CATEGORIES)) for twin in twins]
    assert all(table.dtype == np.int64 for table in cases.tallies)


@given(st.lists(batches(), max_size=4))
def test_columns_are_those_of_all_batches_in_their_order(parts):
    cases = filled(parts)
    kept = [batch for batch in parts if batch.reference.size]
    expected = [np.concatenate([np.empty((3, 0), np.float32), *column], axis=1)
                for column in zip(*(batch.columns for batch in kept), strict=True)]  # fmt: skip
    for columns, values in zip(cases.columns, expected or [np.empty((3, 0), np.float32)] * 2, strict=True):
        np.testing.assert_array_equal(columns.values, values)
        assert columns.values.dtype == values.dtype
    assert cases.totals.values[0].tolist() == [total for batch in parts for total in batch.totals[0].tolist()]
    assert cases.reference.tolist() == [code for batch in parts for code in batch.reference.tolist()]


@given(st.lists(batches(), max_size=4))
def test_columns_are_one_while_all_batches_agree(parts):
    cases = filled(parts)
    agree = all(batch.columns[0] is batch.columns[1] for batch in parts if batch.reference.size)
    assert (cases.columns[0] is cases.columns[1]) == agree


@given(st.lists(batches(), max_size=4))
def test_objects_are_found_in_the_order_they_came(parts):
    rows = [(reference, ranking[0]) for reference, ranking in rows_of(parts)]
    for (code, right, first), objects in found(filled(parts)).items():
        expected = [i for i, row in enumerate(rows) if (row[0] == code, row[1] == code) == (right, first)]
        assert objects == expected


@given(st.lists(batches(), max_size=4), st.integers(0, CATEGORIES - 1))
def test_one_versus_all_splits_the_cases_that_have_a_value(parts, code):
    cases = filled(parts)
    values = cases.columns[0].values[code]
    split = cases.one_versus_all(code, values)
    pairs = list(zip(split.scores.tolist(), split.correct.tolist(), strict=True))
    assert (pairs, split.misses) == slow.one_versus_all(cases.reference.tolist(), values.tolist(), code)


def test_neither_columns_nor_references_are_kept_where_only_tallies_are():
    cases = ClassifiedCases(CATEGORIES, columns=0, keeps_objects=False)
    cases.add(CaseBatch(np.array([0, 1]), np.zeros((3, 2), np.uint8)))
    assert cases.reference.size == 0
    assert cases.columns == []
    assert cases.objects is None


@every(("categories", "dtype"), [(2, np.uint8), (255, np.uint8), (256, np.uint16), (300, np.uint16)])
def test_codes_are_kept_as_narrow_as_they_can_be(categories, dtype):
    cases = ClassifiedCases(categories, columns=0, keeps_objects=True)
    ranks = np.ones((categories, 1), np.uint16)
    ranks[-1] = 0
    for row in range(3):
        cases.add(CaseBatch(np.array([categories - 1]), ranks), [row])
    assert cases.reference.dtype == dtype
    assert cases.reference.tolist() == [categories - 1] * 3
    assert cases.found(categories - 1, is_reference=True, is_first=True) == [0, 1, 2]


def test_merging_into_one_that_keeps_no_objects_leaves_them_out():
    kept, plain = (ClassifiedCases(1, columns=0, keeps_objects=keeps) for keeps in (True, False))
    kept.add(CaseBatch(np.array([0]), np.zeros((1, 1), np.uint8)), ["object"])
    plain.merge(kept)
    assert plain.objects is None
    assert plain.tallies.firsts.tolist() == [[1]]
