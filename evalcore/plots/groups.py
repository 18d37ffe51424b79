"""Estimates of many groups as dots in rows, with their intervals."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.inference.intervals import Interval
from evalcore.plots.axes import COLOURS, axes_of, note, plain, reference
from evalcore.plots.keywords import check_colour
from evalcore.state.protocols import GroupValues
from evalcore.typing import FloatArray, IntArray
from evalcore.validation.arrays import check_equal_lengths
from evalcore.validation.parameters import check_choice
from evalcore.validation.single_values import check_instance

_MOST_NAMED = 60
_MOST_DRAWN = 2000
"""More dots are drawn as pixels, also in a vector file."""
_INCHES = 0.22


class _Rows(NamedTuple):
    """What is drawn of each group, (g,) each."""

    names: list[str]
    estimates: FloatArray
    lows: FloatArray
    highs: FloatArray
    sizes: FloatArray | None
    text: str
    """The label of the axis."""
    mean: float | None


def plot_groups(
    groups: Any,
    estimates: Any = None,
    *,
    low: Any = None,
    high: Any = None,
    sizes: Any = None,
    measure: str | None = None,
    order: Literal["estimate", "size", "given"] = "estimate",
    ax: Any = None,
    color: Any = COLOURS[0],
) -> Any:
    """Draw the estimate of each group as a dot, with its interval, in a row of its own.

    Parameters
    ----------
    groups : sequence of names, mapping or GroupedEvaluation
        Names of g groups, a mapping of names to numbers or Intervals, or an evaluation by group.
    estimates : sequence of float or Interval, optional
        One for each name; intervals are from `evalcore.inference`.
    low, high : array-like of shape (g,), optional
        Bounds of intervals, if the estimates are numbers.
    sizes : array-like of shape (g,), optional
        Sizes of the groups, for ``order="size"``; an evaluation has them.
    measure : str, optional
        Which measure of an evaluation, if it has several; otherwise the label of the axis.
    order : {"estimate", "size", "given"}, default "estimate"
        Whether the largest estimate, the largest group or the first name is at the top.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure, as high as the rows need.
    color : matplotlib colour, optional
        Of dots and intervals.

    Returns
    -------
    matplotlib.axes.Axes
        The line "_estimates" holds the dots, from the bottom; "_mean" is the mean of an evaluation.  Names are left
        out if there are more than 60 groups.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If no group has an estimate, lengths differ, the evaluation lacks the measure, ``order="size"`` has no sizes,
        or matplotlib is missing.

    Notes
    -----
    O(g log g).  Groups with a NaN estimate are left out.  Source: W. S. Cleveland, The Elements of Graphing Data
    (1994), 3.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = plot_groups(["a", "b"], [0.25, 0.75], low=[0.125, 0.5], high=[0.5, 0.875], ax=Figure().add_subplot())
    >>> ax.get_lines()[0].get_xdata()
    array([0.25, 0.75])
    """
    check_colour("color", color)
    check_choice(order, ("estimate", "size", "given"), "order", "plot_groups")
    rows = _rows(groups, estimates, (low, high), sizes, measure)
    indices = _order(rows, order)
    heights = np.arange(indices.size)
    ax = axes_of(ax, height=_INCHES * min(indices.size, _MOST_NAMED) + 0.8)
    many = indices.size > _MOST_DRAWN
    ax.hlines(heights, rows.lows[indices], rows.highs[indices], color=color, linewidth=1.2, rasterized=many)
    ax.plot(rows.estimates[indices], heights, "o", markersize=2 if indices.size > _MOST_NAMED else 5, color=color,
            rasterized=many, label="_estimates")  # fmt: skip
    _name_rows(ax, [rows.names[index] for index in indices])
    ends = -0.7 - indices.size / 100, indices.size - 0.3 + indices.size / 100
    ax.set(xlabel=plain(rows.text), ylim=ends)
    if rows.mean is not None:
        reference(ax, "mean", [rows.mean] * 2, ends)
        note(ax, rows.mean, 1.01, f"mean {rows.mean:.3g}", transform=ax.get_xaxis_transform(), ha="center", va="bottom")
    return ax


def _rows(groups: Any, estimates: Any, bounds: tuple[Any, Any], sizes: Any, measure: str | None) -> _Rows:
    if isinstance(groups, GroupValues):
        if estimates is not None:
            raise EvaluationError(
                "estimates must be None if groups is an evaluation, which has its estimates; name one by measure"
            )
        if measure is None and len(groups.values) != 1:
            raise EvaluationError(f"measure must be one of {', '.join(groups.values)}")
        asked = next(iter(groups.values)) if measure is None else check_instance(measure, str, "measure")
        name = groups.measure_name(asked)
        names, values = [str(group) for group in groups.groups.tolist()], groups.values[name]
        return _Rows(names, values, *_bounds(bounds, values), groups.sizes.astype(np.float64), name, groups.mean(name))
    if isinstance(groups, Mapping) and estimates is None:
        groups, estimates = list(groups), list(groups.values())
    if estimates is None:
        raise EvaluationError("estimates are needed unless groups is a mapping or a GroupedEvaluation")
    names, given = [str(group) for group in groups], list(estimates)
    text = measure or "estimate"
    with_bounds = sum(isinstance(each, Interval) for each in given)
    if with_bounds not in (0, len(given)):
        raise EvaluationError("estimates must be numbers, or all Intervals")
    if with_bounds:
        bounds = [each.low for each in given], [each.high for each in given]
        kinds = {f"{text} ({100 * each.level:g}% {each.method})" for each in given}
        text = kinds.pop() if len(kinds) == 1 else text
        given = [each.estimate for each in given]
    values = _as_numbers(given, "estimates")
    widths = None if sizes is None else _as_numbers(sizes, "sizes")
    for column, name in ((names, "groups"), (widths, "sizes")):
        if column is not None and len(column) != values.size:
            raise EvaluationError(
                f"{name} and estimates must have the same length, got {len(column)} and {values.size}"
            )
    return _Rows(names, values, *_bounds(bounds, values), widths, text, None)


def _as_numbers(values: Any, name: str) -> FloatArray:
    """Return numbers, perhaps NaN, as float64, shape (n,).  Raises EvaluationError for anything else.  O(n)."""
    try:
        numbers = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise EvaluationError(f"{name} must be numbers") from None
    if numbers.ndim != 1:
        raise EvaluationError(f"{name} must be one-dimensional, got shape {numbers.shape}")
    return numbers


def _bounds(bounds: tuple[Any, Any], values: FloatArray) -> tuple[FloatArray, FloatArray]:
    if (bounds[0] is None) != (bounds[1] is None):
        raise EvaluationError("low and high must be given together")
    if bounds[0] is None:
        return values, values
    lows, highs = (_as_numbers(given, name) for given, name in zip(bounds, ("low", "high"), strict=True))
    check_equal_lengths(lows, values, "low", "estimates")
    check_equal_lengths(highs, values, "high", "estimates")
    return lows, highs


def _order(rows: _Rows, order: str) -> IntArray:
    """Return the indices of the groups with an estimate, in the order of rows from the bottom.  O(g log g)."""
    known = np.flatnonzero(~np.isnan(rows.estimates))
    if not known.size:
        raise EvaluationError("there must be at least one group with an estimate")
    if order == "given":
        return known[::-1]
    if order == "size" and rows.sizes is None:
        raise EvaluationError("order='size' needs sizes")
    by = rows.sizes if order == "size" and rows.sizes is not None else rows.estimates
    return known[::-1][np.argsort(by[known[::-1]], kind="stable")]


def _name_rows(ax: Any, names: list[str]) -> None:
    if len(names) > _MOST_NAMED:
        ax.set_yticks([])
        ax.set_ylabel(f"{len(names):,} groups")
        return
    ax.set_yticks(range(len(names)), [plain(name) for name in names])
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="y", alpha=0.4, linewidth=0.6)
    ax.set_axisbelow(True)
