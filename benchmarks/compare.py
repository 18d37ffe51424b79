"""Compare this engine with what else computes the same: ``python -m benchmarks.compare``.

Around one plain case (float64, 10% positives, continuous, unweighted) one thing is varied at a time.  Every number is a
median of interleaved runs in one process, in units of ``np.sort`` of the same scores; answers agree to 1e-9 (2e-5 where
a program computes in float32) before a time is taken.
"""

import gc
import os
import platform
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from benchmarks.frozen import processor
from benchmarks.peers import FLOOR, IN_FLOAT32, MEASURES, OURS, PEERS, Data, peers

HERE = Path(__file__).parent
BEGIN, END = "<!-- compare: begin -->", "<!-- compare: end -->"
RUNS_FOR_SECONDS = 1.0
PATIENCE = 10.0
"""Seconds after which two turns are enough."""
MEMORY = f"memory of {OURS}"
SIZES = [str(10**power) for power in range(2, 8)]
ALONE = 100_000_000
LARGE_ALONE = 1_000_000
"""Beyond this only the plain case is asked of all programs: some take half a minute for it."""


class Setting(NamedTuple):
    """What the cases are like."""

    size: int
    dtype: str = "float64"
    positives: float = 0.1
    shape: str = "continuous"
    weighted: bool = False

    def __str__(self) -> str:
        parts = [f"{self.size:.0e}".replace("e+0", "e"), self.dtype, f"{self.positives:.0%}", self.shape]
        return ", ".join([*parts, *(["weighted"] if self.weighted else [])])


SHAPES: dict[str, Callable[[Any], Any]] = {
    "continuous": lambda scores: scores,
    "1,000 levels": lambda scores: np.round(scores, 3),
    "sorted": np.sort,
    "reversed": lambda scores: np.ascontiguousarray(np.sort(scores)[::-1]),
    "all equal": lambda scores: np.full_like(scores, 0.3),
}


def data_of(setting: Setting) -> Data:
    rng = np.random.default_rng(setting.size)
    scores = SHAPES[setting.shape](rng.random(setting.size)).astype(setting.dtype)
    labels = (rng.random(setting.size) < setting.positives).astype(np.int64)
    labels[:2] = 0, 1
    return Data(labels, scores, rng.random(setting.size) if setting.weighted else None, {})


def settings(most: int) -> Iterator[Setting]:
    plain = Setting(min(most, 1_000_000))
    yield from (Setting(10**power) for power in range(2, 9) if 10**power <= most)
    yield from (plain._replace(dtype="float32"), plain._replace(positives=0.01), plain._replace(positives=0.5))
    yield from (plain._replace(shape=shape) for shape in list(SHAPES)[1:])
    yield plain._replace(weighted=True)
    if most > plain.size:
        large = plain._replace(size=most)
        yield large._replace(dtype="float32")
        yield from (large._replace(shape=shape) for shape in list(SHAPES)[1:])
        yield large._replace(weighted=True)


def rotated(items: list[Any], turn: int) -> list[Any]:
    """Let another one be first in each turn."""
    first = turn % len(items)
    return items[first:] + items[:first]


def medians(tasks: dict[str, Callable[[], Any]], size: int) -> dict[str, float]:
    """Time the tasks turn by turn; a first turn is discarded, and each result is freed before the next.

    Few cases are asked about several times in a turn, by every program as often, as by whoever asks often.
    """
    times: dict[str, list[float]] = {name: [] for name in tasks}
    begin, turns, calls = time.perf_counter(), 0, max(1, min(20, 100_000 // size))
    while (
        turns < 3
        or (turns < 4 and time.perf_counter() - begin < PATIENCE)
        or (time.perf_counter() - begin < RUNS_FOR_SECONDS and turns < 200)
    ):
        for name, task in rotated(list(tasks.items()), turns):
            start = time.perf_counter()
            for _ in range(calls):
                task()
            times[name].append((time.perf_counter() - start) / calls)
        turns += 1
    return {name: float(np.median(taken[1:])) for name, taken in times.items()}


def peak_memory(task: Callable[[], Any], of: int) -> float:
    gc.collect()
    tracemalloc.start()
    try:
        task()
        return tracemalloc.get_traced_memory()[1] / of
    finally:
        tracemalloc.stop()


def check(answers: dict[str, Any], data: Data) -> None:
    """Fail unless every program gives what this one does."""
    for name, answer in answers.items():
        tolerance = 2e-5 if name in IN_FLOAT32 else 1e-9
        np.testing.assert_allclose(answer, answers[OURS], rtol=tolerance, err_msg=name)


def compared(setting: Setting, measure: str) -> dict[str, float]:
    """Return the time of each program, in units of ``np.sort``, and of this one the peak memory."""
    data = data_of(setting)
    able = {name: calls for name, calls in peers().items() if measure in calls}
    if setting.size > LARGE_ALONE and setting != Setting(setting.size):
        able = {OURS: able[OURS]}
    elif setting.weighted:
        able = {name: calls for name, calls in able.items() if name in (OURS, "scikit-learn", "scors")}
    for name, calls in able.items():
        if "prepare" in calls:
            data.prepared[name] = calls["prepare"](data)
    check({name: calls[measure].summary(calls[measure].ask(data)) for name, calls in able.items()}, data)
    tasks = {name: (lambda call=calls[measure]: call.ask(data)) for name, calls in able.items()}
    taken = medians({FLOOR: lambda: np.sort(data.scores), **tasks}, setting.size)
    ratios = {name: seconds / taken[FLOOR] for name, seconds in taken.items() if name != FLOOR}
    return {**ratios, MEMORY: peak_memory(tasks[OURS], data.scores.nbytes)}


def alone(size: int) -> float:
    """Return the time of the ROC AUC of so many float32 scores, in units of ``np.sort``."""
    rng = np.random.default_rng(8)
    scores, labels = rng.random(size, dtype=np.float32), rng.random(size, dtype=np.float32) < 0.1
    call = peers()[OURS]["ROC AUC"]
    taken = medians({FLOOR: lambda: np.sort(scores), OURS: lambda: call.ask(Data(labels, scores, None, {}))}, size)
    return taken[OURS] / taken[FLOOR]


def machine() -> str:
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    off = os.environ.get("NPY_DISABLE_CPU_FEATURES")
    simd = f"SIMD {found[-1] if found else 'baseline'}" + (f" without {off}" if off else "")
    return f"{processor()}, {os.cpu_count()} cores, {simd}, Python {platform.python_version()}, NumPy {np.__version__}"


def replaced(text: str, begin: str, end: str, name: str, part: str) -> str:
    """Replace the part that a name heads between two marks, or add one; the parts of others stay."""
    before, _, rest = text.partition(begin)
    inside, _, after = rest.partition(end)
    parts = dict(each.split("\n\n", 1) for each in inside.strip().removeprefix("#### ").split("\n\n#### ") if each)
    parts[name] = part.strip()
    listed = "\n\n".join(f"#### {each}\n\n{found}" for each, found in parts.items())
    return f"{before}{begin}\n{listed}\n{end}{after}"


def table(results: dict[tuple[Setting, str], dict[str, float]]) -> str:
    names = list(peers())
    lines = [f"| cases | measure | {' | '.join(names)} | {MEMORY} |", f"|---|---|{'--:|' * (len(names) + 1)}"]
    for (setting, measure), ratios in results.items():
        cells = [f"{ratios[name]:.2f}" if name in ratios else "" for name in [*names, MEMORY]]
        lines.append(f"| {setting} | {measure} | {' | '.join(cells)} |")
    return "\n".join(lines)


def draw(results: dict[tuple[Setting, str], dict[str, float]], path: Path) -> None:
    """Plot the ROC AUC against the number of cases, in units of ``np.sort``."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    markers = iter("os^Dv<>PX*d")
    ends = []
    for name in peers():
        points = [
            (setting.size, ratios[name])
            for (setting, measure), ratios in results.items()
            if measure == "ROC AUC" and setting == Setting(setting.size) and name in ratios
        ]
        style = {"color": "black", "lw": 2.5} if name == OURS else {"lw": 1}
        lines = axes.loglog(*zip(*points, strict=True), marker=next(markers), label=name, **style)
        ends.append((points[-1][1], lines[0]))
    axes.axhline(1, color="black", lw=1, ls=":")
    axes.annotate("one np.sort of the scores", (1, 1), (-4, -13), textcoords="offset points", ha="right",
                  xycoords=axes.get_yaxis_transform())  # fmt: skip
    axes.set(xlabel="cases", ylabel="time, in units of np.sort", title=f"ROC AUC, float64, {processor()}")
    axes.grid(alpha=0.3)
    slowest_first = [line for _, line in sorted(ends, key=lambda end: -end[0])]
    axes.legend(handles=slowest_first, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    figure.savefig(path, dpi=110)
    plt.close(figure)


@click.command()
@click.option(
    "--most", type=click.Choice(SIZES), default=SIZES[-1], show_default=True, help="Cases in the largest set."
)
@click.option("--write", is_flag=True, help="Keep this processor's table in benchmarks/README.md, and draw speed.png.")
def main(most: str, write: bool) -> None:
    """Compare evalcore with np.sort and with what else is installed."""
    if write and most != SIZES[-1]:
        raise click.UsageError("--write takes the largest set: leave out --most")
    for name in (name for name in PEERS if name not in peers()):
        click.echo(f"not installed: {name}", err=True)
    measured(int(most), write)


def measured(most: int, write: bool) -> None:
    results: dict[tuple[Setting, str], dict[str, float]] = {}
    for setting in settings(most):
        plain = setting._replace(size=most) == Setting(most) or setting.size < most
        for measure in MEASURES if plain else MEASURES[:1]:
            if setting.weighted and measure == "maximum F1":
                continue
            results[setting, measure] = compared(setting, measure)
            click.echo(f"{setting}, {measure}: {results[setting, measure]}", err=True)
    text = f"{machine()}\n\n{table(results)}"
    if most >= ALONE // 10:
        text += f"\n\n{ALONE:.0e} float32 scores, ROC AUC, this engine alone: {alone(ALONE):.2f} np.sort."
    click.echo(text)
    if write:
        readme = HERE / "README.md"
        readme.write_text(replaced(readme.read_text("utf-8"), BEGIN, END, processor(), text), "utf-8")
        draw(results, HERE / "speed.png")


if __name__ == "__main__":
    main()
