"""Graphs of tasks, for whichever scheduler of dask is current: that of a cluster, or threads where there is none."""

import math
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, TypeAlias
from uuid import uuid4

from evalcore.optional import require
from evalcore.parallel import threads

Task: TypeAlias = Any
"""Stands for what a task of a graph will return, as an argument of other tasks."""
_FAN_IN = 8
"""Results that one task of a tree takes: a few megabytes of summaries."""
_QUICK = "split-shuffle"
"""A name that the scheduler of a cluster knows: it takes such tasks for quick, and leaves them where they are."""


class Graph:
    """Calls of pure functions on what other calls return, made where and when a scheduler sees fit.

    A task may run again, where a worker was lost: it must not change its arguments.

    >>> graph = Graph()
    >>> graph.compute(graph.call("add", sum, [graph.call("one", int, 1), 2]))
    3
    """

    def __init__(self, collections: Iterable[Any] = ()) -> None:
        self._spec = require("dask._task_spec", "distributed")
        self._name = uuid4().hex
        self._tasks: dict[Any, Any] = {}
        self._collections = tuple(collections)

    def call(self, name: str, function: Callable[..., Any], *arguments: Any) -> Task:
        """Add a task that calls a function in a single thread, for others run beside it.  O(arguments).

        name: what dashboards show; arguments: values, tasks, or lists of them.

        >>> graph = Graph()
        >>> graph.compute(graph.call("length", len, [1, 2]))
        2
        """
        return self._add(f"evalcore-{name}", _in_one_thread, function, *arguments)

    def quick(self, function: Callable[..., Any], *arguments: Any) -> Task:
        """Add a task that takes next to no time, and so is to run where its largest argument is.  As `call`.

        >>> graph = Graph()
        >>> graph.compute(graph.quick(len, [1, 2]))
        2
        """
        return self._add(_QUICK, function, *arguments)

    def _add(self, name: str, function: Callable[..., Any], *arguments: Any) -> Task:
        key = f"{name}-{self._name}", len(self._tasks)
        spec = self._spec
        given = [spec.List(*each) if isinstance(each, list) else each for each in arguments]
        self._tasks[key] = spec.Task(key, function, *given)
        return spec.TaskRef(key)

    @cached_property
    def threads(self) -> int:
        """How many tasks may run at once.

        >>> Graph().threads > 0
        True
        """
        distributed = sys.modules.get("distributed")  # without which there is no client
        try:
            of_cluster = sum(distributed.get_client().nthreads().values()) if distributed else 0
        except ValueError:  # there is no client
            of_cluster = 0
        return of_cluster or os.cpu_count() or 1  # a cluster may have no worker yet

    def given(self, collection: Any) -> Task:
        """Return the task of a Delayed, one of those that the graph was made for.  O(1).

        >>> import dask
        >>> five = dask.delayed(5)
        >>> graph = Graph([five])
        >>> graph.compute(graph.call("add", sum, [graph.given(five), 1]))
        6
        """
        return self._spec.TaskRef(collection.key)

    def tree(self, name: str, function: Callable[[list[Any]], Any], parts: Sequence[Task]) -> Task:
        """Join many results, a few at a time.

        function: takes a list of parts, or of what it returned for such.  O(parts).

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
        """Return a task as dask's Delayed; all tasks must have been added.  O(collections).

        >>> graph = Graph()
        >>> graph.delayed(graph.call("one", int, 1)).compute()
        1
        """
        graphs, delayed = require("dask.highlevelgraph", "distributed"), require("dask.delayed", "distributed")
        layers = graphs.HighLevelGraph.from_collections(self._name, self._tasks, dependencies=self._collections)
        return delayed.Delayed(task.key, layers, layer=self._name)

    def array(self, chunks: Sequence[Task]) -> Any:
        """Return tasks that give float64 arrays, (n,) each, as one dask array; all tasks must have been added.

        O(chunks + collections).

        >>> import numpy as np
        >>> graph = Graph()
        >>> graph.array([graph.call("zeros", np.zeros, 2), graph.call("ones", np.ones, 1)]).compute()
        array([0., 0., 1.])
        """
        name = f"evalcore-array-{uuid4().hex}"
        layer = {(name, place): self._spec.Alias((name, place), chunk.key) for place, chunk in enumerate(chunks)}
        dependencies = [self.delayed(chunks[0])]  # which has the graph of all
        graphs = require("dask.highlevelgraph", "distributed")
        layers = graphs.HighLevelGraph.from_collections(name, layer, dependencies)
        return require("dask.array", "distributed").Array(layers, name, ((math.nan,) * len(chunks),), float)

    def compute(self, task: Task) -> Any:
        """Return what a task returns, or raise what it raises.

        >>> graph = Graph()
        >>> graph.compute(graph.call("one", int, 1))
        1
        """
        return self.delayed(task).compute()


def _in_one_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    with threads(1):
        return function(*arguments)
