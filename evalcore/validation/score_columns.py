"""Columns of labels and columns of scores of the same cases, one or many of either."""

from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, shortened
from evalcore.kernels.blocks import blocks, map_blocks
from evalcore.typing import AnyArray, BoolArray, ScoreArray
from evalcore.validation.array_likes import as_dense, as_scores_with_extent
from evalcore.validation.scores import LARGER_LABEL, as_scored_targets
from evalcore.validation.single_values import item_name
from evalcore.validation.weights import check_consistent_lengths


class ScoredColumns(NamedTuple):
    """Labels and scores of as many cases, at least one."""

    labels: BoolArray
    """Whether each case has each label, shape (n, k) or (n, 1)."""
    scores: ScoreArray
    """Finite scores, shape (n, k) or (n, 1)."""
    extent: tuple[float, float] | None
    """Numbers that no score is below or above, where they are known."""


def as_scored_columns(y_true: Any, y_score: Any) -> ScoredColumns:
    """Return labels and scores of one column or of k columns each.  O(n k)."""
    labels, scores = as_dense(y_true, "y_true"), as_dense(y_score, "y_score")
    for name, array in (("y_true", labels), ("y_score", scores)):
        if array.ndim not in (1, 2) or 0 in array.shape:
            raise EvaluationError(
                f"{name} must be an array of shape (n,) or (n, k), with a case and a column at least, "
                f"got shape {array.shape}"
            )
    check_consistent_lengths(labels, scores)
    widths = [array.shape[1] if array.ndim == 2 else 1 for array in (labels, scores)]
    if widths[0] != widths[1] and 1 not in widths:
        raise EvaluationError(
            f"y_true and y_score must have as many columns, or one of them a single column, got {widths[0]} and "
            f"{widths[1]}"
        )
    values, extent = as_scores_with_extent(scores.reshape(len(scores), -1), "y_score")
    return ScoredColumns(_as_label_columns(labels), values, extent)


def _as_label_columns(labels: AnyArray) -> BoolArray:
    if labels.ndim == 2 and labels.shape[1] > 1:
        return _as_indicators(labels)
    kind, cases = as_scored_targets(labels, np.zeros(len(labels)), None, LARGER_LABEL)
    if kind != "binary":
        raise EvaluationError(f"{kind} format is not supported")
    return cases.labels[:, np.newaxis]


def _as_indicators(labels: AnyArray) -> BoolArray:
    """Return Booleans, or numbers that are exactly 0 or 1, as (n, k) bool."""
    if labels.dtype.kind == "b":
        return labels
    if labels.dtype.kind not in "iuf":
        raise EvaluationTypeError(
            f"y_true must hold Booleans, or the numbers 0 and 1, in each of several columns, got dtype {labels.dtype}; "
            "compare it with the positive label first, as in y_true == 'yes'"
        )
    mask = np.empty_like(labels, np.bool_)
    # negative ones become large; the bytes of other machines stay in their order
    unsigned = labels.view(labels.dtype.str.replace("i", "u")) if labels.dtype.kind in "iu" else None

    def mark(rows: slice) -> bool:
        part = labels[rows]
        np.not_equal(part, 0, out=mask[rows])
        if unsigned is not None:
            return bool(unsigned[rows].max(initial=0) <= 1)
        return bool(np.all(mask[rows] == part))

    marked = map_blocks(mark, *labels.shape)
    for rows, allowed in zip(blocks(*labels.shape), marked, strict=True):
        if not allowed:
            row, column = map(int, np.argwhere(mask[rows] != labels[rows])[0])
            raise _not_an_indicator(labels[rows][row, column], item_name("y_true", rows.start + row, column))
    return mask


def _not_an_indicator(value: Any, item: str) -> EvaluationError:
    return EvaluationError(f"{item} must be 0 or 1, or a Boolean, got {shortened(str(value))}")
