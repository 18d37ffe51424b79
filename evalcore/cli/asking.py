"""What options ask for: memory, files, rows and groups, from the texts that are typed."""

import csv
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import click
from click.core import ParameterSource

from evalcore.cli.option_parsing import MEMORY
from evalcore.errors import EvaluationError, check
from evalcore.evaluation.question import Question
from evalcore.evaluation.weighting import Weighting
from evalcore.io.formats import naming, reading_of
from evalcore.io.memory import memory_size
from evalcore.io.rows import Rows


def memory_limit(memory: str | None) -> int | None:
    """Return the bytes of a memory limit; an error names the variable that it comes from, if any.  O(1)."""
    if memory is None:
        return None
    if source_of("memory") == ParameterSource.ENVIRONMENT:
        with naming(MEMORY):
            return memory_size(memory)
    try:
        return memory_size(memory)
    except EvaluationError as error:
        raise EvaluationError(f"--{error}") from None


def source_of(parameter: str) -> ParameterSource | None:
    """Return where the value of a parameter comes from, such as the command line or a variable.  O(1)."""
    return click.get_current_context().get_parameter_source(parameter)


def question_of(asked: Mapping[str, Any], **changed: Any) -> Question:
    """Return the question that options ask, by the names of their parameters; others have its defaults.  O(options).

    changed: the fields of the question that no option has as it is typed.
    """
    sample, seed = asked.get("sample"), asked["seed"] or 0
    made = {
        "rows": Rows(
            "drop" if asked["nulls"] == "drop" else "refuse", asked["where"], sample, 0 if sample is None else seed
        ),
        "reading": reading_of(asked),
        "weighting": Weighting(asked["weight"], asked["weight_type"], asked["target_prevalence"]),
    }
    given = {name: asked[name] for name in Question._fields if asked.get(name) not in (None, ())}
    return Question(**{**given, **made, **changed})


def columns_of_groups(values: Sequence[str]) -> tuple[str, ...]:
    """Return the names of columns, of which a value may hold several between commas, quoted as in CSV.

    >>> columns_of_groups(["carrier, origin", '"a,b"'])
    ('carrier', 'origin', 'a,b')
    """
    names = tuple(chain.from_iterable(csv.reader(values, skipinitialspace=True)))
    got = f"{' and '.join(map(repr, values))}."
    check(len(names) >= len(values) and "" not in names, "--by", "name columns", got)
    return names
