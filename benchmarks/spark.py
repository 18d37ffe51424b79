"""ROC AUCs of Parquet files in one Spark session: MLlib's, that of a SQL window, and evalcore's; and dask's beside it.

python -m benchmarks.spark --rows 1e8

Every answer is compared with the one in memory before a time is reported; the first round is discarded, unless it is
the only one (--rounds 0).
"""

import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
import pyarrow.parquet as pq

from benchmarks.cluster import LABEL, SCORE, cluster_of, write
from evalcore import distributed, metrics

_TICK = os.sysconf("SC_CLK_TCK")
_WINDOW = f"""
with ranked as (
  select {LABEL}, rank() over (order by {SCORE}) + (count(*) over (partition by {SCORE}) - 1) / 2 as place from cases
)
select (sum(if({LABEL}, place, 0)) - sum(int({LABEL})) * (sum(int({LABEL})) + 1) / 2)
  / (sum(int({LABEL})) * sum(int(not {LABEL}))) as area
from ranked
"""


class Route(NamedTuple):
    """A way to the ROC AUC."""

    title: str
    ask: Callable[[Any, str], Any]
    """Takes a frame and the folder that it is read from."""
    tolerance: float
    """Largest error that is right; infinite where a bound says it."""


class Cost(NamedTuple):
    """What one answer took."""

    seconds: float
    core_seconds: float
    memory: float
    """Most that all processes held more than before, in 10**6 bytes."""
    shuffled: float
    """Bytes that Spark's stages wrote for others."""
    answer: Any


def mllib(bins: int) -> Callable[[Any, str], float]:
    """Return the area by Spark's own evaluator, with the curve down-sampled to so many bins; 0 for all points."""

    def area(frame: Any, _folder: str) -> float:
        from pyspark.ml.evaluation import BinaryClassificationEvaluator

        cases = frame.selectExpr(f"double({LABEL}) as label", f"{SCORE} as rawPrediction")
        return BinaryClassificationEvaluator(numBins=bins).evaluate(cases)

    return area


def window(frame: Any, _folder: str) -> float:
    frame.createOrReplaceTempView("cases")
    return float(frame.sparkSession.sql(_WINDOW).collect()[0].area)


ROUTES = (
    Route("MLlib, 1,000 bins (its default)", mllib(1000), 1e-2),
    Route("MLlib, all points", mllib(0), 1e-9),
    Route("SQL window", window, 1e-9),
    Route("evalcore, certified", lambda frame, _: distributed.roc_auc_score(LABEL, SCORE, data=frame), np.inf),
    Route("evalcore, exact", lambda frame, _: distributed.roc_auc_score(LABEL, SCORE, data=frame, exact=True), 0.0),
    Route("evalcore on dask, certified", lambda _, files: distributed.roc_auc_score(LABEL, SCORE, data=files), np.inf),
    Route(
        "evalcore on dask, exact",
        lambda _, files: distributed.roc_auc_score(LABEL, SCORE, data=files, exact=True),
        0.0,
    ),
)


@contextmanager
def session(memory: str) -> Iterator[Any]:
    """Yield a session of two threads whose files are in a folder that goes with it."""
    from pyspark.sql import SparkSession

    with tempfile.TemporaryDirectory() as folder:
        settings = {
            "spark.driver.memory": memory,
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.local.dir": folder,
            "spark.log.level": "ERROR",
            "spark.sql.warehouse.dir": f"{folder}/warehouse",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        }
        builder = SparkSession.builder.master("local[2]")
        for name, value in settings.items():
            builder = builder.config(name, value)
        spark = builder.getOrCreate()
        yield spark
        spark.stop()


def processes() -> list[int]:
    """List this process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text("utf-8").rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        children.setdefault(int(fields[1]), []).append(int(path.parent.name))
    found = [os.getpid()]
    for process in found:
        found += children.get(process, [])
    return found


def core_seconds() -> float:
    """Return what all of them have computed, those that have ended too."""
    total = 0
    for process in processes():
        try:
            fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(map(int, fields[11:15]))
    return total / _TICK


def memory() -> float:
    """Return what all of them hold, each shared page once, in 10**6 bytes."""
    total = 0
    for process in processes():
        try:
            lines = Path(f"/proc/{process}/smaps_rollup").read_text("utf-8").splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total * 1024 / 1e6


def bytes_shuffled(spark: Any) -> int:
    """Return what the stages of a session wrote for others so far."""
    context = spark.sparkContext
    java = context._gateway.jvm
    none, quantiles = java.java.util.ArrayList(), context._gateway.new_array(java.double, 0)
    stages = context._jsc.sc().statusStore().stageList(none, False, False, quantiles, none)
    return sum(stages.apply(index).shuffleWriteBytes() for index in range(stages.size()))


def cost_of(route: Route, spark: Any, frame: Any, folder: str) -> Cost:
    """Measure one answer."""
    most, done = [memory()], threading.Event()

    def watch() -> None:
        while not done.wait(0.2):
            most.append(memory())

    watching = threading.Thread(target=watch)
    watching.start()
    shuffled, worked, begin = bytes_shuffled(spark), core_seconds(), time.perf_counter()
    answer = route.ask(frame, folder)
    seconds = time.perf_counter() - begin
    worked = core_seconds() - worked
    done.set()
    watching.join()
    return Cost(seconds, worked, max(most) - most[0], bytes_shuffled(spark) - shuffled, answer)


def check(route: Route, answer: Any, exact: float) -> None:
    if np.isinf(route.tolerance):
        assert answer.low <= exact <= answer.high, (route.title, answer, exact)
    else:
        assert abs(answer - exact) <= route.tolerance, (route.title, answer, exact)


def lines(rows: int, rounds: int, driver: str, routes: list[Route]) -> Iterator[str]:
    """Measure all routes in turn, and yield a line for each."""
    with tempfile.TemporaryDirectory() as folder:
        write(rows, Path(folder))
        table = pq.read_table(folder)
        exact = metrics.roc_auc_score(table[LABEL].to_numpy(), table[SCORE].to_numpy())
        del table
        costs: dict[str, list[Cost]] = {route.title: [] for route in routes}
        with cluster_of(2, "1GB"), session(driver) as spark:
            frame = spark.read.parquet(folder)
            for _ in range(rounds + 1):
                for route in routes:
                    cost = cost_of(route, spark, frame, folder)
                    check(route, cost.answer, exact)
                    print(f"{rows:.0e} {route.title}: {cost.seconds:.1f} s", file=sys.stderr)
                    costs[route.title].append(cost)
    kept = {title: measured[1:] or measured for title, measured in costs.items()}
    base = statistics.median(cost.seconds for cost in kept[routes[0].title])
    for title, measured in kept.items():
        seconds, worked, held, shuffled = (
            statistics.median(column) for column in list(zip(*measured, strict=True))[:4]
        )
        answer = measured[-1].answer
        width = getattr(answer, "width", 0.0)
        said = f"width {width:.1e}" if width else f"error {abs(answer - exact):.1e}"
        cells = [
            f"{rows:.0e}", title, f"{seconds:.1f}", f"{seconds / base:.2f}", f"{worked:.1f}", f"{held:,.0f} MB",
            f"{shuffled / rows:.1f}", said,
        ]  # fmt: skip
        yield f"| {' | '.join(cells)} |"


@click.command()
@click.option("--rows", type=float, multiple=True, default=(1e6, 1e7), show_default=True, help="Repeatable.")
@click.option("--rounds", type=int, default=3, show_default=True)
@click.option("--memory", "driver", default="6g", show_default=True, help="Of the session's Java process.")
@click.option("--without", multiple=True, help="A word of routes to leave out.  Repeatable.")
def main(rows: tuple[float, ...], rounds: int, driver: str, without: tuple[str, ...]) -> None:
    """Print a line for each number of rows and each route."""
    headings = [
        "rows", "route", "s", "times the first", "core-seconds", "memory beside the session", "bytes shuffled a row",
        "the answer",
    ]  # fmt: skip
    click.echo(f"| {' | '.join(headings)} |\n|--:|---{'|--:' * (len(headings) - 2)}|")
    routes = [route for route in ROUTES if not any(word in route.title for word in without)]
    for size in rows:
        for line in lines(int(size), rounds, driver, routes):
            click.echo(line)


if __name__ == "__main__":
    main()
