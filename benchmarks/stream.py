"""A billion generated scores in batches: how wide the bounds are, and how much memory the process holds meanwhile.

python -m benchmarks.stream --rows 1e9
"""

import math
import re
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np

from evalcore.streaming import ScoreSummary

BATCH = 1 << 20
PREVALENCE = 0.3
TRUE_AREA = 0.5 * (1 + math.erf(0.5))
"""Of normal scores with deviation 1, those of positives one higher."""
_PEAK_UNIT = 1 if sys.platform == "darwin" else 1024


class Reached(NamedTuple):
    """What is known after so many rows."""

    rows: int
    area: float
    width: float
    precision_width: float
    """Of the bounds of average precision."""
    peak: float
    """Most memory that the process held so far, in 10**6 bytes."""
    seconds: float
    """Spent in the summary, making scores excluded."""


def batches(rows: int, seed: int = 20130101) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Make labels and scores, a batch at a time."""
    rng = np.random.default_rng(seed)
    for start in range(0, rows, BATCH):
        size = min(BATCH, rows - start)
        labels = rng.random(size, np.float32) < PREVALENCE
        scores = rng.standard_normal(size)
        scores += labels
        yield labels, scores


def summarised(rows: int) -> Iterator[Reached]:
    """Summarise so many rows, and say where it stands at each power of ten and at the end."""
    summary, seconds, done, shown = ScoreSummary(), 0.0, 0, 10**7
    for labels, scores in batches(rows):
        begin = time.perf_counter()
        summary.update(labels, scores)
        seconds += time.perf_counter() - begin
        done += labels.size
        if done >= min(shown, rows):
            begin = time.perf_counter()
            area, precision = summary.roc_auc(), summary.average_precision()
            seconds += time.perf_counter() - begin
            shown *= 10
            deviation = 0.3 / math.sqrt(done * PREVALENCE)  # more than that of the area of so many cases
            assert area.low - 6 * deviation < TRUE_AREA < area.high + 6 * deviation
            yield Reached(done, float(area), area.width, precision.width, peak_memory(), seconds)


def peak_memory() -> float:
    """Return the most memory that this process held so far, in 10**6 bytes."""
    status = Path("/proc/self/status")
    if status.exists():  # where Linux says it since the program began; what else there is counts from before
        return int(re.search(r"VmHWM:\s*(\d+) kB", status.read_text())[1]) * 1024 / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _PEAK_UNIT / 1e6


@click.command()
@click.option("--rows", type=float, default=1e9, show_default=True)
def main(rows: float) -> None:
    """Print a line for each power of ten."""
    click.echo("| rows | ROC AUC | width | width of average precision | peak memory | s, without making them |")
    click.echo("|--:|--:|--:|--:|--:|--:|")
    for reached in summarised(int(rows)):
        click.echo(
            f"| {reached.rows:.0e} | {reached.area:.6f} | {reached.width:.1e} | {reached.precision_width:.1e} "
            f"| {reached.peak:.0f} MB | {reached.seconds:.1f} |"
        )


if __name__ == "__main__":
    main()
