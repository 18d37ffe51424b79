"""Every golden value of PrecisionRecallEvaluation."""

import re

import pytest

from evalcore import EvaluationError, PrecisionRecallEvaluation
from tests.lingpipe import golden

CELLS = "tp", "fn", "fp", "tn"
DATA = golden.load("counts")
RECORDS = DATA["records"]
ASKED = [
    pytest.param([record[cell] for cell in CELLS], question, answer, id=f"{record['name']}: {question}")
    for record in RECORDS
    for question, answer in golden.questions(record["values"])
]
RATIOS = "beta", "recall", "precision"
ERRORS = DATA["constructor_errors"]


@pytest.mark.parametrize(("counts", "question", "answer"), ASKED)
def test_golden_value(counts, question, answer):
    golden.assert_answer(question, golden.ask(PrecisionRecallEvaluation(*counts), question), answer)


@pytest.mark.parametrize("record", DATA["static_fMeasure"], ids=str)
def test_golden_f_measure_of_ratios(record):
    actual = PrecisionRecallEvaluation.fMeasure(*(float(record[name]) for name in RATIOS))
    golden.assert_answer("fMeasure", actual, record["value"])


@pytest.mark.parametrize("record", ERRORS, ids=lambda record: record["result"]["message"])
def test_golden_constructor_error_names_the_same_count(record):
    name, bad = re.fullmatch(r"Count must be non-negative\. Found (\w+)=(-\d+)", record["result"]["message"]).groups()
    with pytest.raises(EvaluationError, match=f"^{name} must not be negative, got {bad}$"):
        PrecisionRecallEvaluation(*(record[cell] for cell in CELLS))


def test_no_golden_key_is_left_unchecked():
    assert DATA.keys() == {"source", "records", "static_fMeasure", "constructor_errors"}
    assert all(record.keys() == {"name", *CELLS, "values"} for record in RECORDS)
    assert all(record.keys() == {*RATIOS, "value"} for record in DATA["static_fMeasure"])
    assert all(record.keys() == {*CELLS, "result"} for record in ERRORS)
    assert {record["result"]["error"] for record in ERRORS} == {"IllegalArgumentException"}


def test_golden_values_reach_every_documented_statistic():
    asked = {golden.method_of(question) for record in RECORDS for question in record["values"]}
    public = {name for name in vars(PrecisionRecallEvaluation) if not name.startswith("_")}
    assert asked == public - {"addCase", "addCases", "fromCases", "merge", "toString"}
