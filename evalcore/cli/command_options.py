"""The options of `evalcore report` and `evalcore compare`, those that several commands share, and what they ask for."""

import csv
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import click
from click.core import ParameterSource

from evalcore.cli.completion import completed_allowed, completed_compared, completed_measures, completed_new_columns
from evalcore.cli.config import CONFIG
from evalcore.cli.errors import QUIET
from evalcore.cli.options import REPORT_STYLES, Decorator, listing, option, output_options, under
from evalcore.errors import EvaluationError
from evalcore.evaluation.options import (
    ALLOWED,
    CHANGED,
    CI_METHODS,
    COMPARED,
    DIFFERENCE_METHODS,
    METHODS_OF_CLASSES,
    MOST_GROUPS,
    PROPORTION_METHODS,
    RESAMPLES,
    WEIGHT_TYPES,
    WILCOXON,
)

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
        ' NUMBER, such as "roc_auc < 0.73", "roc_auc drops by 0.005", "logistic: roc_auc < 0.7" or "any carrier'
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


_OF_CLASSES, _NO_SCORES = ("predicted", "prefix"), ("predicted", "old_predicted", "qrels")
"""Parameters of reports and of comparisons in place of scores of one label."""
report_options = under(
    "",
    under(
        "Columns",
        option("--label COL  Column of labels: 0 and 1, Booleans, or class names.", required=True),
        option("--positive VALUE  The positive label, if it is not 1 or true.", unless=_OF_CLASSES),
        option(
            "scores: --score [CLASS=]COL...  Column of scores for the positive label or, with CLASS=, for that class."
            " Repeatable. No = in a plain COL.",
            unless=_OF_CLASSES,
        ),
        option(
            "prefix: --scores PREFIX  Columns of scores for each class, named PREFIX and the class name.",
            unless=("scores", "predicted"),
        ),
        option("--predicted COL  Column of predicted classes.", unless=("scores", "prefix")),
        "text: --as-text COL...  Read COL (labels, predictions, groups or clusters) as text, whatever its type."
        " Repeatable.",
    ),
    SAMPLED_ROWS,
    WEIGHTS,
    under(
        "Files",
        *READING,
        DECIMAL,
        memory_option(
            "Columns that do not fit are summarised in one pass: ROC"
            " area, average precision and maximum F1 then have intervals that always contain the exact values, unless"
            " there are few distinct scores. Counts, log loss, Brier score, calibration error and statistics at"
            " --threshold stay exact. Statistics of single ranks, such as precision at k, are left out, or refused if"
            " --measure or --at-k asks for them. --ci, --plots, --sample, --threshold-for and scores of classes are"
            " refused. Reports on --predicted stay exact. The query of a database spills to disk beyond an eighth of"
            " the limit."
        ),
    ),
    under(
        "Statistics",
        option(
            "thresholds: --threshold T...  Add statistics of the decisions that predict positive if score >= T. In JSON"
            " and CSV, those of the first T are in 'scores', those of each other one in a section of its own, such as"
            " 'threshold 0.2'. Repeatable.",
            unless=_OF_CLASSES,
        ),
        option(
            "targets: --threshold-for TARGET...  Add decisions at each model's own threshold that reaches TARGET,"
            " such as precision=0.9: precision, recall or specificity of at least, fpr (false positive rate) or"
            " flagged (fraction of all cases) of at most the value. Groups are decided at the same threshold."
            " Repeatable.",
            unless=_OF_CLASSES,
        ),
        option(
            "--costs FP,FN  Costs of a false positive and of a false negative: add the expected cost at --threshold"
            " and, where all rows fit in memory, the lowest one and its threshold.",
            unless=_OF_CLASSES,
        ),
        "level: --ci [LEVEL]  Add confidence intervals at LEVEL, 0.95 if none is given: Wilson's for fractions and,"
        " with DeLong's variance, ROC AUCs, of score tests for their differences on the same cases, Boyd's for average"
        " precision, and from the delta method for F1 and kappa; with sampling weights, those of a weighted sample."
        " Compare --score columns, with --by in each group.",
        option(
            "--ci-method  "
            "With --ci, the interval of ROC AUCs: Wilson's with DeLong's variance, which holds large areas of few"
            " cases most often, DeLong's, as of pROC, or DeLong's of the logit. With delong, differences of areas have"
            f" DeLong's too, else that of a score test.  [default: {CI_METHODS[0]}]",
            type=click.Choice(CI_METHODS),
            unless=("predicted",),
        ),
        option(
            "--proportion-method  With --ci, the interval of accuracy, precision, recall and other fractions. "
            " [default: wilson]",
            type=click.Choice(PROPORTION_METHODS),
        ),
        option(
            "compare: --versus  With --ci, compare the ROC AUC of each --score column with that of the first or of the"
            " best, or all pairs. P-values of several comparisons are adjusted by Holm's method; with best, as if all"
            " pairs were compared.  [default: first]",
            type=click.Choice(COMPARED),
            unless=_OF_CLASSES,
        ),
        option(
            "measures: --measure NAME...  Report NAME only, such as roc_auc, precision_at_20 or confusion_matrix,"
            " beside the numbers of cases and positives; names of other libraries, such as AUC, are understood."
            " --threshold adds counts, precision, recall and F1, if no NAME is of decisions; --costs adds costs."
            " Repeatable.",
            shell_complete=completed_measures,
        ),
        "--at-k K[,K]  Add precision and recall among the K highest scores, in place of precision at 5, 10, 100 and"
        " 1000; for scores of classes top-K accuracy.",
        listing("evalcore.evaluation.measure_choice:described_measures"),
    ),
    under(
        "Groups",
        "--by COL[,COL]...  Report each group of rows with equal COL, and the total. Repeatable: groups are then the"
        " combinations that occur. A name with a comma goes in double quotes: '\"a,b\"'.",
        "--cluster COL  Column of clusters, such as users or days, whose rows may depend on each other. With --ci,"
        " intervals and comparisons of models are then those of a sample of clusters; calibration and net benefit have"
        " none, and charts no bands.",
        "--min-cases N  Leave out groups of fewer than N cases, with a note.",
        "--sort KEY  Sort groups by name, size, value (the ROC AUC, or the accuracy of classes) or the name of a"
        " statistic, the largest first; worst is value with the smallest first. Of several --score columns the first"
        " decides.  [default: size; tables show numbers and dates in their order]",
        "--compare-groups  With --ci, compare the ROC AUC, or the accuracy of classes, of each group with that of all"
        " other cases; p-values are adjusted for the groups by Holm's method.  Takes no sampling weights.",
        f"groups: --max-groups N  Maximum number of groups.  [default: {MOST_GROUPS}]",
        "--all-groups  Show all groups: in tables and Markdown not only the 50 largest, on pages not only the 20 best"
        " and 20 worst.",
    ),
    under(
        "Output",
        output_options(*REPORT_STYLES),
        "--digits N  Decimals of numbers in tables and Markdown, 1 to 15; thresholds keep six.  [default: 6]",
        "--full-matrix  Show all classes, not only the 50 most frequent, and all counts by class, not only the"
        " largest.",
        "--no-matrix  Leave out the counts by class: the confusion matrix and, for class scores, ranks.",
        "--no-script  Leave the scripts out of HTML pages: they have no slider, and groups are not sortable.",
        "folder: --plots DIR  Also write the plots to folder DIR, as PNG and SVG. Images of the same names, such as"
        " roc.png, are replaced, and all other files kept.",
    ),
    under(
        "Gate",
        GATE,
        "--baseline FILE  Add what changed since an earlier report, the JSON that -o FILE.json wrote, where its"
        " predictions are gone; with intervals if both have them (--ci). It is the old model of drops by and rises by."
        " The changes are unpaired: evalcore compare is more certain where there are predictions of both models for"
        " the same cases.",
    ),
    GENERAL,
)
"""Adds all options of the report to a command; the help lists them in this order, under these headings."""
compare_options = under(
    "",
    under(
        "Columns",
        option(
            "--label COL  Column of labels: 0 and 1, Booleans or, with --predicted, class names.", unless=("qrels",)
        ),
        option("--positive VALUE  The positive label, if it is not 1 or true.", unless=_NO_SCORES),
        option(
            "score: --new-score --score COL...  Column of the new scores for the positive label. Repeatable, with"
            " --old-score.",
            unless=_NO_SCORES,
            shell_complete=completed_new_columns,
        ),
        option("--old-score COL  Column of the old scores.  [default: that of --new-score, in OLD]", unless=_NO_SCORES),
        option(
            "--predicted COL...  Column of the classes that the new model predicts, in place of scores. Repeatable,"
            " with --old-predicted.",
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
    ),
    under(
        "Joining",
        "on: --id COL...  Column that identifies a case in OLD and in NEW. Rows may be in any order. Repeatable: the"
        " values of all --id columns together identify a case.",
        option(
            "allow: --allow-mismatch WORD[,WORD]...  "
            f"Allow what is an error otherwise, and count it in a note: {', '.join(ALLOWED)}, or several of them"
            " between commas. missing: ids that one table lacks; the cases of both are compared. repeated: ids of"
            " several rows; the first row of each id counts. labels: labels that differ; those of NEW count."
            " Repeatable.",
            shell_complete=completed_allowed,
        ),
    ),
    ROWS,
    WEIGHTS,
    under(
        "Files",
        *READING,
        DECIMAL,
        memory_option("Tables that take more are refused before they are read. Not for runs (--qrels)."),
    ),
    under(
        "Statistics",
        option(
            "thresholds: --threshold T...  Add measures of the decisions that predict positive if score >= T, named"
            " like recall@T, and the cases that they get newly right and newly wrong. Repeatable.",
            unless=_NO_SCORES,
        ),
        option(
            "measures: --measure NAME...  Compare NAME only, such as roc_auc or recall@0.3. Measures that have no"
            " interval of their own, such as maximum_f1, get one from the bootstrap. Of runs (--qrels), NAME is one of"
            " evalcore trec. Repeatable.  [default: those with an interval of their own]",
            shell_complete=completed_compared,
        ),
        listing("evalcore.evaluation.measure_choice:described_compared"),
        option("level: --ci LEVEL  Level of the confidence intervals.", default=0.95),
        "--margin [NAME=]M...  The smallest difference that matters, in the units of each measure. Verdicts are then"
        " superior, equivalent (by two one-sided tests), non-inferior, inferior or inconclusive. M is for all"
        " measures; NAME=M, such as roc_auc=0.005, for one of them, and recall=0.02 for recall at every threshold."
        " Measures without a margin get the plain verdict. Repeatable, with NAME=M.",
        option(
            "--method  Where intervals and p-values come from. analytic: tests with DeLong's variance for ROC AUCs,"
            " McNemar's for decisions, paired means for losses, influence values for the others. bootstrap: paired"
            " resamples of rows, or of clusters. permutation, of predicted classes: p-values by swapping the models"
            " case by case, with analytic intervals. Of runs (--qrels): Student's t test, the bootstrap or"
            " permutation of queries, or wilcoxon, the test of signed ranks.  [default: analytic]",
            type=click.Choice([*METHODS_OF_CLASSES, WILCOXON]),
        ),
        option(
            "--ci-method  "
            "The analytic interval of differences of ROC AUCs, with its p-value: by a score test with DeLong's"
            " variance, which holds differences of large areas most often, or DeLong's, as of pROC."
            f"  [default: {DIFFERENCE_METHODS[0]}]",
            type=click.Choice(DIFFERENCE_METHODS),
            unless=_NO_SCORES,
        ),
        f"--resamples N  Number of resamples or swaps.  [default: {RESAMPLES}]",
        "--seed S  Draw other resamples for each S.  [default: 0]",
        "--stratify  Keep the number of cases of each class in every resample.",
        f"--changed N  Maximum number of cases in each list of changed cases.  [default: {CHANGED}]",
    ),
    under(
        "Groups",
        "--by COL[,COL]...  Also compare within each group of rows with equal COL; those that got worse come first. Of"
        " several columns between commas, groups are the combinations that occur; a name with a comma goes in double"
        " quotes: '\"a,b\"'. Repeatable: each --by is a grouping of its own.",
        "--min-cases N  Leave out groups of fewer than N cases, with a note.",
        "--cluster COL  Column of clusters, such as users or days, whose cases may depend on each other. Intervals and"
        " p-values are then those of a sample of clusters.",
    ),
    GATE,
    output_options(*REPORT_STYLES),
    GENERAL,
)
"""Adds all options of a comparison to a command."""
