"""Influence values, and average precisions without the cases of each cluster."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

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


def test_influence_without_positives_is_none_and_on_a_mean_the_weighted_deviation():
    assert precision_influence(np.zeros(2, np.bool_), np.array([0.5, 0.1])).tolist() == [0, 0]
    values, weights = np.array([1.0, 2.0, 6.0]), np.array([1.0, 1.0, 2.0])
    assert influence.mean_influence(values, weights) == pytest.approx([-2.75 / 4, -1.75 / 4, 2 * 2.25 / 4])
    assert influence.mean_influence(values).tolist() == pytest.approx([-2 / 3, -1 / 3, 1])


CASES = st.lists(
    st.tuples(st.integers(0, 6), st.booleans(), st.integers(1, 4), st.integers(0, 3)), min_size=4, max_size=60
)


@given(CASES, st.sampled_from([1, 12, 1 << 14]), st.booleans())
def test_each_cluster_is_left_out(cases, block, known):
    scores, correct, weights, clusters = map(np.array, zip(*cases, strict=True))
    clusters, weights = np.unique(clusters, return_inverse=True)[1], weights / 3
    with mock.patch.object(influence, "_BLOCK", block):
        ranked = sort_weights(scores / 7, correct, weights)
        found = influence.average_precisions_left_out(ranked, clusters, known_prevalence=known)
    for cluster, ours in enumerate(found.tolist()):
        kept = clusters != cluster
        lacking = not correct[kept].any() or (known and correct[kept].all())
        own = weights.copy()
        if known and not lacking:  # the weight of each class is that of all cases still
            for side in (correct, ~correct):
                own[side] *= weights[side].sum() / weights[side & kept].sum()
        expected = np.nan if lacking else average_precision_score(correct[kept], scores[kept], sample_weight=own[kept])
        assert ours == pytest.approx(expected, rel=1e-9, nan_ok=True)
