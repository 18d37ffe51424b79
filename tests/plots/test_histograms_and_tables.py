"""Histograms, calibration, confusion matrices, rankings and groups: what is drawn are the counts and the estimates."""

import itertools
from unittest import mock

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import PowerNorm, to_rgb
from matplotlib.figure import Figure

import evalcore
from evalcore import ConfusionMatrix, metrics, plots
from evalcore.inference import Interval, accuracy_interval, consistency_band, proportion_interval
from evalcore.plots import categories
from evalcore.plots.axes import COLOURS
from evalcore.plots.scores import _cells, _colours
from evalcore.ranking import evaluate
from evalcore.validation.scores import as_binary_scores
from tests.differences import check_output, every
from tests.lingpipe.evaluations import scored
from tests.plots.drawing import described, drawn, in_turn, names_of

WINE = ConfusionMatrix(["Cabernet", "Syrah", "Pinot"], [[9, 3, 0], [3, 5, 1], [0, 0, 0]])


def random_cases(count=1000):
    rng = np.random.default_rng(3)
    return rng.random(count) < 0.3, {"old": rng.random(count), "new": rng.random(count)}


@every("weighted", [False, True])
def test_cells_have_the_counts_of_numpy(weighted):
    label, scores = random_cases(70_000)
    weights = np.random.default_rng(4).random(label.size) if weighted else None
    cases = tuple(as_binary_scores(label, column, weights) for column in scores.values())
    every_case, positive = _cells(cases, [(0.0, 1.0), (0.0, 1.0)], 20)
    for found, own in ((every_case, np.ones(label.size, bool)), (positive, label)):
        given = None if weights is None else weights[own]
        edges = np.linspace(0, 1, 21)
        expected = np.histogram2d(scores["new"][own], scores["old"][own], [edges, edges], weights=given)[0]
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-9)


def test_colours_tell_the_class_and_how_many_cases_there_are():
    colours = _colours(np.array([[100.0, 1.0], [0.0, 10.0]]), np.array([[100.0, 0.0], [0.0, 5.0]]))
    np.testing.assert_allclose(colours[0, 0], [*to_rgb(COLOURS[1]), 1.0])
    np.testing.assert_allclose(colours[0, 1], [*to_rgb(COLOURS[0]), 0.2])
    assert colours[1, 0, 3] == 0
    np.testing.assert_allclose(colours[1, 1, 3], 0.6)


def test_score_distributions_are_fractions_of_each_class(ax, cases):
    labels, scores = cases[0], cases[1]["strong"]
    plots.plot_score_distributions(labels, scores, bins=13, ax=ax)
    names = [f"negative ({(~labels).sum()})", f"positive ({labels.sum()})"]
    assert [patch.get_label() for patch in ax.patches] == names
    for patch, own in zip(ax.patches, (scores[~labels], scores[labels]), strict=True):
        counts, edges = np.histogram(own, 13, (scores.min(), scores.max()))
        np.testing.assert_allclose(patch.get_data().values, counts / own.size, atol=1e-15)
        np.testing.assert_array_equal(patch.get_data().edges, edges)


@every("unit", [1, 0.1])
def test_legends_have_the_sums_of_weights_of_each_class(unit):
    labels, scores, weights = [0, 0, 1, 1, 1], [0.25, 0.5, 0.25, 0.5, 0.75], np.array([1, 3, 1, 1, 1]) * unit
    names = [f"negative ({4 * unit:g})", f"positive ({3 * unit:.1g})"]
    one, both = Figure().subplots(1, 2)
    plots.plot_score_distributions(labels, scores, sample_weight=weights, ax=one)
    assert [patch.get_label() for patch in one.patches] == names
    plots.plot_score_distributions(labels, {"a": scores, "b": scores[::-1]}, sample_weight=weights, ax=both)
    assert [text.get_text() for text in both.get_legend().get_texts()] == names


def test_fractions_above_a_threshold_are_of_the_weights_and_hide_no_note(ax, cases):
    labels, scores, weights = [0, 0, 1, 1, 1], [0.25, 0.5, 0.25, 0.5, 0.75], [1, 3, 2, 1, 1]
    plots.plot_score_distributions(labels, scores, sample_weight=weights, threshold=0.5, ax=ax)
    shares = [patch.get_label().split("\n")[1] for patch in ax.patches]
    assert shares == ["75.0% at or above 0.5", "50.0% at or above 0.5"]
    one = drawn(plots.plot_score_distributions, cases[0], cases[1]["weak"], percent=True)
    assert one.yaxis.get_major_formatter()(0.5) == "50.0%"
    axes = Figure(figsize=(8, 6), layout="constrained").subplots(2, 2)
    ax = plots.plot_score_distributions(*cases, threshold=0.5, ax=axes[0, 0])
    highest = ax.get_legend().get_window_extent().y1
    assert all(text.get_window_extent().y0 > highest for text in ax.texts)
    assert len(ax.texts) == 2


@every(("positives", "negatives", "bins"), [(8, 100, 4), (9, 9, 5), (0, 26, 6), (20_000, 20_000, 50)])
def test_few_cases_have_few_bins(positives, negatives, bins):
    labels = np.repeat([1, 0], [positives, negatives])
    ax = drawn(plots.plot_score_distributions, labels, np.arange(labels.size), pos_label=1)
    assert {patch.get_data().values.size for patch in ax.patches} == {bins}


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_calibration_is_that_of_the_metrics(ax, cases, strategy):
    labels, scores = cases
    plots.plot_calibration(labels, scores, n_bins=7, strategy=strategy, ax=ax)
    for line, (name, probabilities) in zip(ax.get_lines(), scores.items(), strict=False):
        observed, predicted = metrics.calibration_curve(labels, probabilities, n_bins=7, strategy=strategy)
        np.testing.assert_array_equal(line.get_data(), [predicted, observed])
        if strategy == "uniform":
            error = metrics.expected_calibration_error(labels, probabilities, n_bins=7)
            assert line.get_label() == f"{name}, ECE = {error:.3f}"


def test_histograms_of_probabilities_stand_below_the_curves_of_up_to_two_models(ax, cases):
    labels, scores = cases
    plots.plot_calibration(labels, scores, ax=ax)
    for patch, probabilities in zip(ax.patches, scores.values(), strict=True):
        bars = np.searchsorted(np.linspace(0, 1, 21)[1:-1], probabilities)  # an edge belongs to the bar below it
        counts = np.bincount(bars, minlength=20)
        heights = patch.get_data().values - patch.get_data().baseline
        np.testing.assert_allclose(heights, 0.2 * counts / counts.max(), atol=1e-12)
        assert patch.get_data().values.max() < 0
    bare = plots.plot_calibration(labels, scores, histogram=False, ax=Figure().add_subplot())
    assert not bare.patches
    assert bare.get_ylim()[0] == -0.01
    labels, scores = cases
    three = {**scores, "third": scores["weak"] ** 2}
    assert not drawn(plots.plot_calibration, labels, three).patches
    assert len(drawn(plots.plot_calibration, labels, three, histogram=True).patches) == 3


def test_few_cases_have_few_bins_and_the_error_of_the_metric(cases):
    labels, scores = cases[0][:60], cases[1]["strong"][:60]
    ax = drawn(plots.plot_calibration, labels, scores)
    observed, predicted = metrics.calibration_curve(labels, scores, n_bins=4)
    np.testing.assert_allclose(ax.get_lines()[0].get_data(), [predicted, observed], rtol=1e-12)
    assert ax.get_lines()[0].get_label() == f"ECE = {metrics.expected_calibration_error(labels, scores):.3f}"
    assert ax.patches[0].get_data().values.size == 8
    assert drawn(plots.plot_calibration, labels[:5], scores[:5]).get_lines()[0].get_xdata().size <= 3


def test_observed_fractions_have_intervals_unless_none_are_wanted(ax, cases):
    labels, scores = cases[0], cases[1]["strong"]
    assert not drawn(plots.plot_calibration, labels, scores, interval=False).collections
    six = {str(number): scores for number in range(6)}
    assert not drawn(plots.plot_calibration, labels, six).collections
    assert len(drawn(plots.plot_calibration, labels, six, interval=True).collections) == 6
    plots.plot_calibration(labels, scores, n_bins=2, ax=ax)
    bounds = [segment[:, 1].tolist() for segment in ax.collections[0].get_segments()]
    sides = (scores <= 0.5, scores > 0.5)
    expected = [proportion_interval(int(labels[side].sum()), int(side.sum())) for side in sides]
    assert bounds == [[each.low, each.high] for each in expected]
    ax = Figure().add_subplot()
    labels, scores, weights = cases[0], cases[1]["strong"], np.arange(400) % 7 + 0.5
    plots.plot_calibration(labels, scores, n_bins=2, sample_weight=weights, ax=ax)
    bounds = [segment[:, 1].tolist() for segment in ax.collections[0].get_segments()]
    for (low, high), side in zip(bounds, (scores <= 0.5, scores > 0.5), strict=True):
        expected = accuracy_interval(labels[side], np.ones(side.sum(), bool), sample_weight=weights[side])
        np.testing.assert_allclose([low, high], [expected.low, expected.high], rtol=1e-12)


def calibrated(*arguments, **options):
    return drawn(plots.plot_calibration, *arguments, strategy="isotonic", **options)


def outlines(ax):
    """Return the corners of each band: matplotlib ends each at its first corner."""
    return [patch.get_xy().T for patch in ax.patches if patch.get_label() == "_band"]


def outline_of(band):
    x = band.probabilities
    corners = np.array([[*x, *x[::-1]], [*band.high, *band.low[::-1]]])
    return corners if (corners[:, 0] == corners[:, -1]).all() else np.c_[corners, corners[:, 0]]


def test_curves_are_pools_of_the_metric_with_the_parts_of_the_brier_score(cases):
    labels, scores = cases
    ax = calibrated(labels, scores)
    for line, probabilities in zip(ax.get_lines(), scores.values(), strict=False):
        curve = metrics.isotonic_calibration_curve(labels, probabilities)
        ends = np.stack([curve.low, curve.high], axis=1).ravel()
        np.testing.assert_array_equal(line.get_data(), [ends, curve.prob_true.repeat(2)])
    (text, *_) = [line.get_label() for line in calibrated(labels, scores["strong"], label="strong").get_lines()]
    parts = metrics.loss_decomposition(labels, scores["strong"])
    assert text.splitlines() == [
        f"strong, Brier score {parts.loss:.3f} =",
        f"miscalibration {parts.miscalibration:.3f}",
        f"- discrimination {parts.discrimination:.3f}",
        f"+ uncertainty {parts.uncertainty:.3f}",
    ]


@every(("options", "entries"), [({"level": 0.9}, ["band: 90% if calibrated"]), ({"interval": False}, [])])
def test_the_legend_says_what_the_band_holds(cases, options, entries):
    labels, scores = cases
    assert names_of(calibrated(labels, scores["strong"], **options))[1:] == entries


@every("kind", ["sampling", "frequency"])
def test_bands_are_those_of_calibrated_probabilities(cases, kind):
    labels, scores = cases
    weights = np.arange(400) % 3 + 1
    (found,) = outlines(calibrated(labels, scores["weak"], level=0.8))
    np.testing.assert_array_equal(found, outline_of(consistency_band(scores["weak"], level=0.8, seed=0)))
    (found,) = outlines(calibrated(labels, scores["weak"], sample_weight=weights, weight_type=kind))
    expected = consistency_band(scores["weak"], sample_weight=weights, weight_type=kind, seed=0)
    np.testing.assert_array_equal(found, outline_of(expected))


def test_up_to_two_models_have_bands_and_histograms_unless_otherwise_asked_for(cases):
    labels, scores = cases
    assert len(outlines(calibrated(labels, scores))) == 2
    assert not outlines(calibrated(labels, scores, interval=False))
    three = {**scores, "third": scores["weak"] ** 2}
    assert not calibrated(labels, three).patches
    assert len(calibrated(labels, three, interval=True).patches) == 3
    bars = [patch for patch in calibrated(labels, scores, interval=False).patches if patch.get_label() == "_histogram"]
    assert [patch.get_data().values.size for patch in bars] == [20, 20]


def test_few_pools_are_marked(cases):
    labels, scores = cases
    assert calibrated(labels, np.full(400, 0.5)).get_lines()[0].get_marker() == "o"
    rng = np.random.default_rng(3)
    probabilities = rng.random(40_000)
    line = calibrated(rng.random(40_000) < probabilities, probabilities, interval=False).get_lines()[0]
    assert line.get_marker() == "None"
    assert calibrated(labels, scores["weak"], marker="s").get_lines()[0].get_marker() == "s"


def texts_of(ax):
    return [text.get_text() for text in ax.texts]


COUNTS, LETTERS = [[1500, 0], [500, 1000]], [str(number) for number in range(24)]
FEW, LATE = (evalcore.RankedClassifierEvaluator(None, names) for names in (["a", "b", "c"], LETTERS))
FEW.addRankings(list("aaaabb"), [list(row) for row in ("abc", "acb", "abc", "bac", "bac", "acb")])
LATE.addRankings(["0", "3", "7", "23"], [LETTERS] * 4)
WEIGHTED, GIVEN = (["a", "b", "b", "c"], ["a", "a", "b", "c"]), {"groups": list("abcd"), "sizes": [9, 5, 7, 8]}
ONE, OTHER = Interval(0.5, 0.4, 0.6, 0.9, "delong"), Interval(0.25, 0.125, 0.5, 0.9, "delong")
WITHOUT, GIVEN["estimates"] = Interval(0.75, np.nan, np.nan, 0.9, "delong"), [0.5, np.nan, 0.25, 0.75]
RANKED = {name: evaluate(["x", "x", "y"], [1, 0, 1], scores, measures="AP P@1")
          for name, scores in (("m", [0.3, 0.9, 0.2]), ("n", [0.9, 0.3, 0.2]))}  # fmt: skip
BOUNDS = {"low": {"m": [0.1, np.nan], "n": [0.2, 0.3]}, "high": {"m": [0.6, np.nan], "n": [0.7, 0.8]}}
TREES = evalcore.BaseClassifierEvaluator(None, ["a", "b"])
SIXTY, STEPS = np.arange(60) % 3 == 1, {"a": np.arange(60) // 6 / 10, "b": np.arange(60)[::-1] // 12 / 5}
FOUR, NEAR = [0, 1, 1, 0], {"old": [0.1, 0.4, 0.8, 0.3], "new": [0.2, 0.3, 0.9, 0.6]}
MISSED = scored([True, False, True, False], [0.9, 0.8, 0.7, 0.9], misses=2, negative_misses=1)
DRAWN = {
    "pairs of scores": (plots.plot_score_pairs, [FOUR, NEAR], {"threshold": 0.5, "bins": 2, "title": "late"}),
    "pairs of two scales": (plots.plot_score_pairs, [FOUR, pd.DataFrame({**NEAR, "new": [20, 30, 90, 60]})], {}),
    "pairs of one score": (plots.plot_score_pairs, [[1], {"a": [0.5], "b": [0.5]}], {}),
    "rows of scores": (plots.plot_score_distributions, [SIXTY, STEPS], {"bins": 4, "threshold": 0.4, "title": "$"}),
    "scores of none above": (plots.plot_score_distributions, [FOUR, NEAR["old"]], {"threshold": 2.0}),
    "outlines": (plots.plot_score_distributions, [[0, 1], [0.1, 0.2]], {"c": "r", "lw": 3, "ls": ":", "marker": "o"}),
    "equal scores": (plots.plot_score_distributions, [[1, 1], [0.5, 0.5]], {"bins": 1}),
    "measures": (plots.plot_thresholds, [SIXTY, STEPS], {"flagged": True, "threshold": 0.3, "alpha": 0.5}),
    "no case above": (plots.plot_thresholds, [FOUR, NEAR["old"]], {"threshold": 5.0, "label": "m"}),
    "weights that make no cases": (plots.plot_thresholds, [SIXTY[:48], STEPS["a"][:48]],
                                   {"measures": "recall", "sample_weight": np.arange(48) % 2 + 1}),
    "the same measures": (plots.plot_thresholds, [[0, 1], {"a": [0.1, 0.2], "b": [0.1, 0.2]}], {"measures": "recall"}),
    **{f"misses, {plot.__name__}": (plot, [MISSED], {}) for plot in (plots.plot_roc, plots.plot_precision_recall,
                                                                     plots.plot_det, plots.plot_gains)},
    **{f"in turn, {plot.__name__}": (in_turn(plot), [FOUR, NEAR], {})
       for plot in (plots.plot_precision_recall, plots.plot_calibration, plots.plot_thresholds, plots.plot_lift)},
    "properties of lines": (plots.plot_roc, [FOUR, NEAR["old"]], {"c": "k", "lw": 3, "ls": ":"}),
    "curves under others": (plots.plot_roc, [FOUR, {**NEAR, "twin": np.multiply(NEAR["old"], 2)}], {}),
    "scores of other cases": (plots.plot_score_distributions, [{"a": scored([1, 0], [0.5, 0.25]),
                                                                "b": scored([1, 0, 0], [0.5, 0.25, 0.5])}], {}),
    "counts": (plots.plot_confusion_matrix, [WINE], {}),
    **{f"counts by {normalize}": (plots.plot_confusion_matrix, [COUNTS], {"normalize": normalize, "title": "$"})
       for normalize in ("pred", "all", None)},
    "labels": (plots.plot_confusion_matrix, [["a", "b", "b"], ["a", "a", "b"]], {}),
    "labels in an order": (plots.plot_confusion_matrix, [["a", "b"], ["a", "a"]], {"labels": ["b", "a"]}),
    "an array": (plots.plot_confusion_matrix, [np.array([[1, 0], [1, 1]])], {}),
    "an empty evaluator": (plots.plot_confusion_matrix, [TREES], {}),
    "whole weights": (plots.plot_confusion_matrix, WEIGHTED, {"sample_weight": [2, 1.0, 3, 0]}),
    "weights": (plots.plot_confusion_matrix, WEIGHTED, {"sample_weight": np.array([0.5, 1, 1200.25, 0]),
                                                        "normalize": None, "labels": ["a", "b", "c"]}),
    "ranks": (plots.plot_rank_histograms, [FEW], {}),
    "ranks that share bars": (plots.plot_rank_histograms, [LATE], {}),
    "intervals of groups": (plots.plot_groups, [{"a": ONE, "b": OTHER}], {"measure": "recall"}),
    "columns of intervals": (plots.plot_groups, [["a", "b"], [ONE, OTHER]], {}),
    "by size": (plots.plot_groups, [], {**GIVEN, "order": "size"}),
    "as given": (plots.plot_groups, [], {**GIVEN, "order": "given"}),
    "an evaluation": (plots.plot_groups, [RANKED["m"]], {"measure": "map", "order": "size"}),
    "an evaluation of one measure": (plots.plot_groups, [evaluate([1, 2], [1, 0], [0.3, 0.9], measures="RR")], {}),
    "evaluations": (plots.plot_groups, [RANKED], {"measure": "AP"}),
    "models": (plots.plot_groups, [{"old": {"a": ONE, "b": OTHER}, "new": {"b": ONE}}],
               {"sizes": [1200, 7], "total": {"old": 0.45, "new": ONE}, "measure": "area", "title": "$"}),
    "models without an interval": (plots.plot_groups, [["x", "y"], {"m": [0.5, 0.25], "n": [0.5, 0.5]}],
                                   {**BOUNDS, "order": "given"}),
    "a group without an interval": (plots.plot_groups, [{"a": ONE, "tiny": WITHOUT}],
                                    {"total": 0.5, "color": "r", "marker": "s", "markersize": 9}),
    "dates": (plots.plot_groups, [["2013-11", "2013-02", "2013-07"], [0.5, np.nan, 0.25]],
              {"low": [0.4, np.nan, 0.1], "high": [0.6, np.nan, 0.5], "total": 0.375, "kind": "time"}),
    "numbers": (plots.plot_groups, [["10", "9"], {"m": [0.5, 0.25], "n": [0.5, 0.75]}],
                {"total": {"m": 0.4, "n": 0.6}, "kind": "time", "percent": True}),
    "quarters": (plots.plot_groups, [{"2013-Q2": 0.5, "2012-Q4": 0.25}], {"kind": "time", "color": "r"}),
    "other names in time": (plots.plot_groups, [{"Monday": 0.5, "Tuesday": 0.25}], {"kind": "time", "title": "$"}),
    "certain bounds": (plots.plot_groups, [{"a": Interval(0.5, 0.4, 0.6, 1.0, "certified")}], {"measure": "area"}),
}  # fmt: skip


def test_drawings_hold_what_a_person_has_read():
    texts = [f"{name}:\n{described(plot(*given, **options, ax=Figure().add_subplot()))}"
             for name, (plot, given, options) in DRAWN.items()]  # fmt: skip
    check_output("plots/outputs/drawings.txt", "\n".join(texts))
    for normalize, what in (("pred", "fraction of column"), ("all", "fraction of all cases"), (None, "cases")):
        with mock.patch.object(categories, "_MOST_FULL", 1):
            short = plots.plot_confusion_matrix(COUNTS, normalize=normalize, ax=Figure().add_subplot())
        expected = {"pred": ["75%", "25%", "100%"], "all": ["50%", "17%", "33%"], None: ["1,500", "500", "1,000"]}
        assert texts_of(short) == expected[normalize]
        small = plots.plot_confusion_matrix(COUNTS, normalize=normalize, ax=Figure(figsize=(0.3, 0.3)).add_subplot())
        assert not small.texts
        assert small.figure.axes[1].get_ylabel() == what
    with mock.patch.object(categories, "_MOST_NUMBERED", 2):
        assert not drawn(plots.plot_rank_histograms, FEW).texts


def test_texts_have_the_contrast_and_the_digits_that_can_be_read():
    with plt.style.context("dark_background"):
        ax = plots.plot_confusion_matrix([[99, 1], [0, 9]], ax=Figure().add_subplot())
    assert {text.get_color() for text in ax.texts} == {"white"}
    ax = plots.plot_confusion_matrix([[99, 1], [0, 9]], ax=Figure().add_subplot())
    assert {text.get_color() for text in ax.texts} == {"black"}  # so that a page can turn them round
    ax = plots.plot_confusion_matrix([[99, 1], [0, 9]], norm=PowerNorm(0.2), cmap="Blues", ax=Figure().add_subplot())
    assert [text.get_color() for text in ax.texts[:2]] == ["white", "black"]
    figure = Figure(figsize=(1.5, 1.5), layout="constrained")
    ax = plots.plot_confusion_matrix(np.eye(20, dtype=int) * 1000, ax=figure.add_subplot())
    assert not ax.texts
    assert [other.get_ylabel() for other in figure.axes[1:]] == ["fraction of row"]
    assert 5 < len(ax.get_xticklabels()) < 20


def test_a_matrix_is_as_large_as_it_needs_and_its_names_are_shortened():
    sizes = [plots.plot_confusion_matrix(np.eye(k, dtype=int)).figure.get_size_inches().tolist() for k in (3, 20, 90)]
    assert sizes == [[6.4, 4.8], [10, 9], [13, 12]]
    names = [f"Northern Mockingbird, Mimus polyglottos {code}" for code in range(100)]
    ax = plots.plot_confusion_matrix(np.eye(100, dtype=int), labels=names, ax=Figure(figsize=(12, 12)).add_subplot())
    shown = [text.get_text() for text in ax.get_yticklabels()]
    assert (len(shown), shown[1]) == (50, "Northern Mockin…glottos 2")


@every(("most", "rotation"), [(3, 45), (2, 90)])
def test_many_names_stand_upright(most, rotation):
    names = [f"a very long name {number}" for number in range(3)]
    with mock.patch.object(categories, "_MOST_SLANTED", most):
        ax = plots.plot_confusion_matrix(np.eye(3, dtype=int), labels=names, ax=Figure(figsize=(2, 2)).add_subplot())
    assert {text.get_rotation() for text in ax.get_xticklabels()} == {rotation}


@every(("groups", "models"), [(1, 1), (3, 1), (16, 2), (60, 5)])
def test_a_figure_of_groups_is_as_high_as_its_rows(groups, models):
    columns = {f"model {model}": np.arange(groups) / groups for model in range(models)}
    ax = plots.plot_groups([f"a really rather long name of a group: {row}" for row in range(groups)], columns)
    ax.figure.draw_without_rendering()
    names = [text.get_window_extent() for text in ax.get_yticklabels()]
    assert len(names) == groups
    assert all(below.y1 <= above.y0 for below, above in itertools.pairwise(names))
    height = ax.get_window_extent().height / 100
    assert 0.14 * groups < height < 0.6 * groups + 0.5
    assert {len(text.get_text()) for text in ax.get_yticklabels()} == {34}


def test_names_that_would_overlap_and_many_groups_are_left_out(ax):
    small = Figure(figsize=(3, 1)).add_subplot()
    plots.plot_groups([f"group {row}" for row in range(30)], np.arange(30), ax=small)
    assert (small.get_ylabel(), len(small.get_yticks())) == ("30 groups", 0)
    plots.plot_groups(range(3000), np.arange(3000) / 3000, ax=ax)
    assert ax.get_ylabel() == "3,000 groups"
    assert len(ax.get_yticks()) == 0
    assert ax.get_lines()[0].get_rasterized()


def test_groups_have_certain_bounds_and_percent(ax):
    plots.plot_groups({"a": Interval(0.5, 0.4, 0.6, 1.0, "certified")}, measure="area", ax=ax)
    assert ax.get_xlabel() == "area (certified)"
    plots.plot_groups(["a"], [0.5], percent=True, ax=ax)
    ax.figure.draw_without_rendering()
    assert all(text.get_text().endswith("%") for text in ax.get_xticklabels())
