"""Laws of every evaluation and state: no number depends on the order or batches of cases, and copies are apart.

`Kind` in `states.py` says what the laws ask of a class; a new class is described in `evaluations.py` or `states.py`.
"""

import copy
import functools
import pickle
import tempfile
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore import EvaluationError, EvaluationTypeError
from evalcore.state import score_sketch
from tests.laws.evaluations import EVALUATIONS
from tests.laws.states import STATES
from tests.saving.objects import WAYS
from tests.strategies import close_to

KINDS = EVALUATIONS + STATES
PICKLES = {f"pickle {p}": lambda value, p=p: pickle.loads(pickle.dumps(value, p)) for p in range(2, 6)}
every_kind = pytest.mark.parametrize("kind", KINDS, ids=repr)
where_nothing_depends_on_the_way = pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.any_way], ids=repr)


@pytest.fixture(autouse=True)
def _few_cases_wait():
    """Let a summary sort after a few cases, so that few cases take the path of many."""
    with mock.patch.object(score_sketch, "_WAITING", 7):
        yield


def by_file(saved):
    with tempfile.TemporaryDirectory() as folder:
        saved.save(Path(folder, "saved"))
        return type(saved).load(Path(folder, "saved"))


def ways_to_copy(kind):
    ways = {"deepcopy": copy.deepcopy, **PICKLES}
    if kind.shallow:
        ways["copy"] = copy.copy
    if kind.saves:
        ways |= {"bytes": WAYS["bytes"], "file": by_file}
    return ways | WAYS if kind.saves and kind.any_way else ways  # tables sort what waits, from which cuts are learnt


def filled(kind, make, cases):
    """Return an object that took the cases one by one."""
    made = make()
    for case in cases:
        kind.add(made, case)
    return made


# Hypothesis checks every strategy that it has not seen, which takes longer than drawing from it.
makers = functools.cache(lambda kind: kind.makers())
lists_of_cases = functools.cache(lambda kind, width: kind.cases(width))
lists_of_cuts = functools.cache(lambda size: st.lists(st.integers(0, size), max_size=3))


@st.composite
def makers_and_cases(draw, kind, lists=1):
    """Draw what makes an object, and lists of cases for it."""
    make = draw(makers(kind))
    width = kind.width(make())
    return make, *(draw(lists_of_cases(kind, width)) for _ in range(lists))


@st.composite
def pieces(draw, cases):
    """Cut cases, each piece with the method that adds it."""
    cuts = sorted(draw(lists_of_cuts(len(cases))))
    return [
        (cases[start:end], draw(st.booleans()))
        for start, end in zip([0, *cuts], [*cuts, len(cases)], strict=True)
    ]  # fmt: skip


def add(kind, target, piece):
    cases, singly = piece
    if singly:
        for case in cases:
            kind.add(target, case)
    else:
        kind.add_batch(target, cases)


def assert_same(kind, one, other):
    assert kind.content(one) == kind.content(other)
    assert kind.told(one) == kind.told(other)
    if kind.compares:
        assert one == other


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.any_way and not kind.in_order], ids=repr)
@given(data=st.data())
def test_the_order_of_cases_changes_no_number(kind, data):
    make, cases = data.draw(makers_and_cases(kind))
    one, moved = filled(kind, make, cases), filled(kind, make, data.draw(st.permutations(cases)))
    assert kind.answers(moved) == kind.answers(one)
    assert kind.averages(moved) == {name: close_to(value, abs=1e-12) for name, value in kind.averages(one).items()}
    assert {name: sorted(each, key=repr) for name, each in kind.listed(moved).items()} == {
        name: sorted(each, key=repr) for name, each in kind.listed(one).items()
    }
    if kind.compares:
        assert moved == one


@where_nothing_depends_on_the_way
@given(data=st.data())
def test_batches_equal_cases_one_by_one(kind, data):
    make, cases = data.draw(makers_and_cases(kind))
    batched = make()
    for piece in data.draw(pieces(cases)):
        add(kind, batched, piece)
    assert_same(kind, batched, filled(kind, make, cases))


@where_nothing_depends_on_the_way
@given(data=st.data())
def test_merging_in_any_tree_equals_filling_one(kind, data):
    make, cases = data.draw(makers_and_cases(kind))
    parts = [make()]
    for piece in data.draw(pieces(cases)):
        parts.append(make())
        add(kind, parts[-1], piece)
    while len(parts) > 1:
        place = data.draw(st.integers(0, len(parts) - 2))
        other = parts.pop(place + 1)
        before = kind.content(other)
        kind.merge(parts[place], other)
        assert kind.content(other) == before
        kind.add_batch(other, cases)  # which must not reach what it was merged into
    one = filled(kind, make, cases)
    assert_same(kind, parts[0], one)
    kind.merge(parts[0], parts[0])
    kind.add_batch(one, cases)
    assert kind.content(parts[0]) == kind.content(one)


@every_kind
@given(data=st.data())
def test_copies_and_what_was_saved_are_equal_and_grow_apart(kind, data):
    make, cases, more = data.draw(makers_and_cases(kind, lists=2))
    original, one = filled(kind, make, cases), filled(kind, make, cases)  # so that there may be room for more
    before, ways = kind.content(original), ways_to_copy(kind)
    stored = kind.memory(original)
    copies = {name: duplicate(original) for name, duplicate in ways.items()}
    assert kind.memory(original) == stored
    kind.add_batch(one, more)
    grown = kind.content(one)
    for copied in copies.values():
        assert type(copied) is type(original)
        assert kind.content(copied) == before
        if kind.saves:
            assert kind.stored(copied) == kind.stored(original)
        if kind.compares:
            assert copied == original
        kind.add_batch(copied, more)
    assert kind.content(original) == before
    kind.add_batch(original, cases)
    assert [name for name, copied in copies.items() if kind.content(copied) != grown] == []
    asked = copies[data.draw(st.sampled_from(sorted(copies)))]
    assert kind.told(asked) == kind.told(one)


@every_kind
@given(data=st.data())
def test_questions_change_nothing(kind, data):
    make, cases, more = data.draw(makers_and_cases(kind, lists=2))
    asked, silent = make(), make()
    kind.add_batch(asked, cases)
    before = kind.memory(asked)
    kind.told(asked)
    assert kind.memory(asked) == before
    kind.add_batch(asked, more)
    for batch in (cases, more):
        kind.add_batch(silent, batch)
    before = kind.memory(asked)
    assert_same(kind, asked, silent)
    assert kind.memory(asked) == before


@pytest.mark.parametrize("kind", EVALUATIONS, ids=repr)
@given(data=st.data())
def test_what_is_refused_changes_nothing(kind, data):
    make, cases, more = data.draw(makers_and_cases(kind, lists=2))
    tried, spared = filled(kind, make, cases), filled(kind, make, cases)
    before = kind.memory(tried), repr(tried)
    for mistake in kind.mistakes(tried):
        with pytest.raises((EvaluationError, EvaluationTypeError)):
            mistake()
        assert (kind.memory(tried), repr(tried)) == before
    for target in (tried, spared):
        kind.add_batch(target, more)
    assert_same(kind, tried, spared)
