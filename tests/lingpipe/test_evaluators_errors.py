"""What the classifier evaluators refuse: the whole text, and that they stay as they were."""

import math

import numpy as np
import pandas as pd
import pytest

import evalcore
from evalcore.errors import shown
from tests.differences import every
from tests.validation.refusals import TorchTensor, memory, refused

E, T = evalcore.EvaluationError, evalcore.EvaluationTypeError
ANSWERS = {
    evalcore.BaseClassifierEvaluator: evalcore.Classification("a"),
    evalcore.RankedClassifierEvaluator: evalcore.RankedClassification(["a", "b"]),
    evalcore.ScoredClassifierEvaluator: evalcore.ScoredClassification(["a", "b"], [2, 1]),
    evalcore.ConditionalClassifierEvaluator: evalcore.ConditionalClassification(["a", "b"], [0.75, 0.25]),
    evalcore.JointClassifierEvaluator: evalcore.JointClassification(["a", "b"], [-1, -2]),
}
KINDS = list(ANSWERS)
RANKED, SCORED, CONDITIONAL, JOINT = KINDS[1:]
ONE_OF = "must be one of 'a', 'b', 'c', got"
HASHABLE = "must be hashable, such as a string or an integer, got [] (list)"
FOUND = ["truePositives", "falsePositives", "falseNegatives", "trueNegatives"]


class Chooser:
    """A classifier that gives one answer."""

    def __init__(self, answer):
        self.answer = answer

    def classify(self, thing):
        if self.answer is None:
            raise LookupError(thing)
        return self.answer


CASE = evalcore.Classified("object", evalcore.Classification("a"))


def one_case(kind, storeInputs=True, classifier=None):  # noqa: N803  the documented name
    evaluator = kind(classifier, ["a", "b", "c"], storeInputs)
    evaluator.addClassification("b", ANSWERS[kind], "object")
    return evaluator


def best_of(kind, first):
    columns = {SCORED: [[2, 1]], CONDITIONAL: [[0.75, 0.25]], JOINT: [[-1, -2]]}.get(kind, [])
    return (
        evalcore.Classification(first)
        if kind is evalcore.BaseClassifierEvaluator
        else type(ANSWERS[kind])([first, "a"], *columns)
    )


BEST = "classification.bestCategory()"


@every(
    ("kind", "answer", "error", "message"),
    *((kind, best_of(kind, first), E, f"{BEST} {ONE_OF} {first!r} ({type(first).__name__})")
      for kind in KINDS for first in ("d", None, 1)),
    (evalcore.BaseClassifierEvaluator, evalcore.Classification([]), T, f"{BEST} {HASHABLE}"),
    *((kind, answer, T, f"classification must be a {type(ANSWERS[kind]).__name__}, got {shown(answer)}")
      for place, kind in enumerate(KINDS)
      for answer in (*(ANSWERS[lower] for lower in KINDS[:place]), "a", 3, ["a", "b"])),
)  # fmt: skip
def test_answers_of_too_low_a_type_or_with_an_unknown_best_are_refused_singly_and_handled(kind, answer, error, message):
    evaluator = one_case(kind, classifier=Chooser(answer))
    with refused(evaluator, error, message):
        evaluator.addClassification("a", answer)
    with refused(evaluator, error, message):
        evaluator.handle(CASE)


@every("kind", KINDS)
def test_an_error_of_the_classifier_leaves_nothing_behind_nor_does_none_or_what_cannot_classify(kind):
    evaluator = one_case(kind, classifier=Chooser(None))
    before = memory(evaluator)
    with pytest.raises(LookupError, match=r"\Aobject\Z"):
        evaluator.handle(CASE)
    assert memory(evaluator) == before
    evaluator = one_case(kind)
    with refused(evaluator, E, "handle needs a classifier; set one by setClassifier"):
        evaluator.handle(CASE)
    good = Chooser(ANSWERS[kind])
    evaluator = one_case(kind, classifier=good)
    for classifier, told in ("wine", "'wine' (str)"), (3, "3 (int)"), ([], "[] (list)"):
        for ask in (evaluator.setClassifier, lambda given: kind(given, ["a", "b"])):
            with refused(evaluator, T, f"classifier must have classify, got {told}"):
                ask(classifier)
    assert evaluator.classifier() is good


@every("kind", KINDS)
def test_inputs_that_are_not_stored_are_neither_merged_nor_told(kind):
    evaluator, plain = one_case(kind), one_case(kind, storeInputs=False)
    with refused(evaluator, E, "other must store its inputs, as this evaluator does"):
        evaluator.merge(plain)
    for name in FOUND:
        text = "inputs are not stored; construct the evaluator with storeInputs=True"
        with refused(plain, evalcore.UnsupportedOperationError, text) as caught:
            getattr(plain, name)("a")
        assert isinstance(caught.value, RuntimeError)
        assert not isinstance(caught.value, ValueError)
    plain.merge(evaluator)  # the other way round nothing is missing
    assert plain.numCases() == 2


QUESTIONS = {
    **{name: (KINDS, ["category"]) for name in ("oneVersusAll", *FOUND)},
    "averageRank": (KINDS[1:], ["refCategory", "responseCategory"]),
    "averageScore": (KINDS[2:], ["refCategory", "responseCategory"]),
    "averageConditionalProbability": ([CONDITIONAL, JOINT], ["refCategory", "responseCategory"]),
    "averageLog2JointProbability": ([JOINT], ["refCategory", "responseCategory"]),
    "scoredOneVersusAll": (KINDS[2:], ["category"]),
    "conditionalOneVersusAll": ([CONDITIONAL, JOINT], ["category"]),
}
"""By name: which evaluators answer, and of what."""
UNKNOWN = [("d", E, f"{ONE_OF} 'd' (str)"), (0, E, f"{ONE_OF} 0 (int)"), (None, E, f"{ONE_OF} None (NoneType)"),
           ([], T, HASHABLE)]  # fmt: skip
GOOD = {RANKED: ("addRankings", [["a", "b", "c"]] * 3), SCORED: ("addScores", [[0.5, 0.25, 0.25]] * 3),
        CONDITIONAL: ("addScores", [[0.5, 0.25, 0.25]] * 3), JOINT: ("addScores", [[-1.0, -2, -2]] * 3)}  # fmt: skip
LONG = "must be equally long, got"


def add_batch(evaluator, references=("a",) * 3, inputs=("object",) * 3, rows=None):
    method, good = GOOD[type(evaluator)]
    getattr(evaluator, method)(references, good if rows is None else rows, inputs)


REFUSED = [
    *((KINDS, lambda e, bad=bad: e.addClassification(bad, ANSWERS[type(e)], "object"), error, f"reference {text}")
      for bad, error, text in UNKNOWN),
    *((KINDS, lambda e, bad=bad: e.handle(evalcore.Classified("object", evalcore.Classification(bad))), error,
       f"reference {text}") for bad, error, text in UNKNOWN[:3]),
    *((KINDS, lambda e, bad=bad: e.handle(bad), T, f"classified must be a Classified, got {shown(bad)}")
      for bad in ("a", evalcore.Classification("a"))),
    (KINDS, lambda e: type(e)(None, ["a", "a"]), E, "categories[1] = 'a' (str) repeats categories[0]"),
    *(([kind], lambda e, other=other: e.merge(other), T, f"other must be a {kind.__name__}, got {shown(other)}")
      for kind in KINDS for other in (*(one_case(each) for each in KINDS if each is not kind), None)),
    *((KINDS, lambda e, names=names: e.merge(type(e)(None, names, storeInputs=True)), E,
       f"other must have the categories 'a', 'b', 'c', in that order, got {', '.join(map(repr, names))}")
      for names in (["a", "c", "b"], ["a", "b"], ["a", "b", "c", "d"], [1, 2, 3])),
    *((kinds, lambda e, name=name, names=names, place=place, bad=bad: getattr(e, name)(
        *(bad if each == names[place] else "a" for each in names)), error, f"{names[place]} {text}")
      for name, (kinds, names) in QUESTIONS.items() for place in range(len(names))
      for bad, error, text in (UNKNOWN[0], UNKNOWN[1], UNKNOWN[3])),
    *((KINDS[1:], lambda e, asked=asked: e.rankCount(*asked), error, text) for asked, error, text in [
        (("d", 0), E, f"referenceCategory {ONE_OF} 'd' (str)"), (("a", 3), E, "rank must be in 0 .. 2, got 3"),
        (("a", -1), E, "rank must be in 0 .. 2, got -1"), (("a", 1.0), T, "rank must be an integer, got 1.0 (float)"),
        (("a", "b"), T, "rank must be an integer, got 'b' (str)")]),
    (KINDS[2:], lambda e: e.addRankings(["a"], [["a"]], ["object"]), T,
     "a <kind> takes rankings with scores; use addScores"),
    *((GOOD, lambda e, given=given: add_batch(e, given), error, text) for given, error, text in [
        (["a", "b", "d"], E, f"references[2] {ONE_OF} 'd' (str)"),
        (["a", None, "b"], E, "references[1] is missing, None (NoneType); drop or fill missing labels first"),
        (["a", [], "b"], T, f"references[1] {HASHABLE}"),
        ([0, 3, 1], E, "references[1] must be one of 0, 1, 2, got 3 (int)"),
        (np.array([0, 1, -1]), E, "references[2] must be one of 0, 1, 2, got -1 (int)"),
        ([0, 1, "b"], E, "references[2] must be one of 0, 1, 2, got 'b' (str)"),
        (["a", "b", 1], E, f"references[2] {ONE_OF} 1 (int)"),
        ([True, 0, 1], E, f"references[0] {ONE_OF} True (bool)"),
        *((["a"] * size, E, f"references and <rows> {LONG} {size} and 3") for size in (2, 4)),
        ("abc", E, "references must be one-dimensional, got 'abc' (str)"),
        ({"a"}, E, "references must be one-dimensional, got {'a'} (set)"),
        (None, E, "references must be one-dimensional, got None (NoneType)"),
        (np.array([["a", "b", "c"]]), E, "references must be one-dimensional, got shape (1, 3)")]),
    *((GOOD, lambda e, given=given: add_batch(e, inputs=given), error, f"inputs must {text}")
      for given, error, text in (
        (None, E, "be given, 3 of them, because this evaluator stores them"),
        *((range(size), E, f"have one object for each of 3 cases, got {size}") for size in (0, 1, 4)),
        (3, T, "be a list of objects, got 3 (int)"),
        (np.array(3), T, "be a list of objects, got array(3) (ndarray)"),
        ("abc", T, "be a list of objects, got a str; pass the rows of a frame as a list"))),
]  # fmt: skip
"""Kinds of evaluators, what they refuse, and the error with its text."""


@every(("kinds", "call", "error", "text"), REFUSED)
def test_what_is_refused_leaves_an_evaluator_as_it_was(kinds, call, error, text):
    for kind in kinds:
        evaluator = one_case(kind, classifier=Chooser(ANSWERS[kind]))
        told = text.replace("<kind>", kind.__name__).replace("<rows>", "rankings" if kind is RANKED else "scores")
        with refused(evaluator, error, told):
            call(evaluator)


def test_only_what_knows_the_answer_is_asked_and_inputs_may_be_left_out_where_none_are_stored():
    for kind in KINDS:
        asked = [name for name in QUESTIONS if hasattr(one_case(kind), name)]
        assert asked == [name for name, (kinds, _) in QUESTIONS.items() if kind in kinds]
    for kind in GOOD:
        plain = one_case(kind, storeInputs=False)
        add_batch(plain, inputs=None)
        assert plain.numCases() == 4


NAN, INF = math.nan, math.inf
NUMBERS = "scores must hold float64 or float32 numbers, NaN for absent categories, got dtype"
RAGGED = "rankings must have rows of one length; pad them with None, or NaN for scores"
SHAPE = "must have a row for each case and at least one column, got shape"


def hash_error():
    try:
        {}.get([])
    except TypeError as error:
        return str(error)


def ranked(categories=("a", "b", "c")):
    evaluator = evalcore.RankedClassifierEvaluator(None, categories)
    evaluator.addRankings([categories[0]], [list(categories)])
    return evaluator


def scored(kind):
    evaluator = kind(None, ["a", "b", "c"])
    evaluator.addScores(["b"], [[0.0, -INF, -INF] if kind is JOINT else [0.5, 0.25, 0.25]])
    return evaluator


@every(
    ("rankings", "error", "message"),
    ([["a"], ["d"]], E, f"rankings[1, 0] {ONE_OF} 'd' (str)"),
    ([["a"], [None]], E, f"rankings[1, 0] {ONE_OF} None (NoneType)"),
    ([["a", "b"], [None, "a"]], E, f"rankings[1, 0] {ONE_OF} None (NoneType)"),
    ([["a"], [0]], E, f"rankings[1, 0] {ONE_OF} 0 (int)"),
    (np.array([["a"], ["d"]]), E, f"rankings[1, 0] {ONE_OF} 'd' (str)"),
    (pd.DataFrame({"first": ["a", "d"]}), E, f"rankings[1, 0] {ONE_OF} 'd' (str)"),
    ([[0], [-1]], E, f"rankings[1, 0] {ONE_OF} -1 (int)"),
    (np.array([[0], [-1]]), E, f"rankings[1, 0] {ONE_OF} np.int64(-1) (int64)"),
    (np.array([[0, 1], [1, 3]], np.uint8), E, "rankings[1, 1] must be a code in -1 .. 2, got 3"),
    (np.array([[0, -2], [1, 3]]), E, "rankings[0, 1] must be a code in -1 .. 2, got -2"),
    (np.array([[0, 2**64 - 1], [1, 0]], np.uint64), E, f"rankings[0, 1] must be a code in -1 .. 2, got {2**64 - 1}"),
    ([[3, 0], [1, 0]], E, "rankings[0, 0] must be a code in -1 .. 2, got 3"),
    (np.array([[0.0], [1.0]]), E, f"rankings[0, 0] {ONE_OF} np.float64(0.0) (float64)"),
    ([["a", "b"], ["a", []]], T, f"rankings must hold names: {hash_error()}"),
    (["abc", "bca"], E, f"rankings {SHAPE} (2,)"),
    ("abc", E, f"rankings {SHAPE} ()"),
    ({"a", "b"}, E, f"rankings {SHAPE} ()"),
    (None, E, f"rankings {SHAPE} ()"),
    ([["a", "b"], ["a"]], E, RAGGED),
    ([[], []], E, f"rankings {SHAPE} (2, 0)"),
    ([[["a"]], [["b"]]], E, f"rankings {SHAPE} (2, 1, 1)"),
    ([["a"]], E, "references and rankings must be equally long, got 2 and 1"),
    (np.ma.masked_array([[0, 1], [1, 0]], [[0, 0], [0, 1]]), E, "rankings holds masked cells; drop or fill them first"),
)  # fmt: skip
def test_rankings_that_are_refused(rankings, error, message):
    evaluator = ranked()
    if isinstance(rankings, list) and rankings == [["a", "b"], ["a", []]]:
        rankings = np.array([["a", "b"], ["a", None]], object)
        rankings[1, 1] = []
    with refused(evaluator, error, message):
        evaluator.addRankings(["a", "b"], rankings)
    assert evaluator.numCases() == 1


def test_what_is_no_code_is_refused_among_codes_and_none_is_absent():
    evaluator = ranked()
    before = memory(evaluator)
    for bad in (1.7, "1", "b", 2**70, NAN):
        with pytest.raises((evalcore.EvaluationError, evalcore.EvaluationTypeError), match=r"\Arankings\b"):
            evaluator.addRankings(["a", "b"], [[0, 1], [1, bad]])
        assert memory(evaluator) == before
    evaluator.addRankings(["c", "b"], [[0, 1], [1, None]])
    assert evaluator.averageRank("b", "a") == 2.0


def test_names_that_are_numbers_are_names_in_batches_and_no_codes():
    one, batch = (evalcore.RankedClassifierEvaluator(None, [1.0, 2.0, 3.0]) for _ in range(2))
    for labels in [1, 2, 3], [1.0, 2.0, 3.0]:
        for label in labels:
            batch.addRankings([label], [[label]])
            one.addRankings([float(label)], [[float(label)]])
    assert batch.confusionMatrix().matrix().tolist() == one.confusionMatrix().matrix().tolist()
    evaluator = ranked((3, 1, 2))
    evaluator.addRankings(np.array([1, 2]), np.array([[1, 2, 3], [3, -1, 9]]))
    assert evaluator.confusionMatrix().matrix().tolist() == [[1, 0, 0], [0, 1, 0], [1, 0, 0]]
    with refused(evaluator, E, "rankings[0, 0] must be one of 3, 1, 2, got 0 (int)"):
        evaluator.addRankings([1], [[0, 1]])
    with refused(evaluator, E, "references[0] must be one of 3, 1, 2, got 0 (int)"):
        evaluator.addRankings([0], [[1, 2]])


@every(
    ("scores", "error", "message"),
    ([[0, 0, 1], [NAN] * 3], E, "scores[1] is all NaN; a case must have a score for some category"),
    ([[1, 0]] * 2, E, "scores must have a column for each of 3 categories, got 2"),
    ([[1, 0, 0, 0]] * 2, E, "scores must have a column for each of 3 categories, got 4"),
    ([1, 0, 0], E, f"scores {SHAPE} (3,)"),
    ([[], []], E, f"scores {SHAPE} (2, 0)"),
    (0.5, E, f"scores {SHAPE} ()"),
    ("abc", E, f"scores {SHAPE} ()"),
    ({1, 2}, E, f"scores {SHAPE} ()"),
    ([[True, False, False]] * 2, T, f"{NUMBERS} bool"),
    ([["1", "0", "0"]] * 2, T, f"{NUMBERS} <U1"),
    ([[1, 0, None]] * 2, T, f"{NUMBERS} object"),
    ([[1j, 0, 0]] * 2, T, f"{NUMBERS} complex128"),
    (np.array([[2**53, 2**53 + 1, 0]] * 2), E, "scores[0, 1] = 9007199254740993 is an integer that "
     "float64 cannot hold; scale or round the scores first"),
    (np.ma.masked_array([[1.0, 0, 0]] * 2, [[0, 0, 1]] * 2), E, "scores holds masked cells; drop or fill them first"),
    ([[1.0, 0, 0]], E, "references and scores must be equally long, got 2 and 1"),
)  # fmt: skip
@every("kind", [SCORED, CONDITIONAL, JOINT])
def test_scores_that_are_refused(kind, scores, error, message):
    evaluator = scored(kind)
    with refused(evaluator, error, message):
        evaluator.addScores(["a", "b"], scores)
    assert evaluator.numCases() == 1


@every("scores", [[[1, 2, 3], [1, 2]], TorchTensor([[1.0, 0, 0]] * 2, device="meta")])
def test_an_array_that_cannot_be_read(scores):
    evaluator = scored(SCORED)
    before = memory(evaluator)
    with pytest.raises(evalcore.EvaluationTypeError, match=r"\Ascores cannot be read as an array(: | \()"):
        evaluator.addScores(["a", "b"], scores)
    assert memory(evaluator) == before


@every(
    ("kind", "rows", "message"),
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
)
@every("dtype", [np.float32, np.float64])
def test_probabilities_that_are_refused(kind, rows, message, dtype):
    evaluator = scored(kind)
    with refused(evaluator, E, message):
        evaluator.addScores(["a", "b"][: len(rows)], np.array(rows, dtype))


@every("row", [[0.18, 0.48, 0.35], [0.71, 0.12, 0.18], [0.32, 0.15, 0.52], [0.03, 0.17, 0.79]])
def test_a_row_at_the_edge_of_the_tolerance_is_taken_by_both_doors_or_by_none(row):
    names = ["a", "b", "c"]
    ranking = sorted(names, key=lambda name: -row[names.index(name)])

    def is_taken(add):
        try:
            add(evalcore.ConditionalClassifierEvaluator(None, names))
        except evalcore.EvaluationError:
            return False
        return True

    def by_answer(evaluator):
        answer = evalcore.ConditionalClassification(ranking, [row[names.index(name)] for name in ranking])
        evaluator.addClassification("a", answer)

    assert is_taken(lambda evaluator: evaluator.addScores(["a"], [row])) == is_taken(by_answer)


@every("width", [np.float16, np.float32, np.float64, ">f4", ">f8", np.int8, np.int64, np.longdouble])
def test_numbers_become_float32_or_float64(width):
    evaluator = evalcore.ScoredClassifierEvaluator(None, ["a", "b"])
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
    evaluator = evalcore.ScoredClassifierEvaluator(None, ["a", "b"])
    evaluator.addScores(["a", "a"], [[INF, 0], [-INF, 0]])
    assert math.isnan(evaluator.averageScore("a", "a"))
    assert math.isnan(evaluator.averageScoreReference())
    assert "Average Score Reference=NaN" in str(evaluator)
