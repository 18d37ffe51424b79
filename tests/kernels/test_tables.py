import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalcore.kernels.tables import BinaryCounts, binary_counts, one_case

CELLS = BinaryCounts(tp=(True, True), fn=(True, False), fp=(False, True), tn=(False, False))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=50))
def test_every_case_is_counted_in_its_cell(cases):
    reference, response = np.array(cases, np.bool_).reshape(-1, 2).T
    assert binary_counts(reference, response) == tuple(cases.count(cell) for cell in CELLS)


def test_one_case_is_a_column_of_length_one():
    for reference, response in itertools.product([True, False], repeat=2):
        table = one_case(reference, response)
        assert table == binary_counts(np.array([reference]), np.array([response]))
        assert {type(count) for count in table} == {int}
