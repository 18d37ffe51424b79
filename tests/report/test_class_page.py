"""The panel of several classes: its numbers, its sentences, and which classes it shows."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.metrics import precision_recall_fscore_support, roc_auc_score

from evalcore import evaluate
from evalcore.report.charts.plots import plots_of
from evalcore.report.page.cells import Cell
from evalcore.report.page.classes import classes_panel
from evalcore.report.page.panels import View
from evalcore.report.tables import class_sections, listed_classes

NAMES = np.array(["ash", "elm", "fig <b>"])


@pytest.fixture(scope="module")
def trees():
    """Return labels, predictions and scores of three classes as columns."""
    rng = np.random.default_rng(8)
    codes = rng.choice(3, 900, p=[0.6, 0.3, 0.1])
    scores = rng.normal(size=(900, 3)) + 1.5 * np.eye(3)[codes]
    columns = {"tree": NAMES[codes], "guess": NAMES[scores.argmax(axis=1)]}
    return columns | {f"s{code}": scores[:, code] for code in range(3)}


def scored(trees, **asked):
    return evaluate(trees, label="tree", score={name: f"s{code}" for code, name in enumerate(NAMES)}, **asked)


def panel_of(report, in_full=False):
    return classes_panel(View(report.answer, report.question, {}, in_full))


def numbers(row):
    return [float(cell.full.split(",")[0]) for cell in row if isinstance(cell, Cell) and cell.full]


def test_numbers_are_those_of_scikit_learn(trees):
    content = panel_of(scored(trees)).content
    (table,) = content["tables"].values()
    assert [row[0] for row in table.rows] == ["ash", "elm", "fig <b>"]  # by frequency
    right = np.transpose(precision_recall_fscore_support(trees["tree"], trees["guess"])[:3])
    areas = [roc_auc_score(trees["tree"] == name, trees[f"s{code}"]) for code, name in enumerate(NAMES)]
    start = table.head.index("precision")
    found = [[float(cell.full) for cell in row[start : start + 4]] for row in table.rows]
    np.testing.assert_allclose(found, np.column_stack([right, areas]), rtol=1e-12)
    averages = content["averages"]
    assert averages.head == ["average", "precision", "recall", "F1", "ROC area"]
    assert [row[0] for row in averages.rows] == ["macro", "weighted", "micro (= accuracy)"]
    for row, average in zip(averages.rows, ("macro", "weighted", "micro"), strict=True):
        expected = list(precision_recall_fscore_support(trees["tree"], trees["guess"], average=average)[:3])
        weights = None if average == "macro" else [np.count_nonzero(trees["tree"] == name) for name in NAMES]
        expected += [] if average == "micro" else [np.average(areas, weights=weights)]
        assert numbers(row) == pytest.approx(expected, rel=1e-12)


@pytest.mark.usefixtures("undrawn")
def test_the_largest_confusions_are_sentences_with_escaped_names():
    columns = {"tree": ["fig <b>"] * 3000 + ["ash"] * 5, "guess": ["fig <b>"] * 2999 + ["ash"] * 4 + ["elm"] * 2}
    page = evaluate(columns, label="tree", predicted="guess").to_html()
    listed = page[page.index("<ol>") : page.index("</ol>")].split("\n")[1:-1]
    assert listed == [
        "<li><b>ash</b> mistaken for <b>elm</b>, 2 times, 40.0% of ash</li>",
        "<li><b>fig &lt;b&gt;</b> mistaken for <b>ash</b>, once, less than 0.1% of fig &lt;b&gt;</li>",
    ]
    right = evaluate({"tree": ["ash", "elm"], "guess": ["ash", "elm"]}, label="tree", predicted="guess").to_html()
    assert "No case was mistaken for another class." in right
    assert len(panel_of(many_classes(30)).content["confusions"]) == 15


def many_classes(count):
    """Return the report on `count` classes, of which class c has count - c + 1 cases, the last one wrong."""
    codes = np.repeat(np.arange(count), np.arange(count, 0, -1) + 1)
    last = np.append(np.diff(codes) > 0, True)
    return evaluate(
        {"tree": codes, "guess": np.where(last, (codes + 1) % count, codes)}, label="tree", predicted="guess"
    )


def test_of_many_classes_the_most_frequent_and_the_worst_are_listed():
    report = many_classes(60)
    frequent, worst = panel_of(report).content["tables"].items()
    assert (frequent[0], worst[0]) == ("The 20 most frequent of 60 classes", "The 20 classes with the lowest F1")
    assert [row[0] for row in frequent[1].rows] == list(map(str, range(20)))
    scores = {str(code): report["classes", code]["f1"] for code in range(60)}
    assert [row[0] for row in worst[1].rows] == sorted(scores, key=scores.get)[:20]
    (every,) = panel_of(report, in_full=True).content["tables"].values()
    assert len(every.rows) == 60


def test_classes_that_never_occur_are_not_the_worst_and_groups_have_no_panel(trees):
    report = evaluate({"tree": ["ash", "elm"], "guess": ["ash", "fig"]}, label="tree", predicted="guess")
    assert listed_classes(class_sections(report.sections).classes, 2).worst == ["elm", "ash"]
    assert panel_of(scored(trees | {"site": np.arange(900) % 2}, by="site")) is None


def test_plots_of_classes_say_their_numbers_in_words(trees):
    report = scored(trees, ci=0.95)
    matrix, f1, curves = plots_of(report.answer, report.question)
    assert {plot.panel for plot in (matrix, f1, curves)} == {"classes"}
    accuracy, of_class = report["statistics"]["accuracy"], {name: report["classes", name] for name in NAMES}
    assert matrix.alt.startswith(
        f"Confusion matrix of 3 classes, with {100 * accuracy:.1f}% of the cases on the diagonal"
    )
    assert "; the largest confusion is ash mistaken for " in matrix.alt
    assert (
        f1.alt
        == f"F1 of each class, from {of_class['ash']['f1']:.3f} (ash) to {of_class['fig <b>']['f1']:.3f} (fig <b>)."
    )
    areas = [of_class[name]["roc_area"] for name in NAMES]
    assert curves.alt.endswith(f"Areas: ash {areas[0]:.3f}, elm {areas[1]:.3f}, fig <b> {areas[2]:.3f}.")
    ax = Figure().add_subplot()
    matrix.draw(ax=ax)
    image = ax.images[0]
    assert "cube root" in matrix.text
    assert float(image.norm(image.norm.vmax / 8)) == pytest.approx(0.5)
    ax = Figure().add_subplot()
    curves.draw(ax=ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        f"{name}, AUC = {area:.3f}" for name, area in zip(NAMES, areas, strict=True)
    ]
    ax = Figure().add_subplot()
    f1.draw(ax=ax)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["fig <b>", "elm", "ash"]


def test_only_matrices_of_up_to_a_hundred_classes_are_drawn():
    for count, names in ((100, ["confusion_matrix", "f1_by_class"]), (101, ["f1_by_class"])):
        report = many_classes(count)
        assert [plot.name for plot in plots_of(report.answer, report.question)] == names
        said = "No chart of the confusion matrix: there are 101 classes, and at most 100 are drawn."
        assert panel_of(report).content["missing"] == ([said] if count > 100 else [])


def test_curves_are_those_of_frequent_classes_with_finite_scores_and_both_labels():
    rng = np.random.default_rng(2)
    codes = np.repeat(np.arange(13), np.arange(5, 18))
    columns = {"tree": codes} | {str(code): rng.random(codes.size) for code in range(13)}
    columns["12"][0] = np.inf
    report = evaluate(columns, label="tree", score={str(code): str(code) for code in range(13)})
    curves = plots_of(report.answer, report.question)[-1]
    assert curves.text == "ROC curves of the 9 most frequent classes against the rest."
    assert [part.split()[0] for part in curves.alt.split("Areas: ")[1].split(", ")] == list(map(str, range(11, 2, -1)))
    columns = {"tree": ["ash", "ash"], "a": [0.5, 0.25], "b": [0.5, 0.75]}
    report = evaluate(columns, label="tree", score={"ash": "a", "elm": "b"})
    assert [plot.name for plot in plots_of(report.answer, report.question)] == ["confusion_matrix", "f1_by_class"]
