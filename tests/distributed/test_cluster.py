"""Two processes, which may die, answer as one does."""

import time
from contextlib import contextmanager
from itertools import chain

import dask
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore import Contingency, EvaluationError, EvaluationTypeError, distributed, metrics
from evalcore.distributed.partitions import partitioned_columns
from evalcore.distributed.ranges import ROC_AUC, RangeStatistic, exact_statistics
from tests.distributed.parted import equally, in_chunks, parted, random_cases

pytestmark = pytest.mark.process
CASES = random_cases(20_000)
GIVEN = parted(CASES.correct, CASES.scores, equally(20_000, 6))
AREA = metrics.roc_auc_score(CASES.correct, CASES.scores)
AREAS = {
    distributed.roc_auc_score: metrics.roc_auc_score,
    distributed.average_precision_score: metrics.average_precision_score,
}


@pytest.mark.usefixtures("client")
def test_areas_are_those_of_one_process():
    weights = np.random.default_rng(1).gamma(1, size=20_000)
    for given, tolerance in ((None, 0), (np.ceil(weights), 0), (weights, 1e-12)):
        parted_weights = None if given is None else in_chunks(equally(20_000, 6), given)[0]
        for function, in_memory in AREAS.items():
            expected = in_memory(CASES.correct, CASES.scores, sample_weight=given)
            found = function(*GIVEN, sample_weight=parted_weights, exact=True)
            assert found == pytest.approx(expected, rel=0, abs=tolerance)
            bounded = function(*GIVEN, sample_weight=parted_weights, capacity=64)
            assert bounded.low <= expected <= bounded.high


@pytest.fixture
def curves_at_once():
    """Curves from one thread; asked for before there is a client."""
    with dask.config.set(scheduler="synchronous"):
        return [curve(*GIVEN, exact=True) for curve in (distributed.roc_curve, distributed.precision_recall_curve)]


@pytest.mark.usefixtures("curves_at_once", "client")
def test_curves_are_those_of_one_process(curves_at_once):
    found = [curve(*GIVEN, exact=True) for curve in (distributed.roc_curve, distributed.precision_recall_curve)]
    for columns, whole in zip(found, curves_at_once, strict=True):
        for column, all_points in zip(columns, whole, strict=True):
            np.testing.assert_array_equal(column, all_points)


@pytest.mark.usefixtures("client")
def test_tables_are_those_of_one_process():
    table = distributed.confusion_matrix(GIVEN[0], GIVEN[1] > 0.5)
    np.testing.assert_array_equal(table, metrics.confusion_matrix(CASES.correct, CASES.scores > 0.5))
    names = [["sports"], ["politics"], ["sports", "politics"]]
    documents = db.from_sequence(names, npartitions=2)
    tally = Contingency(["sports", "politics"])
    tally.add_results(names, names)
    assert repr(distributed.contingency(["sports", "politics"], documents, documents)) == repr(tally)


@pytest.mark.usefixtures("client")
def test_frames_and_files_are_read_where_the_workers_are(tmp_path):
    frame = pd.DataFrame({"late": CASES.correct, "model": CASES.scores})
    for part, rows in enumerate(np.array_split(np.arange(20_000), 3)):
        pq.write_table(pa.Table.from_pandas(frame.iloc[rows]), tmp_path / f"part.{part}.parquet", row_group_size=2000)
    for data in (dd.from_pandas(frame, npartitions=4), tmp_path):
        assert distributed.roc_auc_score("late", "model", data=data, exact=True) == AREA


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize("exact", [True, False])
def test_errors_cross_processes_as_they_are(exact):
    scores = CASES.scores.copy()
    scores[12_345] = np.nan
    sizes = equally(20_000, 6)
    with pytest.raises(EvaluationError) as caught:
        distributed.roc_auc_score(*parted(CASES.correct, scores, sizes), exact=exact)
    assert type(caught.value) is EvaluationError
    assert str(caught.value) == "partition 3: y_score[2345] is NaN; a score is finite or infinite"
    with pytest.raises(EvaluationTypeError, match=r"^partition \d: y_score must hold float64 or float32 numbers"):
        distributed.roc_auc_score(GIVEN[0], GIVEN[1].astype(str), exact=exact)


def dying_once(marker):
    """Return a function that kills the process that calls it, the first time that any does."""

    def die():  # a function in a function travels to workers whole
        import os
        import signal

        try:
            os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)

    return die


@contextmanager
def a_death(cluster, marker):
    """Expect that one worker dies and is replaced."""
    before = {worker.pid for worker in cluster.workers.values()}
    yield
    assert marker.exists()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        now = {worker.pid for worker in cluster.workers.values()}
        if len(now - before) == 1 and None not in now:
            return
        time.sleep(0.05)
    raise AssertionError("no worker was replaced")


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize("exact", [True, False])
def test_a_worker_killed_while_it_reads_changes_nothing(cluster, tmp_path, exact):
    die = dying_once(str(tmp_path / "died"))

    def read(block, block_info=None):
        if block_info and block_info[0]["chunk-location"] == (4,):
            die()
        return block

    undisturbed = distributed.roc_auc_score(*GIVEN, exact=exact, capacity=64)
    with a_death(cluster, tmp_path / "died"):
        scores = GIVEN[1].map_blocks(read, dtype=np.float64)
        found = distributed.roc_auc_score(GIVEN[0], scores, exact=exact, capacity=64)
    assert (found.low, found.high) == (undisturbed.low, undisturbed.high)
    assert found.low <= AREA <= found.high


@pytest.mark.usefixtures("client")
def test_a_worker_killed_while_it_measures_a_range_changes_nothing(cluster, tmp_path):
    die = dying_once(str(tmp_path / "died"))

    def range_pairs(cases):
        if np.any(cases.tp > cases.counts.tp):  # a range above has positives
            die()
        return ROC_AUC.of_range(cases)

    with a_death(cluster, tmp_path / "died"):
        statistic = ROC_AUC._replace(of_range=range_pairs)
        _, (area,) = exact_statistics(partitioned_columns(*GIVEN), None, statistic)
    assert area == AREA


@pytest.mark.usefixtures("client")
def test_workers_hold_little_more_than_a_partition():
    """Ranges are about as large as partitions, and the client is handed a few numbers."""
    sizes = RangeStatistic(lambda cases: (int(cases.tp.size),), lambda parts: tuple(chain(*parts)))
    counts, (found,) = exact_statistics(partitioned_columns(*GIVEN), None, sizes)
    assert sum(found) == sum(counts) == 20_000
    assert max(found) <= 1.25 * max(GIVEN[1].chunks[0])
