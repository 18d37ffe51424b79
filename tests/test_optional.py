"""What is missing says what to install, and what is deprecated works and warns."""

import inspect
import json
import pickle
import re
import sys

import pytest

import evalcore
from evalcore import EvaluationError, MissingLibraryError, evaluate, plots
from evalcore.deprecation import deprecated
from evalcore.inference import proportion_interval
from evalcore.io.columns import Selection
from evalcore.io.readers import read_columns
from evalcore.optional import Library, require
from evalcore.report.charts.plots import Plot
from evalcore.report.progress import Bar
from tests.differences import every

FRAME = {"late": [1, 0], "model": [0.9, 0.1]}
FOLDED = {"late": [1, 0], "two\nlines": [0.9, 0.1]}


@every(
    ("library", "extra", "ask"),
    [
        ("matplotlib", "plots", lambda report: plots.plot_roc([1, 0], [0.9, 0.1])),
        ("matplotlib", "plots", lambda report: report.to_html()),
        ("scipy", "inference", lambda report: proportion_interval(1, 2, method="clopper-pearson")),
        ("jinja2", "html", lambda report: report.to_html()),
        ("rich", "report", lambda report: evaluate(FOLDED, label="late", score="two\nlines").to_markdown()),
        ("pyarrow", "report", lambda report: report.to_arrow()),
        ("pyarrow", "report", lambda report: read_columns("a.parquet", Selection(("a",)), Bar(print))),
        ("pyarrow", "report", lambda report: read_columns("a.csv", Selection(("a",)), Bar(print))),
        ("duckdb", "sql", lambda report: read_columns("duckdb:", Selection(("a",)), Bar(print))),
        ("fsspec", "remote", lambda report: read_columns("https://h/a.csv", Selection(("a",)), Bar(print))),
        ("pandas", None, lambda report: report.to_pandas()),
        ("polars", None, lambda report: report.to_polars()),
    ],
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
    [
        ("import nowhere", ModuleNotFoundError, "^No module named 'nowhere'$"),
        ("raise ImportError('libspam.so: cannot open')", ImportError, "^libspam.so: cannot open$"),
        ("", ModuleNotFoundError, r"^No module named 'broken\.part'"),
    ],
)
def test_a_broken_library_is_not_called_missing(tmp_path, monkeypatch, source, error, message):
    (tmp_path / "broken.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(error, match=message) as caught:
        require("broken.part", "plots")
    assert not isinstance(caught.value, MissingLibraryError)
    sys.modules.pop("broken", None)


SPAN = {"since": "1.1", "removed_in": "1.3", "version": "1.2.1"}


def area(y_true, y_score, *, cluster=None):
    """Return what was given."""
    return y_true, y_score, cluster


def test_what_is_deprecated_warns_and_works():
    old = deprecated(instead="area", **SPAN)(area)
    with pytest.warns(FutureWarning) as caught:
        assert old(1, 2, cluster=3) == (1, 2, 3)
    (warning,) = caught
    assert str(warning.message) == "area: deprecated in version 1.1, and will be removed in 1.3; use area"
    assert warning.filename == __file__  # of who calls
    assert (old.__name__, old.__doc__, inspect.signature(old)) == ("area", area.__doc__, inspect.signature(area))
    renamed = deprecated(instead="cluster", parameter="groups", **SPAN)(area)
    assert renamed(1, 2, cluster=3) == (1, 2, 3)  # without a warning, which would be an error here
    with pytest.warns(FutureWarning, match=r"^area: groups was renamed to cluster in version 1\.1, .* use cluster$"):
        assert renamed(1, 2, groups=3) == (1, 2, 3)
    with pytest.raises(EvaluationError, match=r"^cluster must be given under one name, got groups too; drop that$"):
        renamed(1, 2, groups=3, cluster=3)
    now = evalcore.__version__
    with pytest.raises(EvaluationError, match=rf"got version {re.escape(now)}; remove it$"):
        deprecated(since="0.1", removed_in="1.0", instead="area")(area)


@every(
    ("span", "message"),
    [
        ({"removed_in": "1.2"}, "removed_in must be 2 minor releases after 1.1, or a major one, got 1.2"),
        ({"version": "1.3.0rc1"}, "groups of area was to be removed in 1.3, got version 1.3.0rc1; remove it"),
        ({"version": "2.0"}, "groups of area was to be removed in 1.3, got version 2.0; remove it"),
    ],
)
def test_the_policy_is_kept(span, message):
    with pytest.raises(EvaluationError, match=f"^{re.escape(message)}$"):
        deprecated(instead="cluster", parameter="groups", **SPAN | span)(area)
