"""Questions of comparison that cannot be answered are refused before anything is read."""

import numpy as np
import pandas as pd
import pytest

import evalcore
from evalcore.errors import EvaluationError, EvaluationTypeError

TABLE = {"id": [1, 2], "late": [1, 0], "s": [0.5, 0.4], "t": [0.5, 0.4], "w": [1, 1]}
TWO, ONE = {"on": "id", "score": "s"}, {"score": "s", "old_score": "t"}

OF_TWO_TABLES = [
    ({"on": None}, "on must name the column, or columns, that identify a case in both tables"),
    ({"on": ["id", "id"]}, "on must name distinct columns, got 'id', 'id'"),
    ({"on": ["id", "late"]}, "on must not name columns of labels or predictions, got 'late'"),
    (
        {"allow": "mising"},
        "allow must be one or more of missing, repeated, labels, got 'mising'; did you mean 'missing'?",
    ),
    (
        {"allow": "missing,labels"},
        "allow must be one or more of missing, repeated, labels, got 'missing,labels'; give several as a list",
    ),
    ({"score": None}, "compare needs either score or predicted"),
    ({"predicted": "t"}, "compare takes score or predicted, got both; give only one of them"),
    ({"score": []}, "score must name at least one column"),
    ({"score": ["s", "t"]}, "old_score must name the column of the old model"),
    ({"score": "late"}, "score must not be the column of labels, got 'late'"),
    ({"old_predicted": "t"}, "old_predicted does not fit score; give old_score"),
    ({"score": None, "predicted": "s", "positive": 1}, "positive needs score, got predicted classes"),
    ({"score": None, "predicted": "s", "threshold": 0.5}, "threshold needs score, got predicted classes"),
    ({"ci": 95}, "ci must be above 0 and below 1, got 95; write 0.95 for 95%"),
    ({"threshold": [0.5, 0.5]}, "thresholds must be distinct, got threshold 0.5 twice"),
    ({"min_cases": 5}, "min_cases needs by, which names the column of groups"),
    ({"by": ["w", "w"]}, "by must name distinct columns, got 'w', 'w'"),
    ({"weight": "s"}, "weight must be a column of its own, got 's', which has another role"),
    ({"weight_type": "frequency"}, "weight_type needs weight, which names the column of weights"),
    ({"method": "permutation"}, "method must be one of analytic, bootstrap, got 'permutation' (str)"),
    ({"ci_method": "exact"}, "ci_method must be one of delong-score, delong, got 'exact' (str)"),
    (
        {"ci_method": "delong", "method": "bootstrap"},
        "ci_method chooses the analytic interval of ROC areas, got method='bootstrap'",
    ),
    (
        {"ci_method": "delong", "score": None, "predicted": "s"},
        "ci_method chooses the interval of ROC areas, which need score",
    ),
    ({"method": "bootstrap", "resamples": 0}, "resamples must be at least 1, got 0"),
    ({"stratify": True}, "stratify needs method='bootstrap'"),
    ({"seed": -1}, "seed must not be negative, got -1"),
    ({"changed": -1}, "changed must not be negative, got -1"),
    ({"margin": 0}, "margin must be a finite number above 0, got 0"),
    ({"margin": {"roc_area": float("inf")}}, "margin of 'roc_area' must be a finite number above 0, got inf"),
    ({"margin": {"auc": 0.1, "roc_area": 0.1}}, "margin must name each measure once, got 'auc', 'roc_area'"),
    (
        {"margin": {"rocarea": 0.1}},
        "margin must name measures that are compared (roc_area, average_precision, log_loss, brier_score), "
        "got 'rocarea'; did you mean 'roc_area'?",
    ),
    (
        {"margin": {"recall": 0.1}, "measures": "roc_area"},
        "margin must name measures that are compared (roc_area), got 'recall'; choose them with measures or threshold",
    ),
    ({"text": "s"}, "text must name columns of ids, labels, predictions, groups or clusters, got 's'"),
    ({"nulls": "keep"}, "nulls must be one of refuse, drop, got 'keep' (str)"),
    ({"pos_label": 1, "positive": 1}, "positive and pos_label mean the same; give only one of them"),
]
OF_ONE_TABLE = [
    ({"old_score": None}, "old_score must name the column of the old model; or give each model a table of its own"),
    ({"old_score": "s"}, "columns of models must be distinct, got 's', 's'"),
    ({"allow": "missing"}, "allow needs several tables, got one"),
]
OF_WRONG_TYPES = [
    ({"label": None}, "label must be the name of a column, got None"),
    ({"old_score": 3}, "old_score must be the name of a column, got 3"),
    ({"by": 3}, "by must be a string or a sequence of strings, got 3"),
    ({"score": [3]}, "score must hold strings, got 3"),
    (
        {"score": pd.Series([1.0])},
        "score must be the name of a column, got a Series; put it into the frame as a column, and give its name",
    ),
    (
        {"on": np.array([1.0])},
        "on must be the name of a column, got an array; put it into the frame as a column, and give its name",
    ),
    ({"margin": "much"}, "margin must be a number, got 'much' (str)"),
    ({"margin": {}}, "margin must be a number, got {} (dict)"),
    ({"margin": {"auc": None}}, "margin of 'auc' must be a number, got None (NoneType)"),
]


@pytest.mark.parametrize(("asked", "message"), OF_TWO_TABLES)
def test_questions_about_two_tables(asked, message):
    with pytest.raises(EvaluationError) as caught:
        evalcore.compare(TABLE, TABLE, **{"label": "late", **TWO, **asked})
    assert str(caught.value) == message


@pytest.mark.parametrize(("asked", "message"), OF_ONE_TABLE)
def test_questions_about_one_table(asked, message):
    with pytest.raises(EvaluationError) as caught:
        evalcore.compare(TABLE, **{"label": "late", **ONE, **asked})
    assert str(caught.value) == message


@pytest.mark.parametrize(("asked", "message"), OF_WRONG_TYPES)
def test_arguments_of_wrong_types(asked, message):
    with pytest.raises(EvaluationTypeError) as caught:
        evalcore.compare(TABLE, TABLE, **{"label": "late", **TWO, **asked})
    assert str(caught.value) == message
