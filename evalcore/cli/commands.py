"""The commands and their options: the docstring of each is its help, which declares the options.

Each command imports what it computes with when it runs: help and shell completion need click alone.
"""

from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

import click

from evalcore._version import __version__
from evalcore.cli import option_parsing as options
from evalcore.cli.config import ConfiguredCommand, configure
from evalcore.cli.errors import OneLineErrors, ask_quiet
from evalcore.evaluation.options import spelled_for_a_shell

_SHARED: Mapping[str, Mapping[str, Any]] = {
    "quiet": {"expose_value": False, "callback": ask_quiet},
    "config": {"is_eager": True, "expose_value": False, "callback": configure},
    "conditions": {"adds": True},
    "style": {"unless": ("outputs",)},
}
"""What options are beside their text, by the names of their parameters."""
_OF_MODELS = {kind: (kind, f"old_{kind}") for kind in ("score", "predicted", "prefix")}
_NO = {kind: ("qrels", *chain(*(own for each, own in _OF_MODELS.items() if each != kind))) for kind in _OF_MODELS}
"""Parameters of the columns of models in comparisons, and those beside which they make no sense, by their kinds."""


@click.group(cls=OneLineErrors, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="evalcore")
def main() -> None:
    """Evaluate scored predictions, classifications and rankings in files.

    Environment:
    EVALCORE_MEMORY  The memory limit of report and compare where --memory is not given.
    NO_COLOR  If set, outcomes in tables and the progress bar are not coloured.
    FORCE_COLOR  If set, and not 0, outcomes in tables are coloured even if standard output is not a terminal.
    NPY_DISABLE_CPU_FEATURES  CPU features that NumPy must not use. [default: AVX-512 on AMD Zen 4, where it slows
      sorting]

    Config file:
    --config FILE sets options that are not given on the command line, in TOML. Keys are the names of options: label =
    "late", score = ["boosting", "logistic"], full = true. Options of report are at the top, options of another command
    in a table with its name, such as [trec]. Conditions of fail-if are added to the ones that are typed. Paths are
    relative to the current folder. Standard error says what the file sets. No configuration is read unless --config
    names it.

    Exit codes:
    0  Success. With --confident, also if only the estimate meets a condition, not the whole interval (INCONCLUSIVE).
    1  A condition of --fail-if is met, or the reader of standard output, such as head, ended first.
    2  An error in the command or in the data, or a condition on a number that is not known precisely enough. Standard
       error says what is wrong and what to do.
    130  Stopped by Ctrl-C.
    """


def _command(**settings: Mapping[str, Any]) -> Callable[[Callable[..., None]], click.Command]:
    """Return what makes a function a command; settings: of its options, by the names of their parameters."""
    return main.command(cls=ConfiguredCommand, settings={**_SHARED, **settings})


@_command(
    **{name: {"unless": ("predicted", "prefix")} for name in ("scores", *options.OF_ONE_LABEL)},
    prefix={"unless": ("scores", "predicted")},
    predicted={"unless": ("scores", "prefix")},
    ci_method={"unless": ("predicted",)},
    **options.naming_measures("evalcore.evaluation.measure_choice:described_measures"),
)
@click.argument("files", nargs=-1, required=True, shell_complete=options.completed_paths)
def report(**asked: Any) -> None:
    """Report how well the predictions in FILES match their labels, or the mean of a column of values.

    Name the predictions with one of --score COL (scores for the positive label), --score CLASS=COL or --scores PREFIX
    (scores for each class), or --predicted COL (predicted classes). --value COL needs no labels: the column holds a
    grade, a cost, or whether a test passed, for each case.

    FILES are Parquet, Arrow, Feather, CSV, TSV, JSON, JSON lines (.jsonl, .ndjson), logs of lm-evaluation-harness,
    inspect_ai, promptfoo, HELM and DeepEval, or one NPZ file. Pipes such as <(command) and - for standard input may
    have any of these formats. Text may be compressed (.gz, .bz2, .zst, .xz). Several files of one format, quoted globs
    and folders are read as one table; a folder named month=1 adds a column month. COL may be a path: scores.exact, or
    answers.0. In CSV, TSV and JSON, scores are read as numbers and all other columns as text: 01 is not 1.

    FILES may also be URLs, such as s3://bucket/*.csv; schemes that pyarrow does not read need the extra remote.
    duckdb:FILE is a DuckDB database (the extra sql). Export spreadsheets and SQLite databases to CSV.

    Data that does not fit in memory is summarised in one pass: see --memory.

    Columns:
    --label COL  Column of labels: 0 and 1, Booleans, or class names. Needed unless --value is given.
    --positive VALUE  The positive label, if it is not 1 or true; with --value, which of two words counts as 1.
    scores: --score [CLASS=]COL...  Column of scores for the positive label or, with CLASS=, for that class. Repeatable.
      A plain COL must not contain =.
    prefix: --scores PREFIX  Columns of scores for each class, named PREFIX and the class name.
    --predicted COL  Column of predicted classes.
    values: --value COL...  Column with one value for each case, a number or a Boolean, in place of labels and
      predictions. The report has its mean and standard deviation; groups are sorted worst first. With --nulls drop,
      each column leaves out its own missing values. Repeatable.
    --lower-is-better COL...  A --value column in which lower is better, such as a cost. Repeatable.
    words: --map WORD=VALUE[,WORD=VALUE]  Values of the words in --value columns, such as C=1,P=0.5,I=0. Any other word
      is an error.
    on: --id COL...  With --repeats, column that says which case a row is a sample of. Repeatable: the values of all
      --id columns together identify a case.
    --repeats HOW  Count each id once. mean: by the mean of its samples' values. pass@K, such as pass@5: by the
      probability that at least one of K samples is 1. Needs --value and --id.
    --judge COL  Column of a judge's values for all rows. --value then holds people's values, and null in rows that
      nobody judged. The report has the mean that combines both (prediction-powered), the judge's bias, its agreement
      with people, and how many cases judged by people it replaces.
    text: --as-text COL...  Read COL (labels, predictions, groups or clusters) as text, whatever its type. Repeatable.

    Rows:
    --nulls [refuse|drop]  What to do with rows that have a null, NaN or, in text, an empty cell in a column that the
      report needs. Words such as NA are nulls among scores, and in a label column whose other values are numbers or
      Booleans. A note counts the rows that are left out. [default: refuse]
    --where CONDITION  Evaluate only rows that meet CONDITION, in the SQL of DuckDB, such as "month >= 7 and carrier =
      'UA'". It may use all columns of the files. Columns of CSV and JSON lines are numbers, Booleans, dates or times if
      all their cells are, else text; codes such as 07 are text, and an empty cell of CSV is null.
      Scores of rows that it leaves out must be numbers or empty too.
    --sample N  Evaluate a random sample of N of the rows that --where and --nulls keep.
    --seed S  Seed of the sample. [default: 0]

    Weights:
    --weight COL  Column of the weights of rows: numbers of at least 0. Rows of weight 0 are ignored.
    --weight-type [sampling|frequency]  What a weight means. sampling: how many cases of the population a row stands
      for, such as 100 if one in a hundred was sampled; intervals depend on the number of sampled rows. frequency: how
      many equal rows there were, a whole number; the row counts that many times. [default: sampling]
    --target-prevalence P  Reweight positives and negatives so that a fraction P of the cases is positive, as in another
      population or before negatives were sampled. With --by, P is the prevalence of all groups together.

    Files:
    --input-format [csv|tsv|jsonl|parquet|arrow|npz|json|eval]  Format of standard input, and of files whose extension
      does not reveal it, such as .txt; json is one document or JSON lines, eval an archive of inspect_ai. [default: by
      the extension; for standard input and pipes by the first bytes, CSV for text without braces]
    --delimiter SIGN  Separator of the cells in CSV and TSV, such as ';' or tab. [default: comma, for TSV tab]
    --sql QUERY  Query that selects the rows of a DuckDB database (duckdb:FILE). duckdb: alone is an empty database, in
      which the query may join files: "select late, model from 'labels.csv' join 'scores.parquet' using (id)". [default:
      its only table]
    --decimal [.|,]  Decimal separator of scores and weights in CSV and TSV: a point or a comma. [default: .]
    --rows PATH  Path of the array of rows in a JSON document, such as results.results. [default: the document]
    --memory SIZE  Memory limit, such as 500M or 2G, at least 256M. Columns that do not fit are summarised in one pass:
      ROC AUC, average precision and maximum F1 then have bounds that always contain the exact value (and are equal if
      there are few distinct scores). Counts, log loss, Brier score, calibration error and measures at --threshold stay
      exact. Measures of single ranks, such as precision at k, are left out, or refused if --measure or --at-k asks for
      them. Also refused: --compare-groups, --cluster, --plots, --sample, --threshold-for, scores of classes, and --ci
      except for measures at a threshold and unweighted losses. Reports on --predicted stay exact. A database query
      spills to disk beyond an eighth of the limit. [default: EVALCORE_MEMORY, else half of the machine]

    Measures:
    thresholds: --threshold T...  Add measures of the decisions score >= T, such as precision and recall. In JSON and
      CSV, the first T is in 'scores', each other one in a section of its own, such as 'threshold 0.2'. Repeatable.
    targets: --threshold-for TARGET...  Add measures at the threshold at which each model reaches TARGET, such as
      precision=0.9. precision, recall and specificity are at least the value; fpr (false positive rate) and flagged
      (fraction of the cases predicted positive) are at most the value. All groups share the threshold. Repeatable.
    --costs FP,FN  Costs of a false positive and of a false negative: add the expected cost at --threshold and, if all
      rows fit in memory, the lowest expected cost and its threshold.
    level: --ci [LEVEL]  Add confidence intervals at LEVEL (default 0.95), and compare the --score columns; with --by,
      in each group. Methods: Wilson's for fractions and, with DeLong's variance, for ROC AUCs; score tests for
      differences of ROC AUCs on the same cases; the influence of each case for average precision; the delta method for
      F1 and kappa. Sampling weights are taken into account.
    --ci-method [delong-wilson|delong|delong-logit]  With --ci, the interval of ROC AUCs: Wilson's with DeLong's
      variance, which keeps its coverage for large AUCs and few cases; DeLong's, as in pROC; or DeLong's on the logit
      scale. With delong, differences of AUCs have DeLong's interval too, otherwise the interval of a score test.
      [default: delong-wilson]
    --proportion-method [wilson|clopper-pearson|jeffreys|agresti-coull|normal]  With --ci, the interval of accuracy,
      precision, recall and other fractions. [default: wilson]
    compare: --versus [first|best|all|none]  With --ci, compare the ROC AUC of each --score column with the first one's
      (first) or the best one's (best), or compare all pairs (all). P-values of several comparisons are adjusted by
      Holm's method; with best, as if all pairs were compared. [default: first]
    measures: --measure NAME...  Report only NAME, such as roc_auc, precision_at_20 or confusion_matrix, and the numbers
      of cases and positives; names of other libraries, such as AUC, are understood. f1@0.3 is F1 at the threshold 0.3.
      If no NAME depends on a threshold, --threshold adds counts, precision, recall and F1; --costs adds costs.
      Repeatable.
    --at-k K[,K]  Add precision and recall among the K highest scores, in place of precision at 5, 10, 100 and 1000; for
      scores of classes, top-K accuracy.
    --list-measures  List the names of --measure, and exit.
    quantiles: --quantile Q...  Add the quantile Q of each --value, such as 0.5 for the median. Repeatable.
    --show COL[,COL]...  List the most confident mistakes of each model with the texts of COL. With --threshold, these
      are the cases whose scores are furthest on the wrong side of the first T; for scores of classes, the mistakes with
      the highest scores; for --predicted, the first ones. Rows are numbered from 0. The page and the JSON contain no
      other rows. Repeatable.
    --mistakes N  With --show, number of mistakes to list, at most 100; tables show 5, or all with --full.
      [default: 10]

    Groups:
    --by COL[,COL]...  Report each group of rows with equal COL, and the total. Repeatable: groups are then the
      combinations that occur. Put a name with a comma in double quotes: '"a,b"'.
    --by-time COL  Group by the periods of a column of dates or times.
    --every [hour|day|week|month|quarter|year]  The period of --by-time. A week is named after its Monday. [default:
      month]
    --fold COL[,COL]...  Column of the folds of a cross-validation, or columns of its repeats and folds (repeat,fold),
      in place of --by: each fold is a group. A report adds the mean and standard deviation of each measure over folds.
      A comparison tests the difference of the means over folds, with the corrected resampled t-test of Nadeau and
      Bengio. Repeatable.
    --cluster COL  Column of clusters, such as users or days, whose rows may depend on each other. With --ci, intervals
      and comparisons of models then take clusters, not rows, as independent; the debiased calibration error has no
      interval, and charts have no bands.
    --min-cases N  Leave out groups of fewer than N cases, with a note.
    --sort KEY  Sort groups by name, size, value (the ROC AUC, or the accuracy of classes) or a named measure, the
      largest first; worst sorts by value, the smallest first. With several --score columns, the first decides.
      [default: size; tables show numbers and dates in their order]
    --compare-groups [WHAT]  With --ci, compare each group with all other cases (rest, if WHAT is left out), with each
      other group (all), or with the group that WHAT names. Groups are compared by each --measure at each --threshold,
      or else by the ROC AUC, or the accuracy of classes. P-values are adjusted for all groups and measures by Holm's
      method; the largest gap between two groups has an interval that allows for the search. Conditions (--fail-if) can
      use differences and gaps, such as "any carrier: recall_difference_to_rest@0.3 < -0.1" or "fpr_gap@0.3 > 0.1".
    groups: --max-groups N  Maximum number of groups. [default: 10000]

    Output:
    style: --format [table|json|csv|markdown|html]  Format of standard output, which is then written in addition to
      --output FILE, and of each FILE whose extension names no format. CSV has a line for each number, in the same
      columns for every report; JSON begins with schema_version; HTML is a page (the extra html) with the answer in
      words, charts and tables. [default: table]
    outputs: -o --output FILE...  Write the report to FILE, which is replaced as a whole, in the format of its extension
      (.csv, .html, .json, .md, .markdown, .txt), instead of standard output. FILE may be a pipe or device, such as
      >(gzip > out.gz), or - for standard output. Repeatable.
    --full  Show all measures, groups, classes and counts. Without it, tables and Markdown show the most important
      measures, the 50 largest groups and classes, and the largest counts; pages show the 20 best and 20 worst groups.
    --digits N  Decimals of numbers, 1 to 15; thresholds always have six, sentences at most three. [default: 4]
    --no-matrix  Leave out the counts by class: the confusion matrix and, for class scores, ranks.
    --no-script  Leave the scripts out of HTML pages, which then have no sliders and no sortable tables.
    folder: --plots DIR  Also write the plots to folder DIR, as PNG and SVG. Images of the same name, such as roc.png,
      are replaced; all other files are kept.

    Gate:
    conditions: --fail-if CONDITION...  Exit with code 1 if CONDITION is met: [MODEL:] [SCOPE:] MEASURE RELATION NUMBER,
      such as "roc_auc < 0.73", "roc_auc drops by 0.005", "logistic: roc_auc < 0.7" or "any carrier with 1000 cases:
      recall@0.3 drops by 0.02". MODEL is the name of one model; without it, every model counts. SCOPE is COLUMN=VALUE
      (a group), any COLUMN (each group) or any COLUMN with N cases (each group of at least N), with commas between
      several columns: "any carrier=AA, month". Without it, all cases count. recall@0.3 is recall at the threshold 0.3,
      recall[ash] that of the class ash. RELATION is <, <=, > or >=, for the value, or drops by or rises by, for a
      change of at least NUMBER from the old model to the new one, also where lower is better: "log_loss rises by 0.01".
      Put names with spaces or one of , : = < > in quotes. Measures, thresholds, depths and groups need no other option,
      except that evalcore report needs --costs for expected_cost@0.5 and --baseline for changes. With several models or
      groups, the gate fails if any of them meets the condition. Each failure says whether it is certain. A number that
      is NaN, missing or not known precisely enough (--memory), and a group of the baseline that is gone, are errors
      (exit code 2), never a pass. Repeatable; those of --config are added.
    --confident  Fail only if the whole confidence interval (--ci) meets the condition, not just the estimate.
    --junit FILE  Also write the result of --fail-if as JUnit XML, a test case for each condition, or the error that
      ended the command.
    --baseline FILE  Add the changes since an earlier report, whose predictions may be gone: FILE is the JSON that it
      wrote with -o FILE.json. Changes have intervals if both reports have them (--ci). In conditions, drops by and
      rises by then compare with the baseline: for all cases, for the groups of --by and, without --by, for classes. The
      changes are unpaired: if you have both models' predictions for the same cases, evalcore compare has narrower
      intervals.

    Options:
    -q --quiet  On standard error, print only errors and what --config sets.
    --config FILE  Take options that are not given on the command line from FILE, in TOML. Standard error says which,
      even with --quiet. No other configuration is read.

    Examples:
    Two models on the same cases, with intervals:
      evalcore report flights.parquet --label late --score boosting --score logistic --ci 0.95
    A page with decisions at a threshold, in each country:
      evalcore report scores.csv --label paid --score p --threshold 0.5 --by country -o report.html
    Predicted classes from several files, as JSON:
      evalcore report 'runs/*.csv' --label species --predicted guess --format json
    One measure, for some of the rows, leaving out rows with nulls:
      evalcore report scores.csv --label paid --score p --where "country = 'CH'" --nulls drop --measure roc_auc
    Scores for each class, from standard input:
      evalcore report - --label species --scores p_ < species.csv
    The fraction of tests that passed and the mean cost, by task, with questions as clusters:
      evalcore report runs.jsonl --value passed --value cost --lower-is-better cost --by task --cluster question --ci
    """
    from evalcore.cli.report import write_report

    write_report(**asked)


@_command(
    **{name: {"unless": _NO["score"]} for name in options.OF_ONE_LABEL},
    **{name: {"unless": _NO[kind]} for kind, names in _OF_MODELS.items() for name in names},
    ci_method={"unless": ("predicted", "old_predicted", "qrels")},
    **{name: {"unless": ("qrels",)} for name in ("label", "memory")},
    **options.naming_measures("evalcore.evaluation.measure_choice:described_compared"),
    level={"default": options.LEVEL},
)
@click.argument("old", metavar="OLD", shell_complete=options.completed_paths)
@click.argument("new", nargs=-1, metavar="[NEW]...", shell_complete=options.completed_paths)
def compare(**asked: Any) -> None:
    """Compare models on the same cases and, with --fail-if, fail if the new one is not good enough.

    OLD and each NEW hold the predictions of one model, and are joined by --id. They are files, quoted globs, folders,
    URLs or databases in any format that `evalcore report` reads, or - for standard input. Models are named after their
    files, or by NAME=FILE. Without NEW, the models are columns of OLD: --new-score new --old-score old.

    Columns of labels, groups, clusters and weights may be in NEW, in OLD or in both.

    A difference is always NEW minus OLD. It has a paired interval and a p-value, which is also given adjusted for all
    measures.

    --value COL needs no labels: it compares the means of a column of values, and counts where the new system won and
    lost. For three or more systems, a table shows which ones cannot be told apart.

    With --fail-if, the command is a gate for scripts and CI: the exit code is 0 if no condition is met, 1 if one is,
    and 2 if there is an error in the command or in the data, such as a condition on an undefined measure.

    With --qrels FILE, OLD and NEW are runs of ranked results.

    Columns:
    --label COL  Column of labels: 0 and 1, Booleans or, with --predicted or --scores, class names.
    --positive
    --value --lower-is-better --map --repeats --judge
    score: --new-score --score COL...  Column of the new scores for the positive label. Repeatable, with --old-score.
    --old-score COL  Column of the old scores. [default: that of --new-score, in OLD]
    --predicted COL...  Column of the classes that the new model predicts, in place of scores. Repeatable, with
      --old-predicted.
    --old-predicted COL  Column of the classes that the old model predicts. [default: that of --predicted, in OLD]
    prefix: --scores PREFIX  Columns of the new model's scores for each class, named PREFIX and the class name, in place
      of one score. Works with --method analytic only, and not with --threshold.
    old_prefix: --old-scores PREFIX  Columns of the old model's scores for the same classes. [default: those of
      --scores, in OLD]
    text: --as-text COL...  Read COL (ids, labels, predictions, groups or clusters) as text, whatever its type.
      Repeatable.
    --qrels FILE  Compare runs of ranked results in TREC's format, judged by FILE: OLD and NEW are runs, compared query
      by query.

    Joining:
    on: --id COL...  Column that identifies a case in OLD and in NEW. Rows may be in any order. Repeatable: the values
      of all --id columns together identify a case.
    allow: --allow-mismatch WORD[,WORD]...  Allow what is otherwise an error, and count it in a note: missing, repeated,
      labels, or several, separated by commas. missing: ids that one table lacks; only the cases of both are compared.
      repeated: ids of several rows; the first row of each id counts. labels: labels that differ; the labels of NEW
      count. Repeatable.

    Rows:
    --nulls --where

    Weights:
    --weight --weight-type --target-prevalence

    Files:
    --input-format --delimiter --sql --decimal --rows
    --memory SIZE  Memory limit, such as 500M or 2G, at least 256M. Larger tables are refused before they are read. Not
      for runs (--qrels). [default: EVALCORE_MEMORY, else half of the machine]

    Measures:
    thresholds: --threshold T...  Add measures of the decisions score >= T, named like recall@T, and the cases that are
      newly right and newly wrong. Repeatable.
    --costs FP,FN  Costs of a false positive and of a false negative, for --measure expected_cost@T.
    measures: --measure NAME...  Compare only NAME, such as roc_auc or recall@0.3. Measures that have no interval of
      their own, such as partial_auc@0.1, get one from the bootstrap. For runs (--qrels), NAME is a measure of evalcore
      trec. Repeatable. [default: those with an interval of their own]
    --list-measures
    level: --ci LEVEL  Level of the confidence intervals.
    --margin [NAME=]M...  The smallest difference that matters, in the units of each measure. The interval of the
      difference then decides whether the new model is superior, equivalent, non-inferior or inferior, or the comparison
      inconclusive. M applies to all measures; NAME=M, such as roc_auc=0.005, to one of them, and recall=0.02 to recall
      at every threshold. Without a margin, the new model is better or worse if the interval excludes 0.
      Repeatable, with NAME=M.
    --margin-level LEVEL  Level of the intervals that decide verdicts with a margin, such as 0.9 for two one-sided tests
      at 5%. [default: that of --ci]
    --method [analytic|bootstrap|permutation|wilcoxon]  How intervals and p-values are computed. analytic: tests with
      DeLong's variance for ROC AUCs, McNemar's test for decisions, paired means for losses, influence values for other
      measures. bootstrap: paired resamples of rows, or of clusters. permutation, for predicted classes: swaps of the
      two models case by case, or in whole clusters. For runs (--qrels): Student's t test, the bootstrap or permutation
      of queries, or wilcoxon, the signed-rank test. [default: analytic]
    --ci-method [delong-score|delong]  The analytic interval of differences of ROC AUCs, with its p-value: by a score
      test with DeLong's variance, which keeps its coverage for large AUCs, or DeLong's, as in pROC. [default:
      delong-score]
    --resamples N  Number of resamples or swaps. [default: 1000]
    --seed S  Seed of the resamples. [default: 0]
    --stratify  Keep the number of cases of each class in every resample.
    --changed N  Maximum number of cases in each list of changed cases. A page lists at most 100, and so does
      Markdown with --show; tables list 5 with --show, or all with --full. [default: 10]
    --show COL[,COL]...  Columns whose texts are shown beside the changed cases, such as prompt,answer; both texts, if
      OLD and NEW differ. No other rows appear on the page or in the JSON. Repeatable.

    Groups:
    --by COL[,COL]...  Also compare within each group of rows with equal COL; the worst changes come first. With
      several columns separated by commas, groups are the combinations that occur; put a name with a comma in double
      quotes: '"a,b"'. Repeatable: each --by is a grouping of its own.
    --by-time --every
    --fold
    --min-cases
    --cluster COL  Column of clusters, such as users or days, whose cases may depend on each other. Intervals and
      p-values then take clusters, not cases, as independent.

    Gate:
    --fail-if --confident --junit

    Output:
    --format --output
    --full  Show all groups, p-values and detectable differences; in tables also other measures of groups and the
      changed cases, which are collapsed on pages and in Markdown.
    --digits

    Options:
    --quiet --config

    Examples:
    Two columns of one file:
      evalcore compare flights.parquet --label late --new-score boosting --old-score logistic
    Two files, joined by id, as a gate:
      evalcore compare old.csv new.csv --id case --label paid --new-score p --fail-if 'roc_auc drops by 0.005'
    A page that compares decisions in each country, with days as clusters:
      evalcore compare old.csv new.csv --id case --label paid --new-score p --threshold 0.5 --by country --cluster day
      -o comparison.html
    With a margin of 0.005, as Markdown for a pull request:
      evalcore compare old.csv new.csv --id case --label paid --new-score p --margin 0.005 --format markdown
    Predicted classes of two new models, against an old one:
      evalcore compare old.csv new.csv best=newer.csv --id case --label species --predicted guess
    Scores for each class, of two models in one file:
      evalcore compare species.csv --label species --scores new_ --old-scores old_
    Pass rates and costs of two systems, with a gate:
      evalcore compare old.jsonl new.jsonl --id id --value passed --value cost --lower-is-better cost
      --fail-if 'passed drops by 0.02'
    Runs of ranked results:
      evalcore compare bm25.txt dense.txt --qrels qrels.txt
    """
    from evalcore.cli.compare import write_comparison

    with spelled_for_a_shell(score="new-score", prefix="scores", old_prefix="old-scores"):
        write_comparison(**asked)


@_command(sep={"default": ","})
@click.argument("files", nargs=-1, required=True, shell_complete=options.completed_paths)
def contingency(**asked: Any) -> None:
    """Report how well the categories assigned to documents match the correct ones.

    FILES have a row for each document and columns of lists or strings of names. They may be anything that `evalcore
    report` reads: files, quoted globs, folders, URLs, databases, or - for standard input.

    Categories:
    --assigned COL  Column of the categories assigned to each document. [required]
    --correct COL  Column of the correct categories. [required]
    --sep TEXT  Separator of the names in a string.
    --per-category  Add the table and statistics of each category.

    Files:
    --input-format --delimiter --sql --rows

    Gate:
    conditions: --fail-if CONDITION...  Exit with code 1 if CONDITION is met: MEASURE RELATION NUMBER, such as
      "macro_F1 < 0.8" or, for a category, "recall[sports] < 0.5". RELATION is <, <=, > or >=. A number that is NaN or
      missing is an error (exit code 2), never a pass. Repeatable; those of --config are added.
    --junit

    Output:
    style: --format [table|json|csv|markdown]  Format of standard output, which is then written in addition to --output
      FILE, and of each FILE whose extension names no format. CSV has a line for each number, in the same columns for
      every report; JSON begins with schema_version. [default: table]
    outputs: -o --output FILE...  Write the report to FILE, which is replaced as a whole, in the format of its extension
      (.csv, .json, .md, .markdown, .txt), instead of standard output. FILE may be a pipe or device, such as >(gzip >
      out.gz), or - for standard output. Repeatable.

    Options:
    --quiet --config

    Examples:
    Sets of categories, names separated by semicolons:
      evalcore contingency topics.csv --assigned found --correct true --sep ';'
    Each category, in a spreadsheet:
      evalcore contingency topics.csv --assigned found --correct true --sep ';' --per-category -o each.csv
    """
    from evalcore.cli.contingency import write_contingency

    write_contingency(**asked)


@_command(ties={"default": "mean"}, **options.naming_measures("evalcore.evaluation.statistics.trec:MEANINGS"))
@click.argument("qrels", shell_complete=options.completed_paths)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", shell_complete=options.completed_paths)
def trec(**asked: Any) -> None:
    """Evaluate TREC runs against relevance judgements, and compare them.

    QRELS and RUN are files as trec_eval reads them, plain or compressed; - is standard input. Several runs are shown
    side by side, and --ci compares them query by query. RUN may be NAME=FILE, and runs from pipes, <(command), are
    named by their run tags.

    --list-measures names the measures. P, recall, success, ndcg_cut and map_cut take depths: P_10, P.10,20 or, for all
    depths of trec_eval, P. The recall levels of iprec_at_recall are written the same way. The name official means the
    measures that trec_eval prints by default.

    Names may have arguments, as in ir_measures: 'AP(rel=2)', 'P(rel=2,judged_only=True)@10', 'RBP(p=0.5)',
    'ERR(max_rel=3)@20'. Quote them for the shell. nDCG, ERR and RBP take grades as gains: --relevance-level does not
    change them, and RBP may exceed 1 for grades above 1. Judged counts grades of 0 and more; ir_measures counts
    negative ones too.

    Grades and scores must be decimal numbers. Other forms that trec_eval accepts, such as 0x10 and 3abc, are refused.

    With --ties mean, documents of equal score count as the mean over all their orders; with --ties trec, they are in
    the order of trec_eval 9.0.8. --format trec --ties trec prints what trec_eval prints; with several runs, each line
    begins with the run.

    Queries:
    --ties [mean|trec]  How to order documents of equal score.
    -l --relevance-level GRADE  The least grade of a relevant document. [default: 1]
    -c --complete  Count judged queries that are not in RUN as 0.

    Measures:
    measures: -m --measure MEASURE...  A measure, such as map or P_10, or several: 'map P_5'. Repeatable.
    --list-measures
    --per-query  Add the values of each query.
    level: --ci [LEVEL]  Add confidence intervals at LEVEL, 0.95 if none is given, and compare several runs query by
      query.
    compare: --versus [first|best|all]  With --ci, compare the first run with the others, or the best by the first
      measure, or all pairs. Differences are the first, or the best, minus the other run. [default: first]
    test: --method [t|permutation]  With --ci, use Student's paired t test or Fisher's randomisation test. [default: t]

    Gate:
    conditions: --fail-if CONDITION...  Exit with code 1 if CONDITION is met: [RUN:] MEASURE RELATION NUMBER, such as
      "map < 0.25" or "dense: 'P(rel=2)@10' < 0.5". RELATION is <, <=, > or >=. Without RUN, every run counts. Measures
      need no other option. Put names with spaces or one of , : = < > in quotes. evalcore compare --qrels takes
      conditions on changes. A number that is NaN or missing is an error (exit code 2), never a pass. Repeatable; those
      of --config are added.
    --confident --junit

    Output:
    style: --format [table|json|csv|markdown|trec]  Format of standard output, which is then written in addition to
      --output FILE, and of each FILE whose extension names no format. CSV has a line for each number, in the same
      columns for every report; JSON begins with schema_version. [default: table]
    outputs: -o --output FILE...  Write the report to FILE, which is replaced as a whole, in the format of its extension
      (.csv, .json, .md, .markdown, .trec, .txt), instead of standard output. FILE may be a pipe or device, such as
      >(gzip > out.gz), or - for standard output. Repeatable.

    Options:
    --quiet --config

    Examples:
    Two measures, also for each query:
      evalcore trec qrels.txt run.txt -m map -m ndcg_cut_10 --per-query
    Two runs compared with the first, query by query:
      evalcore trec qrels.txt bm25.txt dense.txt hybrid.txt -m map -m 'P(rel=2)@10' --ci 0.95
    The lines that trec_eval prints:
      evalcore trec qrels.txt run.txt -m official --ties trec --format trec
    """
    from evalcore.cli.trec import write_trec

    write_trec(**asked)


@_command()
@click.argument("files", nargs=-1, required=True, shell_complete=options.completed_paths)
def columns(**asked: Any) -> None:
    """Print the columns of FILES: their names, types, nulls and first values, and suggest a command.

    FILES are what `evalcore report` reads. Only the first rows of a large file, and the first file of a folder, are
    read.

    Files:
    --input-format --delimiter --sql --decimal --rows

    Options:
    --quiet --config

    Examples:
    What a file holds:
      evalcore columns flights.parquet

    Exit codes:
    0  Success.
    1  The reader of standard output, such as head, ended first.
    2  An error in the command or in the data. Standard error says what is wrong and what to do.
    130  Stopped by Ctrl-C.
    """
    from evalcore.cli.columns import write_columns

    write_columns(**asked)
