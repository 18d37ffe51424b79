"""Drawn decision curves are those of the inference, with treating all and treating none."""

import numpy as np
import pytest

from evalcore import plots
from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.inference import decision_curve
from evalcore.lingpipe import ScoredPrecisionRecallEvaluation
from tests.differences import every
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


def test_a_known_prevalence_and_chosen_thresholds(cases):
    labels, models = cases
    options = {"thresholds": [0.1, 0.3], "target_prevalence": 0.05, "sample_weight": np.ones(400)}
    found = drawn(plots.plot_decision_curve, labels, models["weak"], **options, percent=True)
    expected = decision_curve(labels, models["weak"], **options)
    np.testing.assert_array_equal(lines_of(found)["model"].get_ydata(), expected.net_benefit)
    assert "treat all (prevalence 0.05)" in lines_of(found)


def test_evaluations_are_drawn_and_those_with_misses_are_not(cases):
    labels, models = cases
    evaluations = {}
    for name, rows in (("all", slice(None)), ("half", slice(200))):
        evaluations[name] = ScoredPrecisionRecallEvaluation()
        evaluations[name].addCases(labels[rows], models["strong"][rows])
    found = drawn(plots.plot_decision_curve, evaluations)
    expected = decision_curve(labels[:200], models["strong"][:200])
    np.testing.assert_array_equal(lines_of(found)["half"].get_ydata(), expected.net_benefit)
    assert sum(label.startswith("treat all") for label in lines_of(found)) == 2  # their prevalences differ
    evaluations["half"].addMisses(1)
    with pytest.raises(EvaluationError, match="a decision curve needs cases without misses"):
        plots.plot_decision_curve(evaluations)


@every(
    ("options", "error", "message"),
    [
        ({"thresholds": [0.0]}, EvaluationError, "thresholds must be above 0 and below 1"),
        ({"level": 2}, EvaluationError, "level"),
        ({"thick": 3}, EvaluationTypeError, r"plot_decision_curve\(\) has no keyword 'thick'"),
    ],
)
def test_errors(options, error, message):
    with pytest.raises(error, match=message):
        plots.plot_decision_curve([0, 1], [0.1, 0.9], **options)
