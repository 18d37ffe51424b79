"""The frame of a page: its title, policy, tiles, numbers and drawings, whatever the report."""

import base64
import hashlib
import html
import re
from urllib.parse import unquote

import numpy as np
import pytest

import evalcore
from evalcore.document.charts.images import EMBEDDED, Plot, as_address
from evalcore.document.charts.plots import plots_of
from evalcore.document.page.panels import View, amount_cell, cell_of, drawn
from evalcore.document.page.report import models_panel, numbers_panel
from evalcore.document.rendering import as_csv
from evalcore.document.shown import leading_models
from evalcore.document.tables import Cell, Table
from evalcore.evaluation.model import Statistic
from evalcore.evaluation.options import spelled_for_a_shell
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import number, percent
from evalcore.inference import decision_curve
from evalcore.metrics import expected_calibration_error
from tests.differences import every

RNG = np.random.default_rng(3)
LATE = RNG.random(300) < 0.4
MODELS = {f"m{index}": LATE * 0.02 * index + RNG.random(300) / 2 for index in range(14)}
COLUMNS = {"late": LATE.astype(int), "odds": 10 * RNG.random(300), "tree": RNG.choice(list("ab"), 300), **MODELS}


@pytest.fixture
def with_drawings():
    """Ask for drawings."""


@pytest.fixture(autouse=True)
def undrawn(request, monkeypatch):
    """Draw nothing but what a test asks for."""
    if "with_drawings" not in request.fixturenames:
        monkeypatch.setattr(Plot, "image", lambda self, kind: f"<{kind}/>".encode())


def view_of(**asked):
    report = evalcore.evaluate(COLUMNS, label="late", **asked)
    return View(report.answer, report.question, {})


def hash_of(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@every("script", [True, False])
def test_a_policy_allows_the_style_and_the_script_of_the_page_alone(script):
    page = evalcore.evaluate(COLUMNS, label="late", score=["m1", "m2"]).to_html(script=script)
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1])
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert rules["default-src"] == "'none'"
    assert rules["style-src"] == hash_of(style)
    assert rules["script-src"] == (hash_of(scripts[0]) if script else "'none'")
    assert len(scripts) == script
    assert not re.search(r"<[^>]* (style|on[a-z]+)=", page)


@every(
    ("question", "title"),
    (Question("late", ("a",)), "late: a"),
    (Question("late", ("a", "b"), by=("tree", "month")), "late: a and b, by tree and month"),
    (Question("late", tuple("abcdef")), "late: a, b, c, d and 2 more"),
    (Question("tree", predicted=("guess",)), "tree: guess"),
    (Question("tree", classes={"ash": "a", "elm": "b"}), "tree: scores of classes"),
)
def test_a_title_names_the_label_and_the_models(question, title):
    from evalcore.document.page.report import _title

    assert _title(question) == title


def test_tiles_hold_the_main_numbers_and_say_why_others_are_not_defined():
    view = view_of(score=["m13", "odds"], ci=0.9)
    one, other = models_panel(view).content["tiles"]
    items = {item.name: item for item in view.answer.sections[0].records["m13"]}
    interval = items["roc_auc"].interval
    assert one.numbers["ROC AUC"].text == number(items["roc_auc"].value)
    assert one.numbers["ROC AUC"].below == f"{number(interval.low)} to {number(interval.high)}"
    error = expected_calibration_error(LATE, MODELS["m13"])
    assert one.numbers["calibration error"] == Cell(number(error), repr(error))
    assert list(other.numbers) == ["ROC AUC", "average precision"]
    assert models_panel(View(evalcore.evaluate(COLUMNS, label="tree", predicted="tree").answer, None, {})) is None
    report = evalcore.evaluate({"late": [0, 0, 0], "m": [0.25, 0.5, 0.75]}, label="late", score="m")
    (tile,) = models_panel(View(report.answer, report.question, {})).content["tiles"]
    assert tile.numbers["ROC AUC"] == Cell("", below="not defined, because all cases are of one class")
    assert tile.numbers["average precision"] == Cell("", below="not defined, because there are no positives")


def test_of_many_models_the_leading_ones_have_tiles_and_curves_in_their_own_colours():
    view = view_of(score=list(MODELS))
    areas = {name: items[3].value for name, items in view.answer.sections[0].records.items()}
    best = sorted(MODELS, key=lambda name: -areas[name])
    content = models_panel(view).content
    assert [tile.name for tile in content["tiles"]] == best[:12]
    assert all(list(MODELS)[tile.colour] == tile.name for tile in content["tiles"])
    assert content["left_out"][0].startswith("These are the 12 models with the largest ROC AUCs, the best first.")
    leading = leading_models(view.answer.sections, list(MODELS))
    assert set(leading.values()) == {*best[:8]}
    assert all(list(MODELS)[index] == name for index, name in leading.items())
    plots = plots_of(view.answer, view.question)
    assert len(plots) == 7
    assert "ROC curves of the 8 models with the largest ROC AUCs. Dots mark" in plots[0].text
    assert all(f"{name} {number(areas[name])}" in plots[0].alt for name in leading.values())


@every(
    ("columns", "asked", "said"),
    (COLUMNS, {"label": "late", "score": list(MODELS)}, "These are the 12 models with the largest ROC AUCs, the best"),
    ({"late": [0, 1, 0], "m": [0.1, 0.2, np.inf]}, {"label": "late", "score": "m"}, "<li>No curves"),
    ({"tree": range(101), "m": range(101)}, {"label": "tree", "predicted": "m"}, "<p>No chart of the confusion matrix"),
)
def test_a_page_says_what_it_leaves_out(columns, asked, said):
    assert said in evalcore.evaluate(columns, **asked).to_html()


def test_gains_and_calibration_say_their_numbers():
    view = view_of(score="m1")
    alts = {plot.name: plot.alt for plot in plots_of(view.answer, view.question)}
    first = np.argsort(-MODELS["m1"])[:30]
    assert alts["gains"].endswith(f" m1 finds {percent(LATE[first].sum() / LATE.sum())} among the first 10.0%.")
    means = f"Mean probability: m1 {number(MODELS['m1'].mean())}. Fraction of positives: m1 {number(LATE.mean())}."
    assert alts["calibration"].endswith(means)
    assert alts["decision_curve"].endswith("beside that of predicting all cases positive, or none.")
    decided = view_of(score="m1", threshold=0.5)
    alts = {plot.name: plot.alt for plot in plots_of(decided.answer, decided.question)}
    benefit = decision_curve(LATE, MODELS["m1"], [0.5]).net_benefit[0]
    assert alts["decision_curve"].endswith(f" At threshold 0.5: m1 {number(benefit)}.")
    tied = evalcore.evaluate({"late": [1, 0, 0, 1], "m": [0.5, 0.5, 0.5, 0.0]}, label="late", score="m")
    gains = next(plot for plot in plots_of(tied.answer, tied.question) if plot.name == "gains")
    assert gains.alt.endswith(" m finds 50.0% among the first 75.0%.")


def test_rows_that_few_need_stand_apart_and_all_numbers_are_a_file():
    report = evalcore.evaluate(COLUMNS, label="late", score=["m1", "m2"], threshold=0.3)
    content = numbers_panel(View(report.answer, report.question, {})).content
    (part,) = content["parts"]
    more = [row[0] for row in part.more.rows]
    averages = [f"{name}, {kind} average" for kind in ("macro", "weighted") for name in ("precision", "recall", "F1")]
    associations = ["phi squared", "chi squared", "Yule's Q"]
    assert more == ["cases", "positives", "prevalence", "precision at 5", *averages, *associations]
    assert not {*more} & {row[0] for row in part.table.rows}
    assert unquote(content["file"].partition(",")[2]) == report.to_csv()
    groups = numbers_panel(view_of(score="m1", by="tree")).content["parts"]
    assert [(part.collapsed, part.title) for part in groups] == [(True, "m1: all numbers of 2 groups and the total")]
    report = evalcore.evaluate({"late": ["a", "b"], "guess": ["a", "a"]}, label="late", predicted="guess")
    classes = numbers_panel(View(report.answer, report.question, {})).content["parts"]
    assert [(part.collapsed, part.title) for part in classes[:2]] == [(False, ""), (True, "By class")]


def test_a_page_holds_no_file_of_many_numbers_and_cuts_wide_tables(monkeypatch):
    monkeypatch.setattr("evalcore.document.page.report._MOST_IN_A_FILE", 10)
    view = view_of(score="m1")
    content = numbers_panel(view).content
    numbers = len(as_csv(view.answer.sections).splitlines()) - 1
    assert "file" not in content
    assert content["instead"] == f"to_csv() writes all {numbers} numbers with all digits, as CSV."
    with spelled_for_a_shell():
        assert numbers_panel(view).content["instead"].startswith("--format csv writes all ")
    rows = [[f"row {row}", *map(amount_cell, range(16))] for row in range(2)]
    table = Table("wide", ["name", *map(str, range(16))], rows)
    whole, *blocks = drawn(table)
    assert whole == table
    assert [len(block.head) for block in blocks] == [7, 7, 5]
    assert [name for block in blocks for name in block.head[1:]] == table.head[1:]
    assert all(block.rows[1][0] == "row 1" for block in blocks)
    assert len(drawn(table._replace(rows=rows * 600))) == 1  # nobody prints so many
    assert [len(block.head) for block in drawn(table.columns(range(9)))] == [9, 5, 5]
    narrow = Table("narrow", ["name", "a", "b"], [["x", amount_cell(1), "text"]])
    assert drawn(narrow) == [narrow._replace(rows=[["x", amount_cell(1), Cell("text")]])]


@every(
    ("item", "cell"),
    (Statistic("recall", "", 0.25), Cell("0.250", "0.25")),
    (Statistic("recall", "", float("nan")), Cell("NaN")),
    (Statistic("p_value", "", 0.03214), Cell("0.032", "0.03214")),
    (Statistic("p_value", "", 7), Cell("7")),  # a class may have this name
)
def test_cells_are_short_and_hold_the_full_value(item, cell):
    assert cell_of(item) == cell


@pytest.mark.usefixtures("with_drawings")
def test_embedded_drawings_have_the_colours_of_the_page_and_no_surplus():
    def draw(ax):
        ax.plot([0, 1 / 3], [0, 1 / 7], color="#010203")
        ax.set_xlabel("<b> 100% & 'more' #1")
        ax.text(0, 0, "white", color="white")

    image = Plot("line", "A line.", draw).image(EMBEDDED).decode()
    assert image.startswith("<svg")
    assert "prefers-color-scheme:dark" in image
    assert "fill: var(--ink)" in image
    assert "stroke: #010203" in image
    assert "fill: #ffffff" in image
    assert "&lt;b&gt; 100% &amp; 'more' #1" in image
    assert "metadata" not in image
    assert all(len(part) <= 2 for path in re.findall(r' d="([^"]*)"', image) for part in re.findall(r"\.(\d+)", path))
    address = as_address(image.encode())
    assert unquote(address).partition(",")[2] == image
    assert not {*'"<>#&'} & {*address.partition(",")[2]}


@pytest.mark.usefixtures("with_drawings")
def test_axes_keep_their_size_whatever_legends_do():
    def draw(ax):
        ax.figure.set_figheight(2 * ax.figure.get_figheight())
        figures.append(ax)

    figures = []
    Plot("line", "A line.", draw, inches=(4.0, 3.0)).image(EMBEDDED)
    (ax,) = figures
    assert ax.get_position().height * ax.figure.get_figheight() == pytest.approx(0.77 * 3.0)
