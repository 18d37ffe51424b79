"""Means of losses have Student's intervals, in reports as in gates, whatever counts the cases."""

import numpy as np
import pytest
from scipy import stats

from evalcore import evaluate
from evalcore.evaluation.cases import PairedCases
from evalcore.evaluation.catalogue import MeasureName
from evalcore.evaluation.measure_choice import LOSSES
from evalcore.evaluation.question import Question
from evalcore.evaluation.score_differences import value_interval
from evalcore.inference.intervals import intervals_of_means
from evalcore.inference.units import mean_sample, spread_of_sums, units_of
from tests.differences import every

SIZE, LEVEL = 240, 0.9
RNG = np.random.default_rng(4)
POSITIVE = RNG.random(SIZE) < 0.2
SCORES = 1 / (1 + np.exp(1 - RNG.normal(size=SIZE) - POSITIVE))
COLUMNS = {"y": POSITIVE.astype(int), "s": SCORES, "w": RNG.integers(1, 5, SIZE), "g": RNG.integers(0, 3, SIZE)}
COLUMNS["c"] = np.arange(SIZE) % 12
LOST = {"log_loss": -np.log(np.where(POSITIVE, SCORES, 1 - SCORES)), "brier_score": (SCORES - POSITIVE) ** 2}


def written_out(name, values, weights, clusters=None, within=None):
    """Return the bounds of a mean loss from what cases, or clusters, contribute to it, and from an unseen case."""
    mean = np.average(values, weights=weights)
    contributed = weights * (values - mean if within is None else within) / weights.sum()
    squares, units = np.square(contributed).sum(), contributed.size
    variance, freedom = squares * units / (units - 1), min(1.5 * squares**2 / (contributed**4).sum(), units - 1)
    if clusters is not None:
        drawn = units_of(units, clusters=clusters)
        [variance], [freedom] = drawn.left_out(drawn.changes(np.bincount(clusters, contributed)))
    wrong = -np.log(1 - np.exp(-mean)) if name == "log_loss" else (1 - np.sqrt(mean)) ** 2
    unseen = ((wrong - mean) * (weights**2).sum() / weights.sum() ** 2) ** 2
    freedom = (variance + unseen) ** 2 / (variance**2 / freedom + unseen**2 / 1.5)
    reach = stats.t.ppf((1 + LEVEL) / 2, freedom) * np.sqrt(variance + unseen)
    return mean + np.array([-reach, reach])


def bounds_of(columns, **asked):
    report = evaluate(columns, label="y", score="s", ci=LEVEL, measures=LOSSES, **asked)
    section = report.sections[0]
    records = {"total": section.records["s"]} if "by" not in asked else section.records
    return {name: {item.name: item.interval for item in items if item.interval} for name, items in records.items()}


@every("name", LOSSES)
def test_bounds_are_those_written_out(name):
    one, (lost, groups) = np.ones(SIZE), (LOST[name], COLUMNS["g"])
    assert [*bounds_of(COLUMNS)["total"][name]] == pytest.approx(written_out(name, lost, one), rel=1e-9)
    assert [*bounds_of(COLUMNS, weight="w")["total"][name]] == pytest.approx(
        written_out(name, lost, COLUMNS["w"]), rel=1e-9
    )
    clustered = bounds_of(COLUMNS, cluster="c")["total"][name]
    assert [*clustered] == pytest.approx(written_out(name, lost, one, COLUMNS["c"]), rel=1e-9)
    for asked, weights in (({}, one), ({"weight": "w"}, COLUMNS["w"])):
        found = bounds_of(COLUMNS, by="g", **asked)
        for group in range(3):
            own = groups == group
            expected = written_out(name, lost[own], weights[own])
            assert [*found[str(group)][name]] == pytest.approx(expected, rel=1e-9)


@every("name", LOSSES)
def test_frequencies_are_cases_and_gates_have_the_bounds_of_reports(name):
    repeated = {column: np.repeat(values, COLUMNS["w"]) for column, values in COLUMNS.items()}
    frequent = bounds_of(COLUMNS, weight="w", weight_type="frequency")["total"][name]
    assert [*frequent] == pytest.approx([*bounds_of(repeated)["total"][name]], rel=1e-9)
    question = Question("y", level=LEVEL)
    gated = value_interval(MeasureName(name), SCORES, PairedCases(POSITIVE, {"s": SCORES}), question)
    assert [*gated] == pytest.approx([*bounds_of(COLUMNS)["total"][name]], rel=1e-9)


def test_only_losses_within_classes_vary_where_the_prevalence_is_known():
    shift = np.where(POSITIVE, 0.1 / POSITIVE.mean(), 0.9 / (1 - POSITIVE.mean()))
    lost = LOST["log_loss"]
    within = lost - np.where(POSITIVE, lost[POSITIVE].mean(), lost[~POSITIVE].mean())
    expected = written_out("log_loss", lost, shift, within=within)
    found = bounds_of(COLUMNS, target_prevalence=0.1)["total"]["log_loss"]
    assert [*found] == pytest.approx(expected, rel=1e-9)


def test_no_mean_is_larger_than_its_values_can_be():
    columns = {"y": [0, 1, 1], "s": [0.9, 0.2, 0.4], "g": [0, 0, 0]}
    for by in (None, "g"):
        report = evaluate(columns, label="y", score="s", ci=0.95, by=by, measures=["brier_score", "log_loss"])
        section = report.sections[0]
        items = {item.name: item.interval for item in section.records[section.groups[0]]}
        assert items["brier_score"].high == 1 < items["log_loss"].high


def test_losses_that_are_alike_prove_nothing_of_other_cases():
    alike = {"y": [0, 1, 1, 0], "s": [0.25, 0.75, 0.75, 0.25]}
    low, high = bounds_of(alike)["total"]["log_loss"]
    assert low == 0 < np.log(2) < high  # an unseen one may be wrong
    nearly = np.array([1.0, 1.0 + 2e-7, 1.0])
    sums = np.array([[(nearly**power).sum()] for power in (2, 3, 4)])
    assert np.isnan(spread_of_sums(np.array([nearly.mean()]), sums, np.array([3.0])).variances).all()
    many = np.full((3, 1), 5e5)  # half of a million values are 1: products of these counts are beyond 64 bits
    assert spread_of_sums(np.array([0.5]), many, np.array([10**6])).freedom == pytest.approx(10**6, rel=1e-5)
    sample = mean_sample(units_of(3))
    spread = sample.spread(nearly.__getitem__, totals := sample.sums(nearly.__getitem__))
    [found] = intervals_of_means(sample.means(totals), spread, LEVEL).each(LEVEL)
    assert found.low < 1 < found.high < 1 + 1e-6
