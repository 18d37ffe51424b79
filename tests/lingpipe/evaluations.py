"""Evaluations as the tests fill them, and everything that one answers."""

import numpy as np

from evalcore import ScoredPrecisionRecallEvaluation

CURVES = {"prCurve": 2, "rocCurve": 2, "prScoreCurve": 3}
AREAS = "areaUnderPrCurve", "areaUnderRocCurve"


def scored(correct, scores, misses=0, negative_misses=0):
    evaluation = ScoredPrecisionRecallEvaluation()
    evaluation.addCases(correct, scores)
    evaluation.addMisses(misses)
    evaluation.addNegativeMisses(negative_misses)
    return evaluation


def ten_cases(misses=0, negative_misses=0):
    """The example of spec 000."""
    scores = [-1.21, -1.27, -1.39, -1.47, -1.6, -1.65, -1.79, -1.8, -2.01, -3.7]
    return scored([0, 1, 0, 1, 1, 0, 0, 0, 1, 0], scores, misses, negative_misses)


def answers(evaluation):
    """Every number that a ranking gives, for comparison to the last bit: NaN stands as text."""
    curves = [getattr(evaluation, name)(interpolate) for name in CURVES for interpolate in (False, True)]
    precisions = np.array([evaluation.precisionAt(depth) for depth in range(evaluation.numCases() + 2)])
    return (
        repr(evaluation),
        str(evaluation),
        repr((evaluation.rPrecision(), evaluation.maximumFMeasure(2), evaluation.maximumFMeasure(0.5))),
        (evaluation.numPositiveRef(), evaluation.numNegativeRef()),
        [rows.tobytes() for rows in (*curves, evaluation.elevenPtInterpPrecision(), precisions)],
    )
