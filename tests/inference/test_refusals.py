"""What every function refuses that has such a parameter, columns of other indices among it; and texts of their own."""

import inspect
import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from evalcore import EvaluationError, EvaluationTypeError, inference, metrics
from evalcore.errors import InvalidParameterError
from evalcore.inference import StudyDesign
from evalcore.ranking import evaluate
from tests.differences import collected, every, recorded

CASES = 36
LABELS, SCORES = np.array([0, 1, 0, 1, 1, 0] * 6), (np.arange(CASES) * 7 % CASES + 0.5) / CASES
COLUMNS = {
    **dict.fromkeys(["y_true", "y_true_old", "y_true_new", "y_pred_old"], LABELS),
    **dict.fromkeys(["y_pred", "y_pred_new"], np.where(np.arange(CASES) % 9, LABELS, 1 - LABELS)),
    **dict.fromkeys(["y_score", "y_score_old", "y_prob", "y_prob_old", "old", "values"], SCORES),
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
    ("cluster", [1], E,
     "((y_true|values) and cluster|cluster and y_true) must be equally long, got (36 and 1|1 and 36)"),
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
     r"a factor of 2\*\*480, got 1e-160 and 2; set negligible weights to 0"),
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
    ("values", rest(math.nan), E, r"values\[0\] must be a finite number, got nan"),
    ("values", rest(1e200), E, r"values\[0\] must be in -2\*\*500 \.\. 2\*\*500, got 1e\+200; change their unit"),
    ("values", ["a"] * CASES, T, "values must hold numbers or Booleans, got dtype <U1, .*"),
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


@every(("call", "said"), recorded("inference/outputs/refused_calls.txt"))
def test_errors_of_single_functions_have_their_texts(call, said):
    known = vars(inference) | {"np": np, "nan": math.nan, "inf": math.inf, "roc_auc_score": metrics.roc_auc_score}
    with pytest.raises((E, T)) as caught:
        eval(call, known)
    assert f"{type(caught.value).__name__}: {caught.value}" == said


def test_a_measure_must_return_a_number():
    with pytest.raises(EvaluationTypeError, match=r"^measure must return a number, .* returned 'high'"):
        inference.bootstrap_interval([0, 1], [0.1, 0.9], lambda y_true, y_score: "high")


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
