"""The commands and their options.

Each command imports what it computes with when it runs: help and shell completion need click alone.
"""

from collections.abc import Callable, Sequence
from typing import Any

import click

from evalcore._version import __version__
from evalcore.cli.errors import OneLineErrors
from evalcore.report.options import COMPARED, MOST_GROUPS


def _paths(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[Any]:
    """Let the shell complete the name of a file or folder."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(typed, type="file")]


def _single(*names: str, default: Any = None, **settings: Any) -> Callable[[Any], Any]:
    """Return an option that may be given only once: click would take the last of several values without a word."""
    defaults: dict[str, Any] = {} if default is None else {"default": (default,), "show_default": True}
    return click.option(*names, multiple=True, callback=_only_value, **defaults, **settings)


def _only_value(_context: click.Context, parameter: click.Parameter, values: Sequence[Any]) -> Any:
    """Return the one value, or None if the option was not given; raise UsageError for several."""
    if len(values) > 1:
        name = max(parameter.opts, key=len)
        raise click.UsageError(f"{name} may be given only once, got {' and '.join(map(repr, values))}.")
    return next(iter(values), None)


def _format_option(*styles: str) -> Callable[[Any], Any]:
    return _single("--format", "style", type=click.Choice(styles), default="table", help="Format of standard output.")


@click.group(cls=OneLineErrors, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def main() -> None:
    """Evaluate scored predictions, classifications and rankings in files."""


@main.command()
@click.argument("files", nargs=-1, required=True, shell_complete=_paths)
@_single("--label", required=True, metavar="COL", help="Column of labels: 0 and 1, Booleans, or class names.")
@_single("--positive", metavar="VALUE", help="The positive label, if it is not 1 or true.")
@click.option(
    "--score",
    "scores",
    multiple=True,
    metavar="[CLASS=]COL",
    help="Column of scores for the positive label or, with CLASS=, for that class. Repeatable. No = in a plain COL.",
)
@_single(
    "--scores", "prefix", metavar="PREFIX", help="Columns of scores for each class, named PREFIX and the class name."
)
@_single("--predicted", metavar="COL", help="Column of predicted classes.")
@_single(
    "--threshold", type=float, metavar="T", help="Add statistics of the decisions that predict positive if score >= T."
)
@_single(
    "--costs",
    metavar="FP,FN",
    help="Costs of a false positive and of a false negative: add the expected cost at --threshold and, where all rows"
    " fit in memory, the lowest one and its threshold.",
)
@_single(
    "--ci",
    "level",
    type=float,
    metavar="LEVEL",
    help="Add confidence intervals at LEVEL, such as 0.95. Compare --score columns, with --by in each group.",
)
@_single(
    "--compare",
    type=click.Choice(COMPARED),
    help="With --ci, compare the ROC area of each --score column with that of the first or of the best, or all pairs."
    "  [default: first]",
)
@click.option(
    "--by",
    multiple=True,
    metavar="COL",
    help="Report each group of rows with equal COL, the largest first, and the total. Repeatable: groups are then the"
    " combinations that occur.",
)
@click.option(
    "--text",
    multiple=True,
    metavar="COL",
    help="Read COL (labels, predictions or groups) as text, whatever its type. Repeatable.",
)
@click.option(
    "--full-matrix",
    is_flag=True,
    help="Show all classes, not only the 50 most frequent, and all counts by class, not only the largest.",
)
@click.option(
    "--all-groups",
    is_flag=True,
    help="Show all groups: in tables and Markdown not only the 50 largest, on pages not only the 20 best and 20 worst.",
)
@_single("--groups", type=int, metavar="N", help=f"Maximum number of groups.  [default: {MOST_GROUPS}]")
@_single(
    "--memory", metavar="SIZE", help="Memory limit, such as 500M or 2G, at least 256M.  [default: half of the machine]"
)
@_single("--checkpoint", metavar="FILE", shell_complete=_paths, help="Save progress in FILE, and resume from it.")
@_single(
    "--html",
    "page",
    metavar="OUT",
    shell_complete=_paths,
    help="Also write an HTML page: the answer in words, charts, tables and definitions.",
)
@click.option(
    "--no-script",
    is_flag=True,
    help="Leave the scripts out of the page of --html: it has no slider, and groups are not sortable.",
)
@_single(
    "--plots",
    "folder",
    metavar="DIR",
    shell_complete=_paths,
    help="Also write the plots to folder DIR, as PNG and SVG.",
)
@_format_option("table", "json", "csv", "markdown")
def report(**asked: Any) -> None:
    """Report how well predictions in FILES agree with their labels.

    Choose the predictions with one of --score COL (scores of one label), --score CLASS=COL or --scores PREFIX (scores
    of each class), and --predicted COL (predicted classes).

    FILES are Parquet, Arrow, Feather, CSV or TSV files, or one NPZ file; - reads CSV from standard input. CSV and TSV
    may be compressed (.gz, .bz2, .zst). Several files of one format, quoted globs and folders of Parquet files are
    read as one table; a folder named month=1 adds a column month. In CSV and TSV, scores are numbers and all other
    columns are text: 01 is not 1.

    Intervals are Wilson's for fractions, DeLong's for ROC areas and their differences on the same cases, Boyd's for
    average precision, and from the delta method for F1 and kappa. P-values of several comparisons are adjusted by
    Holm's method; with --compare best, as if all pairs were compared.

    If the columns do not fit in --memory, the report is computed in one pass from summaries. ROC area, average
    precision and maximum F1 then have intervals that always contain the exact values, unless there are few distinct
    scores. Counts, and statistics at --threshold, stay exact. Statistics of single ranks (precision at k, R-precision,
    break-even point, reciprocal rank, the score of maximum F1) are left out. --ci, --plots and scores of classes are
    refused. Reports on --predicted are always exact.

    With --checkpoint, the same command resumes after Ctrl-C, a power failure or an error. You may add files between
    runs; finished files are not read again and must not change. A checkpoint with --by uses more memory, so intervals
    get wider. FILE is replaced as a whole; it must not be a pipe or device.

    --html OUT may be a pipe or device, such as >(gzip > out.gz) or /dev/stdout, where the page follows the table.
    --plots overwrites images of the same names in DIR, such as roc.png, and keeps all other files.
    """
    from evalcore.cli.report import write_report

    write_report(**asked)


@main.command()
@click.argument("files", nargs=-1, required=True, shell_complete=_paths)
@_single("--assigned", required=True, metavar="COL", help="Column of the categories assigned to each document.")
@_single("--correct", required=True, metavar="COL", help="Column of the correct categories.")
@_single("--sep", default=",", help="Separator of the names in a string.")
@click.option("--per-category", is_flag=True, help="Add the table and statistics of each category.")
@_format_option("table", "json", "csv", "markdown")
def contingency(**asked: Any) -> None:
    """Report how well the categories assigned to documents agree with the correct ones.

    FILES have a row for each document and columns of lists or strings of names. They may be all that `evalcore report`
    reads: files, quoted globs, folders of Parquet files, or - for standard input.
    """
    from evalcore.cli.contingency import write_contingency

    write_contingency(**asked)


@main.command()
@click.argument("qrels", shell_complete=_paths)
@click.argument("run", shell_complete=_paths)
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="MEASURE", help="A measure, such as map or P_10. Repeatable."
)
@click.option("--per-query", is_flag=True, help="Add the values of each query.")
@_single(
    "--ties",
    type=click.Choice(["mean", "trec"]),
    default="mean",
    help="How to order documents of equal score.",
)
@click.option("-c", "--complete", is_flag=True, help="Count judged queries that are not in RUN as 0.")
@_format_option("trec", "table", "json", "csv")
def trec(**asked: Any) -> None:
    """Evaluate a TREC run against relevance judgements.

    QRELS and RUN are files as trec_eval reads them, plain or compressed by gzip; - is standard input.

    Measures that need a depth: P, recall, success, ndcg_cut and map_cut. Write P_10, P.10,20 or, for all depths of
    trec_eval, P. The recall levels of iprec_at_recall are written in the same way. Other measures: map, recip_rank,
    ndcg, Rprec, bpref, gm_map, num_q, num_ret, num_rel, num_rel_ret, AUC, maxF, nDCGexp, and all others of
    evalcore.ranking. The name official means those that trec_eval prints by default.

    Grades and scores must be decimal numbers. Others that trec_eval accepts, such as 0x10 and 3abc, are refused.

    With --ties mean, documents of equal score count as the mean over all their orders; with --ties trec, they have the
    order of trec_eval 9.0.8. --format trec --ties trec prints what trec_eval does.
    """
    from evalcore.cli.trec import write_trec

    write_trec(**asked)
