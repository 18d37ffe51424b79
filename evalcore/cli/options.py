"""The options of all commands, as the help shows them, and what click needs to know besides."""

from collections.abc import Mapping, Sequence
from typing import Any

from evalcore.cli.completion import completed_allowed, completed_compared, completed_measures, completed_new_columns
from evalcore.cli.config import configure
from evalcore.cli.errors import ask_quiet
from evalcore.cli.option_parsing import LEVEL, REPORT_STYLES, SECTION_STYLES, TREC_STYLES, endings_of, listing
from evalcore.evaluation.options import (
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

MEMORY = "EVALCORE_MEMORY"
"""The variable that limits memory where --memory is not given."""
_GENERAL = """
Options:
-q --quiet  On standard error, print nothing but errors and what --config sets.
--config FILE  Take options that are not typed from FILE, in TOML. Standard error says which, also with --quiet. No
  other configuration is read.
"""
_READING = """
Files:
--input-format [csv|tsv|jsonl|parquet|arrow|npz|json]  Format of files whose names do not tell it, such as .txt, or of
  standard input; json means jsonl. [default: by the ending of the name, and for standard input and pipes by the first
  bytes; CSV for text without braces]
--delimiter SIGN  What separates the cells of CSV and TSV, such as ';' or tab. [default: comma, for TSV tab]
--sql QUERY  The rows of a DuckDB database (duckdb:FILE), as one select. duckdb: alone is an empty database, in which
  it may join files: "select late, model from 'labels.csv' join 'scores.parquet' using (id)". [default: its only
  table]
"""
_DECIMAL = """
--decimal [.|,]  Sign before the decimals of scores and weights in CSV and TSV: . or a comma. [default: .]
"""
_ROWS = """
Rows:
--nulls [refuse|drop]  What to do with rows that have a null, NaN or, in text, an empty cell in a column that the
  report needs. Words such as NA are nulls among scores, and in a label column whose other values are numbers or
  Booleans. A note counts the rows that are left out. [default: refuse]
--where CONDITION  Evaluate only rows that meet CONDITION, in the SQL of DuckDB, such as "month >= 7 and carrier =
  'UA'". It may use all columns of the files. Columns of CSV and JSON lines hold numbers, Booleans, dates or times if
  all their cells do, else text, as codes such as 07 are; an empty cell of CSV is null.
"""
_WEIGHTS = f"""
Weights:
--weight COL  Column of the weights of rows: numbers of at least 0. Rows of weight 0 count as absent.
--weight-type [{"|".join(WEIGHT_TYPES)}]  What weights are. sampling: how many cases of the population each row
  stands for, such as 100 where one in a hundred was sampled; intervals are as wide as the sampled rows make them.
  frequency: how many rows like it there were, a whole number; each row counts as so many. [default: sampling]
--target-prevalence P  Reweight positives and negatives so that a fraction P of the cases is positive, as in another
  population or before negatives were sampled. With --by, P is the prevalence of all groups together.
"""
_GATE = """
Gate:
conditions: --fail-if CONDITION...  Exit with code 1 if CONDITION is true: [MODEL:] [SCOPE:] MEASURE RELATION NUMBER,
  such as "roc_auc < 0.73", "roc_auc drops by 0.005", "logistic: roc_auc < 0.7" or "any carrier with 1000 cases:
  recall@0.3 drops by 0.02". MODEL is the name of one model; else each counts. SCOPE is COLUMN=VALUE (a group), any
  COLUMN (each group) or any COLUMN with N cases (each group of at least N), with commas between several columns: "any
  carrier=AA, month". Without it, all cases count. recall@0.3 is recall at the threshold 0.3, recall[ash] that of the
  class ash. RELATION is <, <=, > or >=, of the value; or drops by, rises by: it changed from the old model to the new
  one by at least NUMBER, also where lower is better: "log_loss rises by 0.01". Names with spaces or one of , : = < >
  go in quotes. Measures, thresholds, depths and groups need not be asked for otherwise, but evalcore report needs
  --costs for expected_cost@0.5 and --baseline for changes. Of several models or groups, one is enough. Whether a
  failure is certain is said beside it. A number that is NaN, missing or not known well enough (--memory), and a group
  of the baseline that is gone, are errors (exit code 2), never a pass. Repeatable; those of --config are added.
"""
_CONFIDENT = """
--confident  Fail only for what is certain: the condition is true of the whole interval (--ci), not only of the
  estimate.
"""
_JUNIT = """
--junit FILE  Also write the result of --fail-if as JUnit XML, a test case for each condition, or the error that ended
  the command.
"""


def _output(styles: Sequence[str]) -> str:
    """Return the options that choose a format, the first one by default, and the file that is written in it."""
    page = "; HTML is a page (the extra html) with the answer in words, charts and tables" if "html" in styles else ""
    return f"""
Output:
style: --format [{"|".join(styles)}]  Format of standard output, which is then written beside --output FILE too, and of
  each FILE with another ending, which takes its place. CSV has a line for each number, in the same columns for every
  report; JSON begins with schema_version{page}. [default: {styles[0]}]
outputs: -o --output FILE...  Write the report to FILE, which is replaced as a whole, in the format that its ending
  says ({", ".join(endings_of(styles))}), and not to standard output. FILE may be a pipe or device, such as
  >(gzip > out.gz), or - for standard output. Repeatable.
"""


_REPORT = f"""
Columns:
--label COL  Column of labels: 0 and 1, Booleans, or class names. [required]
--positive VALUE  The positive label, if it is not 1 or true.
scores: --score [CLASS=]COL...  Column of scores for the positive label or, with CLASS=, for that class. Repeatable.
  No = in a plain COL.
prefix: --scores PREFIX  Columns of scores for each class, named PREFIX and the class name.
--predicted COL  Column of predicted classes.
text: --as-text COL...  Read COL (labels, predictions, groups or clusters) as text, whatever its type. Repeatable.
{_ROWS}
--sample N  Evaluate N of the rows that --where and --nulls keep, each set of N equally likely.
--seed S  Choose another sample for each S. [default: 0]
{_WEIGHTS}
{_READING}
{_DECIMAL}
--memory SIZE  Memory limit, such as 500M or 2G, at least 256M. Columns that do not fit are summarised in one pass:
  ROC area, average precision and maximum F1 then have intervals that always contain the exact values, unless there
  are few distinct scores. Counts, log loss, Brier score, calibration error and statistics at --threshold stay exact.
  Statistics of single ranks, such as precision at k, are left out, or refused if --measure or --at-k asks for them.
  --ci, --plots, --sample, --threshold-for and scores of classes are refused. Reports on --predicted stay exact. The
  query of a database spills to disk beyond an eighth of the limit. [default: EVALCORE_MEMORY, else half of the
  machine]
Statistics:
thresholds: --threshold T...  Add statistics of the decisions that predict positive if score >= T. In JSON and CSV,
  those of the first T are in 'scores', those of each other one in a section of its own, such as 'threshold 0.2'.
  Repeatable.
targets: --threshold-for TARGET...  Add decisions at each model's own threshold that reaches TARGET, such as
  precision=0.9: precision, recall or specificity of at least, fpr (false positive rate) or flagged (fraction of all
  cases) of at most the value. Groups are decided at the same threshold. Repeatable.
--costs FP,FN  Costs of a false positive and of a false negative: add the expected cost at --threshold and, where all
  rows fit in memory, the lowest one and its threshold.
level: --ci [LEVEL]  Add confidence intervals at LEVEL, 0.95 if none is given: Wilson's for fractions and, with
  DeLong's variance, ROC AUCs, of score tests for their differences on the same cases, Boyd's for average precision,
  and from the delta method for F1 and kappa; with sampling weights, those of a weighted sample. Compare --score
  columns, with --by in each group.
--ci-method [{"|".join(CI_METHODS)}]  With --ci, the interval of ROC AUCs: Wilson's with DeLong's variance,
  which holds large areas of few cases most often, DeLong's, as of pROC, or DeLong's of the logit. With delong,
  differences of areas have DeLong's too, else that of a score test. [default: {CI_METHODS[0]}]
--proportion-method [{"|".join(PROPORTION_METHODS)}]  With --ci, the interval of accuracy,
  precision, recall and other fractions. [default: wilson]
compare: --versus [{"|".join(COMPARED)}]  With --ci, compare the ROC AUC of each --score column with that of the first
  or of the best, or all pairs. P-values of several comparisons are adjusted by Holm's method; with best, as if all
  pairs were compared. [default: first]
measures: --measure NAME...  Report NAME only, such as roc_auc, precision_at_20 or confusion_matrix, beside the
  numbers of cases and positives; names of other libraries, such as AUC, are understood. f1@0.3 is F1 at the threshold
  0.3, beside those of --threshold, which adds counts, precision, recall and F1, if no NAME is of decisions; --costs
  adds costs. Repeatable.
--at-k K[,K]  Add precision and recall among the K highest scores, in place of precision at 5, 10, 100 and 1000; for
  scores of classes top-K accuracy.
--list-measures  List the names of --measure, and exit.
Groups:
--by COL[,COL]...  Report each group of rows with equal COL, and the total. Repeatable: groups are then the
  combinations that occur. A name with a comma goes in double quotes: '"a,b"'.
--cluster COL  Column of clusters, such as users or days, whose rows may depend on each other. With --ci, intervals
  and comparisons of models are then those of a sample of clusters; calibration and net benefit have none, and charts
  no bands.
--min-cases N  Leave out groups of fewer than N cases, with a note.
--sort KEY  Sort groups by name, size, value (the ROC AUC, or the accuracy of classes) or the name of a statistic, the
  largest first; worst is value with the smallest first. Of several --score columns the first decides. [default: size;
  tables show numbers and dates in their order]
--compare-groups  With --ci, compare the ROC AUC, or the accuracy of classes, of each group with that of all other
  cases; p-values are adjusted for the groups by Holm's method. Takes no sampling weights.
groups: --max-groups N  Maximum number of groups. [default: {MOST_GROUPS}]
--all-groups  Show all groups: in tables and Markdown not only the 50 largest, on pages not only the 20 best and 20
  worst.
{_output(REPORT_STYLES)}
--digits N  Decimals of numbers in tables and Markdown, 1 to 15; thresholds keep six. [default: 6]
--full-matrix  Show all classes, not only the 50 most frequent, and all counts by class, not only the largest.
--no-matrix  Leave out the counts by class: the confusion matrix and, for class scores, ranks.
--no-script  Leave the scripts out of HTML pages: they have no slider, and groups are not sortable.
folder: --plots DIR  Also write the plots to folder DIR, as PNG and SVG. Images of the same names, such as roc.png,
  are replaced, and all other files kept.
{_GATE}
{_CONFIDENT}
{_JUNIT}
--baseline FILE  Add what changed since an earlier report, the JSON that -o FILE.json wrote, where its predictions are
  gone; with intervals if both have them (--ci). It is the old model of drops by and rises by. The changes are
  unpaired: evalcore compare is more certain where there are predictions of both models for the same cases.
{_GENERAL}
Examples:
Two models on the same cases, with intervals:
  evalcore report flights.parquet --label late --score boosting --score logistic --ci 0.95
Decisions at a threshold, in each country, as a page:
  evalcore report scores.csv --label paid --score p --threshold 0.5 --by country -o report.html
Predicted classes in several files, as JSON:
  evalcore report 'runs/*.csv' --label species --predicted guess --format json
One measure of some rows, without those that have nulls:
  evalcore report scores.csv --label paid --score p --where "country = 'CH'" --nulls drop --measure roc_auc
A column of scores for each class, from a pipe:
  evalcore report - --label species --scores p_ < species.csv
"""
_COMPARE = f"""
Columns:
--label COL  Column of labels: 0 and 1, Booleans or, with --predicted, class names.
--positive VALUE  The positive label, if it is not 1 or true.
score: --new-score --score COL...  Column of the new scores for the positive label. Repeatable, with --old-score.
--old-score COL  Column of the old scores. [default: that of --new-score, in OLD]
--predicted COL...  Column of the classes that the new model predicts, in place of scores. Repeatable, with
  --old-predicted.
--old-predicted COL  Column of the classes that the old model predicts. [default: that of --predicted, in OLD]
text: --as-text COL...  Read COL (ids, labels, predictions, groups or clusters) as text, whatever its type.
  Repeatable.
--qrels FILE  Compare runs of ranked results in TREC's format, judged by FILE: OLD and NEW are runs, compared query by
  query.
Joining:
on: --id COL...  Column that identifies a case in OLD and in NEW. Rows may be in any order. Repeatable: the values of
  all --id columns together identify a case.
allow: --allow-mismatch WORD[,WORD]...  Allow what is an error otherwise, and count it in a note: missing, repeated,
  labels, or several of them between commas. missing: ids that one table lacks; the cases of both are compared.
  repeated: ids of several rows; the first row of each id counts. labels: labels that differ; those of NEW count.
  Repeatable.
{_ROWS}
{_WEIGHTS}
{_READING}
{_DECIMAL}
--memory SIZE  Memory limit, such as 500M or 2G, at least 256M. Tables that take more are refused before they are
  read. Not for runs (--qrels). [default: EVALCORE_MEMORY, else half of the machine]
Statistics:
thresholds: --threshold T...  Add measures of the decisions that predict positive if score >= T, named like recall@T,
  and the cases that they get newly right and newly wrong. Repeatable.
measures: --measure NAME...  Compare NAME only, such as roc_auc or recall@0.3. Measures that have no interval of their
  own, such as maximum_f1, get one from the bootstrap. Of runs (--qrels), NAME is one of evalcore trec. Repeatable.
  [default: those with an interval of their own]
--list-measures  List the names of --measure, and exit.
level: --ci LEVEL  Level of the confidence intervals.
--margin [NAME=]M...  The smallest difference that matters, in the units of each measure. Verdicts are then superior,
  equivalent (by two one-sided tests), non-inferior, inferior or inconclusive. M is for all measures; NAME=M, such as
  roc_auc=0.005, for one of them, and recall=0.02 for recall at every threshold. Measures without a margin get the
  plain verdict. Repeatable, with NAME=M.
--method [{"|".join((*METHODS_OF_CLASSES, WILCOXON))}]  Where intervals and p-values come from. analytic: tests with
  DeLong's variance for ROC AUCs, McNemar's for decisions, paired means for losses, influence values for the others.
  bootstrap: paired resamples of rows, or of clusters. permutation, of predicted classes: p-values by swapping the
  models case by case, with analytic intervals. Of runs (--qrels): Student's t test, the bootstrap or permutation of
  queries, or wilcoxon, the test of signed ranks. [default: analytic]
--ci-method [{"|".join(DIFFERENCE_METHODS)}]  The analytic interval of differences of ROC AUCs, with its p-value: by a
  score test with DeLong's variance, which holds differences of large areas most often, or DeLong's, as of pROC.
  [default: {DIFFERENCE_METHODS[0]}]
--resamples N  Number of resamples or swaps. [default: {RESAMPLES}]
--seed S  Draw other resamples for each S. [default: 0]
--stratify  Keep the number of cases of each class in every resample.
--changed N  Maximum number of cases in each list of changed cases. [default: {CHANGED}]
Groups:
--by COL[,COL]...  Also compare within each group of rows with equal COL; those that got worse come first. Of several
  columns between commas, groups are the combinations that occur; a name with a comma goes in double quotes: '"a,b"'.
  Repeatable: each --by is a grouping of its own.
--min-cases N  Leave out groups of fewer than N cases, with a note.
--cluster COL  Column of clusters, such as users or days, whose cases may depend on each other. Intervals and p-values
  are then those of a sample of clusters.
{_GATE}
{_CONFIDENT}
{_JUNIT}
{_output(REPORT_STYLES)}
{_GENERAL}
Examples:
Two columns of one file:
  evalcore compare flights.parquet --label late --new-score boosting --old-score logistic
Two files, joined by id, as a gate:
  evalcore compare old.csv new.csv --id case --label paid --new-score p --fail-if 'roc_auc drops by 0.005'
In each country, with days as clusters, and decisions at a threshold, as a page:
  evalcore compare old.csv new.csv --id case --label paid --new-score p --threshold 0.5 --by country --cluster day -o
  comparison.html
With a margin of 0.005, as Markdown for a pull request:
  evalcore compare old.csv new.csv --id case --label paid --new-score p --margin 0.005 --format markdown
Predicted classes of two models against those of an old one:
  evalcore compare old.csv new.csv best=newer.csv --id case --label species --predicted guess
Runs of ranked results:
  evalcore compare bm25.txt dense.txt --qrels qrels.txt
"""
_CONTINGENCY = f"""
Options:
--assigned COL  Column of the categories assigned to each document. [required]
--correct COL  Column of the correct categories. [required]
--sep TEXT  Separator of the names in a string.
--per-category  Add the table and statistics of each category.
{_READING}
Gate:
conditions: --fail-if CONDITION...  Exit with code 1 if CONDITION is true: MEASURE RELATION NUMBER, such as "macro_F1
  < 0.8" or, of a category, "recall[sports] < 0.5". RELATION is <, <=, > or >=. A number that is NaN or missing is an
  error (exit code 2), never a pass. Repeatable; those of --config are added.
{_JUNIT}
{_output(SECTION_STYLES)}
{_GENERAL}
Examples:
Sets of categories, names separated by semicolons:
  evalcore contingency topics.csv --assigned found --correct true --sep ';'
Each category, in a spreadsheet:
  evalcore contingency topics.csv --assigned found --correct true --sep ';' --per-category -o each.csv
"""
_TREC = f"""
Queries:
--ties [mean|trec]  How to order documents of equal score.
-l --relevance-level GRADE  The least grade of a relevant document. [default: 1]
-c --complete  Count judged queries that are not in RUN as 0.
Statistics:
measures: -m --measure MEASURE...  A measure, such as map or P_10, or several: 'map P_5'. Repeatable.
--list-measures  List the names of --measure, and exit.
--per-query  Add the values of each query.
level: --ci [LEVEL]  Add confidence intervals at LEVEL, 0.95 if none is given, and compare several runs query by
  query.
compare: --versus [first|best|all]  With --ci, compare the first run with the others, or the best by the first
  measure, or all pairs. Differences are the first, or the best, minus the other. [default: first]
test: --method [t|permutation]  With --ci, use Student's paired t test or Fisher's randomisation test. [default: t]
Gate:
conditions: --fail-if CONDITION...  Exit with code 1 if CONDITION is true: [RUN:] MEASURE RELATION NUMBER, such as
  "map < 0.25" or "dense: 'P(rel=2)@10' < 0.5". RELATION is <, <=, > or >=. Without RUN each run counts. Measures need
  not be asked for otherwise. Names with spaces or one of , : = < > go in quotes. evalcore compare --qrels takes
  conditions on changes. A number that is NaN or missing is an error (exit code 2), never a pass. Repeatable; those of
  --config are added.
{_CONFIDENT}
{_JUNIT}
{_output(TREC_STYLES)}
{_GENERAL}
Examples:
Two measures, also for each query:
  evalcore trec qrels.txt run.txt -m map -m ndcg_cut_10 --per-query
Two runs compared with the first, query by query:
  evalcore trec qrels.txt bm25.txt dense.txt hybrid.txt -m map -m 'P(rel=2)@10' --ci 0.95
The lines that trec_eval prints:
  evalcore trec qrels.txt run.txt -m official --ties trec --format trec
"""
_COLUMNS = f"""
{_READING}
{_GENERAL}
Examples:
What a file holds:
  evalcore columns flights.parquet
"""
_SHARED: Mapping[str, Mapping[str, Any]] = {
    "quiet": {"expose_value": False, "callback": ask_quiet},
    "config": {"is_eager": True, "expose_value": False, "callback": configure},
    "list_measures": {"is_eager": True, "expose_value": False},
    "conditions": {"adds": True},
    "memory": {"envvar": MEMORY},
    "style": {"unless": ("outputs",)},
}
"""What options are beside their text, by the names of their parameters."""
_NO_SCORES, _NO_CLASSES = ("predicted", "old_predicted", "qrels"), ("score", "old_score", "qrels")
"""Parameters of comparisons beside which scores, or predicted classes, make no sense."""
OF_ONE_LABEL = "positive", "target_prevalence", "thresholds", "targets", "costs", "compare"
"""Parameters of reports that need scores of one label."""


def _declared(text: str, **own: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a command is declared with; own: settings of its options, beside those that commands share."""
    settings = {name: {**_SHARED.get(name, {}), **own.get(name, {})} for name in (*_SHARED, *own)}
    return {"declared": text, "settings": settings}


REPORT = _declared(
    _REPORT,
    **{name: {"unless": ("predicted", "prefix")} for name in ("scores", *OF_ONE_LABEL)},
    prefix={"unless": ("scores", "predicted")},
    predicted={"unless": ("scores", "prefix")},
    ci_method={"unless": ("predicted",)},
    measures={"shell_complete": completed_measures},
    list_measures={"callback": listing("evalcore.evaluation.measure_choice:described_measures")},
)
COMPARE = _declared(
    _COMPARE,
    **{name: {"unless": _NO_SCORES} for name in ("positive", "target_prevalence", "thresholds", "ci_method")},
    label={"unless": ("qrels",)},
    score={"unless": _NO_SCORES, "shell_complete": completed_new_columns},
    old_score={"unless": _NO_SCORES},
    predicted={"unless": _NO_CLASSES, "shell_complete": completed_new_columns},
    old_predicted={"unless": _NO_CLASSES},
    allow={"shell_complete": completed_allowed},
    measures={"shell_complete": completed_compared},
    list_measures={"callback": listing("evalcore.evaluation.measure_choice:described_compared")},
    level={"default": LEVEL},
)
CONTINGENCY = _declared(_CONTINGENCY, sep={"default": ","})
TREC = _declared(
    _TREC,
    ties={"default": "mean"},
    list_measures={"callback": listing("evalcore.evaluation.statistics.trec:MEANINGS")},
)
COLUMNS = _declared(_COLUMNS)
