"""Several files are one table, whose times have the zone in which they are written."""

import datetime
import gzip
import json
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from evalcore import EvaluationError, evaluate
from evalcore.cli import main
from evalcore.document.shown import shown_groups
from evalcore.evaluation.progress import Bar
from evalcore.io import text_files
from evalcore.io.columns import Selection, zoned_texts
from evalcore.io.datasets import common_schema, file_batches, folder_columns, inspect_files, read_table
from evalcore.io.readers import table_contents
from evalcore.io.rows import RowFilter, Rows
from tests.differences import every
from tests.differences import refused as refused_exactly
from tests.io.written import WRITERS, is_text

SELECTION = Selection(("late", "model"), numbers=("model",))
TABLE = pa.table({"model": [0.5, 0.25, 1.0], "late": [1, 0, 1], "other": ["a", "b", "c"]})


NAMES = [
    "plain.parquet", "groups.parquet", "lz4.feather", "stream.arrow", "plain.csv", "plain.tsv", "a.b.csv.gz",
]  # fmt: skip


def read(files, selection=SELECTION, batch_rows=1 << 16):
    """Return the columns of all files as lists, read as a report reads them."""
    found = inspect_files(files, selection)
    schema = common_schema(found, selection)
    tables = [pa.Table.from_batches(file_batches(file, schema, selection, batch_rows), schema) for file in found]
    return pa.concat_tables(tables).to_pydict()


def refused(files, selection=SELECTION, batch_rows=1 << 16):
    with pytest.raises(EvaluationError) as raised:
        read(list(map(str, files)), selection, batch_rows)
    return str(raised.value)


@every("batch_rows", [1, 2, 1000])
@every("name", NAMES)
def test_every_format_gives_the_rows_of_all_files(tmp_path, name, batch_rows):
    files = [str(tmp_path / f"{place}{name}") for place in range(2)]
    WRITERS[name](TABLE, files[0])
    WRITERS[name](TABLE.slice(1), files[1])
    late = ["1", "0", "1", "0", "1"] if is_text(name) else [1, 0, 1, 0, 1]
    assert read(files, batch_rows=batch_rows) == {"late": late, "model": [0.5, 0.25, 1.0, 0.25, 1.0]}


@every("name", NAMES)
def test_rows_are_known_before_they_are_read(tmp_path, name):
    path = str(tmp_path / name)
    WRITERS[name](TABLE, path)
    found = table_contents(path, SELECTION)
    assert (found.rows, found.rows_are_counted) == (3, not is_text(name))


def test_text_without_rows_goes_with_others_and_rows_are_estimated(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "SAMPLE_BYTES", 1000)
    path = tmp_path / "x.csv"
    path.write_text("late,model\n" + "1,0.5\n" * 10_000)
    assert table_contents(str(path), SELECTION).rows == pytest.approx(10_000, rel=0.01)
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert table_contents(str(tmp_path / "x.csv.gz"), SELECTION).rows > 0
    files = [str(tmp_path / name) for name in ("a.csv", "b.csv")]
    for path, table in zip(files, (TABLE.slice(0, 0), TABLE), strict=True):
        WRITERS["plain.csv"](table, path)
    for content, alone in ((b'"model","late"\n', {"late": [], "model": []}), (b"", {})):
        (tmp_path / "a.csv").write_bytes(content)
        assert read(files)["late"] == ["1", "0", "1"]
        assert read(files[:1]) == alone


COMPATIBLE = {
    "float widths": ([pa.float32(), pa.float64()], pa.float64()),
    "half floats": ([pa.float16(), pa.float32()], pa.float32()),
    "integer widths": ([pa.int32(), pa.int64()], pa.int64()),
    "signs": ([pa.uint8(), pa.int8()], pa.int16()),
    "integers and floats": ([pa.int64(), pa.float64()], pa.float64()),
    "integers that float32 does not hold": ([pa.int32(), pa.float32()], pa.float64()),
    "strings": ([pa.string(), pa.large_string()], pa.large_string()),
    "string views": ([pa.string_view(), pa.string()], pa.string()),
    "dictionaries": ([pa.dictionary(pa.int8(), pa.string()), pa.string()], pa.string()),
    "bytes": ([pa.binary(), pa.string()], pa.string()),
    "decimals": ([pa.decimal128(22, 3), pa.float32()], pa.float64()),
    "nothing": ([pa.null(), pa.bool_(), pa.null()], pa.bool_()),
}


@every("kind", COMPATIBLE)
def test_compatible_types_become_the_wider(tmp_path, kind):
    types, common = COMPATIBLE[kind]
    for order in (types, types[::-1]):
        files = []
        for place, own in enumerate(order):
            empty = pa.types.is_null(own)
            values = pa.array([] if empty else [1] if not pa.types.is_boolean(own) else [True])
            text = pa.array(["1"]) if not empty else values
            column = (text if "string" in str(own) or "binary" in str(own) else values).cast(own)
            files.append(str(tmp_path / f"{place}.parquet"))
            pq.write_table(pa.table({"late": column, "model": pa.array([0.5] * len(column), pa.float64())}), files[-1])
        assert common_schema(inspect_files(files, SELECTION), SELECTION).field("late").type == common
        assert len(set(map(str, read(files)["late"]))) == 1


@every(
    ("first", "second"),
    (pa.array([0.5]), pa.array(["0.5"])),
    (pa.array([True]), pa.array([1], pa.int8())),
    (pa.array([1], pa.timestamp("us")), pa.array([1], pa.timestamp("ms"))),
    (pa.array([1], pa.date32()), pa.array([1])),
)
def test_a_type_that_changes_is_named_with_its_file(tmp_path, first, second):
    files = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path, column in zip(files, (first, second), strict=True):
        pq.write_table(pa.table({"late": [1], "model": column}), path)
    message = f"{files[1]}: column 'model' holds {second.type}, but {files[0]} has {first.type}"
    assert refused(files) == message


def test_columns_may_stand_in_another_order_but_hold_what_the_wider_type_does(tmp_path):
    files = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    pq.write_table(pa.table({"late": [1], "model": [0.5]}), files[0])
    pq.write_table(pa.table({"late": [1], "model": [2**53 + 1]}), files[1])
    assert refused(files).startswith(f"{files[1]}: cannot be read: Integer value 9007199254740993 not in range")
    files = [str(tmp_path / "a.parquet"), str(tmp_path / "b.parquet")]
    pq.write_table(TABLE, files[0])
    pq.write_table(TABLE.select(["late", "model"]), files[1])
    assert read(files)["late"] == [1, 0, 1, 1, 0, 1]


def test_missing_columns_and_nulls_are_named_with_their_file(tmp_path):
    files = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    pq.write_table(TABLE, files[0])
    pq.write_table(TABLE.rename_columns(["modell", "late", "other"]), files[1])
    assert refused(files) == f"{files[1]}: no column 'model'; did you mean 'modell'?"
    pq.write_table(pa.table([[1], [2], [3]], ["late", "model", "model"]), files[1])
    assert refused(files) == f"{files[1]}: 2 columns are called 'model'"
    files = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    pq.write_table(TABLE, files[0])
    pq.write_table(pa.table({"late": [1] * 5, "model": [0.5, 0.5, 0.5, None, None]}), files[1], row_group_size=2)
    assert refused(files) == f"{files[1]}: nulls in column 'model', the first at index 3 (from 0)"
    (tmp_path / "a.csv").write_text('late,model\n1,0.5\n"",0.25\n')
    assert refused([tmp_path / "a.csv"]) == f"{tmp_path / 'a.csv'}: line 3: column 'late' is empty"


def test_columns_of_a_prefix_are_those_of_the_first_file(tmp_path):
    files = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    prefixed = Selection(("late",), ("p_",))
    pq.write_table(pa.table({"late": [1], "p_a": [0.5], "p_b": [0.5]}), files[0])
    pq.write_table(pa.table({"late": [1], "p_b": [0.25], "p_a": [0.75]}), files[1])
    assert read(list(map(str, files)), prefixed) == {"late": [1, 1], "p_a": [0.5, 0.75], "p_b": [0.5, 0.25]}
    pq.write_table(pa.table({"late": [1], "p_a": [0.5]}), files[1])
    assert refused(files, prefixed) == f"{files[1]}: there is no column 'p_b', but {files[0]} has it"
    assert refused(files[::-1], prefixed) == f"{files[0]}: there is a column 'p_b', but {files[1]} does not have it"


@every("name", NAMES)
def test_a_file_that_ends_early_is_named(tmp_path, name):
    rng = np.random.default_rng(0)
    table = pa.table({"late": rng.integers(0, 2, 3000), "model": rng.random(3000)})
    whole, cut = str(tmp_path / f"a{name}"), str(tmp_path / f"b{name}")
    WRITERS[name](table, whole)
    with open(whole, "rb") as file:
        content = file.read()
    with open(cut, "wb") as file:
        file.write(content[: len(content) // 2] + (b",," if name.endswith(("csv", "tsv")) else b""))
    message = refused([whole, cut])
    assert message.startswith(f"{cut}: ")
    assert "\n" not in message


def test_a_file_that_ends_in_its_rows_is_named_with_them(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    path = tmp_path / "x.parquet"
    table = pa.table({"late": rng.integers(0, 2, 40_000), "model": rng.random(40_000)})
    pq.write_table(table, path, row_group_size=10_000, compression="zstd")
    chunk = pq.ParquetFile(path).metadata.row_group(3).column(1)
    content = bytearray(path.read_bytes())
    begin = chunk.dictionary_page_offset or chunk.data_page_offset
    content[begin + 40 : begin + 400] = bytes(360)
    path.write_bytes(content)
    assert refused([path], batch_rows=10_000).startswith(f"{path}: cannot be read after 30,000 rows: ")
    path = tmp_path / "x.parquet"
    pq.write_table(TABLE, path)
    whole = pq.ParquetFile.iter_batches
    monkeypatch.setattr(
        pq.ParquetFile, "iter_batches", lambda self, **asked: (b.slice(1) for b in whole(self, **asked))
    )
    assert refused([path]) == f"{path}: ends after 2 rows, but its footer says 3"


def test_folders_are_columns(tmp_path):
    for month in (2, 10):
        for carrier in ("A B", "c%2Fd"):
            (tmp_path / f"month={month}/carrier={carrier}").mkdir(parents=True)
            pq.write_table(TABLE, tmp_path / f"month={month}/carrier={carrier}/x.parquet")
    files = sorted(map(str, tmp_path.rglob("*.parquet")))
    found = read(files, Selection(("late", "month", "carrier")))
    assert found["month"] == [10] * 6 + [2] * 6
    assert found["carrier"] == (["A B"] * 3 + ["c/d"] * 3) * 2
    months = Selection(("month",))
    assert common_schema(inspect_files(files, months), months).field("month").type == pa.int32()


def test_folders_are_numbers_only_if_all_are_written_as_such(tmp_path):
    told = {"k=1/x.parquet": {"k": "1"}, "k=two/x.parquet": {"k": "two"}, "j=3/k=1/x.parquet": {"j": 3, "k": "1"}}
    told["x.parquet"] = {}
    assert folder_columns([*told]) == told
    assert list(folder_columns(["n=1/x.parquet", "n=01/x.parquet"]).values()) == [{"n": "1"}, {"n": "01"}]


def test_a_column_of_a_folder_is_in_no_file_and_in_every_folder(tmp_path):
    (tmp_path / "model=7").mkdir()
    (tmp_path / "late=__HIVE_DEFAULT_PARTITION__").mkdir()
    pq.write_table(TABLE, tmp_path / "model=7/x.parquet")
    path = tmp_path / "model=7/x.parquet"
    message = "column 'model' is in the file and in the name of its folder (model=7); rename one of them"
    assert refused([path]) == f"{path}: {message}"
    assert read([str(path)], Selection(("late",)))["late"] == [1, 0, 1]
    path = tmp_path / "late=__HIVE_DEFAULT_PARTITION__/x.parquet"
    pq.write_table(TABLE.drop_columns("late"), path)
    assert refused([path]) == f"{path}: nulls in column 'late', the first at index 0 (from 0)"
    (tmp_path / "month=7").mkdir()
    files = [str(tmp_path / "month=7/x.parquet"), str(tmp_path / "x.parquet")]
    for path in files:
        pq.write_table(TABLE, path)
    assert refused(files, Selection(("late", "month"))).startswith(f"{files[1]}: no column 'month'; ")


def whole(path, selection=SELECTION):
    """Return the columns of a table as lists."""
    return {name: values.tolist() for name, values in read_table(str(path), selection, Bar(lambda *_: None)).items()}


def test_a_table_is_a_file_or_all_files_of_a_folder_or_a_glob(tmp_path):
    for month in (1, 2):
        (tmp_path / f"month={month}").mkdir()
        pq.write_table(TABLE, tmp_path / f"month={month}/x.parquet")
    once = {name: TABLE[name].to_pylist() for name in SELECTION.names}
    twice = {name: values * 2 for name, values in once.items()}
    assert whole(tmp_path) == whole(tmp_path / "*/*.parquet") == twice
    assert whole(tmp_path / "month=2/x.parquet") == once
    months = Selection(("late", "month"))
    assert whole(tmp_path, months) == {"late": twice["late"], "month": [1] * 3 + [2] * 3}
    assert whole(tmp_path / "month=2/x.parquet", months) == {"late": once["late"], "month": [2] * 3}
    np.savez(tmp_path / "month=2" / "x.npz", late=np.arange(2), model=np.ones(2))
    assert whole(tmp_path / "month=2/x.npz") == {"late": [0, 1], "model": [1.0, 1.0]}


def test_a_table_of_several_files_has_the_rows_that_meet_a_condition_and_some_rows(tmp_path):
    for name in "ab":
        pq.write_table(TABLE, tmp_path / f"{name}.parquet")
    chosen = SELECTION._replace(rows=RowFilter(Rows(where="other = 'c'"), str))
    assert whole(tmp_path, chosen) == {"late": [1, 1], "model": [1.0, 1.0]}
    with pytest.raises(EvaluationError, match=r"^.*: none of 6 rows meets where other = 'd'$"):
        whole(tmp_path, SELECTION._replace(rows=RowFilter(Rows(where="other = 'd'"), str)))
    for name in "ab":
        pq.write_table(TABLE.slice(0, 0), tmp_path / f"{name}.parquet")
    with refused_exactly(f"{tmp_path}: there are no rows"):
        whole(tmp_path)
    with pytest.raises(EvaluationError, match="no such file"):
        whole(tmp_path / "c.parquet")


@every("order", [["f", "d"], ["d", "f"], ["f", "i"]])
def test_a_threshold_that_narrow_and_wide_scores_decide_differently_is_refused(tmp_path, order):
    kinds = {"f": pa.float32(), "d": pa.float64(), "i": pa.int64()}
    for name in order:
        scores = pa.array([1, 0], kinds[name])
        pq.write_table(pa.table({"late": [1, 0], "model": scores, "w": scores}), tmp_path / f"{name}.parquet")
    files = [str(tmp_path / f"{name}.parquet") for name in order]
    found = inspect_files(files, SELECTION)

    def schema(*thresholds, column="model"):
        return common_schema(found, SELECTION._replace(thresholds={column: thresholds}))

    message = (
        f"{tmp_path}/f.parquet: column 'model' holds float32, which other files widen to float64, and the threshold "
        "0.9 is another number in float32; convert the files to one type, or give a threshold that float32 holds, such "
        "as 0.8999999761581421"
    )
    with refused_exactly(message):
        schema(0.5, 0.9)
    for allowed in (schema(0.5, 0.8999999761581421, 1e300), schema(0.9, column="w"), schema()):
        assert allowed.field("model").type == pa.float64()


NEW_YORK = ZoneInfo("America/New_York")
TIMES = [
    datetime.datetime(2013, 11, 3, 1, 30, fold=1, tzinfo=NEW_YORK),
    datetime.datetime(2013, 11, 3, 1, 30, tzinfo=NEW_YORK),
    datetime.datetime(2013, 11, 4, tzinfo=NEW_YORK),
    datetime.datetime(2013, 11, 3, 1, 30, tzinfo=NEW_YORK),
]
HOURS = ["2013-11-03T01:30-04:00", "2013-11-03T01:30-05:00", "2013-11-04T00:00-05:00"]
CELLS = {"late": [1, 0, 1, 0], "model": [0.9, 0.1, 0.4, 0.3]}


def asked(times):
    return evaluate(pa.table({**CELLS, "time": times}), label="late", score="model", by="time")


@every("unit", ["s", "ms", "us", "ns"])
def test_an_hour_that_comes_twice_is_two_groups_in_the_order_of_time(unit):
    found = asked(pa.array(TIMES, pa.timestamp(unit, "America/New_York")))
    assert list(found.sections[0].records) == [HOURS[0], HOURS[1], HOURS[2], "total"]
    shown = shown_groups(found.sections)
    assert (shown.names, shown.rule) == (HOURS, "Groups are in the order of time.")


OFFSETS = {
    "UTC": "1970-01-01T00:01:30Z",
    "Asia/Kolkata": "1970-01-01T05:31:30+05:30",
    "+02:00": "1970-01-01T02:01:30+02:00",
    "-03:30": "1969-12-31T20:31:30-03:30",
}


@every("zone", OFFSETS)
def test_names_have_the_offset_of_the_zone(zone):
    assert zoned_texts(pa.array([90], pa.timestamp("s", zone))).tolist() == [OFFSETS[zone]]


def test_times_east_of_greenwich_are_in_the_order_of_time_and_others_have_no_offset():
    berlin = ZoneInfo("Europe/Berlin")
    twice = [datetime.datetime(2013, 10, 27, 2, 30, fold=fold, tzinfo=berlin) for fold in (1, 0, 1, 0)]
    found = asked(pa.array(twice, pa.timestamp("s", "Europe/Berlin")))
    assert shown_groups(found.sections).names == ["2013-10-27T02:30+02:00", "2013-10-27T02:30+01:00"]
    times = pa.array([0, 0, 60, 60], pa.timestamp("s"))
    assert asked(times).sections[0].groups == ["1970-01-01", "1970-01-01T00:01"]


def test_files_batches_and_frames_agree(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = pa.table({**CELLS, "time": pa.array(TIMES, pa.timestamp("us", "America/New_York"))})
    frame = evaluate(pd.DataFrame(table.to_pandas()), label="late", score="model", by="time")
    assert frame == asked(table["time"])
    pq.write_table(table, "whole.parquet")
    for index in range(2):
        pq.write_table(table.slice(2 * index, 2), f"part{index}.parquet")
    for files in (["whole.parquet"], ["part0.parquet", "part1.parquet"]):
        asked_for = ["--label", "late", "--score", "model", "--by", "time", "--format", "json"]
        outcome = CliRunner().invoke(main, ["report", *files, *asked_for])
        assert outcome.exit_code == 0, outcome.stderr
        assert json.loads(outcome.stdout)["scores"] == json.loads(frame.to_json())["scores"]
