"""What classifiers answer: value types that are checked when they are made, and never change after."""

import itertools
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore import (
    Classification,
    Classified,
    ConditionalClassification,
    EvaluationError,
    EvaluationTypeError,
    JointClassification,
    RankedClassification,
    ScoredClassification,
)
from tests.differences import every, refused
from tests.reference import rankings as slow
from tests.strategies import close_to

INF = math.inf
Ranked, Scored, Conditional, Joint = (
    RankedClassification, ScoredClassification, ConditionalClassification, JointClassification
)  # fmt: skip
ANSWERS = {
    "Classification('a')": lambda: Classification("a"),
    "RankedClassification(('a', 'b'))": lambda: RankedClassification(["a", "b"]),
    "ScoredClassification(('a', 'b'), (2.0, -1.5))": lambda: ScoredClassification(["a", "b"], [2, -1.5]),
    "ConditionalClassification(('a', 'b'), (0.75, 0.25), (0.75, 0.25))": lambda: ConditionalClassification(
        ["a", "b"], [0.75, 0.25]
    ),
    "ConditionalClassification(('a', 'b'), (3.0, 2.0), (0.25, 0.75))": lambda: ConditionalClassification(
        ["a", "b"], [3, 2], [0.25, 0.75]
    ),
    "JointClassification(('a', 'b'), (-1.0, -2.0), (-1.0, -2.0))": lambda: JointClassification(["a", "b"], [-1, -2]),
    "JointClassification(('a', 'b'), (3.0, 2.0), (-2.0, -1.0))": lambda: JointClassification(
        ["a", "b"], [3, 2], [-2, -1]
    ),
}
NAN = "is NaN; a score is finite or infinite"


# accessors


def test_answers_are_nested_kinds_that_know_their_best_category_and_the_others():
    assert [make().bestCategory() for make in ANSWERS.values()] == ["a"] * len(ANSWERS)
    answer = RankedClassification(["b", "a", "b", None, 3])
    assert answer.size() == 5
    assert [answer.category(rank) for rank in range(5)] == ["b", "a", "b", None, 3]
    assert answer.category(np.int8(1)) == "a"
    answer = ScoredClassification(["a", "b", "c", "d", "e"], [INF, INF, 0.0, -0.0, -INF])
    assert [answer.score(rank) for rank in range(5)] == [INF, INF, 0.0, 0.0, -INF]
    kinds = Classification, RankedClassification, ScoredClassification, ConditionalClassification, JointClassification
    assert all(issubclass(lower, upper) for upper, lower in itertools.pairwise(kinds))


@every(
    "categories",
    [["a", "b"], ("a", "b"), iter(["a", "b"]), {"a": 1, "b": 2}, np.array(["a", "b"]), np.array(["a", "b"], object)],
)
def test_categories_come_in_any_order_that_is_one(categories):
    assert RankedClassification(categories) == RankedClassification(["a", "b"])


@every("scores", [[2, -1], (2.0, -1.0), np.array([2, -1]), np.array([2, -1], np.float32), np.array([2, -1], np.int8)])
def test_scores_become_pythons_floats(scores):
    answer = ScoredClassification(["a", "b"], scores)
    assert [answer.score(0), answer.score(1)] == [2.0, -1.0]
    assert type(answer.score(0)) is float


@every(
    ("kind", "columns", "scores", "probabilities"),
    (ConditionalClassification, [[0.75, 0.25]], [0.75, 0.25], [0.75, 0.25]),
    (ConditionalClassification, [[3, 2], [0.25, 0.75]], [3.0, 2.0], [0.25, 0.75]),
    (JointClassification, [[-1, -2]], [-1.0, -2.0], [2 / 3, 1 / 3]),
    (JointClassification, [[3, 2], [-2, -1]], [3.0, 2.0], [1 / 3, 2 / 3]),
)
def test_one_column_is_scores_and_probabilities_and_the_second_of_two_need_not_fall(
    kind, columns, scores, probabilities
):
    answer = kind(["a", "b"], *columns)
    assert [answer.score(rank) for rank in range(2)] == scores
    assert [answer.conditionalProbability(key) for key in (0, 1, "a", "b")] == close_to(probabilities * 2)
    if kind is JointClassification:
        assert [answer.jointLog2Probability(rank) for rank in range(4)] == [*columns[-1], -INF, -INF]


def test_a_name_wins_over_a_rank_and_the_first_place_counts():
    answer = ConditionalClassification([1, 2, 0], [0.5, 0.375, 0.125])
    assert [answer.conditionalProbability(key) for key in (0, 1, 2)] == [0.125, 0.5, 0.375]
    answer = ConditionalClassification([1, "a"], [0.75, 0.25])
    assert [answer.conditionalProbability(key) for key in (0, 1)] == [0.75, 0.75]
    assert ConditionalClassification(["a", "a"], [0.75, 0.25]).conditionalProbability("a") == 0.75


@given(st.lists(st.sampled_from([0.0, -0.5, -1.0, -3.0, -700.0, -2000.0, -INF]), min_size=1, max_size=6))
def test_conditional_probabilities_of_joint_ones(logs):
    logs = sorted(logs, reverse=True)
    if logs[0] == -INF:
        logs[0] = -2000.0
    answer = JointClassification(range(len(logs)), logs)
    probabilities = [answer.conditionalProbability(rank) for rank in range(len(logs))]
    assert probabilities == close_to(slow.conditional(logs), abs=1e-300)
    assert type(probabilities[0]) is float


def test_a_case_holds_an_object_and_its_classification():
    thing, answer = object(), ScoredClassification(["a"], [1])
    case = Classified(thing, answer)
    assert case.getObject() is thing
    assert case.getClassification() is answer
    assert repr(Classified("Riesling", answer)) == "Classified('Riesling', ScoredClassification(('a',), (1.0,)))"


# values


@every("text", ANSWERS)
def test_representation(text):
    answer = ANSWERS[text]()
    assert repr(answer) == text
    assert eval(text, {kind.__name__: kind for kind in type(answer).__mro__}) == answer


def test_answers_do_not_change_with_what_they_were_made_of_nor_take_attributes():
    for value in *(make() for make in ANSWERS.values()), Classified(1, Classification("a")):
        assert not hasattr(value, "__dict__")
        with pytest.raises(AttributeError):
            value.anything = 1
    names, scores, shares = ["a", "b"], np.array([2.0, 1.0]), np.array([0.75, 0.25])
    answer = ConditionalClassification(names, scores, shares)
    before = repr(answer)
    names[0], scores[0], shares[0] = "c", 9.0, 0.0
    assert repr(answer) == before


# errors

KINDS = {Ranked: [], Scored: [[1]], Conditional: [[1]], Joint: [[-1]]}
HALF, PAIR = Conditional(["a", "b"], [0.75, 0.25]), Joint(["a", "b"], [-1, -2])
LENGTH = "must have one value for each category, got"
FOLLOWED = "categories must be followed by {0}, or by scores and {0}, got {1} columns"
AB = ["a", "b"]
REFUSED = [
    *((kind, ([], *columns), EvaluationError, "categories must not be empty") for kind, columns in KINDS.items()),
    *((kind, ("ab", *columns), EvaluationTypeError, "categories must be a list of names, got 'ab' (str)")
      for kind, columns in KINDS.items()),
    *((method, (rank,), error, f"rank {must}") for method in (PAIR.category, PAIR.score) for rank, error, must in [
        (2, EvaluationError, "must be in 0 .. 1, got 2"), (-1, EvaluationError, "must be in 0 .. 1, got -1"),
        (0.0, EvaluationTypeError, "must be an integer, got 0.0 (float)"),
        (None, EvaluationTypeError, "must be an integer, got None (NoneType)")]),
    # names that do not exist are a wrong value, not a wrong type
    *((HALF.conditionalProbability, (rank,), EvaluationError,
       f"rankOrCategory must be one of 'a', 'b', or a rank in 0 .. 1, got {shown}")
      for rank, shown in [(2, "2 (int)"), (-1, "-1 (int)"), ("c", "'c' (str)")]),
    (PAIR.jointLog2Probability, (-1,), EvaluationError, "rank must not be negative, got -1"),
    (PAIR.jointLog2Probability, (1.5,), EvaluationTypeError, "rank must be an integer, got 1.5 (float)"),
    (PAIR.jointLog2Probability, ("a",), EvaluationTypeError, "rank must be an integer, got 'a' (str)"),
    (Scored, (AB, [1, 2]), EvaluationError, "scores must not increase, got scores[1] = 2.0 after 1.0"),
    (Scored, (AB, [-INF, 2]), EvaluationError, "scores must not increase, got scores[1] = 2.0 after -inf"),
    (Scored, (AB, [1, math.nan]), EvaluationError, f"scores[1] {NAN}"),
    (Scored, (AB, [1]), EvaluationError, f"scores {LENGTH} 1 for 2"),
    (Scored, (AB, [3, 2, 1]), EvaluationError, f"scores {LENGTH} 3 for 2"),
    (Scored, (AB, 3), EvaluationError, "scores must be one-dimensional, got 3 (int)"),
    *((kind, (AB, [-2, -1]), EvaluationError, "scores must not increase, got scores[1] = -1.0 after -2.0")
      for kind in (Conditional, Joint)),
    (Conditional, (AB, [0.75, 0.375]), EvaluationError, "probabilities must sum to 1 within 0.01, got 1.125"),
    (Conditional, (AB, [0.5, 0.25]), EvaluationError, "probabilities must sum to 1 within 0.01, got 0.75"),
    (Conditional, (AB, [1.5, -0.5]), EvaluationError, "probabilities must be in 0 .. 1, got 1.5"),
    (Conditional, (AB, [1.0, -0.5]), EvaluationError, "probabilities must be in 0 .. 1, got -0.5"),
    (Conditional, (AB, [INF, 0.0]), EvaluationError, "probabilities must be in 0 .. 1, got inf"),
    (Conditional, (AB, [3, 2], [0.5, 0.25]), EvaluationError, "probabilities must sum to 1 within 0.01, got 0.75"),
    (Conditional, (AB, [3, 2], [0.5, math.nan]), EvaluationError, f"probabilities[1] {NAN}"),
    (Conditional, (AB, [3, 2], [1.0]), EvaluationError, f"probabilities {LENGTH} 1 for 2"),
    (Conditional, (AB,), EvaluationError, FOLLOWED.format("probabilities", 0)),
    (Conditional, (AB, *[[1, 0]] * 3), EvaluationError, FOLLOWED.format("probabilities", 3)),
    (Joint, (AB, [0.5, -1]), EvaluationError, "log2JointProbs must be at most 0, got 0.5"),
    (Joint, (AB, [-INF, -INF]), EvaluationError, "log2JointProbs must not all be -inf, got -inf"),
    (Joint, (AB, [3, 2], [-1, 5e-324]), EvaluationError, "log2JointProbs must be at most 0, got 5e-324"),
    (Joint, (AB, [3, 2], [-1, math.nan]), EvaluationError, f"log2JointProbs[1] {NAN}"),
    (Joint, (AB, [3, 2], [-1]), EvaluationError, f"log2JointProbs {LENGTH} 1 for 2"),
    (Joint, (AB,), EvaluationError, FOLLOWED.format("log2JointProbs", 0)),
    (partial(Conditional, tolerance=0.125), (AB, [0.5, 0.25]), EvaluationError,
     "probabilities must sum to 1 within 0.125, got 0.75"),
    (partial(Conditional, tolerance=0), (AB, [0.75, 0.2421875]), EvaluationError,
     "probabilities must sum to 1 within 0.0, got 0.9921875"),
    *((partial(Conditional, tolerance=tolerance), (["a"], [1]), error, f"tolerance must be {must}")
      for tolerance, error, must in [(-0.5, EvaluationError, "at least 0, got -0.5"),
                                     (math.nan, EvaluationError, "at least 0, got nan"),
                                     ("0.1", EvaluationTypeError, "a number, got '0.1' (str)"),
                                     (None, EvaluationTypeError, "a number, got None (NoneType)")]),
    (Classified, ("object", "a"), EvaluationTypeError, "classification must be a Classification, got 'a' (str)"),
]  # fmt: skip


@every(("call", "arguments", "error", "message"), REFUSED)
def test_what_is_no_answer_is_refused(call, arguments, error, message):
    with refused(message, error):
        call(*arguments)


def test_the_tolerance_is_how_far_the_sum_may_be_from_1():
    Conditional(AB, [0.5, 0.25], tolerance=0.25)
    Conditional(AB, [0.75, 0.5], tolerance=0.25)
    Conditional(AB, [0.75, 0.25], tolerance=0)
    Conditional(AB, [1, 1], tolerance=INF)
