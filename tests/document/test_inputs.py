"""Labels and predicted classes: which values are one class, and what is said of those that are not."""

import html
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from evalcore import compare, evaluate
from evalcore.cli import main
from evalcore.errors import EvaluationError
from evalcore.metrics import accuracy_score
from tests.differences import every, refused

LABELS, NUMBERS = [True, False, True, False], [1, 0, 0, 0]
PAIRS = [
    (LABELS, NUMBERS),
    (NUMBERS, LABELS),
    (LABELS, [1.0, 0.0, 0.0, 0.0]),
    (np.array(LABELS, object), np.array(NUMBERS, object)),
    (pd.array(LABELS, "boolean"), pd.array(NUMBERS, "Int8")),
    (LABELS, [2, 0, 1, 0]),
    ([False] * 4, NUMBERS),
]


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)), prog_name="evalcore")


def reported(*arguments):
    outcome = run(*arguments)
    assert outcome.exit_code == 0, outcome.stderr
    return json.loads(outcome.stdout)


@every(("labels", "predicted"), PAIRS)
def test_booleans_are_the_numbers_0_and_1(tmp_path, labels, predicted):
    frame = pa.table({"late": pa.array(labels), "guess": pa.array(predicted), "other": pa.array(labels)})
    accuracy = accuracy_score(np.array(labels, float), np.array(predicted, float))
    given = {"late": labels, "guess": predicted} if isinstance(labels, np.ndarray) else frame
    found = json.loads(evaluate(given, label="late", predicted="guess").to_json())
    assert found["statistics"]["accuracy"] == accuracy
    assert {"True", "False"}.isdisjoint(found["classes"])
    found = compare(frame, label="late", predicted="guess", old_predicted="other").to_dict()
    item = found["models"]["guess"]["measures"]["accuracy"]
    assert (item["old"], item["new"]) == (1, accuracy)
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path in paths:
        pq.write_table(frame, path)
    asked = "--label", "late", "--predicted", "guess", "--format", "json"
    for files in (paths[:1], paths):
        for more in ((), ("--memory", "1G")):
            assert reported("report", *files, *asked, *more)["statistics"]["accuracy"] == accuracy
        grouped = reported("report", *files, *asked, "--by", "other")["statistics"]["guess"]
        assert grouped["total"]["accuracy"] == accuracy


SPELLED = [
    *(("1", "1.0"), ("1", "True"), ("true", "True"), ("yes", " Yes"), ("yes ", "yes"), ("1e3", "1000"), ("-1", "-01"))
]
APART = [("01", "1"), ("Yes", "yes"), ("Straße", "STRASSE")]
DIFFERENT = [("12345678901234567890", "12345678901234567891"), ("1", "yes"), ("1.5", "1"), ("a b", "ab")]
MORE = [{}, {"by": "other"}, {"weight": "w"}, {"cluster": "other", "ci": 0.95}]


def columns(label, predicted):
    """Return rows of which one has a label and a prediction that may be alike, and the others have other classes."""
    late, guess = [label, label, "no", "ash"], [predicted, label, "no", "no"]
    return {"late": late, "guess": guess, "old": late, "other": ["a", "a", "b", "b"], "w": [1, 2, 1, 1]}


@every(("label", "predicted"), SPELLED)
def test_two_spellings_of_one_value_are_no_error_of_a_model_but_of_the_table(label, predicted):
    frame = columns(label, predicted)
    message = f"column 'guess' must spell classes as column 'late' does, got {predicted!r} where the label is {label!r}"
    for more in MORE:
        with refused(f"{message}; write them alike in both"):
            evaluate(frame, label="late", predicted="guess", **more)
    for model in ({"predicted": "guess", "old_predicted": "old"}, {"predicted": "old", "old_predicted": "guess"}):
        with refused(f"{message}; write them alike in both"):
            compare(frame, label="late", **model)


@every(("label", "predicted"), APART)
def test_every_report_says_which_classes_differ_only_in_case_or_zeros(label, predicted):
    frame, (first, second) = columns(label, predicted), sorted((label, predicted))
    note = f"classes that differ only in spelling count as different classes, so predicting one for another is wrong: \
{first!r}, {second!r}"
    reports = [evaluate(frame, label="late", predicted="guess", **more) for more in MORE]
    reports.append(compare(frame, label="late", predicted="guess", old_predicted="old"))
    for report in reports:
        assert note in report.notes
        assert note in json.loads(report.to_json())["notes"]
    assert reports[0]["statistics"]["accuracy"] == 0.5
    for frame in (columns(*pair) for pair in DIFFERENT):  # which are not taken for spellings
        compared = compare(frame, label="late", predicted="guess", old_predicted="old")
        for report in (evaluate(frame, label="late", predicted="guess"), compared):
            assert not any("spelling" in note for note in report.notes)


def test_spellings_that_no_case_confuses_and_long_lists_are_noted_beside_csv_too(tmp_path):
    names = [*"abcdefgh", *"ABCDEFGH"]
    notes = evaluate({"y": names, "p": names}, label="y", predicted="p").notes
    (note,) = (note for note in notes if "spelling" in note)
    assert note.endswith("'A', 'a'; 'B', 'b'; 'C', 'c'; 'D', 'd'; 'E', 'e'; 'F', 'f' and 2 more")
    note = evaluate({"y": ["1", "1.0", "True"], "p": ["1", "1.0", "True"]}, label="y", predicted="p").notes[0]
    assert note.endswith("for another is wrong: '1', '1.0', 'True'")
    versions = {"y": ["1.1", "1.10", "1.1"], "p": ["1.1", "1.1", "1.10"]}  # each is a label, so they are two classes
    assert evaluate(versions, label="y", predicted="p").notes[0].endswith("wrong: '1.1', '1.10'")
    found = run("report", written(tmp_path, "yes", "Yes")[0], *CLASSES, "--measure", "accuracy", "--format", "csv")
    assert found.stderr.endswith("predicting one for another is wrong: 'Yes', 'yes'\n")


def written(folder, label, predicted):
    """Write two tables with the same ids, and return their paths."""
    paths = [folder / "a.csv", folder / "b.csv"]
    for path in paths:
        path.write_text(f"id,late,guess\n1,{label},{predicted}\n2,no,no\n3,{label},{label}\n")
    return paths


CLASSES = ("--label", "late", "--predicted", "guess")
COMMANDS = [("report",), ("report", "--memory", "1G"), ("report", "--by", "late"), ("compare", "--id", "id")]


@every("command", COMMANDS)
def test_no_gate_passes_on_two_spellings_of_one_value(tmp_path, command):
    found = run(*command, *written(tmp_path, "1", "1.0"), *CLASSES, "--fail-if", "accuracy < 0.1")
    assert (found.exit_code, found.stdout) == (2, "")
    assert "column 'late' does, got '1.0' where the label is '1'" in found.stderr


@every("command", COMMANDS)
def test_every_form_of_a_report_has_the_note(tmp_path, command):
    note, asked = (
        "classes that differ only in spelling count as different classes",
        (*written(tmp_path, "Yes", "yes"), *CLASSES),
    )
    for more in ((), ("--format", "json"), ("--format", "markdown"), ("--output", tmp_path / "page.html")):
        found = run(*command, *asked, *more)
        assert found.exit_code == 0, found.stderr
        text = html.unescape((tmp_path / "page.html").read_text()) if "--output" in more else found.stdout
        assert note in " ".join(text.split())


def test_spellings_of_scores_and_of_the_positive_label_are_noted():
    scores = {"a": [0.1, 0.9, 0.0], "b": [0.9, 0.1, 0.0], "c": [0.0, 0.0, 1.0]}
    with pytest.raises(EvaluationError, match=r"the class with the highest score must spell .* got '1\.0' where the"):
        evaluate({"late": ["1", "1", "no"], **scores}, label="late", score={"1": "a", "1.0": "b", "no": "c"})
    labels = {"late": ["1", "1.0", "no"]}
    found = evaluate({**labels, **scores}, label="late", score={"1": "b", "1.0": "a", "no": "c"})
    assert any("only in spelling count as different classes" in note for note in found.notes)
    model = {"model": [0.9, 0.8, 0.1], "old": [0.9, 0.8, 0.2]}
    for labels in (["yes", " Yes", "yes"], ["yes", " Yes", "no"]):
        for report in (
            evaluate({"late": labels, **model}, label="late", score="model", positive="yes"),
            compare({"late": labels, **model}, label="late", score="model", old_score="old", positive="yes"),
        ):
            assert any("other than 'yes', all counted as negative: ' Yes'" in note for note in report.notes)
    found = evaluate({"late": ["yes", "no", "no"], **model}, label="late", score="model", positive="yes")
    assert not any("other than" in note for note in found.notes)


def test_every_report_names_the_classes_of_scores_that_no_label_has(tmp_path):
    (tmp_path / "x.csv").write_text("tree,s_ash,s_elm,s_rank,day\nash,.9,.1,0,1\nelm,.2,.8,0,2\nash,.6,.4,.5,1\n")
    note = (
        "column 'tree' holds no label of these classes, which have scores: 'rank'; if one is no class, name the "
        "columns (--score CLASS=COL)"
    )
    for more in ((), ("--by", "day"), ("--measure", "accuracy"), ("--weight", "day"), ("--memory", "1G")):
        found = reported("report", tmp_path / "x.csv", "--label", "tree", "--scores", "s_", *more, "--format", "json")
        assert note in found["notes"]
    scores = {f"s{index}": [0.5, index] for index in range(9)}
    found = evaluate({"tree": [0, 1], **scores}, label="tree", score={str(index): f"s{index}" for index in range(9)})
    said = "column 'tree' holds no label of these classes, which have scores: '2', '3', '4', '5', '6', '7' and 1 more"
    assert said in found.notes
    found = evaluate({"tree": [0, 1], **scores}, label="tree", score={"0": "s0", "1": "s1"})
    assert not any("no label" in note for note in found.notes)
