import pickle

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.state.cases import GrowingColumns, with_capacity
from tests.differences import every

DTYPES = st.sampled_from([np.uint8, np.uint16, np.int64, np.float32, np.float64])


@given(
    st.sampled_from([1, 2, 5]),
    st.sampled_from([np.uint8, np.float32, np.float64]),
    st.lists(st.tuples(st.integers(0, 6), DTYPES), max_size=12),
)
@example(2, np.float32, [(0, np.float64), (1, np.float32)])
@example(2, np.float32, [(1, np.float32), (0, np.float64), (1, np.float32)])
@example(1, np.float32, [(1, np.float32), (3, np.float32), (1, np.float64)])
@example(1, np.float32, [*[(1, np.float32)] * 3, (1, np.float64)])
def test_extending_is_concatenating(rows, start, pieces):
    columns = GrowingColumns(rows, start)
    parts, value = [], 0
    for size, dtype in pieces:
        part = (np.arange(rows * size).reshape(rows, size) + value).astype(dtype)
        value += size
        columns.extend(part)
        if size:
            parts.append(part)
    expected = np.concatenate(parts, axis=1) if parts else np.empty((rows, 0), start)
    np.testing.assert_array_equal(columns.values, expected)
    assert columns.values.dtype == expected.dtype
    assert columns.size == expected.shape[1]


def test_the_first_columns_are_not_copied_and_never_written_to():
    first = np.array([[1.0, 2.0]])
    first.flags.writeable = False
    columns = GrowingColumns(1, np.float32)
    columns.extend(first)
    assert np.shares_memory(columns.values, first)
    columns.extend(np.array([[3.0]]))
    assert first.tolist() == [[1.0, 2.0]]
    assert columns.values.tolist() == [[1.0, 2.0, 3.0]]


def test_growing_by_single_columns_moves_what_is_kept_seldom():
    columns = GrowingColumns(1, np.float64)
    addresses = set()
    for value in range(1000):
        columns.extend(np.array([[float(value)]]))
        addresses.add(columns.values.ctypes.data)
    assert len(addresses) <= 12
    assert columns.values[0].tolist() == list(range(1000))


def test_a_pickle_holds_no_spare_room():
    columns = GrowingColumns(1, np.float64)
    columns.extend(np.zeros((1, 1000)))
    tight = len(pickle.dumps(columns))
    columns.extend(np.zeros((1, 1)))
    assert len(pickle.dumps(columns)) <= tight + 16


@every("shape", [(0,), (3,), (2, 3), (2, 0)])
def test_room_is_along_the_last_axis(shape):
    values = np.arange(np.prod(shape)).reshape(shape)
    grown = with_capacity(values, 5, np.float64)
    assert grown.shape == (*shape[:-1], 5)
    assert grown.dtype == np.float64
    np.testing.assert_array_equal(grown[..., : shape[-1]], values)
