from hypothesis import given
from hypothesis import strategies as st

from evalcore.kernels.tables import BinaryCounts
from evalcore.state.binary_table import BinaryTable

COUNTS = st.builds(BinaryCounts, *[st.integers(0, 2**70)] * 4)


def filled(*batches):
    table = BinaryTable(BinaryCounts(0, 0, 0, 0))
    for batch in batches:
        table.add(batch)
    return table


@given(st.lists(COUNTS, max_size=4))
def test_counts_of_all_batches_are_added_cell_by_cell(batches):
    counts = filled(*batches).counts
    assert isinstance(counts, BinaryCounts)
    assert counts == tuple(map(sum, zip((0, 0, 0, 0), *batches, strict=True)))


@given(st.lists(COUNTS, max_size=3), st.lists(COUNTS, max_size=3))
def test_adding_another_table_equals_filling_one(mine, others):
    merged = filled(*mine)
    merged.add(filled(*others).counts)
    assert merged.counts == filled(*mine, *others).counts == filled(*others, *mine).counts


def test_a_table_added_to_itself_is_doubled():
    table = filled(BinaryCounts(1, 2, 3, 4))
    table.add(table.counts)
    assert table.counts == (2, 4, 6, 8)
