"""Three plots look as they did when people last looked at them."""

from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.testing.compare import compare_images
from matplotlib.text import Text

from evalcore import ConfusionMatrix, plots
from tests.differences import every

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
        draw(figure.add_axes((0.2, 0.15, 0.7, 0.8)), *cases)  # no layout, which would follow the sizes of letters
        for artist in [*figure.findobj(Text), *figure.findobj(Legend)]:
            artist.set_visible(False)
        figure.savefig(path, dpi=80)


@every("draw", [roc, calibration, confusion_matrix])
def test_a_plot_looks_like_its_baseline(draw, cases, tmp_path):
    actual = tmp_path / f"{draw.__name__}.png"
    render(draw, cases, actual)
    assert compare_images(BASELINES / actual.name, actual, TOLERANCE) is None
