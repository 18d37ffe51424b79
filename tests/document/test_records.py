"""Records are addressed by section, score and group in one schema; which options fit each other."""

import csv
import io
import json
import math
import pickle

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import evalcore
from evalcore import EvaluationError
from evalcore.cli import main
from evalcore.document.records import Row, columns
from evalcore.evaluation.question import Question
from evalcore.evaluation.summaries import GroupedSummaries, SummaryLimits
from tests.differences import check_output, check_refusals, every

SCHEMA = ["section", "score", "group", "statistic", "value", "low", "high", "kind"]
CASES = {
    "late": [1, 0, 1, 0, 1, 0, 0, 1], "a": [0.9, 0.2, 0.4, 0.4, 0.7, 0.1, 0.3, 0.6],
    "b": [0.1, 0.5, 0.3, 0.6, 0.2, 0.8, 0.7, 0.9], "g": list("uuvvuvuv"),
    "tree": ["ash", "elm", "elm", "ash"] * 2, "guess": ["ash", "elm", "ash", "ash"] * 2,
    "p_ash": np.arange(8) % 3 / 2, "p_elm": np.arange(8) % 5 / 4,
}  # fmt: skip
GROUPED = {"label": "late", "score": ["a", "b"], "by": "g"}
QUESTIONS = [
    ({"label": "late", "score": "a"}, "--label late --score a"),
    ({"label": "late", "score": ["a", "b"], "ci": 0.9}, "--label late --score a --score b --ci 0.9"),
    (GROUPED, "--label late --score a --score b --by g"),
    ({"label": "tree", "predicted": "guess", "ci": 0.9}, "--label tree --predicted guess --ci 0.9"),
    ({"label": "tree", "score": {"ash": "p_ash", "elm": "p_elm"}}, "--label tree --scores p_"),
]


def evaluate(**asked):
    return evalcore.evaluate(CASES, **asked)


def of_duckdb(report):
    return pa.table(duckdb.connect().sql("from report"))


def of_pandas(report):
    if not hasattr(pd.DataFrame, "from_arrow"):
        pytest.skip("pandas before 3")
    return pa.Table.from_pandas(pd.DataFrame.from_arrow(report))


@every(
    "read",
    pytest.param(pa.table, id="pyarrow"),
    pytest.param(lambda report: pl.DataFrame(report).to_arrow(), id="polars"),
    pytest.param(of_duckdb, id="DuckDB"),
    pytest.param(of_pandas, id="pandas"),
)
def test_libraries_of_tables_read_reports_and_comparisons_as_they_are(read):
    comparison = evalcore.compare(CASES, label="late", score="b", old_score="a", by="g")
    for report in (evaluate(label="late", score=["a", "b"], by="g", ci=0.95), comparison):
        found, known = read(report), report.to_arrow()
        assert found.column_names == known.column_names
        assert found.num_rows > 10
        rows = [str(table.to_pylist()).replace("nan", "None") for table in (found, known)]  # pandas has NaN for null
        assert rows[0] == rows[1]


@every(("asked", "options"), QUESTIONS)
def test_rows_have_one_schema_in_every_form(tmp_path, asked, options):
    report = evaluate(**asked)
    rows = columns(report.sections)
    assert list(rows) == SCHEMA == list(Row._fields)
    arrow = report.to_arrow()
    assert list(map(str, arrow.schema.types)) == ["string"] * 4 + ["double"] * 3 + ["string"]
    for frame in (report.to_pandas(), report.to_polars(), arrow):
        found = {name: list(frame[name].to_pylist() if frame is arrow else frame[name]) for name in SCHEMA}
        assert str(found) == str(rows)
    path = str(tmp_path / "cases.parquet")
    pq.write_table(pa.table(CASES), path)
    outcome = CliRunner().invoke(main, ["report", path, *options.split(), "--format", "csv"])
    assert outcome.stdout == report.to_csv() + "\n"
    for line, *row in zip(csv.DictReader(io.StringIO(outcome.stdout)), *rows.values(), strict=True):
        expected = dict(zip(SCHEMA, row, strict=True))
        assert [line[name] for name in SCHEMA[:4]] == row[:4]
        assert (line["kind"] == "exact") == (line["low"] == line["high"] == "") == math.isnan(expected["low"])
        numbers = [float(line[name] or "nan") for name in ("value", "low", "high")]
        assert numbers == pytest.approx(row[4:7], rel=0, nan_ok=True)


@every(("asked", "options"), QUESTIONS)
def test_every_row_is_found_under_its_address(asked, options):
    report = evaluate(**asked)
    for row in zip(*columns(report.sections).values(), strict=True):
        *address, statistic, value = filter(None, row[:5]) if row[4] else (*filter(None, row[:4]), row[4])
        for found in (report[tuple(address)][statistic], report[(*address, statistic)]):
            assert found == value or math.isnan(value)


def test_parts_of_an_address_are_enough_where_they_name_one_record():
    report = evaluate(**GROUPED)
    assert report["a", "u"] == report["scores", "a", "u"] != report["b", "u"]
    assert report["b", "total"] == evaluate(label="late", score="b")["b"]
    single = evaluate(label="late", score="a", by="g")
    assert single["u"] == single["a", "u"] == report["a", "u"]
    assert single["total", "roc_auc"] == single["a", "total"]["roc_auc"]
    assert evaluate(label="late", score=["a", "b"], ci=0.9)["a - b"]["p_value"] > 0
    twins = evalcore.evaluate({**CASES, "u": CASES["b"]}, label="late", score=["a", "u"], by="g")
    assert twins["u", "u"]["cases"] == 4
    assert "u" not in twins
    named = evalcore.evaluate({**CASES, "scores": CASES["b"]}, label="late", score=["a", "scores"])
    assert named["scores", "scores"]["roc_auc"] == evaluate(label="late", score="b")["b", "roc_auc"]
    assert report["a", "u"].get("spam") is None
    assert report["a", "u", "AUC"] == report["a", "u"]["ROC area"] == report["a", "u", "roc_auc"] == 1.0
    classes = evalcore.evaluate(
        {"y": ["statistics", "b"], "p": ["statistics", "b"]}, label="y", predicted="p"
    )  # a class called as a section
    assert classes["statistics", "p"]["accuracy"] == 1
    assert classes["classes", "statistics"]["f1"] == 1


def test_a_score_alone_means_the_total_of_its_groups():
    report = evaluate(**GROUPED, threshold=[0.3, 0.5])
    assert report["a"] == report["scores", "a"] == report["a", "total"] != report["b"]
    assert report["a", "recall"] == report["a", "total", "recall"]
    assert report["threshold 0.5", "a"] == report["threshold 0.5", "a", "total"]
    single = evaluate(label="late", score="a", by="g", threshold=[0.3, 0.5])
    assert single["a"] == single["scores"] == single["total"]
    assert single["threshold 0.5"] == single["threshold 0.5", "total"]
    assert evaluate(label="tree", predicted="guess", by="g")["guess"]["cases"] == 8


@every("score", ["a", ["a", "b"]])
def test_comparing_groups_leaves_the_names_of_their_records(score):
    report = evaluate(label="late", score=score, by="g", ci=0.9, compare_groups=True)
    assert report["a", "u"] == report["scores", "a", "u"]
    assert report["a", "u", "roc_auc"] == evaluate(label="late", score="a", by="g")["u", "roc_auc"]
    assert {"p_value", "p_value_holm"} < set(report["differences_to_rest", "a", "u"])
    assert ("differences_to_rest", "a") not in report
    assert report.question.described()["Compare groups"] == "rest"
    assert all(names in report for names in report)


def test_addresses_of_no_record_or_of_several_say_what_to_say():
    names = [
        "u", "scores", ("a", "x"), "totals", (), ("u", "a"), ("roc_auc", "u", "b"), ("u", "roc_auc"), "roc_auc",
        ("a", "roc_aera"), ("a", "u", "roc_aera"),
    ]  # fmt: skip
    check_refusals("document/outputs/refused_addresses.txt", evaluate(**GROUPED).__getitem__, names)


def test_records_are_yielded_and_not_all_listed_and_equal_by_their_numbers():
    report = evalcore.evaluate({"y": range(9), "p": range(9)}, label="y", predicted="p")
    check_refusals("document/outputs/refused_classes.txt", report.__getitem__, ["p", "q", 3.5])
    assert report["classes", 3] == report["classes", "3"] == report["classes", np.int64(3)]
    assert list(evaluate(label="late", score=["a", "b"])) == ["a", "b"]
    report = evaluate(**GROUPED)
    assert list(report) == [(score, group) for score in "ab" for group in ("u", "v", "total")]
    assert all(names in report for names in report)
    assert not any(names in report for names in ("u", "spam", ("u", "a"), 3.5))
    notes = evalcore.evaluate({**CASES, "late": [1, 0, 1, 1, 1, 1, 0, 1]}, **GROUPED).notes
    assert "ROC AUC is NaN where all cases are of one class: 'v'" in notes
    columns = {"late": [1, 0, 1, 0], "a": [0.9, 0.1, 0.2, 0.3], "b": [0.9, 0.1, 0.8, 0.3], "g": list("uuvv")}
    notes = evalcore.evaluate(columns, label="late", score=["a", "b"], by="g", threshold=0.5).notes
    assert "precision is 0 where no case is predicted positive: 'a' in 'v'" in notes
    report, again = evaluate(**GROUPED), evaluate(**GROUPED)
    assert report == again == pickle.loads(pickle.dumps(report))
    assert hash(report) == hash(again)
    assert report != evaluate(label="late", score="a", by="g")
    assert report != evalcore.evaluate({**CASES, "b": CASES["a"]}, **GROUPED)
    assert report != "report"


MODELS = {
    "late": [1, 0, 1, 0, 0, 1], "a": [0.9, 0.1, 0.2, 0.3, 0.4, 0.6], "flag": [True, False, True, False, False, True],
    "sign": [1, -1, 1, -1, -1, 1], "float": [1.0, -1.0, 1.0, -1.0, -1.0, 1.0], "mixed": [1, -1, 0, 1, 0, 1],
    "text": ["1", "-1", "1.0", "-1", "-1.0", "1"],
    "word": ["yes", "no", "yes", "no", "no", "yes"], "answer": ["yes", "no", "maybe", "no", "never", "yes"],
}  # fmt: skip
REFUSED = [
    {"label": "word"}, {"label": "mixed"}, {"by": "word", "groups": 1}, {"by": "word", "groups": 0}, {"ci": 1.5},
    {"threshold": math.nan}, {"score": "late"}, {"groups": 3},
]  # fmt: skip
CALLED = {"groups": "max-groups"}


def report_on(**asked):
    return evalcore.evaluate(MODELS, **{"label": "late", "score": "a", **asked})


def command(path, **asked):
    options = [
        f"--{CALLED.get(name, name)}={value}" for name, value in {"label": "late", "score": "a", **asked}.items()
    ]
    return CliRunner().invoke(main, ["report", path, *options, "--format", "json"])


@pytest.fixture
def path(tmp_path):
    pq.write_table(pa.table(MODELS), tmp_path / "cases.parquet")
    return str(tmp_path / "cases.parquet")


def test_errors_speak_the_language_of_who_asked(path):
    asked = [*REFUSED, {"positive": 1, "pos_label": 1}, {"pos_label": [1]}]
    check_refusals("document/outputs/refused_options.txt", lambda each: report_on(**each), asked)
    found = [command(path, **each) for each in REFUSED]
    assert {(each.exit_code, each.stdout) for each in found} == {(2, "")}
    check_output(
        "document/outputs/refused_command.txt",
        "\n".join(each.stderr.splitlines()[-1].replace(f"{path}: ", "") for each in found),
    )


def test_the_positive_label_may_be_of_any_kind_and_be_called_pos_label(path):
    expected = report_on()
    for asked in (
        {"positive": True}, {"pos_label": 1}, {"pos_label": np.int64(1)}, {"pos_label": "1"}, {"pos_label": 1.0},
        {"label": "flag"}, {"label": "flag", "pos_label": 1}, {"label": "flag", "positive": True},
        {"label": "sign"}, {"label": "sign", "pos_label": 1}, {"label": "float"}, {"label": "text"},
        {"label": "word", "pos_label": "yes"}, {"label": "word", "positive": "yes"},
    ):  # fmt: skip
        assert report_on(**asked) == expected, asked
        spelled = {"positive" if name == "pos_label" else name: value for name, value in asked.items()}
        assert json.loads(command(path, **spelled).stdout)["scores"] == json.loads(expected.to_json())["scores"]
    assert report_on(label="sign", pos_label=-1) == report_on(positive=0)


def test_other_labels_are_noted_and_summaries_know_them_too(path, tmp_path):
    note = "column 'answer' holds 3 labels other than 'yes', all counted as negative: 'no', 'maybe', 'never'"
    assert report_on(label="answer", positive="yes").notes[0] == note
    assert json.loads(command(path, label="answer", positive="yes").stdout)["notes"][0] == note
    assert not any("beside" in text for text in report_on(label="word", positive="yes").notes)
    many = evalcore.evaluate({"y": range(9), "a": range(9)}, label="y", score="a", positive=8)
    assert many.notes[0] == (
        "column 'y' holds more than 6 labels other than '8', all counted as negative: '0', '1', '2', '3', '4', '5', ..."
    )
    assert summarised([["yes", "no"], ["maybe", "no"]], positive="yes").notes == (
        "column 'y' holds 2 labels other than 'yes', all counted as negative: 'no', 'maybe'",
    )
    assert summarised([[1, 0], [0, 1]]).notes == ()
    texts = [["-1", "1"], ["1", "-1"]], [["-1", "1"], ["1", "-1.0"]]
    for labels in ([[-1, 1], [1, -1]], *texts, [[0.0, 1.0], [1.0, -0.0]]):
        assert summarised(labels).sections()[0].records["a"][1].value == 2
    with pytest.raises(EvaluationError, match=r"column 'y' holds 1, -1 and 0, where labels are 0 and 1 or -1 and 1"):
        summarised([[-1, 1], [1, 0]]).sections()


def summarised(batches, **asked):
    state = GroupedSummaries(Question("y", ("a",), **asked), SummaryLimits(16, 1000))
    for labels in batches:
        state.update(pa.record_batch({"y": labels, "a": np.arange(len(labels), dtype=float)}), 0)
    return state


@every("asked", [{"predicted": "p"}, {"score": {"a": "s", "b": "t"}}, {"positive": "a", "score": ["s", "t"]}])
@every("options", [{}, {"by": "g"}, {"by": "g", "cluster": "c", "ci": 0.9}])
def test_reports_are_pickled(asked, options):
    frame = {"y": list("abab"), "p": list("abba"), "g": list("ccdd"), "c": [0, 1, 2, 3]}
    report = evalcore.evaluate(
        {**frame, "s": [0.75, 0.25, 0.5, 0.25], "t": [0.25, 0.75, 0.5, 0.75]}, label="y", **asked, **options
    )
    again = pickle.loads(pickle.dumps(report))
    assert (again.to_json(), again.to_markdown()) == (report.to_json(), report.to_markdown())
