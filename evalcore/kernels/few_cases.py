"""What sorted keys tell about cases, for few cases: the same numbers in a handful of NumPy calls.

A call of NumPy on a hundred numbers costs about a microsecond, whatever it does.  Up to some thousand cases an argsort
and two gathers cost less than to pack keys, to sort them and to read them in blocks.
"""

import numpy as np

from evalcore.kernels.sort_keys import knows_subnormals
from evalcore.typing import BoolArray, FloatArray, IntArray, ScoreArray

MOST_FEW = 1 << 12
"""Cases up to which this is the faster way."""
_ONES = np.ones(MOST_FEW, np.intp)
_FROM_ONE = np.arange(1.0, MOST_FEW + 1)


def are_few(cases: int) -> bool:
    """Whether so many cases are few.  None are where subnormal scores would be taken for zero.  O(1)."""
    return 0 < cases <= MOST_FEW and knows_subnormals()


def best_first(correct: BoolArray, scores: ScoreArray) -> tuple[BoolArray, ScoreArray]:
    """Return both columns of cases, (n,), by falling score, NaN before all.  O(n log n)."""
    order = scores.argsort()[::-1]
    return correct[order], scores[order]


def few_half_pairs(correct: BoolArray, scores: ScoreArray) -> tuple[int, int]:
    """Count the correct cases, and twice the pairs of a correct case above an incorrect one, where ties count half.

    correct, scores: few cases, (n,), `best_first`, no NaN.  O(n).

    >>> few_half_pairs(np.array([True, False, True, False]), np.array([0.9, 0.5, 0.5, 0.1]))
    (2, 7)
    """
    changes = scores[1:] != scores[:-1]
    if np.count_nonzero(changes) == changes.size:
        ranks = correct.nonzero()[0]
        positives = ranks.size
        # above each correct case stand those before it, of which 0, 1, 2, .. are correct
        return positives, positives * (2 * correct.size - positives - 1) - 2 * int(ranks.dot(_ONES[:positives]))
    predicted_positive, tp = _counts_by_score(correct, changes)
    fp = predicted_positive - tp
    # twice the area below a polygon, by its cross products
    positives, negatives = int(tp[-1]), int(fp[-1])
    return positives, positives * negatives + int(fp[1:].dot(tp[:-1])) - int(fp[:-1].dot(tp[1:]))


def few_points(
    correct: BoolArray, scores: ScoreArray
) -> tuple[IntArray | None, IntArray | FloatArray, IntArray | FloatArray]:
    """Count the correct cases of every score, None for one each, those at or above it, and all cases at or above it.

    correct, scores: as `few_half_pairs`.  Returns three columns (p,), perhaps without scores of no correct case.  O(n).

    >>> few_points(np.array([True, False, True, False]), np.array([0.9, 0.5, 0.5, 0.1]))
    (array([1, 1, 0]), array([1, 2, 2]), array([1, 3, 4]))
    """
    changes = scores[1:] != scores[:-1]
    if np.count_nonzero(changes) == changes.size:
        predicted_positive = _FROM_ONE[correct.nonzero()[0]]
        return None, _FROM_ONE[: predicted_positive.size], predicted_positive
    counts, tp = _counts_by_score(correct, changes)
    gained = tp.copy()
    np.subtract(tp[1:], tp[:-1], out=gained[1:])
    return gained, tp, counts


def _counts_by_score(correct: BoolArray, changes: BoolArray) -> tuple[IntArray, IntArray]:
    """Count the cases, and the correct ones, down to each distinct score; changes: (n - 1,), before another score."""
    last = np.concatenate((changes.nonzero()[0], (changes.size,)))
    return last + 1, np.add.accumulate(correct, dtype=np.intp)[last]
