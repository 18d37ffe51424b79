"""Files, folders and globs of URLs are read as those of this machine."""

import gzip
import json
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
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
from evalcore.io.opening import Source
from evalcore.io.readers import read_columns, table_batches, table_contents
from tests.differences import every

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
IN_FOLDER = ["d/month=1/a.csv", "d/month=2/b.csv"]


@every(
    ("path", "found"),
    ("x.parquet", ["x.parquet"]),
    ("b 1.csv", ["b 1.csv"]),
    ("*.csv", ["a.csv", "b 1.csv"]),
    ("?.csv*", ["a.csv", "c.csv.gz"]),
    ("[ac].csv*", ["a.csv", "c.csv.gz"]),
    ("d", IN_FOLDER),
    ("d/", IN_FOLDER),
    ("d/month=*", IN_FOLDER),
    ("d/*/b.csv", IN_FOLDER[1:]),
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
