"""Reports on predicted classes and on scores of classes, of all rows and by group, with weights and without."""

import json
import math
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from sklearn import metrics as sklearn
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.metrics import precision_recall_fscore_support as scikit_learn

import evalcore
from evalcore import EvaluationError, evaluate
from evalcore.cli import main
from evalcore.document.charts.plots import plots_of_classes
from evalcore.document.page.report import as_html
from evalcore.document.records import Records
from evalcore.evaluation.batches import DistinctRows
from evalcore.evaluation.cases import PairedClasses, checked_class_scores
from evalcore.evaluation.files import answer_files
from evalcore.evaluation.notes import notes
from evalcore.evaluation.progress import Bar
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.classes import classes_report
from evalcore.evaluation.statistics.tallies import class_scores, occurring_cells
from evalcore.evaluation.weighting import RowWeights
from tests.differences import check_output, every
from tests.strategies import block_size

KINDS = "precision", "recall", "f1"
LABELS = ["ash", "elm", "elm", "ash", "oak"]
GUESSES = ["ash", "elm", "ash", "fig", "elm"]


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12),
    st.sampled_from(["macro", "micro"]),
)
def test_classes_and_averages_are_those_of_scikit_learn(pairs, average):
    label, guess = map(list, zip(*pairs, strict=True))
    report = evalcore.evaluate({"label": label, "guess": guess}, label="label", predicted="guess")
    counted = DistinctRows(Question("label", predicted=("guess",)))
    counted.update(pa.record_batch({"label": label, "guess": guess}), 0)
    batched = Records(counted.answer().sections)
    for name, value in zip(KINDS, scikit_learn(label, guess, average=average, zero_division=0), strict=False):
        assert report["statistics", f"{average}_{name}"] == pytest.approx(value, rel=1e-14)
        assert batched["statistics", f"{average}_{name}"] == report["statistics", f"{average}_{name}"]
    names, of_classes = sorted(set(label) | set(guess)), scikit_learn(label, guess, zero_division=0)[:3]
    for place, name in enumerate(names):
        found = [report["classes", str(name)][kind] for kind in KINDS]
        assert found == pytest.approx([column[place] for column in of_classes])


def sections_of(cases):
    return classes_report(PairedClasses(cases.categories, cases.codes, {"": cases.codes}, {"": cases}))


def test_classes_that_are_not_there_have_no_scores_and_those_that_are_wrong_have_zero():
    found = class_scores(np.array([2, 0]), np.array([0, 0]), np.array([0, 0]))
    assert np.array_equal(found, [[1, np.nan]] * 3, equal_nan=True)
    names = ["ash", "elm", "fig"]
    cases = checked_class_scores(names[:2], names, np.array([[0.9, 0.5, 0], [0.1, 0.5, 0]]))
    sections = sections_of(cases)
    assert Records(sections)["statistics", "macro_f1"] == 1
    assert "precision, recall and F1 are NaN where the class neither occurs nor is predicted: 'fig'" in notes(sections)
    report = evalcore.evaluate({"y": ["a", "b"], "p": ["b", "a"]}, label="y", predicted="p", ci=0.95)
    assert {report["statistics", f"{average}_f1"] for average in ("macro", "micro")} == {0.0}
    assert report.notes == ["with 2 cases, fewer than 30, intervals are rough"]
    columns = {"tree": ["ash", "ash", "elm"], "guess": ["ash", "ash", "birch"], "site": [1, 1, 2]}
    report = evaluate(columns, label="tree", predicted="guess", by="site")
    assert [report[site]["classes"] for site in (1, 2, "total")] == [1, 2, 3]
    assert report[1]["macro_f1"] == 1
    assert "### guess" in report.to_markdown()
    assert "statistics,guess,total,kappa" in report.to_csv()


def test_notes_stand_in_every_format(tmp_path, monkeypatch):
    monkeypatch.setattr("evalcore.document.charts.plots.plots_of", lambda answer, question: [])
    path = str(tmp_path / "trees.parquet")
    pq.write_table(pa.table({"tree": LABELS, "guess": GUESSES}), path)
    expected = [
        "precision is 0 where a class is never predicted: 'oak'",
        "recall is 0 where a class never occurs: 'fig'",
        "Cramér's V is NaN where a class never occurs or is never predicted",
    ]
    report = evalcore.evaluate({"tree": LABELS, "guess": GUESSES}, label="tree", predicted="guess")
    assert report.notes == report.to_dict()["notes"] == json.loads(report.to_json())["notes"] == expected
    asked = ["report", path, "--label", "tree", "--predicted", "guess"]
    for style, begin in (("table", "Note: "), ("markdown", "- ")):
        shown = CliRunner().invoke(main, [*asked, "--format", style]).stdout
        assert all(f"{begin}{note}" in shown for note in expected)
    assert json.loads(CliRunner().invoke(main, [*asked, "--format", "json"]).stdout)["notes"] == expected
    assert report._repr_html_().count("<p>Note: ") == 3
    page = report.to_html()
    assert page[page.index('id="notes"') : page.index('id="all"')].count("<li>") == 3


def test_notes_name_records_where_there_are_several_and_not_too_many(tmp_path, little_memory):
    count = 9
    columns = {"late": [0] * count, "a": np.arange(count) / count, "g": np.arange(count)}
    report = evalcore.evaluate(columns, label="late", score="a", by="g", threshold=0.0)
    listed = ", ".join(f"'{group}'" for group in range(6))
    assert f"recall is 0 where there are no positives: {listed} and 4 more" in (report.notes)
    alone = evalcore.evaluate(columns, label="late", score="a", threshold=2).notes
    assert "ROC AUC is NaN where all cases are of one class" in alone
    assert "recall, precision, F1 and Jaccard index are NaN where the class neither occurs nor is predicted" in alone
    path = str(tmp_path / "x.parquet")
    pq.write_table(pa.table({"late": np.zeros(10**4, bool), "a": np.arange(10**4) / 1e4}), path)
    streamed = answer_files(
        Question("late", ("a",), thresholds=(0.5,), memory=190_000_000), [path], Bar(lambda *_: None)
    )
    assert streamed.computed == "certified"
    assert notes(streamed.sections)[0] == "recall is 0 where there are no positives"


SCORES = st.sampled_from([-np.inf, -1.0, -0.0, 0.0, 5e-324, 0.5, 1.0, np.inf])


@given(st.lists(st.tuples(st.integers(0, 2), SCORES, SCORES, SCORES), min_size=1, max_size=30))
def test_areas_are_the_same_for_any_number_of_cases(rows):
    labels, *columns = (np.array(column) for column in zip(*rows, strict=True))
    cases = checked_class_scores(labels, [0, 1, 2], np.column_stack(columns))
    at_once = sections_of(cases)
    with block_size(1):
        alone = sections_of(checked_class_scores(labels, [0, 1, 2], np.column_stack(columns)))
    assert repr(at_once[1].records) == repr(alone[1].records)


NAMES = ["ash", "birch", "elm"]
OF_SITES = {name: f"s_{name}" for name in NAMES}
CODES = st.integers(0, 3)


@pytest.fixture(scope="module")
def trees():
    """600 rows of three sites and two years, with labels, predictions and scores of three classes, and weights."""
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 3, 600)
    scores = np.round(rng.normal(size=(600, 3)) + 1.5 * np.eye(3)[codes], 1)
    columns = {"tree": np.array(NAMES)[codes], "guess": np.array(NAMES)[scores.argmax(axis=1)]}
    columns |= {"site": np.array(["south", "north", "east"])[rng.choice(3, 600, p=[0.5, 0.3, 0.2])]}
    columns["part"] = rng.random(600) * (rng.random(600) < 0.7)
    return columns | {"year": rng.integers(2020, 2022, 600)} | {OF_SITES[NAMES[c]]: scores[:, c] for c in range(3)}


@every(("dtype", "tolerance"), [(np.float32, 1e-6), (np.float64, 1e-12)])  # scikit-learn adds up float32 as such
def test_losses_of_a_group_of_probabilities_beside_scikit_learn(trees, dtype, tolerance):
    raw = np.exp([trees[name] for name in OF_SITES.values()])
    probabilities = (raw / raw.sum(axis=0)).astype(dtype)
    probabilities[0, np.flatnonzero(trees["site"] == "east")[0]] += dtype(0.5)  # their sum is not 1
    columns = trees | dict(zip(OF_SITES.values(), probabilities, strict=True))
    report = evaluate(columns, label="tree", score=OF_SITES, by="site")
    for site in ("south", "north"):
        rows = trees["site"] == site
        expected = [loss(trees["tree"][rows], probabilities[:, rows].T) for loss in (log_loss, brier_score_loss)]
        assert [report[site]["log_loss"], report[site]["brier_score"]] == pytest.approx(expected, rel=tolerance)
    assert math.isnan(report["east"]["log_loss"])
    assert math.isnan(report["east"]["brier_score"])


@given(st.lists(st.tuples(CODES, CODES, CODES), min_size=1, max_size=40), st.sampled_from([1, 1 << 16]))
def test_cells_are_counted_alike_in_a_table_and_by_sorting(cases, block):
    columns = [np.array(column) for column in zip(*cases, strict=True)]
    with block_size(block):
        codes, tally = occurring_cells(columns, RowWeights())
    assert list(zip(*(column.tolist() for column in (*codes, tally.counts)), strict=True)) == [
        (*case, cases.count(case)) for case in sorted(set(cases))
    ]


def reported(*arguments):
    outcome = CliRunner().invoke(main, ["report", *map(str, arguments), "--format", "json"], prog_name="evalcore")
    assert outcome.exit_code == 0, outcome.stderr
    return json.loads(outcome.stdout)


def test_a_column_of_groups_that_begins_with_the_prefix_is_not_a_class(trees, tmp_path):
    columns = {name: column for name, column in trees.items() if name != "site"} | {"s_site": trees["site"]}
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    found = reported(tmp_path / "x.parquet", "--label", "tree", "--scores", "s_", "--by", "s_site")["statistics"]
    assert list(found["class scores"]) == ["south", "north", "east", "total"]


def test_weighted_numbers_are_those_of_scikit_learn(trees):
    given, labels, south = trees["part"], trees["tree"], trees["site"] == "south"
    rng, codes = np.random.default_rng(8), np.searchsorted(NAMES, labels)
    raw = np.round(rng.random((600, 3)), 1) + 0.1 + np.eye(3)[codes] / 2
    scores = raw / raw.sum(axis=1, keepdims=True)  # with ties
    guesses = np.array(NAMES)[scores.argmax(axis=1)]
    columns = trees | dict(zip(OF_SITES.values(), scores.T, strict=True)) | {"guess": guesses}
    asked = {"label": "tree", "weight": "part", "ci": 0.9}
    report, whole = evaluate(columns, score=OF_SITES, by="site", **asked), evaluate(columns, score=OF_SITES, **asked)
    predicted = evaluate(columns, predicted="guess", **asked)
    every_row = slice(None)
    for found, rows in ((whole["statistics"], every_row), (report["south"], south), (report["total"], every_row),
                        (predicted["statistics"], every_row)):  # fmt: skip
        own, answers, weights, guessed = scores[rows], labels[rows], given[rows], guesses[rows]
        weighted = {"sample_weight": weights}
        areas = [sklearn.roc_auc_score(answers == name, own[:, code], **weighted) for code, name in enumerate(NAMES)]
        sums = [weights[answers == name].sum() for name in NAMES]
        expected = {
            "cases": np.count_nonzero(weights), "weight": weights.sum(),
            "effective_cases": weights.sum() ** 2 / np.sum(weights**2),
            "accuracy": sklearn.accuracy_score(answers, guessed, **weighted),
            "balanced_accuracy": sklearn.balanced_accuracy_score(answers, guessed, **weighted),
            "kappa": sklearn.cohen_kappa_score(answers, guessed, **weighted),
            "matthews_correlation": sklearn.matthews_corrcoef(answers, guessed, **weighted),
            "log_loss": sklearn.log_loss(answers, own, **weighted),
            "brier_score": sklearn.brier_score_loss(answers, own, **weighted),
            "macro_roc_auc": np.mean(areas), "weighted_roc_auc": np.average(areas, weights=sums),
        }  # fmt: skip
        for kind in ("macro", "weighted", "micro"):
            averages = sklearn.precision_recall_fscore_support(answers, guessed, average=kind, **weighted)
            expected |= {f"{kind}_{name}": value for name, value in zip(KINDS, averages, strict=False)}
        left_out = {"log_loss", "brier_score", "macro_roc_auc", "weighted_roc_auc"} - {*found}
        assert left_out == set() or found == predicted["statistics"]
        expected = {name: value for name, value in expected.items() if name not in left_out}
        assert {name: found[name] for name in expected} == pytest.approx(expected, rel=1e-12)
    ranks = np.argmax(np.argsort(-scores, axis=1, kind="stable") == codes[:, None], axis=1)
    weighted, statistics = {"sample_weight": given}, whole["statistics"]
    for name, part in (("mean_reciprocal_rank", 1 / (1 + ranks)), ("mean_rank", ranks), ("top_2_accuracy", ranks < 2)):
        assert statistics[name] == pytest.approx(np.average(part, weights=given), rel=1e-12)
    of_classes = sklearn.precision_recall_fscore_support(labels, guesses, **weighted)
    matrix = sklearn.confusion_matrix(labels, guesses, **weighted)
    for code, name in enumerate(NAMES):
        right, own = labels == name, scores[:, code]
        ranked = np.bincount(ranks[right], given[right], 3)  # equal scores rank in the order of names
        assert [whole["rank_counts", name, rank] for rank in range(3)] == pytest.approx(ranked.tolist(), rel=1e-12)
        areas = [area(right, own, **weighted) for area in (sklearn.roc_auc_score, sklearn.average_precision_score)]
        record = whole["classes", name]
        assert [record["roc_auc"], record["average_precision"]] == pytest.approx(areas, rel=1e-12)
        for each in (whole, predicted):
            values = [each["classes", name][kind] for kind in (*KINDS, "weight", "cases", "predicted")]
            counts = [np.count_nonzero(given[column == name]) for column in (labels, guesses)]
            assert values == pytest.approx([*(column[code] for column in of_classes), *counts], rel=1e-12)
            assert [each["confusion_matrix", name, other] for other in NAMES] == pytest.approx(matrix[code])
    bounds = {item.name: item.interval for item in whole.sections[1].records["ash"]}
    assert bounds["roc_auc"].low < bounds["roc_auc"].estimate < bounds["roc_auc"].high
    assert "from 0: weight by label" in str(whole)
    axes = Figure().add_subplot()
    *_, chart = plots_of_classes(whole.answer, whole.question)
    chart.draw(ax=axes)
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
    columns = trees | {"w": np.array([1000.0, 990.0, 1.25])[np.searchsorted(NAMES, trees["tree"])]}
    report = evaluate(columns, label="tree", predicted="guess", weight="w", ci=0.9)
    elm = report["confusion_matrix", "elm", "ash"]
    assert json.loads(report.to_json())["confusion_matrix"]["elm"]["ash"] == elm
    assert f"confusion_matrix,guess,elm,ash,{elm},,,exact" in report.to_csv()
    texts = [str(report), report.to_markdown(digits=2), report.summary]
    check_output("document/outputs/weights_of_classes.txt", "\n\n".join(texts))
    page = as_html(report.answer, report.question, [])
    assert f">{elm:g}</td>" in page
    assert "w (sampling weights)" in page


def test_charts_hold_the_weights(trees):
    report = evaluate(trees, label="tree", predicted="guess", weight="part")
    ax = report.plot_confusion_matrix(labels=["elm", "ash", "birch"], normalize=None, ax=Figure().add_subplot())
    expected = sklearn.confusion_matrix(
        trees["tree"], trees["guess"], labels=["elm", "ash", "birch"], sample_weight=trees["part"]
    )
    assert ax.images[0].get_array().data == pytest.approx(expected, rel=1e-12)
    chart, *_ = plots_of_classes(report.answer, report.question)
    axes = Figure().add_subplot()
    chart.draw(ax=axes)
    rows = np.array([[report["confusion_matrix", one, other] for other in NAMES] for one in NAMES])
    assert axes.images[0].get_array().data == pytest.approx(rows / rows.sum(axis=1, keepdims=True), rel=1e-12)
    assert "cells are sums of weights" in chart.text
    assert "of the weight on the diagonal" in chart.alt


def test_of_many_classes_the_largest_weights_are_shown():
    labels = np.arange(40)
    columns = {"label": labels, "guess": (labels + 1) % 40, "w": 1.5 + labels}
    report = evaluate(columns, label="label", predicted="guess", weight="w")
    assert "label   predicted   weight   fraction of label" in str(report)
    assert re.search(r"\n +39 +0 +40\.5 +1\.0000\n", str(report))
    assert re.search(r"\n\| 39 +\| 40\.5 \|", report.to_markdown(full=True))


@every("factor", [0.3, 1e-200])
def test_a_factor_leaves_unseen_cases_as_uncertain(factor):
    columns = {
        "y": [0, 0, 1, 0, 1],
        "p": [1] * 5,
        "s": [0.9, 0.8, 0.7, 0.6, 0.5],
        "w": np.array([1, 2, 3, 2, 1]) * factor,
    }
    for asked in ({"predicted": "p"}, {"score": "s", "threshold": 0.1}):
        report = evaluate(columns, label="y", weight="w", ci=0.9, **asked)
        text = next(line for line in report.to_csv().splitlines() if ",kappa," in line)
        assert [*map(float, text.split(",")[4:7])] == pytest.approx([0.0, -0.6004662566, 0.6004662566], abs=1e-9)
