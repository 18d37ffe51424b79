"""The options of ``evalcore report``, by what they decide; the help lists them in this order, under these headings."""

import click

from evalcore.cli.common_options import DECIMAL, GATE, GENERAL, READING, SAMPLED_ROWS, WEIGHTS, memory_option
from evalcore.cli.completion import completed_measures
from evalcore.cli.options import REPORT_STYLES, listing, option, output_options, under
from evalcore.evaluation.options import CI_METHODS, COMPARED, MOST_GROUPS, PROPORTION_METHODS

_CLASSES = "predicted", "prefix"
"""Parameters that ask for classes, in place of scores of one label."""
COLUMNS = under(
    "Columns",
    option("--label COL  Column of labels: 0 and 1, Booleans, or class names.", required=True),
    option("--positive VALUE  The positive label, if it is not 1 or true.", unless=_CLASSES),
    option(
        "scores: --score [CLASS=]COL...  Column of scores for the positive label or, with CLASS=, for that class."
        " Repeatable. No = in a plain COL.",
        unless=_CLASSES,
    ),
    option(
        "prefix: --scores PREFIX  Columns of scores for each class, named PREFIX and the class name.",
        unless=("scores", "predicted"),
    ),
    option("--predicted COL  Column of predicted classes.", unless=("scores", "prefix")),
    "text: --as-text COL...  Read COL (labels, predictions, groups or clusters) as text, whatever its type."
    " Repeatable.",
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
    option(
        "thresholds: --threshold T...  Add statistics of the decisions that predict positive if score >= T. In JSON"
        " and CSV, those of the first T are in 'scores', those of each other one in a section of its own, such as"
        " 'threshold 0.2'. Repeatable.",
        unless=_CLASSES,
    ),
    option(
        "targets: --threshold-for TARGET...  Add decisions at each model's own threshold that reaches TARGET, such as"
        " precision=0.9: precision, recall or specificity of at least, fpr (false positive rate) or flagged (fraction"
        " of all cases) of at most the value. Groups are decided at the same threshold. Repeatable.",
        unless=_CLASSES,
    ),
    option(
        "--costs FP,FN  Costs of a false positive and of a false negative: add the expected cost at --threshold and,"
        " where all rows fit in memory, the lowest one and its threshold.",
        unless=_CLASSES,
    ),
    "level: --ci [LEVEL]  Add confidence intervals at LEVEL, 0.95 if none is given: Wilson's for fractions and, with"
    " DeLong's variance, ROC areas, of score tests for their differences on the same cases, Boyd's for average"
    " precision, and from the delta method for F1 and kappa; with sampling weights, those of a weighted sample. Compare"
    " --score columns, with --by in each group.",
    option(
        "--ci-method  "
        "With --ci, the interval of ROC areas: Wilson's with DeLong's variance, which holds large areas of few"
        " cases most often, DeLong's, as of pROC, or DeLong's of the logit. With delong, differences of areas have"
        f" DeLong's too, else that of a score test.  [default: {CI_METHODS[0]}]",
        type=click.Choice(CI_METHODS),
        unless=("predicted",),
    ),
    option(
        "--proportion-method  With --ci, the interval of accuracy, precision, recall and other fractions.  [default:"
        " wilson]",
        type=click.Choice(PROPORTION_METHODS),
    ),
    option(
        "compare: --versus  With --ci, compare the ROC area of each --score column with that of the first or of the"
        " best, or all pairs. P-values of several comparisons are adjusted by Holm's method; with best, as if all pairs"
        " were compared.  [default: first]",
        type=click.Choice(COMPARED),
        unless=_CLASSES,
    ),
    option(
        "measures: --measure NAME...  Report NAME only, such as roc_area, precision_at_20 or confusion_matrix, beside"
        " the numbers of cases and positives; names of other libraries, such as AUC, are understood. --threshold adds"
        " counts, precision, recall and F1, if no NAME is of decisions; --costs adds costs. Repeatable.",
        shell_complete=completed_measures,
    ),
    "--at-k K[,K]  Add precision and recall among the K highest scores, in place of precision at 5, 10, 100 and"
    " 1000; for scores of classes top-K accuracy.",
    listing("evalcore.evaluation.measure_choice:described_measures"),
)
"""What is asked about the columns."""
GROUPS = under(
    "Groups",
    "--by COL[,COL]...  Report each group of rows with equal COL, and the total. Repeatable: groups are then the"
    " combinations that occur. A name with a comma goes in double quotes: '\"a,b\"'.",
    "--cluster COL  Column of clusters, such as users or days, whose rows may depend on each other. With --ci,"
    " intervals and comparisons of models are then those of a sample of clusters; calibration and net benefit have"
    " none, and charts no bands.",
    "--min-cases N  Leave out groups of fewer than N cases, with a note.",
    "--sort KEY  Sort groups by name, size, value (the ROC area, or the accuracy of classes) or the name of a"
    " statistic, the largest first; worst is value with the smallest first. Of several --score columns the first"
    " decides.  [default: size; tables show numbers and dates in their order]",
    "--compare-groups  With --ci, compare the ROC area, or the accuracy of classes, of each group with that of all"
    " other cases; p-values are adjusted for the groups by Holm's method.  Takes no sampling weights.",
    f"groups: --max-groups N  Maximum number of groups.  [default: {MOST_GROUPS}]",
    "--all-groups  Show all groups: in tables and Markdown not only the 50 largest, on pages not only the 20 best"
    " and 20 worst.",
)
"""Groups of rows."""
OUTPUT = under(
    "Output",
    output_options(*REPORT_STYLES),
    "--digits N  Decimals of numbers in tables and Markdown, 1 to 15; thresholds keep six.  [default: 6]",
    "--full-matrix  Show all classes, not only the 50 most frequent, and all counts by class, not only the largest.",
    "--no-matrix  Leave out the counts by class: the confusion matrix and, for class scores, ranks.",
    "--no-script  Leave the scripts out of HTML pages: they have no slider, and groups are not sortable.",
    "folder: --plots DIR  Also write the plots to folder DIR, as PNG and SVG. Images of the same names, such as"
    " roc.png, are replaced, and all other files kept.",
)
"""What is written, and where."""
BASELINE = under(
    "Gate",
    GATE,
    "--baseline FILE  Add what changed since an earlier report, the JSON that -o FILE.json wrote, where its"
    " predictions are gone; with intervals if both have them (--ci). It is the old model of drops by and rises by."
    " The changes are unpaired: evalcore compare is more certain where there are predictions of both models for"
    " the same cases.",
)
"""When the command fails."""
report_options = under("", COLUMNS, SAMPLED_ROWS, WEIGHTS, FILES, STATISTICS, GROUPS, OUTPUT, BASELINE, GENERAL)
"""Adds all options of the report to a command."""
