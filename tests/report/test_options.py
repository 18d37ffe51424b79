"""Options say the same to Python and to the command, each in its own words; any label can be the positive one."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import evalcore
from evalcore import EvaluationError
from evalcore.batched.grouped_summaries import GroupedSummaries, SummaryLimits
from evalcore.cli import main
from evalcore.errors import InvalidParameterError
from evalcore.report.question import Question

CASES = {
    "late": [1, 0, 1, 0, 0, 1], "a": [0.9, 0.1, 0.2, 0.3, 0.4, 0.6], "flag": [True, False, True, False, False, True],
    "sign": [1, -1, 1, -1, -1, 1], "float": [1.0, -1.0, 1.0, -1.0, -1.0, 1.0], "mixed": [1, -1, 0, 1, 0, 1],
    "text": ["1", "-1", "1.0", "-1", "-1.0", "1"],
    "word": ["yes", "no", "yes", "no", "no", "yes"], "answer": ["yes", "no", "maybe", "no", "never", "yes"],
}  # fmt: skip
REFUSED = {
    "strings": ({"label": "word"}, "); name the positive one ({positive})"),
    "three signs": ({"label": "mixed"}, "); name the positive one ({positive})"),
    "groups": ({"by": "word", "groups": 1}, "must hold at most 1 groups, got 2; allow more ({groups_n})"),
    "no groups": ({"by": "word", "groups": 0}, "{groups} must be at least 1, got 0"),
    "level": ({"ci": 1.5}, "{ci} must be above 0 and below 1, got 1.5"),
    "threshold": ({"threshold": float("nan")}, "{threshold} must be a number, got nan"),
    "label as score": ({"score": "late"}, "{score} must not be the column of labels, got 'late'"),
    "groups of nothing": ({"groups": 3}, "{groups} needs {by}, which names the column of groups"),
}
PYTHON = {name: name for name in ("groups", "ci", "threshold", "score", "by")}
PYTHON |= {"positive": "positive=VALUE", "groups_n": "groups=N"}
SHELL = {name: "--" + spelled.replace("=", " ") for name, spelled in PYTHON.items()}


def evaluate(**asked):
    return evalcore.evaluate(CASES, **{"label": "late", "score": "a", **asked})


def command(path, **asked):
    options = [f"--{name}={value}" for name, value in {"label": "late", "score": "a", **asked}.items()]
    return CliRunner().invoke(main, ["report", path, *options, "--format", "json"])


@pytest.fixture
def path(tmp_path):
    pq.write_table(pa.table(CASES), tmp_path / "cases.parquet")
    return str(tmp_path / "cases.parquet")


@pytest.mark.parametrize("name", REFUSED)
def test_errors_speak_the_language_of_who_asked(path, name):
    asked, text = REFUSED[name]
    with pytest.raises(EvaluationError) as raised:
        evaluate(**asked)
    assert str(raised.value).endswith(text.format(**PYTHON))
    shell = command(path, **asked)
    assert (shell.exit_code, shell.stdout) == (2, "")
    assert shell.stderr.endswith(text.format(**SHELL) + "\n")


def test_the_positive_label_may_be_of_any_kind_and_be_called_pos_label(path):
    expected = evaluate()
    for asked in (
        {"positive": True}, {"pos_label": 1}, {"pos_label": np.int64(1)}, {"pos_label": "1"}, {"pos_label": 1.0},
        {"label": "flag"}, {"label": "flag", "pos_label": 1}, {"label": "flag", "positive": True},
        {"label": "sign"}, {"label": "sign", "pos_label": 1}, {"label": "float"}, {"label": "text"},
        {"label": "word", "pos_label": "yes"}, {"label": "word", "positive": "yes"},
    ):  # fmt: skip
        assert evaluate(**asked) == expected, asked
        spelled = {"positive" if name == "pos_label" else name: value for name, value in asked.items()}
        assert json.loads(command(path, **spelled).stdout)["scores"] == json.loads(expected.to_json())["scores"]
    assert evaluate(label="sign", pos_label=-1) == evaluate(positive=0)
    with pytest.raises(EvaluationError, match="positive and pos_label mean the same; give only one of them"):
        evaluate(positive=1, pos_label=1)
    with pytest.raises(InvalidParameterError, match="'positive' parameter of evaluate must be a number, a string"):
        evaluate(pos_label=[1])


def test_labels_that_are_all_taken_for_negative_are_noted(path, tmp_path):
    note = "column 'answer' holds 3 labels other than 'yes', all counted as negative: 'no', 'maybe', 'never'"
    assert evaluate(label="answer", positive="yes").notes[0] == note
    assert json.loads(command(path, label="answer", positive="yes").stdout)["notes"][0] == note
    assert not any("beside" in text for text in evaluate(label="word", positive="yes").notes)
    many = evalcore.evaluate({"y": range(9), "a": range(9)}, label="y", score="a", positive=8)
    assert many.notes[0] == (
        "column 'y' holds more than 6 labels other than '8', all counted as negative: '0', '1', '2', '3', '4', '5', ..."
    )


def summarised(batches, **asked):
    state = GroupedSummaries(Question("y", ("a",), **asked), SummaryLimits(16, 1000))
    for labels in batches:
        state.update(pa.record_batch({"y": labels, "a": np.arange(len(labels), dtype=float)}), 0)
    return state


def test_summaries_know_the_other_labels_too():
    assert summarised([["yes", "no"], ["maybe", "no"]], positive="yes").notes == (
        "column 'y' holds 2 labels other than 'yes', all counted as negative: 'no', 'maybe'",
    )
    assert summarised([[1, 0], [0, 1]]).notes == ()
    assert summarised([[-1, 1], [1, -1]]).sections()[0].records["a"][1].value == 2
    assert summarised([["-1", "1"], ["1", "-1"]]).sections()[0].records["a"][1].value == 2
    assert summarised([["-1", "1"], ["1", "-1.0"]]).sections()[0].records["a"][1].value == 2
    assert summarised([[0.0, 1.0], [1.0, -0.0]]).sections()[0].records["a"][1].value == 2
    with pytest.raises(EvaluationError, match=r"column 'y' holds 1, -1 and 0, where labels are 0 and 1 or -1 and 1"):
        summarised([[-1, 1], [1, 0]]).sections()
