import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels.tables import BinaryCounts, DecisionCounts
from evalcore.state.tables import DecisionTable, PooledTable

CATEGORIES = 3
CELLS = st.tuples(*[st.integers(0, 5) | st.integers(0, 10**12)] * 3)
WHOLE = st.builds(BinaryCounts, *[st.integers(0, 2**70)] * 4)
SMALL = [BinaryCounts(1, 2, 3, 4)] * CATEGORIES


@st.composite
def batches(draw):
    """Draw the tables (tp, fn, fp, tn) of three categories, over as many documents."""
    tables = [draw(CELLS) for _ in range(CATEGORIES)]
    documents = max(map(sum, tables)) + draw(st.integers(0, 5))
    return [BinaryCounts(*table, documents - sum(table)) for table in tables]


def counted(batch):
    tp, fn, fp, _ = (np.array(cells, np.int64) for cells in zip(*batch, strict=True))
    return DecisionCounts(both=tp, assigned=tp + fp, correct=tp + fn), sum(batch[0])


def filled(*given):
    table = DecisionTable(CATEGORIES)
    for batch in given:
        table.add(*counted(batch))
    return table


def summed(tables):
    return BinaryCounts(*map(sum, zip((0, 0, 0, 0), *tables, strict=True)))


def content(table):
    return table.documents, table.pooled, [table.of_category(code) for code in range(CATEGORIES)]


@given(st.lists(batches(), max_size=3))
def test_every_cell_is_added_per_category_and_pooled(given):
    table = filled(*given)
    assert table.documents == sum(sum(batch[0]) for batch in given)
    for code in range(CATEGORIES):
        assert table.of_category(code) == summed(batch[code] for batch in given)
    assert table.pooled == summed(counts for batch in given for counts in batch)
    for counts, kind in ((table.pooled, PooledTable), (table.of_category(0), BinaryCounts)):
        assert isinstance(counts, kind)
        assert {type(cell) for cell in counts} == {int}
    assert all(count.dtype == np.int64 for count in table.counts)


@given(st.lists(batches(), max_size=2), st.lists(batches(), max_size=2), st.permutations(range(CATEGORIES)))
@example([], [[BinaryCounts(1, 0, 0, 0), BinaryCounts(0, 1, 0, 0), BinaryCounts(0, 0, 1, 0)]], [1, 2, 0])
def test_merging_equals_filling_one(mine, others, places):
    theirs = [[batch[place] for place in places] for batch in others]  # their i-th category is our places[i]-th
    merged, other = filled(*mine), filled(*theirs)
    before = content(other)
    merged.merge(other, places)
    assert content(merged) == content(filled(*mine, *others))
    assert content(other) == before


@given(batches(), WHOLE, WHOLE)
@example(SMALL, BinaryCounts(0.5, 0, 1, 0.25), BinaryCounts(1, 0.5, 0.5, 3))
def test_a_pooled_table_that_was_set_leaves_the_categories_alone(batch, first, second):
    table, other = filled(batch), filled()
    table.pooled, other.pooled = first, second
    assert content(table)[2] == content(filled(batch))[2]
    table.merge(other, [0, 1, 2])
    assert table.pooled == summed([first, second])
    table.add(*counted(batch))
    assert table.pooled == summed([summed([first, second]), *batch])
    assert content(table)[2] == content(filled(batch, batch))[2]


def test_adding_keeps_nothing_of_what_is_handed_in():
    table, (counts, documents) = DecisionTable(CATEGORIES), counted([BinaryCounts(1, 0, 0, 0)] * CATEGORIES)
    table.add(counts, documents)
    before = content(table)
    for count in counts:
        count[:] = 9
    assert content(table) == before


def test_without_categories_documents_alone_are_counted():
    table = DecisionTable(0)
    table.add(DecisionCounts(*np.zeros((3, 0), np.int64)), documents=5)
    table.merge(table, [])
    assert (table.documents, table.pooled) == (10, (0, 0, 0, 0))
