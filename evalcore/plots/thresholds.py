"""Measures of decisions, and the net benefit of acting on probabilities, against the threshold."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError
from evalcore.inference.intervals import checked_level
from evalcore.inference.thresholds import DecisionCurve, curve_of_sums, decision_curve
from evalcore.kernels.shapes import Line
from evalcore.kernels.sums import ratio
from evalcore.kernels.thresholds import given_number, plain_number, shortest_between
from evalcore.kernels.weights import WeightSums
from evalcore.measures.curves import OF_DECISIONS
from evalcore.plots import axes, legends, models
from evalcore.state.cases import ScoredCases
from evalcore.typing import Label, WeightType
from evalcore.validation.scores import as_rising_thresholds
from evalcore.validation.values import check_choice

MEASURES = {name: OF_DECISIONS[name.lower()] for name in ("precision", "recall", "F1", "specificity", "accuracy")}
MEASURES["flagged"] = lambda tp, fn, fp, tn: ratio(tp + fp, tp + fn + fp + tn)
"""The measures of `plot_thresholds`, by name."""
_FEW_CASES = 50
"""A measure of fewer cases than this is drawn faded."""
_FADED = 0.3
_FADED_LABEL = "_few cases"
_INCHES = 1.25
"""Height of a panel in a new figure."""
_PANELS = "evalcore panels"
"""Where axes keep their place before it was divided, and the axes of each measure; a table here would keep figures."""
_TEXTS: WeakKeyDictionary[Any, tuple[str, str]] = WeakKeyDictionary()
"""By line, the name of its model and the numbers that are written beside it."""
_AXIS = "threshold (positive: scores at or above)"
_LETTERS = 34
"""Of a line in the legend."""
_ABOVE, _BELOW = 1.1, -0.25
"""Parts of the largest net benefit that the axis shows: what is far below 0 is of no interest."""


class _Drawn(NamedTuple):
    """The curve of a measure of a model."""

    measure: str
    curve: axes.Curve
    faded: Sequence[Line]
    """Where few cases are left; none if the curve is of one kind all along."""
    is_faded: bool
    """Whether all of the curve is of few cases."""
    largest: tuple[float, float] | None
    """Threshold and value of the largest F1."""


def plot_thresholds(
    y_true: Any,
    y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    measures: str | Sequence[str] = ("precision", "recall", "F1"),
    flagged: bool = False,
    threshold: float | None = None,
    ax: Any = None,
    label: str | None = None,
    names: Mapping[str, str] | Sequence[str] | None = None,
    title: str | None = None,
    percent: bool = False,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    target_prevalence: float | None = None,
    thin: bool = True,
    **line: Any,
) -> Any:
    """Draw measures against the threshold at or above which scores are predicted positive, and mark the largest F1.

    Each measure has a panel of its own, below each other.  Lines are faded where fewer than 50 cases are predicted
    positive.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.  Without `y_score`, a ScoredPrecisionRecallEvaluation, or a mapping of names to such.
    y_score : array-like of shape (n,), mapping or data frame
        Finite scores, or those of several models by their names.
    measures : str or sequence of str
        "precision", "recall", "F1", "specificity", "accuracy" or "flagged", the fraction of cases predicted positive.
    flagged : bool, default False
        Whether to draw "flagged" beside the other measures.
    threshold : float, optional
        Draws a line at this threshold, and writes the measures there beside the lines.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure.
    label : str, optional
        The name of one model.
    names : mapping of str to str or sequence of str, optional
        Other names for models: by their names in `y_score`, or in order.
    title : str, optional
        Title of the axes.
    percent : bool, default False
        Whether to write the measures on the axis in percent.
    pos_label : int, float, bool or str, optional
        The positive class; by default labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    target_prevalence : float, optional
        Reweights the cases so that this fraction of them, above 0 and below 1, is positive.
    thin : bool, default True
        Whether to leave out points that move the curve by at most 1/2000 of an axis.  Draw all to zoom in.
    **line
        Properties of the lines, such as ``color`` and ``linewidth``.

    Returns
    -------
    matplotlib.axes.Axes
        Those of the first measure, which were given or are new.  The others stand below, share the axis of thresholds
        and have the ids ``axes-thresholds-recall`` and so on: `ax.get_shared_x_axes().get_siblings(ax)` has them all.
        Lines are labelled by model and measure; F1 also by its largest value and the highest threshold that has it,
        where the marker "_largest F1" stands.  "_few cases" is the faded part of the line before it.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `evalcore.metrics.metric_curves`; for other measures, and for infinite scores or thresholds; if matplotlib is
        missing.

    Warns
    -----
    UndefinedMetricWarning
        Without positives, or negatives for the specificity: the curves of that model are left out.

    Notes
    -----
    Use it to choose a threshold by eye; `evalcore.metrics.optimal_threshold` chooses one by a criterion.

    O(n log n), O(n) for each measure.  A measure is constant between two adjacent scores.
    Sources: as `evalcore.measures.binary`.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = plot_thresholds([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], measures="F1", ax=Figure().add_subplot())
    >>> ax.get_lines()[0].get_label()
    'F1 (0.800 at 0.35)'
    """
    models.check_line(plot_thresholds, line)
    chosen = [measures] if isinstance(measures, str) else list(measures)
    chosen += ["flagged"] * (flagged and "flagged" not in chosen)
    for name in chosen:
        check_choice(name, tuple(MEASURES), "measures", "plot_thresholds")
    at = models.check_threshold(threshold)
    given = models.models(y_true, y_score, label, names, pos_label, sample_weight, target_prevalence, thin=thin)
    models.check_finite_scores(given)
    drawn = [_drawn(model, chosen, thin) for model in given]
    ax = axes.axes_of(ax, height=_INCHES * len(chosen) + 1)
    panels = _panels(ax, chosen)
    for index, (model, parts) in enumerate(zip(given, drawn, strict=True)):
        same = axes.hidden_note(parts[0].curve, [each[0].curve for each in drawn[:index] if each]) if parts else ""
        _draw(panels, (model, parts, same), line, at)
    for panel in panels.values():
        if at is not None:
            axes.reference(panel, f"threshold {given_number(at)}", [at, at], [0, 1])
        legends.finished(panel, None, [panel.yaxis] if percent else [])
    _name(panels)
    return legends.finished(ax, title)


def _panels(ax: Any, measures: Sequence[str]) -> dict[str, Any]:
    """Return the axes of each measure, the given ones for the first and others below them.  O(measures)."""
    found: dict[str, Any]
    place, found = vars(ax).get(_PANELS, (None, {}))
    if list(found) == list(measures) and ax.get_lines():
        return found
    for other in [*found.values()][1:]:
        other.remove()
    figure, space = ax.figure, place or ax.get_subplotspec() or ax.get_position(original=True)
    if hasattr(space, "subgridspec"):
        places = space.subgridspec(len(measures), 1, hspace=0.2)
        ax.set_subplotspec(places[0])
        panels = [ax, *(figure.add_subplot(places[row, 0], sharex=ax) for row in range(1, len(measures)))]
    else:
        height = space.height / len(measures)
        boxes = [(space.x0, space.y1 - (row + 1) * height, space.width, 0.83 * height) for row in range(len(measures))]
        ax.set_position(boxes[0])
        panels = [ax, *(figure.add_axes(box, sharex=ax) for box in boxes[1:])]
    for panel, name in zip(panels, measures, strict=True):
        panel.set(ylim=(-0.01, 1.03), ylabel=name, gid=f"axes-thresholds-{name}", xlabel="", yticks=[0, 0.5, 1])
        panel.tick_params(labelbottom=panel is panels[-1])
    panels[-1].set_xlabel(_AXIS)
    found = dict(zip(measures, panels, strict=True))
    vars(ax)[_PANELS] = space, found
    return found


def _drawn(model: models.Model, chosen: Sequence[str], thin: bool) -> list[_Drawn]:
    """Return the curves of measures, divided where few cases are left, and for F1 its largest point.  O(p)."""
    if not models.is_defined(model, "threshold curve", negatives="specificity" in chosen):
        return []
    tp, fp, descending = model.points
    scores = descending[::-1].astype(np.float64, copy=False)
    correct, incorrect = model.class_sums
    reached = correct.cases + incorrect.cases
    many = int(reached.size - np.searchsorted(reached, _FEW_CASES))  # of the points, the lowest thresholds
    end, width, found = many or scores.size, float(scores[-1] - scores[0]), []
    for name in chosen:
        values = np.asarray(MEASURES[name](tp, model.positives - tp, fp, model.negatives - fp))[::-1]
        whole, *faded = (
            axes.thinned_step_curve(scores[part], values[part], float(scores[start]), width=width, thin=thin)
            for part, start in ((slice(end), 0), (slice(end, None), end - 1))
            if scores[part].size
        )
        text, largest = name, None
        if name == "F1":
            best = values.size - 1 - int(values[::-1].argmax())
            largest = float(scores[best]), float(values[best])
            text = f"{name} ({largest[1]:.3f} at {_short(model, values.size - 1 - best)})"
        found.append(_Drawn(name, axes.Curve(whole, text, model.name), faded, not many, largest))
    return found


def _short(model: models.Model, point: int) -> str:
    """Return the threshold of a point, from the highest on, with few digits that decide the same.  O(1)."""
    tp, fp, scores = model.points
    below = scores[point + 1 : point + 2]
    if model.ordering is not None:  # points may be thinned
        size = int(tp[point] + fp[point])
        below = model.ordering.scores(np.arange(size, min(size + 1, model.ordering.keys.size)))
    return plain_number(shortest_between(below.max(initial=-np.inf), scores[point]))


def _draw(
    panels: Mapping[str, Any], of_model: tuple[models.Model, list[_Drawn], str], line: dict[str, Any], at: float | None
) -> None:
    """Draw the measures of a model in the next colour, and dots at a threshold and at the largest F1.

    of_model: with a note on a model that has the same curves.
    """
    model, parts, same = of_model
    first, *_, last = panels.values() if len(panels) > 1 else [*panels.values()] * 2
    own = axes.merged(axes.style(first), line)
    dot = {"marker": "o", "markersize": 4, "color": own["color"]}
    faded = {**own, "alpha": _FADED * (own.get("alpha") or 1.0)}
    name = axes.plain(axes.wrapped(model.name)) if model.name else ""
    for part in parts:
        ax, numbers = panels[part.measure], list[str]()
        text = ", ".join(filter(None, [model.name, part.curve.text]))
        (main,) = ax.plot(*part.curve.line, **(faded if part.is_faded else own), label=axes.plain(text))
        for few in part.faded:
            ax.plot(*few, **faded, label=_FADED_LABEL)
        if at is not None:
            value = _value(model, part.measure, at)
            ax.plot(at, value, **dot, label="_threshold")
            numbers.append(f"{'undefined' if np.isnan(value) else f'{value:.3f}'} at {given_number(at)}")
        if part.largest is not None:
            ax.plot(*part.largest, **{**dot, "marker": "D"}, label="_largest F1")
            numbers.append(f"largest {part.curve.text.partition('(')[2][:-1]}")
        _TEXTS[main] = name + same, "\n".join(numbers)
        if part.faded or part.is_faded:
            last.set_xlabel(f"{_AXIS}\nfaded: fewer than {_FEW_CASES} cases predicted positive")
    if not parts:
        (main,) = first.plot([], [], **own, label=axes.plain(f"{model.name}, undefined".removeprefix(", ")))
        _TEXTS[main] = name, "undefined"


def _value(model: models.Model, measure: str, threshold: float) -> float:
    """Return the measure of predicting scores at or above a threshold positive.  O(log p)."""
    tp, fp = models.predicted_positive(model, threshold)
    counts = np.array([[tp], [model.positives - tp], [fp], [model.negatives - fp]])
    return float(np.asarray(MEASURES[measure](*counts))[0])


def _name(panels: Mapping[str, Any]) -> None:
    """Name the lines in each panel, without numbers where that takes, or else in a legend below the last one."""
    named = {name: [(line, *_TEXTS[line]) for line in ax.get_lines() if line in _TEXTS] for name, ax in panels.items()}
    texts = {each: [(line, "\n".join(filter(None, parts))) for line, *parts in own] for each, own in named.items()}
    names = {each: [(line, name) for line, name, _ in own] for each, own in named.items()}
    for ways in (texts, names):
        if all(legends.named_beside(ax, [entry for entry in ways[name] if entry[1]]) for name, ax in panels.items()):
            return
    entries = []
    for index, (line, name, _) in enumerate(next(iter(named.values()))):
        found = {measure: own[index][2].replace("\n", ", ") for measure, own in named.items() if index < len(own)}
        numbers = ", ".join(f"{measure} {text}" for measure, text in found.items() if text)
        lines = filter(None, [name, fill(numbers, _LETTERS)])
        entries.append((line, (", " if len(numbers) <= _LETTERS else "\n").join(lines)))
    for ax in panels.values():
        legends.named_beside(ax, [])
    legends.legend([*panels.values()][-1], entries, below=True)


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
    y_true : array-like of shape (n,)
        Labels of two classes.  Without `y_prob`, a ScoredPrecisionRecallEvaluation, or a mapping of names to such.
    y_prob : array-like of shape (n,), mapping or data frame
        Probabilities of the positive class, or those of several models by their names.
    thresholds : array-like of shape (t,), optional
        Rising probabilities above 0 and below 1; by default 0.01 .. 0.99.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure.
    label : str, optional
        The name of one model.
    names : mapping of str to str or sequence of str, optional
        Other names for models: by their names in `y_prob`, or in order.
    title : str, optional
        Title of the axes.
    percent : bool, default False
        Whether to write the thresholds in percent.
    interval : bool, default False
        Whether to draw a band around each curve.  It is pointwise: at each threshold it holds the true net benefit with
        probability `level`, and the whole curve less often.
    level : float, default 0.95
        Of the band.
    pos_label : int, float, bool or str, optional
        The positive class; by default labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    weight_type : {"sampling", "frequency"}, default "sampling"
        What weights are: how many cases of the population each case stands for, or how many cases like it there were, a
        whole number.
    target_prevalence : float, optional
        The known prevalence of the population, above 0 and below 1, where the cases were drawn by their class.
    **line
        Properties of the lines, such as ``color`` and ``linewidth``.

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
    models.check_line(plot_decision_curve, line)
    confidence = checked_level(level)
    given = {"pos_label": pos_label, "sample_weight": sample_weight, "target_prevalence": target_prevalence}
    sources = models.model_data(y_true, y_prob, label, names, given)
    options = {**given, "thresholds": thresholds, "weight_type": weight_type, "level": confidence}
    found = [_curve_of(source, options) for source in sources]
    ax = axes.axes_of(ax)
    top = ax.get_ylim()[1] if ax.get_lines() else 0.0
    parts = []
    for source, curve in zip(sources, found, strict=True):
        band = axes.outline(curve.thresholds, curve.low, curve.high) if interval else None
        name = axes.wrapped(source.name) or "model"
        parts.append(axes.Curve(Line(curve.thresholds, curve.net_benefit), name, source.name, band))
    axes.draw(ax, parts, line)
    for curve in reversed(found):
        cost = curve.thresholds[0] / (1 - curve.thresholds[0])
        prevalence = (curve.treat_all[0] + cost) / (1 + cost)  # p, of a net benefit of p - w (1 - p)
        which = f"treat all (prevalence {prevalence:.3g})"  # a line of each name
        axes.reference(ax, which, curve.thresholds, curve.treat_all)
    top = max([top, *(_ABOVE * float(max(curve.net_benefit.max(), curve.treat_all[0])) for curve in found)])
    ends = [curve.thresholds[[0, -1]] for curve in found]
    span = [float(np.min(ends)), float(np.max(ends))]
    axes.reference(ax, "treat none", span, [0, 0])
    axes.band_reference(ax, "pointwise" if interval else None, confidence)
    ax.set(ylim=(_BELOW * top, top) if top > 0 else None, xlabel="threshold", ylabel="net benefit")
    return legends.finished(ax, title, [ax.xaxis] if percent else [], named=True)


def _curve_of(source: models.ModelData, options: dict[str, Any]) -> DecisionCurve:
    """Return the curve of a model; options: of `decision_curve`.  O(n log t), much less of sorted cases."""
    ready, weights = source.ready, source.sample_weight
    if isinstance(ready, ScoredCases) and (ready.misses or ready.negative_misses):
        raise EvaluationError("a decision curve needs cases without misses")
    if not isinstance(ready, models.Model):
        return decision_curve(source.y_true, source.y_score, **options)
    if weights is not None:
        kind = "frequency" if ready.frequencies else "sampling"
        known = ready.prevalence if ready.known_prevalence else None
        own = {"sample_weight": weights, "weight_type": kind, "target_prevalence": known}
        return decision_curve(source.y_true, source.y_score, **{**options, **own})
    levels = as_rising_thresholds(options["thresholds"])
    tp, fp = models.counts_at_or_above(ready, levels)
    counts = np.stack([np.append(ready.positives, tp), np.append(ready.negatives, fp)])
    return curve_of_sums(WeightSums(counts, counts, counts), levels, options["level"])
