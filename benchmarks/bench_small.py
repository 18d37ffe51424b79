"""A metric of a hundred to ten thousand cases, beside scors (Rust) and scikit-learn.

Each call of a round has cases of its own, as in a loop over samples: a processor learns the branches of a single one.
"""

import numpy as np
import pytest
import sklearn.metrics

from benchmarks.peers import numba_loops
from evalcore import metrics

SIZES = 100, 1_000, 10_000
LABELS = {"bool": np.bool_, "int64": np.int64}
OF_SCORES = {"roc_auc_score": "roc_auc", "average_precision_score": "average_precision"}
OF_LABELS = {
    "f1_score": 6, "precision_score": 6, "recall_score": 6, "jaccard_score": 6, "accuracy_score": 10,
    "confusion_matrix": 5, "matthews_corrcoef": 5, "balanced_accuracy_score": 3, "cohen_kappa_score": 3,
}  # fmt: skip
"""How many times faster than scikit-learn each has to be, with room."""
OF_PROBABILITIES = {"log_loss": 4, "brier_score_loss": 4}


def samples(size, dtype=np.bool_, decimals=16):
    rng = np.random.default_rng(size)
    return [
        ((rng.random(size) < 0.4).astype(dtype), rng.random(size).round(decimals)) for _ in range(max(2, 6_400 // size))
    ]


def of_each(function, columns):
    def call():
        for column in columns:
            function(*column)

    return call


def beside_scors(interleaved, name, peer, columns):
    ours, theirs = getattr(metrics, name), getattr(pytest.importorskip("scors"), peer)
    np.testing.assert_allclose([ours(*each) for each in columns], [theirs(*each) for each in columns], rtol=1e-12)
    size = columns[0][0].size
    calls = max(1, 1_000 // size)
    medians = interleaved(of_each(ours, columns), of_each(theirs, columns), rounds=21, calls=calls)
    print(f"\n{name}, {size} cases: {medians.ratio:.2f} of scors")
    assert medians.ratio <= 1.25


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize(("name", "peer"), OF_SCORES.items())
def bench_scores_beside_scors(interleaved, name, peer, labels, size):
    beside_scors(interleaved, name, peer, samples(size, LABELS[labels]))


@pytest.mark.parametrize("size", SIZES[:2])
@pytest.mark.parametrize(("name", "peer"), OF_SCORES.items())
def bench_scores_of_two_decimals_beside_scors(interleaved, name, peer, size):
    beside_scors(interleaved, name, peer, samples(size, decimals=2))


def bench_roc_auc_beside_a_compiled_loop(interleaved):
    pytest.importorskip("numba")
    ours, theirs, columns = metrics.roc_auc_score, numba_loops().roc_auc, samples(100)
    np.testing.assert_allclose([ours(*each) for each in columns], [theirs(*each) for each in columns], rtol=1e-12)
    medians = interleaved(of_each(ours, columns), of_each(theirs, columns), rounds=21, calls=10)
    print(f"\nroc_auc_score, 100 cases: {medians.ratio:.2f} of numba's loop")
    assert medians.ratio <= 2.5


@pytest.mark.parametrize("name", OF_SCORES)
def bench_scores_beside_scikit_learn(interleaved, name):
    ours, theirs = getattr(metrics, name), getattr(sklearn.metrics, name)
    columns = samples(100, np.int64)
    np.testing.assert_allclose([ours(*each) for each in columns], [theirs(*each) for each in columns], rtol=1e-12)
    medians = interleaved(of_each(ours, columns), of_each(theirs, columns), rounds=5)
    print(f"\n{name}, 100 cases: {1 / medians.ratio:.0f} times faster than scikit-learn")
    assert medians.ratio <= 1 / 20


@pytest.mark.parametrize(("name", "times"), {**OF_LABELS, **OF_PROBABILITIES}.items())
def bench_decisions_beside_scikit_learn(interleaved, name, times):
    ours, theirs = getattr(metrics, name), getattr(sklearn.metrics, name)
    columns = samples(100, np.int64)
    if name in OF_LABELS:
        columns = [(labels, (scores < 0.4).astype(np.int64)) for labels, scores in columns]
    for each in columns:
        np.testing.assert_allclose(ours(*each), theirs(*each), rtol=1e-12, atol=1e-15)
    medians = interleaved(of_each(ours, columns), of_each(theirs, columns), rounds=5)
    print(f"\n{name}, 100 cases: {1 / medians.ratio:.0f} times faster than scikit-learn")
    assert medians.ratio <= 1 / times
