"""`evalcore compare` in a process of its own keeps to its memory limit."""

import re
import subprocess

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow.csv import write_csv

from tests.peak_memory import needs_proc, peak_of

SIZE = 900_000


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder, rng = tmp_path_factory.mktemp("large"), np.random.default_rng(0)
    late, order = rng.random(SIZE) < 0.2, rng.permutation(SIZE)
    old, new = (rng.random(SIZE) * 0.6 + late * 0.3 for _ in range(2))
    described = {
        "carrier": rng.choice(list("ABCDEFGH"), SIZE),
        "user": rng.integers(0, 50_000, SIZE),
        "day": rng.integers(0, 60, SIZE),
        "w": rng.integers(0, 5, SIZE) * 0.3,
    }
    tables = {
        "old": pa.table({"id": np.arange(SIZE), "late": late.astype(int), "score": old, **described}),
        "new": pa.table({"id": order, "score": new[order]}),
    }
    for name, table in tables.items():
        pq.write_table(table, folder / f"{name}.parquet")
        write_csv(table, folder / f"{name}.csv")
    return {kind: [str(folder / f"{name}.{kind}") for name in tables] for kind in ("parquet", "csv")}


def compared(files, *options):
    asked = ["--id", "id", "--label", "late", "--score", "score", "--threshold", "0.5"]
    return peak_of("compare", *files, *asked, *options)


@pytest.mark.process
@needs_proc
@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--where", "day < 40"),
        ("--by", "carrier", "--weight", "w", "--cluster", "user"),
        ("--method", "bootstrap", "--resamples", "20"),
    ],
)
@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_what_is_not_refused_takes_no_more_memory_than_is_allowed(files, kind, options):
    with pytest.raises(subprocess.CalledProcessError) as refused:
        compared(files[kind], *options, "--memory", "256M")
    needed = re.search(r"take at least (\d+) MB, more than the memory limit of 256 MB", refused.value.stderr)
    _, peak = compared(files[kind], *options, "--memory", f"{needed[1]}M")
    assert peak <= 1.2 * int(needed[1]) * 1_000_000
