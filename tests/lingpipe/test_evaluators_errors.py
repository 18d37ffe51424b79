"""What the classifier evaluators refuse: the whole text, and that they stay as they were."""

import math
import re

import numpy as np
import pandas as pd
import pytest

from evalcore import (
    BaseClassifierEvaluator,
    Classification,
    Classified,
    ConditionalClassification,
    ConditionalClassifierEvaluator,
    EvaluationError,
    EvaluationTypeError,
    JointClassification,
    JointClassifierEvaluator,
    RankedClassification,
    RankedClassifierEvaluator,
    ScoredClassification,
    ScoredClassifierEvaluator,
    UnsupportedOperationError,
)
from evalcore.errors import shown
from tests.differences import every
from tests.validation.foreign import GradientTensor
from tests.validation.refusals import memory, refused

ANSWERS = {
    BaseClassifierEvaluator: Classification("a"),
    RankedClassifierEvaluator: RankedClassification(["a", "b"]),
    ScoredClassifierEvaluator: ScoredClassification(["a", "b"], [2, 1]),
    ConditionalClassifierEvaluator: ConditionalClassification(["a", "b"], [0.75, 0.25]),
    JointClassifierEvaluator: JointClassification(["a", "b"], [-1, -2]),
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


def one_case(kind, storeInputs=True, classifier=None):  # noqa: N803  the documented name
    evaluator = kind(classifier, ["a", "b", "c"], storeInputs)
    evaluator.addClassification("b", ANSWERS[kind], "object")
    return evaluator


# one case


@every("kind", KINDS)
@every(
    ("reference", "error", "message"),
    ("d", EvaluationError, f"reference {ONE_OF} 'd' (str)"),
    (None, EvaluationError, f"reference {ONE_OF} None (NoneType)"),
    (0, EvaluationError, f"reference {ONE_OF} 0 (int)"),
    ([], EvaluationTypeError, f"reference {HASHABLE}"),
)
def test_unknown_references(kind, reference, error, message):
    evaluator = one_case(kind, classifier=Chooser(ANSWERS[kind]))
    with refused(evaluator, error, message):
        evaluator.addClassification(reference, ANSWERS[kind], "object")
    if reference != []:
        with refused(evaluator, error, message):
            evaluator.handle(Classified("object", Classification(reference)))


def best_of(kind, first):
    columns = {SCORED: [[2, 1]], CONDITIONAL: [[0.75, 0.25]], JOINT: [[-1, -2]]}.get(kind, [])
    return Classification(first) if kind is BaseClassifierEvaluator else type(ANSWERS[kind])([first, "a"], *columns)


def assert_refused_by_both_doors(kind, answer, error, message):
    evaluator = one_case(kind, classifier=Chooser(answer))
    with refused(evaluator, error, message):
        evaluator.addClassification("a", answer)
    with refused(evaluator, error, message):
        evaluator.handle(Classified("object", Classification("a")))


@every("kind", KINDS)
@every(("first", "shown"), [("d", "'d' (str)"), (None, "None (NoneType)"), (1, "1 (int)")])
def test_an_unknown_first_best_or_one_that_cannot_be_hashed(kind, first, shown):
    message = f"classification.bestCategory() {ONE_OF} {shown}"
    assert_refused_by_both_doors(kind, best_of(kind, first), EvaluationError, message)
    if kind is BaseClassifierEvaluator:
        message = f"classification.bestCategory() {HASHABLE}"
        assert_refused_by_both_doors(kind, Classification([]), EvaluationTypeError, message)


@every(
    ("kind", "answer"),
    [(kind, ANSWERS[lower]) for place, kind in enumerate(KINDS) for lower in KINDS[:place]]
    + [(kind, answer) for kind in KINDS for answer in ("a", 3, ["a", "b"])],
)
def test_classifications_of_too_low_a_type(kind, answer):
    message = f"classification must be a {type(ANSWERS[kind]).__name__}, got {shown(answer)}"
    assert_refused_by_both_doors(kind, answer, EvaluationTypeError, message)


@every("kind", KINDS)
def test_handling_without_a_classifier(kind):
    evaluator = one_case(kind)
    with refused(evaluator, EvaluationError, "handle needs a classifier; set one by setClassifier"):
        evaluator.handle(Classified("object", Classification("a")))


@every("kind", KINDS)
@every(("case", "shown"), [("a", "'a' (str)"), (Classification("a"), "Classification('a') (Classification)")])
def test_handling_what_is_no_case(kind, case, shown):
    evaluator = one_case(kind, classifier=Chooser(ANSWERS[kind]))
    with refused(evaluator, EvaluationTypeError, f"classified must be a Classified, got {shown}"):
        evaluator.handle(case)


@every("kind", KINDS)
def test_an_error_of_the_classifier_leaves_nothing_behind(kind):
    evaluator = one_case(kind, classifier=Chooser(None))
    before = memory(evaluator)
    with pytest.raises(LookupError, match=r"\Aobject\Z"):
        evaluator.handle(Classified("object", Classification("a")))
    assert memory(evaluator) == before


@every("kind", KINDS)
@every(("classifier", "shown"), [("wine", "'wine' (str)"), (3, "3 (int)"), ([], "[] (list)")])
def test_classifiers_that_cannot_classify_and_categories_that_repeat(kind, classifier, shown):
    message = f"classifier must have classify, got {shown}"
    good = Chooser(ANSWERS[kind])
    evaluator = one_case(kind, classifier=good)
    with refused(evaluator, EvaluationTypeError, message):
        evaluator.setClassifier(classifier)
    assert evaluator.classifier() is good
    with pytest.raises(EvaluationTypeError, match=rf"\A{re.escape(message)}\Z"):
        kind(classifier, ["a", "b"])
    with pytest.raises(EvaluationError, match=r"\Acategories\[1\] = 'a' \(str\) repeats categories\[0\]\Z"):
        kind(None, ["a", "a"])


# merging


@every("kind", KINDS)
def test_merging_with_another_class(kind):
    evaluator = one_case(kind)
    for other in KINDS:
        if other is not kind:
            text = f"other must be a {kind.__name__}, got {shown(one_case(other))}"
            with refused(evaluator, EvaluationTypeError, text):
                evaluator.merge(one_case(other))
    with refused(evaluator, EvaluationTypeError, f"other must be a {kind.__name__}, got None (NoneType)"):
        evaluator.merge(None)


@every("kind", KINDS)
@every("others", [["a", "c", "b"], ["a", "b"], ["a", "b", "c", "d"], [1, 2, 3]])
def test_merging_with_other_categories(kind, others):
    evaluator = one_case(kind)
    text = f"other must have the categories 'a', 'b', 'c', in that order, got {', '.join(map(repr, others))}"
    with refused(evaluator, EvaluationError, text):
        evaluator.merge(kind(None, others, storeInputs=True))


@every("kind", KINDS)
def test_merging_with_one_that_stores_no_inputs(kind):
    evaluator = one_case(kind)
    with refused(evaluator, EvaluationError, "other must store its inputs, as this evaluator does"):
        evaluator.merge(one_case(kind, storeInputs=False))
    plain = one_case(kind, storeInputs=False)
    plain.merge(evaluator)  # the other way round nothing is missing
    assert plain.numCases() == 2


# questions


@every("kind", KINDS)
@every("name", FOUND)
def test_inputs_that_were_not_stored(kind, name):
    evaluator = one_case(kind, storeInputs=False)
    text = "inputs are not stored; construct the evaluator with storeInputs=True"
    with refused(evaluator, UnsupportedOperationError, text) as caught:
        getattr(evaluator, name)("a")
    assert isinstance(caught.value, RuntimeError)
    assert not isinstance(caught.value, ValueError)


QUESTIONS = {
    **{name: (KINDS[0], ["category"]) for name in ("oneVersusAll", *FOUND)},
    "averageRank": (RANKED, ["refCategory", "responseCategory"]),
    "averageScore": (SCORED, ["refCategory", "responseCategory"]),
    "averageConditionalProbability": (CONDITIONAL, ["refCategory", "responseCategory"]),
    "averageLog2JointProbability": (JOINT, ["refCategory", "responseCategory"]),
    "scoredOneVersusAll": (SCORED, ["category"]),
    "conditionalOneVersusAll": (CONDITIONAL, ["category"]),
}


@every("kind", KINDS)
@every(
    ("category", "error", "text"),
    ("d", EvaluationError, f"{ONE_OF} 'd' (str)"),
    (0, EvaluationError, f"{ONE_OF} 0 (int)"),
    ([], EvaluationTypeError, HASHABLE),
)
@every("question", QUESTIONS)
def test_questions_about_unknown_categories(kind, question, category, error, text):
    lowest, names = QUESTIONS[question]
    evaluator = one_case(kind)
    assert hasattr(evaluator, question) == issubclass(kind, lowest)
    for place, name in enumerate(names if hasattr(evaluator, question) else []):
        arguments = ["a"] * len(names)
        arguments[place] = category
        with refused(evaluator, error, f"{name} {text}"):
            getattr(evaluator, question)(*arguments)


@every(
    ("arguments", "error", "message"),
    (("d", 0), EvaluationError, f"referenceCategory {ONE_OF} 'd' (str)"),
    (("a", 3), EvaluationError, "rank must be in 0 .. 2, got 3"),
    (("a", -1), EvaluationError, "rank must be in 0 .. 2, got -1"),
    (("a", 1.0), EvaluationTypeError, "rank must be an integer, got 1.0 (float)"),
    (("a", "b"), EvaluationTypeError, "rank must be an integer, got 'b' (str)"),
)
@every("kind", KINDS[1:])
def test_ranks_and_categories_that_are_not_counted(kind, arguments, error, message):
    evaluator = one_case(kind)
    with refused(evaluator, error, message):
        evaluator.rankCount(*arguments)


# batches


def test_rankings_without_scores_do_not_suit_those_who_want_scores():
    for kind in SCORED, CONDITIONAL, JOINT:
        evaluator = one_case(kind)
        with refused(evaluator, EvaluationTypeError, f"a {kind.__name__} takes rankings with scores; use addScores"):
            evaluator.addRankings(["a"], [["a"]], ["object"])


GOOD = {RANKED: ("addRankings", [["a", "b", "c"]] * 3), SCORED: ("addScores", [[0.5, 0.25, 0.25]] * 3),
        CONDITIONAL: ("addScores", [[0.5, 0.25, 0.25]] * 3), JOINT: ("addScores", [[-1.0, -2, -2]] * 3)}  # fmt: skip
LONG = "must be equally long, got"


@every(
    ("references", "error", "message"),
    (["a", "b", "d"], EvaluationError, f"references[2] {ONE_OF} 'd' (str)"),
    (["a", None, "b"], EvaluationError, "references[1] is missing, None (NoneType); drop or fill missing "
                                        "labels first"),
    (["a", [], "b"], EvaluationTypeError, f"references[1] {HASHABLE}"),
    ([0, 3, 1], EvaluationError, "references[1] must be one of 0, 1, 2, got 3 (int)"),
    (np.array([0, 1, -1]), EvaluationError, "references[2] must be one of 0, 1, 2, got -1 (int)"),
    ([0, 1, "b"], EvaluationError, "references[2] must be one of 0, 1, 2, got 'b' (str)"),
    (["a", "b", 1], EvaluationError, f"references[2] {ONE_OF} 1 (int)"),
    ([True, 0, 1], EvaluationError, f"references[0] {ONE_OF} True (bool)"),
    (["a", "b"], EvaluationError, f"references and {{rows}} {LONG} 2 and 3"),
    (["a"] * 4, EvaluationError, f"references and {{rows}} {LONG} 4 and 3"),
    ("abc", EvaluationError, "references must be one-dimensional, got 'abc' (str)"),
    ({"a"}, EvaluationError, "references must be one-dimensional, got {{'a'}} (set)"),
    (None, EvaluationError, "references must be one-dimensional, got None (NoneType)"),
    (np.array([["a", "b", "c"]]), EvaluationError, "references must be one-dimensional, got shape (1, 3)"),
)  # fmt: skip
@every("kind", GOOD)
def test_references_of_a_batch(kind, references, error, message):
    evaluator = one_case(kind)
    method, rows = GOOD[kind]
    text = message.format(rows="rankings" if kind is RANKED else "scores")
    with refused(evaluator, error, text):
        getattr(evaluator, method)(references, rows, ["object"] * 3)
    assert evaluator.numCases() == 1


@every(
    ("inputs", "error", "message"),
    (None, EvaluationError, "inputs must be given, 3 of them, because this evaluator stores them"),
    (["object"], EvaluationError, "inputs must have one object for each of 3 cases, got 1"),
    ([], EvaluationError, "inputs must have one object for each of 3 cases, got 0"),
    (range(4), EvaluationError, "inputs must have one object for each of 3 cases, got 4"),
    (3, EvaluationTypeError, "inputs must be a list of objects, got 3 (int)"),
    ("abc", EvaluationTypeError, "inputs must be a list of objects, got a str; pass the rows of a frame as a list"),
)
@every("kind", GOOD)
def test_inputs_of_a_batch(kind, inputs, error, message):
    evaluator = one_case(kind)
    method, rows = GOOD[kind]
    with refused(evaluator, error, message):
        getattr(evaluator, method)(["a"] * 3, rows, inputs)
    plain = one_case(kind, storeInputs=False)
    getattr(plain, method)(["a"] * 3, rows)
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
    evaluator = RankedClassifierEvaluator(None, categories)
    evaluator.addRankings([categories[0]], [list(categories)])
    return evaluator


def scored(kind):
    evaluator = kind(None, ["a", "b", "c"])
    evaluator.addScores(["b"], [[0.0, -INF, -INF] if kind is JOINT else [0.5, 0.25, 0.25]])
    return evaluator


@every(
    ("rankings", "error", "message"),
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
        with pytest.raises((EvaluationError, EvaluationTypeError), match=r"\Arankings\b"):
            evaluator.addRankings(["a", "b"], [[0, 1], [1, bad]])
        assert memory(evaluator) == before
    evaluator.addRankings(["c", "b"], [[0, 1], [1, None]])
    assert evaluator.averageRank("b", "a") == 2.0


def test_names_that_are_numbers_are_names_in_batches_and_no_codes():
    one, batch = (RankedClassifierEvaluator(None, [1.0, 2.0, 3.0]) for _ in range(2))
    for labels in [1, 2, 3], [1.0, 2.0, 3.0]:
        for label in labels:
            batch.addRankings([label], [[label]])
            one.addRankings([float(label)], [[float(label)]])
    assert batch.confusionMatrix().matrix().tolist() == one.confusionMatrix().matrix().tolist()
    evaluator = ranked((3, 1, 2))
    evaluator.addRankings(np.array([1, 2]), np.array([[1, 2, 3], [3, -1, 9]]))
    assert evaluator.confusionMatrix().matrix().tolist() == [[1, 0, 0], [0, 1, 0], [1, 0, 0]]
    with refused(evaluator, EvaluationError, "rankings[0, 0] must be one of 3, 1, 2, got 0 (int)"):
        evaluator.addRankings([1], [[0, 1]])
    with refused(evaluator, EvaluationError, "references[0] must be one of 3, 1, 2, got 0 (int)"):
        evaluator.addRankings([0], [[1, 2]])


@every(
    ("scores", "error", "message"),
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
