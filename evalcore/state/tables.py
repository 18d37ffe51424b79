"""Tables of counts that grow: of decisions, of categories, and of classified cases with their scores."""

import copy
from collections.abc import Iterable, Sequence
from operator import add
from typing import Any, NamedTuple

import numpy as np

from evalcore.kernels.label_ranks import RankTallies, first_ranked, rank_tallies
from evalcore.kernels.tables import BinaryCounts, DecisionCounts, counts_from_margins
from evalcore.state.cases import GrowingColumns, ScoredCases
from evalcore.typing import FloatArray, IntArray, RankArray, ScoreArray


class BinaryTable:
    """Counts tp, fn, fp, tn that grow.  They are Python's integers: nothing overflows."""

    __slots__ = ("counts",)

    def __init__(self, counts: BinaryCounts) -> None:
        self.counts = counts

    def add(self, counts: BinaryCounts) -> None:
        """Add the counts of more cases: of a batch, or of another table.  O(1)."""
        self.counts = BinaryCounts(*map(add, self.counts, counts))


class CategoryTable:
    """Counts by reference (rows) and response (columns) that grow; validation keeps the total within int64."""

    __slots__ = ("counts", "total")

    def __init__(self, counts: IntArray) -> None:
        self.counts = counts
        self.total = int(counts.sum())

    def add(self, counts: IntArray) -> None:
        """Add the counts of more cases, shape (k, k): of a batch, or of another table.  O(k²)."""
        self.total += int(counts.sum())
        np.add(self.counts, counts, out=self.counts)

    def add_to_cell(self, cell: tuple[int, int], change: int) -> None:
        """Add cases of one reference and response, or take some away.  O(1)."""
        self.total += change
        self.counts[cell] += change

    def snapshot(self) -> IntArray:
        """Return a copy of the counts that cannot be written to.  O(k²)."""
        counts = self.counts.copy()
        counts.flags.writeable = False
        return counts

    def frozen(self) -> "CategoryTable":
        """Return this table as it is now.  O(k²)."""
        view = copy.copy(self)
        view.counts = self.counts.copy()
        return view


class DecisionTable:
    """Counts per category that grow, and a pooled table that grows with them but can be set by itself.

    What it holds is replaced, not changed, so that a shallow copy stays as it is.

    The pooled table holds Python's numbers, tp, fn, fp, tn: nothing overflows, and fractions may be set.
    """

    __slots__ = ("counts", "documents", "pooled")

    def __init__(self, categories: int) -> None:
        self.counts = DecisionCounts(*np.zeros((3, categories), np.int64))
        self.documents = 0
        self.pooled = BinaryCounts(0, 0, 0, 0)

    def add(self, counts: DecisionCounts, documents: int) -> None:
        """Add the decisions on some documents.  O(k)."""
        both, assigned, correct = (int(count.sum()) for count in counts)
        pooled = counts_from_margins(both, correct, assigned, documents * counts.both.size)
        self._count(pooled, counts, documents)

    def merge(self, other: "DecisionTable", codes: list[int]) -> None:
        """Add another table, whose categories have the codes `codes` here.  O(k)."""
        ours = np.argsort(codes)
        self._count(other.pooled, (count[ours] for count in other.counts), other.documents)

    def of_each(self) -> list[BinaryCounts]:
        """Return the table of each category, in Python's integers.  O(k)."""
        cells = zip(*(count.tolist() for count in self.counts), strict=True)
        return [counts_from_margins(both, correct, assigned, self.documents) for both, assigned, correct in cells]

    def of_categories(self) -> dict[str, IntArray]:
        """Return the cells tp, fn, fp, tn of all categories, (k,) int64 each.  O(k)."""
        both, assigned, correct = self.counts
        return counts_from_margins(both, correct, assigned, self.documents)._asdict()

    def _count(self, pooled: Sequence[int | float], counts: Iterable[IntArray], documents: int) -> None:
        self.pooled = BinaryCounts(*map(add, self.pooled, pooled))
        self.counts = DecisionCounts(*map(add, self.counts, counts))
        self.documents += documents


class CaseBatch(NamedTuple):
    """Checked cases, n of them, over k categories."""

    reference: IntArray
    """Codes of the reference categories, shape (n,)."""
    ranks: RankArray
    """Rank of each category, shape (k, n)."""
    columns: tuple[ScoreArray, ...] = ()
    """Scores, and probabilities if any: each (k, n), NaN where a case lacks the category."""
    totals: FloatArray | None = None
    """Log2 of all joint probability of each case, in two parts, shape (2, n), where there are any."""


class ClassifiedCases:
    """Tallies of classified cases, columns of scores and, if wanted, the objects that were classified.

    While all cases have equal scores and probabilities, one column holds both.

    Parameters
    ----------
    categories : int
        Their number, k.
    columns : int
        How many columns (k, n) come with each batch.
    keeps_objects : bool
        Whether to keep the objects and their classifications.
    """

    def __init__(self, categories: int, columns: int, keeps_objects: bool) -> None:
        self.tallies = RankTallies(*np.zeros((3, categories, categories), np.int64))
        self.columns: list[GrowingColumns] = [GrowingColumns(categories, np.float32)] * columns
        self.totals = GrowingColumns(2, np.float64)
        self.objects: list[Sequence[Any]] | None = [] if keeps_objects else None
        code = np.min_scalar_type(categories)
        self._reference = GrowingColumns(1, code)
        self._first = GrowingColumns(1, code)

    @property
    def reference(self) -> IntArray:
        """Codes of the reference categories, shape (n,), where columns or objects are kept."""
        return np.asarray(self._reference.values[0])

    def add(self, batch: CaseBatch, objects: Sequence[Any] = ()) -> None:
        """Add cases, with what was classified if that is kept.  O(k² n)."""
        reference, ranks = batch.reference, batch.ranks
        if reference.size == 0:
            return
        grown = [(self.totals, batch.totals)] if batch.totals is not None else []
        grown += self._grown(batch.columns)
        if self.columns or self.objects is not None:
            grown.append((self._reference, _codes(reference, self._reference)))
        if self.objects is not None:
            grown.append((self._first, _codes(first_ranked(ranks), self._first)))
        self._take(grown)
        if self.objects is not None:
            self.objects.append(objects)
        if reference.size >= len(ranks):
            self._add_tallies(rank_tallies(reference, ranks))
        elif reference.size == 1:  # two cells and a row, in a tenth of the time
            row, tallies = reference.item(), self.tallies
            tallies.firsts[row, ranks.argmin()] += 1
            tallies.counts[row, ranks[row, 0]] += 1
            tallies.sums[row] += ranks[:, 0]
        else:  # a few cells and rows, rather than three tables
            own = ranks[reference, np.arange(reference.size)]
            np.add.at(self.tallies.firsts, (reference, first_ranked(ranks)), 1)
            np.add.at(self.tallies.counts, (reference, own), 1)
            np.add.at(self.tallies.sums, reference, ranks.T)

    def merge(self, other: "ClassifiedCases") -> None:
        """Add the cases of another state of the same kind, as if filled with both.  O(other's size)."""
        views = {id(columns): columns.values for columns in other.columns}
        grown = self._grown(tuple(views[id(columns)] for columns in other.columns))
        kept = (self.totals, other.totals), (self._reference, other._reference), (self._first, other._first)
        self._take([*grown, *((own, more.values) for own, more in kept)])
        self._add_tallies(other.tallies)
        if self.objects is not None and other.objects is not None:
            self.objects += list(other.objects)

    def frozen(self) -> "ClassifiedCases":
        """Return these cases as they are now.  O(k²)."""
        view = copy.copy(self)
        view.tallies = RankTallies(*(table.copy() for table in self.tallies))
        views = {id(columns): columns.frozen() for columns in self.columns}
        view.columns = [views[id(columns)] for columns in self.columns]
        grown = self.totals, self._reference, self._first
        view.totals, view._reference, view._first = (columns.frozen() for columns in grown)
        if self.objects is not None:
            view.objects = [rows.over(views) if hasattr(rows, "over") else rows for rows in self.objects]
        return view

    def one_versus_all(self, category: int, values: ScoreArray) -> ScoredCases:
        """Return the cases as a ranking for one category; values: (n,), NaN where a case lacks it, a miss.  O(n)."""
        correct, present = self.reference == category, ~np.isnan(values)
        cases = ScoredCases.of(correct[present], values[present])
        cases.misses = int(np.count_nonzero(correct & ~present))
        return cases

    def found(self, category: int, is_reference: bool, is_first: bool) -> list[Any]:
        """List the objects of the cases where a category is or is not the reference, and the first, in order.  O(n)."""
        batches = self.objects or []
        ends = np.cumsum([len(batch) for batch in batches])
        chosen = ((self.reference == category) == is_reference) & ((self._first.values[0] == category) == is_first)
        rows = np.flatnonzero(chosen)
        batch_indices = ends.searchsorted(rows, side="right")
        places = zip(rows.tolist(), batch_indices.tolist(), strict=True)
        return [batches[batch][row - ends[batch] + len(batches[batch])] for row, batch in places]

    def _add_tallies(self, tallies: RankTallies) -> None:
        for kept, more in zip(self.tallies, tallies, strict=True):
            np.add(kept, more, out=kept)

    def _grown(self, columns: tuple[ScoreArray, ...]) -> list[tuple[GrowingColumns, Any]]:
        """Pair kept columns with what comes; those that were one and now differ become two."""
        shared = len({id(kept) for kept in self.columns}) < len(self.columns)
        if shared and columns[0] is not columns[1]:
            self.columns[1] = copy.deepcopy(self.columns[0])
            shared = False
        return list(zip(self.columns[: 1 if shared else None], columns, strict=False))

    @staticmethod
    def _take(grown: list[tuple[GrowingColumns, Any]]) -> None:
        """Extend all or, if there is no memory, none."""
        buffers = [kept.followed_by(more) for kept, more in grown]
        for (kept, more), buffer in zip(grown, buffers, strict=True):
            kept.take(buffer, more.shape[1])


def _codes(codes: IntArray, columns: GrowingColumns) -> Any:
    return codes[np.newaxis].astype(columns.values.dtype)
