"""The consistency band of isotonic calibration curves: where they would be if probabilities were calibrated."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evalcore.equality import equal_by_content
from evalcore.errors import EvaluationError
from evalcore.inference.intervals import checked_level
from evalcore.inference.resampling.resampled_measures import generator
from evalcore.inference.sampling_units import checked_weights
from evalcore.kernels.runs import run_starts
from evalcore.kernels.shapes import hull_vertices
from evalcore.kernels.sorting import sort
from evalcore.typing import AnyArray, FloatArray, IntArray, ScoreArray, Seed, WeightType
from evalcore.validation.arrays import as_unit_probabilities, check_indices
from evalcore.validation.values import check_positive_integer

_MOST_CELLS = 1 << 11
"""Neighbouring probabilities that are drawn together: pools of ten million cases hold several such cells."""


@equal_by_content
@dataclass(frozen=True, slots=True)
class ConsistencyBand:
    """Bounds of the isotonic curve that calibrated probabilities would have.

    >>> band = consistency_band([0.25, 0.25, 0.5, 0.75], seed=1)
    >>> band.probabilities, band.low, band.high
    (array([0.25, 0.5 , 0.75]), array([0., 0., 0.]), array([0.75, 1.  , 1.  ]))
    """

    probabilities: FloatArray
    """Rising, shape (m,): the distinct ones, or means of neighbours."""
    low: FloatArray
    """Lower bounds of the fraction of positives at each, shape (m,)."""
    high: FloatArray
    """Upper bounds of the fraction of positives at each, shape (m,)."""
    level: float
    """Fraction of samples whose curve is between the bounds, at each probability."""


class _Cells(NamedTuple):
    """Cases of neighbouring probabilities that are drawn together, by falling probability, (m,) each."""

    probabilities: FloatArray
    """Their mean."""
    weights: FloatArray
    trials: IntArray
    """Independent draws that they count as."""


def consistency_band(
    y_prob: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    level: float = 0.95,
    resamples: int = 500,
    seed: Seed = None,
) -> ConsistencyBand:
    r"""Return where an isotonic calibration curve would be if the probabilities were calibrated.

    Parameters
    ----------
    y_prob : array-like of shape (n,)
        Probabilities of the positive class.
    sample_weight, weight_type
        As in `accuracy_interval`.
    level : float, default 0.95
        Fraction of curves that are between the bounds at each probability, above 0 and below 1.
    resamples : int, default 500
        Number of curves.
    seed : int or numpy.random.Generator, optional
        As for ``numpy.random.default_rng``; the same seed gives the same band.

    Returns
    -------
    ConsistencyBand
        ``probabilities``, at most 2,048, and the bounds ``low`` and ``high`` at each.  Range: all 0 .. 1.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If probabilities, weights or an option are invalid.

    Notes
    -----
    $$[\hat c^*_{(\alpha / 2)}(p), \hat c^*_{(1 - \alpha / 2)}(p)], \quad y^*_i \sim \text{Bernoulli}(p_i)$$

    $\hat c^*$ is the isotonic curve of drawn outcomes $y^*$.  Use it to see by eye whether a calibration curve
    could be chance.

    O(n log n + resamples · m).  Outcomes are drawn by the probabilities, and a curve is fitted to each draw.  A curve
    of `evalcore.metrics.isotonic_calibration_curve` that leaves the band is not that of calibrated probabilities.  The
    band holds at each probability, not at all of them at once; `cumulative_calibration_test` tests them together.  Of
    more than 2,048 distinct probabilities, neighbours are drawn together.  Source: T. Dimitriadis, T. Gneiting and A.
    I. Jordan, Stable reliability diagrams for probabilistic classifiers, PNAS 118 (2021) e2016191118.

    Examples
    --------
    >>> band = consistency_band([0.1] * 100 + [0.5] * 100, seed=1)
    >>> band.low, band.high
    (array([0.05, 0.39]), array([0.16, 0.59]))
    """
    function = "consistency_band"
    confidence = checked_level(level)
    count = check_positive_integer(resamples, "resamples", function)
    check_indices(y_prob=y_prob, sample_weight=sample_weight)
    values = as_unit_probabilities(y_prob, "y_prob")
    if not values.size:
        raise EvaluationError("y_prob must hold at least one case, got none")
    weights = checked_weights(sample_weight, weight_type, values.size, function)
    cells = _cells(values[weights.chosen], weights.values, weights.frequencies)
    draws = generator(seed).binomial(cells.trials, cells.probabilities, (count, cells.trials.size))
    curves = _curves(cells.weights, draws * (cells.weights / cells.trials))
    tail = (1 - confidence) / 2
    low, high = np.quantile(curves, [tail, 1 - tail], axis=0)
    return ConsistencyBand(cells.probabilities[::-1], low[::-1], high[::-1], confidence)


def _cells(probabilities: ScoreArray, weights: AnyArray | None, frequencies: bool) -> _Cells:
    """Return at most `_MOST_CELLS` cells of probabilities, (n,), that divide none.  O(n log n)."""
    if weights is None:
        ordered = probabilities.astype(np.float64)
        sort(ordered)
        masses = None
    else:
        order = np.argsort(probabilities, kind="stable")
        ordered, masses = probabilities[order].astype(np.float64), weights[order].astype(np.float64)
    starts = run_starts(ordered) if ordered.size <= _MOST_CELLS else _spaced_starts(ordered)
    sizes = np.diff(starts, append=ordered.size)
    if masses is None:
        sums, trials = sizes.astype(np.float64), sizes
        means = np.add.reduceat(ordered, starts) / sums
    else:
        sums = np.add.reduceat(masses, starts)
        trials = np.rint(sums if frequencies else sums**2 / np.add.reduceat(masses**2, starts)).astype(np.int64)
        means = np.add.reduceat(ordered * masses, starts) / sums
    means = means.clip(ordered[starts], ordered[starts + sizes - 1])  # exact where all are equal
    return _Cells(means[::-1], sums[::-1], trials[::-1])


def _spaced_starts(ordered: FloatArray) -> IntArray:
    """Return where cells of about equal numbers of sorted cases, (n,), start, each at a new probability.  O(log n)."""
    indices = np.arange(_MOST_CELLS) * ordered.size // _MOST_CELLS
    return np.unique(ordered.searchsorted(ordered[indices]))


def _curves(weights: FloatArray, positives: FloatArray) -> FloatArray:
    """Return the isotonic curves of draws; weights: (m,), positives: (r, m), by falling probability.  Returns (r, m).

    O(r m).

    >>> _curves(np.ones(3), np.array([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])).round(2)
    array([[1.  , 0.5 , 0.5 ],
           [0.33, 0.33, 0.33]])
    """
    rows, points = positives.shape[0], positives.shape[1] + 1
    x, y = np.zeros((2, rows, points))
    np.cumsum(np.broadcast_to(weights, positives.shape), axis=1, out=x[:, 1:])
    np.cumsum(positives, axis=1, out=y[:, 1:])
    ends = points * np.arange(rows)
    vertices = hull_vertices(x.ravel(), y.ravel(), np.stack([ends, ends + points - 1], axis=1).ravel())
    sides = np.flatnonzero(vertices[:-1] % points < points - 1)  # not from the end of a curve to the next
    starts, stops = vertices[sides], vertices[sides + 1]
    rates = (y.ravel()[stops] - y.ravel()[starts]) / (x.ravel()[stops] - x.ravel()[starts])
    return np.repeat(rates, stops - starts).reshape(positives.shape)
