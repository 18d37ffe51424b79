"""The page of a report holds all that it shows, says what it shows to everybody, and runs nothing that names hold."""

import re
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure
from matplotlib.text import Text

import evalcore
from evalcore.cli import main
from evalcore.document.charts.images import EMBEDDED
from evalcore.document.charts.plots import Plot, plots_of
from evalcore.document.shown import meanings, without_repeats
from evalcore.kernels.sorting import order
from evalcore.plots import plot_roc
from tests.differences import every
from tests.plots.drawing import names_of

WICKED = "<script>alert('x')</script>\"& $lo$ $\\frac{$"
TREES = ["ash", "elm", WICKED, r"2$ $\frac{$", "_hidden"]
EMPTY = {"meta", "img", "br", "hr", "link", "input"}


class Page(HTMLParser):
    """Elements of a page, and whether each that opens also closes."""

    def __init__(self, text):
        super().__init__()
        self.elements, self._open, self.texts = [], [], []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in EMPTY:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def all(self, *tags):
        return [attributes for tag, attributes in self.elements if tag in tags]


def cases(names=("model", "other")):
    rng = np.random.default_rng(2)
    label = rng.random(200) < 0.4
    columns = {name: rng.random(200) / 2 + label / 2 * rng.random(200) for name in names}
    return {"late": label.astype(int), "tree": rng.choice(TREES, 200), **columns}


REPORTS = [
    {"label": "late", "score": ["model", WICKED], "threshold": 0.5, "ci": 0.95},
    {"label": "late", "score": "model", "by": "tree", "ci": 0.9},
    {"label": "tree", "predicted": "tree"},
    {"label": "tree", "score": dict.fromkeys(TREES, "model") | {"elm": WICKED}},
]
CURVES = ["roc", "precision_recall", "gains", "calibration", "decision_curve"]


def report_of(**asked):
    return evalcore.evaluate(cases(("model", WICKED)), **asked)


def assert_whole(text):
    """Look for all that makes a page whole, readable by everybody, and free of what runs or is elsewhere."""
    page = Page(text)
    assert page.all("html") == [{"lang": "en"}]
    assert len(page.all("h1")) == len(page.all("main")) == 1
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert page.all("svg")
    assert len(page.all("title")) - 1 == sum(image.get("role") == "img" for image in page.all("svg"))
    assert page.all("img", "link", "iframe", "object", "image") == []
    assert not re.search("<[^<>]* style=", text)
    scripts = page.all("script")
    assert scripts in ([{}], [{"type": "application/json", "id": "slider-data"}, {}])
    assert len(re.findall("<script", text)) == len(scripts)
    assert not re.search(r"https?://", text)
    anchors = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(anchors) == len({*anchors})
    links = {link["href"] for link in page.all("a") if "download" not in link}
    assert links <= {f"#{anchor}" for anchor in anchors}
    assert all(cell["scope"] in ("col", "row") for cell in page.all("th"))
    return page


@pytest.mark.usefixtures("undrawn")
@every("asked", REPORTS)
def test_a_page_is_whole_and_can_be_read_by_everybody(asked):
    assert_whole(report_of(**asked).to_html())


def test_a_page_with_its_plots_is_whole_whatever_letters_names_have(monkeypatch):
    report = report_of(label="late", score=WICKED, by="tree")
    drawn = plots_of(report.answer, report.question)
    monkeypatch.setattr("evalcore.document.charts.plots.plots_of", lambda answer, question: drawn)
    for plot in drawn[1:-1]:  # to render them takes long, and their names stand in a legend, as in the first
        texts = texts_of(plot)
        assert texts or plot.name not in CURVES
        assert all(without_spaces(WICKED.replace("$", r"\$")) in without_spaces(text) for text in texts)
        plot._images[EMBEDDED] = b"<svg></svg>"
    page = assert_whole(report.to_html())
    assert len(re.findall('role="img"', report.to_html())) == len(CURVES) + 3  # thresholds, distributions, groups
    assert any(WICKED in part for part in page.texts)


def without_spaces(text):
    """Join a name that goes on in the next line."""
    return "".join(text.split())


def texts_of(plot):
    """Return the texts of a plot that hold the wicked name."""
    ax = Figure().add_subplot()
    plot.draw(ax=ax)
    return [text.get_text() for text in ax.findobj(Text) if "alert" in text.get_text()]


def test_a_page_is_the_same_every_time(monkeypatch):
    def draw(ax):
        ax.plot([0, 1], "o")  # markers and clips have names in a drawing
        ax.set_axis_off()

    monkeypatch.setattr(
        "evalcore.document.charts.plots.plots_of", lambda answer, question: [Plot("line", "A line.", draw)]
    )
    pages = {report_of(**REPORTS[2]).to_html() for _ in range(2)}
    assert len(pages) == 1
    assert "<title>A line</title>" in pages.pop()


@every("asked", REPORTS)
def test_every_number_of_a_page_is_defined(asked):
    sections = report_of(**asked).sections
    defined = meanings(sections)
    for section in sections:
        if section.name not in ("confusion_matrix", "rank_counts"):
            for item in without_repeats(next(iter(section.records.values()))):
                assert item.title.strip() in defined, item.name


@pytest.mark.usefixtures("undrawn")
def test_the_numbers_of_a_page_are_those_of_the_report():
    report = report_of(**REPORTS[0])
    page = Page(report.to_html())
    texts = [text.strip() for text in page.texts]
    record = report.to_dict()["scores"]["model"]
    assert f"{record['roc_auc']:.3f}" in texts
    assert f"[{record['roc_auc_low']:.3f}, {record['roc_auc_high']:.3f}]" in texts
    full = {title for _, attributes in page.elements if (title := attributes.get("title"))}
    assert "{roc_auc!r}, {roc_auc_low!r} to {roc_auc_high!r}".format(**record) in full
    assert any("wilson" in text for text in texts)
    assert not any("wilson" in text for text in Page(report_of(label="late", score="model").to_html()).texts)


@pytest.mark.usefixtures("undrawn")
def test_a_page_says_what_decides_its_numbers_and_has_no_plots_of_one_class():
    page = Page(evalcore.evaluate({"late": [0, 0], "model": [0.1, 0.2]}, label="late", score="model").to_html())
    assert page.all("img") == []
    assert "#plots" not in {link["href"] for link in page.all("a")}
    report = report_of(label="late", score="model", ci=0.8, threshold=0.5, positive=0)
    texts = Page(report.to_html()).texts
    assert {"late: model", "Positive", "0", "Thresholds", "0.5", "Level of intervals", "0.8"} <= {*texts}
    assert "\nlate, with 80% intervals\n" in repr(report)


@every("asked", [[], ["--ci=0.95", "--by=tree"]])
def test_a_page_is_drawn_from_the_sort_of_its_tables(tmp_path, monkeypatch, asked):
    pq.write_table(pa.table(cases()), tmp_path / "cases.parquet")
    command = ["report", str(tmp_path / "cases.parquet"), "--label=late", "--score=model", "--score=other", *asked]
    ordered, page = [], tmp_path / "page.html"
    monkeypatch.setattr("evalcore.state.cases.order", lambda *given: ordered.append(given) or order(*given))
    assert CliRunner().invoke(main, [*command, "-o", str(page)]).exit_code == 0
    assert page.read_text("utf-8").count("<figure") > 6
    assert len(ordered) == 2


def test_the_command_writes_page_and_plots(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for module in ("page.report", "charts.plots"):
        monkeypatch.setattr(
            f"evalcore.document.{module}.plots_of", lambda answer, question: plots_of(answer, question)[::7]
        )
    pq.write_table(pa.table(cases()), "cases.parquet")
    asked = ["report", "cases.parquet", "--label", "late", "--score", "model", "--ci", "0.95", "--by", "tree"]
    kinds = {"png": b"\x89PNG", "svg": b"<?xml"}
    drawn, draw = [], Plot.image

    def drawn_once(plot, kind):
        drawn.append((plot.name, kind))
        return draw(plot, kind) if plot.name == "roc" and kind in kinds else kinds.get(kind, b"<svg></svg>")

    monkeypatch.setattr(Plot, "image", drawn_once)
    outcome = CliRunner().invoke(main, [*asked, "-o", "out.html", "--format", "table", "--plots", "charts"])
    assert len(drawn) == len(set(drawn))
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    assert outcome.stdout == CliRunner().invoke(main, asked).stdout
    page = Page((tmp_path / "out.html").read_text("utf-8"))
    assert {"late: model, by tree", "cases.parquet", "tree", "model", "200"} <= {*page.texts}
    found = {path.name: path.read_bytes()[: len(kinds["svg"])] for path in (tmp_path / "charts").iterdir()}
    assert found.keys() == {f"{name}.{kind}" for name in ("roc", "groups") for kind in kinds}
    assert all(begin.startswith(kinds[name[-3:]]) for name, begin in found.items())


@every("name", TREES[2:])
def test_names_are_drawn_letter_by_letter(name):
    ax = plot_roc([0, 1, 1], {name: [0.1, 0.2, 0.3], "other": [0.3, 0.2, 0.1]}, ax=Figure().add_subplot())
    shown, _ = names_of(ax)
    assert without_spaces(name.replace("$", r"\$")) in without_spaces(shown)
