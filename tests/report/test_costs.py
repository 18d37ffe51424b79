"""Costs of wrong decisions: checked, and the expected cost at a threshold beside its counts."""

import json
import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure

import evalcore
from evalcore import EvaluationError
from evalcore.batched.files import answer_files
from evalcore.cli import main
from evalcore.report.charts.plots import plots_of
from evalcore.report.costs import Costs, checked_costs
from evalcore.report.page.document import as_html
from evalcore.report.page.panels import View
from evalcore.report.page.thresholds import thresholds_panel
from evalcore.report.progress import Bar
from evalcore.report.question import Question
from evalcore.report.threshold_choice import operating_point
from tests.differences import every

RNG = np.random.default_rng(4)
CASES = {
    "late": RNG.integers(0, 2, 60), "a": RNG.random(60).round(1), "b": RNG.random(60), "tree": RNG.choice([*"xyz"], 60)
}  # fmt: skip
MUST = "must be two numbers of at least 0, the costs of a false positive and of a false negative, got"


def cost_of(rows, score, threshold=0.5):
    """Return the mean cost by its definition."""
    flagged = CASES[score][rows] >= threshold
    late = CASES["late"][rows] == 1
    return sum(1.0 if flag and not is_late else 5.0 if is_late and not flag else 0.0
               for flag, is_late in zip(flagged, late, strict=True)) / len(flagged)  # fmt: skip


@pytest.fixture
def path(tmp_path):
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
            assert [item.title for item in items[at : at + 2]] == ["lowest expected cost", "  reached at score"]
            lowest = [(cost_of(rows, score, t), -t) for t in [*CASES[score][rows].tolist(), math.inf]]
            assert (items[at].value, -items[at + 1].value) == pytest.approx(min(lowest), rel=1e-12)


def test_the_lowest_cost_is_that_of_the_metrics_and_needs_no_threshold():
    report = evalcore.evaluate(CASES, label="late", score=["a", "b"], costs=(1, 5))
    for name in ("a", "b"):
        best = evalcore.metrics.expected_cost(CASES["late"], CASES[name], false_positive=1, false_negative=5)
        assert report[name]["minimum_expected_cost"] == best.cost
        assert report[name]["minimum_expected_cost_score"] == best.threshold
    assert {"minimum_expected_cost", "minimum_expected_cost_score"} <= set(json.loads(report.to_json())["scores"]["a"])


def test_where_no_flag_pays_the_threshold_is_infinite():
    report = evalcore.evaluate(CASES, label="late", score="a", costs=(100, 0.01))
    assert report["a"]["minimum_expected_cost_score"] == math.inf
    assert json.loads(report.to_json())["scores"]["a"]["minimum_expected_cost_score"] == "Infinity"
    assert report["a"]["minimum_expected_cost"] == pytest.approx(0.01 * CASES["late"].mean())


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
    panel = thresholds_panel(View(report.answer, report.question, {})).content
    matrix = "given threshold" if "threshold" in asked else f"threshold of the {dots}"
    assert panel["matrix"] == f"Confusion matrix at the {matrix}"
    for model, (x, y) in zip(panel["models"], marked, strict=True):
        at, late = float(model.threshold), CASES["late"] == 1
        assert (x, y) == pytest.approx([(CASES[model.name][side] >= at).mean() for side in (~late, late)])
    slider = panel["slider"]
    assert slider["positions"][slider["start"]] == panel["models"][0].threshold


def test_the_page_stands_where_it_is_cheapest_to_flag_no_case():
    report = evalcore.evaluate(CASES, label="late", score="a", costs=(100, 0.01))
    panel = thresholds_panel(View(report.answer, report.question, {})).content
    assert panel["models"][0].threshold == "none"
    assert panel["slider"]["start"] == len(panel["slider"]["positions"]) - 1


def test_rows_beyond_memory_have_the_same_cost(path, monkeypatch):
    monkeypatch.setattr("evalcore.batched.memory_budget._MOST_INTERVALS", 1 << 10)
    monkeypatch.setattr("evalcore.batched.memory_budget._MOST_WAITING", 1 << 14)
    monkeypatch.setattr("evalcore.batched.files.exact_bytes", lambda *asked: 10**9)
    question = Question("late", ("a",), thresholds=(0.5,), costs=Costs(1.0, 5.0))
    found = answer_files(question, [path], Bar(lambda *_: None), memory=190_000_000)
    assert found.answer.positive is None
    cost = found.answer.sections[0].records["a"][-1]
    assert cost.value == pytest.approx(cost_of(slice(None), "a"), rel=1e-12)
    assert "Thresholds are compared where all rows fit in memory." in as_html(found.answer, question)


@every("costs", [(1,), (1, 2, 3), "12", 5, (1, -2), (np.nan, 1), (1, np.inf), ("1", "5"), {1: 2, 3: 4}, (1, None)])
def test_costs_are_two_numbers(costs):
    with pytest.raises(EvaluationError) as raised:
        evalcore.evaluate(CASES, label="late", score="a", costs=costs)
    assert str(raised.value).startswith(f"costs {MUST} {costs!r}")


def test_costs_may_be_of_any_kind_of_number():
    assert checked_costs([np.int64(2), np.float32(0.5)]) == Costs(2.0, 0.5)


def command(path, *options):
    return CliRunner().invoke(main, ["report", path, "--label", "late", *options])


def test_the_command_takes_two_costs(path):
    run = command(path, "--score", "a", "--threshold", "0.5", "--costs", "1,5", "--format", "json")
    expected = evalcore.evaluate(CASES, label="late", score="a", threshold=0.5, costs=(1, 5))
    assert json.loads(run.stdout)["scores"] == json.loads(expected.to_json())["scores"]


@every(("typed", "shown"), [("1", "'1'"), ("1;5", "'1;5'"), ("1,-5", "'1,-5'"), ("", "''")])
def test_the_command_refuses_other_costs(path, typed, shown):
    run = command(path, "--score", "a", "--costs", typed)
    assert (run.exit_code, run.stdout, run.stderr) == (2, "", f"evalcore: --costs {MUST} {shown}\n")


def test_costs_need_no_threshold(path):
    assert "lowest expected cost" in command(path, "--score", "a", "--costs", "1,5").stdout


def test_costs_need_scores_of_one_label(path):
    assert "--costs needs --score COL." in command(path, "--predicted", "late", "--costs", "1,5").stderr
    with pytest.raises(EvaluationError, match="costs needs columns of scores of one label"):
        evalcore.evaluate(CASES, label="late", predicted="late", costs=(1, 5))


@pytest.mark.usefixtures("undrawn")
def test_a_page_says_what_the_costs_are():
    page = evalcore.evaluate(CASES, label="late", score="a", costs=(1, 5)).to_html()
    assert "1 for a false positive, 5 for a false negative" in page


def test_only_a_page_has_a_script_to_leave_out(path):
    run = command(path, "--score", "a", "--no-script")
    assert (run.exit_code, run.stdout) == (2, "")
    assert "--no-script needs --html OUT or --format html." in run.stderr
