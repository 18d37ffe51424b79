"""Comparisons of data frames: how numbers are named, and what they are written as."""

import json

import numpy as np
import pandas as pd
import pytest

import evalcore
from tests.differences import refused

DRAW = np.random.default_rng(5)
LATE = DRAW.random(300) < 0.4
TABLE = pd.DataFrame(
    {
        "late": LATE,
        "base": DRAW.random(300) + 0.1 * LATE,
        "ash": DRAW.random(300) + 0.5 * LATE,
        "elm": DRAW.random(300) - 0.5 * LATE,
        "day": DRAW.choice(["Mon", "Tue"], 300),
    }
)


@pytest.fixture(scope="module")
def two():
    return evalcore.compare(TABLE, label="late", score=["ash", "elm"], old_score="base", threshold=0.5, by="day")


@pytest.fixture(scope="module")
def one():
    return evalcore.compare(TABLE, label="late", score="ash", old_score="base", measures="auc", by="day")


def test_a_difference_is_named_by_its_model_its_group_and_its_measure(one, two):
    assert one["roc_area"] == one["AUC"] == one["ash", "roc_area"]
    assert one["roc_area"].found == two["ash", "roc_area"].found
    assert two["elm", "sensitivity@0.5"].measure == "recall@0.5"
    monday = TABLE[TABLE["day"] == "Mon"]
    expected = evalcore.inference.compare_roc_auc(monday["late"], monday["ash"], monday["base"])
    assert one["day=Mon", "roc_area"].found.difference == pytest.approx(expected.difference, rel=1e-12)
    assert one["day=Mon", "roc_area"].found.low == pytest.approx(expected.low, rel=1e-12)
    assert one["ash", "day=Mon", "roc_area"] == one["day=Mon", "roc_area"]


def test_other_names_are_refused(one, two):
    groups = ", ".join(f"'day={group.group}'" for group in one.models[0].groups["day"])
    for report, names, message in (
        (two, "roc_area", "a model must be named first, one of 'ash', 'elm', got none"),
        (two, ("oak", "roc_area"), "a model must be named first, one of 'ash', 'elm', got 'oak'"),
        (one, "roc_aera", "measure must be one that was compared, got 'roc_aera'; did you mean 'roc_area'?"),
        (one, "f1", "measure must be one that was compared, got 'f1'; these are 'roc_area'"),
        (one, ("Sunday", "roc_area"), "a group must be named as COLUMN=VALUE, got 'Sunday'; these are " + groups),
    ):
        with refused(message):
            report[names]


def test_numbers_are_the_same_in_every_format(two, tmp_path):
    frame = two.to_pandas()
    area = frame[(frame["model"] == "ash") & (frame["measure"] == "roc_area") & (frame["grouping"] == "")]
    assert area["difference"].tolist() == [two["ash", "roc_area"].found.difference]
    assert two.to_arrow().num_rows == len(frame) == two.to_polars().height == len(two.to_csv().splitlines()) - 1
    assert json.loads(two.to_json()) == json.loads(json.dumps(two.to_dict()))
    for name in ("json", "csv", "markdown"):
        write = getattr(two, f"to_{name}")
        assert write(tmp_path / name) is None
        assert (tmp_path / name).stat().st_size > 100
    assert "ROC area" in repr(two)
    assert two.summary


def test_reports_list_what_they_hold_and_are_equal_by_their_numbers(one):
    again = evalcore.compare(TABLE, label="late", score="ash", old_score="base", measures="roc_area", by="day")
    assert again == one
    assert hash(again) == hash(one)
    assert one != evalcore.compare(TABLE, label="late", score="elm", old_score="base", measures="roc_area")
    for none in ([], (), {}):
        with refused("new must hold at least one table, got none"):
            evalcore.compare(TABLE, none, label="late", score="ash", on="day")
    columns = {"y": [1, 0, 1, 0], "old": [0.9, 0.2, 0.4, 0.6], "new": [0.7, 0.3, 0.8, 0.1]}
    report = evalcore.compare(columns, label="y", score="new", old_score="old", measures=["roc_area", "f1@0.5"])
    assert list(report) == [("new", "roc_area"), ("new", "f1@0.5")]
    assert all(names in report for names in (*report, "auc"))
    assert not any(names in report for names in ("recall@0.5", ("other", "roc_area"), 0))


def test_columns_together_are_one_grouping_of_combinations():
    columns = {"y": [1, 0] * 4, "old": [0.9, 0.2] * 4, "new": [0.7, 0.8] * 4}
    columns |= {"a": list("xxxxyyyy"), "b": [1, 1, 2, 2] * 2}
    asked = {"label": "y", "score": "new", "old_score": "old", "measures": "roc_area"}
    report = evalcore.compare(columns, **asked, by=["a", ("a", "b")])
    groups = {by: {each.group: each.cases for each in found} for by, found in report.models[0].groups.items()}
    assert groups == {"a": {"x": 4, "y": 4}, "a, b": {"x, 1": 2, "x, 2": 2, "y, 1": 2, "y, 2": 2}}
    assert report["a, b=x, 2", "roc_area"].new == 0
    assert not report.check("any 'a, b': roc_area < 0.5").passed
    assert report.to_dict()["by"] == ["a", "a, b"]
    for by, said in (
        ([("a", "a")], "by must name distinct columns, got 'a', 'a'"),
        ([()], "by must name at least one column for each grouping, got [()]"),
    ):
        with refused(said):
            evalcore.compare(columns, **asked, by=by)
