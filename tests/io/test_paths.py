"""Names, globs and folders become files, each once, in one order; what names none says so."""

import os
from pathlib import Path

import pytest

from evalcore import EvaluationError
from evalcore.io.datasets import expand_paths
from evalcore.io.formats import FORMATS, Reading
from tests.differences import every

FILES = (
    "d/month=2/b.parquet", "d/month=1/a.parquet", "d/month=10/c.parquet", "d/_SUCCESS", "d/.hidden.parquet",
    "d/_temporary/part.parquet", "d/notes.txt", "x1.parquet", "x2.parquet", "a[1].parquet", "one.csv", "two.csv",
    "one.npz", "more.tsv", "book.XLSX", "mixed/a.csv", "mixed/b.parquet", "mixed/c.csv.gz", "spark/_SUCCESS",
    "spark/.part-1.csv.crc", "spark/part-0.csv", "spark/part-1.csv", "hadoop/part-0", "hadoop/part-1",
)  # fmt: skip


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in FILES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "empty").mkdir()
    return tmp_path


OTHER_NAME = f"the name must end in one of {' '.join(FORMATS)}; give the format of other names (--input-format FORMAT)"
CHOOSE = "choose one (--input-format FORMAT)"
NAMED = OTHER_NAME.replace("the name must end", "whose name ends", 1)
IN_FOLDER = ["d/month=1/a.parquet", "d/month=10/c.parquet", "d/month=2/b.parquet"]


@every(
    ("paths", "found"),
    [
        (["x2.parquet", "x1.parquet"], ["x1.parquet", "x2.parquet"]),
        (["x*.parquet"], ["x1.parquet", "x2.parquet"]),
        (["x?.parquet", "x1.parquet", "./x1.parquet"], ["x1.parquet", "x2.parquet"]),
        (["d"], IN_FOLDER),
        (["d/**/*.parquet"], IN_FOLDER),
        (["d/month=*"], IN_FOLDER),
        (["d/month=*", "d/month=1/a.parquet"], IN_FOLDER),
        (["a[1].parquet"], ["a[1].parquet"]),
        (["*.csv"], ["one.csv", "two.csv"]),
        (["spark"], ["spark/part-0.csv", "spark/part-1.csv"]),
        (["spar*"], ["spark/part-0.csv", "spark/part-1.csv"]),
        (["one.npz"], ["one.npz"]),
        (["-"], ["-"]),
    ],
)
def test_files_come_once_in_the_order_of_their_names(files, paths, found):
    assert [Path(path).as_posix() for path in expand_paths(paths)] == found


@every(
    ("reading", "paths", "found"),
    [
        (Reading("csv"), ["mixed"], ["mixed/a.csv", "mixed/c.csv.gz"]),
        (Reading("parquet"), ["mixed"], ["mixed/b.parquet"]),
        (Reading("tsv"), ["hadoop"], ["hadoop/part-0", "hadoop/part-1"]),
        (Reading(delimiter=";"), ["mixed"], ["mixed/a.csv", "mixed/c.csv.gz"]),
    ],
)
def test_the_format_chooses_among_the_files_of_a_folder(files, reading, paths, found):
    assert [Path(path).as_posix() for path in expand_paths(paths, reading)] == found
    with pytest.raises(EvaluationError, match="mixed: this folder has no file of the format npz"):
        expand_paths(["mixed"], Reading("npz"))


def test_a_link_to_a_file_is_the_file(files):
    (files / "y.parquet").symlink_to(files / "x1.parquet")
    assert expand_paths(["y.parquet", "x1.parquet"]) == ["x1.parquet"]
    assert expand_paths(["y.parquet", "x2.parquet", "x1.parquet"]) == ["x1.parquet", "x2.parquet"]


@every(
    ("paths", "message"),
    [
        (["nowhere.parquet"], "nowhere.parquet: no such file"),
        (["x1.parquet", "nowhere.parquet"], "nowhere.parquet: no such file"),
        (["y*.parquet"], "y*.parquet: no file matches"),
        (["d/_*"], "d/_*: no file matches"),
        (["empty"], f"empty: this folder has no file {NAMED}"),
        (["mixed"], f"mixed: this folder has files of several formats (csv, parquet); {CHOOSE}"),
        (["empt*"], "empt*: no file matches"),
        (["x1.parquet", "one.csv"], "x1.parquet: several files must have one format, and one.csv has another"),
        (
            ["x1.parquet", "d/notes.txt"],
            f"d/notes.txt: {OTHER_NAME}",
        ),
        (["d/notes.txt"], f"d/notes.txt: {OTHER_NAME}"),
        (["book.XLSX"], "book.XLSX: spreadsheets are not read; save the sheet as CSV with decimal points"),
        (["one.npz", "x1.parquet"], "one.npz: an NPZ file must be the only file"),
        (["x1.parquet", "-"], "standard input (-) must be the only file; write it to a file first"),
        (["one.csv", "/dev/null"], "/dev/null: a pipe must be the only file; write it to a file first"),
    ],
)
def test_paths_without_files_or_with_incompatible_files_are_refused(files, paths, message):
    with pytest.raises(EvaluationError) as raised:
        expand_paths(paths)
    assert str(raised.value) == message


def test_a_folder_that_cannot_be_read(files, monkeypatch):
    scandir = os.scandir

    def guarded(path):
        if str(path).endswith("month=1"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", guarded)
    with pytest.raises(EvaluationError, match="month=1: cannot be read: Permission denied"):
        expand_paths(["d"])
