"""How many times faster `evalcore.metrics` is than the functions of the same names in scikit-learn."""

import numpy as np
import pytest
import sklearn.metrics

from evalcore import metrics

ROWS = 1_000_000
LABELS = 1 << 23
CLASSES = 10


def assert_same(ours, theirs):
    for one, other in zip(*(part if isinstance(part, tuple) else (part,) for part in (ours, theirs)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)


def measure(interleaved, name, arguments, at_least, rounds=3, **options):
    ours, theirs = getattr(metrics, name), getattr(sklearn.metrics, name)
    if name == "classification_report":
        options["output_dict"] = True
        for one, other in zip(
            ours(*arguments, **options).values(), theirs(*arguments, **options).values(), strict=True
        ):
            assert one == pytest.approx(other, rel=1e-9)
    else:
        assert_same(ours(*arguments, **options), theirs(*arguments, **options))
    medians = interleaved(lambda: ours(*arguments, **options), lambda: theirs(*arguments, **options), rounds=rounds)
    speed = 1 / medians.ratio
    print(f"\n{name}, {', '.join(options) or 'plain'}, {len(arguments[0]):,} rows: {speed:.1f} times")
    assert speed >= at_least


@pytest.fixture(scope="module")
def scored():
    rng = np.random.default_rng(9)
    return rng.integers(0, 2, ROWS), rng.random(ROWS)


@pytest.fixture(scope="module")
def labelled():
    rng = np.random.default_rng(10)
    y_true = rng.integers(0, CLASSES, LABELS)
    return y_true, np.where(rng.random(LABELS) < 0.7, y_true, rng.integers(0, CLASSES, LABELS))


@pytest.mark.parametrize(
    ("name", "at_least"),
    [
        ("roc_auc_score", 12),
        ("average_precision_score", 8),
        ("roc_curve", 2),
        ("precision_recall_curve", 2),
        ("det_curve", 2),
    ],
)
def bench_scores(interleaved, scored, name, at_least):
    measure(interleaved, name, scored, at_least)


@pytest.mark.parametrize(("name", "at_least"), [("roc_auc_score", 4), ("average_precision_score", 2), ("roc_curve", 2)])
def bench_weighted_scores(interleaved, scored, name, at_least):
    weights = np.random.default_rng(11).random(ROWS)
    measure(interleaved, name, scored, at_least, sample_weight=weights)


@pytest.mark.parametrize(
    ("name", "at_least"),
    [
        ("confusion_matrix", 14),
        ("cohen_kappa_score", 14),
        ("matthews_corrcoef", 30),
        ("classification_report", 30),
        ("precision_recall_fscore_support", 30),
    ],
)
def bench_labels(interleaved, labelled, name, at_least):
    measure(interleaved, name, labelled, at_least, rounds=2)


def bench_hundred_rows(interleaved):
    rng = np.random.default_rng(12)
    y_true, scores = rng.integers(0, 2, 100), rng.random(100)
    measure(interleaved, "roc_auc_score", (y_true, scores), 15, rounds=200)
