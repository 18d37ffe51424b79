"""Experiments as the original records them, replayed; and everything that one answers."""

import ast
import re
from contextlib import contextmanager

import pytest

from evalcore import Contingency, EvaluationError
from tests.validation.refusals import refused

STATISTICS = "accuracy", "error", "precision", "recall", "F1"
AVERAGES = [f"{kind}_{statistic}" for kind in ("micro", "macro") for statistic in STATISTICS]
FIGURES = "", "1", "2", "3", "4", "5"
CELLS = "abcd"


def replay(experiment, operations):
    """Apply operations such as ``{"op": "add_result", "assigned": "a", "correct": None}``."""
    for operation in operations:
        if operation["op"] == "set_entries":
            experiment.set_entries(*operation["args"])
        else:
            experiment.add_result(operation["assigned"], operation["correct"], operation.get("name"))
    return experiment


def replayed(record):
    return replay(Contingency(record["categories"]), record["operations"])


def entries(experiment):
    """Read the pooled table, which is told by the representation alone."""
    cells = re.search(r"a=(.+), b=(.+), c=(.+), d=(.+)\)\Z", repr(experiment)).groups()
    return [ast.literal_eval(cell) for cell in cells]


def answer(method, *arguments):
    try:
        return method(*arguments)
    except EvaluationError as error:
        return {"die": str(error)}


def answers(experiment):
    """Everything that an experiment answers, under the names of the golden results."""
    return {
        "entries": entries(experiment),
        "category_stats": answer(experiment.category_stats),
        **{name: answer(getattr(experiment, name)) for name in AVERAGES},
        **{f"stats_table({figs})": answer(experiment.stats_table, *map(int, figs)) for figs in FIGURES},
    }


def kept(experiment):
    """Everything that an experiment keeps: how many results, the pooled table, and that of each category."""
    return repr(experiment), answer(experiment.category_stats)


def assert_statistics(actual, expected):
    """Compare one category: counts exactly, ratios to 1e-12."""
    assert actual.keys() == expected.keys()
    for name, value in actual.items():
        if name in CELLS:
            assert type(value) is int
            assert value == expected[name]
        else:
            assert type(value) is float
            assert value == pytest.approx(expected[name], rel=1e-12, abs=0), name


def assert_answers(actual, expected, assert_table=None):
    """Compare everything with what the original answered, tables of text character for character."""
    assert actual.keys() == expected.keys()
    assert actual["entries"] == pytest.approx(expected["entries"], rel=1e-12, abs=0)
    for name, value in actual.items():
        other = expected[name]
        if isinstance(value, dict) and "die" not in value:
            assert value.keys() == other.keys()
            for category, statistics in value.items():
                assert_statistics(statistics, other[category])
        elif isinstance(value, float):
            assert value == pytest.approx(other, rel=1e-12, abs=0), name
        elif isinstance(value, str) and assert_table:
            assert_table(value, other, actual)
        elif name != "entries":
            assert value == other, name


@contextmanager
def unchanged(experiment, error, message):
    """Expect a refusal that leaves everything as it was."""
    before = kept(experiment)
    with refused(experiment, error, message):
        yield
    assert kept(experiment) == before
