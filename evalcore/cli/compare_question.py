"""The question that the options of ``evalcore compare`` ask, or what is wrong with them."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from evalcore.cli.margins import margin_of
from evalcore.comparison.question import CompareQuestion
from evalcore.io.formats import STANDARD_INPUT, Reading, checked_delimiter, format_named
from evalcore.io.rows import Rows
from evalcore.report.weighting import Weighting

_OF_RUNS = {"allow", "changed", "measures", "level", "margin", "method", "resamples", "seed"}
"""Parameters that runs of ranked results take too."""


def check_options(files: Sequence[str], qrels: str | None, asked: Mapping[str, Any]) -> None:
    """Raise UsageError for options that are missing, exclude each other, or would change nothing.  O(options).

    files: of the old model and the new ones; asked: values of options by the names of their parameters.
    """
    given = {name for name, value in asked.items() if value not in (None, (), False)}
    options = click.get_current_context().command.params
    of_cases = [option.opts[0] for option in options if option.name in given - _OF_RUNS]
    resampled = "measures" in given or asked["method"] in ("bootstrap", "permutation")
    refused = {
        "Only one file may be -: standard input can be read only once.": [*files, qrels].count(STANDARD_INPUT) > 1,
        "--qrels FILE needs two runs: evalcore compare OLD NEW --qrels FILE.": qrels is not None and len(files) == 1,
        f"--qrels FILE compares runs, which take no {' and no '.join(of_cases)}; give one or the other.": (
            qrels is not None and of_cases
        ),
        "Give --score COL or --predicted COL, the column of the new model; or --qrels FILE, to compare runs.": (
            qrels is None and given.isdisjoint({"score", "predicted"})
        ),
        "Give --label COL, the column of labels.": qrels is None and "label" not in given,
        "--resamples needs --method bootstrap or permutation.": "resamples" in given and not resampled,
        "--seed needs --method bootstrap or permutation.": "seed" in given and not resampled,
    }
    for why, applies in refused.items():
        if applies:
            raise click.UsageError(why)


def compare_question(
    *,
    label: str | None,
    allow: Sequence[str],
    margin: Sequence[str],
    weight: str | None,
    weight_type: str | None,
    target_prevalence: float | None,
    nulls: str | None,
    where: str | None,
    input_format: str | None,
    delimiter: str | None,
    decimal: str | None,
    sql: str | None,
    **asked: Any,
) -> CompareQuestion:
    """Return the question that options ask; those that are not given have its defaults.  O(options)."""
    return CompareQuestion(
        label=label or "",
        allow=frozenset(word.strip() for words in allow for word in words.split(",")),
        margin=margin_of(margin),
        weighting=Weighting(weight, weight_type, target_prevalence),
        rows=Rows("drop" if nulls == "drop" else "refuse", where),
        reading=Reading(format_named(input_format), checked_delimiter(delimiter), sql, decimal),
        **{name: value for name, value in asked.items() if value not in (None, ())},
    )
