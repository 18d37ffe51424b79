"""Intervals of optimal thresholds are those of pROC, and choosing on the same cases is not free."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from evalcore.errors import UndefinedMetricWarning
from evalcore.inference import bootstrap_interval, optimal_threshold_interval
from evalcore.metrics import optimal_threshold
from tests.differences import every
from tests.strategies import close_to

ASAH = Path(__file__).parents[1] / "data" / "asah.csv"
CRITERIA = "youden", "balanced_accuracy", "ks", "mcc", "accuracy", "eer", "f1", "f0.5"


@pytest.fixture(scope="module")
def asah():
    with ASAH.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [row["outcome"] == "Poor" for row in rows], np.array([float(row["s100b"]) for row in rows])


def test_bounds_are_those_of_proc(asah):
    # pROC 1.18: ci.coords(roc(outcome ~ s100b), "best", best.method = "youden", boot.n = 10000)
    found = optimal_threshold_interval(*asah, resamples=1000, seed=1)
    assert found.value.low == pytest.approx(0.279472, abs=0.02)
    assert found.value.high == pytest.approx(0.610095, abs=0.02)
    assert found.threshold.low in (0.12, 0.13, 0.14)  # halfway to the next lower score it is 0.12
    assert 0.49 <= found.threshold.high <= 0.52  # 0.51
    # ci.se(roc, specificities = c(0.8, 0.9), boot.n = 10000)
    for name, low, high in (("0.8", 0.3415, 0.7561), ("0.9", 0.2195, 0.6098)):
        interval = bootstrap_interval(*asah, f"recall_at_specificity@{name}", stratify=True, seed=1, resamples=500)
        assert [*interval] == pytest.approx([low, high], abs=0.05)


@every("criterion", CRITERIA)
def test_estimates_are_those_of_the_metrics(asah, criterion):
    found = optimal_threshold_interval(*asah, criterion, resamples=40, seed=1)
    best = optimal_threshold(*asah, criterion)
    assert (found.threshold.estimate, found.value.estimate) == (best.threshold, close_to(best.value))
    assert found.value.low <= found.value.high
    assert found.threshold.low <= best.threshold <= found.threshold.high
    sign = -1 if criterion == "eer" else 1
    assert found.corrected.estimate == close_to(found.value.estimate - sign * found.optimism)
    assert "optimism" in found._repr_html_()


def test_optimism_is_what_resamples_have_over_all_cases():
    """As Efron and Tibshirani (1993), 17.6, over the same draws."""
    generator = np.random.default_rng(5)
    y_true = np.arange(40) % 3 == 0
    scores = generator.normal(size=40) + y_true
    found = optimal_threshold_interval(y_true, scores, "accuracy", resamples=16, seed=2, stratify=False)
    rows = np.concatenate([np.flatnonzero(own)[np.argsort(-scores[own])] for own in (y_true, ~y_true)])
    source = np.random.default_rng(2).spawn(2)[0]
    gaps, fixed = [], []
    for _ in range(16):
        drawn = rows[source.integers(0, 40, 40)]
        best = optimal_threshold(y_true[drawn], scores[drawn], "accuracy")
        gaps.append(best.value - np.mean((scores >= best.threshold) == y_true))
        fixed.append(np.mean((scores[drawn] >= found.threshold.estimate) == y_true[drawn]))
    assert found.optimism == pytest.approx(np.mean(gaps), abs=1e-9)
    assert found.corrected.estimate == pytest.approx(found.value.estimate - np.mean(gaps), abs=1e-9)
    bounds = np.quantile(fixed, [0.025, 0.975]) - np.mean(gaps)
    assert [*found.corrected] == pytest.approx(bounds.clip(0, 1).tolist(), abs=1e-9)


def test_weights_groups_and_costs(asah):
    y_true, scores = asah
    times = 1 + np.arange(scores.size) % 3
    options = {"resamples": 400, "seed": 3}
    repeated = np.repeat(y_true, times), np.repeat(scores, times)
    frequent = optimal_threshold_interval(*asah, sample_weight=times, weight_type="frequency", **options)
    assert frequent == optimal_threshold_interval(*repeated, **options)
    of_many = optimal_threshold_interval(*asah, sample_weight=times * 10**9, weight_type="frequency", **options)
    assert of_many.value.estimate == frequent.value.estimate
    assert 0 < of_many.value.high - of_many.value.low < 1e-3  # 2 * 10**11 rows, none of which is built
    weighted = optimal_threshold_interval(*asah, sample_weight=times * 0.1, **options)
    assert weighted.value.estimate == close_to(frequent.value.estimate)
    grouped = optimal_threshold_interval(*asah, cluster=np.arange(scores.size) // 4, stratify=False, **options)
    assert grouped.value.low < grouped.value.estimate
    costly = optimal_threshold_interval(*asah, "cost", cost=(1, 3), **options)
    assert costly.optimism > 0
    assert costly.corrected.estimate > costly.value.estimate
    unused = optimal_threshold_interval(
        [*y_true, True], [*scores, 9.0], sample_weight=[*[2] * len(scores), 0], **options
    )
    assert unused == optimal_threshold_interval(*asah, **options)


def test_corrected_values_are_within_the_range_of_the_criterion():
    options = {"stratify": False, "seed": 1, "level": 0.99}
    cases = [0, 1, 0, 1], [0.3, 0.2, 0.1, 0.4]
    found = optimal_threshold_interval(*cases, "accuracy", **options)
    assert found.corrected.low == 0 < found.corrected.estimate < found.corrected.high < 1
    assert 0 < optimal_threshold_interval(*cases, "youden", **options).optimism < 1  # of the resamples of both classes


def test_perfect_scores_have_no_bounds_of_the_value():
    with pytest.warns(UndefinedMetricWarning, match="all resamples have the same value") as caught:
        found = optimal_threshold_interval([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.8], seed=0, resamples=40)
    assert {each.filename for each in caught} == {__file__}
    assert math.isnan(found.value.low)
    assert math.isnan(found.corrected.low)
    assert found.value.estimate == 1
    assert found.corrected.estimate < 1  # a threshold between other cases would have failed on some of these
    assert 0.2 < found.threshold.low <= found.threshold.high == 0.8


def test_weighted_cases_have_the_bounds_of_fewer(asah):
    positive, scores = asah
    plain = optimal_threshold_interval(positive, scores, seed=0, resamples=100)
    uneven = np.where(np.arange(len(scores)) % 4, 0.05, 1.0)
    weighted = optimal_threshold_interval(positive, scores, sample_weight=uneven, seed=0, resamples=100)
    assert weighted.corrected.high - weighted.corrected.low > 1.3 * (plain.corrected.high - plain.corrected.low)
