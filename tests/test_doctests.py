"""Every example in a docstring runs and prints what it says, in the installed package."""

import doctest
import importlib
import linecache
import pkgutil

import pytest

import evalcore
from evalcore import lingpipe, streaming
from evalcore.report.charts.plots import plots_of
from tests.differences import collected, every

NAMES = ["evalcore", *sorted(module.name for module in pkgutil.walk_packages(evalcore.__path__, "evalcore."))]
PARTS = 4
DOCUMENTED = {name: getattr(package, name) for package in (lingpipe, streaming) for name in package.__all__}
"""Classes that the examples of the statistics which they inherit construct."""
GLOBALS = DOCUMENTED | {"evalcore": evalcore}


@pytest.fixture
def quick(monkeypatch):
    """Draw one plot of a page, and do not look before each docstring whether a source file has changed."""
    monkeypatch.setattr(
        "evalcore.report.page.document.plots_of", lambda answer, question: plots_of(answer, question)[:1]
    )
    monkeypatch.setattr(linecache, "checkcache", lambda filename=None: None)


@pytest.mark.usefixtures("quick")
@every("part", range(PARTS))
def test_examples_in_docstrings(part):
    with collected() as checking:
        for name in [name for name in NAMES if not name.endswith("__main__")][part::PARTS]:
            with checking(name):
                module = importlib.import_module(name)
                outcome = doctest.testmod(
                    module, extraglobs=GLOBALS, optionflags=doctest.NORMALIZE_WHITESPACE, exclude_empty=True
                )
                assert outcome.failed == 0
