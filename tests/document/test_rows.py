"""`nulls`, `where` and `sample` evaluate what the rows would be that pandas and DuckDB keep beforehand."""

import json

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evalcore
from evalcore import EvaluationError, EvaluationTypeError
from tests.differences import check_refusals, every, recorded

CONDITIONS = [
    None, "month >= 7 and carrier = 'UA'", "MONTH between 3 and 9", "carrier is null or model <= 0.25",
    "not (month = 2)", "carrier in ('AA', 'UA') and length(carrier) = 2", "late = 1 or month < 4", "true",
    "month > 3 -- and late = 1",
]  # fmt: skip
ROW = st.fixed_dictionaries(
    {
        "late": st.sampled_from([0, 1, 1, 0, None]),
        "model": st.sampled_from([0.0, 0.25, 0.5, 1.0, None, float("nan")]),
        "tree": st.sampled_from(["ash", "elm", None]),
        "guess": st.sampled_from(["ash", "elm"]),
        "carrier": st.sampled_from(["UA", "AA", None]),
        "month": st.sampled_from([1, 2, 3, 7, 12, None]),
    }
)
SCHEMA = pa.schema(
    [("late", pa.int8()), ("model", pa.float64()), ("tree", pa.string()), ("guess", pa.string()),
     ("carrier", pa.string()), ("month", pa.int64())]
)  # fmt: skip
QUESTIONS = [
    {"label": "late", "score": "model"},
    {"label": "late", "score": "model", "by": "carrier", "threshold": 0.5},
    {"label": "tree", "predicted": "guess"},
]
NULLABLE = {pa.int8(): pd.Int8Dtype(), pa.int64(): pd.Int64Dtype(),
            pa.float64(): pd.Float64Dtype(), pa.string(): pd.StringDtype()}  # fmt: skip
FRAMES = {
    "pyarrow": lambda table: table,
    "pandas": lambda table: table.to_pandas(),
    "nullable pandas": lambda table: table.to_pandas(types_mapper=NULLABLE.get),
    "polars": pl.from_arrow,
    "arrays": lambda table: {name: table.to_pandas()[name].to_numpy() for name in table.column_names},
    "lists": lambda table: table.to_pydict(),
}
CASES = pa.table(
    {"late": [1, 0, 1, 0, 1, None, 0, 1], "model": [0.5, 0.25, None, 0.75, 0.5, 0.25, float("nan"), 0.0],
     "month": [1, 2, 3, 4, 5, 6, 7, 8], "carrier": ["UA", "AA", "UA", "AA", "UA", "AA", "UA", "AA"]}
)  # fmt: skip


def kept(table, asked, where, nulls):
    """Return the rows that DuckDB and pandas keep."""
    if where is not None:
        with duckdb.connect() as connection:
            connection.register("cases", table.append_column("row", pa.array(range(table.num_rows), pa.int64())))
            rows = connection.execute(f"SELECT row FROM cases WHERE (\n{where}\n) ORDER BY row").fetchnumpy()["row"]
        table = table.take(pa.array(rows, pa.int64()))
    if nulls == "drop":
        names = [name for name in (asked["label"], asked.get("score"), asked.get("predicted"), asked.get("by")) if name]
        table = table.filter(pa.array(table.to_pandas()[names].notna().all(axis=1).to_numpy(), pa.bool_()))
    return table


def outcome(frame, asked, **rows):
    """Return the numbers of a report, or the kind of its error."""
    try:
        found = json.loads(evalcore.evaluate(frame, **asked, **rows).to_json())
    except EvaluationError:
        return "refused"
    return {name: entry for name, entry in found.items() if isinstance(entry, dict)}


@settings(max_examples=20)
@given(st.lists(ROW, min_size=4, max_size=14), st.sampled_from(CONDITIONS), st.sampled_from(["refuse", "drop"]),
       st.sampled_from(QUESTIONS), st.sampled_from(list(FRAMES)))  # fmt: skip
def test_rows_are_those_that_are_kept_beforehand(rows, where, nulls, asked, frame):
    table = pa.Table.from_pylist(rows, SCHEMA)
    expected = outcome(kept(table, asked, where, nulls), asked)
    assert outcome(FRAMES[frame](table), asked, where=where, nulls=nulls) == expected


@pytest.mark.parametrize(
    "where",
    ["month >= 3 and carrier = 'UA'", (pc.field("month") >= 3) & (pc.field("carrier") == "UA")],
    ids=["SQL", "pyarrow"],
)
@every("frame", list(FRAMES))
def test_conditions_are_sql_or_expressions_and_notes_count_rows(where, frame):
    report = evalcore.evaluate(FRAMES[frame](CASES), label="late", score="model", where=where, nulls="drop")
    assert report["model"]["cases"] == 1
    assert report.notes[:2] == [
        f"3 of 8 rows meet the condition {str(where)!r}",
        "2 of 3 rows are left out because of nulls: 2 in column 'model'",
    ]
    assert json.loads(report.to_json())["notes"][:2] == report.notes[:2]


def test_nulls_are_refused_and_indices_count_the_rows_that_are_kept():
    way_out = r"; leave out the rows with nulls \(nulls='drop'\)$"
    for asked in ({}, {"where": "month > 1"}, {"sample": 3}):
        with pytest.raises(EvaluationError, match=r"^nulls in column 'late': 1, the first at index 5 .*" + way_out):
            evalcore.evaluate(CASES.select(["late", "month"]), label="late", predicted="late", **asked)
    cases = {"late": [1, 0, 1], "model": [0.5, 0.5, 2.0], "by": [1.0, 2.0, 2.5], "month": [1, 2, 3]}
    message = r"got 2\.5 at index 1 \(from 0, of the rows that are kept\)$"
    with pytest.raises(EvaluationError, match=message):
        evalcore.evaluate(cases, label="late", score="model", by="by", where="month > 1")
    mixed = np.array(["a", 1], object)
    with pytest.raises(EvaluationTypeError, match=r"^column 'late' must hold values of one kind: "):
        evalcore.evaluate({"late": mixed, "guess": ["a", "b"]}, label="late", predicted="guess", nulls="drop")


def test_text_is_compared_as_text():
    texts = pa.table({
        "late": [1, 0, 1, 0], "n": ["10", "9", " 7.5", None], "flag": ["true", "false", "t", "0"],
        "day": ["2024-01-02", "2023-12-31", "2024-02-01", "2024-03-01"], "word": ["07", "7", "x", ""],
    })  # fmt: skip
    for where, cases in {
        "n::double > 9": 1, "n >= '7.5'": 1, "n > '9'": 0, "word = '7'": 1, "day::date >= date '2024-01-01'": 3,
        "day >= '2024-01-01' and n = '10'": 1, "try_cast(word as int) = 7": 2, "n is null and word = ''": 1,
    }.items():  # fmt: skip
        if cases:
            report = evalcore.evaluate(texts, label="late", predicted="late", where=where)
            assert (where, report["statistics", "cases"]) == (where, cases)
        else:
            with pytest.raises(EvaluationError, match=r"^none of 4 rows meets where n > '9'$"):
                evalcore.evaluate(texts, label="late", predicted="late", where=where)
    with pytest.raises(EvaluationError, match=r"n is text; write cast\(n as double\), or numbers beside it in quotes$"):
        evalcore.evaluate(texts, label="late", predicted="late", where="n > 9")


SUCH = "where must be a condition such as \"month >= 7 and carrier = 'UA'\", got "


@every(("where", "why"), ("", "'': it "), *recorded("document/outputs/conditions.txt"))
def test_an_invalid_condition_says_why(where, why):
    with pytest.raises(EvaluationError) as raised:
        evalcore.evaluate(CASES, label="late", score="model", where=where)
    assert str(raised.value).startswith(SUCH + why)


def test_other_invalid_choices_of_rows():
    def ask(asked):
        evalcore.evaluate(CASES, label="late", score="model", **asked)

    check_refusals("document/outputs/refused_rows.txt", ask, [
        {"nulls": "keep"}, {"sample": 0}, {"sample": 0.5}, {"sample": 1, "seed": -1}, {"where": 7},
        {"where": "carrier > 7"}, {"where": "month > 8"}, {"where": "month = 3", "nulls": "drop"},
    ])  # fmt: skip
    with pytest.raises(EvaluationError, match=r"^where cannot be computed: "):
        ask({"where": pc.field("mnth") > 3})
    with pytest.raises(EvaluationError, match=f"^{SUCH}'carrier::int > 7': Could not convert string 'UA'"):
        ask({"where": "carrier::int > 7"})


def test_names_that_differ_in_case_alone_and_chosen_rows_are_told_on_pages():
    cases = {"late": [1, 0, 1], "model": [0.5, 0.25, 0.75], "Month": [1, 2, 3], "month": [3, 2, 1]}
    for where, positives in {"month > 1": 1, "Month > 1": 1}.items():
        assert evalcore.evaluate(cases, label="late", score="model", where=where)["model"]["positives"] == positives
    for where, why in {
        "MONTH > 1": "MONTH may mean 'Month' or 'month'",
        "month > 1 and Month > 1": "names columns that differ in case alone, which SQL does not tell apart; rename one",
    }.items():
        with pytest.raises(EvaluationError, match=why):
            evalcore.evaluate(cases, label="late", score="model", where=where)
    rows = {"where": "month < 8", "nulls": "drop", "sample": 5, "seed": 2}
    described = evalcore.evaluate(CASES, label="late", score="model", **rows).question.described()
    assert described == {
        "Label": "late", "Nulls": "rows with nulls are left out", "Condition": "month < 8", "Sample": "5 rows",
        "Seed": "2",
    }  # fmt: skip


@every("frame", list(FRAMES))
def test_a_sample_has_so_many_rows_and_says_so(frame):
    rng = np.random.default_rng(2)
    late = rng.random(1000) < 0.4
    cases = pa.table({"late": late, "model": rng.normal(late), "month": rng.integers(1, 13, 1000)})
    asked = {"label": "late", "score": "model", "ci": 0.9, "where": "month > 6", "sample": 100}
    found = [evalcore.evaluate(FRAMES[frame](cases), **asked, seed=seed) for seed in (0, 0, 1)]
    areas = [report["model"]["roc_auc"] for report in found]
    assert areas[0] == areas[1] != areas[2]
    assert found[0]["model"]["cases"] == 100
    rows = int((cases["month"].to_numpy() > 6).sum())
    said = f"the numbers are those of a random sample of 100 of {rows} rows (seed 1)"
    assert found[2].notes[1] == f"{said}; intervals are as wide as for 100 rows, and hold for all {rows} rows too"
    assert evalcore.evaluate(FRAMES[frame](cases), **asked | {"ci": None}, seed=1).notes[1] == said
    every_row = evalcore.evaluate(cases, label="late", score="model", sample=1000)
    assert every_row.notes[0] == "the sample holds all 1,000 rows, because 1,000 were asked for"
    assert every_row["model", "roc_auc"] == evalcore.evaluate(cases, label="late", score="model")["model", "roc_auc"]


@every("kind", [pl.Categorical, pl.Enum(["no", "yes"])])
def test_categories_of_polars_are_labels_and_groups(kind):
    words = pl.Series(["yes", "no", "yes", "no"], dtype=kind)
    frame = pl.DataFrame({"late": words, "model": [0.9, 0.2, 0.4, 0.5], "group": words.reverse()})
    for each in (frame, frame.lazy()):
        report = evalcore.evaluate(each, label="late", score="model", positive="yes", by="group")
        assert (report["model", "total", "roc_auc"], len(report.sections[0].groups)) == (0.75, 2)
