"""Every example in a docstring runs and prints what it says, in the installed package."""

import doctest
import importlib
import pkgutil

import pytest

import evalcore
from evalcore.report.pictures import pictures
from tests.differences import collected

NAMES = ["evalcore", *sorted(module.name for module in pkgutil.walk_packages(evalcore.__path__, "evalcore."))]
PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
def test_examples_in_docstrings(part, monkeypatch):
    monkeypatch.setattr("evalcore.report.page.pictures", lambda answer: pictures(answer)[:1])  # others take as long
    with collected() as checking:
        for name in [name for name in NAMES if not name.endswith("__main__")][part::PARTS]:
            with checking(name):
                outcome = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
                assert outcome.failed == 0
