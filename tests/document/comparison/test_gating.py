"""Gates of comparisons: the numbers that conditions are about, and the intervals of values themselves."""

import numpy as np
import pytest

import evalcore
from evalcore import inference
from evalcore.document.comparison_report import ComparisonReport, gated_numbers
from evalcore.errors import EvaluationError
from evalcore.evaluation.cases import PairedCases
from evalcore.evaluation.comparing import differences_of_models
from evalcore.evaluation.differences import ComparisonAnswer
from evalcore.evaluation.measure_choice import parse_compared
from evalcore.evaluation.question import Question
from evalcore.evaluation.score_differences import value_interval
from evalcore.evaluation.statistics.groups import grouped_rows
from evalcore.evaluation.weighting import RowWeights, Weighting
from evalcore.gate.conditions import parse_conditions
from tests.differences import check_refusals, every

RANDOM = np.random.default_rng(5)
LABELS = RANDOM.random(400) < 0.4
SCORES = {
    "base": np.clip(0.2 * LABELS + 0.8 * RANDOM.random(400), 0, 1),
    "forest": np.clip(0.4 * LABELS + 0.6 * RANDOM.random(400), 0, 1),
    "poor": RANDOM.random(400),
}
CARRIERS = np.where(np.arange(400) % 4, "UA", "AA")
WEIGHTS = RANDOM.integers(1, 5, 400)
QUESTION = Question("late", thresholds=(0.5,), by=("carrier",), level=0.9, resamples=100)


def cases_of(kind="plain"):
    """Return the cases, plain or with weights or clusters."""
    weights = {
        "frequency": RowWeights(Weighting("w", "frequency"), WEIGHTS),
        "sampling": RowWeights(Weighting("w"), WEIGHTS.astype(float)),
        "prevalence": RowWeights(Weighting(None, None, 0.1), np.where(LABELS, 0.25, 1.5)),
    }.get(kind, RowWeights())
    clusters = np.arange(400) // 4 if kind == "clusters" else None
    groups = {"carrier": grouped_rows({"carrier": CARRIERS})}
    return PairedCases(LABELS, SCORES, weights=weights, clusters=clusters, groups=groups)


@pytest.fixture(scope="module")
def answer():
    cases = cases_of()
    return ComparisonAnswer(cases.old, differences_of_models(cases, QUESTION), cases=cases)


def test_all_measures_of_all_models_and_groups_can_be_named(answer):
    numbers = gated_numbers(answer, QUESTION)
    assert {number.model for number in numbers} == {"forest", "poor"}
    assert {(number.grouping, number.group, number.cases) for number in numbers} == {
        *((None, None, 400), ("carrier", "UA", 300), ("carrier", "AA", 100))
    }
    first, found = numbers[0], answer.models[0].differences[0].found
    assert (first.measure, first.value) == ("roc_auc", found.estimates[0])
    assert (first.change, first.change_low, first.change_high) == (found.difference, found.low, found.high)
    assert np.isnan([number.low for number in numbers]).all()


def test_values_that_conditions_name_have_intervals_of_their_own(answer):
    said = ["auc < 0.5", "any carrier: recall@0.5 < 0.1", "log_loss > 9", "f1@0.5 drops by 0.9", "carrier=UA: ap < 0"]
    found = gated_numbers(answer, QUESTION, parse_conditions(said))
    numbers = {(number.model, number.measure, number.group): number for number in found}
    bounded = {(measure, group) for (_, measure, group), number in numbers.items() if not np.isnan(number.low)}
    of_groups = {(name, group) for name in ("recall@0.5", "average_precision") for group in ("UA", "AA")}
    assert bounded == {("roc_auc", None), ("log_loss", None)} | of_groups
    area = inference.roc_auc_interval(LABELS, SCORES["poor"], level=0.9)
    assert tuple(area) == (numbers["poor", "roc_auc", None].low, numbers["poor", "roc_auc", None].high)
    rows = CARRIERS == "AA"
    recall = inference.recall_interval(LABELS[rows], SCORES["forest"][rows] >= 0.5, level=0.9)
    number = numbers["forest", "recall@0.5", "AA"]
    assert (recall.estimate, *recall) == (number.value, number.low, number.high)


@every(
    ("condition", "models"),
    ("roc_auc < 0.65", ["poor"]),
    ("roc_auc drops by 0.05", ["poor"]),
    ("log_loss rises by 0.1", ["poor"]),
    ("any carrier with 200 cases: roc_auc drops by 0.05", ["poor"]),
    ("any carrier: recall < 0.2", []),
    ("carrier=UA: roc_auc rises by 0.05", ["forest"]),
)
def test_conditions_are_checked_for_each_new_model(answer, condition, models):
    for confident in (False, True):
        failures = ComparisonReport(answer, QUESTION).check(condition, confident).failures
        assert [failure.number.model for failure in failures] == models
        assert all(failure.certain for failure in failures)


def test_a_measure_that_was_not_compared_is_measured_for_its_condition(answer):
    conditions = ["kappa@0.3 > 2", "maximum_f1 rises by 0.9", "any carrier: specificity@0.7 drops by 0.95", "auc < 0"]
    assert ComparisonReport(answer, QUESTION).check(conditions).passed
    numbers = gated_numbers(answer, QUESTION, parse_conditions(conditions))
    found = {(number.measure, number.group): number for number in numbers if number.model == "forest"}
    assert len(found) == len(numbers) / 2  # none twice
    kappa = inference.kappa_interval(LABELS, SCORES["forest"] >= 0.3, level=0.9)
    number = found["kappa@0.3", None]
    assert (number.value, number.low, number.high) == (kappa.estimate, *kappa)
    rows = CARRIERS == "AA"
    before, after = (inference.specificity_interval(LABELS[rows], SCORES[model][rows] >= 0.7).estimate
                     for model in ("base", "forest"))  # fmt: skip
    assert found["specificity@0.7", "AA"].change == pytest.approx(after - before, abs=1e-15)


def test_what_cannot_be_measured_is_an_error(answer):
    conditions = ["roc_aera < 1", "micro_f1 < 1", "any carrier: partial_auc@0.1 < 1"]
    check = ComparisonReport(answer, QUESTION).check
    check_refusals("document/comparison/outputs/refused_conditions.txt", check, conditions)


FUNCTIONS = {
    "roc_auc": inference.roc_auc_interval,
    "average_precision": inference.average_precision_interval,
    "accuracy@0.5": lambda y, s, **asked: inference.accuracy_interval(y, s >= 0.5, **asked),
    "precision@0.5": lambda y, s, **asked: inference.precision_interval(y, s >= 0.5, **asked),
    "specificity@0.5": lambda y, s, **asked: inference.specificity_interval(y, s >= 0.5, **asked),
    "f1@0.5": lambda y, s, **asked: inference.f1_interval(y, s >= 0.5, **asked),
    "kappa@0.5": lambda y, s, **asked: inference.kappa_interval(y, s >= 0.5, **asked),
}


def interval_of(name, cases, question=QUESTION, model="forest"):
    return value_interval(parse_compared(name), cases.scores[model], cases, question)


@every(
    ("kind", "options"),
    ("plain", {}),
    ("sampling", {"sample_weight": WEIGHTS, "weight_type": "sampling"}),
    ("frequency", {"sample_weight": WEIGHTS, "weight_type": "frequency"}),
    ("clusters", {"cluster": np.arange(400) // 4}),
)
def test_intervals_of_values_are_those_of_inference(kind, options):
    for name, function in FUNCTIONS.items():
        assert interval_of(name, cases_of(kind)) == function(LABELS, SCORES["forest"], level=0.9, **options), name
    areas = interval_of("roc_auc", cases_of(kind), QUESTION._replace(ci_method="delong"))  # as their differences have
    assert areas == inference.roc_auc_interval(LABELS, SCORES["forest"], level=0.9, method="delong", **options)


@every("name", ["partial_auc@0.1", "partial_auc@0.3"])
def test_measures_without_a_formula_are_resampled(name):
    question = QUESTION._replace(resamples=50, stratify=True, seed=3)
    asked = {"level": 0.9, "resamples": 50, "stratify": True, "seed": 3}
    expected = inference.bootstrap_interval(LABELS, SCORES["forest"], name, **asked)
    assert interval_of(name, cases_of(), question) == expected


def test_any_measure_has_an_interval_and_groups_keep_what_is_theirs():
    for name in (
        "log_loss",
        "jaccard@0.5",
        "net_benefit@0.5",
        "negative_predictive_value@0.5",
        "precision@0.5",
        "roc_auc",
    ):
        for kind in ("plain", "prevalence"):
            found = interval_of(name, cases_of(kind))
            assert found.low < found.estimate < found.high
    cases = cases_of("clusters")._replace(weights=cases_of("frequency").weights._replace(given=WEIGHTS))
    part = cases.of_group("carrier", "AA")
    rows = np.flatnonzero(CARRIERS == "AA")
    assert part.weights.values.tolist() == part.weights.given.tolist() == WEIGHTS[rows].tolist()
    assert part.clusters.tolist() == list(range(100))
    assert part.scores["poor"].tolist() == SCORES["poor"][rows].tolist()
    assert len(part.groups) == 0


CLASSES = RANDOM.choice(["ash", "elm", "oak"], 400)
PREDICTED = {
    model: np.where(RANDOM.random(400) < right, CLASSES, RANDOM.choice(["ash", "elm", "oak"], 400))
    for model, right in (("old", 0.5), ("new", 0.6))
}
FOREST = {"tree": CLASSES, "w": WEIGHTS, "by": CARRIERS, "user": np.arange(400) // 4, **PREDICTED}
OF_CLASSES = {"label": "tree", "predicted": "new", "old_predicted": "old"}


OPTIONS = (
    *({}, {"weight": "w"}, {"weight": "w", "weight_type": "frequency"}, {"by": "by"}, {"by": "by", "weight": "w"}),
    *({"cluster": "user"}, {"cluster": "user", "weight": "w"}),
)


@every("given", [*OPTIONS, {"target_prevalence": 0.2}, {"target_prevalence": 0.2, "by": "by"}])
def test_values_of_decisions_have_the_intervals_of_reports(given):
    table, costs = {"late": LABELS, "w": WEIGHTS, "by": CARRIERS, "user": np.arange(400) // 4, **SCORES}, (1, 5)
    report = evalcore.compare(table, label="late", score="forest", old_score="poor", costs=costs, **given)
    scope, options = "by=UA: " if "by" in given else "", {"threshold": 0.5, "costs": costs, "ci": 0.95}
    tree = evalcore.evaluate(table, label="late", score="forest", **options, **given).to_dict()["scores"]["forest"]
    expected = tree["UA"] if scope else tree
    for measure in ("recall", "f1", "kappa", "balanced_accuracy", "matthews_correlation", "weighted_f1", "yules_q",
                    "jaccard", "net_benefit", "expected_cost"):  # fmt: skip
        [failure] = report.check(f"{scope}{measure}@0.5 < 9", confident=True).failures
        bounds = [expected[f"{measure}{side}"] for side in ("_low", "_high")]
        assert (failure.low, failure.high) == pytest.approx(bounds, abs=1e-12), measure


@every("given", OPTIONS)
def test_values_of_predicted_classes_have_the_intervals_of_reports(given):
    report = evalcore.compare(FOREST, **OF_CLASSES, **given)
    scope = "by=UA: " if "by" in given else ""
    rows = CARRIERS == "UA" if scope else np.full(400, True)
    weights = {name: value for name, value in given.items() if name != "by"}
    columns = {name: column[rows] for name, column in FOREST.items()}
    tree = evalcore.evaluate(columns, label="tree", predicted="new", ci=0.95, **weights).to_dict()
    expected = tree["statistics"] | {f"{name}[ash]": value for name, value in tree["classes"]["ash"].items()}
    of_all = "accuracy", "kappa", "matthews_correlation", "macro_f1", "weighted_precision"
    for measure in (*of_all, "recall[ash]", "precision[ash]", "f1[ash]"):
        [failure] = report.check(f"{scope}{measure} < 2", confident=True).failures
        stem, bracket, category = measure.partition("[")
        bounds = [expected[f"{stem}{side}{bracket}{category}"] for side in ("_low", "_high")]
        assert (failure.low, failure.high) == pytest.approx(bounds, abs=1e-12), measure
    assert failure.number.cases == (WEIGHTS.sum() if "weight_type" in given else rows.sum())


def test_further_measures_are_measured_and_models_that_rank_alike_have_not_dropped():
    report = evalcore.compare(FOREST, **OF_CLASSES, measures="accuracy", by="by")
    conditions = ["balanced_accuracy drops by 0.9", "any by: recall[elm] < 0"]
    assert report.check(conditions).passed
    with pytest.raises(EvaluationError, match=r"must be one of accuracy, .* for predicted classes, got 'roc_auc'"):
        report.check("roc_auc < 1")
    columns = {"y": LABELS, **SCORES, "same": SCORES["base"]}
    alike = evalcore.compare(columns, label="y", score="same", old_score="base")
    worse = evalcore.compare(columns, label="y", score="poor", old_score="forest")
    assert alike.check("roc_auc drops by 0.005", confident=True)
    assert not worse.check("roc_auc drops by 0.005")
