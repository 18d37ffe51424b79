"""Keywords of plots that matplotlib is handed: checked before anything is computed or drawn."""

from collections.abc import Callable, Mapping
from functools import cache
from inspect import Parameter, signature
from typing import Any

from evalcore.errors import EvaluationError, EvaluationTypeError, did_you_mean, shown
from evalcore.optional import require

_OWN = {"data", "figure", "label", "xdata", "ydata"}
"""Properties of lines that plots decide themselves."""


def check_line(plot: Callable[..., Any], line: Mapping[str, Any]) -> None:
    """Check the properties of lines that a plot was given.  O(properties).

    Raises EvaluationTypeError for a name that is none, EvaluationError for a value that matplotlib refuses, and
    MissingLibraryError where matplotlib is missing.

    >>> from evalcore.plots import plot_det
    >>> check_line(plot_det, {"colour": "red"})
    Traceback (most recent call last):
    evalcore.errors.EvaluationTypeError: plot_det() has no keyword 'colour'; did you mean 'color' or 'gapcolor'? \
It takes ax, label, pos_label, sample_weight, thin, and properties of matplotlib's lines, such as color and linewidth
    """
    if not line:
        return
    lines = require("matplotlib.lines", "plots")
    for name, value in line.items():
        if name not in _properties():
            own = [each.name for each in signature(plot).parameters.values() if each.kind == Parameter.KEYWORD_ONLY]
            near = did_you_mean(name, [*own, *sorted(filter(_is_long, _properties()))]) or "."
            raise EvaluationTypeError(
                f"{plot.__name__}() has no keyword {name!r}{near} It takes {', '.join(own)}, and properties of "
                "matplotlib's lines, such as color and linewidth"
            )
        try:
            lines.Line2D([], [], **{name: value})
        except (TypeError, ValueError) as error:
            raise _refused(name, "what matplotlib takes for a line", value, error) from error


def check_colour(name: str, value: Any) -> None:
    """Raise EvaluationError for what are no colours, MissingLibraryError where matplotlib is missing.  O(1).

    >>> check_colour("color", "C0")
    """
    if value is None:  # the next of the cycle
        return
    try:
        require("matplotlib.colors", "plots").to_rgba_array(value)
    except (TypeError, ValueError) as error:
        raise _refused(name, "a colour", value, error) from error


def check_colour_map(name: str, value: Any) -> None:
    """Raise EvaluationError for the name of no map of colours, MissingLibraryError where matplotlib is missing.  O(1).

    >>> check_colour_map("cmap", "Bleus")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: cmap must be the name of a colormap of matplotlib, got 'Bleus' (str); \
did you mean 'Blues' or 'Blues_r'?
    """
    known = require("matplotlib", "plots").colormaps
    if isinstance(value, require("matplotlib.colors", "plots").Colormap) or value is None:
        return
    if not isinstance(value, str) or value not in known:
        near = did_you_mean(value, known)
        raise EvaluationError(f"{name} must be the name of a colormap of matplotlib, got {shown(value)}{near}")


@cache
def _properties() -> frozenset[str]:
    inspected = require("matplotlib.artist", "plots").ArtistInspector(require("matplotlib.lines", "plots").Line2D)
    short = [name for names in inspected.get_aliases().values() for name in names]
    return frozenset({*inspected.get_setters(), *short} - _OWN)


def _is_long(name: str) -> bool:
    """Return whether a name is no abbreviation, to which anything short is near."""
    return len(name) > 3


def _refused(name: str, what: str, value: Any, error: Exception) -> EvaluationError:
    return EvaluationError(f"{name} must be {what}, got {shown(value)}: {str(error).splitlines()[0]}")
