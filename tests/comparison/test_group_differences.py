"""Differences in groups are those of the cases of each group alone."""

import numpy as np
import pytest

from evalcore.comparison.differences.score_differences import group_differences, score_differences
from evalcore.comparison.pairing.cases import PairedCases
from evalcore.comparison.question import CompareQuestion
from evalcore.kernels import blocks
from evalcore.report.statistics.groups import grouped_rows
from evalcore.report.weighting import RowWeights, Weighting
from tests.differences import every

SIZE = 900
QUESTION = CompareQuestion(
    "late",
    thresholds=(0.5,),
    measures=("roc_area", "average_precision", "log_loss", "accuracy", "specificity", "f1", "kappa"),
    margin=0.01,
)


def made(kind=None, clustered=False):
    generator = np.random.default_rng(8)
    positive = generator.random(SIZE) < 0.4
    carriers = generator.choice(["a", "b", "c", "d"], SIZE, p=[0.6, 0.3, 0.09, 0.01])
    positive[carriers == "d"] = False
    quality = generator.normal(size=SIZE) + positive
    old, new = 1 / (1 + np.exp(-quality - generator.normal(size=(2, SIZE))))
    weights = None
    if kind is not None:
        values = generator.integers(1, 4, SIZE) if kind == "frequency" else generator.lognormal(size=SIZE)
        weights = RowWeights(Weighting("w", kind), values, values)
    clusters = np.arange(SIZE) // 3 if clustered else None
    return PairedCases(positive, {"old": old, "new": np.round(new, 1)}, weights, clusters), carriers


@pytest.fixture
def grouped():
    cases, carriers = made()
    return cases._replace(groups={"carrier": grouped_rows({"carrier": carriers})})


def part_of(cases, rows):
    weights = cases.weights
    if weights is not None:
        weights = weights._replace(given=weights.given[rows], values=weights.values[rows])
    clusters = None if cases.clusters is None else np.unique(cases.clusters[rows], return_inverse=True)[1]
    scores = {model: column[rows] for model, column in cases.scores.items()}
    return PairedCases(cases.positive[rows], scores, weights, clusters)


@every("block", [blocks.BLOCK, 300])
@every("clustered", [False, True])
@every("kind", [None, "frequency", "sampling"])
def test_each_group_is_compared_as_its_cases_alone(monkeypatch, kind, clustered, block):
    monkeypatch.setattr(blocks, "BLOCK", block)
    cases, carriers = made(kind, clustered)
    groups = grouped_rows({"carrier": carriers})
    [found] = group_differences(cases._replace(groups={"carrier": groups}), QUESTION)
    assert sorted(group.group for group in found["carrier"]) == ["a", "b", "c", "d"]
    methods = {group.differences[1].found.method for group in found["carrier"]}
    assert methods == ({"jackknife", "linearised"} if clustered else {"linearised"})  # groups of few, and of many
    for group in found["carrier"]:
        rows = carriers == group.group
        part = part_of(cases, rows)
        counts = np.ones(SIZE, np.int64) if kind != "frequency" else cases.weights.values
        assert (group.cases, group.positives) == (counts[rows].sum(), (counts * cases.positive)[rows].sum())
        [alone] = score_differences(part, QUESTION)
        for ours, theirs in zip(group.differences, alone, strict=True):
            assert (ours.measure, ours.title, ours.verdict) == (theirs.measure, theirs.title, theirs.verdict)
            assert (ours.found.level, ours.found.method) == (theirs.found.level, theirs.found.method)
            numbers, expected = (
                [
                    *each.found.estimates,
                    each.found.low,
                    each.found.high,
                    each.error,
                    each.found.p_value,
                    each.detectable,
                ]
                for each in (ours, theirs)
            )
            assert numbers == pytest.approx(expected, rel=1e-9, abs=1e-13, nan_ok=True), (group.group, ours.measure)


def test_p_values_are_adjusted_for_all_measures_of_groups_that_are_large_enough(grouped):
    [found] = group_differences(grouped, QUESTION)
    every = [each for group in found["carrier"] for each in group.differences if not np.isnan(each.found.p_value)]
    smallest = min(every, key=lambda each: each.found.p_value)
    assert smallest.holm == pytest.approx(min(smallest.found.p_value * len(every), 1))
    assert smallest.benjamini_hochberg <= smallest.holm
    carriers = made()[1]
    several = grouped._replace(
        scores={**grouped.scores, "third": grouped.scores["old"]},
        groups={"carrier": grouped_rows({"carrier": carriers}, min_cases=50)},
    )
    second, third = group_differences(several, QUESTION)
    assert {group.group for group in second["carrier"]} == {"a", "b", "c"}
    assert all(each.found.difference == 0 for each in third["carrier"][0].differences)


@every("asked", [{}, {"measures": ("log_loss",), "thresholds": ()}])
def test_groups_that_got_worse_come_first(grouped, asked):
    [found] = group_differences(grouped, QUESTION._replace(**asked))
    gains = [group.differences[0].gain for group in found["carrier"]]
    defined = gains if asked else gains[:-1]
    assert defined == sorted(defined)
    if not asked:  # an area of one class is not defined
        assert found["carrier"][-1].group == "d"
        assert np.isnan(gains[-1])
