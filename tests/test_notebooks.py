"""Notebooks print what they store, in tables that show both ends."""

import contextlib
import html
import io
import re
from pathlib import Path

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

from evalcore import plots
from evalcore.metrics import cumulative_gains_curve, metric_curves
from evalcore.streaming import Certified, ScoreSummary
from tests.differences import collected

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
LARGEST = 1_000_000
PATHS = re.compile(r"(?<![\w.:<])(/(home|root|tmp|usr|work|Users|opt|var|mnt)/|[A-Z]:\\)")
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def executed(path):
    """Return a notebook with the outputs of a fresh kernel that works in its folder."""
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(path.parent)}}
    NotebookClient(notebook, timeout=120, kernel_name="python3", record_timing=False, resources=resources).execute()
    notebook.metadata = nbformat.from_dict(METADATA)
    return notebook


def texts(notebook):
    """Return for each cell of code what it prints and answers, without pictures."""
    return {
        cell.id: {
            "stdout": stream(cell, "stdout"),
            "warnings": [line for line in stream(cell, "stderr").splitlines() if "Warning" in line],
            "answers": [answer(output) for output in cell.outputs if output.output_type != "stream"],
        }
        for cell in notebook.cells
        if cell.cell_type == "code"
    }


def stream(cell, name):
    """Return all that a cell printed: how it is parted depends on when it came."""
    return "".join(output.text for output in cell.outputs if output.output_type == "stream" and output.name == name)


def answer(output):
    """Return lines of text and the words of HTML."""
    if {"image/png", "image/svg+xml"} & set(output.data):
        return "picture"
    words = html.unescape(re.sub(r"<style.*?</style>|<[^>]*>", " ", output.data.get("text/html", ""), flags=re.DOTALL))
    plain = ADDRESS.sub("", output.data.get("text/plain", ""))
    return [line.rstrip() for line in plain.splitlines()], words.split()


@pytest.fixture
def kernel_of_its_own(monkeypatch, tmp_path):
    """Keep what a user has set up, and what runs the tests, away from the kernel, and its files out of their home."""
    for name in ("IPYTHONDIR", "JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    for name in ("MPLBACKEND", "PYTHONWARNINGS"):
        monkeypatch.delenv(name, raising=False)


def test_there_are_notebooks_and_the_gallery_shows_every_chart():
    assert [path.name[:2] for path in NOTEBOOKS] == ["1-", "2-", "3-", "4-"]
    code = " ".join(cell.source for cell in nbformat.read(NOTEBOOKS[3], as_version=4).cells)
    assert {name for name in plots.__all__ if f"plots.{name}(" not in code} == set()


@pytest.mark.process
@pytest.mark.filterwarnings("ignore:Proactor event loop:RuntimeWarning")  # pyzmq on Windows, where it helps itself
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.usefixtures("kernel_of_its_own")
def test_notebooks_print_what_they_store(path):
    stored, now = texts(nbformat.read(path, as_version=4)), texts(executed(path))
    assert now == stored


def test_the_code_of_the_shortest_notebook_prints_what_it_stores(monkeypatch):
    """In this process, without the answers of cells: the figures are made and not drawn."""
    monkeypatch.chdir(FOLDER)
    plt.switch_backend("Agg")
    names = {}
    with plt.rc_context(), collected() as checking:
        for cell in nbformat.read(NOTEBOOKS[2], as_version=4).cells:
            if cell.cell_type == "code":
                with checking(cell.id), contextlib.redirect_stdout(io.StringIO()) as printed:
                    exec(compile(cell.source, cell.id, "exec"), names)
                    assert printed.getvalue() == stream(cell, "stdout")
        plt.close("all")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_tidy(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert notebook.metadata == METADATA
    assert path.stat().st_size < LARGEST
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert all(not cell.metadata for cell in notebook.cells)
    assert max(len(line) for cell in notebook.cells for line in cell.source.splitlines()) <= 100
    outputs = texts(notebook)
    assert not any(stream(cell, "stderr") for cell in cells)
    assert not PATHS.search(str(outputs))


if __name__ == "__main__":
    for each in NOTEBOOKS:
        nbformat.write(executed(each), each)


LABELS, SCORES = [0, 1, 0, 1, 1], [0.1, 0.3, 0.35, 0.8, 0.9]


def rows(result):
    """Return the cells of the rows of all tables."""
    lines = re.findall("<tr>(.*?)</tr>", result._repr_html_())
    return [re.findall("<t[hd]>(.*?)</t[hd]>", line) for line in lines]


def test_curves_show_both_ends_and_all_digits_of_bounds():
    curves = metric_curves(LABELS, SCORES)
    assert rows(curves)[0] == ["thresholds", "tp", "fn", "fp", "tn"]
    assert [[float(cell) for cell in row] for row in rows(curves)[1:]] == np.transpose(curves).tolist()
    assert rows(cumulative_gains_curve(LABELS, SCORES))[-1] == ["1", "1"]
    labels = np.arange(5000) % 2
    shown = rows(metric_curves(labels, np.arange(5000.0)))
    assert shown[5:8] == [
        ["4,995", "3", "2,497", "2", "2,498"],
        ["4,990 more", "", "", "", ""],
        ["4", "2,498", "2", "2,498", "2"],
    ]
    assert rows(Certified(1 / 3, 0.5)) == [["value", "low", "high"], ["0.416667", "0.3333333333333333", "0.5"]]
    assert rows(Certified(0.75, 0.75))[1] == ["0.75", "0.75", "0.75"]


def test_summaries_have_tables_of_counts_and_certain_bounds_empty_ones_too():
    summary = ScoreSummary(capacity=4)
    summary.update(LABELS, SCORES)
    summary.misses = 2000
    shown = rows(summary)
    assert shown[1] == ["5", "2,003", "2", "2,000"]
    area = summary.roc_auc()
    assert shown[3] == ["ROC AUC", f"{area:.6g}", repr(area.low), repr(area.high)]
    assert "average precision" in shown[4]
    assert "maximum F" in shown[5]
    assert rows(ScoreSummary())[3] == ["ROC AUC", "nan", "nan", "nan"]
