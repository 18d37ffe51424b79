"""The command line, ``evalcore``."""

import errno
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import click

from evalcore import Contingency, EvaluationError, EvaluationTypeError, __version__
from evalcore.batched.files import FilesAnswer, answer_files
from evalcore.batched.runner import StoppedError
from evalcore.io.formats import STANDARD_INPUT
from evalcore.io.memory import memory_size
from evalcore.report.groups import MOST_GROUPS
from evalcore.report.label_sets import LABEL_SET_AVERAGES, contingency_sections, read_name_lists
from evalcore.report.model import Section
from evalcore.report.notes import notes, notes_of
from evalcore.report.options import spelled_for_a_shell
from evalcore.report.outputs import Outputs
from evalcore.report.page import as_html
from evalcore.report.progress import progress_bar
from evalcore.report.question import Question
from evalcore.report.rendering import as_csv, as_json, as_markdown, as_table
from evalcore.report.trec import as_trec, trec_report, trec_sections

_NAMED_IN_JSON = "file", "files", "label", "positive", "predicted", "assigned", "correct", "by", "level", "qrels"


class _DataError(click.ClickException):
    exit_code = 2

    def show(self, file: object = None) -> None:
        click.echo(f"evalcore: {_one_line(self.message)}", err=True)


class _StoppedError(_DataError):
    exit_code = 130  # by convention for a program that Ctrl-C ended


class _Commands(click.Group):
    """Commands that print one line and exit with code 2 for errors about data, with code 130 for Ctrl-C."""

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        with _errors_in_one_line():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: click.Context) -> object:
        with _errors_in_one_line(), spelled_for_a_shell():
            return super().invoke(ctx)


@contextmanager
def _errors_in_one_line() -> Iterator[None]:
    try:
        yield
    except (EvaluationError, EvaluationTypeError) as error:
        raise _DataError(str(error)) from error
    except (StoppedError, KeyboardInterrupt) as stopped:
        raise _StoppedError(str(stopped) or "stopped") from stopped
    except ImportError as error:  # a library is installed but broken
        raise _DataError(str(error)) from error
    except MemoryError as error:
        raise _DataError("memory ran out; set a lower limit (--memory SIZE)") from error
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise  # click ends quietly
        if error.filename is None and isinstance(error, FileNotFoundError):
            raise _DataError("the current folder does not exist any more") from error
        named = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        raise _DataError(f"{named}{error.strerror or error}") from error


def _one_line(text: str) -> str:
    """Escape letters that break a line or control a terminal: names of files may contain them."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


_format_option = click.option(
    "--format",
    "style",
    type=click.Choice(["table", "json", "csv", "markdown"]),
    default="table",
    show_default=True,
    help="Format of standard output.",
)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def main() -> None:
    """Evaluate scored predictions, classifications and rankings in files."""


@main.command()
@click.argument("files", nargs=-1, required=True)
@click.option("--label", required=True, metavar="COL", help="Column of labels: 0 and 1, Booleans, or class names.")
@click.option("--positive", metavar="VALUE", help="The positive label, if it is not 1 or true.")
@click.option(
    "--score",
    "scores",
    multiple=True,
    metavar="[CLASS=]COL",
    help="Column of scores for the positive label or, with CLASS=, for that class. Repeatable. No = in a plain COL.",
)
@click.option(
    "--scores", "prefix", metavar="PREFIX", help="Columns of scores for each class, named PREFIX and the class name."
)
@click.option("--predicted", metavar="COL", help="Column of predicted classes.")
@click.option(
    "--threshold", type=float, metavar="T", help="Add statistics of the decisions that predict positive if score >= T."
)
@click.option(
    "--ci",
    "level",
    type=float,
    metavar="LEVEL",
    help="Add confidence intervals at LEVEL, such as 0.95. Without --by, compare columns.",
)
@click.option(
    "--by",
    metavar="COL",
    help="Report each group of rows with equal COL, the largest first, and the total. Needs plain --score COL.",
)
@click.option(
    "--text",
    multiple=True,
    metavar="COL",
    help="Read COL (labels, predictions or groups) as text, whatever its type. Repeatable.",
)
@click.option("--groups", type=int, metavar="N", help=f"Maximum number of groups.  [default: {MOST_GROUPS}]")
@click.option(
    "--memory", metavar="SIZE", help="Memory limit, such as 500M or 2G, at least 256M.  [default: half of the machine]"
)
@click.option("--checkpoint", metavar="FILE", help="Save progress in FILE, and resume from it.")
@click.option("--html", "page", metavar="OUT", help="Also write an HTML page of tables, plots and definitions.")
@click.option("--plots", "folder", metavar="DIR", help="Also write the plots to folder DIR, as PNG and SVG.")
@_format_option
def report(
    *,
    files: Sequence[str],
    memory: str | None,
    checkpoint: str | None,
    style: str,
    page: str | None,
    folder: str | None,
    **asked: Any,
) -> None:
    """Report how well predictions in FILES agree with their labels.

    Choose the predictions with one of --score COL (scores of one label), --score CLASS=COL or --scores PREFIX (scores
    of each class), and --predicted COL (predicted classes).

    FILES are Parquet, Arrow, Feather, CSV or TSV files, or one NPZ file; - reads CSV from standard input. CSV and TSV
    may be compressed (.gz, .bz2, .zst). Several files of one format, quoted globs and folders of Parquet files are
    read as one table; a folder named month=1 adds a column month. In CSV and TSV, scores are numbers and all other
    columns are text: 01 is not 1.

    Intervals are Wilson's for fractions, DeLong's for ROC areas and their differences on the same cases, Boyd's for
    average precision, and from the delta method for F1 and kappa.

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
    if page == STANDARD_INPUT:
        raise click.UsageError("--html OUT must be a file, got -; standard output is /dev/stdout.")
    if checkpoint == STANDARD_INPUT:
        raise click.UsageError("--checkpoint FILE must be a file, got -.")
    question, outputs = _question(**asked), Outputs(page, folder, checkpoint)
    files = _each_once(files)
    title = _title_of(files)
    with progress_bar(f"reading {title}") as bar:
        allowed = None if memory is None else memory_size(memory)
        found = answer_files(question, files, bar, memory=allowed, outputs=outputs)
    computed = {"File": title, **question.described(), **found.described()}
    with _errors_kept() as unprinted:
        _write(style, found.answer.sections, {**_about(files), **asked}, found)
    if not outputs.write(
        found.answer, lambda drawn: as_html(found.answer, f"{title}: {question.title}", computed, drawn)
    ):
        click.echo("evalcore: no plots were written: all cases are of one class, or a score is infinite", err=True)
    for error in unprinted:
        raise error


@contextmanager
def _errors_kept() -> Iterator[list[Exception]]:
    """Yield a list for an error of printing, so that a page is written although a reader such as `head` has ended."""
    errors: list[Exception] = []
    try:
        yield errors
    except (EvaluationError, OSError) as error:
        errors.append(error)


@main.command()
@click.argument("files", nargs=-1, required=True)
@click.option("--assigned", required=True, metavar="COL", help="Column of the categories assigned to each document.")
@click.option("--correct", required=True, metavar="COL", help="Column of the correct categories.")
@click.option("--sep", default=",", help="Separator of the names in a string.", show_default=True)
@click.option("--per-category", is_flag=True, help="Add the table and statistics of each category.")
@_format_option
def contingency(*, files: Sequence[str], assigned: str, correct: str, sep: str, per_category: bool, style: str) -> None:
    """Report how well the categories assigned to documents agree with the correct ones.

    FILES have a row for each document and columns of lists or strings of names. They may be all that `evalcore report`
    reads: files, quoted globs, folders of Parquet files, or - for standard input.
    """
    if not sep:
        raise click.UsageError("--sep must not be empty.")
    files = _each_once(files)
    title = _title_of(files)
    with progress_bar(f"reading {title}") as bar:
        experiment = _contingency_of(*read_name_lists(files, (assigned, correct), sep, bar))
    averages = {name: getattr(experiment, name)() for name in LABEL_SET_AVERAGES}
    sections = contingency_sections(averages, experiment.category_stats() if per_category else {})
    if style == "table":
        _echo(experiment.stats_table().removesuffix("\n"))
        if per_category:
            _echo(as_table(sections[1:]))
    else:
        _write(style, sections, {**_about(files), "assigned": assigned, "correct": correct})


def _contingency_of(assigned: Sequence[Sequence[str]], correct: Sequence[Sequence[str]]) -> Contingency:
    """Count lists of names, one for each document, over the sorted categories of all names."""
    categories = sorted(set().union(*assigned, *correct))
    if not categories:
        raise EvaluationError("no document has a category, assigned or correct")
    experiment = Contingency(categories)
    experiment.add_results(assigned, correct)
    return experiment


@main.command()
@click.argument("qrels")
@click.argument("run")
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="MEASURE", help="A measure, such as map or P_10. Repeatable."
)
@click.option("--per-query", is_flag=True, help="Add the values of each query.")
@click.option(
    "--ties",
    type=click.Choice(["mean", "trec"]),
    default="mean",
    show_default=True,
    help="How to order documents of equal score.",
)
@click.option("-c", "--complete", is_flag=True, help="Count judged queries that are not in RUN as 0.")
@click.option(
    "--format",
    "style",
    type=click.Choice(["trec", "table", "json", "csv"]),
    default="table",
    show_default=True,
    help="Format of standard output.",
)
def trec(*, qrels: str, run: str, measures: Sequence[str], per_query: bool, style: str, **asked: Any) -> None:
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
    evaluated = trec_report(qrels, run, measures, **asked)
    if style == "trec":
        _echo(as_trec(evaluated, per_query))
    else:
        _write(style, trec_sections(evaluated, per_query), {"file": run, "qrels": qrels})


def _question(
    *,
    label: str,
    positive: str | None,
    scores: Sequence[str],
    prefix: str | None,
    predicted: str | None,
    threshold: float | None,
    by: str | None,
    level: float | None,
    groups: int | None,
    text: Sequence[str],
) -> Question:
    of_classes = prefix is not None or any("=" in score for score in scores)
    if (predicted is not None) + of_classes + (bool(scores) and not of_classes) != 1:
        raise click.UsageError("Give one of --score COL, --score CLASS=COL, --scores PREFIX and --predicted COL.")
    if (predicted is not None or of_classes) and (positive is not None or threshold is not None):
        raise click.UsageError("--positive and --threshold need --score COL.")
    if by is not None and (predicted is not None or of_classes):
        raise click.UsageError("--by needs --score COL.")
    classes = _columns_of_classes(scores) if of_classes else None
    named = () if of_classes else tuple(scores)
    return Question(label, named, classes, prefix, predicted, positive, threshold, by, level, groups, tuple(text))


def _columns_of_classes(scores: Sequence[str]) -> dict[str, str]:
    if not all("=" in score for score in scores):
        raise click.UsageError("Give all --score options as CLASS=COL, or none.")
    columns_of = dict(score.split("=", 1) for score in scores)
    if len(columns_of) < len(scores):
        raise click.UsageError("Give only one --score for each class.")
    return columns_of


def _each_once(files: Sequence[str]) -> list[str]:
    """Return the names without repeated files, which standard error lists."""
    first: dict[str, str] = {}
    for file in files:
        full = os.path.realpath(file)
        if full in first:
            again = "" if file == first[full] else f" (as {first[full]})"
            click.echo(_one_line(f"evalcore: {file} is named twice{again}; it is read once"), err=True)
        first.setdefault(full, file)
    return list(first.values())


def _title_of(files: Sequence[str]) -> str:
    return files[0] if len(files) == 1 else f"{files[0]} and {len(files) - 1:,} more"


def _about(files: Sequence[str]) -> dict[str, Any]:
    return {"file": _title_of(files), **({} if len(files) == 1 else {"files": files})}


def _echo(text: str, escaped: Callable[[str], str] = lambda text: text.replace("─", "-")) -> None:
    """Print; if the encoding of standard output lacks letters, lines become hyphens and others escapes."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = escaped(text).encode(encoding, "backslashreplace").decode(encoding)
    try:
        click.echo(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        _discard_output()
        raise EvaluationError(f"standard output: cannot be written: {error.strerror}") from error


def _discard_output() -> None:
    """Send standard output nowhere, or Python would try again at the end, and report the error again."""
    with suppress(OSError):  # it may not be a file of the system
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _escaped_json(text: str) -> str:
    return re.sub(r"[^\x00-\x7f]", lambda letter: json.dumps(letter[0])[1:-1], text)


def _given(asked: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in asked.items() if name in _NAMED_IN_JSON and value is not None}


def _title(asked: Mapping[str, Any], found: FilesAnswer | None) -> str:
    title = f"{asked['file']}: {asked.get('label') or asked['qrels']}"
    if asked.get("level") is not None:
        title = f"{title}, with {100 * asked['level']:g}% intervals"
    return title if found is None or not found.caption else f"{title}\n{found.caption}"


def _write(style: str, sections: Sequence[Section], asked: Mapping[str, Any], found: FilesAnswer | None = None) -> None:
    remarks = notes(sections) if found is None else notes_of(found.answer)
    if style == "json":
        computed = {} if found is None else {"computed": found.computed}
        _echo(as_json(sections, remarks, **_given(asked), **computed), _escaped_json)
    elif style == "csv":
        _echo(as_csv(sections))
    elif style == "markdown":
        caption = f"{found.caption}\n\n" if found and found.caption else ""
        _echo(caption + as_markdown(sections, remarks))
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        _echo(as_table(sections, _title(asked, found), width, remarks))
