from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from evalcore.inference import mcnemar_test
from evalcore.inference.classifiers import _lack_of_correlation, _newcombe, _p_value
from evalcore.kernels.tables import BinaryCounts
from tests.differences import every
from tests.reference import exact as slow_exact
from tests.reference import inference as slow
from tests.strategies import TABLES, close_to

LEVELS = st.sampled_from([0.5, 0.95, 0.999])


def columns(table):
    """Write out references and both responses; table: right by both, the first, the second, neither."""
    y_true = np.arange(sum(table)) % 3
    wrong = [np.repeat(wrong_by, table) for wrong_by in ([0, 0, 1, 1], [0, 1, 0, 1])]
    return y_true, *((y_true + wrong_by) % 3 for wrong_by in wrong)


def filled(table):
    assume(sum(table))
    return table


@given(TABLES, LEVELS)
@example(BinaryCounts(0, 1, 0, 0), 0.95)
def test_exact_is_that_of_statsmodels_and_the_difference_that_of_newcombe(table, level):
    result = mcnemar_test(*columns(filled(table)), level=level)
    both, first, second, _ = table
    expected = mcnemar([[both, first], [second, 0]], exact=True)
    assert (result.statistic, result.p_value) == (expected.statistic, close_to(expected.pvalue))
    assert result.p_value == close_to(slow.fall_of_coins(first, second, mid=False))
    assert result.estimates == close_to([(both + first) / sum(table), (both + second) / sum(table)])
    assert result.difference == close_to((first - second) / sum(table))
    bounds = slow.newcombe(*table, stats.norm.ppf((1 + level) / 2))
    assert [result.low, result.high] == close_to(list(bounds), rel=1e-7, abs=1e-7)
    assert -1 <= result.low <= result.difference <= result.high <= 1
    assert (result.level, result.method) == (level, "mcnemar-exact")


@given(st.integers(0, 30), st.integers(0, 30))
def test_mid_p_counts_equally_uneven_outcomes_half(first, second):
    table = (1, first, second, 1)
    result = mcnemar_test(*columns(table), method="mid-p")
    assert result.p_value == close_to(slow.fall_of_coins(first, second, mid=True) if first + second else 1)
    assert result.p_value <= mcnemar_test(*columns(table)).p_value
    assert result.method == "mcnemar-mid-p"


@given(TABLES, st.sampled_from(["exact", "mid-p"]))
def test_swapping_the_models_negates_the_difference_and_keeps_p(table, method):
    y_true, first, second = columns(filled(table))
    result, swapped = (mcnemar_test(y_true, *pair, method=method) for pair in ((first, second), (second, first)))
    assert swapped.p_value == result.p_value
    assert swapped.statistic == result.statistic
    assert [-swapped.difference, -swapped.high, -swapped.low] == [result.difference, result.low, result.high]


@given(TABLES, st.integers(0, 99))
def test_order_and_names_do_not_matter(table, seed):
    given = columns(filled(table))
    order = np.random.default_rng(seed).permutation(sum(table))
    names = np.array(["wine", "beer", "ale"])
    assert mcnemar_test(*(names[column][order] for column in given)) == mcnemar_test(*given)


def test_published_examples():
    # Fagerland, Lydersen and Laake (2013), table 1; the same authors, Statistical Analysis of Contingency Tables
    # (2017), chapter 8
    children = (1, 1, 7, 12)
    assert round(mcnemar_test(*columns(children)).p_value, 4) == 0.0703
    assert round(mcnemar_test(*columns(children), method="mid-p").p_value, 4) == 0.0391
    response = mcnemar_test(*columns((59, 6, 16, 80)))
    assert [round(bound, 4) for bound in (response.difference, response.low, response.high)] == [
        -0.0621,
        -0.1186,
        -0.0046,
    ]


@every("table", [(5, 0, 0, 0), (0, 0, 0, 5), (3, 0, 0, 2), (1, 0, 0, 0)])
@every("method", ["exact", "mid-p"])
def test_equal_responses_are_no_evidence(table, method):
    result = mcnemar_test(*columns(table), method=method)
    assert (result.difference, result.statistic, result.p_value) == (0, 0, 1)
    assert result.low < 0 < result.high


def test_large_counts_do_not_overflow():
    for first, second in ((2**61, 2**61), (2**61, 2**61 - 1), (10**12, 10**12 + 10**6)):
        for mid in (False, True):
            assert 0 <= _p_value(first, second, mid=mid) <= 1
    assert _p_value(10**12, 10**12 + 10**6, mid=True) == close_to(
        2 * stats.norm.sf(10**6 / (2e12 + 1e6) ** 0.5), rel=1e-4
    )
    assert _p_value(0, 5000, mid=False) == 0
    _, low, high = _newcombe(BinaryCounts(2**60, 2**59, 2**58, 2**60), 0.95)
    assert low < 2**58 / (2**61 + 2**59 + 2**58) < high < low + 1e-8


@given(st.integers(1, 2**60), st.integers(0, 2), st.integers(0, 2), st.integers(1, 2**60))
def test_correlations_near_1_keep_their_distance(both, first, second, neither):
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    covariance = both * neither - first * second
    less = max(covariance - Fraction(both + first + second + neither, 2), 0) if covariance > 0 else covariance
    with localcontext(prec=slow_exact.DIGITS):
        expected = 1 - Decimal(int(2 * less)) / 2 / slow_exact.root(Fraction(margins))
    assert _lack_of_correlation(BinaryCounts(both, first, second, neither)) == close_to(expected)


def test_what_was_counted_may_be_indicators():
    y_true, first, second = [[0, 1], [1, 1], [0, 0]], [[0, 1], [1, 1], [0, 1]], [[0, 1], [1, 0], [1, 0]]
    assert mcnemar_test(y_true, first, second).estimates == close_to([2 / 3, 1 / 3])
