"""Cases dealt to groups."""

import numpy as np
from hypothesis import strategies as st

from evalcore.kernels.grouping import group_layout, sorted_by_group
from evalcore.kernels.runs import runs_of_groups
from tests.strategies import case_arrays, cases_of

DEALT = case_arrays(max_size=30).flatmap(
    lambda cases: st.tuples(
        st.just(cases), st.lists(st.integers(0, 5), min_size=cases.scores.size, max_size=cases.scores.size)
    )
)


def grouped(cases, codes):
    """Return the runs of cases of groups from 0 on, and the cases of each group that has some, in their order."""
    layout = group_layout(np.array(codes, np.int64), 6)
    keys = sorted_by_group(layout, cases.scores, cases.correct).keys
    runs = runs_of_groups(keys, np.diff(layout.starts))
    return runs, [cases_of([case for case, own in zip(cases.pairs, codes, strict=True) if own == code],
                           cases.scores.dtype) for code in layout.groups.tolist()]  # fmt: skip
