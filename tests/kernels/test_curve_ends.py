"""Where curves have a rate: from sorted keys, from sums at each score, and by the definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.kernels.curve_ends import range_of_keys, range_of_sums, whole_counts
from evalcore.kernels.ordering import order
from tests.reference.partial_areas import height, points
from tests.strategies import many_threads

few_scores = st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.5]), min_size=1, max_size=7)
ranges = st.lists(st.fractions(0, 1, max_denominator=8), min_size=2, max_size=2, unique=True).map(sorted)


@given(few_scores, few_scores, ranges, st.booleans(), st.integers(1, 5))
def test_both_find_what_the_definition_says(positives, negatives, between, along_correct, block):
    scores = np.array([*positives, *negatives])
    correct = np.arange(scores.size) < len(positives)
    rates = float(between[0]), float(between[1])
    with many_threads(2, block):
        of_keys = range_of_keys(order(scores, correct).keys, rates, along_correct=along_correct)
    levels = np.unique(scores)[::-1]
    sums = [(scores[side][:, np.newaxis] == levels).sum(axis=0).astype(float) for side in (correct, ~correct)]
    of_sums = range_of_sums(*sums, rates, along_correct=along_correct)
    curve = points(positives, negatives)
    if along_correct:
        curve = [(tpr, fpr) for fpr, tpr in curve]
    others = len(negatives) if along_correct else len(positives)
    assert of_keys.totals == of_sums.totals == (len(positives), len(negatives))
    for rate, one, other in zip(between, of_keys[:2], of_sums[:2], strict=True):
        assert one.height == pytest.approx(float(height(curve, rate)) * others)
        assert (one.height, *one[1:4]) == (pytest.approx(other.height), *other[1:4])
        if one.divided:
            assert [column[other.score] for column in sums] == [b - a for a, b in zip(*one[1:3], strict=True)]


def test_one_class_has_no_range():
    assert range_of_keys(order(np.array([0.1, 0.2]), np.array([True, True])).keys, (0, 1), along_correct=True) is None


def test_numbers_that_are_whole_but_for_rounding_are_whole():
    assert whole_counts(np.array([0.1 * 30, (1 - 0.95) * 20, 2.5])).tolist() == [3.0, 1.0, 2.5]
