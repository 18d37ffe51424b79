"""Cases that wait to be sorted, with a weight each once some have one."""

import numpy as np

from evalcore.kernels.blocks import blocks
from evalcore.kernels.rounded_sums import total
from evalcore.state.growing import with_capacity
from evalcore.typing import AnyArray, ScoreArray

_ROOM = 1 << 21
"""More than an eighth of so many cases get room for all of them, which saves copies; unused room takes no memory."""


class WaitingCases:
    """Scores and labels of cases in growable columns; where there are weights, they are labels with a size.

    Rows count only up to `size`, which is written last: a batch is taken whole or not at all.

    >>> waiting = WaitingCases()
    >>> waiting.extend(np.array([True, False]), np.array([0.5, 0.25]))
    >>> waiting.extend(np.array([2.5, -1.0]), np.array([0.5, 0.25]))
    >>> waiting.labels
    array([ 1. , -1. ,  2.5, -1. ])
    """

    __slots__ = ("_labels", "_scores", "size")

    def __init__(self) -> None:
        self.size = 0
        self._scores: ScoreArray = np.empty(0)
        self._labels: AnyArray = np.empty(0, np.bool_)

    @property
    def scores(self) -> ScoreArray:
        """Scores in the order they came, (n,) float32 or float64."""
        return self._scores[: self.size]

    @property
    def labels(self) -> AnyArray:
        """Which are positive, (n,) bool; or their weights, int64 or float64, those of negatives negative."""
        return self._labels[: self.size]

    @property
    def weight(self) -> int | float:
        """Number of cases, or the sum of their weights.  O(n)."""
        return weight_of(self.labels)

    def extend(self, labels: AnyArray, scores: ScoreArray) -> None:
        """Add cases.  O(n) amortised."""
        self._place(labels, scores)
        self.size += scores.size

    def followed_by(self, labels: AnyArray, scores: ScoreArray) -> tuple[AnyArray, ScoreArray]:
        """Return labels and scores of these cases and others, which are not added.  O(n)."""
        if self.size == 0:
            return labels, scores
        if (labels.dtype, scores.dtype) != (self._labels.dtype, self._scores.dtype):  # these cases keep their types
            return np.concatenate(of_one_type(self.labels, labels)), np.concatenate([self.scores, scores])
        self._place(labels, scores)
        end = self.size + scores.size
        return self._labels[:end], self._scores[:end]

    def frozen(self) -> "WaitingCases":
        """Return a view of these cases, which stays as it is.  O(1)."""
        view = WaitingCases()
        view._labels, view._scores, view.size = self.labels, self.scores, self.size
        return view

    def _place(self, labels: AnyArray, scores: ScoreArray) -> None:
        """Write cases behind the last one, where they do not count yet."""
        if scores.size == 0:
            return  # what is not there widens nothing
        end, capacity = self.size + scores.size, self._scores.size
        kept, added = of_one_type(self.labels, labels) if self.size else (self.labels.astype(labels.dtype), labels)
        dtype = np.result_type(scores, self._scores) if self.size else scores.dtype
        if end > capacity or dtype != self._scores.dtype or kept.dtype != self._labels.dtype:
            if end > capacity:
                capacity = _ROOM if _ROOM // 8 < end <= _ROOM else max(end, 2 * capacity)
            grown = with_capacity(self.scores, capacity, dtype), with_capacity(kept, capacity, kept.dtype)
            self._scores, self._labels = grown
        self._scores[self.size : end] = scores
        self._labels[self.size : end] = added

    def __getstate__(self) -> tuple[AnyArray, ScoreArray]:
        return self.labels, self.scores

    def __setstate__(self, state: tuple[AnyArray, ScoreArray]) -> None:
        WaitingCases.__init__(self)
        self.extend(*state)


def weight_of(labels: AnyArray) -> int | float:
    """Return the number of cases with these labels, or the sum of their weights.  O(n)."""
    if labels.dtype.kind == "b":
        return labels.size
    return sum(total(np.abs(labels[block])) for block in blocks(labels.size))


def of_one_type(first: AnyArray, second: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return labels of two kinds as labels of the one that can hold both.  O(n).

    >>> of_one_type(np.array([True, False]), np.array([3, -2]))
    (array([ 1, -1]), array([ 3, -2]))
    """
    kind = max((first.dtype, second.dtype), key=lambda dtype: "bif".index(dtype.kind))
    both = (np.where(side, 1, -1) if side.dtype.kind == "b" != kind.kind else side for side in (first, second))
    one, other = (side.astype(kind, copy=False) for side in both)
    return one, other
