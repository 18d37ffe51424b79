"""Measures of decisions against their threshold."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from evalcore.measures import binary
from evalcore.plots.axes import Curve, axes_of, draw, legend, legend_text, thinned_step_curve
from evalcore.plots.keywords import check_line
from evalcore.plots.models import Model, check_finite_scores, is_defined, models
from evalcore.typing import Count, FloatArray, Label, Ratio
from evalcore.validation.parameters import check_choice

MEASURES: dict[str, Callable[[Count, Count, Count, Count], Ratio]] = {
    "precision": lambda tp, fn, fp, tn: binary.precision(tp, fp),
    "recall": lambda tp, fn, fp, tn: binary.recall(tp, fn),
    "F1": lambda tp, fn, fp, tn: binary.f_measure_of_counts(tp, fn, fp),
    "specificity": lambda tp, fn, fp, tn: binary.specificity(fp, tn),
    "accuracy": binary.accuracy,
}
"""The measures of `plot_thresholds`, by name."""


def plot_thresholds(
    y_true: Any,
    y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    measures: str | Sequence[str] = ("precision", "recall", "F1"),
    ax: Any = None,
    label: str | None = None,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    thin: bool = True,
    **line: Any,
) -> Any:
    """Draw measures against the threshold at or above which scores are predicted positive, and mark the largest F1.

    Parameters
    ----------
    y_true, y_score, ax, label, pos_label, sample_weight, thin, **line
        As in `plot_roc`.
    measures : str or sequence of str
        "precision", "recall", "F1", "specificity" or "accuracy".

    Returns
    -------
    matplotlib.axes.Axes
        Its lines are labelled by model and measure; F1 also by its largest value and the highest threshold that has
        it, where the marker "_largest F1" stands.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `evalcore.metrics.metric_curves`; for other measures and infinite scores; if matplotlib is missing.

    Warns
    -----
    UndefinedMetricWarning
        Without positives, or negatives for the specificity: the curves of that model are left out.

    Notes
    -----
    O(n log n), O(n) for each measure.  A measure is constant between two adjacent scores.
    Sources: as `evalcore.measures.binary`.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = plot_thresholds([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], measures="F1", ax=Figure().add_subplot())
    >>> ax.get_lines()[0].get_label()
    'F1 (0.800 at 0.35)'
    """
    check_line(plot_thresholds, line)
    names = [measures] if isinstance(measures, str) else list(measures)
    for name in names:
        check_choice(name, tuple(MEASURES), "measures", "plot_thresholds")
    drawn = models(y_true, y_score, label=label, pos_label=pos_label, sample_weight=sample_weight)
    for model in drawn:
        check_finite_scores(model)
    usable = [model for model in drawn if is_defined(model, "threshold curve", negatives="specificity" in names)]
    parts = [_curve(model, name, thin) for model in usable for name in names]
    ax = axes_of(ax)
    lines = draw(ax, [curve for curve, _ in parts], line)
    for each, (_, largest) in zip(lines, parts, strict=True):
        if largest is not None:
            ax.plot(*largest, marker="o", markersize=4, color=each.get_color(), label="_largest F1")
    ax.set(ylim=(-0.01, 1.01), xlabel="threshold (positive: scores at or above)", ylabel="value of the measure")
    legend(ax)
    return ax


def _curve(model: Model, name: str, thin: bool) -> tuple[Curve, tuple[float, float] | None]:
    """Return the curve of a measure and, for F1, its largest point.  O(p)."""
    scores, values = (
        column[::-1].astype(np.float64, copy=False) for column in (model.points.scores, _values(model, name))
    )
    width = float(scores[-1] - scores[0])
    line = thinned_step_curve(scores, values, float(scores[0]), width=width, height=1.0, thin=thin)
    if name != "F1":
        return Curve(line, legend_text(model.name, name)), None
    best = values.size - 1 - int(values[::-1].argmax())
    text = f"{values[best]:.3f} at {scores[best]:.3g}"
    return Curve(line, legend_text(model.name, f"{name} ({text})")), (float(scores[best]), float(values[best]))


def _values(model: Model, name: str) -> FloatArray:
    tp, fp, _ = model.points
    return np.asarray(MEASURES[name](tp, model.positives - tp, fp, model.negatives - fp))
