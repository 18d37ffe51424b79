"""Conditions of gates: what their texts mean, how they are written again, and what errors say."""

import contextlib
import math
import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.gate.conditions import (
    ALL_CASES,
    CHANGES,
    COMPARISONS,
    Condition,
    Scope,
    parse_condition,
    parse_conditions,
)
from tests.differences import every, recorded, refused


@every(("texts", "condition"), recorded("gate/outputs/read_conditions.txt"))
def test_texts_mean_what_the_grammar_says(texts, condition):
    text, canonical = texts.split("\n")
    found = parse_condition(text)
    assert (repr(found), str(found), parse_condition(canonical)) == (condition, canonical, found)


names = st.text(st.one_of(st.sampled_from(string.ascii_letters + " :=<>'\"[]@_.,%-"), st.characters()), min_size=1)
scopes = st.one_of(
    st.just(ALL_CASES),
    st.lists(st.tuples(names, names), min_size=1, max_size=3).map(lambda pairs: Scope(*zip(*pairs, strict=True))),
    st.builds(
        lambda pairs, column, least: Scope(*zip(*pairs, (column, None), strict=True), least),
        st.lists(st.tuples(names, st.none() | names), max_size=2), names, st.integers(0, 10**15 - 1),
    ),
)  # fmt: skip
numbers = st.floats(allow_nan=False, allow_infinity=False).map(lambda number: number + 0.0)


@given(scopes, names, st.sampled_from([*COMPARISONS, *CHANGES]), numbers, st.none() | names)
@example(Scope(("any",), ("with",)), "a]b", "<", 1e16, "any")
@example(Scope(("with",), (None,)), "''", "<", 5e-324, None)
def test_what_is_written_is_read_back(scope, measure, relation, number, model):
    number = abs(number) or 1.0 if relation in CHANGES else number
    once = parse_condition(str(Condition(scope, measure, relation, number, model)))
    assert once._replace(measure="") == Condition(scope, "", relation, number, model)
    assert parse_condition(str(once)) == once


@given(st.text(st.sampled_from("any with 2 cases:=<>'\"[]drop s.by@5é\n")))
def test_any_text_is_read_or_refused_with_its_reason(text):
    with contextlib.suppress(EvaluationError):
        condition = parse_condition(text)
        assert parse_condition(str(condition)) == condition
        assert math.isfinite(condition.number)


NOTHING = "condition must have the name of a measure, such as roc_auc or recall@0.3, got the end of ''"


@every(("text", "message"), [("", NOTHING), *recorded("gate/outputs/refused_conditions.txt")])
def test_errors_say_what_is_expected_and_where(text, message):
    with refused(message):
        parse_condition(text)


def test_conditions_are_texts():
    with pytest.raises(EvaluationTypeError, match=r"^condition must be a string, got 5 \(int\)$"):
        parse_conditions(5)
    one = parse_condition("f1 < 1")
    assert parse_conditions(one) == parse_conditions("f1 < 1") == parse_conditions([one]) == (one,)
    with refused("conditions must hold at least one, got none: a gate without conditions always passes"):
        parse_conditions([])
