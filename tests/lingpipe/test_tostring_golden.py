"""Golden printed text, in which a float may end in other last digits than Java's."""

import io
import re

import pytest

from evalcore import PrecisionRecallEvaluation, ScoredPrecisionRecallEvaluation
from tests.differences import every
from tests.lingpipe import golden

DATA = golden.load("tostring")
BY_CLASS = {}
for _record in DATA["records"]:
    BY_CLASS.setdefault(_record["class"], []).append(_record)

COUNTS = BY_CLASS["PrecisionRecallEvaluation"]
SCORED = BY_CLASS["ScoredPrecisionRecallEvaluation (3.9.2)"]
OTHER_FACES = {"ConfusionMatrix", "base evaluator", "ranked evaluator", "scored evaluator", "conditional evaluator",
               "joint evaluator"}  # fmt: skip
EMBEDDED_TABLE = re.compile(
    r"  Total=\d+\n  True Positive=(\d+)\n  False Negative=(\d+)\n  False Positive=(\d+)\n  True Negative=(\d+)\n"
    r"(?:  [^=\n]+=.+\n){23}  Accuracy Deviation=[^\n]+"
)
EMBEDDED = [
    ([int(count) for count in table.groups()], table[0])
    for name in sorted(OTHER_FACES)
    for record in BY_CLASS[name]
    for table in EMBEDDED_TABLE.finditer(record["toString"])
]


def lines(text):
    """Pairs of everything up to the equals sign, and the number behind it."""
    pairs = [line.partition("=") for line in text.split("\n")]
    return [name for name, _, _ in pairs], [float(value) for _, _, value in pairs]


def assert_same_text(actual, expected):
    (names, values), (golden_names, golden_values) = lines(actual), lines(expected)
    assert names == golden_names
    assert values == pytest.approx(golden_values, rel=1e-12, abs=0, nan_ok=True)


@pytest.mark.parametrize("record", COUNTS, ids=lambda record: str(record["tp_fn_fp_tn"]))
def test_golden_text_of_counts(record):
    assert_same_text(PrecisionRecallEvaluation(*record["tp_fn_fp_tn"]).toString(), record["toString"])


@every(("counts", "text"), EMBEDDED)
def test_golden_text_of_counts_inside_that_of_other_classes(counts, text):
    assert_same_text(PrecisionRecallEvaluation(*counts).toString(), text)


@pytest.mark.parametrize("record", SCORED)
def test_golden_text_of_a_ranking(record):
    assert_same_text(golden.scored(record).toString(), record["toString"])


@pytest.mark.parametrize("interpolate", [False, True])
@pytest.mark.parametrize("record", SCORED)
def test_golden_text_of_a_curve(record, interpolate):
    writer = io.StringIO()
    curve = golden.scored(record).prCurve(interpolate)
    ScoredPrecisionRecallEvaluation.printPrecisionRecallCurve(curve, writer)
    assert writer.getvalue() == record[f"printPrecisionRecallCurve(prCurve({str(interpolate).lower()}))"]


def test_no_golden_key_is_left_unchecked():
    assert DATA.keys() == {"source", "records"}
    assert BY_CLASS.keys() == OTHER_FACES | {COUNTS[0]["class"], SCORED[0]["class"]}
    assert all(record.keys() == {"class", "tp_fn_fp_tn", "toString"} for record in COUNTS)
    curves = {f"printPrecisionRecallCurve(prCurve({interpolate}))" for interpolate in ("false", "true")}
    assert all(record.keys() == {"class", "cases", "toString"} | curves for record in SCORED)
    printed = "".join(record["toString"] for name in OTHER_FACES for record in BY_CLASS[name])
    assert len(EMBEDDED) == printed.count("  Total=")
