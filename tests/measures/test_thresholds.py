"""Measures of decisions by a threshold are what their definitions say, at each threshold."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalcore.measures import thresholds
from tests.strategies import close_to

COUNTS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=8)


def columns(steps):
    tp, fp = np.cumsum(np.array(steps, np.float64), axis=0).T
    return tp, fp


@given(COUNTS)
def test_shares_gaps_and_lifts(steps):
    tp, fp = columns(steps)
    if not (tp[-1] and fp[-1]):
        assert np.isnan(thresholds.kolmogorov_smirnov(tp, fp))
        return
    rates = [(t / tp[-1], f / fp[-1]) for t, f in zip(tp, fp, strict=True)]
    assert thresholds.cumulative_fractions(tp).tolist() == close_to([rate for rate, _ in rates])
    assert thresholds.kolmogorov_smirnov(tp, fp) == close_to(max(abs(t - f) for t, f in rates), abs=1e-15)
    kept = tp + fp > 0
    precision = (tp / np.where(kept, tp + fp, 1))[kept]
    prevalence = tp[-1] / (tp[-1] + fp[-1])
    lifts = thresholds.lifts(thresholds.cumulative_fractions(tp + fp)[kept], thresholds.cumulative_fractions(tp)[kept])
    assert lifts.tolist() == close_to((precision / prevalence).tolist())


@given(
    COUNTS, st.lists(st.sampled_from([-1.0, 0.0, 0.25, 3.0]), min_size=4, max_size=4), st.sampled_from([0, 900, -900])
)
def test_expected_costs(steps, costs, exponent):
    tp, fp = columns(steps)
    counts = tp, tp[-1] - tp, fp, fp[-1] - fp
    found = thresholds.expected_costs(counts, np.ldexp(costs, exponent))
    total = tp[-1] + fp[-1]
    for place, value in enumerate(found.tolist()):
        cells = [float(cell[place]) for cell in counts]
        if total == 0:
            assert np.isnan(value)
        else:
            expected = sum(cost * cell for cost, cell in zip(costs, cells, strict=True)) / total
            assert np.ldexp(value, -exponent) == close_to(expected, abs=1e-15)
