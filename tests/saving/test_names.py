"""Names and tables stay what they were when they are saved."""

import enum
import io
import json
from datetime import date
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore import (
    ConfusionMatrix,
    Contingency,
    EvaluationError,
    EvaluationTypeError,
    PrecisionRecallEvaluation,
    ScoredPrecisionRecallEvaluation,
)
from evalcore.saving.container import Snapshot, names_of_plain, plain_names
from tests.differences import every, refused
from tests.laws.evaluations import NAMES
from tests.saving.objects import KINDS, WAYS

ALLOWED = "a string, an integer, a float that is a number, True or False, bytes, None, or a tuple of these"


class Colour(enum.IntEnum):
    RED = 1


class Word(str):
    __slots__ = ()


def typed(name):
    if isinstance(name, tuple):
        return tuple, tuple(map(typed, name))
    return type(name), hex(name) if type(name) is int else repr(name)


@given(st.lists(NAMES | st.none()))
@example([1, 1.0, True, "1", b"1", (1,), (1.0,), (True,), ("1",)])
@example([0.0, -0.0, 0, False, "", b"", (), ((),), None, "None"])
@example([float("inf"), float("-inf"), 5e-324, 0.1, 2**53, -(2**53), 2**53 - 1, 10**5000, -(10**5000)])
@example(["\ud800", "\x00", "naïve", "\U0001f377"])
def test_names_keep_their_type_through_json(names):
    text = json.dumps(plain_names(names))
    assert list(map(typed, names_of_plain(json.loads(text)))) == list(map(typed, names))


@every(
    ("name", "plain"),
    (np.str_("a"), "a"),
    (np.int64(1), 1),
    (np.float32(0.5), 0.5),
    (np.float64(0.5), 0.5),
    (np.True_, True),
    (np.bytes_(b"a"), b"a"),
    ((np.int8(1), "a"), (1, "a")),
)
def test_scalars_of_numpy_become_those_of_python_that_equal_them(name, plain):
    (saved,) = names_of_plain(plain_names([name]))
    assert typed(saved) == typed(plain)
    assert saved == name
    assert hash(saved) == hash(name)


@every(
    ("name", "shown"),
    (date(2026, 1, 2), "datetime.date(2026, 1, 2) (date)"),
    (Decimal("0.5"), "Decimal('0.5') (Decimal)"),
    (frozenset({1}), "frozenset({1}) (frozenset)"),
    (1j, "1j (complex)"),
    (np.longdouble(0.5), "np.longdouble('0.5') (longdouble)"),
    (np.datetime64("2026-01-02"), "datetime.date(2026, 1, 2) (date)"),
    (Colour.RED, "<Colour.RED: 1> (Colour)"),
    (Word("a"), "'a' (Word)"),
    (float("nan"), "nan (float)"),
    (("a", float("nan")), "('a', nan) (tuple)"),
    (("a", len), "('a', <built-in function len>) (tuple)"),
)
def test_other_names_are_refused_when_they_are_saved(name, shown):
    message = f"category {shown} cannot be saved; a name that can is {ALLOWED}"
    for saved in (Contingency(["spam", name]), *([ConfusionMatrix(["spam", name])] if name == name else [])):  # noqa: PLR0124
        if isinstance(saved, ConfusionMatrix) and isinstance(name, np.generic):
            continue  # it has made a scalar of Python's of it
        for save in (saved.to_bytes, saved.to_arrow):
            with refused(message, EvaluationTypeError):
                save()


def test_a_name_that_is_nested_beyond_measure_is_refused():
    name = ()
    for _ in range(99):
        name = (name,)
    assert names_of_plain(plain_names([name])) == [name]
    name = (name,)
    with pytest.raises(EvaluationTypeError, match=r"\Acategory .* cannot be saved; a name that can is "):
        plain_names([name])


@every(
    "value",
    0.5, [], ["a"], {}, {"int": 1}, {"int": "1.5"}, {"int": "0x1", "float": "0x1p+0"}, {"float": "x"},
    {"float": "nan"}, {"float": "0x1p+5000"}, {"bytes": "0"}, {"bytes": 1}, {"tuple": "ab"},
    {"tuple": [{"list": []}]}, {"set": []}, {"int": "1" * 3 + "-"},
)  # fmt: skip
def test_what_stands_for_no_name_is_refused(value):
    with pytest.raises(EvaluationError, match=r"\Acategories must hold valid names: "):
        names_of_plain(["spam", value])
    for no_list in (None, "ab", {"a": 1}, 3):
        with pytest.raises(EvaluationError, match=r"\Acategories must be a list, got "):
            names_of_plain(no_list)


@every("way", ["Arrow", "stream"])
def test_a_table_stays_as_it_was_made(way):
    saved = ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]])
    table = saved.to_arrow()
    saved.increment("a", "b")
    assert ConfusionMatrix.from_arrow(table).matrix().tolist() == [[3, 1], [2, 4]]


@every("way", WAYS)
def test_counts_of_any_size_are_kept(way):
    most = 2**128
    saved = PrecisionRecallEvaluation(most, 0, 2**62, most)
    saved.merge(saved)  # more than the constructor takes
    assert repr(WAYS[way](saved)) == repr(saved)
    experiment = Contingency(["a"])
    experiment.set_entries(most, 0.1, 2**62, 5e-324)
    experiment.merge(experiment)
    assert repr(WAYS[way](experiment)) == repr(experiment)
    ranking = ScoredPrecisionRecallEvaluation()
    ranking.addMisses(2**62)
    ranking.addNegativeMisses(2**62)
    assert repr(WAYS[way](ranking)) == repr(ranking)
    matrix = ConfusionMatrix(["a"], [[2**63 - 1]])
    assert WAYS[way](matrix).totalCount() == 2**63 - 1


@every("way", WAYS)
def test_a_contingency_keeps_whether_it_prints_and_not_where(way, capsys):
    writer = io.StringIO()
    loaded = WAYS[way](Contingency(["sports"], verbose=True, writer=writer))
    loaded.add_result("sports", "sports", "doc1")
    assert capsys.readouterr().out == "doc1: assigned=(sports) correct=(sports)\n"
    assert writer.getvalue() == ""


@every("name", KINDS)
def test_a_subclass_reads_and_writes_what_its_parent_does(name):
    kind = KINDS[name]
    child = type("Child", (kind.cls,), {})
    saved = kind.example()
    loaded = child.from_bytes(saved.to_bytes())
    assert type(loaded) is child
    assert loaded.to_bytes() == saved.to_bytes()
    assert child.from_arrow(loaded.to_arrow()).to_bytes() == saved.to_bytes()
    assert isinstance(saved._snapshot(), Snapshot)
    assert saved._snapshot().kind == name
