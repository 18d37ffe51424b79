"""Counts at a few thresholds are those that a look at every case gives."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels.sorting import order
from evalcore.kernels.thresholds import cases_at_or_above, correct_among_first, nearest_between_ties
from tests.strategies import case_arrays, cases_of

CASES = case_arrays(max_size=25)
SOME = CASES.filter(lambda cases: cases.scores.size)


@given(CASES, st.lists(st.floats(allow_nan=False), max_size=5))
@example(cases_of([(0.1, True), (0.3, False)], np.float32), [0.1, 1e39, -1e39])
@example(cases_of([(np.inf, True), (-np.inf, False)]), [np.inf, 0.0, -np.inf])
def test_cases_at_or_above_are_counted_in_the_width_of_the_scores(cases, thresholds):
    thresholds = np.array([*thresholds, *cases.scores.tolist()])
    with np.errstate(over="ignore"):
        least = thresholds.astype(cases.scores.dtype)
    expected = [sum(score >= threshold for score in cases.scores) for threshold in least]
    assert cases_at_or_above(order(cases.scores, cases.correct), thresholds).tolist() == expected


@given(SOME)
def test_the_nearest_number_of_cases_divides_no_ties(cases):
    ranked = sorted(cases.scores.tolist(), reverse=True)
    allowed = [size for size in range(1, len(ranked) + 1) if size == len(ranked) or ranked[size - 1] != ranked[size]]
    wanted = np.arange(1, len(ranked) + 1)
    expected = [min(allowed, key=lambda size: (abs(size - want), size)) for want in wanted.tolist()]
    assert nearest_between_ties(cases.keys, wanted).tolist() == expected


@given(CASES)
def test_correct_cases_among_the_first_are_counted(cases):
    ranked = [correct for _, correct in sorted(zip(-cases.scores, cases.correct, strict=True), key=lambda case: case)]
    expected = [sum(ranked[:size]) for size in range(len(ranked) + 1)]
    assert correct_among_first(cases.keys, np.arange(len(ranked) + 1)).tolist() == expected
