"""Weights by the command: options and config file, of one file, several, and more than memory holds."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore import evaluate
from tests.cli.command import command, refused, reported
from tests.differences import every

run = partial(command, "report")

SIZE = 3000
ASKED = "--label", "late", "--score", "model", "--threshold", "0.5"
WEIGHTED = "--weight", "w"
TARGET = "--target-prevalence", "0.1"
PREDICTED = WEIGHTED, ("--weight", "part"), (*WEIGHTED, "--weight-type", "frequency")
OPTIONS = *PREDICTED, ("--weight", "part", *TARGET), TARGET


def table(seed=0):
    rng = np.random.default_rng(seed)
    late = rng.random(SIZE) < 0.3
    model = np.round(np.clip(rng.normal(0.4 + 0.2 * late, 0.2), 0, 1), 3)
    return {
        "late": late.astype(np.int64),
        "model": model,
        "guess": np.where(model > 0.5, "late", "soon"),
        "truth": np.where(late, "late", "soon"),
        "site": rng.choice(["x", "y"], SIZE),
        "w": rng.integers(0, 5, SIZE),
        "part": rng.choice([0.0, 0.25, 1.5], SIZE),
    }


WHOLE = pa.table(table())
PARTS = {f"part{index}.parquet": WHOLE.slice(index * SIZE // 3, SIZE // 3) for index in range(3)}
FILES = {"whole.parquet": WHOLE, **PARTS}


def found(*arguments, sections="scores"):
    return reported(run(*arguments, "--format", "json"))[sections]


def check_equal(one, other):
    assert one.keys() == other.keys()
    for name, value in one.items():
        if isinstance(value, dict):
            check_equal(value, other[name])
        else:
            assert value == pytest.approx(other[name], rel=1e-11), name


@every("options", OPTIONS)
def test_several_files_give_the_numbers_of_one(options):
    whole = found("whole.parquet", *ASKED, *options)
    check_equal(found("part*.parquet", *ASKED, *options), whole)


def test_python_and_the_command_agree_and_a_note_says_how_samples_and_weights_combine():
    report = evaluate(table(), label="late", score="model", threshold=0.5, weight="part", target_prevalence=0.1)
    typed = found("whole.parquet", *ASKED, "--weight", "part", "--target-prevalence", "0.1")["model"]
    check_equal({name: report["model"][name] for name in typed}, typed)
    outcome = run("whole.parquet", *ASKED, *WEIGHTED, "--sample", "100")
    assert "rows are drawn whatever their weights, and keep them" in " ".join(outcome.stdout.split())


@pytest.mark.usefixtures("beyond_memory")
@every("name", ["x.csv", "x.parquet", "x.jsonl"])
def test_an_invalid_weight_is_named_in_batches_too(name):
    weights = [1.0, 2.0, -0.5]
    columns = {"late": [1, 0, 1], "model": [0.5, 0.25, 0.75], "w": weights}
    rows = list(zip(*columns.values(), strict=True))
    if name == "x.parquet":
        pq.write_table(pa.table(columns), name)
    elif name == "x.csv":
        Path(name).write_text("".join(f"{','.join(map(str, row))}\n" for row in [columns, *rows]))
    else:
        Path(name).write_text("".join(f"{json.dumps(dict(zip(columns, row, strict=True)))}\n" for row in rows))
    where = "in row 3 below the header" if name == "x.csv" else "at index 2 (from 0)"
    why = f"{name}: column 'w' {where} is -0.5; weights must not be negative"
    assert refused(run(name, *ASKED, *WEIGHTED, "--memory", "300M")) == why
    kept = found(name, *ASKED, *WEIGHTED, "--memory", "400M", "--where", "w >= 0")
    assert (kept["model"]["cases"], kept["model"]["weight"]) == (2, 3.0)


def test_a_positive_label_whose_rows_all_weigh_zero_is_told(monkeypatch):
    table = {"late": ["yes", "no", "no"], "model": [0.5, 0.25, 0.75], "w": [0.0, 1.0, 2.5]}
    pq.write_table(pa.table(table), "zero.parquet")
    why = "zero.parquet: no row of column 'late' with a weight above 0 equals 'yes': it holds 1 value (no)"
    assert refused(run("zero.parquet", *ASKED, *WEIGHTED, "--positive", "yes")) == why
    monkeypatch.setattr("evalcore.evaluation.files.exact_bytes", lambda *asked: 10**12)
    beyond = refused(run("zero.parquet", *ASKED, *WEIGHTED, "--positive", "yes", "--memory", "300M"))
    assert beyond == "no row of column 'late' with a weight above 0 equals 'yes': it holds 'no'"
