"""The programs that compute the same: what they are called with, and what they answer."""

import functools
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import sklearn.metrics

import evalcore
from evalcore import metrics

OURS = "evalcore"
FLOOR = "np.sort"
PEERS = (
    "scikit-learn", "scikit-learn-intelex", "scors", "numba", "polars", "polars_ds", "chdb", "CatBoost", "XGBoost",
    "torchmetrics",
)  # fmt: skip
IN_FLOAT32 = {"XGBoost", "torchmetrics"}
MEASURES = "ROC AUC", "average precision", "PR curve", "ROC curve", "maximum F1"


class Data(NamedTuple):
    """Cases as arrays, and as other programs take them."""

    labels: np.ndarray
    scores: np.ndarray
    weights: np.ndarray | None
    prepared: dict[str, Any]
    """By program, what is converted before a time is taken."""


class Call(NamedTuple):
    """What a program is asked, and the number or numbers that its answer comes down to."""

    ask: Callable[[Data], Any]
    summary: Callable[[Any], Any] = float


def _area_below(curve):
    """Return the area below a curve: those of different programs have different points."""
    y, x = np.asarray(curve[1], np.float64), np.asarray(curve[0], np.float64)
    return abs(float(np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2))


def _steps_below(curve):
    precision, recall = (np.asarray(part, np.float64) for part in curve[:2])
    return float(-np.sum(np.diff(recall) * precision[:-1]))


def _maximum_f1_by_scikit_learn(data):
    precision, recall, _ = sklearn.metrics.precision_recall_curve(data.labels, data.scores)
    sums = precision + recall
    return np.max(2 * precision * recall / np.where(sums > 0, sums, 1))


def _maximum_f1(data):
    evaluation = evalcore.ScoredPrecisionRecallEvaluation()
    evaluation.addCases(data.labels, data.scores)
    return evaluation.maximumFMeasure()


def _of(module, name):
    function = getattr(module, name)
    return lambda data: function(data.labels, data.scores, sample_weight=data.weights)


def _named_alike(module):
    return {
        "ROC AUC": Call(_of(module, "roc_auc_score")),
        "average precision": Call(_of(module, "average_precision_score")),
        "PR curve": Call(_of(module, "precision_recall_curve"), _steps_below),
        "ROC curve": Call(_of(module, "roc_curve"), _area_below),
    }


def _intel():
    from daal4py.sklearn.metrics import roc_auc_score

    return {"ROC AUC": Call(_unweighted(roc_auc_score))}


def _unweighted(function):
    return lambda data: function(data.labels, data.scores)


def _scors():
    import scors

    return {
        "ROC AUC": Call(lambda data: scors.roc_auc(data.labels, data.scores, data.weights)),
        "average precision": Call(lambda data: scors.average_precision(data.labels, data.scores, data.weights)),
    }


class NumbaLoops(NamedTuple):
    """What many write who need it fast: a compiled loop over the order of the scores."""

    roc_auc: Callable[..., float]
    """Of labels and scores (n,)."""
    roc_aucs: Callable[..., Any]
    """Of rows of labels and scores (k, n), by all processors."""


@functools.cache
def numba_loops() -> NumbaLoops:
    import numba

    @numba.njit(error_model="numpy")
    def roc_auc(labels, scores):
        order = np.argsort(scores)
        area, positives, negatives, begin = 0.0, 0, 0, 0
        while begin < order.size:  # equal scores count half
            end, tied = begin, 0
            while end < order.size and scores[order[end]] == scores[order[begin]]:
                tied += labels[order[end]]
                end += 1
            area += tied * (negatives + (end - begin - tied) / 2)
            positives += tied
            negatives += end - begin - tied
            begin = end
        return area / (positives * negatives)

    @numba.njit(parallel=True)
    def roc_aucs(labels, scores):
        areas = np.empty(len(labels))
        for row in numba.prange(len(labels)):
            areas[row] = roc_auc(labels[row], scores[row])
        return areas

    return NumbaLoops(roc_auc, roc_aucs)


def _numba():
    return {"ROC AUC": Call(_unweighted(numba_loops().roc_auc))}


def polars_roc_auc():
    """Return the ROC AUC of columns `label` and `score` as an expression: a sum of ranks."""
    import polars

    ranks = (polars.col("score").rank() * polars.col("label")).sum()
    positives = polars.col("label").sum().cast(polars.Float64)
    negatives = polars.len().cast(polars.Float64) - positives
    return (ranks - positives * (positives + 1) / 2) / (positives * negatives)


def _polars():
    import polars

    def prepare(data):
        return polars.DataFrame({"label": data.labels, "score": data.scores})

    return {
        "prepare": prepare,
        "ROC AUC": Call(lambda data: data.prepared["polars"].select(polars_roc_auc()).item()),
    }


def _chdb():
    import pandas
    from chdb import session

    opened = _one_session(session)

    def prepare(data):
        return pandas.DataFrame({"label": data.labels, "score": data.scores})

    def area(data):
        frame = data.prepared["chdb"]  # the query finds it by its name
        query = "SELECT arrayROCAUC(groupArray(score), groupArray(label)) FROM Python(frame)"
        return str(opened.query(query, "CSV")) if frame is not None else None

    return {"prepare": prepare, "ROC AUC": Call(area)}


@functools.cache
def _one_session(session):
    return session.Session()


def _catboost():
    from catboost.utils import eval_metric

    return {"ROC AUC": Call(lambda data: eval_metric(data.labels, data.scores, "AUC")[0])}


def _xgboost():
    import xgboost

    def prepare(data):
        cases = xgboost.DMatrix(np.zeros((data.labels.size, 1), np.float32), label=data.labels)
        cases.set_base_margin(data.scores)
        options = {"objective": "binary:logitraw", "eval_metric": "auc", "base_score": 0}
        return xgboost.train(options, cases, num_boost_round=0), cases

    def area(data):
        booster, cases = data.prepared["XGBoost"]
        return booster.eval(cases).rpartition(":")[2]

    return {"prepare": prepare, "ROC AUC": Call(area)}


def _polars_ds():
    import polars
    import polars_ds

    def prepare(data):
        return polars.DataFrame({"label": data.labels.astype(np.uint32), "score": data.scores})

    def area(data):
        return data.prepared["polars_ds"].select(polars_ds.query_roc_auc("label", "score")).item()

    return {"prepare": prepare, "ROC AUC": Call(area)}


def _torchmetrics():
    import torch
    from torchmetrics.functional import classification

    def prepare(data):
        return torch.from_numpy(data.scores), torch.from_numpy(data.labels.astype(np.int64))

    def of(function):
        return lambda data: function(*data.prepared["torchmetrics"], validate_args=False)

    return {
        "prepare": prepare,
        "ROC AUC": Call(of(classification.binary_auroc)),
        "average precision": Call(of(classification.binary_average_precision)),
        "PR curve": Call(of(classification.binary_precision_recall_curve), _steps_below),
        "ROC curve": Call(of(classification.binary_roc), _area_below),
    }


def peers() -> dict[str, dict[str, Any]]:
    """Return the programs that are installed, and what each can be asked."""
    found = {
        OURS: {**_named_alike(metrics), "maximum F1": Call(_maximum_f1)},
        "scikit-learn": {**_named_alike(sklearn.metrics), "maximum F1": Call(_maximum_f1_by_scikit_learn)},
    }
    optional = {
        "scikit-learn-intelex": ("daal4py", _intel),
        "scors": ("scors", _scors),
        "numba": ("numba", _numba),
        "polars": ("polars", _polars),
        "polars_ds": ("polars_ds", _polars_ds),
        "chdb": ("chdb", _chdb),
        "CatBoost": ("catboost", _catboost),
        "XGBoost": ("xgboost", _xgboost),
        "torchmetrics": ("torchmetrics", _torchmetrics),
    }
    return found | {name: make() for name, (module, make) in optional.items() if find_spec(module)}
