"""Columns of labels and predicted classes: which of their values are one class, and what is said of those that are not."""

import io
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from evalcore import compare, evaluate
from evalcore.cli import main
from evalcore.metrics import accuracy_score
from tests.differences import every

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
        assert (
            reported("report", *files, *asked, "--by", "other")["statistics"]["guess"]["total"]["accuracy"] == accuracy
        )
