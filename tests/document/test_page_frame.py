"""The frame of a page: its title, policy, tiles, numbers and drawings, whatever the report."""

import base64
import hashlib
import html
import re
from dataclasses import replace as replaced

import numpy as np
import pytest
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Patch
from matplotlib.textpath import TextPath

import evalcore
from evalcore.document.charts.images import EMBEDDED, Plot, as_element
from evalcore.document.charts.plots import plots_of
from evalcore.document.page.cells import cell_of, line_of, rows_of
from evalcore.document.page.report import as_html, numbers_panels
from evalcore.document.shown import leading_models
from evalcore.document.tables import Cell, Table, amount_cell
from evalcore.errors import EvaluationError
from evalcore.evaluation.differences import MeasureDifference
from evalcore.evaluation.model import Statistic
from evalcore.evaluation.options import spelled_for_a_shell
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import number, percent
from evalcore.gate.baseline import change_sections
from evalcore.gate.checks import check_conditions
from evalcore.gate.numbers import GatedNumber
from evalcore.inference import decision_curve
from evalcore.inference.intervals import Comparison
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
        monkeypatch.setattr(Plot, "image", lambda self, kind: b"<svg></svg>")


def report_of(**asked):
    return evalcore.evaluate(COLUMNS, label="late", **asked)


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


def panels_of(report):
    """Return the main numbers of a page, and all."""
    return numbers_panels(report.answer.whole, report.question)


def numbers_of(report):
    """Return the main numbers of a page: cells by statistic, of the models in their order."""
    (table, *_) = panels_of(report)[0].tables
    return table.head[1:], {name: [*map(cell_of, cells)] for name, *cells in table.rows}


def test_the_main_numbers_of_models_stand_side_by_side_without_what_has_no_value():
    report = report_of(score=["m13", "odds"], ci=0.9)
    models, rows = numbers_of(report)
    assert models == ["m13", "odds"]
    items = {item.name: item for item in report.answer.sections[0].records["m13"]}
    interval = items["roc_auc"].interval
    assert rows["ROC AUC"][0].text == number(items["roc_auc"].value)
    assert rows["ROC AUC"][0].below == f"[{number(interval.low)}, {number(interval.high)}]"
    error = items["calibration_error"].value
    assert error == pytest.approx(expected_calibration_error(LATE, MODELS["m13"]), rel=1e-12)
    assert rows["calibration error"] == [Cell(number(error), repr(error)), Cell("NaN")]
    assert "true positives" not in numbers_of(report_of(score="m1", threshold=0.5))[1]
    report = evalcore.evaluate({"late": [0, 0, 0], "m": [0.25, 0.5, 0.75]}, label="late", score="m")
    assert "ROC AUC" not in numbers_of(report)[1]
    assert "The ROC AUC is undefined" in report.to_html()


def test_too_few_cases_are_the_first_thing_said_and_have_no_charts():
    few, enough = ({"late": [0, 1] * half, "m": np.arange(2.0 * half)} for half in (14, 15))
    page = evalcore.evaluate(few, label="late", score="m").to_html()
    begin = page[page.index("<main>") :]
    said = "<strong>Only 14 positive cases and 14 negative cases: too few to rely on these numbers.</strong>"
    assert begin.index(said) < begin.index('class="answer"')
    assert "too few" not in begin.replace(said, "")
    assert 'role="img"' not in page
    assert 'role="img"' in evalcore.evaluate(enough, label="late", score="m").to_html()
    classes = evalcore.evaluate({"tree": list("ab"), "m": list("aa")}, label="tree", predicted="m").to_html()
    assert "Only 2 cases: too few to rely on these numbers." in classes


def test_a_build_that_is_repeated_has_its_date(monkeypatch):
    report = evalcore.evaluate(COLUMNS, label="late", score="m1")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert "<dt>Date</dt><dd>1970-01-02</dd>" in report.to_html()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "today")
    with pytest.raises(EvaluationError) as caught:
        report.to_html()
    assert str(caught.value) == "SOURCE_DATE_EPOCH must be a number of seconds since 1970, got today"


def test_a_page_begins_with_its_facts_and_where_the_model_fails():
    report = report_of(score="m13", by="tree")
    page = as_html(report.answer, report.question, described={"File": "<late>.csv"})
    facts = dict(re.findall("<dt>([^<]*)</dt><dd>([^<]*)</dd>", page[: page.index("<nav")]))
    assert facts["File"] == "&lt;late&gt;.csv"
    assert (facts["Cases"], facts["Positive"]) == ("300", f"{LATE.sum()} ({percent(LATE.mean())})")
    assert facts["Version"].startswith("evalcore ")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", facts["Date"])
    areas = {name: evalcore.evaluate(COLUMNS, label="late", score="m13", by="tree")[name]["roc_auc"] for name in "ab"}
    (worst, *better) = sorted(areas, key=areas.get)
    verdict = page[page.index('id="verdict"') : page.index('id="models"')]
    ((anchor, name),) = re.findall('<a href="#([^"]*)">([^<]*)</a>', verdict)
    assert name == worst
    assert re.search(f'<tr id="{anchor}"><th scope="row">{worst}</th>', page)
    assert better


@every("outcome", ["PASS", "FAIL", "INCONCLUSIVE"])
def test_an_outcome_is_told_by_word_icon_and_colour(outcome):
    report, condition = (
        report_of(score="m13", ci=0.9),
        {"PASS": "< 0.1", "FAIL": "< 0.99", "INCONCLUSIVE": "< 0.7"}[outcome],
    )
    area = report.answer.sections[0].records["m13"][3]
    numbers = [GatedNumber("m13", "roc_auc", 0.69 if outcome == "INCONCLUSIVE" else area.value, 0.6, 0.8)]
    gate = check_conditions(f"roc_auc {condition}", numbers, confident=outcome == "INCONCLUSIVE")
    page = as_html(report.answer, report.question, gate=gate)
    verdict = page[page.index("<main>") : page.index('id="models"')]
    assert f'class="{outcome.lower()}"' in verdict
    assert f"</svg> <strong>{outcome}</strong>" in verdict
    assert f"<title>{outcome}: late: m13</title>" in page
    assert f"roc_auc {condition}".replace("<", "&lt;") in verdict


@every(
    ("bounds", "margin", "lower", "said", "places"),
    ((0.5, 0.25, 0.75), 0.25, False, "+0.5000, interval +0.2500 to +0.7500, margin 0.25", (32.0, 68.0)),
    ((-0.5, np.nan, np.nan), np.nan, True, "-0.5000", (86.0, 14.0)),
    ((0.0, 0.0, 0.0), np.nan, False, "+0.0000, interval +0.0000 to +0.0000", (14.0, 14.0)),
)
def test_a_change_is_one_line_with_its_interval_and_its_margin(bounds, margin, lower, said, places):
    found = Comparison((bounds[0], 0.0), *bounds, 0.95, np.nan, np.nan, "delta")
    change = MeasureDifference("f1", "F1", found, lower_is_better=lower, margin=margin)
    line = line_of(change)
    better = "lower" if change.lower_is_better else "higher"
    told = f"Difference in F1, new minus old: {said} ({better} is better)."
    assert re.findall(r"<title[^>]*>([^<]*)<|<figcaption[^>]*>([^<]*)<", line) == [(told, ""), ("", told)]
    assert tuple(map(float, re.findall(r'class="(?:zero|dot)" c?x1?="([\d.]+)%"', line))) == places
    assert line.count('class="whisker"') == 3 * ("interval" in said)
    assert ('class="band"' in line) == ("margin" in said)
    assert line_of(change._replace(found=replaced(found, difference=np.nan))) is None


def test_of_many_models_the_leading_ones_have_curves_in_their_own_colours():
    report = report_of(score=list(MODELS))
    areas = {name: items[3].value for name, items in report.answer.sections[0].records.items()}
    best = sorted(MODELS, key=lambda name: -areas[name])
    assert numbers_of(report)[0] == list(MODELS)
    leading = leading_models(report.answer.sections, list(MODELS))
    assert set(leading.values()) == {*best[:8]}
    assert all(list(MODELS)[index] == name for index, name in leading.items())
    plots = plots_of(report.answer, report.question)
    assert len(plots) == 7
    assert "ROC curves of the 8 models with the largest ROC AUCs. Dots mark" in plots[0].text
    assert all(f"{name} {number(areas[name])}" in plots[0].alt for name in leading.values())


@every(
    ("columns", "asked", "said"),
    ({"late": [0, 1, 0], "m": [0.1, 0.2, 0.3]}, {"label": "late", "score": "m"}, "<p>No charts are drawn of so few"),
    ({"late": [0, 1] * 15, "m": [0.1, np.inf] * 15}, {"label": "late", "score": "m"}, "<p>No curves"),
    ({"tree": range(101), "m": range(101)}, {"label": "tree", "predicted": "m"}, "<p>No chart of the confusion matrix"),
)
def test_a_page_says_what_it_leaves_out(columns, asked, said):
    assert said in evalcore.evaluate(columns, **asked).to_html()


def test_gains_and_calibration_say_their_numbers():
    report = report_of(score="m1")
    alts = {plot.name: plot.alt for plot in plots_of(report.answer, report.question)}
    first = np.argsort(-MODELS["m1"])[:30]
    assert alts["gains"].endswith(f" m1 finds {percent(LATE[first].sum() / LATE.sum())} among the first 10.0%.")
    means = f"Mean probability: m1 {number(MODELS['m1'].mean())}. Fraction of positives: m1 {number(LATE.mean())}."
    assert alts["calibration"].endswith(means)
    assert alts["decision_curve"].endswith("compared with predicting all cases positive, or none.")
    decided = report_of(score="m1", threshold=0.5)
    alts = {plot.name: plot.alt for plot in plots_of(decided.answer, decided.question)}
    benefit = decision_curve(LATE, MODELS["m1"], [0.5]).net_benefit[0]
    assert alts["decision_curve"].endswith(f" At threshold 0.5: m1 {number(benefit)}.")
    tied = evalcore.evaluate({"late": [1, 0, 0, 1] * 8, "m": [0.5, 0.5, 0.5, 0.0] * 8}, label="late", score="m")
    gains = next(plot for plot in plots_of(tied.answer, tied.question) if plot.name == "gains")
    assert gains.alt.endswith(" m finds 50.0% among the first 75.0%.")


def test_rows_that_few_need_are_folded_with_all_numbers():
    report = evalcore.evaluate(COLUMNS, label="late", score=["m1", "m2"], threshold=0.3)
    _, main = numbers_of(report)
    panel = panels_of(report)[1]
    every = [row[0].strip() for row in panel.tables[0].rows]
    assert panel.folded
    assert {"cases", "precision at 5", "true positives", "Yule's Q"}.isdisjoint(main)
    assert {"accuracy", "recall"} <= {*main}
    titles = [item.title.strip() for item in report.sections[0].records["m1"]]
    assert every == titles
    assert {*main} < {*every}
    assert panel.after == ["to_csv() writes all numbers with all digits."]
    with spelled_for_a_shell():
        assert panels_of(report)[1].after == ["--format csv writes all numbers with all digits."]
    groups = panels_of(report_of(score="m1", by="tree"))[1].tables
    assert [(table.folded, table.title) for table in groups] == [(True, "m1: all groups")]
    report = evalcore.evaluate({"late": ["a", "b"], "guess": ["a", "a"]}, label="late", predicted="guess")
    classes = numbers_panels(report.answer, report.question)[1].tables
    assert [(table.folded, table.title) for table in classes[:2]] == [(False, "All cases"), (True, "By class")]


def test_named_measures_are_all_shown_at_once():
    report = report_of(score="m1", measures=["precision_at_10", "yules_q"], threshold=0.3)
    _, main = numbers_of(report)
    assert [*main][:1] == ["precision at 10"]
    assert "Yule's Q" in main


def test_rows_have_short_cells_escaped_names_and_long_texts_folded():
    few, many = "a" * 160, "<" * 161
    table = Table(
        "one", ["name", "a", "b", "c"], [["x&", amount_cell(1.23456), "<", few], ["y", "", "", many]], shown=1
    )
    table = table._replace(anchor="row", marked=1, apart=frozenset(["x&"]), links={"x&": "to"})
    assert rows_of(table).splitlines()[1:] == [
        '<tr id="row-0" class="apart"><th scope="row"><a href="#to">x&amp;</a></th><td title="1.23456">1.235</td>'
        f'<td>&lt;</td><td class="text prose">{few}</td></tr>',
        '<tr id="row-1" class="marked"><th scope="row">y</th><td></td><td></td><td class="text prose">'
        f"<details><summary>{'&lt;' * 160}</summary>&lt;</details></td></tr>",
    ]
    assert rows_of(table._replace(rows=[["x", Cell("1", below="[0, 2]")]], apart=frozenset())).endswith(
        '<th scope="row">x</th><td>1 <small>[0, 2]</small></td></tr>'
    )


@every(
    ("item", "cell"),
    (Statistic("recall", "", 0.25), Cell("0.250", "0.25")),
    (Statistic("recall", "", float("nan")), Cell("NaN")),
    (Statistic("p_value", "", 0.03214), Cell("0.0321", "0.03214")),
    (Statistic("p_value", "", 7), Cell("7")),  # a class may have this name
)
def test_cells_are_short_and_hold_the_full_value(item, cell):
    assert cell_of(item) == cell


LIKE_TAGS = 'of #010101 d="1.23456" xmlns="x" style="fill: red"'


@pytest.mark.usefixtures("with_drawings")
def test_embedded_drawings_have_the_colours_of_the_page_and_no_surplus():
    def draw(ax):
        ax.plot([0, 1 / 3], [0, 1 / 7], color="#010203")
        ax.set_xlabel("<b> 100% & 'more' #1")
        ax.text(0, 0, "white", color="white")
        ax.text(0, 0, LIKE_TAGS)

    image = Plot("line", "A line.", draw).image(EMBEDDED).decode()
    assert image.startswith("<svg")
    assert 'fill="var(--ink)"' in image
    assert 'stroke="#010203"' in image
    assert 'fill="#ffffff"' in image
    assert image.count("style=") == 1
    assert image.count("xmlns") == 1
    assert LIKE_TAGS in image  # a text holds what is changed in tags
    assert "&lt;b&gt; 100% &amp; 'more' #1" in image
    assert "metadata" not in image
    assert all(
        len(part) <= 2 for path in re.findall(r'<path[^>]* d="([^"]*)"', image) for part in re.findall(r"\.(\d+)", path)
    )
    element = as_element(Plot("line", "A <line>.  More.", draw, alt='from 0 to "1"'))
    assert 'role="img"><title>A &lt;line&gt;</title><desc>from 0 to &quot;1&quot;</desc>' in element
    assert len(element) - len(image) == len(' role="img"') + element.index("</desc>") + 7 - element.index("<title>")


@pytest.mark.usefixtures("with_drawings")
def test_an_embedded_drawing_shows_what_lies_outside_its_figure_and_images_at_their_resolution():
    def draw(*, ax):
        ax.imshow(np.eye(2))
        ax.plot([0, 1], label="line")
        ax.legend(loc="upper left", bbox_to_anchor=(0, -0.5), handles=[*ax.lines, Patch(fill=False, label="outline")])

    image = Plot("legend", "A legend.", draw).image(EMBEDDED).decode()
    assert image.count(">line<") == image.count(">outline<") == 1
    assert all(' d="M' in tag for tag in re.findall(r"<path[^>]*", image))  # paths that are cut away have none
    pixels = base64.b64decode(re.findall(r'base64, ?([^"]*)"', image)[0])
    assert int.from_bytes(pixels[16:20]) in (300, 301)  # 100 for each inch, as the width of a PNG, rounded


@pytest.mark.usefixtures("with_drawings")
@every("letter", ["x", "m", "W"])
def test_long_names_have_their_width_in_an_embedded_drawing(letter):
    def draw(*, ax):
        ax.set_yticks([0], [letter * 40])
        ax.set_gid("axes-names")

    image = Plot("names", "Names.", draw).image(EMBEDDED).decode()
    [end] = re.findall(rf'<text [^>]*\bx="([\d.]+)"[^>]*>{letter}{{40}}', image)
    width = TextPath((0, 0), letter * 40, 10, prop=FontProperties("DejaVu Sans")).get_extents().width
    assert 0 < float(end) - width < 6
    [of_axes] = re.findall(r'data-frame="[\d.]+ [\d.]+ ([\d.]+) ', image)
    assert float(of_axes) > 60


@pytest.mark.usefixtures("with_drawings")
def test_letters_that_the_font_lacks_are_left_to_the_browser():
    image = Plot("names", "Names.", lambda ax: ax.set_yticks([0], ["東京"])).image(EMBEDDED).decode()
    assert ">東京<" in image


def test_changes_since_a_baseline_show_main_measures_and_fold_the_others():
    report = evalcore.evaluate(COLUMNS, label="late", score="m1", by="tree")
    numbers = [
        GatedNumber("m1", measure, 0.5, old=0.25, change=0.25, grouping=grouping, group=group, cases=100)
        for grouping, group in ((None, None), ("tree", "a"), ("tree", "b"))
        for measure in ("roc_auc", "r_precision")
    ]
    answer = report.answer._replace(changes=change_sections(numbers, None, certified=False))
    main, rest = numbers_panels(answer, report.question)
    assert [row[0] for row in main.tables[1].rows] == ["roc_auc"]
    assert main.tables[2].head == ["group", "ROC AUC baseline", "ROC AUC now", "ROC AUC change"]
    whole = [table for table in rest.tables if table.title.lower().startswith("changes")]
    assert [table.folded for table in whole] == [True, True]
    assert [len(table.rows) for table in whole] == [2, 2]
    assert len(whole[1].head) == 7
