"""Graphs are made of a private module of dask, whose changes are to be noticed here and not on a cluster."""

import inspect
import sys
from types import ModuleType

import dask
import numpy as np
import pytest

from evalcore import EvaluationError
from evalcore.distributed.on_dask.task_graph import Graph, task_nodes

pytestmark = pytest.mark.usefixtures("at_once")
WHAT_TO_DO = (
    f"dask {dask.__version__} has changed dask._task_spec.  Adapt `task_nodes` and `TaskNodes` in "
    "evalcore/distributed/task_graph.py, which alone use it, and set the versions of dask in pyproject.toml"
)


def test_the_private_nodes_of_dask_are_those_that_graphs_are_made_of():
    try:
        nodes = task_nodes()
        five = nodes.reference("five")
        assert five.key == "five", "TaskRef lost its key"
        graph = {
            "five": nodes.call("five", int, 5),
            "sum": nodes.call("sum", sum, nodes.sequence(five, 2)),
            "pair": nodes.call("pair", divmod, nodes.reference("sum"), five),
            "other": nodes.alias("other", "pair"),
        }
        assert dask.get(graph, "other") == (1, 2), "a graph gave another result"
        assert list(inspect.signature(nodes.call).parameters)[:2] == ["key", "func"], "Task takes other arguments"
    except Exception as error:
        pytest.fail(f"{WHAT_TO_DO} ({error!r})")


@pytest.mark.parametrize("module", [None, ModuleType("dask._task_spec")])
def test_a_dask_without_these_nodes_is_refused(monkeypatch, module):
    monkeypatch.setitem(sys.modules, "dask._task_spec", module)
    with pytest.raises(EvaluationError) as caught:
        Graph()
    begin, end = str(caught.value).split(" (")[0], str(caught.value).split("); ")[1]
    assert begin == f"evalcore.distributed does not work with dask {dask.__version__}"
    assert end.startswith("install a newer evalcore, or 'dask[distributed]==20")


def test_tasks_take_values_tasks_lists_and_delayed_objects():
    five = dask.delayed(5)
    graph = Graph([five])
    one = graph.call("one", int, 1)
    total = graph.call("sum", sum, [one, 2, graph.task_of(five)])
    assert graph.compute(graph.quick(divmod, total, 5)) == (1, 3)


@pytest.mark.parametrize("parts", [0, 1, 8, 9, 100])
def test_a_tree_merges_every_part_once(parts):
    graph = Graph()
    assert graph.compute(graph.tree("add", sum, [graph.call("number", int, i) for i in range(parts)])) == sum(
        range(parts)
    )


def test_tasks_are_chunks_of_an_array():
    graph = Graph()
    array = graph.array([graph.call("zeros", np.zeros, 2), graph.call("ones", np.ones, 1)])
    assert array.compute().tolist() == [0, 0, 1]
    assert array.dtype == np.float64
