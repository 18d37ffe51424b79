"""The options that several commands share, and what they ask for."""

import csv
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import click
from click.core import ParameterSource

from evalcore.cli.config import CONFIG
from evalcore.cli.errors import QUIET
from evalcore.cli.options import Decorator, option, under
from evalcore.errors import EvaluationError
from evalcore.evaluation.options import WEIGHT_TYPES

GENERAL = under("Options", QUIET, CONFIG)
INPUT_FORMATS = "csv", "tsv", "jsonl", "parquet", "arrow", "npz"
READING = (
    option(
        "--input-format  Format of files whose names do not tell it, such as .txt, or of standard input; json means"
        " jsonl.  [default: by the ending of the name, and for standard input and pipes by the first bytes; CSV for"
        " text without braces]",
        type=click.Choice((*INPUT_FORMATS, "json"), case_sensitive=False),
    ),
    "--delimiter SIGN  What separates the cells of CSV and TSV, such as ';' or tab.  [default: comma, for TSV tab]",
    "--sql QUERY  The rows of a DuckDB database (duckdb:FILE), as one select. duckdb: alone is an empty database,"
    " in which it may join files: \"select late, model from 'labels.csv' join 'scores.parquet' using (id)\". "
    " [default: its only table]",
)
DECIMAL = option(
    "--decimal  Sign before the decimals of scores and weights in CSV and TSV: . or a comma.  [default: .]",
    type=click.Choice((".", ",")),
)
_CHOSEN = (
    option(
        "--nulls  What to do with rows that have a null, NaN or, in text, an empty cell in a column that the report"
        " needs. Words such as NA are nulls among scores, and in a label column whose other values are numbers or"
        " Booleans. A note counts the rows that are left out.  [default: refuse]",
        type=click.Choice(["refuse", "drop"]),
    ),
    '--where CONDITION  Evaluate only rows that meet CONDITION, in the SQL of DuckDB, such as "month >= 7 and'
    " carrier = 'UA'\". It may use all columns of the files. Columns of CSV and JSON lines hold numbers, Booleans,"
    " dates or times if all their cells do, else text, as codes such as 07 are; an empty cell of CSV is null.",
)
ROWS = under("Rows", *_CHOSEN)
"""Which rows are evaluated."""
SAMPLED_ROWS = under(
    "Rows",
    *_CHOSEN,
    "--sample N  Evaluate N of the rows that --where and --nulls keep, each set of N equally likely.",
    "--seed S  Choose another sample for each S.  [default: 0]",
)
"""Which rows are evaluated, or a sample of these."""
_OTHER_THAN_SCORES = "predicted", "old_predicted", "prefix", "qrels"
"""Parameters that ask for other predictions than scores of one label."""

WEIGHTS = under(
    "Weights",
    "--weight COL  Column of the weights of rows: numbers of at least 0. Rows of weight 0 count as absent.",
    option(
        "--weight-type  What weights are. sampling: how many cases of the population each row stands for, such as 100"
        " where one in a hundred was sampled; intervals are as wide as the sampled rows make them. frequency: how many"
        " rows like it there were, a whole number; each row counts as so many.  [default: sampling]",
        type=click.Choice(WEIGHT_TYPES),
    ),
    option(
        "--target-prevalence P  Reweight positives and negatives so that a fraction P of the cases is positive, as in"
        " another population or before negatives were sampled. With --by, P is the prevalence of all groups together.",
        unless=_OTHER_THAN_SCORES,
    ),
)
"""How the rows are weighted."""
_JUNIT = (
    "--junit FILE  Also write the result of --fail-if as JUnit XML, a test case for each condition, or the error"
    " that ended the command."
)
_CONFIDENT = (
    "--confident  Fail only for what is certain: the condition is true of the whole interval (--ci), not only of"
    " the estimate."
)


def small_gate(condition: str, *, intervals: bool) -> Decorator:
    """Return the options of a gate on few numbers; condition: what it is, with examples.  O(1)."""
    fail_if = option(
        f"conditions: --fail-if CONDITION...  Exit with code 1 if CONDITION is true: {condition} A number that is NaN"
        " or missing is an error (exit code 2), never a pass. Repeatable; those of --config are added.",
        adds=True,
    )
    return under("Gate", fail_if, *([_CONFIDENT] if intervals else []), _JUNIT)


GATE = under(
    "Gate",
    option(
        "conditions: --fail-if CONDITION...  Exit with code 1 if CONDITION is true: [MODEL:] [SCOPE:] MEASURE RELATION"
        ' NUMBER, such as "roc_area < 0.73", "roc_area drops by 0.005", "logistic: roc_area < 0.7" or "any carrier'
        ' with 1000 cases: recall@0.3 drops by 0.02". MODEL is the name of one model; else each counts. SCOPE is'
        " COLUMN=VALUE (a group), any COLUMN (each group) or any COLUMN with N cases (each group of at least N), with"
        ' commas between several columns: "any carrier=AA, month". Without it, all cases count. recall@0.3 is recall'
        " at the threshold 0.3, recall[ash] that of the class ash. RELATION is <, <=, > or >=, of the value; or drops"
        " by, rises by: it changed from the old model to the new one by at least NUMBER, also where lower is better:"
        ' "log_loss rises by 0.01". Names with spaces or one of , : = < > go in quotes. Measures, thresholds, depths'
        " and groups need not be asked for otherwise, but evalcore report needs --costs for expected_cost@0.5 and"
        " --baseline for changes. Of several models or groups, one is enough. Whether a failure is certain is said"
        " beside it. A number that is NaN, missing or not known well enough (--memory), and a group of the baseline"
        " that is gone, are errors (exit code 2), never a pass. Repeatable; those of --config are added.",
        adds=True,
    ),
    _CONFIDENT,
    _JUNIT,
)
"""When the command fails, and where it says so."""
_MEMORY = "EVALCORE_MEMORY"


def memory_option(unfit: str) -> Decorator:
    """Return the option that limits memory; unfit: what happens to what does not fit.  O(1)."""
    return option(
        f"--memory SIZE  Memory limit, such as 500M or 2G, at least 256M. {unfit}"
        f"  [default: {_MEMORY}, else half of the machine]",
        envvar=_MEMORY,
    )


def memory_limit(memory: str | None) -> int | None:
    """Return the bytes of a memory limit; an error names the variable that it comes from, if any.  O(1)."""
    if memory is None:
        return None
    from evalcore.io.formats import naming  # now: help and completion need click alone
    from evalcore.io.memory import memory_size

    if source_of("memory") == ParameterSource.ENVIRONMENT:
        with naming(_MEMORY):
            return memory_size(memory)
    try:
        return memory_size(memory)
    except EvaluationError as error:
        raise EvaluationError(f"--{error}") from None


def source_of(parameter: str) -> ParameterSource | None:
    """Return where the value of a parameter comes from, such as the command line or a variable.  O(1)."""
    return click.get_current_context().get_parameter_source(parameter)


def reading_of(asked: Mapping[str, Any]) -> Any:
    """Return how options, by the names of their parameters, say that files are read.  O(1)."""
    from evalcore.io.formats import Reading, checked_delimiter, format_named

    delimiter = checked_delimiter(asked["delimiter"])
    return Reading(format_named(asked["input_format"]), delimiter, asked["sql"], asked.get("decimal"))


def rows_of(nulls: str | None, where: str | None, sample: int | None = None, seed: int | None = None) -> Any:
    """Return the choice of rows that options ask for.  O(1)."""
    from evalcore.io.rows import Rows

    return Rows("drop" if nulls == "drop" else "refuse", where, sample, seed or 0)


def columns_of_groups(values: Sequence[str]) -> tuple[str, ...]:
    """Return the names of columns, of which a value may hold several between commas, quoted as in CSV.

    >>> columns_of_groups(["carrier, origin", '"a,b"'])
    ('carrier', 'origin', 'a,b')
    """
    names = tuple(chain.from_iterable(csv.reader(values, skipinitialspace=True)))
    if len(names) < len(values) or "" in names:
        raise click.UsageError(f"--by must name columns, got {' and '.join(map(repr, values))}.")
    return names
