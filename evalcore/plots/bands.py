"""Bands around curves: intervals of proportions at some of the thresholds, or bounds of the curve at some rates."""

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.inference.curve_bands import bounds_of_points
from evalcore.kernels.shapes import steps
from evalcore.measures.bounds import CurveBounds
from evalcore.plots.axes import reference
from evalcore.plots.models import Model, check_no_misses
from evalcore.text_tables import number_text
from evalcore.typing import BandKind, FloatArray, IntArray
from evalcore.validation.values import check_choice

_POINTS = 200
"""More would not be told apart."""
_LEGEND_WIDTH, _LEGEND_ALPHA = 6.0, 0.35
"""Of the line that stands for a band."""


def checked_band(band: Any, interval: bool, function: str) -> BandKind | None:
    """Return the kind of band, by default "threshold" with an interval and none without one.  O(1)."""
    if band is None:
        return "threshold" if interval else None
    check_choice(band, get_args(BandKind), "band", function)
    kind: BandKind = band
    return kind


def band_reference(ax: Any, kind: BandKind | Literal["calibrated"] | None, level: float) -> None:
    """Say in the legend what a band holds: true curves, or those that calibrated probabilities would have.  O(1)."""
    if kind is not None:
        text = f"{number_text(100 * level)}%"
        held = {"simultaneous": f"{text} of whole curves", "calibrated": f"{text} if calibrated"}
        name = f"band: {held.get(kind, f'pointwise {text}')}"
        reference(ax, name, [], [], linestyle="-", linewidth=_LEGEND_WIDTH, alpha=_LEGEND_ALPHA)


def outline_of_band(
    bounds: Callable[..., CurveBounds],
    model: Model,
    kind: BandKind | None,
    level: float,
    at_thresholds: Callable[[Model, float], tuple[FloatArray, FloatArray]],
) -> tuple[FloatArray, FloatArray] | None:
    """Return the outline of a band, if there is one: `at_thresholds` or of bounds evenly along the axis.  O(p)."""
    if kind is None:
        return None
    check_no_misses(model, "band")
    if kind == "threshold" or not model.negatives:
        return at_thresholds(model, level)
    if model.weighted is not None:
        raise EvaluationError(f"band must be 'threshold' for cases with weights, got {kind!r}")
    rates = np.linspace(0, 1, _POINTS + 1)
    found = bounds_of_points(bounds, model.points, rates, level, simultaneous=kind == "simultaneous")
    assert found is not None
    return outline(rates, found.low, found.high)


def outline(x: FloatArray, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the outline of a band from low[i] to high[i] at x[i], (p,) each: along the top, and back below.  O(p)."""
    return np.concatenate([x, x[::-1]]), np.concatenate([high, low[::-1]])


def along(positions: FloatArray, length: float) -> IntArray:
    """Return the indices of at most 200 points that are evenly spaced along a curve.

    positions: (p,) float64, not falling, within 0 .. length.  O(p).
    """
    indices = np.arange(positions.size)
    if positions.size > _POINTS:
        indices = np.unique(np.searchsorted(positions, np.linspace(0, length, _POINTS)).clip(max=positions.size - 1))
    return indices


def outline_of_steps(x: FloatArray, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the outline of a band of steps from 0: low[i] to high[i] from x[i - 1] to x[i].  O(p)."""
    top, bottom = steps(x, high, 0.0), steps(x, low, 0.0)
    return np.concatenate([top.x, bottom.x[::-1]]), np.concatenate([top.y, bottom.y[::-1]])
