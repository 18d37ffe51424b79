"""`evalcore report --ci-method` chooses the interval of ROC AUCs, and every output says which it is."""

import json
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from matplotlib.figure import Figure

import evalcore
from evalcore import EvaluationError, inference, plots
from evalcore.evaluation.options import CI_METHODS
from evalcore.inference.intervals import AREA_METHODS, DEFAULT_AREA_METHOD, Interval, interval_at
from evalcore.report.charts.plots import plots_of
from evalcore.report.words.definitions import interval_methods
from tests.cli.command import command
from tests.differences import every

run = partial(command, "report", "cases.parquet")

SCORED = "--label", "late", "--score", "a"
SAID = {
    "delong-wilson": "Wilson's, with DeLong's variance",
    "delong": "DeLong's",
    "delong-logit": "DeLong's, of the logit",
}


@pytest.fixture(scope="module")
def columns():
    rng = np.random.default_rng(3)
    late = np.arange(60) % 3 == 0
    models = {name: np.round(rng.normal(size=60) + weight * late, 1) for name, weight in (("a", 2), ("b", 1))}
    return {
        "late": late, **models, "month": np.repeat([1, 2], 30), "n": rng.integers(1, 4, 60),
        "w": rng.random(60) + 0.5, "kind": np.array(["x", "y"])[late.astype(int)], "x": -models["a"],
    }  # fmt: skip


@pytest.fixture
def file(columns):
    pq.write_table(pa.table(columns), "cases.parquet")


def test_pages_and_charts_have_the_chosen_interval_and_know_its_names(columns):
    assert tuple(AREA_METHODS) == CI_METHODS
    assert CI_METHODS[0] == DEFAULT_AREA_METHOD
    report = evalcore.evaluate(columns, label="late", score="a", ci=0.95, ci_method="delong-logit")
    assert interval_methods(report.sections).startswith("Wilson: prevalence. DeLong, logit: ROC AUC. ")
    first = next(iter(plots_of(report.answer, report.question)))
    ax = Figure().add_subplot()
    first.draw(ax)
    own = inference.roc_auc_interval(columns["late"], columns["a"], method="delong-logit")
    text = f"[{own.low:.3f}, {own.high:.3f}]"
    assert text in ax.get_legend().get_texts()[0].get_text()
    with pytest.raises(EvaluationError, match="The 'method' parameter of plot_roc must be one of"):
        plots.plot_roc(columns["late"], columns["a"], method="wald")
    wide, narrow = (
        inference.roc_auc_interval(columns["late"], columns["a"], level=level, method="delong-logit")
        for level in (0.99, 0.9)
    )
    found = interval_at(narrow, 0.99)
    assert (found.low, found.high) == pytest.approx((wide.low, wide.high), rel=1e-12)
    sure = interval_at(Interval(0.5, 0.25, 1.0, 0.95, "delong-logit"), 0.95)  # a bound that was rounded to 1
    assert (sure.low, sure.high) == pytest.approx((0.25, 0.75), rel=1e-12)


@every("asked", [{}, {"weight": "w"}, {"cluster": "month"}, {"by": "month"}])
def test_differences_are_delong_s_where_areas_are(columns, asked):
    def bounds_of(method):
        own = {**columns, "month": np.arange(60) % (2 if "by" in asked else 12)}
        report = evalcore.evaluate(own, label="late", score=["a", "b"], ci=0.95, ci_method=method, **asked)
        *_, compared = report.sections
        items = compared.records["total" if "by" in asked else "a - b"]
        return next(item.interval for item in items if item.name == "roc_auc_difference")

    by_score, plain = bounds_of(None), bounds_of("delong")
    assert (by_score.method, plain.method) == ("delong-score", "delong")
    assert by_score.low < plain.low < plain.high < by_score.high
    assert bounds_of("delong-wilson") == bounds_of("delong-logit") == by_score


@pytest.mark.usefixtures("file")
@every("method", CI_METHODS)
def test_notes_and_json_say_the_interval(columns, method):
    note = f"intervals of ROC AUCs are {SAID[method]}"
    report = evalcore.evaluate(columns, label="late", score="a", ci=0.95, ci_method=method)
    assert note in report.notes
    assert report.question.described()["Intervals of ROC AUCs"] == method
    found = json.loads(run(*SCORED, "--ci", 0.95, "--ci-method", method, "--format", "json").stdout)
    assert found["ci_method"] == method
    assert note in found["notes"]
    assert f"Note: {note}\n" in run(*SCORED, "--ci", 0.95, "--ci-method", method).stdout


@every(
    ("asked", "error"),
    [
        ({"ci": None, "score": "a"}, "ci_method needs ci, the level of the intervals"),
        ({"score": "a", "ci_method": "wald"},
         "ci_method must be one of delong-wilson, delong, delong-logit, got 'wald'"),
        ({"score": "a", "ci_method": ["delong"]},
         "ci_method must be one of delong-wilson, delong, delong-logit, got ['delong']"),
        ({"predicted": "kind", "label": "kind"},
         "ci_method chooses the interval of ROC AUCs, which need scores, got predicted classes"),
        ({"score": {"x": "x", "y": "a"}, "label": "kind", "by": "month"},
         "ci_method needs scores of one label, or no by"),
        ({"score": "a", "measures": "log_loss"},
         "ci_method chooses the interval of roc_auc; name this measure too"),
    ],
)  # fmt: skip
def test_it_is_refused_where_it_changes_nothing(columns, asked, error):
    with pytest.raises(EvaluationError) as raised:
        evalcore.evaluate(columns, **{"label": "late", "ci": 0.95, "ci_method": "delong", **asked})
    assert str(raised.value) == error
