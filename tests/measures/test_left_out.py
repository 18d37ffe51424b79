"""Average precisions without clusters, against scikit-learn without the cases of each."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from evalcore.kernels.sorted_weights import sort_weights
from evalcore.measures import left_out

CASES = st.lists(
    st.tuples(st.integers(0, 6), st.booleans(), st.integers(1, 4), st.integers(0, 3)), min_size=4, max_size=60
)


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("block", [1, 12, 1 << 14])
@settings(max_examples=25)
@given(cases=CASES)
def test_each_cluster_is_left_out(cases, block, known):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(left_out, "_BLOCK", block)
        scores, correct, weights, clusters = map(np.array, zip(*cases, strict=True))
        clusters = np.unique(clusters, return_inverse=True)[1]
        ranked = sort_weights(scores / 7, correct, weights / 3)
        found = left_out.average_precisions_left_out(ranked, clusters, known_prevalence=known)
    for cluster, ours in enumerate(found.tolist()):
        kept = clusters != cluster
        own = weights / 3
        if known:
            left = [own[kept & (correct == side)].sum() for side in (False, True)]
            own = own * np.array([own[correct == side].sum() / (left[side] or np.nan) for side in (0, 1)])[correct * 1]
        lacking = not correct[kept].any() or (known and correct[kept].all())
        expected = np.nan if lacking else average_precision_score(correct[kept], scores[kept], sample_weight=own[kept])
        assert ours == pytest.approx(expected, rel=1e-9, nan_ok=True)
