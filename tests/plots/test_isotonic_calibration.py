"""Isotonic calibration curves: pools, consistency bands and parts of the Brier score are those of their functions."""

import numpy as np

from evalcore import metrics, plots
from evalcore.inference import consistency_band
from tests.differences import every
from tests.plots.drawing import drawn as draw_again


def drawn(*arguments, **options):
    return draw_again(plots.plot_calibration, *arguments, strategy="isotonic", **options)


def outlines(ax):
    """Return the corners of each band: matplotlib ends each at its first corner."""
    return [patch.get_xy().T for patch in ax.patches if patch.get_label() == "_band"]


def outline_of(band):
    x = band.probabilities
    corners = np.array([[*x, *x[::-1]], [*band.high, *band.low[::-1]]])
    return corners if (corners[:, 0] == corners[:, -1]).all() else np.c_[corners, corners[:, 0]]


def test_curves_are_the_pools_of_the_metric(cases):
    labels, scores = cases
    ax = drawn(labels, scores)
    for line, probabilities in zip(ax.get_lines(), scores.values(), strict=False):
        curve = metrics.isotonic_calibration_curve(labels, probabilities)
        ends = np.stack([curve.low, curve.high], axis=1).ravel()
        np.testing.assert_array_equal(line.get_data(), [ends, curve.prob_true.repeat(2)])


def test_the_legend_holds_the_parts_of_the_brier_score(cases):
    labels, scores = cases
    (text, *_) = [line.get_label() for line in drawn(labels, scores["strong"], label="strong").get_lines()]
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
    texts = [text.get_text() for text in drawn(labels, scores["strong"], **options).get_legend().get_texts()]
    assert texts[1:] == entries


@every("kind", ["sampling", "frequency"])
def test_bands_are_those_of_calibrated_probabilities(cases, kind):
    labels, scores = cases
    weights = np.arange(400) % 3 + 1
    (found,) = outlines(drawn(labels, scores["weak"], level=0.8))
    np.testing.assert_array_equal(found, outline_of(consistency_band(scores["weak"], level=0.8, seed=0)))
    (found,) = outlines(drawn(labels, scores["weak"], sample_weight=weights, weight_type=kind))
    expected = consistency_band(scores["weak"], sample_weight=weights, weight_type=kind, seed=0)
    np.testing.assert_array_equal(found, outline_of(expected))


def test_up_to_two_models_have_bands_and_histograms_unless_otherwise_asked_for(cases):
    labels, scores = cases
    assert len(outlines(drawn(labels, scores))) == 2
    assert not outlines(drawn(labels, scores, interval=False))
    three = {**scores, "third": scores["weak"] ** 2}
    assert not drawn(labels, three).patches
    assert len(drawn(labels, three, interval=True).patches) == 3
    bars = [patch for patch in drawn(labels, scores, interval=False).patches if patch.get_label() == "_histogram"]
    assert [patch.get_data().values.size for patch in bars] == [20, 20]


def test_few_pools_are_marked_so_that_one_of_a_single_probability_is_seen(cases):
    labels, scores = cases
    assert drawn(labels, np.full(400, 0.5)).get_lines()[0].get_marker() == "o"
    rng = np.random.default_rng(3)
    probabilities = rng.random(40_000)
    line = drawn(rng.random(40_000) < probabilities, probabilities, interval=False).get_lines()[0]
    assert line.get_marker() == "None"
    assert drawn(labels, scores["weak"], marker="s").get_lines()[0].get_marker() == "s"
