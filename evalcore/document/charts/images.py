"""Plots as images: files that stand alone, and small drawings for a page that follow its colours."""

import html
import io
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from evalcore.errors import UndefinedMetricWarning
from evalcore.optional import require

EMBEDDED = "embedded"
"""The kind of image for a page; the others are formats of files."""
OTHERS = "plots"
"""The part of a page for plots that belong to no other."""
_PAPER, _INK = "#fefefe", "#010101"
"""Colours that stand for those of the page: nothing else in a plot has them."""
_FAINT, _GREY = "#cccccc", "#737373"
_FAMILY = "'DejaVu Sans'"
_FONTS = f"{_FAMILY},Verdana,sans-serif"
"""Verdana is as wide: where both are missing, letters are narrower than what was laid out."""
_COLOURS = {_INK: "ink", _PAPER: "paper", _GREY: "grey", _FAINT: "faint"}
_EMBEDDED = {
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), _INK),
    "axes.facecolor": _PAPER,
    "legend.edgecolor": _FAINT,
    "font.family": ["DejaVu Sans"],
    "svg.fonttype": "none",
    "text.hinting": "no_hinting",  # widths of letters are those of browsers, not whole pixels
    "svg.hashsalt": "evalcore",
}
_ABOUT = dict.fromkeys(("Date", "Creator", "Format", "Type"))
"""What an SVG does not say of itself, so that the same data make the same bytes."""
_USED = re.compile(r'(href="#|url\(#)([^")]+)')
"""Where an id is used."""
_MARKS = "dot-", "line-threshold-"
"""How ids begin of what a script moves."""
_LEAST_WIDTH = 0.2
"""The part of the width that axes keep, whatever the names beside them: the image becomes wider."""
_PADDING = 0.04
"""Inches around a drawing."""
_SURPLUS = re.compile(r"(\.\d\d)\d+")
"""Decimals of a coordinate that nobody sees."""


@dataclass(frozen=True, eq=False)
class Plot:
    """A plot that is drawn when it is asked for, once for each kind of image."""

    name: str
    """The name of its file."""
    text: str
    """Its caption."""
    draw: Callable[..., object]
    """Draws it on the matplotlib axes `ax`."""
    panel: str = OTHERS
    """The part of a page where it stands."""
    alt: str = ""
    """What it shows, with numbers, for those who do not see it; the caption if empty."""
    inches: tuple[float, float] = 4.8, 3.9
    """Width and height of its figure."""
    moved: str = ""
    """Its caption once a slider has moved what it marks; the same if empty."""

    _images: dict[str, bytes] = field(default_factory=dict, init=False)
    """Images that were drawn before, by their kind."""

    def image(self, kind: str) -> bytes:
        """Return the plot as 'svg', 'png' or `EMBEDDED`, the same bytes for the same data in any thread.

        Raises MissingLibraryError if matplotlib is missing.
        """
        if kind in self._images:
            return self._images[kind]
        from evalcore.plots.axes import styled  # now: a table needs no plots

        figures = require("matplotlib.figure", "plots")
        embedded = kind == EMBEDDED
        settings = _EMBEDDED if embedded else {"svg.hashsalt": "evalcore"}
        with styled(settings), warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            if embedded:  # browsers have letters that DejaVu lacks
                warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
            # axes stay where they are in a page: to lay them out would measure every text several times
            fixed = require("matplotlib.layout_engine", "plots").PlaceHolderLayoutEngine(True, True)
            figure = figures.Figure(figsize=self.inches, layout=fixed if embedded else "constrained")
            self.draw(ax=figure.add_subplot())
            self._images[kind] = _embedded(figure, self.name) if embedded else _written(figure, kind)
        return self._images[kind]


def as_element(plot: Plot) -> str:
    """Return a plot as an element of a page, with its name and description for those who do not see it.  O(size)."""
    start, end, rest = plot.image(EMBEDDED).decode().partition(">")
    title, alt = html.escape(plot.text.partition(". ")[0].rstrip(".")), html.escape(plot.alt or plot.text)
    return f'{start} role="img"{end}<title>{title}</title><desc>{alt}</desc>{rest}'


def _embedded(figure: Any, name: str) -> bytes:
    """Return an SVG without background that is as large as what was drawn, in the colours of its surroundings.

    Ids begin with the name; axes with a frame have `data-frame`, and what a script moves has `data-mark`.
    """
    for part in (figure, *figure.axes):
        part.patch.set_visible(False)
    axes, stream, (width, height), of_images = figure.subplotpars, io.StringIO(), figure.get_size_inches(), figure.dpi
    figure.dpi = 72
    # one renderer, which knows the texts that it has measured; `savefig` draws everything once more beforehand
    renderer = require("matplotlib.backends.backend_svg", "plots").RendererSVG(
        *figure.bbox.size, stream, image_dpi=of_images, metadata=_ABOUT
    )
    left, bottom, right, top = figure.get_tightbbox(renderer).padded(_PADDING).extents
    if (out := (max(-left, 0.0), max(right - width, 0.0))) != (0.0, 0.0):  # names have their space within the width
        end = max(axes.right - out[1] / width, axes.left + _LEAST_WIDTH)
        figure.subplots_adjust(left=min(axes.left + out[0] / width, end - _LEAST_WIDTH), right=end)
        left, bottom, right, top = figure.get_tightbbox(renderer).padded(_PADDING).extents
    left, right = min(left, 0.0), max(right, width)  # so that axes of one width line up
    across, up = right - left, top - bottom
    sides = {name: (width * getattr(axes, name) - left) / across for name in ("left", "right")}
    sides |= {name: (height * getattr(axes, name) - bottom) / up for name in ("bottom", "top")}
    figure.set_size_inches(across, up)  # what lies outside a figure, such as lines of a legend, is not drawn
    figure.subplots_adjust(**sides)
    renderer.width, renderer.height = figure.bbox.size
    figure.draw(renderer)
    renderer.finalize()
    wide, high = (f"{72 * each:.6g}" for each in (across, up))
    size = f'width="{wide}pt" height="{high}pt" viewBox="0 0 {wide} {high}"'
    text = re.sub(r'width="\S+" height="\S+" viewBox="[^"]*"', size, stream.getvalue(), count=1)
    surplus = r"<metadata>.*?</metadata>|<!--.*?-->|<defs>\s*<style.*?</style>\s*</defs>"
    text = re.sub(surplus, "", text[text.index("<svg") :], flags=re.DOTALL)
    used, places = {own for _, own in _USED.findall(text)}, frames(figure)

    def named(found: re.Match[str]) -> str:
        """Return an id that is used, with the name of the chart, or what the script looks for, or nothing."""
        own = found[1]
        if own in places:
            return f' data-frame="{places[own]}"'
        return f' id="{name}-{own}"' if own in used else f' data-mark="{own}"' if own.startswith(_MARKS) else ""

    def of_page(tag: re.Match[str]) -> str:
        """Return a tag without styles, which the page forbids, and with ids that no other chart has."""
        plain = re.sub(r' xmlns(?::xlink)?="[^"]*"', "", tag[0].replace("xlink:href", "href"))
        plain = re.sub(r' d="[^"]*"', lambda path: _SURPLUS.sub(r"\1", path[0]), plain)
        plain = re.sub(r' style="([^"]*)"', lambda style: _attributes(style[1]), plain)
        plain = re.sub("|".join(_COLOURS), lambda colour: f"var(--{_COLOURS[colour[0]]})", plain)
        return _USED.sub(rf"\1{name}-\2", re.sub(r' id="([^"]*)"', named, plain))

    text = re.sub(r"<[^<>]+>", of_page, text)
    inherited = f'<svg stroke-linejoin="round" stroke-linecap="butt" font-family="{_FONTS}"'
    return re.sub(r"\s*\n\s*", " ", text.replace("<svg", inherited, 1)).replace("> <", "><").encode()


def _attributes(style: str) -> str:
    """Return the properties of a style as attributes, without the usual family of fonts.  O(letters).

    >>> _attributes("fill: none; font: 10px 'DejaVu Sans', 'Arial'; text-anchor: end")
    ' fill="none" font-size="10px" text-anchor="end"'
    """
    found = []
    for name, _, value in (each.partition(": ") for each in style.split("; ")):
        if name == "font":  # written so before matplotlib 3.10
            slant, weight, size = re.findall(r"^(italic |oblique |)(\w+ |)([\d.]+px)", value)[0]
            found += [("font-style", slant.strip()), ("font-weight", weight.strip()), ("font-size", size)]
        elif name != "font-family" or not value.startswith(_FAMILY):
            found.append((name, value))
    return "".join(f' {name}="{value}"' for name, value in found if value)


def frames(figure: Any) -> dict[str, str]:
    """Return where axes lie whose ids begin with "axes-", by their ids, as the script of a page reads it.  O(axes).

    The numbers are, in units of the SVG, left, top, width and height, and the data at the left, right, lower and upper
    edges.
    """
    found, height = {}, figure.get_figheight()
    for ax in figure.axes:
        if str(gid := ax.get_gid()).startswith("axes-"):
            ax.apply_aspect()
            box = ax.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
            numbers = 72 * box.x0, 72 * (height - box.y1), 72 * box.width, 72 * box.height
            found[gid] = " ".join(f"{each:.6g}" for each in (*numbers, *ax.get_xlim(), *ax.get_ylim()))
    return found


def _written(figure: Any, kind: str) -> bytes:
    stream = io.BytesIO()
    figure.savefig(stream, format=kind, metadata=_ABOUT if kind == "svg" else {}, dpi=200)
    return stream.getvalue()
