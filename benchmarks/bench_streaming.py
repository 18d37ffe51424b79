"""What one pass in constant memory costs, in units of ``np.sort`` of the same scores, and how much it leaves open."""

import subprocess
import sys

import numpy as np
import pytest

import evalcore
from benchmarks.stream import batches
from evalcore import metrics
from evalcore.streaming import ScoreSummary, learn_cuts

CASES = 10_000_000
SLACK = 1.25
PEAK_OF_A_PROCESS = """
from benchmarks.stream import summarised
for reached in summarised(10**7): print(reached.peak)
"""


@pytest.fixture(scope="module")
def cases():
    labels, scores = (np.concatenate(column) for column in zip(*batches(CASES), strict=True))
    return labels, scores


def summarised(labels, scores, cuts=None):
    summary = ScoreSummary(cuts=cuts)
    summary.update(labels, scores)
    return summary.roc_auc()


@pytest.mark.parametrize("count", [1, 2])
def bench_update(cases, interleaved, count):
    labels, scores = cases
    area = summarised(labels, scores)
    assert area.low <= metrics.roc_auc_score(labels, scores) <= area.high
    assert area.width < 3e-5
    with evalcore.threads(count):
        ratio = interleaved(lambda: summarised(labels, scores), lambda: np.sort(scores)).ratio
    print(f"\nupdate of ten million, {count} threads: {ratio:.2f} np.sort (target 4), width {area.width:.1e}")
    assert ratio <= SLACK * 4


def bench_update_of_uniform_float32(interleaved):
    rng = np.random.default_rng(2)
    labels, scores = rng.random(CASES) < 0.1, rng.random(CASES, np.float32)
    area = summarised(labels, scores)
    assert area.low <= metrics.roc_auc_score(labels, scores) <= area.high
    ratio = interleaved(lambda: summarised(labels, scores), lambda: np.sort(scores)).ratio
    print(f"\nupdate of ten million float32: {ratio:.2f} np.sort (target 4), width {area.width:.1e}")
    assert ratio <= SLACK * 4


@pytest.mark.parametrize(("dtype", "most"), [(np.float64, 2), (np.float32, 2)])
def bench_update_with_weights(interleaved, dtype, most):
    rng = np.random.default_rng(3)
    labels, scores, weights = rng.random(CASES) < 0.3, rng.random(CASES, dtype), rng.random(CASES)

    def in_batches(weights=None):
        summary = ScoreSummary()
        for start in range(0, CASES, 10**6):
            part = slice(start, start + 10**6)
            summary.update(labels[part], scores[part], sample_weight=None if weights is None else weights[part])
        return summary.roc_auc()

    area = in_batches(weights)
    assert area.low <= metrics.roc_auc_score(labels, scores, sample_weight=weights) <= area.high
    with evalcore.threads(1):
        ratio = interleaved(lambda: in_batches(weights), in_batches, rounds=3).ratio
    print(f"\nupdate of ten million with weights, {np.dtype(dtype).name}: {ratio:.2f} of that without (target 2)")
    assert ratio <= SLACK * most


def bench_merge(cases, interleaved):
    labels, scores = cases
    cuts = learn_cuts(labels[: 1 << 20], scores[: 1 << 20])
    parts = []
    for half in np.array_split(np.arange(CASES), 2):
        parts.append(ScoreSummary(cuts=cuts))
        parts[-1].update(labels[half], scores[half])
        parts[-1].to_bytes()  # nothing waits

    def merged():
        summary = ScoreSummary(cuts=cuts)
        for part in parts:
            summary.merge(part)
        return summary

    exact = metrics.roc_auc_score(labels, scores)
    assert merged().roc_auc().low <= exact <= merged().roc_auc().high
    ratio = interleaved(merged, lambda: np.sort(scores), rounds=3).ratio
    print(f"\nmerge of two summaries: {ratio / 2:.3f} np.sort of ten million")
    assert ratio / 2 <= 0.25


def bench_memory():
    run = subprocess.run([sys.executable, "-c", PEAK_OF_A_PROCESS], capture_output=True, text=True, check=True)
    peak = float(run.stdout)
    print(f"\nmemory of a process that summarises ten million generated scores: {peak:.0f} MB (target 300)")
    assert peak < 300


@pytest.mark.slow
def bench_a_hundred_million():
    summary = ScoreSummary()
    for labels, scores in batches(10 * CASES):
        summary.update(labels, scores)
    print(f"\nwidth of the ROC AUC of a hundred million: {summary.roc_auc().width:.2e} (target 3e-5)")
    assert summary.roc_auc().width <= 3e-5
