"""Every golden value of decisions, rankings and confusion matrices, the text of each, and how they are shown."""

import copy
import io
import pickle
import re

import numpy as np
import pytest
from matplotlib.figure import Figure

import evalcore
from evalcore import ConfusionMatrix, EvaluationError, PrecisionRecallEvaluation, ScoredPrecisionRecallEvaluation
from evalcore.ranking import evaluate
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


@pytest.fixture
def ax():
    return Figure().add_subplot()


def scored():
    evaluation = evalcore.ScoredPrecisionRecallEvaluation()
    evaluation.addCases([True, False, True, False], [0.9, 0.8, 0.4, 0.1])
    return evaluation


def test_tables_hold_the_statistics_of_evaluators_and_contingencies_too():
    assert f"<td>{scored().areaUnderRocCurve(False):.4f}</td>" in scored()._repr_html_()
    decisions = evalcore.PrecisionRecallEvaluation(9, 3, 4, 11)
    assert f"<td>{decisions.fMeasure():.4f}</td>" in decisions._repr_html_()
    matrix = evalcore.ConfusionMatrix(["<b>", "c"], [[7, 1], [2, 4]])
    assert f"<td>{matrix.totalAccuracy():.4f}</td>" in matrix._repr_html_()
    assert "<td>7</td>" in matrix._repr_html_()
    assert "<b>" not in matrix._repr_html_()
    many = evalcore.ConfusionMatrix([str(number) for number in range(31)])
    assert "confusion matrix" not in many._repr_html_()
    assert "<h4>most confused pairs of 31 classes</h4>" in many._repr_html_()
    assert "full=True" not in many._repr_html_()  # no option of an evaluator
    assert "<td>0</td>" in evalcore.ScoredPrecisionRecallEvaluation()._repr_html_()
    evaluator = evalcore.RankedClassifierEvaluator(None, ["a", "b"])
    evaluator.addRankings(["a", "b", "b"], [["a", "b"], ["a", "b"], ["b", "a"]])
    assert evaluator._repr_html_() == evaluator.confusionMatrix()._repr_html_()
    experiment = evalcore.Contingency(["<i>", "b"])
    experiment.add_result(["b"], ["b", "<i>"])
    assert f"<td>{experiment.micro_F1():.4f}</td>" in experiment._repr_html_()
    assert "<i>" not in experiment._repr_html_()


@pytest.mark.parametrize("tp", [2**53 - 20, 2**63 - 1, 10**20, 2**128])
def test_tables_hold_counts_of_any_size(tp):
    shown = evalcore.PrecisionRecallEvaluation(tp, tp, 3, 5)._repr_html_()
    assert shown.count(f"<td>{tp:,}</td>") == 2
    assert "<td>0.6250</td>" in shown  # specificity
    assert "<td>-" not in shown


def test_evaluations_are_drawn_and_still_pickled_and_keep_no_dictionary(ax):
    line = scored().plot_roc(ax=ax).lines[0]
    assert (line.get_xdata()[-1], line.get_ydata()[-1]) == (1, 1)
    axes = scored().plot_precision_recall(ax=Figure().add_subplot())
    assert axes.get_ylabel() == "precision"
    counts = evalcore.ConfusionMatrix(["a", "b"], [[7, 1], [2, 4]]).plot(ax=Figure().add_subplot())
    assert any("7" in text.get_text() for text in counts.texts)
    result = evaluate(["a", "b"], [1, 0], [0.9, 0.5], measures="AP")
    assert [text.get_text() for text in result.plot("AP", ax=ax).get_yticklabels()]
    evaluation = scored()
    for twin in (copy.deepcopy(evaluation), pickle.loads(pickle.dumps(evaluation))):
        assert twin.averagePrecision() == evaluation.averagePrecision()
    assert not hasattr(evaluation, "__dict__")


@pytest.mark.parametrize("kind", [evalcore.RankedClassifierEvaluator, evalcore.ScoredClassifierEvaluator])
def test_ranks_are_drawn_of_every_evaluator_that_has_them(kind, ax):
    evaluator = kind(None, ["a", "b", "c"])
    if kind is evalcore.RankedClassifierEvaluator:
        evaluator.addRankings(["a", "b"], [["a", "b", "c"], ["a", "c", "b"]])
    else:
        evaluator.addScores(["a", "b"], np.array([[3.0, 2.0, 1.0], [3.0, 1.0, 2.0]]))
    assert evaluator.plot_rank_histograms(ax=ax) is not None
