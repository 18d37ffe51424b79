"""Columns come from dask's arrays, Series, frames and Delayed objects, and from Parquet files, in partitions."""

import re
import sys
from functools import partial

import dask.array as da
import dask.dataframe as dd
import fsspec
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from dask import delayed

from evalcore import EvaluationError, EvaluationTypeError, metrics
from evalcore.distributed import average_precision_score, on_dask, roc_auc_score, roc_curve
from tests.differences import every, recorded, refused
from tests.distributed.parted import equally, in_chunks, random_cases

pytestmark = pytest.mark.usefixtures("at_once")
CASES = random_cases(400, levels=50)
RNG = np.random.default_rng(4)
WEIGHTS = RNG.gamma(0.7, size=400) * (RNG.random(400) < 0.9)
COLUMNS = CASES.correct, CASES.scores, WEIGHTS
AREA, WEIGHTED_AREA = (metrics.roc_auc_score(*COLUMNS[:2], sample_weight=weights) for weights in (None, WEIGHTS))
NAMES = "late", "model", "w"
FRAME = pd.DataFrame({**dict(zip(NAMES, COLUMNS, strict=True)), "other": 1})


@pytest.fixture
def folder(tmp_path):
    """Three files of several row groups, one of them of no rows."""
    for part, rows in enumerate((slice(0, 250), slice(250, 250), slice(250, 400))):
        table = pa.Table.from_pandas(FRAME[rows], preserve_index=False)
        pq.write_table(table, tmp_path / f"part.{part}.parquet", row_group_size=60)
    return tmp_path


def test_columns_come_from_arrays_series_frames_delayed_objects_and_files(folder):
    frame = dd.from_pandas(FRAME, npartitions=3)
    series = [frame[name] for name in NAMES]
    sources = [
        (in_chunks(equally(400, 3), *COLUMNS), None),
        ([da.from_array(column, chunks=size) for column, size in zip(COLUMNS, (150, 170, 90), strict=True)], None),
        (series, None),
        ([column.values for column in series], None),
        ([series[0].to_dask_array(lengths=True), *series[1:]], None),
        ([[delayed(part) for part in np.array_split(column, 3)] for column in COLUMNS], None),
        (NAMES, frame),
        (NAMES, [str(folder / f"part.{part}.parquet") for part in range(3)]),
        (NAMES, folder),
        (NAMES, str(folder / "part.*.parquet")),
    ]
    for (labels, scores, weights), data in sources:
        assert roc_auc_score(labels, scores, data=data) == AREA
        found = roc_auc_score(labels, scores, data=data, sample_weight=weights, exact=True)
        assert found == pytest.approx(WEIGHTED_AREA, abs=1e-12)


def test_row_groups_make_partitions_of_a_large_file(folder, monkeypatch):
    monkeypatch.setattr(on_dask, "MOST_ROWS", 120)
    assert [
        [(groups.numbers, groups.first_row) for groups in on_dask.row_groups(str(path), ["late"], 120)]
        for path in sorted(folder.iterdir())
    ] == [[([0, 1], 0), ([2, 3], 120), ([4], 240)], [([0], 0)], [([0, 1], 0), ([2], 120)]]
    for exact in (True, False):
        assert roc_auc_score("late", "model", data=folder, exact=exact) == AREA
    alone = on_dask.row_groups(str(folder / "part.2.parquet"), ["late"], 1)  # a partition at least
    assert [groups.numbers for groups in alone] == [[0], [1], [2]]


def test_files_are_found_and_read_by_url(folder):
    for path in folder.iterdir():
        fsspec.filesystem("memory").pipe(f"/scores/{path.name}", path.read_bytes())
    for base in (f"file://{folder}", "memory://scores"):
        files = [f"{base}/part.{part}.parquet" for part in range(3)]
        mixed = [*files[:2], str(folder / "part.2.parquet")]
        for data in (files, base, f"{base}/part.*.parquet", mixed):
            assert roc_auc_score("late", "model", data=data, exact=True) == AREA
    for name, text in (
        ("no*", "no file matches"),
        ("gone.parquet", "no such file"),
        ("text.csv", "not a Parquet file; its name must end in .parquet"),
    ):
        with refused(f"memory://scores/{name}: {text}"):
            roc_auc_score("late", "model", data=f"memory://scores/{name}")


def test_columns_may_hold_small_numbers_and_labels_of_text_or_be_both(tmp_path):
    names = np.where(CASES.correct, "late", "on time")
    scores = np.round(CASES.scores * 50).astype(np.int16)
    pq.write_table(pa.table({"label": pa.array(names).dictionary_encode(), "score": scores}), tmp_path / "all.parquet")
    for path in (tmp_path, tmp_path / "all.parquet"):
        found = roc_auc_score("label", "score", data=path, pos_label="late", exact=True)
        assert found == AREA
    frame = dd.from_pandas(pd.DataFrame({"late": [0, 1, 1]}), npartitions=2)
    assert roc_auc_score("late", "late", data=frame, exact=True) == 1.0


def test_an_error_in_a_file_names_the_file_and_the_rows(folder):
    scores = CASES.scores[250:].copy()
    scores[130] = np.nan
    damaged = pa.table({"late": CASES.correct[250:], "model": scores})
    pq.write_table(damaged, folder / "part.2.parquet", row_group_size=60)
    message = f"partition 2: {folder}/part.2.parquet: column 'model' at index 130 (from 0) is NaN; a score is finite"
    with pytest.raises(EvaluationError, match=f"^{re.escape(message)} or infinite$"):
        roc_auc_score("late", "model", data=folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(on_dask, "MOST_ROWS", 60)
        message = f"partition 8: {folder}/part.2.parquet from row 120 on: column 'model' at index 10 (from 0) is NaN"
        with pytest.raises(EvaluationError, match=f"^{re.escape(message)}"):
            roc_auc_score("late", "model", data=folder)


def test_weights_of_a_column_are_named_by_it(tmp_path):
    table = pd.DataFrame({"late": [1, 0, 1, 0], "model": [0.1, 0.2, 0.3, 0.4], "w": [1, 1, 1, -1.5]})
    path = tmp_path / "all.parquet"
    pq.write_table(pa.Table.from_pandas(table), path)
    negative = "column 'w' at index {} (from 0) is -1.5; weights must not be negative"
    for data, message in (
        (dd.from_pandas(table, npartitions=2), f"partition 1: {negative.format(1)}"),
        (path, f"partition 0: {path}: {negative.format(3)}"),
    ):
        with pytest.raises(EvaluationError, match=f"^{re.escape(message)}$"):
            roc_auc_score("late", "model", data=data, sample_weight="w", exact=True)
        with pytest.raises(EvaluationError, match=r"no column 'weight'; the columns are 'late', 'model', 'w'$"):
            roc_auc_score("late", "model", data=data, sample_weight="weight", exact=True)


def written(path, **columns):
    pq.write_table(pa.table(columns), path)
    return str(path)


@pytest.mark.parametrize(
    ("name", "columns", "message"),
    [
        ("nulls", {"late": [1, None, 0], "model": [0.1, 0.2, 0.3]}, "partition 0: {0}: nulls in column 'late': 1, the"),
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
ASKS = [
    partial(roc_auc_score, exact=True), roc_auc_score, partial(average_precision_score, exact=True),
    partial(roc_curve, exact=True),
]  # fmt: skip


SHORT = in_chunks([2, 2], [1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4])


@every(("given", "said"), recorded("distributed/outputs/refused_columns.txt"))
@every("ask", ASKS)
def test_invalid_columns_and_weights_are_refused(ask, given, said):
    with pytest.raises((EvaluationError, EvaluationTypeError)) as caught:
        eval(f"ask({given})", {**globals(), "ask": ask})
    assert f"{type(caught.value).__name__}: {caught.value}" == said


@pytest.mark.parametrize("missing", ["dask", "pyarrow"])
def test_a_missing_extra_is_named(monkeypatch, missing):
    for name in [name for name in sys.modules if name.split(".")[0] == missing]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, missing, None)
    with refused(f"{missing} is not installed; pip install 'evalcore-metrics[distributed]'"):
        roc_auc_score("late", "model", data="scores.parquet")
