"""`--nulls`, `--where` and `--sample` evaluate what the rows would be that pandas and DuckDB keep beforehand."""

import functools
import json
import os
import shlex
import sys

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.evaluation.files import answer_files
from evalcore.evaluation.measure_choice import asked_measures
from evalcore.evaluation.progress import Bar
from evalcore.evaluation.question import Question
from evalcore.io.rows import Rows, RowSample, random_keys
from tests.cli.command import check_refused, command, refused
from tests.differences import every, recorded

SCORES = ("--label", "late", "--score", "model", "--threshold", "0.5")
QUESTIONS = {
    "scores": SCORES,
    "groups": (*SCORES, "--by", "carrier"),
    "predicted": ("--label", "tree", "--predicted", "guess"),
    "grouped": ("--label", "tree", "--predicted", "guess", "--by", "carrier"),
}
NEEDED = {
    "scores": ["late", "model"], "groups": ["late", "model", "carrier"], "predicted": ["tree", "guess"],
    "grouped": ["tree", "guess", "carrier"],
}  # fmt: skip
WHERE = "month >= 2 and (carrier <> 'AA' or carrier is null)"
CHOICES = {
    "nulls": ("--nulls", "drop"),
    "where": ("--nulls", "drop", "--where", WHERE),
    "sample": ("--nulls", "drop", "--sample", "40", "--seed", "3"),
    "all": ("--nulls", "drop", "--where", WHERE, "--sample", "20"),
}
COMBINED = [(question, choice) for row, question in enumerate(QUESTIONS) for choice in list(CHOICES)[row % 2 :: 2]]
"""Half of all combinations, in which each question and each choice meets several others."""
ROWS = 90


@functools.cache
def flights():
    rng = np.random.default_rng(8)

    def holed(values):
        return pa.array(values, mask=rng.random(ROWS) < 0.15)

    late = (rng.random(ROWS) < 0.4).astype(np.int8)
    return pa.table(
        {
            "late": holed(late),
            "model": holed(np.round(rng.random(ROWS) / 2 + late / 3, 2)),
            "tree": holed(rng.choice(["ash", "elm", "oak"], ROWS)),
            "guess": holed(rng.choice(["ash", "elm", "oak"], ROWS)),
            "carrier": holed(rng.choice(["AA", "UA", "DL"], ROWS)),
            "month": pa.array(np.sort(rng.integers(1, 4, ROWS)), pa.int32()),
        }
    )


def write(table, path, ending):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    if ending == "csv":
        pa_csv.write_csv(table, path, pa_csv.WriteOptions(quoting_style="none"))
    elif ending == "jsonl":
        with open(path, "w", encoding="utf-8") as file:
            for row in table.to_pylist():
                held = {name: value for name, value in row.items() if value is not None or row.get("month") == 2}
                file.write(f"{json.dumps(held)}\n")
    elif ending == "arrow":
        with pa.OSFile(path, "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=7)
    else:
        pq.write_table(table, path, row_group_size=11)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Write flights in three files of each format, those of Parquet in folders of months, and in one."""
    folder, table = tmp_path_factory.mktemp("flights"), flights()
    for ending in ("csv", "jsonl", "arrow", "parquet"):
        write(table, str(folder / f"whole.{ending}"), ending)
        for month in (1, 2, 3):
            part = table.filter(pa.array(table["month"].to_numpy() == month))
            part = part.drop_columns(["month"]) if ending == "parquet" else part
            write(part, str(folder / f"{ending}/month={month}/x.{ending}" if ending == "parquet"
                            else folder / f"{ending}/{month}.{ending}"), ending)  # fmt: skip
    return folder


@pytest.fixture
def run(data, monkeypatch):
    """Return what runs the command in that folder, in batches of a few rows, and returns JSON."""
    monkeypatch.chdir(data)
    monkeypatch.setattr("evalcore.evaluation.files.BATCH_ROWS", 8)
    monkeypatch.setattr("evalcore.io.rows._FEWEST_SPARE", 5)
    return lambda *arguments, **more: command("report", *arguments, "--format", "json", **more)


def rounded(text):
    return float(f"{float(text):.12g}")  # the last bits of sums vary with the order of the rows


def numbers(outcome):
    """Return what is reported, without the names of files and options, and the notes on rows."""
    assert outcome.exit_code == 0, outcome.stderr
    found = json.loads(outcome.stdout, parse_float=rounded)
    notes = [note for note in found.pop("notes", []) if " rows" not in note]
    return {name: value for name, value in found.items() if isinstance(value, dict)} | {"notes": notes}


@functools.cache
def kept_beforehand(question, choice):
    """Return the rows that DuckDB, pandas and sorting of random numbers keep."""
    options = dict(zip(CHOICES[choice][::2], CHOICES[choice][1::2], strict=True))
    table = flights()
    with duckdb.connect() as connection:
        connection.register("cases", table.append_column("row", pa.array(range(ROWS))))
        rows = connection.execute(f"SELECT row FROM cases WHERE {options.get('--where', 'true')} ORDER BY row")
        table = table.take(pa.array(rows.fetchnumpy()["row"]))
    table = table.filter(pa.array(table.to_pandas()[NEEDED[question]].notna().all(axis=1).to_numpy()))
    if "--sample" in options:
        keys = np.random.Philox(key=int(options.get("--seed", 0))).random_raw(table.num_rows)
        table = table.take(pa.array(np.sort(np.argsort(keys)[: int(options["--sample"])])))
    return table


@pytest.fixture
def expected(run, tmp_path):
    """Return what returns the report of the rows that are kept beforehand."""

    @functools.cache
    def numbers_of(question, choice, *more):
        pq.write_table(kept_beforehand(question, choice), tmp_path / "kept.parquet")
        return numbers(run(tmp_path / "kept.parquet", *QUESTIONS[question], *more))

    return numbers_of


@every(("question", "choice"), COMBINED)
def test_files_of_all_formats(run, expected, question, choice):
    found = expected(question, choice)
    for files in ("csv", "whole.jsonl", "whole.arrow", "parquet"):
        assert (files, numbers(run(files, *QUESTIONS[question], *CHOICES[choice]))) == (files, found)


@every(("question", "choice"), list(zip(QUESTIONS, ["nulls", "where", "where", "nulls"], strict=True)))
@pytest.mark.usefixtures("beyond_memory")
def test_files_that_do_not_fit_in_memory(run, expected, question, choice):
    memory = ("--memory", "400M")
    found = expected(question, choice, *memory)
    for files in ("whole.csv", "parquet"):
        assert (files, numbers(run(files, *QUESTIONS[question], *CHOICES[choice], *memory))) == (files, found)


@every("ending", ["csv", "jsonl", "arrow", "parquet"])
def test_standard_input_and_arrays(run, expected, data, tmp_path, ending):
    found = expected("scores", "all")
    content = (data / f"whole.{ending}").read_bytes()
    assert numbers(run("-", "--input-format", ending, *SCORES, *CHOICES["all"], input=content)) == found
    cases = flights().to_pandas()
    arrays = {name: cases[name].to_numpy() for name in ("late", "model", "month")}
    np.savez(tmp_path / "x.npz", **arrays, carrier=cases["carrier"].fillna("").to_numpy(str))
    where = WHERE.replace("is null", "= ''")
    options = ("--nulls", "drop", "--where", where, "--sample", "20")
    assert numbers(run(tmp_path / "x.npz", *SCORES, *options)) == found


def test_what_is_printed_and_answered_says_which_rows_are_evaluated(run, data):
    outcome = run("parquet", *SCORES, *CHOICES["all"])
    found = json.loads(outcome.stdout)
    assert {name: found[name] for name in ("nulls", "where", "sample", "seed")} == {
        "nulls": "drop", "where": WHERE, "sample": 20, "seed": 0,
    }  # fmt: skip
    rows = kept_beforehand("scores", "where").num_rows
    assert found["notes"][0].endswith(f" of {ROWS} rows meet the condition {WHERE!r}")
    assert " rows are left out because of nulls: " in found["notes"][1]
    assert found["notes"][2].startswith(f"the numbers are those of a random sample of 20 of {rows} rows (seed 0)")
    text = command("report", "parquet", *SCORES, *CHOICES["nulls"]).stdout
    assert text.splitlines()[1] == f"3 files, {kept_beforehand('scores', 'nulls').num_rows} of {ROWS} rows; exact"
    rows = Rows("drop", WHERE, 20)
    question = Question("late", ("model",), rows=rows, measures=asked_measures("roc_auc", None, of_classes=False))
    answer = answer_files(question, [str(data / "csv")], Bar(lambda *_: None))
    assert len(answer.notes) == 3
    assert answer.whole.notes == answer.notes


@every(("typed", "said"), recorded("cli/outputs/refused_rows.txt"))
def test_what_is_refused(run, typed, said):
    files, *options = shlex.split(typed)
    check_refused(run(files, *SCORES, *options), said)


@pytest.mark.usefixtures("beyond_memory")
def test_samples_and_conditions_need_memory_of_their_own(run):
    for question in ("scores", "predicted"):
        assert refused(run("arrow", *QUESTIONS[question], *CHOICES["sample"], "--memory", "256M")) == (
            "samples (--sample) need all rows in memory: 40 rows take about 1.0 GB, and the limit is 256 MB; allow "
            "more (--memory SIZE)"
        )
    assert refused(run("arrow", *SCORES, *CHOICES["where"], "--memory", "300M")) == (
        "--where takes 110 MB, so memory must be at least 366M, got 300 MB; allow more (--memory SIZE)"
    )


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_empty_parts_have_all_columns_that_are_asked_for(run, tmp_path, ending):
    table = flights().drop_columns(["month"])
    for month in (1, 2):
        write(table.append_column("month", pa.array([month] * ROWS)), str(tmp_path / f"plain/{month}.{ending}"), ending)
    options = (*QUESTIONS["groups"], "--nulls", "drop", "--where", "month = 2")
    expected = numbers(run(tmp_path / "plain", *options))
    for number in (0, 3):
        (tmp_path / f"plain/{number}.{ending}").touch()
    assert numbers(run(tmp_path / "plain", *options)) == expected
    for month in (1, 2):
        write(table, str(tmp_path / f"hive/month={month}/1.{ending}"), ending)
        (tmp_path / f"hive/month={month}/0.{ending}").touch()
    assert numbers(run(tmp_path / "hive", *options)) == expected
    assert refused(run(tmp_path / f"plain/0.{ending}", *options)) == f"{tmp_path}/plain/0.{ending}: there are no rows"


def test_errors_name_the_only_file_and_the_library_that_conditions_need(run, tmp_path, monkeypatch):
    (tmp_path / "x.csv").write_text("tree,p_ash,p_elm\nash,0.5,0.5\noak,0.5,0.5\nelm,,1\n")
    found = refused(run(tmp_path / "x.csv", "--label", "tree", "--scores", "p_", "--nulls", "drop"))
    assert found.startswith(f"{tmp_path / 'x.csv'}: class 'oak' of column 'tree' must have a column of scores")
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert refused(run("arrow", *SCORES, "--where", "month > 1")) == (
        "duckdb is not installed; pip install 'evalcore-metrics[sql]'"
    )
    numbers(run("arrow", *SCORES, *CHOICES["sample"]))


def test_words_for_missing_scores_are_nulls_where_nulls_are_dropped(run, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("late,model,country\n1,0.5,NA\n0,NA,DE\n1,,FR\n0, nan ,\n0,n/a,\n0,0.25,NA\n", "utf-8")
    found = numbers(run(path, "--label", "late", "--score", "model", "--by", "country", "--nulls", "drop"))
    assert list(found["scores"]["model"]) == ["NA", "total"]
    assert found["scores"]["model"]["total"]["cases"] == 2
    path.write_text("late,model\n1,0.5\n0,NA\n", "utf-8")
    message = refused(run(path, "--label", "late", "--score", "model"))
    assert message.startswith(f"{path}: line 3: column 'model' must hold numbers, got 'NA'")
    assert message.endswith("; leave out the rows with nulls (--nulls drop)")


def test_words_for_missing_labels_are_nulls_among_numbers_alone(run, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("late,guess,answer,model\n1,1,yes,0.5\nNA,0,NA,0.25\n0,NA,no,0.75\n1,1,yes,1\n", "utf-8")
    for memory in ((), ("--memory", "300M")):
        assert numbers(run(path, *SCORES, "--nulls", "drop", *memory))["scores"]["model"]["cases"] == 3
        named = numbers(run(path, *SCORES, "--nulls", "drop", "--positive", "1", *memory))
        assert named["scores"]["model"]["positives"] == 2
        predicted = ("--label", "late", "--predicted", "guess", "--nulls", "drop")
        assert list(numbers(run(path, *predicted, *memory))["classes"]) == ["1"]
        assert "NA" in numbers(run(path, *predicted, "--as-text", "late", "--as-text", "guess", *memory))["classes"]
        text = ("--label", "answer", "--score", "model", "--positive", "yes", "--nulls", "drop", *memory)
        assert numbers(run(path, *text))["scores"]["model"]["cases"] == 4  # NA may be Namibia
        advised = "if 'NA' marks a missing label, leave out its rows (--where \"answer <> 'NA'\")"
        assert any(advised in note for note in json.loads(run(path, *text).stdout)["notes"])
        assert numbers(run(path, *text, "--where", "answer <> 'NA'"))["scores"]["model"]["cases"] == 3


@every(
    "where",
    "n > 9", "f < 0.5", "day < '2024-2-1'", "day >= date '2024-02-01'", "moment < timestamp '2024-01-02 08:00'", "ok",
     "not ok", "clock < time '09:30'", "word = 'NA'", "word is null", "code = '1'", "late = '01'",
)  # fmt: skip
def test_conditions_keep_the_same_rows_of_text_and_of_types(run, tmp_path, where):
    table = pa.table({
        "late": ["01", "1", "01", "1"], "model": [0.1, 0.2, 0.3, 0.4], "n": [10, 9, None, 100],
        "f": [0.25, 1e-3, None, 7.0], "day": pa.array([19723, 19754, None, 19757], pa.date32()),
        "moment": pa.array([1704096000, 1704182400, None, 1704268800], pa.timestamp("s")),
        "ok": [True, False, None, True], "clock": pa.array([33000, 34200, None, 36000], pa.time32("s")),
        "word": ["NA", "x", None, "y"], "code": ["1", "01", "001", "1"],
    })  # fmt: skip
    found = []
    for name in ("x.parquet", "x.csv"):
        write(table, str(tmp_path / name), name.rpartition(".")[2])
        asked = ("--label", "late", "--predicted", "late", "--where", where)
        found.append(numbers(run(tmp_path / name, *asked)))
        assert set(found[-1]["confusion_matrix"]) <= {"01", "1"}
    assert found[0] == found[1]


@given(st.lists(st.integers(0, 30), max_size=8), st.integers(1, 40), st.integers(0, 3))
def test_a_sample_is_the_same_whatever_the_batches(parts, size, seed):
    rows = sum(parts)
    keys = np.random.Philox(key=seed).random_raw(rows)
    sample, first = RowSample(size, seed), 0
    for part in parts:
        assert random_keys(seed, first, part).tolist() == keys[first : first + part].tolist()
        sample.add(pa.table({"row": pa.array(range(first, first + part), pa.int64())}))
        first += part
    if parts:
        assert sample.rows()["row"].to_pylist() == sorted(sorted(range(rows), key=keys.__getitem__)[:size])


def test_a_sample_takes_the_first_of_equal_numbers_and_each_is_equally_likely(monkeypatch):
    monkeypatch.setattr("evalcore.io.rows.random_keys", lambda seed, first, rows: np.full(rows, 7, np.uint64))
    sample = RowSample(3, 0)
    for first in (0, 2, 4):
        sample.add(pa.table({"row": [first, first + 1]}))
        assert sample.rows()["row"].to_pylist() == [0, 1, 2, 3][: min(first + 2, 3)]
    chosen = [tuple(np.argsort(random_keys(seed, 0, 5))[:2].tolist()) for seed in range(4000)]
    counts = np.unique([sorted(pair) for pair in chosen], axis=0, return_counts=True)[1]
    assert counts.size == 10
    assert ((counts - 400) ** 2 / 400).sum() < 27.9  # the 99.9% quantile of chi squared with 9 degrees of freedom
