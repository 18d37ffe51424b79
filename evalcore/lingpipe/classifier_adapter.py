"""Classifiers in scikit-learn's convention, for the evaluators of spec 003."""

from collections.abc import Hashable
from typing import Any

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.lingpipe.classifications import ConditionalClassification, ScoredClassification
from evalcore.typing import ScoreArray
from evalcore.validation.categories import check_class_columns
from evalcore.validation.values import check_attribute


class ClassifierAdapter:
    """Let a fitted model with ``predict_proba`` or ``decision_function`` classify for an evaluator.

    An adapter is equal only to itself.

    Parameters
    ----------
    model : object
        Has ``classes_`` and one of these methods; ``predict_proba`` is preferred.

    Raises
    ------
    EvaluationTypeError
        If the model has neither method.
    EvaluationError
        If the model decides between pairs of classes.

    Examples
    --------
    >>> class Model:
    ...     classes_ = np.array(["beer", "wine"])
    ...     def predict_proba(self, rows):
    ...         return np.array([[0.25, 0.75] for row in rows])
    >>> adapter = ClassifierAdapter(Model())
    >>> adapter.classify([12.5])
    ConditionalClassification(('wine', 'beer'), (0.75, 0.25), (0.75, 0.25))
    """

    __slots__ = ("_model", "_probabilistic")

    def __init__(self, model: Any) -> None:
        check_attribute(model, "classes_", "model", "; fit it first")
        self._probabilistic = hasattr(model, "predict_proba")
        if not self._probabilistic and getattr(model, "decision_function_shape", "ovr") == "ovo":
            raise EvaluationError('model decides between pairs of classes; set its decision_function_shape to "ovr"')
        if not self._probabilistic:
            check_attribute(model, "decision_function", "model")
        self._model = model

    def categories(self) -> tuple[Hashable, ...]:
        """Return the model's classes, in its order.  O(k).

        >>> class Model:
        ...     classes_ = np.array(["beer", "wine"])
        ...     predict_proba = None
        >>> ClassifierAdapter(Model()).categories()
        ('beer', 'wine')
        """
        return tuple(np.asarray(self._model.classes_).tolist())

    def scores(self, inputs: Any) -> ScoreArray:
        """Return the model's scores of many objects, shape (n, k) in the order of `categories`, for ``addScores``.

        Parameters
        ----------
        inputs : array-like of shape (n, features)
            What the model takes.

        Raises
        ------
        EvaluationError
            If the model does not give one column for each class, as scikit-learn's SVC with
            ``decision_function_shape="ovo"``.

        Notes
        -----
        With two classes, a positive decision counts for the second and against the first.

        Examples
        --------
        >>> class Model:
        ...     classes_ = np.array(["beer", "wine"])
        ...     def decision_function(self, rows):
        ...         return np.array([1.5 for row in rows])
        >>> ClassifierAdapter(Model()).scores([[12.5]])
        array([[-1.5,  1.5]])
        """
        scores = np.asarray(
            self._model.predict_proba(inputs) if self._probabilistic else self._model.decision_function(inputs)
        )
        columns = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
        check_class_columns(columns, len(self.categories()), "the model's scores")
        return columns

    def classify(self, input: Any) -> ScoredClassification:  # noqa: A002  the documented name
        """Return the classification of one object: a ConditionalClassification if the model gives probabilities.

        Parameters
        ----------
        input : array-like of shape (features,)
            One row of features: an array, a list, a pandas Series or a data frame of one row.

        Notes
        -----
        Equal scores rank in the order of `categories`.

        Examples
        --------
        >>> class Model:
        ...     classes_ = np.array(["beer", "wine"])
        ...     def decision_function(self, rows):
        ...         return np.array([1.5 for row in rows])
        >>> ClassifierAdapter(Model()).classify([12.5])
        ScoredClassification(('wine', 'beer'), (1.5, -1.5))
        """
        scores = self.scores(_one_row(input))[0]
        order = np.argsort(-scores, kind="stable")
        categories = self.categories()
        kind = ConditionalClassification if self._probabilistic else ScoredClassification
        return kind([categories[code] for code in order.tolist()], scores[order])


def _one_row(features: Any) -> Any:
    """Make a table of one row, which keeps the names of a data frame's columns."""
    if hasattr(features, "columns"):
        return features
    return features.to_frame().T.infer_objects() if hasattr(features, "to_frame") else [features]
