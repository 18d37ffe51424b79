"""Partial ROC areas, beside their definition in fractions, the R package pROC, and the whole areas."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from evalcore import metrics
from evalcore.errors import EvaluationError, EvaluationTypeError, InvalidParameterError, UndefinedMetricWarning
from evalcore.inference import compare_partial_auc, compare_roc_auc, partial_auc_interval, roc_auc_interval
from tests.inference.test_beside_proc import MODELS, asah, of_focus
from tests.reference import partial_areas as slow
from tests.strategies import many_threads

few_scores = st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.5, 0.7]), min_size=2, max_size=8)
rates = st.sampled_from([Fraction(each, 8) for each in range(9)]) | st.fractions(0, 1, max_denominator=7)
RANGES = st.lists(rates, min_size=2, max_size=2, unique=True).map(sorted)

# pROC 1.18.0: auc(curve, partial.auc = range, partial.auc.focus = focus), with partial.auc.correct = TRUE,
# var(curve, method = "bootstrap", boot.n = 4000) after set.seed(1)
PRINTED = [
    ("s100b", "specificity", (0.9, 1), 0.032757452574525739, 0.64609185565539873, 5.83616e-05),
    ("s100b", "sensitivity", (0.9, 1), 0.013763550135501347, 0.54612394808158604, 5.995e-05),
    ("s100b", "specificity", (0.71, 0.97), 0.129023125564589, 0.70014451823394919, 0.00045938),
    ("s100b", "sensitivity", (0.71, 0.97), 0.094834408875338755, 0.62187364669262535, 0.000619478),
    ("s100b", "specificity", (0, 1), 0.73136856368563685, 0.73136856368563685, 0.00266868),
    ("ndka", "specificity", (0.9, 1), 0.01070460704607046, 0.53002424761089717, 3.47618e-05),
    ("ndka", "sensitivity", (0.9, 1), 0.0037940379403794021, 0.49365283126515475, 3.49569e-05),
    ("ndka", "specificity", (0.71, 0.97), 0.07240514905149055, 0.57052460863436483, 0.000406526),
    ("ndka", "sensitivity", (0.71, 0.97), 0.061449864498645007, 0.54544382898041432, 0.000511114),
    ("wfns", "specificity", (0.9, 1), 0.033441734417344153, 0.64969333903865345, 9.27269e-05),
    ("wfns", "sensitivity", (0.9, 1), 0.04009993224932247, 0.6847364855227499, 0.000117634),
    ("wfns", "specificity", (0.71, 0.97), 0.15248466124661247, 0.75385682519828867, 0.000462441),
    ("wfns", "sensitivity", (0.71, 0.97), 0.15936509428635953, 0.7696087323405667, 0.00035047),
    ("wfns", "sensitivity", (0, 1), 0.82367886178861782, 0.82367886178861782, 0.00146991),
]


def cases(positives, negatives):
    return [1] * len(positives) + [0] * len(negatives), [*positives, *negatives]


def variance_of(*columns, **options):
    """Read the variance off a narrow interval, of which one side may be cut."""
    found = partial_auc_interval(*columns, method="delong", level=1e-6, **options)
    return (max(found.high - found.estimate, found.estimate - found.low) / 1.2533141373158516e-06) ** 2


@given(few_scores, few_scores, RANGES)
@example([0.3, 0.3], [0.3, 0.3], [Fraction(1, 4), Fraction(1, 2)])
@example([0.5, 0.2], [0.3, 0.1], [Fraction(0), Fraction(1, 2)])
def test_areas_and_variances_are_what_their_definition_says(positives, negatives, between):
    area, variance = slow.area_and_variance(positives, negatives, *between)
    assume(variance > 0)
    between = tuple(map(float, between))
    labels, scores = cases(positives, negatives)
    mirrored = [1 - label for label in labels], [-score for score in scores]
    for columns, options in (
        ((labels, scores), {"fpr_range": between}),
        (mirrored, {"tpr_range": (1 - between[1], 1 - between[0])}),
        ((labels, scores), {"fpr_range": between, "cluster": range(len(labels))}),
        (([*labels, 0], [*scores, 0.4]), {"fpr_range": between, "sample_weight": [2.0] * len(labels) + [0.0]}),
        (mirrored, {"tpr_range": (1 - between[1], 1 - between[0]), "cluster": range(len(labels))}),
    ):
        assert partial_auc_interval(*columns, **options).estimate == pytest.approx(area, abs=1e-12)
        if "cluster" not in options:  # Student's t has other quantiles
            assert variance_of(*columns, **options) == pytest.approx(variance, rel=1e-3)


@given(few_scores, few_scores, RANGES, st.integers(0, 99))
def test_differences_are_what_their_definition_says(positives, negatives, between, seed):
    second = np.random.default_rng(seed).choice([0.1, 0.2, 0.4], len(positives) + len(negatives)).tolist()
    split = second[: len(positives)], second[len(positives) :]
    expected = slow.variance_of_difference((positives, negatives), split, *between)
    areas = [slow.area_and_variance(*each, *between)[0] for each in ((positives, negatives), split)]
    assume(expected > 1e-12)
    assume(areas[0] != areas[1])
    labels, first = cases(positives, negatives)
    between = tuple(map(float, between))
    for options in ({}, {"sample_weight": [3.0] * len(labels)}):
        found = compare_partial_auc(labels, first, second, fpr_range=between, **options, method="delong")
        assert found.estimates == pytest.approx(areas, abs=1e-12)
        assert (found.difference / found.statistic) ** 2 == pytest.approx(expected, rel=1e-9)
    clustered = compare_partial_auc(
        labels, first, second, fpr_range=between, cluster=range(len(labels)), method="delong"
    )
    assert clustered.statistic == pytest.approx(found.statistic, rel=1e-9)


@given(few_scores, few_scores, RANGES)
def test_frequencies_are_repeated_cases(positives, negatives, between):
    labels, scores = cases(positives, negatives)
    weights = 1 + np.arange(len(labels)) % 3
    between = tuple(map(float, between))
    found = partial_auc_interval(
        labels, scores, fpr_range=between, sample_weight=weights, weight_type="frequency", level=0.5
    )
    expected = partial_auc_interval(
        np.repeat(labels, weights), np.repeat(scores, weights), fpr_range=between, level=0.5
    )
    assert (found.estimate, *found) == pytest.approx((expected.estimate, *expected), abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("scale", [0.5, 3.0])
def test_a_variance_is_that_of_how_the_area_moves_with_the_weight_of_each_case(scale):
    rng = np.random.default_rng(3)
    labels = np.repeat([1, 0], [23, 37])
    scores = rng.normal(size=60) + labels
    weights = rng.gamma(scale, size=60) + 0.05
    moves = np.empty(60)
    for case in range(60):
        step = np.where(np.arange(60) == case, 1e-5, 0.0)
        moved = [
            metrics.partial_auc(labels, scores, fpr_range=(0.1, 0.43), sample_weight=weights + sign * step)
            for sign in (1, -1)
        ]
        moves[case] = (moved[0] - moved[1]) / 2e-5 * weights[case]
    expected = sum(np.sum(moves[side] ** 2) * side.sum() / (side.sum() - 1) for side in (labels == 1, labels == 0))
    assert variance_of(labels, scores, fpr_range=(0.1, 0.43), sample_weight=weights) == pytest.approx(
        expected, rel=1e-3
    )


@pytest.mark.parametrize("printed", PRINTED)
def test_areas_are_those_of_proc_and_variances_near_those_that_it_resamples(printed):
    name, focus, between, area, corrected, resampled = printed
    labels, columns = asah()
    scores, options = columns[MODELS.index(name)], of_focus(focus, between)
    found = partial_auc_interval(labels, scores, **options)
    assert found.estimate == pytest.approx(area, abs=1e-10)
    assert found.low <= area <= found.high
    assert partial_auc_interval(labels, scores, **options, standardize=True).estimate == pytest.approx(
        corrected, abs=1e-10
    )
    assert variance_of(labels, scores, **options) == pytest.approx(resampled, rel=0.26)


@pytest.mark.parametrize("name", ["fpr_range", "tpr_range"])
def test_from_0_to_1_it_is_the_whole_area(name):
    labels, (first, second, _) = asah()
    whole = {name: (0, 1)}
    for options in ({}, {"cluster": np.arange(113) // 3}, {"sample_weight": 1 + np.arange(113) % 4}):
        for method in ("delong-wilson", "delong", "delong-logit"):
            found = partial_auc_interval(labels, first, **whole, **options, method=method)
            expected = roc_auc_interval(labels, first, **options, method=method)
            assert (found.estimate, *found) == pytest.approx((expected.estimate, *expected), rel=1e-12)
        for method in ("delong", "delong-score"):
            pair = compare_partial_auc(labels, first, second, **whole, **options, method=method)
            both = compare_roc_auc(labels, first, second, **options, method=method)
            assert (pair.low, pair.high, pair.p_value) == pytest.approx((both.low, both.high, both.p_value), rel=1e-9)


def test_areas_are_those_of_the_metrics():
    labels, (scores, *_) = asah()
    found = partial_auc_interval(labels, scores, fpr_range=(0, 0.2), standardize=True)
    assert found.estimate == pytest.approx(metrics.roc_auc_score(labels, scores, max_fpr=0.2), abs=1e-12)
    for between in ({"fpr_range": (0.1, 0.3)}, {"tpr_range": (0.5, 0.9)}):
        expected = metrics.partial_auc(labels, scores, **between)
        assert partial_auc_interval(labels, scores, **between).estimate == pytest.approx(expected, abs=1e-12)


def test_standardized_bounds_are_the_others_on_another_scale():
    labels, (first, second, _) = asah()
    plain, standard = (
        compare_partial_auc(labels, first, second, fpr_range=(0.1, 0.3), standardize=each) for each in (False, True)
    )
    factor = 0.5 / (0.2 - (0.3**2 - 0.1**2) / 2)
    assert (standard.difference, standard.low, standard.high) == pytest.approx(
        (plain.difference * factor, plain.low * factor, plain.high * factor)
    )
    assert standard.difference == pytest.approx(standard.estimates[0] - standard.estimates[1])
    assert (standard.statistic, standard.p_value) == (plain.statistic, plain.p_value)


def test_many_cases_in_any_order_and_any_threads():
    rng = np.random.default_rng(0)
    labels = rng.random(150_000) < 0.1
    scores = np.round(rng.normal(size=labels.size) + labels, 3)
    order = rng.permutation(labels.size)
    once = partial_auc_interval(labels, scores, fpr_range=(0.02, 0.1))
    with many_threads(4, 1 << 12):
        again = partial_auc_interval(labels[order], scores[order], fpr_range=(0.02, 0.1))
    assert again == once
    assert once.estimate == pytest.approx(metrics.partial_auc(labels, scores, fpr_range=(0.02, 0.1)), abs=1e-12)
    weighted = partial_auc_interval(
        labels, scores, fpr_range=(0.02, 0.1), sample_weight=np.where(labels, 1.0, 1 + 1e-12)
    )
    assert tuple(weighted) == pytest.approx(tuple(once), rel=1e-6)


def test_separated_classes_have_a_lower_bound():
    labels = np.repeat([1, 0], [40, 60])
    found = partial_auc_interval(labels, labels, fpr_range=(0, 0.5))
    assert (found.estimate, found.high) == (0.5, 0.5)
    assert 0.4 < found.low < 0.5
    with pytest.warns(UndefinedMetricWarning, match="ranked alike"):
        assert np.isnan(partial_auc_interval(labels, labels, fpr_range=(0, 0.5), method="delong").low)


def test_an_area_of_0_has_a_variance_but_no_logit():
    labels, scores = cases([0.1, 0.2], [0.1, 0.3])
    for options in ({}, {"sample_weight": [1, 2, 1, 1]}):
        found = partial_auc_interval(labels, scores, fpr_range=(0, 0.5), **options)
        assert found.low == found.estimate == 0 < found.high
        with pytest.warns(UndefinedMetricWarning, match="the area is the smallest one, whose logit is infinite"):
            found = partial_auc_interval(labels, scores, fpr_range=(0, 0.5), method="delong-logit", **options)
        assert np.isnan(found.low)


@given(few_scores, few_scores, RANGES, st.sampled_from(["delong-wilson", "delong", "delong-logit"]))
@pytest.mark.filterwarnings("ignore::evalcore.errors.UndefinedMetricWarning")
def test_bounds_hold_the_area_and_stay_within_what_is_possible(positives, negatives, between, method):
    low, high = map(float, between)
    columns = cases(positives, negatives)
    for name in ("fpr_range", "tpr_range"):
        for weights in (None, 1 + np.arange(len(columns[0])) % 3):
            found = partial_auc_interval(*columns, **{name: (low, high)}, method=method, sample_weight=weights)
            assert np.isnan(found.low) or 0 <= found.low <= found.estimate <= found.high <= high - low + 1e-15
            both = compare_partial_auc(*columns, columns[1][::-1], **{name: (low, high)}, method="delong-score")
            assert np.isnan(both.low) or both.low <= both.difference <= both.high


@pytest.mark.parametrize(("labels", "why"), [([1, 1], "no negative case"), ([0, 0], "no positive case")])
def test_one_class_has_no_area(labels, why):
    for options in ({}, {"sample_weight": [1.0, 2.0]}, {"cluster": [0, 1]}):
        with pytest.warns(UndefinedMetricWarning, match=why):
            found = partial_auc_interval(labels, [0.1, 0.2], fpr_range=(0, 0.5), **options)
        assert np.isnan([found.estimate, *found]).all()
        with pytest.warns(UndefinedMetricWarning, match=why):
            both = compare_partial_auc(labels, [0.1, 0.2], [0.2, 0.3], fpr_range=(0, 0.5), **options)
        assert np.isnan([*both.estimates, both.low, both.p_value]).all()


def test_wrong_arguments_are_refused():
    columns = [0, 1], [0.1, 0.2]
    for function, given_columns in ((partial_auc_interval, columns), (compare_partial_auc, (*columns, columns[1]))):
        name = function.__name__
        for ranges in ({}, {"fpr_range": (0, 0.1), "tpr_range": (0, 0.1)}):
            with pytest.raises(EvaluationError, match=f"^{name} takes exactly one of fpr_range and tpr_range$"):
                function(*given_columns, **ranges)
        with pytest.raises(InvalidParameterError, match=r"two rising numbers in 0 \.\. 1"):
            function(*given_columns, tpr_range=(0.5, 0.5))
        with pytest.raises(InvalidParameterError, match="standardize"):
            function(*given_columns, fpr_range=(0, 0.5), standardize="yes")
        with pytest.raises(InvalidParameterError, match="method"):
            function(*given_columns, fpr_range=(0, 0.5), method="obuchowski")
        with pytest.raises(EvaluationTypeError, match="level"):
            function(*given_columns, fpr_range=(0, 0.5), level="high")
