"""What the command costs: CPU time of whole processes, in units of ``np.sort`` of ten million float64 scores.

User and system time of every thread, start-up included, with a warm disk cache and compiled modules.
"""

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import evalcore

CASES = 10_000_000
ROUNDS = 5
SLACK = 1.25
WEIGHTED = 2.5
"""A report with weights, beside the same without."""
TWO_COLUMNS = 2.4
"""Two columns with intervals, beside one without: each is sorted, and its placements go back to the cases."""


def cpu_time_of(*command):
    """Return the CPU time of a process, and what it prints."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = str(Path(evalcore.__file__).parents[1])
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout


def cpu_time(*arguments):
    return cpu_time_of("-m", "evalcore", *arguments)


def import_time():
    return cpu_time_of("-c", "import numpy")[0]


def sort_time(values):
    copied = values.copy()
    begin = time.process_time()
    copied.sort()
    return time.process_time() - begin


@pytest.fixture(scope="module")
def flights(tmp_path_factory):
    """Return a Parquet file of labels and two columns of scores, and the first of these."""
    rng = np.random.default_rng(20130101)
    late = rng.random(CASES) < 0.1
    columns = {name: rng.random(CASES) for name in ("a", "b")}
    columns |= {"narrow": columns["a"].astype(np.float32), "weight": rng.gamma(2.0, 1.0, CASES)}
    path = str(tmp_path_factory.mktemp("command") / "cases.parquet")
    pq.write_table(pa.table({"late": late, **columns}), path)
    return path, columns["a"]


def medians(scores, *commands):
    """Return the medians of the CPU time of some commands, in sorts, of interleaved runs after a first round."""
    sorts, times = [], [[] for _ in commands]
    for _ in range(ROUNDS + 1):
        sorts.append(sort_time(scores))
        for command, taken in zip(commands, times, strict=True):
            taken.append(cpu_time(*command)[0])
    return [float(np.median(taken[1:]) / np.median(sorts[1:])) for taken in times]


def report_on(path, *names, more=()):
    return ["report", path, "--label", "late", *(f"--score={name}" for name in names), *more]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["--help"], "Commands:"), (["report", "--help"], "--score"), (["--version"], evalcore.__version__)],
)
def bench_help_takes_less_than_importing_numpy(benchmark, arguments, words):
    assert words in cpu_time(*arguments)[1]
    pairs = benchmark.pedantic(
        lambda: [(cpu_time(*arguments)[0], import_time()) for _ in range(ROUNDS)], rounds=1, warmup_rounds=1
    )
    taken, imported = np.median(pairs, axis=0).tolist()
    benchmark.extra_info |= {"CPU seconds": taken, "ratio to importing NumPy": taken / imported}
    print(
        f"\nevalcore {' '.join(arguments)}: {taken:.2f} s of CPU, {taken / imported:.2f} of importing NumPy (target 1)"
    )
    assert taken < imported


def bench_report_on_ten_million_rows_of_parquet(benchmark, flights):
    path, scores = flights
    found = json.loads(cpu_time(*report_on(path, "a", more=["--format=json"]))[1])["scores"]["a"]
    assert (found["cases"], round(found["roc_auc"], 2)) == (CASES, 0.5)
    (ratio,) = benchmark.pedantic(medians, (scores, report_on(path, "a")), rounds=1)
    benchmark.extra_info["np.sorts"] = ratio
    print(f"\nreport of ten million rows: {ratio:.1f} np.sort (target 9)")
    assert ratio < 9 * SLACK


@pytest.mark.parametrize("column", ["a", "narrow"])
def bench_weighted_report_of_ten_million_rows(benchmark, flights, column):
    path, scores = flights
    plain, weighted = report_on(path, column), report_on(path, column, more=["--weight=weight"])
    found = json.loads(cpu_time(*weighted, "--format=json")[1])["scores"][column]
    assert (found["cases"], round(found["roc_auc"], 2)) == (CASES, 0.5)
    commands = plain, weighted, *([*each, "--ci=0.95"] for each in (plain, weighted))
    one, other, *with_intervals = benchmark.pedantic(medians, (scores, *commands), rounds=1)
    ratios = other / one, with_intervals[1] / with_intervals[0]
    benchmark.extra_info["ratio to the report without weights"] = ratios[0]
    print(
        f"\nweighted report of {column}: {other:.1f} np.sort, {ratios[0]:.2f} times the unweighted one; "
        f"both with --ci: {ratios[1]:.2f} times (target {WEIGHTED})"
    )
    assert max(ratios) < WEIGHTED * SLACK


def bench_two_columns_with_intervals_beside_one_column(benchmark, flights):
    path, scores = flights
    both = report_on(path, "a", "b", more=["--ci=0.95"])
    assert list(json.loads(cpu_time(*both, "--format=json")[1])["comparisons"]) == ["a - b"]
    one, two = benchmark.pedantic(medians, (scores, report_on(path, "a"), both), rounds=1)
    benchmark.extra_info["ratio to one column"] = two / one
    print(f"\ntwo columns with --ci: {two:.1f} np.sort, {two / one:.2f} times one column of {one:.1f} (target 2.2)")
    assert two / one < TWO_COLUMNS * SLACK


def bench_a_hundred_columns_with_intervals(benchmark, tmp_path):
    rng = np.random.default_rng(0)
    late = rng.random(10_000) < 0.5
    path = str(tmp_path / "columns.parquet")
    pq.write_table(pa.table({"late": late, **{f"m{index}": rng.random(10_000) for index in range(100)}}), path)
    names = [f"m{index}" for index in range(100)]
    counts = {"first": 99, "all": 4950}
    asked = [report_on(path, *names, more=["--ci=0.95", f"--versus={compare}"]) for compare in counts]
    for command, pairs in zip(asked, counts.values(), strict=True):
        assert len(json.loads(cpu_time(*command, "--format=json")[1])["comparisons"]) == pairs
    taken = benchmark.pedantic(lambda: [import_time(), *(cpu_time(*command)[0] for command in asked)], rounds=1)
    imported, first, every = taken
    benchmark.extra_info |= {"CPU seconds": taken, "ratios to importing NumPy": (first / imported, every / imported)}
    print(f"\n100 columns with --ci: {first:.2f} s of CPU, all pairs {every:.2f} s; importing NumPy {imported:.2f} s")
    assert (first < 10 * imported, every < 20 * imported) == (True, True)
