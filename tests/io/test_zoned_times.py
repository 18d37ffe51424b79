"""Times of a time zone: groups have local names with the offset, and stand in the order of time."""

import datetime
import json
from zoneinfo import ZoneInfo

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner

from evalcore import evaluate
from evalcore.cli import main
from evalcore.io.columns import zoned_texts
from evalcore.report.grouping import shown_groups
from tests.differences import every

NEW_YORK = ZoneInfo("America/New_York")
TIMES = [
    datetime.datetime(2013, 11, 3, 1, 30, fold=1, tzinfo=NEW_YORK),
    datetime.datetime(2013, 11, 3, 1, 30, tzinfo=NEW_YORK),
    datetime.datetime(2013, 11, 4, tzinfo=NEW_YORK),
    datetime.datetime(2013, 11, 3, 1, 30, tzinfo=NEW_YORK),
]
NAMES = ["2013-11-03T01:30-04:00", "2013-11-03T01:30-05:00", "2013-11-04T00:00-05:00"]
CELLS = {"late": [1, 0, 1, 0], "model": [0.9, 0.1, 0.4, 0.3]}


def asked(times):
    return evaluate(pa.table({**CELLS, "time": times}), label="late", score="model", by="time")


@every("unit", ["s", "ms", "us", "ns"])
def test_an_hour_that_comes_twice_is_two_groups_in_the_order_of_time(unit):
    found = asked(pa.array(TIMES, pa.timestamp(unit, "America/New_York")))
    assert list(found.sections[0].records) == [NAMES[0], NAMES[1], NAMES[2], "total"]
    shown = shown_groups(found.sections)
    assert (shown.names, shown.rule) == (NAMES, "Groups are in the order of time.")


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
        outcome = CliRunner().invoke(
            main, ["report", *files, "--label", "late", "--score", "model", "--by", "time", "--format", "json"]
        )
        assert outcome.exit_code == 0, outcome.stderr
        assert json.loads(outcome.stdout)["scores"] == json.loads(frame.to_json())["scores"]
