"""Graphs of tasks for dask's current scheduler: that of a cluster, or threads of this process where there is none.

Nothing else in the package uses `dask._task_spec`, which is private; `task_nodes` says what is taken from it.
"""

import math
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias
from uuid import uuid4

from evalcore.errors import EvaluationError
from evalcore.optional import require
from evalcore.parallel import threads

Task: TypeAlias = Any
"""Stands for what a task of a graph will return, as an argument of other tasks."""
_FAN_IN = 8
"""Number of results that one task of a tree takes: a few megabytes of summaries."""
_QUICK = "split-shuffle"
"""A name by which the scheduler of a cluster takes tasks for quick ones, and leaves them where they are."""


class TaskNodes(NamedTuple):
    """The classes of dask that a graph is made of."""

    call: Any
    """Calls a function: ``call(key, function, *arguments)``."""
    reference: Any
    """Stands for the result of another task: ``reference(key)``, which has a ``key``."""
    alias: Any
    """Gives the result of a task another key: ``alias(key, other_key)``."""
    sequence: Any
    """A list in which references may stand: ``sequence(*items)``."""


def task_nodes() -> TaskNodes:
    """Return the classes of this dask; raises EvaluationError for a dask that lacks one.  O(1)."""
    dask = require("dask", "distributed")
    try:
        spec = require("dask._task_spec", "distributed")
        return TaskNodes(spec.Task, spec.TaskRef, spec.Alias, spec.List)
    except (ImportError, AttributeError) as error:
        raise EvaluationError(
            f"evalcore.distributed does not work with dask {dask.__version__} ({error}); install a newer evalcore, or "
            "'dask[distributed]==2026.8.0', with which this one was tested"
        ) from error


class Graph:
    """Calls of pure functions on the results of other calls, run where and when the scheduler sees fit.

    A task may run again after a worker was lost, so it must not change its arguments.

    >>> graph = Graph()
    >>> graph.compute(graph.call("add", sum, [graph.call("one", int, 1), 2]))
    3
    """

    def __init__(self, collections: Iterable[Any] = ()) -> None:
        self._nodes = task_nodes()
        self._name = uuid4().hex
        self._tasks: dict[Any, Any] = {}
        self._collections = tuple(collections)

    def call(self, name: str, function: Callable[..., Any], *arguments: Any) -> Task:
        """Add a task that calls a function in one thread on values, tasks and lists of them.  O(arguments).

        name: what dashboards show.
        """
        return self._add(f"evalcore-{name}", _in_one_thread, function, *arguments)

    def quick(self, function: Callable[..., Any], *arguments: Any) -> Task:
        """Add a task that takes next to no time, and is to run where its largest argument is.  As `call`."""
        return self._add(_QUICK, function, *arguments)

    def _add(self, name: str, function: Callable[..., Any], *arguments: Any) -> Task:
        key = f"{name}-{self._name}", len(self._tasks)
        nodes = self._nodes
        listed = [nodes.sequence(*each) if isinstance(each, list) else each for each in arguments]
        self._tasks[key] = nodes.call(key, function, *listed)
        return nodes.reference(key)

    @cached_property
    def concurrency(self) -> int:
        """Number of tasks that may run at once."""
        distributed = sys.modules.get("distributed")  # without which there is no client
        try:
            of_cluster = sum(distributed.get_client().nthreads().values()) if distributed else 0
        except ValueError:  # there is no client
            of_cluster = 0
        return of_cluster or os.cpu_count() or 1  # a cluster may have no worker yet

    def task_of(self, delayed: Any) -> Task:
        """Return the task of a Delayed that the graph was made for.  O(1)."""
        return self._nodes.reference(delayed.key)

    def tree(self, name: str, function: Callable[[list[Any]], Any], parts: Sequence[Task]) -> Task:
        """Merge many results, a few at a time; function: merges a list of parts, merged or not.  O(parts).

        >>> graph = Graph()
        >>> graph.compute(graph.tree("add", sum, [graph.call("number", int, i) for i in range(100)]))
        4950
        """
        level = list(parts)
        while True:
            groups = [level[first : first + _FAN_IN] for first in range(0, len(level), _FAN_IN)]
            level = [self.call(name, function, group) for group in groups]
            if len(level) <= 1:
                return level[0] if level else self.call(name, function, [])

    def delayed(self, task: Task) -> Any:
        """Return a task as dask's Delayed, once all tasks have been added.  O(collections)."""
        graphs, delayed = require("dask.highlevelgraph", "distributed"), require("dask.delayed", "distributed")
        layers = graphs.HighLevelGraph.from_collections(self._name, self._tasks, dependencies=self._collections)
        return delayed.Delayed(task.key, layers, layer=self._name)

    def array(self, chunks: Sequence[Task]) -> Any:
        """Return tasks that give float64 arrays, (n,) each, as one dask array, once all have been added.

        O(chunks + collections).
        """
        name = f"evalcore-array-{uuid4().hex}"
        layer = {(name, index): self._nodes.alias((name, index), chunk.key) for index, chunk in enumerate(chunks)}
        dependencies = [self.delayed(chunks[0])]  # which has the graph of all
        graphs = require("dask.highlevelgraph", "distributed")
        layers = graphs.HighLevelGraph.from_collections(name, layer, dependencies)
        return require("dask.array", "distributed").Array(layers, name, ((math.nan,) * len(chunks),), float)

    def compute(self, task: Task) -> Any:
        """Return what a task returns, or raise what it raises."""
        return self.delayed(task).compute()


def _in_one_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    with threads(1):  # other tasks run beside it
        return function(*arguments)
