"""Columns of pandas with different indices are refused by every function that takes two or more columns."""

import inspect

import numpy as np
import pandas as pd
import pytest

from evalcore import EvaluationError, inference
from tests.differences import every

CASES = 36
LABELS, SCORES = np.array([0, 1, 0, 1, 1, 0] * 6), (np.arange(CASES) * 7 % CASES + 0.5) / CASES
COLUMNS = {
    **dict.fromkeys(["y_true", "y_true1", "y_true2", "y_pred1"], LABELS),
    **dict.fromkeys(["y_pred", "y_pred2"], np.where(np.arange(CASES) % 9, LABELS, 1 - LABELS)),
    **dict.fromkeys(["y_score", "y_score1", "y_prob", "y_prob1", "old_score", "second"], SCORES),
    **dict.fromkeys(["new_score", "y_score2", "y_prob2", "first"], SCORES[::-1]),
    **dict.fromkeys(["sample_weight", "sample_weight1", "sample_weight2"], np.arange(CASES) % 3 + 1),
    "y_scores": np.stack([SCORES, LABELS * 0.5], axis=1),
    "cluster": np.arange(CASES) // 4,
}
"""By the names of arguments that hold a row for each case."""
OTHERS = {
    "thresholds": [0.5],
    "specificity": [0.5],
    "sensitivity": [0.5],
    "measure": "roc_auc",
    "measures": ["roc_auc"],
    "fpr_range": (0, 0.5),
    "y_pred_unlabelled": pd.Series([0, 1, 1]),
}
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


def of_pandas(name, order=1):
    kind = pd.Series if COLUMNS[name].ndim == 1 else pd.DataFrame
    return kind(COLUMNS[name], index=np.arange(100, 100 + CASES)[::order])


def call(name, columns, other=None):
    """Call a function with columns of one index, but for another one."""
    needed = {each: OTHERS[each] for each in PARAMETERS[name].keys() & OTHERS.keys()}
    if name in ("paired_t_test", "permutation_test"):
        needed = {}  # whose measure is of evaluations
    return getattr(inference, name)(**{each: of_pandas(each, -1 if each == other else 1) for each in columns}, **needed)


def test_every_argument_with_a_row_for_each_case_is_known():
    named = {each for parameters in PARAMETERS.values() for each in parameters}
    assert {each for each in named if each.startswith(("y_", "sample_weight"))} <= COLUMNS.keys() | OTHERS.keys()


@every("name", SEVERAL)
def test_columns_with_different_indices_are_refused(name):
    call(name, [each for each in SEVERAL[name] if PARAMETERS[name][each].default is inspect.Parameter.empty])
    for column in SEVERAL[name]:
        with pytest.raises(EvaluationError, match=r"must have the same index as .*; align them") as refused:
            call(name, SEVERAL[name], other=column)
        assert column in str(refused.value)


def test_an_error_says_what_to_do():
    with pytest.raises(EvaluationError) as refused:
        inference.roc_auc_interval(of_pandas("y_true"), of_pandas("y_score", -1))
    assert str(refused.value) == (
        "y_score must have the same index as y_true; align them with .reindex, or pass .to_numpy() of each "
        "to match them by position"
    )
    with pytest.raises(EvaluationError, match=r"^y_scores\[1\] must have the same index as y_true; "):
        inference.roc_auc_covariance(of_pandas("y_true"), [of_pandas("y_score"), of_pandas("y_score", -1)])
    with pytest.raises(EvaluationError, match=r"^y_true and y_score must be equally long, got 36 and 9$"):
        inference.roc_auc_interval(of_pandas("y_true"), of_pandas("y_score")[:9])


def test_columns_without_an_index_are_matched_by_position():
    expected = inference.roc_auc_interval(LABELS, SCORES)
    labels, scores = of_pandas("y_true"), of_pandas("y_score", -1)
    assert inference.roc_auc_interval(labels.to_numpy(), scores) == expected
    assert inference.roc_auc_interval(labels, scores.tolist()) == expected
    assert inference.roc_auc_interval(labels, scores.set_axis(labels.index.copy())) == expected
