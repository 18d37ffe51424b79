"""What resampling costs: a resample in units of ``np.sort`` of the scores, and all of them beside SciPy's."""

import numpy as np
from scipy import stats
from sklearn import metrics as sklearn_metrics

from evalcore import metrics
from evalcore.inference import bootstrap_interval, bootstrap_intervals

RESAMPLES = 200
MEASURES = ["roc_auc", "average_precision"]


def made(size):
    rng = np.random.default_rng(4)
    y_true = rng.random(size) < 0.3
    return y_true, rng.normal(size=size) + y_true


def bench_a_million_cases(interleaved):
    y_true, y_score = made(1_000_000)
    found = bootstrap_intervals(y_true, y_score, MEASURES, resamples=64, seed=0)
    for name, function in (("roc_auc", metrics.roc_auc_score), ("average_precision", metrics.average_precision_score)):
        interval = found[name]
        assert abs(interval.estimate - function(y_true, y_score)) < 1e-12
        assert interval.low < interval.estimate < interval.high < interval.low + 0.01

    resamples = 64
    ratio = interleaved(
        lambda: bootstrap_intervals(y_true, y_score, MEASURES, resamples=resamples, seed=0),
        lambda: np.sort(y_score),
        rounds=3,
    ).ratio
    print(
        f"\na million cases, a resample of ROC AUC and average precision: {ratio / resamples:.2f} np.sort (target 2.5)"
    )
    assert ratio / resamples <= 1.25 * 2.5


def bench_beside_scipy(interleaved):
    y_true, y_score = made(10_000)

    def scipy_interval():
        return stats.bootstrap(
            (y_true, y_score),
            sklearn_metrics.roc_auc_score,
            paired=True,
            vectorized=False,
            n_resamples=RESAMPLES,
            method="percentile",
            random_state=np.random.default_rng(0),
        ).confidence_interval

    ours, theirs = bootstrap_interval(y_true, y_score, resamples=RESAMPLES, seed=0), scipy_interval()
    assert abs(ours.low - theirs.low) < 0.005
    assert abs(ours.high - theirs.high) < 0.005
    ratio = interleaved(
        lambda: bootstrap_interval(y_true, y_score, resamples=RESAMPLES, seed=0), scipy_interval, rounds=3
    ).ratio
    speed = 1 / ratio
    print(f"\n10,000 cases, resamples of ROC AUC: {speed:.0f} times faster than scipy and scikit-learn (target 20)")
    assert speed >= 20 / 1.25
