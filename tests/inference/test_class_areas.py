"""Averages of the ROC AUCs of classes: standard errors follow from numeric derivatives by the weight of each case."""

import numpy as np
import pytest

from evalcore.inference.ranked_samples import RankedSample
from evalcore.inference.rankings import AREA, MACRO, WEIGHTED, averages_of_areas, rankings
from evalcore.inference.units import units_of
from tests.differences import every

RNG = np.random.default_rng(5)
SIZE, CLASSES, STEP = 90, 3, 1e-5
CODES = RNG.integers(0, CLASSES, SIZE)
MODELS = [RNG.random((CLASSES, SIZE)).round(1) + 0.3 * (np.arange(CLASSES)[:, None] == CODES) for _ in range(2)]
WEIGHTS, TIMES, CLUSTERS = RNG.uniform(0.5, 4, SIZE), RNG.integers(1, 4, SIZE), np.arange(SIZE) % 30


def average(name, scores, weights):
    """Return an average of the areas of the classes against the rest."""
    areas, sums = [], [weights[code == CODES].sum() for code in range(CLASSES)]
    for code, own in enumerate(scores):
        positive, negative = own[code == CODES, None], own[code != CODES]
        pairs = weights[code == CODES, None] * weights[code != CODES]
        won = (positive > negative) + (positive == negative) / 2
        areas.append((pairs * won).sum() / pairs.sum())
    return np.average(areas, weights=sums if name == WEIGHTED else None)


@every("name", [MACRO, WEIGHTED])
@every("given", [{}, {"weights": WEIGHTS}, {"weights": TIMES, "are_frequencies": True}, {"clusters": CLUSTERS}])
def test_errors_follow_from_derivatives(name, given):
    weights = np.array(given.get("weights", np.ones(SIZE)), float)
    found = averages_of_areas(CODES, MODELS, units_of(SIZE, **given))[name]
    assert found.values[:, 0] == pytest.approx([average(name, scores, weights) for scores in MODELS])

    def changes(scores):
        steps = STEP * np.diag(weights)
        return np.array([average(name, scores, weights + one) - average(name, scores, weights - one) for one in steps])

    added = (changes(MODELS[0]) - changes(MODELS[1])) / (2 * STEP)
    squares = np.bincount(CLUSTERS, added) ** 2 if "clusters" in given else added**2
    variance = (squares / (TIMES if "are_frequencies" in given else 1)).sum()
    assert found.spread([[1, -1]]).variances[0, 0] == pytest.approx(variance, rel=0.08)  # factors of few cases beside


@every("given", [{}, {"clusters": CLUSTERS}])
def test_the_average_of_two_classes_varies_as_the_area_of_one(given):
    own, units = MODELS[0][1], units_of(SIZE, **given)
    found = averages_of_areas((CODES == 1).astype(int), [np.stack([-own, own])], units)[MACRO]
    alone = rankings(RankedSample(CODES == 1, units), [own], [AREA])[AREA]
    assert found.values == pytest.approx(alone.values)
    assert found.smaller([0]) == pytest.approx(alone.smaller([0]))
    assert found.spread([[1]]).variances == pytest.approx(alone.spread([[1]]).variances, rel=0.02)


def test_a_class_of_few_cases_tells_its_part_of_the_variance_with_one_less():
    codes = np.repeat([0, 1, 2], [50, 40, 4])
    scores = np.where(codes == np.arange(3)[:, None], 1.0, 0.0) + 9 * (codes == 2) * RNG.random((3, 94))
    spread = averages_of_areas(codes, [scores], units_of(94))[MACRO].spread([[1]])
    assert 3 <= spread.freedom[0, 0] < 8


def test_averages_of_perfect_models_are_1_whatever_the_weights():
    codes = np.arange(12) % CLASSES
    perfect = [1.0 * (np.arange(CLASSES)[:, None] == codes)]
    for weights in np.random.default_rng(1).uniform(0, 4, (40, 12)):
        found = averages_of_areas(codes, perfect, units_of(12, weights=weights))[WEIGHTED]
        assert found.values[0, 0] == 1
