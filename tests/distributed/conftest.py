"""A scheduler for searches, and a cluster of two processes for what only processes show."""

import dask
import pytest


@pytest.fixture
def at_once():
    """Run tasks one after the other in this thread, which costs a search the least."""
    with dask.config.set(scheduler="synchronous"):
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
