"""Tallies of categories assigned to documents."""

from copy import copy
from typing import Any

from evalcore.contingency import Contingency
from evalcore.distributed.sources import source_of


def contingency(categories: Any, assigned: Any, correct: Any, *, data: Any = None) -> Contingency:
    """Tally which categories were assigned to documents and which are correct.

    Parameters
    ----------
    categories : sequence of hashable, or mapping
        Names of all categories, or a mapping with them as keys.
    assigned, correct : dask bag, Series or array, or str
        What `Contingency.add_results` takes, in partitions: of bags and Series the names, or lists of them, that each
        document was given and has; of arrays (n, k) a row of marks for each document, in the order of the categories.
        A name is that of a column of `data`.
    data : dask DataFrame, or path or list of paths of Parquet files, optional
        Where columns are named, which hold names or lists of them.

    Returns
    -------
    Contingency
        As filled with all documents.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `Contingency` and its `add_results`, with the number of the partition, counted from 0, for what is wrong in
        one; for partitions that do not go together.

    Notes
    -----
    O(names log names) in all; partitions are read once, and only counts leave them.

    Examples
    --------
    >>> import dask.bag as db
    >>> assigned = db.from_sequence([["sports"], ["politics"]], npartitions=2)
    >>> correct = db.from_sequence([["sports"], ["sports", "politics"]], npartitions=2)
    >>> contingency(["sports", "politics"], assigned, correct)
    Contingency(categories=2, results=2, a=2, b=0, c=1, d=1)
    """
    empty = Contingency(categories)
    source = source_of(assigned, correct, data, ("assigned", "correct"), as_text=True)
    graph = source.graph()
    parts = source.calls(graph, "tally", _tallied, empty)
    tally: Contingency = graph.compute(graph.tree("merge", _merged, parts))
    return tally


def _tallied(assigned: Any, correct: Any, _: tuple[str, str], empty: Contingency) -> Contingency:
    tally = copy(empty)
    tally.add_results(*(_documents(column) for column in (assigned, correct)))
    return tally


def _documents(column: Any) -> Any:
    """Return matrices as they are, and lists of what stands in other columns."""
    return column if len(getattr(column, "shape", ())) == 2 else list(column)


def _merged(parts: list[Contingency]) -> Contingency:
    tally = copy(parts[0])
    for part in parts[1:]:
        tally.merge(part)
    return tally
