"""Axes, colours, legends and reference lines: what all plots share."""

import warnings
from inspect import currentframe
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import UndefinedMetricWarning
from evalcore.kernels.thinning import Line, steps, thinned, thinned_steps
from evalcore.optional import require
from evalcore.typing import FloatArray
from evalcore.validation.single_values import check_attribute

COLOURS = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"
"""Colours that people with any colour vision can tell apart, without the yellow, which is too light for lines.

Source: M. Okabe and K. Ito, Color universal design (2008).
"""
DASHES = "-", "--", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (3, 1, 1, 1))
"""One for each colour, so that curves differ in a grey print too."""
SHOWN_REFERENCES = ("prevalence ",)
"""Reference lines whose labels begin so are in the legend."""
GREY = "0.45"
SMALL, SMALLER = "small", "x-small"
_MOST_INSIDE = 6
"""A legend with more entries would hide the curves."""
FEW = 1000
"""A curve with at most this many points is drawn whole, so that markers stand on the points."""


class Curve(NamedTuple):
    """A curve to draw, and its text in the legend."""

    line: Line
    text: str


def axes_of(ax: Any, height: float = 0.0, width: float = 0.0) -> Any:
    """Return the given axes, or those of a new figure that is at least so many inches high and wide."""
    if ax is not None:
        return check_attribute(ax, "add_line", "ax", "; pass one Axes, such as axes[0] of several")
    own = pyplot()
    usual = own.rcParams["figure.figsize"]
    return own.subplots(figsize=(max(usual[0], width), max(usual[1], height)), layout="constrained")[1]


def pyplot() -> Any:
    """Import matplotlib.pyplot, or raise MissingLibraryError."""
    return require("matplotlib.pyplot", "plots")


def style(ax: Any) -> dict[str, Any]:
    """Return colour and dashes for the next curve on some axes.  Only curves in the legend count.  O(lines)."""
    return nth_style(sum(not str(line.get_label()).startswith(("_", *SHOWN_REFERENCES)) for line in ax.get_lines()))


def nth_style(number: int) -> dict[str, Any]:
    """Return colour and dashes of a curve by its number: the palette's, or those of the cycle in rcParams.  O(1)."""
    dashes = DASHES[(number + number // len(COLOURS)) % len(DASHES)]  # shifts when the colours repeat
    given = _cycle_given()
    if given is None:
        return {"color": COLOURS[number % len(COLOURS)], "linestyle": dashes}
    return {"linestyle": dashes, **given[number % len(given)]}


def _cycle_given() -> list[dict[str, Any]] | None:
    """Return the property cycle of rcParams, or None if it is matplotlib's default."""
    matplotlib = require("matplotlib", "plots")
    cycle = matplotlib.rcParams["axes.prop_cycle"]
    return None if cycle == matplotlib.rcParamsDefault["axes.prop_cycle"] else list(cycle)


def filled(color: Any, linestyle: Any, **rest: Any) -> dict[str, Any]:
    """Return the style of a histogram that matches a curve."""
    return {"facecolor": (color, 0.25), "edgecolor": color, "linestyle": linestyle, "linewidth": 1.2, **rest}


def thinned_curve(x: FloatArray, y: FloatArray, *, width: float, height: float, thin: bool) -> Line:
    """Return a curve of p points, thinned if `thin` and it has many; see `thinned`.  O(p)."""
    return thinned(x, y, width, height) if thin and x.size > FEW else Line(x, y)


def thinned_step_curve(x: FloatArray, y: FloatArray, start: float, *, width: float, height: float, thin: bool) -> Line:
    """Return p steps, thinned if `thin` and there are many; see `thinned_steps`.  O(p)."""
    return thinned_steps(x, y, start, width, height) if thin and x.size > FEW else steps(x, y, start)


def plain(name: Any) -> str:
    """Escape a name so that matplotlib shows it as it is: no dollar starts a formula, no underscore hides it."""
    text = str(name).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def draw(ax: Any, curves: list[Curve], line: dict[str, Any]) -> list[Any]:
    """Draw curves, each in its own style unless `line` says otherwise, and return their lines."""
    return [ax.plot(*curve.line, **_merged(style(ax), line), label=plain(curve.text))[0] for curve in curves]


def _merged(own: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Replace chosen properties by given ones, which may have matplotlib's short names."""
    short = {"c": "color", "ls": "linestyle", "lw": "linewidth"}
    return {**own, **{short.get(name, name): value for name, value in given.items()}}


def reference(ax: Any, name: str, x: Any, y: Any, **line: Any) -> None:
    """Draw a thin grey line behind the curves, once per name, in the legend only if in `SHOWN_REFERENCES`."""
    label = name if name.startswith(SHOWN_REFERENCES) else f"_{name}"
    if all(other.get_label() != label for other in ax.get_lines()):
        ax.plot(x, y, **{"color": GREY, "linestyle": ":", "linewidth": 0.8, "zorder": 1, "label": label, **line})


def note(ax: Any, x: float, y: float, text: str, **options: Any) -> None:
    """Write small grey text behind the curves, at a point of the data."""
    ax.text(x, y, text, **{"color": GREY, "fontsize": SMALLER, "zorder": 1.5, **options})


def unit_axes(ax: Any, x: str, y: str) -> None:
    """Let both axes go from 0 to 1 in a square, and name them."""
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), xlabel=x, ylabel=y)
    ax.set_box_aspect(1)


def legend(ax: Any, location: str = "best") -> None:
    """Add or renew the legend: curves, then reference lines.  A long one stands beside the axes if a layout allows."""
    entries = list(zip(*ax.get_legend_handles_labels(), strict=True))
    if not entries:
        return
    entries.sort(key=lambda entry: entry[1].startswith(SHOWN_REFERENCES))
    handles, labels = zip(*entries, strict=True)
    where: dict[str, Any] = {"loc": location}
    if len(entries) > _MOST_INSIDE and ax.figure.get_layout_engine() is not None:  # which can make space
        where = {"loc": "upper left", "bbox_to_anchor": (1.14 if ax.texts else 1.02, 1.0), "borderaxespad": 0.0}
        ax.set_box_aspect(None)  # layouts make no space beside a square
    ax.legend(handles, labels, **where, fontsize=SMALL, handlelength=1.9, labelspacing=0.35, borderpad=0.35)


def legend_text(*parts: str) -> str:
    """Join the parts of a legend entry, without the empty ones."""
    return ", ".join(part for part in parts if part)


def empty_curve(*parts: str) -> Curve:
    """Return a curve without points."""
    return Curve(Line(np.empty(0), np.empty(0)), legend_text(*parts))


def warn_undefined(why: str) -> None:
    """Issue an UndefinedMetricWarning that points at the line which asked for the plot."""
    frame, level = currentframe(), 1
    while frame is not None and frame.f_globals.get("__name__", "").startswith("evalcore."):
        frame, level = frame.f_back, level + 1
    warnings.warn(why, UndefinedMetricWarning, stacklevel=level)
