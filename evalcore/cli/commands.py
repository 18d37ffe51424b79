"""The commands and their options.

Each command imports what it computes with when it runs: help and shell completion need click alone.
"""

from typing import Any

import click

from evalcore._version import __version__
from evalcore.cli.command_options import GENERAL, READING, compare_options, report_options, small_gate
from evalcore.cli.completion import completed_paths
from evalcore.cli.config import ConfiguredCommand
from evalcore.cli.errors import OneLineErrors
from evalcore.cli.options import SECTION_STYLES, TREC_STYLES, listing, option, output_options, under
from evalcore.evaluation.options import COMPARED, spelled_for_a_shell

_REPORT_EXAMPLES = {
    "Two models on the same cases, with intervals": (
        "evalcore report flights.parquet --label late --score boosting --score logistic --ci 0.95"
    ),
    "Decisions at a threshold, in each country, as a page": (
        "evalcore report scores.csv --label paid --score p --threshold 0.5 --by country -o report.html"
    ),
    "Predicted classes in several files, as JSON": (
        "evalcore report 'runs/*.csv' --label species --predicted guess --format json"
    ),
    "One measure of some rows, without those that have nulls": (
        "evalcore report scores.csv --label paid --score p --where \"country = 'CH'\" --nulls drop --measure roc_auc"
    ),
    "A column of scores for each class, from a pipe": ("evalcore report - --label species --scores p_ < species.csv"),
}
_COMPARE_EXAMPLES = {
    "Two columns of one file": (
        "evalcore compare flights.parquet --label late --new-score boosting --old-score logistic"
    ),
    "Two files, joined by id, as a gate": (
        "evalcore compare old.csv new.csv --id case --label paid --new-score p --fail-if 'roc_auc drops by 0.005'"
    ),
    "In each country, with days as clusters, and decisions at a threshold, as a page": (
        "evalcore compare old.csv new.csv --id case --label paid --new-score p --threshold 0.5 --by country"
        " --cluster day -o comparison.html"
    ),
    "With a margin of 0.005, as Markdown for a pull request": (
        "evalcore compare old.csv new.csv --id case --label paid --new-score p --margin 0.005 --format markdown"
    ),
    "Predicted classes of two models against those of an old one": (
        "evalcore compare old.csv new.csv best=newer.csv --id case --label species --predicted guess"
    ),
    "Runs of ranked results": "evalcore compare bm25.txt dense.txt --qrels qrels.txt",
}
_CONTINGENCY_EXAMPLES = {
    "Sets of categories, names separated by semicolons": (
        "evalcore contingency topics.csv --assigned found --correct true --sep ';'"
    ),
    "Each category, in a spreadsheet": (
        "evalcore contingency topics.csv --assigned found --correct true --sep ';' --per-category -o each.csv"
    ),
}
_TREC_EXAMPLES = {
    "Two measures, also for each query": "evalcore trec qrels.txt run.txt -m map -m ndcg_cut_10 --per-query",
    "Two runs compared with the first, query by query": (
        "evalcore trec qrels.txt bm25.txt dense.txt hybrid.txt -m map -m 'P(rel=2)@10' --ci 0.95"
    ),
    "The lines that trec_eval prints": "evalcore trec qrels.txt run.txt -m official --ties trec --format trec",
}

_COLUMNS_EXAMPLES = {"What a file holds": "evalcore columns flights.parquet"}

_contingency_options = under(
    "",
    option("--assigned COL  Column of the categories assigned to each document.", required=True),
    option("--correct COL  Column of the correct categories.", required=True),
    option("--sep TEXT  Separator of the names in a string.", default=","),
    "--per-category  Add the table and statistics of each category.",
    under("Files", *READING),
    small_gate(
        'MEASURE RELATION NUMBER, such as "macro_F1 < 0.8" or, of a category, "recall[sports] < 0.5". RELATION is <,'
        " <=, > or >=.",
        intervals=False,
    ),
    output_options(*SECTION_STYLES),
    GENERAL,
)
_trec_options = under(
    "",
    under(
        "Queries",
        option("--ties  How to order documents of equal score.", type=click.Choice(["mean", "trec"]), default="mean"),
        "-l --relevance-level GRADE  The least grade of a relevant document.  [default: 1]",
        "-c --complete  Count judged queries that are not in RUN as 0.",
    ),
    under(
        "Statistics",
        "measures: -m --measure MEASURE...  A measure, such as map or P_10, or several: 'map P_5'. Repeatable.",
        listing("evalcore.evaluation.statistics.trec:MEANINGS"),
        "--per-query  Add the values of each query.",
        "level: --ci [LEVEL]  Add confidence intervals at LEVEL, 0.95 if none is given, and compare several runs query"
        " by query.",
        option(
            "compare: --versus  With --ci, compare the first run with the others, or the best by the first measure,"
            " or all pairs. Differences are the first, or the best, minus the other.  [default: first]",
            type=click.Choice([which for which in COMPARED if which != "none"]),
        ),
        option(
            "test: --method  With --ci, use Student's paired t test or Fisher's randomisation test.  [default: t]",
            type=click.Choice(["t", "permutation"]),
        ),
    ),
    small_gate(
        '[RUN:] MEASURE RELATION NUMBER, such as "map < 0.25" or "dense: \'P(rel=2)@10\' < 0.5". RELATION is <, <=,'
        " > or >=. Without RUN each run counts. Measures need not be asked for otherwise. Names with spaces or one of"
        " , : = < > go in quotes. evalcore compare --qrels takes conditions on changes.",
        intervals=True,
    ),
    output_options(*TREC_STYLES),
    GENERAL,
)
_columns_options = under("", under("Files", *READING), GENERAL)


@click.group(cls=OneLineErrors, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="evalcore")
def main() -> None:
    """Evaluate scored predictions, classifications and rankings in files."""


@main.command(cls=ConfiguredCommand, examples=_REPORT_EXAMPLES)
@click.argument("files", nargs=-1, required=True, shell_complete=completed_paths)
@report_options
def report(**asked: Any) -> None:
    """Report how well predictions in FILES agree with their labels.

    Choose the predictions with one of --score COL (scores of one label), --score CLASS=COL or --scores PREFIX (scores
    of each class), and --predicted COL (predicted classes).

    FILES are Parquet, Arrow, Feather, CSV, TSV or JSON lines (.jsonl, .ndjson, .json), or one NPZ file; - is standard
    input in any of these formats, as are pipes such as <(command). Text may be compressed (.gz, .bz2, .zst, .xz).
    Several files of one format, quoted globs and folders are read as one table; a folder named month=1 adds a column
    month. In CSV, TSV and JSON lines, scores are numbers, and all other columns are text as it is written: 01 is not 1.

    FILES may also be URLs, such as s3://bucket/*.csv; those that pyarrow does not read need the extra remote.
    duckdb:FILE is a DuckDB database (the extra sql). Spreadsheets and databases of SQLite are not read: write CSV.

    What does not fit in memory is reported from summaries: see --memory.
    """
    from evalcore.cli.report import write_report

    write_report(**asked)


@main.command(cls=ConfiguredCommand, examples=_COMPARE_EXAMPLES)
@click.argument("old", metavar="OLD", shell_complete=completed_paths)
@click.argument("new", nargs=-1, metavar="[NEW]...", shell_complete=completed_paths)
@compare_options
def compare(**asked: Any) -> None:
    """Compare models on the same cases, and fail if the new one is not good enough.

    OLD and each NEW hold the predictions of one model, and are joined by --id: files, quoted globs, folders, URLs or
    databases of all formats that `evalcore report` reads, or - for standard input. Models have the names of their
    files, or those of NAME=FILE. Without NEW, the models are columns of OLD: --new-score new --old-score old.

    Columns of labels, groups, clusters and weights may be in NEW, in OLD or in both.

    A difference is always NEW less OLD, with a paired interval and a test, and p-values adjusted for all measures.

    --fail-if makes it a gate, for scripts and CI: the exit code is 0 if no condition is true, 1 if one is, and 2 for
    what is wrong in the command or in the data, such as a condition on a measure that is not defined.

    With --qrels FILE, OLD and NEW are runs of ranked results.
    """
    from evalcore.cli.compare import write_comparison

    with spelled_for_a_shell(score="new-score"):
        write_comparison(**asked)


@main.command(cls=ConfiguredCommand, examples=_CONTINGENCY_EXAMPLES)
@click.argument("files", nargs=-1, required=True, shell_complete=completed_paths)
@_contingency_options
def contingency(**asked: Any) -> None:
    """Report how well the categories assigned to documents agree with the correct ones.

    FILES have a row for each document and columns of lists or strings of names. They may be all that `evalcore report`
    reads: files, quoted globs, folders, URLs, databases, or - for standard input.
    """
    from evalcore.cli.contingency import write_contingency

    write_contingency(**asked)


@main.command(cls=ConfiguredCommand, examples=_TREC_EXAMPLES)
@click.argument("qrels", shell_complete=completed_paths)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", shell_complete=completed_paths)
@_trec_options
def trec(**asked: Any) -> None:
    """Evaluate TREC runs against relevance judgements, and compare them.

    QRELS and RUN are files as trec_eval reads them, plain or compressed; - is standard input. Several runs stand side
    by side, and --ci compares them query by query. RUN may be NAME=FILE, and runs from pipes, <(command), have the
    names that they give themselves.

    --list-measures names the measures. P, recall, success, ndcg_cut and map_cut need a depth: P_10, P.10,20 or, for all
    depths of trec_eval, P. The recall levels of iprec_at_recall are written in the same way. The name official means
    the measures that trec_eval prints by default.

    Names may have arguments, as in ir_measures: 'AP(rel=2)', 'P(rel=2,judged_only=True)@10', 'RBP(p=0.5)',
    'ERR(max_rel=3)@20'. Quote them for the shell. nDCG, ERR and RBP take grades as gains: --relevance-level does not
    change them, and RBP of grades beyond 1 may exceed 1. Judged counts grades of 0 and more; ir_measures counts
    negative ones too.

    Grades and scores must be decimal numbers. Others that trec_eval accepts, such as 0x10 and 3abc, are refused.

    With --ties mean, documents of equal score count as the mean over all their orders; with --ties trec, they have the
    order of trec_eval 9.0.8. --format trec --ties trec prints what trec_eval does; of several runs each line begins
    with the run.
    """
    from evalcore.cli.trec import write_trec

    write_trec(**asked)


@main.command(cls=ConfiguredCommand, examples=_COLUMNS_EXAMPLES)
@click.argument("files", nargs=-1, required=True, shell_complete=completed_paths)
@_columns_options
def columns(**asked: Any) -> None:
    """Print the columns of FILES: their names, types, nulls and first values, and a command that may suit them.

    FILES are what `evalcore report` reads. Of large files, the first rows are looked at; several are one table.
    """
    from evalcore.cli.columns import write_columns

    write_columns(**asked)
