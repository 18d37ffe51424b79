"""The commands and their options.

Each command imports what it computes with when it runs: help and shell completion need click alone.
"""

from typing import Any

import click

from evalcore._version import __version__
from evalcore.cli.completion import completed_paths
from evalcore.cli.config import ConfiguredCommand
from evalcore.cli.errors import OneLineErrors
from evalcore.cli.options import COLUMNS, COMPARE, CONTINGENCY, REPORT, TREC
from evalcore.evaluation.options import spelled_for_a_shell


@click.group(cls=OneLineErrors, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="evalcore")
def main() -> None:
    """Evaluate scored predictions, classifications and rankings in files."""


@main.command(cls=ConfiguredCommand, **REPORT)
@click.argument("files", nargs=-1, required=True, shell_complete=completed_paths)
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


@main.command(cls=ConfiguredCommand, **COMPARE)
@click.argument("old", metavar="OLD", shell_complete=completed_paths)
@click.argument("new", nargs=-1, metavar="[NEW]...", shell_complete=completed_paths)
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


@main.command(cls=ConfiguredCommand, **CONTINGENCY)
@click.argument("files", nargs=-1, required=True, shell_complete=completed_paths)
def contingency(**asked: Any) -> None:
    """Report how well the categories assigned to documents agree with the correct ones.

    FILES have a row for each document and columns of lists or strings of names. They may be all that `evalcore report`
    reads: files, quoted globs, folders, URLs, databases, or - for standard input.
    """
    from evalcore.cli.contingency import write_contingency

    write_contingency(**asked)


@main.command(cls=ConfiguredCommand, **TREC)
@click.argument("qrels", shell_complete=completed_paths)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", shell_complete=completed_paths)
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


@main.command(cls=ConfiguredCommand, **COLUMNS)
@click.argument("files", nargs=-1, required=True, shell_complete=completed_paths)
def columns(**asked: Any) -> None:
    """Print the columns of FILES: their names, types, nulls and first values, and a command that may suit them.

    FILES are what `evalcore report` reads. Of large files, the first rows are looked at; of a folder, the first file.
    """
    from evalcore.cli.columns import write_columns

    write_columns(**asked)
