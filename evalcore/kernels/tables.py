"""Counting cases into tables."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.kernels import blocks
from evalcore.typing import BoolArray, IntArray


class BinaryCounts(NamedTuple):
    """The four cells of a 2x2 table, in the order that every function here keeps."""

    tp: int
    fn: int
    fp: int
    tn: int


def one_case(reference: bool, response: bool) -> BinaryCounts:
    """Return the table of a single case, O(1).

    >>> one_case(True, False)
    BinaryCounts(tp=0, fn=1, fp=0, tn=0)
    """
    wrong = reference != response
    return BinaryCounts(
        tp=int(reference and response), fn=int(reference and wrong), fp=int(response and wrong),
        tn=int(not (reference or response)),
    )  # fmt: skip


def binary_counts(reference: BoolArray, response: BoolArray) -> BinaryCounts:
    """Count cases by what they are and what they were taken for.

    reference, response: (n,) bool.  O(n).

    >>> binary_counts(np.array([True, True, False]), np.array([True, False, False]))
    BinaryCounts(tp=1, fn=1, fp=0, tn=1)
    """
    tp = int(np.count_nonzero(reference & response))
    fn = int(np.count_nonzero(reference)) - tp
    fp = int(np.count_nonzero(response)) - tp
    return BinaryCounts(tp, fn, fp, reference.size - tp - fn - fp)


def category_counts(reference: npt.NDArray[np.intp], response: npt.NDArray[np.intp], categories: int) -> IntArray:
    """Count cases by the category they are of and the one they were taken for.

    reference, response: (n,) intp, codes below `categories`.  Returns (k, k) int64, a row for each reference.
    O(n + k²).

    >>> category_counts(np.array([0, 0, 1]), np.array([0, 1, 1]), 2)
    array([[1, 1],
           [0, 1]])
    """
    cells = categories * categories
    counts = np.zeros(cells, np.int64)
    step = max(blocks.BLOCK, cells)  # shorter blocks would add k² counts for fewer cases
    for start in range(0, reference.size, step):
        block = slice(start, start + step)
        counts += np.bincount(reference[block] * categories + response[block], minlength=cells)
    return counts.reshape(categories, categories)
