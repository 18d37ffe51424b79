"""What many columns at once cost: of labels and scores, of labels for one ranking, of models for one column of labels.

In units of ``np.sort(scores, axis=0)``, or of a loop of calls, one for each column; beside them a loop over
``np.argsort`` that numba compiles, and the function of scikit-learn.  Each case fails beyond its target and a
quarter: the machine is noisy.  bench_speed.py measures sorted scores.
"""

import functools

import numpy as np
import pytest
import sklearn.metrics

from evalcore import metrics

ROWS, COLUMNS = 1_000, 2_000
CASES, TARGETS = 100_000, 1_000
FEW = 20
"""Columns of a loop, which is measured as that part of all columns."""
SLACK = 1.25


@functools.cache
def scores(dtype="float64"):
    return np.random.default_rng(1).random((ROWS, COLUMNS)).astype(dtype)


@functools.cache
def labels(dtype="bool"):
    return (np.random.default_rng(2).random((ROWS, COLUMNS)) < 0.2).astype(dtype)


@functools.cache
def ranking():
    return np.random.default_rng(3).random(CASES)


@functools.cache
def targets():
    return np.random.default_rng(4).random((CASES, TARGETS)) < 0.1


def by_column(function, own, scored):
    return [function(own[:, column], scored[:, column]) for column in range(scored.shape[1])]


def of_numba():
    """Return a compiled loop over columns of distinct scores: argsort, and the sum of the ranks of the positives."""
    numba = pytest.importorskip("numba")

    def areas(own, scored):
        values = np.empty(scored.shape[1])
        for column in range(scored.shape[1]):
            positives = ranks = 0
            for rank, case in enumerate(np.argsort(scored[:, column])):
                if own[case, column]:
                    positives += 1
                    ranks += rank
            pairs = positives * (scored.shape[0] - positives)
            values[column] = (ranks - positives * (positives - 1) / 2) / pairs
        return values

    return numba.njit(areas)


@pytest.mark.parametrize(
    ("name", "label_dtype", "dtype", "target"),
    [
        ("roc_auc_score", "bool", "float64", 2.5),
        ("roc_auc_score", "int64", "float64", 2.5),
        ("roc_auc_score", "bool", "float32", 2.5),
        ("average_precision_score", "bool", "float64", 3),
    ],
)
def bench_columns_of_labels_and_scores(interleaved, name, label_dtype, dtype, target):
    own, scored, ours = labels(label_dtype), scores(dtype), getattr(metrics, name)
    alone = by_column(ours, own[:, :FEW], scored[:, :FEW])
    assert ours(own, scored, average=None)[:FEW].tolist() == alone
    ratio = interleaved(lambda: ours(own, scored), lambda: np.sort(scored, axis=0)).ratio
    print(f"\n{name} of {ROWS} x {COLUMNS}, {label_dtype}, {dtype}: {ratio:.2f} np.sort (target {target})")
    assert ratio <= SLACK * target


def bench_columns_beside_numba(interleaved):
    theirs = of_numba()
    assert metrics.roc_auc_score(labels(), scores(), average=None) == pytest.approx(
        theirs(labels(), scores()), rel=1e-12
    )
    ratio = interleaved(
        lambda: metrics.roc_auc_score(labels(), scores()), lambda: theirs(labels(), scores()), rounds=3
    ).ratio
    print(f"\nroc_auc_score of {ROWS} x {COLUMNS}: {ratio:.2f} of numba's loop over argsort (target 0.8)")
    assert ratio <= SLACK * 0.8


def bench_columns_beside_scikit_learn(interleaved):
    own, scored = labels()[:, : 10 * FEW], scores()[:, : 10 * FEW]
    ours, theirs = metrics.roc_auc_score, sklearn.metrics.roc_auc_score
    assert ours(own, scored) == pytest.approx(theirs(own, scored), rel=1e-12)
    ratio = interleaved(lambda: ours(own, scored), lambda: theirs(own, scored), rounds=3).ratio
    print(f"\nroc_auc_score of {ROWS} x {10 * FEW}: 1/{1 / ratio:.0f} of scikit-learn's time (target 1/20)")
    assert ratio <= SLACK / 20


@pytest.mark.parametrize("layout", ["rows", "columns", "int64"])
def bench_many_targets_of_one_ranking(interleaved, layout):
    convert = {
        "rows": np.asarray,
        "columns": np.asfortranarray,
        "int64": lambda labels: labels.astype(np.int64),
    }
    own = convert[layout](targets())
    few = np.asfortranarray(targets()[:, :FEW], dtype=own.dtype)

    def loop():
        return [metrics.roc_auc_score(few[:, column], ranking()) for column in range(FEW)]

    assert metrics.roc_auc_by_column(own, ranking())[:FEW].tolist() == loop()
    part = interleaved(lambda: metrics.roc_auc_by_column(own, ranking()), loop, rounds=3).ratio
    ratio = part * FEW / TARGETS
    print(f"\nroc_auc_by_column of {CASES} x {TARGETS} labels, {layout}: 1/{1 / ratio:.1f} of a loop (target 1/6)")
    assert ratio <= SLACK / 6


def bench_many_models_of_one_column_of_labels(interleaved):
    own = labels()[:, 0]
    few = [metrics.roc_auc_score(own, scores()[:, column]) for column in range(FEW)]
    assert metrics.roc_auc_by_column(own, scores())[:FEW].tolist() == few
    ratio = interleaved(lambda: metrics.roc_auc_by_column(own, scores()), lambda: np.sort(scores(), axis=0)).ratio
    print(f"\nroc_auc_by_column of {ROWS} x {COLUMNS} scores: {ratio:.2f} np.sort (target 2.5)")
    assert ratio <= SLACK * 2.5
