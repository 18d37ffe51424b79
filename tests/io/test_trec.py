"""Judgements and runs are read as trec_eval reads them, and what is malformed is named by its line."""

import bz2
import gzip
import lzma
import subprocess

import numpy as np
import pytest

from evalcore import EvaluationError, EvaluationTypeError
from evalcore.io.trec import Judgements, Run, joined, read_qrels, read_run
from tests.differences import every, recorded, refused

QRELS = b"10 0 d1 1\n10 0 d2 0\n9 0 d1 -1\n"
RUN = b"10 Q0 d2 1 2.5 tag\n10 Q0 d1 2 1e-3 tag\n"


@pytest.fixture
def written(tmp_path):
    def write(content, name="file"):
        (tmp_path / name).write_bytes(content)
        return str(tmp_path / name)

    return write


def rows(columns):
    return list(zip(*(column.tolist() for column in columns[:3]), strict=True))


@every(
    "content",
    QRELS, QRELS.removesuffix(b"\n"), QRELS.replace(b"\n", b"\r\n"), QRELS.replace(b" ", b"\t"),
     QRELS.replace(b" ", b" \t  "), b"\n  \n" + QRELS.replace(b"\n", b" \n\n"), b"\xef\xbb\xbf" + QRELS,
     gzip.compress(QRELS, mtime=0), bz2.compress(QRELS), lzma.compress(QRELS),
)  # fmt: skip
def test_blanks_of_any_kind_stand_between_fields(written, content):
    assert rows(read_qrels(written(content))) == [("10", "d1", 1), ("10", "d2", 0), ("9", "d1", -1)]


def test_ids_are_strings_and_scores_may_be_infinite_or_compressed(written):
    for path in (written(RUN), written(gzip.compress(RUN), "run.gz")):
        assert rows(read_run(path)) == [("10", "d2", 2.5), ("10", "d1", 0.001)]
        assert read_run(path).tag == "tag"
    ids = written("07 0 1.0 1\n7 0 1 1\n7 0 é\u00a0x 1\n".encode())
    assert rows(read_qrels(ids)) == [("07", "1.0", 1), ("7", "1", 1), ("7", "é\u00a0x", 1)]
    assert read_run(written(b"1 Q0 a 1 inf t\n1 Q0 b 1 -inf t\n")).scores.tolist() == [np.inf, -np.inf]


@every(("given", "said"), recorded("io/outputs/refused_trec.txt"))
def test_what_is_wrong_is_named_by_its_line_with_what_a_file_seems_to_be(written, given, said):
    read, content = eval(given)
    path = written(content)
    with refused(said.replace("FILE", path)):
        read(path)


def test_files_that_are_damaged_not_there_or_in_the_wrong_order_are_refused(tmp_path, written):
    with pytest.raises(EvaluationError, match=": cannot be read: "):
        read_qrels(written(b"\x1f\x8bno"))
    with pytest.raises(EvaluationError, match="nowhere: no such file"):
        read_run(str(tmp_path / "nowhere"))
    with pytest.raises(EvaluationError, match=r"cannot be read: .*directory"):
        read_run(str(tmp_path))
    ids = np.array(["a"], object)
    with pytest.raises(EvaluationError, match="no query of the run has judgements"):
        joined(Judgements(ids, ids, np.array([1])), Run(np.array(["b"], object), ids, np.array([1.0])))
    judgements, run = Judgements(ids, ids, np.array([1])), Run(ids, ids, np.array([1.0]))
    for given, name, kind, other in (
        (run, "judgements", "Judgements", "Run"),
        (judgements, "run", "Run", "Judgements"),
    ):
        with pytest.raises(EvaluationTypeError, match=f"{name} must be a {kind}, got a {other}"):
            joined(given, judgements)


def test_a_join_is_what_its_definition_says():
    rng = np.random.default_rng(3)
    pairs = [(str(query), f"d{number}") for query in range(12) for number in range(9)]

    def some(queries):
        kept = [pair for pair in pairs if int(pair[0]) in queries and rng.random() < 0.5]
        return [np.array(column, object) for column in zip(*rng.permutation(kept).tolist(), strict=True)]

    judged, retrieved = some(range(8)), some(range(3, 12))
    judgements = Judgements(*judged, rng.integers(-1, 3, judged[0].size))
    run = Run(*retrieved, rng.random(retrieved[0].size))
    grades = {(query, document): grade for query, document, grade in rows(judgements)}
    for complete in (False, True):
        found = joined(judgements, run, complete=complete)
        kept = [row for row in rows(run) if row[0] in set(judged[0])]
        assert rows([found.groups, found.documents, found.scores]) == kept
        assert found.relevance.tolist() == [grades.get(row[:2], -1) for row in kept]
        hits = {row[:2] for row in kept}
        assert rows(found.misses) == [
            (query, grade)
            for (query, document), grade in grades.items()
            if (query, document) not in hits and (complete or query in set(retrieved[0]))
        ]


@pytest.mark.process
@pytest.mark.parametrize("header", ["query-id\tcorpus-id\tscore\n", ""])
def test_three_columns_are_converted_as_the_error_says(header, tmp_path):
    file = tmp_path / "a file.tsv"
    file.write_text(f"{header}q1\td1\t2\nq2\td2\t0\n")
    for read, last in ((read_qrels, [2, 0]), (read_run, [2.0, 0.0])):
        with pytest.raises(EvaluationError, match="got 3; convert query, document and number by awk") as error:
            read(str(file))
        command = str(error.value).partition(" by ")[2]
        (tmp_path / "made").write_bytes(subprocess.run(command, shell=True, check=True, capture_output=True).stdout)
        queries, documents, numbers = read(str(tmp_path / "made"))[:3]
        assert (queries.tolist(), documents.tolist(), numbers.tolist()) == (["q1", "q2"], ["d1", "d2"], last)
