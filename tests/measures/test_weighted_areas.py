"""Weighted ROC AUCs near 0, areas of classes, and bounds of what lies in intervals."""

import json
import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore import evaluate
from evalcore.inference import compare_roc_auc, roc_auc_interval
from evalcore.kernels.bins import ScoreIntervals
from evalcore.measures.bounds import average_precision_bounds
from evalcore.measures.curves import mean_pair_area, pair_areas
from evalcore.metrics import roc_auc_score
from evalcore.streaming import ScoreSummary
from tests.differences import every
from tests.reference import scored_cases as slow
from tests.strategies import close_to

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
        yield f"report {group}", own["roc_auc"]


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


ROWS = st.lists(
    st.tuples(st.integers(0, 2), st.tuples(*[st.sampled_from([0.0, 0.25, 0.5, 0.75])] * 3)), min_size=1, max_size=12
)


def area(rows, one, other):
    """Average the area of one class against another by the scores of either."""
    sides = [
        slow.roc_auc([(scores[own], code == own) for code, scores in rows if code in {one, other}])
        for own in (one, other)
    ]
    return float(sum(sides) / 2)


@given(ROWS)
def test_areas_of_pairs_are_those_of_their_cases_alone(rows):
    codes, scores = (np.array(column) for column in zip(*rows, strict=True))
    areas = pair_areas(scores, codes)
    present = set(codes.tolist())
    for one in range(3):
        for other in range(3):
            if {one, other} <= present and one != other:
                assert areas[one, other] == close_to(area(rows, one, other))
            elif not {one, other} <= present:
                assert math.isnan(areas[one, other])


@given(ROWS)
def test_the_mean_is_over_pairs_that_have_cases(rows):
    codes, scores = (np.array(column) for column in zip(*rows, strict=True))
    counts = np.bincount(codes, minlength=3)
    present = sorted(set(codes.tolist()))
    pairs = [(one, other) for one in present for other in present if one < other]
    plain = mean_pair_area(pair_areas(scores, codes), counts)
    weighted = mean_pair_area(pair_areas(scores, codes), counts, by_prevalence=True)
    if not pairs:
        assert math.isnan(plain)
        assert math.isnan(weighted)
        return
    areas, sizes = [area(rows, *pair) for pair in pairs], [counts[list(pair)].sum() for pair in pairs]
    assert plain == close_to(sum(areas) / len(areas))
    assert weighted == close_to(np.dot(areas, sizes) / sum(sizes))


LEVELS = [0.0, 1.0, 2.0]


ROWS_OF_INTERVALS = st.tuples(st.sampled_from(LEVELS), st.sampled_from(LEVELS), st.integers(0, 2), st.integers(0, 2))


def few_intervals(rows):
    """Whether at most five cases are in them, and no interval is empty."""
    return sum(sum(row[2:]) for row in rows) <= 5 and all(row[2] + row[3] for row in rows)


@given(st.lists(ROWS_OF_INTERVALS, min_size=1, max_size=4).filter(few_intervals), st.integers(0, 1))
def test_every_arrangement_has_its_average_precision_between_the_bounds(rows, misses):
    rows = sorted((min(row[:2]), max(row[:2]), *row[2:]) for row in rows)
    low, high, positives, negatives = map(np.array, zip(*rows, strict=True))
    total = int(positives.sum()) + misses
    bounds = average_precision_bounds(ScoreIntervals(low, high, positives, negatives), total)
    if total == 0:
        assert np.isnan(bounds).all()
        return
    cases = [(row, label) for row in rows for label in [True] * row[2] + [False] * row[3]]
    # halves too, for scores between those where intervals end
    choices = [[s / 2 for s in range(5) if row[0] <= s / 2 <= row[1]] for row, _ in cases]
    for scores in product(*choices):
        pairs = list(zip(scores, (label for _, label in cases), strict=True))
        exact = float(slow.average_precision(pairs, misses))
        assert bounds.low - 1e-12 <= exact <= bounds.high + 1e-12
    if np.array_equal(low, high):
        np.testing.assert_allclose(bounds, [exact, exact], rtol=0, atol=1e-12)
