"""The options of the column of weights, which several commands share."""

import click

from evalcore.cli.completion import completed_columns
from evalcore.cli.options import single
from evalcore.report.options import WEIGHT_TYPES

WEIGHT_COLUMN = (
    single(
        "--weight",
        metavar="COL",
        shell_complete=completed_columns,
        help="Column of the weights of rows: numbers of at least 0. Rows of weight 0 count as absent.",
    ),
    single(
        "--weight-type",
        type=click.Choice(WEIGHT_TYPES),
        help="What weights are. sampling: how many cases of the population each row stands for, such as 100 where one"
        " in a hundred was sampled; intervals are as wide as the sampled rows make them. frequency: how many rows like"
        " it there were, a whole number; each row counts as so many.  [default: sampling]",
    ),
)
