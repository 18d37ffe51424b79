"""Colours that are seen on any page with any vision, and plots that look as they did."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.testing.compare import compare_images
from matplotlib.text import Text

from evalcore import ConfusionMatrix, plots
from evalcore.plots.axes import COLOURS, grey, nth_style
from tests.differences import every

WHITE, DARK = "#ffffff", "#1b1b1b"
VISIONS = {
    "trichromacy": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
"""Linear colours as people see them (G. M. Machado, M. M. Oliveira and L. A. F. Fernandes, 2009)."""
OKABE_ITO = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"
TO_CONES = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
]
TO_OKLAB = [
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
]
"""B. Ottosson, A perceptual color space for image processing (2020)."""


def linear(colours):
    given = np.array([to_rgb(colour) for colour in colours])
    return np.where(given <= 0.04045, given / 12.92, ((given + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """Divide the luminances as WCAG 2.2 does."""
    low, high = np.sort(linear([one, other]) @ [0.2126, 0.7152, 0.0722]) + 0.05
    return high / low


def least_difference(colours, vision):
    """Give the least distance of two colours in Oklab, where 0.02 is just seen."""
    seen = np.clip(linear(colours) @ np.transpose(VISIONS[vision]), 0, 1)
    places = np.cbrt(seen @ np.transpose(TO_CONES)) @ np.transpose(TO_OKLAB)
    distances = np.linalg.norm(places[:, None] - places, axis=-1)
    return distances[np.triu_indices(len(colours), 1)].min()


@every(("colour", "page"), [(colour, page) for colour in COLOURS for page in (WHITE, DARK)])
def test_each_colour_is_seen_on_white_and_on_dark_pages(colour, page):
    assert contrast(colour, page) >= 3


@every("vision", VISIONS)
def test_colours_differ_as_much_as_those_of_okabe_and_ito(vision):
    worst = min(least_difference(OKABE_ITO, each) for each in VISIONS)
    assert least_difference(COLOURS, vision) >= 0.99 * worst > 0.07


def test_styles_differ_in_colour_and_markers_and_have_no_dashes():
    styles = [nth_style(number) for number in range(3 * len(COLOURS))]
    assert len({(style["color"], style.get("marker")) for style in styles}) == len(styles)
    assert {style["linestyle"] for style in styles} == {"-"}  # dashes are for what curves are compared with
    markers = [nth_style(number).get("marker") for number in (0, 7, 8, 15, 16)]
    assert markers == [None, None, "o", "o", "s"]


def test_notes_follow_the_colour_of_text():
    import matplotlib.pyplot as plt

    assert contrast(blend(grey(), WHITE), WHITE) >= 4.5
    with plt.style.context("dark_background"):
        assert contrast(blend(grey(), DARK), DARK) >= 4.5
        assert nth_style(0)["color"] == COLOURS[0]


def blend(colour, page):
    *own, alpha = to_rgba(colour)
    return alpha * np.array(own) + (1 - alpha) * np.array(to_rgb(page))


BASELINES = Path(__file__).parent / "baselines"
TOLERANCE = 1.5
"""Of the root mean square over pixels of 0 .. 255: lines that are smoothed otherwise make less of a difference, the
thinnest line that is missing makes 3.  Letters, which every FreeType draws otherwise, are hidden: other tests read
them."""


def roc(ax, labels, scores):
    plots.plot_roc(labels, scores, interval=True, ax=ax)


def calibration(ax, labels, scores):
    plots.plot_calibration(labels, scores, n_bins=5, ax=ax)


def confusion_matrix(ax, *_):
    wine = ConfusionMatrix(["Cabernet", "Syrah", "Pinot"], [[9, 3, 0], [3, 5, 1], [1, 1, 4]])
    plots.plot_confusion_matrix(wine, ax=ax)


def render(draw, cases, path, **settings):
    with plt.style.context("default"), plt.rc_context({"font.family": "DejaVu Sans", "font.size": 8, **settings}):
        figure = Figure(figsize=(3.2, 3.0))
        # whole pixels, at which every version puts edges; no layout, which would follow the sizes of letters
        draw(figure.add_axes((0.125, 0.2, 0.75, 0.75)), *cases)
        for artist in [*figure.findobj(Text), *figure.findobj(Legend)]:
            artist.set_visible(False)
        figure.savefig(path, dpi=80)


@every("draw", [roc, calibration, confusion_matrix])
def test_a_plot_looks_like_its_baseline(draw, cases, tmp_path):
    actual = tmp_path / f"{draw.__name__}.png"
    render(draw, cases, actual)
    assert compare_images(BASELINES / actual.name, actual, TOLERANCE) is None
