"""What is drawn of scored cases: labels and scores of one model or several, or evaluations that hold them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.kernels.threshold_points import ThresholdPoints, counted_points
from evalcore.lingpipe.scored_precision_recall_evaluation import ScoredPrecisionRecallEvaluation
from evalcore.metrics.binary_scores import Cases, binary_scores, check_among, column, threshold_points
from evalcore.plots.axes import warn_undefined


class Model(NamedTuple):
    """A model's cases, and how many stand at or above each of its scores."""

    name: str
    """For the legend; empty for one without a name."""
    points: ThresholdPoints
    positives: float
    """Cases of the positive class, or their weight; misses too."""
    negatives: float
    cases: Cases | None
    """The checked cases, None of an evaluation."""
    evaluation: ScoredPrecisionRecallEvaluation | None

    @property
    def positives_found(self) -> bool:
        """Tell whether there is a positive case with a score.  O(1).

        >>> models([0, 1], [0.1, 0.9])[0].positives_found
        True
        """
        return bool(self.points.tp[-1] > 0)


def models(
    y_true: Any, y_score: Any, *, label: str | None = None, pos_label: Any = None, sample_weight: Any = None
) -> list[Model]:
    """Return the models that are to be drawn.

    y_true: labels (n,) with y_score (n,), or a mapping or data frame of names to scores; or an evaluation, or a mapping
    of names to evaluations, without y_score.  O(n log n) for each.

    Raises EvaluationError, EvaluationTypeError as `evalcore.metrics.roc_curve`; for scores beside evaluations, options
    of cases beside evaluations, a label beside names, no model, and an evaluation without cases.

    >>> [model.name for model in models([0, 1], {"logistic": [0.1, 0.9], "boosting": [0.2, 0.6]})]
    ['logistic', 'boosting']
    """
    named = _items(y_true) if y_score is None else _items(y_score)
    if named is not None and label is not None:
        raise EvaluationError("label names one model; of several, the names in the mapping are the labels")
    if named is not None and not named:
        raise EvaluationError("there must be at least one model to draw")
    if y_score is None:
        if pos_label is not None or sample_weight is not None:
            raise EvaluationError("pos_label and sample_weight go with labels and scores, not with an evaluation")
        parts = [(label or "", y_true)] if named is None else named
        return [_of_evaluation(name, evaluation) for name, evaluation in parts]
    if isinstance(y_true, ScoredPrecisionRecallEvaluation):
        raise EvaluationError("an evaluation holds its scores; pass it alone")
    columns = [(label or "", y_score)] if named is None else named
    return [_of_cases(name, y_true, scores, sample_weight, pos_label) for name, scores in columns]


def check_plain(model: Model, what: str) -> Cases:
    """Return cases that have no weights and no misses.  Raises EvaluationError for others, naming what needs them.

    >>> check_plain(models([0, 1], [0.1, 0.9])[0], "interval").scores
    array([0.1, 0.9])
    """
    if model.evaluation is not None:
        state = model.evaluation._cases
        if not state.misses and not state.negative_misses:
            return Cases(state.correct, state.scores, None, state.scores.dtype, None)
    elif model.cases is not None and model.cases.weights is None:
        return model.cases
    raise EvaluationError(f"{what} needs cases without weights and misses")


def check_finite(model: Model) -> None:
    """Raise EvaluationError for a score that is not finite, and so has no place on an axis.  O(1).

    >>> check_finite(models([0, 1], [0.1, 0.9])[0])
    """
    ends = model.points.scores[[0, -1]]
    if not np.isfinite(ends).all():
        raise EvaluationError(f"scores must be finite to be drawn, got {ends[~np.isfinite(ends)][0]}")


def defined(model: Model, picture: str, negatives: bool = False) -> bool:
    """Tell whether there are positives, and negatives if asked for; warn if not.  O(1).

    >>> defined(models([0, 1], [0.1, 0.9])[0], "ROC curve", negatives=True)
    True
    """
    lacking = "positive" if not model.positives_found else "negative" if negatives and not model.negatives else ""
    if lacking:
        of_model = f" of {model.name}" if model.name else ""
        warn_undefined(f"The {picture}{of_model} is not defined: there are no {lacking} cases.")
    return not lacking


def _items(values: Any) -> list[tuple[str, Any]] | None:
    """Return the items of a mapping or of a data frame's columns; None of anything else."""
    if isinstance(values, Mapping) or (hasattr(values, "items") and getattr(values, "ndim", 1) == 2):
        return [(str(name), value) for name, value in values.items()]
    return None


def _of_cases(name: str, y_true: Any, y_score: Any, sample_weight: Any, pos_label: Any) -> Model:
    cases = binary_scores(y_true, y_score, sample_weight, pos_label)
    if not cases.labels.any():
        check_among(pos_label, column(y_true, "y_true"))
    points = threshold_points(cases)
    return Model(name, points, float(points.tp[-1]), float(points.fp[-1]), cases, None)


def _of_evaluation(name: str, evaluation: Any) -> Model:
    if not isinstance(evaluation, ScoredPrecisionRecallEvaluation):
        raise EvaluationError("y_score is needed, unless y_true is a ScoredPrecisionRecallEvaluation or names several")
    state = evaluation._cases
    if not state.size:
        raise EvaluationError("an evaluation without cases cannot be drawn")
    points = counted_points(state.ordering)
    return Model(name, points, float(state.positives), float(state.negatives), None, evaluation)
