"""The plan of the package holds: who may import whom, what is public, how long a file gets."""

import ast
import functools
import gc
import importlib
import inspect
import io
import pkgutil
import re
import subprocess
import sys
import tokenize
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

import evalcore
from tests.differences import BESIDE_THE_GUIDE, every

LAYERS = (
    ("typing", "errors", "equality", "parallel", "optional", "text_tables", "_version", "configuration"),
    ("kernels",),
    ("measures",),
    ("state",),
    ("validation",),
    ("io",),
    ("saving",),
    ("metrics", "inference", "streaming"),
    ("plots",),
    ("ranking",),
    ("evaluation",),
    ("gate",),
    ("document",),
    ("testing",),
    ("lingpipe", "contingency", "mlflow_evaluator"),
    ("distributed",),
    ("evalcore",),
    ("cli",),
    ("__main__",),
    ("_command",),
)
"""Lowest first.  A module imports from lower layers, and from its own without a circle."""
LEVELS = {part: level for level, parts in enumerate(LAYERS) for part in parts}
FRONT = "evalcore"
PUBLIC_PACKAGES = {"distributed", "inference", "io", "metrics", "plots", "ranking", "saving", "streaming", "testing"}
HIDES_A_STANDARD_MODULE = {"io"}
"""Packages that `from evalcore import *` leaves out."""
LOADED_WHEN_ASKED_FOR = {"compare", "evaluate", "show_config", "ComparisonReport", "Record", "Report", *PUBLIC_PACKAGES}
FRONT_MAY_IMPORT = {
    "_version",
    "errors",
    "parallel",
    "configuration",
    "contingency",
    "lingpipe",
    "document",
    *PUBLIC_PACKAGES,
}
MAY_NEED_OPTIONAL_LIBRARIES = {
    "io",
    "saving",
    "plots",
    "evaluation",
    "document",
    "distributed",
    "cli",
    "inference",
    "mlflow_evaluator",
}
MOST_LINES = 400

ROOT = Path(evalcore.__file__).parent
SOURCES = {
    ".".join([FRONT, *path.relative_to(ROOT).with_suffix("").parts]).removesuffix(".__init__"): path.read_text("utf-8")
    for path in sorted(ROOT.rglob("*.py"))
}
PUBLIC_MODULES = [name for name in SOURCES if name.split(".")[1:2] not in (["cli"], ["__main__"])]


@functools.cache
def parsed(source):
    """Parse a source while no garbage is looked for, which would take three times as long."""
    gc.disable()
    try:
        return ast.parse(source)
    finally:
        gc.enable()


class Import(NamedTuple):
    """One import of a module, and where it stands."""

    target: str
    in_function: bool


ASKS_FOR_A_LIBRARY = "require", "Library"
"""A function that imports a library at once, and a class that does when something of it is asked for."""


def imports_of(source, module, modules, is_package=False):
    """List what a module imports, what it requires by name too; of the package, the module that holds the name."""
    found = []
    # no import stands in another expression: it need not be walked
    passed_over = () if any(f"{name}(" in source for name in ASKS_FOR_A_LIBRARY) else ast.expr

    def visit(node, inside):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, passed_over):
                continue
            targets = []
            if isinstance(child, ast.Import):
                targets = [alias.name for alias in child.names]
            elif isinstance(child, ast.ImportFrom):
                base = module.split(".")[: -child.level + is_package or None] if child.level else []
                stem = ".".join([*base, *filter(None, [child.module])])
                names = [f"{stem}.{alias.name}" for alias in child.names]
                targets = [name if name in modules else stem for name in names]
            elif isinstance(child, ast.Call) and getattr(child.func, "id", "") in ASKS_FOR_A_LIBRARY:
                targets = [each.value for each in child.args[:1] if isinstance(each, ast.Constant)]
            is_late = bool(targets) and isinstance(child, ast.Call) and child.func.id == "Library"
            in_function = is_late or any(kind is not ast.ClassDef for kind in inside)
            found.extend(Import(target, in_function) for target in dict.fromkeys(targets))
            scope = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef)
            visit(child, (*inside, type(child)) if scope else inside)

    visit(parsed(source), ())
    return found


def layer_of(module):
    """Name the part of the plan to which a module of the package belongs."""
    return module.split(".")[1] if "." in module else FRONT


def complaints(sources):
    """List what the imports of these modules, a mapping of name to source, do against the plan."""
    packages = {name.rpartition(".")[0] for name in sources}
    wrong = [f"{name} is in no layer of the plan" for name in sources if layer_of(name) not in LEVELS]
    graph = {}
    for name, source in sources.items():
        if layer_of(name) not in LEVELS:
            continue
        imports = imports_of(source, name, sources, is_package=name in packages)
        graph[name] = {each.target for each in imports} - {name}
        wrong += [f"{name} imports {each.target}: {why}" for each in imports if (why := _why_not(name, each))]
    try:
        TopologicalSorter({name: targets & graph.keys() for name, targets in graph.items()}).prepare()
    except CycleError as error:
        wrong.append(f"imports go in a circle: {' -> '.join(error.args[1])}")
    return wrong


def _why_not(name, found):
    """Say why a module may not have this import, wherever it stands; None if it may."""
    top = found.target.split(".")[0]
    if top in {"numpy", "__future__"} or top in sys.stdlib_module_names:
        return None
    rules = _rules_of_the_plan(name, found) if top == FRONT else _rules_of_optional_libraries(name, found, top)
    return next((why for broken, why in rules if broken), None)


def _rules_of_the_plan(name, found):
    layer, target = layer_of(name), layer_of(found.target)
    up = LEVELS.get(target, -1) > LEVELS[layer]
    return (
        (target not in LEVELS, "that is in no layer of the plan"),
        (layer == FRONT and target not in FRONT_MAY_IMPORT, "the front imports only what is public"),
        (up, "that is a higher layer"),
    )


def _rules_of_optional_libraries(name, found, top):
    click_of_cli = (layer_of(name), top) == ("cli", "click")
    return (
        (layer_of(name) not in MAY_NEED_OPTIONAL_LIBRARIES, "that layer needs NumPy alone"),
        (not found.in_function and not click_of_cli, "optional libraries are imported inside functions"),
    )


def test_imports_go_down_and_not_in_circles_and_the_sources_are_the_whole_package():
    assert complaints(SOURCES) == []
    walked = {module.name for module in pkgutil.walk_packages(evalcore.__path__, "evalcore.")}
    assert {FRONT, *walked} == set(SOURCES)


@BESIDE_THE_GUIDE
def test_the_guide_lists_the_layers_in_order():
    table = (
        (Path(__file__).parents[1] / "notebooks/contribute.md")
        .read_text("utf-8")
        .partition("| layer, lowest first |")[2]
        .partition("\n\n")[0]
    )
    rows = re.findall(r"^\| (`[^|]+`) \|", table, re.MULTILINE)
    assert [tuple(re.findall(r"\w+", row)) for row in rows] == list(LAYERS)


@every(
    ("name", "source", "complaint"),
    ("evalcore.kernels.a", "from evalcore import validation", "a higher layer"),
    ("evalcore.kernels.a", "from .. import validation", "a higher layer"),
    ("evalcore.kernels.a", "from ..measures import binary", "a higher layer"),
    ("evalcore.kernels", "from ..measures import binary", "a higher layer"),
    ("evalcore.kernels.a", "if TYPE_CHECKING:\n    from evalcore.state import x", "a higher layer"),
    ("evalcore.validation.arrays", "import evalcore.io.a", "a higher layer"),
    ("evalcore.plots.a", "class A:\n    def f(self):\n        from evalcore.document.a import x", "a higher layer"),
    ("evalcore.state.a", "from evalcore import EvaluationError", "a higher layer"),
    ("evalcore", "def f():\n    from evalcore.cli import x", "the front imports only what is public"),
    ("evalcore.kernels.a", "def f():\n    import scipy", "that layer needs NumPy alone"),
    ("evalcore.lingpipe.a", "class A:\n    def f(self):\n        import pandas", "that layer needs NumPy alone"),
    ("evalcore.state.a", "pa = Library('pyarrow', 'report')", "that layer needs NumPy alone"),
    ("evalcore.io.a", "pa = Library('pyarrow', 'report')", None),
    ("evalcore.io.a", "import pyarrow.csv", "optional libraries are imported inside functions"),
    ("evalcore.io.a", "class A:\n    import pyarrow", "optional libraries are imported inside functions"),
    ("evalcore.io.a", "csv = require('pyarrow.csv', 'report')", "optional libraries are imported inside functions"),
    ("evalcore.io.a", "import click", "optional libraries are imported inside functions"),
    ("evalcore.helpers.a", "import pandas", "evalcore.helpers.a is in no layer of the plan"),
    ("evalcore.state.a", "from evalcore.helpers import x", "evalcore.helpers: that is in no layer of the plan"),
    ("evalcore.io.a", "def f():\n    import pyarrow.csv\n    return require('pyarrow', 'report')", None),
    ("evalcore.cli", "import click\nfrom evalcore import EvaluationError\nimport evalcore.document.a", None),
    ("evalcore.kernels.a", "import numpy as np, numpy.typing as npt, ast\nfrom collections import abc", None),
)
def test_the_checker_complains_of_a_wrong_import_and_of_no_right_one(name, source, complaint):
    around = {
        "evalcore.validation.arrays": "",
        "evalcore.measures": "",
        "evalcore.measures.binary": "",
        "evalcore.kernels.b": "",
    }
    found = complaints({**around, name: source})
    assert len(found) == (complaint is not None)
    assert (complaint or "") in "".join(found)


@every(
    "sources",
    {"evalcore.state.a": "from evalcore.state.b import x", "evalcore.state.b": "from evalcore.state.a import y"},
    {"evalcore.state.a": "from .b import x", "evalcore.state.b": "def f():\n    from . import a"},
    {"evalcore.state": "from evalcore.state.a import x", "evalcore.state.a": "from evalcore.state import x"},
)
def test_the_checker_complains_of_a_circle_on_one_level(sources):
    assert [complaint.split(":")[0] for complaint in complaints(sources)] == ["imports go in a circle"]


def third_party_imported_by(statement):
    """List the third-party packages that a statement loads in a fresh interpreter."""
    script = f"import sys; before = set(sys.modules); {statement}; print(*set(sys.modules) - before)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = {module.split(".")[0] for module in run.stdout.split()}
    return {module for module in loaded - sys.stdlib_module_names - {"evalcore"} if not module.startswith("_")}


@pytest.mark.process
@pytest.mark.parametrize(
    ("statement", "packages"),
    [
        ("import evalcore", set()),
        ("import evalcore, iniconfig", {"iniconfig"}),
        ("import evalcore; evalcore.ConfusionMatrix", {"numpy"}),
        ("import evalcore.metrics", {"numpy"}),
        ("import evalcore.plots", {"numpy", "cython_runtime"}),  # which NumPy's random numbers load
    ],
)
def test_a_fresh_import_loads_numpy_at_most(statement, packages):
    assert third_party_imported_by(statement) == packages


def test_what_is_public_is_listed_and_hides_no_standard_module():
    listed = PUBLIC_PACKAGES - HIDES_A_STANDARD_MODULE
    assert {name for name in evalcore.__all__ if inspect.ismodule(getattr(evalcore, name))} == listed
    for package in (evalcore, *(getattr(evalcore, name) for name in PUBLIC_PACKAGES)):
        public = {name for name, value in vars(package).items() if name[0] != "_" and not inspect.ismodule(value)}
        expected = public | LOADED_WHEN_ASKED_FOR - HIDES_A_STANDARD_MODULE if package is evalcore else public
        assert sorted(package.__all__) == sorted(expected), package
    for name in (*PUBLIC_PACKAGES, "contingency", "lingpipe"):
        package = importlib.import_module(f"{FRONT}.{name}")
        assert dir(package) == sorted(package.__all__), name
    names = {}
    exec("import io\nfrom evalcore import *", names)
    assert names["io"] is io
    assert names.keys() - {"__builtins__", "io"} == set(evalcore.__all__)
    assert sys.stdlib_module_names.isdisjoint(evalcore.__all__)
    assert evalcore.io.read_run


FRESH_FRONT = """
import sys, evalcore
listed, loaded = dir(evalcore), set(sys.modules)
assert listed == sorted([*evalcore.__all__, "io", "__version__"])
assert not loaded & {f"evalcore.{name}" for name in ("document", "plots", "metrics", "inference", "distributed", "io")}
assert evalcore.metrics.roc_auc_score([0, 1], [0.25, 0.5]) == 1
print(len({id(getattr(evalcore, name)) for name in listed}) == len(listed))
"""


@pytest.mark.process
def test_a_fresh_front_lists_what_is_public_and_loads_it_when_it_is_asked_for():
    run = subprocess.run([sys.executable, "-c", FRESH_FRONT], capture_output=True, text=True, check=True)
    assert run.stdout == "True\n"
    with pytest.raises(AttributeError, match=r"^module 'evalcore' has no attribute 'metric'$"):
        _ = evalcore.metric
    assert [name for name in PUBLIC_PACKAGES if f"``{name}``" not in evalcore.__doc__] == []


NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def lines_of_code(source):
    """Count the lines of a source without those that are blank, comments, or strings that describe something."""
    described = {
        line
        for node in ast.walk(parsed(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, node.end_lineno + 1)
    }
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    lines = {line for each in tokens if each.type not in NO_CODE for line in range(each.start[0], each.end[0] + 1)}
    return len(lines - described)


@every("name", SOURCES)
def test_no_file_is_too_long_to_read(name):
    source = SOURCES[name]
    assert source.count("\n") <= MOST_LINES or lines_of_code(source) <= MOST_LINES  # to count code takes far longer


def test_lines_of_code_are_counted_without_what_describes_them():
    assert lines_of_code('"""A module."""\n\n# why\nx = [\n    1,\n]\n"""What\nx is."""\ny = "a"  # b\n') == 4


WORDS_OF_NO_FIELD = re.compile(r"\b(pictures?|doors?|houses?|storeys?|shares? of|what (is|are) no)\b", re.IGNORECASE)


@every("name", SOURCES)
def test_sources_say_plot_validation_layer_and_fraction(name):
    assert [word[0] for word in WORDS_OF_NO_FIELD.finditer(SOURCES[name])] == []


WRITES = {"write_bytes", "write_text", "mkdir", "makedirs", "replace", "rename", "mkstemp", "NamedTemporaryFile"}


def opens_to_write(call):
    """Tell whether a call opens, makes or moves a file; `str.replace` has two arguments, `Path.replace` one."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name not in ("open", "fdopen"):
        return name in WRITES and not (name == "replace" and len(call.args) > 1)
    modes = [each.value for each in call.args[1:2] if isinstance(each, ast.Constant)]
    modes += [each.value.value for each in call.keywords if each.arg == "mode" and hasattr(each.value, "value")]
    return bool(set("wax+") & set("".join(map(str, modes))))


def test_one_module_alone_writes_files():
    writing = set()
    for name, source in SOURCES.items():
        if any(f"{word}(" in source for word in (*WRITES, "open")):  # a look that is quicker than the walk
            calls = [node for node in ast.walk(parsed(source)) if isinstance(node, ast.Call)]
            writing |= {name} if any(map(opens_to_write, calls)) else set()
    assert writing == {"evalcore.saving.files"}
