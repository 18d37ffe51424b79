"""Average precisions without clusters, against scikit-learn without the cases of each."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from evalcore.kernels.weights import sort_weights
from evalcore.measures import influence

CASES = st.lists(
    st.tuples(st.integers(0, 6), st.booleans(), st.integers(1, 4), st.integers(0, 3)), min_size=4, max_size=60
)


@given(CASES, st.sampled_from([1, 12, 1 << 14]), st.booleans())
@settings(max_examples=20)
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
