"""What all plots share: axes, colours, legends, errors, warnings, and nothing left behind."""

import inspect
import re
import sys
from io import StringIO

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cycler import cycler
from matplotlib.figure import Figure

from evalcore import (
    ConfusionMatrix,
    EvaluationError,
    EvaluationTypeError,
    RankedClassifierEvaluator,
    ScoredPrecisionRecallEvaluation,
    plots,
)
from evalcore.errors import UndefinedMetricWarning
from evalcore.inference import Interval
from evalcore.plots.axes import count_text, wrapped
from evalcore.ranking import evaluate
from tests.differences import check_refusals, every
from tests.lingpipe.evaluations import scored
from tests.plots.drawing import drawn, lines_of_all, names_of, panels

LABELS, SCORES = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
OF_SCORES = [
    plots.plot_roc, plots.plot_precision_recall, plots.plot_det, plots.plot_gains, plots.plot_lift,
    plots.plot_thresholds, plots.plot_calibration, plots.plot_score_distributions,
]  # fmt: skip
TITLED = [
    plots.plot_roc, plots.plot_precision_recall, plots.plot_det, plots.plot_gains, plots.plot_lift,
    plots.plot_calibration, plots.plot_thresholds, plots.plot_decision_curve,
]  # fmt: skip


@every("plot", OF_SCORES)
@every(("labels", "scores"), [(np.arange(3000) % 2, np.full(3000, 0.5)), (np.arange(3000) < 1, np.arange(3000) / 3000)])
def test_ties_and_rare_classes_are_drawn_without_warnings(plot, labels, scores):
    ax = plot(labels, scores, ax=Figure().add_subplot())
    assert np.isfinite([*ax.get_xticks(), *ax.get_yticks()]).all()
    ax.set_axis_off()  # to lay out the labels of ticks takes most of the time of a drawing
    ax.figure.draw_without_rendering()


@pytest.mark.parametrize("plot", OF_SCORES)
def test_a_plot_has_named_axes_of_its_own_or_those_given_and_changes_no_settings(plot):
    before = mpl.rcParams.copy()
    new = plot(LABELS, SCORES)
    assert panels(new)[-1].get_xlabel()
    assert new.get_ylabel()
    assert plot(LABELS, SCORES, ax=new) is new
    assert plt.get_fignums() == [new.figure.number]
    assert mpl.rcParams == before


@every(
    ("plot", "frame_of"),
    *((plots.plot_roc, frame_of) for frame_of in (pd.DataFrame, pl.DataFrame, pa.table)),
    (plots.plot_calibration, pd.DataFrame),
    (plots.plot_thresholds, pl.DataFrame),
)
def test_models_may_be_columns_of_a_data_frame(plot, frame_of):
    frame = frame_of({"one": SCORES, "other": SCORES[::-1]})
    labels = [line.get_label() for line in lines_of_all(drawn(plot, frame_of({"y": LABELS})["y"], frame))]
    assert sum(label.startswith(("one", "other")) for label in labels) == (6 if plot is plots.plot_thresholds else 2)


def test_a_cycle_is_passed_on(ax):
    with plt.rc_context({"axes.prop_cycle": cycler(color=["r", "g"], linestyle=["-", ":"])}):
        plots.plot_gains(LABELS, {"one": SCORES, "other": SCORES, "third": SCORES}, ax=ax)
    styles = [(line.get_color(), line.get_linestyle()) for line in ax.get_lines()[:3]]
    assert styles == [("r", "-"), ("g", ":"), ("r", "-")]


def legend_box(ax):
    ax.figure.draw_without_rendering()  # which makes room
    return ax.get_legend().get_window_extent()


def test_a_legend_stands_below_axes_that_keep_their_size():
    labels, rng = np.arange(40) % 2, np.random.default_rng(3)
    ax = plots.plot_roc(labels, rng.normal(labels))
    ax.figure.draw_without_rendering()
    before, height = ax.get_window_extent(), ax.figure.get_figheight()
    plots.plot_roc(labels, {f"model {number}": rng.normal(labels) for number in range(6)}, ax=ax)
    assert legend_box(ax).y1 < ax.get_xaxis().get_label().get_window_extent().y0
    assert ax.get_legend().get_window_extent().y0 >= 0
    assert ax.get_window_extent().height >= 0.99 * before.height
    higher = ax.figure.get_figheight()
    assert higher > height
    plots.plot_roc(labels, rng.normal(labels), label="model 7", ax=ax)
    assert higher <= ax.figure.get_figheight() < higher + 0.3


def test_without_a_layout_engine_a_figure_of_one_row_grows_too():
    labels, rng = np.arange(40) % 2, np.random.default_rng(3)
    seven = {f"model {number}": rng.normal(labels) for number in range(7)}
    figure = Figure()
    one, other = figure.subplots(1, 2)
    before = one.get_window_extent()
    plots.plot_gains(labels, seven, ax=one)
    assert one.get_position(original=True).height * figure.bbox.height == pytest.approx(before.height)
    assert 0 <= legend_box(one).y0 < legend_box(one).y1 < one.get_window_extent().y0
    plots.plot_gains(labels, {"model": rng.normal(labels)}, ax=other)
    height = figure.get_figheight()
    plots.plot_gains(labels, seven, ax=other)
    assert height <= figure.get_figheight() < height + 0.3  # eight entries rather than seven
    fixed = plots.plot_roc(labels, seven, ax=Figure().subplots(2, 2)[0, 0])
    assert legend_box(fixed).y0 > fixed.get_window_extent().y0
    assert fixed.figure.get_figheight() == plt.rcParams["figure.figsize"][1]


def test_a_wide_legend_of_small_axes_stands_below_them_without_overlaps():
    figure = Figure(layout="constrained")
    for ax in figure.subplots(2, 2).flat:
        plots.plot_roc(LABELS, dict.fromkeys(("boosting", "logistic", "trees", "forest", "rules"), SCORES), ax=ax)
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer() if hasattr(figure.canvas, "get_renderer") else None
    boxes = [ax.get_tightbbox(renderer) for ax in figure.axes]
    assert not any(one.overlaps(other) for index, one in enumerate(boxes) for other in boxes[:index])
    assert figure.get_figheight() > plt.rcParams["figure.figsize"][1]  # so that all axes keep their height
    for ax in figure.axes:
        assert ax.get_legend().get_window_extent().y1 < ax.get_window_extent().y0


def test_names_stand_beside_their_curves_nearer_than_to_others_and_hide_none(cases):
    labels, scores = cases
    for plot in (plots.plot_roc, plots.plot_precision_recall, plots.plot_lift, plots.plot_decision_curve):
        ax = plot(labels, {"one": scores["strong"], "other": scores["weak"]}, ax=Figure().add_subplot())
        assert ax.get_legend() is None
        beside = [text for text in ax.texts if text.get_label() == "_beside"]
        boxes = [text.get_window_extent() for text in beside]
        assert not any(box.overlaps(other) for index, box in enumerate(boxes) for other in boxes[:index])
        curves = [ax.transData.transform(line.get_xydata()) for line in ax.get_lines() if line.get_label()[:1] == "o"]
        for box, own, other in ((boxes[0], *curves), (boxes[1], *curves[::-1])):
            assert 0 < distance(box, own) < distance(box, other)
        ax.set_xlim(0.3, 0.6)
        assert {*beside} <= {*ax.texts}  # they move with their curves
    again = plots.plot_roc(labels, scores["weak"] ** 2, label="third", ax=plots.plot_roc(labels, scores))
    assert len(names_of(again)) == 3


def distance(box, points):
    """Give how far a box is from a curve, in pixels."""
    low, high = (np.maximum(corner, 0) for corner in (box.min - points, points - box.max))
    return np.hypot(*(low + high).T).min()


@every(
    ("name", "lines"),
    ("boosting", ["boosting"]),
    ("", [""]),
    ("x" * 25, ["x" * 25]),
    ("boosting_on_every_column_of_2008", ["boosting_on_every_column_", "of_2008"]),
    ("gradient boosting with weather", ["gradient boosting with", "weather"]),
    ("x" * 99, ["x" * 25, "x" * 20 + "…" + "x" * 4, "x" * 20]),
)
def test_long_names_go_on_in_the_next_line(name, lines):
    assert wrapped(name).split("\n") == lines


def test_a_curve_without_points_is_named_in_a_corner(ax):
    with pytest.warns(UndefinedMetricWarning):
        plots.plot_roc([1, 1, 1, 1], SCORES, label="m", interval=True, ax=ax)
    assert names_of(ax) == ["m, AUC undefined"]


def test_counts_and_large_scores_have_separators(ax):
    plots.plot_thresholds([0, 1], [-200_000.0, 100_000.0], measures="F1", ax=ax)
    assert shown_labels(ax) == ["F1 (1.000 at 100000)"]
    assert ax.xaxis.get_major_formatter()(-200000) == "\N{MINUS SIGN}200,000"
    assert [count_text(count) for count in (4500150.0, 12.25, 0.0)] == ["4,500,150", "12.25", "0"]


def shown_labels(ax):
    return [line.get_label() for line in ax.get_lines() if not line.get_label().startswith("_")]


@every("plot", TITLED)
def test_titles_other_names_and_percent_are_options_of_every_plot_of_models(plot):
    models = {"one": SCORES, "other": SCORES[::-1]}
    percent = {} if plot is plots.plot_det else {"percent": True}  # its axes are in percent anyway
    ax = plot(LABELS, models, title="$5 to $10", names={"other": "reversed"}, **percent, ax=Figure().add_subplot())
    assert ax.get_title() == r"\$5 to \$10"
    assert any("reversed" in line.get_label() for line in ax.get_lines())
    assert not any("other" in line.get_label() for line in ax.get_lines())
    if percent:
        assert "50%" in {axis.get_major_formatter()(0.5) for axis in (ax.xaxis, ax.yaxis)}
    both = drawn(plot, LABELS, models, names=["a", "b"]).get_lines()
    assert any(line.get_label().startswith("b") for line in both)


def test_f1_lines_hold_points_of_equal_f1(ax):
    plots.plot_precision_recall(LABELS, SCORES, ax=ax)
    for level, line in zip((0.2, 0.4, 0.6, 0.8), ax.collections[0].get_segments(), strict=True):
        recall, precision = line.T
        np.testing.assert_allclose(2 * precision * recall / (precision + recall), level)
        assert precision.max() == pytest.approx(1)
    plain = plots.plot_precision_recall(LABELS, SCORES, f1_lines=False, ax=Figure().add_subplot())
    assert not plain.collections


@every(
    ("plot", "labels", "text"),
    (plots.plot_roc, [1, 1, 1, 1], "The ROC curve of m is not defined: there are no negative cases."),
    (plots.plot_roc, [0, 0, 0, 0], "The ROC curve of m is not defined: there are no positive cases."),
    (plots.plot_precision_recall, [0, 0, 0, 0], "The precision-recall curve of m is not defined"),
    (plots.plot_gains, [0, 0, 0, 0], "The gains curve of m is not defined"),
    (plots.plot_lift, [0, 0, 0, 0], "The lift curve of m is not defined"),
    (plots.plot_thresholds, [0, 0, 0, 0], "The threshold curve of m is not defined"),
)
def test_one_class_leaves_a_curve_empty_with_a_warning(plot, labels, text, ax):
    with pytest.warns(UndefinedMetricWarning, match=text) as caught:
        plot(labels, SCORES, label="m", ax=ax)
    assert [each.filename for each in caught] == [__file__]
    assert all(line.get_xdata().size == 0 for line in ax.get_lines() if line.get_label().startswith("m"))


EVALUATION, WITH_MISSES, INFINITE = scored(LABELS, SCORES), scored(LABELS, SCORES, 1), scored([1, 0], [0.5, np.inf])
GROUPED = evaluate([1, 1], [1, 0], [0.5, 0.4], measures="AP AUC")
FREQUENCIES = {"sample_weight": [1, 2, 1, 1], "weight_type": "frequency"}
TWO, ONES = (LABELS, {"one": SCORES, "other": SCORES}), ([[1]],)


REFUSED = {
    plots.plot_roc: [
        ((LABELS, SCORES[:3]), {}), ((LABELS, [0.1, np.nan, 0.2, 0.3]), {}), (([0, 1, 2, 1], SCORES), {}),
        (([], []), {}), ((LABELS,), {}), ((LABELS, {}), {}), ((LABELS, {"m": SCORES}), {"label": "m"}),
        ((EVALUATION, SCORES), {}), ((EVALUATION,), FREQUENCIES),
        ((LABELS, SCORES), {**FREQUENCIES, "sample_weight": [1, 2, 0.5, 1]}), ((EVALUATION,), {"pos_label": 1}),
        ((ScoredPrecisionRecallEvaluation(),), {}), ((WITH_MISSES,), {"interval": True}),
        ((LABELS, SCORES), {"weight_type": "sample"}), ((LABELS, SCORES), {"level": 95}),
        ((["a", "b"], [0.1, 0.2]), {"pos_label": "c"}), ((LABELS, SCORES), {"ax": [1, 2]}),
        (TWO, {"names": {"othr": "b"}}), (TWO, {"names": {"x": "b"}}), (TWO, {"names": ["a"]}), (TWO, {"names": "ab"}),
        ((LABELS, SCORES), {"band": "whole"}),
        ((LABELS, SCORES), {"band": "pointwise", "sample_weight": [0.5, 1, 2, 1]}),
    ],
    plots.plot_gains: [
        ((EVALUATION,), {"target_prevalence": 0.1}),
    ],
    plots.plot_lift: [
        ((LABELS, SCORES), {"target_prevalence": 1}),
    ],
    plots.plot_precision_recall: [
        ((LABELS, SCORES), {**FREQUENCIES, "target_prevalence": 0.1}), ((WITH_MISSES,), {"interval": True}),
        ((LABELS, SCORES), {"level": 95}), ((LABELS, SCORES), {"threshold": np.nan}),
        ((LABELS, SCORES), {"band": "whole"}),
        ((LABELS, SCORES), {"band": "pointwise", "sample_weight": [0.5, 1, 2, 1]}),
    ],
    plots.plot_det: [
        (([1, 1, 1, 1], SCORES), {}),
    ],
    plots.plot_thresholds: [
        ((LABELS, SCORES), {"measures": "kappa"}), ((LABELS, SCORES), {"threshold": np.inf}), ((INFINITE,), {}),
    ],
    plots.plot_score_distributions: [
        ((INFINITE,), {}), ((LABELS, SCORES), {"bins": 0}), ((LABELS, SCORES), {"threshold": np.inf}),
        ((LABELS, SCORES), {"bins": 2.5}), ((LABELS, SCORES), {"bin": 5}),
    ],
    plots.plot_calibration: [
        ((LABELS, [0.1, 0.2, 0.3, 1.5]), {}), ((LABELS, SCORES), {"strategy": "even"}),
        ((LABELS, SCORES), {"strategy": "isotonic", "n_bins": 5}),
        ((LABELS, SCORES), {**FREQUENCIES, "sample_weight": [0.5] * 4}),
    ],
    plots.plot_confusion_matrix: [
        (([1, 2],), {}), ((ConfusionMatrix(["a"]),), {"labels": ["a"]}), ((["a"], ["a", "b"]), {}),
        (ONES, {"normalize": "rows"}), (ONES, {"norm": "log"}), (([[1, 0], [0, 1]],), {"sample_weight": [1, 2]}),
        (([1, 0], [0, 1]), {"sample_weight": [1, -2]}), (([1, 0], [0, 1]), {"sample_weight": [1]}),
        (ONES, {"cmap": "Bleus"}), (ONES, {"cmap": 3}),
    ],
    plots.plot_groups: [
        ((["a"],), {}), (([], []), {}), ((["a"], [1, 2]), {}), ((["a"], [1]), {"sizes": [1, 2]}),
        ((["a"], [1]), {"low": [0]}), ((["a"], [1]), {"low": [0], "high": [1, 2]}), ((["a"], [1]), {"order": "size"}),
        ((["a"], [1]), {"order": "name"}), ((["a"], ["x"]), {}), ((["a", "b"], [1, Interval(1, 0, 1, 0.9, "w")]), {}),
        ((["a"], [Interval(1, 0, 1, 0.9, "w")]), {"low": [0], "high": [1]}),
        ((["a"], [[1]]), {}), ((["a"], {"m": [1, 2]}), {}), ((["a"], {"m": [1], "n": [2]}), {"total": 1}),
        ((["a"], {"m": [1], "n": [2]}), {"total": {"m": 1}}),
        ((["a"], {"m": [1], "n": [2]}), {"low": [1], "high": [1]}), ((["a"], {"m": [1], "n": [2]}), {"color": "r"}),
        ((GROUPED,), {}), ((GROUPED,), {"measure": "P@3"}), ((GROUPED, [1]), {}), ((GROUPED,), {"measure": 3}),
    ],
    plots.plot_score_pairs: [
        (([0, 1], {"a": [0.1, 0.2]}), {}), (([0, 1], [0.1, 0.2]), {}),
        (([0, 1], {"a": [0.1, 0.2], "b": [0.1, np.inf]}), {}),
        (([0, 1], {"a": [0.1, 0.2], "b": [0.1, 0.3]}), {"bins": 0}),
    ],
    plots.plot_decision_curve: [
        ((LABELS, SCORES), {"thresholds": [0.0]}), ((LABELS, SCORES), {"level": 2}),
        (({"a": EVALUATION, "b": WITH_MISSES},), {}),
    ],
    plots.plot_rank_histograms: [
        ((EVALUATION,), {}),
    ],
}  # fmt: skip


def test_what_cannot_be_drawn_is_refused_and_leaves_no_figure():
    rows = [(plot, *asked) for plot, given in REFUSED.items() for asked in given]
    check_refusals("plots/outputs/refused.txt", lambda row: row[0](*row[1], **row[2]), rows)
    assert plt.get_fignums() == []


def test_a_missing_matplotlib_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(EvaluationError, match=r"matplotlib is not installed; pip install 'evalcore-metrics\[plots\]'"):
        plots.plot_roc(LABELS, SCORES)


def test_many_cases_are_a_small_drawing():
    """Of thresholds, whose drawing is the largest; `test_curves` counts the points of the others."""
    rng = np.random.default_rng(5)
    labels = rng.random(20_000) < 0.1
    drawing = StringIO()
    plots.plot_thresholds(labels, rng.normal(labels), ax=Figure().add_subplot()).figure.savefig(drawing, format="svg")
    assert len(drawing.getvalue()) < 120_000


WITH_LINES = [plot for plot in {*OF_SCORES, *TITLED} if plot is not plots.plot_score_distributions]


@every("plot", WITH_LINES)
def test_properties_of_lines_are_checked_before_anything_is_drawn(plot, ax):
    own = f"It takes {', '.join(list(inspect.signature(plot).parameters)[2:-1])}, and properties of matplotlib's lines"
    for name, near in {
        "colour": "; did you mean 'color' or 'gapcolor'?",
        "line_width": "; did you mean 'linewidth'?",
        "sample_weights": "; did you mean 'sample_weight'?",
        "nonsense_of_mine": ".",
    }.items():
        with pytest.raises(EvaluationTypeError) as caught:
            plot(LABELS, SCORES, **{name: 1})
        assert str(caught.value).startswith(f"{plot.__name__}() has no keyword {name!r}{near} {own}")
    for wrong, message in (
        ({"color": "rde"}, "color must be valid for matplotlib's Line2D, got 'rde' (str): "),
        ({"lw": "thick"}, "lw must be valid for matplotlib's Line2D, got 'thick' (str): "),
        ({"c": "red", "alpha": 7}, "alpha must be valid for matplotlib's Line2D, got 7 (int): "),
    ):
        with pytest.raises(EvaluationError, match=re.escape(message)):
            plot(LABELS, SCORES, **wrong)
    assert plt.get_fignums() == []
    assert plot(LABELS, SCORES, ax=ax, c="red", ls=":", alpha=0.5).get_lines()[0].get_color() == "red"


def test_colours_and_maps_of_colours_are_checked_before_anything_is_drawn():
    ranks = RankedClassifierEvaluator(None, ["a", "b"])
    ranks.addRankings(["a"], [["a", "b"]])
    refused = pytest.raises(EvaluationError, match=r"^color must be valid for matplotlib's Line2D, got 'rde' \(str\): ")
    for draw in (lambda: plots.plot_groups({"a": 0.5}, color="rde"), lambda: ranks.plot_rank_histograms(color="rde")):
        with refused:
            draw()
    assert plt.get_fignums() == []
    plots.plot_confusion_matrix([[1, 0], [0, 1]], cmap=mpl.colormaps["Greens"], ax=Figure().add_subplot())
