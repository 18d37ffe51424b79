"""Measures of decisions, and at each of many thresholds, are what their definitions say."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels.tables import BinaryCounts
from evalcore.measures import binary, thresholds
from tests.differences import every
from tests.reference import tables as slow_tables
from tests.strategies import TABLES, close_to

CELLS = ("tp", "fn", "fp", "tn")
ARGUMENTS = {
    "recall": ("tp", "fn"),
    "precision": ("tp", "fp"),
    "specificity": ("fp", "tn"),
    "false_positive_rate": ("fp", "tn"),
    "negative_predictive_value": ("fn", "tn"),
    "jaccard": ("tp", "fn", "fp"),
    "fowlkes_mallows": ("tp", "fn", "fp"),
}
OF_ALL_CELLS = [
    *("accuracy", "error", "positive_likelihood_ratio", "negative_likelihood_ratio", "yules_q", "yules_y", "kappa"),
    *("prevalence", "response_rate", "phi", "phi_squared", "chi_squared", "accuracy_deviation"),
]
ARGUMENTS |= dict.fromkeys(OF_ALL_CELLS, CELLS)
SHARES = st.sampled_from([0.0, 0.25, 0.5, 1.0]) | st.floats(0.001, 1)


def arguments(name, table):
    return [getattr(table, cell) for cell in ARGUMENTS[name]]


@given(st.lists(TABLES, max_size=5))
def test_measures_are_what_the_cases_themselves_give_singly_and_as_arrays(tables):
    for name, cells in ARGUMENTS.items():
        measure, twin = getattr(binary, name), getattr(slow_tables, name)
        rows = [arguments(name, table) for table in tables]
        singly = [float(measure(*counts)) for counts in rows]
        assert singly == close_to([twin(*counts) for counts in rows], abs=1e-14), name
        columns = np.array(rows, np.int64).reshape(-1, len(cells)).T
        assert np.array_equal(measure(*columns), singly, equal_nan=True), name
        assert np.array_equal([measure(*counts) for counts in columns.T], singly, equal_nan=True), name


def test_every_measure_of_counts_is_compared():
    others = {"f_measure", "f_measure_of_counts", "tp_over_fowlkes_mallows", "fraction_by_odds", "f1_by_odds"}
    others |= {"ratio", "exact_integers", "rounding_of", "net_benefit", "net_gain"}  # which take a threshold too
    public = {name for name, value in vars(binary).items() if callable(value) and value.__module__.startswith("evalc")}
    assert {name for name in public if not name.startswith("_")} - others == set(ARGUMENTS)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_share_by_odds_is_the_share_but_for_the_last_digit(part, rest):
    assert binary.f1_by_odds(part, rest, 0) == binary.fraction_by_odds(2 * part, rest)
    assert binary.fraction_by_odds(part, rest) == (pytest.approx(part / (part + rest), rel=1e-15) if part else 0.0)


@given(SHARES, SHARES, st.sampled_from([0.0, 0.5, 1.0, 2.0, -2.0, 10.0]))
def test_f_measure_is_the_weighted_harmonic_mean(precision, recall, beta):
    if beta == 0.0 and recall == 0.0:
        return  # precision alone counts, but the document's quotient is 0/0: see the next test
    assert binary.f_measure(precision, recall, beta) == close_to(slow_tables.f_measure(precision, recall, beta))


@every(
    ("precision", "recall", "beta"),
    [(0.0, 0.0, 1.0), (0.0, 0.0, math.inf), (0.5, 0.0, 0.0), (math.nan, 0.5, 1.0), (0.5, math.nan, 1.0),
     (math.nan, 0.5, math.inf), (0.5, math.nan, math.inf), (0.5, 0.5, math.nan)],
)  # fmt: skip
def test_f_measure_is_nan_where_its_quotient_is(precision, recall, beta):
    assert math.isnan(binary.f_measure(precision, recall, beta))


@given(st.floats(1e-307, 1), st.floats(1e-307, 1), st.sampled_from([0.5, 1.0, 3.0, 1e100, 1e154]))
@example(1e-200, 1e-200, 1.0)
@example(1e-300, 1.0, 1e150)
def test_f_measure_neither_vanishes_nor_overflows(precision, recall, beta):
    expected = slow_tables.f_measure(precision, recall, beta)
    assert binary.f_measure(precision, recall, beta) == close_to(expected)
    found = binary.f_measure(np.array([precision, 1.0]), np.array([recall, 1.0]), beta)
    assert found.tolist() == close_to([expected, 1.0])


@given(TABLES, st.sampled_from([math.inf, -math.inf, 1e154, 1e160, 1e300]))
def test_f_measure_of_a_huge_beta_is_recall(table, beta):
    tp, fn, fp, _ = table
    recall, precision = binary.recall(tp, fn), binary.precision(tp, fp)
    assert binary.f_measure_of_counts(tp, fn, fp, beta) == close_to(recall if tp + fn else 0.0 if fp else math.nan)
    assert binary.f_measure(precision, recall, beta) == close_to(recall if tp else math.nan)


@given(TABLES, st.sampled_from([0.5, 1.0, 2.0, 10.0]))
def test_f_measure_of_counts_the_geometric_mean_and_yules_q_follow_from_others(table, beta):
    tp, fn, fp, _ = table
    plain = binary.f_measure(binary.precision(tp, fp), binary.recall(tp, fn), beta)  # and 0 where nothing is found
    assert binary.f_measure_of_counts(tp, fn, fp, beta) == close_to(plain if tp else 0.0 if fn + fp else math.nan)
    mean = math.sqrt((tp + fn) * (tp + fp)) if tp else math.nan
    assert binary.tp_over_fowlkes_mallows(tp, fn, fp) == close_to(mean)
    y = float(binary.yules_y(*table))
    assert binary.yules_q(*table) == close_to(2 * y / (1 + y * y), abs=1e-14)


@every("times", [10**12, 10**18, 2**70])
@every("name", ["accuracy", "recall", "precision", "jaccard", "yules_q", "yules_y", "phi", "phi_squared"])
def test_large_counts_do_not_overflow(name, times):
    small = BinaryCounts(9, 3, 4, 11)
    large = BinaryCounts(*(count * times for count in small))
    assert getattr(binary, name)(*arguments(name, large)) == close_to(getattr(binary, name)(*arguments(name, small)))


def test_products_of_int64_arrays_do_not_overflow():
    columns = [np.array([count * 10**12]) for count in (9, 3, 4, 11)]
    assert binary.phi_squared(*columns)[0] == close_to(slow_tables.phi_squared(9, 3, 4, 11))
    assert binary.chi_squared(*columns)[0] == close_to(slow_tables.chi_squared(9, 3, 4, 11) * 10**12)


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
