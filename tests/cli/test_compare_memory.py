"""`evalcore compare` in a process of its own keeps to its memory limit, and says what it says without one."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

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
    pq.write_table(pa.table({"id": np.arange(SIZE), "late": late, "score": old, **described}), folder / "old.parquet")
    pq.write_table(pa.table({"id": order, "score": new[order]}), folder / "new.parquet")
    return [str(folder / f"{name}.parquet") for name in ("old", "new")]


def compared(files, *options):
    asked = ["--id", "id", "--label", "late", "--score", "score", "--threshold", "0.5"]
    answer, peak = peak_of("compare", *files, *asked, *options)
    return answer["models"]["new"], peak


@pytest.mark.process
@needs_proc
@pytest.mark.parametrize(
    ("options", "memory"),
    [
        (("--nulls", "drop"), "256M"),
        (("--where", "day < 40"), "366M"),
        (("--by", "carrier", "--weight", "w", "--cluster", "user"), "256M"),
        (("--by", "carrier", "--by", "day", "--cluster", "day"), "256M"),
    ],
)
def test_the_memory_that_is_allowed_is_not_exceeded(files, options, memory):
    found, peak = compared(files, *options, "--memory", memory)
    assert peak <= int(memory[:-1]) * 1_000_000
    whole, _ = compared(files, *options, "--memory", "4G")
    every = [(found["measures"], whole["measures"])]
    assert found["groups"].keys() == whole["groups"].keys()
    for grouping, groups in whole["groups"].items():
        assert found["groups"][grouping].keys() == groups.keys()
        every += [(found["groups"][grouping][name]["measures"], group["measures"]) for name, group in groups.items()]
    for measures, expected in every:
        assert measures.keys() == expected.keys()
        for name, measure in measures.items():
            ranked = name in ("roc_area", "average_precision")
            assert measure["method"] in (["certified"] if ranked else []) + [expected[name]["method"]]
            for number in ("old", "new", "low", "high", "standard_error"):
                known = expected[name][number]
                tolerance = {"rel": 0.01, "abs": 1e-3} if ranked else {"rel": 1e-9, "abs": 1e-12}
                assert measure[number] == (None if known is None else pytest.approx(known, **tolerance)), (name, number)
    assert found["measures"]["roc_area"]["method"] == "certified"
