"""The page of a report holds all that it shows, says what it shows to everybody, and runs nothing that names hold."""

import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import evalcore
from evalcore.cli import main
from evalcore.report.definitions import definitions

FLIGHTS = Path(__file__).parents[2] / "notebooks" / "data" / "flights.parquet"
WICKED = "<script>alert('x')</script>\"&"
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
    return {"late": label.astype(int), "tree": rng.choice(["ash", "elm", WICKED], 200), **columns}


REPORTS = [
    {"label": "late", "score": ["model", "other"], "threshold": 0.5, "ci": 0.95},
    {"label": "late", "score": "model", "by": "tree", "ci": 0.9},
    {"label": "tree", "predicted": "tree"},
    {"label": "tree", "score": {"ash": "model", "elm": "other", WICKED: "model"}},
]


@pytest.mark.parametrize("asked", REPORTS)
def test_a_page_is_whole_and_can_be_read_by_everybody(asked):
    report = evalcore.evaluate(cases(), **asked)
    text = report.to_html()
    page = Page(text)
    assert page.all("html") == [{"lang": "en"}]
    assert len(page.all("h1")) == len(page.all("main")) == len(page.all("title")) == 1
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert all(image["alt"] and image["src"].startswith("data:image/svg+xml;base64,") for image in page.all("img"))
    assert page.all("img")
    assert page.all("script", "link", "iframe", "object") == []
    assert not re.search(r"https?://", re.sub(r"base64,[^\"]*", "", text))
    anchors = {attributes["id"] for _, attributes in page.elements if "id" in attributes}
    assert {link["href"] for link in page.all("a")} <= {f"#{anchor}" for anchor in anchors}
    assert all(cell["scope"] in ("col", "row") for cell in page.all("th"))


@pytest.mark.parametrize("asked", REPORTS)
def test_every_number_of_a_page_is_defined(asked):
    sections = evalcore.evaluate(cases(), **asked).sections
    defined = definitions(sections)
    for section in sections:
        if section.name not in ("confusion_matrix", "rank_counts"):
            for item in next(iter(section.records.values())):
                assert item.title.strip() in defined, item.name


def test_markup_in_names_is_shown_and_not_run():
    columns = cases(("model", WICKED))
    text = evalcore.evaluate(columns, label="late", score=["model", WICKED], ci=0.9).to_html()
    page = Page(text)
    assert page.all("script") == []
    assert any(WICKED in part for part in page.texts)
    assert any(WICKED in image["alt"] for image in page.all("img"))


def test_the_numbers_of_a_page_are_those_of_the_report():
    report = evalcore.evaluate(cases(), label="late", score="model", ci=0.95)
    texts = Page(report.to_html()).texts
    record = report.to_dict()["scores"]["model"]
    shown = "{roc_area:.6f} [{roc_area_low:.6f}, {roc_area_high:.6f}]".format(**record)
    assert shown in texts
    assert any("Wilson" in text for text in texts)
    assert not any(
        "Wilson" in text for text in Page(evalcore.evaluate(cases(), label="late", score="model").to_html()).texts
    )


def test_one_class_has_a_page_without_pictures():
    page = Page(evalcore.evaluate({"late": [0, 0], "model": [0.1, 0.2]}, label="late", score="model").to_html())
    assert page.all("img") == []
    assert "#pictures" not in {link["href"] for link in page.all("a")}


def test_the_command_writes_page_and_pictures(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table(cases()), "cases.parquet")
    asked = ["report", "cases.parquet", "--label", "late", "--score", "model", "--ci", "0.95", "--by", "tree"]
    outcome = CliRunner().invoke(main, [*asked, "--html", "out.html", "--plots", "pictures"])
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    assert outcome.stdout == CliRunner().invoke(main, asked).stdout
    page = Page((tmp_path / "out.html").read_text("utf-8"))
    assert {"cases.parquet: late, with 95% intervals", "cases.parquet", "tree", "model", "200"} <= {*page.texts}
    names = {path.stem for path in (tmp_path / "pictures").iterdir()}
    assert names == {"roc", "precision_recall", "gains", "calibration", "thresholds", "distributions", "groups_0"}
    for name in names:
        assert (tmp_path / "pictures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert b"<svg" in (tmp_path / "pictures" / f"{name}.svg").read_bytes()
    first = (tmp_path / "out.html").read_bytes()
    CliRunner().invoke(main, [*asked, "--html", "out.html"])
    assert (tmp_path / "out.html").read_bytes() == first


@pytest.mark.parametrize("name", [r"2$ $\frac{$", "$lo$ score", "_hidden"])
def test_names_are_drawn_letter_by_letter(name):
    rng = np.random.default_rng(5)
    columns = {"y": rng.integers(0, 2, 60), name: rng.random(60), "other": rng.random(60)}
    columns["group"] = np.array([name, "b"])[rng.integers(0, 2, 60)]
    assert Page(evalcore.evaluate(columns, label="y", score=[name, "other"], by="group").to_html()).all("img")
    assert Page(evalcore.evaluate(columns, label="group", predicted="group").to_html()).all("img")
    from matplotlib.figure import Figure

    from evalcore.plots import plot_roc

    ax = plot_roc(columns["y"], {name: columns[name], "other": columns["other"]}, ax=Figure().add_subplot())
    assert len(ax.get_legend().get_texts()) == 2


def test_infinite_scores_are_reported_and_not_drawn(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table({"late": [0, 1, 1, 0], "model": [0.1, np.inf, 0.5, 0.2]}), "inf.parquet")
    asked = ["report", "inf.parquet", "--label", "late", "--score", "model"]
    outcome = CliRunner().invoke(main, [*asked, "--html", "out.html", "--plots", "pictures"])
    assert outcome.exit_code == 0
    assert "ROC area" in outcome.stdout
    assert "no plots: there is one class, or a score is infinite" in outcome.stderr
    assert Page((tmp_path / "out.html").read_text("utf-8")).all("img") == []
    assert not (tmp_path / "pictures").exists()


def test_groups_of_one_class_have_a_page():
    columns = {"y": [1, 1, 1], "s": [0.1, 0.2, 0.3], "g": ["a", "b", "b"]}
    assert Page(evalcore.evaluate(columns, label="y", score="s", by="g").to_html()).all("img") == []


def test_many_groups_are_drawn_with_the_total():
    rng = np.random.default_rng(6)
    columns = {"y": rng.integers(0, 2, 2000), "s": rng.random(2000), "g": np.arange(2000) % 100}
    page = Page(evalcore.evaluate(columns, label="y", score="s", by="g").to_html())
    assert any("without 61 more" in image["alt"] for image in page.all("img"))


def test_a_page_says_what_decides_its_numbers():
    report = evalcore.evaluate(cases(), label="late", score="model", ci=0.8, threshold=0.5, positive=0)
    texts = Page(report.to_html()).texts
    assert {"late, with 80% intervals", "Positive", "0", "Threshold", "0.5", "Level of intervals", "0.8"} <= {*texts}
    assert repr(report).startswith("late, with 80% intervals")
