import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from evalcore import metrics
from evalcore.inference import average_precision_interval
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
