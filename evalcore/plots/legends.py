"""Names of what is drawn: beside the curves where they hide none, else in a legend; and how a plot is finished.

A legend that would hide the curves stands below the axes, and the figure grows by its height.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from evalcore.optional import require
from evalcore.plots.axes import SHOWN_REFERENCES, grey, plain, settings, small
from evalcore.typing import FloatArray

_LARGE, _HUGE = 1e4, 1e12
"""Numbers between them are written in full, with separators."""
_MOST_BESIDE = 4
"""Curves that have names beside them; those of more would be a crowd."""
_BESIDE = "_beside"
"""The label of names beside curves."""
_ANCHORS = 32
"""Places along a curve where its name may stand."""
_AWAY, _CLEAR = 0.4, 0.25
"""Letters between a curve and its name, and by how much nearer the name is to it than to any other."""
_CORNERS = np.array([[1, 0], [0, 1], [1, 1], [0, 0], [0.5, 1], [0.5, 0]])
"""Where a text stands that belongs to no curve, in parts of the axes."""
_NAME = {"va": "bottom", "label": _BESIDE, "zorder": 4}
_STEP = 4.0
"""Pixels between the points of curves that names keep clear of."""
_HIDES_REFERENCE, _BELOW = 1.5, 0.2
"""What it costs to hide a reference line, and to stand below a curve, whose length is 1."""
_MOST_COLUMNS = 4
_WIDEST_BELOW = 0.9
"""Part of the space of the axes and their labels."""
_LABELS = 3.7
"""Height of the ticks and the name of an axis, in letters."""
_PADDING = 0.12
"""Inches below the legends."""
_LEGEND = {"handlelength": 1.9, "labelspacing": 0.35, "borderpad": 0.35, "columnspacing": 1.2, "frameon": False}
_GROWN: WeakKeyDictionary[Any, float] = WeakKeyDictionary()
"""By axes, the inches of their legends below them."""

Entries: TypeAlias = Sequence[tuple[Any, str]]
"""Artists and their texts."""


def legend(ax: Any, entries: Entries | None = None, *, below: bool = False) -> None:
    """Name curves, then reference lines, once more: beside them where there is space, else in a legend below the axes.

    entries: what is named instead of all that has a label; below: whether there is no space inside.  The figure grows
    by the height of the legend, so that the axes keep theirs.  Without a layout engine, that takes one row of axes; in
    other figures the legend stands inside.
    """
    if entries is None:
        found = list(zip(*ax.get_legend_handles_labels(), strict=True))
        entries = sorted(found, key=lambda entry: entry[1].startswith(SHOWN_REFERENCES))
    place, alone = ax.get_subplotspec(), hasattr(ax.figure, "set_figheight")
    if not below and named_beside(ax, entries):
        _grow(ax, 0.0)
    elif ax.figure.get_layout_engine() or (place and place.get_gridspec().nrows == 1 and alone):
        _grow(ax, _legend_below(ax, entries))
    else:
        _legend(ax, entries)


def named_beside(ax: Any, entries: Entries) -> bool:
    """Write names beside their curves, and what has no points in a free corner, unless that would hide curves.

    Earlier names and legends go.  Returns whether there was space for all.  O(entries x points of curves).
    """
    for old in [text for text in ax.texts if text.get_label() == _BESIDE]:
        old.remove()
    if ax.get_legend() is not None:
        ax.get_legend().remove()
    if sum(not text.startswith(SHOWN_REFERENCES) for _, text in entries) > _MOST_BESIDE:
        return False
    ax.apply_aspect()
    data, references = _obstacles(ax)
    middle = ax.transData.inverted().transform(ax.transAxes.transform((0.5, 0.5)))
    taken, written = [text.get_window_extent().extents for text in ax.texts], list[Any]()
    for artist, text in sorted(entries, key=lambda entry: not _points(entry[0]).size):
        hidden = text.startswith(SHOWN_REFERENCES)
        style = {"color": grey()} if hidden else {}
        near = [each for key, each in (references if hidden else data).items() if key is not artist]
        near += [*data.values()] * hidden
        for ways in dict.fromkeys([text, text.replace(", ", "\n", 1), text.replace("\n", ", ")]):
            made = ax.text(*middle, ways, **{**_NAME, **style}, fontsize=small())
            written.append(made)
            size = made.get_window_extent().size
            behind = () if hidden else tuple(references.values())
            place = _place(ax, _points(artist), size, (near, behind), taken)
            if place is not None:
                break
            written.pop().remove()
        else:
            for each in written:
                each.remove()
            return False
        taken.append(np.concatenate([place, place + size]))
        made.set_position(ax.transData.inverted().transform(place))  # moves with its curve when the limits change
        made.set_bbox({"facecolor": ax.get_facecolor(), "linewidth": 0, "pad": 0.5, "alpha": 0.7})
    return True


def _obstacles(ax: Any) -> tuple[dict[Any, FloatArray], dict[Any, FloatArray]]:
    """Return the points of the curves, and those of lines that names may hide, in pixels, (p, 2) each.  O(points)."""
    found: tuple[dict[Any, FloatArray], dict[Any, FloatArray]] = {}, {}
    box = ax.get_window_extent()
    for patch in ax.patches:
        if patch.get_label() != "_band":
            found[0][patch] = _within(_points(patch), box)
    for line in ax.get_lines():
        unnamed = line.get_label().startswith(("_", *SHOWN_REFERENCES)) and len(line.get_xdata()) > 1
        found[unnamed or line.is_dashed()][line] = _within(_points(line), box)
    for lines in ax.collections:
        if hasattr(lines, "get_segments") and not lines.get_label().startswith("_F1"):
            ends = [lines.get_transform().transform(each) for each in lines.get_segments()]
            found[0][lines] = _within(np.concatenate([np.empty((0, 2)), *map(_dense, ends)]), box)
    return found


def _points(artist: Any) -> FloatArray:
    """Return points along a line or an outline in pixels, (p, 2), none of what is only in the legend.  O(points)."""
    path = artist.get_path().vertices
    points = artist.get_transform().transform(path[np.isfinite(path).all(axis=1)])
    return _dense(np.asarray(points[np.isfinite(points).all(axis=1)]))


def _dense(points: FloatArray) -> FloatArray:
    """Return points along the lines between some, (p, 2) each."""
    if len(points) < 2:
        return points.reshape(-1, 2)
    along = np.concatenate([[0.0], np.hypot(*np.diff(points, axis=0).T).cumsum()])
    at = np.linspace(0.0, along[-1], min(int(along[-1] / _STEP), 5000) + 2)
    return np.stack([np.interp(at, along, column) for column in points.T], axis=1)


def _within(points: FloatArray, box: Any) -> FloatArray:
    """Return the points within a box, (p, 2)."""
    return np.asarray(points[((points >= box.min - 1) & (points <= box.max + 1)).all(axis=1)])


def _place(
    ax: Any, curve: FloatArray, size: FloatArray, around: tuple[Sequence[FloatArray], Sequence[FloatArray]], taken: Any
) -> FloatArray | None:
    """Return the lower left corner of a text in pixels, or None if it has no place.

    curve: the points beside which it stands, none for a corner; around: points that it may not be near to, and points
    that it should not hide; taken: the ends of other texts, (4,) each.
    """
    box = ax.get_window_extent()
    letter, own = settings()["font.size"] * ax.figure.dpi / 72, _within(curve, box)
    away, clear = _AWAY * letter, _CLEAR * letter
    if own.size:
        (width, height), beside = size, [-size[0] / 2, away / 2, -size[0] - away / 2]
        shifts = np.array([[x, y] for y in (away, -away - height) for x in beside])
        shifts = np.concatenate([shifts, [[away, -height / 2], [-width - away, -height / 2]]])
        anchors = own[np.linspace(len(own) - 1, 0, _ANCHORS).astype(int)]
        corners = (anchors[:, np.newaxis] + shifts).reshape(-1, 2)
        costs = (np.linspace(0, 1, _ANCHORS)[:, np.newaxis] + _BELOW * (shifts[:, 1] < 0)).ravel()
    else:
        corners = box.min + away + (box.size - size - 2 * away) * _CORNERS
        costs = np.linspace(0, 1, len(corners))
    free = ((corners >= box.min + 1) & (corners + size <= box.max - 1)).all(axis=1)
    for left, bottom, right, top in taken:
        free &= ~((corners < (right + 2, top + 1)) & (corners + size > (left - 2, bottom - 1))).all(axis=1)
    corners, costs, (near, behind) = corners[free], costs[free], around
    distance = _distances(own, corners, size) if own.size else np.full(len(corners), away)
    costs = np.where(distance >= 0.5 * away, costs, np.inf)
    for points in near:
        costs[_distances(points, corners, size) < distance + clear * (own.size > 0)] = np.inf
    for points in behind:
        costs += _HIDES_REFERENCE * (_distances(points, corners, size) < 1)
    return np.asarray(corners[costs.argmin()]) if np.isfinite(costs).any() else None


def _distances(points: FloatArray, corners: FloatArray, size: FloatArray) -> FloatArray:
    """Return how far the nearest of some points, (p, 2), is from each box, (m,).  O(m p)."""
    if not points.size:
        return np.full(len(corners), np.inf)
    outside = (np.maximum(corner[:, np.newaxis] - axis, 0.0) + np.maximum(axis - corner[:, np.newaxis] - length, 0.0)
               for corner, axis, length in zip(corners.T, points.T, size, strict=True))  # fmt: skip
    across, up = outside
    return np.asarray(np.sqrt((across * across + up * up).min(axis=1)))


def _legend(ax: Any, entries: Entries, **where: Any) -> Any:
    handles, labels = zip(*entries, strict=True)
    return ax.legend(handles, labels, **{"fontsize": small(), **_LEGEND, **where})


def _legend_below(ax: Any, entries: Entries) -> float:
    """Put a legend below the axes, in as many columns as fit, and return its height in inches."""
    moved = require("matplotlib.transforms", "plots").ScaledTranslation
    figure, place = ax.figure, ax.get_subplotspec()
    width = _WIDEST_BELOW * figure.bbox.width / (place.get_gridspec().ncols / len(place.colspan) if place else 1)
    labels = _LABELS + 1.2 * ax.get_xlabel().count("\n")
    down = moved(0, -labels * settings()["font.size"] / 72, figure.dpi_scale_trans)
    where = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0), "bbox_transform": ax.transAxes + down}
    for columns in range(min(_MOST_COLUMNS, len(entries)), 0, -1):
        made = _legend(ax, entries, **where, ncols=columns, borderaxespad=0.0)
        if made.get_window_extent().width <= width:
            break
    return float(made.get_window_extent().height / figure.dpi + _PADDING)


def _grow(ax: Any, height: float) -> None:
    """Let a figure be this many inches higher than without legends: the highest one counts."""
    figure, engine = ax.figure, ax.figure.get_layout_engine()
    before = max(_GROWN.get(each, 0.0) for each in figure.axes)
    _GROWN[ax] = height
    grown = max(_GROWN.get(each, 0.0) for each in figure.axes) - before
    kept = require("matplotlib.layout_engine", "plots").PlaceHolderLayoutEngine
    if not grown or not hasattr(figure, "set_figheight") or isinstance(engine, kept):
        return
    earlier, sides = figure.get_figheight(), figure.subplotpars
    figure.set_figheight(earlier + grown)
    if engine is None:
        bottom, top = ((side * earlier + grown) / (earlier + grown) for side in (sides.bottom, sides.top))
        figure.subplots_adjust(bottom=bottom, top=top)


def finished(ax: Any, title: str | None, percent: Sequence[Any] = (), *, named: bool = False) -> Any:
    """Name the curves if `named`, write the title if there is one, and return the axes.

    percent: axes whose numbers are written in percent.  Lines at the top and at the right go.
    """
    if named:
        legend(ax)
    ax.spines[["top", "right"]].set_visible(False)
    ticker = require("matplotlib.ticker", "plots")
    if _LARGE <= max(map(abs, ax.get_xlim())) < _HUGE:
        ax.xaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,.10g}"))
    if title is not None:
        ax.set_title(plain(title))
    for axis in percent:
        axis.set_major_formatter(ticker.PercentFormatter(1.0))
    return ax
