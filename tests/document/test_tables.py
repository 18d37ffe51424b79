"""How reports are written: tables that fit a line, thresholds side by side, certified bounds, numbers, JSON and CSV."""

import csv
import io
import json
import math
import re
from decimal import Decimal
from functools import partial

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st
from matplotlib.figure import Figure

import evalcore
from evalcore import evaluate
from evalcore.cli import main
from evalcore.document import exports, terminal
from evalcore.document import tables as report_tables
from evalcore.document.documents import Shown, document_of_report
from evalcore.document.exports import as_csv, as_json, as_tree
from evalcore.document.page.cells import cell_of
from evalcore.document.records import EXACT, Row, number_rows
from evalcore.document.tables import tables
from evalcore.document.terminal import as_terminal
from evalcore.evaluation.model import CERTIFIED, CountRecords, Section, Statistic, Whole
from evalcore.evaluation.wording import count, number, p_value, percent
from evalcore.inference import Interval
from evalcore.text_tables import MARKDOWN, TERMINAL, ruled_lines
from tests.differences import check_output, every


def matrices(cells, rows, columns):
    return st.lists(st.lists(cells, min_size=columns, max_size=columns), min_size=rows, max_size=rows)


CELLS = st.lists(st.sampled_from([*"aZ 0.|é日", "e\u0301"]), max_size=5).map("".join).map(str.rstrip)
SHAPES = st.tuples(st.integers(1, 4), st.integers(1, 4))
ROWS = SHAPES.flatmap(lambda shape: matrices(CELLS, shape[1] + 1, shape[0]))


@given(ROWS, st.sampled_from([TERMINAL, MARKDOWN]), st.sampled_from([None, 12, 30]))
@example([["", ""], ["", ""]], TERMINAL, None)
@example([["a", "b"], ["a\nb", "1"]], MARKDOWN, None)
def test_a_table_of_plain_lines_is_that_of_rich(rows, style, width):
    assert terminal.drawn_table(rows, style, 1, width) == terminal._folded(rows, style, 1, width)


@given(st.integers(1, 5).flatmap(lambda k: matrices(st.integers(0, 3), k, k)))
@example([[5]])
def test_the_largest_counts_off_the_diagonal_come_in_order(counts):
    cells = [(-count, i, j) for i, row in enumerate(counts) for j, count in enumerate(row) if i != j and count]
    names = list("abcde"[: len(counts)])
    found = report_tables.most_confused(CountRecords(names, names, np.array(counts)), 4)
    expected = [(names[i], names[j], -cases, -cases / sum(counts[i])) for cases, i, j in sorted(cells)[:4]]
    assert list(found) == expected


NAMES = st.lists(st.text(max_size=4), min_size=1, max_size=3, unique=True)


@given(NAMES, NAMES)
@example(["%d", 'a"b'], ["\n", "%"])
@example([""], [""])
def test_counts_are_written_as_other_numbers_are(names, columns):
    counts = np.arange(len(names) * len(columns)).reshape(len(names), -1)
    section = Section("confusion_matrix", "", "label", CountRecords(names, columns, counts), score="guess")
    plain = section._replace(records=dict(section.records))
    assert exports.as_csv([section]) == exports.as_csv([plain])
    assert exports.as_json([section]) == exports.as_json([plain])
    tree = {"schema_version": 2, **exports.as_tree([section])}
    assert exports.as_json([section]) == json.dumps(tree, indent=2, ensure_ascii=False)


NOTE = "Note: some numbers are not shown; {} shows them all"
SIZE = 60
RNG = np.random.default_rng(4)
COLUMNS = {
    "late": np.arange(SIZE) % 3 == 0,
    **{f"model{number}": RNG.random(SIZE) for number in range(6)},
    "group": np.arange(SIZE) % 2,
}


def report_of(**asked):
    return evalcore.evaluate(COLUMNS, label="late", **{"score": "model0", "by": "group", **asked})


def test_statistics_that_were_named_and_models_stand_in_parts(run):
    names = ["r_precision", "average_precision", "roc_auc", "prevalence", "maximum_f1"]
    for text in (
        run("--score", "model0", "--by", "group", "--ci", "0.9", *(f"--measure={name}" for name in names)),
        repr(report_of(ci=0.9, measures=names)),
    ):
        assert "not shown" not in text
        assert "R-precision" in text
        assert max(map(len, text.splitlines())) <= 120
    text = run(*(part for number in range(6) for part in ("--score", f"model{number}")), "--ci", "0.95")
    every_model = re.findall(r"model\d(?= |$)", " ".join(line for line in text.splitlines() if line.startswith("   ")))
    assert every_model[:6] == [f"model{number}" for number in range(6)]
    assert max(map(len, text.splitlines())) <= 120


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    names = list(COLUMNS)
    rows = np.column_stack([np.asarray(column, dtype=float) for column in COLUMNS.values()])
    np.savetxt("x.csv", rows, delimiter=",", header=",".join(names), comments="")
    asked = ("report", "x.csv", "--label", "late")
    return lambda *more, **settings: CliRunner().invoke(main, [*asked, *more], **settings).stdout


@every("columns", ["", "0", "many", "70", "120", "1000"])
def test_lines_of_pipes_are_as_long_as_columns_says(run, columns):
    text = run("--score", "model0", "--by", "group", "--threshold", "0.5", env={"COLUMNS": columns})
    width = int(columns) if columns.isdecimal() and int(columns) else 120
    assert max(map(len, text.splitlines())) <= width
    assert (NOTE.format("--full") in text) == (width < 1000)


LATE = np.array([1] * 40 + [0] * 60)
FORTY = {"late": LATE, "a": np.linspace(1, 0, 100), "b": np.linspace(0, 1, 100)}
FEW = {"late": [0, 1, 0, 1], "a": [0.9, 0.8, 0.7, 0.6], "b": [0.1, 0.9, 0.2, 0.8], "by": ["x", "x", "y", "y"]}


def of_few(score=("a", "b"), **asked):
    return evaluate(FEW, label="late", score=list(score), **asked)


SORTED = {"late": [1, 0, 1, 0], "rf": [0.9, 0.1, 0.4, 0.5], "<b>": [0.1, 0.9, 0.4, 0.3], "month": [1, 1, 2, 2]}
BY_MONTH = partial(evaluate, SORTED, label="late", by="month")
OF_TREES = partial(evaluate, {"label": ["a", "b", "b"], "guess": ["a", "b", "a"], "site": [1, 1, 2]}, label="label",
                   predicted="guess")  # fmt: skip
CODES = np.repeat(np.arange(60), np.arange(1, 61))
OUTPUTS = {
    "models": ("txt md html", of_few(threshold=[0.5, 0.75], threshold_for={"fpr": 0}, costs=(1, 1))),
    "further": ("md", of_few("ba", by="by", threshold=[0.5, 0.85], threshold_for={"flagged": 0.5, "precision": 1})),
    "decisions": ("txt md html", BY_MONTH(score="rf", threshold=[0.5, 0.25])),
    "decisions_named": ("txt", BY_MONTH(score="rf", threshold=0.5, measures="roc_auc")),
    "depths": ("txt md", BY_MONTH(score="rf")),
    "depths_named": ("txt", BY_MONTH(score="rf", measures="precision_at_1000")),
    "sorted": ("txt md html", BY_MONTH(score=["rf", "<b>"], sort="value")),
    "sorted_size": ("txt", BY_MONTH(score=["rf", "<b>"], sort="size")),
    "sorted_alone": ("txt", BY_MONTH(score="rf", sort="value")),
    "classes": ("txt md", OF_TREES()),
    "classes_groups": ("txt md", OF_TREES(by="site")),
    "classes_many": ("txt all.md", evaluate({"label": CODES, "guess": CODES}, label="label", predicted="guess")),
    "groups": ("txt 18.txt 20.txt 40.txt 80.txt 400.txt all.txt", report_of()),
    "groups_intervals": ("txt 45.txt", report_of(ci=0.9)),
    "groups_decisions": ("txt 81.txt", report_of(threshold=0.5, costs=(1, 5), ci=0.9)),
}
WRITERS = {
    "txt": repr,
    "md": evalcore.Report.to_markdown,
    "all.md": partial(evalcore.Report.to_markdown, full=True),
    "html": evalcore.Report._repr_html_,
    "full.md": partial(evalcore.Report.to_markdown, full=True),
    "all.txt": lambda report: written(report, 80, full=True),
}


def written(report, width, full=False):
    """Write a report for a terminal of so many letters."""
    return as_terminal(document_of_report(report.answer, report.question, Shown(full, width=width)), width)


@every("name", OUTPUTS)
def test_every_format_says_what_a_person_has_read(name):
    endings, report = OUTPUTS[name]
    for ending in endings.split():
        width = int(ending.removesuffix(".txt")) if ending[0].isdigit() else None
        text = written(report, width) if width else WRITERS[ending](report)
        check_output(f"document/outputs/{name}.{ending}", text)
        assert not width or max(map(len, text.partition("\nNote:")[0].splitlines())) <= width


def test_names_stay_at_the_left_and_micro_averages_keep_their_names():
    rows = [["label", "predicted", "cases"], ["ash", "elm", "3"]]
    assert ruled_lines(rows, TERMINAL, names=2) == [
        "  label   predicted   cases  ",
        " ─────────────────────────── ",
        "  ash     elm             3  ",
    ]
    assert [len(row) for row in tables(report_of().sections)[0].fitted(1).texts] == [2] * 4


def test_numbers_of_groups_are_shown_of_all_models_or_of_none():
    columns = {"y": [0, 1, 1, 0] * 3, "a": np.arange(12) / 12, "b": np.arange(12)[::-1] / 12, "g": ["p", "p", "q"] * 4}
    report = evalcore.evaluate(columns, label="y", score=["a", "b"], by="g", threshold=0.5, ci=0.95)
    heads = set[str]()
    for width in (70, 100, 120, 150, 180, 220):
        [head, *_] = [line for line in written(report, width).splitlines() if line.startswith("  g ")]
        named = [name.strip() for name in re.split("   +", head.strip())]
        assert [name.removesuffix(", a") for name in named if name.endswith(", a")] == [
            name.removesuffix(", b") for name in named if name.endswith(", b")
        ], width
        heads.update(named)
    assert {"ROC AUC, a", "precision, b", "recall, a"} <= heads
    assert "recall, b" in report.to_markdown()
    report = OUTPUTS["classes"][1]
    assert report["statistics"]["micro_f1"] == report["statistics"]["accuracy"]
    assert report_tables.are_whole(OUTPUTS["models"][1].sections)
    assert not report_tables.are_whole(OUTPUTS["classes_many"][1].sections)
    assert len(OUTPUTS["classes_many"][1].to_dict()["classes"]) == 60
    assert "precision at 1,000" in OUTPUTS["depths"][1].to_json()
    cell = cell_of(Statistic("threshold", "at threshold", 0.9137844433))
    assert (cell.text, cell.full) == ("0.913784", "0.9137844433")


FURTHER = [
    {"threshold": [0.9, 0.5]}, {"threshold": [0.9, 2]},
    *({"threshold_for": {name: value}} for name, value in (
        ("precision", 0.8), ("recall", 0.5), ("fpr", 0.05), ("specificity", 0), ("flagged", 0.001))),
]  # fmt: skip


def test_notes_and_sentences_say_at_which_threshold():
    columns = {**FORTY, "by": np.arange(100) % 2}
    noted = [of_few(threshold=[0.5, 2], threshold_for={"precision": 0.9}), of_few(threshold=[0.5, 2, 3])]
    noted += [of_few("a", threshold=at) for at in ([2, 0.5], [2, 3], 2)]
    reports = [evaluate(columns, label="late", score=["a", "b"], by=by, **asked)
               for asked in FURTHER for by in (None, "by")]  # fmt: skip
    said = [*("\n".join(each.notes) for each in noted), *(each.summary for each in reports)]
    check_output("document/outputs/further_thresholds.txt", "\n\n".join(said))


@every("threshold", [0.5, [0.5, 0.9]])
def test_plots_show_the_first_threshold(threshold):
    report = evalcore.evaluate(FORTY, label="late", score="a", threshold=threshold)
    shown = report.plot_confusion_matrix(ax=Figure().add_subplot()).images[0].get_array().data
    assert shown.ravel().tolist() == pytest.approx([50 / 60, 10 / 60, 0, 1])


shares = (
    st.floats(0, 1, allow_subnormal=False)
    | st.floats(0, 1e-3, allow_subnormal=False)
    | st.integers(0, 10**6).map(lambda millionths: millionths / 1e6)
)


def certified_cell(low, high, method=CERTIFIED):
    middle = low + (high - low) / 2
    statistic = Statistic("roc_auc", "ROC AUC", middle, Interval(middle, low, high, 1.0, method))
    return tables([Section("scores", "", "score", {"model": [statistic]})])[0].texts[1][1]


@given(shares, shares)
@example(0.7320855, 0.7320859)
@example(1e-9, 1.0000004e-9)
@example(0.9999999, 1.0)
@example(0.0, 0.0009999999)
@example(0.00099999996, 0.00099999997)
def test_bounds_are_written_outward(one, other):
    low, high = min(one, other), max(one, other)
    cell = certified_cell(low, high)
    if low == high:
        assert "[" not in cell
        return
    value, below, above = (Decimal(text) for text in cell.replace("[", "").replace("]", "").replace(",", "").split())
    assert below <= Decimal(low) < Decimal(high) <= above
    assert below <= value <= above
    for bound, written in ((low, below), (high, above)):
        assert math.isclose(bound, written, rel_tol=2e-3, abs_tol=1.01e-4 if bound >= 1e-3 else 0.0)


def test_certified_bounds_are_rounded_outward_and_others_to_the_nearest():
    assert certified_cell(0.73208, 0.73216, "delong") == "0.7321 [0.7321, 0.7322]"
    assert certified_cell(0.73206, 0.73213, "delong") == "0.7321 [0.7321, 0.7321]"
    assert certified_cell(0.73206, 0.73213) == "0.7321 [0.7320, 0.7322]"
    assert certified_cell(math.nan, math.nan) == "NaN"


LETTERS = st.sampled_from(["a", "b", "é", 'quoted "', "line\nend", ",\n  ", ""])
VALUES = st.one_of(st.integers(), st.floats(), st.sampled_from([np.nan, np.inf, -np.inf, 1e300, 5e-324]))
STATISTICS = st.dictionaries(LETTERS, VALUES, max_size=4).map(
    lambda values: [Statistic(name, name, value) for name, value in values.items()]
)
RECORDS = st.dictionaries(LETTERS, STATISTICS, max_size=4)
ABOUT = st.dictionaries(LETTERS, st.one_of(VALUES, LETTERS, st.lists(LETTERS, max_size=2), st.none()), max_size=3)


def finite(tree):
    if isinstance(tree, dict):
        return {name: finite(part) for name, part in tree.items()}
    if isinstance(tree, float) and math.isinf(tree):
        return "Infinity" if tree > 0 else "-Infinity"
    return None if isinstance(tree, float) and math.isnan(tree) else tree


@given(st.lists(RECORDS, min_size=1, max_size=2), st.booleans(), st.lists(LETTERS, max_size=2), ABOUT)
def test_json_is_that_of_the_standard_library(records, by, remarks, about):
    whole = Whole("scores", "score") if by else None
    sections = [Section(f"s{index}", "", "group", each, whole=whole) for index, each in enumerate(records)]
    text = as_json(sections, remarks, **about)
    tree = finite({"schema_version": 2, **about, **as_tree(sections, remarks)})
    assert text == json.dumps(tree, indent=2, ensure_ascii=False, allow_nan=False)


BOUNDS = st.sampled_from(
    [None, (0.25, 0.5, "wilson"), (np.nan, np.nan, "wilson"), (0.1, 0.3, CERTIFIED), (1, 1, CERTIFIED)]
)
BOUNDED = st.dictionaries(LETTERS, st.tuples(VALUES, BOUNDS), max_size=4).map(
    lambda values: [
        Statistic(name, name, value, bounds and Interval(value, *bounds[:2], 0.9, bounds[2]))
        for name, (value, bounds) in values.items()
    ]
)


@given(st.dictionaries(LETTERS, BOUNDED, min_size=1, max_size=4), st.booleans())
def test_csv_is_that_of_the_standard_library(records, by):
    sections = [Section('s,"', "", "group", records, whole=Whole("scores", "score") if by else None)]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(Row._fields)
    for row in number_rows(sections):
        writer.writerow([*row[:-3], *(("", "") if row.kind == EXACT else (row.low, row.high)), row.kind])
    assert as_csv(sections) == text.getvalue().removesuffix("\n")


@given(st.floats(-1, 1) | st.floats(-1.5, 1.5))
@example(-0.9997)
@example(-1.0004)
def test_a_fraction_is_shown_to_half_a_thousandth_and_to_two_digits_and_only_0_and_1_as_such(value):
    text, size = number(value), number(abs(value)).replace(">", "")
    negative = f"<-{size}" if ">" in number(abs(value)) else f"-{size}"
    assert number(-abs(value)) == (negative if value else "0.000")
    if abs(value) > 1:
        return
    assert (float(text.lstrip("<>")) == 0) == (value == 0)
    assert (text in ("1.000", "-1.000")) == (abs(value) == 1)
    if text in (">0.999", "<-0.999"):
        assert 0.999 < abs(value) < 1
    else:
        assert abs(float(text) - value) <= 0.0005 + 1e-12
        assert math.isclose(float(text), value, rel_tol=0.05 + 1e-12)


@every(
    ("value", "text"),
    [(0.0183, "0.018"), (0.0999, "0.100"), (0.00996, "0.010"), (0.00764, "0.0076"), (0.0001, "0.00010"),
     (0.0000994, "0.000099"), (0.0000099, "9.9e-06"), (1.0001, ">1.000"), (9.87654, "9.877"), (9.9996, "10.0"),
     (99.44, "99.4"), (99.96, "100"), (1234.5, "1,234"), (1e9, "1.00e+09"), (math.inf, "inf"), (-0.0, "0.000")],
)  # fmt: skip
def test_numbers_have_three_decimals_or_at_least_two_significant_digits(value, text):
    assert number(value) == text


def test_counts_fractions_and_p_values():
    assert (number(1234567), count(12)) == ("1,234,567", "12")
    assert (percent(1.0), percent(0.12345, 2)) == ("100.0%", "12.35%")
    assert [p_value(value) for value in (0.0, 0.001, 1.0)] == ["p < 0.001", "p = 0.0010", "p = 1.0000"]
