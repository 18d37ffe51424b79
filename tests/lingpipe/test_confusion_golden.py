"""Every golden value of ConfusionMatrix, and its printed text."""

import re

import pytest

from evalcore import ConfusionMatrix
from evalcore.lingpipe.confusion_printing import global_statistics
from tests.lingpipe import golden
from tests.strategies import close_to

DATA = golden.load("confusion")
RECORDS = DATA["records"]
BY_INDEX = "conditionalEntropy(i)"
TABLES = "oneVsAll(i) [tp,fn,fp,tn]"
POOLED = "microAverage [tp,fn,fp,tn]"
SPECIAL = {BY_INDEX, TABLES, POOLED, "microAverage"}
PRINTED = golden.load("tostring")["records"]
NUMBER = re.compile(r"(?<![A-Z(])-?(?:\b\d+(?:\.\d+)?(?:E-?\d+)?\b|\bNaN\b|\bInfinity\b)")


def matrix_of(record):
    return ConfusionMatrix(record["categories"], record["matrix"])


def counts(evaluation):
    names = "truePositive", "falseNegative", "falsePositive", "trueNegative"
    return [getattr(evaluation, name)() for name in names]


def assert_same_text(actual, expected):
    """Compare everything between numbers to the letter, numbers to 1e-12."""
    assert NUMBER.split(actual) == NUMBER.split(expected)
    assert list(map(float, NUMBER.findall(actual))) == close_to(list(map(float, NUMBER.findall(expected))))


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["name"])
def test_golden_values(record):
    values = record["values"]
    golden.assert_answers(matrix_of(record), {name: value for name, value in values.items() if name not in SPECIAL})
    golden.assert_answers(matrix_of(record).microAverage(), values["microAverage"])


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["name"])
def test_golden_values_of_each_category(record):
    matrix, values = matrix_of(record), record["values"]
    for index, (entropy, table) in enumerate(zip(values[BY_INDEX], values[TABLES], strict=True)):
        golden.assert_answer(BY_INDEX, matrix.conditionalEntropy(index), entropy)
        assert counts(matrix.oneVsAll(index)) == table
    assert index == matrix.numCategories() - 1
    assert counts(matrix.microAverage()) == values[POOLED]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["name"])
def test_golden_categories_and_counts(record):
    matrix = matrix_of(record)
    assert matrix.categories() == tuple(record["categories"])
    assert matrix.matrix().tolist() == record["matrix"]
    assert [matrix.getIndex(category) for category in record["categories"]] == list(range(matrix.numCategories()))


@pytest.mark.parametrize("record", [record for record in PRINTED if record["class"] == "ConfusionMatrix"])
def test_golden_text(record):
    assert_same_text(matrix_of(record).toString(), record["toString"])


@pytest.mark.parametrize(
    "record",
    [record for record in PRINTED if record["class"].endswith("evaluator")],
    ids=lambda record: record["class"],
)
def test_golden_text_within_that_of_classifier_evaluators(record):
    matrix = ConfusionMatrix(record["categories"])
    for case in record["cases"]:
        matrix.increment(case["reference"], case["categories"][0])
    text = global_statistics("BASE CLASSIFIER EVALUATION", matrix.categories(), matrix.matrix())
    assert_same_text(text, record["toString"][: record["toString"].index("\n", record["toString"].index("lambda B"))])


def test_no_golden_key_is_left_unchecked():
    assert DATA.keys() == {"source", "records"}
    assert all(record.keys() == {"name", "categories", "matrix", "values"} for record in RECORDS)
    assert all(record["values"].keys() >= SPECIAL for record in RECORDS)


def test_golden_values_reach_every_statistic():
    asked = {golden.method_of(name) for record in RECORDS for name in record["values"] if name not in SPECIAL}
    public = golden.documented_names(ConfusionMatrix)
    elsewhere = {"categories", "getIndex", "matrix", "conditionalEntropy", "oneVsAll", "microAverage", "toString"}
    filling = {"increment", "incrementByN", "count", "merge", "fromLabels"}
    assert asked | elsewhere == public - filling
