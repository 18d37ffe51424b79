"""Influence values against a jackknife that leaves out one case, or a little weight of it, after the other."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from evalcore.kernels import blocks
from evalcore.kernels.placements import losses_of_cases, placements
from evalcore.kernels.sorting import indexed_order
from evalcore.kernels.weights import sort_weights
from evalcore.measures import influence

CASES = st.lists(st.tuples(st.booleans(), st.integers(0, 6), st.sampled_from([0.5, 1.0, 2.5])), min_size=2, max_size=12)
STEP = 1e-6


def roc_area(truth, scores, weights):
    """Return the weighted fraction of pairs won; a tie is half."""
    gap = np.subtract.outer(scores[truth], scores[~truth])
    pairs = np.outer(weights[truth], weights[~truth])
    return (pairs * ((gap > 0) + (gap == 0) / 2)).sum() / pairs.sum()


def average_precision(truth, scores, weights):
    """Return the weighted mean, over the positives, of the precision at their scores."""
    positive = weights * truth
    at_least = scores >= scores[:, np.newaxis]
    return (positive * (at_least @ positive) / (at_least @ weights)).sum() / positive.sum()


AREA = roc_area, roc_auc_score
PRECISION = average_precision, average_precision_score
"""A definition, which is quick on few cases, and the function of scikit-learn that it must equal."""


def derivatives(measure, truth, scores, weights):
    """Return how much a measure changes with a little more weight of each case, by central differences."""
    definition, oracle = measure
    value = definition(truth, scores, weights)
    assert value == pytest.approx(oracle(truth, scores, sample_weight=weights), abs=1e-14)
    found = []
    for index in range(truth.size):
        more, less = weights.copy(), weights.copy()
        more[index] += STEP
        less[index] -= STEP
        rise = definition(truth, scores, more) - definition(truth, scores, less)
        found.append(rise / (2 * STEP) * weights[index])
    return np.array(found)


def precision_influence(truth, scores):
    ordering = indexed_order(scores, truth)
    found = influence.average_precision_influence(ordering)
    return found.of_cases(placements(ordering), truth)


def columns_of(cases):
    truth, scores, weights = (np.array(column) for column in zip(*cases, strict=True))
    return truth, scores.astype(np.float64), weights


@given(CASES)
@example([(True, 1, 1.0), (False, 1, 1.0), (True, 1, 2.5), (True, 0, 1.0), (False, 2, 0.5)])
def test_influence_on_the_average_precision_is_its_derivative(cases):
    truth, scores, weights = columns_of(cases)
    if not truth.any():
        return
    expected = derivatives(PRECISION, truth, scores, weights)
    found = influence.weighted_average_precision_influence(sort_weights(scores, truth, weights))
    assert found == pytest.approx(expected, abs=1e-7)
    assert found.sum() == pytest.approx(0, abs=1e-12)
    equal = precision_influence(truth, scores)
    assert equal == pytest.approx(derivatives(PRECISION, truth, scores, np.ones(truth.size)), abs=1e-7)


@given(CASES)
def test_influence_on_the_roc_area_is_its_derivative(cases):
    truth, scores, weights = columns_of(cases)
    if truth.all() or not truth.any():
        return
    lost = losses_of_cases(sort_weights(scores, truth, weights))
    expected = derivatives(AREA, truth, scores, weights)
    assert influence.influence_of_lost_fractions(lost, truth, weights) == pytest.approx(expected, abs=1e-7)
    equal = influence.influence_of_placements(placements(indexed_order(scores, truth)), truth)
    assert equal == pytest.approx(derivatives(AREA, truth, scores, np.ones(truth.size)), abs=1e-7)


def test_influence_is_the_same_across_blocks(monkeypatch):
    generator = np.random.default_rng(3)
    truth, scores = generator.random(3000) < 0.2, generator.integers(0, 400, 3000) / 400
    whole = precision_influence(truth, scores)
    assert whole == pytest.approx(
        influence.weighted_average_precision_influence(sort_weights(scores, truth, np.ones(3000)))
    )
    monkeypatch.setattr(blocks, "BLOCK", 16)
    assert precision_influence(truth, scores).tolist() == whole.tolist()


def test_influence_without_positives_is_none():
    assert precision_influence(np.zeros(2, np.bool_), np.array([0.5, 0.1])).tolist() == [0, 0]


def test_influence_on_a_mean_is_the_weighted_deviation():
    values, weights = np.array([1.0, 2.0, 6.0]), np.array([1.0, 1.0, 2.0])
    assert influence.mean_influence(values, weights) == pytest.approx([-2.75 / 4, -1.75 / 4, 2 * 2.25 / 4])
    assert influence.mean_influence(values).tolist() == pytest.approx([-2 / 3, -1 / 3, 1])
