"""Spark gives the same answers on worker processes that die, and from afar: other sessions than `test_spark` has."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.peak_memory import needs_proc

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed (the extra spark)")

from tests.distributed.test_spark import AREA, CASES, pytestmark, settings  # noqa: E402  (it needs pyspark)

__all__ = ["pytestmark"]
SCRIPT = Path(__file__).with_name("spark_script.py")
QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Four processes of Java start, each for seconds of work: its optimising compiler would cost more than it gains."""
HANGS = 1200
"""Seconds: only what never ends takes longer.  It takes half a minute, and five where ten others share its cores."""


def answers_of(kind, folder):
    """Run the script in a session of a kind, and return what it answers."""
    CASES.to_parquet(folder / "cases.parquet", row_group_size=500)
    (folder / "settings.json").write_text(json.dumps(settings(folder)), "utf-8")
    root = str(Path(__file__).parents[2])
    run = subprocess.run(
        [sys.executable, str(SCRIPT), kind, str(folder)], capture_output=True, text=True, timeout=HANGS, check=False,
        env={
            "JAVA_TOOL_OPTIONS": QUICK_START, **os.environ, "PYTHONPATH": root, "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
        },
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-3000:]
    return json.loads(run.stdout.splitlines()[-1])


@needs_proc
def test_a_worker_that_is_killed_changes_no_number(tmp_path):
    found = answers_of("local-cluster[2,1,1024]", tmp_path)
    assert (tmp_path / "killed").exists()
    assert len((tmp_path / "visits").read_bytes()) > 4  # of four partitions, and some of them again
    assert found["exact"] == AREA


@pytest.mark.skipif(
    not list(Path(pyspark.__file__).parent.glob("jars/spark-connect_*")),
    reason="this pyspark brings no server of Spark Connect (3.5 does not)",
)
def test_spark_connect_gives_the_same_answers(tmp_path):
    pytest.importorskip("grpc", reason="Spark Connect needs grpcio (pyspark[connect])")
    found = answers_of("connect", tmp_path)
    assert found["module"] == "pyspark.sql.connect.dataframe"
    assert found["exact"] == AREA
    assert found["low"] < AREA < found["high"]
    assert found["error"].startswith("partition 0: column 'month' at index")
