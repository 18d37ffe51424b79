"""The one sort that answers everything: cases in order of their scores, best first.

Ten million float64 scores cost 1.1 to 1.3 times ``np.sort(scores)``: the pass that packs the keys, and
a sort of integers, which is as fast as one of floats.  (``np.argsort`` costs 6 to 7 times.)
"""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.blocks import blocks
from evalcore.kernels.codes import Code, code_of
from evalcore.typing import BoolArray, KeyArray, ScoreArray


class Ordering(NamedTuple):
    """Cases in order: best score first; among equal scores the incorrect before the correct."""

    keys: KeyArray
    """Ascending keys, shape (n,); the lowest bit is set for correct cases."""
    code: Code
    """What the keys are written in."""

    def scores(self, ranks: KeyArray) -> ScoreArray:
        """Return the scores of the cases at these ranks (from 0), same shape.  O(size of ranks).

        >>> order(np.array([0.5, 0.9]), np.array([True, False])).scores(np.array([1]))
        array([0.5])
        """
        return self.code.unpack(self.keys[ranks])


def order(scores: ScoreArray, correct: BoolArray) -> Ordering:
    """Sort cases by descending score, exactly, whatever the scores.

    scores: (n,) float32 or float64, no NaN; correct: (n,) bool.  O(n log n) time; n keys of memory.

    >>> ordering = order(np.array([0.5, 0.9, 0.9]), np.array([True, True, False]))
    >>> ordering.scores(np.arange(3)), ordering.keys & 1
    (array([0.9, 0.9, 0.5]), array([0, 1, 1], dtype=uint64))
    """
    code = code_of(scores)
    keys: KeyArray = np.empty(scores.size, code.key_dtype)
    for block in blocks(scores.size):
        code.pack(scores[block], correct[block], keys[block])
    keys.sort()
    return Ordering(keys, code)
