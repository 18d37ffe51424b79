"""Decision curves and isotonic calibration are those of their functions."""

import numpy as np
import pytest

from evalcore import metrics, plots
from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.inference import consistency_band, decision_curve
from tests.differences import every
from tests.lingpipe.evaluations import scored
from tests.plots.drawing import drawn


def lines_of(ax):
    return {line.get_label(): line for line in ax.get_lines()}


def test_curves_bands_and_both_strategies(cases):
    labels, models = cases
    found = drawn(plots.plot_decision_curve, labels, models, interval=True, level=0.9, title="$a")
    references = [f"treat all (prevalence {labels.mean():.3g})", "treat none", "band: pointwise 90%"]
    assert [*lines_of(found)] == ["strong", "weak", *references]
    assert [text.get_text() for text in found.get_legend().get_texts()] == [*lines_of(found)]
    for name, scores in models.items():
        expected = decision_curve(labels, scores, level=0.9)
        np.testing.assert_array_equal(lines_of(found)[name].get_data(), [expected.thresholds, expected.net_benefit])
    np.testing.assert_array_equal(found.get_lines()[2].get_ydata(), expected.treat_all)
    band = [patch for patch in found.patches if patch.get_label() == "_band"][1].get_xy()
    np.testing.assert_array_equal(band[:198, 1], [*expected.high, *expected.low[::-1]])
    low, high = found.get_ylim()
    assert low < 0 < expected.treat_all[0] < high < 2 * expected.treat_all[0]
    assert (found.get_xlabel(), found.get_ylabel(), found.get_title()) == ("threshold", "net benefit", r"\$a")


def test_a_known_prevalence_may_choose_thresholds_and_few_pools_are_marked(cases):
    labels, models = cases
    options = {"thresholds": [0.1, 0.3], "target_prevalence": 0.05, "sample_weight": np.ones(400)}
    found = drawn(plots.plot_decision_curve, labels, models["weak"], **options, percent=True)
    expected = decision_curve(labels, models["weak"], **options)
    np.testing.assert_array_equal(lines_of(found)["model"].get_ydata(), expected.net_benefit)
    assert "treat all (prevalence 0.05)" in lines_of(found)
    labels, scores = cases
    assert calibrated(labels, np.full(400, 0.5)).get_lines()[0].get_marker() == "o"
    rng = np.random.default_rng(3)
    probabilities = rng.random(40_000)
    line = calibrated(rng.random(40_000) < probabilities, probabilities, interval=False).get_lines()[0]
    assert line.get_marker() == "None"
    assert calibrated(labels, scores["weak"], marker="s").get_lines()[0].get_marker() == "s"


def test_evaluations_are_drawn_and_those_with_misses_are_not(cases):
    labels, models = cases
    parts = {"all": slice(None), "half": slice(200)}
    evaluations = {name: scored(labels[rows], models["strong"][rows]) for name, rows in parts.items()}
    found = drawn(plots.plot_decision_curve, evaluations)
    expected = decision_curve(labels[:200], models["strong"][:200])
    np.testing.assert_array_equal(lines_of(found)["half"].get_ydata(), expected.net_benefit)
    assert sum(label.startswith("treat all") for label in lines_of(found)) == 2  # their prevalences differ
    evaluations["half"].addMisses(1)
    with pytest.raises(EvaluationError, match="a decision curve needs cases without misses"):
        plots.plot_decision_curve(evaluations)


@every(
    ("options", "error", "message"),
    ({"thresholds": [0.0]}, EvaluationError, "thresholds must be above 0 and below 1"),
    ({"level": 2}, EvaluationError, "level"),
    ({"thick": 3}, EvaluationTypeError, r"plot_decision_curve\(\) has no keyword 'thick'"),
)
def test_errors(options, error, message):
    with pytest.raises(error, match=message):
        plots.plot_decision_curve([0, 1], [0.1, 0.9], **options)


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
