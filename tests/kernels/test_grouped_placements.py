"""Placements within groups are what their definition says: cases of the other class above, less those below."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalcore.kernels.placements import grouped_placements

CASES = st.tuples(st.sampled_from([-np.inf, -1.0, -0.0, 0.0, 0.5, np.inf]), st.booleans())


def slow_placement(case, group):
    others = [score for score, correct in group if correct != case[1]]
    return sum(score > case[0] for score in others) - sum(score < case[0] for score in others)


@given(st.lists(st.lists(CASES, min_size=1, max_size=12), min_size=1, max_size=6))
def test_placements_are_within_the_group(groups):
    scores, correct = (np.array(column) for column in zip(*(case for group in groups for case in group), strict=True))
    found = grouped_placements(scores, correct, np.array(list(map(len, groups))))
    assert found.tolist() == [slow_placement(case, group) for group in groups for case in group]
