"""`evalcore` keeps to its memory limit, and refuses small files that unpack to large ones."""

import gzip
import io
import re
import subprocess
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow.csv import write_csv

from evalcore import EvaluationError
from evalcore.io import trec
from evalcore.io.trec import read_run
from tests.cli.command import command
from tests.differences import every
from tests.peak_memory import needs_proc, peak_of, refusal_of

ASKED = "--label", "late", "--score", "score"
MOST = "must have at most 16,777,216 bytes, got more; write each row on a line of its own"
LINES = {
    "row.csv.gz": (b"late,score\n1,0.5\n0,0.", "line 3: takes more than 4,194,304 bytes; is a quote not closed there,"
    " or is the delimiter another one (--delimiter)?"),
    "header.csv.gz": (b"late,score,", f"line 1 {MOST}"),
    "row.jsonl.gz": (b'{"late": 1, "score": 0.5}\n{"late": 0, "score": 0.', f"line 2 {MOST}"),
}  # fmt: skip
SHORT = {"late": [0, 1] * 50, "score": np.linspace(0, 1, 100)}


def write_line(path, begin, size):
    with gzip.open(path, "wb", 1) as file:
        file.write(begin)
        for _ in range(size >> 20):
            file.write(b"1" * (1 << 20))
    return path


def write_zeros(path, rows, **dtypes):
    """Write an NPZ file of arrays of zeros, which no memory holds."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, dtype in dtypes.items():
            header = io.BytesIO()
            described = {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": (rows,)}
            np.lib.format.write_array_header_2_0(header, described)
            with archive.open(f"{name}.npy", "w") as file:
                file.write(header.getvalue())
                for _ in range(rows * np.dtype(dtype).itemsize >> 20):
                    file.write(bytes(1 << 20))
    return path


@every("name", list(LINES))
def test_a_line_that_is_too_long_is_refused(tmp_path, name):
    begin, message = LINES[name]
    path = write_line(tmp_path / name, begin, 17 << 20)
    outcome = command("report", path, *ASKED)
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert outcome.stderr.startswith(f"evalcore: {path}: {message}")


def test_a_line_of_a_run_that_is_too_long_is_refused(tmp_path, monkeypatch):
    path = write_line(tmp_path / "run.gz", b"7 Q0 d1 1 0.5 a\n" * 10 + b"7 Q0 d", 17 << 20)
    monkeypatch.setattr(trec, "_BLOCK_BYTES", 100)
    with pytest.raises(EvaluationError, match=re.escape(f"{path}: line 11 {MOST}")):
        read_run(str(path))


@pytest.mark.process
@needs_proc
@every("name", list(LINES))
def test_a_line_does_not_take_more_memory_than_is_allowed(tmp_path, name):
    begin, message = LINES[name]
    found, peak = refusal_of("report", write_line(tmp_path / name, begin, 400 << 20), *ASKED, "--memory", "256M")
    assert message in found
    assert peak <= 1.5 * 256_000_000


@pytest.mark.process
@needs_proc
def test_arrays_are_not_unpacked_beyond_the_memory_that_is_allowed(tmp_path):
    path = write_zeros(tmp_path / "x.npz", 25_000_000, late=np.int64, score=np.float64)
    found, peak = refusal_of("report", path, *ASKED, "--memory", "256M")
    assert found == (
        f"evalcore: {path}: 25,000,000 rows of a file that is read whole take 2.1 GB, and the limit is 256 MB, of "
        "which the program takes 160 MB; allow more memory (--memory SIZE), or write Parquet, which is read in batches"
    )
    assert peak <= 256_000_000


@every("dtype", ["U500", "S2000"])
def test_texts_of_arrays_take_as_much_as_the_longest(tmp_path, dtype):
    path = write_zeros(tmp_path / "x.npz", 30_000, late=dtype, score=">f8")
    outcome = command("report", path, *ASKED, "--memory", "256M")
    assert outcome.stderr.startswith(f"evalcore: {path}: 30,000 rows of a file that is read whole take 15")


def test_comparisons_refuse_arrays_that_exceed_the_memory(tmp_path):
    for name in ("old", "new"):
        write_zeros(tmp_path / f"{name}.npz", 2_000_000, id=np.int64, late=np.int8, score=np.float64)
    files = tmp_path / "old.npz", tmp_path / "new.npz"
    outcome = command("compare", *files, "--id", "id", *ASKED, "--memory", "256M")
    assert outcome.stderr == (
        "evalcore: the rows of 2 tables take at least 413 MB, more than the memory limit of 256 MB; allow more memory "
        "(--memory SIZE)\n"
    )
    assert (outcome.exit_code, outcome.stdout) == (2, "")


def test_arrays_take_memory_as_text_if_they_are_asked_for(tmp_path):
    path = tmp_path / "x.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("late.npy", bytes(100))
        archive.writestr("score.npy", bytes(100))
    assert f"{path}: cannot be read: the magic string is not correct" in command("report", path, *ASKED).stderr
    np.savez_compressed(tmp_path / "x.npz", **SHORT, other=np.zeros(30_000_000))
    assert command("report", tmp_path / "x.npz", *ASKED, "--memory", "256M").exit_code == 0
    path = write_zeros(tmp_path / "x.npz", 500_000, late=np.int64, score=np.float64)
    assert "read whole take 1" in command("report", path, *ASKED, "--as-text", "late", "--memory", "256M").stderr


SIZE = 900_000


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder, rng = tmp_path_factory.mktemp("large"), np.random.default_rng(0)
    late, order = rng.random(SIZE) < 0.2, rng.permutation(SIZE)
    old, new = (rng.random(SIZE) * 0.6 + late * 0.3 for _ in range(2))
    described = {
        "carrier": rng.choice(list("ABCDEFGH"), SIZE),
        "user": rng.integers(0, 50_000, SIZE),
        "day": rng.integers(0, 60, SIZE),
        "w": rng.integers(0, 5, SIZE) * 0.3,
    }
    tables = {
        "old": pa.table({"id": np.arange(SIZE), "late": late.astype(int), "score": old, **described}),
        "new": pa.table({"id": order, "score": new[order]}),
    }
    for name, table in tables.items():
        pq.write_table(table, folder / f"{name}.parquet")
        write_csv(table, folder / f"{name}.csv")
    return {kind: [str(folder / f"{name}.{kind}") for name in tables] for kind in ("parquet", "csv")}


def compared(files, *options):
    asked = ["--id", "id", "--label", "late", "--score", "score", "--threshold", "0.5"]
    return peak_of("compare", *files, *asked, *options)


@pytest.mark.process
@needs_proc
@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--where", "day < 40"),
        ("--by", "carrier", "--weight", "w", "--cluster", "user"),
        ("--method", "bootstrap", "--resamples", "20"),
    ],
)
@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_what_is_not_refused_takes_no_more_memory_than_is_allowed(files, kind, options):
    with pytest.raises(subprocess.CalledProcessError) as refused:
        compared(files[kind], *options, "--memory", "256M")
    needed = re.search(r"take at least (\d+) MB, more than the memory limit of 256 MB", refused.value.stderr)
    _, peak = compared(files[kind], *options, "--memory", f"{needed[1]}M")
    assert peak <= 1.2 * int(needed[1]) * 1_000_000
