"""Measures of decisions and of tables of classes, and at each of many thresholds, are what their definitions say."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore import ConfusionMatrix
from evalcore.kernels.tables import BinaryCounts, joint_counts
from evalcore.measures import agreement, binary, multiclass, thresholds
from tests.differences import every
from tests.reference import exact as slow
from tests.reference.scored_cases import f_measure
from tests.strategies import BLOCKS, TABLES, block_size, close_to, columns_of

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
    twins = [slow.of_decisions(*table) for table in tables]
    for name, cells in ARGUMENTS.items():
        measure, rows = getattr(binary, name), [arguments(name, table) for table in tables]
        singly = [float(measure(*counts)) for counts in rows]
        assert singly == close_to([twin[name] for twin in twins], abs=1e-14), name
        columns = np.array(rows, np.int64).reshape(-1, len(cells)).T
        assert np.array_equal(measure(*columns), singly, equal_nan=True), name
        assert np.array_equal([measure(*counts) for counts in columns.T], singly, equal_nan=True), name


def test_every_measure_of_counts_is_compared():
    others = {"f_measure", "f_measure_of_counts", "tp_over_fowlkes_mallows", "fraction_by_odds"}
    others |= {"ratio", "exact_integers", "rounding_of", "net_benefit", "net_gain"}  # which take a threshold too
    public = {name for name, value in vars(binary).items() if callable(value) and value.__module__.startswith("evalc")}
    assert {name for name in public if not name.startswith("_")} - others == set(ARGUMENTS)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_share_by_odds_is_the_share_but_for_the_last_digit(part, rest):
    assert binary.fraction_by_odds(part, rest) == (pytest.approx(part / (part + rest), rel=1e-15) if part else 0.0)


@given(SHARES, SHARES, st.sampled_from([0.0, 0.5, 1.0, 2.0, -2.0, 10.0]))
def test_f_measure_is_the_weighted_harmonic_mean(precision, recall, beta):
    if beta == 0.0 and recall == 0.0:
        return  # precision alone counts, but the document's quotient is 0/0: see the next test
    assert binary.f_measure(precision, recall, beta) == close_to(f_measure(Fraction(precision), Fraction(recall), beta))


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
    expected = f_measure(Fraction(precision), Fraction(recall), beta)
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


COUNTS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=8)


def columns(steps):
    tp, fp = np.cumsum(np.array(steps, np.float64), axis=0).T
    return tp, fp


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


EXACT = ["correct", "pooled_versus_all", "degrees_of_freedom"]
MEANS = ["macro_precision", "macro_recall", "macro_f_measure"]


@st.composite
def matrices(draw, cells=(0, 0, 1, 2, 7), least=1):
    """Draw a table in which empty cells, rows and columns are common."""
    size = draw(st.integers(least, 4))
    return np.array(draw(columns_of(cells, size * size)), np.int64).reshape(size, size)


@st.composite
def columns_of_classes(draw):
    """Draw two columns of codes, and how many categories there are."""
    size = draw(st.integers(1, 5))
    return draw(columns_of(list(itertools.product(range(size), repeat=2)), 0, 40)), size


FULL = matrices(cells=(1, 2, 7, 11), least=2)


@given(columns_of_classes(), BLOCKS)
@example(([], 1), 1)
def test_every_case_is_counted_in_its_cell(drawn, block):
    pairs, size = drawn
    reference, response = np.array(pairs, np.intp).reshape(-1, 2).T
    with block_size(block):
        counts = joint_counts(reference, response, size)
    assert counts.dtype == np.int64
    assert {pair: count for pair, count in np.ndenumerate(counts) if count} == Counter(pairs)


@given(matrices())
def test_each_category_against_all_others_and_the_entropy_of_each_row(counts):
    expected = [slow.one_versus_all(counts.tolist(), category) for category in range(len(counts))]
    assert np.transpose(multiclass.one_versus_all(counts)).tolist() == [list(table) for table in expected]
    matrix = ConfusionMatrix(list(range(len(counts))), counts)
    singly = [matrix.oneVsAll(category)._table.counts for category in range(len(counts))]
    assert singly == expected
    assert {type(count) for table in singly for count in table} == {int}
    expected = [slow.mean_bits(row, [slow.quotient(sum(row), count) for count in row]) for row in counts.tolist()]
    assert agreement.entropy(counts).tolist() == close_to(expected, abs=1e-15)


@given(matrices())
@example(np.zeros((1, 1), np.int64))
@example(np.zeros((3, 3), np.int64))
@example(np.array([[5]]))
@example(np.array([[1, 2], [2, 4]]))
def test_measures_are_what_the_cases_themselves_give(counts):
    twins = slow.of_classes(counts.tolist())
    for name in EXACT:
        assert getattr(multiclass, name)(counts) == twins[name], name
    for name in MEANS:
        assert float(getattr(multiclass, name)(counts)) == close_to(twins[name], abs=1e-14), name


@given(matrices(), st.sampled_from([0.0, -1.0, multiclass.Z_95, multiclass.Z_99]))
def test_confidence_is_a_multiple_of_the_deviation_of_being_right(counts, z):
    right = int(counts.trace())
    deviation = slow.binary(right, int(counts.sum()) - right, 0, 0)["accuracyDeviation"]
    assert multiclass.confidence(counts, z) == close_to(z * float(deviation))


@given(matrices(cells=(1, 2, 3, 7)), st.integers(0, 99))
def test_no_digit_of_a_macro_average_depends_on_the_order_of_the_categories(counts, seed):
    order = np.random.default_rng(seed).permutation(len(counts))
    for name in MEANS:
        assert getattr(multiclass, name)(counts[np.ix_(order, order)]) == getattr(multiclass, name)(counts)


@given(st.lists(st.integers(1, 30), min_size=2, max_size=6), st.integers(1, 5))
def test_independent_answers_have_no_information(frequencies, times):
    counts = np.outer(frequencies, frequencies) * times
    assert multiclass.mutual_information(counts) == 0
    assert multiclass.chi_squared(counts) == 0
    assert multiclass.kappa(counts) == close_to(0, abs=1e-14)
    nearly = np.array([[43271586360, 39508839720], [36226209386, 33076104222]])
    assert multiclass.mutual_information(nearly) == 0  # rounding leaves nothing negative


@given(st.integers(1, 12), st.integers(1, 4), st.integers(0, 99))
@example(9, 3, 0)
def test_many_tables_have_the_measures_of_each_alone(categories, tables, seed):
    counts = np.random.default_rng(seed).integers(0, [[3], [90]][seed % 2], (tables, categories, categories))
    for name in ("kappa", "chi_squared", "phi_squared", "cramers_v", "mutual_information"):
        measure = getattr(multiclass, name)
        assert repr(measure(counts).tolist()) == repr([float(measure(each)) for each in counts])
    found = multiclass.one_versus_all(counts)
    for index, each in enumerate(counts):
        alone = [column.tolist() for column in multiclass.one_versus_all(each)]
        assert [column[index].tolist() for column in found] == alone


@every("name", MEANS)
def test_huge_counts_do_not_overflow(name):
    small, measure = np.array([[9, 3, 0], [3, 5, 1], [1, 1, 4]]), getattr(multiclass, name)
    assert measure(small * ((2**63 - 1) // 27)) == close_to(measure(small), rel=1e-12)


def test_pooled_counts_exceed_int64():
    counts = np.diag([2**61, 2**61, 2**61])
    assert multiclass.pooled_versus_all(counts) == BinaryCounts(3 * 2**61, 0, 0, 6 * 2**61)


def test_entropies_are_infinite_where_a_reference_is_never_a_response_and_no_negative_zero():
    for never in ([[0, 8], [0, 0]], [[0, 3], [0, 7]]):
        matrix = ConfusionMatrix(["a", "b"], never)
        assert matrix.crossEntropy() == matrix.klDivergence() == math.inf
    matrix = ConfusionMatrix(["a", "b"], [[4, 0], [0, 0]])
    for name in ("referenceEntropy", "responseEntropy", "crossEntropy", "jointEntropy", "conditionalEntropy",
                 "mutualInformation", "klDivergence"):  # fmt: skip
        assert math.copysign(1, getattr(matrix, name)()) == 1
