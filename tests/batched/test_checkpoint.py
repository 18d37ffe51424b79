"""A checkpoint is of one question and of files as they are; whatever else it is, it says so and what to do."""

import numpy as np
import pyarrow as pa
import pytest

from evalcore import ConfusionMatrix, EvaluationError, PrecisionRecallEvaluation
from evalcore.batched import checkpoint as checkpoint_module
from evalcore.batched.checkpoint import (
    Checkpoint,
    CheckpointWriter,
    FinishedFile,
    check_mode,
    read_checkpoint,
)
from evalcore.batched.files import _facts_of
from evalcore.batched.grouped_summaries import GroupedSummaries, SummaryLimits
from evalcore.batched.row_buffer import RowBuffer
from evalcore.batched.summaries import Decisions
from evalcore.io.opening import state_of
from evalcore.kernels.tables import BinaryCounts
from evalcore.report.question import Question
from evalcore.report.weighting import Weighting

WAY_OUT = "; delete it or name another (--checkpoint FILE)"


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(b"content")
    return str(path)


def saved(tmp_path, data, **asked):
    path = str(tmp_path / "run")
    columns = {"parts": np.arange(3, dtype=np.uint8)}
    Checkpoint({"label": "late", **asked}, [FinishedFile(data, *state_of(data), 3)], b"schema", {"a": 1}, columns).save(
        path
    )
    return path


def test_a_checkpoint_is_read_as_it_was_saved(tmp_path, data):
    found = read_checkpoint(saved(tmp_path, data, scores=("model",)), {"label": "late", "scores": ("model",)}, [data])
    assert found.files == [FinishedFile(data, *state_of(data), 3)]
    assert (found.schema, found.facts) == (b"schema", {"a": 1})
    assert found.columns["parts"].tolist() == [0, 1, 2]
    assert read_checkpoint(str(tmp_path / "other"), {}, []) is None


def refused(path, asked, present):
    with pytest.raises(EvaluationError) as raised:
        read_checkpoint(path, asked, present)
    return str(raised.value)


def test_another_question(tmp_path, data):
    path = saved(tmp_path, data)
    assert refused(path, {"label": "early"}, [data]) == (
        f"{path}: the checkpoint was made with --label late, but this run is with --label early{WAY_OUT}"
    )
    assert refused(path, {"label": "late", "by": "month"}, [data]) == (
        f"{path}: the checkpoint was made without --by, but this run is with --by month{WAY_OUT}"
    )


def test_another_way_to_compute_or_another_memory_limit():
    checkpoint = Checkpoint({"kept": "rows", "memory": 400}, [], b"", {}, {})
    for memory, why in ((400, "was computed in another way (kept was rows and is summaries now); "),
                        (300, "was made with --memory 400, not 300; give the same limit again, ")):  # fmt: skip
        with pytest.raises(EvaluationError) as raised:
            check_mode(checkpoint, "x", {"kept": "summaries"}, memory)
        assert str(raised.value) == f"x: the checkpoint {why}{WAY_OUT[2:]}"
    check_mode(checkpoint, "x", {"kept": "rows"}, 300)


def test_files_that_are_gone_or_have_changed(tmp_path, data):
    path = saved(tmp_path, data)
    assert refused(path, {"label": "late"}, []) == (
        f"{path}: the checkpoint includes {data}, which is not among the files of this run{WAY_OUT}"
    )
    with open(data, "ab") as file:
        file.write(b"more")
    assert refused(path, {"label": "late"}, [data]) == (
        f"{path}: the checkpoint includes {data}, which has changed since{WAY_OUT}"
    )


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda content: content[:-40], "is cut short"),
        (
            lambda content: content[:200] + bytes([content[200] ^ 1]) + content[201:],
            "is damaged: its checksum is wrong",
        ),
        (lambda content: b"", "is cut short"),
        (lambda content: b"late,model\n", "is not a saved evalcore object"),
        (lambda content: ConfusionMatrix(["a"]).to_bytes(), "holds a ConfusionMatrix, not a Checkpoint"),
    ],
)
def test_a_file_that_is_not_a_checkpoint_is_refused(tmp_path, data, damage, message):
    path = saved(tmp_path, data)
    with open(path, "rb") as file:
        content = file.read()
    with open(path, "wb") as file:
        file.write(damage(content))
    found = refused(path, {"label": "late"}, [data])
    assert found.startswith(f"{path} {message}")
    assert found.endswith("; name another (--checkpoint FILE)")


def empty():
    return GroupedSummaries(Question("late", ("model",)), SummaryLimits(16, 1000))


def test_a_checkpoint_is_saved_at_first_then_seldom_and_at_last(tmp_path, monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(checkpoint_module.time, "monotonic", lambda: clock[0])
    writer = CheckpointWriter(str(tmp_path / "run"), {}, b"", [])
    state = empty()

    def files():
        return len(Checkpoint.load(writer.path).files)

    writer.save(state)
    assert files() == 0
    writer.add([FinishedFile("a", 1, 1, 1)], state)
    assert files() == 1
    for name in "bcd":
        clock[0] += 0.5
        writer.add([FinishedFile(name, 1, 1, 1)], state)
        assert files() == 1
    clock[0] += 0.5
    writer.add([FinishedFile("e", 1, 1, 1)], state)
    assert files() == 5
    writer.add([FinishedFile("f", 1, 1, 1)], state)
    writer.save(state)
    assert (files(), writer.rows) == (6, 6)


def test_saving_takes_a_small_fraction_of_the_time(tmp_path, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(checkpoint_module.time, "monotonic", lambda: clock[0])
    save = Checkpoint.save

    def slowly(self, path):
        clock[0] += 3
        save(self, path)

    monkeypatch.setattr(Checkpoint, "save", slowly)
    writer = CheckpointWriter(str(tmp_path / "run"), {}, b"", [])
    savings = 0
    for second in range(600):
        before = clock[0]
        writer.add([FinishedFile(str(second), 1, 1, 1)], empty())
        savings += clock[0] > before
        clock[0] += 1
    assert savings * 3 <= 0.06 * clock[0]


def test_what_is_saved_already_is_not_written_again(tmp_path, data):
    path = saved(tmp_path, data)
    found = read_checkpoint(path, {"label": "late"}, [data])
    before = state_of(path)
    CheckpointWriter(path, {"label": "late"}, b"schema", found.files).save(empty())
    assert state_of(path) == before


def test_buffered_rows_come_back_in_the_types_of_now():
    schema = pa.schema([("late", pa.bool_()), ("model", pa.float32()), ("tree", pa.string())])
    wider = pa.schema([("late", pa.bool_()), ("model", pa.float64()), ("tree", pa.large_string())])
    question = Question("late", ("model",), by=("tree",))
    buffer = RowBuffer(question, schema)
    buffer.update(pa.record_batch([[True, False], [0.5, 0.25], ["a", "b"]], schema), 0)
    again = RowBuffer(question, wider)
    again.restore(*buffer.saved())
    again.update(pa.record_batch([[True], [0.1], ["c"]], wider), 2)
    columns = again.columns()
    assert columns["model"].tolist() == [0.5, 0.25, 0.1]
    assert columns["tree"].tolist() == ["a", "b", "c"]
    assert columns["late"].dtype == np.bool_


def test_decisions_in_checkpoints_have_the_bytes_of_the_documented_class():
    counts = BinaryCounts(9, 3, 2**100, 11)
    assert Decisions(counts).to_bytes() == PrecisionRecallEvaluation(*counts).to_bytes()
    assert Decisions.from_bytes(PrecisionRecallEvaluation(*counts).to_bytes()).counts == counts


def test_checkpoints_from_before_there_were_weights_resume_without_them(tmp_path, data):
    facts = _facts_of(Question("late", ("model",)))
    older = {name: value for name, value in facts.items() if name not in ("weight", "weight-type", "target-prevalence")}
    path = saved(tmp_path, data, **older)
    assert read_checkpoint(path, facts, [data])
    for weighting, given in (
        (Weighting("w"), "--weight w"),
        (Weighting("w", "sampling"), "--weight w"),
        (Weighting("w", "frequency"), "--weight w --weight-type frequency"),
        (Weighting(target_prevalence=0.25), "--target-prevalence 0.25"),
    ):
        asked = _facts_of(Question("late", ("model",), weighting=weighting))
        without = " ".join(word for word in given.split() if word.startswith("--"))
        assert refused(path, asked, [data]) == (
            f"{path}: the checkpoint was made without {without}, but this run is with {given}{WAY_OUT}"
        )
