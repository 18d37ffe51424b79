"""Conditions on text give the rows that they give on the numbers that the text spells."""

import re
from datetime import datetime

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore import EvaluationError
from evalcore.io.conditions import SqlCondition
from evalcore.io.rows import RowFilter, Rows
from tests.differences import every, refused

TYPED = pa.table({
    "row": range(8),
    "weight": [1.0, 1.234, 1.5, 2.0, 0.9, None, 10.0, 1.4999],
    "other": [2.0, 1.234, 10.0, 9.0, 1.0, 3.0, 9.5, 1.0],
    "id": [9007199254740993, 9007199254740992, 1, 2, -3, 4, None, 10],
    "time": [datetime(2024, 1 + row % 2, 1, 5 * (row % 3)) for row in range(8)],
    "late": [True, False] * 4,
    "carrier": ["07", "7", "UA", "aa", "1.0", None, "1", "UA"],
})  # fmt: skip
WRITTEN = pa.table({name: TYPED[name] if name == "row" else [
    None if value is None else str(value) for value in TYPED[name].to_pylist()
] for name in TYPED.column_names})  # fmt: skip

TYPED_ROWS = duckdb.from_arrow(TYPED)
_NUMBERS = st.sampled_from(["1", "1.5", "2", "1e0", "-3", "1.23", "10.00", "4::double", "9007199254740993", "1 + 1"])
_COLUMNS = st.sampled_from(["weight", "other", "id"])
_TERMS = st.one_of(
    _COLUMNS,
    st.builds("{} * 2".format, _COLUMNS),
    st.builds("{}({})".format, st.sampled_from(["round", "abs", "floor", "-"]), _COLUMNS),
    st.builds("nullif({}, {})".format, _COLUMNS, _NUMBERS),
    st.builds("coalesce({}, {})".format, _COLUMNS, _NUMBERS),
    st.builds("case when {} = {} then {} else 1.5 end".format, _COLUMNS, _NUMBERS, _COLUMNS),
)
_COMPARISONS = st.one_of(
    st.builds("{} {} {}".format, _TERMS, st.sampled_from(
        ["=", "<>", "!=", "<", ">=", "is distinct from", "is not distinct from"]
    ), _NUMBERS),
    st.builds("{} {} {}".format, _NUMBERS, st.sampled_from(["=", "<>", ">"]), _TERMS),
    st.builds("{} {} {}".format, _COLUMNS, st.sampled_from(["<", ">="]), _COLUMNS),
    st.builds("{} {} ({}, {})".format, _TERMS, st.sampled_from(["in", "not in"]), _NUMBERS, _NUMBERS),
    st.builds("{} between {} and {}".format, _TERMS, _NUMBERS, _NUMBERS),
    st.builds("case {} when {} then true else false end".format, _COLUMNS, _NUMBERS),
    st.sampled_from([
        "time = date '2024-02-01'", "time < timestamp '2024-02-01 03:00'", "month(time) = 2", "late", "late = false",
        "carrier = '07'", "carrier in ('1', 'UA')", "carrier like '0%'", "carrier || 'x' = '7x'", "carrier is null",
        "lower(carrier) < upper(carrier)", "length(carrier) = 2", "weight in [1, 2]", "weight in (1, '2')",
    ]),
)  # fmt: skip
_CONDITIONS = st.one_of(
    _COMPARISONS,
    st.builds("not ({})".format, _COMPARISONS),
    st.builds("({}) {} ({})".format, _COMPARISONS, st.sampled_from(["and", "or", "="]), _COMPARISONS),
)


def met(where, *batches):
    """Return the rows of batches of a text file that meet a condition."""
    rows, found, first = RowFilter(Rows(where=where), "--{}".format), [], 0
    for table in batches or (WRITTEN,):
        columns = {"row": range(first, first + table.num_rows), **{name: table[name] for name in table.column_names}}
        rows.untyped = columns.keys() - {"row"}
        found += rows.kept(pa.table(columns), ["row"], first)["row"].to_pylist()
        first += table.num_rows
    return found


def column(*cells):
    return pa.table({"x": pa.array(cells, pa.string())})


@settings(max_examples=15, deadline=None)
@given(_CONDITIONS)
def test_text_of_numbers_is_compared_as_the_numbers(where):
    rows = TYPED_ROWS.query("typed", f"SELECT row FROM typed WHERE ({where}) ORDER BY row").fetchnumpy()["row"]
    assert met(where) == rows.tolist()


def test_whole_numbers_are_exact_or_refused_whatever_came_before():
    assert met("x = 9223372036854775807", column("9223372036854775807", "9223372036854775806")) == [0]
    ids = column("170141183460469231731687303715884105727", "170141183460469231731687303715884105726", None)
    with pytest.raises(EvaluationError, match=r"x is text; write cast\(x as double\), or numbers beside it in quotes$"):
        met("x = 170141183460469231731687303715884105727", ids)
    assert met("x::hugeint = 170141183460469231731687303715884105727", ids) == [0]
    with pytest.raises(EvaluationError, match=r"^column 'x': at index 1 \(from 0\) or after: Integer value"):
        met("x > 1", column("1.5"), column("9007199254740993"))
    with pytest.raises(EvaluationError, match=r"'1\.5' is text; write cast\('1\.5' as double\), or"):
        met("x = '1.5'", column("1", "2"))
    assert met("x = '2'", column("1", "2")) == [1]


MANY = " and ".join(["weight = 1", "other = 2", "id > 1", "late", "time > date '2020-01-01'", "carrier = '07'"])


@every(
    ("where", "tables", "rows"),
    ("carrier = '1'", [], [6]), ("carrier = '1.0' or weight = '1'", [], [0, 4]), (MANY, [], [0]),
     ("x = '1' or x like '0%'", [column("1", "01", "001")], [0, 1, 2]),
     ("x = '1'", [column("1", "01", "0x1", "1.5")], [0]), ("x = 'NA'", [column("NA", None, "", "CH")], [0]),
     ("x < time '10:00'", [column("09:30:00", "10:00:00", None)], [0]),
     ("x < '2026-1-9'", [column("2026-01-08", "2026-01-10", None)], [0]),
     ("cast(id as bigint) // 2 = 1", [], [3]), ("try_cast(substr(carrier, 2) as double) = 7", [], [0]),
)  # fmt: skip
def test_text_codes_times_and_casts_are_what_they_say(where, tables, rows):
    assert met(where, *tables) == rows


@every(
    ("where", "message"),
    ("substr(carrier, 2) = 7", "substr(carrier, 2) is text; write cast(substr(carrier, 2) as double), or numbers "
      "beside it in quotes"),
     ("7 in (id, carrier)", "column 'carrier' must hold numbers, because --where compares it with them, got 'UA'"),
     ("carrier = 7", "column 'carrier' must hold numbers, because --where compares it with them, got 'UA' at index 2"),
)  # fmt: skip
def test_text_beside_numbers_is_refused(where, message):
    with pytest.raises(EvaluationError, match=re.escape(message)):
        met(where)


@every(
    ("where", "batches", "rows"),
    ("x > 1", [["1", "2"], ["1.5", None], ["3"]], [1, 2, 4]),
     ("x > 1", [[None, None], [], ["0.5", "7"], [None]], [3]),
     ("x = '1'", [["a"], ["1", "2"]], [1]),
)  # fmt: skip
def test_batches_are_read_as_the_first_rows_or_wider(where, batches, rows):
    assert met(where, *(column(*cells) for cells in batches)) == rows


@every(
    ("where", "batches", "kinds"),
    ("x > 1", [["1", "2"], ["UA"]], "int64, and text"),
     ("x > '2026-01-01'", [["2026-01-02", None], ["2026-01-02 10:00:00"]], r".*, and timestamp.*"),
)  # fmt: skip
def test_batches_of_another_type_are_refused(where, batches, kinds):
    message = (
        rf"^column 'x' must hold values of one type in a condition, got {kinds} in the rows from index 2 \(from 0\) on"
        r"; write Parquet, whose columns have types, or pipe the file to standard input, which is read whole$"
    )
    with pytest.raises(EvaluationError, match=message):
        met(where, *(column(*cells) for cells in batches))


GERMAN = pa.table({"day": ["21.03.2026", None, "04.07.2026"]})


@every("where", ["day >= '2026-07-01'", "'2026-7-1 12:00' < day", "day between '2026-01-01' and '2026-12-31'",
                 "day >= '01.07.2026'", "'1/7/2026' < day"])  # fmt: skip
def test_dates_of_another_order_are_not_compared_as_text(where):
    message = (
        r"^column 'day' must hold dates such as 2026-07-01, because where orders them as text, got '21.03.2026' at "
        r"index 0 \(from 0\); convert them, such as strptime\(\"day\", '%d.%m.%Y'\) < DATE '2026-07-01'$"
    )
    with pytest.raises(EvaluationError, match=message):
        SqlCondition(where, "where").rows_that_meet(GERMAN, 0)


@every(
    ("where", "days", "rows"),
    ("strptime(day, '%d.%m.%Y') >= DATE '2026-07-01'", GERMAN, [2]), ("day = '04.07.2026'", GERMAN, [2]),
     ("day > '1'", GERMAN, [0]), ("day <> '2026-07-01'", GERMAN, [0, 2]),
     ("day >= '2026-07-01'", pa.table({"day": ["2026-03-21", None, "2026-07-04T10:00", ""]}), [2]),
)  # fmt: skip
def test_dates_may_be_converted_or_compared_as_they_are(where, days, rows):
    assert SqlCondition(where, "where").rows_that_meet(days, 0).tolist() == rows


@every("where", ["d < '2026-1-9'", "'2026-1-9' > d", "d between '2026-01-01' and '2026-1-9'", "D < ' 2026-1-09 10:00'"])
def test_dates_of_one_digit_are_not_ordered_as_text(where):
    days = pa.table({"d": ["2026-01-08", "2026-01-10", "2026-02-08", None]})
    full = "' 2026-01-09 10:00'" if "10:00" in where else "'2026-01-09'"
    with pytest.raises(EvaluationError, match=f"column 'd' holds text, so write dates in full, such as {full}$"):
        SqlCondition(where, "--where").rows_that_meet(days, 0)
    assert met(where.replace("D", "d"), days) == [0]  # as dates


@every("where", ["day >= '01.07.2026'", "'7/1/2026' < day"])
def test_dates_are_not_ordered_beside_dates_with_the_year_last(where):
    days = pa.table({"day": ["2026-03-21", "2026-07-04"]})
    with pytest.raises(EvaluationError, match=r"'day' holds text, so write dates in full, such as '2026-07-01'$"):
        SqlCondition(where, "--where").rows_that_meet(days, 0)


@every("written", ["2026-1-9", "2026-01-9", "2026-1-09 10:00"])
def test_text_of_dates_of_one_digit_is_not_ordered(written):
    days = pa.table({"d": ["2026-01-08", written]})
    message = (
        f"column 'd' must hold dates such as 2026-07-01, because --where orders them as text, got {written!r} at index "
        "1 (from 0); convert them, such as strptime(\"d\", '%Y-%m-%d') < DATE '2026-07-01'"
    )
    with refused(message):
        met("d < '2026-01-09'", days)
    if " " not in written:
        assert met("strptime(d, '%Y-%m-%d') < DATE '2026-01-09'", days) == [0]


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(EvaluationError, match=r"'id = \\udcff': it must be UTF-8$"):
        met("id = \udcff")
