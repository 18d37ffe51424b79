"""`evalcore.evaluate` says of a data frame what the command says of the file."""

import json
import math
import sys
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from pyarrow import dataset

import evalcore
from evalcore import EvaluationError, EvaluationTypeError
from evalcore.cli import main
from tests.differences import BESIDE_THE_GUIDE, check_refusals, collected, every

COLUMNS = {
    "late": [1, 0, 1, 0, 1, 0], "model": [0.9, 0.2, 0.4, 0.4, 0.7, 0.1], "other": [0.1, 0.5, 0.3, 0.6, 0.2, 0.8],
    "tree": ["ash", "elm", "elm", "ash", "oak", "oak"], "guess": ["ash", "elm", "ash", "ash", "oak", "elm"],
}  # fmt: skip
COLUMNS |= {f"p_{tree}": np.arange(6) % (place + 2) / 4 for place, tree in enumerate(["ash", "elm", "oak"])}
FRAMES = [
    *(dict, pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table),
    lambda columns: pd.DataFrame(columns).convert_dtypes(),
    lambda columns: pd.DataFrame({**columns, 0: 1}),
    lambda columns: pa.table(columns).to_reader(max_chunksize=4),
    lambda columns: dataset.dataset(pa.table(columns)),
    lambda columns: duckdb.from_arrow(pa.table(columns)),
]
QUESTIONS = [
    ({"score": "model"}, ["--score", "model"]),
    ({"score": ["model", "other"], "ci": 0.9, "threshold": 0.4}, ["--score", "model", "--score", "other", "--ci", "0.9",
                                                                 "--threshold", "0.4"]),
    ({"score": "model", "by": "tree"}, ["--score", "model", "--by", "tree"]),
    ({"score": "model", "positive": 0}, ["--score", "model", "--positive", "0"]),
    ({"label": "tree", "predicted": "guess"}, ["--predicted", "guess"]),
    ({"label": "tree", "score": {tree: f"p_{tree}" for tree in ("ash", "elm", "oak")}}, ["--scores", "p_"]),
]  # fmt: skip


def test_columns_without_names_are_named_by_their_numbers():
    frame = pd.DataFrame(np.transpose([COLUMNS["late"], COLUMNS["model"]]))
    found = evalcore.evaluate(frame, label="0", score="1")["1", "roc_auc"]
    assert found == evalcore.evaluate(COLUMNS, label="late", score="model")["model", "roc_auc"]


@every(("asked", "options"), QUESTIONS)
def test_a_frame_has_the_report_of_its_file(tmp_path, asked, options):
    path = str(tmp_path / "cases.parquet")
    pq.write_table(pa.table(COLUMNS), path)
    asked = {"label": "late", **asked}
    outcome = CliRunner().invoke(main, ["report", path, "--label", asked["label"], *options, "--format", "json"])
    assert outcome.exit_code == 0, outcome.stderr
    expected = json.loads(outcome.stdout)
    with collected() as checking:
        for frame in FRAMES:
            with checking(frame):
                found = json.loads(evalcore.evaluate(frame(COLUMNS), **asked).to_json())
                assert found == {name: expected[name] for name in found}
                assert set(expected) - set(found) == {"file"}


def test_reports_show_themselves_in_a_notebook_once_and_without_rich(monkeypatch):
    report = evalcore.evaluate(COLUMNS, label="late", score="model")
    plain, marked = repr(report), report.to_markdown()
    with monkeypatch.context() as patch:
        patch.setattr("rich.console._is_jupyter", lambda: True)
        assert (repr(report), report.to_markdown()) == (plain, marked)
    report = evalcore.evaluate({"late": [1, 0], "<b>": [0.9, 0.1]}, label="late", score="<b>")
    assert "ROC AUC" in repr(report)
    assert "<th>&lt;b&gt;</th>" in report._repr_html_()
    monkeypatch.setitem(sys.modules, "rich", None)
    assert "ROC AUC" in repr(report)
    folded = evalcore.evaluate({"late": [1, 0], "two\nlines": [0.9, 0.1]}, label="late", score="two\nlines")
    assert repr(folded).startswith("section,score,group")


@BESIDE_THE_GUIDE
def test_frames_of_arrow_and_flights_go_in_and_an_index_is_no_column():
    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return pa.table(COLUMNS).__arrow_c_stream__(requested_schema)

    report = evalcore.evaluate(Stream(), label="late", score="model")
    assert report["model"] == evalcore.evaluate(COLUMNS, label="late", score="model")["model"]
    frame = pd.DataFrame(CASES, index=pd.Index(["a", "b"], name="gate"))
    assert evalcore.evaluate(frame.reset_index(), label="late", score="model", by="gate")["total"]["cases"] == 2
    path = Path(__file__).parents[2] / "notebooks" / "data" / "flights.parquet"
    frame = pl.read_parquet(path, columns=["late", "boosting", "carrier"])
    report = evalcore.evaluate(frame, label="late", score="boosting", by="carrier")
    assert report["total"]["roc_auc"] == pytest.approx(0.732088, abs=1e-6)
    assert report["UA"]["cases"] == 57782


def test_lazy_frames_compute_only_the_columns_that_are_needed():
    def refused(values):
        raise AssertionError("this column is not needed")

    needed, other = pl.LazyFrame(COLUMNS), pl.col("tree").map_batches(refused, return_dtype=pl.String)
    asked = {"label": "late", "score": "model"}
    expected = evalcore.evaluate(COLUMNS, **asked)["model"]
    assert evalcore.evaluate(needed.with_columns(other), **asked)["model"] == expected
    relation = duckdb.from_arrow(pa.table(COLUMNS)).project("late, model, error('not needed') as tree")
    assert evalcore.evaluate(relation, **asked)["model"] == expected
    for frame in (needed, relation, dataset.dataset(pa.table(COLUMNS))):
        with pytest.raises(EvaluationError, match="no column 'modell'; did you mean 'model'"):
            evalcore.evaluate(frame, label="late", score="modell")


CASES = {"late": [1, 0], "model": [0.9, 0.1]}
LISTS = pa.table({**CASES, "lists": [[1], [2]]})
AGES = pd.DataFrame({**CASES, "age": [20, 40]})
CUT = pd.cut(AGES["age"], [0, 30, 60])
ASKED = {"label": "late", "score": "model"}
BYTES = [pa.binary(), pa.large_binary(), pa.binary(1), pa.dictionary(pa.int8(), pa.binary())]
UNALIGNED = pd.Series([0.9, 0.8, 0.1], index=[2, 1, 0])
REFUSED = [
    {"frame": [1, 2]},
    {"frame": "x.parquet"}, {"frame": {}},
    {"frame": {"late": [1, 0, 1], "model": [0.5, 0.4, None]}}, {"frame": pd.DataFrame({"late": [], "model": []})},
    {"frame": {"late": [1, 0], "model": [0.1]}}, {"frame": pl.DataFrame({"late": [1, 0], "model": [0.1, None]})},
    {"label": "lat"}, {"score": "modell"}, {"score": None}, {"predicted": "guess"}, {"score": None, "predicted": 3},
    {"score": []}, {"score": [3]}, {"score": {"ash": "p_ash"}, "compare": "all"},
    {"predicted": "guess", "score": None, "compare": "all", "threshold": 1}, {"threshold": math.nan},
    {"threshold": "0.5"}, {"by": 3}, {"score": 3}, {"score": ["model", "model"]}, {"ci": 2},
    *({name: column} for name in ("label", "score", "predicted", "by")
      for column in (pd.Series([1, 0]), np.ones(2), pa.array([1]))),
    *({"frame": LISTS, role: "lists"} for role in ("label", "score", "by")), {"text": "model"}, {"text": 7},
    *({"frame": AGES.assign(age=column), role: "age"} for role in ("label", "by")
      for column in (CUT, CUT.astype("interval"), pd.Series(pd.period_range("2013-01", periods=2, freq="M")))),
    *({"frame": pa.table(CASES | {"bytes": pa.array([b"a", b"\xff"], kind)}), role: "bytes"} for kind in BYTES
      for role in ("by", "label", "score")),
    *({"frame": CASES | {"gate": gates}, "by": "gate"} for gates in (["1", 1], ("1", 1), np.array(["1", 1], object))),
    *({"frame": pd.DataFrame({**CASES, "gate": gates}), "by": "gate"} for gates in (
        [10**25, 10**26], pd.arrays.SparseArray([1, 2]), [1j, 2j], pd.Series([7, "x"], dtype=object))),
    {"frame": pd.DataFrame({**CASES, "gate": pd.Series([7, "x"], dtype=object)}), "score": "gate"},
    {"frame": pd.DataFrame(CASES, index=pd.Index(["a", "b"], name="gate")), "by": "gate"},
    *({"frame": {"late": [1, 0, 1], "model": [0.5, 0.25, 0.75], "y": column, "z": ["yes", "no", "no"]}, **asked}
      for column in (["yes", "no", None], [None, None, None], ["1", "1", None])
      for asked in ({"label": "y", "positive": "yes"}, {"by": "y"}, {"label": "y", "score": None, "predicted": "z"})),
    *({"frame": {"late": pd.Series([1, 0, 0]), "model": UNALIGNED, "base": UNALIGNED}, "score": score}
      for score in ("model", "base")),
    {"frame": {0: [1, 0], "late": [1, 0]}, "score": "0"}, {"label": ""}, {"by": "late", "sort": ["roc_auc"]},
]  # fmt: skip


def test_what_cannot_be_reported_is_refused():
    def ask(change):
        asked = {"frame": COLUMNS, "label": "late", "score": "model", **change}
        evalcore.evaluate(asked.pop("frame"), **asked)

    check_refusals("document/outputs/refused_frames.txt", ask, REFUSED)
    for frame, text in (
        (pd.Series([1]), r"got one column .pandas[.].*Series.; give"),
        (pl.Series([1]), r"got one column .polars[.].*Series.; give"),
        (Path("x.csv"), "got .*; read the file first"),
    ):
        with pytest.raises(EvaluationTypeError, match=f"^frame must be a table, {text}"):
            ask({"frame": frame})


@every("kind", BYTES)
def test_bytes_are_read_as_utf_8(kind):
    groups = evalcore.evaluate(pa.table(CASES | {"bytes": pa.array([b"a", b"b"], kind)}), **ASKED, by="bytes")
    assert list(groups) == ["a", "b", "total"]
    assert evalcore.evaluate(AGES.assign(age=CUT.astype(str)), **ASKED, by="age")["(0, 30]"]["cases"] == 1


@every("made", [dict, pd.DataFrame])
def test_columns_of_several_types_are_read_as_text_where_that_is_asked(made):
    columns = {"late": [1, 0, 1, 0], "model": [0.9, 0.1, 0.7, 0.2], "gate": np.array([7, "x", 7.5, "7"], object)}
    asked = {**ASKED, "by": "gate"}
    report = evalcore.evaluate(made(columns), **asked, text="gate")
    assert {name: report[name]["cases"] for name in ("7", "x", "7.5")} == {"7": 2, "x": 1, "7.5": 1}
    columns["gate"][1] = None
    with pytest.raises(EvaluationError, match="nulls in column 'gate'"):
        evalcore.evaluate(made(columns), **asked, text=["gate"])
    assert evalcore.evaluate(made(columns), **asked, text="gate", nulls="drop")["total"]["cases"] == 3


@every("made", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_numbers_are_names_where_they_are_read_as_text(made):
    columns = made({"late": [1, 0, 1], "model": [0.9, 0.1, 0.7], "gate": [7, 8, 7]})
    report = evalcore.evaluate(columns, **ASKED, by="gate", text=["gate", "late"])
    assert list(report.to_dict()["scores"]["model"]) == ["7", "8", "total"]


def test_columns_of_a_mapping_are_matched_by_their_indices():
    late = pd.Series([1, 0, 0])
    with pytest.raises(EvaluationError, match=r"^column '\w+' must have the same index as column '\w+'; align them"):
        evalcore.compare({"late": late, "model": UNALIGNED, "base": UNALIGNED}, old_score="base", **ASKED)
    for aligned, area in ((UNALIGNED.reindex(late.index), 0.0), (UNALIGNED.to_numpy(), 1.0)):
        assert evalcore.evaluate({"late": late, "model": aligned}, **ASKED)["model"]["roc_auc"] == area
    unused = {"late": late, "model": late, "other": UNALIGNED}  # of which no column is needed
    assert evalcore.evaluate(unused, **ASKED)["model"]["roc_auc"] == 1


@every("name", ["to_json", "to_csv", "to_markdown", "to_html"])
def test_what_returns_a_report_also_writes_it(tmp_path, monkeypatch, name):
    monkeypatch.setattr("evalcore.document.page.report.as_html", lambda *asked, **more: "<p>")
    write = getattr(evalcore.evaluate(COLUMNS, label="late", score="model"), name)
    content = write()
    assert write(tmp_path / "file") is write(str(tmp_path / "text")) is None
    for found in map(Path.read_bytes, tmp_path.iterdir()):
        assert found == f"{content}\n".encode()
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["file", "text"]
    with pytest.raises(EvaluationError, match="cannot be written: No such file or directory"):
        write(tmp_path / "no" / "file")
    with pytest.raises(EvaluationTypeError, match="path must be a path, got 3"):
        write(3)
