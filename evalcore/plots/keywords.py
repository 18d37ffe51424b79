"""Checks of the keywords that plots pass on to matplotlib, made before anything is computed or drawn."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from inspect import Parameter, signature
from typing import Any

from evalcore.errors import EvaluationError, EvaluationTypeError, did_you_mean, shown
from evalcore.optional import require

_OWN = {"data", "figure", "label", "xdata", "ydata"}
"""Properties of lines that the plots set themselves."""


def check_line(plot: Callable[..., Any], line: Mapping[str, Any]) -> None:
    """Raise EvaluationTypeError for unknown properties of lines, EvaluationError for invalid values.  O(properties)."""
    if not line:
        return
    lines = require("matplotlib.lines", "plots")
    for name, value in line.items():
        if name not in _properties():
            own = _keywords(plot)
            written_out = sorted(each for each in _properties() if len(each) > 3)  # anything short is near to others
            near = did_you_mean(name, [*own, *written_out]) or "."
            raise EvaluationTypeError(
                f"{plot.__name__}() has no keyword {name!r}{near} It takes {', '.join(own)}, and properties of "
                "matplotlib's lines, such as color and linewidth"
            )
        try:
            lines.Line2D([], [], **{name: value})
        except (TypeError, ValueError) as error:
            raise _refused(name, "valid for matplotlib's Line2D", value, error) from error


def refuse_keywords(plot: Callable[..., Any], given: Iterable[str], instead: Mapping[str, str]) -> None:
    """Raise EvaluationTypeError for keywords that a plot without lines lacks.  O(keywords).

    instead: what does the same, by names that other libraries have.
    """
    for name in given:
        own = _keywords(plot)
        near = f"; {instead[name]}." if name in instead else did_you_mean(name, own) or "."
        raise EvaluationTypeError(f"{plot.__name__}() has no keyword {name!r}{near} It takes {', '.join(own)}")


def _keywords(plot: Callable[..., Any]) -> list[str]:
    return [each.name for each in signature(plot).parameters.values() if each.kind == Parameter.KEYWORD_ONLY]


def check_colour(name: str, value: Any) -> None:
    """Raise EvaluationError unless matplotlib takes the value as a colour.  O(1)."""
    if value is None:  # the next colour of the cycle
        return
    try:
        require("matplotlib.colors", "plots").to_rgba_array(value)
    except (TypeError, ValueError) as error:
        raise _refused(name, "a colour", value, error) from error


def check_colour_map(value: Any) -> None:
    """Raise EvaluationError unless matplotlib takes the value as a colormap.  O(1)."""
    known = require("matplotlib", "plots").colormaps
    if isinstance(value, require("matplotlib.colors", "plots").Colormap) or value is None:
        return
    if not isinstance(value, str) or value not in known:
        near = did_you_mean(value, known)
        raise EvaluationError(f"cmap must be a colormap of matplotlib or the name of one, got {shown(value)}{near}")


@cache
def _properties() -> frozenset[str]:
    inspected = require("matplotlib.artist", "plots").ArtistInspector(require("matplotlib.lines", "plots").Line2D)
    short = [name for names in inspected.get_aliases().values() for name in names]
    return frozenset({*inspected.get_setters(), *short} - _OWN)


def _refused(name: str, what: str, value: Any, error: Exception) -> EvaluationError:
    return EvaluationError(f"{name} must be {what}, got {shown(value)}: {str(error).splitlines()[0]}")
