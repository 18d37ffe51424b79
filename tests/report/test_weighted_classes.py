"""Reports on classes whose rows have weights: scikit-learn's numbers, and the laws of weights."""

import json
import re

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn import metrics as sklearn

from evalcore import EvaluationError, evaluate
from evalcore.report.charts.plots import plots_of_classes
from evalcore.report.page.document import as_html
from tests.differences import every

NAMES = ["ash", "birch", "elm"]
SCORES = {name: f"p_{name}" for name in NAMES}


@pytest.fixture(scope="module")
def trees():
    """300 rows of two sites with labels, predictions and weights of three kinds; a third of the weights is zero."""
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 3, 300)
    guesses = np.where(rng.random(300) < 0.6, codes, rng.integers(0, 3, 300))
    whole = rng.choice([0, 1, 3], 300)
    return {
        "tree": np.array(NAMES)[codes],
        "guess": np.array(NAMES)[guesses],
        "site": np.array(["north", "south"])[rng.integers(0, 2, 300)],
        "whole": whole,
        "part": np.where(whole > 0, rng.random(300), 0.0),
    }


def test_numbers_beside_scikit_learn(trees):
    report, given = evaluate(trees, label="tree", predicted="guess", weight="part"), trees["part"]
    labels, guesses = trees["tree"], trees["guess"]
    found = report["statistics"]
    assert found["cases"] == np.count_nonzero(given)
    assert found["weight"] == pytest.approx(given.sum(), rel=1e-12)
    assert found["effective_cases"] == pytest.approx(given.sum() ** 2 / np.sum(given**2), rel=1e-12)
    expected = {
        "accuracy": sklearn.accuracy_score(labels, guesses, sample_weight=given),
        "balanced_accuracy": sklearn.balanced_accuracy_score(labels, guesses, sample_weight=given),
        "kappa": sklearn.cohen_kappa_score(labels, guesses, sample_weight=given),
        "matthews_correlation": sklearn.matthews_corrcoef(labels, guesses, sample_weight=given),
    }
    for average in ("macro", "weighted", "micro"):
        values = sklearn.precision_recall_fscore_support(labels, guesses, average=average, sample_weight=given)
        expected |= {f"{average}_{name}": values[index] for index, name in enumerate(("precision", "recall", "f1"))}
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-12), name
    matrix = sklearn.confusion_matrix(labels, guesses, sample_weight=given)
    assert [[report["confusion_matrix", one, other] for other in NAMES] for one in NAMES] == pytest.approx(matrix)
    precision, recall, f1, weight = sklearn.precision_recall_fscore_support(labels, guesses, sample_weight=given)
    for index, name in enumerate(NAMES):
        record = report["classes", name]
        assert record["cases"] == np.count_nonzero(given[labels == name])
        assert record["predicted"] == np.count_nonzero(given[guesses == name])
        values = [record[each] for each in ("weight", "precision", "recall", "f1")]
        assert values == pytest.approx([weight[index], precision[index], recall[index], f1[index]], rel=1e-12)


@pytest.fixture(scope="module")
def scored(trees):
    """Probabilities of the three classes, with ties."""
    rng = np.random.default_rng(8)
    raw = np.round(rng.random((300, 3)), 1) + 0.1 + np.eye(3)[np.searchsorted(NAMES, trees["tree"])] / 2
    return trees | dict(zip(SCORES.values(), (raw / raw.sum(axis=1, keepdims=True)).T, strict=True))


def test_scores_of_classes_beside_scikit_learn(scored):
    given, labels = scored["part"], scored["tree"]
    scores = np.column_stack([scored[name] for name in SCORES.values()])
    report = evaluate(scored, label="tree", score=SCORES, weight="part", ci=0.9, by="site")
    whole = evaluate(scored, label="tree", score=SCORES, weight="part", ci=0.9)
    south = scored["site"] == "south"
    for found, rows in ((whole["statistics"], slice(None)), (report["south"], south), (report["total"], slice(None))):
        own, answers, weights = scores[rows], labels[rows], given[rows]
        areas = [sklearn.roc_auc_score(answers == name, own[:, code], sample_weight=weights)
                 for code, name in enumerate(NAMES)]  # fmt: skip
        sums = [weights[answers == name].sum() for name in NAMES]
        expected = {
            "log_loss": sklearn.log_loss(answers, own, sample_weight=weights),
            "brier_score": sklearn.brier_score_loss(answers, own, sample_weight=weights),
            "macro_roc_auc": np.mean(areas),
            "weighted_roc_auc": np.average(areas, weights=sums),
            "weight": weights.sum(),
            "accuracy": sklearn.accuracy_score(answers, np.array(NAMES)[own.argmax(axis=1)], sample_weight=weights),
        }
        assert {name: found[name] for name in expected} == pytest.approx(expected, rel=1e-12)
    ranks = np.argmax(np.argsort(-scores, axis=1, kind="stable") == np.searchsorted(NAMES, labels)[:, None], axis=1)
    assert whole["statistics"]["mean_reciprocal_rank"] == pytest.approx(np.average(1 / (1 + ranks), weights=given))
    for code, name in enumerate(NAMES):
        record = whole["classes", name]
        area = sklearn.roc_auc_score(labels == name, scores[:, code], sample_weight=given)
        precision = sklearn.average_precision_score(labels == name, scores[:, code], sample_weight=given)
        assert [record["roc_auc"], record["average_precision"]] == pytest.approx([area, precision], rel=1e-12)
        ranked = np.bincount(ranks[labels == name], given[labels == name], 3)  # equal scores rank in the order of names
        assert [whole["rank_counts", name, rank] for rank in range(3)] == pytest.approx(ranked.tolist(), rel=1e-12)
    bounds = {item.name: item.interval for item in whole.sections[1].records["ash"]}
    assert bounds["roc_auc"].low < bounds["roc_auc"].estimate < bounds["roc_auc"].high
    counts = np.array([[whole["rank_counts", name, rank] for rank in range(3)] for name in NAMES])
    assert counts.sum() == pytest.approx(given.sum(), rel=1e-12)
    assert whole["statistics"]["top_2_accuracy"] == pytest.approx(counts[:, :2].sum() / counts.sum(), rel=1e-12)
    mean_rank = counts.sum(axis=0) @ np.arange(3) / counts.sum()
    assert whole["statistics"]["mean_rank"] == pytest.approx(mean_rank, rel=1e-12)
    assert "from 0: weight by label" in str(whole)
    axes = Figure().add_subplot()
    *_, chart = plots_of_classes(whole.answer, whole.question)
    chart.draw(axes)
    x, y = axes.get_lines()[0].get_data()
    area = np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2
    assert np.isclose(area, [whole["classes", name, "roc_auc"] for name in NAMES], rtol=1e-9, atol=0).any()


def test_what_has_no_weight_does_not_occur_and_is_not_counted():
    columns = {"tree": ["ash", "elm", "oak"], "guess": ["ash", "ash", "oak"], "site": [1, 1, 2], "w": [2.5, 0.5, 0]}
    report = evaluate(columns, label="tree", predicted="guess", weight="w")
    assert report["statistics", "classes"] == 2
    assert "oak" not in report
    grouped = evaluate(columns, label="tree", predicted="guess", weight="w", by="site")
    assert list(grouped) == ["1", "total"]
    columns = {"tree": ["ash", "elm"], "guess": ["ash", "ash"], "g": [0.0, 0.5], "w": [0, 1]}
    with pytest.raises(EvaluationError, match=r"got 0.5 at index 0 \(from 0, of the rows that are kept\)$"):
        evaluate(columns, label="tree", predicted="guess", weight="w", by="g")


def test_tables_show_sums_of_weights_as_numbers_to_read(trees):
    columns = trees | {"w": np.where(trees["tree"] == "elm", 1.25, 1000.0)}
    report = evaluate(columns, label="tree", predicted="guess", weight="w", ci=0.9)
    text = str(report)
    assert "confusion matrix: weight by label (rows) and prediction" in text
    elm = report["confusion_matrix", "elm", "ash"]
    assert f"  {elm:g} " in text
    assert f"{report['confusion_matrix', 'ash', 'ash']:,.0f}  " in text
    assert f"| {report['confusion_matrix', 'ash', 'ash']:,.0f} |" in report.to_markdown(digits=2)
    data = json.loads(report.to_json())
    assert data["confusion_matrix"]["elm"]["ash"] == elm
    assert f"confusion_matrix,guess,elm,ash,{elm},,,exact" in report.to_csv()
    assert " of 300 rows that stand for 195,131 cases (90% interval " in report.summary
    assert "By weight, the most frequent error is " in report.summary
    assert "of the weight of all cases. " in report.summary
    assert f"weight {elm:g}" in as_html(report.answer, report.question, drawn=[])
    assert "w (sampling weights)" in as_html(report.answer, report.question, drawn=[])


def test_charts_hold_the_weights(trees):
    report = evaluate(trees, label="tree", predicted="guess", weight="part")
    ax = report.plot_confusion_matrix(labels=["elm", "ash", "birch"], normalize=None, ax=Figure().add_subplot())
    expected = sklearn.confusion_matrix(
        trees["tree"], trees["guess"], labels=["elm", "ash", "birch"], sample_weight=trees["part"]
    )
    assert ax.images[0].get_array().data == pytest.approx(expected, rel=1e-12)
    chart, *_ = plots_of_classes(report.answer, report.question)
    axes = Figure().add_subplot()
    chart.draw(axes)
    rows = np.array([[report["confusion_matrix", one, other] for other in NAMES] for one in NAMES])
    assert axes.images[0].get_array().data == pytest.approx(rows / rows.sum(axis=1, keepdims=True), rel=1e-12)
    assert "cells are sums of weights" in chart.text
    assert "of the weight on the diagonal" in chart.alt


def test_of_many_classes_the_largest_weights_are_shown():
    labels = np.arange(40)
    columns = {"label": labels, "guess": (labels + 1) % 40, "w": 1.5 + labels}
    report = evaluate(columns, label="label", predicted="guess", weight="w")
    assert "label   predicted   weight   fraction of label" in str(report)
    assert re.search(r"\n +39 +0 +40\.5 +1\.000000\n", str(report))
    assert re.search(r"\n\| 39 +\| 40\.5 \|", report.to_markdown(full_matrix=True))


@every("factor", [0.3, 1e-200])
def test_a_factor_leaves_no_variance_where_there_is_none(factor):
    columns = {
        "y": [0, 0, 1, 0, 1],
        "p": [1] * 5,
        "s": [0.9, 0.8, 0.7, 0.6, 0.5],
        "w": np.array([1, 2, 3, 2, 1]) * factor,
    }
    for asked in ({"predicted": "p"}, {"score": "s", "threshold": 0.1}):
        report = evaluate(columns, label="y", weight="w", ci=0.9, **asked)
        text = next(line for line in report.to_csv().splitlines() if ",kappa," in line)
        assert text.split(",")[4:7] == ["0.0", "", ""]
