"""Moments of differences by class, against sums in plain Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.comparison.differences.class_moments import PartGroups, class_moments
from evalcore.report.weighting import RowWeights, Weighting

CASES = st.tuples(
    st.sampled_from([-1.5, 0.0, 0.25, 4.0]), st.booleans(), st.integers(0, 2), st.sampled_from([0.5, 1.0, 3.0])
)


def moments(cases, kind):
    values, positive, groups, weights = (np.array(column) for column in zip(*cases, strict=True))
    weights = weights * 2 if kind == "frequency" else weights
    own = None if kind is None else RowWeights(Weighting("w", kind), weights, weights)
    count = int(groups.max()) + 1
    return class_moments(values, PartGroups(groups, count).of_classes(positive), count, own), own


@given(st.lists(CASES, min_size=2, max_size=20), st.data(), st.sampled_from([None, "sampling", "frequency"]))
def test_moments_of_parts_add_up_to_their_definition(cases, data, kind):
    cut = data.draw(st.integers(1, len(cases) - 1))
    parts = [moments(part, kind)[0] for part in (cases[:cut], cases[cut:])]
    found = parts[0].plus(parts[1]).scaled(np.array([2.0, 3.0]))
    for group in range(len(found.totals)):
        for column, positive in enumerate((True, False)):
            own = [(value, weight) for value, label, code, weight in cases if (label, code) == (positive, group)]
            factor = (2.0, 3.0)[column]
            scale = {None: 0, "sampling": 1, "frequency": 2}[kind]
            weights = [(scale * weight or 1.0) for _, weight in own]
            squares = [weight if kind == "frequency" else weight**2 for weight in weights]
            total = sum(weights)
            mean = sum(weight * value for (value, _), weight in zip(own, weights, strict=True)) / (total or np.nan)
            second = sum(each * (value - mean) ** 2 for (value, _), each in zip(own, squares, strict=True))
            assert found.totals[group, column] == pytest.approx(factor * total)
            assert found.means[group, column] == pytest.approx(mean, abs=1e-12, nan_ok=True)
            assert found.about_means[group, column] == pytest.approx(factor**2 * second, abs=1e-9)


def test_equal_differences_leave_no_rounding():
    cases = [(0.1, True, 0, 0.7)] * 1000
    found, _ = moments(cases, "sampling")
    assert found.plus(found).about_means[0, 0] < 1e-24
