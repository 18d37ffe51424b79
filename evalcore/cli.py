"""The command line, ``evalcore``."""

import errno
import math
import shutil
import sys

import click

from evalcore import EvaluationError, EvaluationTypeError, __version__
from evalcore.io.readers import read_columns
from evalcore.report.binary import binary_report
from evalcore.report.inputs import numeric_scores, positive_rows
from evalcore.report.progress import progress_bar
from evalcore.report.rendering import as_csv, as_json, as_markdown, as_table


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


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def main() -> None:
    """Evaluate scored predictions."""


@main.command()
@click.argument("file")
@click.option("--label", required=True, metavar="COL", help="Column of labels: 0 and 1, or Booleans.")
@click.option("--positive", metavar="VALUE", help="The label that is positive, where it is another.")
@click.option("--score", "scores", required=True, multiple=True, metavar="COL", help="Column of scores; repeatable.")
@click.option("--threshold", type=float, metavar="T", help="Add the statistics of calling scores >= T positive.")
@click.option("--format", "style", type=click.Choice(["table", "json", "csv", "markdown"]), default="table")
def report(  # noqa: PLR0917  click calls it by keywords
    file: str, label: str, positive: str | None, scores: tuple[str, ...], threshold: float | None, style: str
) -> None:
    """Report how well score columns of FILE rank its positive cases.

    FILE is Parquet, Arrow, Feather, CSV or TSV (.gz, .bz2 and .zst too) or NPZ; - is CSV on standard input.
    """
    if threshold is not None and math.isnan(threshold):
        raise EvaluationError("--threshold must be a number, got nan")
    with progress_bar(f"reading {file}") as progress:
        columns = read_columns(file, [label, *scores], progress)
    rows = positive_rows(columns[label], label, positive)
    statistics = binary_report(rows, {name: numeric_scores(columns[name], name) for name in scores}, threshold)
    if style == "json":
        click.echo(as_json(statistics, file=file, label=label, positive=positive))
    elif style == "csv":
        click.echo(as_csv(statistics))
    elif style == "markdown":
        click.echo(as_markdown(statistics))
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        click.echo(as_table(statistics, f"{file}: {label}", width))
