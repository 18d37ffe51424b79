"""What plots are asked to draw: models, from labels and scores or evaluations that hold them, and checked keywords."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import Parameter, signature
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, check, check_type, did_you_mean, refuse, shown, warn
from evalcore.kernels import thresholds
from evalcore.kernels.sorting import Ordering, order
from evalcore.kernels.sums import ratio
from evalcore.kernels.thresholds import ThresholdPoints
from evalcore.kernels.weights import WeightSums, sums_at_scores
from evalcore.measures import curves
from evalcore.optional import require
from evalcore.state.cases import ScoredCases, WeightedRanking
from evalcore.state.shared import HasScoredCases
from evalcore.typing import FloatArray
from evalcore.validation.arrays import as_1d
from evalcore.validation.positive_class import check_positive_label
from evalcore.validation.scores import as_binary_scores
from evalcore.validation.values import check_number
from evalcore.validation.weights import as_case_weights

_MANY = 1 << 20
"""Cases from which on curves have spaced points."""
_OPTIONS = "pos_label", "sample_weight", "target_prevalence"
"""Of labels and scores, in the order in which plots hand them on."""


class Model(NamedTuple):
    """A model's cases, and how many score at least as high as each threshold."""

    name: str
    """For the legend; empty if there is none."""
    points: ThresholdPoints
    cases: ScoredCases | WeightedRanking
    frequencies: bool = False
    """Whether a case of weight w stands for w cases."""
    known_prevalence: bool = False
    """Whether cases are reweighted to a prevalence, which is then no estimate."""

    @property
    def ordering(self) -> Ordering | None:
        """The cases, best first; None if they have weights.  O(n log n), O(1) where they are sorted."""
        return None if isinstance(self.cases, WeightedRanking) else self.cases.ordering

    @property
    def positives(self) -> float:
        """Positive cases and misses, or their weight.  O(1)."""
        return float(self.points.tp[-1] + getattr(self.cases, "misses", 0))

    @property
    def negatives(self) -> float:
        """Negative cases and misses, or their weight.  O(1)."""
        return float(self.points.fp[-1] + getattr(self.cases, "negative_misses", 0))

    @property
    def class_sums(self) -> tuple[WeightSums, WeightSums]:
        """Sums over each class, the positive one first, at or above each distinct score, (p,) each.  O(n)."""
        if isinstance(self.cases, ScoredCases):
            return WeightSums(*[self.points.tp] * 3), WeightSums(*[self.points.fp] * 3)
        at_scores = sums_at_scores(self.cases.ordering, frequencies=self.frequencies)
        sums = WeightSums(*(column.cumsum(axis=1) for column in at_scores))
        return sums.at(0), sums.at(1)

    @property
    def has_misses(self) -> bool:
        """Whether some cases have no score.  O(1)."""
        return (self.points.tp[-1], self.points.fp[-1]) != (self.positives, self.negatives)

    @property
    def prevalence(self) -> float:
        """The fraction of positive cases.  O(1)."""
        return float(ratio(self.positives, self.positives + self.negatives))


class ModelData(NamedTuple):
    """The data of one model, as given."""

    name: str
    y_true: Any
    y_score: Any
    sample_weight: Any = None
    """Weights of the cases, if they have any."""
    ready: ScoredCases | Model | None = None
    """The cases of an evaluation, or the model, where it is made already."""


def model_data(y_true: Any, y_score: Any, label: str | None, names: Any, options: Mapping[str, Any]) -> list[ModelData]:
    """Return the data of each model to draw, renamed.  O(models).

    names: other names for models, by the given ones or in order; options: of `as_binary_scores`, None if not given.
    """
    named = _items(y_true) if y_score is None else _items(y_score)
    if named is not None and label is not None:
        raise EvaluationError("label must be None for several models, whose labels are the names in the mapping")
    refuse({"there must be at least one model to draw": named is not None and not named})
    if y_score is not None:
        if isinstance(y_true, HasScoredCases):
            raise EvaluationError("y_score must be None if y_true is an evaluation, which holds its scores")
        columns = named or [(label or "", y_score)]
        found = [ModelData(name, y_true, scores, options.get("sample_weight")) for name, scores in columns]
    else:
        found = [_of_evaluation(name, evaluation) for name, evaluation in named or [(label or "", y_true)]]
        given = [name for name, value in options.items() if value is not None]
        refuse({f"{' and '.join(given)} must be None if y_true is an evaluation, which has its labels": given})
    return [each._replace(name=name) for each, name in zip(found, _renamed(found, names), strict=True)]


def _renamed(found: list[ModelData], names: Any) -> list[str]:
    own = [each.name for each in found]
    if names is None:
        return own
    if isinstance(names, Mapping):
        for name in names:
            if str(name) not in own:
                near = did_you_mean(name, own) or f"; the models are {', '.join(map(repr, own))}"
                raise EvaluationError(f"names must rename models that are drawn, got {name!r}{near}")
        renamed = {str(name): str(new) for name, new in names.items()}
        return [renamed.get(name, name) for name in own]
    are_several = isinstance(names, Sequence) and not isinstance(names, str)
    check_type(are_several, "names", "be a mapping or a sequence of names", names)
    check(len(names) == len(own), "names", f"have one name for each of {len(own)} models", len(names))
    return list(map(str, names))


def models(y_true: Any, y_score: Any, *given: Any, frequencies: bool = False, thin: bool = False) -> list[Model]:
    """Return the models to draw, their cases sorted.  O(n log n) for each.

    given: label and names as of `model_data`, and values of `_OPTIONS`; frequencies: whether weights are; thin: of a
    million cases or more, let the points be those of `spaced_points`.
    """
    label, names, *values = given or (None, None)
    options = dict(zip(_OPTIONS, values, strict=False))
    data = model_data(y_true, y_score, label, names, options)
    return [_model(source, options, frequencies=frequencies, thin=thin) for source in data]


def _model(source: ModelData, options: Mapping[str, Any], *, frequencies: bool, thin: bool) -> Model:
    if isinstance(source.ready, Model):
        return source.ready._replace(name=source.name)
    if source.ready is not None:
        return model_of(source.ready, thin=thin)._replace(name=source.name)
    if frequencies:
        check_frequencies(source.sample_weight, source.y_true)
    found = as_binary_scores(source.y_true, source.y_score, **options)
    if not found.labels.any():
        check_positive_label(options.get("pos_label"), as_1d(source.y_true, "y_true"))
    cases: ScoredCases | WeightedRanking
    if found.weights is not None:
        cases = WeightedRanking(found.scores, found.labels, found.weights)
    else:
        cases = ScoredCases.of(found.labels, found.scores, order(found.scores, found.labels, found.extent))
    known = options.get("target_prevalence") is not None
    return model_of(cases, frequencies=frequencies, at_prevalence=known, thin=thin)._replace(name=source.name)


def model_of(
    cases: ScoredCases | WeightedRanking, *, frequencies: bool = False, at_prevalence: bool = False, thin: bool = True
) -> Model:
    """Return the model of some cases, which plots may share, with all points, or those that curves need.  O(n log n).

    Of many cases without weights the points are then spaced, with the largest F1 and each percent among them.
    """
    if isinstance(cases, WeightedRanking):
        points = cases.points
    elif not thin or cases.size < _MANY:
        points = thresholds.counted_points(cases.ordering)
    else:
        best = cases.runs.last_case(curves.maximum_f_measures(cases.runs).runs) + 1 if cases.runs.tp.size else [1]
        points = thresholds.spaced_points(cases.ordering, np.append(np.arange(1, 101) * cases.size // 100, best))
    return Model("", points, cases, frequencies, at_prevalence)


def counts_from_none(model: Model) -> tuple[FloatArray, FloatArray]:
    """Return false and true positives from the highest threshold, above all scores, to one below the misses.  O(p)."""
    fp, tp = (np.concatenate([[0.0], counts]) for counts in (model.points.fp, model.points.tp))
    if model.has_misses:
        fp, tp = np.append(fp, model.negatives), np.append(tp, model.positives)
    return fp, tp


def check_frequencies(sample_weight: Any, y_true: Any) -> None:
    """Raise EvaluationError for frequencies that are not whole numbers, one for each label.  O(n)."""
    if sample_weight is not None:
        as_case_weights(sample_weight, len(as_1d(y_true, "y_true")), whole=True)


def check_threshold(threshold: float | None) -> float | None:
    """Return a threshold, or None.  Raises EvaluationError or EvaluationTypeError unless it is finite.  O(1)."""
    if threshold is None:
        return None
    if not math.isfinite(checked := check_number(threshold, "threshold")):
        raise EvaluationError(f"threshold must be finite, got {checked}")
    return checked


def predicted_positive(model: Model, threshold: float) -> tuple[float, float]:
    """Return the true and false positives of scores at or above a threshold, in the width of the scores.  O(n)."""
    tp, fp = counts_at_or_above(model, np.array([threshold]))
    return float(tp[0]), float(fp[0])


def counts_at_or_above(model: Model, levels: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the true and false positives of rising thresholds, (t,) each, read in the width of the scores.  O(n)."""
    if isinstance(model.cases, ScoredCases):
        sizes = thresholds.cases_at_or_above(model.cases.ordering, levels)
        tp = model.cases.runs.positives_among(sizes).astype(np.float64)
        return tp, sizes - tp
    scores = model.points.scores
    counts = scores.size - np.searchsorted(scores[::-1], levels.astype(scores.dtype))
    tp, fp = (np.concatenate([[0.0], sums])[counts] for sums in (model.points.tp, model.points.fp))
    return tp, fp


def check_no_misses(model: Model, what: str) -> None:
    """Raise EvaluationError if some cases have no score.  O(1)."""
    refuse({f"{what} needs cases without misses": model.has_misses})


def check_finite_scores(drawn: Iterable[Model]) -> None:
    """Raise EvaluationError for an infinite score, which no axis can show.  O(models)."""
    ends = [end for model in drawn for end in model.points.scores[[0, -1]] if not np.isfinite(end)]
    if ends:
        raise EvaluationError(f"scores must be finite to be drawn, got {ends[0]}")


def is_defined(model: Model, plot: str, negatives: bool = False) -> bool:
    """Whether there are positives and, if `negatives`, negatives; warn if not.  O(1)."""
    lacking = "positive" if not model.points.tp[-1] > 0 else "negative" if negatives and not model.negatives else ""
    if lacking:
        of_model = f" of {model.name}" if model.name else ""
        warn(f"The {plot}{of_model} is not defined: there are no {lacking} cases.")
    return not lacking


def _items(values: Any) -> list[tuple[str, Any]] | None:
    """Return the items of a mapping, or the columns of a data frame with their names; None for anything else."""
    if isinstance(values, Mapping):
        return [(str(name), value) for name, value in values.items()]
    names = getattr(values, "column_names", getattr(values, "columns", None))  # of Arrow; of pandas and polars
    return None if names is None else [(str(name), values[name]) for name in names]


def _of_evaluation(name: str, evaluation: Any) -> ModelData:
    why = "y_score is needed unless y_true is a ScoredPrecisionRecallEvaluation, or a mapping of names to such"
    refuse({why: not isinstance(evaluation, Model | HasScoredCases | ScoredCases)})
    ready = evaluation.scored_cases() if isinstance(evaluation, HasScoredCases) else evaluation
    cases = ready.cases if isinstance(ready, Model) else ready
    refuse({"an evaluation must have at least one case to be drawn": not cases.size})
    return ModelData(name, cases.correct, cases.scores, getattr(cases, "weights", None), ready)


def check_line(plot: Callable[..., Any], line: Mapping[str, Any]) -> None:
    """Raise EvaluationTypeError for unknown properties of lines, EvaluationError for invalid values.  O(properties)."""
    for name, value in line.items():
        kind = require("matplotlib.lines", "plots").Line2D
        try:
            kind([], [], **{name: value})
        except AttributeError:
            own = [each.name for each in signature(plot).parameters.values() if each.kind == Parameter.KEYWORD_ONLY]
            near = did_you_mean(name, [*own, *signature(kind.set).parameters]) or "."
            takes = f"{', '.join(own)}, and properties of matplotlib's lines, such as color and linewidth"
            raise EvaluationTypeError(f"{plot.__name__}() has no keyword {name!r}{near} It takes {takes}") from None
        except (TypeError, ValueError) as error:
            got = f"{shown(value)}: {str(error).splitlines()[0]}"
            raise EvaluationError(f"{name} must be valid for matplotlib's Line2D, got {got}") from error


def check_colour_map(value: Any) -> None:
    """Raise EvaluationError unless matplotlib takes the value as a colormap.  O(1)."""
    known, kind = require("matplotlib", "plots").colormaps, require("matplotlib.colors", "plots").Colormap
    if not (value is None or isinstance(value, kind) or (isinstance(value, str) and value in known)):
        got = f"{shown(value)}{did_you_mean(value, known)}"
        raise EvaluationError(f"cmap must be a colormap of matplotlib or the name of one, got {got}")
