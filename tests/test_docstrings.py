"""What a reader of the docstring of a measure or an interval looks for is there."""

import inspect
import re

import evalcore
from tests.differences import every

RANGE = re.compile(r"\bRange: |\b[Ii]n -?[01] \.\. |\b[Aa]t (least|most) -?[01]\b")
SOURCE = re.compile(r"\bSources?\b[^.]*: |\b[Ee]qual to |\bthose of scikit-learn's ")
FUNCTIONS = [
    (package, name)
    for package in ("metrics", "inference")
    for name in getattr(evalcore, package).__all__
    if inspect.isfunction(getattr(getattr(evalcore, package), name))
]

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


OTHERS = [
    (package, name)
    for package in ("distributed", "io", "plots", "ranking", "streaming", "testing")
    for name in getattr(evalcore, package).__all__
    if inspect.isfunction(getattr(getattr(evalcore, package), name))
]


def section(docstring, head):
    """Return the text below a heading of numpydoc."""
    below = re.split(rf"^{head}\n-{{3,}}\n", docstring, maxsplit=1, flags=re.MULTILINE)[1:]
    return re.split(r"^\w[\w ]*\n-{3,}\n", below[0], maxsplit=1, flags=re.MULTILINE)[0] if below else ""


def lacking(docstring, takes_parameters=True):
    """List what the docstring of a function lacks."""
    has = {
        "Parameters": section(docstring, "Parameters") or not takes_parameters,
        "Returns": section(docstring, "Returns"),
        "a range": RANGE.search(section(docstring, "Returns") + section(docstring, "Notes")),
        "an example": re.search(r"^>>> ", section(docstring, "Examples"), re.MULTILINE),
        "a source or a peer": SOURCE.search(" ".join(docstring.split())),
    }
    return [part for part, found in has.items() if not found]


def test_there_are_measures_and_intervals():
    assert len(FUNCTIONS) > 100


@every(("package", "name"), FUNCTIONS)
def test_functions_say_what_they_take_and_return_its_range_an_example_and_a_source(package, name):
    function = getattr(getattr(evalcore, package), name)
    assert lacking(inspect.getdoc(function), bool(inspect.signature(function).parameters)) == []


@every(("package", "name"), FUNCTIONS)
def test_functions_say_their_formula_and_when_to_use_them(package, name):
    docstring = inspect.getdoc(getattr(getattr(evalcore, package), name))
    assert re.search(r"\bUse\s", docstring)
    assert "$$" in section(docstring, "Notes") or name in WITHOUT_FORMULA


@every(("package", "name"), OTHERS)
def test_other_functions_say_what_they_take_an_example_and_when_to_use_them(package, name):
    docstring = inspect.getdoc(getattr(getattr(evalcore, package), name))
    assert not {"Parameters", "an example"}.intersection(lacking(docstring))
    assert re.search(r"\bUse\s", docstring)


@every("name", [name for package, name in FUNCTIONS if package == "metrics"])
def test_measures_say_their_range_below_the_formula(name):
    notes = " ".join(section(inspect.getdoc(getattr(evalcore.metrics, name)), "Notes").split())
    assert re.search(r"\bRange: ", notes)


FULL = """Return 1.

Parameters
----------
a : int
    One.

Returns
-------
float
    In 0 .. 1.

Notes
-----
Source: A. Author, A Title, 1999.

Examples
--------
>>> f(1)
1
"""


@every(
    ("old", "new", "missing"),
    [
        ("", "", []),
        ("In 0 .. 1.", "The value.", ["a range"]),
        ("Source: A. Author", "A. Author", ["a source or a peer"]),
        ("Source: A. Author", "Equal to A. Author", []),
        (">>> f(1)", "f(1)", ["an example"]),
        ("Parameters\n", "Arguments\n", ["Parameters"]),
        ("Returns\n-------\n", "", ["Returns", "a range"]),
    ],
)
def test_what_is_lacking_is_found(old, new, missing):
    assert lacking(FULL.replace(old, new, 1)) == missing
