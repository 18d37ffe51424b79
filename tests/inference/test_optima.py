"""Optima vary as the decisions at them do, and are compared so; the bound near their bias lies farther away."""

import numpy as np
import pytest

from evalcore import evaluate, metrics
from evalcore.evaluation.cases import PairedCases
from evalcore.evaluation.comparing import differences_of_models
from evalcore.evaluation.measure_choice import Measures, parse_compared
from evalcore.evaluation.question import Question
from evalcore.evaluation.score_differences import value_interval
from evalcore.inference.cells import cells_of_counts, intervals_of, intervals_of_values
from evalcore.inference.decisions import measure_at_optimum, optimum_intervals
from evalcore.inference.intervals import bounds_of_difference, reach_of

RNG = np.random.default_rng(5)
POSITIVE = RNG.random(300) < 0.25
SHARED = RNG.normal(size=300) + 1.5 * POSITIVE
OLD, NEW = (SHARED + RNG.normal(size=300) for _ in range(2))
CASES = PairedCases(POSITIVE, {"old": OLD, "new": NEW})
QUESTION = Question("y", measures=Measures(("maximum_f1", "ks")))


def decided(scores, name):
    """Return the decisions at the best threshold, and the value there, by trying all."""
    measures = {
        "maximum_f1": metrics.f1_score,
        "ks": lambda y, p: metrics.recall_score(y, p) - p[~y].mean(),
    }
    tried = {at: measures[name](POSITIVE, scores >= at) for at in np.unique(scores)}
    best = max(tried, key=tried.__getitem__)
    return scores >= best, tried[best]


def table(predicted):
    return np.bincount(2 * ~POSITIVE + ~predicted, minlength=4).reshape(1, 2, 2)


@pytest.mark.parametrize("name", ["maximum_f1", "ks"])
def test_bounds_and_differences_are_those_of_the_decisions_at_the_optimum(name):
    (old, value), (new, other) = decided(OLD, name), decided(NEW, name)
    found = value_interval(parse_compared(name), OLD, CASES, QUESTION)
    if name == "ks":
        names = "recall", "false_positive_rate"
        bounds = bounds_of_difference(*(intervals_of(each, cells_of_counts(table(old)), 0.95)[:3] for each in names))
    else:
        own = intervals_of("f1", cells_of_counts(table(old)), 0.95)
        bounds = own.low, own.high
    bounds = np.ravel(bounds)
    farther = 1 + min(POSITIVE.sum(), (~POSITIVE).sum()) ** (-1 / 6) / reach_of(0.95)
    assert found.estimate == pytest.approx(value, rel=1e-12)
    assert [*found] == pytest.approx([value - (value - bounds[0]) * farther, bounds[1]], rel=1e-12)
    different = {each.measure: each for each in differences_of_models(CASES, QUESTION)[0].differences}[name]
    assert different.found.estimates == pytest.approx((other, value), rel=1e-12)
    contributed = sum(
        sign * measure_at_optimum(name).derivatives(table(each).astype(float)).ravel()[2 * ~POSITIVE + ~each]
        for sign, each in ((1, new), (-1, old))
    )
    assert different.error == pytest.approx(np.sqrt(np.square(contributed).sum() * 300 / 299), rel=1e-9)


def test_the_lowest_cost_is_too_low_on_average_and_its_upper_bound_is_farther():
    columns = {"y": POSITIVE.astype(int), "s": OLD}
    report = evaluate(columns, label="y", score="s", ci=0.9, costs=(1, 4), measures="minimum_expected_cost")
    items = {item.name: item for item in report.sections[0].records["s"]}
    found, at = items["minimum_expected_cost"].interval, items["minimum_expected_cost_threshold"].value
    costs = np.array([[0.0, 4.0], [1.0, 0.0]])
    own = intervals_of_values(cells_of_counts(table(at <= OLD)), costs, 0.9)
    assert found.low == pytest.approx(own.low[0])
    assert found.high - found.estimate > own.high[0] - found.estimate > 0


def test_a_model_that_is_worse_than_chance_has_a_statistic_without_bounds():
    found = value_interval(parse_compared("ks"), -OLD, CASES, QUESTION)
    assert found.estimate == pytest.approx(metrics.ks_statistic(POSITIVE, -OLD))
    assert np.isnan([*found]).all()
    [perfect] = optimum_intervals("maximum_f1", cells_of_counts(np.array([[[9, 0], [0, 9]]])), 0.95).each(0.95)
    assert perfect.low < perfect.high == 1


def test_perfect_models_differ_by_no_more_than_unseen_cases_may():
    perfect = PairedCases(POSITIVE, {"old": POSITIVE * 0.8, "new": POSITIVE * 0.6})
    question = QUESTION._replace(measures=Measures(("maximum_f1", "ks", "f1@0.5")))
    optimum, gap, fixed = (each.found for each in differences_of_models(perfect, question)[0].differences)
    assert (optimum.low, optimum.high) == pytest.approx((fixed.low, fixed.high))
    assert 0 < gap.high == -gap.low < 2 * fixed.high
