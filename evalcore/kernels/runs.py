"""Rankings as their measures read them: runs of equal scores, with what stands above each.

A whole ranking is one group, so that what a measure computes of many groups it computes of one.
"""

from bisect import bisect_left
from collections.abc import Callable
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from evalcore.kernels.blocks import BLOCK, blocks, map_blocks, map_parts, running_counts
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, KeyArray, ScoreArray

T = TypeVar("T")
_LONG_RUN = 1 << 9
"""Cases of a run, on average, from which on adding up each beats running counts."""


class Runs(NamedTuple):
    """The r runs of equal scores that hold a positive case, of g rankings: one after the other, best score first.

    Amounts are int64 counts of cases, or float64 sums of their weights.
    """

    starts: IntArray
    """The first run of each ranking, and r, shape (g + 1,)."""
    positives: AnyArray
    """Positives of each run, shape (r,)."""
    tied: AnyArray | None
    """Negatives of each run, shape (r,); None where they are looked up in `keys`, or no one may ask for them."""
    tp: AnyArray
    """Positives at or above the score of each run, shape (r,)."""
    fp: AnyArray
    """Negatives at or above the score of each run, shape (r,)."""
    totals: AnyArray
    """All positives and negatives of each ranking, those that were never retrieved too, shape (2, g)."""
    lasts: IntArray | None = None
    """Index of the last case of each run among those of all rankings, where it does not follow from the counts."""
    fp_after: FloatArray | None = None
    """Negatives below each run, of weights, where a difference would lose digits."""
    keys: KeyArray | None = None
    """Sorted keys of a single ranking, shape (n,)."""

    @property
    def negatives(self) -> AnyArray:
        """Negatives of each run, shape (r,).  O(r), and as `mixed`."""
        if self.tied is not None:
            return self.tied
        (mixed, tied), negatives = self.mixed, np.zeros(self.tp.size, np.int64)
        negatives[mixed] = tied
        return negatives

    @property
    def mixed(self) -> tuple[IntArray, IntArray]:
        """The k runs that hold a negative too, and how many, (k,) each.  O(r), and O(k log n) from keys."""
        if self.tied is not None:
            mixed = np.flatnonzero(self.tied)
            return mixed, self.tied[mixed]
        keys: Any = self.keys
        first = self.tp + self.fp
        first -= self.positives
        above = keys.take(first - 1, mode="wrap")  # the last key, where there is none, is not one below the first
        above ^= keys.take(first)
        mixed = np.flatnonzero(above == 1)
        own = first[mixed]
        return mixed, own - keys.searchsorted(keys[own - 1])

    @property
    def before(self) -> AnyArray:
        """Cases above each run, shape (r,).  O(r), or O(r log n) from keys."""
        return self.tp + self.fp - self.size

    @property
    def size(self) -> AnyArray:
        """Cases of each run, shape (r,).  O(r), or O(r log n) from keys."""
        return self.positives + self.negatives

    @property
    def sizes(self) -> AnyArray:
        """Cases of each ranking, shape (g,).  O(g)."""
        return np.asarray(self.totals[0] + self.totals[1])

    @property
    def retrieved(self) -> AnyArray:
        """Positives of each ranking that were retrieved, shape (g,).  O(r)."""
        return self.add_up(self.positives)

    @property
    def are_counts(self) -> bool:
        """Whether amounts are int64."""
        return self.positives.dtype.kind == "i"

    @property
    def group(self) -> IntArray:
        """Index of the ranking of each run, shape (r,).  O(r)."""
        return np.arange(self.starts.size - 1).repeat(np.diff(self.starts))

    @property
    def in_counts(self) -> "Runs":
        """The same of whole weights, as int64.  O(r), or O(r log n) from keys."""
        amounts = self.positives, self.negatives, self.tp, self.fp, self.totals
        return Runs._make([self.starts, *(column.astype(np.int64) for column in amounts), self.lasts, None, None])

    def of_runs(self, values: AnyArray) -> AnyArray:
        """Return for each run the values of its ranking, (.., g): shape (.., r), or (.., 1) of a single one.  O(r)."""
        return values if values.shape[-1] == 1 else values.repeat(np.diff(self.starts), axis=-1)

    def negatives_of(self, runs: Any) -> Any:
        """Return the negatives of some runs, (k,) or a single one.  O(k), or O(k log n) from keys."""
        if self.tied is not None:
            return self.tied[runs]
        keys: Any = self.keys
        positive = keys[self.tp[runs] + self.fp[runs] - 1]
        return keys.searchsorted(positive) - keys.searchsorted(positive - 1)

    def last_case(self, runs: IntArray) -> IntArray:
        """Return the index of the last case of some runs, (k,), among those of all rankings.  O(k + g)."""
        if self.lasts is not None:
            return self.lasts[runs]
        sizes, group = self.sizes, self.starts.searchsorted(runs, side="right") - 1
        return np.asarray((sizes.cumsum() - sizes)[group] + self.tp[runs] + self.fp[runs] - 1)

    def positives_among(self, sizes: IntArray) -> IntArray:
        """Return how many of the first cases of a single ranking are positive, of numbers, (s,), that divide no tie.

        O(s log r).

        >>> runs_of_keys(np.array([2, 5, 7, 8])).positives_among(np.array([0, 2, 4]))
        array([0, 1, 2])
        """
        ended = count_leading(lambda own, runs: self.tp[runs] + self.fp[runs] <= sizes[own], self.tp.size, sizes.size)
        found = np.zeros_like(ended)
        found[ended > 0] = self.tp[ended[ended > 0] - 1]
        return found

    def add_up(self, values: AnyArray) -> AnyArray:
        """Add up values of the runs, (.., r), of each ranking, (.., g), in their type.  O(r)."""
        return self._reduced(np.add, values, values.dtype.type(0))

    def largest(self, values: FloatArray) -> FloatArray:
        """Return the largest of the values of the runs, (r,), of each ranking, (g,); the least float of none.  O(r)."""
        return self._reduced(np.maximum, values, float(np.finfo(np.float64).min))

    def _reduced(self, operation: np.ufunc, values: AnyArray, none: float) -> AnyArray:
        if self.starts.size == 2:
            return np.asarray(operation.reduce(values, -1, keepdims=True, initial=none))
        found = np.full((*values.shape[:-1], self.starts.size - 1), none, values.dtype)
        held = self.starts[1:] > self.starts[:-1]
        if held.any():
            found[..., held] = operation.reduceat(values, self.starts[:-1][held], -1)
        return found

    def first(self, marked: BoolArray) -> IntArray:
        """Return the first of the marked runs, (r,), of each ranking, (g,); -1 for none.  O(r)."""
        runs = np.append(np.flatnonzero(marked), -1)
        ends = runs[:-1].searchsorted(self.starts)
        return np.where(ends[1:] > ends[:-1], runs[ends[:-1]], -1)

    def last_above(self, depths: AnyArray) -> IntArray:
        """Return the last run of each ranking that begins above a rank; -1 for none.

        depths: (g,) ranks, from 1 on, or of weights above 0; of a single ranking of any shape.  Returns the same shape.
        O(r), of a single ranking O(ranks log r), or O(ranks log r log n) from keys.
        """
        if not self.tp.size:
            return np.full(depths.shape, -1)
        if self.starts.size == 2:
            every, tp, fp = range(self.tp.size - 1), self.tp, self.fp
            # the first run that ends there or below, or the one before it
            ends = [bisect_left(every, rank, key=lambda run: tp[run] + fp[run]) for rank in depths.ravel().tolist()]
            runs = np.array(ends, np.int64).reshape(depths.shape)
            return np.asarray(runs - (tp[runs] + fp[runs] - self.positives[runs] - self.negatives_of(runs) >= depths))
        begun = self.add_up((self.before < self.of_runs(depths)).astype(np.int64))
        return np.where(begun > 0, self.starts[:-1] + begun - 1, -1)

    def at(self, chosen: BoolArray) -> "Runs":
        """Return the runs of a mask, (r,), of one ranking, as if no others ended: each with those before it.  O(r)."""
        tp, fp = self.tp[chosen], self.fp[chosen]
        return Runs(np.array([0, tp.size]), rises(tp), rises(fp), tp, fp, self.totals)

    def part(self, block: slice) -> "Runs":
        """Return some neighbouring runs, of as many rankings.  O(g)."""
        if block.stop - block.start == self.positives.size:
            return self
        return self._taken(block, np.clip(self.starts, block.start, block.stop) - block.start)

    @property
    def held(self) -> "Runs":
        """Those that hold a positive case, of runs of all scores.  O(r)."""
        held = np.flatnonzero(self.positives)
        return self._taken(held, held.searchsorted(self.starts))

    def _taken(self, chosen: slice | IntArray, starts: IntArray) -> "Runs":
        own, ends = ([each if each is None else each[chosen] for each in some] for some in (self[1:5], self[6:8]))
        return Runs._make([starts, *own, self.totals, *ends, self.keys])

    def map(self, task: "Callable[[Runs], T]") -> list[T]:
        """Call a task with one part of the runs after the other, at least one; as `map_blocks`."""
        if self.positives.size <= BLOCK:
            return [task(self)]
        return map_blocks(lambda block: task(self.part(block)), self.positives.size)


class FoundOrder(NamedTuple):
    """Cases that came in order, best score first: nothing has to be sorted, packed or moved."""

    ranked: ScoreArray
    """Scores that never rise, shape (n,)."""
    correct: BoolArray
    """Shape (n,); among equal scores in any order."""
    distinct: bool
    """Whether no two scores are equal."""

    @property
    def size(self) -> int:
        """Cases."""
        return self.ranked.size

    def marks(self, block: slice) -> npt.NDArray[np.uint8]:
        """Return 1 for the correct cases of a block, 0 for others.  O(n)."""
        return np.ascontiguousarray(self.correct[block]).view(np.uint8)

    def ends(self, block: slice) -> BoolArray:
        """Return a mask of the cases of a block that are followed by another score, or by nothing.  O(n)."""
        ends = np.ones(block.stop - block.start, np.bool_)
        if not self.distinct:
            near = self.ranked[block.start : block.stop + 1]
            np.not_equal(near[1:], near[:-1], out=ends[: near.size - 1])
        return ends

    def scores(self, ranks: IntArray | slice) -> ScoreArray:
        """Return the scores of the cases at these ranks (from 0); -0.0 as 0.0.  O(size of ranks)."""
        return np.asarray(self.ranked[ranks] + self.ranked.dtype.type(0))


class LazyRuns(NamedTuple):
    """The runs of one ranking for a single walk: no columns of all runs are built."""

    cases: KeyArray | FoundOrder
    """Sorted keys, shape (n,), or cases."""
    pieces: list[slice]
    """Of these, none of which parts a run."""
    tp_before: list[int]
    """Positives before each piece."""
    totals: IntArray
    """As of `Runs`, shape (2, 1)."""
    are_counts: bool = True

    @property
    def retrieved(self) -> IntArray:
        """As of `Runs`.  O(1)."""
        return np.asarray(self.totals[0])

    def map(self, task: Callable[[Runs], T]) -> list[T]:
        """Call a task with one part of the runs after the other, at least one; as `map_parts`.

        O(n) time, one block of memory for each thread.

        >>> lazy_runs(np.array([2, 3, 3, 4, 7])).map(lambda part: part.tp)
        [array([2, 3])]
        """
        cases = self.cases

        def call(part: tuple[slice, int]) -> T:
            piece, tp_before = part
            if isinstance(cases, FoundOrder):
                keys, (stops, lasts) = None, _ends_of_found(cases.marks(piece), cases.ends(piece))
            else:
                keys, (stops, lasts) = cases, _ends_of_piece(cases[piece])
            tp = stops + tp_before
            fp = lasts - tp + (piece.start + 1)
            return task(Runs(np.array([0, tp.size]), rises(stops), None, tp, fp, self.totals, keys=keys))

        pieces = list(zip(self.pieces, self.tp_before, strict=False)) or [(slice(0, 0), 0)]
        return map_parts(call, pieces, cases.size)


def lazy_runs(cases: KeyArray | FoundOrder) -> LazyRuns:
    """Return the runs of a ranking from its sorted keys, (n,), or from cases.  O(n)."""
    pieces = cut_between_ties(cases)
    marks = cases.marks if isinstance(cases, FoundOrder) else lambda piece: correct_bits(cases[piece])
    counts = map_parts(lambda piece: int(np.count_nonzero(marks(piece))), pieces, cases.size)
    *before, positives = accumulate(counts, initial=0)
    return LazyRuns(cases, pieces, before, np.array([[positives], [cases.size - positives]]))


def runs_of_keys(keys: KeyArray) -> Runs:
    """Return the runs of a ranking from its sorted keys, (n,).  O(n) time; three integers of memory for each.

    >>> runs = runs_of_keys(np.array([2, 3, 3, 4, 7]))
    >>> runs.positives, runs.negatives, runs.tp, runs.fp
    (array([2, 1]), array([1, 0]), array([2, 3]), array([1, 2]))
    """
    blank = [np.empty(0, np.int64)]
    ranks = np.concatenate(blank + map_blocks(lambda block: _ranks(keys[block]) + block.start, keys.size))
    totals = np.array([[ranks.size], [keys.size - ranks.size]])
    tp, fp = _run_ends(keys, ranks)
    del ranks  # or rows of it, of which nothing else needs the memory
    fp += 1
    fp -= tp
    return Runs(np.array([0, tp.size]), rises(tp), None, tp, fp, totals, keys=keys)


def runs_of_groups(keys: KeyArray, sizes: IntArray, *, mixed: bool = True) -> Runs:
    """Return the runs of many rankings.

    keys: (n,) of `evalcore.kernels.grouping.sorted_by_group`, n at most `blocks.BLOCK`; sizes: (g,) of the
    rankings, at least 1; mixed: whether to look for the negatives of runs.  O(n).

    >>> runs = runs_of_groups(np.array([2, 3, 3, 4, 7]), np.array([3, 2]))
    >>> runs.group, runs.before, runs.size, runs.positives
    (array([0, 1]), array([0, 1]), array([3, 1]), array([2, 1]))
    """
    cases = np.append(0, sizes.cumsum())
    rows = _ranks(keys)
    correct_before = rows.searchsorted(cases)
    stops, lasts = _run_ends(keys, rows, correct_before[1:] - 1)
    positives = rises(stops)
    of_class = np.diff(correct_before)
    found = Runs(
        np.append(stops, rows.size + 1).searchsorted(correct_before, side="right"), positives,
        _tied_negatives(keys, rows[stops - positives], cases) if mixed else None,
        stops, lasts + 1 - stops, np.array([of_class, sizes - of_class]),
    )  # fmt: skip
    if sizes.size == 1:
        return found
    above = cases[:-1] - correct_before[:-1]
    return found._replace(tp=stops - found.of_runs(correct_before[:-1]), fp=found.fp - found.of_runs(above))


def _tied_negatives(keys: KeyArray, first: IntArray, cases: IntArray) -> IntArray:
    """Return the negatives of runs, (r,); first: their first positives; cases: as they start.  O(n)."""
    negatives = np.zeros(first.size, np.int64)
    mixed = np.flatnonzero(keys[first] - keys[first - 1] == 1)
    if mixed.size:
        begins = np.ones(keys.size, np.bool_)
        begins[1:] = score_changes(keys)
        begins[cases[:-1]] = True
        own = first[mixed]
        negatives[mixed] = own - np.flatnonzero(begins)[running_counts(begins.view(np.uint8))[own] - np.uint16(1)]
    return negatives


def _run_ends(keys: KeyArray, rows: IntArray, lasts: IntArray | slice = slice(0)) -> tuple[IntArray, IntArray]:
    """Return how many correct cases are in the first runs, and the row of the last of each, (r,) both.  O(c).

    rows: of the correct cases, (c,); lasts: which of these are the last of a ranking, -1 where it has none.
    """
    ends = np.ones(rows.size + 1, np.bool_)
    ends[:-2] = score_changes(keys.take(rows))  # the correct cases of a run are neighbours
    ends[lasts] = True
    if ends.all():
        return np.arange(1, rows.size + 1), rows
    stops = np.flatnonzero(ends[:-1])
    found = rows[stops]
    return np.add(stops, 1, out=stops), found  # columns of integers are what takes most memory beside the keys


def _ends_of_piece(keys: KeyArray) -> tuple[IntArray, IntArray]:
    """Return the positives in the first runs that hold one, and the last case of each, (r,) both.  O(m).

    keys: (m,) as of `cut_between_ties`: a block at most, or a single tie group.
    """
    if keys.size and keys[0] | 1 == keys[-1] | 1:
        stops = np.array([np.count_nonzero(correct_bits(keys))])
        stops = stops[stops > 0]
        return stops, stops * 0 + (keys.size - 1)
    return _run_ends(keys, _ranks(keys))


def _ends_of_found(marks: npt.NDArray[np.uint8], ends: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the same of the `FoundOrder.marks` and `FoundOrder.ends` of a piece.  O(m)."""
    if ends.all():
        rows = np.flatnonzero(marks.view(np.bool_))
        return np.arange(1, rows.size + 1), rows
    lasts, counts = counts_at_ends(marks, ends)
    held = np.flatnonzero(rises(counts).astype(np.bool_))
    return counts.take(held).astype(np.int64), lasts.take(held)


def counts_at_ends(marks: npt.NDArray[np.uint8], ends: BoolArray) -> tuple[IntArray, AnyArray]:
    """Return the last case of each run, (r,), and the correct ones up to it; of a piece.  O(m)."""
    lasts = np.flatnonzero(ends)
    if lasts.size * _LONG_RUN < ends.size or lasts.size == 1:  # perhaps longer than a block
        return lasts, np.add.reduceat(marks, lasts - rises(lasts, -1) + 1, dtype=np.int64).cumsum()
    return lasts, running_counts(marks).take(lasts)


def _ranks(keys: KeyArray) -> IntArray:
    """Return the ranks of the correct cases, (p,), from 0.  O(n)."""
    return np.flatnonzero(correct_bits(keys).view(np.bool_))


def correct_bits(keys: KeyArray) -> npt.NDArray[np.uint8]:
    """Return 1 for the keys of correct cases, 0 for others, of the shape of the keys, (n,) or (k, n).  O(n).

    >>> correct_bits(np.array([2, 3, 7]))
    array([0, 1, 1], dtype=uint8)
    """
    mask = keys.astype(np.uint8)
    mask &= 1
    return mask


def score_changes(keys: KeyArray) -> BoolArray:
    """Return a mask of the sorted keys, (n,), but the last that another score follows: (n - 1,).  O(n).

    >>> score_changes(np.array([2, 3, 7]))
    array([False,  True])
    """
    return np.asarray((keys[1:] ^ keys[:-1]).view(f"u{keys.itemsize}") > 1)


def cut_between_ties(cases: KeyArray | FoundOrder) -> list[slice]:
    """Cut sorted keys, (n,), or cases into blocks, and out of these the tie groups that a border would part.

    A piece longer than a block is one tie group.  O(n / BLOCK log n).

    >>> cut_between_ties(np.array([2, 3, 3, 4, 7]))
    [slice(0, 5, None)]
    """
    whole = list(blocks(cases.size))
    if len(whole) < 2:
        return whole
    borders = np.array([block.stop for block in whole[:-1]])
    if isinstance(cases, FoundOrder):
        rising, at = cases.ranked[::-1], cases.ranked[borders]
        starts, stops = (cases.size - rising.searchsorted(at, side) for side in ("right", "left"))
    else:
        keys, mask = cases[borders], cases.dtype.type(1)
        starts, stops = cases.searchsorted(keys & ~mask), cases.searchsorted(keys | mask, side="right")
    parted = starts < borders
    cuts = [0, cases.size], np.where(parted, starts, borders), np.where(parted, stops, borders)
    return [slice(*ends) for ends in pairwise(np.unique(np.concatenate(cuts)).tolist())]


def rises(sums: AnyArray, before: float = 0) -> AnyArray:
    """Return how far each sum is above the one before it, (p,); on few a third of the time of `np.diff`.  O(p).

    >>> rises(np.array([2.0, 2.0, 5.0]), before=1.0)
    array([1., 0., 3.])
    """
    found = sums.copy()
    found[1:] -= sums[:-1]
    found[:1] -= before
    return found


def count_leading(holds: Callable[[IntArray, IntArray], BoolArray], size: int, searches: int) -> IntArray:
    """Count how many leading ones of 0 .. size - 1 meet the condition of each search, (s,).  O(s log size).

    holds: whether searches, (k,) of 0 .. s - 1, hold at a place each, (k,); all that come before it then do too.
    """
    counts = np.zeros(searches, np.int64)
    for bit in reversed(range(size.bit_length())):  # all searches take their next step at once
        more = counts + (1 << bit)
        own = np.flatnonzero(more <= size)
        own = own[holds(own, more[own] - 1)]
        counts[own] = more[own]
    return counts


def run_starts(*columns: AnyArray) -> IntArray:
    """Return the indices where a run of equal rows starts, of columns (n,) without NaN, at least one.  O(n)."""
    starts = np.ones(columns[0].size, np.bool_)
    np.not_equal(columns[0][1:], columns[0][:-1], out=starts[1:])
    for column in columns[1:]:
        starts[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(starts)


def ranges(starts: IntArray, stops: IntArray) -> IntArray:
    """Join the whole numbers from each start, (r,), up to its stop, (r,).  O(r + their number).

    >>> ranges(np.array([3, 7]), np.array([5, 8]))
    array([3, 4, 7])
    """
    sizes = stops - starts
    return np.asarray(np.repeat(stops - np.cumsum(sizes), sizes) + np.arange(sizes.sum()))
