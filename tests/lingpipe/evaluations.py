"""Evaluations and evaluators as the tests fill them, the ways to add cases, and everything that one answers."""

import itertools
import math
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

import evalcore
from evalcore import ScoredPrecisionRecallEvaluation
from tests.reference import rankings as slow
from tests.strategies import columns_of

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


NAMES = "a", "b", "c"
POOLS = {
    evalcore.ScoredClassifierEvaluator: [-math.inf, -2.5, 0.1, 0.1, 3.0, math.nan],
    evalcore.ConditionalClassifierEvaluator: [0.0, 1.0, 1.0, 2.0, 0.3, math.nan],
    evalcore.JointClassifierEvaluator: [-math.inf, -0.0, -1.0, -0.7, -700.0, math.nan],
}
ANSWERS = {
    evalcore.RankedClassifierEvaluator: evalcore.RankedClassification,
    evalcore.ScoredClassifierEvaluator: evalcore.ScoredClassification,
    evalcore.ConditionalClassifierEvaluator: evalcore.ConditionalClassification,
    evalcore.JointClassifierEvaluator: evalcore.JointClassification,
}
FOUND = "truePositives", "falsePositives", "falseNegatives", "trueNegatives"
OF_THE_WHOLE = (
    "numCases", "averageRankReference", "meanReciprocalRank", "averageScoreReference",
    "averageConditionalProbabilityReference", "averageLog2JointProbabilityReference", "corpusLog2JointProbability",
)  # fmt: skip
OF_PAIRS = "averageRank", "averageScore", "averageConditionalProbability", "averageLog2JointProbability"
ONE_VERSUS_ALL = "scoredOneVersusAll", "conditionalOneVersusAll"


@dataclass(frozen=True)
class Batch:
    """Cases of one kind of evaluator: rankings as lists of names, or scores (n, k)."""

    kind: type
    references: list
    rows: object

    def __len__(self):
        return len(self.references)


def rows_of(kind, absent, distinct):
    """List the rows of scores that a kind takes: with scores that are absent or only without, all or only distinct."""
    pool = sorted({score for score in POOLS[kind] if absent or not math.isnan(score)}, key=repr)
    found = []
    for row in itertools.product(pool, repeat=3):
        there = [score for score in row if not math.isnan(score)]
        mass = sum(there) if kind is evalcore.ConditionalClassifierEvaluator else 1
        if any(map(math.isfinite, there)) and mass > 0 and (len({*there}) == len(there) or not distinct):
            found.append(row)
    return found


ROWS = {
    (kind, *options): rows_of(kind, *options)
    for kind in POOLS
    for options in itertools.product([False, True], repeat=2)
}
"""Fewer than 256 each, as `columns_of` takes them, by kind, `absent` and `distinct`."""


@st.composite
def score_batches(draw, kinds=tuple(POOLS), distinct=False, most_cases=8, absent=True):
    """Draw scores by case and category, as the kind of evaluator takes them, in float32 or float64."""
    kind = draw(st.sampled_from(kinds))
    rows = np.array(draw(columns_of(ROWS[kind, absent, distinct], 0, most_cases)), np.float64).reshape(-1, 3)
    if kind is evalcore.ConditionalClassifierEvaluator:
        rows /= np.nansum(rows, axis=1, keepdims=True)
    references = draw(columns_of(NAMES, len(rows)))
    return Batch(kind, references, rows.astype(draw(st.sampled_from([np.float32, np.float64]))))


@st.composite
def ranking_batches(draw, most_cases=8):
    """Draw rankings of any length that repeat names, leave some out and hold unknown ones, but not first."""
    rest = columns_of([*NAMES, *NAMES, "unknown", None], 0, 5)
    rows = [[first, *draw(rest)] for first in draw(columns_of(NAMES, 0, most_cases))]
    references = draw(columns_of(NAMES, len(rows)))
    return Batch(evalcore.RankedClassifierEvaluator, references, rows)


ANY = ranking_batches() | score_batches()


def answer_to(kind, row):
    """Answer with what one row of a batch says."""
    if kind is evalcore.RankedClassifierEvaluator:
        return evalcore.RankedClassification(row)
    scores = [float(score) for score in row]
    ranking = slow.ranking_by_score(NAMES, scores)
    return ANSWERS[kind](ranking, [scores[NAMES.index(name)] for name in ranking])


def add_batch(evaluator, batch, start=0):
    inputs = range(start, start + len(batch))
    if batch.kind is not evalcore.RankedClassifierEvaluator:
        evaluator.addScores(batch.references, batch.rows, inputs)
    elif batch.rows:
        evaluator.addRankings(
            batch.references, [list(row) for row in zip(*itertools.zip_longest(*batch.rows), strict=True)], inputs
        )


def filled(*batches, categories=NAMES):
    evaluator = batches[0].kind(None, categories, storeInputs=True)
    start = 0
    for batch in batches:
        add_batch(evaluator, batch, start)
        start += len(batch)
    return evaluator


def objects(evaluator):
    return {
        (name, category): [case.getObject() for case in getattr(evaluator, name)(category)]
        for name in FOUND
        for category in sorted(evaluator.categories())
    }


def by_name(evaluator):
    """Everything that is said of each category, whatever their order; floats to the last bit."""
    names = sorted(evaluator.categories())
    values = {name: getattr(evaluator, name)() for name in OF_THE_WHOLE if hasattr(evaluator, name)}
    for name in filter(lambda name: hasattr(evaluator, name), OF_PAIRS):
        values |= {(name, *pair): getattr(evaluator, name)(*pair) for pair in itertools.product(names, names)}
    if hasattr(evaluator, "rankCount"):
        values |= {("rankCount", name, rank): evaluator.rankCount(name, rank) for name in names for rank in range(3)}
    values |= {("oneVersusAll", name): evaluator.oneVersusAll(name) for name in names}
    for method in filter(lambda name: hasattr(evaluator, name), ONE_VERSUS_ALL):
        for name in names:
            misses, negative_misses, *ranked = getattr(evaluator, method)(name)._compared()
            values[method, name] = misses, negative_misses, [column.tolist() for column in ranked]
    matrix = evaluator.confusionMatrix()
    values |= {("count", *pair): matrix.count(*pair) for pair in itertools.product(names, names)}
    return {key: repr(value) for key, value in values.items()}


def is_average(key):
    """Whether an answer of `by_name` is a sum of floats, whose last digits depend on the order of the cases."""
    name = key if isinstance(key, str) else key[0]
    return (name.startswith("average") and "Rank" not in name) or name == "corpusLog2JointProbability"


def usable_rows(kind):
    """Two rows that a kind takes."""
    return np.array([[0.0, -1.0, -2.0]] * 2 if kind is evalcore.JointClassifierEvaluator else [[0.5, 0.25, 0.25]] * 2)


def evaluator_answers(evaluator):
    """Every number that an evaluator gives, and its text."""
    return by_name(evaluator), str(evaluator), objects(evaluator), repr(evaluator)
