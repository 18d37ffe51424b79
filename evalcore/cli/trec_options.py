"""The options of ``evalcore trec``, by what they decide."""

from typing import Any

import click

from evalcore.cli.options import listing, repeatable, single, switch, under
from evalcore.report.options import COMPARED


def _described_measures() -> dict[str, str]:
    """Return names of measures and what they mean.  O(measures)."""
    from evalcore.report.statistics.trec_names import MEANINGS

    return MEANINGS


QUERIES = under(
    "Queries",
    single(
        "--ties",
        type=click.Choice(["mean", "trec"]),
        default="mean",
        help="How to order documents of equal score.",
    ),
    single(
        "-l",
        "--relevance-level",
        type=int,
        metavar="GRADE",
        help="The least grade of a relevant document.  [default: 1]",
    ),
    switch("-c", "--complete", help="Count judged queries that are not in RUN as 0."),
)
"""What is counted, and how."""
STATISTICS = under(
    "Statistics",
    repeatable(
        "-m",
        "--measure",
        "measures",
        metavar="MEASURE",
        help="A measure, such as map or P_10, or several: 'map P_5'. Repeatable.",
    ),
    listing(_described_measures),
    switch("-q", "--per-query", help="Add the values of each query."),
    single(
        "--ci",
        "level",
        type=float,
        metavar="LEVEL",
        help="Add confidence intervals at LEVEL, such as 0.95, and compare several runs query by query.",
    ),
    single(
        "--compare",
        type=click.Choice([which for which in COMPARED if which != "none"]),
        help="With --ci, compare the first run with the others, or the best by the first measure, or all pairs."
        " Differences are the first, or the best, minus the other.  [default: first]",
    ),
    single(
        "--test",
        type=click.Choice(["t", "permutation"]),
        help="With --ci, use Student's paired t test or Fisher's randomisation test.  [default: t]",
    ),
)
"""What is asked about the runs."""


def trec_options(command: Any) -> Any:
    """Add all options of the evaluation of runs to a command."""
    for group in (STATISTICS, QUERIES):
        command = group(command)
    return command
