"""Thresholds are the best of all, as peers measure them, at other prevalences too, as Bayes' formula says."""

import inspect
import itertools
import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore import metrics
from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.measures.thresholds import equal_error_rate, kolmogorov_smirnov
from evalcore.metrics import optimal_threshold, recall_at_specificity, specificity_at_recall, threshold_at, thresholds
from tests.asah import NDKA, POOR, S100B
from tests.differences import every
from tests.strategies import close_to, columns_of

RATES = st.sampled_from([0.0, 0.2, 0.25, 1 / 3, 0.5, 0.9, 1.0])


ROWS = list(itertools.product([False, True], [0.1, 0.4, 0.5, 0.9], [1, 2, 3]))
WEIGHTED = columns_of(ROWS, 1, 20).map(lambda rows: tuple(map(list, zip(*rows, strict=True))))
"""Labels, scores of which many are tied, and whole weights."""


def tables(y_true, scores, weights):
    """Count by hand at every threshold, highest first: threshold, tp, fn, fp, tn."""
    for threshold in sorted(set(scores), reverse=True):
        cells = dict.fromkeys([(True, True), (True, False), (False, True), (False, False)], 0)
        for label, score, weight in zip(y_true, scores, weights, strict=True):
            cells[label, score >= threshold] += weight
        yield threshold, *cells.values()


@given(WEIGHTED)
def test_counts_at_every_threshold(case):
    found = thresholds.metric_curves(*case[:2], sample_weight=case[2])
    assert list(zip(*(part.tolist() for part in found), strict=True)) == list(tables(*case))
    accuracy = found.values(lambda tp, fn, fp, tn: (tp + tn) / (tp + fn + fp + tn))
    assert accuracy.tolist() == [(tp + tn) / (tp + fn + fp + tn) for _, tp, fn, fp, tn in tables(*case)]


@given(WEIGHTED, RATES, st.sampled_from([1, 0.1, 1 / 3]))
@example(([True] + [False] * 4, [0.5, 0.9, 0.9, 0.9, 0.1], [1] * 5), 0.25, 0.1)
@example(([False] + [True] * 10, [0.5, 0.9, 0.9] + [0.1] * 8, [1] * 11), 0.2, 1 / 3)
def test_targets(case, rate, factor):
    """A common factor of weights, whose sums are rounded, leaves each threshold."""
    y_true, scores, weights = case
    rows = list(tables(*case))
    arguments, options = (y_true, scores), {"sample_weight": np.multiply(weights, factor)}
    met = {
        "fpr": [t for t, tp, fn, fp, tn in rows if fp + tn and fp / (fp + tn) <= rate],
        "recall": [t for t, tp, fn, fp, tn in rows if tp + fn and tp / (tp + fn) >= rate],
        "precision": [t for t, tp, fn, fp, tn in rows if tp / (tp + fp) >= rate],
        "specificity": [t for t, tp, fn, fp, tn in rows if fp + tn and tn / (fp + tn) >= rate],
        "flagged": [t for t, tp, fn, fp, tn in rows if (tp + fp) / (tp + fn + fp + tn) <= rate],
    }
    for name, reached in met.items():
        pick = max if name == "recall" else min
        none_flagged = name == "flagged" or (name in ("fpr", "specificity") and not all(y_true))
        otherwise = math.inf if none_flagged else math.nan
        expected = pick(reached) if reached else otherwise
        assert thresholds.threshold_at(*arguments, **{name: rate}, **options) == close_to(expected)
    if any(y_true):
        precisions = [tp / (tp + fp) for t, tp, fn, fp, tn in rows if tp / (tp + fn) >= rate]
        recalls = [tp / (tp + fn) for t, tp, fn, fp, tn in rows if tp / (tp + fp) >= rate]
        assert thresholds.precision_at_recall(*arguments, rate, **options) == close_to(max(precisions))
        assert thresholds.recall_at_precision(*arguments, rate, **options) == close_to(max(recalls, default=0.0))
        if not all(y_true):
            found = [(tp / (tp + fn), tn / (fp + tn)) for t, tp, fn, fp, tn in rows]
            largest = max((recall for recall, specificity in found if specificity >= rate), default=0.0)
            assert recall_at_specificity(*arguments, rate, **options) == close_to(largest)
            largest = max(specificity for recall, specificity in found if recall >= rate)
            assert specificity_at_recall(*arguments, rate, **options) == close_to(largest)
    else:
        assert math.isnan(thresholds.precision_at_recall(*arguments, rate, **options))
        assert math.isnan(thresholds.recall_at_precision(*arguments, rate, **options))


@given(WEIGHTED, st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0]), min_size=4, max_size=4))
def test_expected_cost(case, costs):
    names = ("true_positive", "false_negative", "false_positive", "true_negative")
    total = sum(case[2])
    positives = sum(weight for label, weight in zip(case[0], case[2], strict=True) if label)
    rows = [(math.inf, 0, positives, 0, total - positives), *tables(*case)]
    each = [(sum(map(float.__mul__, costs, map(float, cells))) / total, threshold) for threshold, *cells in rows]
    found = metrics.expected_cost(*case[:2], sample_weight=case[2], **dict(zip(names, costs, strict=True)))
    assert found.cost == close_to(min(cost for cost, _ in each), abs=1e-12)
    assert found.cost == close_to(next(cost for cost, threshold in each if threshold == found.threshold), abs=1e-12)


@given(WEIGHTED)
def test_gains_and_lift(case):
    y_true, scores, weights = case
    gained = thresholds.cumulative_gains_curve(y_true, scores, sample_weight=weights)
    lift = thresholds.lift_curve(y_true, scores, sample_weight=weights)
    rows, total = list(tables(*case)), sum(weights)
    assert gained.share.tolist() == close_to([0.0, *((tp + fp) / total for _, tp, fn, fp, tn in rows)])
    assert lift.share.tolist() == gained.share.tolist()[1:]
    if any(y_true):
        assert gained.value.tolist() == close_to([0.0, *(tp / (tp + fn) for _, tp, fn, fp, tn in rows)])
        lifts = [tp / (tp + fp) / ((tp + fn) / total) for _, tp, fn, fp, tn in rows]
        assert lift.value.tolist() == close_to(lifts)


@pytest.mark.filterwarnings("error")
def test_costs_of_any_size():
    arguments = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    common = metrics.expected_cost(*arguments, false_positive=0.5, false_negative=1.5, true_positive=0.25)
    for size in (2.0**1023, 2.0**-1000):
        options = {"false_positive": 0.5 * size, "false_negative": 1.5 * size, "true_positive": 0.25 * size}
        assert metrics.expected_cost(*arguments, **options) == (common.cost * size, common.threshold)
    none = metrics.expected_cost(*arguments, false_positive=1e308, false_negative=1e308, true_positive=1e308)
    assert none == (5e307, math.inf)


@given(WEIGHTED, st.tuples(RATES, RATES).filter(lambda pair: pair[0] < pair[1]))
def test_ratios_of_counts_are_rounded_once(case, rates):
    y_true, scores, weights = case
    if all(y_true) or not any(y_true):
        return
    options = {"sample_weight": weights}
    rows = [cells for _, *cells in tables(y_true, scores, weights)]
    gaps = [Fraction(tp, tp + fn) - Fraction(fp, fp + tn) for tp, fn, fp, tn in rows]
    assert thresholds.ks_statistic(y_true, scores, **options) == float(max(map(abs, gaps)))
    assert metrics.optimal_threshold(y_true, scores, criterion="ks", **options).value == float(max(map(abs, gaps)))
    assert metrics.optimal_threshold(y_true, scores, criterion="youden", **options).value == float(max(0, *gaps))
    points = [(0, 0), *((Fraction(fp, fp + tn), Fraction(tp, tp + fn)) for tp, fn, fp, tn in rows)]
    turned = [(1 - y, 1 - x) for x, y in reversed(points)]
    low, high = (Fraction(str(rate)) for rate in rates)
    for name, curve, ends in (("fpr_range", points, (low, high)), ("tpr_range", turned, (1 - high, 1 - low))):
        found = thresholds.partial_auc(y_true, scores, **{name: rates}, **options)
        assert found == float(exact_area(curve, *ends))
    if high < 1:
        standard = (1 + (exact_area(points, 0, high) / high - high / 2) / (1 - high / 2)) / 2
        assert metrics.roc_auc_score(y_true, scores, max_fpr=float(high), **options) == float(standard)


def exact_area(points, low, high):
    """Add up the trapezoids below a curve of fractions, each cut to a range."""
    area = Fraction(0)
    for (x, y), (right, top) in itertools.pairwise(points):
        start, stop = max(x, low), min(right, high)
        if start < stop:
            slope = (top - y) / (right - x)
            area += (stop - start) * (2 * y + slope * (start + stop - 2 * x)) / 2
    return area


def test_statistics_of_huge_counts_are_exact_and_net_benefit_is_0_where_it_is():
    tp, fp = np.array([2.0**52 - 1, 2.0**52]), np.array([1.0, 2.0**52])
    assert kolmogorov_smirnov(tp, fp) == (2**52 - 2) / 2**52
    assert kolmogorov_smirnov(np.array([7.0, 10]), np.array([4.0, 10])) == 0.3
    for percent in range(1, 100):  # as many percent are positive: to treat all is worth nothing
        y_true = np.arange(100) < percent
        for weights in (None, np.full(100, 0.1)):
            found = metrics.net_benefit(y_true, np.ones(100), [percent / 100], sample_weight=weights)
            assert found.tolist() == [0.0]
    y_true = np.arange(300_000) < 3000
    assert 0 < metrics.net_benefit(y_true, np.ones(y_true.size), [0.00999999999])[0] < 1e-10


# pROC 1.18: coords(roc, "best", best.method = "youden"), whose thresholds are halfway to the next lower score
OF_PROC = (
    (S100B, 0.20500000000000002, 0.63414634146341464, 0.80555555555555558),
    (NDKA, 11.08, 0.70731707317073167, 0.51388888888888884),
)
"""Marker, best threshold, sensitivity and specificity."""
LABELLED = [(y, score, weight) for y in (0, 1) for score in (0.1, 0.4, 0.5, 0.9) for weight in (1, 2)]
CASES = columns_of(LABELLED, 2, 20)


def recall_of(label, y_true, y_pred, sample_weight):
    return sklearn.metrics.recall_score(y_true, y_pred, pos_label=label, sample_weight=sample_weight)


def youden(y_true, y_pred, sample_weight):
    return recall_of(1, y_true, y_pred, sample_weight) + recall_of(0, y_true, y_pred, sample_weight) - 1


MEASURES = {
    "youden": youden,
    "ks": lambda *columns: abs(youden(*columns)),
    "balanced_accuracy": lambda *columns: (youden(*columns) + 1) / 2,
    "mcc": lambda t, p, w: sklearn.metrics.matthews_corrcoef(t, p, sample_weight=w),
    "accuracy": lambda t, p, w: sklearn.metrics.accuracy_score(t, p, sample_weight=w),
    "f1": lambda t, p, w: sklearn.metrics.f1_score(t, p, sample_weight=w),
    "f0.5": lambda t, p, w: sklearn.metrics.fbeta_score(t, p, beta=0.5, sample_weight=w),
}


@given(CASES.filter(lambda rows: len({row[0] for row in rows}) == 2), st.sampled_from([*MEASURES]))
@example([LABELLED[place] for place in (0, 0, 2, 2, 5, 5, 8, 10, 11)], "youden")
@example([LABELLED[place] for place in (0, 2, 2, 5, 5, 8, 11, 11, 12, 12)], "mcc")
def test_it_is_the_highest_of_the_best_thresholds(rows, criterion):
    y_true, scores, weights = map(np.array, zip(*rows, strict=True))
    thresholds = [math.inf, *sorted(set(scores.tolist()), reverse=True)]
    values = [MEASURES[criterion](y_true, (scores >= each).astype(int), weights) for each in thresholds]
    best = next(each for each, value in zip(thresholds, values, strict=True) if value == close_to(max(values)))
    found = optimal_threshold(y_true, scores, criterion, sample_weight=weights)
    assert found == (best, close_to(max(values), abs=1e-12))
    rescaled = optimal_threshold(y_true, scores, criterion, sample_weight=weights * 0.1)
    assert rescaled.threshold == found.threshold


@given(CASES.filter(lambda rows: len({row[0] for row in rows}) == 2), st.sampled_from([(1, 5), (0.5, 0), (0, 0)]))
def test_the_least_cost_is_that_of_the_expected_cost(rows, cost):
    y_true, scores, weights = map(np.array, zip(*rows, strict=True))
    found = optimal_threshold(y_true, scores, "cost", cost=cost, sample_weight=weights)
    expected = metrics.expected_cost(
        y_true, scores, false_positive=cost[0], false_negative=cost[1], sample_weight=weights
    )
    assert (found.value, found.threshold) == expected
    assert threshold_at(y_true, scores, cost=cost, sample_weight=weights) == found.threshold
    shifted = {"sample_weight": weights, "target_prevalence": 0.2}
    assert threshold_at(y_true, scores, cost=cost, **shifted) == close_to(
        optimal_threshold(y_true, scores, "cost", cost=cost, **shifted).threshold
    )


@given(CASES.filter(lambda rows: len({row[0] for row in rows}) == 2))
def test_equal_errors(rows):
    y_true, scores, weights = map(np.array, zip(*rows, strict=True))
    found = optimal_threshold(y_true, scores, "eer", sample_weight=weights)
    fpr, tpr, thresholds = sklearn.metrics.roc_curve(y_true, scores, sample_weight=weights, drop_intermediate=False)
    assert found.value == close_to(equal_error_rate(fpr, 1 - tpr), abs=1e-12)
    assert found.threshold == thresholds[np.argmax(fpr - (1 - tpr) >= -1e-12)]


def test_the_largest_index_is_that_of_proc():
    for scores, between, sensitivity, specificity in OF_PROC:
        found = optimal_threshold(POOR, scores)
        assert found.value == close_to(sensitivity + specificity - 1)
        assert (found.threshold + scores[scores < found.threshold].max()) / 2 == close_to(between)
        assert recall_at_specificity(POOR, scores, specificity) == close_to(sensitivity)
        assert specificity_at_recall(POOR, scores, sensitivity) == close_to(specificity)


def test_one_class_has_no_optimum():
    for criterion in ("youden", "balanced_accuracy", "ks", "mcc", "eer"):
        assert np.isnan(optimal_threshold([1, 1], [0.1, 0.2], criterion)).all()
    assert np.isnan(optimal_threshold([0, 0], [0.1, 0.2], "f1")).all()
    assert optimal_threshold([0, 1], [0.9, 0.1], "mcc") == (math.inf, 0.0)
    assert math.isnan(recall_at_specificity([1, 1], [0.1, 0.2], 0.5))
    for labels in ([0, 0], [1, 1]):
        assert math.isnan(thresholds.ks_statistic(labels, [0.1, 0.2]))
        for part in ({"fpr_range": (0, 0.5)}, {"tpr_range": (0, 0.5)}):
            assert math.isnan(thresholds.partial_auc(labels, [0.1, 0.2], **part))


OF_LABELS = {
    "accuracy_score": metrics.accuracy_score,
    "f1_score": metrics.f1_score,
    "fbeta_score": partial(metrics.fbeta_score, beta=2),
    "jaccard_score": metrics.jaccard_score,
    "matthews_corrcoef": metrics.matthews_corrcoef,
    "precision_recall_fscore_support": partial(metrics.precision_recall_fscore_support, average="macro"),
    "precision_score": metrics.precision_score,
}
OF_SCORES = {
    "average_precision_score": metrics.average_precision_score,
    "cumulative_gains_curve": metrics.cumulative_gains_curve,
    "expected_cost": partial(metrics.expected_cost, false_positive=1.0, false_negative=5.0),
    "lift_curve": metrics.lift_curve,
    "net_benefit": partial(metrics.net_benefit, thresholds=[0.125, 0.5, 0.75]),
    "optimal_threshold": partial(metrics.optimal_threshold, criterion="f1"),
    "precision_at_recall": partial(metrics.precision_at_recall, recall=0.5),
    "precision_recall_curve": metrics.precision_recall_curve,
    "recall_at_precision": partial(metrics.recall_at_precision, precision=0.4),
    "threshold_at": partial(metrics.threshold_at, flagged=0.3),
}
FUNCTIONS = {**OF_LABELS, **OF_SCORES}

Y_TRUE = np.array([1, 0, 1, 1, 0, 0, 1, 0])
COLUMNS = {
    **dict.fromkeys(OF_LABELS, np.array([1, 1, 0, 1, 0, 0, 1, 0])),
    **dict.fromkeys(OF_SCORES, np.array([0.9, 0.8, 0.25, 0.5, 0.5, 0.125, 0.75, 0.0])),
}


def numbers(result):
    """All numbers of a result, however they are nested."""
    parts = result if isinstance(result, tuple) else (result,)
    return np.concatenate([np.ravel(np.asarray(part, np.float64)) for part in parts if part is not None])


def check_close(first, second):
    np.testing.assert_allclose(numbers(first), numbers(second), rtol=1e-12, atol=1e-12)


@given(st.sampled_from([*FUNCTIONS]), st.floats(0.001, 0.999), st.booleans())
def test_it_is_a_weight_for_each_class(name, prevalence, weighted):
    weights = np.array([1.0, 2.0, 0.5, 3.0, 0.0, 1.5, 2.0, 0.25]) if weighted else np.ones(8)
    sums = [weights[label == Y_TRUE].sum() for label in (0, 1)]
    by_hand = weights * np.where(Y_TRUE == 1, prevalence / sums[1], (1 - prevalence) / sums[0])
    columns = {"y_true": Y_TRUE, _second(name): COLUMNS[name]}
    found = FUNCTIONS[name](**columns, sample_weight=weights if weighted else None, target_prevalence=prevalence)
    check_close(found, FUNCTIONS[name](**columns, sample_weight=by_hand))


def _second(name):
    return "y_pred" if name in OF_LABELS else "y_prob" if name == "net_benefit" else "y_score"


def test_functions_that_take_it():
    taking = {
        name
        for name in metrics.__all__
        if inspect.isfunction(function := getattr(metrics, name))
        and "target_prevalence" in inspect.signature(function).parameters
    }
    assert taking == {*FUNCTIONS, "metric_curves"}
    for name in taking:
        last = [*inspect.signature(getattr(metrics, name)).parameters.values()][-1]
        assert (last.name, last.kind, last.default) == ("target_prevalence", last.KEYWORD_ONLY, None)


def test_the_scored_class_has_the_prevalence_and_recall_keeps_its_proportions():
    curves = metrics.metric_curves(Y_TRUE, COLUMNS["expected_cost"], target_prevalence=0.02)
    plain = metrics.metric_curves(Y_TRUE, COLUMNS["expected_cost"])
    assert (curves.tp[-1] + curves.fp[-1], curves.tp[-1]) == (pytest.approx(8), pytest.approx(0.16))
    np.testing.assert_allclose(curves.tp / curves.tp[-1], plain.tp / plain.tp[-1], rtol=1e-12)
    np.testing.assert_allclose(curves.fp / curves.fp[-1], plain.fp / plain.fp[-1], rtol=1e-12)
    y_true, y_pred = ["ham", "ham", "spam", "spam"], ["ham", "spam", "spam", "spam"]
    options = {"pos_label": "spam", "target_prevalence": 0.1}
    precisions = metrics.precision_recall_fscore_support(y_true, y_pred, **options)[0]
    assert precisions[1] == pytest.approx(metrics.precision_score(y_true, y_pred, **options), rel=1e-15)
    assert precisions[1] == pytest.approx(0.1 / (0.1 + 0.9 / 2))
    assert metrics.accuracy_score(y_true, y_pred, target_prevalence=0.1) == pytest.approx(0.1 + 0.9 / 2)


@every("name", FUNCTIONS)
@every(
    ("change", "error", "message"),
    ({"target_prevalence": 5}, EvaluationError, "prevalence must be above 0 and below 1, got 5; write 0.05 for 5%"),
    ({"target_prevalence": 0.0}, EvaluationError, "target_prevalence must be above 0 and below 1, got 0.0"),
    ({"target_prevalence": np.nan}, EvaluationError, "target_prevalence must be above 0 and below 1, got nan"),
    ({"target_prevalence": "1%"}, EvaluationTypeError, "target_prevalence must be a number, got '1%' (str)"),
    ({"sample_weight": 1 - Y_TRUE}, EvaluationError, "needs cases of both classes, got no positive"),
    ({"sample_weight": Y_TRUE}, EvaluationError, "got no negative case"),
    ({"sample_weight": [1, -1, 1, 1, 1, 1, 1, 1]}, EvaluationError, "sample_weight[1] is -1"),
)  # fmt: skip
def test_refusals(name, change, error, message):
    options = {"y_true": Y_TRUE, _second(name): COLUMNS[name], "target_prevalence": 0.1, **change}
    with pytest.raises(error) as raised:
        FUNCTIONS[name](**options)
    assert message in str(raised.value)


def test_net_benefit_is_that_by_hand_and_weights_may_have_any_size():
    for size in (2.0**-900, 2.0**900):
        weights = np.array([size, size, 2 * size, size, size, size, size, size])
        weighted = {"sample_weight": weights, "target_prevalence": 0.25}
        plain = {"sample_weight": weights / size, "target_prevalence": 0.25}
        for name in ("precision_score", "average_precision_score", "accuracy_score"):
            columns = {"y_true": Y_TRUE, _second(name): COLUMNS[name]}
            check_close(FUNCTIONS[name](**columns, **weighted), FUNCTIONS[name](**columns, **plain))
    y_true, y_prob = [0, 0, 1, 1], np.array([0.1, 0.4, 0.35, 0.8], np.float32)
    found = metrics.net_benefit(y_true, y_prob, [0.1, 0.2, 0.4, 0.9])  # 0.1 is read as a float32, and reached
    np.testing.assert_allclose(found, [0.5 - 0.5 / 9, 0.5 - 0.25 / 4, 0.25 - 0.25 * 2 / 3, 0], rtol=1e-12)
    everyone = metrics.net_benefit(y_true, np.ones(4), [0.2], target_prevalence=0.3)
    assert everyone == pytest.approx(0.3 - 0.7 / 4)
    assert metrics.net_benefit([0, 1, 1, 0], [0, 1, 1, 1], [0.5]).tolist() == [0.25]
