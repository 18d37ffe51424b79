"""The evaluator "evalcore" of MLflow: `mlflow.models.evaluate(..., evaluators="evalcore")`."""

import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from evalcore.document.records import number_rows
from evalcore.document.report import Report, evaluate
from evalcore.errors import check
from evalcore.evaluation.inputs import positive_rows
from evalcore.optional import require

_PAGE, _NUMBERS = "evalcore.html", "evalcore.json"
_TARGET, _MODEL = "target", "model"
"""Names of columns that have none."""
_OF_ALL = "", "total"
"""Groups of all cases."""
_ENDS = "", "_low", "_high"
"""Of the names of a value and its bounds."""


class MlflowEvaluator:
    """Log the measures of a classifier with their intervals, and the page of a report, into a run of MLflow.

    MLflow makes it for ``mlflow.models.evaluate(..., model_type="classifier", evaluators="evalcore")``, and where no
    evaluators are named, since it then uses all that are installed.

    ``evaluator_config`` holds arguments of `evalcore.evaluate`, such as ``{"positive": "late", "by": "carrier"}``; `ci`
    is 0.95 if it is not given.  A model with `predict_proba` has a score for each class.  Other predictions are classes
    if they are texts, or labels, or whole numbers as the labels are; else they are scores of the positive class.
    ``{"score": COLUMN}`` says that whole numbers are scores.  The metrics are those of all cases, by their names in
    JSON: ``roc_auc`` with ``roc_auc_low`` and ``roc_auc_high``.  What is NaN or infinite is left out.  The artifacts
    are evalcore.html and evalcore.json, which can be the --baseline of a later report.

    Examples
    --------
    >>> import mlflow, pandas  # doctest: +SKIP
    >>> frame = pandas.DataFrame({"late": [1, 0, 1, 0], "model": [0.9, 0.6, 0.7, 0.2]})  # doctest: +SKIP
    >>> with mlflow.start_run():  # doctest: +SKIP
    ...     found = mlflow.models.evaluate(
    ...         data=frame, targets="late", predictions="model", model_type="classifier", evaluators="evalcore"
    ...     )
    >>> found.metrics["roc_auc"]  # doctest: +SKIP
    1.0
    """

    @classmethod
    def can_evaluate(cls, *, model_type: str | None, **_: Any) -> bool:
        """Return whether it is a classifier.  O(1)."""
        return model_type == "classifier"

    def evaluate(
        self,
        *,
        dataset: Any,
        run_id: str,
        evaluator_config: Mapping[str, Any] | None = None,
        model: Any = None,
        predictions: str | None = None,
        **_: Any,
    ) -> Any:
        """Log metrics and artifacts, and return MLflow's EvaluationResult.  O(n log n), and the model's predictions.

        Raises EvaluationError as `evalcore.evaluate`, and where there are neither a model nor predictions.
        """
        mlflow, artifacts = require("mlflow"), require("mlflow.models.evaluation.artifacts")
        report = _report(dataset, model, predictions, {"ci": 0.95, **(evaluator_config or {})})
        page, metrics = report.to_html(), _metrics(report)
        mlflow.log_metrics(metrics, run_id=run_id)
        mlflow.log_text(page, _PAGE, run_id=run_id)
        mlflow.log_text(report.to_json(), _NUMBERS, run_id=run_id)
        kept = {_PAGE: artifacts.TextEvaluationArtifact(mlflow.get_artifact_uri(_PAGE), page)}
        return mlflow.models.EvaluationResult(metrics, kept, run_id=run_id)


def _report(dataset: Any, model: Any, column: str | None, asked: dict[str, Any]) -> Report:
    """Return the report on the predictions of a data set, or on those of a model.  O(n log n)."""
    label, name = dataset.targets_name or _TARGET, column or dataset.predictions_name or _MODEL
    features = require("pandas").DataFrame(dataset.features_data).set_axis(list(dataset.feature_names), axis=1)
    frame, found, classes = features.assign(**{label: dataset.labels_data}), dataset.predictions_data, None
    if model is not None:
        found, classes = _predicted(model, dataset.features_data, column)
    check(found is not None, "mlflow.models.evaluate", "have a model, or predictions=COLUMN", "neither")
    found = np.asarray(found)
    if found.ndim == 1 or found.shape[1] == 1:
        frame = frame.assign(**{name: found.ravel()})
        are_classes = any(isinstance(each, str) for each in found.flat[:1]) or frame[name].isin(frame[label]).all()
        kind = "predicted" if are_classes or (_are_whole(found) and _are_whole(frame[label])) else "score"
        asked = asked if {"predicted", "score"} & {*asked} else {kind: name, **asked}
        return evaluate(frame, label=label, **asked)
    known = np.asarray(np.unique(dataset.labels_data) if classes is None else classes).tolist()
    check(found.shape[1] == len(known), "predictions", f"have a column for each class ({len(known)})", found.shape[1])
    columns = {str(each): f"{name} {each}" for each in known}
    frame = frame.assign(**dict(zip(columns.values(), found.T, strict=True)))
    if len(known) > 2:
        return evaluate(frame, label=label, **{"score": columns, **asked})
    positive = known[1] if asked.get("positive") is None else asked["positive"]
    index = positive_rows(np.array(known), label, str(positive)).argmax()  # as in the labels: 0 may be 0.0 or False
    return evaluate(frame, label=label, **{"score": columns[str(known[index])], **asked, "positive": positive})


def _are_whole(values: Any) -> bool:
    """Whether values are whole numbers or Booleans.  O(n)."""
    found = np.asarray(values)
    with np.errstate(invalid="ignore"):  # infinite scores are not whole
        return found.dtype.kind in "biu" or (found.dtype.kind == "f" and bool((found % 1 == 0).all()))


def _predicted(model: Any, features: Any, column: str | None) -> tuple[Any, Any]:
    """Return what a model predicts, (n,) or (n, k), and the classes of its columns if it tells them.  O(n)."""
    raw: Any = None
    with suppress(AttributeError, NotImplementedError):  # a function, or a kind of model that hides its own
        raw = model.get_raw_model()
    if hasattr(raw, "predict_proba"):
        return raw.predict_proba(features), getattr(raw, "classes_", None)
    found = model.predict(features)
    return (found if column is None else found[column]), None


def _metrics(report: Report) -> dict[str, float]:
    """Return the finite numbers of all cases, and the bounds of their intervals.  O(numbers)."""
    rows = [row for row in number_rows(report.sections[:1]) if row.group in _OF_ALL]
    ends = ((row.statistic + end, each) for row in rows for end, each in zip(_ENDS, row[4:7], strict=True))
    return {name: float(value) for name, value in ends if math.isfinite(value)}
