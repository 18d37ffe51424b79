from itertools import groupby

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalcore.kernels.runs import run_starts


@given(st.lists(st.tuples(st.sampled_from([0, 1]), st.sampled_from([0.0, -0.0, np.inf])), max_size=12), st.booleans())
def test_runs_start_where_a_row_differs_from_the_one_before(rows, both):
    columns = np.array([first for first, _ in rows], np.int64), np.array([second for _, second in rows], np.float64)
    columns = columns if both else columns[:1]
    runs = [len(list(run)) for _, run in groupby(zip(*(column.tolist() for column in columns), strict=True))]
    assert run_starts(*columns).tolist() == [sum(runs[:index]) for index in range(len(runs))]
