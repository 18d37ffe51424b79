"""The panel of thresholds: what stands in it agrees with scikit-learn, its script with the tables."""

import json
import math
import shutil
import subprocess
from importlib import resources

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.metrics import confusion_matrix

import evalcore
from evalcore.document.charts.images import frames
from evalcore.document.charts.plots import plots_of
from evalcore.document.page.report import as_html
from evalcore.document.page.thresholds import thresholds_panel
from evalcore.document.thresholds import positions_of, slider_counts, slider_grid
from evalcore.evaluation import wording
from evalcore.evaluation.model import Answer
from evalcore.evaluation.question import Question
from evalcore.plots.axes import COLOURS
from evalcore.state.cases import ScoredCases
from tests.differences import every
from tests.plots.drawing import panels

RNG = np.random.default_rng(3)
LATE = RNG.random(3000) < 0.3
ODDS = RNG.normal(size=3000) + LATE
SCORES = {
    "probabilities": {"a": 1 / (1 + np.exp(-ODDS)), "b": RNG.random(3000).round(2)},
    "narrow": {"a": (0.01 / (1 + np.exp(-ODDS))).astype(np.float32)},
    "odds": {"a": ODDS, "b": RNG.integers(-3, 4, 3000).astype(float), "c": ODDS.astype(np.float32)},
    "infinite": {"a": np.where(ODDS > 1, np.inf, np.where(ODDS < -1, -np.inf, ODDS))},
    "tied": {"a": np.full(3000, 0.5)},
}
ASKED = [{}, {"threshold": 0.3}, {"threshold": 7.0}, {"threshold": 0.3, "costs": (1, 3)}, {"costs": (5, 1)}]


def panel_of(scores, script=True, **asked):
    report = evalcore.evaluate({"late": LATE, **scores}, label="late", score=list(scores), **asked)
    return thresholds_panel(report.answer, report.question, script=script)


def in_full(cell):
    """Return what a cell shows in full."""
    return cell.full or cell.text


def counts_at(scores, threshold):
    """Return tp, fn, fp and tn at a threshold, in the width of the scores."""
    if threshold == "none":
        return counts_at(np.zeros(scores.size), 1)
    flagged = scores >= scores.dtype.type(threshold)
    masks = flagged & LATE, ~flagged & LATE, flagged & ~LATE, ~flagged & ~LATE
    return [int(np.count_nonzero(mask)) for mask in masks]


@pytest.mark.usefixtures("undrawn")
def test_leading_models_are_shown_and_reports_without_rows_say_why_none():
    scores = {f"m{index}": RNG.random(3000) + index * 0.1 * LATE for index in range(14)}
    panel = panel_of(scores)
    content = panel.content
    assert [(model.colour, model.name) for model in content["models"]] == [(each, f"m{each}") for each in range(2, 14)]
    assert panel.before == ["Thresholds are shown for the 12 models with the largest ROC AUCs."]
    assert len(content["slider"]["models"]) == 12
    assert panel_of(SCORES["odds"]).before == []
    report = evalcore.evaluate({"late": LATE, "a": ODDS}, label="late", score="a")
    page = as_html(Answer(report.answer.sections), report.question)
    assert "Thresholds are compared only if all rows fit in memory; this report was made from summaries." in page
    assert thresholds_panel(Answer([]), Question("late", predicted=("a",))) is None
    page = page_of(script=False)
    assert "<script" not in page
    assert "slider-position" not in page
    assert "script-src &#x27;none&#x27;" in page
    assert "given threshold" not in page


def test_counts_are_those_of_scikit_learn_and_of_whole_ties():
    for threshold in (0.1, 0.3, 0.9):
        scores = SCORES["probabilities"]["b"]
        tn, fp, fn, tp = confusion_matrix(LATE, scores >= threshold).ravel().tolist()
        assert counts_at(scores, threshold) == [tp, fn, fp, tn]
    scores = np.array([3.0, 2.0, 2.0, 2.0, 1.0] * 20)
    counts = slider_counts(slider_grid({"a": scores}, []), positions_of(ScoredCases.of(scores > 2, scores)))
    assert {tp + fp for tp, fp in zip(counts["tp"], counts["fp"], strict=True)} == {20, 80, 100}
    assert set(counts["thresholds"]) == {"3", "2", "1"}


@every("kind", SCORES)
@every("asked", ASKED)
def test_sentences_and_matrices_are_what_the_thresholds_decide(kind, asked):
    for model in panel_of(SCORES[kind], **asked).content["models"]:
        threshold = model.said.removeprefix("At threshold ").partition(",")[0]
        tp, fn, fp, tn = counts_at(SCORES[kind][model.name], threshold)
        assert [int(in_full(cell)) for row in model.matrix.rows for cell in row[1:]] == [tp, fn, fp, tn]
        rates = [wording.number(tp / whole) if whole else "\N{EN DASH}" for whole in (tp + fp, tp + fn)]
        flagged = f"{wording.percent((tp + fp) / 3000)} of the cases ({tp + fp:,})"
        assert model.said.endswith(f" flags {flagged}: precision {rates[0]}, recall {rates[1]}.")
        assert threshold == f"{asked['threshold']:g}" if "threshold" in asked else threshold


def test_targets_that_no_threshold_reaches_are_said():
    asked = {"threshold": [0.3, 0.7], "threshold_for": {"precision": [0.5, 0.999], "flagged": 0.01, "fpr": 0.1}}
    content = panel_of(SCORES["probabilities"], **asked).content
    report = evalcore.evaluate({"late": LATE, **SCORES["probabilities"]}, label="late", score=["a", "b"], **asked)
    assert content["matrix"] == "Confusion matrix at the first given threshold"
    for model in content["models"]:
        assert model.said.startswith(f"At threshold 0.3, {model.name} flags ")
        missed = [
            bound
            for bound in ("0.5", "0.999")
            if math.isnan(report[f"threshold for precision={bound}", model.name]["threshold"])
        ]
        assert model.unmet == [f"No threshold of {model.name} has a precision of at least {bound}." for bound in missed]
        assert all(text in as_html(report.answer, report.question, []) for text in model.unmet)
    content = panel_of(SCORES["probabilities"], threshold_for={"precision": 0.999}).content
    assert content["matrix"] == "Confusion matrix at the threshold of the best F1"


@every("names", [["a", "b"], ["a"]])
def test_dots_and_matrices_are_at_the_first_target_if_all_models_reach_it(names):
    bound = "recall \N{GREATER-THAN OR EQUAL TO}\xa00.8"
    scores = {name: SCORES["probabilities"][name] for name in names}
    asked = {"threshold_for": {"recall": 0.8, "fpr": 0.1}, "costs": (1, 2)}
    report = evalcore.evaluate({"late": LATE, **scores}, label="late", score=names, **asked)
    content = panel_of(scores, **asked).content
    assert content["matrix"] == f"Confusion matrix at the threshold for {bound}"
    roc = next(plot for plot in plots_of(report.answer, report.question) if plot.name == "roc")
    marks = "The dot marks the" if len(names) == 1 else "Dots mark each model's"
    assert roc.text.endswith(f"{marks} threshold for {bound}.")
    roc.draw(ax=(ax := Figure().add_subplot()))
    dots = [line.get_xydata()[0].tolist() for line in ax.get_lines() if line.get_label() == "_threshold"]
    for model, dot in zip(content["models"], dots, strict=True):
        found = report["threshold for recall=0.8", model.name]
        assert int(in_full(model.matrix.rows[0][1])) == found["tp"]
        assert dot == [pytest.approx(1 - found["specificity"]), found["recall"]]


def test_the_lowest_cost_is_that_of_the_library():
    scores = SCORES["odds"]["b"]
    best = evalcore.metrics.expected_cost(LATE, scores, false_positive=1.0, false_negative=4.0)
    (model,) = panel_of({"b": scores}, costs=(1, 4)).content["models"]
    assert model.said.startswith(f"At threshold {best.threshold:g}, b flags ")


@every("kind", SCORES)
@every("asked", ASKED[:2])
def test_the_slider_holds_the_counts_of_its_thresholds(kind, asked):
    content = panel_of(SCORES[kind], **asked).content
    data = content["slider"]
    assert data["shared"] == (kind in ("probabilities", "narrow"))
    for model, scores in zip(data["models"], SCORES[kind].values(), strict=True):
        assert [model["positives"], model["negatives"]] == [np.count_nonzero(LATE), np.count_nonzero(~LATE)]
        thresholds = data["positions"] if data["shared"] else model["thresholds"]
        assert len(thresholds) == len(model["tp"]) == len(model["fp"]) == len(data["positions"]) >= 60
        for threshold, tp, fp in zip(thresholds, model["tp"], model["fp"], strict=True):
            found = counts_at(scores, float(threshold))
            assert (tp, fp) == (found[0], found[2])
        assert data["shared"] or model["tp"][-1] + model["fp"][-1] == 3000
    assert len(json.dumps(data)) < 60_000
    for model, shown in zip(data["models"], content["models"], strict=True):  # the slider starts where the page does
        thresholds, start = data["positions"] if data["shared"] else model["thresholds"], model["start"]
        if int(in_full(shown.matrix.rows[0][1])):
            assert shown.said.startswith(f"At threshold {thresholds[start]}, ")
            assert [in_full(row[1]) for row in shown.matrix.rows] == [str(model[side][start]) for side in ("tp", "fp")]


@every("seed", range(3))
def test_weights_leave_nothing_where_all_cases_are_flagged_whatever_the_order_of_a_model(seed):
    rng = np.random.default_rng(seed)
    columns = {"late": rng.random(60) < 0.4, "w": rng.random(60), "a": 3 * rng.random(60), "b": 3 * rng.random(60)}
    report = evalcore.evaluate(columns, label="late", score=["a", "b"], weight="w")
    for model in thresholds_panel(report.answer, report.question).content["slider"]["models"]:
        _, *rates, _, _, fn, _, tn, _, _, _, _ = model["texts"][-1].split("|")
        assert [*rates, fn, tn] == ["1.000", "1.000", "100.0%", "0", "0"]
        assert (model["tp"][-1], model["fp"][-1]) == (model["positives"], model["negatives"])


def test_positions_of_probabilities_are_round_and_near_to_each_other_where_most_scores_are():
    rare = {"a": np.concatenate([np.linspace(0, 0.02, 9900), np.linspace(0, 1, 100)])}
    thresholds = slider_grid(rare, [0.12345]).thresholds
    assert {0.0, 0.0002, 0.01, 0.12345, 0.5, 1.0} <= set(thresholds.tolist())
    assert np.count_nonzero(thresholds < 0.02) > 60
    assert (np.diff(thresholds) > 0).all()
    almost_equal = {"a": np.array([0.5] * 99 + [0.9])}
    assert set(slider_grid(almost_equal, []).thresholds.tolist()) == {round(0.5 + 0.005 * i, 3) for i in range(81)}


@every(("threshold", "position"), [(math.inf, -1), (-math.inf, 0), (9.0, -1), (0.5, 0)])
def test_the_slider_starts_at_the_position_nearest_to_the_threshold(threshold, position):
    slider = panel_of({"a": np.linspace(0.5, 0.9, LATE.size)}, threshold=threshold).content["slider"]
    assert slider["models"][0]["start"] == range(len(slider["positions"]))[position]


def test_confusion_matrices_are_those_at_the_given_threshold_or_at_the_best_f1():
    for asked in ({"threshold": 0.3}, {}):
        content = panel_of(SCORES["probabilities"], **asked).content
        which = "given threshold" if asked else "threshold of the best F1"
        assert content["matrix"] == f"Confusion matrix at the {which}"
        for model in content["models"]:
            threshold = model.said.removeprefix("At threshold ").partition(",")[0]
            tp, fn, fp, tn = counts_at(SCORES["probabilities"][model.name], float(threshold))
            cells = [cell for row in model.matrix.rows for cell in row[1:]]
            assert [int(in_full(cell)) for cell in cells] == [tp, fn, fp, tn]
            wholes = tp + fn, tp + fn, fp + tn, fp + tn
            parts = [wording.percent(part / of) for part, of in zip((tp, fn, fp, tn), wholes, strict=True)]
            assert [cell.below for cell in cells] == parts


@every(("labels", "kind"), [([0, 0], "negative"), ([1, 1], "positive")])
def test_one_class_has_no_threshold_to_choose(labels, kind):
    report = evalcore.evaluate({"late": labels, "a": [0.1, 0.2]}, label="late", score="a")
    panel = thresholds_panel(report.answer, report.question)
    assert panel.before == [f"All cases are {kind}, so there is no threshold to choose."]


def page_of(**options):
    names = ["</script><b>", "b"]
    columns = {"late": LATE, **dict(zip(names, SCORES["probabilities"].values(), strict=True))}
    return evalcore.evaluate(columns, label="late", score=names).to_html(**options)


@pytest.mark.process
@pytest.mark.skipif(shutil.which("node") is None, reason="node runs the script of the page")
def test_the_script_shows_what_the_tables_do():
    content = panel_of(SCORES["odds"], costs=(2, 7)).content
    given = panel_of(SCORES["probabilities"], threshold=0.3).content
    program = f"""
        {resources.files("evalcore.document.page").joinpath("assets", "thresholds.js").read_text("utf-8")}
        const data = {json.dumps(content["slider"])}, costs = {{ falsePositive: 2, falseNegative: 7 }};
        const given = {json.dumps(given["slider"])};
        const said = given.models.map((model) => decisionsAt(given, model, model.start, {{}}).said);
        const decided = data.models.map((model) => data.positions.map((_, at) => decisionsAt(data, model, at, costs)));
        const costs_of = [0, 0.0123456, 12.345, 41253.75].map((cost) => COSTS.format(cost));
        console.log(JSON.stringify([said, decided, decisionsAt(given, given.models[0], 0, {{}}).row.at(-1), costs_of]));
    """
    run = subprocess.run(["node", "-e", program], capture_output=True, text=True, check=True)
    said, decided, nothing, costs = json.loads(run.stdout)
    assert costs == ["0.00", "0.0123", "12.3", "41,254"]
    assert [f"At threshold 0.3, {name} {text}" for name, text in zip("ab", said, strict=True)] == [
        model.said for model in given["models"]
    ]
    assert nothing == "\N{EN DASH}"
    for scores, found in zip(SCORES["odds"].values(), decided, strict=True):
        for each in found:
            cells = dict(zip(content["columns"], each["row"], strict=True))
            tp, fn, fp, tn = counts_at(scores, float(cells["at"]))
            assert cells["%\N{NO-BREAK SPACE}flagged"] == wording.percent((tp + fp) / 3000)
            assert cells["precision"] == wording.number(tp / (tp + fp))
            assert cells["recall"] == wording.number(tp / (tp + fn))
            assert cells["false positive rate"] == wording.number(fp / (fp + tn))
            assert float(cells["expected cost"]) == pytest.approx((2 * fp + 7 * fn) / 3000, rel=0.005)
            parts = (tp / (tp + fn), fn / (tp + fn), fp / (fp + tn), tn / (fp + tn))
            amounts = [f"{count:,}" for count in (tp + fp, tp, fn, fp, tn)]
            assert each["amounts"] == [*amounts, *map(wording.percent, parts)]
            assert each["dots"]["roc"] == pytest.approx([fp / (fp + tn), tp / (tp + fn)])
            assert each["dots"]["pr"] == pytest.approx([tp / (tp + fn), tp / (tp + fp)])


@every(
    ("models", "said"),
    [("a", "The dot marks the threshold of the slider."), ("ab", "Dots mark the thresholds of the sliders.")],
)
@every("asked", [{"threshold": 0.3}, {}, {"threshold_for": {"recall": 0.8}}])
def test_captions_do_not_keep_the_given_threshold_once_a_slider_or_the_address_moves_it(models, said, asked):
    names = [f"The dot marks the threshold {name}" for name in models]
    frame = {"late": LATE, **dict(zip(names, SCORES["probabilities"].values(), strict=False))}
    report = evalcore.evaluate(frame, label="late", score=names, **asked)
    for plot in plots_of(report.answer, report.question):
        if plot.name in {"roc", "precision_recall"}:
            kept = plot.moved.removesuffix(said)
            assert plot.text.startswith(f"{kept}{said.partition('mark')[0]}mark")
            assert all(name in kept for name in names)
        else:
            assert plot.moved == ""


def charts_of(models, **asked):
    columns = {f"m{index}": SCORES["probabilities"]["a"] for index in range(models)}
    report = evalcore.evaluate({"late": LATE, **columns}, label="late", score=list(columns), **asked)
    return {plot.name: plot for plot in plots_of(report.answer, report.question) if plot.panel == "thresholds"}


@every(("given", "shown"), [(0.3, {0.3}), (None, {0.5}), (np.inf, set())])
def test_charts_draw_the_threshold_of_each_model_in_lines_that_a_script_finds(given, shown):
    charts = charts_of(2, threshold=given)
    assert list(charts) == ["thresholds", "distributions"]
    for name, suffixes in (("thresholds", ["-precision", "-recall", "-F1"]), ("distributions", [""])):
        ax = Figure().add_subplot()
        charts[name].draw(ax=ax)
        lines = [line for panel in panels(ax) for line in panel.get_lines() if line.get_gid()]
        ids = [f"line-threshold-{model}{suffix}" for suffix in suffixes for model in (0, 1)]
        assert [line.get_gid() for line in lines] == ids * bool(shown)
        assert all(line.is_dashed() for line in lines)
        if given is not None:
            assert {at for line in lines for at in line.get_xdata()} == shown
    ax = Figure().add_subplot()
    charts_of(4)["thresholds"].draw(ax=ax)
    assert [panel.get_ylabel() for panel in panels(ax)] == ["F1"]


def test_a_script_learns_where_axes_are_and_what_they_show():
    report = evalcore.evaluate(
        {"late": LATE, "m": SCORES["probabilities"]["a"]}, label="late", score="m", threshold=0.3
    )
    charts = {plot.name: plot for plot in plots_of(report.answer, report.question)}
    for name, ids in (("roc", ["axes-roc", "dot-roc-0"]), ("precision_recall", ["axes-pr", "dot-pr-0"])):
        figure = Figure(figsize=(4, 4))
        ax = figure.add_axes((0.25, 0.25, 0.5, 0.5))
        charts[name].draw(ax=ax)
        assert [ax.get_gid(), ax.get_lines()[-1].get_gid()] == ids
        ((own, text),) = frames(figure).items()
        assert own == ids[0]
        numbers = [72, 72, 144, 144, *ax.get_xlim(), *ax.get_ylim()]
        assert list(map(float, text.split())) == pytest.approx(numbers, rel=1e-5)
        assert all(f'id="{each}"' in charts[name].image("svg").decode() for each in ids)


def test_models_share_charts_of_scores_only_where_these_are_probabilities():
    columns = {"late": LATE, "a": SCORES["probabilities"]["a"], "s": ODDS, "b": SCORES["probabilities"]["b"]}
    report = evalcore.evaluate(columns, label="late", score=["a", "s", "b"])
    charts = {plot.name: plot for plot in plots_of(report.answer, report.question) if plot.panel == "thresholds"}
    ax = Figure().add_subplot()
    charts["thresholds_2"].draw(ax=ax)
    assert {line.get_color() for line in ax.get_lines() if line.get_label().startswith("s")} == {COLOURS[1]}
