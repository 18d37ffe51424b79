"""Costs of wrong decisions: checked, and the expected cost at a threshold beside its counts."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import evalcore
from evalcore import EvaluationError
from evalcore.batched.files import answer_files
from evalcore.cli import main
from evalcore.report.costs import Costs, checked_costs
from evalcore.report.page.document import as_html
from evalcore.report.progress import Bar
from evalcore.report.question import Question
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
            assert items[:-1] == before.records[name]
            assert (items[-1].name, items[-1].title) == ("expected_cost", "expected cost")
            rows = slice(None) if name in ("a", "b", "total") else CASES["tree"] == name
            score = section.name if by else name
            assert items[-1].value == pytest.approx(cost_of(rows, score), rel=1e-12)


def test_without_a_threshold_costs_add_nothing_to_the_tables():
    asked = {"label": "late", "score": "a"}
    assert evalcore.evaluate(CASES, costs=(1, 5), **asked) == evalcore.evaluate(CASES, **asked)


def test_rows_beyond_memory_have_the_same_cost(path, monkeypatch):
    monkeypatch.setattr("evalcore.batched.memory_budget._MOST_INTERVALS", 1 << 10)
    monkeypatch.setattr("evalcore.batched.memory_budget._MOST_WAITING", 1 << 14)
    monkeypatch.setattr("evalcore.batched.files.exact_bytes", lambda *asked: 10**9)
    question = Question("late", ("a",), threshold=0.5, costs=Costs(1.0, 5.0))
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


@every(("typed", "shown"), [("1", "(1.0,)"), ("1;5", "'1;5'"), ("1,-5", "(1.0, -5.0)"), ("", "''")])
def test_the_command_refuses_other_costs(path, typed, shown):
    run = command(path, "--score", "a", "--costs", typed)
    assert (run.exit_code, run.stdout, run.stderr) == (2, "", f"evalcore: --costs {MUST} {shown}\n")


def test_costs_need_something_that_shows_them(path):
    assert "--costs needs --threshold T or --html OUT." in command(path, "--score", "a", "--costs", "1,5").stderr


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
    assert "--no-script needs --html OUT." in run.stderr
