"""`evalcore report --ci` puts beside each line the interval that its function has, and compares score columns."""

import html
import json
import sys
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from matplotlib.figure import Figure

import evalcore
from evalcore import EvaluationError, inference, plots
from evalcore.document.charts.plots import plots_of
from evalcore.document.shown import interval_methods
from evalcore.evaluation.options import CI_METHODS
from evalcore.inference.intervals import AREA_METHODS, DEFAULT_AREA_METHOD, Interval, interval_at
from tests.cli.command import command
from tests.cli.command import reported as json_of
from tests.differences import check_refusals, every
from tests.plots.drawing import names_of

run = partial(command, "report")


def reported(*arguments):
    return json_of(run(*arguments, "--format", "json"))


@pytest.fixture
def cases():
    rng = np.random.default_rng(3)
    label = rng.random(300) < 0.4
    columns = {
        name: np.round(rng.normal(size=300) + weight * label, 1)
        for name, weight in zip("abc", (2, 1, 0.5), strict=True)
    }
    columns |= {"label": label, "tree": rng.choice(["ash", "elm"], 300), "kind": rng.integers(0, 3, 300)}
    columns["guess"] = np.where(rng.random(300) < 0.6, columns["kind"], rng.integers(0, 3, 300))
    pq.write_table(pa.table(columns), "cases.parquet")
    return columns


def test_a_level_may_be_left_out_or_in_per_cent(cases):
    asked = "--label", "label", "--score", "a", "--format", "json"
    expected = json_of(run("cases.parquet", *asked, "--ci", "0.95"))
    for words in (["--ci", "cases.parquet"], ["cases.parquet", "--ci"], ["--ci", "95", "cases.parquet"], ["--ci=95%",
                  "cases.parquet"]):  # fmt: skip
        assert json_of(run(*words, *asked)) == expected
        assert json_of(run(*asked, *words)) == expected


def bounds(record, name):
    return record[name], record[f"{name}_low"], record[f"{name}_high"]


@every(
    ("compare", "pairs", "family"),
    (None, [("b", "a"), ("b", "c")], 2),
    ("first", [("b", "a"), ("b", "c")], 2),
    ("best", [("a", "b"), ("a", "c")], 3),
    ("all", [("b", "a"), ("b", "c"), ("a", "c")], 3),
    ("none", [], 0),
)
def test_columns_are_compared_with_the_first_or_the_best_or_all_pairs(cases, compare, pairs, family):
    asked = ["cases.parquet", "--label", "label", *(f"--score={name}" for name in "bac"), "--ci", 0.95]
    asked += [] if compare is None else ["--versus", compare]
    assert "comparisons" not in reported(*asked[:6])  # without --ci
    found = reported(*asked)
    records = found.get("comparisons", {})
    assert list(records) == [f"{first} - {second}" for first, second in pairs]
    expected = [inference.compare_roc_auc(cases["label"], cases[second], cases[first]) for first, second in pairs]
    for record, one in zip(records.values(), expected, strict=True):
        assert bounds(record, "roc_auc_difference") == (one.difference, one.low, one.high)
        assert record["p_value"] == one.p_value
    # what nobody looked at cannot be rejected: its p-value is 1
    p_values = [one.p_value for one in expected] + [1.0] * (family - len(expected))
    assert [record["p_value_holm"] for record in records.values()] == inference.holm(p_values)[: len(pairs)].tolist()
    assert found.get("compare") == compare
    because = ", because any model could have been the best" if compare == "best" else ""
    expected = [f"P-values are adjusted by Holm's method for {family} comparisons{because}"] if pairs else []
    assert notes_on_holm(found["notes"]) == expected
    columns = {name: cases[name] for name in ("label", *"bac")}
    called = evalcore.evaluate(columns, label="label", score=[*"bac"], ci=0.95, compare=compare)
    assert json.loads(called.to_json()).get("comparisons", {}) == records


def notes_on_holm(notes):
    return [note for note in notes if "Holm" in note]


def test_every_format_says_what_is_compared_and_adjusted(cases):
    asked = "cases.parquet", "--label", "label", *(f"--score={name}" for name in "bac"), "--ci", 0.95
    best = *asked, "--versus", "best"
    note = "P-values are adjusted by Holm's method for 3 comparisons, because any model could have been the best"
    for style, title, begin in (("table", "", "Note: "), ("markdown", "### ", "- ")):
        lines = run(*best, "--format", style).stdout.splitlines()
        assert f"{title}ROC AUCs compared with that of 'a', on the same cases" in lines
        assert f"{begin}{note}" in lines
        assert f"{title}ROC AUCs compared, on the same cases" in run(*asked, "--versus=all", "--format", style).stdout
    assert "comparisons,a - c,,p_value_holm," in run(*best, "--format", "csv").stdout
    columns = {name: cases[name] for name in ("label", *"abc")}
    shown = evalcore.evaluate(columns, label="label", score=[*"abc"], ci=0.95, compare="best")._repr_html_()
    assert "ROC AUCs compared with that of &#x27;a&#x27;, on the same cases" in shown
    assert html.escape(note) in shown


def test_comparisons_need_p_values_of_scores_of_one_label(cases):
    asked = "cases.parquet", "--label", "label", "--score=b", "--score=a", "--ci", 0.95
    for compare, pair in (("first", "b - a"), ("best", "a - b"), ("all", "b - a")):
        found = reported(*asked, "--versus", compare)
        assert [(name, "p_value_holm" in record) for name, record in found["comparisons"].items()] == [(pair, False)]
        assert notes_on_holm(found["notes"]) == []
    assert "comparisons" not in reported(*asked[:-3], "--ci", 0.95, "--versus", "best")
    with pytest.raises(EvaluationError, match="compare needs columns of scores of one label"):
        evalcore.evaluate({"a": [1, 0], "b": [1, 1]}, label="a", predicted="b", compare="all")
    with pytest.raises(EvaluationError, match="compare must be one of first, best, all, none, got 'each'"):
        evalcore.evaluate({"a": [1, 0], "b": [1, 1]}, label="a", score="b", ci=0.95, compare="each")


@every(
    ("compare", "adjusted"),
    ("first", []),
    ("best", ["2 comparisons, because any model could have been the best"]),
    ("all", ["2 comparisons"]),
)
def test_comparisons_without_a_p_value_are_not_adjusted_for(compare, adjusted):
    columns = {"label": [0, 0, 1, 1], "up": [1, 2, 3, 4], "down": [4, 3, 2, 1], "mixed": [1, 3, 2, 4]}
    found = evalcore.evaluate(
        columns, label="label", score=["up", "down", "mixed"], ci=0.95, ci_method="delong", compare=compare
    )
    assert notes_on_holm(found.notes) == [
        *(f"P-values are adjusted by Holm's method for {words}" for words in adjusted),
        "p and p, Holm are NaN where a class has fewer than two cases, or the difference has no variance: 'up - down'",
    ]


def test_intervals_need_no_scipy_and_are_not_shown_where_there_are_none(cases, monkeypatch):
    pq.write_table(pa.table({"label": [0, 0, 0], "a": [0.1, 0.2, 0.3]}), "negatives.parquet")
    asked = "negatives.parquet", "--label", "label", "--score", "a", "--threshold", 0.15, "--ci", 0.95
    record = reported(*asked)["scores"]["a"]
    assert bounds(record, "roc_auc") == (None, None, None)
    assert bounds(record, "recall")[1:] == (None, None)
    line = next(line for line in run(*asked).stdout.splitlines() if line.startswith("  ROC AUC"))
    assert line.split() == ["ROC", "AUC", "NaN"]
    monkeypatch.setitem(sys.modules, "scipy", None)
    scores = ["cases.parquet", "--label", "label", "--score", "a", "--threshold", 1, "--ci", 0.95]
    assert run(*scores, "--score", "b").exit_code == 0
    assert run(*scores, "--by", "tree").exit_code == 0
    assert run("cases.parquet", "--label", "kind", "--predicted", "guess", "--ci", 0.95).exit_code == 0


of_cases = partial(command, "report", "cases.parquet")

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
    assert interval_methods(report.sections).startswith("wilson: prevalence. delong-logit: ROC AUC. ")
    first = next(iter(plots_of(report.answer, report.question)))
    ax = Figure().add_subplot()
    first.draw(ax=ax)
    own = inference.roc_auc_interval(columns["late"], columns["a"], method="delong-logit")
    text = f"[{own.low:.3f}, {own.high:.3f}]"
    assert text in names_of(ax)[0]
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
    found = json.loads(of_cases(*SCORED, "--ci", 0.95, "--ci-method", method, "--format", "json").stdout)
    assert found["ci_method"] == method
    assert note in found["notes"]
    assert f"Note: {note}\n" in of_cases(*SCORED, "--ci", 0.95, "--ci-method", method).stdout


REFUSED = [
    {"ci": None, "score": "a"}, {"score": "a", "ci_method": "wald"}, {"score": "a", "ci_method": ["delong"]},
    {"predicted": "kind", "label": "kind"}, {"score": {"x": "x", "y": "a"}, "label": "kind", "by": "month"},
    {"score": "a", "measures": "log_loss"},
]  # fmt: skip


def test_it_is_refused_where_it_changes_nothing(columns):
    def ask(asked):
        evalcore.evaluate(columns, **{"label": "late", "ci": 0.95, "ci_method": "delong", **asked})

    check_refusals("cli/outputs/refused_methods.txt", ask, REFUSED)
