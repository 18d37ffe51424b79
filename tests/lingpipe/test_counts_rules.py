"""Rules for PrecisionRecallEvaluation that no golden value shows, and exact fractions."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore import ConfusionMatrix, EvaluationError, EvaluationTypeError, PrecisionRecallEvaluation
from evalcore.inference.cells import cells_of_counts
from evalcore.lingpipe.precision_recall_evaluation import statistic_lines
from evalcore.measures import agreement, binary, multiclass
from tests.differences import every
from tests.lingpipe import golden
from tests.lingpipe.evaluations import ten_cases
from tests.reference import exact as slow_exact
from tests.reference import inference as slow_inference
from tests.strategies import close_to
from tests.validation.refusals import refused

HUGE = 2**62
LABELS = [(True, True), (True, False), (False, True), (False, False)]


def counts(evaluation):
    return tuple(golden.counts(evaluation))


@every(("cell", "labels"), list(enumerate(LABELS)))
def test_a_case_counts_in_its_cell(cell, labels):
    evaluation = PrecisionRecallEvaluation(1, 2, 3, 4)
    evaluation.addCase(*labels)
    assert counts(evaluation) == tuple(count + (cell == index) for index, count in enumerate((1, 2, 3, 4)))


@every(
    ("reference", "response", "expected"),
    pytest.param({"a", "b", "c"}, {"b", "c", "d", "e"}, (2, 1, 2, 0), id="overlapping"),
    pytest.param(set(), {1}, (0, 0, 1, 0), id="nothing to find"),
    pytest.param(frozenset({1}), set(), (0, 1, 0, 0), id="nothing found"),
    pytest.param({"a": 1, "b": 2}.keys(), {"a"}, (1, 1, 0, 0), id="keys of a mapping"),
    pytest.param([], [], (0, 0, 0, 0), id="no labels"),
    pytest.param([1, 1, 0, 0, 0], [True, False, True, False, False], (1, 1, 1, 2), id="labels"),
)
def test_batches_of_sets_and_of_labels(reference, response, expected):
    evaluation = PrecisionRecallEvaluation(10, 10, 10, 10)
    evaluation.addCases(reference, response)
    assert counts(evaluation) == tuple(10 + count for count in expected)


@every(
    ("reference", "response", "message"),
    ({1}, [1], "responsePositives must be a set like referencePositives, got [1] (list)"),
    ("ab", {"a"}, "referencePositives must be a set like responsePositives, got 'ab' (str)"),
)
def test_a_set_needs_another_set(reference, response, message):
    evaluation = PrecisionRecallEvaluation(1, 2, 3, 4)
    with refused(evaluation, EvaluationTypeError, message):
        evaluation.addCases(reference, response)


@every("beta", [math.inf, -math.inf, 1e160, 1e200])
def test_f_measure_is_recall_where_beta_squared_is_infinite(beta):
    assert PrecisionRecallEvaluation(9, 3, 4, 11).fMeasure(beta) == 0.75
    assert PrecisionRecallEvaluation.fMeasure(beta, 0.75, 0.6) == 0.75
    assert PrecisionRecallEvaluation.fMeasure(1, 1e-200, 1e-200) == close_to(1e-200)
    assert math.isnan(PrecisionRecallEvaluation.fMeasure(beta, 0.0, 0.0))
    assert math.isnan(PrecisionRecallEvaluation.fMeasure(math.nan, 0.75, 0.6))


def test_huge_counts_are_added_exactly():
    evaluation = PrecisionRecallEvaluation(HUGE, HUGE + 1, HUGE + 2, HUGE + 3)
    evaluation.addCase(True, True)
    assert counts(evaluation) == (HUGE + 1, HUGE + 1, HUGE + 2, HUGE + 3)
    assert (evaluation.positiveReference(), evaluation.negativeReference()) == (2 * HUGE + 2, 2 * HUGE + 5)
    assert (evaluation.positiveResponse(), evaluation.negativeResponse()) == (2 * HUGE + 3, 2 * HUGE + 4)
    assert (evaluation.correctResponse(), evaluation.incorrectResponse()) == (2 * HUGE + 4, 2 * HUGE + 3)
    assert evaluation.total() == 4 * HUGE + 7


def test_str_is_the_text_with_floats_as_the_original_writes_them_and_repr_counts():
    evaluation = PrecisionRecallEvaluation(9, 3, 4, 11)
    assert str(evaluation) == f"{evaluation}" == evaluation.toString()
    assert repr(evaluation) == "PrecisionRecallEvaluation(tp=9, fn=3, fp=4, tn=11)"
    statistics = [("a", math.nan), ("b", math.inf), ("c", -math.inf), ("d", 0.1), ("e", 7)]
    assert statistic_lines(statistics) == "  a=NaN\n  b=Infinity\n  c=-Infinity\n  d=0.1\n  e=7"


def test_counts_whose_products_leave_float64_are_refused_whatever_callers_make_of_warnings():
    largest = PrecisionRecallEvaluation(*[2**128] * 4)
    for of_numpy in ("warn", "raise"):
        with np.errstate(all=of_numpy):
            assert (largest.accuracy(), largest.yulesQ(), largest.phiSquared()) == (0.5, 0.0, 0.0)
            assert math.isnan(PrecisionRecallEvaluation.fMeasure(1e-200, 0.0, 0.0))
    with pytest.raises(EvaluationError, match=f"^fp must be at most {2**128}, got {2**128 + 1}$"):
        PrecisionRecallEvaluation(1, 1, 2**128 + 1, 1)


def test_merge_refuses_the_other_evaluation():
    ranking, table = ten_cases(), PrecisionRecallEvaluation(1, 2, 3, 4)
    shown = "PrecisionRecallEvaluation(tp=1, fn=2, fp=3, tn=4) (PrecisionRecallEvaluation)"
    with refused(ranking, EvaluationTypeError, f"other must be a ScoredPrecisionRecallEvaluation, got {shown}"):
        ranking.merge(table)
    cut = "ScoredPrecisionRecallEvaluation(cases=10, correct=4, miss... (ScoredPrecisionRecallEvaluation)"
    with refused(table, EvaluationTypeError, f"other must be a PrecisionRecallEvaluation, got {cut}"):
        table.merge(ranking)


SIZES = st.integers(0, 60).flatmap(lambda bits: st.integers(0, 2**bits)) | st.sampled_from([0, 1, 2, 2**60])
CELLS = st.lists(SIZES, min_size=4, max_size=4)
SEEN = [
    [2, 1, 1, 4999996], [0, 1, 2, 877817077], [1, 0, 0, 2**55], [1, 1, 1, 10**15], [949285436, 8, 7, 4],
    [2**60, 2**60 - 1, 2**60 + 1, 2**60], [1, 2**59, 2**59, 1],
]  # fmt: skip


@st.composite
def tables(draw):
    """Draw a table of small and large counts, or one whose references and responses are almost independent."""
    size = draw(st.integers(1, 3))
    shares = st.lists(SIZES.map(lambda count: math.isqrt(count) >> 1), min_size=size, max_size=size)
    if draw(st.booleans()):
        table = [[one * other for other in columns] for columns in [draw(shares)] for one in draw(shares)]
    else:
        cells = SIZES.map(lambda count: count >> 1 if size == 3 else count)
        table = draw(st.lists(st.lists(cells, min_size=size, max_size=size), min_size=size, max_size=size))
    table[draw(st.integers(0, size - 1))][draw(st.integers(0, size - 1))] += draw(st.integers(0, 2))
    return table


def with_seen(test):
    for tp, fn, fp, tn in SEEN:
        test = example([[tp, fn], [fp, tn]])(test)
    return test


def misses(found, exact):
    return {name: (found[name], value) for name, value in exact.items() if found[name] != close_to(value)}


@with_seen
@given(tables().filter(lambda table: len(table) == 2) | CELLS.map(lambda cells: [cells[:2], cells[2:]]))
def test_statistics_of_two_classes_are_those_of_exact_fractions(table):
    (tp, fn), (fp, tn) = table
    evaluation, exact = PrecisionRecallEvaluation(tp, fn, fp, tn), slow_exact.binary(tp, fn, fp, tn)
    assert misses({name: getattr(evaluation, name)() for name in exact}, exact) == {}
    columns = [np.array([count, 3]) for count in (tp, fn, fp, tn)]
    found = {"yulesQ": binary.yules_q, "yulesY": binary.yules_y, "phiSquared": binary.phi_squared,
             "chiSquared": binary.chi_squared, "accuracyDeviation": binary.accuracy_deviation}  # fmt: skip
    assert misses({name: measure(*columns)[0] for name, measure in found.items()}, {n: exact[n] for n in found}) == {}


@with_seen
@given(tables())
def test_statistics_of_classes_are_those_of_exact_fractions(table):
    matrix, exact = ConfusionMatrix(list(range(len(table))), table), slow_exact.confusion(table)
    assert misses({name: getattr(matrix, name)() for name in exact}, exact) == {}


@with_seen
@given(tables())
def test_weighted_kappa_and_the_variance_of_kappa_are_those_of_exact_fractions(table):
    counts = np.array(table)
    for power in range(3):
        found = multiclass.weighted_kappa(counts, agreement.disagreement(len(table), power))
        assert found == close_to(slow_exact.weighted_kappa(table, power))
    if counts.any():
        expected, cells = slow_inference.kappa_variance(table), cells_of_counts(counts[np.newaxis])
        found = cells.spread(multiclass.kappa_derivatives(cells.table))[0]
        assert found == close_to(math.nan if expected is None else expected)
