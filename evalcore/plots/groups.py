"""Estimates of many groups with their intervals, for one model or several: dots in rows, or lines over time."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError, check, refuse, shown
from evalcore.inference.intervals import Interval
from evalcore.optional import require
from evalcore.plots import axes, legends
from evalcore.plots.models import check_line
from evalcore.state.shared import GroupValues
from evalcore.typing import AnyArray, BoolArray, FloatArray
from evalcore.validation.arrays import check_equal_lengths
from evalcore.validation.values import check_choice, check_flag, check_instance

_MOST_NAMED = 60
_MOST_DRAWN = 2000
"""More dots are drawn as pixels, also in a vector file."""
_ROW, _MORE_MODELS = 0.22, 0.06
"""Inches of a row with one model, and for each more."""
_AROUND = 0.95
"""Inches of a figure beside its rows."""
_APART, _FARTHEST = 0.24, 0.6
"""Parts of a row between the dots of two models, and of the first and the last."""
_SMALLEST = 4.5
"""Letters of names in points: smaller ones cannot be read."""
_BAND = 0.2
"""How opaque the band of a line is."""
_MOST_MARKED, _MOST_TICKS = 40, 8
"""Groups in the order of time that have dots, and those that are named where they are neither numbers nor dates."""
_LONGEST_NAME, _SHORT_NAME = 34, 12
_DATE = re.compile(r"\d{4}-\d\d(-\d\d(T\d\d(:\d\d){0,2}(\.\d+)?)?)?")
_LEAST_APART = 2
"""Models with intervals, which stand apart."""
_SIZES = "cases"
_NO_INTERVAL = "no interval"


class GroupRows(NamedTuple):
    """What is drawn of g groups and k models."""

    names: list[str]
    models: list[str]
    """The name of a single one is empty."""
    numbers: FloatArray
    """Estimates and their lower and upper bounds, shape (3, k, g), NaN where there is none."""
    hollow: BoolArray
    """Whether each lacks an interval although its model has intervals, shape (k, g)."""
    totals: list[float | None]
    sizes: FloatArray | None
    """Shape (g,)."""
    text: str
    """The label of the axis."""
    of_all: str
    """What the line at the total is called."""


def plot_groups(
    groups: Any,
    estimates: Any = None,
    *,
    low: Any = None,
    high: Any = None,
    sizes: Any = None,
    total: Any = None,
    measure: str | None = None,
    order: Literal["estimate", "size", "given"] = "estimate",
    kind: Literal["rows", "time"] = "rows",
    title: str | None = None,
    percent: bool = False,
    ax: Any = None,
    color: Any = None,
    **line: Any,
) -> Any:
    """Draw the estimate of each group as a dot in a row of its own with its interval, or as a line over time.

    Several models share the rows: a thin line joins their dots, and where several have intervals, these stand slightly
    apart.

    Parameters
    ----------
    groups : sequence of names, mapping or GroupedEvaluation
        Names of g groups, a mapping of names to numbers or Intervals, or an evaluation by group.  For several models, a
        mapping of their names to such mappings or evaluations.
    estimates : sequence of float or Interval, or mapping of str to such sequences, optional
        One for each name; intervals are from `evalcore.inference`.  A mapping has those of several models.
    low, high : array-like of shape (g,), or mapping of str to array-like, optional
        Bounds of intervals, if the estimates are numbers; NaN where there is no interval.
    sizes : array-like of shape (g,), optional
        Sizes of the groups, written at the right; an evaluation has them.
    total : float or Interval, or mapping of str to them, optional
        The estimate of all cases, a line; of several models, one for each.
    measure : str, optional
        Which measure of an evaluation, if it has several; otherwise the label of the axis.
    order : {"estimate", "size", "given"}, default "estimate"
        Whether the largest estimate of the first model, the largest group or the first name is at the top.
    kind : {"rows", "time"}, default "rows"
        "time": a line from left to right, with its intervals as a band, and the total as a dashed line.  Names that are
        numbers or dates, such as "2013-06", are put in their order and at their places; others stand as given.
    title : str, optional
        The title of the axes.
    percent : bool, default False
        Whether the axis of estimates is in percent.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure, as high as the rows need.
    color : matplotlib colour, optional
        Of the dots and intervals of one model.  Several have the colours that all plots give them.
    **line
        Properties of the dots, such as ``marker`` or ``markersize``: any of matplotlib's Line2D.

    Returns
    -------
    matplotlib.axes.Axes
        The line "_estimates" holds the dots, from the bottom or from the left; "_mean" is the mean of an evaluation,
        "_total" the total.  Of several models, the dots have the model's name and number in the legend, and lines are
        "_total 0" and so on.  Dots are hollow where an interval is missing although others have one.  Names of rows are
        left out if there are more than 60 groups, or too little space.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If no group has an estimate, lengths differ, models differ in what they have, an evaluation lacks the measure,
        ``order="size"`` has no sizes, several models have one color, a keyword is unknown, or matplotlib is missing.

    Notes
    -----
    Use it for the groups of one report; the lowest of many is the lowest by chance too, which its interval does not
    show.

    O(k g + g log g) for k models.  Groups without any estimate are left out.  Source: W. S. Cleveland, The Elements of
    Graphing Data (1994), 3.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = plot_groups(["a", "b"], [0.25, 0.75], low=[0.125, 0.5], high=[0.5, 0.875], ax=Figure().add_subplot())
    >>> ax.get_lines()[0].get_xdata()
    array([0.25, 0.75])
    >>> models = {"old": [0.25, 0.75], "new": [0.5, 0.625]}
    >>> ax = plot_groups(["a", "b"], models, total={"old": 0.5, "new": 0.625}, ax=Figure().add_subplot())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['old, total 0.500', 'new, total 0.625']
    """
    check_line(plot_groups, {"color": color, **line})
    check_choice(order, ("estimate", "size", "given"), "order", "plot_groups")
    check_choice(kind, ("rows", "time"), "kind", "plot_groups")
    check_flag(percent, "percent", "plot_groups")
    rows = _group_rows(groups, estimates, low, high, sizes=sizes, total=total, measure=measure)
    count = len(rows.models)
    if color is not None and count > 1:
        raise EvaluationError(f"color must be None for several models, which have their own, got {shown(color)}")
    rows = _in_order(rows, "given" if kind == "time" else order)
    given, ax = ax, axes.axes_of(ax)
    styles = [{"color": axes.nth_style(number)["color"] if color is None else color, **line} for number in range(count)]
    if kind == "time":
        _draw_over_time(ax, rows, styles)
        legends.finished(ax, title, [ax.yaxis] if percent else [])
        return _named_over_time(ax, rows)
    if given is None:
        ax.figure.set_figheight(figure_height(len(rows.names), count))
    for number, own in enumerate(styles):
        _draw_model(ax, rows, number, own)
    if count > 1:
        _join(ax, rows)
    _name_rows(ax, rows.names, rows.sizes)
    ax.set(xlabel=axes.plain(rows.text), ylim=_ends(len(rows.names)))
    if rows.hollow.any():
        ax.plot([], [], "o", color=axes.grey(), markerfacecolor=ax.get_facecolor(), markersize=5, label=_NO_INTERVAL)
    if count > 1 or rows.hollow.any():
        legends.legend(ax, below=True)
    return legends.finished(ax, title, [ax.xaxis] if percent else [])


def figure_height(rows: int, models: int) -> float:
    """Return the inches that a figure needs for its rows and models.  O(1)."""
    return (_ROW + _MORE_MODELS * (models - 1)) * min(rows, _MOST_NAMED) + _AROUND


def _ends(rows: int) -> tuple[float, float]:
    """Return the limits of the axis of rows, with some space around them."""
    return -0.7 - rows / 100, rows - 0.3 + rows / 100


def _height_in_row(rows: GroupRows, number: int) -> float:
    """Return how far the dots of a model stand above the middle of their rows, the first model uppermost.

    Where at most one model has intervals, none hides another's, and all stand in the middle.
    """
    count = len(rows.models)
    if np.count_nonzero(~np.isnan(rows.numbers[1]).all(axis=1)) < _LEAST_APART:
        return 0.0
    apart = min(_APART, _FARTHEST / (count - 1))
    return apart * ((count - 1) / 2 - number)


def _draw_model(ax: Any, rows: GroupRows, number: int, line: dict[str, Any]) -> None:
    """Draw the dots and intervals of a model, and its total as a line; that of one model is named above the rows."""
    size, name, total, several = len(rows.names), rows.models[number], rows.totals[number], len(rows.models) > 1
    heights, hollow = np.arange(size) + _height_in_row(rows, number), rows.hollow[number]
    estimates, lows, highs = rows.numbers[:, number]
    bounded, many = ~np.isnan(lows), size > _MOST_DRAWN
    own = {"marker": "o", "linestyle": "none", "markersize": 2 if size > _MOST_NAMED else 5, "zorder": 3}
    dots = axes.merged({**own, "rasterized": many}, line)
    numbers = [] if total is None else [f"total {total:.3f}"]
    label = axes.plain(axes.legend_text(name, *numbers)) if name else "_estimates"
    ends = lows[bounded], highs[bounded]
    ax.hlines(heights[bounded], *ends, color=dots["color"], linewidth=1.2, rasterized=many, zorder=2)
    ax.plot(estimates, heights, **{**dots, "markevery": np.flatnonzero(~hollow).tolist()}, label=label)
    if hollow.any():
        empty = {**dots, "markerfacecolor": ax.get_facecolor()}
        ax.plot(estimates[hollow], heights[hollow], **empty, label="_no interval")
    if total is None:
        return
    style = {"color": line["color"]} if several else {}
    axes.reference(ax, f"{rows.of_all} {number}" if several else rows.of_all, [total] * 2, _ends(size), **style)
    if not several:
        where = {"transform": ax.get_xaxis_transform(), "ha": "center", "va": "bottom"}
        axes.note(ax, total, 1.01, f"{rows.of_all} {total:.3g}", **where)


def _join(ax: Any, rows: GroupRows) -> None:
    """Join the dots of each row by a thin line; those of more than two models meet it in the middle.  O(k g)."""
    estimates = rows.numbers[0]
    count, size = estimates.shape
    x = np.append(estimates, np.full((1, size), np.nan), axis=0).T
    heights = [_height_in_row(rows, number) if count == 2 else 0.0 for number in range(count)]
    y = np.arange(size)[:, np.newaxis] + np.array([*heights, 0.0])
    ax.plot(x.ravel(), y.ravel(), color=axes.grey(), linewidth=0.8, zorder=1.5, label="_joined")


def _draw_over_time(ax: Any, rows: GroupRows, styles: Sequence[dict[str, Any]]) -> None:
    """Draw the estimates of each model as a line with a band, and its total.  O(k g + g log g)."""
    places, several = _places(rows.names[::-1]), len(rows.models) > 1
    order = places.argsort(kind="stable")
    numbers, x = rows.numbers[:, :, ::-1][:, :, order], places[order]
    for number, (name, total, style) in enumerate(zip(rows.models, rows.totals, styles, strict=True)):
        (estimates, lows, highs), known = numbers[:, number], ~np.isnan(numbers[0, number])
        texts = [f"{rows.of_all} {total:.3f}"] if total is not None else []
        own = {"marker": "o" if x.size <= _MOST_MARKED else "", "markersize": 4, **style}
        label = axes.plain(axes.legend_text(name, *texts)) if name else "_estimates"
        ax.plot(x[known], estimates[known], **own, label=label)
        ax.fill_between(x, lows, highs, color=style["color"], alpha=_BAND, linewidth=0, label="_band")
        if total is not None:
            reference = f"{rows.of_all} {number}" if several else rows.of_all
            axes.reference(ax, reference, x[[0, -1]], [total] * 2, **({"color": style["color"]} if several else {}))
    ax.set(ylabel=axes.plain(rows.text))


def _named_over_time(ax: Any, rows: GroupRows) -> Any:
    """Name dates in short, some of the groups that are neither dates nor numbers, and the lines; return the axes."""
    names, total = rows.names[::-1], rows.totals[0]
    kind = _places(names).dtype.kind
    if kind == "M":
        dates = require("matplotlib.dates", "plots")
        locator = dates.AutoDateLocator(minticks=3, maxticks=_MOST_TICKS)
        ax.xaxis.set_major_locator(locator)
        ax.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))
    elif kind == "i":
        shown = range(0, len(names), -(-len(names) // _MOST_TICKS))
        ax.set_xticks(shown, [axes.plain(axes.shortened(names[index], _SHORT_NAME)) for index in shown])
    if len(rows.models) > 1:
        legends.legend(ax)
    elif total is not None:
        text, where = f"{rows.of_all}\n{total:.3g}", {"transform": ax.get_yaxis_transform(), "va": "center"}
        axes.note(ax, 1.01, total, text, **where)
    return ax


def _places(names: Sequence[str]) -> AnyArray:
    """Return where groups stand in the order of time, (g,): numbers or dates if all are, else one after the other.

    >>> _places(["10", "9.5"]), _places(["2013-11", "2013-02"]).tolist(), _places(["b", "a"])
    (array([10. ,  9.5]), [datetime.date(2013, 11, 1), datetime.date(2013, 2, 1)], array([0, 1]))
    """
    try:
        if all(map(_DATE.fullmatch, names)):
            return np.array(names, "datetime64").astype("datetime64[s]" if "T" in names[0] else "datetime64[D]")
        numbers = np.array(names, np.float64)
        return numbers if np.isfinite(numbers).all() else np.arange(len(names))
    except ValueError:
        return np.arange(len(names))


def _name_rows(ax: Any, names: list[str], sizes: FloatArray | None) -> None:
    """Write the names of the rows at the left and their sizes at the right, as large as the rows allow."""
    letters = 0.9 * 72 * ax.get_window_extent().height / ax.figure.dpi / (len(names) + 1)
    if len(names) > _MOST_NAMED or letters < _SMALLEST:
        ax.set_yticks([])
        ax.set_ylabel(f"{len(names):,} groups")
        return
    font = min(letters, axes.settings()["font.size"])
    ax.set_yticks(range(len(names)), [axes.plain(axes.shortened(name, _LONGEST_NAME)) for name in names], fontsize=font)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="y", alpha=0.4, linewidth=0.6)
    ax.set_axisbelow(True)
    if sizes is None:
        return
    small = min(font, axes.small())
    texts = ["" if np.isnan(size) else axes.count_text(size) for size in sizes.tolist()]
    end = small * (0.5 + 0.64 * max(map(len, [*texts, _SIZES])))
    where = {"textcoords": "offset points", "annotation_clip": False}
    where |= {"ha": "right", "fontsize": small, "color": axes.grey()}
    for row, text in enumerate(texts):
        ax.annotate(text, (1, row), (end, 0), ("axes fraction", "data"), va="center", **where)
    ax.annotate(_SIZES, (1, 1), (end, 2), "axes fraction", va="bottom", **where)


def _group_rows(
    groups: Any, estimates: Any, low: Any, high: Any, *, sizes: Any, total: Any, measure: str | None
) -> GroupRows:
    """Return what is drawn; arguments as for `plot_groups`.  O(k g).  Raises EvaluationError as it does."""
    text, of_all = measure or "estimate", "total"
    if isinstance(groups, GroupValues) or (isinstance(groups, Mapping) and estimates is None):
        each: Any = groups if _is_of_models(groups) else {"": groups}
        why = "estimates must be None if groups is an evaluation, which has its estimates; name one by measure"
        refuse({why: estimates is not None})
        first = next(iter(each.values()), None)
        if isinstance(first, GroupValues):  # so are all, of one measure
            text, of_all = _measure_of(first, measure), "mean" if first.weights is None else "weighted mean"
            total = {
                name: given.mean(_measure_of(given, measure)) if isinstance(given, GroupValues) else None
                for name, given in each.items()
            }
        values = {str(name): _by_group(given, measure) for name, given in each.items()}
        names = list(dict.fromkeys(group for given in values.values() for group in given))
        columns = {name: [given.get(group, np.nan) for group in names] for name, given in values.items()}
        if isinstance(first, GroupValues) and sizes is None:
            own = dict(zip(map(str, first.groups.tolist()), first.sizes.tolist(), strict=True))
            sizes = np.array([own.get(group, np.nan) for group in names])
    elif estimates is None:
        raise EvaluationError("estimates are needed unless groups is a mapping or a GroupedEvaluation")
    else:
        names = [str(group) for group in groups]
        each = estimates if isinstance(estimates, Mapping) else {"": estimates}
        columns = {str(name): list(given) for name, given in each.items()}
    refuse({"low and high must be given together": (low is None) != (high is None)})
    intervals = (each for column in columns.values() for each in column if isinstance(each, Interval))
    kinds = {_kind(each) for each in intervals if not np.isnan(each.low)}
    widths = None if sizes is None else _as_numbers(sizes, "sizes")
    lows, highs = _by_model(low, "low", columns), _by_model(high, "high", columns)
    totals = [_total(each) for each in _by_model(total, "total", columns).values()]
    numbers = []
    for name, column in columns.items():
        of = "estimates" if [*columns] == [""] else f"estimates[{name!r}]"
        numbers.append(_with_bounds(column, lows[name], highs[name]))
        for other, what in ((names, "groups"), (widths, "sizes")):
            if other is not None and len(other) != len(column):
                raise EvaluationError(f"{what} and {of} must have the same length, got {len(other)} and {len(column)}")
    found = np.array(numbers, np.float64).reshape(len(columns), 3, len(names)).swapaxes(0, 1)
    hollow = ~np.isnan(found[1]).all(axis=1)[:, np.newaxis] & np.isnan(found[1]) & ~np.isnan(found[0])
    label = f"{text} ({kinds.pop()})" if len(kinds) == 1 else text
    return GroupRows(names, [*columns], found, hollow, totals, widths, label, of_all)


def _in_order(rows: GroupRows, order: str) -> GroupRows:
    """Return the groups with an estimate, in the order of rows from the bottom.  O(k g + g log g)."""
    known = ~np.isnan(rows.numbers[0])
    chosen = np.flatnonzero(known.any(axis=0))[::-1]
    refuse({"there must be at least one group with an estimate": not chosen.size})
    refuse({"order='size' needs sizes": order == "size" and rows.sizes is None})
    if order != "given":
        first = rows.numbers[0, known.argmax(axis=0), np.arange(len(rows.names))]
        by = rows.sizes if order == "size" and rows.sizes is not None else first
        chosen = chosen[np.argsort(by[chosen], kind="stable")]
    sizes = None if rows.sizes is None else rows.sizes[chosen]
    names, hollow = [rows.names[row] for row in chosen], rows.hollow[:, chosen]
    return rows._replace(names=names, numbers=rows.numbers[:, :, chosen], hollow=hollow, sizes=sizes)


def _is_of_models(groups: Any) -> bool:
    """Whether a mapping is of models, not of groups.  O(1)."""
    if not isinstance(groups, Mapping) or isinstance(groups, GroupValues):
        return False
    return bool(groups) and all(isinstance(each, Mapping | GroupValues) for each in groups.values())


def _measure_of(given: GroupValues, measure: str | None) -> str:
    """Return the name of the measure that is drawn of an evaluation, by default its only one.  O(1)."""
    refuse({f"measure must be one of {', '.join(given.values)}": measure is None and len(given.values) != 1})
    return given.measure_name(next(iter(given.values)) if measure is None else check_instance(measure, str, "measure"))


def _by_group(given: Any, measure: str | None) -> dict[str, Any]:
    """Return what is given of one model, numbers or Intervals, by the names of its groups.  O(g)."""
    if isinstance(given, GroupValues):
        given = dict(zip(given.groups.tolist(), given.values[_measure_of(given, measure)].tolist(), strict=True))
    return {str(group): value for group, value in given.items()}


def _by_model(given: Any, name: str, models: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is given of each model; raises EvaluationError if it is of other models.  O(k)."""
    if [*models] == [""] or given is None:
        return dict.fromkeys(models, next(iter(given.values())) if isinstance(given, Mapping) and given else given)
    if not isinstance(given, Mapping) or {str(model) for model in given} != {*models}:
        got = list(given) if isinstance(given, Mapping) else given
        raise EvaluationError(f"{name} must be a mapping of {', '.join(map(repr, models))}, got {shown(got)}")
    return {str(model): value for model, value in given.items()}


def _with_bounds(given: Sequence[Any], low: Any, high: Any) -> list[FloatArray]:
    """Return the estimates of a model with their bounds, NaN where there are none, (g,) each.  O(g)."""
    if any(isinstance(each, Interval) for each in given):
        if not all(isinstance(each, Interval) or (isinstance(each, float) and np.isnan(each)) for each in given):
            raise EvaluationError("estimates must be numbers, or all Intervals")
        refuse({"low and high must be left out beside Intervals, which have bounds of their own": low is not None})
        parts = [(each.estimate, each.low, each.high) if isinstance(each, Interval) else [np.nan] * 3 for each in given]
        return [*np.array(parts, np.float64).T]
    values = _as_numbers(given, "estimates")
    if low is None:
        return [values, *np.full((2, values.size), np.nan)]
    lows, highs = _as_numbers(low, "low"), _as_numbers(high, "high")
    check_equal_lengths(lows, values, "low", "estimates")
    check_equal_lengths(highs, values, "high", "estimates")
    return [values, lows, highs]


def _total(given: Any) -> float | None:
    """Return the total of a model, None if it is not defined.  O(1)."""
    if given is None:
        return None
    (total,) = _as_numbers([getattr(given, "estimate", given)], "total").tolist()
    return None if np.isnan(total) else total


def _kind(interval: Interval) -> str:
    """Return the level of an interval; bounds that hold for certain have none, but a method.  O(1)."""
    return interval.method if interval.level == 1 else f"{100 * interval.level:g}% interval"


def _as_numbers(values: Any, name: str) -> FloatArray:
    """Return numbers, perhaps NaN, as float64, shape (n,).  Raises EvaluationError for anything else.  O(n)."""
    try:
        numbers = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise EvaluationError(f"{name} must be numbers, got {shown(values)}") from None
    check(numbers.ndim == 1, name, "be one-dimensional", f"shape {numbers.shape}")
    return numbers
