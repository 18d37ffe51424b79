"""Bytes come from files, pipes and servers alike, decompressed by how they begin."""

import gzip
import io
import os
import threading

import pytest

from evalcore import EvaluationError
from evalcore.io.formats import is_read_once
from evalcore.io.opening import Source
from tests.differences import every
from tests.io.written import PACKED

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


@every("kind", PACKED)
def test_a_pipe_gives_its_first_bytes_again(pipe, monkeypatch, kind):
    source = Source(pipe(PACKED[kind](TEXT)))
    assert (source.is_repeatable, source.size()) == (False, None)
    assert source.first_bytes(4) == b"late"
    assert source.first_bytes(6) == b"late,m"
    assert source.stream().read() == TEXT
    as_stdin(monkeypatch, PACKED[kind](TEXT))
    assert Source("-").seekable().read() == TEXT


@every("kind", ["gzip", "bz2", "xz", "zstd"])
def test_several_compressed_parts_are_one_file(tmp_path, kind):
    path = tmp_path / "x"
    path.write_bytes(PACKED[kind](b"late,model\n") + PACKED[kind](b"1,0.5\n"))
    assert Source(str(path)).stream().read() == b"late,model\n1,0.5\n"


def test_text_is_text_and_progress_counts_bytes_as_they_are_stored(tmp_path):
    path = tmp_path / "x.csv"
    for text in (b"BZh,model\n", b"", b"l", b"BZh9 and more"):
        path.write_bytes(text)
        assert Source(str(path)).stream().read() == text
    packed, seen = gzip.compress(TEXT), []
    (tmp_path / "x").write_bytes(packed)
    Source(str(tmp_path / "x"), lambda done, total: seen.append((done, total))).stream().read()
    assert seen[-1] == (len(packed), len(packed))


def test_what_can_be_read_once(tmp_path, pipe):
    path = tmp_path / "x.csv"
    path.touch()
    once = ["-", "/dev/stdin", "/dev/fd/63", "/dev/null", pipe(b"x")]
    assert all(map(is_read_once, once))
    assert not any(map(is_read_once, [str(path), str(tmp_path), "nowhere", "/dev/shm/x.parquet"]))
    Source(once[-1]).stream().read()


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
