"""Decision curves: the net benefit of acting on probabilities, against the threshold."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError
from evalcore.inference.intervals import checked_level
from evalcore.inference.thresholds import DecisionCurve, curve_of_sums, decision_curve
from evalcore.kernels.shapes import Line
from evalcore.kernels.weights import WeightSums
from evalcore.plots.axes import Curve, axes_of, draw, finished, legend, reference, wrapped
from evalcore.plots.bands import band_reference
from evalcore.plots.keywords import check_line
from evalcore.plots.models import Model, ModelData, check_no_misses, counts_at_or_above, model_data
from evalcore.typing import Label, WeightType
from evalcore.validation.scores import as_rising_thresholds

_ABOVE, _BELOW = 1.1, -0.25
"""Parts of the largest net benefit that the axis shows: what is far below 0 is of no interest."""


def plot_decision_curve(
    y_true: Any,
    y_prob: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    thresholds: ArrayLike | None = None,
    ax: Any = None,
    label: str | None = None,
    names: Mapping[str, str] | Sequence[str] | None = None,
    title: str | None = None,
    percent: bool = False,
    interval: bool = False,
    level: float = 0.95,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    target_prevalence: float | None = None,
    **line: Any,
) -> Any:
    """Draw the net benefit of models against the threshold, with those of treating all and of treating none.

    A model is of use at thresholds where its curve is the highest.

    Parameters
    ----------
    y_true, ax, label, names, title, pos_label, sample_weight, weight_type, **line
        As in `plot_roc`.
    y_prob : array-like of shape (n,), mapping or data frame
        Probabilities of the positive class, or those of several models by their names.
    thresholds, target_prevalence
        As for `evalcore.inference.decision_curve`.
    percent : bool, default False
        Whether to write the thresholds in percent.
    interval : bool, default False
        Whether to draw a band around each curve.  It is pointwise: at each threshold it holds the true net benefit with
        probability `level`, and the whole curve less often.
    level : float, default 0.95
        Of the band.

    Returns
    -------
    matplotlib.axes.Axes
        Its lines have the labels of the legend, with "treat all ...", "treat none", and what the band holds; bands are
        "_band".  The axis ends not far below 0.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `evalcore.inference.decision_curve`; for an evaluation with misses; if matplotlib is missing.

    Notes
    -----
    Use it where costs are known only as a range; it takes calibrated probabilities, not scores of any scale.

    O(n log t) for t thresholds.  Source: as `evalcore.inference.decision_curve`.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = plot_decision_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ax=Figure().add_subplot(), label="model")
    >>> [drawn.get_label() for drawn in ax.get_lines()]
    ['model', 'treat all (prevalence 0.5)', 'treat none']
    """
    check_line(plot_decision_curve, line)
    confidence = checked_level(level)
    given = {"pos_label": pos_label, "sample_weight": sample_weight, "target_prevalence": target_prevalence}
    options = {"thresholds": thresholds, "weight_type": weight_type, "level": confidence}
    sources = model_data(y_true, y_prob, label, given, names)
    found = [_curve_of(source, {**given, **options}) for source in sources]
    ax = axes_of(ax)
    top = ax.get_ylim()[1] if ax.get_lines() else 0.0
    draw(ax, [_drawn(source.name, curve, interval) for source, curve in zip(sources, found, strict=True)], line)
    for prevalence, curve in {_prevalence(curve): curve for curve in reversed(found)}.items():
        which = f"treat all (prevalence {prevalence:.3g})"
        reference(ax, which, curve.thresholds, curve.treat_all, linestyle="--")
    top = max([top, *(_ABOVE * float(max(curve.net_benefit.max(), curve.treat_all[0])) for curve in found)])
    ends = [curve.thresholds[[0, -1]] for curve in found]
    span = [float(np.min(ends)), float(np.max(ends))]
    reference(ax, "treat none", span, [0, 0])
    band_reference(ax, "pointwise" if interval else None, confidence)
    ax.set(ylim=(_BELOW * top, top) if top > 0 else None, xlabel="threshold", ylabel="net benefit")
    legend(ax, "upper right")
    return finished(ax, title, [ax.xaxis] if percent else [])


def _curve_of(source: ModelData, options: dict[str, Any]) -> DecisionCurve:
    """Return the curve of a model; options: of `decision_curve`, which an evaluation has none of for its cases."""
    if source.model is not None:
        return _curve_of_model(source.model, source, options)
    if source.cases is None:
        return decision_curve(source.y_true, source.y_score, **options)
    if source.cases.positives + source.cases.negatives != source.cases.size:
        raise EvaluationError("a decision curve needs cases without misses")
    return decision_curve(source.cases.correct, source.cases.scores, **options)


def _curve_of_model(model: Model, source: ModelData, options: dict[str, Any]) -> DecisionCurve:
    """Return the curve of a model whose cases are sorted.  O(t log n + n / BLOCK), O(n log t) with weights."""
    check_no_misses(model, "a decision curve")
    weighted = model.weighted
    if weighted is None:
        levels = as_rising_thresholds(options["thresholds"])
        tp, fp = counts_at_or_above(model, levels)
        counts = np.stack([np.append(model.positives, tp), np.append(model.negatives, fp)])
        return curve_of_sums(WeightSums(counts, counts, counts), levels, options["level"])
    known = model.prevalence if weighted.known_prevalence else None
    weights = {
        "sample_weight": weighted.ranking.weights,
        "weight_type": "frequency" if weighted.frequencies else "sampling",
        "target_prevalence": known,
    }
    return decision_curve(source.y_true, source.y_score, **{**options, **weights})


def _prevalence(curve: DecisionCurve) -> float:
    """Return the prevalence p, without the last digits; the net benefit of treating all is p - w (1 - p).  O(1)."""
    cost = curve.thresholds[0] / (1 - curve.thresholds[0])
    return round(float((curve.treat_all[0] + cost) / (1 + cost)), 12)


def _drawn(name: str, curve: DecisionCurve, interval: bool) -> Curve:
    x = curve.thresholds
    band = np.concatenate([x, x[::-1]]), np.concatenate([curve.high, curve.low[::-1]])
    return Curve(Line(x, curve.net_benefit), wrapped(name) or "model", name, band if interval else None)
