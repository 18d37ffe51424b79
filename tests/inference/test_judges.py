"""Judges, and comparisons of classifiers."""

import math
import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from evalcore.errors import UndefinedMetricWarning
from evalcore.inference import (
    corrected_prevalence_interval,
    corrected_proportion_interval,
    mcnemar_test,
    prediction_powered_interval,
    proportion_interval,
)
from evalcore.inference.decisions import mcnemar_test_of_counts
from evalcore.kernels.tables import BinaryCounts
from tests.differences import every
from tests.reference import inference as slow
from tests.strategies import TABLES, close_to

VERDICTS = (
    [1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0],
    [1, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1, 0],
    [1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 0],
)
GRADES = (
    [3.0, 4.5, 2.0, 5.0, 1.5, 3.5, 4.0],
    [3.5, 4.0, 2.5, 4.5, 2.5, 3.0, 4.5],
    [2.5, 3.0, 4.5, 3.5, 4.0, 2.0, 5.0, 3.0, 4.0, 1.0, 4.5],
)
COUNTS = {"tp": 84, "fn": 43, "fp": 13, "tn": 96}


@every(
    ("successes", "trials", "cells", "numbers", "narrower"),
    (4060, 11284, (178, 1, 1, 358), (0.36003018492452349, 0.34867354566713832, 0.37208295456108526),
     0.35051357380259335),
    (51, 2971, (32, 1, 0, 20), (0.017702372938404549, 0.0, 0.053345076474731856), 0.0),
    (259, 509, (84, 43, 13, 96), (0.71857216341692287, 0.58486786835900972, 0.86645820882052471),
     0.60528769116116277),
    (51, 509, (23, 18, 8, 187), (0.11380099276293498, 0.036609810510873808, 0.1946940621630264),
     0.04672097361244984),
)  # fmt: skip
def test_corrected_proportions_are_those_of_asht(successes, trials, cells, numbers, narrower):
    """Examples 1, 2 and 4 of Lang and Reiczigel (2014) by `prevSeSp` of asht in R 4.2.2, of 95% and of 90%."""
    counts = dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True))
    found = corrected_proportion_interval(successes, trials, **counts)
    assert [found.estimate, *found] == close_to(list(numbers), abs=1e-14)
    assert corrected_proportion_interval(successes, trials, **counts, level=0.9).low == close_to(narrower, abs=1e-14)


def test_columns_of_labels_count_as_their_counts():
    y_true, y_pred = (np.repeat(column, list(COUNTS.values())) for column in ([1, 1, 0, 0], [1, 0, 1, 0]))
    other = np.arange(509) < 259
    expected = corrected_proportion_interval(259, 509, **COUNTS)
    assert corrected_prevalence_interval(y_true, y_pred, other) == expected
    words = np.array(["fail", "pass"])
    texts = [words[column] for column in (y_true, y_pred, other.astype(int))]
    assert corrected_prevalence_interval(*texts, pos_label="pass") == expected
    assert corrected_prevalence_interval(*texts, pos_label="fail").estimate == close_to(1 - expected.estimate)


@given(st.tuples(*[st.integers(0, 30)] * 6))
def test_corrected_proportions_lie_between_their_bounds_and_mirror_each_other(numbers):
    positive, negative, *cells = numbers
    found = quietly(positive, positive + negative, cells)
    mirrored = quietly(negative, positive + negative, cells[::-1])
    assert [mirrored.estimate, *mirrored] == pytest.approx(
        [1 - found.estimate, 1 - found.high, 1 - found.low], nan_ok=True, abs=1e-9
    )
    assert math.isnan(found.estimate) or 0 <= found.low <= found.estimate <= found.high <= 1


def quietly(successes, trials, cells):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        return corrected_proportion_interval(successes, trials, **dict(zip(COUNTS, cells, strict=True)))


@every(
    ("columns", "power_tuning", "estimate", "low"),
    (VERDICTS, True, 0.5910375816993463, 0.35924193968172835),
    (VERDICTS, False, 0.6, 0.3100254057724782),
    (GRADES, True, 3.293650793650794, 2.578573914873017),
    (GRADES, False, 3.220779220779221, 2.4166794834193013),
)
def test_estimates_are_those_of_ppi_python(columns, power_tuning, estimate, low):
    """By ppi-python 0.2.3, whose variances divide by n and by m, and whose bounds are normal."""
    found = prediction_powered_interval(*columns, power_tuning=power_tuning)
    assert found.estimate == close_to(estimate)
    y_true, y_pred, unlabelled = map(np.array, columns)
    parts = (
        np.var(y_true - found.judge_weight * y_pred) / y_true.size,
        found.judge_weight**2 * np.var(unlabelled) / unlabelled.size,
    )
    assert estimate - 1.959963984540054 * math.sqrt(sum(parts)) == close_to(low)
    sizes = y_true.size, unlabelled.size
    unbiased = [part * size / (size - 1) for part, size in zip(parts, sizes, strict=True)]
    assert found.standard_error == close_to(math.sqrt(sum(unbiased)))
    if columns is GRADES:
        assert found.low < low
        assert found.estimate - found.low == close_to(found.high - found.estimate)


def slow_bounds(y_true, y_pred, unlabelled, weight, z=1.959963984540054):
    """Return Wilson's bounds of a rate by people and a judge, with a quarter of a case for each pair of verdicts."""
    cases = [*zip(y_true, y_pred, [1.0] * len(y_true), strict=True)]
    padded = [*cases, *((y, f, 0.25) for y in (0, 1) for f in (0, 1))]
    total = sum(each[2] for each in padded)
    rate = sum(count * y for y, _, count in padded) / total
    left = sum(count * (y - weight * f) for y, f, count in padded) / total
    variance = sum(count * (y - weight * f - left) ** 2 for y, f, count in padded) / total / len(cases)
    judged = sum(unlabelled) / len(unlabelled)
    variance += weight**2 * judged * (1 - judged) / (len(unlabelled) - 1)
    trials = rate * (1 - rate) / variance
    found = (sum(y_true) - weight * sum(y_pred)) / len(cases) + weight * judged
    rate = min(max(found, 0), 1)
    reach = z * math.sqrt(rate * (1 - rate) / trials + z * z / trials**2 / 4)
    return [(rate + z * z / trials / 2 + side * reach) / (1 + z * z / trials) for side in (-1, 1)]


@every(("columns", "power_tuning"), (VERDICTS, True), (VERDICTS, False), (([1] * 9, [1] * 9, [1] * 90 + [0]), True))
def test_rates_have_the_bounds_of_fractions(columns, power_tuning):
    found = prediction_powered_interval(*columns, power_tuning=power_tuning)
    assert [*found] == close_to(slow_bounds(*columns, found.judge_weight))


def test_the_weight_is_near_1_for_a_perfect_judge_and_0_for_none():
    y_true, _, unlabelled = VERDICTS
    assert prediction_powered_interval(y_true, y_true, [*unlabelled] * 99).judge_weight == close_to(1, abs=0.05)
    for judge in ([1 - each for each in y_true], [1] * 12):
        found = prediction_powered_interval(y_true, judge, unlabelled if 0 in judge else [1] * 30)
        assert (found.judge_weight, found.estimate) == (0, np.mean(y_true))


def test_booleans_are_numbers():
    plain = prediction_powered_interval(*VERDICTS)
    assert prediction_powered_interval(*(np.array(column, dtype=bool) for column in VERDICTS)) == plain


def test_limits_cut_estimate_and_bounds():
    columns = [2, 2, 2, 0], [2, 2, 2, 0], [2, 2, 2, 2, 2, 0]
    free, cut = (prediction_powered_interval(*columns, limits=limits) for limits in (None, (0, 2)))
    assert free.high > 2
    assert (cut.low, cut.estimate, cut.high) == (free.low, free.estimate, 2)
    below = prediction_powered_interval(*columns, limits=(0, 0.5))
    assert (below.estimate, *below) == (0.5, min(free.low, 0.5), 0.5)


LEVELS = st.sampled_from([0.5, 0.95, 0.999])


def columns(table):
    """Write out references and both responses; table: right by both, the new one alone, the old one alone, neither."""
    y_true = np.arange(sum(table)) % 3
    wrong = [np.repeat(wrong_by, table) for wrong_by in ([0, 1, 0, 1], [0, 0, 1, 1])]
    return y_true, *((y_true + wrong_by) % 3 for wrong_by in wrong)


def filled(table):
    assume(sum(table))
    return table


@given(TABLES, LEVELS)
@example(BinaryCounts(0, 1, 0, 0), 0.95)
def test_exact_is_that_of_statsmodels(table, level):
    result = mcnemar_test(*columns(filled(table)), level=level, method="exact")
    both, first, second, _ = table
    expected = mcnemar([[both, first], [second, 0]], exact=True)
    assert (result.statistic, result.p_value) == (expected.statistic, close_to(expected.pvalue))
    assert result.p_value == close_to(slow.fall_of_coins(first, second, mid=False))
    assert result.estimates == close_to([(both + first) / sum(table), (both + second) / sum(table)])
    assert result.difference == close_to((first - second) / sum(table))
    assert -1 <= result.low <= result.difference <= result.high <= 1
    assert (result.level, result.method) == (level, "mcnemar-exact")
    if alone := first + second:
        bounds = proportion_interval(first, alone, level=level, method="clopper-pearson")
        assert [result.low, result.high] == close_to(
            [(2 * each - 1) * alone / sum(table) for each in bounds], abs=1e-12
        )


@every(
    ("table", "low", "high"),
    # Tango 1998, example of crossover trials; cases on which both agree
    (BinaryCounts(36, 12, 2, 0), 0.0611, 0.3447),
    (BinaryCounts(44, 0, 0, 0), -0.0803, 0.0803),
    (BinaryCounts(0, 0, 0, 44), -0.0803, 0.0803),
)
def test_bounds_are_tangos(table, low, high):
    found = mcnemar_test_of_counts(table, 0.95)
    assert [found.low, found.high] == close_to([low, high], abs=5e-5)
    assert found.statistic == (table.fn - table.fp) ** 2 / max(table.fn + table.fp, 1)


def test_bounds_exclude_no_difference_exactly_if_the_p_value_says_so():
    tables = [(n, b, c) for n in range(1, 13) for b in range(n + 1) for c in range(n + 1 - b)]
    for (cases, first, second), method, level in product(tables, ("score", "exact", "mid-p"), (0.8, 0.95)):
        found = mcnemar_test_of_counts(BinaryCounts(0, first, second, cases - first - second), level, method)
        assert (found.low > 0 or found.high < 0) == (found.p_value < 1 - level), found
        assert -1 <= found.low <= found.difference <= found.high <= 1
        assert found.high - found.low > 0.05


@given(st.integers(0, 30), st.integers(0, 30))
def test_mid_p_counts_equally_uneven_outcomes_half(first, second):
    table = (1, first, second, 1)
    result = mcnemar_test(*columns(table), method="mid-p")
    assert result.p_value == close_to(slow.fall_of_coins(first, second, mid=True) if first + second else 1)
    assert result.p_value <= mcnemar_test(*columns(table), method="exact").p_value
    assert result.method == "mcnemar-mid-p"


@given(TABLES, st.integers(0, 99))
def test_order_and_names_do_not_matter(table, seed):
    given = columns(filled(table))
    order = np.random.default_rng(seed).permutation(sum(table))
    names = np.array(["wine", "beer", "ale"])
    assert mcnemar_test(*(names[column][order] for column in given)) == mcnemar_test(*given)


@every("table", [(5, 0, 0, 0), (0, 0, 0, 5), (3, 0, 0, 2), (1, 0, 0, 0)])
@every("method", ["score", "exact", "mid-p"])
def test_equal_responses_are_no_evidence(table, method):
    result = mcnemar_test(*columns(table), method=method)
    assert (result.difference, result.statistic, result.p_value) == (0, 0, 1)
    assert result.low < 0 < result.high


def test_large_counts_do_not_overflow():
    def p_value(first, second, method):
        return mcnemar_test_of_counts(BinaryCounts(0, first, second, 0), 0.95, method).p_value

    for first, second in ((2**61, 2**61), (2**61, 2**61 - 1), (10**12, 10**12 + 10**6)):
        for method in ("exact", "mid-p"):
            assert 0 <= p_value(first, second, method) <= 1
    tail = 2 * stats.norm.sf(10**6 / (2e12 + 1e6) ** 0.5)
    assert p_value(10**12, 10**12 + 10**6, "mid-p") == close_to(tail, rel=1e-4)
    assert p_value(0, 5000, "exact") == 0
    found = mcnemar_test_of_counts(BinaryCounts(2**60, 2**59, 2**58, 2**60), 0.95)
    assert found.low < 2**58 / (2**61 + 2**59 + 2**58) < found.high < found.low + 1e-8


def test_what_was_counted_may_be_indicators():
    y_true, first, second = [[0, 1], [1, 1], [0, 0]], [[0, 1], [1, 1], [0, 1]], [[0, 1], [1, 0], [1, 0]]
    assert mcnemar_test(y_true, second, first).estimates == close_to([2 / 3, 1 / 3])
