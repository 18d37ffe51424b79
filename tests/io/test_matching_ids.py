"""Rows of two tables are joined as a dictionary of ids joins them."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.io.columns import Texts
from evalcore.io.matching_ids import matched_rows
from evalcore.io.text_cells import strings_of
from evalcore.kernels import matching
from tests.differences import every, refused

POOLS = {
    "dense": st.integers(0, 12),
    "sparse": st.sampled_from([0, 7, 2**40, -(2**62), 2**63 - 1, -(2**63), 2**62 + 1]),
    "text": st.sampled_from(
        ["", "a", "aa", "b", "ä", "7", *(f"{'user' * size}-{last}" for size in (2, 9) for last in "ab")]
    ),
    "truth": st.booleans(),
}


def slow_matches(old, new):
    """Return what `matched_rows` does, straight from its definition."""
    first_old, first_new = {}, {}
    for rows, first in ((old, first_old), (new, first_new)):
        for row, key in enumerate(rows):
            first.setdefault(key, row)
    return (
        [first_new.get(key, -1) for key in old],
        [row for row, key in enumerate(old) if first_old[key] != row],
        [row for row, key in enumerate(new) if first_new[key] != row],
        [row for key, row in first_new.items() if key not in first_old],
        [row for key, row in first_old.items() if key not in first_new],
    )


def in_arrow(columns):
    """Return columns, those of text as part of a column of Arrow."""
    return [part_in_arrow(each) if each.dtype == object else each for each in columns]


def part_in_arrow(texts, kind="large_string"):
    rows = pa.array(["ä", *texts], pa.large_string()).cast(kind)
    return Texts(pa.chunked_array([rows]).slice(1))


def one_column(ids):
    return [np.array(ids, object if isinstance(ids[0], str) else None)]


def check(old, new, columns_of, forms=(list, in_arrow)):
    columns = columns_of(old), columns_of(new)
    rows, repeated_old, repeated_new, only_new, only_old = slow_matches(old, new)
    for form in forms:
        found = matched_rows(*map(form, columns), ["id", "day"][: len(columns[0])])
        assert (list(range(len(old))) if found.rows is None else found.rows.tolist()) == rows
        assert (found.repeated_old.tolist(), found.repeated_new.tolist()) == (repeated_old, repeated_new)
        assert (found.only_new.tolist(), found.only_old().tolist()) == (only_new, only_old)


@every("kind", POOLS)
@given(data=st.data())
def test_rows_of_one_column_of_ids_are_joined_as_a_dictionary_joins_them(kind, data):
    old, new = (data.draw(st.lists(POOLS[kind], min_size=1, max_size=12)) for _ in range(2))
    check(old, new, one_column)


@given(*(st.lists(st.tuples(POOLS["sparse"], POOLS["text"]), min_size=1, max_size=12) for _ in range(2)))
@example([(2**63 - 1, "a"), (-(2**63), "b")], [(-(2**63), "b"), (2**63 - 1, "b")])
def test_rows_of_two_columns_of_ids_are_joined_as_a_dictionary_joins_them(old, new):
    check(old, new, lambda rows: [one_column(column)[0] for column in zip(*rows, strict=True)])


@every("text", ["{}", "user-{:09}", "x{}", "{0:032b}{0}", f"{'long ' * 60}{{}}"])
def test_many_ids_of_text_in_random_order_are_joined(text):
    ids = [*map(text.format, np.random.default_rng(7).permutation(70_000 if len(text) < 99 else 500).tolist())]
    check([*ids[3:], "alone"], [*ids[::-1], "other"], one_column)
    check([*ids, ids[0]], ids[::-1], one_column)


@every("scale", [1, 10**6, 2**40])
def test_many_ids_in_random_order_are_joined(scale):
    draw = np.random.default_rng(7)
    ids = draw.permutation(70_000) * scale - 5
    check(ids[:-3].tolist(), ids[::-1][1:].tolist(), one_column)
    check([*ids[:1000], *ids[:7]], [*ids[990:2000], *ids[1000:1010]], one_column)
    check([scale, scale], [scale, 0, -scale], one_column)  # as many rows of both, counted twice, as there are new ones


@every("kind", ["string", "large_string"])
def test_texts_of_arrow_are_read_as_an_array_of_objects_is(kind):
    expected = np.array(["b", "", "ä", "b"], object)
    for rows in (np.arange(4), np.array([3, 0, 3]), np.arange(0)):
        texts = part_in_arrow(expected, kind)[rows]
        assert texts.tolist() == np.asarray(texts).tolist() == expected[rows].tolist()
        assert [texts[row] for row in range(len(texts))] == texts.strings().to_pylist() == expected[rows].tolist()
        assert texts[np.arange(texts.size)[1:2]].tolist() == expected[rows][1:2].tolist()
    assert np.asarray(texts).dtype == texts.dtype == object


def test_ids_that_share_a_hash_or_an_order_are_told_apart(monkeypatch):
    monkeypatch.setattr(matching, "_MULTIPLIERS", [np.uint64(1)])  # small ids share the hash 0
    ids = [3, 2**63 - 1, 5, -(2**63), 2**40, 2**40 + 1]
    check(ids, ids[::-1], one_column)
    check([ids[1], ids[4]], [ids[5], ids[3]], one_column)
    check([*ids, 3], [5, 7, 5, 2**40 + 1], one_column)
    texts = ["first idother id", "other idfirst id", "first id"]  # of the same words of eight letters
    check(texts, texts[::-1], one_column)
    check([texts[0], texts[2]], [texts[2], texts[1]], one_column)
    ids = np.array([3, 5, 9])
    assert matched_rows([ids], [ids.copy()], ["id"]).rows is None
    assert matched_rows([np.array(["b", "a"], object)], [np.array(["b", "a"], object)], ["id"]).rows is None


def test_ids_may_have_other_types_and_those_without_a_sign_are_not_those_with_one():
    for dtype in ("int8", "uint64", "float64", "datetime64[D]", "bool", "U3"):
        old, new = np.array([0, 1]).astype(dtype), np.array([1, 0]).astype(dtype)
        assert matched_rows([old], [new], ["id"]).rows.tolist() == [1, 0]
    for high in (2**63 - 1, 2**63, 2**64 - 1):
        old = np.array([high, 5], np.uint64)
        assert matched_rows([old], [np.array([-1, 5])], ["id"]).rows.tolist() == [-1, 1]
        assert matched_rows([old], [old[::-1]], ["id"]).rows.tolist() == [1, 0]


DAYS = np.array(["2020-01-01", "NaT", "NaT"], "M8[D]")
KINDS = "ids of one kind in all tables, got {}; {}"
MIXED = "only text, or only whole numbers of 64 bits or dates, got {} (int); read it as text (text='id')"


@every(
    ("old", "new", "why"),
    ([1], ["01"], KINDS.format("whole numbers and text", "read it as text (text='id')")),
    (DAYS[:1], ["1 May"], KINDS.format("dates and text", "give it one type, and one time zone, in all")),
    (DAYS[:1], np.array([0], "m8[s]"),
     KINDS.format("dates and durations", "give it one type, and one time zone, in all")),
    *((values, [1, 2], f"whole numbers, text or dates to join by, got {got}") for values, got in
      (([1.0, 0.5], 0.5), ([1.0, np.nan], np.nan), ([1.0, np.inf], np.inf), ([1j], "complex128"))),
    (["a", 1], ["a", 1], MIXED.format(1)), ([10**25, 10**26], [10**25], MIXED.format(10**25)),
)  # fmt: skip
def test_what_is_no_id_or_another_kind_of_id_is_refused(old, new, why):
    ids = [np.array(each, object if {type(value) for value in each} & {str} else None) for each in (old, new)]
    with pytest.raises((EvaluationError, EvaluationTypeError)) as caught:
        matched_rows(*([column] for column in ids), ["id"])
    where = " at index 1 (from 0)" * (type(old[-1]) is float)
    assert str(caught.value) == f"column 'id'{where} must hold {why}"
    assert isinstance(caught.value, EvaluationError) == bool(where)


@every("ids", [np.array(["a", None, None], object), DAYS])
def test_missing_ids_are_refused(ids):
    with refused("column 'id' must identify every row, got 2 missing ids, the first at index 1 (from 0)"):
        matched_rows([ids], [ids[:1]], ["id"])


def test_text_is_joined_without_pyarrow_too_and_as_whole_numbers(monkeypatch):
    assert matched_rows([np.array([7, -8])], [np.array(["-8", "7"], object)], ["id"]).rows.tolist() == [1, 0]
    for other in ("07", "0x7", "-0", "00", "-07", "+7"):
        texts = np.array(["7", other, "0"], object)  # of which some are no more numbers than one is
        assert matched_rows([texts], [texts[::-1]], ["id"]).rows.tolist() == [2, 1, 0]
    ids = np.array(["a", "\ud800"], object)
    with pytest.raises(EvaluationError, match=r"^column 'id' is not UTF-8; convert the file"):
        matched_rows([ids], [ids], ["id"])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    check(["b", "a", "c", "a"], ["a", "d", "b"], one_column, [list])
    assert matched_rows([np.array(["b", "a"])], [np.array(["a", "c"])], ["id"]).rows.tolist() == [-1, 0]
    mixed = np.array(["b", 7], object)  # as with pyarrow
    with pytest.raises(EvaluationTypeError, match=r"^column 'id' must hold only text, .* got 7 "):
        matched_rows([mixed], [mixed], ["id"])


SOME = {
    "numbers": np.array([7, 8]),
    "numbers far apart": np.array([-(2**62), 2**62]),
    "text": np.array(["a", "7"], object),
    "dates": np.array(["2026-01-01", "2026-01-02"], "M8[D]"),
}


@every("other", SOME)
@every("kind", SOME)
def test_a_table_without_rows_has_ids_of_any_kind(kind, other):
    ids, none = SOME[kind], SOME[other][:0]
    first, second = matched_rows([none], [ids], ["id"]), matched_rows([ids], [none], ["id"])
    assert first.only_new.tolist() == second.only_old().tolist() == [0, 1]
    assert second.rows.tolist() == [-1, -1]
    assert first.only_old().size + second.only_new.size == 0


@pytest.mark.process
def test_ids_of_text_are_matched_without_pandas():
    script = (
        "import sys; import numpy as np; from evalcore.io.matching_ids import matched_rows\n"
        "for ids in (['1', '2'], ['a', 'b']):\n"
        "    matched_rows([np.array(ids, object)], [np.array(ids[:1], object)], ['id'])\n"
        "sys.exit('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


@every("ids", [["a", None], [b"a", b"b"], ["a", 1.5]])
def test_strings_are_what_arrow_makes_of_them(ids):
    try:
        expected = pa.array(ids, pa.large_string())
    except TypeError:
        with pytest.raises(TypeError):
            strings_of(ids)
    else:
        strings_of(ids).validate(full=True)
        assert strings_of(ids).equals(expected)
