"""Every golden value of PrecisionRecallEvaluation."""

import re

import pytest

from evalcore import EvaluationError, PrecisionRecallEvaluation
from tests.differences import collected, every
from tests.lingpipe import golden
from tests.reference import exact as slow_exact

CELLS = "tp", "fn", "fp", "tn"
DATA = golden.load("counts")
RECORDS = DATA["records"]
CANCELLED = {
    "large cancellation": ("yulesQ", "yulesY", "kappa", "kappaUnbiased", "chiSquared", "phiSquared"),
    "large tp": ("accuracyDeviation",),
    "large zero fn": ("accuracyDeviation",),
}
"""Where the original's float64 cancels, to within a rounding of 1: the exact values count."""
RATIOS = "beta", "recall", "precision"
ERRORS = DATA["constructor_errors"]


@every("record", RECORDS)
def test_golden_values(record):
    counts, values = [record[cell] for cell in CELLS], record["values"]
    exact = slow_exact.binary(*counts)
    cancelled = {name: float(exact[name]) for name in CANCELLED.get(record["name"], ())}
    assert all(abs(values[name] - value) < 1e-16 for name, value in cancelled.items())
    golden.assert_answers(PrecisionRecallEvaluation(*counts), values | cancelled)


def test_golden_f_measures_of_ratios():
    with collected() as checking:
        for record in DATA["static_fMeasure"]:
            with checking(record):
                actual = PrecisionRecallEvaluation.fMeasure(*(float(record[name]) for name in RATIOS))
                # the original divides infinities, where recall is the limit
                limit = record["beta"] == "Infinity" and record["recall"] not in (0.0, "NaN")
                golden.assert_answer("fMeasure", actual, record["recall" if limit else "value"])


def test_golden_constructor_errors_name_the_same_counts():
    found = re.compile(r"Count must be non-negative\. Found (\w+)=(-\d+)")
    with collected() as checking:
        for record in ERRORS:
            name, bad = found.fullmatch(record["result"]["message"]).groups()
            message = f"^{name} must not be negative, got {bad}$"
            with checking(record), pytest.raises(EvaluationError, match=message):
                PrecisionRecallEvaluation(*(record[cell] for cell in CELLS))


def test_no_golden_key_is_left_unchecked():
    assert DATA.keys() == {"source", "records", "static_fMeasure", "constructor_errors"}
    assert all(record.keys() == {"name", *CELLS, "values"} for record in RECORDS)
    assert all(record.keys() == {*RATIOS, "value"} for record in DATA["static_fMeasure"])
    assert all(record.keys() == {*CELLS, "result"} for record in ERRORS)
    assert {record["result"]["error"] for record in ERRORS} == {"IllegalArgumentException"}


def test_golden_values_reach_every_documented_statistic():
    asked = {golden.method_of(question) for record in RECORDS for question in record["values"]}
    public = golden.documented_names(PrecisionRecallEvaluation)
    assert asked == public - {"addCase", "addCases", "fromCases", "merge", "toString"}
