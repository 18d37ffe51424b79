"""Comparisons and reports agree on precision where a model predicts no case of a class."""

import math

import pytest

import evalcore

COLUMNS = {
    "late": [1, 1, 0, 0, 1, 0],
    "old": [0.9, 0.8, 0.7, 0.1, 0.2, 0.3],
    "new": [0.5, 0.4, 0.3, 0.2, 0.6, 0.1],
    "team": ["a", "a", "a", "b", "b", "b"],
}
ASKED = {"label": "late", "threshold": 0.65}
NOTE = "precision at threshold 0.65 is 0, without an interval, where a model predicts no case of the class"


@pytest.fixture(scope="module")
def report():
    return evalcore.compare(COLUMNS, score="new", old_score="old", by="team", measures="precision", **ASKED)


def test_precision_is_zero_as_in_reports_and_a_note_says_so(report):
    whole = report["precision@0.65"]
    alone = evalcore.evaluate(COLUMNS, score=["old", "new"], **ASKED)
    assert (whole.old, whole.new) == (alone["old"]["precision"], alone["new"]["precision"]) == (2 / 3, 0.0)
    assert (whole.found.difference, whole.verdict) == (-2 / 3, "inconclusive")
    assert math.isnan(whole.found.p_value)
    assert NOTE in report.notes


def test_models_that_never_predict_a_class_are_equal_but_not_proven_to_be(report):
    same = report["team=b", "precision@0.65"]
    assert (same.old, same.new, same.found.p_value, same.verdict) == (0, 0, 1, "inconclusive")


def test_a_gate_fails_rather_than_ends_with_an_error(report):
    assert not report.check("precision@0.65 drops by 0.5").passed
    assert not report.check("precision@0.65 < 0.1").passed


def test_precision_is_zero_by_the_bootstrap_too():
    asked = {**ASKED, "measures": "precision", "method": "bootstrap", "resamples": 20}
    found = evalcore.compare(COLUMNS, score="new", old_score="old", **asked)["precision@0.65"].found
    assert found.estimates == (0, 2 / 3)
    assert math.isnan(found.low)


def test_precision_stays_undefined_where_the_class_never_occurs():
    table = {**COLUMNS, "late": [0] * 6, "old": [0.1] * 6}
    found = evalcore.compare(table, score="new", old_score="old", **ASKED)["precision@0.65"]
    assert math.isnan(found.old)


def test_negative_predictive_value_is_zero_too():
    asked = {"label": "late", "measures": "negative_predictive_value@0.05"}
    found = evalcore.compare(COLUMNS, score="new", old_score="old", **asked)["negative_predictive_value@0.05"]
    assert (found.old, found.new) == (0, 0)
