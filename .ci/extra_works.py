"""Show that an extra brings what it is for: python .ci/extra_works.py EXTRA, where that extra alone is installed."""

import sys
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np

import evalcore

DATA = Path(__file__).parents[1] / "notebooks/data"
LABELS, SCORES = np.tile([0, 0, 1, 1], 50), np.tile([0.1, 0.4, 0.35, 0.8], 50)
CASES = {"late": LABELS, "model": SCORES}
AREA = 0.75


class Quiet(SimpleHTTPRequestHandler):
    """Serves files, and says nothing."""

    def log_message(self, *_):
        """Leave requests unmentioned."""


def nothing():
    """Need NumPy alone."""
    return evalcore.metrics.roc_auc_score(LABELS, SCORES)


def command(source=str(DATA / "flights.parquet"), *options):
    """Run `evalcore report` on a file."""
    from click.testing import CliRunner

    from evalcore.cli import main

    outcome = CliRunner().invoke(main, ["report", source, "--label", "late", "--score", "boosting", *options])
    assert outcome.exit_code == 0, outcome.output
    assert "-o" in options or "boosting" in outcome.output
    return AREA


def plots():
    """Draw a curve, and save it."""
    with tempfile.TemporaryDirectory() as folder:
        evalcore.plots.plot_roc(LABELS, SCORES).figure.savefig(f"{folder}/roc.png")
    return AREA


def html():
    """Write a page with charts."""
    page = evalcore.evaluate(CASES, label="late", score="model").to_html()
    assert page.count('role="img"') > 2
    return AREA


def inference():
    """Find an interval that needs quantiles of a distribution."""
    found = evalcore.inference.proportion_interval(3, 4, method="clopper-pearson")
    assert 0.19 < found.low < 0.2
    return found.estimate


def sql():
    """Report on the table of a database."""
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        with duckdb.connect(f"{folder}/flights.db") as database:
            database.execute(f"create table flights as from '{DATA / 'flights.parquet'}'")
        return command(f"duckdb:{folder}/flights.db", "--where", "month = 3")


def remote():
    """Read a file from a server."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(DATA)))
    server.handle_error = lambda *_: None  # readers of headers hang up
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        return command(f"http://127.0.0.1:{server.server_port}/flights.parquet")
    finally:
        server.shutdown()


def distributed():
    """Evaluate arrays of dask."""
    import dask.array as da

    y_true, y_score = (da.from_array(values, chunks=60) for values in (LABELS, SCORES))
    return evalcore.distributed.roc_auc_score(y_true, y_score, exact=True)


def spark():
    """Evaluate a data frame of Spark."""
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        frame = session.createDataFrame(list(zip(LABELS.tolist(), SCORES.tolist(), strict=True)), list(CASES))
        return evalcore.distributed.roc_auc_score("late", "model", data=frame, exact=True)
    finally:
        session.stop()


WORKS = {
    "": nothing,
    "distributed": distributed,
    "html": html,
    "inference": inference,
    "plots": plots,
    "remote": remote,
    "report": command,
    "spark": spark,
    "sql": sql,
}


if __name__ == "__main__":
    (extra,) = sys.argv[1:]
    assert WORKS[extra]() == AREA
    print(f"{extra or 'no extra'}: works")
