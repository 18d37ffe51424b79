"""Sums of weights of many groups are those of each group and score."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalcore.kernels.grouping import (
    GroupLayout,
    group_layout,
    grouped_weights,
    part_of_layout,
    rows_of_groups,
    scaled_by_group,
    whole_groups,
)

CASES = st.lists(
    st.tuples(
        st.integers(0, 3), st.sampled_from([-0.0, 0.0, 0.25, 0.5, 1.0]), st.booleans(), st.sampled_from([0.5, 1, 2.75])
    ),
    min_size=1,
    max_size=30,
)


def columns_of(cases):
    group, scores, correct, weights = zip(*sorted(cases, key=lambda case: case[0]), strict=True)
    sizes = np.unique(group, return_counts=True)[1]
    return np.array(scores), np.array(correct), np.array(weights), sizes


@given(CASES, st.booleans())
def test_sums_are_of_each_group_and_score(cases, frequencies):
    scores, correct, weights, sizes = columns_of(cases)
    weights = np.ceil(weights) if frequencies else weights
    found = grouped_weights(scores, correct, weights, sizes, frequencies=frequencies)
    groups = np.arange(sizes.size).repeat(sizes)
    runs = sorted({(group, -score) for group, score in zip(groups.tolist(), scores.tolist(), strict=True)})
    assert found.group.tolist() == [group for group, _ in runs]
    assert found.first.tolist() == [found.group.tolist().index(group) for group in range(sizes.size)]
    for side, mask in ((found.correct, correct), (found.incorrect, ~correct)):
        for index, (group, score) in enumerate(runs):
            own = weights[mask & (groups == group) & (scores == -score)]
            above = weights[mask & (groups == group) & (scores > -score)]
            expected = (own.sum(), (own if frequencies else own**2).sum(), own.sum() if frequencies else own.size)
            assert tuple(column[index] for column in side.at_scores) == expected
            assert side.above[index] == above.sum()
        of_groups = [weights[mask & (groups == group)] for group in range(sizes.size)]
        assert side.of_groups.sums.tolist() == [own.sum() for own in of_groups]
        assert side.of_groups.cases.tolist() == [own.sum() if frequencies else own.size for own in of_groups]
    assert scores[found.order][found.last].tolist() == [-score for _, score in runs]


def test_a_heavy_group_leaves_no_rounding_errors_in_the_next():
    weights = np.array([1e16, 1.0, 0.1, 0.2, 0.4])
    found = grouped_weights(np.arange(5.0)[::-1], np.ones(5, np.bool_), weights, np.array([2, 3]))
    exact = float(sum(map(Fraction, weights[2:].tolist())))
    assert abs(found.correct.of_groups.sums[1] - exact) < 1e-15
    assert found.correct.above[2] == 0


def test_weights_are_scaled_only_where_products_would_leave_float64():
    groups = np.array([0, 0, 1, 1, 2])
    weights = np.array([2.0**-300, 2.0**-301, 3.0, 1.0, 2.0**500])
    scaled, divisors = scaled_by_group(weights, groups, 3)
    assert scaled.tolist() == [1.0, 0.5, 3.0, 1.0, 1.0]
    assert divisors.tolist() == [2.0**-300, 1.0, 2.0**500]
    assert scaled_by_group(np.ones(5), groups, 3)[1].tolist() == [1.0, 1.0, 1.0]


def test_groups_with_whole_weights_are_found_in_any_order_of_rows():
    layout = group_layout(np.array([1, 0, 1, 2]), 3)
    found = whole_groups(np.array([2.0, 0.5, 3.0, 2.0**53]), layout)
    by_group = dict(zip(layout.groups.tolist(), zip(*(each.tolist() for each in found), strict=True), strict=True))
    assert by_group == {0: (False, 0.5), 1: (True, 5.0), 2: (False, 2.0**53)}
    assert whole_groups(np.array([2, 1, 3, 5]), layout).whole.all()


def test_a_part_of_a_layout_has_the_rows_of_its_groups():
    layout = GroupLayout(np.array([2, 0, 1]), np.array([0, 2, 3, 5]), np.array([4, 3, 0, 2, 1]))
    part = part_of_layout(layout, np.array([True, False, True]))
    assert (part.groups.tolist(), part.starts.tolist(), part.order.tolist()) == ([2, 1], [0, 2, 4], [4, 3, 2, 1])
    assert rows_of_groups(layout, slice(1, 3)).tolist() == [0, 2, 1]
    assert rows_of_groups(layout._replace(order=None), slice(1, 3)) == slice(2, 5)
