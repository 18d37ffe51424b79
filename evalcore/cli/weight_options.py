"""The options that weight rows, which several commands share."""

import click

from evalcore.cli.completion import completed_columns
from evalcore.cli.options import single, under
from evalcore.report.options import WEIGHT_TYPES

_OTHER_THAN_SCORES = "predicted", "old_predicted", "prefix", "qrels"
"""Parameters that ask for other predictions than scores of one label."""

WEIGHTS = under(
    "Weights",
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
    single(
        "--target-prevalence",
        type=float,
        metavar="P",
        unless=_OTHER_THAN_SCORES,
        help="Reweight positives and negatives so that a fraction P of the cases is positive, as in another population"
        " or before negatives were sampled. With --by, P is the prevalence of all groups together.",
    ),
)
"""How the rows are weighted."""
