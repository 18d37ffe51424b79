"""What it costs to compare two models whose rows are joined by id, in random order on both sides.

They are ten million, or a million with ids of text.
In units of ``np.sort`` of one column of scores, and memory in columns of float64 beside those handed in.  The answer is
asserted first, against functions of `evalcore.inference` and `evalcore.metrics` on rows that NumPy put in order.

``python -m benchmarks.bench_compare`` prints rows for the table in README.md: the time in ``np.sort`` and in seconds,
and with ``--peers`` those of a merge by pandas with scikit-learn's functions and of a join by polars, which have no
intervals and no tests and take minutes.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import click
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import sklearn.metrics

import evalcore
from benchmarks.peers import OURS
from evalcore import inference, metrics
from evalcore.io.matching_ids import matched_rows

CASES, TEXTS = 10_000_000, 1_000_000
MOST_SORTS, MOST_COLUMNS = 12, 6
SLACK = 1.25
MEASURES = "roc_auc", "average_precision", "log_loss", "brier_score"
"""What is compared by default where scores are probabilities."""
_PEAK = """
import numpy as np
import evalcore
evalcore.compare({"id": [0, 1], "late": [0, 1], "score": [0.5, 0.25]}, {"id": [1, 0], "score": [0.75, 0.5]}, on="id",
                 label="late", score="score")  # imports, and memory that threads keep
old, new = ({name: np.load(f"{table}_{name}.npy") for name in names.split()}
            for table, names in (("old", "id late score"), ("new", "id score")))
def peak():  # of this program alone, unlike ru_maxrss, which begins with that of the program that started it
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
before = peak()
report = evalcore.compare(old, new, on="id", label="late", score="score")
print(peak() - before)
"""


def tables(cases, kind="numbers"):
    """Return the tables of an old and a new model, their rows in random orders, and cases in the order of the old."""
    rng = np.random.default_rng(24)
    late = rng.random(cases) < 0.1
    truth = rng.standard_normal(cases) + late
    scores = [1 / (1 + np.exp(2.5 - truth - noise * rng.standard_normal(cases))) for noise in (1.0, 0.7)]
    ids = rng.permutation(cases) * (10**11 if kind == "numbers far apart" else 3)  # too far apart for a table
    order = rng.permutation(cases)
    old = {"id": ids, "late": late, "score": scores[0]}
    new = {"id": ids[order], "score": scores[1][order]}
    if kind == "text":
        old, new = (
            pa.table(table | {"id": pc.binary_join_element_wise("user", pa.array(table["id"]).cast(pa.string()), "-")})
            for table in (old, new)
        )
    return old, new, (late, scores[0], scores[1])


def compared(old, new):
    return evalcore.compare(old, new, on="id", label="late", score="score")


def check(report, cases):
    """Assert that a comparison found what functions find on rows in one order."""
    late, old, new = cases
    area = inference.compare_roc_auc(late, old, new)
    found = report["roc_auc"].found
    np.testing.assert_allclose(found.estimates, area.estimates, rtol=1e-12)
    np.testing.assert_allclose([found.low, found.high], [area.low, area.high], rtol=1e-6)
    functions = {
        "average_precision": metrics.average_precision_score,
        "log_loss": metrics.log_loss,
        "brier_score": metrics.brier_score_loss,
    }
    for name, function in functions.items():
        estimates = report[name].found.estimates
        np.testing.assert_allclose(estimates, [function(late, new), function(late, old)], rtol=1e-9)
    assert report.answer.joins["new"].cases == late.size


@pytest.mark.parametrize("kind", ["numbers", "numbers far apart", "text"])
def bench_joined_by_id(interleaved, kind):
    rows = TEXTS if kind == "text" else CASES
    old, new, cases = tables(rows, kind)
    check(compared(old, new), cases)
    ratio = interleaved(lambda: compared(old, new), lambda: np.sort(cases[1]), rounds=3).ratio
    print(f"\n{rows:,} rows joined by {kind}: {ratio:.1f} np.sort (target {MOST_SORTS})")
    assert ratio <= SLACK * MOST_SORTS


def bench_rows_of_text_ids(interleaved):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(24)
    ids = np.array([f"user-{number:08d}" for number in rng.permutation(10 * TEXTS)[:TEXTS]], object)
    order = rng.permutation(TEXTS)
    old, new = (pandas.DataFrame({"id": each, "row": np.arange(TEXTS)}) for each in (ids, ids[order]))
    expected = old.merge(new, on="id")["row_y"].to_numpy()
    np.testing.assert_array_equal(matched_rows([ids], [ids[order]], ["id"]).rows, expected)
    ratio = interleaved(lambda: matched_rows([ids], [ids[order]], ["id"]), lambda: old.merge(new, on="id")).ratio
    print(f"\n{TEXTS:,} rows of text ids: {ratio:.2f} of a merge by pandas (target 1)")
    assert ratio <= SLACK


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no peak memory")
def bench_memory_of_a_join(benchmark, tmp_path):
    old, new, _ = tables(CASES)
    for name, table in {"old": old, "new": new}.items():
        for column, values in table.items():
            np.save(tmp_path / f"{name}_{column}.npy", values)
    environment = {**os.environ, "PYTHONPATH": str(Path(evalcore.__file__).parents[1])}
    done = benchmark.pedantic(
        lambda: subprocess.run(
            [sys.executable, "-c", _PEAK], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        ),
        rounds=1,
    )
    columns = int(done.stdout) * 1024 / old["score"].nbytes
    benchmark.extra_info["columns"] = columns
    print(f"\n{CASES:,} rows joined by id: {columns:.1f} columns beside the inputs (target {MOST_COLUMNS})")
    assert columns <= SLACK * MOST_COLUMNS


def by_pandas(old, new):
    """Return what compares the models by a merge and scikit-learn's functions: measures without intervals and tests."""
    pandas = pytest.importorskip("pandas")
    before, after = pandas.DataFrame(old), pandas.DataFrame(new)
    functions = (
        sklearn.metrics.roc_auc_score,
        sklearn.metrics.average_precision_score,
        sklearn.metrics.log_loss,
        sklearn.metrics.brier_score_loss,
    )

    def differences():
        joined = before.merge(after, on="id", suffixes=("_old", "_new"))
        return [f(joined["late"], joined["score_new"]) - f(joined["late"], joined["score_old"]) for f in functions]

    return differences


def by_polars(old, new):
    """Return what joins the tables, and compares the models by ROC AUC alone, from sums of ranks."""
    polars = pytest.importorskip("polars")
    before, after = polars.DataFrame(old), polars.DataFrame(new)
    positives = polars.col("late").sum().cast(polars.Float64)
    ranks = [(polars.col(name).rank() * polars.col("late")).sum() for name in ("score_new", "score")]

    def differences():
        joined = before.lazy().join(after.lazy(), on="id", suffix="_new")
        difference = (ranks[0] - ranks[1]) / (positives * (polars.len() - positives))
        return [joined.select(difference).collect().item()]

    return differences


@click.command()
@click.option("--cases", default=CASES, show_default=True)
@click.option("--rounds", default=3, show_default=True, help="After a first one, which is discarded.")
@click.option("--peers", is_flag=True, help="Also times pandas and polars.")
def main(cases, rounds, peers):
    """Print rows for the table in README.md: the median time of each program, in seconds and in np.sort."""
    old, new, ordered = tables(cases)
    check(compared(old, new), ordered)
    programs = {
        f"{OURS}, with intervals and tests": lambda: [compared(old, new)[name].found.difference for name in MEASURES]
    }
    if peers:
        programs |= {
            "pandas and scikit-learn": by_pandas(old, new),
            "polars, ROC AUC alone": by_polars(old, new),
        }
    times, sorts = {name: [] for name in programs}, []
    expected = next(iter(programs.values()))()
    for _ in range(rounds + 1):
        for name, program in programs.items():
            begin = time.perf_counter()
            np.sort(old["score"])
            sorts.append(time.perf_counter() - begin)
            begin = time.perf_counter()
            found = program()
            times[name].append(time.perf_counter() - begin)
            np.testing.assert_allclose(found, expected[: len(found)], rtol=1e-6)
    sort = float(np.median(sorts[len(programs) :]))
    for name, taken in times.items():
        seconds = float(np.median(taken[1:]))
        click.echo(f"| {cases:,} rows joined by id | {name} | {seconds:.2f} | {seconds / sort:.1f} |")


if __name__ == "__main__":
    main()
