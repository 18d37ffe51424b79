"""The command reads files whose names do not tell their format, and cells between any sign."""

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from evalcore.cli import main
from tests.differences import every

ASKED = ("--label", "late", "--score", "model")
ROWS = [("late", "model"), ("1", "0.5"), ("0", "0.25"), ("1", "0.75")]
SEMICOLONS = "\n".join(map(";".join, ROWS)) + "\n"


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *arguments, **more: CliRunner().invoke(main, ["report", *arguments], prog_name="evalcore", **more)


def cases(outcome):
    assert outcome.exit_code == 0, outcome.stderr
    return json.loads(outcome.stdout)["scores"]["model"]["cases"]


def refused(outcome):
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    return outcome.stderr.removeprefix("evalcore: ").removesuffix("\n")


@every("given", [";", "|", "tab", "\\t", "\t", " ", "/"])
def test_cells_may_stand_between_any_sign(run, tmp_path, given):
    sign = {"tab": "\t", "\\t": "\t"}.get(given, given)
    (tmp_path / "x.csv").write_text("\n".join(map(sign.join, ROWS)) + "\n")
    (tmp_path / "empty.csv").write_text(sign.join(ROWS[0]) + "\n")
    for files in (["x.csv"], ["x.csv", "empty.csv"]):
        assert cases(run(*files, *ASKED, "--delimiter", given, "--format", "json")) == 3


@every("given", ["", ";;", "a", "0", '"', "\n", "\4", ".", "-", "é"])
def test_other_delimiters_are_refused(run, tmp_path, given):
    (tmp_path / "x.csv").write_text(SEMICOLONS)
    found = refused(run("x.csv", *ASKED, f"--delimiter={given}"))
    assert json.dumps(found, ensure_ascii=False) == json.dumps(
        f"--delimiter must be one ASCII sign such as ';' or '|', or tab, got {given!r}", ensure_ascii=False
    )


@every("name", ["x.txt", "x", "x.data", "x.txt.gz", "x.csv.parquet"])
def test_the_format_of_any_name_can_be_given(run, tmp_path, name):
    data = SEMICOLONS.replace(";", "\t").encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    assert cases(run(name, *ASKED, "--input-format", "tsv", "--format", "json")) == 3
    assert cases(run(name, *ASKED, "--input-format", "CSV", "--delimiter", "tab", "--format", "json")) == 3


def test_a_delimiter_tells_that_a_file_is_text(run, tmp_path):
    (tmp_path / "x.txt").write_text(SEMICOLONS)
    assert cases(run("x.txt", *ASKED, "--delimiter", ";", "--format", "json")) == 3
    assert cases(run("-", *ASKED, "--delimiter", ";", "--format", "json", input=SEMICOLONS)) == 3


def test_files_of_several_endings_have_one_format_if_it_is_given(run, tmp_path):
    for name in ("a.parquet", "b", "c.txt"):
        pq.write_table(pa.table({"late": [1, 0, 1], "model": [0.5, 0.25, 0.75]}), tmp_path / name)
    asked = ("b", "c.txt", "a.parquet", *ASKED, "--input-format", "parquet", "--format", "json")
    assert cases(run(*asked)) == 9
    assert cases(run(*asked, "--checkpoint", "run")) == 9


def test_a_delimiter_needs_text(run, tmp_path):
    pq.write_table(pa.table({"late": [1, 0], "model": [0.5, 0.25]}), tmp_path / "x.parquet")
    message = "x.parquet: --delimiter is for CSV and TSV, and the format is parquet"
    assert refused(run("x.parquet", *ASKED, "--delimiter", ";")) == message


def test_contingency_reads_them_too(tmp_path):
    (tmp_path / "x.txt").write_text("given;right\na,b;a\n")
    asked = ["--assigned", "given", "--correct", "right", "--input-format", "csv", "--delimiter", ";"]
    outcome = CliRunner().invoke(main, ["contingency", str(tmp_path / "x.txt"), *asked])
    assert outcome.exit_code == 0, outcome.stderr
