"""What a page costs beside the table that it follows: CPU time of whole processes, and its size.

A page imports matplotlib and draws six or seven charts.  That is the same for any number of cases, so that
targets are of seconds of importing NumPy, by which slow and busy machines are told from slow pages.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.bench_command import cpu_time, import_time, report_on

FLIGHTS = Path(__file__).parents[1] / "notebooks" / "data" / "flights.parquet"
ROUNDS = 3
SLACK = 1.25


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Return files of labels and scores, by their names: groups by size ten, and sixty columns of scores."""
    rng = np.random.default_rng(5)
    late = rng.random(100_000) < 0.3
    models = {f"m{index}": 0.4 * rng.random(late.size) + 0.01 * index * late for index in range(60)}
    groups = rng.permutation(np.repeat(np.arange(10_000), 10))
    folder = tmp_path_factory.mktemp("pages")
    pq.write_table(pa.table({"late": late, "m0": models["m0"], "group": groups}), folder / "groups.parquet")
    few = {name: column[:10_000] for name, column in {"late": late, **models}.items()}
    pq.write_table(pa.table(few), folder / "models.parquet")
    return {"flights": str(FLIGHTS), **{name: str(folder / f"{name}.parquet") for name in ("groups", "models")}}


SIXTY = [f"m{index}" for index in range(60)]
PAGES = {
    "flights": ("flights", ["boosting", "logistic"], ["--ci=0.95"], 14, 0.6),
    "ten thousand groups": ("groups", ["m0"], ["--by=group"], 12, 0.6),
    "all of ten thousand groups": ("groups", ["m0"], ["--by=group", "--full"], 20, 7),
    "sixty models": ("models", SIXTY, [], 20, 1),
}
"""The file, its columns of scores, options, and the most that a page may cost: imports of NumPy, and megabytes."""


@pytest.mark.parametrize("name", PAGES)
def bench_page_beside_its_table(benchmark, tables, tmp_path, name):
    file, scores, options, target, megabytes = PAGES[name]
    page = tmp_path / "page.html"
    table = report_on(tables[file], *scores, more=options)
    shown = cpu_time(*table, "--format=table", f"--output={page}")[1]
    assert shown.startswith(cpu_time(*table)[1].rstrip()[:500])
    text = page.read_text("utf-8")
    assert text.count("<figure") >= 6
    assert f"<h1>late: {scores[0]}" in text
    times = benchmark.pedantic(
        lambda: [
            (import_time(), cpu_time(*table)[0], cpu_time(*table, "--format=table", f"--output={page}")[0])
            for _ in range(ROUNDS)
        ],
        rounds=1,
    )
    imported, plain, with_page = np.median(times, axis=0).tolist()
    ratio, size = (with_page - plain) / imported, len(text.encode()) / 1e6
    benchmark.extra_info |= {"CPU seconds": with_page, "of the table": plain, "megabytes": size}
    print(
        f"\n{name}: page {with_page:.2f} s of CPU, table alone {plain:.2f} s; the difference is {ratio:.0f} imports of "
        f"NumPy (target {target}); {size:.2f} MB (target {megabytes})"
    )
    assert ratio <= SLACK * target
    assert size <= megabytes
