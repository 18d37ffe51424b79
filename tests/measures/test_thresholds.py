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


@given(COUNTS, st.sampled_from([0.0, 0.1, 0.5, 1.0]))
def test_the_fraction_found_is_a_mean_over_orders_of_ties(steps, fraction):
    tp, fp = columns(steps)
    if not tp[-1]:
        return
    taken = fraction * (tp[-1] + fp[-1])
    found = 0.0
    for positives, negatives in steps:  # of tied cases, any part has as many positives as the whole, on average
        part = min(taken, positives + negatives)
        found += part * positives / max(positives + negatives, 1)
        taken -= part
    rates = thresholds.rates(tp + fp), thresholds.rates(tp)
    assert thresholds.fraction_found(*rates, fraction) == close_to(found / tp[-1], abs=1e-12)


@given(COUNTS)
def test_the_equal_error_rate_lies_on_the_curve_and_on_the_diagonal(steps):
    tp, fp = columns(steps)
    if not (tp[-1] and fp[-1]):
        return
    fpr, fnr = thresholds.rates(fp), 1 - thresholds.rates(tp)
    rate = thresholds.equal_error_rate(fpr, fnr)
    assert any(
        (1 - part) * fpr[i] + part * fpr[i + 1] == close_to(rate, abs=1e-12)
        for i in range(fpr.size - 1)
        if (part := _crossing(fpr[i : i + 2] - fnr[i : i + 2])) is not None
    )


def _crossing(gaps):
    """Give the part of a straight line before its zero; None if it has none."""
    if gaps[0] > 0 or gaps[1] < 0:
        return None
    return -gaps[0] / (gaps[1] - gaps[0]) if gaps[0] < gaps[1] else 0.0


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
