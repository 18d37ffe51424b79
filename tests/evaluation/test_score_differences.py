"""Differences of measures of scores against `inference`, statsmodels, SciPy, and counts written out."""

import math
from itertools import combinations

import numpy as np
import pytest
import scipy.stats
from statsmodels.stats.contingency_tables import mcnemar

import evalcore
from evalcore import EvaluationError
from evalcore.evaluation.cases import PairedCases
from evalcore.evaluation.differences import Measured
from evalcore.evaluation.measure_choice import Measures, parse_compared
from evalcore.evaluation.question import Question
from evalcore.evaluation.score_differences import analytic_differences, differences_of_scores
from evalcore.evaluation.statistics.groups import WHOLE, grouped_rows
from evalcore.evaluation.weighting import RowWeights, Weighting, weights_of_rows
from evalcore.inference import compare_decision_curves, compare_roc_auc, holm, mcnemar_test
from tests.differences import every, whole_differences
from tests.inference.test_beside_r import ASAH, PRINTED

EVERY = ("roc_auc", "average_precision", "log_loss", "brier_score", "accuracy", "recall", "specificity", "precision")
DECIDED = ("f1", "kappa", "negative_predictive_value", "jaccard")
QUESTION = Question("late", thresholds=(0.5,), measures=Measures((*EVERY, *DECIDED)))


@pytest.fixture(scope="module")
def cases():
    generator = np.random.default_rng(5)
    positive = generator.random(600) < 0.3
    quality = generator.normal(size=600) + positive
    noises = generator.normal(size=(2, 600)) * [[1.0], [0.5]]
    old, new = 1 / (1 + np.exp(-quality - noises))
    return PairedCases(positive, {"old": old, "new": np.round(new, 2)})


def measured(cases, question=QUESTION):
    [differences] = whole_differences(cases, question)
    return {each.measure: each for each in differences}


def weighted(cases, values, kind):
    return cases._replace(weights=RowWeights(Weighting("w", kind), values))


@pytest.mark.parametrize("factor", [2.0**-900, 2.0**900])
def test_a_common_factor_of_weights_changes_nothing(cases, factor):
    values = np.random.default_rng(2).random(600) + 0.1
    expected, found = (measured(weighted(cases, values * each, "sampling")) for each in (1.0, factor))
    for name, difference in expected.items():
        assert (found[name].found, found[name].error) == (difference.found, difference.error), name


@every("ci_method", [None, "delong"])
@every("clusters", [None, np.arange(600) % 7])
@every("kind", [None, "sampling", "frequency"])
def test_the_roc_auc_is_compared_as_inference_does(cases, kind, clusters, ci_method):
    """Of clusters by the jackknife, with degrees of freedom by their sizes."""
    values, (old, new) = np.random.default_rng(1).integers(1, 5, 600), cases.scores.values()
    asked = {} if kind is None else {"sample_weight": values, "weight_type": kind}
    plain = compare_roc_auc(cases.positive, old, new, cluster=clusters, **asked, method="delong")
    expected = compare_roc_auc(cases.positive, old, new, cluster=clusters, **asked) if ci_method is None else plain
    chosen = cases._replace(clusters=clusters)
    found = measured(
        chosen if kind is None else weighted(chosen, values, kind), QUESTION._replace(ci_method=ci_method)
    )["roc_auc"]
    sizes = np.zeros(0) if clusters is None else np.bincount(clusters, asked.get("sample_weight"))
    freedom = np.inf if clusters is None else sizes.sum() ** 2 / (sizes**2).sum() - 1
    assert (found.found.method, found.freedom) == (expected.method, pytest.approx(freedom))
    numbers = [
        [*each.estimates, each.difference, each.low, each.high, each.p_value] for each in (found.found, expected)
    ]
    assert numbers[0] == pytest.approx(numbers[1], rel=1e-9)
    assert (found.new, found.old, found.gain) == (*found.found.estimates, found.found.difference)
    if kind is None and clusters is None:
        assert found.found == expected
        assert found.error == pytest.approx((plain.high - plain.difference) / scipy.stats.norm.isf(0.025))


def test_losses_and_decisions_are_compared_by_paired_means_and_mcnemars_test(cases):
    old, new = (scores >= 0.5 for scores in cases.scores.values())
    found = measured(cases)
    assert found["accuracy@0.5"].found == mcnemar_test(cases.positive, old, new)
    right = [decided == cases.positive for decided in (new, old)]
    table = [[np.sum(right[0] & right[1]), np.sum(right[0] & ~right[1])], [np.sum(~right[0] & right[1]), 0]]
    expected = mcnemar(table, exact=False, correction=False)
    assert found["accuracy@0.5"].found.p_value == pytest.approx(expected.pvalue)
    for name, side in (("recall@0.5", cases.positive), ("specificity@0.5", ~cases.positive)):
        assert found[name].found == mcnemar_test(cases.positive[side], old[side], new[side])
    old, new = ((scores - cases.positive) ** 2 for scores in cases.scores.values())
    found = measured(cases)["brier_score"]
    assert found.error == pytest.approx(scipy.stats.sem(new - old))
    assert found.found.statistic == pytest.approx(scipy.stats.ttest_rel(new, old).statistic)
    assert found.lower_is_better
    assert found.gain == -found.found.difference > 0
    assert found.verdict == "better"


@every(("kind", "prevalence"), [(None, None), ("sampling", None), ("frequency", None), (None, 0.05)])
def test_net_benefit_is_compared_as_inference_does(cases, kind, prevalence):
    old, new = cases.scores.values()
    options = {}
    if kind is not None:
        values = np.random.default_rng(1).integers(1, 5, 600)
        cases, options = weighted(cases, values, kind), {"sample_weight": values, "weight_type": kind}
    elif prevalence is not None:
        weighting = Weighting(target_prevalence=prevalence)
        cases = cases._replace(weights=weights_of_rows(cases.positive, None, weighting))
        options = {"target_prevalence": prevalence}
    found = measured(cases, QUESTION._replace(thresholds=(0.2, 0.5), measures=Measures(("net_benefit",))))
    assert [*found] == ["net_benefit@0.2", "net_benefit@0.5"]
    for difference, threshold in zip(found.values(), (0.2, 0.5), strict=True):
        expected = compare_decision_curves(cases.positive, old, new, [threshold], **options)
        assert (difference.new, difference.old) == pytest.approx((expected.new[0], expected.old[0]), rel=1e-12)
        bounds = difference.found.low, difference.found.high
        assert bounds == pytest.approx((expected.low[0], expected.high[0]), rel=2e-3, abs=1e-12)


@every(("scores", "thresholds"), [([0.5, 0.2], (1.0,)), ([0.5, 1.2], (0.5,)), ([0.5, 0.2], (0.5, -1.0))])
def test_net_benefit_needs_probabilities_and_thresholds_between_0_and_1(scores, thresholds):
    pair = PairedCases(np.array([True, False]), {"old": np.array(scores), "new": np.array([0.5, 0.25])})
    question = QUESTION._replace(thresholds=thresholds, measures=Measures(("net_benefit",)))
    with pytest.raises(EvaluationError, match=r"'net_benefit' needs probabilities, all in 0 .. 1, and thresholds"):
        whole_differences(pair, question)


@every("kind", [None, "sampling", "frequency"])
@every("name", ["log_loss", "brier_score"])
def test_losses_of_many_cases_are_those_of_their_only_group(name, kind):
    generator = np.random.default_rng(6)
    positive, (old, new) = generator.random(150_000) < 0.3, generator.random((2, 150_000))
    new[70_000:] = old[70_000:]  # blocks differ in their means
    cases = PairedCases(positive, {"old": old, "new": new})
    cases = cases if kind is None else weighted(cases, generator.integers(1, 5, 150_000), kind)
    measure = parse_compared(name)
    whole = grouped_rows({"all": np.zeros(150_000, np.int64)})
    [found], [expected] = (Measured.by(measure, model[measure]).each for groups in (WHOLE, whole)
                           for model in analytic_differences(cases, [measure], QUESTION, groups))  # fmt: skip
    assert (found.new, found.old) == pytest.approx((expected.new, expected.old), rel=1e-13)
    assert found.error == pytest.approx(expected.error, rel=1e-12)
    if kind is None and name == "brier_score":
        assert found.error == pytest.approx(scipy.stats.sem((new - positive) ** 2 - (old - positive) ** 2), rel=1e-12)


def at_prevalence(cases, target):
    values = np.where(cases.positive, target / cases.positive.mean(), (1 - target) / (~cases.positive).mean())
    return cases._replace(weights=RowWeights(Weighting(target_prevalence=target), values))


def test_the_prevalence_of_groups_is_not_known_where_that_of_all_is(cases):
    """A group is compared as by weights that give all cases the prevalence."""
    groups = grouped_rows({"g": np.arange(600) % 3 // (1 + cases.positive)})
    asked = QUESTION._replace(measures=Measures(("maximum_f1", *EVERY, *DECIDED)))
    shifted = at_prevalence(cases, 0.05)
    weighed = cases._replace(weights=RowWeights(Weighting("w"), shifted.weights.values))
    found, expected = (differences_of_scores(each, asked, groups)[0] for each in (shifted, weighed))
    for one, other in zip(found, expected, strict=True):
        for own, same in zip(one.each, other.each, strict=True):
            for name in ("difference", "low", "high", "p_value"):
                numbers = getattr(own.found, name), getattr(same.found, name)
                assert numbers[0] == pytest.approx(numbers[1], rel=1e-9, nan_ok=True), (own.measure, name)


@every("kind", [None, "sampling", "prevalence"])
def test_average_precisions_of_few_clusters_have_the_error_of_the_jackknife(cases, kind):
    """Each cluster is left out in turn, and weights are shifted to a known prevalence again."""
    clusters = np.random.default_rng(8).integers(0, 12, 600) % 11  # of different sizes
    question = QUESTION._replace(measures=Measures(("average_precision",)), thresholds=())
    if kind == "sampling":
        cases = weighted(cases, np.random.default_rng(1).lognormal(size=600), kind)

    def difference(rows, **more):
        part = at_prevalence(cases.where(rows), 0.05) if kind == "prevalence" else cases.where(rows)
        [found] = measured(part._replace(**more), question).values()
        return found

    left_out = [difference(np.flatnonzero(clusters != cluster)).found.difference for cluster in range(11)]
    found = difference(np.arange(600), clusters=clusters)
    squares = (found.found.difference - np.array(left_out)) ** 2
    expected = np.sqrt(10 / 11 * squares.sum())
    assert expected < found.error < 1.2 * expected  # unseen cases add to it
    whole = at_prevalence(cases, 0.05) if kind == "prevalence" else cases
    sizes = np.bincount(clusters, whole.weights.values)
    numbers = 3 * squares.sum() ** 2 / (squares**2).sum(), sizes.sum() ** 2 / (sizes**2).sum()
    assert found.freedom == pytest.approx(min(numbers) - 1)
    statistic = found.found.difference / found.error
    assert found.found.p_value == pytest.approx(2 * scipy.stats.t.sf(abs(statistic), min(numbers) - 1), rel=1e-9)
    assert found.found.method == "jackknife"


def test_average_precisions_of_clusters_have_the_error_of_sums_or_none(cases):
    found = measured(cases._replace(clusters=np.arange(600) % 101))["average_precision"]
    assert found.found.method == "linearised"
    found = measured(cases._replace(clusters=np.where(cases.positive, 0, 1 + np.arange(600) % 9)))["average_precision"]
    assert np.isnan([found.error, found.found.low, found.found.p_value]).all()
    assert found.verdict == "inconclusive"


@every("method", ["analytic", "bootstrap"])
def test_a_model_and_itself_do_not_differ(cases, method):
    names = (*QUESTION.measures.names, "ks", "partial_auc@0.2")
    old, asked = cases.scores["old"], QUESTION._replace(method=method, resamples=30, measures=Measures(names))
    for each in measured(cases._replace(scores={"old": old, "new": old.copy()}), asked).values():
        assert (each.found.difference, each.found.p_value) == (0, 1)
        assert each.verdict == ("inconclusive" if np.isnan(each.found.low) else "no difference shown")


def test_cases_of_one_class_have_no_area_and_measures_are_fast_by_default(cases):
    negative = cases._replace(positive=np.zeros(600, np.bool_))
    found = measured(negative)
    for name in ("roc_auc", "average_precision", "recall@0.5"):
        assert np.isnan([found[name].new, found[name].found.low, found[name].found.p_value]).all(), name
        assert found[name].verdict == "inconclusive"
        assert np.isnan(found[name].holm)
    assert found["accuracy@0.5"].verdict != "inconclusive"
    assert list(measured(cases, Question("late"))) == [*EVERY[:4]]
    raw = cases._replace(scores={model: scores * 3 for model, scores in cases.scores.items()})
    names = list(measured(raw, Question("late", thresholds=(0.5, 1.5))))
    assert names[:3] == ["roc_auc", "average_precision", "accuracy@0.5"]
    assert names[-1] == "f1@1.5"
    with pytest.raises(EvaluationError, match="'log_loss' needs probabilities: all scores of all models"):
        measured(raw, Question("late", measures=Measures(("logloss",))))


def test_p_values_are_adjusted_for_all_measures_of_all_models(cases):
    old, new = cases.scores.values()
    several = cases._replace(scores={"old": old, "new": new, "third": np.sqrt(new)})
    found = whole_differences(several, QUESTION)
    each = [difference for model in found for difference in model]
    p_values = [difference.found.p_value for difference in each]
    assert [difference.holm for difference in each] == pytest.approx(holm(p_values))
    adjusted = scipy.stats.false_discovery_control(p_values)
    assert [difference.benjamini_hochberg for difference in each] == pytest.approx(adjusted.tolist())


def test_the_roc_auc_is_compared_as_the_r_package_proc_does():
    """What pROC's paired `roc.test` printed for its own data."""
    positive, columns = ASAH
    for (new, old), pair in zip(combinations(columns, 2), PRINTED[1], strict=True):
        cases = PairedCases(positive, {"old": old, "new": new})
        [[found]] = whole_differences(cases, Question("outcome", measures=Measures(("roc_auc",)), ci_method="delong"))
        numbers = (found.found.statistic, found.found.p_value, found.found.low, found.found.high)
        assert numbers == pytest.approx(pair.paired, rel=1e-9)


@every("method", ["analytic", "bootstrap"])
def test_equal_probabilities_lose_alike_in_float32_and_float64(method):
    labels, scores = np.arange(60) % 3 == 0, np.where(np.arange(60) % 7, 0.5, 1.0)
    frame = {"y": labels, "old": scores, "new": scores.astype(np.float32)}
    asked = {"measures": ["log_loss"], "method": method, "resamples": 20}
    report = evalcore.compare(frame, label="y", score="new", old_score="old", **asked)
    assert report["log_loss"].found.difference == 0


FEW = {"late": [1, 1, 0, 0, 1, 0], "old": [0.9, 0.8, 0.7, 0.1, 0.2, 0.3], "new": [0.5, 0.4, 0.3, 0.2, 0.6, 0.1],
       "team": ["a", "a", "a", "b", "b", "b"]}  # fmt: skip
AT = {"label": "late", "threshold": 0.65}
WHY = "it is 0 where a model predicts no case of the class"
NOTE = f"precision at threshold 0.65: inconclusive, without an interval: {WHY}"


@pytest.fixture(scope="module")
def undefined():
    return evalcore.compare(FEW, score="new", old_score="old", by="team", measures="precision", **AT)


def test_precision_is_zero_as_in_reports_and_a_note_and_a_gate_say_so(undefined):
    whole = undefined["precision@0.65"]
    alone = evalcore.evaluate(FEW, score=["old", "new"], **AT)
    assert (whole.old, whole.new) == (alone["old"]["precision"], alone["new"]["precision"]) == (2 / 3, 0.0)
    assert (whole.found.difference, whole.verdict) == (-2 / 3, "inconclusive")
    assert math.isnan(whole.found.p_value)
    assert NOTE in undefined.notes
    same = undefined["team=b", "precision@0.65"]
    assert (same.old, same.new, same.found.p_value, same.verdict) == (0, 0, 1, "inconclusive")
    assert not undefined.check("precision@0.65 drops by 0.5").passed
    assert not undefined.check("precision@0.65 < 0.1").passed


def test_values_are_zero_by_the_bootstrap_too_and_undefined_where_no_class_is():
    asked = {**AT, "measures": "precision", "method": "bootstrap", "resamples": 20}
    found = evalcore.compare(FEW, score="new", old_score="old", **asked)["precision@0.65"].found
    assert found.estimates == (0, 2 / 3)
    assert math.isnan(found.low)
    table = {**FEW, "late": [0] * 6, "old": [0.1] * 6}
    found = evalcore.compare(table, score="new", old_score="old", **AT)["precision@0.65"]
    assert math.isnan(found.old)
    asked = {"label": "late", "measures": "negative_predictive_value@0.05"}
    found = evalcore.compare(FEW, score="new", old_score="old", **asked)["negative_predictive_value@0.05"]
    assert (found.old, found.new) == (0, 0)
    frame = {"y": [0, 1, 0, 1], "old": [0.1, 0.9, 0.2, 0.7], "new": [0, 1, 1, 1]}
    report = evalcore.compare(frame, label="y", score="new", old_score="old")
    assert (report["roc_auc"].new, report["brier_score"].new) == (0.75, 0.25)
