"""The options of ``evalcore compare``, by what they decide; the help lists them in this order, under these headings."""

from typing import Any

import click

from evalcore.cli.completion import (
    completed_allowed,
    completed_columns,
    completed_compared,
    completed_new_columns,
    completed_paths,
)
from evalcore.cli.gate_options import GATE
from evalcore.cli.general_options import GENERAL
from evalcore.cli.memory_options import memory_option
from evalcore.cli.options import REPORT_STYLES, Threshold, listing, output_options, repeatable, single, switch, under
from evalcore.cli.reading_options import DECIMAL, READING
from evalcore.cli.row_options import CHOSEN_ROWS
from evalcore.cli.weight_options import WEIGHTS
from evalcore.comparison.options import ALLOWED, CHANGED, CI_METHODS, METHODS_OF_CLASSES, RESAMPLES, WILCOXON

_CLASSES = "predicted", "old_predicted", "qrels"
"""Parameters in place of scores of one label."""


def _described_measures() -> dict[str, str]:
    """Return the measures that --list-measures lists, and their meanings.  O(measures)."""
    from evalcore.comparison.measure_names import described_compared

    return described_compared()


COLUMNS = under(
    "Columns",
    single(
        "--label",
        metavar="COL",
        unless=("qrels",),
        shell_complete=completed_columns,
        help="Column of labels: 0 and 1, Booleans or, with --predicted, class names.",
    ),
    single("--positive", metavar="VALUE", unless=_CLASSES, help="The positive label, if it is not 1 or true."),
    repeatable(
        "--score",
        "score",
        metavar="COL",
        unless=_CLASSES,
        shell_complete=completed_new_columns,
        help="Column of the new scores for the positive label. Repeatable, with --old-score.",
    ),
    single(
        "--old-score",
        metavar="COL",
        unless=_CLASSES,
        shell_complete=completed_columns,
        help="Column of the old scores.  [default: that of --score, in OLD]",
    ),
    repeatable(
        "--predicted",
        metavar="COL",
        unless=("score", "old_score", "qrels"),
        shell_complete=completed_new_columns,
        help="Column of the classes that the new model predicts, in place of scores. Repeatable, with --old-predicted.",
    ),
    single(
        "--old-predicted",
        metavar="COL",
        unless=("score", "old_score", "qrels"),
        shell_complete=completed_columns,
        help="Column of the classes that the old model predicts.  [default: that of --predicted, in OLD]",
    ),
    repeatable(
        "--text",
        metavar="COL",
        shell_complete=completed_columns,
        help="Read COL (ids, labels, predictions, groups or clusters) as text, whatever its type. Repeatable.",
    ),
    single(
        "--qrels",
        metavar="FILE",
        shell_complete=completed_paths,
        help="Compare runs of ranked results in TREC's format, judged by FILE: OLD and NEW are runs, compared query by"
        " query.",
    ),
)
"""What is compared."""
JOINING = under(
    "Joining",
    repeatable(
        "--id",
        "on",
        metavar="COL",
        shell_complete=completed_columns,
        help="Column that identifies a case in OLD and in NEW. Rows may be in any order. Repeatable: the values of all"
        " --id columns together identify a case.",
    ),
    repeatable(
        "--allow",
        metavar="WORD[,WORD]",
        shell_complete=completed_allowed,
        help=f"Allow what is an error otherwise, and count it in a note: {', '.join(ALLOWED)}, or several of them"
        " between commas. missing: ids that one table lacks; the cases of both are compared. repeated: ids of several"
        " rows; the first row of each id counts. labels: labels that differ; those of NEW count. Repeatable.",
    ),
)
"""How the rows of two tables find each other."""
STATISTICS = under(
    "Statistics",
    repeatable(
        "--threshold",
        "thresholds",
        type=Threshold(),
        metavar="T",
        unless=_CLASSES,
        help="Add measures of the decisions that predict positive if score >= T, named like recall@T, and the cases"
        " that they get newly right and newly wrong. Repeatable.",
    ),
    repeatable(
        "--measure",
        "measures",
        metavar="NAME",
        shell_complete=completed_compared,
        help="Compare NAME only, such as roc_area or recall@0.3. Measures that have no interval of their own, such as"
        " maximum_f1, get one from the bootstrap. Of runs (--qrels), NAME is one of evalcore trec. Repeatable."
        "  [default: those with an interval of their own]",
    ),
    listing(_described_measures),
    single("--ci", "level", type=float, default=0.95, metavar="LEVEL", help="Level of the confidence intervals."),
    repeatable(
        "--margin",
        metavar="[NAME=]M",
        help="The smallest difference that matters, in the units of each measure. Verdicts are then superior,"
        " equivalent (by two one-sided tests), non-inferior, inferior or inconclusive. M is for all measures;"
        " NAME=M, such as roc_area=0.005, for one of them, and recall=0.02 for recall at every threshold."
        " Measures without a margin get the plain verdict. Repeatable, with NAME=M.",
    ),
    single(
        "--method",
        type=click.Choice([*METHODS_OF_CLASSES, WILCOXON]),
        help="Where intervals and p-values come from. analytic: tests with DeLong's variance for ROC areas,"
        " McNemar's for decisions, paired means for losses, influence values for the others. bootstrap: paired"
        " resamples of rows, or of clusters. permutation, of predicted classes: p-values by swapping the models case by"
        " case, with analytic intervals."
        " Of runs (--qrels): Student's t test, the bootstrap or permutation of queries, or wilcoxon, the test of"
        " signed ranks."
        "  [default: analytic]",
    ),
    single(
        "--ci-method",
        type=click.Choice(CI_METHODS),
        unless=_CLASSES,
        help="The analytic interval of differences of ROC areas, with its p-value: by a score test with DeLong's"
        " variance, which holds differences of large areas most often, or DeLong's, as of pROC."
        f"  [default: {CI_METHODS[0]}]",
    ),
    single("--resamples", type=int, metavar="N", help=f"Number of resamples or swaps.  [default: {RESAMPLES}]"),
    single("--seed", type=int, metavar="S", help="Draw other resamples for each S.  [default: 0]"),
    switch("--stratify", help="Keep the number of cases of each class in every resample."),
    single(
        "--changed",
        type=int,
        metavar="N",
        help=f"Maximum number of cases in each list of changed cases.  [default: {CHANGED}]",
    ),
)
"""What is asked about the models."""
FILES = under(
    "Files",
    *READING,
    DECIMAL,
    memory_option("Tables that take more are refused before they are read. Not for runs (--qrels)."),
)
"""How files are read."""
ROWS = under("Rows", *CHOSEN_ROWS)
"""Which rows are compared."""
GROUPS = under(
    "Groups",
    repeatable(
        "--by",
        metavar="COL[,COL]",
        shell_complete=completed_columns,
        help="Also compare within each group of rows with equal COL; those that got worse come first. Of several"
        " columns between commas, groups are the combinations that occur; a name with a comma goes in double quotes:"
        " '\"a,b\"'."
        " Repeatable: each --by is a grouping of its own.",
    ),
    single("--min-cases", type=int, metavar="N", help="Leave out groups of fewer than N cases, with a note."),
    single(
        "--cluster",
        metavar="COL",
        shell_complete=completed_columns,
        help="Column of clusters, such as users or days, whose cases may depend on each other. Intervals and"
        " p-values are then those of a sample of clusters.",
    ),
)
"""Groups and clusters of rows."""
OUTPUT = under(
    "Output",
    output_options(*REPORT_STYLES),
    single(
        "--html",
        "page",
        metavar="OUT",
        shell_complete=completed_paths,
        help="Also write an HTML page (the extra html): the answer in words, charts, tables and lists. OUT may be a"
        " pipe or device.",
    ),
)
"""What is written, and where."""


def compare_options(command: Any) -> Any:
    """Add all options of a comparison to a command."""
    for group in (GENERAL, OUTPUT, GATE, GROUPS, STATISTICS, FILES, WEIGHTS, ROWS, JOINING, COLUMNS):
        command = group(command)
    return command
