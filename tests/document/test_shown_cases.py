"""Columns that are shown beside single cases: which cases, whose texts, and that no format runs or spreads others."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evalcore
from evalcore.document.terminal import printable
from tests.cli.command import command, refused
from tests.differences import check_refusals

HOSTILE = [
    "\x1b[31mred\x1b[0m\x07", "\u202eright to left", "x" * 3000, "one\r\ntwo\tthree", "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>', "</td></table><h1>x", "</style><script>", "{{ 7 * 7 }}", "| a | b |\n|---|---|",
    "[click](javascript:alert(1))", "![x](http://x)", "***", "@octocat #1", "`code`", "# head", "=HYPERLINK(1)",
    "\u65e5\u672c", "", "\n" * 40 + "end", "&lt;b&gt;", "<!-- -->", "~~gone~~",
]  # fmt: skip
TABLE = pd.DataFrame({
    "late": [1] * len(HOSTILE) + [row % 2 for row in range(len(HOSTILE), 60)],
    "model": [0.0 if row < len(HOSTILE) else row * 37 % 60 / 60 for row in range(60)],
    "base": [1.0 if row < len(HOSTILE) else row * 23 % 60 / 60 for row in range(60)],
    "prompt": [HOSTILE[row] if row < len(HOSTILE) else f"prompt of {row}" for row in range(60)],
    "secret": [f"secret{row}" for row in range(60)],
})  # fmt: skip
ASKED = {"label": "late", "score": "model", "threshold": 0.5, "show": "prompt"}
NULL = st.sampled_from(["a", "b", None])
ROWS = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from([0.0, 0.25, 0.5, 0.875, 1.0]), NULL, st.integers(0, 2)),
    min_size=2, max_size=30,
).filter(lambda rows: {row[0] for row in rows if row[3]} == {0, 1})  # fmt: skip
CLASSES = ["ash", "elm", "oak"]
FRAMES = pd.DataFrame, pl.DataFrame, pa.table, dict


def mistakes_of(report):
    return [(each.row, each.label, each.score, each.shown) for each in report.answer.mistakes]


@given(ROWS, st.integers(1, 5), st.sampled_from(FRAMES), st.booleans())
def test_mistakes_are_those_of_pandas_and_no_number_depends_on_what_is_shown(rows, most, frame, weighted):
    late, model, text, weight = map(list, zip(*rows, strict=True))
    columns = {"late": late, "model": model, "text": text, "weight": weight, "kept": text}
    asked = {"label": "late", "score": "model", "threshold": 0.5, "weight": "weight" if weighted else None}
    found = evalcore.evaluate(frame(columns), **asked, show=["text", "weight"], mistakes=most)
    assert found == evalcore.evaluate(frame(columns), **asked)
    table = pd.DataFrame(columns)
    table = (table[table.weight > 0] if weighted else table).reset_index(drop=True)
    wrong = table[(table.model >= 0.5) != (table.late == 1)]
    first = wrong.index[np.argsort(-(wrong.model - 0.5).abs(), kind="stable")][:most]
    expected = [
        (row, each.late, each.model, {"text": "" if pd.isna(each.text) else each.text, "weight": str(each.weight)})
        for row, each in zip(first, table.loc[first].itertuples(), strict=True)
    ]
    assert mistakes_of(found) == expected


@given(st.lists(st.tuples(*[st.sampled_from(CLASSES)] * 2, *[st.floats(0, 1, width=16)] * 3), min_size=3, max_size=20))
def test_mistakes_of_classes_are_the_first_or_those_with_the_highest_scores(rows):
    table = pd.DataFrame(rows, columns=["tree", "guess", *CLASSES]).assign(text=[str(row) for row in range(len(rows))])
    found = evalcore.evaluate(table, label="tree", predicted="guess", show="text", by="guess")
    wrong = table[table.tree != table.guess][:10]
    values = ([*each] for each in wrong[["tree", "guess", "text"]].itertuples(name=None))
    assert [[each.row, each.label, each.predicted, each.shown["text"]] for each in found.answer.mistakes] == [*values]
    found = evalcore.evaluate(table, label="tree", score={each: each for each in CLASSES}, show="text", mistakes=3)
    best = table[CLASSES].idxmax(axis=1)
    scores = table[CLASSES].max(axis=1)[table.tree != best].sort_values(ascending=False, kind="stable")[:3]
    assert [(each.row, each.predicted, each.score) for each in found.answer.mistakes] == [
        (row, best[row], score) for row, score in scores.items()
    ]


@pytest.mark.parametrize("where", [None, "month >= 2"])
def test_nulls_leave_no_row_out_in_any_format_and_conditions_read_numbers(tmp_path, where):
    table = TABLE.assign(month=[None if row % 7 == 0 else row % 12 for row in range(60)]).drop(columns="prompt")
    table.to_csv(tmp_path / "all.csv", index=False)
    table.to_json(tmp_path / "all.jsonl", orient="records", lines=True)
    table.to_parquet(tmp_path / "all.parquet")
    table[:20].to_parquet(tmp_path / "part1.parquet")
    table[20:].to_parquet(tmp_path / "part2.parquet")
    names = [["all.csv"], ["all.jsonl"], ["all.parquet"], ["part1.parquet", "part2.parquet"]]
    rows = ["--nulls", "drop", *(["--where", where] if where else [])]
    found = []
    for files in names:
        typed = ["report", *(tmp_path / name for name in files), "--label", "late", "--score", "model"]
        outcome = command(*typed, "--threshold", 0.5, "--show", "secret,month", *rows, "--format", "json")
        tree = json.loads(outcome.stdout)
        assert tree["scores"]["model"]["cases"] == (60 if where is None else sum(table.month >= 2))
        found.append([(each["row"], each["shown"]["secret"], each["shown"]["month"]) for each in tree["mistakes"]])
    months = table.set_index("secret").month
    for listed in found:
        assert [each[:2] for each in listed] == [each[:2] for each in found[0]]
        assert [each[2] and float(each[2]) for each in listed] == [
            "" if np.isnan(months[secret]) else months[secret] for _, secret, _ in listed
        ]


def test_changed_cases_show_the_texts_of_both_tables_where_these_differ():
    old = pd.DataFrame({"id": range(60), "late": TABLE.late, "score": TABLE.base, "prompt": TABLE.prompt})
    old, new = old.assign(answer="a", mine="old"), old.assign(score=TABLE.model, answer=TABLE.secret)[::-1]
    for frame in (lambda table: table, pl.from_pandas):
        asked = {"on": "id", "label": "late", "score": "score", "threshold": 0.5, "changed": 60}
        found = evalcore.compare(frame(old), frame(new), **asked, show=["prompt", "answer", "mine"])
        assert found == evalcore.compare(frame(old), frame(new), **asked)
        changes = found.models[0].changes[0]
        right = {
            name: (table.score >= 0.5) == (table.late == 1) for name, table in (("old", old), ("new", new.sort_index()))
        }
        for listed, ids in (
            (changes.newly_wrong, np.flatnonzero(right["old"] & ~right["new"])),
            (changes.newly_right, np.flatnonzero(right["new"] & ~right["old"])),
        ):
            assert sorted(case.id for case in listed) == ids.tolist()
            for case in listed:
                texts = {"prompt": TABLE.prompt[case.id], "answer, old": "a", "answer, new": f"secret{case.id}"}
                assert case.shown == texts | {"mine": "old"}
    assert found.answer.cases.shown == {}  # which would hold all rows


class Parsed(HTMLParser):
    """The tags of a page, and the texts of its cells."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.cells, self.inside = [], [], False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, *(name for name, _ in attrs)))
        if tag == "td":
            self.cells.append("")
            self.inside = True

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "td"

    def handle_data(self, data):
        if self.inside:
            self.cells[-1] += data


def documents():
    """Return a report and a comparison that list all hostile texts, and the same without any."""
    plain = TABLE.assign(prompt="plain")
    tables = [TABLE, plain]
    reports = [evalcore.evaluate(table, **ASKED, mistakes=100) for table in tables]
    compared = {**ASKED, "old_score": "base", "changed": 100}
    return [reports, [evalcore.compare(table, **compared) for table in tables]]


@pytest.mark.usefixtures("undrawn")
def test_hostile_texts_are_texts_in_every_format():
    for found, plain in documents():
        [page, other] = (Parsed(each.to_html()) for each in (found, plain))
        known = {("details",), ("summary",), ("td", "class")}
        assert [tag for tag in page.tags if tag not in known] == [tag for tag in other.tags if tag not in known]
        tree = json.loads(found.to_json())
        cases = tree.get("mistakes") or tree["models"]["model"]["changes"][0]["newly_wrong"]
        texts = [case["shown"]["prompt"] for case in cases]
        assert {*texts} >= {*HOSTILE}
        texts = [*map(printable, texts)]
        assert {text.replace("\r", "\n") for text in texts} <= {text.replace("\r", "\n") for text in page.cells}
        assert max(map(len, re.findall(r"<summary>(x*)</summary>", found.to_html()))) == 160
        for made, shape in ((found.to_markdown(), plain.to_markdown()), (repr(found), repr(plain))):
            assert made.count("\n") == shape.count("\n")
            assert all(map(str.isprintable, made.splitlines()))
            assert "x" * 57 + "..." in made
            assert "x" * 58 not in made
        rows = zip(*(each.to_markdown().splitlines() for each in (found, plain)), strict=True)
        assert all(len(re.findall(r"(?<!\\)\|", row)) == len(re.findall(r"\|", other)) for row, other in rows)
        assert "@octocat" not in found.to_markdown()
        assert not re.search(r"(?<!\\)(\[click|<script|<img|\*\*\*|`code|~~gone)", found.to_markdown())
        assert not re.search("<(script|img|h1)", found._repr_html_())
        assert "\x1b" not in found._repr_html_() + found.to_html()


@pytest.mark.usefixtures("undrawn")
def test_no_other_row_or_column_is_in_any_format():
    for found in (
        evalcore.evaluate(TABLE, **ASKED, mistakes=3),
        evalcore.compare(TABLE, **ASKED, old_score="base", changed=3),
    ):
        for made in (found.to_html(), found.to_json(), found.to_markdown(), repr(found), found._repr_html_()):
            assert "secret" not in made
            listed = {*re.findall(r"prompt of \d+", made)}
            assert len(listed) <= 12
        assert "prompt" not in found.to_csv()
        assert 'class="filter"' not in found.to_html()
        assert "filterOf" in found.to_html()
        assert "filterOf" not in found.to_html(script=False)


@pytest.mark.usefixtures("undrawn")
def test_a_page_shows_a_hundred_of_each_list_and_tables_five():
    table = {"late": [1] * 250 + [0], "old": [0.75] * 251, "new": [0.25] * 250 + [0.5], "text": ["word"] * 251}
    found = evalcore.compare(table, label="late", score="new", old_score="old", threshold=0.5, changed=200, show="text")
    assert len(found.models[0].changes[0].newly_wrong) == 200
    page = found.to_html()
    assert page.count('<td class="text">word') == 200  # newly wrong, and those whose scores fell
    assert repr(found).count("word") == 5
    report = evalcore.evaluate(table, label="late", score="new", threshold=0.5, mistakes=100, show="text")
    assert (report.to_html().count(">word<"), repr(report).count("word"), report.to_markdown().count("word")) == (
        100,
        5,
        100,
    )


def test_what_lists_no_case_is_refused():
    scores, predicted = {"label": "late", "score": "model"}, {"label": "late", "predicted": "late"}
    rows = [
        {**scores, "show": "prompt"}, {**ASKED, "show": "promt"}, {**ASKED, "show": ["prompt", 1]},
        {**ASKED, "show": 1}, {**ASKED, "mistakes": 0}, {**ASKED, "mistakes": 101}, {**ASKED, "mistakes": 1.5},
        {**scores, "threshold": 0.5, "mistakes": 5}, {**predicted, "mistakes": 5}, {**predicted, "show": "lists"},
        {**predicted, "show": "bytes"},
    ]  # fmt: skip
    table = pa.Table.from_pandas(TABLE).append_column("lists", pa.array([[1, 2]] * 60))
    table = table.append_column("bytes", pa.array([b"\xff"] * 60))
    check_refusals("document/outputs/refused_shown.txt", lambda row: evalcore.evaluate(table, **row), rows)


@pytest.mark.usefixtures("little_memory")
def test_cases_need_all_rows_in_memory(tmp_path):
    TABLE.to_parquet(tmp_path / "a.parquet")
    for typed in (["--score", "model", "--threshold", 0.5], ["--predicted", "model"]):
        outcome = command(
            "report", tmp_path / "a.parquet", "--label", "late", *typed, "--show", "prompt", "--memory", "300M"
        )
        assert refused(outcome) == (
            "cases that are listed (--show) need all rows in memory: 60 rows take about 1.0 GB, and the "
            "limit is 300 MB; allow more (--memory SIZE)"
        )
    outcome = command("report", tmp_path / "a.parquet", "--label", "late", "--predicted", "late", "--show", "prompt,")
    assert outcome.stderr == "evalcore: --show must name columns, got 'prompt,'.\n"
    outcome = command("compare", "a", "b", "--qrels", "c", "--show", "prompt")
    assert "runs, which take no --show" in outcome.stderr
