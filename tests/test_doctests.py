"""Every example in a docstring runs and prints what it says, in the installed package."""

import doctest
import importlib
import pkgutil

import evalcore
from tests.differences import every

NAMES = ["evalcore", *sorted(module.name for module in pkgutil.walk_packages(evalcore.__path__, "evalcore."))]


@every("name", [n for n in NAMES if not n.endswith("__main__")])
def test_examples_in_docstrings(name):
    module = importlib.import_module(name)
    outcome = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert outcome.failed == 0
