"""Axes, colours, curves and reference lines: what all plots share.

A solid line is data, a dashed one is something to compare it with: chance, a prevalence, a threshold, a total.  Models
are told apart by their colours and names, and from the ninth on by markers too.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from textwrap import wrap
from threading import RLock
from typing import Any, Literal, NamedTuple

import numpy as np

from evalcore.kernels.shapes import Line, steps, thinned
from evalcore.optional import require
from evalcore.text_tables import number_text
from evalcore.typing import BandKind, FloatArray
from evalcore.validation.values import check_attribute

COLOURS = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#802FFE", "#746371", "#B0432A", "#9C80F7"
"""Colours of eight models.  Each has a contrast of at least 3:1 with white and with the black of dark pages, #1b1b1b.

The first four are Okabe and Ito's.  Their other four are too light for white, or too dark for a dark page.  The last
four here are as far from the others, for any colour vision, as Okabe and Ito's are from each other.
Sources: M. Okabe and K. Ito, Color universal design (2008); WCAG 2.2, 1.4.11.
"""
MARKERS = "o", "s", "^", "D", "v", "P", "X"
"""One for each further use of the colours, so that more than eight models differ at a glance; or one for each model."""
SHOWN_REFERENCES = "prevalence ", "treat ", "band: "
"""Reference lines whose labels begin so are in the legend."""
_MOST_WITH_DECIMALS = 1e5
"""Sums of weights from here on are written without decimals."""
_WIDEST_NAME = 25
"""Letters; longer names go on in the next line."""
_MOST_LETTERS = 70
"""Of a name; the middle of longer ones is left out."""
_STYLING = RLock()
"""Held while matplotlib's settings, of which a process has one set, are those of one plot, and to read them."""
_REFERENCE = {"linestyle": "--", "linewidth": 0.9, "zorder": 1}
_BAND = {"linestyle": "-", "linewidth": 7.0, "alpha": 0.35}
"""The line that stands for a band in a legend: thicker than the line of a curve."""
FEW = 1000
"""A curve with at most this many points is drawn whole, so that markers stand on the points."""


class Curve(NamedTuple):
    """A curve to draw, and its text in the legend."""

    line: Line
    text: str
    name: str = ""
    """Of the model, for the note on curves that lie exactly under it."""
    band: tuple[FloatArray, FloatArray] | None = None
    """The outline of an area around the curve."""
    point: tuple[float, float] | None = None
    """Of a threshold."""
    dot: tuple[str, float, float] | None = None
    """The label of a point of note, and where it is; dots lie over all curves."""


def axes_of(ax: Any, height: float = 0.0, width: float = 0.0) -> Any:
    """Return the given axes, or the axes of a new figure that has at least this height and width, in inches."""
    if ax is not None:
        return check_attribute(ax, "add_line", "ax", "; pass one Axes, such as axes[0] of several")
    usual = settings()["figure.figsize"]
    return require("matplotlib.pyplot", "plots").subplots(
        figsize=(max(usual[0], width), max(usual[1], height)), layout="constrained"
    )[1]


def settings() -> Any:
    """Return matplotlib's settings, without pyplot, which is slow to import; or raise MissingLibraryError."""
    return require("matplotlib", "plots").rcParams


def small() -> float:
    """Return the size of names and notes in points: nine tenths of that of other text.  O(1)."""
    return 0.9 * float(settings()["font.size"])


@contextmanager
def styled(own: Mapping[str, Any]) -> Iterator[None]:
    """Draw with settings of one's own, in one thread at a time."""
    with _STYLING, require("matplotlib", "plots").rc_context(own):
        yield


@contextmanager
def in_styles(numbers: Sequence[int]) -> Iterator[None]:
    """Draw curves in the styles of these numbers, in turn, rather than of the first ones, in one thread at a time."""
    own = {"color": [nth_style(number)["color"] for number in numbers]}
    leading = list(numbers) == list(range(len(numbers)))
    with styled({} if leading else {"axes.prop_cycle": require("matplotlib", "plots").cycler(**own)}):
        yield


def style(ax: Any) -> dict[str, Any]:
    """Return the style of the next curve on some axes.  Only curves that have a name count.  O(lines)."""
    return nth_style(sum(not str(line.get_label()).startswith(("_", *SHOWN_REFERENCES)) for line in ax.get_lines()))


def nth_style(number: int) -> dict[str, Any]:
    """Return the style of a curve by its number: the palette's, or that of the cycle in rcParams.  O(1).

    From the ninth curve the colours repeat with markers.
    """
    again, given = number // len(COLOURS), _cycle_given()
    if given is not None:
        return {"linestyle": "-", **given[number % len(given)]}
    own = {"color": COLOURS[number % len(COLOURS)], "linestyle": "-"}
    marker = MARKERS[(again - 1) % len(MARKERS)]
    return {**own, "marker": marker, "markevery": 0.1, "markersize": 4} if again else own


def _cycle_given() -> list[dict[str, Any]] | None:
    """Return the property cycle of rcParams, or None if it is matplotlib's default or that of a dark background."""
    matplotlib = require("matplotlib", "plots")
    with _STYLING:
        cycle = matplotlib.rcParams["axes.prop_cycle"]
    usual = matplotlib.rcParamsDefault, require("matplotlib.style", "plots").library["dark_background"]
    return None if any(cycle == each["axes.prop_cycle"] for each in usual) else list(cycle)


def grey() -> tuple[str, float]:
    """Return the colour of what stands behind the curves: the colour of text, halfway to the background.  O(1)."""
    return require("matplotlib", "plots").rcParams["text.color"], 0.6


def thinned_curve(x: FloatArray, y: FloatArray, *, width: float, height: float, thin: bool) -> Line:
    """Return a curve of p points, thinned if `thin` and it has many; see `thinned`.  O(p)."""
    return thinned(x, y, width, height) if thin and x.size > FEW else Line(x, y)


def thinned_step_curve(x: FloatArray, y: FloatArray, start: float, *, width: float, thin: bool) -> Line:
    """Return p steps, thinned if `thin` and there are many; see `thinned`.  O(p)."""
    return thinned(x, y, width, 1.0, start) if thin and x.size > FEW else steps(x, y, start)


_BLANKS = dict.fromkeys({*range(32), *range(127, 160)} - {ord("\n")}, " ")


def plain(name: Any) -> str:
    """Escape a name so that matplotlib shows it as it is: no dollar starts a formula, no underscore hides it.

    Tabs and other characters of control but ends of lines, which no font has, are blanks.

    >>> plain("a" + chr(9) + "b"), plain("_late")
    ('a b', ' _late')
    """
    text = str(name).translate(_BLANKS).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def draw(ax: Any, curves: Sequence[Curve], line: dict[str, Any]) -> Any:
    """Draw curves, each in its own style unless `line` says otherwise, on axes or in a new figure; return the axes.

    A band has the label "_band", a point has "_threshold", a dot its own.
    """
    ax, lines = axes_of(ax), []
    for index, curve in enumerate(curves):
        text = curve.text + hidden_note(curve, curves[:index])
        (drawn,) = ax.plot(*curve.line, **merged(style(ax), line), label=plain(text))
        lines.append(drawn)
        colour = drawn.get_color()
        if curve.band is not None:
            ax.fill(*curve.band, color=colour, alpha=0.2, linewidth=0, label="_band")
        if curve.point is not None:
            edge = {"markeredgecolor": settings()["text.color"], "zorder": 3}
            ax.plot(*curve.point, marker="o", markersize=6, color=colour, **edge, label="_threshold")
    for drawn, curve in zip(lines, curves, strict=True):
        if curve.dot is not None:
            label, *place = curve.dot
            ax.plot(*place, marker="o", markersize=4, color=drawn.get_color(), label=label)
    return ax


def hidden_note(curve: Curve, earlier: Sequence[Curve]) -> str:
    """Say which earlier model has exactly the same curve, since nobody can see both; "" if none has.  O(points)."""
    for other in earlier:
        if curve.line.x.size and all(map(np.array_equal, curve.line, other.line)):
            return f"\n(same curve as {other.name or other.text})"
    return ""


def merged(own: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Replace chosen properties by given ones, which may have matplotlib's short names."""
    short = {"c": "color", "ls": "linestyle", "lw": "linewidth"}
    return {**own, **{short.get(name, name): value for name, value in given.items()}}


def reference(ax: Any, name: str, x: Any, y: Any, **line: Any) -> None:
    """Draw a thin dashed grey line behind the curves, once per name, named only if in `SHOWN_REFERENCES`."""
    label = name if name.startswith(SHOWN_REFERENCES) else f"_{name}"
    if all(other.get_label() != label for other in ax.get_lines()):
        ax.plot(x, y, **{"color": grey(), "label": label, **_REFERENCE, **line})


def band_reference(ax: Any, kind: BandKind | Literal["calibrated"] | None, level: float) -> None:
    """Say in the legend what a band holds: true curves, or those that calibrated probabilities would have.  O(1)."""
    if kind is not None:
        text = f"{number_text(100 * level)}%"
        held = {"simultaneous": f"{text} of whole curves", "calibrated": f"{text} if calibrated"}
        name = f"band: {held.get(kind, f'pointwise {text}')}"
        reference(ax, name, [], [], **_BAND)


def outline(x: FloatArray, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the outline of a band from low[i] to high[i] at x[i], (p,) each: along the top, and back below.  O(p)."""
    return np.concatenate([x, x[::-1]]), np.concatenate([high, low[::-1]])


def note(ax: Any, x: float, y: float, text: str, **options: Any) -> None:
    """Write small grey text behind the curves, at a point of the data."""
    ax.text(x, y, text, **{"color": grey(), "fontsize": small(), "zorder": 1.5, **options})


def unit_axes(ax: Any, x: str, y: str) -> None:
    """Let both axes go from 0 to 1 in a square, and name them."""
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), xlabel=x, ylabel=y)
    ax.set_box_aspect(1)


def legend_text(name: str, *numbers: str, below: bool = False) -> str:
    """Join a name and its numbers, without the empty ones.

    below: whether numbers stand below the name, as they do below one of several lines.

    >>> legend_text("boosting", "AUC = 0.732"), legend_text("", "AUC = 0.732")
    ('boosting, AUC = 0.732', 'AUC = 0.732')
    >>> legend_text("boosting_on_every_column_of_2008", "AUC = 0.732").splitlines()
    ['boosting_on_every_column_', 'of_2008', 'AUC = 0.732']
    """
    lines = wrapped(name)
    return ("\n" if below or "\n" in lines else ", ").join(part for part in (lines, *numbers) if part)


def wrapped(name: str) -> str:
    """Break a name into lines of at most 25 letters.  O(letters)."""
    return "\n".join(wrap(shortened(name, _MOST_LETTERS), _WIDEST_NAME, replace_whitespace=False)) or name


def shortened(name: str, longest: int) -> str:
    """Return a name without the middle if it has more letters than `longest`.  O(letters).

    >>> shortened("Northern Mockingbird, Mimus polyglottos", 25)
    'Northern Mockin…lyglottos'
    """
    first = longest * 2 // 3
    return name if len(name) <= longest else f"{name[: first - 1]}…{name[first - longest :]}"


def empty_curve(name: str, *numbers: str) -> Curve:
    """Return a curve without points."""
    return Curve(Line(np.empty(0), np.empty(0)), legend_text(name, *numbers), name)


def count_text(count: float) -> str:
    """Return a count, or a sum of weights, with separators.  O(1).

    >>> count_text(4500150.0), count_text(12.25), count_text(131072.375)
    ('4,500,150', '12.25', '131,072')
    """
    if float(count).is_integer():
        return f"{int(count):,}"
    return f"{count:,.6g}" if count < _MOST_WITH_DECIMALS else f"{count:,.0f}"
