"""The bar is for a person who waits, and for nobody else."""

import io

from evalcore.report import progress
from evalcore.report.progress import progress_bar
from tests.differences import every


class Terminal(io.StringIO):
    def isatty(self):
        return True


@every(("stream", "patience", "drawn"), [(Terminal, 0.0, True), (Terminal, 60.0, False), (io.StringIO, 0.0, False)])
def test_a_bar_is_drawn_on_a_terminal_after_a_while(monkeypatch, stream, patience, drawn):
    error, output = stream(), Terminal()
    monkeypatch.setattr("sys.stderr", error)
    monkeypatch.setattr("sys.stdout", output)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")  # makes no terminal of a file
    monkeypatch.setattr(progress, "_PATIENCE", patience)
    with progress_bar("reading x.csv") as bar:
        bar.bytes(1, 2)
        bar.bytes(2, None)
    assert bool(error.getvalue()) is drawn
    assert ("reading x.csv" in error.getvalue()) is drawn
    assert output.getvalue() == ""


def test_no_bar_is_drawn_for_those_who_want_quiet(monkeypatch):
    error = Terminal()
    monkeypatch.setattr("sys.stderr", error)
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    with progress_bar("reading x.csv", shown=False) as bar:
        bar.bytes(1, 2)
    assert error.getvalue() == ""


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
