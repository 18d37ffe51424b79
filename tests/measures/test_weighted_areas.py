"""Weighted ROC areas near 0 have as many digits as others, by whatever route, and are 0 where no pair is in order."""

import json
from fractions import Fraction

import numpy as np
import pytest

from evalcore import evaluate
from evalcore.inference import compare_roc_auc, roc_auc_interval
from evalcore.metrics import roc_auc_score
from evalcore.streaming import ScoreSummary
from tests.differences import every

ROUNDING = 2e-15


def exact_area(y_true, scores, weights):
    """Compare each positive with each negative."""
    exact = [Fraction(weight) for weight in weights.tolist()]
    cases = list(zip(y_true.tolist(), scores.tolist(), exact, strict=True))
    pairs = [(own, score - other, weight * others) for own, score, weight in cases for label, other, others in cases
             if own and not label]  # fmt: skip
    return sum(weight * (2 * (gap > 0) + (gap == 0)) / 2 for _, gap, weight in pairs) / sum(
        weight for *_, weight in pairs
    )


def areas(y_true, scores, weights):
    """The area by each route."""
    yield "metric", roc_auc_score(y_true, scores, sample_weight=weights)
    for cluster in (None, np.arange(y_true.size)):
        options = {"sample_weight": weights, "cluster": cluster}
        yield "interval", roc_auc_interval(y_true, scores, **options).estimate
        yield "comparison", compare_roc_auc(y_true, scores, scores, **options).estimates[0]
    summary = ScoreSummary(100)
    summary.update(y_true, scores, sample_weight=weights)
    yield "summary", float(summary.roc_auc())
    frame = {"y": y_true.astype(int), "s": scores, "w": weights, "group": np.array(["all"] * y_true.size)}
    report = json.loads(evaluate(frame, label="y", score="s", weight="w", by="group").to_json())
    for group, own in report["scores"]["s"].items():
        yield f"report {group}", own["roc_area"]


def cases_in_wrong_order(seed, high=0):
    """Cases of which all positives but the first are below all negatives; weights that differ widely."""
    rng = np.random.default_rng(seed)
    y_true = np.arange(12) < 6
    scores = np.where(y_true, 0.0, 1.0) + rng.integers(0, 8, 12) / 10
    scores[:high] = 3.0
    weights = rng.gamma(0.5, size=12) * np.where(np.arange(12) == 0, 1e-9, 1)
    shuffled = rng.permutation(12)
    return y_true[shuffled], scores[shuffled], weights[shuffled]


@every("seed", range(8))
def test_areas_near_0_keep_their_digits(seed):
    cases = cases_in_wrong_order(seed, high=1)
    expected = exact_area(*cases)
    assert 0 < expected < 1e-6
    for route, area in areas(*cases):
        assert float(abs(Fraction(area) - expected) / expected) < ROUNDING, route


@every("seed", range(8))
def test_areas_of_0_are_0(seed):
    assert {area for _, area in areas(*cases_in_wrong_order(seed))} == {0.0}


@every("seed", range(8))
def test_areas_of_1_are_1(seed):
    y_true, scores, weights = cases_in_wrong_order(seed)
    for route, area in areas(y_true, -scores, weights):
        assert area == pytest.approx(1, rel=ROUNDING), route
