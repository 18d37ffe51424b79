"""What ScoredClassifierEvaluator costs, in units of ``np.sort`` of as many scores as there are cases."""

import tracemalloc

import numpy as np
import pytest

from evalcore import ScoredClassifierEvaluator

CASES = 1_000_000
CATEGORIES = 10


@pytest.fixture(scope="module")
def drawn():
    rng = np.random.default_rng(3)
    reference = rng.integers(0, CATEGORIES, CASES)
    scores = rng.standard_normal((CASES, CATEGORIES))
    scores[np.arange(CASES), reference] += 1
    return reference, scores


NAMES = {"integers": range(CATEGORIES), "strings": list("abcdefghij")}


def evaluate(names, reference, scores):
    evaluator = ScoredClassifierEvaluator(None, names)
    evaluator.addScores(reference, scores)
    matrix = evaluator.confusionMatrix().matrix()
    means = evaluator.meanReciprocalRank(), evaluator.averageRankReference()
    averages = [[evaluator.averageRank(one, other) for other in names] for one in names]
    counts = [[evaluator.rankCount(name, rank) for rank in range(CATEGORIES)] for name in names]
    return evaluator, (matrix, means, averages, counts)


def evaluate_plainly(reference, scores):
    """Return the same by sorting every row."""
    ranks = np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1)
    own = ranks[np.arange(CASES), reference]
    matrix = np.zeros((CATEGORIES, CATEGORIES), np.int64)
    np.add.at(matrix, (reference, scores.argmax(axis=1)), 1)
    averages = [ranks[reference == code].mean(axis=0) for code in range(CATEGORIES)]
    counts = [np.bincount(own[reference == code], minlength=CATEGORIES) for code in range(CATEGORIES)]
    return matrix, ((1 / (1 + own)).mean(), own.mean()), averages, counts


def assert_same(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)


@pytest.mark.parametrize("kind", NAMES)
def bench_everything_but_areas(interleaved, drawn, kind):
    reference, scores = drawn
    names = NAMES[kind]
    labels = np.array(names)[reference]
    assert_same(evaluate(names, labels, scores)[1], evaluate_plainly(reference, scores))
    column = scores[:, 0].copy()
    ratio = interleaved(lambda: evaluate(names, labels, scores), lambda: np.sort(column)).ratio
    print(f"\naddScores and all but the areas, {kind} as categories: {ratio:.1f} np.sort")
    assert ratio <= 25


def bench_one_area(interleaved, drawn):
    reference, scores = drawn
    evaluator, _ = evaluate(NAMES["integers"], reference, scores)
    column = scores[:, 0].copy()
    ranks = np.argsort(np.argsort(column)) + 1
    positives = reference == 0
    wins = ranks[positives].sum() - positives.sum() * (positives.sum() + 1) // 2
    expected = wins / (positives.sum() * (~positives).sum())
    assert evaluator.scoredOneVersusAll(0).areaUnderRocCurve(False) == pytest.approx(expected, rel=1e-12)

    def all_areas():
        return [evaluator.scoredOneVersusAll(name).areaUnderRocCurve(False) for name in range(CATEGORIES)]

    ratio = interleaved(all_areas, lambda: np.sort(column)).ratio / CATEGORIES
    print(f"\none-versus-all area, each of ten: {ratio:.1f} np.sort")
    assert ratio <= 4


def bench_memory_of_scores(benchmark, drawn):
    reference, scores = drawn
    tracemalloc.start()
    try:
        evaluator, found = benchmark.pedantic(evaluate, (NAMES["integers"], reference, scores))
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert_same(found, evaluate_plainly(reference, scores))
    assert evaluator.numCases() == CASES
    print(f"\nkept: {kept / scores.nbytes:.2f} times the bytes of the scores, at most {peak / scores.nbytes:.2f}")
    assert kept <= 1.1 * scores.nbytes  # the scores once, and codes of the references
