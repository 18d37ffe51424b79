"""Evaluate cases in a session of a kind, and print the answers: run with the kind, and the folder of the cases."""

import json
import os
import signal
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession

from evalcore import EvaluationError
from evalcore.distributed import roc_auc_score

PARTITIONS = 4


def killing_a_worker(visits, batches):
    """Hand batches on, but kill the Java process of a worker once, when half of the partitions are computed.

    visits: a file to which each batch adds a byte.
    """
    for batch in batches:
        with visits.open("ab") as file:
            file.write(b".")
        if visits.stat().st_size > PARTITIONS // 2:
            with suppress(FileExistsError):  # of several tasks at this place one kills
                visits.with_name("killed").touch(exist_ok=False)
                daemon = Path(f"/proc/{os.getppid()}/stat").read_text("utf-8")
                os.kill(int(daemon.rpartition(")")[2].split()[1]), signal.SIGKILL)
        yield batch


def main(kind, folder):
    builder = SparkSession.builder.remote("local[2]") if kind == "connect" else SparkSession.builder.master(kind)
    for name, value in json.loads((folder / "settings.json").read_text("utf-8")).items():
        builder = builder.config(name, value)
    builder = builder.config("spark.executorEnv.PYTHONPATH", os.environ["PYTHONPATH"])
    session = builder.getOrCreate()
    frame = session.read.parquet(str(folder / "cases.parquet"))
    answers = {"module": type(frame).__module__}
    if kind == "connect":
        certified = roc_auc_score("late", "model", data=frame, capacity=64)
        answers |= {"low": certified.low, "high": certified.high}
        try:
            roc_auc_score("month", "model", data=frame)
        except EvaluationError as error:
            answers["error"] = str(error)
    else:
        kill = partial(killing_a_worker, folder / "visits")
        cases = frame.select("late", "model").repartition(PARTITIONS)
        frame = cases.mapInArrow(kill, "late boolean, model double")
    answers["exact"] = float(roc_auc_score("late", "model", data=frame, exact=True))
    print(json.dumps(answers))
    session.stop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
