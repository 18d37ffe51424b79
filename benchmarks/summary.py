"""Ask this engine and its peers what visitors ask first: ``python -m benchmarks.summary``.

Each answer is compared before a time is taken; the times are medians of interleaved runs in one process.  ``--write``
asks up to three times: with every SIMD level of NumPy, without AVX-512 where there is one, and without AVX2.  It
replaces what summary.json has of this processor alone, and writes the tables of all processors from it.
"""

import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
import polars
import scipy.stats
import sklearn.metrics

from benchmarks.compare import Setting, data_of, machine, medians
from benchmarks.frozen import processor
from benchmarks.peers import IN_FLOAT32, OURS, numba_loops, peers, polars_roc_auc
from evalcore import metrics, ranking

SKLEARN = "scikit-learn"
HERE = Path(__file__).parent
BEGIN, END = "<!-- summary: begin -->", "<!-- summary: end -->"
FOUND = HERE / "summary.json"
SIMD = {
    "": "",
    "without AVX-512": "X86_V4 AVX512_ICL AVX512_SPR",
    "without AVX2": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
}


FAR = 20
"""Programs that take so many times longer, and more than a tenth of a second, are timed once."""


class Question(NamedTuple):
    """What is asked, of how many scores in all, and how each program is asked; this engine comes first."""

    name: str
    size: int
    programs: dict[str, Callable[[], Any]]


def one_column(name: str, measure: str, setting: Setting) -> Question:
    data, programs = data_of(setting), {}
    for program, calls in peers().items():
        if measure in calls and program not in IN_FLOAT32:
            if "prepare" in calls:
                data.prepared[program] = calls["prepare"](data)
            programs[program] = lambda call=calls[measure]: float(call.summary(call.ask(data)))
    return Question(name, setting.size, programs)


def f1_of_a_hundred(name: str) -> Question:
    labels, predicted = np.random.default_rng(1).integers(0, 2, (2, 100))
    by_program = {OURS: metrics, "scikit-learn": sklearn.metrics}
    return Question(
        name, 100, {program: lambda of=of: of.f1_score(labels, predicted) for program, of in by_program.items()}
    )


def two_thousand_labels(name: str) -> Question:
    rng = np.random.default_rng(2)
    labels, scores = rng.random((1000, 2000)) < 0.1, rng.random((1000, 2000))
    loop = numba_loops().roc_aucs
    return Question(name, scores.size, {
        OURS: lambda: metrics.roc_auc_score(labels, scores, average=None),
        "scikit-learn": lambda: sklearn.metrics.roc_auc_score(labels, scores, average=None),
        "numba": lambda: loop(labels.T, scores.T),
    })  # fmt: skip


def one_column_of_scores(name: str) -> Question:
    rng = np.random.default_rng(3)
    labels, scores = rng.random((100_000, 1000)) < 0.1, rng.random(100_000)
    positives = labels.sum(axis=0)
    loop, same_scores = numba_loops().roc_aucs, np.broadcast_to(scores, labels.T.shape)

    def by_ranks() -> Any:
        sums = scipy.stats.rankdata(scores) @ labels
        return (sums - positives * (positives + 1) / 2) / (positives * (len(scores) - positives))

    return Question(name, labels.size, {
        OURS: lambda: metrics.roc_auc_by_column(labels, scores),
        "SciPy": by_ranks,
        "scikit-learn": lambda: [sklearn.metrics.roc_auc_score(column, scores) for column in labels.T],
        "numba": lambda: loop(labels.T, same_scores),
    })  # fmt: skip


def many_groups(name: str, groups: int, rows: int) -> Question:
    rng = np.random.default_rng(4)
    of_rows = np.repeat(np.arange(groups), rows)
    labels, scores = rng.integers(0, 2, of_rows.size), rng.random(of_rows.size)
    frame = polars.DataFrame({"group": of_rows, "label": labels, "score": scores})
    frame = frame.with_columns(polars.col("group").set_sorted())
    loop, parts = numba_loops().roc_aucs, (labels.reshape(groups, rows), scores.reshape(groups, rows))

    def by_polars() -> Any:
        return frame.group_by("group", maintain_order=True).agg(area=polars_roc_auc())["area"].to_numpy()

    return Question(name, scores.size, {
        OURS: lambda: ranking.evaluate(of_rows, labels, scores, measures="AUC").values["AUC"],
        "polars": by_polars,
        "numba": lambda: loop(*parts),
    })  # fmt: skip


QUESTIONS: dict[str, Callable[[str], Question]] = {
    "ROC AUC of 100 cases": lambda name: one_column(name, "ROC AUC", Setting(100)),
    "average precision of 100 cases": lambda name: one_column(name, "average precision", Setting(100)),
    "F1 of 100 labels": f1_of_a_hundred,
    "ROC AUC of 10,000 cases": lambda name: one_column(name, "ROC AUC", Setting(10_000)),
    "ROC AUC of ten million cases": lambda name: one_column(name, "ROC AUC", Setting(10_000_000)),
    "the same, sorted": lambda name: one_column(name, "ROC AUC", Setting(10_000_000, shape="sorted")),
    "2,000 columns of 1,000 scores and labels": two_thousand_labels,
    "1,000 columns of labels, one of 100,000 scores": one_column_of_scores,
    "1,000 groups of 1,000 cases": lambda name: many_groups(name, 1000, 1000),
    "a million groups of 10 cases": lambda name: many_groups(name, 1_000_000, 10),
}


def check(question: Question) -> None:
    answers = {program: ask() for program, ask in question.programs.items()}
    for program, answer in answers.items():
        np.testing.assert_allclose(answer, answers[OURS], rtol=1e-9, err_msg=f"{question.name}: {program}")


def timed_once(question: Question) -> dict[str, float]:
    """Return the time of each program, of one call after that which `check` made."""
    taken = {}
    for program, ask in question.programs.items():
        begin = time.perf_counter()
        ask()
        taken[program] = time.perf_counter() - begin
    return taken


def times(name: str) -> dict[str, float]:
    """Return how many times longer each peer takes than this engine; one call is enough for what takes far longer."""
    question = QUESTIONS[name](name)
    with warnings.catch_warnings(action="ignore"):  # groups of one class have no area
        check(question)
        once = timed_once(question)
        close = {
            program: question.programs[program]
            for program, seconds in once.items()
            if seconds < max(FAR * once[OURS], 0.1)
        }
        taken = once | medians(close, question.size)
    return {program: seconds / taken[OURS] for program, seconds in taken.items()}


def as_json() -> str:
    return json.dumps({name: times(name) for name in progress(QUESTIONS)})


def progress(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        click.echo(name, err=True)
        yield name


def without(features: str) -> dict[str, dict[str, float]]:
    """Ask in a process whose NumPy does not use some features of the processor."""
    command = [sys.executable, "-m", "benchmarks.summary", "--json"]
    environment = os.environ | {"NPY_DISABLE_CPU_FEATURES": features}
    found: dict[str, dict[str, float]] = json.loads(subprocess.check_output(command, env=environment, text=True))
    return found


def table(results: dict[str, dict[str, dict[str, float]]]) -> str:
    levels = [level for level in results if level]
    head = ["", "fastest peer", "times faster", *levels, "than scikit-learn", "than the others"]
    lines = [f"| {' | '.join(head)} |", f"|---|---|{'--:|' * (len(head) - 3)}---|"]
    for name, ratios in results[""].items():
        others = {program: ratio for program, ratio in ratios.items() if program != OURS}
        fastest = min(others, key=others.__getitem__)
        rest = ", ".join(
            f"{program} {number(others[program])}" for program in others if program not in (fastest, SKLEARN)
        )
        cells = [name, fastest, *(number(results[level][name][fastest]) for level in results)]
        lines.append(f"| {' | '.join([*cells, number(others[SKLEARN]) if SKLEARN in others else '', rest])} |")
    return "\n".join(lines)


def side_by_side(found: dict[str, Any]) -> str:
    """Return a row for each question, with the fastest peer on each processor."""
    lines = [f"|  | {' | '.join(found)} |", f"|---|{'--:|' * len(found)}"]
    for name in QUESTIONS:
        cells = [fastest_of(each["ratios"][""][name]) for each in found.values()]
        lines.append(f"| {' | '.join([name, *cells])} |")
    return "\n".join(lines)


def fastest_of(ratios: dict[str, float]) -> str:
    ratio, program = min((ratio, program) for program, ratio in ratios.items() if program != OURS)
    return f"{program} {number(ratio)}"


def tables(found: dict[str, Any]) -> str:
    """Return all processors side by side, and then what was measured on each."""
    of_each = (f"#### {name}\n\n{table(each['ratios'])}\n\n{each['machine']}." for name, each in found.items())
    return "\n\n".join([side_by_side(found), *of_each])


def number(ratio: float) -> str:
    text = f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}"
    return text if ratio >= 1 else f"**{ratio:.2f}**"


def draw(ratios: dict[str, dict[str, float]], title: str, path: Path) -> None:
    """Plot how many times longer the peers take, on a log scale."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(8.5, 4.6), layout="constrained")
    names = list(ratios)[::-1]
    programs = list(
        dict.fromkeys(program for by_program in ratios.values() for program in by_program if program != OURS)
    )
    for program, marker in zip(programs, "soD^vP*X<>", strict=False):
        rows = [row for row, name in enumerate(names) if program in ratios[name]]
        axes.plot([ratios[names[row]][program] for row in rows], rows, marker, label=program, ms=7, alpha=0.85)
    axes.axvline(1, color="black", lw=1.5)
    axes.annotate(OURS, (1, len(names) - 0.4), (0, 3), textcoords="offset points", ha="center", weight="bold")
    axes.set(xscale="log", yticks=range(len(names)), yticklabels=names, ylim=(-0.6, len(names) - 0.4))
    figure.suptitle(title, fontsize="medium")
    axes.set_xlabel("time of the other program / time of evalcore (right of the line evalcore is faster)")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(path, dpi=110)
    plt.close(figure)


@click.command()
@click.option("--json", "in_json", is_flag=True, help="Print the ratios of this process alone.")
@click.option("--write", is_flag=True, help="Keep what is found of this processor in benchmarks/README.md.")
def main(in_json: bool, write: bool) -> None:
    """Compare evalcore with the fastest program for each of ten common questions."""
    if in_json:
        click.echo(as_json())
        return
    used = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    here = {level: off for level, off in SIMD.items() if not off or off.split()[0] in used}
    ratios = {level: without(off) for level, off in here.items()}
    own = {processor(): {"machine": machine(), "ratios": ratios}}
    click.echo(tables(own))
    if write:
        found = json.loads(FOUND.read_text("utf-8")) | own
        FOUND.write_text(f"{json.dumps(found, indent=1)}\n", "utf-8")
        readme = HERE / "README.md"
        before, _, rest = readme.read_text("utf-8").partition(BEGIN)
        readme.write_text(f"{before}{BEGIN}\n{tables(found)}\n{END}{rest.partition(END)[2]}", "utf-8")
        draw(ratios[""], processor(), HERE / "summary.png")


if __name__ == "__main__":
    main()
