"""Axes, colours, legends and reference lines: what all pictures share."""

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
"""That people of any colour vision tell apart, without the yellow, which is too light for lines.

Source: M. Okabe and K. Ito, Color universal design (2008).
"""
DASHES = "-", "--", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (3, 1, 1, 1))
"""One for each colour, so that a print in grey tells curves apart too."""
SHOWN_REFERENCES = ("prevalence ",)
"""How the labels begin of reference lines that are in the legend."""
GREY = "0.45"
SMALL, SMALLER = "small", "x-small"
_MOST_INSIDE = 6
"""Entries of a legend that leave room for curves."""
FEW = 1000
"""Points up to which a curve is drawn whole: markers then stand where the points are."""


class Curve(NamedTuple):
    """A curve to be drawn, and what the legend says of it."""

    line: Line
    text: str


def axes_of(ax: Any, height: float = 0.0) -> Any:
    """Return the axes given, or those of a new figure, which is at least so many inches high.

    Raises MissingLibraryError where matplotlib is missing, EvaluationTypeError for what are no axes.

    >>> from matplotlib.figure import Figure
    >>> ax = Figure().add_subplot()
    >>> axes_of(ax) is ax
    True
    """
    if ax is not None:
        return check_attribute(ax, "add_line", "ax", "; pass one Axes, such as axes[0] of several")
    own = pyplot()
    width, usual = own.rcParams["figure.figsize"]
    return own.subplots(figsize=(width, max(usual, height)), layout="constrained")[1]


def pyplot() -> Any:
    """Return the module matplotlib.pyplot.  Raises MissingLibraryError where matplotlib is missing.

    >>> pyplot().__name__
    'matplotlib.pyplot'
    """
    return require("matplotlib.pyplot", "plots")


def style(ax: Any) -> dict[str, Any]:
    """Return colour and dashes for the next curve of some axes: the palette's, or the cycle that rcParams were given.

    Curves count if they are in the legend, and no `reference`.  O(lines).

    >>> from matplotlib.figure import Figure
    >>> style(Figure().add_subplot())
    {'color': '#0072B2', 'linestyle': '-'}
    """
    return nth_style(sum(not str(line.get_label()).startswith(("_", *SHOWN_REFERENCES)) for line in ax.get_lines()))


def nth_style(number: int) -> dict[str, Any]:
    """Return colour and dashes of a curve by its number.  O(1).

    >>> nth_style(1)
    {'color': '#D55E00', 'linestyle': '--'}
    """
    dashes = DASHES[(number + number // len(COLOURS)) % len(DASHES)]  # shifts when colours come again
    given = _cycle_given()
    if given is None:
        return {"color": COLOURS[number % len(COLOURS)], "linestyle": dashes}
    return {"linestyle": dashes, **given[number % len(given)]}


def _cycle_given() -> list[dict[str, Any]] | None:
    """Return the styles of curves that rcParams hold, None for those that come with matplotlib."""
    matplotlib = require("matplotlib", "plots")
    cycle = matplotlib.rcParams["axes.prop_cycle"]
    return None if cycle == matplotlib.rcParamsDefault["axes.prop_cycle"] else list(cycle)


def filled(color: Any, linestyle: Any, **rest: Any) -> dict[str, Any]:
    """Return the style of a histogram whose outline is in the style of a curve.

    >>> filled("k", "--")
    {'facecolor': ('k', 0.25), 'edgecolor': 'k', 'linestyle': '--', 'linewidth': 1.2}
    """
    return {"facecolor": (color, 0.25), "edgecolor": color, "linestyle": linestyle, "linewidth": 1.2, **rest}


def curve(x: FloatArray, y: FloatArray, *, width: float, height: float, thin: bool) -> Line:
    """Return a curve as it is drawn: thinned if that is asked for and it has many points; see `thinned`.  O(p).

    >>> import numpy as np
    >>> curve(*np.array([[0.0, 0.5, 1.0], [0.0, 0.5, 1.0]]), width=1.0, height=1.0, thin=True).x
    array([0. , 0.5, 1. ])
    """
    return thinned(x, y, width, height) if thin and x.size > FEW else Line(x, y)


def step_curve(x: FloatArray, y: FloatArray, start: float, *, width: float, height: float, thin: bool) -> Line:
    """Return steps as they are drawn: thinned if that is asked for and there are many; see `thinned_steps`.  O(p).

    >>> import numpy as np
    >>> step_curve(*np.array([[0.5, 1.0], [1.0, 0.5]]), 0.0, width=1.0, height=1.0, thin=True).x
    array([0. , 0.5, 0.5, 1. ])
    """
    return thinned_steps(x, y, start, width, height) if thin and x.size > FEW else steps(x, y, start)


def plain(name: Any) -> str:
    r"""Return a name as matplotlib shows it letter by letter: dollars are no mathematics, a first underscore hides not.

    >>> plain("_$cost$")
    ' _\\$cost\\$'
    """
    text = str(name).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def draw(ax: Any, curves: list[Curve], line: dict[str, Any]) -> list[Any]:
    """Add curves to some axes, each in a style of its own but for what is given; return their lines.

    >>> from matplotlib.figure import Figure
    >>> draw(Figure().add_subplot(), [Curve(Line([0, 1], [0, 1]), "model")], {"color": "k"})[0].get_label()
    'model'
    """
    return [ax.plot(*curve.line, **_merged(style(ax), line), label=plain(curve.text))[0] for curve in curves]


def _merged(own: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Replace what was chosen by what is given, under matplotlib's short names too."""
    short = {"c": "color", "ls": "linestyle", "lw": "linewidth"}
    return {**own, **{short.get(name, name): value for name, value in given.items()}}


def reference(ax: Any, name: str, x: Any, y: Any, **line: Any) -> None:
    """Add a thin grey line behind the curves, once for each name; unless of `SHOWN_REFERENCES`, not in the legend.

    >>> from matplotlib.figure import Figure
    >>> ax = Figure().add_subplot()
    >>> for _ in range(2):
    ...     reference(ax, "chance", [0, 1], [0, 1])
    >>> [line.get_label() for line in ax.get_lines()]
    ['_chance']
    """
    label = name if name.startswith(SHOWN_REFERENCES) else f"_{name}"
    if all(other.get_label() != label for other in ax.get_lines()):
        ax.plot(x, y, **{"color": GREY, "linestyle": ":", "linewidth": 0.8, "zorder": 1, "label": label, **line})


def note(ax: Any, x: float, y: float, text: str, **options: Any) -> None:
    """Write small and grey, behind the curves, at a point of the data.

    >>> from matplotlib.figure import Figure
    >>> ax = Figure().add_subplot()
    >>> note(ax, 0.5, 0.5, "chance")
    >>> ax.texts[0].get_text()
    'chance'
    """
    ax.text(x, y, text, **{"color": GREY, "fontsize": SMALLER, "zorder": 1.5, **options})


def unit_axes(ax: Any, x: str, y: str) -> None:
    """Make both axes go from 0 to 1, in a square, and name them.

    >>> from matplotlib.figure import Figure
    >>> ax = Figure().add_subplot()
    >>> unit_axes(ax, "recall", "precision")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('recall', 'precision')
    """
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), xlabel=x, ylabel=y)
    ax.set_box_aspect(1)


def legend(ax: Any, place: str = "best") -> None:
    """Add or renew the legend, if any line has a text for it: curves first, then reference lines.

    A long one stands beside the axes, where a layout engine makes room.

    >>> from matplotlib.figure import Figure
    >>> ax = Figure().add_subplot()
    >>> legend(ax)
    >>> ax.get_legend() is None
    True
    """
    entries = list(zip(*ax.get_legend_handles_labels(), strict=True))
    if not entries:
        return
    entries.sort(key=lambda entry: entry[1].startswith(SHOWN_REFERENCES))
    handles, labels = zip(*entries, strict=True)
    where: dict[str, Any] = {"loc": place}
    if len(entries) > _MOST_INSIDE and ax.figure.get_layout_engine() is not None:  # one that makes room
        where = {"loc": "upper left", "bbox_to_anchor": (1.14 if ax.texts else 1.02, 1.0), "borderaxespad": 0.0}
        ax.set_box_aspect(None)  # layouts make no room beside a square
    ax.legend(handles, labels, **where, fontsize=SMALL, handlelength=1.9, labelspacing=0.35, borderpad=0.35)


def texts(*parts: str) -> str:
    """Join what a legend says of a curve, leaving out what is empty.

    >>> texts("boosting", "AUC = 0.732"), texts("", "AUC = 0.732")
    ('boosting, AUC = 0.732', 'AUC = 0.732')
    """
    return ", ".join(part for part in parts if part)


def empty(*parts: str) -> Curve:
    """Return a curve of no points.

    >>> empty("model", "AUC undefined").text
    'model, AUC undefined'
    """
    return Curve(Line(np.empty(0), np.empty(0)), texts(*parts))


def warn_undefined(why: str) -> None:
    """Warn, with UndefinedMetricWarning, why a curve is left empty; the line blamed is the one that asked for a plot.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_undefined("no positive cases")
    >>> caught[0].category.__name__
    'UndefinedMetricWarning'
    """
    frame, level = currentframe(), 1
    while frame is not None and frame.f_globals.get("__name__", "").startswith("evalcore."):
        frame, level = frame.f_back, level + 1
    warnings.warn(why, UndefinedMetricWarning, stacklevel=level)
