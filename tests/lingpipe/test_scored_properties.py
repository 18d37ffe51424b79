"""Every statistic of ScoredPrecisionRecallEvaluation against its slow twin, and what must not change it."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalcore import ScoredPrecisionRecallEvaluation
from tests.differences import every
from tests.reference import scored_cases as slow
from tests.strategies import case_arrays, cases_of, close_to

CASES = case_arrays(max_size=20)
MISSES = st.sampled_from([0, 0, 1, 5])


def evaluation_of(*batches, misses=0, negative_misses=0):
    evaluation = ScoredPrecisionRecallEvaluation()
    for scores, correct in batches:
        evaluation.addCases(correct, scores)
    evaluation.addMisses(misses)
    evaluation.addNegativeMisses(negative_misses)
    return evaluation


TWINS = [
    ("numCases", [], lambda c, m, n: len(c)),
    ("numPositiveRef", [], lambda c, m, n: slow.positives(c, m)),
    ("numNegativeRef", [], lambda c, m, n: slow.negatives(c, n)),
    ("areaUnderPrCurve", [False], lambda c, m, n: slow.step_area(slow.pr_curve(c, m))),
    ("areaUnderPrCurve", [True], lambda c, m, n: slow.step_area(slow.pr_curve(c, m, interpolate=True))),
    ("areaUnderRocCurve", [False], lambda c, m, n: slow.step_area(slow.roc_curve(c, m, n))),
    ("areaUnderRocCurve", [True], lambda c, m, n: slow.step_area(slow.roc_curve(c, m, n, interpolate=True))),
    ("averagePrecision", [], lambda c, m, n: slow.average_precision(c, m)),
    ("maximumFMeasure", [], lambda c, m, n: slow.maximum_f_measure(c, m)),
    ("maximumFMeasure", [0.0], lambda c, m, n: slow.maximum_f_measure(c, m, 0.0)),
    ("maximumFMeasure", [-0.5], lambda c, m, n: slow.maximum_f_measure(c, m, 0.5)),
    ("maximumFMeasure", [2], lambda c, m, n: slow.maximum_f_measure(c, m, 2)),
    ("prBreakevenPoint", [], lambda c, m, n: slow.break_even_point(c, m)),
]


@given(CASES, MISSES, MISSES)
def test_statistics_and_curves_are_what_their_definitions_say(cases, misses, negative_misses):
    evaluation = evaluation_of(cases, misses=misses, negative_misses=negative_misses)
    for name, arguments, twin in TWINS:
        expected = twin(cases.pairs, misses, negative_misses)
        assert getattr(evaluation, name)(*arguments) == close_to(expected), (name, arguments)
    points = evaluation.elevenPtInterpPrecision()
    assert points.tolist() == close_to(slow.interpolated_precisions(cases.pairs, misses))
    assert (points.shape, points.dtype, points.flags.writeable) == ((11,), np.float64, False)
    for interpolate in (False, True):
        check_curves(evaluation, cases, misses, negative_misses, interpolate)


def check_curves(evaluation, cases, misses, negative_misses, interpolate):
    pr = slow.pr_curve(cases.pairs, misses, interpolate)
    roc = slow.roc_curve(cases.pairs, misses, negative_misses, interpolate)
    for curve, rows, width in (
        (evaluation.prCurve(interpolate), [row[:2] for row in pr], 2),
        (evaluation.prScoreCurve(interpolate), pr, 3),
        (evaluation.rocCurve(interpolate), roc, 2),
    ):
        assert (curve.shape, curve.dtype, curve.flags.writeable) == ((len(rows), width), np.float64, False)
        assert curve.ravel().tolist() == close_to([value for row in rows for value in row])


@given(case_arrays(max_size=60), MISSES)
def test_statistics_at_a_rank_are_the_formulas_of_the_tie_group_there(cases, misses):
    evaluation = evaluation_of(cases, misses=misses)
    ranked = sorted(cases.scores.tolist(), reverse=True)
    at = {
        depth: slow.precision_at_of_group(*slow.tie_group(cases.pairs, score), depth)
        for depth, score in enumerate(ranked, start=1)
    }
    assert [evaluation.precisionAt(depth) for depth in at] == close_to(list(at.values()))
    positives = slow.positives(cases.pairs, misses)
    beyond = slow.quotient(int(cases.correct.sum()), positives)
    assert evaluation.rPrecision() == close_to(at.get(positives, beyond))
    for score in slow.correct_scores(cases.pairs)[:1]:
        before, _, size, correct = slow.tie_group(cases.pairs, score)
        assert evaluation.reciprocalRank() == close_to(slow.reciprocal_rank_of_group(before, size, correct))


@given(CASES)
def test_precision_is_nan_at_depth_0_and_beyond_the_last_case(cases):
    evaluation = evaluation_of(cases, misses=100)
    assert all(math.isnan(evaluation.precisionAt(depth)) for depth in (0, cases.scores.size + 1, 2**63, 10**30))


@every("negative_misses", [0, 2])
@every("scores", [[], [0.5, 0.5, 0.25]])
@every(("misses", "mean_of_nothing"), [(0, math.nan), (3, 0.0)])
def test_without_a_correct_case_statistics_are_0_and_curves_have_no_rows(
    scores, negative_misses, misses, mean_of_nothing
):
    evaluation = evaluation_of(
        cases_of([(score, False) for score in scores]), misses=misses, negative_misses=negative_misses
    )
    for interpolate in (False, True):
        assert evaluation.areaUnderPrCurve(interpolate) == evaluation.areaUnderRocCurve(interpolate) == 0.0
        assert evaluation.prCurve(interpolate).shape == evaluation.rocCurve(interpolate).shape == (0, 2)
        assert evaluation.prScoreCurve(interpolate).shape == (0, 3)
    assert evaluation.maximumFMeasure() == evaluation.prBreakevenPoint() == evaluation.reciprocalRank() == 0.0
    assert evaluation.elevenPtInterpPrecision().tolist() == [0.0] * 11
    assert evaluation.averagePrecision() == close_to(mean_of_nothing)
    assert evaluation.rPrecision() == close_to(mean_of_nothing)
