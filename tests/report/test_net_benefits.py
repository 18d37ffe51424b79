"""Net benefit in reports is that of decision curves, with weights, in groups and beyond memory."""

import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore import EvaluationError, evaluate
from evalcore.batched.files import answer_files
from evalcore.inference import decision_curve
from evalcore.report.progress import Bar
from evalcore.report.question import Question
from evalcore.report.records import number_rows

RANDOM = np.random.default_rng(4)
LATE = RANDOM.random(600) < 0.3
COLUMNS = {
    "late": LATE.astype(np.int64),
    "p": np.round(1 / (1 + np.exp(-RANDOM.normal(LATE - 1.0))), 2),
    "q": RANDOM.random(600).astype(np.float32),
    "margin": RANDOM.normal(LATE),
    "site": RANDOM.integers(0, 3, 600),
    "w": np.round(RANDOM.random(600) * 4, 1) + 0.1,
    "times": RANDOM.integers(1, 4, 600),
    "day": RANDOM.integers(0, 40, 600),
}
ASKED = {"label": "late", "score": ["p", "q"], "threshold": [0.2, 0.6], "ci": 0.9}


def item_of(report, section, record, name="net_benefit"):
    found = next(each for each in report.sections if each.name == section)
    return next(item for item in found.records[record] if item.name == name)


def check(item, rows, model, threshold, **options):
    curve = decision_curve(COLUMNS["late"][rows], COLUMNS[model][rows], [threshold], level=0.9, **options)
    expected = curve.net_benefit[0], curve.low[0], curve.high[0]
    assert (item.value, *item.interval) == pytest.approx((expected[0], *expected[1:]), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(
    ("asked", "options"),
    [
        ({}, {}),
        ({"weight": "w"}, {"sample_weight": COLUMNS["w"]}),
        ({"weight": "times", "weight_type": "frequency"}, {"sample_weight": COLUMNS["times"],
                                                           "weight_type": "frequency"}),
        ({"target_prevalence": 0.05}, {"target_prevalence": 0.05}),
        ({"weight": "w", "target_prevalence": 0.05}, {"sample_weight": COLUMNS["w"], "target_prevalence": 0.05}),
    ],
)  # fmt: skip
def test_net_benefits_and_their_intervals_are_those_of_decision_curves(asked, options):
    report = evaluate(COLUMNS, **ASKED, **asked)
    for model in ("p", "q"):
        check(item_of(report, "scores", model), slice(None), model, 0.2, **options)
        check(item_of(report, "threshold 0.6", model), slice(None), model, 0.6, **options)


@pytest.mark.parametrize("weight", [None, "w"])
def test_groups_have_the_net_benefits_of_their_rows(weight):
    report = evaluate(COLUMNS, **ASKED, by="site", min_cases=2, **({"weight": weight} if weight else {}))
    for section, model, threshold in (("p", "p", 0.2), ("q", "q", 0.2), ("p", "p", 0.6)):
        found = [each for each in report.sections if each.name == section][int(threshold == 0.6)]
        assert [*found.records] == [*report.sections[0].records]
        for group in (0, 1, 2, None):
            rows = np.flatnonzero(COLUMNS["site"] == group) if group is not None else np.arange(600)
            options = {} if weight is None else {"sample_weight": COLUMNS["w"][rows]}
            items = found.records["total" if group is None else str(group)]
            check(next(item for item in items if item.name == "net_benefit"), rows, model, threshold, **options)


def test_the_prevalence_of_a_group_is_not_the_known_one():
    report = evaluate(COLUMNS, **ASKED, by="site", target_prevalence=0.05)
    total = item_of(report, "p", "total")
    check(total, slice(None), "p", 0.2, target_prevalence=0.05)
    factors = [0.05 / LATE.mean(), 0.95 / (1 - LATE.mean())]
    rows = np.flatnonzero(COLUMNS["site"] == 1)
    check(item_of(report, "p", "1"), rows, "p", 0.2, sample_weight=np.where(LATE, *factors)[rows])


def test_scores_that_are_no_probabilities_and_other_thresholds_have_none():
    report = evaluate(COLUMNS, label="late", score=["p", "margin"], threshold=[0.5, 1.5], ci=0.9)
    assert math.isnan(item_of(report, "scores", "margin").value)
    assert item_of(report, "scores", "margin").interval is item_of(report, "threshold 1.5", "p").interval is None
    assert item_of(report, "scores", "p").interval
    assert "net_benefit" not in evaluate(COLUMNS, label="late", score="p", threshold=1.5)["p"]
    target = evaluate(COLUMNS, label="late", score="p", threshold_for={"precision": 1.1 - 0.1, "recall": 0.5})
    assert 0 < target["threshold for recall=0.5"]["net_benefit"] < 1
    with pytest.raises(EvaluationError, match=r"'net_benefit' is not in this report: it needs threshold above 0 and"):
        evaluate(COLUMNS, label="late", score="p", threshold=1.5, measures="net_benefit")
    assert [*evaluate(COLUMNS, label="late", score="p", threshold=0.5, measures="net_benefit")["p"]] == [
        "cases", "positives", "threshold", "net_benefit",
    ]  # fmt: skip


def test_clusters_leave_its_interval_out():
    report = evaluate(COLUMNS, **ASKED, cluster="day")
    assert item_of(report, "scores", "p").value == evaluate(COLUMNS, **ASKED)["scores", "p"]["net_benefit"]
    assert item_of(report, "scores", "p").interval is None


def test_summaries_have_the_same_net_benefits(tmp_path, monkeypatch):
    monkeypatch.setattr("evalcore.batched.files.exact_bytes", lambda *_: 1 << 40)
    path = str(tmp_path / "rows.parquet")
    pq.write_table(pa.table({**COLUMNS, "late": LATE}), path)
    question = Question("late", ("p", "q", "margin"), thresholds=(0.2, 0.6), by=("site",))
    batched = answer_files(question, [path], Bar(lambda *_: None), memory=190_000_000)
    assert batched.answer.positive is None
    whole = evaluate(COLUMNS, label="late", score=["p", "q", "margin"], threshold=[0.2, 0.6], by="site")
    expected = {row[:4]: row.value for row in number_rows(whole.sections)}
    found = {row[:4]: row.value for row in number_rows(batched.answer.sections) if row.statistic == "net_benefit"}
    assert len(found) == 24
    assert {key: expected[key] for key in found} == pytest.approx(found, nan_ok=True)
