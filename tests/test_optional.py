"""What is missing says what to install."""

import json
import pickle
import re
import sys

import pytest

from evalcore import EvaluationError, MissingLibraryError, evaluate, plots
from evalcore.document.charts.plots import Plot
from evalcore.evaluation.progress import Bar
from evalcore.inference import mcnemar_test, proportion_interval
from evalcore.io.columns import Selection
from evalcore.io.readers import read_columns
from evalcore.optional import Library, require
from tests.differences import every

FRAME = {"late": [1, 0], "model": [0.9, 0.1]}
WIDE = {"late": [1, 0], "größe": [0.9, 0.1]}


@every(
    ("library", "extra", "ask"),
    ("matplotlib", "plots", lambda report: plots.plot_roc([1, 0], [0.9, 0.1])),
    ("matplotlib", "plots", lambda report: report.to_html()),
    ("scipy", "inference", lambda report: proportion_interval(1, 2, method="clopper-pearson")),
    ("scipy", "inference", lambda report: mcnemar_test([1, 0, 1], [1, 0, 0], [0, 0, 0], method="exact")),
    ("rich", "report", lambda report: evaluate(WIDE, label="late", score="größe").to_markdown()),
    ("pyarrow", "report", lambda report: report.to_arrow()),
    ("pyarrow", "report", lambda report: report.__arrow_c_stream__()),
    ("pyarrow", "report", lambda report: read_columns("a.parquet", Selection(("a",)), Bar(print))),
    ("pyarrow", "report", lambda report: read_columns("a.csv", Selection(("a",)), Bar(print))),
    ("duckdb", "sql", lambda report: read_columns("duckdb:", Selection(("a",)), Bar(print))),
    ("fsspec", "remote", lambda report: read_columns("https://h/a.csv", Selection(("a",)), Bar(print))),
    ("pandas", None, lambda report: report.to_pandas()),
    ("polars", None, lambda report: report.to_polars()),
)
def test_what_needs_a_missing_library_says_what_to_install(library, extra, ask):
    report = evaluate(FRAME, label="late", score="model")
    advice = f"'evalcore-metrics[{extra}]'" if extra else library
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Plot, "image", lambda self, kind: require("matplotlib", "plots") and b"<svg/>")
        patch.setitem(sys.modules, library, None)
        with pytest.raises(
            MissingLibraryError, match=rf"^{library} is not installed; pip install {re.escape(advice)}$"
        ):
            ask(report)


def test_the_error_is_both_that_people_catch_and_names_the_library_where_it_is_sent():
    for kind in (ImportError, EvaluationError, ValueError):
        with pytest.raises(kind, match=r"^nowhere is not installed; pip install nowhere$") as caught:
            require("nowhere.deep")
    copied = pickle.loads(pickle.dumps(caught.value))
    assert (type(copied), str(copied), copied.name) == (MissingLibraryError, str(caught.value), "nowhere")
    sent = pickle.loads(pickle.dumps(Library("json.decoder", "report")))
    assert sent.JSONDecoder is json.JSONDecoder


@every(
    ("source", "error", "message"),
    ("import nowhere", ModuleNotFoundError, "^No module named 'nowhere'$"),
    ("raise ImportError('libspam.so: cannot open')", ImportError, "^libspam.so: cannot open$"),
    ("", ModuleNotFoundError, r"^No module named 'broken\.part'"),
)
def test_a_broken_library_is_not_called_missing(tmp_path, monkeypatch, source, error, message):
    (tmp_path / "broken.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(error, match=message) as caught:
        require("broken.part", "plots")
    assert not isinstance(caught.value, MissingLibraryError)
    sys.modules.pop("broken", None)
