"""Scores in Parquet files on a cluster of processes with little memory: what the exact and the certified route cost.

python -m benchmarks.cluster --rows 1e8

Every answer is compared with the one in memory before a time is reported; each cluster's first run is discarded.
"""

import multiprocessing
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import click
import pyarrow as pa
import pyarrow.parquet as pq

import evalcore
from benchmarks.stream import BATCH, batches, peak_memory
from evalcore import distributed, metrics
from evalcore.distributed.partitions import partitioned_columns

ROWS_OF_FILE = 1 << 24
LABEL, SCORE = "label", "score"


class Route(NamedTuple):
    """A question to the cluster, and to one process."""

    title: str
    ask: Callable[[str], Any]
    in_memory: Callable[[Any, Any], float]


ROUTES = (
    Route(
        "ROC AUC, exact",
        lambda folder: distributed.roc_auc_score(LABEL, SCORE, data=folder, exact=True),
        metrics.roc_auc_score,
    ),
    Route(
        "average precision, exact",
        lambda folder: distributed.average_precision_score(LABEL, SCORE, data=folder, exact=True),
        metrics.average_precision_score,
    ),
    Route(
        "ROC AUC, certified",
        lambda folder: distributed.roc_auc_score(LABEL, SCORE, data=folder),
        metrics.roc_auc_score,
    ),
)


class Setting(NamedTuple):
    """What is measured."""

    rows: int
    workers: int
    memory: str
    rounds: int


class InMemory(NamedTuple):
    """What one thread of one process took."""

    reading: float
    """Seconds to read the files into arrays."""
    seconds: list[float]
    """Of each route."""
    answers: list[float]


class OnCluster(NamedTuple):
    """What a cluster took for one route."""

    seconds: float
    peaks: list[float]
    """Most memory that each worker held, in 10**6 bytes."""
    moved: float
    """Bytes that workers sent each other, for each row."""
    spilled: float
    """Bytes that workers had put on disk, for each row."""
    answer: Any


def write(rows: int, folder: Path) -> None:
    """Write Parquet files of labels and float64 scores."""
    schema = pa.schema([(LABEL, pa.bool_()), (SCORE, pa.float64())])
    writer = None
    for number, (labels, scores) in enumerate(batches(rows)):
        if number * BATCH % ROWS_OF_FILE == 0:
            if writer:
                writer.close()
            path = folder / f"part.{number * BATCH // ROWS_OF_FILE}.parquet"
            writer = pq.ParquetWriter(path, schema, compression="none", use_dictionary=False)
        writer.write_table(pa.table([labels, scores], schema=schema), row_group_size=BATCH)
    writer.close()


def in_memory(folder: str, rounds: int) -> InMemory:
    """Measure one thread; called in a process of its own, which gives its memory back."""
    for _ in range(2):
        begin = time.perf_counter()
        table = pq.read_table(folder, use_threads=False)
        labels, scores = table[LABEL].to_numpy(), table[SCORE].to_numpy()
        reading = time.perf_counter() - begin
    seconds, answers = [], []
    with evalcore.threads(1):
        for route in ROUTES:
            times = []
            for _ in range(rounds + 1):
                begin = time.perf_counter()
                answer = route.in_memory(labels, scores)
                times.append(time.perf_counter() - begin)
            seconds.append(statistics.median(times[1:]))
            answers.append(float(answer))
    return InMemory(reading, seconds, answers)


@contextmanager
def cluster_of(workers: int, memory: str) -> Iterator[Any]:
    """Yield the client of a cluster whose files are in a folder that goes with it."""
    from dask.distributed import Client, LocalCluster

    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, memory_limit=memory, dashboard_address=":0",
            local_directory=folder,
        ) as cluster,
        Client(cluster) as client,
    ):  # fmt: skip
        yield client


def on_cluster(route: Route, folder: str, setting: Setting) -> OnCluster:
    """Measure a cluster that has done nothing else."""
    counters = bytes_sent, bytes_spilled
    with cluster_of(setting.workers, setting.memory) as client:
        route.ask(folder)
        before = [sum(client.run(counter).values()) for counter in counters]
        times = []
        for _ in range(setting.rounds):
            begin = time.perf_counter()
            answer = route.ask(folder)
            times.append(time.perf_counter() - begin)
        after = [sum(client.run(counter).values()) for counter in counters]
        peaks = list(client.run(peak_memory).values())
    rows = setting.rounds * setting.rows
    moved, spilled = ((last - first) / rows for first, last in zip(before, after, strict=True))
    return OnCluster(statistics.median(times), peaks, moved, spilled, answer)


def bytes_sent(dask_worker: Any) -> int:
    return dask_worker.transfer_outgoing_bytes_total


def bytes_spilled(dask_worker: Any) -> int:
    return sum(size for name, size in dask_worker.digests_total.items() if name[-2:] == ("disk-write", "bytes"))


def check(answer: Any, exact: float) -> None:
    assert answer.low <= exact <= answer.high
    assert answer.low == answer.high or answer.high - answer.low < 1e-3


def lines(setting: Setting) -> Iterator[str]:
    """Measure both, and yield a line for each route."""
    with tempfile.TemporaryDirectory() as folder:
        write(setting.rows, Path(folder))
        partitions = len(partitioned_columns(LABEL, SCORE, folder).partitions)
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            alone = pool.submit(in_memory, folder, setting.rounds).result()
        for route, seconds, exact in zip(ROUTES, alone.seconds, alone.answers, strict=True):
            found = on_cluster(route, folder, setting)
            check(found.answer, exact)
            cores = found.seconds * setting.workers  # each of them has one
            cells = [
                f"{setting.rows:.0e}", route.title, f"{partitions}", f"{seconds:.2f}", f"{alone.reading:.2f}",
                f"{found.seconds:.2f}", f"{cores / seconds:.1f}", f"{cores / (seconds + alone.reading):.1f}",
                f"{max(found.peaks):.0f} MB", f"{found.moved:.1f}", f"{found.spilled:.1f}",
            ]  # fmt: skip
            yield f"| {' | '.join(cells)} |"


@click.command()
@click.option("--rows", type=float, default=1e8, show_default=True, help="Rows of the largest set.")
@click.option("--least", type=float, default=1e6, show_default=True, help="Rows of the smallest set.")
@click.option("--workers", type=int, default=2, show_default=True)
@click.option("--memory", default="1GB", show_default=True, help="Of each worker.")
@click.option("--rounds", type=int, default=3, show_default=True)
def main(rows: float, least: float, workers: int, memory: str, rounds: int) -> None:
    """Print a line for each power of ten and route."""
    headings = [
        "rows", "measure", "partitions", "s in memory, one thread", "s to read", "s on the cluster",
        "core-seconds, in units of those in memory", "and of reading too", "most memory of a worker",
        "bytes moved a row", "bytes on disk a row",
    ]  # fmt: skip
    click.echo(f"| {' | '.join(headings)} |\n|--:|---{'|--:' * (len(headings) - 2)}|")
    size = int(least)
    while size <= rows:
        for line in lines(Setting(size, workers, memory, rounds)):
            click.echo(line)
        size *= 10


if __name__ == "__main__":
    main()
