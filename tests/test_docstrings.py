"""Docstrings: examples run and print what they say; sections, range, formula and source are there."""

import doctest
import importlib
import inspect
import linecache
import pkgutil
import re
from dataclasses import is_dataclass
from typing import Protocol

import pytest

import evalcore
from evalcore import lingpipe, streaming
from evalcore.document.charts.plots import plots_of
from tests.differences import collected, every
from tests.test_architecture import LEVELS, PUBLIC_MODULES, PUBLIC_PACKAGES, layer_of

RANGE = re.compile(r"\bRange: |\b[Ii]n -?[01] \.\. |\b[Aa]t (least|most) -?[01]\b")
SOURCE = re.compile(r"\bSources?\b[^.]*: |\b[Ee]qual to |\bthose of scikit-learn's ")


def functions(*packages):
    """List the public functions of packages, each behind its package."""
    named = [(package, name) for package in packages for name in getattr(evalcore, package).__all__]
    return [pair for pair in named if inspect.isfunction(getattr(getattr(evalcore, pair[0]), pair[1]))]


FUNCTIONS = functions("metrics", "inference")
OTHERS = functions("distributed", "io", "plots", "ranking", "streaming", "testing")
WITHOUT_FORMULA = {
    "bootstrap_intervals",
    "calibration_curve",
    "classification_report",
    "metric_at_thresholds",
    "multilabel_confusion_matrix",
    "optimal_threshold",
    "threshold_at",
}
"""They draw bins, write a table, choose, or call what has one."""


def section(docstring, head):
    """Return the text below a heading of numpydoc."""
    below = re.split(rf"^{head}\n-{{3,}}\n", docstring, maxsplit=1, flags=re.MULTILINE)[1:]
    return re.split(r"^\w[\w ]*\n-{3,}\n", below[0], maxsplit=1, flags=re.MULTILINE)[0] if below else ""


def lacking(docstring):
    """List what the docstring of a measure or an interval lacks beside its sections, of which a test looks at all."""
    has = {
        "a range": RANGE.search(section(docstring, "Returns") + section(docstring, "Notes")),
        "a source or a peer": SOURCE.search(" ".join(docstring.split())),
    }
    return [part for part, found in has.items() if not found]


def test_there_are_measures_and_intervals():
    assert len(FUNCTIONS) > 100


@every(("package", "name"), FUNCTIONS)
def test_functions_say_their_range_their_source_and_their_formula(package, name):
    docstring = inspect.getdoc(getattr(getattr(evalcore, package), name))
    assert lacking(docstring) == []
    assert "$$" in section(docstring, "Notes") or name in WITHOUT_FORMULA


@every(("package", "name"), [*FUNCTIONS, *OTHERS])
def test_functions_say_when_to_use_them(package, name):
    assert re.search(r"\bUse\s", inspect.getdoc(getattr(getattr(evalcore, package), name)))


@every("name", [name for package, name in FUNCTIONS if package == "metrics"])
def test_measures_say_their_range_below_the_formula(name):
    notes = " ".join(section(inspect.getdoc(getattr(evalcore.metrics, name)), "Notes").split())
    assert re.search(r"\bRange: ", notes)


SECTIONS = ("Parameters", "Returns", "Yields", "Raises", "Warns", "See Also", "Notes", "References", "Examples")


def public(package):
    """Map dotted names to the functions and classes that a package lists, and to the methods of its classes.

    A named tuple describes each field beside it, and a protocol has nothing to run: only their methods count.
    """
    found = {}
    for name in package.__all__:
        value = getattr(package, name)
        if callable(value) and not hasattr(value, "_fields") and Protocol not in getattr(value, "__bases__", ()):
            found[f"{value.__module__}.{name}"] = value
        for owner in getattr(value, "__mro__", ()):
            for method, attribute in vars(owner).items():
                body = getattr(attribute, "fget", None) or getattr(attribute, "__func__", attribute)
                if method[0] != "_" and inspect.isfunction(body) and body.__module__ == owner.__module__:
                    found[f"{owner.__module__}.{owner.__name__}.{method}"] = body
    return {name: body for name, body in found.items() if layer_of(name) in LEVELS}


def missing_from_docstring(body):
    """List what a public docstring lacks: a sentence, an example, parameters and sections of numpydoc."""
    text = inspect.getdoc(body) or ""
    missing = [] if re.match(r"[A-Z`].*?\.(\s|$)", text) else ["a sentence"]
    missing += [] if ">>>" in text else ["an example"]
    return missing + _missing_sections(body, text)


def _missing_sections(body, text):
    heads = re.findall(r"^(\w[\w ]*)\n-{3,}$", text, re.MULTILINE)
    section = text.partition("Parameters\n----------\n")[2].partition("\n---")[0]
    described = set(re.findall(r"\w+", " ".join(re.findall(r"^(\S[^:\n]*)", section, re.MULTILINE))))
    is_called = not inspect.isclass(body) or not (issubclass(body, Exception | dict) or is_dataclass(body))
    parameters = inspect.signature(body).parameters.keys() - {"self", "cls"} if is_called else set()
    is_as_elsewhere = re.search(r"\b(Constructor|Parameters)\b[^.]*\b(as in|those of) `", text)
    is_function = inspect.isfunction(body) and "." not in body.__qualname__
    rules = {
        "Returns": is_function and parameters and body.__annotations__.get("return") not in (None, "None"),
        "Raises": re.search(r"\bRaises [A-Z]", text),
        "Examples": heads,
    }
    missing = [] if is_as_elsewhere else sorted(parameters - described)
    missing += [] if is_as_elsewhere else [head for head, applies in rules.items() if applies and head not in heads]
    return missing + ([] if heads == [head for head in SECTIONS if head in heads] else ["the order of sections"])


@every("package", ["evalcore", *(f"evalcore.{name}" for name in sorted(PUBLIC_PACKAGES))])
def test_whatever_is_public_has_a_full_docstring_with_an_example(package):
    missing = {
        name: lacks
        for name, body in public(importlib.import_module(package)).items()
        if (lacks := missing_from_docstring(body))
    }
    assert missing == {}


@every("name", PUBLIC_MODULES)
def test_modules_and_what_they_define_have_a_docstring(name):
    module = importlib.import_module(name)
    defined = [
        value
        for key, value in vars(module).items()
        if key[0] != "_" and callable(value) and getattr(value, "__module__", None) == name
    ]
    assert [each for each in (module, *defined) if not each.__doc__] == []


NAMES = ["evalcore", *sorted(module.name for module in pkgutil.walk_packages(evalcore.__path__, "evalcore."))]
PARTS = 4
DOCUMENTED = {name: getattr(package, name) for package in (lingpipe, streaming) for name in package.__all__}
"""Classes that the examples of the statistics which they inherit construct."""
GLOBALS = DOCUMENTED | {"evalcore": evalcore}


@pytest.fixture
def quick(monkeypatch):
    """Draw one plot of a page, and do not look before each docstring whether a source file has changed."""
    monkeypatch.setattr(
        "evalcore.document.charts.plots.plots_of", lambda answer, question: plots_of(answer, question)[:1]
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
