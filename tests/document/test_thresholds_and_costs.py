"""Several thresholds, thresholds that reach a target, and costs of wrong decisions: in every form, and their errors."""

import json
import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

import evalcore
from evalcore.cli import main
from evalcore.document.charts.plots import plots_of
from evalcore.document.page.report import as_html
from evalcore.document.page.thresholds import thresholds_panel
from evalcore.document.records import number_rows
from evalcore.document.thresholds import operating_point
from evalcore.errors import EvaluationError
from evalcore.evaluation.files import answer_files
from evalcore.evaluation.progress import Bar
from evalcore.evaluation.question import Question
from evalcore.evaluation.thresholds import Costs, Target, checked_costs
from evalcore.metrics import threshold_at
from tests.differences import check_output, check_refusals, every

RANDOM = np.random.default_rng(22)
LATE = RANDOM.random(600) < 0.3
COLUMNS = {
    "late": LATE.astype(np.int64),
    "a": np.round(RANDOM.normal(LATE * 1.0, 1.0), 1),
    "b": RANDOM.random(600).astype(np.float32),
    "month": RANDOM.integers(1, 4, 600),
}
ASKED = {"label": "late", "score": ["a", "b"]}


@pytest.fixture
def path(tmp_path):
    name = tmp_path / "flights.parquet"
    pq.write_table(pa.table({**COLUMNS, "late": LATE}), name)
    return str(name)


def test_thresholds_of_any_place_have_the_names_and_statistics_of_a_first_one():
    one, several = (evalcore.evaluate(COLUMNS, **ASKED, threshold=each, ci=0.9) for each in (0.5, [0.5, 0.25]))
    assert evalcore.evaluate(COLUMNS, **ASKED, threshold=[0.5], ci=0.9) == one
    rows = list(number_rows(several.sections))
    assert repr(rows[: len(list(number_rows(one.sections)))]) == repr(list(number_rows(one.sections)))
    assert list(several.to_dict()) == ["scores", "comparisons", "threshold 0.25", "notes"]
    several = evalcore.evaluate(COLUMNS, **ASKED, threshold=[0.5, 0.25], costs=(1, 5), by="month", ci=0.9)
    alone = evalcore.evaluate(COLUMNS, **ASKED, threshold=0.25, costs=(1, 5), by="month", ci=0.9)
    wanted = [*alone["a", "total"]][[*alone["a", "total"]].index("threshold") :]
    further = {row[1:4]: row[4:] for row in number_rows(several.sections) if row.section == "threshold 0.25"}
    first = {row[1:4]: row[4:] for row in number_rows(alone.sections) if row.section == "scores" and row[3] in wanted}
    assert repr(further) == repr(first)


@every("given", [[0.5, 0.25], (0.5, 0.25), np.array([0.5, 0.25]), [np.float32(0.5), np.float64(0.25)]])
def test_thresholds_come_in_any_sequence_and_kind_of_number(given):
    expected = evalcore.evaluate(COLUMNS, **ASKED, threshold=[0.5, 0.25])
    assert evalcore.evaluate(COLUMNS, **ASKED, threshold=given).to_json() == expected.to_json()


@given(
    st.lists(
        st.tuples(st.booleans(), st.sampled_from([0.0, 0.25, 0.5, np.inf]), st.sampled_from("abc")),
        min_size=1,
        max_size=40,
    ),
    st.sampled_from(["precision", "recall", "specificity", "fpr", "flagged"]),
    st.sampled_from([0.0, 0.3, 0.75, 1.0]),
)
def test_each_model_has_the_threshold_of_the_metrics(cases, measure, value):
    late, scores, groups = (np.array(column) for column in zip(*cases, strict=True))
    columns = {"late": late, "model": scores, "by": groups}
    report = evalcore.evaluate(columns, label="late", score="model", by="by", threshold_for={measure: value})
    section = f"threshold for {measure}={value:g}"
    expected = threshold_at(late, np.minimum(scores, 1e300), **{measure: value})
    expected = math.inf if expected == 1e300 else expected
    for group in {"total", *groups.tolist()}:
        rows = (groups == group) | (group == "total")
        found = report[section, "model", group]
        assert repr(found["threshold"]) == repr(float(expected))
        if math.isnan(expected):
            assert np.isnan([*found.values()]).all()
        else:
            assert found["tp"] == np.count_nonzero(late[rows] & (scores[rows] >= expected))
            assert found["tp"] + found["fp"] == np.count_nonzero(scores[rows] >= expected)


REFUSED = [
    {"threshold": [0.5, math.nan]}, {"threshold": [0.5, "high"]}, {"threshold": "0.5"}, {"threshold": [0.5, 0.50]},
    {"threshold_for": {"recall": [0.5, 0.5]}}, {"threshold_for": {"recal": 0.5}}, {"threshold_for": {"recall": -1}},
    {"threshold_for": {"recall": "x"}}, {"threshold_for": {"fpr": 1.5}}, {"threshold_for": {"fpr": 100.5}},
    {"threshold_for": {"fpr": 5}}, {"threshold_for": "precision=0.9"},
    *({"costs": costs} for costs in ((1,), (1, 2, 3), "12", 5, (1, -2), (math.nan, 1), (1, math.inf), ("1", "5"),
                                     {1: 2, 3: 4}, (1, None))),
    *({"score": None, "predicted": "late", **asked}
      for asked in ({"costs": (1, 5)}, {"threshold_for": {"recall": 0.5}})),
]  # fmt: skip


def test_names_of_measures_may_have_thresholds():
    scores = {"label": "late", "score": "a"}
    at = evalcore.evaluate(CASES, **scores, measures=["f1@0.3", "recall@recall=0.5"], threshold=0.25)
    asked = {"measures": ["f1", "recall"], "threshold": [0.25, 0.3], "threshold_for": {"recall": 0.5}}
    assert at == evalcore.evaluate(CASES, **scores, **asked)
    assert evalcore.evaluate(CASES, **scores, measures="f1@0.3")["a"]["threshold"] == 0.3
    with pytest.raises(EvaluationError, match=r"must be one of .*, got 'recall\[late\]'"):
        evalcore.evaluate(CASES, **scores, measures="recall[late]", threshold=0.5)


def test_errors_from_python():
    name, ask = "document/outputs/refused_thresholds.txt", lambda asked: evalcore.evaluate(COLUMNS, **ASKED | asked)
    check_refusals(name, ask, REFUSED)


def test_costs_and_targets_need_scores_of_one_label_and_all_rows(path, little_memory, costly_path):
    question = Question("late", ("a",), targets=(Target("precision", 0.9),))
    with pytest.raises(EvaluationError) as raised:
        answer_files(question._replace(memory=190_000_000), [path], Bar(lambda *_: None))
    assert str(raised.value).startswith("thresholds that reach a target (--threshold-for) need all rows in memory: 600")
    assert checked_costs([np.int64(2), np.float32(0.5)]) == Costs(2.0, 0.5)
    assert "--costs needs --score COL." in costly(costly_path, "--predicted", "late", "--costs", "1,5").stderr


IN_A_SHELL = [
    "--score a --threshold-for 0.9", "--score a --threshold-for precision=high",
    "--score a --threshold-for fallout=0.1", "--predicted b --threshold-for fpr=0.1",
    "--score a --threshold 1 --threshold 1.0", "--score a --measure f1@abc",
]  # fmt: skip


def test_errors_of_the_command():
    said = []
    for options in IN_A_SHELL:
        asked = ["report", "x.csv", "--label", "late", *options.split()]
        refused = CliRunner().invoke(main, asked, prog_name="evalcore")
        assert (refused.exit_code, refused.stdout) == (2, "")
        said.append(f"{options}\n  {refused.stderr.splitlines()[-1]}")
    check_output("document/outputs/refused_threshold_options.txt", "\n".join(said))


RNG = np.random.default_rng(4)
CASES = {
    "late": RNG.integers(0, 2, 60), "a": RNG.random(60).round(1), "b": RNG.random(60), "tree": RNG.choice([*"xyz"], 60)
}  # fmt: skip


def cost_of(rows, score, threshold=0.5):
    """Return the mean cost by its definition."""
    flagged = CASES[score][rows] >= threshold
    late = CASES["late"][rows] == 1
    return sum(1.0 if flag and not is_late else 5.0 if is_late and not flag else 0.0
               for flag, is_late in zip(flagged, late, strict=True)) / len(flagged)  # fmt: skip


@pytest.fixture
def costly_path(tmp_path):
    pq.write_table(pa.table(CASES), tmp_path / "cases.parquet")
    return str(tmp_path / "cases.parquet")


@every("by", [None, "tree"])
@every("ci", [None, 0.9])
def test_the_expected_cost_stands_beside_the_counts(by, ci):
    asked = {"label": "late", "score": ["a", "b"], "threshold": 0.5, "by": by, "ci": ci}
    report, plain = evalcore.evaluate(CASES, costs=(1, 5), **asked), evalcore.evaluate(CASES, **asked)
    for section, before in zip(report.sections, plain.sections, strict=True):
        for name, items in section.records.items():
            if "comparisons" in section.address(name):
                assert items == before.records[name]
                continue
            kept = [item for item in items[:-1] if not item.name.startswith("minimum_expected_cost")]
            assert kept == before.records[name]
            assert (items[-1].name, items[-1].title) == ("expected_cost", "expected cost")
            rows = slice(None) if name in ("a", "b", "total") else CASES["tree"] == name
            score = section.name if by else name
            assert items[-1].value == pytest.approx(cost_of(rows, score), rel=1e-12)
            at = next(index for index, item in enumerate(items) if item.name == "minimum_expected_cost")
            assert [item.title for item in items[at : at + 2]] == ["lowest expected cost", "  reached at the threshold"]
            lowest = [(cost_of(rows, score, t), -t) for t in [*CASES[score][rows].tolist(), math.inf]]
            assert (items[at].value, -items[at + 1].value) == pytest.approx(min(lowest), rel=1e-12)


@pytest.mark.usefixtures("undrawn")
def test_where_no_flag_pays_and_beyond_memory_costs_are_told_on_the_page(costly_path, little_memory):
    report = evalcore.evaluate(CASES, label="late", score="a", costs=(100, 0.01))
    assert report["a"]["minimum_expected_cost_threshold"] == math.inf
    assert json.loads(report.to_json())["scores"]["a"]["minimum_expected_cost_threshold"] == "Infinity"
    assert report["a"]["minimum_expected_cost"] == pytest.approx(0.01 * CASES["late"].mean())
    report = evalcore.evaluate(CASES, label="late", score="a", costs=(100, 0.01))
    panel = thresholds_panel(report.answer, report.question).content
    assert panel["models"][0].said.startswith("At threshold none, a flags 0.0% of the cases (0)")
    assert panel["slider"]["models"][0]["start"] == len(panel["slider"]["positions"]) - 1
    question = Question("late", ("a",), thresholds=(0.5,), costs=Costs(1.0, 5.0))
    found = answer_files(question._replace(memory=190_000_000), [costly_path], Bar(lambda *_: None))
    assert found.positive is None
    cost = found.sections[0].records["a"][-1]
    assert cost.value == pytest.approx(cost_of(slice(None), "a"), rel=1e-12)
    assert "Thresholds are compared only if all rows fit in memory;" in as_html(found, question)
    page = evalcore.evaluate(CASES, label="late", score="a", costs=(1, 5)).to_html()
    assert "1 for a false positive, 5 for a false negative" in page


def threshold_of(model):
    """Return the threshold of which the sentence of a model speaks."""
    return model.said.removeprefix("At threshold ").partition(",")[0]


@every(("asked", "dots"), [
    ({}, "best F1"), ({"costs": (1, 5)}, "lowest expected cost"),
    ({"costs": (1, 5), "threshold": 0.5}, "given threshold"),
])  # fmt: skip
def test_the_operating_point_is_the_given_threshold_or_the_cheapest_or_that_of_the_best_f1(asked, dots):
    report = evalcore.evaluate(CASES, label="late", score=["a", "b"], **asked)
    assert operating_point({item.name for item in report.sections[0].records["a"]}) == dots
    roc = next(plot for plot in plots_of(report.answer, report.question) if plot.name == "roc")
    whose = "0.5." if "threshold" in asked else f"of each model's {dots}."
    assert roc.text.endswith(f"Dots mark the threshold {whose}")
    ax = Figure().add_subplot()
    roc.draw(ax=ax)
    marked = [line.get_xydata()[0].tolist() for line in ax.get_lines() if line.get_label() == "_threshold"]
    panel = thresholds_panel(report.answer, report.question).content
    matrix = "given threshold" if "threshold" in asked else f"threshold of the {dots}"
    assert panel["matrix"] == f"Confusion matrix at the {matrix}"
    for model, (x, y) in zip(panel["models"], marked, strict=True):
        at, late = float(threshold_of(model)), CASES["late"] == 1
        assert (x, y) == pytest.approx([(CASES[model.name][side] >= at).mean() for side in (~late, late)])
    slider = panel["slider"]
    assert slider["positions"][slider["models"][0]["start"]] == threshold_of(panel["models"][0])


def costly(costly_path, *options):
    return CliRunner().invoke(main, ["report", costly_path, "--label", "late", *options])


def test_a_net_benefit_that_no_threshold_has_is_nan_where_it_is_asked_for():
    asked = {"threshold": 0, "threshold_for": {"fpr": 0.1}, "measures": "net_benefit"}
    report = evalcore.evaluate({"y": [1], "s": [0.5]}, label="y", score="s", **asked)
    assert np.isnan(report["s"]["net_benefit"])
    assert "net benefit" in repr(report)
