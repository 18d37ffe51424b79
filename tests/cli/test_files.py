"""`evalcore report` of many files: one table, exact where it fits the memory, else certified, saying which."""

import csv
import io
import json
import re
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from tests.cli.command import command, refused, reported
from tests.differences import every
from tests.peak_memory import needs_proc, peak_of

ROWS = 40_000
"""In the folder that most tests read."""
UNITS = {
    "evalcore.io.columns._ROWS_OF_PROGRESS": 1 << 15,
    "evalcore.evaluation.files.BATCH_ROWS": 1 << 13,
    "evalcore.evaluation.files._MOST_INTERVALS": 1 << 14,
    "evalcore.evaluation.files._MOST_WAITING": 1 << 15,
}
"""An eighth of what 256 MB allow, so that few rows fill several batches, wait in two turns and share intervals."""
ASKED = ("--label", "late", "--score", "model")


def flights(rows):
    rng = np.random.default_rng(3)
    late = rng.random(rows) < 0.2
    model = rng.normal(late.astype(float)).astype(np.float32)
    return pa.table(
        {
            "late": late,
            "model": model,
            "coarse": np.round(model, 2),
            "answer": np.where(late, "yes", "no"),
            "carrier": rng.choice(["AA", "UA", "DL"], rows, p=[0.5, 0.3, 0.2]),
            "month": np.sort(rng.integers(9, 13, rows)),
        }
    )


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Write a folder of months of flights, and the same rows in one file."""
    folder, table = tmp_path_factory.mktemp("flights"), flights(ROWS)
    pq.write_table(table, folder / "whole.parquet")
    for month in range(9, 13):
        (folder / f"hive/month={month}").mkdir(parents=True)
        part = table.filter(pc.equal(table["month"], month)).drop_columns(["month"])
        pq.write_table(part, folder / f"hive/month={month}/part.parquet")
    return folder


@pytest.fixture
def run(data, monkeypatch):
    """Return what runs the command in that folder, where nothing fits the memory that is given."""
    monkeypatch.chdir(data)
    monkeypatch.setattr("evalcore.evaluation.files.exact_bytes", lambda *asked: 10**9)
    for unit, rows in UNITS.items():
        monkeypatch.setattr(unit, rows)
    return partial(command, "report")


@every("options", [("--threshold", "0.7", "--ci", "0.9"), ("--by", "month")])
def test_the_files_of_a_folder_are_one_table(run, options):
    whole = reported(run("whole.parquet", *ASKED, *options, "--format", "json"))
    found = reported(run("hive", *ASKED, *options, "--format", "json"))
    assert found.pop("file") == "hive"
    assert whole.pop("file") == "whole.parquet"
    assert found == whole
    assert found["computed"] == "exact"


NAMED = [f"hive/month={month}/part.parquet" for month in (10, 11, 12, 9)]
"""In the order in which they are sorted."""


@every("paths", [["hive/*/*.parquet"], ["hive/month=9", "hive/month=1?"], ["hive", "hive/month=9/part.parquet"], NAMED])
def test_globs_and_folders_come_to_the_same(run, paths):
    found = reported(run(*paths, *ASKED, "--format", "json"))
    assert found["scores"] == reported(run("whole.parquet", *ASKED, "--format", "json"))["scores"]
    if len(paths) > 1:
        assert (found["file"], found["files"]) == (f"{paths[0]} and {len(paths) - 1} more", paths)


def test_a_folder_can_be_the_label_of_one_file(run, data):
    path = "hive/month=9/part.parquet"
    found = reported(run(path, "--label", "month", "--positive", 9, "--score", "model", "--format", "json"))
    assert found["scores"]["model"]["positives"] == pq.read_metadata(data / path).num_rows


CERTIFIED = "roc_auc", "average_precision", "maximum_f1"


@every(
    ("file", "options"), [("whole.parquet", ()), ("hive", ("--by", "carrier")), ("whole.parquet", ("--by", "month"))]
)
def test_what_does_not_fit_the_memory_is_certified(run, file, options):
    asked = (*ASKED, "--threshold", "0.7", "--format", "json", *options)
    exact, found = (reported(run(file, *asked, *more)) for more in ((), ("--memory", "256M")))
    assert (exact["computed"], found["computed"]) == ("exact", "certified")
    records = [("total", found["scores"]["model"], exact["scores"]["model"])]
    if options:
        assert list(found["scores"]["model"]) == list(exact["scores"]["model"])  # groups in their order, and the total
        records = [(group, items, exact["scores"]["model"][group]) for group, items in found["scores"]["model"].items()]
    for group, items, expected in records:
        for name in CERTIFIED:
            assert items[f"{name}_low"] <= expected[name] <= items[f"{name}_high"]
            assert 0 <= items[f"{name}_high"] - items[f"{name}_low"] < 2e-3
            assert group != "total" or items[f"{name}_low"] < items[f"{name}_high"]
        others = {name: value for name, value in items.items() if not name.startswith(CERTIFIED)}
        assert others == {name: expected[name] for name in others}
        assert {"cases", "prevalence", "tp", "kappa"} <= others.keys()


def test_certified_bounds_make_gates_certain(run, tmp_path):
    asked = ("whole.parquet", *ASKED, "--memory", "256M", "--format", "json")
    report = reported(run(*asked, "-o", tmp_path / "old.json"))
    low, high = (report["scores"]["model"][f"roc_auc_{side}"] for side in ("low", "high"))
    (tmp_path / "other.json").write_text(json.dumps(report | {"label": "late", "scores": {"m": {"roc_auc": 0.9}}}))

    def code_of(condition, *more):
        return run(*asked, "--fail-if", condition, "--confident", *more).exit_code

    assert [code_of(f"roc_auc < {limit}") for limit in (low, (low + high) / 2, high + 1e-9)] == [0, 2, 1]
    assert code_of("prevalence < 0.9") == 1  # it is exact
    for name, code in (("old", 0), ("other", 1)):
        assert code_of("roc_auc drops by 0.02", "--baseline", tmp_path / f"{name}.json") == code


def test_a_table_says_how_it_was_computed_and_counts_each_file_once(run):
    outcome = run("whole.parquet", *ASKED)
    for again, spelled in (("whole.parquet", ""), ("./whole.parquet", " (as whole.parquet)")):
        twice = run("whole.parquet", again, *ASKED)
        assert twice.stdout == outcome.stdout
        assert twice.stderr == f"evalcore: {again} is named twice{spelled}; it is read once\n"
    certified = run("hive", *ASKED, "--score", "coarse", "--memory", "256M").stdout.splitlines()
    assert certified[1:3] == [
        f"4 files, {ROWS:,} rows; certified: exact values lie within the intervals",
        "hive: late",
    ]
    area = next(line for line in certified if line.startswith("  ROC AUC"))
    low, value, high = float(area[area.index("[") + 1 :][:6]), float(area.split()[2]), float(area.split("]")[0][-6:])
    assert low <= value <= high
    assert low < high
    assert area.count("[") == 1  # coarse is exact
    exact = run("hive", *ASKED).stdout.splitlines()
    assert exact[1:3] == [f"4 files, {ROWS:,} rows; exact", "hive: late"]
    assert run("whole.parquet", *ASKED).stdout.splitlines()[3].split() == ["model"]


def test_csv_markdown_and_pages_say_it_too(run, tmp_path):
    asked = ("hive", *ASKED, "--score", "coarse", "--memory", "256M")
    rows = list(csv.DictReader(io.StringIO(run(*asked, "--format", "csv").stdout)))
    model, coarse = (row for row in rows if row["statistic"] == "roc_auc")
    assert [row["score"] for row in (model, coarse)] == ["model", "coarse"]
    assert float(model["low"]) < float(model["value"]) < float(model["high"])
    assert (model["kind"], coarse["kind"], coarse["low"], coarse["high"]) == ("certified", "exact", "", "")
    markdown = run(*asked, "--format", "markdown").stdout
    assert markdown.startswith("**coarse has ")
    assert f"\n\n4 files, {ROWS:,} rows; certified: exact values lie within the intervals\n\n|" in markdown
    page = tmp_path / "page.html"
    assert run(*asked, "-o", page).exit_code == 0
    text = page.read_text("utf-8")
    assert "<dt>Computed</dt><dd>certified: exact values lie within the intervals</dd>" in text
    assert f"<dt>Rows</dt><dd>{ROWS:,}</dd>" in text
    assert "DeLong" not in text
    assert "<figure>" not in text


@every(
    ("options", "what"),

        ((*ASKED, "--ci", "0.95"), "intervals (--ci) of other measures than decisions and losses"),
        ((*ASKED, "--ci", "0.95", "--measure", "roc_auc", "--measure", "log_loss"),
         "intervals (--ci) of roc_auc"),
        ((*ASKED, "--ci", "0.95", "--measure", "recall@0.6", "--by", "carrier", "--compare-groups"),
         "differences of groups (--compare-groups)"),
        ((*ASKED, "--plots", "plots"), "plots (--plots)"),
        (("--label", "answer", "--score", "yes=model", "--score", "no=coarse"),
         "scores of classes (--score CLASS=COL, --scores)"),
)  # fmt: skip
def test_what_needs_all_rows_is_refused_before_they_are_read(run, options, what):
    message = refused(run("hive", *options, "--memory", "256M"))
    assert message.startswith(f"{what} need all rows in memory: {ROWS:,} rows take about ")
    assert message.endswith("1.0 GB, and the limit is 256 MB; allow more (--memory SIZE)")


def test_decisions_have_the_same_intervals_in_batches_as_in_memory(run):
    asked = ("hive", *ASKED, "--by", "carrier", "--threshold", "0.6", "--ci", "0.9", "--format", "json")
    asked += "--measure", "recall", "--measure", "npv", "--measure", "kappa", "--measure", "f1"
    whole, parted = (reported(run(*asked, *memory))["scores"]["model"] for memory in ((), ("--memory", "256M")))
    assert parted["total"]["recall_low"] < parted["total"]["recall"] < parted["total"]["recall_high"]
    assert parted == whole


def test_groups_and_columns_are_bounded_and_more_groups_can_be_allowed(run, tmp_path):
    for memory in ((), ("--memory", "256M")):
        message = refused(run("hive", *ASKED, "--by", "carrier", "--max-groups", "2", *memory))
        assert re.search(r"must hold at most 2 groups, got (at least )?3; allow more \(--max-groups N\)$", message)
        asked = ("--by", "carrier", "--max-groups", "3", "--format", "json", *memory)
        assert len(reported(run("hive", *ASKED, *asked))["scores"]["model"]) == 4
    assert (
        refused(run("hive", *ASKED, "--by", "carrier", "--max-groups", "0")) == "--max-groups must be at least 1, got 0"
    )
    names = [f"m{place}" for place in range(400)]
    pq.write_table(pa.table({"late": [1, 0], **dict.fromkeys(names, [0.5] * 2)}), tmp_path / "x.parquet")
    scores = [word for name in names for word in ("--score", name)]
    assert refused(run(tmp_path / "x.parquet", "--label", "late", *scores, "--memory", "256M")) == (
        "400 score columns need more memory than 256 MB; allow more (--memory SIZE)"
    )


def write(path, **columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"late": [1, 0, 1], "model": [0.5, 0.25, 0.75], **columns}), path)


@pytest.fixture
def small(run, tmp_path, monkeypatch):
    """Return what runs the command in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return run


DROPPED = "; leave out the rows with nulls (--nulls drop)"
BAD_COLUMNS = {
    "column 'model' holds string, but a.parquet has double": {"model": ["0.5", "0.25", "high"]},
    f"column 'model' is NaN at index 1 (from 0); a score is finite or infinite{DROPPED}": {"model": [0.5, np.nan, 0.5]},
    f"nulls in column 'model', the first at index 2 (from 0){DROPPED}": {"model": [0.5, 0.5, None]},
    "column 'late' must hold 0 and 1, or Booleans, got 3 values (0, 1, 2); name the positive one (--positive VALUE)": {
        "late": [1, 2, 0]
    },
    "column 'by' must hold names, whole numbers or dates, got 2.5 at index 2 (from 0)": {"by": [1.0, 2.0, 2.5]},
}


@every("memory", [(), ("--memory", "256M")])
@every("message", BAD_COLUMNS)
def test_an_error_about_a_column_names_the_file(small, tmp_path, memory, message):
    columns = BAD_COLUMNS[message]
    by = {"by": [1.0, 2.0, 3.0]} if "by" in columns else {}
    write(tmp_path / "a.parquet", **by)
    write(tmp_path / "b.parquet", **columns)
    assert refused(small("*.parquet", *ASKED, *(["--by", "by"] if by else []), *memory)) == f"b.parquet: {message}"


def test_files_without_rows(small, tmp_path):
    for name in ("a.parquet", "b.parquet"):
        pq.write_table(pa.table({"late": pa.array([], pa.int64()), "model": pa.array([], pa.float64())}), name)
    assert refused(small("*.parquet", *ASKED)) == "a.parquet: there are no rows in any file"
    write(tmp_path / "c.parquet")
    assert reported(small("*.parquet", *ASKED, "--format", "json"))["scores"]["model"]["cases"] == 3


@every("options", [ASKED, (*ASKED, "--by", "late"), ("--label", "late", "--predicted", "late")])
@every("memory", [(), ("--memory", "256M")])
def test_batches_without_rows(small, options, memory):
    table = pa.table({"late": [1, 0, 1], "model": [0.5, 0.25, 0.75]})
    for name, rows in (("a", table), ("b", table.slice(0, 0))):
        with pa.OSFile(f"{name}.arrow", "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
            for batch in (rows.slice(0, 0), rows, rows.slice(0, 0)):
                writer.write_batch(pa.record_batch([column.combine_chunks() for column in batch.columns], table.schema))
    assert '"cases": 3' in small("*.arrow", *options, *memory, "--format", "json").stdout


@pytest.mark.process
@needs_proc
@pytest.mark.parametrize(
    "options",
    [(), pytest.param(("--by", "carrier", "--threshold", "0.5"), marks=pytest.mark.slow)],
)
def test_the_memory_that_is_allowed_is_not_exceeded(tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    table = flights(2_000_000)
    for place in range(4):
        pq.write_table(table.slice(place * 500_000, 500_000), tmp_path / f"{place}.parquet")
    found, peak = peak_of("report", tmp_path, *ASKED, *options, "--memory", "256M")
    assert found["computed"] == "certified"
    assert peak <= 256_000_000
    assert peak_of("report", tmp_path, *ASKED, *options[:2], "--memory", "1G")[0]["computed"] == "exact"


def test_files_of_two_widths_do_not_decide_a_threshold_in_silence(run, tmp_path):
    files = [tmp_path / "0.parquet", tmp_path / "1.parquet"]
    for index, (path, kind) in enumerate(zip(files, (pa.float32(), pa.float64()), strict=True)):
        scores = pa.array([0.9, 0.1], kind)
        pq.write_table(pa.table({"id": [2 * index, 2 * index + 1], "late": [True, False], "model": scores}), path)
    asked = [*ASKED, "--format", "json", "--threshold"]
    both = ["compare", str(tmp_path), str(files[1]), "--id", "id", *ASKED]
    compared = [
        command(*both, *more)
        for more in (("--threshold", "0.9"), ("--measure", "recall@0.9"), ("--fail-if", "recall@0.9 < -0.1"))
    ]
    for found in (run(*files, *asked, 0.9), run(*files, *asked, 0.9, "--memory", "300M"), *compared):
        assert (found.exit_code, found.stdout) == (2, "")
        assert f"{files[0]}: column 'model' holds float32, which other files widen to float64" in found.stderr
    for threshold in (0.8999999761581421, 0.5):
        counts = [reported(run(*paths, *asked, threshold, "--memory", "300M")) for paths in (files, *zip(files))]
        together, *alone = (each.get("scores", each)["model"]["tp"] for each in counts)
        assert together == sum(alone) == 2
