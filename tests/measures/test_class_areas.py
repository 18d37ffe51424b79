import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalcore.measures.curves import mean_pair_area, pair_areas
from tests.reference import scored_cases as slow
from tests.strategies import close_to

ROWS = st.lists(
    st.tuples(st.integers(0, 2), st.tuples(*[st.sampled_from([0.0, 0.25, 0.5, 0.75])] * 3)), min_size=1, max_size=12
)


def area(rows, one, other):
    """Average the area of one class against another by the scores of either."""
    sides = [
        slow.roc_area([(scores[own], code == own) for code, scores in rows if code in {one, other}])
        for own in (one, other)
    ]
    return float(sum(sides) / 2)


@given(ROWS)
def test_areas_of_pairs_are_those_of_their_cases_alone(rows):
    codes, scores = (np.array(column) for column in zip(*rows, strict=True))
    areas = pair_areas(scores, codes)
    present = set(codes.tolist())
    for one in range(3):
        for other in range(3):
            if {one, other} <= present and one != other:
                assert areas[one, other] == close_to(area(rows, one, other))
            elif not {one, other} <= present:
                assert math.isnan(areas[one, other])


@given(ROWS)
def test_the_mean_is_over_pairs_that_have_cases(rows):
    codes, scores = (np.array(column) for column in zip(*rows, strict=True))
    counts = np.bincount(codes, minlength=3)
    present = sorted(set(codes.tolist()))
    pairs = [(one, other) for one in present for other in present if one < other]
    plain = mean_pair_area(pair_areas(scores, codes), counts)
    weighted = mean_pair_area(pair_areas(scores, codes), counts, by_prevalence=True)
    if not pairs:
        assert math.isnan(plain)
        assert math.isnan(weighted)
        return
    areas, sizes = [area(rows, *pair) for pair in pairs], [counts[list(pair)].sum() for pair in pairs]
    assert plain == close_to(sum(areas) / len(areas))
    assert weighted == close_to(np.dot(areas, sizes) / sum(sizes))
