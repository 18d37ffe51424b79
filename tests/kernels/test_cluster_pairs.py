"""Pairs of clusters are those of the cases that are drawn."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels.draws import cluster_pairs, ranked_cases
from tests.reference import scored_cases as slow

CASES = st.lists(st.tuples(st.booleans(), st.sampled_from([0.1, 0.3, 0.5]), st.integers(0, 2)), max_size=12)


@given(CASES, st.lists(st.integers(0, 3), min_size=3, max_size=3))
@example([], [1, 1, 1])
def test_pairs_of_a_resample_are_those_of_its_cases(cases, drawn):
    columns = zip(*cases, strict=True) if cases else ([], [], [])
    kinds = np.bool_, np.float64, np.int64
    correct, scores, clusters = (np.array(column, kind) for column, kind in zip(columns, kinds, strict=True))
    ranked = ranked_cases(scores, correct)
    found, incorrect = cluster_pairs(ranked, clusters[ranked.rows], 3).drawn(np.array(drawn))
    repeated = [(score, label) for label, score, cluster in cases for _ in range(drawn[cluster])]
    assert found == slow.pair_counts(repeated)
    assert incorrect == sum(not label for _, label in repeated)
