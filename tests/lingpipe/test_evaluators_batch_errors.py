"""What a batch of rankings or scores must not be: the whole text, and that the evaluator stays as it was."""

import math

import numpy as np
import pandas as pd
import pytest

from evalcore import (
    ConditionalClassification,
    ConditionalClassifierEvaluator,
    EvaluationError,
    EvaluationTypeError,
    JointClassifierEvaluator,
    RankedClassifierEvaluator,
    ScoredClassifierEvaluator,
)
from tests.differences import every
from tests.validation.foreign import GradientTensor
from tests.validation.refusals import memory, refused

NAN, INF = math.nan, math.inf
ONE_OF = "must be one of 'a', 'b', 'c', got"
NUMBERS = "scores must hold float64 or float32 numbers, NaN for absent categories, got dtype"
RAGGED = "rankings must have rows of one length; pad them with None, or NaN for scores"
SHAPE = "must have a row for each case and at least one column, got shape"
SCORED, CONDITIONAL, JOINT = ScoredClassifierEvaluator, ConditionalClassifierEvaluator, JointClassifierEvaluator


def hash_error():
    try:
        {}.get([])
    except TypeError as error:
        return str(error)


def ranked(categories=("a", "b", "c")):
    evaluator = RankedClassifierEvaluator(None, categories)
    evaluator.addRankings([categories[0]], [list(categories)])
    return evaluator


def scored(kind):
    evaluator = kind(None, ["a", "b", "c"])
    evaluator.addScores(["b"], [[0.0, -INF, -INF] if kind is JOINT else [0.5, 0.25, 0.25]])
    return evaluator


@every(
    ("rankings", "error", "message"),
    [
        ([["a"], ["d"]], EvaluationError, f"rankings[1, 0] {ONE_OF} 'd' (str)"),
        ([["a"], [None]], EvaluationError, f"rankings[1, 0] {ONE_OF} None (NoneType)"),
        ([["a", "b"], [None, "a"]], EvaluationError, f"rankings[1, 0] {ONE_OF} None (NoneType)"),
        ([["a"], [0]], EvaluationError, f"rankings[1, 0] {ONE_OF} 0 (int)"),
        (np.array([["a"], ["d"]]), EvaluationError, f"rankings[1, 0] {ONE_OF} 'd' (str)"),
        (pd.DataFrame({"first": ["a", "d"]}), EvaluationError, f"rankings[1, 0] {ONE_OF} 'd' (str)"),
        ([[0], [-1]], EvaluationError, f"rankings[1, 0] {ONE_OF} -1 (int)"),
        (np.array([[0], [-1]]), EvaluationError, f"rankings[1, 0] {ONE_OF} np.int64(-1) (int64)"),
        (np.array([[0, 1], [1, 3]], np.uint8), EvaluationError, "rankings[1, 1] must be a code in -1 .. 2, got 3"),
        (np.array([[0, -2], [1, 3]]), EvaluationError, "rankings[0, 1] must be a code in -1 .. 2, got -2"),
        (np.array([[0, 2**64 - 1], [1, 0]], np.uint64), EvaluationError,
         f"rankings[0, 1] must be a code in -1 .. 2, got {2**64 - 1}"),
        ([[3, 0], [1, 0]], EvaluationError, "rankings[0, 0] must be a code in -1 .. 2, got 3"),
        (np.array([[0.0], [1.0]]), EvaluationError, f"rankings[0, 0] {ONE_OF} np.float64(0.0) (float64)"),
        ([["a", "b"], ["a", []]], EvaluationTypeError, f"rankings must hold names: {hash_error()}"),
        (["abc", "bca"], EvaluationError, f"rankings {SHAPE} (2,)"),
        ("abc", EvaluationError, f"rankings {SHAPE} ()"),
        ({"a", "b"}, EvaluationError, f"rankings {SHAPE} ()"),
        (None, EvaluationError, f"rankings {SHAPE} ()"),
        ([["a", "b"], ["a"]], EvaluationError, RAGGED),
        ([[], []], EvaluationError, f"rankings {SHAPE} (2, 0)"),
        ([[["a"]], [["b"]]], EvaluationError, f"rankings {SHAPE} (2, 1, 1)"),
        ([["a"]], EvaluationError, "references and rankings must be equally long, got 2 and 1"),
        (np.ma.masked_array([[0, 1], [1, 0]], [[0, 0], [0, 1]]), EvaluationError,
         "rankings holds masked cells; drop or fill them first"),
    ],
)  # fmt: skip
def test_rankings_that_are_refused(rankings, error, message):
    evaluator = ranked()
    if isinstance(rankings, list) and rankings == [["a", "b"], ["a", []]]:
        rankings = np.array([["a", "b"], ["a", None]], object)
        rankings[1, 1] = []
    with refused(evaluator, error, message):
        evaluator.addRankings(["a", "b"], rankings)
    assert evaluator.numCases() == 1


@every("bad", [1.7, "1", "b", 2**70, NAN])
def test_what_is_no_code_is_refused_among_codes(bad):
    evaluator = ranked()
    before = memory(evaluator)
    with pytest.raises((EvaluationError, EvaluationTypeError), match=r"\Arankings\b"):
        evaluator.addRankings(["a", "b"], [[0, 1], [1, bad]])
    assert memory(evaluator) == before


def test_none_among_codes_is_absent():
    evaluator = ranked()
    evaluator.addRankings(["c", "b"], [[0, 1], [1, None]])
    assert evaluator.averageRank("b", "a") == 2.0


def test_names_that_are_numbers_are_names_in_a_batch_too():
    one, batch = (RankedClassifierEvaluator(None, [1.0, 2.0, 3.0]) for _ in range(2))
    for labels in [1, 2, 3], [1.0, 2.0, 3.0]:
        for label in labels:
            batch.addRankings([label], [[label]])
            one.addRankings([float(label)], [[float(label)]])
    assert batch.confusionMatrix().matrix().tolist() == one.confusionMatrix().matrix().tolist()


def test_integer_names_are_names_and_no_codes():
    evaluator = ranked((3, 1, 2))
    evaluator.addRankings(np.array([1, 2]), np.array([[1, 2, 3], [3, -1, 9]]))
    assert evaluator.confusionMatrix().matrix().tolist() == [[1, 0, 0], [0, 1, 0], [1, 0, 0]]
    with refused(evaluator, EvaluationError, "rankings[0, 0] must be one of 3, 1, 2, got 0 (int)"):
        evaluator.addRankings([1], [[0, 1]])
    with refused(evaluator, EvaluationError, "references[0] must be one of 3, 1, 2, got 0 (int)"):
        evaluator.addRankings([0], [[1, 2]])


@every(
    ("scores", "error", "message"),
    [
        ([[0, 0, 1], [NAN] * 3], EvaluationError,
         "scores[1] is all NaN; a case must have a score for some category"),
        ([[1, 0]] * 2, EvaluationError, "scores must have a column for each of 3 categories, got 2"),
        ([[1, 0, 0, 0]] * 2, EvaluationError, "scores must have a column for each of 3 categories, got 4"),
        ([1, 0, 0], EvaluationError, f"scores {SHAPE} (3,)"),
        ([[], []], EvaluationError, f"scores {SHAPE} (2, 0)"),
        (0.5, EvaluationError, f"scores {SHAPE} ()"),
        ("abc", EvaluationError, f"scores {SHAPE} ()"),
        ({1, 2}, EvaluationError, f"scores {SHAPE} ()"),
        ([[True, False, False]] * 2, EvaluationTypeError,
         f"{NUMBERS} bool"),
        ([["1", "0", "0"]] * 2, EvaluationTypeError, f"{NUMBERS} <U1"),
        ([[1, 0, None]] * 2, EvaluationTypeError, f"{NUMBERS} object"),
        ([[1j, 0, 0]] * 2, EvaluationTypeError, f"{NUMBERS} complex128"),
        (np.array([[2**53, 2**53 + 1, 0]] * 2), EvaluationError, "scores[0, 1] = 9007199254740993 is an integer that "
         "float64 cannot hold; scale or round the scores first"),
        (np.ma.masked_array([[1.0, 0, 0]] * 2, [[0, 0, 1]] * 2), EvaluationError,
         "scores holds masked cells; drop or fill them first"),
        ([[1.0, 0, 0]], EvaluationError, "references and scores must be equally long, got 2 and 1"),
    ],
)  # fmt: skip
@every("kind", [SCORED, CONDITIONAL, JOINT])
def test_scores_that_are_refused(kind, scores, error, message):
    evaluator = scored(kind)
    with refused(evaluator, error, message):
        evaluator.addScores(["a", "b"], scores)
    assert evaluator.numCases() == 1


@every("scores", [[[1, 2, 3], [1, 2]], GradientTensor([[1.0, 0, 0]] * 2)])
def test_an_array_that_cannot_be_read(scores):
    evaluator = scored(SCORED)
    before = memory(evaluator)
    with pytest.raises(EvaluationTypeError, match=r"\Ascores cannot be read as an array(: | \()"):
        evaluator.addScores(["a", "b"], scores)
    assert memory(evaluator) == before


@every(
    ("kind", "rows", "message"),
    [
        (CONDITIONAL, [[1, 0, 0], [1.5, -0.5, 0]], "scores[1] must be in 0 .. 1, got 1.5"),
        (CONDITIONAL, [[1, 0, 0], [-0.5, 1.5, 0]], "scores[1] must be in 0 .. 1, got -0.5"),
        (CONDITIONAL, [[INF, NAN, NAN], [1, 0, 0]], "scores[0] must be in 0 .. 1, got inf"),
        (CONDITIONAL, [[1.5, 0, 0]], "scores must be in 0 .. 1, got 1.5"),
        (CONDITIONAL, [[1, 0, 0], [0.5, 0.25, NAN]], "scores[1] must sum to 1 within 0.01, got 0.75"),
        (CONDITIONAL, [[1, 0.5, 0], [1, 0, 0]], "scores[0] must sum to 1 within 0.01, got 1.5"),
        (CONDITIONAL, [[0.5, 0.25, 0]], "scores must sum to 1 within 0.01, got 0.75"),
        (CONDITIONAL, [[0, 0, NAN]], "scores must sum to 1 within 0.01, got 0.0"),
        (JOINT, [[-1, -1, -1], [-1, 0.5, -2]], "scores[1] must be at most 0, got 0.5"),
        (JOINT, [[INF, -1, -1], [-1, -1, -2]], "scores[0] must be at most 0, got inf"),
        (JOINT, [[0.5, -1, NAN]], "scores must be at most 0, got 0.5"),
        (JOINT, [[-1, -1, -1], [-INF, NAN, -INF]], "scores[1] must not all be -inf, got -inf"),
        (JOINT, [[-INF] * 3], "scores must not all be -inf, got -inf"),
    ],
)
@every("dtype", [np.float32, np.float64])
def test_probabilities_that_are_refused(kind, rows, message, dtype):
    evaluator = scored(kind)
    with refused(evaluator, EvaluationError, message):
        evaluator.addScores(["a", "b"][: len(rows)], np.array(rows, dtype))


@every("row", [[0.18, 0.48, 0.35], [0.71, 0.12, 0.18], [0.32, 0.15, 0.52], [0.03, 0.17, 0.79]])
def test_a_row_at_the_edge_of_the_tolerance_is_taken_by_both_doors_or_by_none(row):
    names = ["a", "b", "c"]
    ranking = sorted(names, key=lambda name: -row[names.index(name)])

    def is_taken(add):
        try:
            add(ConditionalClassifierEvaluator(None, names))
        except EvaluationError:
            return False
        return True

    def by_answer(evaluator):
        answer = ConditionalClassification(ranking, [row[names.index(name)] for name in ranking])
        evaluator.addClassification("a", answer)

    assert is_taken(lambda evaluator: evaluator.addScores(["a"], [row])) == is_taken(by_answer)


@every("width", [np.float16, np.float32, np.float64, ">f4", ">f8", np.int8, np.int64, np.longdouble])
def test_numbers_become_float32_or_float64(width):
    evaluator = ScoredClassifierEvaluator(None, ["a", "b"])
    evaluator.addScores(["a", "b"], np.array([[1, 0], [3, 2]], width))
    assert [evaluator.averageScore(name, name) for name in "ab"] == [1.0, 2.0]
    dtype = evaluator._cases.columns[0].values.dtype
    assert dtype in (np.float32, np.float64)
    assert dtype.isnative


@every("kind", [SCORED, CONDITIONAL, JOINT])
def test_no_cases_are_a_batch(kind):
    evaluator = scored(kind)
    before = memory(evaluator)
    evaluator.addScores([], np.empty((0, 3), np.float32))
    assert memory(evaluator) == before
    plain = ranked()
    plain.addRankings([], np.empty((0, 2), np.intp))
    assert plain.numCases() == 1


def test_scores_of_infinities_of_both_signs_average_to_nan_in_silence():
    evaluator = ScoredClassifierEvaluator(None, ["a", "b"])
    evaluator.addScores(["a", "a"], [[INF, 0], [-INF, 0]])
    assert math.isnan(evaluator.averageScore("a", "a"))
    assert math.isnan(evaluator.averageScoreReference())
    assert "Average Score Reference=NaN" in str(evaluator)
