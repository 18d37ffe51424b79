"""Evaluations show themselves in notebooks, and draw their plots."""

import copy
import pickle

import numpy as np
import pytest
from matplotlib.figure import Figure

import evalcore
from evalcore.ranking import evaluate


@pytest.fixture
def ax():
    return Figure().add_subplot()


def scored():
    evaluation = evalcore.ScoredPrecisionRecallEvaluation()
    evaluation.addCases([True, False, True, False], [0.9, 0.8, 0.4, 0.1])
    return evaluation


def test_tables_hold_the_statistics():
    assert f"<td>{scored().areaUnderRocCurve(False):.6f}</td>" in scored()._repr_html_()
    decisions = evalcore.PrecisionRecallEvaluation(9, 3, 4, 11)
    assert f"<td>{decisions.fMeasure():.6f}</td>" in decisions._repr_html_()
    matrix = evalcore.ConfusionMatrix(["<b>", "c"], [[7, 1], [2, 4]])
    assert f"<td>{matrix.totalAccuracy():.6f}</td>" in matrix._repr_html_()
    assert "<td>7</td>" in matrix._repr_html_()
    assert "<b>" not in matrix._repr_html_()
    many = evalcore.ConfusionMatrix([str(number) for number in range(31)])
    assert "confusion matrix" not in many._repr_html_()
    assert "<h4>most confused pairs of 31 classes</h4>" in many._repr_html_()
    assert "full_matrix" not in many._repr_html_()  # no option of an evaluator
    assert "<td>0</td>" in evalcore.ScoredPrecisionRecallEvaluation()._repr_html_()


@pytest.mark.parametrize("tp", [2**53 - 20, 2**63 - 1, 10**20, 2**128])
def test_tables_hold_counts_of_any_size(tp):
    shown = evalcore.PrecisionRecallEvaluation(tp, tp, 3, 5)._repr_html_()
    assert shown.count(f"<td>{tp:,}</td>") == 2
    assert "<td>0.625000</td>" in shown  # specificity
    assert "<td>-" not in shown


def test_evaluators_and_contingencies_have_tables_too():
    evaluator = evalcore.RankedClassifierEvaluator(None, ["a", "b"])
    evaluator.addRankings(["a", "b", "b"], [["a", "b"], ["a", "b"], ["b", "a"]])
    assert evaluator._repr_html_() == evaluator.confusionMatrix()._repr_html_()
    experiment = evalcore.Contingency(["<i>", "b"])
    experiment.add_result(["b"], ["b", "<i>"])
    assert f"<td>{experiment.micro_F1():.6f}</td>" in experiment._repr_html_()
    assert "<i>" not in experiment._repr_html_()


def test_plots_are_of_the_evaluation(ax):
    line = scored().plot_roc(ax=ax).lines[0]
    assert (line.get_xdata()[-1], line.get_ydata()[-1]) == (1, 1)
    axes = scored().plot_precision_recall(ax=Figure().add_subplot())
    assert axes.get_ylabel() == "precision"
    counts = evalcore.ConfusionMatrix(["a", "b"], [[7, 1], [2, 4]]).plot(ax=Figure().add_subplot())
    assert any("7" in text.get_text() for text in counts.texts)


@pytest.mark.parametrize("kind", [evalcore.RankedClassifierEvaluator, evalcore.ScoredClassifierEvaluator])
def test_ranks_are_drawn_of_every_evaluator_that_has_them(kind, ax):
    evaluator = kind(None, ["a", "b", "c"])
    if kind is evalcore.RankedClassifierEvaluator:
        evaluator.addRankings(["a", "b"], [["a", "b", "c"], ["a", "c", "b"]])
    else:
        evaluator.addScores(["a", "b"], np.array([[3.0, 2.0, 1.0], [3.0, 1.0, 2.0]]))
    assert evaluator.plot_rank_histograms(ax=ax) is not None


def test_groups_are_drawn(ax):
    result = evaluate(["a", "b"], [1, 0], [0.9, 0.5], measures="AP")
    assert [text.get_text() for text in result.plot("AP", ax=ax).get_yticklabels()]


def test_an_evaluation_that_shows_itself_is_still_pickled_and_keeps_no_dictionary():
    evaluation = scored()
    for twin in (copy.deepcopy(evaluation), pickle.loads(pickle.dumps(evaluation))):
        assert twin.averagePrecision() == evaluation.averagePrecision()
    assert not hasattr(evaluation, "__dict__")
