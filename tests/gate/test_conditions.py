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
from tests.differences import every, refused


@every(
    ("text", "condition", "canonical"),
    ("roc_auc < 0.73", Condition(ALL_CASES, "roc_auc", "<", 0.73), "roc_auc < 0.73"),
    ("roc_auc<=0.73", Condition(ALL_CASES, "roc_auc", "<=", 0.73), "roc_auc <= 0.73"),
    (" AUC  >  .5 ", Condition(ALL_CASES, "roc_auc", ">", 0.5), "roc_auc > 0.5"),
    ("kappa>=-1e-1", Condition(ALL_CASES, "kappa", ">=", -0.1), "kappa >= -0.1"),
    ("kappa < -0", Condition(ALL_CASES, "kappa", "<", 0.0), "kappa < 0"),
    ("roc_auc drops by 0.005", Condition(ALL_CASES, "roc_auc", "drops by", 0.005), "roc_auc drops by 0.005"),
    ("logloss rises  by 1", Condition(ALL_CASES, "log_loss", "rises by", 1.0), "log_loss rises by 1"),
    ("tpr@0.30 < 0.5", Condition(ALL_CASES, "recall@0.3", "<", 0.5), "recall@0.3 < 0.5"),
    ("'f1@precision=0.9'<1", Condition(ALL_CASES, "f1@precision=0.9", "<", 1), "'f1@precision=0.9' < 1"),
    ("recall[white ash] < 1", Condition(ALL_CASES, "recall[white ash]", "<", 1), "recall[white ash] < 1"),
    ("any carrier with 1000 cases: recall@0.3 drops by 0.02", Condition(Scope(("carrier",), (None,), 1000),
     "recall@0.3", "drops by", 0.02), "any carrier with 1000 cases: recall@0.3 drops by 0.02"),
    ("any carrier:f1 < 1", Condition(Scope(("carrier",), (None,)), "f1", "<", 1), "any carrier: f1 < 1"),
    ("any with with 2 cases:f<1", Condition(Scope(("with",), (None,), 2), "f", "<", 1), "any with with 2 cases: f < 1"),
    ("carrier=UA: f1 < 1", Condition(Scope(("carrier",), ("UA",)), "f1", "<", 1), "carrier=UA: f1 < 1"),
    ("logistic: f1 < 1", Condition(ALL_CASES, "f1", "<", 1, "logistic"), "logistic: f1 < 1"),
    ("'any' : any c: f1 < 1", Condition(Scope(("c",), (None,)), "f1", "<", 1, "any"), "'any': any c: f1 < 1"),
    ("any carrier=AA, month=3: f1 < 1", Condition(Scope(("carrier", "month"), ("AA", "3")), "f1", "<", 1),
     "carrier=AA, month=3: f1 < 1"),
    ("any carrier=AA,month with 9 cases: f1 < 1", Condition(Scope(("carrier", "month"), ("AA", None), 9), "f1", "<", 1),
     "any carrier=AA, month with 9 cases: f1 < 1"),
    ("'a, b'='x, y': f1 < 1", Condition(Scope(("a, b",), ("x, y",)), "f1", "<", 1), "'a, b'='x, y': f1 < 1"),
    ("any = any: f1 < 1", Condition(Scope(("any",), ("any",)), "f1", "<", 1), "any=any: f1 < 1"),
    ("'home town' = \"St. John's: old\": f1 < 1", Condition(Scope(("home town",), ("St. John's: old",)), "f1", "<", 1),
     "'home town'=\"St. John's: old\": f1 < 1"),
    ("'it''s'=7: f1 < 1", Condition(Scope(("it's",), ("7",)), "f1", "<", 1), "\"it's\"=7: f1 < 1"),
)  # fmt: skip
def test_texts_mean_what_the_grammar_says(text, condition, canonical):
    assert parse_condition(text) == condition
    assert str(condition) == canonical
    assert parse_condition(canonical) == condition


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


_RELATIONS = "<, <=, >, >=, 'drops by' or 'rises by' after 'roc_auc'"


@every(
    ("text", "message"),
    ("", "the name of a measure, such as roc_auc or recall@0.3, got the end of ''"),
    ("< 3", "the name of a measure, such as roc_auc or recall@0.3, got '<' at letter 1 of '< 3'"),
    ("'' < 3", "the name of a measure, such as roc_auc or recall@0.3, got '' at letter 1 of \"'' < 3\""),
    ("roc_auc", f"{_RELATIONS}, got the end of 'roc_auc'"),
    ("roc_auc drop by 1", f"{_RELATIONS}, got 'drop' at letter 9 of 'roc_auc drop by 1'; did you mean 'drops'?"),
    ("roc_auc falls", f"{_RELATIONS}, got 'falls' at letter 9 of 'roc_auc falls'; did you mean 'drops'?"),
    ("roc_auc = 1", f"{_RELATIONS}, got '=' at letter 9 of 'roc_auc = 1'"),
    ("roc_auc '<' 1", f"{_RELATIONS}, got '<' at letter 9 of \"roc_auc '<' 1\""),
    ("roc_auc ≤ 1", f"{_RELATIONS}, got '≤' at letter 9 of 'roc_auc ≤ 1'; did you mean '<='?"),
    ("roc_auc =< 1", f"{_RELATIONS}, got '=<' at letter 9 of 'roc_auc =< 1'; did you mean '<='?"),
    ("roc_auc drops 1", "'by' after 'drops', got '1' at letter 15 of 'roc_auc drops 1'"),
    ("roc_auc drops more", "'by' after 'drops', got 'more' at letter 15 of 'roc_auc drops more'"),
    ("f1 <", "a number after '<', got the end of 'f1 <'"),
    ("f1 < high", "a number after '<', got 'high' at letter 6 of 'f1 < high'"),
    ("f1 < '1'", "a number after '<', got '1' at letter 6 of \"f1 < '1'\""),
    ("f1 < 73%", "a number after '<', got '73%' at letter 6 of 'f1 < 73%'; did you mean 0.73?"),
    ("f1 < 0,73", "a number after '<', got '0,73' at letter 6 of 'f1 < 0,73'; did you mean 0.73?"),
    ("f1 < nan", "a number after '<', got 'nan' at letter 6 of 'f1 < nan'"),
    ("f1 < 1e999", "a number after '<', got '1e999' at letter 6 of 'f1 < 1e999'"),
    ("f1 drops by 0", "a number above 0 after 'drops by', got '0' at letter 13 of 'f1 drops by 0'"),
    ("f1 rises by -1", "a number above 0 after 'rises by', got '-1' at letter 13 of 'f1 rises by -1'"),
    ("f1 < 1 and f1 > 0", "nothing after the number (write each condition on its own), got 'and' at letter 8 of"
     " 'f1 < 1 and f1 > 0'"),
    ("any: f1 < 1", "the name of a column after 'any', got ':' at letter 4 of 'any: f1 < 1'"),
    ("any x wit 9 cases: f1 < 1", "'with N cases' or ':' after the column, got 'wit' at letter 7 of"
     " 'any x wit 9 cases: f1 < 1'; did you mean 'with'?"),
    ("any x with many cases: f1 < 1", "a whole number from 1 on after 'with', got 'many' at letter 12 of"
     " 'any x with many cases: f1 < 1'"),
    ("any x with 0 cases: f1 < 1", "a whole number from 1 on after 'with', got '0' at letter 12 of"
     " 'any x with 0 cases: f1 < 1'"),
    ("any x with 1,000 cases: f1 < 1", "a number without commas after 'with', such as 1000, got ',' at letter 13 of"
     " 'any x with 1,000 cases: f1 < 1'"),
    ("any x with 9 case: f1 < 1", "'cases' after 'with 9', got 'case' at letter 14 of 'any x with 9 case: f1 < 1';"
     " did you mean 'cases'?"),
    ("any x with 9 cases or so: f1 < 1", "':' after the cases, got 'or' at letter 20 of"
     " 'any x with 9 cases or so: f1 < 1'"),
    ("a: carrier: f1 < 1", "'=' and a value after 'carrier', or 'any' before it, got ':' at letter 11 of"
     " 'a: carrier: f1 < 1'"),
    ("any carrier, : f1 < 1", "the name of a column after ',', got ':' at letter 14 of 'any carrier, : f1 < 1'"),
    ("carrier=AA, month: f1 < 1", "'=' and a value after 'month', or 'any' before it, got ':' at letter 18 of"
     " 'carrier=AA, month: f1 < 1'"),
    ("carrier=: f1 < 1", "a value after 'carrier=', got ':' at letter 9 of 'carrier=: f1 < 1'"),
    ("city=New York: f1 < 1", "':' after the value (quote what holds spaces or signs), got 'York' at letter 10 of"
     " 'city=New York: f1 < 1'"),
    (": f1 < 1", "MODEL, COLUMN=VALUE or 'any COLUMN' before a colon, got ':' at letter 1 of ': f1 < 1'"),
)  # fmt: skip
def test_errors_say_what_is_expected_and_where(text, message):
    with refused(f"condition must have {message}"):
        parse_condition(text)


@every(
    ("text", "message"),
    ("city='x: f1 < 1", 'each quote or quote the name around it, got "\'" at letter 6 of "city=\'x: f1 < 1"'),
    ("recall[a < 1", "each bracket or quote the name around it, got '[' at letter 7 of 'recall[a < 1'"),
)
def test_errors_name_what_is_not_closed(text, message):
    with refused(f"condition must close {message}"):
        parse_condition(text)


def test_conditions_are_texts():
    with pytest.raises(EvaluationTypeError, match=r"^condition must be a string, got 5 \(int\)$"):
        parse_conditions(5)
    one = parse_condition("f1 < 1")
    assert parse_conditions(one) == parse_conditions("f1 < 1") == parse_conditions([one]) == (one,)
    with refused("conditions must hold at least one, got none: a gate without conditions always passes"):
        parse_conditions([])
