"""Reports on classes by group: each group has the numbers of its rows alone."""

import json
import math
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, cohen_kappa_score, f1_score, log_loss, roc_auc_score

from evalcore import evaluate
from evalcore.batched import pair_counts
from evalcore.cli import main
from evalcore.report.statistics.grouped_classes import cell_counts
from tests.differences import every
from tests.strategies import block_size

NAMES = ["ash", "birch", "elm"]
SCORES = {name: f"s_{name}" for name in NAMES}
CODES = st.integers(0, 3)


@pytest.fixture(scope="module")
def trees():
    """600 rows of three sites and two years, with labels, predictions and scores of three classes."""
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 3, 600)
    scores = np.round(rng.normal(size=(600, 3)) + 1.5 * np.eye(3)[codes], 1)
    columns = {"tree": np.array(NAMES)[codes], "guess": np.array(NAMES)[scores.argmax(axis=1)]}
    columns |= {"site": np.array(["south", "north", "east"])[rng.choice(3, 600, p=[0.5, 0.3, 0.2])]}
    return columns | {"year": rng.integers(2020, 2022, 600)} | {SCORES[NAMES[c]]: scores[:, c] for c in range(3)}


def rows_of(columns, rows):
    return {name: column[rows] for name, column in columns.items()}


def same(first, second):
    assert first.keys() == second.keys()
    for name, value in first.items():
        assert value == second[name] or (math.isnan(value) and math.isnan(second[name])), name


@every("asked", [{"predicted": "guess"}, {"score": SCORES}])
def test_a_group_has_the_numbers_of_its_rows_alone(trees, asked):
    report = evaluate(trees, label="tree", by="site", ci=0.9, **asked)
    (section,) = report.sections
    assert (section.name, section.whole.name) == ("guess" if "predicted" in asked else "class scores", "statistics")
    assert list(section.records) == ["south", "north", "east", "total"]
    for site in ("south", "north", "east"):
        rows = trees["site"] == site
        alone = evaluate(rows_of(trees, rows), label="tree", ci=0.9, **asked)
        same(report[site], alone["statistics"])
        assert report[site]["macro_f1"] == pytest.approx(
            f1_score(trees["tree"][rows], trees["guess"][rows], average="macro"), rel=1e-12
        )
        kappa = cohen_kappa_score(trees["tree"][rows], trees["guess"][rows])
        assert report[site]["kappa"] == pytest.approx(kappa, rel=1e-10)
    same(report["total"], evaluate(trees, label="tree", ci=0.9, **asked)["statistics"])


def test_areas_of_a_group_beside_scikit_learn(trees):
    report = evaluate(trees, label="tree", score=SCORES, by="site")
    rows = trees["site"] == "east"
    areas = [roc_auc_score(trees["tree"][rows] == name, trees[SCORES[name]][rows]) for name in NAMES]
    cases = [np.count_nonzero(trees["tree"][rows] == name) for name in NAMES]
    assert report["east"]["macro_roc_area"] == pytest.approx(np.mean(areas), rel=1e-12)
    assert report["east"]["weighted_roc_area"] == pytest.approx(np.average(areas, weights=cases), rel=1e-12)


@every(("dtype", "tolerance"), [(np.float32, 1e-6), (np.float64, 1e-12)])  # scikit-learn adds up float32 as such
def test_losses_of_a_group_of_probabilities_beside_scikit_learn(trees, dtype, tolerance):
    raw = np.exp([trees[name] for name in SCORES.values()])
    probabilities = (raw / raw.sum(axis=0)).astype(dtype)
    probabilities[0, np.flatnonzero(trees["site"] == "east")[0]] += dtype(0.5)  # their sum is not 1
    columns = trees | dict(zip(SCORES.values(), probabilities, strict=True))
    report = evaluate(columns, label="tree", score=SCORES, by="site")
    for site in ("south", "north"):
        rows = trees["site"] == site
        expected = [loss(trees["tree"][rows], probabilities[:, rows].T) for loss in (log_loss, brier_score_loss)]
        assert [report[site]["log_loss"], report[site]["brier_score"]] == pytest.approx(expected, rel=tolerance)
    assert math.isnan(report["east"]["log_loss"])
    assert math.isnan(report["east"]["brier_score"])


def test_classes_that_a_group_lacks_are_not_counted_in_it():
    columns = {"tree": ["ash", "ash", "elm"], "guess": ["ash", "ash", "birch"], "site": [1, 1, 2]}
    report = evaluate(columns, label="tree", predicted="guess", by="site")
    assert [report[site]["classes"] for site in (1, 2, "total")] == [1, 2, 3]
    assert report[1]["macro_f1"] == 1
    assert "| guess" in report.to_markdown()
    assert "statistics,guess,total,kappa" in report.to_csv()


@given(st.lists(st.tuples(CODES, CODES, CODES), min_size=1, max_size=40), st.sampled_from([1, 1 << 16]))
def test_cells_are_counted_alike_in_a_table_and_by_sorting(cases, block):
    columns = [np.array(column) for column in zip(*cases, strict=True)]
    with block_size(block):
        found = cell_counts(*columns, classes=5)
    assert list(zip(*(column.tolist() for column in found[:4]), strict=True)) == [
        (*case, cases.count(case)) for case in sorted(set(cases))
    ]


def reported(*arguments):
    outcome = CliRunner().invoke(main, ["report", *map(str, arguments), "--format", "json"], prog_name="evalcore")
    assert outcome.exit_code == 0, outcome.stderr
    return json.loads(outcome.stdout)


def test_files_in_batches_have_the_report_of_all_rows(trees, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table(trees), "all.parquet")
    for part in range(3):
        pq.write_table(pa.table(rows_of(trees, slice(part, None, 3))), f"part{part}.parquet")
    asked = "--label", "tree", "--predicted", "guess", "--by", "site", "--by", "year", "--ci", "0.95"
    whole = reported("all.parquet", *asked)["statistics"]
    assert list(whole["guess"])[-1] == "total"
    assert len(whole["guess"]) == 7
    assert reported("part*.parquet", *asked)["statistics"] == whole
    prefixed = reported("part*.parquet", "--label", "tree", "--scores", "s_", "--by", "site")["statistics"]
    assert prefixed == reported("all.parquet", "--label", "tree", "--scores", "s_", "--by", "site")["statistics"]


def test_too_many_groups_and_pairs_are_an_error(trees, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pair_counts, "_BYTES_OF_A_PAIR", 10**12)
    for name in "ab":
        pq.write_table(pa.table(trees), f"{name}.parquet")
    asked = ["a.parquet", "b.parquet", "--label", "tree", "--predicted", "guess", "--by", "site"]
    message = CliRunner().invoke(main, ["report", *asked], prog_name="evalcore").stderr
    said = (
        r"columns 'site', 'tree' and 'guess': \d+ different rows take at least \d+ TB, .* allow more memory \(--memory"
    )
    assert re.search(said, message)


def test_a_column_of_groups_that_begins_with_the_prefix_is_not_a_class(trees, tmp_path):
    columns = {name: column for name, column in trees.items() if name != "site"} | {"s_site": trees["site"]}
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    found = reported(tmp_path / "x.parquet", "--label", "tree", "--scores", "s_", "--by", "s_site")["statistics"]
    assert list(found["class scores"]) == ["south", "north", "east", "total"]
