"""How often the bounds of resamples hold the true area."""

import numpy as np
import pytest
from scipy.special import ndtri

from evalcore.inference.resampling.point_measures import parse_measure
from evalcore.inference.resampling.resampled_measures import (
    METHODS,
    Resampled,
    bootstrap_bounds,
    generators,
    measure_resamples,
    measure_without_blocks,
)
from evalcore.inference.resampling.resampled_models import resampled_models

SETS, RESAMPLES = 2000, 400


def covered(positives, negatives, area):
    """Return the fraction of simulated sets of normal scores whose 95% bounds hold the area, by method."""
    rng = np.random.default_rng(20)
    shift = np.sqrt(2) * ndtri(area)
    y_true = np.arange(positives + negatives) < positives
    held = dict.fromkeys(METHODS, 0)
    for number in range(SETS):
        y_score = rng.normal(size=y_true.size) + shift * y_true
        found = resampled_models(y_true, {"y_score": y_score}, [parse_measure("roc_auc")], stratify=True)
        sources = generators(number, RESAMPLES)
        values = measure_resamples(found.measured, found.draw, sources, RESAMPLES)[:, 0, 0]
        left = measure_without_blocks(found.measured, found.units, sources[-1])[:, 0, 0]
        for method in METHODS:
            low, high, _ = bootstrap_bounds(Resampled(float(found.estimates[0, 0]), values, left), method, 0.95)
            held[method] += low <= area <= high
    return {method: count / SETS for method, count in held.items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("positives", "negatives", "area", "least"),
    [(100, 100, 0.75, {"percentile": 0.93, "basic": 0.92, "bca": 0.93}), (20, 80, 0.9, dict.fromkeys(METHODS, 0.8))],
)
def test_bounds_hold_the_true_area_as_often_as_is_said(positives, negatives, area, least):
    fractions = covered(positives, negatives, area)
    print(positives, negatives, area, fractions)
    for method, fraction in fractions.items():
        assert least[method] <= fraction <= 0.97
