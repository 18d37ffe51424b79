"""Influence values against a jackknife that leaves out one case, or a little weight of it, after the other."""

import numpy as np
import pytest

from evalcore.kernels import blocks
from evalcore.kernels.placements import placements
from evalcore.kernels.sorting import indexed_order
from evalcore.kernels.weights import sort_weights, walk_of_weights
from evalcore.measures import influence


def precision_influence(truth, scores):
    ordering = indexed_order(scores, truth)
    found = influence.average_precision_influence(ordering)
    return found.of_cases(placements(ordering), truth)


def test_influence_is_the_same_across_blocks(monkeypatch):
    generator = np.random.default_rng(3)
    truth, scores = generator.random(3000) < 0.2, generator.integers(0, 400, 3000) / 400
    whole = precision_influence(truth, scores)
    ranking = walk_of_weights(sort_weights(scores, truth, np.ones(3000)))
    assert whole == pytest.approx(influence.average_precision_influence_of_weights(ranking))
    monkeypatch.setattr(blocks, "BLOCK", 16)
    assert precision_influence(truth, scores).tolist() == whole.tolist()


def test_influence_without_positives_is_none():
    assert precision_influence(np.zeros(2, np.bool_), np.array([0.5, 0.1])).tolist() == [0, 0]


def test_influence_on_a_mean_is_the_weighted_deviation():
    values, weights = np.array([1.0, 2.0, 6.0]), np.array([1.0, 1.0, 2.0])
    assert influence.mean_influence(values, weights) == pytest.approx([-2.75 / 4, -1.75 / 4, 2 * 2.25 / 4])
    assert influence.mean_influence(values).tolist() == pytest.approx([-2 / 3, -1 / 3, 1])
