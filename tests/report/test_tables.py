"""How reports are written: tables as rich draws them, and counts as other numbers, where there are many."""

import json

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore import evaluate
from evalcore.report import rendering, tables
from evalcore.report.model import CountRecords, Section
from evalcore.text_tables import MARKDOWN, TERMINAL, ruled_lines

CELLS = st.lists(st.sampled_from([*"aZ 0.|é日", "e\u0301"]), max_size=5).map("".join).map(str.rstrip)
SHAPES = st.tuples(st.integers(1, 4), st.integers(1, 4))
ROWS = SHAPES.flatmap(
    lambda shape: st.lists(
        st.lists(CELLS, min_size=shape[0], max_size=shape[0]), min_size=shape[1] + 1, max_size=shape[1] + 1
    )
)


@given(ROWS, st.sampled_from([TERMINAL, MARKDOWN]), st.sampled_from([None, 12, 30]))
@example([["", ""], ["", ""]], TERMINAL, None)
@example([["a", "b"], ["a\nb", "1"]], MARKDOWN, None)
def test_a_table_of_plain_lines_is_that_of_rich(rows, style, width):
    assert rendering.drawn_table(rows, style, 1, width) == rendering._folded(rows, style, 1, width)


def test_the_first_columns_are_aligned_to_the_left():
    rows = [["label", "predicted", "cases"], ["ash", "elm", "3"]]
    assert ruled_lines(rows, TERMINAL, names=2) == [
        "  label   predicted   cases  ",
        " ─────────────────────────── ",
        "  ash     elm             3  ",
    ]


@given(
    st.integers(1, 5).flatmap(
        lambda k: st.lists(st.lists(st.integers(0, 3), min_size=k, max_size=k), min_size=k, max_size=k)
    )
)
@example([[5]])
def test_the_largest_counts_off_the_diagonal_come_in_order(counts):
    cells = [(-count, i, j) for i, row in enumerate(counts) for j, count in enumerate(row) if i != j and count]
    rows, columns = tables.largest_off_diagonal(np.array(counts), 4)
    assert list(zip(rows.tolist(), columns.tolist(), strict=True)) == [cell[1:] for cell in sorted(cells)[:4]]


NAMES = st.lists(st.text(max_size=4), min_size=1, max_size=3, unique=True)


@given(NAMES, NAMES)
@example(["%d", 'a"b'], ["\n", "%"])
@example([""], [""])
def test_counts_are_written_as_other_numbers_are(names, columns):
    counts = np.arange(len(names) * len(columns)).reshape(len(names), -1)
    section = Section("confusion_matrix", "", "label", CountRecords(names, columns, counts), score="guess")
    plain = section._replace(records=dict(section.records))
    assert rendering.as_csv([section]) == rendering.as_csv([plain])
    assert rendering.as_json([section]) == rendering.as_json([plain])
    tree = {"schema_version": 1, **rendering.as_tree([section])}
    assert rendering.as_json([section]) == json.dumps(tree, indent=2, ensure_ascii=False)


def test_of_many_classes_the_most_frequent_are_shown():
    codes = np.repeat(np.arange(60), np.arange(1, 61))
    report = evaluate({"label": codes, "guess": codes}, label="label", predicted="guess")
    shown = [row[0] for row in tables.tables(report.sections)[1].cells]
    assert shown == ["", *map(str, range(59, 9, -1)), "... and 10 more"]
    assert [row[0] for row in tables.tables(report.sections, True)[1].cells[1:]] == list(map(str, range(60)))
    said = "the 50 most frequent of 60 classes are shown; full_matrix=True in to_markdown or to_html shows them all"
    assert tables.remarks(report.sections)[0] == said
    assert tables.remarks(report.sections, True) == []
    assert len(report.to_dict()["classes"]) == 60


def test_micro_averages_are_one_row_with_accuracy_but_keep_their_names():
    columns = {"label": ["a", "b", "b"], "guess": ["a", "b", "a"], "site": [1, 1, 2]}
    report = evaluate(columns, label="label", predicted="guess")
    titles = [row[0] for row in tables.tables(report.sections)[0].cells]
    assert "accuracy (= micro averages)" in titles
    assert not any("micro average" in title and "accuracy" not in title for title in titles)
    assert "micro average" not in report.to_markdown().replace("(= micro averages)", "")
    assert report["statistics"]["micro_f1"] == report["statistics"]["accuracy"]
    grouped = evaluate(columns, label="label", predicted="guess", by="site")
    assert "accuracy (= micro averages)" in tables.tables(grouped.sections)[0].cells[0]
    assert "micro average |" not in grouped.to_markdown()


def test_a_note_says_whose_statistic_sorts_the_groups_of_all_models():
    columns = {"late": [1, 0, 1, 0], "rf": [0.9, 0.1, 0.4, 0.5], "<b>": [0.1, 0.9, 0.4, 0.3], "month": [1, 1, 2, 2]}
    asked = {"label": "late", "by": "month"}
    note = "groups are sorted by the ROC area of rf, in the tables of other models too"
    sorted_by_value = evaluate(columns, score=["rf", "<b>"], sort="value", **asked)
    for text in (repr(sorted_by_value), sorted_by_value.to_markdown(), sorted_by_value._repr_html_()):
        assert note in text
    for other in ({"score": "rf", "sort": "value"}, {"score": ["rf", "<b>"], "sort": "size"}):
        assert note not in repr(evaluate(columns, **other, **asked))
