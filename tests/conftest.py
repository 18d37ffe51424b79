"""How tests run: hypothesis by a profile, without a deadline; processes in their own tier; garbage collected late."""

import atexit
import gc
import os
import signal
import subprocess
from pathlib import Path

import pytest
from hypothesis import settings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # matrices are small: further threads only wait, and burn a core

settings.register_profile("default", deadline=None, max_examples=5)
settings.register_profile("ci", deadline=None, derandomize=True, max_examples=7)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.register_profile("brief", deadline=None, derandomize=True, max_examples=5)
settings.load_profile("ci" if os.environ.get("CI") else "default")


if not Path(__file__).parents[1].joinpath("notebooks").exists():  # in the archive of sources
    collect_ignore = ["recipes", "test_guides.py", "test_notebooks.py", "test_release.py"]


def pytest_configure():
    """Collect no garbage while tests are collected: they and what they import stay to the end.  Allow Ctrl-C."""
    gc.disable()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as shells start jobs in the background: tests press Ctrl-C
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.pop("COLUMNS", None)  # workers of xdist have one, on which the width of tables depends


def starts_at_the_end():
    """Choose every second worker: two compile half of the tests and libraries each, not both of them all."""
    return os.environ.get("PYTEST_XDIST_WORKER", "gw0")[-1] in "13579"


class FromTheEnd(pytest.Dir):
    """A folder whose last file is collected first."""

    def collect(self):
        """Turn the order round."""
        return reversed(list(super().collect()))


def pytest_collect_directory(path, parent):
    """Turn the order of folders and files round in such a worker."""
    return FromTheEnd.from_parent(parent, path=path) if starts_at_the_end() else None


def pytest_collection_modifyitems(items):
    """Put files in the order that all workers must share."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: item.path)


def pytest_collection_finish():
    """Exempt the tests, and what they import, from garbage collection until the interpreter exits."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(10_000, 20, 20)  # what tests leave is small: collecting it as usual takes 4% of their time
    atexit.register(gc.unfreeze)  # DuckDB writes long complaints about what is left


# A fixture would do this too, and take a millisecond for each of several thousand tests.
_running = []
_started = subprocess.Popen.__init__


def pytest_runtest_setup(item):
    """Remember which test runs."""
    _running[:] = [item]


def _refused_elsewhere(self, *arguments, **options):
    """Fail a test that starts a process without being marked: the default run stays quick."""
    if any(not {"process", "slow", "browser"} & {mark.name for mark in item.iter_markers()} for item in _running):
        raise AssertionError("mark this test with pytest.mark.process: it starts a process")
    _started(self, *arguments, **options)


subprocess.Popen.__init__ = _refused_elsewhere


@pytest.fixture
def undrawn(monkeypatch):
    """Leave plots out of pages whose words alone are looked at: to draw them takes a hundred times as long."""
    monkeypatch.setattr("evalcore.document.charts.images.Plot.image", lambda self, kind: b"<svg></svg>")


@pytest.fixture
def little_memory(monkeypatch):
    """Let no file fit into memory, and summaries hold few intervals and rows."""
    monkeypatch.setattr("evalcore.evaluation.files._MOST_INTERVALS", 1 << 10)
    monkeypatch.setattr("evalcore.evaluation.files._MOST_WAITING", 1 << 14)
    monkeypatch.setattr("evalcore.evaluation.files.exact_bytes", lambda *asked: 10**9)
