"""The options of ``evalcore compare``, by what they decide; the help lists them in this order, under these headings."""

import click

from evalcore.cli.common_options import DECIMAL, GATE, GENERAL, READING, ROWS, WEIGHTS, memory_option
from evalcore.cli.completion import completed_allowed, completed_compared, completed_new_columns
from evalcore.cli.options import REPORT_STYLES, listing, option, output_options, under
from evalcore.evaluation.options import ALLOWED, CHANGED, DIFFERENCE_METHODS, METHODS_OF_CLASSES, RESAMPLES, WILCOXON

_CLASSES = "predicted", "old_predicted", "qrels"
"""Parameters in place of scores of one label."""
COLUMNS = under(
    "Columns",
    option("--label COL  Column of labels: 0 and 1, Booleans or, with --predicted, class names.", unless=("qrels",)),
    option("--positive VALUE  The positive label, if it is not 1 or true.", unless=_CLASSES),
    option(
        "score: --new-score --score COL...  Column of the new scores for the positive label. Repeatable, with"
        " --old-score.",
        unless=_CLASSES,
        shell_complete=completed_new_columns,
    ),
    option("--old-score COL  Column of the old scores.  [default: that of --new-score, in OLD]", unless=_CLASSES),
    option(
        "--predicted COL...  Column of the classes that the new model predicts, in place of scores. Repeatable, with"
        " --old-predicted.",
        unless=("score", "old_score", "qrels"),
        shell_complete=completed_new_columns,
    ),
    option(
        "--old-predicted COL  Column of the classes that the old model predicts.  [default: that of --predicted, in"
        " OLD]",
        unless=("score", "old_score", "qrels"),
    ),
    "text: --as-text COL...  Read COL (ids, labels, predictions, groups or clusters) as text, whatever its type."
    " Repeatable.",
    "--qrels FILE  Compare runs of ranked results in TREC's format, judged by FILE: OLD and NEW are runs, compared"
    " query by query.",
)
"""What is compared."""
JOINING = under(
    "Joining",
    "on: --id COL...  Column that identifies a case in OLD and in NEW. Rows may be in any order. Repeatable: the"
    " values of all --id columns together identify a case.",
    option(
        "allow: --allow-mismatch WORD[,WORD]...  "
        f"Allow what is an error otherwise, and count it in a note: {', '.join(ALLOWED)}, or several of them"
        " between commas. missing: ids that one table lacks; the cases of both are compared. repeated: ids of several"
        " rows; the first row of each id counts. labels: labels that differ; those of NEW count. Repeatable.",
        shell_complete=completed_allowed,
    ),
)
"""How the rows of two tables find each other."""
STATISTICS = under(
    "Statistics",
    option(
        "thresholds: --threshold T...  Add measures of the decisions that predict positive if score >= T, named like"
        " recall@T, and the cases that they get newly right and newly wrong. Repeatable.",
        unless=_CLASSES,
    ),
    option(
        "measures: --measure NAME...  Compare NAME only, such as roc_area or recall@0.3. Measures that have no"
        " interval of their own, such as maximum_f1, get one from the bootstrap. Of runs (--qrels), NAME is one of"
        " evalcore trec. Repeatable.  [default: those with an interval of their own]",
        shell_complete=completed_compared,
    ),
    listing("evalcore.evaluation.measure_choice:described_compared"),
    option("level: --ci LEVEL  Level of the confidence intervals.", default=0.95),
    "--margin [NAME=]M...  The smallest difference that matters, in the units of each measure. Verdicts are then"
    " superior, equivalent (by two one-sided tests), non-inferior, inferior or inconclusive. M is for all"
    " measures; NAME=M, such as roc_area=0.005, for one of them, and recall=0.02 for recall at every threshold."
    " Measures without a margin get the plain verdict. Repeatable, with NAME=M.",
    option(
        "--method  Where intervals and p-values come from. analytic: tests with DeLong's variance for ROC areas,"
        " McNemar's for decisions, paired means for losses, influence values for the others. bootstrap: paired"
        " resamples of rows, or of clusters. permutation, of predicted classes: p-values by swapping the models case"
        " by case, with analytic intervals. Of runs (--qrels): Student's t test, the bootstrap or permutation of"
        " queries, or wilcoxon, the test of signed ranks.  [default: analytic]",
        type=click.Choice([*METHODS_OF_CLASSES, WILCOXON]),
    ),
    option(
        "--ci-method  "
        "The analytic interval of differences of ROC areas, with its p-value: by a score test with DeLong's"
        " variance, which holds differences of large areas most often, or DeLong's, as of pROC."
        f"  [default: {DIFFERENCE_METHODS[0]}]",
        type=click.Choice(DIFFERENCE_METHODS),
        unless=_CLASSES,
    ),
    f"--resamples N  Number of resamples or swaps.  [default: {RESAMPLES}]",
    "--seed S  Draw other resamples for each S.  [default: 0]",
    "--stratify  Keep the number of cases of each class in every resample.",
    f"--changed N  Maximum number of cases in each list of changed cases.  [default: {CHANGED}]",
)
"""What is asked about the models."""
FILES = under(
    "Files",
    *READING,
    DECIMAL,
    memory_option("Tables that take more are refused before they are read. Not for runs (--qrels)."),
)
"""How files are read."""
GROUPS = under(
    "Groups",
    "--by COL[,COL]...  Also compare within each group of rows with equal COL; those that got worse come first. Of"
    " several columns between commas, groups are the combinations that occur; a name with a comma goes in double"
    " quotes: '\"a,b\"'. Repeatable: each --by is a grouping of its own.",
    "--min-cases N  Leave out groups of fewer than N cases, with a note.",
    "--cluster COL  Column of clusters, such as users or days, whose cases may depend on each other. Intervals and"
    " p-values are then those of a sample of clusters.",
)
"""Groups and clusters of rows."""
compare_options = under(
    "", COLUMNS, JOINING, ROWS, WEIGHTS, FILES, STATISTICS, GROUPS, GATE, output_options(*REPORT_STYLES), GENERAL
)
"""Adds all options of a comparison to a command."""
