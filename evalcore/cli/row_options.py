"""The options that choose rows, and what they ask for."""

from typing import Any

import click

from evalcore.cli.options import single, under

CHOSEN_ROWS = (
    single(
        "--nulls",
        type=click.Choice(["refuse", "drop"]),
        help="What to do with rows that have a null, NaN or, in text, an empty cell in a column that the report needs."
        " Words such as NA are nulls among scores, and in a label column whose other values are numbers or Booleans."
        " A note counts the rows that are left out.  [default: refuse]",
    ),
    single(
        "--where",
        metavar="CONDITION",
        help="Evaluate only rows that meet CONDITION, in the SQL of DuckDB, such as \"month >= 7 and carrier = 'UA'\"."
        " It may use all columns of the files. Columns of CSV and JSON lines hold numbers, Booleans, dates or times if"
        " all their cells do, else text, as codes such as 07 are; an empty cell of CSV is null.",
    ),
)
"""Those that every command has which reads cases."""
ROWS = under(
    "Rows",
    *CHOSEN_ROWS,
    single(
        "--sample",
        type=int,
        metavar="N",
        help="Evaluate N of the rows that --where and --nulls keep, each set of N equally likely.",
    ),
    single("--seed", type=int, metavar="S", help="Choose another sample for each S.  [default: 0]"),
)
"""Which rows are evaluated."""


def rows_of(*, nulls: str | None, where: str | None, sample: int | None, seed: int | None) -> Any:
    """Return the choice of rows that options ask for."""
    from evalcore.io.rows import Rows

    if seed is not None and sample is None:
        raise click.UsageError("--seed needs --sample N.")
    return Rows("drop" if nulls == "drop" else "refuse", where, sample, seed or 0)
