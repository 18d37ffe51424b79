"""How the scores of each class are distributed."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError
from evalcore.kernels.sums import ratio
from evalcore.kernels.thresholds import given_number, rounded_up
from evalcore.optional import require
from evalcore.plots import axes
from evalcore.plots.keywords import check_line
from evalcore.plots.models import (
    Model,
    check_finite_scores,
    check_threshold,
    counts_at_or_above,
    models,
    predicted_positive,
)
from evalcore.typing import FloatArray, Label
from evalcore.validation.values import check_count

_MOST_BINS = 10_000
_USUAL_BINS = 50
"""Of many cases."""
_ROW = 0.85
"""Height of the highest bar of a model; rows are 1 apart."""
_INCHES = 0.75
"""Height of a row in a new figure."""
_FILL = 0.35


def plot_score_distributions(
    y_true: Any,
    y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    bins: int | None = None,
    threshold: float | None = None,
    ax: Any = None,
    label: str | None = None,
    names: Mapping[str, str] | Sequence[str] | None = None,
    title: str | None = None,
    percent: bool = False,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    **line: Any,
) -> Any:
    """Draw histograms of the scores of each class, as fractions of that class: positives filled, negatives as outline.

    Several models stand in rows, each in its own colour, and each as high as its highest bar lets it.

    Parameters
    ----------
    y_true, y_score, ax, label, names, title, pos_label, sample_weight
        As in `plot_roc`.
    bins : int, optional
        Bins of equal width, from the lowest score of a model to its highest.  By default twice the cube root of the
        cases of the smaller class, at most 50.
    threshold : float, optional
        Draws a line at this threshold, and writes which fractions of the classes score at least as high.
    percent : bool, default False
        Whether to write the fractions on the axis in percent.
    **line
        Properties of the outlines, such as ``color`` and ``linewidth``; those of markers change nothing.

    Returns
    -------
    matplotlib.axes.Axes
        Its patches are the histograms of negatives and positives of each model, in this order, labelled by model and
        class.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `evalcore.metrics.metric_curves`; for infinite scores or thresholds, or no bins; if matplotlib is missing.

    Notes
    -----
    Use it to see how far the scores separate the classes, and what a threshold would cut off.

    O(n log n + bins log n) for each model.  A score on the edge between two bins is in the upper one.  Misses of an
    evaluation have no score and are left out.  A class without cases has no histogram.  Source of the number of bins:
    D. M. Lane, Online Statistics Education (2013), 2.4, the Rice rule.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = plot_score_distributions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], bins=2, ax=Figure().add_subplot())
    >>> [patch.get_label() for patch in ax.patches]
    ['negative (2)', 'positive (2)']
    """
    check_line(plot_score_distributions, line)
    count = None if bins is None else check_count(bins, "bins", _MOST_BINS)
    if count == 0:
        raise EvaluationError("bins must be at least 1, got 0")
    at = check_threshold(threshold)
    options = {"pos_label": pos_label, "sample_weight": sample_weight}
    drawn = models(y_true, y_score, label, options, names)
    for model in drawn:
        check_finite_scores(model)
    rows = len(drawn) > 1
    ax = axes.axes_of(ax, height=_INCHES * len(drawn) + 1 if rows else 0.0)
    properties, first = axes.merged({}, line), len(ax.patches)
    colour = properties.pop("color", None)
    earlier = len({tuple(patch.get_edgecolor()) for patch in ax.patches})
    for number, model in enumerate(drawn):
        baseline = len(drawn) - 1 - number if rows else None
        own = colour or axes.nth_style(earlier + number)["color"]
        _draw(ax, model, own, _edges(model, count), baseline=baseline, at=at)
    for patch in ax.patches[first:]:
        patch.set(**{name: value for name, value in properties.items() if hasattr(patch, f"set_{name}")})
    if at is not None:
        own = {"linestyle": "-", "transform": ax.get_xaxis_transform()}
        axes.reference(ax, f"threshold {given_number(at)}", [at, at], [0, 1], **own)
    ax.set(xlabel="score")
    if rows:
        _name_rows(ax, drawn)
        return axes.finished(ax, title)
    ax.set(ylabel="fraction of the class in each bin")
    ax.set_ylim(bottom=0)
    axes.legend(ax)
    return axes.finished(ax, title, [ax.yaxis] if percent else [])


def _draw(ax: Any, model: Model, colour: str, edges: FloatArray, *, baseline: int | None, at: float | None) -> None:
    """Draw the histograms of a model: from 0, or scaled to its row."""
    classes = (("negative", model.points.fp), ("positive", model.points.tp))
    starts = rounded_up(edges[:-1], model.points.scores.dtype).astype(np.float64)
    counts = dict(zip(("positive", "negative"), counts_at_or_above(model, starts), strict=True))
    heights = {
        name: np.asarray(ratio(-np.diff(counts[name], append=0.0), sums[-1])) for name, sums in classes if sums[-1] > 0
    }
    above, shown = ({}, "") if at is None else (_above(model, at), given_number(at))
    scale = 1.0 if baseline is None else _ROW / max(each.max() for each in heights.values())
    start = baseline or 0
    for name, fractions in heights.items():
        text = axes.legend_text(model.name, f"{name} ({axes.count_text(dict(classes)[name][-1])})")
        if baseline is None and above:
            text += f"\n{100 * above[name]:.1f}% at or above {shown}"
        fill = {"facecolor": (colour, _FILL) if name == "positive" else "none", "edgecolor": colour, "linewidth": 1.2}
        ax.stairs(start + scale * fractions, edges, baseline=start, fill=True, label=axes.plain(text), **fill)
    if baseline is not None and above:
        text = ", ".join(f"{100 * above[name]:.1f}% of {name}s" for name in reversed(heights))
        where = {"transform": ax.get_yaxis_transform(), "ha": "right", "va": "top"}
        axes.note(ax, 0.99, start + _ROW + 0.1, f"\N{GREATER-THAN OR EQUAL TO} {shown}: {text}", **where)


def _above(model: Model, threshold: float) -> dict[str, float]:
    """Return the fraction of each class with a score at or above the threshold.  O(log p)."""
    found, wrong = predicted_positive(model, threshold)
    pairs = {"positive": (found, model.points.tp[-1]), "negative": (wrong, model.points.fp[-1])}
    return {name: float(np.asarray(ratio(count, float(total)))) for name, (count, total) in pairs.items()}


def _name_rows(ax: Any, drawn: list[Model]) -> None:
    """Name the rows, and say how the classes are drawn."""
    starts = range(len(drawn))[::-1]
    ax.set_yticks(starts, [axes.plain(axes.wrapped(model.name)) for model in drawn], va="bottom")
    ax.tick_params(axis="y", length=0)
    ax.set(ylim=(-0.05, len(drawn) - 0.02), ylabel="fraction of the class, scaled to the row")
    for start in starts:
        axes.reference(ax, f"row {start}", [0, 1], [start] * 2, linestyle="-", transform=ax.get_yaxis_transform())
    patch, ink = require("matplotlib.patches", "plots").Patch, axes.settings()["text.color"]
    counts = {(float(model.points.fp[-1]), float(model.points.tp[-1])) for model in drawn}
    texts = ["negative", "positive"]
    if len(counts) == 1:  # the same cases for all
        texts = [f"{name} ({axes.count_text(count)})" for name, count in zip(texts, counts.pop(), strict=True)]
    samples = patch(facecolor="none", edgecolor=ink), patch(facecolor=(ink, _FILL), edgecolor=ink)
    axes.legend(ax, groups=[[*zip(samples, texts, strict=True)]], below=True)


def _edges(model: Model, bins: int | None) -> FloatArray:
    scores = model.points.scores
    low, high = float(scores[-1]), float(scores[0])
    if low == high:
        low, high = low - 0.5, high + 0.5
    if bins is None:
        positives = int(np.count_nonzero(model.cases.labels))
        smaller = min(filter(None, (positives, model.cases.labels.size - positives)))
        bins = min(math.ceil(2 * math.cbrt(smaller)), _USUAL_BINS)
    return np.linspace(low, high, bins + 1)
