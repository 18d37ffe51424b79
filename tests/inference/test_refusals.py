"""What every function refuses that has such a parameter, columns of other indices among it; and texts of their own."""

import inspect
import math
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest

from evalcore import EvaluationError, EvaluationTypeError, inference, metrics
from evalcore.errors import InvalidParameterError
from evalcore.inference import StudyDesign
from evalcore.ranking import evaluate
from tests.differences import collected, every

CASES = 36
LABELS, SCORES = np.array([0, 1, 0, 1, 1, 0] * 6), (np.arange(CASES) * 7 % CASES + 0.5) / CASES
COLUMNS = {
    **dict.fromkeys(["y_true", "y_true_old", "y_true_new", "y_pred_old"], LABELS),
    **dict.fromkeys(["y_pred", "y_pred_new"], np.where(np.arange(CASES) % 9, LABELS, 1 - LABELS)),
    **dict.fromkeys(["y_score", "y_score_old", "y_prob", "y_prob_old", "old"], SCORES),
    **dict.fromkeys(["y_score_new", "y_prob_new", "new"], SCORES[::-1]),
    **dict.fromkeys(["sample_weight", "sample_weight_old", "sample_weight_new"], np.arange(CASES) % 3 + 1),
    "cluster": np.arange(CASES) // 4,
}
"""By the names of arguments that hold a row for each case."""
OF_MODELS = {"roc_auc_covariance": {"y_score": np.stack([SCORES, LABELS * 0.5], axis=1)}}
"""Columns of functions that take a table under the name of a column."""
OTHERS = {
    "thresholds": [0.5], "specificity": [0.5], "sensitivity": [0.5], "measure": "roc_auc", "measures": ["roc_auc"],
    "fpr_range": (0, 0.5), "y_pred_unlabelled": pd.Series([0, 1, 1]), "successes": 5, "trials": 9, "tp": 5, "fn": 2,
    "fp": 3, "tn": 4, "ratings": [[1, 1], [2, 1], [2, 2]], "p_values": [0.5], "design": StudyDesign(1, 1, 1),
    "cases": 9, "roc_auc": 0.8, "roc_auc_old": 0.8, "roc_auc_new": 0.9, "proportion": 0.9,
}  # fmt: skip
"""Arguments that functions need beside them, or that are of other cases."""
PARAMETERS = {
    name: inspect.signature(getattr(inference, name)).parameters
    for name in inference.__all__
    if inspect.isfunction(getattr(inference, name))
}
SEVERAL = {
    name: columns
    for name, parameters in PARAMETERS.items()
    if len(columns := [parameter for parameter in parameters if parameter in COLUMNS]) > 1
}
"""The columns of each function that takes several."""


def needed(name):
    """Return arguments that a function needs, but for columns."""
    found = {each: OTHERS[each] for each in PARAMETERS[name].keys() & OTHERS.keys()}
    return {} if name in ("paired_t_test", "permutation_test") else found  # whose measure is of evaluations


def required(name):
    """Return the columns that a function needs."""
    of_columns = [each for each in PARAMETERS[name] if each in COLUMNS]
    given = COLUMNS | OF_MODELS.get(name, {})
    return {each: given[each] for each in of_columns if PARAMETERS[name][each].default is inspect.Parameter.empty}


def rest(first, value=1):
    """Return a column of all cases that begins with something else."""
    return [first] + [value] * (CASES - 1)


OF_ARRAYS = "Expected array-like .*, got {} .*"
SEVERAL_NAMES = {"y_score": ("y_score", "y_score_old", "y_score_new"), "y_prob": ("y_prob", "y_prob_old", "y_prob_new")}
E, T, I = EvaluationError, EvaluationTypeError, InvalidParameterError  # noqa: E741
LAW = [
    ("level", 1, E, "level must be above 0 and below 1, got 1"),
    ("level", 0, E, "level must be above 0 and below 1, got 0"),
    ("level", math.nan, E, "level must be above 0 and below 1, got nan"),
    ("level", 95, E, "level must be above 0 and below 1, got 95; write 0.95 for 95%"),
    ("level", "high", T, r"level must be a number, got 'high' \(str\)"),
    ("level", None, T, r"level must be a number, got None \(NoneType\)"),
    ("method", 3, I, r"The 'method' parameter of ({name}|the bootstrap) must be one of .*, got 3 .*"),
    ("weight_type", "mass", I,
     r"The 'weight_type' parameter of ({name}|the bootstrap) must be one of 'sampling', 'frequency', got 'mass' .*"),
    ("pos_label", [1], I, "The 'pos_label' parameter of ({name}|the bootstrap) must be a number, .*"),
    ("pos_label", 5, E, r"pos_label=5 is not a valid label\. It should be one of \[0 1\]"),
    ("seed", -1, E, "seed must not be negative, got -1"),
    ("seed", "x", T, "seed must be None, an integer, a SeedSequence or a Generator .*'x' .str.; pass .*"),
    ("seed", np.random.RandomState(0), T,
     r"seed .* got RandomState.* \(RandomState\); pass an integer or numpy.random.default_rng\(0\)"),
    ("resamples", 0, E, "resamples must be at least 1, got 0|The 'resamples' parameter of {name} must .*"),
    ("resamples", -1, E, "resamples must not be negative, got -1|The 'resamples' parameter of {name} .*"),
    ("resamples", 1.5, T,
     r"resamples must be an integer, got 1.5 \(float\)|The 'resamples' parameter of {name} must be an int in .*"),
    ("stratify", 3, T, "stratify must be True, to keep the size of each class, or False, got 3"),
    ("progress", 5, T, "progress must be a function or None, got 5"),
    ("cluster", [1], E, "(y_true and cluster|cluster and y_true) must be equally long, got (36 and 1|1 and 36)"),
    ("cluster", [[1]] * CASES, E, r"cluster must be one-dimensional, got shape \(36, 1\)"),
    ("cluster", rest(math.nan, 1.0), E, r"cluster\[0\] is missing \(nan\)"),
    ("cluster", rest(None, "a"), E, r"cluster\[0\] is missing \(None\)"),
    ("sample_weight", [1], E, "sample_weight must hold one weight for each of 36 cases, got 1"),
    ("sample_weight", 2.0, E, r"sample_weight must be one-dimensional, got 2.0 \(float\)"),
    ("sample_weight", rest(-1), E, r"sample_weight\[0\] is -1; weights must not be negative"),
    ("sample_weight", rest(math.nan), E, r"sample_weight\[0\] is NaN; weights must be finite"),
    ("sample_weight", rest(math.inf), E, r"sample_weight\[0\] is inf; weights must be finite"),
    ("sample_weight", [0] * CASES, E, "sample_weight must hold a weight above 0, got only zeros"),
    ("sample_weight", [1e308] * CASES, E,
     r"sample_weight must have a finite sum, got weights up to 1e\+308"),
    ("sample_weight", rest(1e-160, 2), E, r"sample_weight must hold weights above 0 that differ by less than "
     r"a factor of 2\*\*480, got 1e-160 and 2; set weights that say nothing to 0"),
    ("sample_weight", ["2"] * CASES, T,
     r"sample_weight must hold numbers, got dtype <U1, first sample_weight\[0\] = '2' \(str\)"),
    ("sample_weight", [True] * CASES, T,
     r"sample_weight must hold numbers, got Booleans; select the rows instead: y_true\[keep\]"),
    ("sample_weight", np.array(["2"] * CASES, object), T, r"sample_weight must hold numbers, got objects, "
     r"sample_weight\[0\] = '2' \(str\); drop or fill missing values and call \.astype\(float\), for a table's .*"),
    ("y_score", [0.5], E, "y_true(_old|_new)? and {parameter} must be equally long, got 36 and 1"),
    ("y_score", rest(math.nan), E, r"{parameter}\[0\] is NaN; a score is finite or infinite"),
    ("y_score", ["a"] * CASES, T, "{parameter} must hold float64 or float32 numbers, got dtype <U1, .*"),
    ("y_score", [[0.5]] * CASES, E, r"{parameter} must be one-dimensional, got shape \(36, 1\)"),
    ("y_score", None, E, r"{parameter} must be one-dimensional, got None \(NoneType\)"),
    ("y_prob", rest(1.5, 0.5), E, r"{parameter}\[0\] must be in 0 \.\. 1, got 1\.5"),
    ("y_prob", rest(-0.5, 0.5), E, r"{parameter}\[0\] must be in 0 \.\. 1, got -0\.5"),
    ("y_prob", ["a"] * CASES, T, "{parameter} must hold float64 or float32 numbers, got dtype <U1, .*"),
    ("y_prob", [[0.5, 0.5]] * CASES, E, r"{parameter} must be one-dimensional, got shape \(36, 2\)"),
    ("y_true", None, (E, T),
     rf"y_true must be (one-dimensional|an array-like), got None .*|.*{OF_ARRAYS.format(None)}"),
    ("y_true", rest(math.nan), E, r".*Input y_true contains NaN\.|y_true\[0\] must be a finite number, .*"),
    ("n_bins", 0, I, "The 'n_bins' parameter of {name} must be an int in the range .*"),
    ("strategy", "even", I, "The 'strategy' parameter of {name} must be one of 'uniform', 'quantile', .*"),
    ("simultaneous", "yes", I, "The 'simultaneous' parameter of {name} must be a bool, got .*"),
    ("thresholds", 0.5, I, r"thresholds must be array-like, got 0\.5 \(float\); write \[0\.5\]"),
    ("thresholds", [math.nan], E, r"Input thresholds contains NaN\.|thresholds\[0\] is NaN; .*"),
    ("thresholds", ["high"], T, "thresholds must hold .*numbers, got dtype <U4.*"),
    ("target_prevalence", 5, E, "target_prevalence must be above 0 and below 1, got 5; write 0.05 for 5%"),
    ("p_values", [0.5, math.nan], E, r"p_values\[1\] is nan; a p-value is in 0 \.\. 1"),
    ("p_values", [0.5, 1.5], E, r"p_values\[1\] is 1.5; a p-value is in 0 \.\. 1"),
    ("p_values", [-0.5], E, r"p_values\[0\] is -0.5; a p-value is in 0 \.\. 1"),
    ("p_values", [[0.5]], E, "p_values must be one-dimensional.*"),
    ("p_values", ["a"], T, "p_values must hold float64 or float32 numbers.*"),
    ("ratings", [1, 2], E, r".*a column for each of at least two raters, got shape \(2,\)"),
    ("ratings", [[1], [2]], E, r".*a column for each of at least two raters, got shape \(2, 1\)"),
    ("ratings", [[1, 2], [3]], T, "ratings cannot be read as an array.*"),
    ("ratings", [[1, "a"], ["b", 2]], T, "labels must be hashable and sortable.*"),
    ("ratings", np.array([[1j, 2]]), E, "ratings must hold numbers or texts, got dtype complex128"),
    ("categories", [1], E, r"ratings\[1, 0\] must be one of categories, got 2 .*"),
    ("categories", [1, 1], E, r"categories\[1\] = 1 \(int\) repeats categories\[0\]"),
    ("new", rest(math.nan), E, r"new\[0\] is nan; a value is finite: leave that query out.*"),
    ("old", rest(math.inf), E, r"old\[0\] is inf; a value is finite.*"),
    ("new", rest(-1e302), E, r"new\[0\] must be in -2\*\*1000 \.\. 2\*\*1000, got -1e\+302.*"),
    ("new", [1], E, "old and new must be equally long, got 36 and 1"),
    ("new", ["a"] * CASES, T, "new must hold float64 or float32 numbers.*"),
    ("new", [[1]], E, "new must be one-dimensional.*"),
    ("trials", 3, E, "successes must be at most 3, got 5"),
    ("trials", -2, E, "trials must not be negative, got -2"),
    ("trials", 2**63, E, f"trials must be at most {2**63 - 1}, got {2**63}"),
    ("trials", "2", T, r"trials must be an integer, got '2' \(str\)"),
    ("successes", -1, E, "successes must not be negative, got -1"),
    ("successes", 1.5, T, r"successes must be an integer, got 1.5 \(float\)"),
    ("tp", -1, E, "tp must not be negative, got -1"),
    ("tn", 2.5, T, "tn must be an integer, got 2.5.*"),
]  # fmt: skip


@every(("parameter", "value", "error", "text"), LAW)
def test_what_is_refused_is_refused_alike_by_every_function(parameter, value, error, text):
    named = SEVERAL_NAMES.get(parameter, (parameter,))
    asked = [(name, each) for name, parameters in PARAMETERS.items() for each in named if each in parameters]
    asked = [(name, each) for name, each in asked if each not in OF_MODELS.get(name, {})]
    assert asked
    with collected() as checking:
        for name, each in asked:
            pattern = text.format(name=name, parameter=each)
            with checking((name, each)), pytest.raises(error, match=rf"^({pattern})$"):
                getattr(inference, name)(**{**required(name), **needed(name), each: value})


PAIR, PLAIN = ([0, 1], [0.5, 1]), ([0, 1], [0.1, 0.9])
THREE = ([1, 0, 1], [1, 0, 0], [0, 0, 1])
bootstrap = partial(inference.bootstrap_interval, resamples=10)
AREA, MASKED = metrics.roc_auc_score, np.ma.array([0, 1], mask=[0, 1])
powered = partial(inference.prediction_powered_interval, [1, 0], [1, 0])


def rated(**options):
    return partial(inference.agreement_interval, **options)


OWN = {
    inference.f1_interval: [(([1, 0], [2, 1]), {}, E, "y_true and y_pred hold more than two classes"),
                            (([1], [1, 0]), {}, E, "y_true and y_pred must be equally long, got 1 and 2")],
    inference.kappa_interval: [
        (([1], [1, 0]), {}, E, "inconsistent numbers of samples"),
        (([[1, 0]], [[1, 1]]), {}, E, r"y_true must be one-dimensional, got shape \(1, 2\)")],
    inference.accuracy_interval: [(([], []), {}, E, "Found empty input array"),
                                  (([0, 1], [0.5, 0.25]), {}, E, "mix of binary and continuous")],
    inference.prevalence_interval: [(([3],), {}, E, r"y_true takes value in \{3\} and pos_label is not specified")],
    inference.proportion_interval: [
        ((1, 2), {"method": "wald"}, I, "must be one of 'wilson', 'clopper-pearson', 'jeffreys', 'agresti-coull', ")],
    inference.mcnemar_test: [
        (([1, 0, 1], [1, 0], THREE[2]), {}, E, r"y_true and y_pred_old: Found .* inconsistent .*: \[3, 2\]"),
        (([1, 0, 1], THREE[1], [1, 0]), {}, E, r"y_true and y_pred_new: Found .* inconsistent .*: \[3, 2\]"),
        (([1, 0, 1], THREE[1], [0.5, 1, 0]), {}, E, "y_true and y_pred_new: .* mix of binary and continuous"),
        (([1, 0, 1], [b"a", b"b", b"a"], THREE[2]), {}, T, "y_true and y_pred_old: .* bytes"),
        (([], [], []), {}, E, "y_true and y_pred_(old|new): Found empty input"),
        (THREE, {"method": "chi2"}, I, "mcnemar_test must be one of 'exact', 'mid-p', 'obuchowski', 'durkalski', got"),
        (THREE, {"sample_weight": [1, 2, 3]}, E, "^sample_weight must hold frequencies for McNemar's test, got sampling"
         " weights; give weight_type='frequency' if a weight says how often a case occurred, else"
         " bootstrap_comparison"),
        (THREE, {"method": "durkalski"}, E, "method must be 'exact' or 'mid-p' without cluster=, got 'durkalski'"),
        (THREE, {"method": "exact", "cluster": [1, 2, 3]}, E, "'obuchowski' or 'durkalski' with cluster=, got")],
    inference.roc_auc_interval: [
        (([0, 2], PAIR[1]), {}, E, r"^y_true takes value in \{0, 2\} and "),
        (PAIR, {"method": "exact"}, I, "must be one of 'delong-wilson', 'delong', 'delong-logit', got 'exact' .str.$"),
        (PAIR, {"weight_type": "frequency"}, E, "^weight_type needs sample_weight, which it describes; pass it, or no"),
        (PAIR, {"sample_weight": [1, 1.5], "weight_type": "frequency"}, E, r"^sample_weight\[1\] is 1.5; frequencies "
         r"must be whole numbers \(for other weights: weight_type='sampling'\)$"),
        (PAIR, {"sample_weight": [2**53, 1], "weight_type": "frequency"}, E, r"must have a sum below 2\*\*53, got we")],
    inference.compare_roc_auc: [
        ((*PAIR, [0.5, 1]), {"method": "exact"}, I, "must be one of 'delong-score', 'delong', got 'exact'"),
        (([0, 2], [0.5, 1], [0.5, 1]), {}, E, r"^y_true takes value in \{0, 2\} and ")],
    inference.compare_unpaired_roc_auc: [
        (([0, 2], [0.5, 1], *PAIR), {}, E, "^y_true_old takes "),
        ((*PAIR, *PAIR), {"sample_weight_new": [1, 2, 3]}, E, "^sample_weight_new must hold one weight for each of 2"),
        ((*PAIR, *PAIR), {"sample_weight_old": [True, True]}, T, r"^sample_weight_old must hold numbers, got Bool"),
        ((*PAIR, *PAIR), {"weight_type": "frequency"}, E, "^weight_type needs sample_weight_new, which it describes")],
    inference.roc_auc_covariance: [
        (([0, 2], [[0.5, 1]]), {}, E, r"^y_true takes value in \{0, 2\} and "),
        (([0, 1], [[0.5, 1], [0.5, math.nan]]), {}, E, r"^y_score\[1\]\[1\] is NaN"),
        (([0, 1], np.array([[1, 1], [0.5, math.nan]])), {}, E, r"^y_score\[:, 1\] at index 1 \(from 0\) is NaN; "),
        (([0, 1], np.ma.masked_equal([[1, 2], [3, 4]], 3)), {}, E, r"^y_score\[:, 0\] at index 1 \(from 0\) is mask"),
        (([0, 1], [[0.5, 1], [0.5]]), {}, E, r"^y_true and y_score\[1\] must be equally long, got 2 and 1$"),
        (([0, 1], [0.5, 1]), {}, E, r"^y_score\[0\] must be one-dimensional"),
        (([0, 1], np.array([0.5, 1])), {}, E, r"^y_score must be of shape \(n, k\) or a list of columns, got shape"),
        (([0, 1], []), {}, E, "^y_score must hold the scores of at least one model"),
        (([0, 1], np.empty((2, 0))), {}, E, "^y_score must hold the scores of")],
    bootstrap: [
        (PLAIN, {"measure": "auc"}, E, "one of roc_auc, average_precision, .*, got 'auc'; did you mean 'roc_auc'"),
        *((PLAIN, {"measure": each}, E, "measure must be one") for each in ("roc_auc@1", "partial_auc@2", "f1@high")),
        (PLAIN, {"measure": 5}, T, "measure must be a name or a function, got 5"),
        (PLAIN, {"measure": np.full(900, 0.5)}, T, r"a function, got array\(\[(0.5, )+\.\.\.$"),
        (PLAIN, {"measure": lambda y, s: "high"}, T, "measure must return a number, .* returned 'high'"),
        (PLAIN, {"cluster": [1, 2], "stratify": True}, E, "stratify and cluster cannot be combined, for a cluster may"),
        (([0, 1], [0.1]), {"measure": AREA}, E, "y_score must have 2 rows like y_true"),
        ((None, [0.1, 0.2]), {"measure": AREA}, T, "y_true must be an array-like, got None"),
        ((MASKED, [0.1, 0.2]), {"measure": AREA}, E, r"y_true\[\d\] is masked"),
        (PLAIN, {"sample_weight": [0.5, 1], "weight_type": "frequency"}, E, r"\[0\] is 0.5; frequencies must be whole"),
        (PLAIN, {"sample_weight": [10**9, 5 * 10**9], "weight_type": "frequency", "method": "bca"}, E,
         "^sample_weight must have a sum below 1,000,000,000 for method='bca', got 6,000,000,000; pass another")],
    inference.bootstrap_intervals: [
        ((*PLAIN, ["ks", "ks"]), {}, E, "measures must have names of their own, got 'ks' twice"),
        ((*PLAIN, "roc_auc"), {}, T, "measures must be a sequence of names or functions, got 'roc_auc'"),
        ((*PLAIN, None), {}, T, "measures must be a sequence of names or functions, got None")],
    inference.optimal_threshold_interval: [
        ((*PLAIN, "best"), {}, E, "criterion must be one of"),
        ((*PLAIN, "cost"), {}, E, "criterion 'cost' needs cost="),
        (PLAIN, {"cluster": [1, 2]}, E, "stratify and cluster cannot be combined")],
    inference.logistic_calibration: [
        (([0, 1, 1], [0.5, 0.6, value]), {}, E, rf"y_prob must be above 0 and below 1, got {value}, .*for example by "
         r"np\.clip\(y_prob, 1e-6, 1 - 1e-6\)") for value in (0, 1)],
    inference.debiased_calibration_error_interval: [
        (PLAIN, {"sample_weight": [1, 2]}, T, "debiased_calibration_error_.* counts whole cases .*bootstrap_interval"),
        (([], []), {}, E, "y_true must hold at least one case, got none")],
    inference.consistency_band: [(([],), {}, E, "y_prob must hold at least one case, got none")],
    inference.roc_curve_band: [(PLAIN, {"fpr": [0.5, 1.5]}, E, r"^fpr\[1\] must be in 0 \.\. 1, got 1\.5$")],
    inference.precision_recall_curve_band: [
        (PLAIN, {"recall": [-0.5]}, E, r"^recall\[0\] must be in 0 \.\. 1, got -0\.5$")],
    inference.sensitivity_at_specificity_intervals: [
        ((*PLAIN, [95]), {}, E, r"^specificity\[0\] must be in 0 \.\. 1, got 95\.0; write 0\.95 for 95%$"),
        ((*PLAIN, 0.9), {}, E, r"^specificity must be array-like, got 0\.9 \(float\); write \[0\.9\]$")],
    inference.specificity_at_sensitivity_intervals: [
        ((*PLAIN, [95]), {}, E, r"^sensitivity\[0\] must be in 0 \.\. 1, got 95\.0; write 0\.95 for 95%$")],
    inference.decision_curve: [
        ((*PLAIN, []), {}, E, "thresholds must hold at least one number, got none"),
        ((*PLAIN, [0.5, 0.5]), {}, E, "thresholds must rise, got 0.5 after 0.5"),
        ((*PLAIN, [0.0]), {}, E, "thresholds must be above 0 and below 1, got 0.0; leave it out"),
        ((*PLAIN, [5, 10]), {}, E, "below 1, got 5.0; write 0.05 for 5%"),
        (([], []), {}, E, "y_true must hold at least one case, got none"),
        (([1, 1], [0.1, 0.2]), {"target_prevalence": 0.5}, E, "target_prevalence needs cases of both")],
    inference.compare_decision_curves: [
        ((*PLAIN, [0.2, 0.8]), {"thresholds": np.linspace(0.1, 0.9, 1001)}, E, "thresholds must be at most 1,000 to")],
    inference.corrected_prevalence_interval: [
        (([1], [1, 0], [1]), {}, E, "y_true and y_pred must be equally long, got 1 and 2"),
        (([1, 0], [1, 0], ["a", "b"]), {}, E, r"y_pred_unlabelled takes value in \{'a', 'b'\} and pos_label is not")],
    inference.prediction_powered_interval: [
        (([1, 0], [1, 0, 1], [1, 0]), {}, E, "y_true and y_pred must be equally long, got 2 and 3"),
        (([1, 2], [1, -1e61], [1, 2]), {}, E, r"y_pred must hold values in -2\*\*200 \.\. 2\*\*200, got -1e\+61; ch"),
        (([1, math.nan], [1, 0], [1, 0]), {}, E, r"y_true\[1\] must be a finite number, got nan"),
        (([1, 0], ["good", "bad"], [1, 0]), {}, T, "y_pred must hold numbers or Booleans, got dtype <U4")],
    powered: [
        (([1],), {}, E, "y_pred_unlabelled must hold at least two values, got 1"),
        (([1, 0],), {"power_tuning": 0.5}, E, "'power_tuning' parameter of prediction_powered_interval must be a bool"),
        (([1, 0],), {"limits": (1, 0)}, E, "'limits' parameter .* must be two rising numbers, got")],
    inference.agreement_interval: [
        (([["a", "b"]],), {"categories": ["a"]}, E, r"ratings\[0, 1\] must be one of categories, got 'b' "),
        (([[1, 2]],), {"coefficient": "kappa"}, E, "'coefficient' parameter of agreement_interval must be"),
        (([[1, 2]],), {"weights": "square"}, E, "'weights' parameter of agreement_interval must be one of"),
        (([[1, math.inf]],), {"weights": "linear"}, E,
         r"ratings must be in -2\*\*200 \.\. 2\*\*200 for weights='linear', got inf"),
        (([[1, -1e61]],), {"weights": "bipolar"}, E, r"2\*\*200 for weights='bipolar', got -1e\+61; change"),
        (([[-1, 2]],), {"weights": "ratio"}, E, "must not be negative for weights='ratio', got -1")],
    inference.krippendorff_interval: [
        (([[1, 2]],), {"metric": "linear"}, E, "'metric' parameter of krippendorff_interval must be one of 'nominal'")],
    inference.roc_auc_design: [
        ((1,), {}, E, "roc_auc must be above 0 and below 1, got 1"),
        ((0.8, 0), {}, E, "null must be above 0 and below 1, got 0"),
        ((0.5,), {}, E, "roc_auc must differ from null, got 0.5 for both: there is nothing to find"),
        ((0.8,), {"variance": "delong"}, ValueError, "variance")],
    inference.paired_roc_auc_design: [
        ((0.8, 0.9), {"correlation": 1}, E, "correlation must be at least -1 and below 1, got 1")],
    inference.pilot_design: [
        (([0, 1, 0, 1], [1, 2, 1, 2], [1, 2, 1, 2]), {}, E, "roc_auc_new must differ from roc_auc_old, got 1.0 .*"),
        (([0, 1, 0, 0], [1, 2, 1, 2], [1, 2, 2, 1]), {}, E,
         "y_true must hold two cases of each class to see how scores vary, got 1 positive and 3 negative")],
    inference.proportion_design: [(("0.9", 0.8), {}, T, "proportion must be a number, got '0.9'")],
    inference.sample_size: [
        ((0.8, 0.85), {}, T, r"design must be a StudyDesign, got 0.8 \(float\); make one, such as by paired_roc_auc"),
        ((StudyDesign(1, 1, 1), 0.4), {}, E, "power must be at least 0.5 and below 1, got 0.4"),
        ((StudyDesign(0, 1, 1),), {}, E, "the difference of design must not be 0: no number of cases finds one of 0")],
    inference.power: [((500, 0.8), {}, T, r"design must be a StudyDesign, got 500 \(int\); make one"),
                      ((StudyDesign(1, 1, 1), -1), {}, E, "cases must not be negative, got -1")],
}  # fmt: skip
"""By function: arguments, options, the error and the text."""


def test_errors_of_single_functions_have_their_texts():
    with collected() as checking:
        for function, rows in OWN.items():
            for arguments, options, error, text in rows:
                with checking((function, arguments, options)), pytest.raises(error, match=text):
                    function(*arguments, **options)


def evaluation(groups, measures="AP AUC"):
    relevance = np.array([[len(group) % 2 == 0, len(group) % 2] for group in groups]).ravel()
    return evaluate(np.repeat(groups, 2), relevance, np.tile([0.9, 0.1], len(groups)), measures=measures)


WEIGHED, EQUAL = (evaluate([1, 2], [1, 0], [0.9, 0.1], measures="P@1", weights=each) for each in ({1: 2, 2: 1}, None))
UNDEFINED, WHOLE = (evaluate([1, 1, 2], each, [0.9, 0.5, 0.1], measures="AUC") for each in ([1, 0, 1], [1, 1, 1]))
ONE = evaluation(["a"])


@every("test", [inference.paired_t_test, inference.permutation_test])
@every(
    ("new", "old", "measure", "error", "text"),
    (evaluation(["a", "bb"]), evaluation(["a", "c"]), "AP", E, "group 'bb' is only in new"),
    (ONE, evaluation(["a", "c", "d"]), "AP", E, "group 'c' is only in old"),
    (evaluation([]), evaluation([]), "AP", E, "old and new must have at least one group"),
    (ONE, ONE, "RR", E, "measure must be one of AP, AUC, got 'RR'$"),
    (ONE, ONE, "auk", E, r"got 'auk'; did you mean 'AUC'\?$"),
    (ONE, ONE, None, E, "measure must be one of AP, AUC, got None"),
    (ONE, [1], "AP", T, r"old must be a GroupedEvaluation like new, got \[1\] \(list\)"),
    ([1], ONE, "AP", T, "new must be a GroupedEvaluation like old"),
    (EQUAL, WEIGHED, "P@1", E, "old must be an evaluation without weights of groups, which no paired te"),
    ([1, 2], [1, 3], "AP", E, "measure must be None where no evaluations are given"),
    ([], [], None, E, "old and new must hold at least one value"),
    (UNDEFINED, WHOLE, "AUC", E, "AUC of group 2 is nan in new; leave that group out of both"),
    (replace(UNDEFINED, values={"AUC": np.ones(2)}), WHOLE, "AUC", E, "AUC of group 1 is nan in old"),
)
def test_runs_that_do_not_match_are_refused(test, new, old, measure, error, text):  # noqa: PLR0917
    with pytest.raises(error, match=text):
        test(old, new, measure=measure)


def of_pandas(name, order=1, function=""):
    column = OF_MODELS.get(function, COLUMNS).get(name, COLUMNS[name])
    kind = pd.Series if column.ndim == 1 else pd.DataFrame
    return kind(column, index=np.arange(100, 100 + CASES)[::order])


def call(name, columns, other=None):
    """Call a function with columns of one index, but for another one."""
    given = {each: of_pandas(each, -1 if each == other else 1, name) for each in columns}
    return getattr(inference, name)(**given, **needed(name))


def test_every_argument_with_a_row_for_each_case_is_known():
    named = {each for parameters in PARAMETERS.values() for each in parameters}
    assert {each for each in named if each.startswith(("y_", "sample_weight"))} <= COLUMNS.keys() | OTHERS.keys()


@every("name", SEVERAL)
def test_columns_with_different_indices_are_refused(name):
    call(name, required(name))
    for column in SEVERAL[name]:
        with pytest.raises(EvaluationError, match=r"must have the same index as .*; align them") as refused:
            call(name, SEVERAL[name], other=column)
        assert column in str(refused.value)


def test_an_error_says_what_to_do():
    text = "must have the same index as y_true; align them with .reindex, or pass .to_numpy() of each to match them by "
    with pytest.raises(EvaluationError, match=f"^y_score {re.escape(text)}position$"):
        inference.roc_auc_interval(of_pandas("y_true"), of_pandas("y_score", -1))
    with pytest.raises(EvaluationError, match=r"^y_score\[1\] must have the same index as y_true; "):
        inference.roc_auc_covariance(of_pandas("y_true"), [of_pandas("y_score"), of_pandas("y_score", -1)])
    with pytest.raises(EvaluationError, match=r"^y_true and y_score must be equally long, got 36 and 9$"):
        inference.roc_auc_interval(of_pandas("y_true"), of_pandas("y_score")[:9])


def test_columns_without_an_index_are_matched_by_position():
    expected = inference.roc_auc_interval(LABELS, SCORES)
    labels, scores = of_pandas("y_true"), of_pandas("y_score", -1)
    assert inference.roc_auc_interval(labels.to_numpy(), scores) == expected
    assert inference.roc_auc_interval(labels, scores.tolist()) == expected
    assert inference.roc_auc_interval(labels, scores.set_axis(labels.index.copy())) == expected
