"""Differences by the bootstrap against inference, and what is said beside differences of scores."""

import numpy as np
import pytest
import scipy.stats

import evalcore
from evalcore.errors import EvaluationError
from evalcore.evaluation.cases import PairedCases
from evalcore.evaluation.comparing import differences_of_models, notes_of
from evalcore.evaluation.differences import MeasureDifference, ModelDifferences, judged
from evalcore.evaluation.measure_choice import Measures
from evalcore.evaluation.options import METHODS
from evalcore.evaluation.question import Question
from evalcore.evaluation.score_differences import compare_resampled, expanded_level, expanded_p_value
from evalcore.evaluation.statistics.groups import grouped_rows
from evalcore.evaluation.weighting import RowWeights, Weighting
from evalcore.inference import Comparison, bootstrap_comparison
from tests.differences import check_output, every, whole_differences

NAMES = ("roc_auc", "average_precision", "maximum_f1", "ks", "partial_auc@0.2", "f1@0.5", "recall@0.5")
IN_INFERENCE = ("roc_auc", "average_precision", "max_f1", "ks", "partial_auc@0.2", "f1@0.5", "recall@0.5")
QUESTION = Question("late", measures=Measures(NAMES), method="bootstrap", resamples=60, seed=4)


def made(size=160):
    generator = np.random.default_rng(6)
    positive = generator.random(size) < 0.4
    quality = generator.normal(size=size) + positive
    old, new = 1 / (1 + np.exp(-quality - generator.normal(size=(2, size))))
    return PairedCases(positive, {"old": old, "new": np.round(new, 2)})


@every("drawn", ["cases", "clusters", "classes", "weights", "frequencies"])
def test_bootstrap_is_that_of_inference(drawn):
    cases, options, question, units = made(), {}, QUESTION, np.inf
    size = cases.positive.size
    if drawn == "clusters":
        cases = cases._replace(clusters=np.arange(size) // 4)
        options["cluster"], units = cases.clusters, 1 + cases.clusters.max()
        options["level"] = expanded_level(0.95, units)
    elif drawn == "classes":
        question, options["stratify"] = question._replace(stratify=True), True
    elif drawn != "cases":
        values = np.random.default_rng(2).integers(1, 4, size)
        kind = "sampling" if drawn == "weights" else "frequency"
        cases = cases._replace(weights=RowWeights(Weighting("w", kind), values))
        options.update(sample_weight=values, weight_type=kind)
    [found] = whole_differences(cases, question)
    old, new = cases.scores.values()
    for difference, name in zip(found, IN_INFERENCE, strict=True):
        expected = bootstrap_comparison(cases.positive, new, old, name, resamples=60, seed=4, **options)
        assert difference.found.estimates == pytest.approx(expected.estimates[::-1], rel=1e-12)
        assert (difference.found.low, difference.found.high) == pytest.approx((-expected.high, -expected.low), rel=1e-9)
        assert difference.found.p_value == pytest.approx(expanded_p_value(expected.p_value, units))
        assert difference.found.method == "percentile bootstrap"


def test_errors_of_few_clusters_and_of_resamples_are_near_analytic_ones():
    # Without it they would be 13% too small.
    cases = made()._replace(clusters=np.arange(160) % 4)
    question = Question("late", measures=Measures(("brier_score",)), resamples=1000)
    known, near = (whole_differences(cases, question._replace(method=method))[0][0].error for method in METHODS)
    assert near == pytest.approx(known, rel=0.05)
    names = ("roc_auc", "average_precision", "log_loss", "brier_score", "accuracy@0.5", "kappa@0.5", "jaccard@0.5",
             "net_benefit@0.3")  # fmt: skip
    question = Question("late", measures=Measures(names), resamples=300)
    [analytic] = whole_differences(made(400), question)
    [resampled] = whole_differences(made(400), question._replace(method="bootstrap"))
    for one, other in zip(analytic, resampled, strict=True):
        assert other.found.estimates == pytest.approx(one.found.estimates, rel=1e-12)
        assert other.error == pytest.approx(one.error, rel=0.15), one.measure
        assert (other.measure, other.lower_is_better) == (one.measure, one.lower_is_better)
    question = QUESTION._replace(method="analytic", measures=Measures(("roc_auc", "partial_auc@0.2")))
    [[area, part]] = whole_differences(made(), question)
    assert (area.found.method, part.found.method) == ("delong-score", "percentile bootstrap")


@every("size", [20, 60])
def test_expanded_percentiles_of_a_mean_are_students_interval(size):
    values = scipy.stats.norm.ppf((np.arange(size) + 0.5) / size) + 0.5
    drawn = np.random.default_rng(0).choice(values, (40_000, size)).mean(axis=1)
    [found] = compare_resampled((values.mean(), 0.0), drawn, 0.9, np.inf, units=size).each()
    expected = scipy.stats.ttest_1samp(values, 0)
    assert [found.low, found.high] == pytest.approx(list(expected.confidence_interval(0.9)), abs=0.03)
    for probability in (0.01, 0.05, 0.5, 1.0):  # where bounds end at 0, the p-value is 1 - level
        assert expanded_p_value(1 - expanded_level(1 - probability, size), size) == pytest.approx(probability)
    assert expanded_level(0.9, 1) == expanded_level(0.9, np.inf) == 0.9  # one cluster has no bounds anyway
    # no number of resamples tells the bounds of two
    [two] = compare_resampled((0.75, 0.5), drawn[:1000], 0.95, units=2).each()
    assert np.isnan([two.low, two.high]).all()


BEYOND = "inconclusive, without an interval: bounds lie beyond {} resamples; draw more (resamples)"


def test_too_few_resamples_are_said_and_a_prevalence_is_not_resampled():
    columns = {"y": [1, 0] * 20, "old": np.arange(40) / 40, "new": np.arange(40)[::-1] / 40}
    asked = {"label": "y", "score": "new", "old_score": "old", "method": "bootstrap"}
    few, enough = (evalcore.compare(columns, **asked, resamples=number) for number in (39, 40))
    assert f"ROC AUC, average precision, log loss, Brier score: {BEYOND.format(39)}" in few.notes
    assert few["roc_auc"].verdict == "inconclusive"
    right = np.array([0.9, 0.1] * 20)  # most resamples of so few other decisions do not differ
    even = columns | {"old": np.where(np.arange(40) == 2, 0.1, right), "new": np.where(np.arange(40) == 0, 0.1, right)}
    few_again = evalcore.compare(even, **asked, threshold=0.5, measures=["accuracy@0.5"], resamples=39)
    assert few_again["accuracy@0.5"].found.p_value == 1
    assert f"accuracy at threshold 0.5: {BEYOND.format(39)}" in few_again.notes
    assert not [each for each in enough.notes if "draw more" in each]
    assert enough["roc_auc"].found.low < enough["roc_auc"].found.high
    with pytest.raises(
        EvaluationError, match=r"^target_prevalence needs resamples that keep the cases of each class; add stratify$"
    ):
        evalcore.compare(columns, **asked, target_prevalence=0.1)


def test_classes_that_are_only_predicted_are_no_strata():
    columns = {"label": ["a", "c"] * 10, "old": ["a", "b"] * 10, "new": ["a", "c"] * 9 + ["c", "c"]}
    report = evalcore.compare(
        columns, label="label", old_predicted="old", predicted="new", method="bootstrap", stratify=True, resamples=40
    )
    found = report.to_dict()["models"]["new"]["measures"]["accuracy"]
    assert found["difference"] == pytest.approx(0.45)
    assert found["low"] <= found["difference"] <= found["high"]


def noted(cases, **asked):
    question = Question("late", resamples=40, **asked)
    return notes_of(cases, question, differences_of_models(cases, question))


def test_notes_name_methods_and_count_resamples_models_groups_and_what_is_few():
    cases, few, area, loss = made(), made(60), Measures(("roc_auc",)), Measures(("log_loss",))
    few, one = few._replace(clusters=np.arange(60) % 12), few._replace(positive=np.arange(60) == 3)
    several = cases._replace(scores={**cases.scores, "third": np.sqrt(cases.scores["old"])})
    carriers = cases._replace(groups={"carrier": grouped_rows({"carrier": np.arange(160) % 2})})
    chosen = {"method": "bootstrap", "measures": Measures(("roc_auc", "f1@0.5")), "stratify": True}
    notes = {
        "a threshold": noted(cases, thresholds=(0.5,)),
        "the bootstrap": noted(cases, **chosen),
        "two models": noted(several),
        "groups": noted(carriers, measures=Measures(("roc_auc", "partial_auc@0.2")), method="bootstrap"),
        "few clusters": noted(few, measures=area),
        "few clusters and average precision": noted(few, measures=Measures(("average_precision",))),
        "one positive case": noted(one, measures=loss),
    }
    for times in (7, 30):
        frequent = one._replace(weights=RowWeights(Weighting("w", "frequency"), np.full(60, times)))
        notes[f"one positive case, {times} times"] = noted(frequent, measures=loss)
    check_output("evaluation/outputs/notes.txt", "\n".join("\n  ".join([f"{name}:", *notes[name]]) for name in notes))


def test_percentiles_of_few_clusters_that_expand_beyond_the_resamples_give_no_bounds():
    cases = made(60)._replace(clusters=np.arange(60) % 4)
    question = Question("late", method="bootstrap", measures=Measures(("log_loss",)), resamples=300)
    (found,) = whole_differences(cases, question)[0]
    assert np.isnan([found.found.low, found.found.high]).all()
    assert 0 < found.found.p_value < 1
    notes = notes_of(cases, question, [ModelDifferences("new", [found])])
    assert f"log loss: {BEYOND.format(300)}" in notes


def test_p_values_that_an_adjustment_contradicts_are_counted():
    # Verdicts are of each measure by itself, and the summary's of all.
    cases = made()
    said = "verdicts judge each comparison by itself: {} at most 0.05 only before Holm's adjustment"
    for raised, wording in ((1, "one p-value of all cases is"), (2, "2 p-values of all cases are")):
        model = ModelDifferences("new", judged_ones([0.001, *[0.04] * raised, 0.5]))
        notes = notes_of(cases, Question("late"), [model])
        assert said.format(wording) in notes
    assert not any(note.startswith("verdicts") for note in noted(cases, measures=Measures(("roc_auc",))))


def judged_ones(p_values):
    """Return differences of these p-values, all of which have an interval that excludes 0."""
    found = [Comparison((0.6, 0.5), 0.1, 0.01, 0.2, 0.95, np.nan, p_value, "delta") for p_value in p_values]
    return judged([MeasureDifference("f1", "F1", each, 0.05) for each in found], 0.95)
