"""Paths and URLs name files once, in their order; what they name is opened by how it begins."""

import gzip
import io
import json
import os
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from pyarrow import fs

from evalcore import EvaluationError, MissingLibraryError
from evalcore.cli import main
from evalcore.cli.output import title_of
from evalcore.evaluation.progress import Bar
from evalcore.io import opening as remote
from evalcore.io.columns import Selection
from evalcore.io.datasets import expand_paths
from evalcore.io.formats import Reading, is_read_once
from evalcore.io.opening import Source
from evalcore.io.readers import read_columns, table_batches, table_contents
from tests.differences import every, recorded, refused
from tests.io.written import PACKED

FILES = (
    "d/month=2/b.parquet", "d/month=1/a.parquet", "d/month=10/c.parquet", "d/_SUCCESS", "d/.hidden.parquet",
    "d/_temporary/part.parquet", "d/notes.txt", "x1.parquet", "x2.parquet", "a[1].parquet", "one.csv", "two.csv",
    "one.npz", "more.tsv", "book.XLSX", "mixed/a.csv", "mixed/b.parquet", "mixed/c.csv.gz", "spark/_SUCCESS",
    "spark/.part-1.csv.crc", "spark/part-0.csv", "spark/part-1.csv", "hadoop/part-0", "hadoop/part-1", "x.parquet.gz",
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


IN_FOLDER = ["d/month=1/a.parquet", "d/month=10/c.parquet", "d/month=2/b.parquet"]


@every(
    ("paths", "found"),
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
)
def test_files_come_once_in_the_order_of_their_names(files, paths, found):
    assert [Path(path).as_posix() for path in expand_paths(paths)] == found


@every(
    ("reading", "paths", "found"),
    (Reading("csv"), ["mixed"], ["mixed/a.csv", "mixed/c.csv.gz"]),
    (Reading("parquet"), ["mixed"], ["mixed/b.parquet"]),
    (Reading("tsv"), ["hadoop"], ["hadoop/part-0", "hadoop/part-1"]),
    (Reading(delimiter=";"), ["mixed"], ["mixed/a.csv", "mixed/c.csv.gz"]),
)
def test_the_format_chooses_among_the_files_of_a_folder(files, reading, paths, found):
    assert [Path(path).as_posix() for path in expand_paths(paths, reading)] == found
    with pytest.raises(EvaluationError, match="mixed: this folder has no file of the format npz"):
        expand_paths(["mixed"], Reading("npz"))


def test_a_link_is_its_file_and_what_can_be_read_once_is_known(files, tmp_path, pipe):
    (files / "y.parquet").symlink_to(files / "x1.parquet")
    assert expand_paths(["y.parquet", "x1.parquet"]) == ["x1.parquet"]
    assert expand_paths(["y.parquet", "x2.parquet", "x1.parquet"]) == ["x1.parquet", "x2.parquet"]
    path = tmp_path / "x.csv"
    path.touch()
    once = ["-", "/dev/stdin", "/dev/fd/63", "/dev/null", pipe(b"x")]
    assert all(map(is_read_once, once))
    assert not any(map(is_read_once, [str(path), str(tmp_path), "nowhere", "/dev/shm/x.parquet"]))
    Source(once[-1]).stream().read()


@every(("paths", "message"), recorded("io/outputs/refused_paths.txt"))
def test_paths_without_files_or_with_incompatible_files_are_refused(files, paths, message):
    with refused(message):
        expand_paths(paths.split())


def test_a_folder_that_cannot_be_read(files, monkeypatch):
    scandir = os.scandir

    def guarded(path):
        if str(path).endswith("month=1"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", guarded)
    with pytest.raises(EvaluationError, match="month=1: cannot be read: Permission denied"):
        expand_paths(["d"])


TEXT = b"late,model\n1,0.5\n0,0.25\n" * 10_000


def as_stdin(monkeypatch, data):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.fixture
def pipe(tmp_path):
    """Return a function that writes bytes to a named pipe, a few at first, and returns its name."""

    def written(data):
        path = str(tmp_path / f"{len(os.listdir(tmp_path))}.fifo")
        os.mkfifo(path)

        def write():
            with open(path, "wb", buffering=0) as file:
                file.write(data[:1])
                file.write(data[1:3])
                file.write(data[3:])

        threading.Thread(target=write, daemon=True).start()
        return path

    return written


@every("kind", PACKED)
def test_bytes_are_decompressed_by_how_they_begin_whatever_the_name(tmp_path, kind):
    path = tmp_path / "x.csv"
    path.write_bytes(PACKED[kind](TEXT))
    assert Source(str(path)).stream().read() == TEXT
    assert Source(str(path)).seekable().read() == TEXT
    source = Source(str(path))
    assert [source.first_bytes(4), source.first_bytes(2), source.stream().read(4)] == [b"late", b"la", b"late"]
    assert source.compression == (None if kind == "plain" else kind)
    path.write_bytes(PACKED[kind](TEXT[:11]) + PACKED[kind](TEXT[11:]))  # several parts are one file
    assert Source(str(path)).stream().read() == TEXT


@every("kind", PACKED)
def test_a_pipe_gives_its_first_bytes_again(pipe, monkeypatch, kind):
    source = Source(pipe(PACKED[kind](TEXT)))
    assert (source.is_repeatable, source.size()) == (False, None)
    assert source.first_bytes(4) == b"late"
    assert source.first_bytes(6) == b"late,m"
    assert source.stream().read() == TEXT
    as_stdin(monkeypatch, PACKED[kind](TEXT))
    assert Source("-").seekable().read() == TEXT


def test_text_is_text_and_progress_counts_bytes_as_they_are_stored(tmp_path):
    path = tmp_path / "x.csv"
    for text in (b"BZh,model\n", b"", b"l", b"BZh9 and more"):
        path.write_bytes(text)
        assert Source(str(path)).stream().read() == text
    packed, seen = gzip.compress(TEXT), []
    (tmp_path / "x").write_bytes(packed)
    Source(str(tmp_path / "x"), lambda done, total: seen.append((done, total))).stream().read()
    assert seen[-1] == (len(packed), len(packed))


def test_standard_input_that_is_closed_or_a_pipe_that_does_not_block_is_not_waited_for(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(EvaluationError, match="standard input is closed"):
        Source("-").stream()
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.write(writing, TEXT[:1000])
    with open(reading, "rb") as file, open(writing, "wb"):  # open still: more may be written
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(file))
        with pytest.raises(EvaluationError, match=r"^there is nothing to read yet, and the pipe does not block; write"):
            Source("-").stream().read()


CSV = b"late,model\n1,0.5\n0,0.25\n"


@pytest.fixture(scope="module")
def bucket():
    """Fill a file system in memory, and return its URL."""
    table = pa.table({"late": [1, 0], "model": [0.5, 0.25]})
    with fsspec.open("memory://bucket/x.parquet", "wb") as file:
        pq.write_table(table, file)
    for name in ("a.csv", "b 1.csv", "d/month=1/a.csv", "d/month=2/b.csv", "d/_SUCCESS", "d/.hidden/c.csv"):
        with fsspec.open(f"memory://bucket/{name}", "wb") as file:
            file.write(CSV)
    with fsspec.open("memory://bucket/c.csv.gz", "wb") as file:
        file.write(gzip.compress(CSV))
    return "memory://bucket/"


class PlainHandler(SimpleHTTPRequestHandler):
    """Serves files without ranges, as simple servers do."""

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(tmp_path):
    """Serve a folder on this machine, and return its URL."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(PlainHandler, directory=str(tmp_path))) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{served.server_address[1]}/"
        served.shutdown()


def columns(path):
    found = read_columns(path, Selection(("late", "model"), numbers=("late", "model")), Bar(lambda *shown: None))
    return {name: values.tolist() for name, values in found.items()}


READ = {"late": [1, 0], "model": [0.5, 0.25]}
IN_BUCKET = ["d/month=1/a.csv", "d/month=2/b.csv"]


@every(
    ("path", "found"),
    ("x.parquet", ["x.parquet"]),
    ("b 1.csv", ["b 1.csv"]),
    ("*.csv", ["a.csv", "b 1.csv"]),
    ("?.csv*", ["a.csv", "c.csv.gz"]),
    ("[ac].csv*", ["a.csv", "c.csv.gz"]),
    ("d", IN_BUCKET),
    ("d/", IN_BUCKET),
    ("d/month=*", IN_BUCKET),
    ("d/*/b.csv", IN_BUCKET[1:]),
    ("**/b*.csv", ["b 1.csv", "d/month=2/b.csv"]),
)
def test_urls_name_files_globs_and_folders(bucket, path, found):
    assert expand_paths([bucket + path]) == [bucket + name for name in found]
    assert all(columns(bucket + name) == READ for name in found)


def test_urls_that_name_nothing_are_refused_and_others_read_in_batches(bucket):
    with pytest.raises(EvaluationError, match=r"^memory://bucket/z\*.csv: no file matches$"):
        expand_paths([bucket + "z*.csv"])
    with pytest.raises(EvaluationError, match=r"^memory://bucket/z.csv: no such file$"):
        columns(bucket + "z.csv")
    for name in ("x.parquet", "a.csv", "c.csv.gz"):
        selection = Selection(("late", "model"), numbers=("late", "model"))
        assert table_contents(bucket + name, selection).rows == 2
        (batch,) = table_batches(bucket + name, ["late", "model"], selection)
        assert batch.to_pydict() == READ
    assert Source(bucket + "a.csv").size() == len(CSV)


@pytest.mark.process
def test_files_of_a_web_server(server, tmp_path):
    (tmp_path / "a.csv").write_bytes(CSV)
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(CSV))
    pq.write_table(pa.table(READ), tmp_path / "x.parquet")
    for name in ("a.csv", "b.csv.gz", "x.parquet", "x.parquet?key=a.b"):
        assert expand_paths([server + name]) == [server + name]
        assert columns(server + name) == READ
    assert expand_paths([server + "*.csv*"]) == [server + "a.csv", server + "b.csv.gz"]
    assert Source(server + "a.csv").size() == len(CSV)
    with pytest.raises(EvaluationError, match=r"nowhere.csv: no such file$"):
        columns(server + "nowhere.csv")
    with pytest.raises(EvaluationError, match=r"^http://127.0.0.1:1/x.csv: cannot be read: .*[Cc]onnect"):
        columns("http://127.0.0.1:1/x.csv")


def test_the_file_systems_of_pyarrow_read_their_schemes(tmp_path, monkeypatch):
    (tmp_path / "bucket/d").mkdir(parents=True)
    (tmp_path / "bucket/d/x 1.csv").write_bytes(CSV)
    asked = []

    def from_uri(url):
        asked.append(url)
        return fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem()), "bucket/"

    monkeypatch.setattr("evalcore.io.opening._file_system", remote._file_system.__wrapped__)
    monkeypatch.setattr(
        remote, "fs", SimpleNamespace(FileSystem=SimpleNamespace(from_uri=from_uri), FileType=fs.FileType)
    )
    for named in ("d", "*/*.csv", "d/x?1.csv"):
        assert expand_paths([f"s3://bucket/{named}"]) == ["s3://bucket/d/x 1.csv"]
    options = "?region=eu&scheme=http"
    assert expand_paths([f"gs://bucket/d{options}"]) == [f"gs://bucket/d/x 1.csv{options}"]
    assert columns(f"gs://bucket/d/x 1.csv{options}") == READ
    assert {"s3://bucket/", f"gs://bucket/{options}"} == set(asked)


def test_reports_of_urls_hide_their_keys(bucket):
    def scores(*asked):
        as_json = ["--label", "late", "--score", "model", "--format", "json"]
        outcome = CliRunner().invoke(main, ["report", *asked, *as_json])
        assert outcome.exit_code == 0, outcome.stderr
        return json.loads(outcome.stdout)

    whole = scores(bucket + "d", "--by", "month")
    assert list(whole["scores"]["model"]) == ["1", "2", "total"]
    assert scores(bucket + "a.csv")["file"] == "memory://bucket/a.csv"
    assert title_of(["https://me:secret@host:80/x.csv?signature=secret"]) == "https://host:80/x.csv"


def test_what_a_scheme_needs_is_said(monkeypatch):
    with pytest.raises(EvaluationError, match=r"^tape://x.csv: tape:// cannot be read; copy the file to this machine"):
        expand_paths(["tape://x.csv"])
    with pytest.raises(EvaluationError, match=r"^sftp://h/x.csv: sftp:// needs another library: .*paramiko"):
        expand_paths(["sftp://h/x.csv"])

    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingLibraryError, match=r"fsspec is not installed; pip install 'evalcore-metrics\[remote\]'"):
        expand_paths(["https://other/x.csv"])
