"""Rules for PrecisionRecallEvaluation that no golden value shows: how cases come in, borders, huge counts."""

import math

import numpy as np
import pytest

from evalcore import EvaluationError, EvaluationTypeError, PrecisionRecallEvaluation
from evalcore.lingpipe.precision_recall_evaluation import statistic_lines
from tests.differences import every
from tests.lingpipe import golden
from tests.lingpipe.evaluations import ten_cases
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
    [
        pytest.param({"a", "b", "c"}, {"b", "c", "d", "e"}, (2, 1, 2, 0), id="overlapping"),
        pytest.param(set(), {1}, (0, 0, 1, 0), id="nothing to find"),
        pytest.param(frozenset({1}), set(), (0, 1, 0, 0), id="nothing found"),
        pytest.param({"a": 1, "b": 2}.keys(), {"a"}, (1, 1, 0, 0), id="keys of a mapping"),
        pytest.param([], [], (0, 0, 0, 0), id="no labels"),
        pytest.param([1, 1, 0, 0, 0], [True, False, True, False, False], (1, 1, 1, 2), id="labels"),
    ],
)
def test_batches_of_sets_and_of_labels(reference, response, expected):
    evaluation = PrecisionRecallEvaluation(10, 10, 10, 10)
    evaluation.addCases(reference, response)
    assert counts(evaluation) == tuple(10 + count for count in expected)


@every(
    ("reference", "response", "message"),
    [
        ({1}, [1], "responsePositives must be a set like referencePositives, got [1] (list)"),
        ("ab", {"a"}, "referencePositives must be a set like responsePositives, got 'ab' (str)"),
    ],
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


def test_str_is_the_text_and_repr_counts():
    evaluation = PrecisionRecallEvaluation(9, 3, 4, 11)
    assert str(evaluation) == f"{evaluation}" == evaluation.toString()
    assert repr(evaluation) == "PrecisionRecallEvaluation(tp=9, fn=3, fp=4, tn=11)"


def test_printed_lines_write_floats_that_are_no_numbers_as_the_original_does():
    statistics = [("a", math.nan), ("b", math.inf), ("c", -math.inf), ("d", 0.1), ("e", 7)]
    assert statistic_lines(statistics) == "  a=NaN\n  b=Infinity\n  c=-Infinity\n  d=0.1\n  e=7"


def test_counts_whose_products_leave_float64_are_refused():
    largest = PrecisionRecallEvaluation(*[2**128] * 4)
    assert (largest.accuracy(), largest.yulesQ(), largest.phiSquared()) == (0.5, 0.0, 0.0)
    with pytest.raises(EvaluationError, match=f"^fp must be at most {2**128}, got {2**128 + 1}$"):
        PrecisionRecallEvaluation(1, 1, 2**128 + 1, 1)


def test_what_callers_make_of_numpys_warnings_changes_nothing():
    with np.errstate(all="raise"):
        assert math.isnan(PrecisionRecallEvaluation.fMeasure(1e-200, 0.0, 0.0))
        assert PrecisionRecallEvaluation(*[2**128] * 4).yulesQ() == 0.0


def test_merge_refuses_the_other_evaluation():
    ranking, table = ten_cases(), PrecisionRecallEvaluation(1, 2, 3, 4)
    shown = "PrecisionRecallEvaluation(tp=1, fn=2, fp=3, tn=4) (PrecisionRecallEvaluation)"
    with refused(ranking, EvaluationTypeError, f"other must be a ScoredPrecisionRecallEvaluation, got {shown}"):
        ranking.merge(table)
    cut = "ScoredPrecisionRecallEvaluation(cases=10, correct=4, miss... (ScoredPrecisionRecallEvaluation)"
    with refused(table, EvaluationTypeError, f"other must be a PrecisionRecallEvaluation, got {cut}"):
        table.merge(ranking)
