"""Run scikit-learn's own tests of its metrics against `evalcore.metrics`.

    python tests/metrics/sklearn_suite.py

runs the test modules of the installed scikit-learn with every function that `evalcore.metrics` has in the place of
scikit-learn's, and prints what fails, is not run or never enters evalcore and is not in `sklearn_exceptions.toml`, and
what stands in that list for no reason.  The same file is the pytest plugin that puts the functions in their places:
pytest imports plugins before test modules, so that parametrized tests get evalcore's functions too.
"""

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

MODULES = ("test_classification", "test_ranking")
EXCEPTIONS = Path(__file__).with_name("sklearn_exceptions.toml")
RECORD = "EVALCORE_SKLEARN_RECORD"
"""Environment variable that makes this file a plugin, and names the file to write what happened to."""

_records = {}
_entered = set()


def main(arguments):
    """Run the modules named, all by default, and say what is not as listed."""
    modules = arguments or MODULES
    with tempfile.TemporaryDirectory() as folder:
        records = _run(modules, Path(folder))
    counts = Counter(record["outcome"] for record in records.values())
    inside = sum(record["entered"] for record in records.values())
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())), f"; {inside} entered evalcore")
    wrong = complaints(records, _exceptions(), modules)
    print(*wrong, sep="\n")
    return 1 if wrong or not records else 0


def complaints(records, exceptions, modules=MODULES):
    """List the tests that are not as they should be and not listed, and what is listed in vain."""
    wrong, used = [], set()
    for test, record in records.items():
        why = _why_wrong(record)
        listed = next((name for name in (test, test.partition("[")[0]) if name in exceptions), None)
        if why and listed is None:
            wrong.append(f"{test}: {why}")
        elif why:
            used.add(listed)
    in_vain = [name for name in exceptions if name not in used and name.partition(".")[0] in modules]
    return wrong + [f"{name}: listed, but nothing is wrong with it" for name in in_vain]


def _why_wrong(record):
    if record["outcome"] != "passed":
        return record["outcome"]
    return "" if record["entered"] else "never entered evalcore"


def _exceptions():
    tables = tomllib.loads(EXCEPTIONS.read_text("utf-8"))
    return {f"{module}.py::{test}": reason for module, tests in tables.items() for test, reason in tests.items()}


def _run(modules, folder):
    record = folder / "record.json"
    names = [f"sklearn.metrics.tests.{module}" for module in modules]
    root = Path(importlib.util.find_spec("sklearn").origin).parent  # so that names of tests begin with their module
    options = [
        "-q",
        "-W",
        "ignore",
        "-W",
        "error::RuntimeWarning",
        "-p",
        "no:cacheprovider",
        "-p",
        "sklearn_suite",
        "-c",
        os.devnull,
    ]
    options += ["--rootdir", str(root)]
    path = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH")]))
    subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--pyargs", *names],
        env={**os.environ, RECORD: str(record), "PYTHONPATH": path},
        cwd=folder,
        check=False,  # what fails is in the record
    )
    return json.loads(record.read_text("utf-8")) if record.exists() else {}


def _recording(function):
    """Return the function, which then tells that the test under way has entered it."""

    @functools.wraps(function)
    def recorded(*arguments, **options):
        _entered.add(os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0])
        return function(*arguments, **options)

    return recorded


def replace_functions():
    """Put evalcore's functions and warning into `sklearn.metrics`, its submodules and `sklearn.exceptions`."""
    import sklearn.calibration
    import sklearn.exceptions
    import sklearn.metrics

    import evalcore.metrics as ours

    theirs = {name: getattr(sklearn.metrics, name, None) for name in ours.__all__}
    pairs = {name: (old, _recording(getattr(ours, name))) for name, old in theirs.items() if inspect.isfunction(old)}
    name = "UndefinedMetricWarning"
    pairs[name] = getattr(sklearn.exceptions, name), getattr(ours, name)
    pairs["calibration_curve"] = sklearn.calibration.calibration_curve, getattr(ours, "calibration_curve", None)
    rooms = ("sklearn.metrics", "sklearn.exceptions", "sklearn.calibration")
    for module in [module for path, module in sys.modules.items() if path.startswith(rooms)]:
        for name, (old, new) in pairs.items():
            if new is not None and vars(module).get(name) is old:
                setattr(module, name, new)
    for scorer in sklearn.metrics._scorer._SCORERS.values():
        old, new = pairs.get(scorer._score_func.__name__, (None, None))
        if new is not None and scorer._score_func is old:
            scorer._score_func = new


def _short(test):
    return test.rpartition("/")[2]


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        outcome = "xfailed" if hasattr(report, "wasxfail") else report.outcome
        _records[_short(report.nodeid)] = {"outcome": outcome, "entered": False}


def pytest_sessionfinish():
    entered = {_short(test) for test in _entered}
    for test, record in _records.items():
        record["entered"] = test in entered
    Path(os.environ[RECORD]).write_text(json.dumps(_records), "utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
if os.environ.get(RECORD):
    replace_functions()
