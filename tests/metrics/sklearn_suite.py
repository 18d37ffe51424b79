"""Run scikit-learn's own tests of its metrics, and imbalanced-learn's, against `evalcore.metrics`.

    python tests/metrics/sklearn_suite.py          # functions and scorers: under a minute
    python tests/metrics/sklearn_suite.py --all    # also plots, tuned thresholds and imbalanced-learn
    python tests/metrics/sklearn_suite.py sklearn.metrics._plot.tests

runs test modules of the installed packages with every function that `evalcore.metrics` has in the place of
scikit-learn's.  It prints the counts of each module, what fails, is not run or never enters evalcore and is not in
`sklearn_exceptions.toml`, and what stands in that list for no reason.  The same file is the pytest plugin that puts the
functions in their places: pytest imports plugins before test modules, so that parametrized tests get evalcore's
functions too.
"""

import argparse
import functools
import importlib.util
import inspect
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from pathlib import Path

FUNCTIONS = ("sklearn.metrics.tests.test_classification", "sklearn.metrics.tests.test_ranking")
"""Modules whose every test should enter evalcore; the others also test regression, scorers and displays alone."""
QUICK = (*FUNCTIONS, "sklearn.metrics.tests.test_score_objects", "sklearn.metrics.tests.test_common")
LONG = (
    "sklearn.metrics._plot.tests",
    "sklearn.model_selection.tests.test_classification_threshold",
    "imblearn.metrics.tests",
)
DISTRIBUTIONS = {"sklearn": "scikit-learn", "imblearn": "imbalanced-learn"}
EXCEPTIONS = Path(__file__).with_name("sklearn_exceptions.toml")
LEFT_OUT = "array-API backend"
"""The reason in that list of what is not even run."""
RECORD = "EVALCORE_SKLEARN_RECORD"
"""Environment variable that makes this file a plugin, and names the file to write what happened to."""

_modules = {}
_outcomes = {}
_entered = set()


def main(arguments):
    """Run the modules named, the quick ones by default, and say what is not as listed."""
    modules = _chosen(arguments)
    with tempfile.TemporaryDirectory() as folder:
        records = _run(modules, Path(folder))
    for module in sorted({record["module"] for record in records.values()}):
        print(f"{module}: {_summary([record for record in records.values() if record['module'] == module])}")
    print(f"in all: {_summary(records.values())}")
    wrong = complaints(records, _exceptions(), modules)
    print(*wrong, sep="\n")
    return 1 if wrong or not records else 0


def _chosen(arguments):
    parser = argparse.ArgumentParser(description="Run the tests of scikit-learn's metrics against evalcore.metrics.")
    parser.add_argument("module", nargs="*", help=f"a module or package of tests, by default {', '.join(QUICK)}")
    parser.add_argument("--all", action="store_true", help=f"also {', '.join(LONG)}")
    options = parser.parse_args(arguments)
    modules = (*(options.module or QUICK), *(LONG if options.all else ()))
    packages = {module.partition(".")[0] for module in modules}
    missing = sorted(DISTRIBUTIONS.get(name, name) for name in packages if importlib.util.find_spec(name) is None)
    if missing:
        parser.error(f"not installed: {', '.join(missing)}; run: pip install {' '.join(missing)}")
    return modules


def _summary(records):
    records = list(records)
    counts = Counter(record["outcome"] for record in records)
    inside = sum(record["entered"] for record in records)
    return f"{', '.join(f'{count} {outcome}' for outcome, count in sorted(counts.items()))}; {inside} entered evalcore"


def complaints(records, exceptions, modules):
    """List the tests that are not as they should be and not listed, and what is listed in vain."""
    wrong, used = [], set()
    for test, record in records.items():
        why = _why_wrong(record)
        listed = next((name for name in (test, test.partition("[")[0]) if name in exceptions), None)
        if why and listed is None:
            wrong.append(f"{test}: {why}")
        elif why:
            used.add(listed)
    run = tuple(f"{module}." for module in modules)
    listed = [name for name, reason in exceptions.items() if reason != LEFT_OUT and name not in used]
    in_vain = [name for name in listed if name.replace("::", ".").startswith(run)]
    return wrong + [f"{name}: listed, but nothing is wrong with it" for name in in_vain]


def _why_wrong(record):
    if record["outcome"] != "passed":
        return record["outcome"]
    return "" if record["entered"] or record["module"] not in FUNCTIONS else "never entered evalcore"


@functools.cache
def _exceptions():
    tables = tomllib.loads(EXCEPTIONS.read_text("utf-8"))
    return {f"{module}::{test}": reason for module, tests in tables.items() for test, reason in tests.items()}


def _run(modules, folder):
    record = folder / "record.json"
    root = Path(importlib.util.find_spec("sklearn").origin).parents[1]  # a folder without settings of pytest
    options = ["-q", "-W", "ignore", "-W", "error::RuntimeWarning", "-p", "no:cacheprovider", "-p", "sklearn_suite"]
    options += ["-c", os.devnull, "--rootdir", str(root)]
    path = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH")]))
    subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--pyargs", *modules],
        env={**os.environ, RECORD: str(record), "PYTHONPATH": path, "MPLBACKEND": "agg"},
        cwd=folder,
        check=False,  # what fails is in the record
    )
    return json.loads(record.read_text("utf-8")) if record.exists() else {}


def _recording(function):
    """Return the function, which then tells that the test under way has entered it.

    It takes the function's place in its own module too, where pickle looks for it.
    """

    @functools.wraps(function)
    def recorded(*arguments, **options):
        _entered.add(os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0])
        return function(*arguments, **options)

    setattr(sys.modules[function.__module__], function.__name__, recorded)
    return recorded


def replace_functions():
    """Put evalcore's functions and warning into the modules of scikit-learn that have been imported."""
    import sklearn.calibration
    import sklearn.exceptions
    import sklearn.metrics
    import sklearn.model_selection

    import evalcore.metrics as ours

    theirs = {name: getattr(sklearn.metrics, name, None) for name in ours.__all__}
    theirs["calibration_curve"] = sklearn.calibration.calibration_curve
    pairs = {name: (old, _recording(getattr(ours, name))) for name, old in theirs.items() if inspect.isfunction(old)}
    pairs["UndefinedMetricWarning"] = sklearn.exceptions.UndefinedMetricWarning, ours.UndefinedMetricWarning
    for module in [module for path, module in sys.modules.items() if path.startswith("sklearn.")]:
        for name, (old, new) in pairs.items():
            if vars(module).get(name) is old:
                setattr(module, name, new)
    for scorer in sklearn.metrics._scorer._SCORERS.values():
        old, new = pairs.get(scorer._score_func.__name__, (None, None))
        if scorer._score_func is old:
            scorer._score_func = new


def pytest_collection_modifyitems(items):
    """Leave out what cannot enter evalcore: tests of functions that stay scikit-learn's, and of other backends."""
    items[:] = [item for item in items if not _is_of_others(item)]
    _modules.update((item.nodeid, item.module.__name__) for item in items)


def _is_of_others(item):
    if _exceptions().get(f"{item.module.__name__}::{item.originalname}") == LEFT_OUT:
        return True
    functions = vars(item.module).get("ALL_METRICS", {})
    params = item.callspec.params.values() if hasattr(item, "callspec") else ()
    named = [functions[name] for name in params if isinstance(name, str) and name in functions]
    return bool(named) and all(map(_is_theirs, named))


def _is_theirs(function):
    while isinstance(function, functools.partial):
        function = function.func
    return function.__module__.startswith("sklearn.metrics.") and ".tests." not in function.__module__


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        _outcomes[report.nodeid] = "xfailed" if hasattr(report, "wasxfail") else report.outcome


def pytest_sessionfinish():
    records = {
        f"{_modules[test]}::{test.partition('::')[2]}": {
            "module": _modules[test],
            "outcome": outcome,
            "entered": test in _entered,
        }
        for test, outcome in _outcomes.items()
    }
    Path(os.environ[RECORD]).write_text(json.dumps(records), "utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
if os.environ.get(RECORD):
    replace_functions()
