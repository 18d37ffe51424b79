"""The options of ``evalcore report``, by what they decide; the help lists them in this order, under these headings."""

from typing import Any

import click

from evalcore.cli.completion import completed_columns, completed_measures, completed_paths
from evalcore.cli.gate_options import GATE
from evalcore.cli.general_options import GENERAL
from evalcore.cli.memory_options import memory_option
from evalcore.cli.options import REPORT_STYLES, Threshold, listing, output_options, repeatable, single, switch, under
from evalcore.cli.reading_options import DECIMAL, READING
from evalcore.cli.row_options import ROWS
from evalcore.cli.weight_options import WEIGHTS
from evalcore.report.options import CI_METHODS, COMPARED, MOST_GROUPS, PROPORTION_METHODS

_CLASSES = "predicted", "prefix"
"""Parameters that ask for classes, in place of scores of one label."""


def _described_measures() -> dict[str, str]:
    """Return names of measures and what they mean.  O(measures)."""
    from evalcore.report.measure_choice import described_measures

    return described_measures()


COLUMNS = under(
    "Columns",
    single(
        "--label",
        required=True,
        metavar="COL",
        shell_complete=completed_columns,
        help="Column of labels: 0 and 1, Booleans, or class names.",
    ),
    single("--positive", metavar="VALUE", unless=_CLASSES, help="The positive label, if it is not 1 or true."),
    repeatable(
        "--score",
        "scores",
        metavar="[CLASS=]COL",
        unless=_CLASSES,
        shell_complete=completed_columns,
        help="Column of scores for the positive label or, with CLASS=, for that class. Repeatable. No = in a plain"
        " COL.",
    ),
    single(
        "--scores",
        "prefix",
        metavar="PREFIX",
        unless=("scores", "predicted"),
        help="Columns of scores for each class, named PREFIX and the class name.",
    ),
    single(
        "--predicted",
        metavar="COL",
        unless=("scores", "prefix"),
        shell_complete=completed_columns,
        help="Column of predicted classes.",
    ),
    repeatable(
        "--text",
        metavar="COL",
        shell_complete=completed_columns,
        help="Read COL (labels, predictions, groups or clusters) as text, whatever its type. Repeatable.",
    ),
)
"""What is evaluated."""
FILES = under(
    "Files",
    *READING,
    DECIMAL,
    memory_option(
        "Columns that do not fit are summarised in one pass: ROC"
        " area, average precision and maximum F1 then have intervals that always contain the exact values, unless there"
        " are few distinct scores. Counts, log loss, Brier score, calibration error and statistics at --threshold stay"
        " exact. Statistics of single ranks, such as precision at k, are left out, or refused if --measure or --at-k"
        " asks for them. --ci, --plots, --sample, --threshold-for and scores of classes are refused. Reports on"
        " --predicted stay exact. The query of a database spills to disk beyond an eighth of the limit."
    ),
)
"""How files are read."""
STATISTICS = under(
    "Statistics",
    repeatable(
        "--threshold",
        "thresholds",
        type=Threshold(),
        metavar="T",
        unless=_CLASSES,
        help="Add statistics of the decisions that predict positive if score >= T. In JSON and CSV, those of the first"
        " T are in 'scores', those of each other one in a section of its own, such as 'threshold 0.2'. Repeatable.",
    ),
    repeatable(
        "--threshold-for",
        "targets",
        metavar="TARGET",
        unless=_CLASSES,
        help="Add decisions at each model's own threshold that reaches TARGET, such as precision=0.9: precision, recall"
        " or specificity of at least, fpr (false positive rate) or flagged (fraction of all cases) of at most the"
        " value. Groups are decided at the same threshold. Repeatable.",
    ),
    single(
        "--costs",
        metavar="FP,FN",
        unless=_CLASSES,
        help="Costs of a false positive and of a false negative: add the expected cost at --threshold and, where all"
        " rows fit in memory, the lowest one and its threshold.",
    ),
    single(
        "--ci",
        "level",
        type=float,
        metavar="LEVEL",
        help="Add confidence intervals at LEVEL, such as 0.95: Wilson's for fractions and, with DeLong's variance, ROC"
        " areas, of score tests for their differences on the same cases, Boyd's for average precision, and from the"
        " delta method for F1 and kappa; with sampling weights, those of a weighted sample. Compare"
        " --score columns, with --by in each group.",
    ),
    single(
        "--ci-method",
        type=click.Choice(CI_METHODS),
        unless=("predicted",),
        help="With --ci, the interval of ROC areas: Wilson's with DeLong's variance, which holds large areas of few"
        " cases most often, DeLong's, as of pROC, or DeLong's of the logit. With delong, differences of areas have"
        f" DeLong's too, else that of a score test.  [default: {CI_METHODS[0]}]",
    ),
    single(
        "--proportion-method",
        type=click.Choice(PROPORTION_METHODS),
        help="With --ci, the interval of accuracy, precision, recall and other fractions.  [default: wilson]",
    ),
    single(
        "--compare",
        type=click.Choice(COMPARED),
        unless=_CLASSES,
        help="With --ci, compare the ROC area of each --score column with that of the first or of the best, or all"
        " pairs. P-values of several comparisons are adjusted by Holm's method; with best, as if all pairs were"
        " compared.  [default: first]",
    ),
    repeatable(
        "--measure",
        "measures",
        metavar="NAME",
        shell_complete=completed_measures,
        help="Report NAME only, such as roc_area, precision_at_20 or confusion_matrix, beside the numbers of cases and"
        " positives. --threshold adds counts, precision, recall and F1, if no NAME is of decisions; --costs adds"
        " costs. Repeatable.",
    ),
    single(
        "--at-k",
        metavar="K[,K]",
        help="Add precision and recall among the K highest scores, in place of precision at 5, 10, 100 and 1000; for"
        " scores of classes top-K accuracy.",
    ),
    listing(_described_measures),
)
"""What is asked about the columns."""
GROUPS = under(
    "Groups",
    repeatable(
        "--by",
        shell_complete=completed_columns,
        metavar="COL[,COL]",
        help="Report each group of rows with equal COL, and the total. Repeatable: groups are then the combinations"
        " that occur. A name with a comma goes in double quotes: '\"a,b\"'.",
    ),
    single(
        "--cluster",
        metavar="COL",
        shell_complete=completed_columns,
        help="Column of clusters, such as users or days, whose rows may depend on each other. With --ci, intervals and"
        " comparisons of models are then those of a sample of clusters; calibration and net benefit have none, and"
        " charts no bands.",
    ),
    single("--min-cases", type=int, metavar="N", help="Leave out groups of fewer than N cases, with a note."),
    single(
        "--sort",
        metavar="KEY",
        help="Sort groups by name, size, value (the ROC area, or the accuracy of classes) or the name of a statistic,"
        " the largest first; worst is value with the smallest first. Of several --score columns the first decides."
        "  [default: size; tables show numbers and dates in their order]",
    ),
    switch(
        "--compare-groups",
        help="With --ci, compare the ROC area, or the accuracy of classes, of each group with that of all other cases;"
        " p-values are adjusted for the groups by Holm's method.  Takes no sampling weights.",
    ),
    single("--groups", type=int, metavar="N", help=f"Maximum number of groups.  [default: {MOST_GROUPS}]"),
    switch(
        "--all-groups",
        help="Show all groups: in tables and Markdown not only the 50 largest, on pages not only the 20 best and 20"
        " worst.",
    ),
)
"""Groups of rows."""
OUTPUT = under(
    "Output",
    output_options(*REPORT_STYLES),
    single(
        "--digits",
        type=int,
        metavar="N",
        help="Decimals of numbers in tables and Markdown, 1 to 15; thresholds keep six.  [default: 6]",
    ),
    switch(
        "--full-matrix",
        help="Show all classes, not only the 50 most frequent, and all counts by class, not only the largest.",
    ),
    switch("--no-matrix", help="Leave out the counts by class: the confusion matrix and, for class scores, ranks."),
    single(
        "--html",
        "page",
        metavar="OUT",
        shell_complete=completed_paths,
        help="Also write an HTML page (the extra html): the answer in words, charts, tables and definitions. OUT may be"
        " a pipe or device.",
    ),
    single(
        "--json-out",
        metavar="FILE",
        shell_complete=completed_paths,
        help="Also write the report as JSON, whatever the format of the report is; --baseline reads it.",
    ),
    switch(
        "--no-script",
        help="Leave the scripts out of HTML pages: they have no slider, and groups are not sortable.",
    ),
    single(
        "--plots",
        "folder",
        metavar="DIR",
        shell_complete=completed_paths,
        help="Also write the plots to folder DIR, as PNG and SVG. Images of the same names, such as roc.png, are"
        " replaced, and all other files kept.",
    ),
)
"""What is written, and where."""


BASELINE = under(
    "Gate",
    GATE,
    single(
        "--baseline",
        metavar="FILE",
        shell_complete=completed_paths,
        help="Add what changed since an earlier report, the JSON that --json-out wrote, where its predictions are gone;"
        " with intervals if both have them (--ci). It is the old model of drops by and rises by. The changes are"
        " unpaired: evalcore compare is more certain where there are predictions of both models for the same cases.",
    ),
)
"""When the command fails."""


def report_options(command: Any) -> Any:
    """Add all options of the report to a command."""
    for group in (GENERAL, BASELINE, OUTPUT, GROUPS, STATISTICS, FILES, WEIGHTS, ROWS, COLUMNS):
        command = group(command)
    return command
