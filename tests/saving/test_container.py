"""Bytes that are cut, damaged, foreign, newer or nonsense are told; names and tables stay what they were."""

import enum
import hashlib
import io
import json
import pickle
import struct
import zlib
from datetime import date
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore import ConfusionMatrix, Contingency, EvaluationError, EvaluationTypeError, ScoredPrecisionRecallEvaluation
from evalcore.saving.container import Snapshot, digest, names_of_plain, packed, plain_names
from tests.differences import every, recorded, refused
from tests.laws.evaluations import NAMES
from tests.laws.states import check_scored_cases
from tests.saving.objects import KINDS, WAYS

NO_TEXT = "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"
MAGIC = b"\x89evalcore\r\n\x1a"
SAVED = {name: kind.example().to_bytes() for name, kind in KINDS.items()}
SCORED = SAVED["ScoredPrecisionRecallEvaluation"]
FIRST = Path(__file__).parents[1] / "data" / "first_version"
"""What the first version wrote: it is to be read for ever."""


def container(header, columns=b"", version=1):
    """Seal any header and columns as evalcore would."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    preamble = struct.pack("<12sIQQ", MAGIC, version, 36 + len(text) + len(columns) + 32, len(text))
    content = preamble + struct.pack("<I", zlib.crc32(preamble)) + text + columns
    return content + hashlib.sha256(content).digest()


@every("name", KINDS)
def test_every_cut_is_told(name):
    whole = SAVED[name]
    for length in range(len(whole)):
        known = f"{length} of {len(whole)} bytes" if length >= 36 else f"{length} bytes"
        with refused(f"data is cut short: {known}"):
            KINDS[name].cls.from_bytes(whole[:length])


@every("flip", [0x01, 0x80, 0xFF])
@every("name", KINDS)
def test_every_flipped_byte_is_told(name, flip):
    whole = SAVED[name]
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= flip
        what = "its first 36 bytes contradict each other" if place < 36 else "its checksum is wrong"
        with refused(f"data is damaged: {what}"):
            KINDS[name].cls.from_bytes(damaged)


@given(st.data())
def test_bytes_put_in_taken_out_or_overwritten_are_told(data):
    begin, end = sorted(data.draw(st.tuples(*[st.integers(0, len(SCORED))] * 2)))
    other = SCORED[:begin] + data.draw(st.binary(max_size=50)) + SCORED[end:]
    if other == SCORED:
        assert ScoredPrecisionRecallEvaluation.from_bytes(other).to_bytes() == SCORED
    else:
        with pytest.raises(EvaluationError, match=r"\Adata is (cut short|damaged|not a saved evalcore object)"):
            ScoredPrecisionRecallEvaluation.from_bytes(other)


@given(st.binary(max_size=200).filter(lambda data: not MAGIC.startswith(data[:12])))
def test_foreign_bytes_are_told(data):
    with refused("data is not a saved evalcore object"):
        ConfusionMatrix.from_bytes(data)


@every(
    "data",
    [pickle.dumps(KINDS["ConfusionMatrix"].example()), b"\x89PNG\r\n\x1a\n" + bytes(100), b"PAR1", b"{}", bytes(400)],
)
def test_files_of_other_kinds_are_told(data):
    with refused("data is not a saved evalcore object"):
        ConfusionMatrix.from_bytes(data)


def test_bytes_after_the_end_and_missing_facts_are_told():
    with refused("data is damaged: 2 bytes follow its end"):
        ScoredPrecisionRecallEvaluation.from_bytes(SCORED + b"\r\n")
    with refused("data is not a valid ConfusionMatrix: there is no 'categories'"):
        ConfusionMatrix.from_bytes(packed(Snapshot("ConfusionMatrix", {}, {"count": np.array([1])})))


@every(
    ("version", "message"),
    (2, "data was written by a newer format 2, this evalcore reads 1"),
    (2**32 - 1, "data was written by a newer format 4294967295, this evalcore reads 1"),
    (0, "data was written by an unknown format 0, this evalcore reads 1"),
)
def test_another_version_is_told_whatever_follows(version, message):
    newer = container(b"what a newer version has", b"of its own", version)
    for data in (newer, newer[:-1], newer[:36]):
        with refused(message):
            ConfusionMatrix.from_bytes(data)


@every("other", KINDS)
@every("name", KINDS)
def test_another_kind_is_told(name, other):
    if name == other:
        assert KINDS[name].cls.from_bytes(SAVED[name]).to_bytes() == SAVED[name]
    else:
        with refused(f"data holds a {other}, not a {name}"):
            KINDS[name].cls.from_bytes(SAVED[other])
        with refused(f"table holds a {other}, not a {name}"):
            KINDS[name].cls.from_arrow(KINDS[other].example().to_arrow())


@every(
    ("data", "shown"),
    ("evalcore", "'evalcore' (str)"),
    (None, "None (NoneType)"),
    (3, "3 (int)"),
    ([1, 2], "[1, 2] (list)"),
    (np.zeros(2, np.uint8), "array([0, 0], dtype=uint8) (ndarray)"),
)
def test_what_are_no_bytes_is_refused(data, shown):
    with refused(f"data must be bytes, a bytearray or a memoryview, got {shown}", EvaluationTypeError):
        ConfusionMatrix.from_bytes(data)


@every(
    "form",
    bytes,
    bytearray,
    memoryview,
    lambda data: memoryview(bytearray(data)),
    lambda data: memoryview(b"".join(bytes([byte, 0]) for byte in data))[::2],
    lambda data: memoryview(np.frombuffer(data, np.int8)),
    lambda data: memoryview(b"." + data)[1:],
)
def test_bytes_are_taken_in_every_form(form):
    loaded = ScoredPrecisionRecallEvaluation.from_bytes(form(SCORED))
    assert loaded.to_bytes() == SCORED
    loaded.addCase(True, 0.5)
    check_scored_cases(loaded._cases)


def test_the_same_state_has_the_same_bytes_whatever_its_strides():
    one, other = ScoredPrecisionRecallEvaluation(), ScoredPrecisionRecallEvaluation()
    one.addCases([True, False, True], [0.5, 0.25, 1.0])
    for label, score in ((True, 0.5), (False, 0.25), (True, 1.0)):
        other.addCase(label, score)
    one.averagePrecision()  # what is kept of an answer is no state
    assert one.to_bytes() == other.to_bytes()
    other.addMisses(1)
    assert one.to_bytes() != other.to_bytes()
    values = np.arange(6, dtype=np.int64)
    plain = Snapshot("ConfusionMatrix", {}, {"count": values[::2].copy()})
    for same in (values[::2], values[::2].astype(">i8")):
        assert packed(plain._replace(columns={"count": same})) == packed(plain)
        assert digest(plain._replace(columns={"count": same})) == digest(plain)


@every("name", KINDS)
def test_what_the_first_version_wrote_is_read_and_written_still(name):
    content = (FIRST / f"{name}.evalcore").read_bytes()
    assert KINDS[name].cls.from_bytes(content).to_bytes() == content == SAVED[name]


@every(("saved", "why"), recorded("saving/outputs/refused_headers.txt"))
def test_a_container_of_another_form_is_refused(saved, why):
    header, length = json.JSONDecoder().raw_decode(saved)
    with refused(f"data is damaged: {why}"):
        ConfusionMatrix.from_bytes(container(header, bytes.fromhex(saved[length:])))


@every(("text", "why"), [(b"", "Expecting value: line 1 column 1 (char 0)"), (b"\xff", NO_TEXT)])
def test_a_header_that_is_no_json_is_refused(text, why):
    with refused(f"data is damaged: its header cannot be read: {why}"):
        ConfusionMatrix.from_bytes(container(text))


@every("text", [b"[" * 100_000, b'{"kind":' + b"9" * 5000 + b"}"])
def test_a_header_that_is_too_deep_or_too_long_a_number_is_refused(text):
    with pytest.raises(EvaluationError, match=r"\Adata is damaged: its header cannot be read: "):
        ConfusionMatrix.from_bytes(container(text))


@every(("saved", "why"), recorded("saving/outputs/refused_contents.txt"))
def test_what_no_object_can_hold_is_refused(saved, why):
    name, _, text = saved.partition(" ")
    facts, columns = json.loads(text)
    given = KINDS[name].example()._snapshot().facts | facts
    arrays = {name: np.array(values) for name, values in columns.items() if values is not None}
    if columns.get("count") == []:
        arrays = {"count": np.array([], np.int64)}
    with refused(f"data is not a valid {name}: {why}"):
        KINDS[name].cls.from_bytes(packed(Snapshot(name, given, arrays)))


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
