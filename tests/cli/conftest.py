"""Each test has a folder of its own, with the FILES of its module: texts, or columns of Parquet."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore.document.charts.plots import Plot

EMPTY = Plot("roc", "Nothing.", lambda ax: ax.set_axis_off())
"""A plot keeps its images, so that all tests use one drawing."""


@pytest.fixture(autouse=True)
def folder_of_its_own(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, content in getattr(request.module, "FILES", {}).items():
        if isinstance(content, str):
            (tmp_path / name).write_text(content, "utf-8")
        else:
            pq.write_table(pa.table(content), name)


@pytest.fixture
def one_plot(monkeypatch):
    """Write one empty plot on the page and in the folder: others are written as it is."""
    for module in ("page.report", "charts.plots"):  # the first imports from the second, which must be whole then
        monkeypatch.setattr(f"evalcore.document.{module}.plots_of", lambda answer, question: [EMPTY])


@pytest.fixture
def beyond_memory(monkeypatch):
    """Let all that is read exceed the memory limit, so that it is summarised."""
    monkeypatch.setattr("evalcore.evaluation.files.exact_bytes", lambda *asked: 10**9)
