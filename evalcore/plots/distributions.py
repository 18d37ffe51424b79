"""How the scores of each class are distributed."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError
from evalcore.kernels.ratios import ratio
from evalcore.plots.axes import axes_of, count_text, filled, legend, legend_text, nth_style, plain
from evalcore.plots.models import check_finite_scores, one_model
from evalcore.typing import FloatArray, Label, ScoreArray
from evalcore.validation.single_values import check_count

_MOST_BINS = 10_000


def plot_score_distributions(
    y_true: Any,
    y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    bins: int = 50,
    ax: Any = None,
    label: str | None = None,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
) -> Any:
    """Draw a histogram of the scores of each class, as fractions of that class.

    Parameters
    ----------
    y_true, y_score, ax, label, pos_label, sample_weight
        As in `plot_roc`, of one model.
    bins : int, default 50
        Bins of equal width, from the lowest score to the highest.

    Returns
    -------
    matplotlib.axes.Axes
        Its patches are the histograms of negatives and positives, in this order, labelled by class.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `evalcore.metrics.metric_curves`; for several models, infinite scores or no bins; if matplotlib is missing.

    Notes
    -----
    O(n log n + bins log n).  A score on the edge between two bins is in the upper one.  Misses of an evaluation have no
    score and are left out.  A class without cases has no histogram.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = plot_score_distributions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], bins=2, ax=Figure().add_subplot())
    >>> [patch.get_label() for patch in ax.patches]
    ['negative (2)', 'positive (2)']
    """
    count = check_count(bins, "bins", _MOST_BINS)
    if not count:
        raise EvaluationError("bins must be at least 1, got 0")
    model = one_model(y_true, y_score, label=label, pos_label=pos_label, sample_weight=sample_weight)
    check_finite_scores(model)
    edges = _edges(model.points.scores, count)
    ax = axes_of(ax)
    for number, (name, sums) in enumerate((("negative", model.points.fp), ("positive", model.points.tp))):
        if sums[-1] > 0:
            fractions = np.asarray(ratio(_in_bins(model.points.scores, sums, edges), sums[-1]))
            text = legend_text(model.name, f"{name} ({count_text(sums[-1])})")
            ax.stairs(fractions, edges, fill=True, label=plain(text), **filled(**nth_style(number)))
    ax.set(xlabel="score", ylabel="fraction of the class in each bin")
    ax.set_ylim(bottom=0)
    legend(ax)
    return ax


def _edges(scores: ScoreArray, bins: int) -> FloatArray:
    low, high = float(scores[-1]), float(scores[0])
    if low == high:
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, bins + 1)


def _in_bins(scores: ScoreArray, sums: FloatArray, edges: FloatArray) -> FloatArray:
    """Return the sum in each bin, from cumulative sums at or above each of the descending scores.  O(bins log p)."""
    at_or_above = scores.size - np.searchsorted(scores[::-1], edges[:-1])
    return -np.diff(np.concatenate([[0.0], sums])[at_or_above], append=0.0)
