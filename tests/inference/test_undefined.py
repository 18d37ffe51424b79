"""Results that are not defined: the estimate that is left, no bounds, and a warning that says why and where."""

import math
from functools import partial
from operator import attrgetter

import numpy as np
import pytest

from evalcore import inference
from evalcore.errors import UndefinedMetricWarning
from tests.differences import every

NAN = math.nan
BOUNDS = "low", "high", "statistic", "p_value", "covariance"
"""What is NaN unless something else is expected."""
SLOPES = dict.fromkeys(["slope.low", "slope.high", "intercept.low", "intercept.high", "p_value"], NAN)
SCORES = [0.5, 0.25]


def of_table(table, times=1):
    """Write a table of classes out as references and responses."""
    cells = np.array(table) * times
    return np.divmod(np.repeat(np.arange(cells.size), cells.ravel()), len(cells))


def rows(function, text, *cases):
    """List cases, each of arguments, options, why and what is expected, with the whole text of their warning."""
    return [(function, arguments, options, text.format(why), expected) for arguments, options, why, expected in cases]


INTERVAL = "^The {} interval is not defined: {{}}.$"
F1, KAPPA, FLEISS, WILSON = (INTERVAL.format(name) for name in ("delta-logit", "delta", "fleiss", "wilson"))
LEVEL = {"level": 0.9}
AGREE, DISAGREE, ONE_SIDE = [[3, 0], [0, 4]], [[0, 4], [4, 0]], [[0, 4], [0, 0]]
OF_AGREEMENT = [
    *rows(inference.f1_interval, F1,
          (([1, 1, 0], [1, 1, 0]), {}, "F1 is 1, where its variance is 0", {"estimate": 1}),
          (([1, 0, 0, 0], [0, 1, 1, 0]), {}, "F1 is 0, where its variance is 0", {"estimate": 0}),
          *((([0] * size, [0] * size), {}, "no label and no prediction is positive", {"estimate": NAN})
            for size in (0, 2))),
    *rows(inference.kappa_interval, KAPPA,
          *((of_table(table, times), {}, f"kappa is {kappa}, .* 0", {"estimate": kappa}) for times in (1, 3, 77)
            for table, kappa in ((AGREE, 1), (DISAGREE, -1), (ONE_SIDE, 0), ([[7, 0, 0], [0, 1, 0], [0, 0, 3]], 1))),
          *(([[0, 1, 1]] * 2, {"weights": weights}, "kappa is 1, and its variance 0", {"estimate": 1})
            for weights in ("linear", "quadratic", [[1, 0.5], [0.5, 1]])),
          ((["a"], ["a"]), {}, "both columns hold one class", {"estimate": NAN})),
    *rows(inference.agreement_interval, FLEISS, *((([each],), {"coefficient": "fleiss"}, why, {"estimate": value}) for
          each, value, why in [((1, 2), -1.0, "a single subject has two ratings"),
                               ((None, None), NAN, "no subject has two ratings")]),
          *((ratings, {"coefficient": "fleiss"}, why, {"estimate": value}) for ratings, value, why in [
              ([[[1, None], [None, 2]]], NAN, "no subject has two ratings"),
              ([[[1, 1], [1, 1]]], NAN, "all ratings are of one category, and chance alone makes raters agree"),
              ([[[1, 1], [2, 2]]], 1.0, "the agreement is 1, and its variance 0")])),
    *rows(inference.krippendorff_interval, "^The krippendorff interval is not defined: {}",
          *((ratings, {}, "", {}) for ratings in ([[[1, None], [None, 2]]], [[[1, 2]]], [[[1, 1], [2, 2]]])),
          *(([[[2, 2]] * 3], {"metric": metric}, "all ratings are of one category", {"estimate": NAN})
            for metric in ("nominal", "ordinal", "interval", "ratio"))),
]  # fmt: skip
OF_COUNTS = [
    *rows(inference.proportion_interval, WILSON, ((0, 0), {}, "there are no trials", {"estimate": NAN})),
    *rows(inference.precision_interval, WILSON, (([1, 0], [0, 0]), {}, "no prediction is positive", {"estimate": NAN})),
    *rows(inference.recall_interval, WILSON,
          (([0, 0], [1, 0]), {}, "no case is positive", {"estimate": NAN}),
          (([0, 1, 1, 0], [0, 1, 0, 1]), {"sample_weight": [1, 0, 0, 2]}, "no case is positive", {"estimate": NAN})),
    *rows(inference.specificity_interval, WILSON, (([1, 1], [1, 0]), {}, "no case is negative", {"estimate": NAN})),
    *rows(inference.prevalence_interval, WILSON, (([],), {}, "there are no cases", {"estimate": NAN})),
    *rows(inference.corrected_proportion_interval, "^The lang-reiczigel interval is not defined: {}", *(
        ((successes, trials), dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True)), why, {"estimate": NAN})
        for successes, trials, cells, why in [
            (0, 0, (3, 1, 1, 3), "the judge decided on no cases without labels"),
            (1, 2, (0, 0, 1, 3), "the labelled cases do not hold both classes"),
            (1, 2, (3, 1, 0, 0), "the labelled cases do not hold both classes"),
            (1, 2, (2, 2, 2, 2), r"the judge may be no better than chance \(sensitivity 0.5, specificity 0.5\)"),
            (1, 2, (2, 1, 5, 3), r"the judge may be no better than chance \(sensitivity 0.667, specificity 0.375\)"),
            (0, 9999, (99, 1, 400, 600), "no prevalence explains the fraction 0 that the judge found positive"),
            (9999, 9999, (600, 400, 1, 99), "no prevalence explains the fraction 1 that the judge found positive")])),
    *rows(inference.prediction_powered_interval, "{}",
          (([1, 1], [1, 1], [1, 1]), {}, "people and judge never differ or always alike", {"estimate": 1})),
]  # fmt: skip
SEPARATED, REVERSED = ([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1]), ([0, 0, 1, 1], [0.9, 0.8, 0.2, 0.1])
TIED, MIXED = ([1, 1, 0, 0], [0.5] * 4), ([1, 1, 0, 0, 0, 1], [0.9, 0.4, 0.4, 0.6, 0.1, 0.5])
ALIKE = "all pairs of a positive and a negative case are ranked alike"
BOTH = f"in the old sample, {ALIKE}; in the new sample, {ALIKE}"
FEW = [
    (([], []), NAN, "there is no positive case"), (([0, 0], SCORES), NAN, "there is no positive case"),
    (([1, 1], SCORES), NAN, "there is no negative case"),
    (([1, 0, 0, 0, 0], [0.5, 0.25, 0.75, 0.3, 0.1]), 0.75, "one positive case alone has no variance"),
    (([0, 1, 1], [0.25, 0.5, 0.1]), 0.5, "one negative case alone has no variance"),
]  # fmt: skip
WEIGHED, OF_WEIGHTS = ([1, 0, 1, 0], [0.9, 0.1, 0.8, 0.2]), [
    ([0, 1, 0, 2], "there is no positive case"), ([1, 1, 2, 0], "one negative case alone has no variance"),
]  # fmt: skip
OF_AREAS = [
    *(row for method in ("delong-wilson", "delong", "delong-logit") for row in rows(
        partial(inference.roc_auc_interval, level=0.9, method=method), INTERVAL.format(method),
        *((cases, {}, why, {"estimate": area, "level": 0.9}) for cases, area, why in FEW),
        *((cases, {}, ALIKE, {"estimate": area}) for cases, area in ((SEPARATED, 1), (REVERSED, 0), (TIED, 0.5))
          if method != "delong-wilson"),
        *((WEIGHED, {"sample_weight": weights}, why, {}) for weights, why in OF_WEIGHTS))),
    *(row for method in ("delong", "delong-score") for row in rows(
        partial(inference.compare_roc_auc, method=method), INTERVAL.format(method),
        *(((*cases, cases[1]), {}, why, {"estimates": (area, area), "difference": area - area})
          for cases, area, why in FEW),
        *(((*WEIGHED, WEIGHED[1]), {"sample_weight": weights}, why, {}) for weights, why in OF_WEIGHTS))),
    *rows(partial(inference.compare_roc_auc, method="delong"), INTERVAL.format("delong"),
          ((*MIXED, MIXED[1]), {}, "the difference has no variance", {"difference": 0, "p_value": 1}),
          ((*TIED, SEPARATED[1]), {}, "the difference has no variance", {"estimates": (1, 0.5), "difference": 0.5})),
    *rows(inference.compare_unpaired_roc_auc, INTERVAL.format("delong"),
          *(((*MIXED, *cases), {}, f"in the new sample, {why}", {}) for cases, _, why in FEW),
          ((*SEPARATED, *SEPARATED), {}, BOTH, {"difference": 0, "p_value": 1}),
          ((*TIED, *SEPARATED), {}, BOTH, {"difference": 0.5})),
    *rows(inference.roc_auc_covariance, "^The covariances of the ROC AUCs are not defined: {}.$",
          *(((labels, [scores, scores]), {}, why, {"areas": [area] * 2}) for (labels, scores), area, why in FEW),
          *(((WEIGHED[0], [WEIGHED[1]]), {"sample_weight": weights}, why, {}) for weights, why in OF_WEIGHTS)),
    *rows(inference.average_precision_interval, INTERVAL.format("logit"),
          *((cases, LEVEL, "there is no positive case", {"estimate": NAN}) for cases in (([], []), ([0, 0], SCORES))),
          (([], []), {"cluster": []}, "there is no positive case", {"estimate": NAN}),
          *((cases, LEVEL, "the logit of 1 is infinite", {"estimate": 1.0, "level": 0.9})
            for cases in (([1, 1], SCORES), ([1, 0, 1], [0.5, 0.25, 0.75])))),
    *(row for interval in (inference.roc_auc_interval, inference.average_precision_interval) for row in rows(
        interval, "{}",
        ((*MIXED,), {"cluster": [1, 1, 2, 3, 4, 1]}, "one cluster alone has positive cases", {}),
        (([0] * 6, MIXED[1]), {"cluster": [1, 1, 2, 3, 4, 1]}, "there is no positive case", {}),
        ((MIXED[0], [0.1, 0.4, 0.4, 0.6, 0.9, 0.5]), {"cluster": [1, 2, 3] * 2, "sample_weight": [1, 0, 0] * 2},
         "one cluster, or one case that holds all the weight,", {}))),
    *rows(partial(inference.roc_auc_interval, method="delong-logit"), "{}", (
        ([0, 0, 1, 1, 1], [0.1, 0.5, 0.4, 0.3, 0.2]),
        {"sample_weight": [1e140, 1, 1, 1, 1], "cluster": [0, 1, 2, 3, 4]}, "the largest one, whose logit is", {})),
    *(row for band in (inference.roc_curve_band, inference.precision_recall_curve_band) for row in rows(
        band, "^The curve is not defined: there is no {} case.$",
        *((([label] * 2, SCORES), {}, kind, {"y": NAN}) for label, kind in ((0, "positive"), (1, "negative"))))),
    *rows(inference.threshold_intervals, "^The intervals of {} cases are not defined: there are none.$",
          (([0, 0], SCORES, [0.3]), {}, "positive", {"recall.y": NAN, "accuracy.y": 0.5}),
          (([1, 1], SCORES, [0.3]), {}, "negative", {"specificity.y": NAN, "accuracy.y": 0.5})),
    *rows(partial(inference.bootstrap_interval, resamples=50, seed=0, stratify=True), "{}",
          (([], []), {}, "the measure is not defined", {"estimate": NAN}),
          (([1, 1, 1], [0.1, 0.2, 0.3]), {}, "the measure is not defined", {"estimate": NAN}),
          (SEPARATED, {}, "all resamples have the same value", {"estimate": 1}),
          (TIED, {}, "all resamples have the same value", {"estimate": 0.5})),
    *rows(partial(inference.bootstrap_comparison, resamples=50, seed=0, stratify=True), "{}", (
        (*SEPARATED, SEPARATED[1]), {}, "all resamples have the same value", {"difference": 0, "p_value": 1})),
    *rows(partial(inference.optimal_threshold_interval, seed=0), "{}",
          *((([label] * 2, SCORES, criterion), {"cost": (1, 2) if criterion == "cost" else None},
             f"there is no {kind} case", {"threshold.estimate": NAN, "optimism": NAN})
            for label, kind in ((1, "negative"), (0, "positive"))
            for criterion in ("youden", "accuracy", "f1", "cost"))),
]  # fmt: skip
NEARLY, ONE_CASE = [0.3, 0.3000000001, 0.3, 0.30000000005], ([1] + [0] * 9, [0.5] * 10)
GAINS = np.ones(24), np.arange(24) % 3 > 0, np.ones(24)
EQUAL_GAINS = "all clusters gain alike, so that the variance is 0"
PAIRED = "^The paired-t interval is not defined: {}"
OF_OTHERS = [
    *rows(inference.logistic_calibration, "^The wald interval is not defined: {}", *(
        ((labels, probabilities), {}, why, {**SLOPES, "slope.estimate": slope, "in_the_large.low": large})
        for labels, probabilities, why, slope, large in [
            ([0, 0], [0.2, 0.4], "y_true lacks a class", NAN, NAN),
            ([0, 1], [0.4, 0.4], "all probabilities are equal", NAN, None),
            ([0, 1, 1, 0], NEARLY, "all probabilities are nearly equal", NAN, None),
            ([0, 0, 1, 1], [0.2, 0.4, 0.4, 0.8], "the probabilities separate the classes", math.inf, None),
            ([1, 1, 0, 0], [0.2, 0.4, 0.5, 0.8], "the probabilities separate the classes", -math.inf, None)]),
        *((ONE_CASE, {"sample_weight": [weight] + [1.0] * 9}, "all probabilities are equal",
           {"in_the_large.estimate": math.log(weight / 9)}) for weight in (1e20, 1e140))),
    *rows(inference.calibration_curve_intervals, "{}", *(
        (ONE_CASE, {"sample_weight": [weight] + [1.0] * 9}, "one case that holds all the weight", {})
        for weight in (1e20, 1e140))),
    *rows(inference.spiegelhalter_test, "test is not defined: {}",
          (([0, 1, 1], [0, 0.5, 1]), {}, "all probabilities are 0, 1/2 or 1", {})),
    *rows(inference.cumulative_calibration_test, "test is not defined: {}",
          (([0, 1, 1], [0, 0, 1]), {}, "all probabilities are 0 or 1", {})),
    *rows(inference.debiased_calibration_error_interval, "{}", (([0, 0, 1, 1], [0.0, 0.0, 1.0, 1.0]), {"n_bins": 2},
          "no bin of two or more cases leaves its outcomes to chance", {"estimate": 0})),
    *rows(partial(inference.compare_decision_curves, thresholds=[0.5, 0.7]), "not defined: {} has no variance",
          (([1], [0.9], [0.2]), {}, "one case alone", {"old_better": (), "new_better": ()}),
          (([1, 0, 0], [0.9, 0.1, 0.6], [0.2, 0.1, 0.3]), {"target_prevalence": 0.2}, "one case of a class alone", {})),
    *rows(inference.paired_t_test, PAIRED,
          (([0.25], [0.5]), {}, "there is a single", {"estimates": (0.5, 0.25), "difference": 0.25}),
          *((pair, {}, "the differences are all equal, except for rounding", {"p_value": p}) for *pair, p in [
              ([0.7] * 2, [0.7] * 2, 1), ([0.3] * 60, [0.3] * 60, 1), (np.full(7, 0.1), np.zeros(7), NAN),
              ([0.1, 0.2, 0.3], [0.2, 0.3, 0.4], NAN), ([0.1 + 0.2] * 7, [0.3] * 7, 1),
              ([2.0**900, 1e-300], [2.0**900, 0.0], 1)])),
    *(row for method in ("obuchowski", "durkalski") for row in rows(
        partial(inference.mcnemar_test, method=method), f"{method} interval is not defined: {{}}",
        ((*GAINS,), {"cluster": [1] * 24}, "one cluster", {}),
        *((GAINS, {"cluster": np.arange(24) // 3, "sample_weight": weights}, EQUAL_GAINS,
           {"difference": 1 / 3, "statistic": None, "p_value": None}) for weights in (None, [0.1] * 12 + [0.3] * 12)))),
]  # fmt: skip


@every(("function", "arguments", "options", "text", "expected"), [*OF_AGREEMENT, *OF_COUNTS, *OF_AREAS, *OF_OTHERS])
def test_what_is_not_defined_has_no_bounds_and_warns_the_caller(function, arguments, options, text, expected):
    with pytest.warns(UndefinedMetricWarning, match=text) as caught:
        found = function(*arguments, **options)
    assert {warning.filename for warning in caught} == {__file__}
    for name, value in {**{name: NAN for name in BOUNDS if hasattr(found, name)}, **expected}.items():
        seen = attrgetter(name)(found)
        if value is None:
            assert np.isfinite(seen).all(), name
        elif value == ():
            assert seen == (), name
        else:
            np.testing.assert_allclose(seen, np.broadcast_to(value, np.shape(seen)), rtol=1e-9, err_msg=name)
