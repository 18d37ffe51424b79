"""The panels of classes and of groups: their numbers and sentences, and which of many they show."""

import math
import re

import numpy as np
import pytest
from matplotlib.figure import Figure

import evalcore
from evalcore import evaluate, inference
from evalcore.document.charts.plots import plots_of, plots_of_groups
from evalcore.document.page.cells import cell_of
from evalcore.document.page.report import classes_panel, groups_panel
from evalcore.document.shown import shown_groups
from evalcore.document.tables import Cell, class_sections, listed_classes
from evalcore.document.words.classes import groups_apart
from evalcore.evaluation.options import spelled_for_a_shell
from evalcore.evaluation.wording import number, p_value
from evalcore.plots.axes import COLOURS
from tests.differences import every
from tests.plots.drawing import names_of

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


def panel_of(report, full=False):
    return classes_panel(report.answer, report.question, full)


def drawn(table):
    """Return a table with the cells of a page."""
    return table._replace(rows=[[*row[: table.names], *map(cell_of, row[table.names :])] for row in table.rows])


def numbers(row):
    return [float(cell.full.split(",")[0]) for cell in row if isinstance(cell, Cell) and cell.full]


def test_numbers_are_those_of_the_report(trees):
    report = scored(trees)
    _, table = map(drawn, panel_of(report).tables)
    scores = {name: report["classes", name]["f1"] for name in NAMES}
    assert [row[0] for row in table.rows] == sorted(scores, key=scores.get)
    measures = ["precision", "recall", "f1", "roc_auc"]
    start = table.head.index("precision")
    for row in table.rows:
        name = row[0]
        assert numbers(row[start : start + 4]) == [report["classes", name][each] for each in measures]
    assert table.head == ["class", "cases", "precision", "recall", "F1", "ROC AUC"]


@pytest.mark.usefixtures("undrawn")
def test_the_five_largest_confusions_are_rows_with_escaped_names():
    columns = {"tree": ["fig <b>"] * 3000 + ["ash"] * 5, "guess": ["fig <b>"] * 2999 + ["ash"] * 4 + ["elm"] * 2}
    report = evaluate(columns, label="tree", predicted="guess")
    table = drawn(panel_of(report).tables[0])
    assert [[*row[:2], row[2].text, row[3].text] for row in table.rows] == [
        ["ash", "elm", "2", "0.400"],
        ["fig <b>", "ash", "1", "0.00033"],
    ]
    assert '<th scope="row">fig &lt;b&gt;</th><th scope="row">ash</th>' in report.to_html()
    right = evaluate({"tree": ["ash", "elm"], "guess": ["ash", "elm"]}, label="tree", predicted="guess").to_html()
    assert "No case was mistaken for another class." in right
    assert len(panel_of(many_classes(30)).tables[0].rows) == 5


def many_classes(count):
    """Return the report on `count` classes, of which class c has count - c + 1 cases, the last one wrong."""
    codes = np.repeat(np.arange(count), np.arange(count, 0, -1) + 1)
    last = np.append(np.diff(codes) > 0, True)
    columns = {"tree": codes, "guess": np.where(last, (codes + 1) % count, codes)}
    return evaluate(columns, label="tree", predicted="guess")


def test_of_many_classes_the_most_frequent_and_the_worst_are_listed_that_occur(trees):
    report = many_classes(60)
    _, table = panel_of(report).tables
    assert table.title == "The 20 classes of 60 with the lowest F1, and the 20 most frequent ones"
    scores = {str(code): report["classes", code]["f1"] for code in range(60)}
    worst = sorted(scores, key=scores.get)[:20]
    assert [row[0] for row in table.rows] == list(dict.fromkeys([*worst, *map(str, range(20))]))
    said = "No chart of the confusion matrix: there are 101 classes, and at most 100 are drawn."
    assert [panel_of(each).before for each in (report, many_classes(101))] == [[], [said]]
    assert len(panel_of(report, full=True).tables[1].rows) == 60
    report = evaluate({"tree": ["ash", "elm"], "guess": ["ash", "fig"]}, label="tree", predicted="guess")
    assert listed_classes(class_sections(report.sections).classes, 2)[1] == ["elm", "ash"]
    assert panel_of(scored(trees | {"site": np.arange(900) % 2}, by="site")) is None


def test_plots_of_classes_draw_the_numbers_of_the_report(trees):
    report = scored(trees, ci=0.95)
    areas = [report["classes", name]["roc_auc"] for name in NAMES]
    axes = [Figure().add_subplot() for _ in range(3)]
    for plot, ax in zip(plots_of(report.answer, report.question), axes, strict=True):
        plot.draw(ax=ax)
    matrix, f1, curves = axes
    mistakes, right = (image.get_array() for image in matrix.images)
    assert (mistakes.mask == np.eye(3, dtype=bool)).all()
    assert (right.mask != mistakes.mask).all()
    (smallest, worst), *others = sorted(zip(areas, NAMES, strict=True))
    coloured = [line.get_label() for line in curves.get_lines() if line.get_color() == COLOURS[1]]
    assert coloured == [f"{worst}, AUC = {smallest:.3f}"]
    greys = [line.get_label().lstrip("_") for line in curves.get_lines()[: len(others)]]
    assert greys == [f"{name} {area:.3f}" for area, name in others]
    assert any(worst in name for name in names_of(curves))
    assert [text.get_text() for text in f1.get_yticklabels()] == ["ash", "elm", "fig <b>"]


pytestmark = pytest.mark.filterwarnings("ignore::evalcore.errors.UndefinedMetricWarning")


def columns(groups, cases=40, seed=1):
    """Make cases of two models in so many groups; the last group has one positive."""
    rng = np.random.default_rng(seed)
    late = rng.random(groups * cases) < 0.4
    group = np.arange(late.size) % groups
    late[group == groups - 1] = np.arange(cases) == 0
    scores = {"old": rng.random(late.size) + late / 3, "<new>": rng.random(late.size) + late / 2}
    return {"late": late, "group": group, **scores}


def report_of(given, score=("old", "<new>"), ci=0.9, **asked):
    return evalcore.evaluate(given, label="late", score=list(score), by="group", ci=ci, **asked)


def groups_of(report, full=False):
    return groups_panel(report.answer, report.question, full)


def table_of(panel):
    return drawn(panel.tables[0])


def plot_of(report):
    (plot,) = plots_of_groups(report.answer, report.question)
    return plot


WORST = "Groups are sorted by ROC AUC of model, the lowest first."


@every(
    ("given", "names", "rule"),
    (["10", "9", "9", "-1"], ["-1", "9", "10"], "Groups are in the order of their numbers."),
    (["2013-10", "2013-09", "2013-09", "2014-01"], ["2013-09", "2013-10", "2014-01"],
     "in the order of time."),
    (np.array(["2013-10-01", "2013-09-02", "2013-09-02", "2014-01-03"], "M8[D]"), ["2013-09-02", "2013-10-01",
             "2014-01-03"], "Groups are in the order of time."),
    (["UA, 2", "UA, 10", "UA, 10", "AA, 3"], ["AA, 3", "UA, 2", "UA, 10"],
     "Groups are in the order of their names, numbers and dates."),
    (["UA, 2", "UA", "UA", "AA, 3"], ["UA", "AA, 3", "UA, 2"], WORST),
    (["b", "c", "c", "a"], ["c", "a", "b"], WORST),
    (["10", "9", "9", "x"], ["9", "10", "x"], WORST),
)  # fmt: skip
def test_numbers_and_dates_are_in_their_order_and_names_by_their_value(given, names, rule):
    report = evalcore.evaluate({"late": [1, 0, 1, 0], "model": [1, 2, 3, 4], "group": given}, label="late",
                               score="model", by="group")  # fmt: skip
    found = shown_groups(report.sections)
    assert found.names == names
    assert found.rule.endswith(rule)
    assert [row[0] for row in table_of(groups_of(report)).rows] == [*names, "total"]


def test_the_table_has_the_numbers_of_each_group_alone():
    given = columns(4)
    report = report_of(given)
    panel = groups_of(report)
    table = table_of(panel)
    assert panel.heading == "By group"
    pair = "difference old - <new>"
    assert table.head == ["group", "ROC AUC of old", "ROC AUC of <new>", pair, "p, Holm", "cases", "positives"]
    late, scores = given["late"], [given["old"], given["<new>"]]
    rows = {row[0]: row[1:] for row in table.rows}
    alone = {str(name): given["group"] == name for name in range(4)}
    compared = {name: inference.compare_roc_auc(late[mask], scores[1][mask], scores[0][mask], level=0.9)
                for name, mask in alone.items()}  # fmt: skip
    tested = [name for name in alone if not math.isnan(compared[name].p_value)]
    holm = dict(zip(tested, inference.holm([compared[name].p_value for name in tested]), strict=True))
    assert tested == ["0", "1", "2"]
    for name in tested:
        mask = alone[name]
        *areas, difference, adjusted, cases, positives = rows[name]
        assert (cases.text, positives.text) == ("40", str(late[mask].sum()))
        for cell, column in zip(areas, scores, strict=True):
            expected = inference.roc_auc_interval(late[mask], column[mask], level=0.9)
            assert cell.text == number(expected.estimate)
            assert cell.below == f"[{number(expected.low)}, {number(expected.high)}]"
        assert difference.text == number(compared[name].difference)
        assert difference.below == f"[{number(compared[name].low)}, {number(compared[name].high)}]"
        assert adjusted.text == p_value(holm[name]).removeprefix("p ").removeprefix("= ")
    whole = inference.compare_roc_auc(late, *scores[::-1], level=0.9)
    assert rows["total"][2].text == number(whole.difference)
    assert table.marked == 4
    note = "P-values of groups are adjusted by Holm's method for 3 comparisons, one for each group; intervals are \
for each group alone"
    assert panel.after[0] == f"{note}."
    assert note in report.notes
    assert report.to_html().count(note.partition("method ")[2]) == 1  # beside the groups alone


def test_a_group_without_an_interval_says_so_and_is_hollow():
    report = report_of(columns(3))
    panel = groups_of(report)
    *_, tiny, total = table_of(panel).rows
    assert (tiny[0], total[0]) == ("2", "total")
    assert [cell.below for cell in tiny[1:3]] == ["no interval", "no interval"]
    assert (tiny[3].below, tiny[4].text) == ("", "NaN")
    assert panel.after[-1].startswith("A group without an interval has a hollow dot in the chart: ")
    plain = groups_of(report_of(columns(3), ci=None))
    assert not plain.after
    assert not any(cell.below for row in table_of(plain).rows for cell in row[1:])
    assert table_of(plain).head[1:3] == ["ROC AUC of old", "ROC AUC of <new>"]


def test_of_many_groups_the_worst_and_the_best_with_an_interval_are_shown():
    given = columns(60, 30)
    given["group"] = np.char.add("g", given["group"].astype(str)).astype(object)
    report = report_of(given)
    found = shown_groups(report.sections)
    names = [name for name in report.sections[0].records if name not in ("total", "g59")]
    areas = {name: report["old", name, "roc_auc"] for name in names}
    ranked = sorted(areas, key=areas.get)
    assert found.names == [*ranked[:20], *ranked[-20:]]
    assert found.rule == (
        "Groups are sorted by ROC AUC of old, the lowest first. There are 60 groups; the first 20 and the last 20 are "
        "shown of those with an interval. to_markdown(full=True) shows all in the table."
    )
    with spelled_for_a_shell():
        assert shown_groups(report.sections).rule.endswith(" --full shows all in the table.")
    full = groups_of(report, full=True)
    assert len(table_of(full).rows) == 61
    assert full.before[0] == "Groups are sorted by ROC AUC of old, the lowest first."
    forty = shown_groups(report_of(columns(40)).sections)
    assert forty.names == [str(group) for group in range(40)]


@pytest.mark.usefixtures("undrawn")
def test_a_page_shows_the_panel_and_sorts_by_a_script_if_it_may():
    report = report_of(columns(3))
    page, without = report.to_html(), report.to_html(script=False)
    for text in (page, without):
        assert '<a href="#groups">By group</a>' in text
        panel = text[text.index('<section id="groups">') :]
        panel = panel[: panel.index("</section>")]
        assert re.findall('<tr id="group-.*<th scope="row">([^<]*)<', panel) == ["0", "1", "2", "total"]
        assert "ROC AUC of &lt;new&gt;" in panel
        assert panel.count('role="img"') == 1
    assert '".sortable thead th"' in page
    assert '".sortable thead th"' not in without


def test_groups_of_predicted_classes_have_their_accuracy_and_short_heads():
    given = {"label": list("abab"), "guess": list("aabb"), "group": ["x", "x", "x", "y"]}
    report = evalcore.evaluate(given, label="label", predicted="guess", by="group")
    panel = groups_of(report)
    assert table_of(panel).head == ["group", "accuracy of guess", "cases"]
    rows = [[row[0], row[2].text, row[1].text] for row in table_of(panel).rows]
    assert rows == [["x", "3", "0.333"], ["y", "1", "1.000"], ["total", "4", "0.500"]]
    long = {f"{name}_{'x' * 60}_{name}": np.arange(6.0) for name in "ab"}
    columns_of = {"late": [0, 1] * 3, "group": [0] * 6, **long}
    report = evalcore.evaluate(columns_of, label="late", score=list(long), by="group")
    assert table_of(groups_of(report)).head[1] == f"ROC AUC of a_{'x' * 16}...{'x' * 16}_a"
    report = evalcore.evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model")
    assert groups_of(report) is None
    assert list(plots_of_groups(report.answer, report.question)) == []
    report = report_of(columns(3), sort="worst", threshold=[0.5, 0.75])
    areas = {name: report["old", name, "roc_auc"] for name in "012"}
    rows = re.findall(r"\n\| (\d) +\|", report.to_markdown())
    assert rows == [*map(str, sorted(areas, key=areas.get))] * (len(rows) // 3)


@pytest.mark.usefixtures("undrawn")
def test_groups_that_differ_after_adjustment_for_all_groups_stand_out():
    given = columns(60, 100)
    late, rng = given["late"], np.random.default_rng(2)
    given["old"] = np.where(given["group"] < 2, rng.random(late.size) - late / 2, given["old"])
    given["group"] = np.char.add("g", given["group"].astype(str)).astype(object)
    report = report_of(given, score=["old"])
    found = shown_groups(report.sections)
    assert groups_apart(found, report.question) == {"g0", "g1"}
    apart = re.findall('class="apart"><th scope="row">([^<]*)<', report.to_html())
    assert sorted(apart) == ["g0", "g1"]
    weak = next(name for name in found.names if name not in ("g0", "g1"))
    interval = next(item for item in report.sections[0].records[weak] if item.name == "roc_auc").interval
    assert interval.high < report["old", "total", "roc_auc"]  # before adjustment
    assert groups_apart(found, report.question._replace(level=None)) == set()
    compared = report_of(given, score=["old"], compare_groups=True)
    p = {name: compared["differences_to_rest", "old", name, "p_value_holm"] for name in found.names}
    assert groups_apart(found, report.question) <= groups_apart(shown_groups(compared.sections), compared.question)
    assert groups_apart(shown_groups(compared.sections), compared.question) == {n for n in p if p[n] < 0.1}
