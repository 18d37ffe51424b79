"""What is drawn of scored cases: labels and scores of one model or several, or evaluations that hold them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.kernels.ordering import Ordering, order
from evalcore.kernels.threshold_points import ThresholdPoints, counted_points, weighted_points
from evalcore.plots.axes import warn_undefined
from evalcore.state.protocols import HasScoredCases
from evalcore.state.scored_cases import ScoredCases
from evalcore.typing import FloatArray
from evalcore.validation.array_likes import as_1d
from evalcore.validation.positive_labels import check_positive_label
from evalcore.validation.scores import WeightedCases, as_binary_scores


class Model(NamedTuple):
    """A model's cases, and how many stand at or above each of its scores."""

    name: str
    """For the legend; empty for one without a name."""
    points: ThresholdPoints
    positives: float
    """Cases of the positive class, or their weight; misses too."""
    negatives: float
    ordering: Ordering | None
    """The cases best first, None with weights."""
    cases: WeightedCases

    @property
    def has_misses(self) -> bool:
        """Tell whether there are cases without a score.  O(1).

        >>> models([0, 1], [0.1, 0.9])[0].has_misses
        False
        """
        return (self.points.tp[-1], self.points.fp[-1]) != (self.positives, self.negatives)

    @property
    def positives_found(self) -> bool:
        """Tell whether there is a positive case with a score.  O(1).

        >>> models([0, 1], [0.1, 0.9])[0].positives_found
        True
        """
        return bool(self.points.tp[-1] > 0)


class Source(NamedTuple):
    """What one model is drawn from."""

    name: str
    y_true: Any
    y_score: Any
    cases: ScoredCases | None
    """Of an evaluation."""


def sources(y_true: Any, y_score: Any, label: str | None, options: dict[str, Any]) -> list[Source]:
    """Return labels and scores, or an evaluation, of each model that is to be drawn.

    y_true: labels (n,) with y_score (n,), or a mapping or data frame of names to scores; or an evaluation, or a mapping
    of names to evaluations, without y_score.  options: of cases, None but for those given.  O(1).

    Raises EvaluationError for scores beside evaluations, options of cases beside evaluations, a label beside names, no
    model, and an evaluation without cases.

    >>> [source.name for source in sources([0, 1], {"logistic": [0.1, 0.9], "boosting": [0.2, 0.6]}, None, {})]
    ['logistic', 'boosting']
    """
    named = _items(y_true) if y_score is None else _items(y_score)
    if named is not None and label is not None:
        raise EvaluationError("label names one model; of several, the names in the mapping are the labels")
    if named is not None and not named:
        raise EvaluationError("there must be at least one model to draw")
    if y_score is not None:
        if isinstance(y_true, HasScoredCases):
            raise EvaluationError("an evaluation holds its scores; pass it alone")
        columns = [(label or "", y_score)] if named is None else named
        return [Source(name, y_true, scores, None) for name, scores in columns]
    evaluations = [(label or "", y_true)] if named is None else named
    found = [_of_evaluation(name, evaluation) for name, evaluation in evaluations]
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise EvaluationError(f"{' and '.join(given)} go with labels and scores, not with an evaluation")
    return found


def models(
    y_true: Any, y_score: Any, *, label: str | None = None, pos_label: Any = None, sample_weight: Any = None
) -> list[Model]:
    """Return the models that are to be drawn, and sort their cases.

    Arguments as of `sources`.  O(n log n) for each.  Raises EvaluationError, EvaluationTypeError as `sources` and
    `evalcore.metrics.roc_curve` do.

    >>> models([0, 1], [0.1, 0.9], label="logistic")[0].points.tp
    array([1., 1.])
    """
    options = {"pos_label": pos_label, "sample_weight": sample_weight}
    return [_model(source, **options) for source in sources(y_true, y_score, label, options)]


def one_model(y_true: Any, y_score: Any, **options: Any) -> Model:
    """Return the one model of a picture that has no room for more.  Raises as `models`, and for several.

    >>> one_model([0, 1], {"logistic": [0.1, 0.9]}).name
    'logistic'
    """
    found = models(y_true, y_score, **options)
    if len(found) > 1:
        raise EvaluationError(f"this picture is of one model, got {len(found)}; give each its own axes")
    return found[0]


def counts_from_none(model: Model) -> tuple[FloatArray, FloatArray]:
    """Return false and true positives, from accepting none to accepting all; misses share the lowest place.  O(p).

    >>> counts_from_none(models([0, 1], [0.1, 0.9])[0])
    (array([0., 0., 1.]), array([0., 1., 1.]))
    """
    falls, found = (np.concatenate([[0.0], counts]) for counts in (model.points.fp, model.points.tp))
    if model.has_misses:
        falls, found = np.append(falls, model.negatives), np.append(found, model.positives)
    return falls, found


def check_plain(model: Model, what: str) -> WeightedCases:
    """Return cases that have no weights and no misses.  Raises EvaluationError for others, naming what needs them.

    >>> check_plain(models([0, 1], [0.1, 0.9])[0], "interval").scores
    array([0.1, 0.9])
    """
    if model.ordering is None or model.has_misses:
        raise EvaluationError(f"{what} needs cases without weights and misses")
    return model.cases


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
    if isinstance(values, Mapping):
        return [(str(name), value) for name, value in values.items()]
    names = getattr(values, "column_names", getattr(values, "columns", None))  # of Arrow; of pandas and polars
    return None if names is None else [(str(name), values[name]) for name in names]


def _of_evaluation(name: str, evaluation: Any) -> Source:
    if not isinstance(evaluation, HasScoredCases):
        raise EvaluationError("y_score is needed, unless y_true is a ScoredPrecisionRecallEvaluation or names several")
    cases = evaluation.scored_cases()
    if not cases.size:
        raise EvaluationError("an evaluation without cases cannot be drawn")
    return Source(name, cases.correct, cases.scores, cases)


def _model(source: Source, pos_label: Any, sample_weight: Any) -> Model:
    if source.cases is not None:
        state = source.cases
        cases = WeightedCases(state.correct, state.scores, None, state.scores.dtype, None)
        totals = float(state.positives), float(state.negatives)
        return Model(source.name, counted_points(state.ordering), *totals, state.ordering, cases)
    cases = as_binary_scores(source.y_true, source.y_score, sample_weight, pos_label)
    if not cases.labels.any():
        check_positive_label(pos_label, as_1d(source.y_true, "y_true"))
    if cases.weights is not None:
        ordering, points = None, weighted_points(cases.scores, cases.labels, cases.weights)
    else:
        ordering = order(cases.scores, cases.labels, cases.extent)
        points = counted_points(ordering)
    return Model(source.name, points, float(points.tp[-1]), float(points.fp[-1]), ordering, cases)
