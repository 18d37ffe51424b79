"""Golden values: what the original programs computed, and how to ask an evaluation the same question."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from evalcore import ScoredPrecisionRecallEvaluation
from tests.differences import collected

_FOLDER = Path(__file__).parents[1] / "data" / "golden"
_QUESTION = re.compile(r"(\w+)(?:\((.*)\))?")
_NUMBER = re.compile(r"(?<![A-Z(])-?(?:\b\d+(?:\.\d+)?(?:E-?\d+)?\b|\bNaN\b|\bInfinity\b)")
_CURVE_WIDTHS = {"prCurve": 2, "rocCurve": 2, "prScoreCurve": 3}


def load(name):
    return json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def questions(values):
    """Flatten the values of a record: ``{"precisionAt": {"5": 0.6}}`` asks ``precisionAt(5)``."""
    for key, value in values.items():
        if isinstance(value, dict):
            yield from ((f"{key}({argument})", answer) for argument, answer in value.items())
        else:
            yield key, value


def documented_names(kind):
    """Return the public methods of a class, without those that save and draw it or answer a protocol."""
    names = {name for owner in kind.__mro__ if owner.__module__.startswith("evalcore.lingpipe") for name in vars(owner)}
    others = {"plot", "plot_roc", "plot_precision_recall", "category_counts", "scored_cases"}
    return {name for name in names - others if not name.startswith("_")}


def method_of(question):
    return _QUESTION.fullmatch(question)[1]


def ask(evaluation, question):
    name, arguments = _QUESTION.fullmatch(question).groups(default="")
    return getattr(evaluation, name)(*json.loads(f"[{arguments}]"))


def scored(record):
    evaluation = ScoredPrecisionRecallEvaluation()
    for correct, score in record["cases"]:
        evaluation.addCase(correct, float(score))
    evaluation.addMisses(record.get("misses", 0))
    return evaluation


def counts(decisions):
    names = "truePositive", "falseNegative", "falsePositive", "trueNegative"
    return [getattr(decisions, name)() for name in names]


def assert_same_text(actual, expected):
    """Compare everything between numbers to the letter, numbers to 1e-12."""
    assert _NUMBER.split(actual) == _NUMBER.split(expected)
    numbers, others = (list(map(float, _NUMBER.findall(text))) for text in (actual, expected))
    assert numbers == pytest.approx(others, rel=1e-12, abs=0, nan_ok=True)


def assert_answers(evaluation, values):
    """Ask everything of a record; every difference is named."""
    with collected() as checking:
        for question, answer in questions(values):
            with checking(question):
                assert_answer(question, ask(evaluation, question), answer)


def assert_answer(question, actual, expected):
    """Compare counts exactly, other numbers to 1e-12, where NaN equals NaN and -0.0 equals 0.0."""
    if isinstance(expected, list):
        rows = np.array(expected, dtype=np.float64).reshape(-1, _CURVE_WIDTHS[method_of(question)])
        assert actual.shape == rows.shape
        assert actual.dtype == np.float64
        assert not actual.flags.writeable
        np.testing.assert_allclose(actual, rows, rtol=1e-12, atol=0)
    elif isinstance(expected, int):
        assert type(actual) is int
        assert actual == expected
    else:
        assert type(actual) is float
        assert actual == pytest.approx(float(expected), rel=1e-12, abs=0, nan_ok=True)
