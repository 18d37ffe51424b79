"""A random sample of rows that come in batches, the same whatever the batches."""

from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.optional import require

_DRAWS = 4
"""Numbers that Philox makes of one state of its counter."""
_FEWEST_SPARE = 1 << 16


def random_keys(seed: int, first: int, rows: int) -> npt.NDArray[np.uint64]:
    """Return the random number of each of some rows, (n,), whose first has an index among all.  O(n).

    Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3, 2011: numbers by index, in any order.

    >>> random_keys(7, 0, 5)[3:].tolist() == random_keys(7, 3, 2).tolist()
    True
    """
    generator = np.random.Philox(key=seed)
    generator.advance(first // _DRAWS)
    skipped = first % _DRAWS
    keys: npt.NDArray[np.uint64] = generator.random_raw(skipped + rows)[skipped:]
    return keys


class RowSample:
    """So many rows with the smallest random numbers: each set of so many rows is equally likely.

    >>> import pyarrow
    >>> sample = RowSample(2, seed=0)
    >>> for first in (0, 5):
    ...     sample.add(pyarrow.table({"row": range(first, first + 5)}))
    >>> sample.rows()["row"].to_pylist()
    [0, 2]
    """

    def __init__(self, size: int, seed: int) -> None:
        self.seen = 0
        """Rows among which the sample is chosen."""
        self._size = size
        self._seed = seed
        self._tables: list[Any] = []
        self._keys: list[npt.NDArray[np.uint64]] = []
        """Of the rows of each table."""
        self._largest = np.iinfo(np.uint64).max
        """Rows with larger keys are certainly not in the sample."""

    def add(self, table: Any) -> None:
        """Add rows, a pyarrow Table, after those before.  O(n), amortised."""
        keys = random_keys(self._seed, self.seen, table.num_rows)
        self.seen += table.num_rows
        candidates = keys <= self._largest
        if not candidates.all():
            table, keys = table.filter(require("pyarrow", "report").array(candidates)), keys[candidates]
        self._tables.append(table)
        self._keys.append(keys)
        if sum(map(len, self._keys)) > self._size + max(self._size // 4, _FEWEST_SPARE):
            self.rows()

    def rows(self) -> Any:
        """Return the sample of the rows so far in their order, a pyarrow Table, and forget all others.  O(n)."""
        pa = require("pyarrow", "report")
        table, keys = pa.concat_tables(self._tables), np.concatenate(self._keys)
        if keys.size > self._size:
            self._largest = np.partition(keys, self._size - 1)[self._size - 1]
            chosen = keys <= self._largest
            surplus = np.count_nonzero(chosen) - self._size
            if surplus:  # of rows with equal keys the first ones stay
                chosen[np.flatnonzero(keys == self._largest)[-surplus:]] = False
            table, keys = table.filter(pa.array(chosen)), keys[chosen]
        self._tables, self._keys = [table], [keys]
        return table
