"""Histograms, calibration, confusion matrices, rankings and groups: what is drawn are the counts and the estimates."""

import itertools
from unittest import mock

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import PowerNorm, to_rgb, to_rgba
from matplotlib.figure import Figure

from evalcore import (
    BaseClassifierEvaluator,
    ConfusionMatrix,
    EvaluationTypeError,
    RankedClassifierEvaluator,
    metrics,
    plots,
)
from evalcore.inference import Interval, accuracy_interval, consistency_band, proportion_interval
from evalcore.plots import categories
from evalcore.plots.axes import COLOURS
from evalcore.plots.scores import _cells, _colours
from evalcore.ranking import evaluate
from evalcore.validation.scores import as_binary_scores
from tests.differences import every
from tests.lingpipe.evaluations import scored
from tests.plots.drawing import drawn

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


def test_axes_are_named_and_share_a_scale_unless_the_models_do_not():
    label, scores = random_cases()
    ax = drawn(plots.plot_score_pairs, label, scores, threshold=0.5, bins=8, title="late")
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("score of old", "score of new", "late")
    assert ax.get_xlim() == ax.get_ylim()
    assert [line.get_label() for line in ax.get_lines()] == [
        "_same score",
        "_threshold of the first",
        "_threshold of the second",
    ]
    assert ax.images[0].get_array().shape == (8, 8, 4)
    apart = drawn(plots.plot_score_pairs, label, pd.DataFrame({"old": scores["old"], "new": 100 * scores["new"]}))
    assert apart.get_lines()[:] == []
    assert apart.get_ylim()[1] > 90 > apart.get_xlim()[1]
    assert drawn(plots.plot_score_pairs, [1], {"a": [0.5], "b": [0.5]}).get_xlim() == (0.0, 1.0)


def test_score_distributions_are_fractions_of_each_class(ax, cases):
    labels, scores = cases[0], cases[1]["strong"]
    plots.plot_score_distributions(labels, scores, bins=13, ax=ax)
    names = [f"negative ({(~labels).sum()})", f"positive ({labels.sum()})"]
    assert [patch.get_label() for patch in ax.patches] == names
    for patch, own in zip(ax.patches, (scores[~labels], scores[labels]), strict=True):
        counts, edges = np.histogram(own, 13, (scores.min(), scores.max()))
        np.testing.assert_allclose(patch.get_data().values, counts / own.size, atol=1e-15)
        np.testing.assert_array_equal(patch.get_data().edges, edges)


def test_models_stand_in_rows_with_filled_positives_and_outlined_negatives(ax, cases):
    labels, scores = cases
    plots.plot_score_distributions(labels, scores, bins=7, title="Rows", ax=ax)
    counts = (~labels).sum(), labels.sum()
    classes = [f"{name} ({count})" for name, count in zip(("negative", "positive"), counts, strict=True)]
    assert [patch.get_label() for patch in ax.patches] == [f"{name}, {text}" for name in scores for text in classes]
    assert [patch.get_facecolor()[3] for patch in ax.patches] == [0, 0.35, 0, 0.35]
    assert [patch.get_edgecolor() for patch in ax.patches[::2]] == [to_rgba(colour) for colour in COLOURS[:2]]
    for row, pair, own in zip((1, 0), (ax.patches[:2], ax.patches[2:]), scores.values(), strict=True):
        heights = [np.histogram(own[side], 7, (own.min(), own.max()))[0] / side.sum() for side in (~labels, labels)]
        for patch, fractions in zip(pair, heights, strict=True):
            np.testing.assert_allclose(patch.get_data().values, row + 0.85 * fractions / np.max(heights))
            assert patch.get_data().baseline == row
    assert [text.get_text() for text in ax.get_yticklabels()] == list(scores)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == classes
    assert ax.get_title() == "Rows"


def test_fractions_above_a_threshold_are_of_the_weights_and_hide_no_note(ax, cases):
    labels, scores, weights = [0, 0, 1, 1, 1], [0.25, 0.5, 0.25, 0.5, 0.75], [1, 3, 2, 1, 1]
    plots.plot_score_distributions(labels, scores, sample_weight=weights, threshold=0.5, ax=ax)
    shares = [patch.get_label().split("\n")[1] for patch in ax.patches]
    assert shares == ["75.0% at or above 0.5", "50.0% at or above 0.5"]
    axes = Figure(figsize=(8, 6)).subplots(2, 2)
    ax = plots.plot_score_distributions(*cases, threshold=0.5, ax=axes[0, 0])
    lowest = ax.get_legend().get_window_extent().y0
    assert all(text.get_window_extent().y1 < lowest for text in ax.texts)
    assert len(ax.texts) == 2


def test_fractions_of_the_classes_above_a_threshold_are_written(ax, cases):
    labels, scores = cases
    above = {
        name: [100 * (column[side] >= 0.4).mean() for side in (labels, ~labels)] for name, column in scores.items()
    }
    plots.plot_score_distributions(labels, scores, threshold=0.4, ax=ax)
    assert [text.get_text() for text in ax.texts] == [
        f"≥ 0.4: {positives:.1f}% of positives, {negatives:.1f}% of negatives"
        for positives, negatives in above.values()
    ]
    assert any(line.get_label() == "_threshold 0.4" for line in ax.get_lines())
    one = drawn(plots.plot_score_distributions, labels, scores["weak"], threshold=0.4, percent=True)
    assert [patch.get_label().partition("\n")[2] for patch in one.patches] == [
        f"{above['weak'][place]:.1f}% at or above 0.4" for place in (1, 0)
    ]
    assert one.yaxis.get_major_formatter()(0.5) == "50.0%"


def test_outlines_have_the_properties_of_lines_and_equal_scores_are_one_bar(ax):
    plots.plot_score_distributions([0, 1], [0.1, 0.2], c="red", lw=3, ls=":", marker="o", ax=ax)
    for patch in ax.patches:
        assert (patch.get_edgecolor(), patch.get_linewidth(), patch.get_linestyle()) == (to_rgba("red"), 3, ":")
    ax = Figure().add_subplot()
    plots.plot_score_distributions([1, 1], [0.5, 0.5], bins=1, ax=ax)
    (patch,) = ax.patches
    assert patch.get_data().values.tolist() == [1]
    assert patch.get_label() == "positive (2)"


@every(("positives", "negatives", "bins"), [(8, 100, 4), (9, 9, 5), (0, 26, 6), (20_000, 20_000, 50)])
def test_few_cases_have_few_bins(positives, negatives, bins):
    labels = np.repeat([1, 0], [positives, negatives])
    ax = drawn(plots.plot_score_distributions, labels, np.arange(labels.size), pos_label=1)
    assert {patch.get_data().values.size for patch in ax.patches} == {bins}


def test_models_of_other_cases_have_no_common_counts(ax):
    evaluations = {"a": scored([1, 0], [0.5, 0.25]), "b": scored([1, 0, 0], [0.5, 0.25, 0.5])}
    plots.plot_score_distributions(evaluations, ax=ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["negative", "positive"]


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
    np.testing.assert_array_equal(ax.get_lines()[0].get_data(), [predicted, observed])
    assert ax.get_lines()[0].get_label() == f"ECE = {metrics.expected_calibration_error(labels, scores):.3f}"
    assert ax.patches[0].get_data().values.size == 8
    assert drawn(plots.plot_calibration, labels[:5], scores[:5]).get_lines()[0].get_xdata().size <= 3


def test_models_with_intervals_are_moved_apart_without_changing_their_data(ax, cases):
    labels, scores = cases
    plots.plot_calibration(labels, scores, ax=ax)
    strong, weak = (line.get_transform().transform((0.5, 0.5)) for line in ax.get_lines()[:2])
    np.testing.assert_allclose(weak - strong, [3 / 72 * ax.figure.dpi, 0], atol=1e-9)
    for line, bars in zip(ax.get_lines(), ax.collections, strict=False):
        np.testing.assert_allclose(bars.get_transform().transform((0, 1)), line.get_transform().transform((0, 1)))
        assert [segment[0, 0] for segment in bars.get_segments()] == line.get_xdata().tolist()


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
    texts = [text.get_text() for text in calibrated(labels, scores["strong"], **options).get_legend().get_texts()]
    assert texts[1:] == entries


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


def test_a_confusion_matrix_shows_counts_and_fractions_of_rows(ax):
    plots.plot_confusion_matrix(WINE, ax=ax)
    np.testing.assert_array_equal(ax.images[0].get_array()[:2], [[0.75, 0.25, 0], [3 / 9, 5 / 9, 1 / 9]])
    assert texts_of(ax) == ["9\n75.0%", "3\n25.0%", "0\n0.0%", "3\n33.3%", "5\n55.6%", "1\n11.1%", "0", "0", "0"]
    assert ax.images[0].get_clim() == (0, 0.75)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["Cabernet", "Syrah", "Pinot"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted", "label")
    assert [text.get_color() for text in ax.texts[:2]] == ["white", "black"]


@every(
    ("normalize", "values", "texts", "what"),
    ("pred", [[0.75, 0], [0.25, 1]], ["75%", "25%", "100%"], "fraction of column"),
    ("all", [[0.5, 0], [1 / 6, 1 / 3]], ["50%", "17%", "33%"], "fraction of all cases"),
    (None, [[1500, 0], [500, 1000]], ["1,500", "500", "1,000"], "cases"),
)
def test_a_confusion_matrix_is_normalised_as_scikit_learn_does(normalize, values, texts, what):
    counts = [[1500, 0], [500, 1000]]
    with mock.patch.object(categories, "_MOST_FULL", 1):
        ax = plots.plot_confusion_matrix(counts, normalize=normalize, title="$", ax=Figure().add_subplot())
    np.testing.assert_allclose(ax.images[0].get_array(), values)
    assert (texts_of(ax), ax.get_title()) == (texts, r"\$")
    small = Figure(figsize=(0.3, 0.3)).add_subplot()
    assert not plots.plot_confusion_matrix(counts, normalize=normalize, ax=small).texts
    assert small.figure.axes[1].get_ylabel() == what


def test_texts_have_the_contrast_and_the_digits_that_can_be_read():
    with plt.style.context("dark_background"):
        ax = plots.plot_confusion_matrix([[99, 1], [0, 9]], ax=Figure().add_subplot())
    assert {text.get_color() for text in ax.texts} == {"white"}
    ax = plots.plot_confusion_matrix([[99, 1], [0, 9]], norm=PowerNorm(0.2), ax=Figure().add_subplot())
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


def test_a_confusion_matrix_is_made_of_labels_counts_or_an_evaluator():
    evaluator = BaseClassifierEvaluator(None, ["a", "b"])
    counts = [[1, 0], [1, 1]]
    for given in ((["a", "b", "b"], ["a", "a", "b"]), (ConfusionMatrix(["a", "b"], counts),), (np.array(counts),)):
        image = plots.plot_confusion_matrix(*given, ax=Figure().add_subplot()).images[0]
        assert image.get_array().data.tolist() == [[1, 0], [0.5, 0.5]]
    assert np.isnan(plots.plot_confusion_matrix(evaluator, ax=Figure().add_subplot()).images[0].get_array().data).all()
    ordered = plots.plot_confusion_matrix(["a", "b"], ["a", "a"], labels=["b", "a"], ax=Figure().add_subplot())
    assert [text.get_text() for text in ordered.get_xticklabels()] == ["b", "a"]


def test_a_confusion_matrix_adds_up_weights():
    columns, weights = (["a", "b", "b", "c"], ["a", "a", "b", "c"]), [2, 1.0, 3, 0]
    whole = plots.plot_confusion_matrix(*columns, sample_weight=weights, ax=Figure().add_subplot())
    repeated = plots.plot_confusion_matrix(list("aabbbb"), list("aaabbb"), ax=Figure().add_subplot())
    np.testing.assert_array_equal(whole.images[0].get_array(), repeated.images[0].get_array())
    assert texts_of(whole) == texts_of(repeated) == ["2\n100.0%", "0\n0.0%", "1\n25.0%", "3\n75.0%"]
    assert [text.get_text() for text in whole.get_xticklabels()] == ["a", "b"]
    options = {"normalize": None, "labels": ["a", "b", "c"], "ax": Figure().add_subplot()}
    image = plots.plot_confusion_matrix(*columns, sample_weight=np.array([0.5, 1, 1200.25, 0]), **options).images[0]
    assert image.get_array().tolist() == [[0.5, 0, 0], [1, 1200.25, 0], [0, 0, 0]]
    assert texts_of(image.axes)[:5] == ["0.5", "0", "0", "1", "1,200.25"]


@every(
    ("name", "said"),
    ("annot", "; cells have counts and percentages, which are the texts of the axes."),
    ("values_format", "; cells have counts and percentages, which are the texts of the axes."),
    ("display_labels", "; use labels."),
    ("vmax", "; use cmap and norm."),
    ("normalise", "; did you mean 'normalize' or 'norm'?"),
    ("nonsense", "."),
)
def test_keywords_of_other_confusion_matrices_are_refused_with_what_to_use(name, said):
    with pytest.raises(EvaluationTypeError) as caught:
        plots.plot_confusion_matrix([[1, 2], [3, 4]], **{name: 1})
    own = "It takes ax, labels, normalize, cmap, norm, title, sample_weight"
    assert str(caught.value) == f"plot_confusion_matrix() has no keyword {name!r}{said} {own}"


@every(("most", "rotation"), [(3, 45), (2, 90)])
def test_many_names_stand_upright(most, rotation):
    names = [f"a very long name {number}" for number in range(3)]
    with mock.patch.object(categories, "_MOST_SLANTED", most):
        ax = plots.plot_confusion_matrix(np.eye(3, dtype=int), labels=names, ax=Figure(figsize=(2, 2)).add_subplot())
    assert {text.get_rotation() for text in ax.get_xticklabels()} == {rotation}


def test_ranks_are_bars_in_a_row_for_each_category(ax):
    evaluator = RankedClassifierEvaluator(None, ["a", "b", "c"])
    evaluator.addRankings(list("aaaabb"), [list(r) for r in ("abc", "acb", "abc", "bac", "bac", "acb")])
    plots.plot_rank_histograms(evaluator, ax=ax)
    heights = np.array([bar.get_height() for bar in ax.patches]).reshape(3, 3)
    np.testing.assert_allclose(heights / 0.7, [[0.75, 0.25, 0], [0.5, 0, 0.5], [0, 0, 0]])
    assert [bar.get_y() for bar in ax.patches[::3]] == [2, 1, 0]
    assert [text.get_text() for text in ax.texts] == ["3", "1", "0", "1", "0", "1", "0", "0", "0"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a (4)", "b (2)", "c (0)"]


def test_ranks_of_few_cases_share_bars():
    names = [str(number) for number in range(24)]
    evaluator = RankedClassifierEvaluator(None, names)
    evaluator.addRankings(["0", "3", "7", "23"], [names] * 4)
    ax = plots.plot_rank_histograms(evaluator, ax=Figure().add_subplot())
    assert [text.get_text() for text in ax.get_xticklabels()] == ["0", "1", "2-4", "5-9", "10-19", "20-23"]
    heights = np.array([bar.get_height() for bar in ax.patches]).reshape(24, 6) / 0.7
    np.testing.assert_allclose(heights[[0, 3, 7, 23]], np.eye(6)[[0, 2, 3, 5]])
    assert categories.starts_of_bars(24, 5 * 24**2).tolist() == list(range(24))
    assert categories.starts_of_bars(10, 0).tolist() == list(range(10))


@every(("most", "texts"), [(3, 9), (2, 0)])
def test_many_categories_have_no_counts_on_their_bars(most, texts):
    with mock.patch.object(categories, "_MOST_NUMBERED", most):
        ax = drawn(plots.plot_rank_histograms, RankedClassifierEvaluator(None, ["a", "b", "c"]))
    assert len(ax.texts) == texts


def rows_of(ax):
    (dots,) = (line for line in ax.get_lines() if line.get_label() == "_estimates")
    bounds = [segment[:, 0].tolist() for segment in ax.collections[0].get_segments()]
    return [text.get_text() for text in ax.get_yticklabels()], dots.get_xdata().tolist(), bounds


def test_groups_are_sorted_by_their_estimates_their_size_or_as_given(ax):
    intervals = {"a": Interval(0.5, 0.4, 0.6, 0.95, "wilson"), "b": Interval(0.25, 0.125, 0.5, 0.95, "wilson")}
    plots.plot_groups(intervals, measure="recall", ax=ax)
    assert rows_of(ax) == (["b", "a"], [0.25, 0.5], [[0.125, 0.5], [0.4, 0.6]])
    assert ax.get_xlabel() == "recall (95% interval)"
    columns = plots.plot_groups(["a", "b"], list(intervals.values()), ax=Figure().add_subplot())
    assert rows_of(columns) == rows_of(ax)
    given = {"groups": ["a", "b", "c", "d"], "estimates": [0.5, np.nan, 0.25, 0.75], "sizes": [9, 5, 7, 8]}
    by_size = plots.plot_groups(**given, order="size", ax=Figure().add_subplot())
    assert rows_of(by_size)[:2] == (["c", "d", "a"], [0.25, 0.75, 0.5])
    as_given = plots.plot_groups(**given, order="given", ax=Figure().add_subplot())
    assert rows_of(as_given)[0] == ["d", "c", "a"]


def test_an_evaluation_by_group_has_its_mean(ax):
    evaluation = evaluate(["x", "x", "y"], [1, 0, 1], [0.3, 0.9, 0.2], measures="AP P@1")
    plots.plot_groups(evaluation, measure="map", order="size", ax=ax)
    assert rows_of(ax)[:2] == (["y", "x"], [1.0, 0.5])
    assert [text.get_text() for text in ax.texts] == ["mean 0.75", "1", "2", "cases"]
    assert ax.get_xlabel() == "AP"
    only = plots.plot_groups(evaluate([1, 2], [1, 0], [0.3, 0.9], measures="RR"), ax=Figure().add_subplot())
    assert only.get_xlabel() == "RR"


def dots_of(ax, start):
    """Return the dots of a model, shown filled or hollow, and of all groups."""
    return [line for line in ax.get_lines() if line.get_label().startswith(start)]


def test_models_share_the_rows_of_groups(ax):
    interval = Interval(0.5, 0.4, 0.6, 0.9, "delong")
    models = {"old": {"a": interval, "b": Interval(0.25, 0.125, 0.5, 0.9, "delong")}, "new": {"b": interval}}
    plots.plot_groups(models, sizes=[1200, 7], total={"old": 0.45, "new": interval}, measure="area", title="$", ax=ax)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["b", "a"]
    assert [text.get_text() for text in ax.texts] == ["7", "1,200", "cases"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["old, total 0.450", "new, total 0.500"]
    assert (ax.get_xlabel(), ax.get_title()) == ("area (90% interval)", r"\$")
    (old,), (new,) = dots_of(ax, "old"), dots_of(ax, "new")
    assert old.get_xdata().tolist() == [0.25, 0.5]
    np.testing.assert_array_equal(new.get_xdata(), [0.5, np.nan])
    assert (old.get_color(), new.get_color()) == (plots.axes.nth_style(0)["color"], plots.axes.nth_style(1)["color"])
    totals = dots_of(ax, "_total")
    assert [line.get_xdata().tolist() for line in totals] == [[0.45] * 2, [0.5] * 2]
    assert [line.get_color() for line in totals] == [old.get_color(), new.get_color()]
    apart = (old.get_ydata() - new.get_ydata()).tolist()
    assert apart == pytest.approx([0.24, 0.24])
    ends = [collection.get_segments() for collection in ax.collections]
    assert [[segment[:, 0].tolist() for segment in each] for each in ends] == [[[0.125, 0.5], [0.4, 0.6]], [[0.4, 0.6]]]
    (joined,) = dots_of(ax, "_joined")
    np.testing.assert_array_equal(joined.get_xdata(), [0.25, 0.5, np.nan, 0.5, np.nan, np.nan])


def test_groups_of_models_come_in_several_forms():
    names, low, high = ["x", "y"], {"m": [0.1, np.nan], "n": [0.2, 0.3]}, {"m": [0.6, np.nan], "n": [0.7, 0.8]}
    columns = plots.plot_groups(
        names, {"m": [0.5, 0.25], "n": [0.5, 0.5]}, low=low, high=high, order="given", ax=Figure().add_subplot()
    )
    (hollow,) = dots_of(columns, "_no interval")
    assert (hollow.get_xdata().tolist(), hollow.get_ydata().round().tolist()) == ([0.25], [0])
    assert dots_of(columns, "m")[0].get_markevery() == [1]
    assert [text.get_text() for text in columns.get_legend().get_texts()] == ["m", "n", "no interval"]
    scores = {"m": [0.3, 0.9, 0.2], "n": [0.9, 0.3, 0.2]}
    evaluations = {name: evaluate(["x", "x", "y"], [1, 0, 1], each, measures="AP") for name, each in scores.items()}
    by_group = plots.plot_groups(evaluations, ax=Figure().add_subplot())
    assert [text.get_text() for text in by_group.get_legend().get_texts()] == ["m, total 0.750", "n, total 1.000"]
    assert [line.get_xdata()[0] for line in dots_of(by_group, "_mean")] == [0.75, 1.0]
    assert [text.get_text() for text in by_group.texts] == ["2", "1", "cases"]


def test_one_group_without_an_interval_is_hollow(ax):
    interval, without = Interval(0.5, 0.4, 0.6, 0.9, "delong"), Interval(0.75, np.nan, np.nan, 0.9, "delong")
    plots.plot_groups({"a": interval, "tiny": without}, total=0.5, color="r", marker="s", markersize=9, ax=ax)
    (dots,), (hollow,) = dots_of(ax, "_estimates"), dots_of(ax, "_no interval")
    assert (dots.get_xdata().tolist(), dots.get_markevery()) == ([0.5, 0.75], [0])
    assert (dots.get_color(), dots.get_marker(), dots.get_markersize()) == ("r", "s", 9)
    assert hollow.get_xdata().tolist() == [0.75]
    assert hollow.get_markerfacecolor() == ax.get_facecolor()
    assert [text.get_text() for text in ax.texts] == ["total 0.5"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["no interval"]


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
