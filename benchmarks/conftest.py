"""How the benchmarks measure: against a peer in the same process, turn by turn."""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

Task = Callable[[], object]


class Medians(NamedTuple):
    """Medians of interleaved runs, in seconds."""

    task: float
    peer: float
    fastest: float
    """Of the task, not a median."""

    @property
    def ratio(self) -> float:
        return self.task / self.peer


@pytest.fixture
def interleaved(benchmark) -> Callable[..., Medians]:
    """Return what times a task and a peer turn by turn, each so many calls in a turn."""

    def measure(task: Task, peer: Task, rounds: int = 7, calls: int = 1) -> Medians:
        peer_times = []

        def repeated_task() -> None:  # gives nothing back, so that each result is freed before the peer runs
            for _ in range(calls):
                task()

        def time_the_peer() -> None:
            begin = time.perf_counter()
            for _ in range(calls):
                peer()
            peer_times.append(time.perf_counter() - begin)

        # The peer runs before every round.  A first round of both is discarded.
        benchmark.pedantic(repeated_task, setup=time_the_peer, rounds=rounds, warmup_rounds=1)
        times = benchmark.stats.stats
        medians = Medians(times.median, float(np.median(peer_times[1:])), times.min)
        benchmark.extra_info["ratio to peer"] = medians.ratio
        return medians

    return measure
