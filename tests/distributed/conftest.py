"""A scheduler for searches, and a cluster of two processes for what only processes show."""

import warnings
from unittest import mock

import dask
import pytest

from evalcore.distributed import on_spark


@pytest.fixture
def at_once():
    """Run tasks one after the other in this thread, which costs a search the least."""
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture
def small_chunks():
    """Chunks and ranges of a few cases, without a session of Spark; a bucket has its own number for a key."""
    with (
        mock.patch.multiple(
            on_spark, CHUNK=10, _CASES_OF_A_RANGE=6, partition_number=lambda: 0, functions=mock.Mock(rand=lambda _: 0),
            keys_of_buckets=lambda _session, buckets: list(range(buckets)),
        ),
        warnings.catch_warnings(),
    ):  # fmt: skip
        warnings.simplefilter("ignore")
        yield


@pytest.fixture(scope="package")
def cluster(tmp_path_factory):
    """Two workers of one thread and 1 GB each."""
    from distributed import LocalCluster  # which takes a second to load

    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, memory_limit="1GB", dashboard_address=":0",
        local_directory=str(tmp_path_factory.mktemp("workers")),
    ) as cluster:  # fmt: skip
        yield cluster


@pytest.fixture
def client(cluster):
    """Send tasks to the cluster."""
    from distributed import Client

    with Client(cluster) as client:
        yield client
