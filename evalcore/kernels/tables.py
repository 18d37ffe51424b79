"""Counting cases into tables."""

from typing import NamedTuple

import numpy as np

from evalcore.typing import BoolArray


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
