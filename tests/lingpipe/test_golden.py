"""Every golden value of decisions, rankings and confusion matrices, and the printed text of each."""

import io
import re

import pytest

from evalcore import ConfusionMatrix, EvaluationError, PrecisionRecallEvaluation, ScoredPrecisionRecallEvaluation
from tests.differences import collected, every
from tests.lingpipe import golden
from tests.reference import exact as slow_exact

COUNTS, SCORED, CONFUSION, PRINTED = (golden.load(name) for name in ("counts", "scored", "confusion", "tostring"))
CELLS = "tp", "fn", "fp", "tn"
CANCELLED = {
    "large cancellation": ("yulesQ", "yulesY", "kappa", "kappaUnbiased", "chiSquared", "phiSquared"),
    "large tp": ("accuracyDeviation",),
    "large zero fn": ("accuracyDeviation",),
}
"""Where the original's float64 cancels, to within a rounding of 1: the exact values count."""
RATIOS = "beta", "recall", "precision"
ERRORS = COUNTS["constructor_errors"]
BY_INDEX, TABLES, POOLED = "conditionalEntropy(i)", "oneVsAll(i) [tp,fn,fp,tn]", "microAverage [tp,fn,fp,tn]"
SPECIAL = {BY_INDEX, TABLES, POOLED, "microAverage"}


def matrix_of(record):
    return ConfusionMatrix(record["categories"], record["matrix"])


FILLED = {
    "PrecisionRecallEvaluation": lambda record: PrecisionRecallEvaluation(*record["tp_fn_fp_tn"]),
    "ScoredPrecisionRecallEvaluation (3.9.2)": golden.scored,
    "ConfusionMatrix": matrix_of,
}
"""The classes whose text is compared here; that of the others holds it too."""


@every("record", COUNTS["records"])
def test_values_of_decisions(record):
    counts, values = [record[cell] for cell in CELLS], record["values"]
    exact = slow_exact.binary(*counts)
    cancelled = {name: float(exact[name]) for name in CANCELLED.get(record["name"], ())}
    assert all(abs(values[name] - value) < 1e-16 for name, value in cancelled.items())
    golden.assert_answers(PrecisionRecallEvaluation(*counts), values | cancelled)


def test_f_measures_of_ratios():
    with collected() as checking:
        for record in COUNTS["static_fMeasure"]:
            with checking(record):
                actual = PrecisionRecallEvaluation.fMeasure(*(float(record[name]) for name in RATIOS))
                # the original divides infinities, where recall is the limit
                limit = record["beta"] == "Infinity" and record["recall"] not in (0.0, "NaN")
                golden.assert_answer("fMeasure", actual, record["recall" if limit else "value"])


def test_constructor_errors_name_the_same_counts():
    found = re.compile(r"Count must be non-negative\. Found (\w+)=(-\d+)")
    with collected() as checking:
        for record in ERRORS:
            name, bad = found.fullmatch(record["result"]["message"]).groups()
            message = f"^{name} must not be negative, got {bad}$"
            with checking(record), pytest.raises(EvaluationError, match=message):
                PrecisionRecallEvaluation(*(record[cell] for cell in CELLS))


@every("record", SCORED["records"])
def test_values_of_rankings(record):
    golden.assert_answers(golden.scored(record), record["values"])


@every("record", CONFUSION["records"])
def test_values_of_confusion_matrices(record):
    matrix, values = matrix_of(record), record["values"]
    golden.assert_answers(matrix, {name: value for name, value in values.items() if name not in SPECIAL})
    golden.assert_answers(matrix.microAverage(), values["microAverage"])
    assert golden.counts(matrix.microAverage()) == values[POOLED]
    assert matrix.categories() == tuple(record["categories"])
    assert matrix.matrix().tolist() == record["matrix"]
    assert [matrix.getIndex(category) for category in record["categories"]] == list(range(matrix.numCategories()))
    for index, (entropy, table) in enumerate(zip(values[BY_INDEX], values[TABLES], strict=True)):
        golden.assert_answer(BY_INDEX, matrix.conditionalEntropy(index), entropy)
        assert golden.counts(matrix.oneVsAll(index)) == table
    assert index == matrix.numCategories() - 1


@every("record", [record for record in PRINTED["records"] if record["class"] in FILLED])
def test_text(record):
    evaluation = FILLED[record["class"]](record)
    golden.assert_same_text(evaluation.toString(), record["toString"])
    for interpolate in (False, True) if record["class"].startswith("Scored") else ():
        writer = io.StringIO()
        ScoredPrecisionRecallEvaluation.printPrecisionRecallCurve(evaluation.prCurve(interpolate), writer)
        assert writer.getvalue() == record[f"printPrecisionRecallCurve(prCurve({str(interpolate).lower()}))"]


def test_no_golden_key_is_left_unchecked():
    assert COUNTS.keys() == {"source", "records", "static_fMeasure", "constructor_errors"}
    assert SCORED.keys() == CONFUSION.keys() == PRINTED.keys() == {"source", "records"}
    assert all(record.keys() == {"name", *CELLS, "values"} for record in COUNTS["records"])
    assert all(record.keys() == {*RATIOS, "value"} for record in COUNTS["static_fMeasure"])
    assert all(record.keys() == {*CELLS, "result"} for record in ERRORS)
    assert {record["result"]["error"] for record in ERRORS} == {"IllegalArgumentException"}
    assert all(record.keys() == {"name", "cases", "misses", "values"} for record in SCORED["records"])
    assert all(record.keys() == {"name", "categories", "matrix", "values"} for record in CONFUSION["records"])
    assert all(record["values"].keys() >= SPECIAL for record in CONFUSION["records"])
    curves = {f"printPrecisionRecallCurve(prCurve({interpolate}))" for interpolate in ("false", "true")}
    keys = {("tp_fn_fp_tn",), ("categories", "matrix"), ("cases", *sorted(curves)), ("categories", "cases")}
    assert {tuple(key for key in record if key not in ("class", "toString")) for record in PRINTED["records"]} == keys


@every(
    ("kind", "records", "elsewhere"),
    (PrecisionRecallEvaluation, COUNTS, {"addCase", "addCases", "fromCases", "merge", "toString"}),
    # seven are not in LingPipe 3.9.2
    (ScoredPrecisionRecallEvaluation, SCORED, {"addCases", "addNegativeMisses", "merge", "numPositiveRef",
     "numNegativeRef", "rPrecision", "elevenPtInterpPrecision", "toString", "printPrecisionRecallCurve", "addCase",
     "addMisses"}),
    (ConfusionMatrix, CONFUSION, {"categories", "getIndex", "matrix", "oneVsAll",
     "microAverage", "toString", "increment", "incrementByN", "count", "merge", "fromLabels"}),
)  # fmt: skip
def test_golden_values_reach_every_documented_statistic(kind, records, elsewhere):
    questions = {name for record in records["records"] for name in record["values"] if name not in SPECIAL}
    assert set(map(golden.method_of, questions)) == golden.documented_names(kind) - elsewhere
