"""Plots as images: files that stand alone, and small drawings for a page that follow its colours."""

import io
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import quote

from evalcore.errors import UndefinedMetricWarning
from evalcore.optional import require

EMBEDDED = "embedded"
"""The kind of image for a page; the others are formats of files."""
OTHERS = "plots"
"""The part of a page for plots that belong to no other."""
_PAPER, _INK = "#fefefe", "#010101"
"""Colours that stand for those of the page: nothing else in a plot has them."""
_FAINT, _GREY = "#cccccc", "#737373"
_FONTS = "'DejaVu Sans',Verdana,sans-serif"
"""Verdana is as wide: where both are missing, letters are narrower than what was laid out."""
_COLOURS = {_INK: "ink", _PAPER: "paper", _GREY: "grey", _FAINT: "faint"}
_STYLE = (
    f"<style>:root{{--ink:#1a1a1a;--paper:#fff;--grey:#666;--faint:#ccc;--font:{_FONTS}}}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e6e6;--paper:#15181c;--grey:#9a9a9a;--faint:#555}}"
    "*{stroke-linejoin:round;stroke-linecap:butt}</style>"
)
_EMBEDDED = {
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), _INK),
    "axes.facecolor": _PAPER,
    "legend.edgecolor": _FAINT,
    "font.family": ["DejaVu Sans"],
    "savefig.bbox": None,
    "svg.fonttype": "none",
    "svg.hashsalt": "evalcore",
}
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

    _images: dict[str, bytes] = field(default_factory=dict, init=False)
    """Images that were drawn before, by their kind."""

    def image(self, kind: str) -> bytes:
        """Return the plot as 'svg', 'png' or `EMBEDDED`, the same bytes for the same data in any thread.

        Raises MissingLibraryError if matplotlib is missing.
        """
        if kind not in self._images:
            self._images[kind] = _drawn(self.draw, kind, self.inches)
        return self._images[kind]


def _drawn(draw: Callable[..., object], kind: str, inches: tuple[float, float]) -> bytes:
    """Draw on the axes of a new figure of this size, and return the image: 'svg', 'png' or `EMBEDDED`."""
    from evalcore.plots.axes import styled  # now: a table needs no plots

    figures = require("matplotlib.figure", "plots")
    embedded = kind == EMBEDDED
    settings = _EMBEDDED if embedded else {"svg.hashsalt": "evalcore"}
    with styled(settings), warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        # axes stay where they are in a page: to lay them out would measure every text several times
        fixed = require("matplotlib.layout_engine", "plots").PlaceHolderLayoutEngine(True, True)
        figure = figures.Figure(figsize=inches, layout=fixed if embedded else "constrained")
        draw(ax=figure.add_subplot())
        return _embedded(figure, inches[1]) if embedded else _written(figure, kind, dpi=200)


def as_address(image: bytes) -> str:
    """Return an embedded image as the address of an `img` element.  O(size)."""
    return "data:image/svg+xml," + quote(image, safe=" /:;=,()@!*+?-_.")


def _embedded(figure: Any, height: float) -> bytes:
    """Return an SVG without background that is as large as what was drawn, in the colours of its surroundings.

    height: of the figure before legends below its axes made it grow, in inches; axes keep theirs.
    """
    kept, axes = height / figure.get_figheight(), figure.subplotpars
    figure.subplots_adjust(bottom=kept * axes.bottom, top=kept * axes.top)
    width = figure.get_figwidth()
    left, bottom, right, top = figure.get_tightbbox().padded(_PADDING).extents
    if (out := (max(-left, 0.0), max(right - width, 0.0))) != (0.0, 0.0):  # names have their space within the width
        figure.subplots_adjust(left=axes.left + out[0] / width, right=axes.right - out[1] / width)
        left, bottom, right, top = figure.get_tightbbox().padded(_PADDING).extents
    sides = min(left, 0.0), bottom, max(right, width), top  # so that axes of one width line up
    bounds = require("matplotlib.transforms", "plots").Bbox.from_extents(*sides)
    figure.set_layout_engine("none")  # any other draws everything once more
    text = _written(figure, "svg", bbox_inches=bounds, transparent=True).decode()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", lambda _: _STYLE, text, count=1, flags=re.DOTALL)
    text = re.sub(r' d="[^"]*"', lambda path: _SURPLUS.sub(r"\1", path[0]), text)
    text = re.sub(r"(font(?:-family)?: [^;\"]*?)'DejaVu Sans'[^;\"]*", r"\1var(--font)", text)
    text = re.sub("|".join(_COLOURS), lambda colour: f"var(--{_COLOURS[colour[0]]})", text)
    return re.sub(r"\s*\n\s*", " ", text).replace("> <", "><").encode()


class Frame(NamedTuple):
    """Where axes lie in an SVG, in its units from the upper left corner, and what data are at their edges."""

    left: float
    top: float
    width: float
    height: float
    x: tuple[float, float]
    y: tuple[float, float]


def frames(figure: Any, bounds: Any) -> dict[str, Frame]:
    """Return the frames of the axes whose ids begin with "axes-", by their ids.  O(axes).

    bounds: of the image, a Bbox in inches of the figure.
    """
    found = {}
    for ax in figure.axes:
        if str(gid := ax.get_gid()).startswith("axes-"):
            ax.apply_aspect()
            box = ax.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
            corner = 72 * (box.x0 - bounds.x0), 72 * (bounds.y1 - box.y1)
            found[gid] = Frame(*corner, 72 * box.width, 72 * box.height, ax.get_xlim(), ax.get_ylim())
    return found


def _written(figure: Any, kind: str, **options: Any) -> bytes:
    stream = io.BytesIO()
    about = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(stream, format=kind, metadata=about if kind == "svg" else {}, **options)
    return stream.getvalue()
