"""Threads make the page that is made alone, and a bar is for those who wait for it."""

import io
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

from evalcore import plots
from evalcore.document.charts.images import EMBEDDED, Plot
from evalcore.evaluation import progress
from evalcore.evaluation.cases import RankedColumns
from evalcore.evaluation.progress import progress_bar
from evalcore.plots.axes import nth_style, styled
from tests.differences import every

RNG = np.random.default_rng(5)
LATE = RNG.random(400) < 0.3
OLD = {"flight": np.arange(400), "late": LATE, "score": RNG.normal(LATE), "carrier": np.arange(400) % 3}
NEW = {**OLD, "score": OLD["score"] + RNG.normal(0.3 * LATE, 0.3)}


def charts():
    """Return two kinds of chart, of which one has settings of its own."""
    draw = partial(plots.plot_roc, LATE, {"old": OLD["score"], "new": NEW["score"]})

    def red(*, ax):
        with styled({"axes.prop_cycle": "cycler('color', ['#ff0000'])", "text.color": "#ff0000"}):
            draw(ax=ax)

    return [Plot("chart", "", each) for each in (draw, red)]


def image(plot):
    return plot.image(EMBEDDED)


@pytest.fixture
def switching():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("switching")
def test_charts_in_threads_are_those_drawn_alone():
    alone = [image(plot) for plot in charts()]
    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(image, [plot for _ in range(2) for plot in charts()]))
    assert drawn == alone * 2


@pytest.mark.usefixtures("switching")
def test_threads_that_sort_columns_together_leave_eight_of_them_sorted():
    ranked = RankedColumns(LATE, {str(index): RNG.random(400) for index in range(12)})
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda model: ranked[str(model % 11)].positives, range(1000)))
    assert set(found) == {LATE.sum()}
    assert ranked["11"] is ranked["11"]
    assert len(ranked) == 8


def test_the_colours_of_a_page_are_not_those_of_a_chart_that_another_thread_draws():
    usual, drawing, asked = nth_style(0), threading.Event(), threading.Event()

    def draw():
        with styled({"axes.prop_cycle": "cycler('color', ['#ff0000'])"}):
            drawing.set()
            asked.wait(timeout=0.1)  # the other thread has to wait for the end

    with ThreadPoolExecutor(1) as pool:
        drawn = pool.submit(draw)
        assert drawing.wait(timeout=60)
        assert nth_style(0) == usual
        asked.set()
        drawn.result(timeout=60)


class Terminal(io.StringIO):
    def isatty(self):
        return True


@every(
    ("stream", "patience", "shown", "drawn"),
    (Terminal, 0.0, True, True),
    (Terminal, 60.0, True, False),
    (io.StringIO, 0.0, True, False),
    (Terminal, 0.0, False, False),
)
def test_a_bar_is_drawn_on_a_terminal_after_a_while_unless_quiet_is_wanted(monkeypatch, stream, patience, shown, drawn):
    error, output = stream(), Terminal()
    monkeypatch.setattr("sys.stderr", error)
    monkeypatch.setattr("sys.stdout", output)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")  # makes no terminal of a file
    monkeypatch.setattr(progress, "_PATIENCE", patience)
    with progress_bar("reading x.csv", shown=shown) as bar:
        bar.bytes(1, 2)
        bar.bytes(2, None)
    assert bool(error.getvalue()) is drawn
    assert ("reading x.csv" in error.getvalue()) is drawn
    assert output.getvalue() == ""


@every("plain", [False, True])
def test_no_color_leaves_colors_out(monkeypatch, plain):
    error = Terminal()
    monkeypatch.setattr("sys.stderr", error)
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    if plain:
        monkeypatch.setenv("NO_COLOR", "1")
    with progress_bar("reading x.csv") as bar:
        bar.bytes(1, 2)
    assert ("\x1b[9" in error.getvalue() or "\x1b[3" in error.getvalue()) is not plain
