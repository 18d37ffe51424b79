"""`evalcore report --checkpoint`: a run that was killed or stopped resumes, and ends like any other."""

import functools
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from evalcore.batched.checkpoint import Checkpoint
from evalcore.batched.row_buffer import RowBuffer
from evalcore.cli import main

FILES = 12
SIZE = 30_000
"""Together more rows than a summary holds scores."""
ASKED = ("--label", "late", "--score", "model", "--format", "json")
WAYS = {
    "certified": ("--memory", "300M", "--threshold", "0.5"),
    "certified groups": ("--memory", "300M", "--by", "carrier"),
    "exact": ("--by", "carrier"),
}
START = """
import os, sys
from evalcore.__main__ import main
from evalcore.batched import files, runner

runner._UNIT_ROWS = 1  # files are finished one by one
files.exact_bytes = lambda *asked: 10**8 if "--memory" not in sys.argv else 10**9
number, read, begun = int(sys.argv.pop(1)), runner._FileReader.read, []

def stopped_in_the_third(self, file, state):
    begun.append(file)
    finished = read(self, file, state)
    if number and len(begun) == 3:
        os.kill(os.getpid(), number)
    return finished

runner._FileReader.read = stopped_in_the_third
main()
"""
needs_unix = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rng = np.random.default_rng(11)
    path = tmp_path_factory.mktemp("data")
    for place in range(FILES):
        late = rng.random(SIZE) < 0.2
        carrier = pa.DictionaryArray.from_arrays(
            rng.integers(0, 5, SIZE).astype(np.int8), ["AA", "UA", "DL", "WN", "B6"]
        )
        table = pa.table({"late": late, "model": rng.normal(late), "carrier": carrier})
        pq.write_table(table, path / f"part-{place:02}.parquet", compression="none", use_dictionary=False)
    return path


@pytest.fixture
def copied(folder, tmp_path):
    """Return a folder of the same files, which may be changed."""
    path = tmp_path / "copy"
    path.mkdir()
    for file in folder.iterdir():
        os.link(file, path / file.name)
    return path


def command(folder, checkpoint, *options, number=0):
    """Return the command that runs, perhaps until a signal of this number comes when the third file is read."""
    started = [sys.executable, "-c", START, str(number), "report", str(folder)]
    return [*started, *ASKED, *options, "--checkpoint", str(checkpoint)]


@pytest.fixture(scope="module")
def expected(folder, tmp_path_factory):
    """Return what runs print that nobody stops, once for each way that is asked for."""
    kept = tmp_path_factory.mktemp("kept")

    @functools.cache
    def printed_in(way):
        output = subprocess.run(command(folder, kept / way, *WAYS[way]), capture_output=True, check=True).stdout
        assert f'"computed": "{way.split()[0]}"'.encode() in output
        return output

    return printed_in


@pytest.mark.slow
def test_a_checkpoint_changes_no_number(folder, expected):
    for way in ("certified", "exact"):  # with copies of groups, fewer intervals fit the limit
        alone = subprocess.run([*command(folder, "")[:-2], *WAYS[way]], capture_output=True, check=True)
        assert alone.stdout == expected(way)


def finished(checkpoint):
    return Checkpoint.load(checkpoint).files if checkpoint.exists() else []


def stopped_midway(folder, checkpoint, options, number):
    """Send a signal to a run while it reads a third file, and return the process, ended."""
    started = command(folder, checkpoint, *options, number=number)
    running = subprocess.run(started, capture_output=True, text=True, check=False, timeout=60)
    assert 0 < len(finished(checkpoint)) < FILES
    return running


@pytest.mark.process
@needs_unix
@pytest.mark.parametrize("way", ["certified groups", "exact"])
def test_a_killed_run_resumes_without_the_finished_files(folder, copied, tmp_path, expected, way):
    checkpoint = tmp_path / "run.checkpoint"
    killed = stopped_midway(copied, checkpoint, WAYS[way], signal.SIGKILL)
    assert (killed.returncode, killed.stdout) == (-signal.SIGKILL, "")
    for file in finished(checkpoint):  # who reads them again gets nothing sensible
        os.unlink(file.path)
        with open(file.path, "wb") as noise:
            noise.truncate(file.size)
        os.utime(file.path, ns=(file.modified, file.modified))
    again = subprocess.run(command(copied, checkpoint, *WAYS[way]), capture_output=True, check=True)
    whole = expected(way).replace(str(folder).encode(), str(copied).encode())
    assert (again.stdout, again.stderr) == (whole, b"")
    assert len(finished(checkpoint)) == FILES
    assert sum(file.rows for file in finished(checkpoint)) == FILES * SIZE


@pytest.mark.process
@needs_unix
def test_ctrl_c_keeps_what_is_finished_and_says_so(folder, tmp_path, expected):
    checkpoint = tmp_path / "run.checkpoint"
    stopped = stopped_midway(folder, checkpoint, WAYS["certified"], signal.SIGINT)
    assert (stopped.returncode, stopped.stdout) == (130, "")
    assert stopped.stderr == "evalcore: stopped; finished files are saved, and the same command resumes after them\n"
    again = subprocess.run(command(folder, checkpoint, *WAYS["certified"]), capture_output=True, check=True)
    assert again.stdout == expected("certified")


def press_ctrl_c():
    """Send the signal, and wait until it is handled: another thread of a library may have taken it first."""
    handler, deadline = signal.getsignal(signal.SIGINT), time.monotonic() + 10
    signal.raise_signal(signal.SIGINT)
    while signal.getsignal(signal.SIGINT) is handler and time.monotonic() < deadline:
        time.sleep(0.001)


def test_ctrl_c_forgets_what_was_read_of_the_file_at_hand(run, tmp_path, monkeypatch):
    for place in range(3):
        write(tmp_path / f"{place}.parquet", place)
    update, seen = RowBuffer.update, []

    def interrupted(self, batch, first):
        update(self, batch, first)
        seen.append(batch)
        if len(seen) == 2:
            press_ctrl_c()  # while the second file is read

    monkeypatch.setattr(RowBuffer, "update", interrupted)
    handler = signal.getsignal(signal.SIGINT)
    outcome = run("*.parquet")
    assert (outcome.exit_code, outcome.stdout) == (130, "")
    assert signal.getsignal(signal.SIGINT) is handler
    assert len(Checkpoint.load("run").files) == 2  # the signal came after its last batch
    found = printed(run("*.parquet"))
    os.unlink("run")
    assert printed(run("*.parquet")) == found


def test_a_second_ctrl_c_ends_at_once(run, tmp_path, monkeypatch):
    for place in range(2):
        write(tmp_path / f"{place}.parquet", place)

    def interrupted(self, batch, first):
        press_ctrl_c()
        press_ctrl_c()

    monkeypatch.setattr(RowBuffer, "update", interrupted)
    outcome = run("*.parquet")
    assert (outcome.exit_code, outcome.stdout, outcome.stderr) == (130, "", "evalcore: stopped\n")
    assert Checkpoint.load("run").files == []


@needs_unix
@pytest.mark.slow
def test_runs_that_are_killed_again_and_again_come_to_the_same_end(folder, tmp_path, expected):
    checkpoint, options = tmp_path / "run.checkpoint", WAYS["certified groups"]
    counts = []
    for _ in range(2):
        stopped_midway(folder, checkpoint, options, signal.SIGKILL)
        counts.append(len(finished(checkpoint)))
    assert 0 < counts[0] < counts[1]
    again = subprocess.run(command(folder, checkpoint, *options), capture_output=True, check=True)
    assert again.stdout == expected("certified groups")


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("evalcore.batched.runner._UNIT_ROWS", 1)  # files are finished one by one
    return lambda *arguments: CliRunner().invoke(
        main, ["report", *map(str, arguments), *ASKED, "--checkpoint", "run"], prog_name="evalcore"
    )


def write(path, begin, rows=100):
    rng = np.random.default_rng(begin)
    late = rng.random(rows) < 0.4
    pq.write_table(pa.table({"late": late, "model": rng.normal(late)}), path)


def printed(outcome):
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    return outcome.stdout


def refused(outcome):
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    return outcome.stderr


@pytest.mark.parametrize("memory", [(), ("--memory", "256M")])
def test_a_run_that_is_finished_answers_again_without_reading(run, tmp_path, monkeypatch, memory):
    if memory:
        monkeypatch.setattr("evalcore.batched.files.exact_bytes", lambda *asked: 10**9)
    for place in range(3):
        write(tmp_path / f"{place}.parquet", place)
    first = printed(run("*.parquet", *memory))
    opened = []
    monkeypatch.setattr(pq, "ParquetFile", lambda path, **asked: opened.append(path))
    assert printed(run("*.parquet", *memory)) == first
    assert opened == []


@pytest.mark.parametrize("memory", [(), ("--memory", "256M")])
def test_files_that_are_added_are_read_and_no_others(run, tmp_path, monkeypatch, memory):
    if memory:
        monkeypatch.setattr("evalcore.batched.files.exact_bytes", lambda *asked: 10**9)
    for place in range(3):
        write(tmp_path / f"{place}.parquet", place)
    printed(run("*.parquet", *memory))
    write(tmp_path / "3.parquet", 3)
    opened = []
    whole = pa.OSFile
    monkeypatch.setattr(pa, "OSFile", lambda path: opened.append(path) or whole(path))
    found = printed(run("*.parquet", *memory))
    assert set(opened) == {"3.parquet"}
    os.unlink("run")
    assert printed(run("*.parquet", *memory)) == found


def test_the_same_files_under_other_names_are_the_same(run, tmp_path):
    write(tmp_path / "0.parquet", 0)
    write(tmp_path / "1.parquet", 1)
    first = printed(run("*.parquet"))
    again = printed(run(tmp_path / "1.parquet", "./0.parquet"))
    assert again.partition('"computed"')[2] == first.partition('"computed"')[2]


def test_a_damaged_file_leaves_the_others_finished(run, tmp_path):
    for place in range(4):
        write(tmp_path / f"{place}.parquet", place, 3000)
    content = bytearray((tmp_path / "2.parquet").read_bytes())
    content[100:1000] = bytes(900)
    (tmp_path / "2.parquet").write_bytes(content)
    assert refused(run("*.parquet")).startswith("evalcore: 2.parquet: cannot be read: ")
    assert [os.path.basename(file.path) for file in Checkpoint.load("run").files] == ["0.parquet", "1.parquet"]
    write(tmp_path / "2.parquet", 2, 3000)
    found = printed(run("*.parquet"))
    os.unlink("run")
    assert printed(run("*.parquet")) == found


def test_a_file_that_has_changed_or_is_gone_is_an_error(run, tmp_path):
    for place in range(2):
        write(tmp_path / f"{place}.parquet", place)
    printed(run("*.parquet"))
    way_out = "; delete it or name another (--checkpoint FILE)\n"
    assert refused(run("1.parquet")) == (
        f"evalcore: run: the checkpoint includes {tmp_path / '0.parquet'}, which is not among the files of this run"
        f"{way_out}"
    )
    write(tmp_path / "0.parquet", 5, 200)
    assert refused(run("*.parquet")) == (
        f"evalcore: run: the checkpoint includes {tmp_path / '0.parquet'}, which has changed since{way_out}"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--score", "other"), "was made with --score model, but this run is with --score other --score model"),
        (("--positive", "true"), "was made without --positive, but this run is with --positive true"),
        (("--by", "the day"), "was made without --by, but this run is with --by 'the day'"),
    ],
)
def test_another_question_is_an_error(run, tmp_path, options, message):
    write(tmp_path / "0.parquet", 0)
    printed(run("0.parquet"))
    assert refused(run("0.parquet", *options)) == (
        f"evalcore: run: the checkpoint {message}; delete it or name another (--checkpoint FILE)\n"
    )


def test_a_threshold_may_be_added_to_rows_and_not_to_summaries(run, tmp_path, monkeypatch):
    write(tmp_path / "0.parquet", 0)
    printed(run("0.parquet"))
    write(tmp_path / "1.parquet", 1)
    found = printed(run("*.parquet", "--threshold", "0.5"))
    os.remove("run")
    assert found == printed(run("*.parquet", "--threshold", "0.5"))
    os.remove("run")
    monkeypatch.setattr("evalcore.batched.files.exact_bytes", lambda *asked: 10**9)
    little = "*.parquet", "--memory", "256M"
    printed(run(*little))
    assert refused(run(*little, "--threshold", "0.5")) == (
        "evalcore: run: the checkpoint was made without --threshold, but this run is with --threshold 0.5; delete it "
        "or name another (--checkpoint FILE)\n"
    )
    os.remove("run")
    found = printed(run(*little, "--threshold", "0.5", "--threshold", "0.25"))
    assert printed(run(*little, "--threshold", "0.5", "--threshold", "0.25")) == found
    assert "threshold 0.25" in found
    assert "the checkpoint was made with --threshold 0.5 --threshold 0.25, but this run is with --threshold 0.5;" in (
        refused(run(*little, "--threshold", "0.5"))
    )
    needing_rows = refused(run(*little, "--threshold-for", "precision=0.9"))
    assert needing_rows.startswith(
        "evalcore: thresholds that reach a target (--threshold-for) need all rows in memory:"
    )


def test_other_memory_is_an_error(run, tmp_path, monkeypatch):
    write(tmp_path / "0.parquet", 0)
    printed(run("0.parquet"))
    monkeypatch.setattr("evalcore.batched.files.exact_bytes", lambda *asked: 10**9)
    assert re.fullmatch(
        r"evalcore: run: the checkpoint was made with --memory \d+, not 256000000; give the same limit again, "
        r"delete it or name another \(--checkpoint FILE\)\n",
        refused(run("0.parquet", "--memory", "256M")),
    )


def test_other_widths_of_scores_at_a_threshold_are_an_error(run, tmp_path, monkeypatch):
    monkeypatch.setattr("evalcore.batched.files.exact_bytes", lambda *asked: 10**9)
    narrow = pa.table({"late": [True, False], "model": pa.array([0.7, 0.2], pa.float32())})
    pq.write_table(narrow, tmp_path / "0.parquet")
    asked = ("*.parquet", "--memory", "256M", "--threshold", "0.7")
    assert '"tp": 1' in printed(run(*asked))
    write(tmp_path / "1.parquet", 1)
    assert "the checkpoint: column 'model' holds float32, which other files widen to float64" in refused(run(*asked))


def test_more_groups_may_be_allowed_when_a_run_resumes(run, tmp_path):
    for place in range(3):
        table = pa.table({"late": [True, False], "model": [0.5, 0.25], "by": [place, place]})
        pq.write_table(table, tmp_path / f"{place}.parquet")
    assert "must hold at most 2 groups, got 3" in refused(run("*.parquet", "--by", "by", "--groups", "2"))
    assert len(Checkpoint.load("run").files) == 3
    assert '"total"' in printed(run("*.parquet", "--by", "by", "--groups", "3"))
    assert "must hold at most 2 groups, got 3" in refused(run("*.parquet", "--by", "by", "--groups", "2"))


def test_fewer_groups_may_be_allowed_when_summaries_resume(run, tmp_path, monkeypatch):
    monkeypatch.setattr("evalcore.batched.files.exact_bytes", lambda *asked: 10**9)
    pq.write_table(pa.table({"late": [True, False], "model": [0.5, 0.25], "by": [1, 2]}), tmp_path / "x.parquet")
    options = ("*.parquet", "--by", "by", "--memory", "256M")
    printed(run(*options))
    assert "must hold at most 1 groups, got at least 2" in refused(run(*options, "--groups", "1"))


def test_what_cannot_be_kept_is_said_before_anything_is_read(run, tmp_path, monkeypatch):
    np.savez(tmp_path / "x.npz", late=[1, 0], model=[0.5, 0.25])
    assert (
        refused(run("x.npz"))
        == "evalcore: x.npz: --checkpoint needs files that are read in batches; NPZ files, standard input, "
        "pipes and databases in memory are not\n"
    )
    write(tmp_path / "0.parquet", 0)
    (tmp_path / "run").mkdir()
    assert refused(run("0.parquet")).startswith("evalcore: run: cannot be written: Is a directory")
    os.rmdir("run")
    monkeypatch.setattr("evalcore.batched.runner._FileReader", None)  # nothing is read
    arguments = ["report", "0.parquet", *ASKED, "--checkpoint", "nowhere/run"]
    outcome = CliRunner().invoke(main, arguments, prog_name="evalcore")
    assert refused(outcome) == "evalcore: nowhere/run: cannot be written: No such file or directory\n"


def test_a_file_that_is_not_a_checkpoint_stays_as_it_is(run, tmp_path):
    write(tmp_path / "0.parquet", 0)
    (tmp_path / "run").write_text("my notes")
    assert refused(run("0.parquet")) == (
        "evalcore: run is not a saved evalcore object; name another (--checkpoint FILE)\n"
    )
    assert (tmp_path / "run").read_text() == "my notes"


def test_a_file_to_read_is_refused_as_a_checkpoint(run, tmp_path):
    write(tmp_path / "run", 0)
    os.rename("run", "run.parquet")
    arguments = ["report", "run.parquet", *ASKED, "--checkpoint", "./run.parquet"]
    outcome = CliRunner().invoke(main, arguments, prog_name="evalcore")
    assert refused(outcome) == "evalcore: ./run.parquet is one of the files to read; name another (--checkpoint FILE)\n"
    outcome = CliRunner().invoke(main, ["report", "run.parquet", *ASKED, "--checkpoint", "-"], prog_name="evalcore")
    assert outcome.stderr.endswith("evalcore: --checkpoint FILE must be a file, got -.\n")
