"""Plots that a report draws itself, as its page has them, and which are missing and why."""

from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure

import evalcore
from evalcore import metrics, plots
from evalcore.cli import main
from evalcore.document.charts.plots import missing, plots_of
from evalcore.inference import average_precision_interval, decision_curve, roc_auc_interval
from tests.differences import check_output, check_refusals, every

RNG = np.random.default_rng(11)
LATE = RNG.random(300) < 0.4
CASES = {"late": LATE, "logistic": 1 / (1 + np.exp(-RNG.normal(LATE))), "margin": RNG.normal(LATE)}
CASES["month"] = np.arange(300) % 3
REPORT = evalcore.evaluate(CASES, label="late", score=["logistic", "margin"], ci=0.9, threshold=0.5)
GROUPED = evalcore.evaluate(CASES, label="late", score=["logistic", "margin"], by="month", ci=0.9)
CODES = RNG.integers(0, 3, 60)
SCORES = RNG.random((60, 3)) + np.eye(3)[CODES]
KINDS = {"kind": np.array(list("abc"))[CODES], **dict(zip("abc", SCORES.T, strict=True))}
OF_CLASSES = evalcore.evaluate(KINDS, label="kind", score={kind: kind for kind in "abc"})
PREDICTED = evalcore.evaluate({"kind": ["a", "b"], "guess": ["a", "a"]}, label="kind", predicted="guess")


def drawn(report, name, **options):
    return getattr(report, f"plot_{name}")(ax=Figure().add_subplot(), **options)


def labels_of(ax):
    return [line.get_label() for line in ax.get_lines() if not line.get_label().startswith("_")]


def test_curves_have_the_intervals_and_the_threshold_of_the_report():
    for name, interval in (("roc", roc_auc_interval), ("precision_recall", average_precision_interval)):
        ax = drawn(REPORT, name)
        bounds = interval(LATE, CASES["logistic"], level=0.9)
        assert f"{bounds.estimate:.3f} [{bounds.low:.3f}, {bounds.high:.3f}]\nat 0.5: " in labels_of(ax)[0]
        assert [patch.get_label() for patch in ax.patches] == ["_band", "_band"]
    bare = drawn(REPORT, "roc", interval=False, threshold=None, names={"margin": "SVM"}, title="Flights")
    areas = [metrics.roc_auc_score(LATE, CASES[name]) for name in ("logistic", "margin")]
    assert labels_of(bare) == [f"logistic, AUC = {areas[0]:.3f}", f"SVM, AUC = {areas[1]:.3f}"]
    assert bare.get_title() == "Flights"


@every("name", ["thresholds", "score_distributions", "gains"])
def test_plots_of_scores_are_those_of_the_functions(name):
    ours = drawn(REPORT, name, threshold=0.25) if name != "gains" else drawn(REPORT, name)
    given = {} if name == "gains" else {"threshold": 0.25}
    scores = {model: CASES[model] for model in ("logistic", "margin")}
    theirs = getattr(plots, f"plot_{name}")(LATE, scores, ax=Figure().add_subplot(), **given)
    for one, other in zip(ours.get_lines(), theirs.get_lines(), strict=True):
        np.testing.assert_array_equal(one.get_xydata(), other.get_xydata())
        assert one.get_label() == other.get_label()
    for one, other in zip(ours.patches, theirs.patches, strict=True):
        np.testing.assert_array_equal(one.get_data().values, other.get_data().values)


def test_probabilities_are_calibrated_and_their_thresholds_read_in_their_width():
    assert [label.partition(",")[0] for label in labels_of(drawn(REPORT, "calibration"))] == ["logistic"]
    probabilities = np.round(CASES["logistic"], 1).astype(np.float32)
    report = evalcore.evaluate({"late": LATE, "p": probabilities}, label="late", score="p")
    levels = np.arange(1, 10) / 10
    ax = drawn(report, "decision_curve", thresholds=levels)
    expected = decision_curve(LATE, probabilities, levels).net_benefit
    np.testing.assert_allclose(ax.get_lines()[0].get_ydata(), expected, rtol=1e-12)


@every(
    "asked",
    [{}, {"weight": "w"}, {"weight": "times", "weight_type": "frequency"}, {"target_prevalence": 0.05},
     {"weight": "w", "target_prevalence": 0.05}],
)  # fmt: skip
def test_decision_curves_are_those_of_inference(asked):
    random = np.random.default_rng(2)
    weights = {"w": random.random(LATE.size) + 0.1, "times": random.integers(1, 4, LATE.size)}
    report = evalcore.evaluate({**CASES, **weights}, label="late", score=["logistic", "margin"], ci=0.9, **asked)
    ax = drawn(report, "decision_curve", thresholds=[0.1, 0.4])
    given = {name: value for name, value in asked.items() if name != "weight"}
    given["sample_weight"] = weights.get(asked.get("weight"))
    expected = decision_curve(LATE, CASES["logistic"], [0.1, 0.4], level=0.9, **given)
    assert labels_of(ax)[0] == "logistic"
    np.testing.assert_allclose(ax.get_lines()[0].get_ydata(), expected.net_benefit, rtol=1e-12)
    (band,) = [patch for patch in ax.patches if patch.get_label() == "_band"]
    np.testing.assert_allclose(band.get_xy()[:4, 1], [*expected.high, *expected.low[::-1]], rtol=1e-12)


def test_groups_have_their_statistics_intervals_sizes_and_total():
    ax = drawn(GROUPED, "groups", order="given")
    record = GROUPED["logistic", "total"]
    assert ax.get_legend().get_texts()[0].get_text() == f"logistic, total {record['roc_auc']:.3f}"
    dots = ax.get_lines()
    drawn_areas = next(line.get_xdata() for line in dots if line.get_label().startswith("logistic"))
    groups = [names[-1] for names in GROUPED if names[0] == "logistic"][:-1]
    expected = [GROUPED["logistic", group]["roc_auc"] for group in groups]
    np.testing.assert_array_equal(drawn_areas[::-1], expected)
    segments = [segment[:, 0].tolist() for segment in ax.collections[0].get_segments()]
    bounds = GROUPED.to_dict()["scores"]["logistic"][groups[0]]
    assert [bounds["roc_auc_low"], bounds["roc_auc_high"]] in segments
    one = evalcore.evaluate(CASES, label="late", score="margin", by="month", threshold=0.5)
    recall = drawn(one, "groups", measure="recall")
    assert recall.get_xlabel() == "recall"
    assert "100" in [text.get_text() for text in recall.texts] + [text.get_text() for text in recall.get_yticklabels()]


def test_confusion_matrices_are_of_classes_or_of_one_model_at_a_threshold():
    np.testing.assert_array_equal(drawn(PREDICTED, "confusion_matrix").images[0].get_array().data, [[1, 0], [1, 0]])
    one = evalcore.evaluate(CASES, label="late", score="margin", threshold=0.5)
    texts = [text.get_text().partition("\n")[0] for text in drawn(one, "confusion_matrix").texts]
    counts = metrics.confusion_matrix(LATE, CASES["margin"] >= 0.5)
    assert texts == [str(count) for count in counts.ravel()]
    of_target = evalcore.evaluate(CASES, label="late", score="margin", threshold_for={"recall": 0.8})
    found = of_target["threshold for recall=0.8"]
    texts = [text.get_text().partition("\n")[0] for text in drawn(of_target, "confusion_matrix").texts]
    assert texts == [str(found[name]) for name in ("tn", "fp", "fn", "tp")]


ONE_CLASS = evalcore.evaluate({"late": [1, 1], "model": [0.1, 0.2]}, label="late", score="model")
INFINITE = evalcore.evaluate({"late": [1, 0], "model": [0.1, np.inf]}, label="late", score="model")
OF_TARGET = evalcore.evaluate({"late": [1, 0], "m": [0, 1]}, label="late", score="m", threshold_for={"precision": 0.9})
MARGINS = evalcore.evaluate({"late": [1, 0], "model": [0.1, 2.0]}, label="late", score="model")
KEPT_NONE = evalcore.document.report.Report(REPORT.answer._replace(positive=None), REPORT.question)


UNDRAWN = [
    (PREDICTED, "roc"), (KEPT_NONE, "gains"), (ONE_CLASS, "thresholds"), (INFINITE, "roc"),
    (MARGINS, "decision_curve"), (MARGINS, "calibration"), (MARGINS, "confusion_matrix"), (REPORT, "groups"),
    (REPORT, "confusion_matrix"), (OF_TARGET, "confusion_matrix"), (GROUPED, "groups", {"measure": "roc_aera"}),
    (REPORT, "roc", {"titel": "Flights"}), (PREDICTED, "confusion_matrix", {"labels": ["b"]}),
]  # fmt: skip


def test_what_a_report_does_not_hold_and_other_keywords_are_refused():
    def draw(report, name, *asked):
        getattr(report, f"plot_{name}")(**dict(*asked))

    check_refusals("document/outputs/refused_plots.txt", lambda row: draw(*row), UNDRAWN)
    assert plt.get_fignums() == []


def test_labels_of_a_confusion_matrix_order_the_classes_as_they_do_in_plots():
    tree, guess = ["ash", "ash", "elm", "oak"], ["ash", "elm", "oak", "oak"]
    report = evalcore.evaluate({"tree": tree, "guess": guess}, label="tree", predicted="guess")
    for labels in (["oak", "ash", "elm"], ["fir", "oak", "ash", "elm"]):
        functions = report.plot_confusion_matrix, partial(plots.plot_confusion_matrix, tree, guess)
        drawn = [draw(labels=labels, normalize=None, ax=Figure().add_subplot()) for draw in functions]
        counts, expected = (ax.images[0].get_array().tolist() for ax in drawn)
        assert counts == expected
        assert [text.get_text() for text in drawn[0].get_yticklabels()] == labels


LABELS, BEYOND = [0, 1, 1, 0], [0.1, np.inf, 0.5, 0.2]


def of_many_classes(count):
    """Return columns of `count` classes, of which class c has count - c + 1 cases, the last one wrong."""
    codes = np.repeat(np.arange(count), np.arange(count, 0, -1) + 1)
    last = np.append(np.diff(codes) > 0, True)
    return {"tree": codes, "guess": np.where(last, (codes + 1) % count, codes)}


ROWS = {**CASES, "a b": CASES["margin"], "odd": np.where(np.arange(300) == 7, np.inf, CASES["margin"]),
        **{f"m{index}": LATE * 0.02 * index + RNG.random(300) / 2 for index in range(10)},
        **{f"s{index}": CASES["margin"] + RNG.normal(size=300) for index in range(7)}}  # fmt: skip
SCORED = np.repeat(np.arange(13), np.arange(5, 18))
MANY = {"tree": SCORED} | {str(code): RNG.random(SCORED.size) for code in range(13)}
MANY["12"][0] = np.inf
OF_LATE = {
    "one model": {"score": "logistic"},
    "two models": {"score": ["m1", "m2"]},
    "a threshold": {"score": "logistic", "threshold": 0.3},
    "a threshold of two models": {"score": ["m1", "m2"], "threshold": 0.25},
    "a target": {"score": ["m1", "m2"], "threshold_for": {"recall": 0.8}, "costs": (1, 2)},
    "four models": {"score": ["m1", "m2", "m3", "m4"]},
    "ten models": {"score": [f"m{index}" for index in range(10)]},
    "probabilities and others": {"score": ["logistic", "margin", "m1"]},
    "others of one scale each": {"score": [f"s{index}" for index in range(7)]},
    "no probabilities": {"score": ["a b", "margin"]},
    "infinite": {"score": "odd"},
    "infinite, others and probabilities": {"score": ["logistic", "margin", "odd"]},
    "groups": {"score": ["logistic", "a b"], "by": "month", "ci": 0.9},
    "groups of one model": {"score": "logistic", "by": "month"},
    "weights": {"score": "logistic", "weight": "m3", "threshold": 0.3},
}
CHARTS = {
    **{name: (ROWS, {"label": "late", **asked}) for name, asked in OF_LATE.items()},
    **{f"all {label}, by {by}": ({"y": [label] * 3, "s": [0.1, 0.2, np.inf], "g": list("abb")},
                                 {"label": "y", "score": "s", "by": by}) for label in (0, 1) for by in (None, "g")},
    "tied": ({"late": [1, 0, 0, 1], "m": [0.5] * 4}, {"label": "late", "score": "m"}),
    "scores of classes": (KINDS, {"label": "kind", "score": {kind: kind for kind in "abc"}, "ci": 0.95}),
    "classes of infinite scores": ({**KINDS, "b": np.where(CODES == 0, np.inf, KINDS["b"])},
                                   {"label": "kind", "score": {kind: kind for kind in "abc"}}),
    "two classes of infinite scores": ({**KINDS, "b": np.full(60, np.inf)},
                                       {"label": "kind", "score": {"a": "b", "b": "b", "c": "c"}}),
    "thirteen classes": (MANY, {"label": "tree", "score": {str(code): str(code) for code in range(13)}}),
    "a class that never occurs": ({"tree": ["ash", "ash"], "a": [0.5, 0.25], "b": [0.5, 0.75]},
                                  {"label": "tree", "score": {"ash": "a", "elm": "b"}}),
    **{f"{count} classes": (of_many_classes(count), {"label": "tree", "predicted": "guess"})
       for count in (2, 60, 100, 101)},
    "classes in groups": ({"tree": list("abab"), "guess": list("abba"), "g": list("xxyy")},
                          {"label": "tree", "predicted": "guess", "by": "g"}),
    "weights of classes": ({"tree": list("abab"), "guess": list("abba"), "w": [0.5, 1.25, 3, 2]},
                           {"label": "tree", "predicted": "guess", "weight": "w"}),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::evalcore.errors.UndefinedMetricWarning")
def test_charts_and_what_is_missing_are_those_a_person_has_read():
    lines = []
    for name, (columns, asked) in CHARTS.items():
        report = evalcore.evaluate(columns, **asked)
        lines.append(f"{name}:")
        for plot in plots_of(report.answer, report.question):
            inches = "{:.3g} x {:.3g}".format(*plot.inches)
            lines += [f"  {plot.name} in {plot.panel}, {inches}: {plot.text}", f"    {plot.alt}"]
        lines += [f"  {each}" for each in missing(report.answer, report.question)]
    check_output("document/outputs/charts.txt", "\n".join(lines))


def test_groups_know_other_names_and_classes_have_curves():
    assert GROUPED.plot_groups("AUC").get_xlabel() == "ROC AUC (90% interval)"
    areas = {kind: metrics.roc_auc_score(code == CODES, SCORES[:, code]) for code, kind in enumerate("abc")}
    assert sorted(labels_of(drawn(OF_CLASSES, "roc"))) == [f"{kind}, AUC = {area:.3f}" for kind, area in areas.items()]


def test_bounds_of_groups_may_be_given_or_left_out():
    def ends_of(**given):
        lines = GROUPED.plot_groups(ax=Figure().add_subplot(), **given).collections
        return {end for each in lines for line in each.get_segments() for end in line[:, 0].tolist()}

    low, high = (dict.fromkeys(("logistic", "margin"), [bound] * 3) for bound in (0.25, 0.75))
    assert ends_of(low=low, high=high) == {0.25, 0.75}
    assert ends_of(low=None, high=None) == set()
    assert len(ends_of()) == 12


@pytest.fixture
def command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table({"late": LABELS, "x\ny": BEYOND}), "cases.parquet")
    asked = ["report", "cases.parquet", "--label", "late", "--score", "x\ny"]
    return lambda *options: CliRunner().invoke(main, [*asked, *options])


def test_standard_error_names_missing_charts_to_those_who_ask_for_charts(command, tmp_path):
    assert command().stderr == ""
    said = "evalcore: no curves for 'x\\ny': some of its scores are infinite\n"
    for options in (["-o", "out.html"], ["--plots", "charts"], ["-o", "out.html", "--plots", "charts"]):
        assert command(*options).stderr == said
    assert not (tmp_path / "charts").exists()


@pytest.mark.usefixtures("command", "little_memory")
def test_a_page_of_more_rows_than_fit_says_what_shows_curves():
    late, scores = np.arange(50_000) % 2, np.arange(50_000) / 1e5
    pq.write_table(pa.table({"late": late, "model": scores}), "many.parquet")
    asked = ["report", "many.parquet", "--label", "late", "--score", "model", "--memory", "256M", "-o", "out.html"]
    asked += ["--format", "table"]
    outcome = CliRunner().invoke(main, asked)
    assert "certified" in outcome.stdout
    assert outcome.stderr == "evalcore: no curves: they need all rows in memory; allow more (--memory SIZE)\n"
