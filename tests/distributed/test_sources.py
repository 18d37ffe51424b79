"""Columns come from dask's arrays, Series, frames and Delayed objects, and from Parquet files, in partitions."""

import re
import sys

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from dask import delayed

from evalcore import EvaluationError, EvaluationTypeError, metrics
from evalcore.distributed import average_precision_score, on_dask, roc_auc_score
from tests.differences import every
from tests.distributed.parted import equally, parted, random_cases

pytestmark = pytest.mark.usefixtures("at_once")
CASES = random_cases(400, levels=50)
AREA = metrics.roc_auc_score(CASES.correct, CASES.scores)
FRAME = pd.DataFrame({"late": CASES.correct, "model": CASES.scores, "other": 1})


@pytest.fixture
def folder(tmp_path):
    """Three files of several row groups, one of them of no rows."""
    for part, rows in enumerate((slice(0, 250), slice(250, 250), slice(250, 400))):
        table = pa.Table.from_pandas(FRAME[rows], preserve_index=False)
        pq.write_table(table, tmp_path / f"part.{part}.parquet", row_group_size=60)
    return tmp_path


def test_columns_come_from_arrays_series_frames_delayed_objects_and_files(folder):
    frame = dd.from_pandas(FRAME, npartitions=3)
    split = [np.array_split(column, 3) for column in (CASES.correct, CASES.scores)]
    paths = [str(folder / f"part.{part}.parquet") for part in range(3)]
    sources = [
        (parted(*CASES[::-1], equally(400, 3)), None),
        ((da.from_array(CASES.correct, chunks=150), da.from_array(CASES.scores, chunks=170)), None),
        ((frame["late"], frame["model"]), None),
        ((frame["late"].values, frame["model"].values), None),
        ((frame["late"].to_dask_array(lengths=True), frame["model"]), None),
        (("late", "model"), frame),
        (([delayed(part) for part in split[0]], [delayed(part) for part in split[1]]), None),
        (("late", "model"), paths),
        (("late", "model"), folder),
        (("late", "model"), str(folder / "part.*.parquet")),
    ]
    for number, (columns, data) in enumerate(sources):
        assert roc_auc_score(*columns, data=data, exact=number % 2 == 0) == AREA


def test_row_groups_make_partitions_of_a_large_file(folder, monkeypatch):
    monkeypatch.setattr(on_dask, "MOST_ROWS", 120)
    assert [
        [(groups.numbers, groups.first_row) for groups in on_dask.row_groups(str(path), ["late"], 120)]
        for path in sorted(folder.iterdir())
    ] == [[([0, 1], 0), ([2, 3], 120), ([4], 240)], [([0], 0)], [([0, 1], 0), ([2], 120)]]
    for exact in (True, False):
        assert roc_auc_score("late", "model", data=folder, exact=exact) == AREA


def test_a_row_group_is_a_partition_at_least(folder):
    path = str(folder / "part.2.parquet")
    assert [groups.numbers for groups in on_dask.row_groups(path, ["late"], 1)] == [[0], [1], [2]]


def test_files_by_url_are_opened_by_fsspec(folder):
    files = [f"file://{folder}/part.{part}.parquet" for part in range(3)]
    for data in (
        files,
        f"file://{folder}",
        f"file://{folder}/part.*.parquet",
        [*files[:2], str(folder / "part.2.parquet")],
    ):
        assert roc_auc_score("late", "model", data=data, exact=True) == AREA
    with pytest.raises(EvaluationError, match=r"/no\*: no Parquet file found$"):
        roc_auc_score("late", "model", data=f"file://{folder}/no*")
    with pytest.raises(EvaluationError, match=r"^file://.*/gone\.parquet: no such file$"):
        roc_auc_score("late", "model", data=f"file://{folder}/gone.parquet")
    with pytest.raises(EvaluationError, match=r"text\.csv: not a Parquet file; its name must end in \.parquet$"):
        roc_auc_score("late", "model", data=f"file://{folder}/text.csv")


def test_columns_may_hold_small_numbers_and_labels_of_text(tmp_path):
    names = np.where(CASES.correct, "late", "on time")
    table = pa.table(
        {"label": pa.array(names).dictionary_encode(), "score": np.round(CASES.scores * 50).astype(np.int16)}
    )
    pq.write_table(table, tmp_path / "all.parquet")
    for path in (tmp_path, tmp_path / "all.parquet"):
        found = roc_auc_score("label", "score", data=path, pos_label="late", exact=True)
        assert found == AREA


def test_a_column_may_be_both():
    frame = dd.from_pandas(pd.DataFrame({"late": [0, 1, 1]}), npartitions=2)
    assert roc_auc_score("late", "late", data=frame, exact=True) == 1.0


def test_an_error_in_a_file_names_the_file_and_the_rows(folder):
    scores = CASES.scores[250:].copy()
    scores[130] = np.nan
    pq.write_table(
        pa.table({"late": CASES.correct[250:], "model": scores}), folder / "part.2.parquet", row_group_size=60
    )
    message = f"partition 2: {folder}/part.2.parquet: column 'model' at index 130 (from 0) is NaN; a score is finite"
    with pytest.raises(EvaluationError, match=f"^{re.escape(message)} or infinite$"):
        roc_auc_score("late", "model", data=folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(on_dask, "MOST_ROWS", 60)
        message = f"partition 8: {folder}/part.2.parquet from row 120 on: column 'model' at index 10 (from 0) is NaN"
        with pytest.raises(EvaluationError, match=f"^{re.escape(message)}"):
            roc_auc_score("late", "model", data=folder)


def written(path, **columns):
    pq.write_table(pa.table(columns), path)
    return str(path)


@pytest.mark.parametrize(
    ("name", "columns", "message"),
    [
        (
            "nulls",
            {"late": [1, None, 0], "model": [0.1, 0.2, 0.3]},
            "partition 0: {0}: nulls in column 'late': 1, the",
        ),
        ("names", {"late": [1, 0], "models": [0.1, 0.2]}, "{0}: no column 'model'; did you mean 'models'?"),
        ("texts", {"late": ["a", "b"], "model": [0.1, 0.2]}, "partition 0: {0}: column 'late' must hold Booleans"),
    ],
)
def test_errors_name_the_file(tmp_path, name, columns, message):
    path = written(tmp_path / f"{name}.parquet", **columns)
    with pytest.raises((EvaluationError, EvaluationTypeError), match=f"^{re.escape(message.format(path))}"):
        roc_auc_score("late", "model", data=path)


def test_files_that_are_not_there_or_are_none_are_named(tmp_path):
    text = tmp_path / "text.parquet"
    text.write_text("late,model\n1,0.5\n")
    for path, message in [
        (str(tmp_path / "gone.parquet"), "gone.parquet: no such file$"),
        (str(tmp_path / "no*.parquet"), r"no\*.parquet: no file matches$"),
        (str(text), "text.parquet: cannot be read: .*Parquet"),
    ]:
        with pytest.raises(EvaluationError, match=message):
            roc_auc_score("late", "model", data=path)
    text.unlink()
    message = f"^{re.escape(str(tmp_path))}: this folder has no file of the format parquet"
    with pytest.raises(EvaluationError, match=message):
        roc_auc_score("late", "model", data=tmp_path)


ARRAY = da.zeros(5, chunks=2)
TABLE = da.zeros((5, 2), chunks=(2, 1))
SERIES = dd.from_pandas(pd.DataFrame({"late": [0, 1, 1]}), npartitions=2)


@every(
    ("arguments", "data", "error", "message"),
    [
        (([0, 1], [0.1, 0.2]), None, EvaluationTypeError,
         "y_true must be a dask array or Series, or the name of a column of data, got [0, 1] (list); evalcore.metrics "
         "takes arrays in memory"),
        ((ARRAY, "model"), None, EvaluationTypeError,
         "y_score names a column, 'model', but data is not given; pass data=..."),
        ((ARRAY, "model"), SERIES, EvaluationTypeError, "y_true must be the name of a column of data, got dask.array"),
        (("late", "model"), SERIES, EvaluationError, "no column 'model'; the columns are 'late'"),
        (("late", "model"), 5, EvaluationTypeError,
         "data must be a dask data frame, a path of Parquet files or a list of paths, got builtins.int"),
        (("late", "model"), [], EvaluationError, "data must name at least one Parquet file, got an empty list"),
        ((ARRAY, da.zeros(6, chunks=2)), None, EvaluationError, "y_true and y_score must be equally long, got 5 and 6"),
        ((ARRAY, SERIES["late"]), None, EvaluationError,
         "y_true and y_score must have equally many partitions, got 3 and 2; repartition"),
        ((ARRAY.sum(), ARRAY), None, EvaluationError, "y_true must be one-dimensional, got shape ()"),
        ((SERIES["late"], SERIES["late"].sum()), None, EvaluationError,
         "y_score must be one-dimensional, got shape ()"),
        ((ARRAY, TABLE), None, EvaluationError,
         "partition 2: y_score must be one-dimensional, got shape (1, 2)"),
        ((SERIES["late"].values, da.from_array([0.5, 0.5, 0.5, 0.5], chunks=2)), None, EvaluationError,
         "partition 1: y_true and y_score must be equally long, got 1 and 2"),
    ],
)  # fmt: skip
@every("function", [roc_auc_score, average_precision_score])
def test_invalid_columns_are_refused(function, arguments, data, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        function(*arguments, data=data, exact=True)


@pytest.mark.parametrize("missing", ["dask", "pyarrow"])
def test_a_missing_extra_is_named(monkeypatch, missing):
    for name in [name for name in sys.modules if name.split(".")[0] == missing]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(
        EvaluationError, match=rf"^{missing} is not installed; pip install 'evalcore-metrics\[distributed\]'$"
    ):
        roc_auc_score("late", "model", data="scores.parquet")
