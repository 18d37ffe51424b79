import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from evalcore import EvaluationError, EvaluationTypeError, metrics
from evalcore.errors import UndefinedMetricWarning
from evalcore.inference import average_precision_interval
from tests.differences import every
from tests.reference import scored_cases as slow
from tests.strategies import case_arrays, cases_of, close_to

IMPERFECT = case_arrays().filter(lambda cases: cases.correct.any() and slow.average_precision(cases.pairs) < 1)


@given(IMPERFECT, st.sampled_from([0.5, 0.9, 0.95, 0.999]))
@example(cases_of([(0.9, False), (0.5, True)]), 0.95)
def test_the_interval_is_what_its_definition_says(cases, level):
    exact = float(slow.average_precision(cases.pairs))
    reach = stats.norm.ppf((1 + level) / 2) / math.sqrt(cases.correct.sum() * exact * (1 - exact))
    logit = math.log(exact / (1 - exact))
    interval = average_precision_interval(cases.correct, cases.scores, level=level)
    expected = [1 / (1 + math.exp(-bound)) for bound in (logit - reach, logit + reach)]
    assert [interval.low, interval.high] == close_to(expected, rel=1e-9)
    assert 0 <= interval.low <= interval.estimate <= interval.high <= 1
    assert interval.estimate == close_to(exact)
    assert (interval.level, interval.method) == (level, "logit")


@given(IMPERFECT)
def test_the_estimate_is_that_of_the_metric(cases):
    scores = np.unique(cases.scores, return_inverse=True)[1]  # the metric takes no infinite ones
    estimate = average_precision_interval(cases.correct, cases.scores).estimate
    assert estimate == metrics.average_precision_score(cases.correct, scores)


def test_one_positive_among_very_many_cases_says_next_to_nothing():
    labels = np.arange(200_000) == 0
    interval = average_precision_interval(labels, np.zeros(labels.size))
    assert (interval.low, interval.estimate) == (0.0, 1 / labels.size)
    assert interval.high == pytest.approx(1.0)


@every(
    ("labels", "scores", "estimate", "why"),
    [
        ([], [], math.nan, "there is no positive case"),
        ([0, 0], [0.5, 0.25], math.nan, "there is no positive case"),
        ([1, 1], [0.5, 0.25], 1.0, "the logit of 1 is infinite"),
        ([1, 0, 1], [0.5, 0.25, 0.75], 1.0, "the logit of 1 is infinite"),
    ],
)
def test_an_interval_that_is_not_defined_says_why(labels, scores, estimate, why):
    with pytest.warns(UndefinedMetricWarning, match=f"^The logit interval is not defined: {why}.$") as caught:
        interval = average_precision_interval(labels, scores, level=0.9)
    assert caught[0].filename == __file__
    assert interval.estimate == close_to(estimate, rel=0)
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)
    assert (interval.level, interval.method) == (0.9, "logit")


@every(
    ("labels", "scores", "level", "error", "text"),
    [
        ([0, 2], [0.5, 1], 0.95, EvaluationError, "y_true takes value in {0, 2} and pos_label is not .*"),
        ([0, 1], [0.5, math.nan], 0.95, EvaluationError, r"y_score\[1\] is NaN; a score is finite or infinite"),
        ([0, 1], ["a", "b"], 0.95, EvaluationTypeError, "y_score must hold .*"),
        ([0, 1], [0.5], 0.95, EvaluationError, "y_true and y_score must be equally long, got 2 and 1"),
        ([0, 1], [0.5, 1], 1, EvaluationError, "level must be above 0 and below 1, got 1"),
        ([0, 1], [0.5, 1], "high", EvaluationTypeError, r"level must be a number, got 'high' \(str\)"),
    ],
)
def test_invalid_labels_scores_and_levels_are_named(labels, scores, level, error, text):
    with pytest.raises(error, match=f"^{text}$"):
        average_precision_interval(labels, scores, level=level)
