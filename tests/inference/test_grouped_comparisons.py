"""Comparisons of two models by group: each group has what `compare_roc_auc` says of its cases alone."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore import evaluate, inference
from tests.strategies import block_size

pytestmark = pytest.mark.filterwarnings("ignore::evalcore.errors.UndefinedMetricWarning")

SCORES = st.sampled_from([-np.inf, -0.0, 0.0, 0.25, 0.5, np.inf])
PAIRS = {"first": [(0, 1), (0, 2)], "all": [(0, 1), (0, 2), (1, 2)]}


@given(
    st.lists(st.tuples(st.booleans(), st.sampled_from("xyz"), SCORES, SCORES, SCORES), min_size=1, max_size=40),
    st.sampled_from(sorted(PAIRS)),
    st.sampled_from([1, 4, 13, 1 << 16]),
)
def test_a_group_is_compared_as_its_cases_alone(cases, compare, block):
    late, group, *scores = (np.array(column) for column in zip(*cases, strict=True))
    columns = {"late": late, "group": group, **dict(zip("abc", scores, strict=True))}
    with block_size(block):  # groups that are larger than a block are compared one by one
        report = evaluate(columns, label="late", score=[*"abc"], by="group", ci=0.9, compare=compare)
    p_values, adjusted = [], []
    for first, second in PAIRS[compare]:
        found = report.to_dict()["comparisons"][f"{'abc'[first]} - {'abc'[second]}"]
        assert list(found) == list(report.sections[0].records)
        for name, record in found.items():
            rows = np.full(late.size, True) if name == "total" else group == name
            alone = inference.compare_roc_auc(late[rows], scores[first][rows], scores[second][rows], level=0.9)
            expected = alone.difference, alone.low, alone.high, alone.p_value
            assert list(record.values())[:4] == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True)
            if name != "total" and not math.isnan(alone.p_value):
                p_values.append(alone.p_value)
                adjusted.append(record["p_value_holm"])
    assert adjusted == pytest.approx(inference.holm(p_values).tolist() if p_values else [], rel=1e-9)


def flights(groups=30, cases=100):
    rng = np.random.default_rng(5)
    late = rng.random(groups * cases) < 0.3
    scores = {name: rng.normal(size=late.size) + weight * late for name, weight in zip("abc", (2, 1.7, 1), strict=True)}
    return {"late": late, **scores, "group": np.arange(late.size) % groups}


def test_p_values_are_adjusted_for_all_groups_and_pairs():
    columns = flights()
    for compare, pairs, family in (("first", 2, 2), ("best", 2, 3), ("all", 3, 3)):
        report = evaluate(columns, label="late", score=[*"abc"], by="group", ci=0.95, compare=compare)
        sections = report.sections[3:]
        assert len(sections) == pairs
        rows = [{item.name: item.value for item in items} for section in sections for items in section.records.values()]
        groups = [row for index, row in enumerate(rows) if (index + 1) % 31]
        expected = inference.holm([row["p_value"] for row in groups] + [1] * 30 * (family - pairs))[: len(groups)]
        assert [row["p_value_holm"] for row in groups] == expected.tolist()
        because = ", because any model could have been the best" if compare == "best" else ""
        note = f"{30 * family} comparisons, one for each group and pair{because}; intervals are for each group alone"
        assert report.notes[0] == f"P-values of groups are adjusted by Holm's method for {note}"
        plain = evaluate(columns, label="late", score=[*"abc"], ci=0.95, compare=compare).to_dict()["comparisons"]
        assert {pair: found["total"] for pair, found in report.to_dict()["comparisons"].items()} == plain


def test_a_group_that_is_too_small_has_no_p_value_and_a_note():
    columns = flights(2, 50)
    columns["group"] = np.array(["large", "tiny"])[(np.arange(100) > 96).astype(int)]
    report = evaluate(columns, label="late", score=["a", "b"], by="group", ci=0.95)
    record = report["a - b", "tiny"]
    assert math.isnan(record["p_value"])
    assert math.isnan(record["p_value_holm"])
    assert report["a - b", "large", "p_value_holm"] == report["a - b", "large", "p_value"]
    why = "p and p, Holm are NaN where a class has fewer than two cases, or the difference has no variance"
    assert f"{why}: 'tiny'" in report.notes


def test_nothing_is_compared_unless_there_are_intervals_and_several_models():
    columns = flights(2, 50)
    asked = {"label": "late", "by": "group"}
    for report in (
        evaluate(columns, score=["a", "b"], **asked),
        evaluate(columns, score="a", ci=0.95, **asked),
        evaluate(columns, score=["a", "b"], ci=0.95, compare="none", **asked),
    ):
        assert list(report.to_dict()) == ["scores", "notes"]
    report = evaluate(columns, score=["a", "b"], ci=0.95, **asked)
    assert list(report.to_dict()) == ["scores", "comparisons", "notes"]
    assert "comparisons,a - b,1,p_value_holm," in report.to_csv()
    assert "ROC areas compared: a - b, on the same cases" in repr(report)
