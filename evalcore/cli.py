"""The command line, ``evalcore``."""

import errno
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from evalcore import EvaluationError, EvaluationTypeError, __version__
from evalcore.io.columns import Columns, Selection
from evalcore.io.readers import STANDARD_INPUT, read_columns
from evalcore.report.evaluation import Question, answer
from evalcore.report.label_sets import contingency_of, contingency_sections, name_lists
from evalcore.report.page import as_html
from evalcore.report.pictures import pictures
from evalcore.report.progress import progress_bar
from evalcore.report.rendering import as_csv, as_json, as_markdown, as_table
from evalcore.report.sections import Answer, Section
from evalcore.report.trec import as_trec, trec_report, trec_sections

_NAMED_IN_JSON = "file", "label", "positive", "predicted", "assigned", "correct", "by", "level", "qrels"


class _DataError(click.ClickException):
    exit_code = 2

    def show(self, file: object = None) -> None:
        click.echo(f"evalcore: {self.message}", err=True)


class _Commands(click.Group):
    """Commands whose errors about data are one line and exit code 2."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except (EvaluationError, EvaluationTypeError) as error:
            raise _DataError(str(error)) from error
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise  # click ends quietly
            raise _DataError(str(error)) from error


_format_option = click.option(
    "--format", "style", type=click.Choice(["table", "json", "csv", "markdown"]), default="table", show_default=True
)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def main() -> None:
    """Evaluate scored predictions."""


@main.command()
@click.argument("file")
@click.option("--label", required=True, metavar="COL", help="Column of labels: 0 and 1, Booleans, or names of classes.")
@click.option("--positive", metavar="VALUE", help="The label that is positive, where it is not 1 or true.")
@click.option(
    "--score",
    "scores",
    multiple=True,
    metavar="[CLASS=]COL",
    help="Column of scores of the positive label or, with CLASS=, of a class; repeatable, its name without =.",
)
@click.option("--scores", "prefix", metavar="PREFIX", help="Columns of scores: PREFIX and the name of a class.")
@click.option("--predicted", metavar="COL", help="Column of predicted classes.")
@click.option("--threshold", type=float, metavar="T", help="Add the statistics of calling scores >= T positive.")
@click.option(
    "--ci", "level", type=float, metavar="LEVEL", help="Add intervals, such as 0.95, and without --by compare columns."
)
@click.option("--by", metavar="COL", help="Report each group of a column, the largest first, and the total.")
@click.option("--html", "page", metavar="OUT", help="Also write a page of tables, pictures and definitions.")
@click.option("--plots", "folder", metavar="DIR", help="Also write the pictures, as PNG and SVG.")
@_format_option
def report(style: str, page: str | None, folder: str | None, **asked: Any) -> None:
    """Report how well predictions in FILE agree with its labels.

    Give columns of scores of one label (--score COL), of scores of each class (--score CLASS=COL or --scores PREFIX)
    or of predicted classes (--predicted COL).

    FILE is Parquet, Arrow, Feather, CSV or TSV (.gz, .bz2 and .zst too) or NPZ; - is CSV on standard input.

    Intervals are Wilson's of shares, DeLong's of ROC areas and their differences on the same cases, Boyd's of average
    precision, the delta method's of F1 and kappa.
    """
    if page == STANDARD_INPUT or (page is not None and Path(page).absolute() == Path(asked["file"]).absolute()):
        raise click.UsageError("--html OUT must be another file than FILE.")
    question, answered = _answer(**asked)
    _write(style, answered.sections, asked)
    drawn = pictures(answered) if folder is not None else []
    images = {f"{picture.name}.{kind}": picture.image(kind) for picture in drawn for kind in ("png", "svg")}
    if page is not None:
        computed = {"File": asked["file"], **question.described()}
        _replace(Path(page), as_html(answered, f"{asked['file']}: {question.title}", computed).encode())
    for name, image in images.items():
        Path(str(folder)).mkdir(parents=True, exist_ok=True)
        _replace(Path(str(folder)) / name, image)
    if folder is not None and not images:
        click.echo("evalcore: no pictures: there is one class, or a score is infinite", err=True)


def _replace(path: Path, content: bytes) -> None:
    """Write a file whole or not at all: what was there stays until then."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        part.write_bytes(content)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


@main.command()
@click.argument("file")
@click.option("--assigned", required=True, metavar="COL", help="Column of the categories assigned to each document.")
@click.option("--correct", required=True, metavar="COL", help="Column of the correct ones.")
@click.option("--sep", default=",", help="What stands between names in a string.", show_default=True)
@click.option("--per-category", is_flag=True, help="Add the table and the statistics of each category.")
@_format_option
def contingency(*, file: str, assigned: str, correct: str, sep: str, per_category: bool, style: str) -> None:
    """Report how well sets of categories in FILE agree: a row for each document, columns of lists or of strings.

    FILE is what `evalcore report` reads.
    """
    if not sep:
        raise click.UsageError("--sep must not be empty.")
    columns = _read(file, Selection((assigned, correct), as_text=True))
    experiment = contingency_of(*(name_lists(columns[name].tolist(), sep, name) for name in (assigned, correct)))
    sections = contingency_sections(experiment, per_category)
    if style == "table":
        _echo(experiment.stats_table().removesuffix("\n"))
        if per_category:
            _echo(as_table(sections[1:]))
    else:
        _write(style, sections, {"file": file, "assigned": assigned, "correct": correct})


@main.command()
@click.argument("qrels")
@click.argument("run")
@click.option("-m", "--measure", "measures", multiple=True, metavar="MEASURE", help="Such as map, P_10; repeatable.")
@click.option("--per-query", is_flag=True, help="Add the values of each query.")
@click.option("--ties", type=click.Choice(["mean", "trec"]), default="mean", show_default=True)
@click.option("-c", "--complete", is_flag=True, help="Count judged queries that RUN lacks as 0.")
@click.option(
    "--format", "style", type=click.Choice(["trec", "table", "json", "csv"]), default="table", show_default=True
)
def trec(*, qrels: str, run: str, measures: Sequence[str], per_query: bool, style: str, **asked: Any) -> None:
    """Evaluate RUN against the judgements QRELS, both as trec_eval reads them: text or gzip, - is standard input.

    Measures: P, recall, success, ndcg_cut, map_cut with _DEPTH, .DEPTH,DEPTH or for all depths of trec_eval,
    iprec_at_recall likewise; map, recip_rank, ndcg, Rprec, bpref, gm_map, num_q, num_ret, num_rel, num_rel_ret,
    official; AUC, maxF, nDCGexp, and all others of evalcore.ranking.

    Documents of equal score count as the mean over their orders or, with --ties trec, in the order of trec_eval;
    --format trec --ties trec prints what trec_eval does.
    """
    evaluated = trec_report(qrels, run, measures, **asked)
    if style == "trec":
        _echo(as_trec(evaluated, per_query))
    else:
        _write(style, trec_sections(evaluated, per_query), {"file": run, "qrels": qrels})


def _answer(
    *,
    file: str,
    label: str,
    positive: str | None,
    scores: Sequence[str],
    prefix: str | None,
    predicted: str | None,
    threshold: float | None,
    by: str | None,
    level: float | None,
) -> tuple[Question, Answer]:
    of_classes = prefix is not None or any("=" in score for score in scores)
    if (predicted is not None) + of_classes + (bool(scores) and not of_classes) != 1:
        raise click.UsageError("Give one of --score COL, --score CLASS=COL or --scores PREFIX, and --predicted COL.")
    if (predicted is not None or of_classes) and (positive is not None or threshold is not None):
        raise click.UsageError("--positive and --threshold go with --score COL.")
    if by is not None and (predicted is not None or of_classes):
        raise click.UsageError("--by goes with --score COL.")
    classes = _columns_of_classes(scores) if of_classes else None
    question = Question(
        label, () if of_classes else tuple(scores), classes, prefix, predicted, positive, threshold, by, level
    )
    return question, answer(question, lambda selection: _read(file, selection))


def _columns_of_classes(scores: Sequence[str]) -> dict[str, str]:
    if not all("=" in score for score in scores):
        raise click.UsageError("Give every --score as CLASS=COL, or none.")
    columns_of = dict(score.split("=", 1) for score in scores)
    if len(columns_of) < len(scores):
        raise click.UsageError("Give one --score for each class.")
    return columns_of


def _read(file: str, selection: Selection) -> Columns:
    with progress_bar(f"reading {file}") as progress:
        return read_columns(file, selection, progress)


def _echo(text: str) -> None:
    """Print, whatever standard output can take: lines of tables as hyphens, other letters as question marks."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.replace("─", "-").encode(encoding, "replace").decode(encoding)
    click.echo(text)


def _given(asked: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in asked.items() if name in _NAMED_IN_JSON and value is not None}


def _title(asked: Mapping[str, Any]) -> str:
    title = f"{asked['file']}: {asked.get('label') or asked['qrels']}"
    return title if asked.get("level") is None else f"{title}, with {100 * asked['level']:g}% intervals"


def _write(style: str, sections: Sequence[Section], asked: Mapping[str, Any]) -> None:
    if style == "json":
        _echo(as_json(sections, **_given(asked)))
    elif style == "csv":
        _echo(as_csv(sections))
    elif style == "markdown":
        _echo(as_markdown(sections))
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        _echo(as_table(sections, _title(asked), width))
