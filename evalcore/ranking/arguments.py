"""What `evalcore.ranking.evaluate` is given beside flat columns, checked."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError, shown
from evalcore.typing import FloatArray
from evalcore.validation.arrays import as_column, as_scores, check_equal_lengths
from evalcore.validation.single_values import check_count
from evalcore.validation.weights import as_non_negative_weights, check_weight_sum

WEIGHTS_OF_ITEMS = (
    "takes no sample_weight: ranks count items, so that weights of items mean nothing here; "
    "evalcore.metrics.roc_auc_score takes them, and weights={group: weight} weighs groups in means"
)
"""Why, after the name of a function."""
_MOST_MISSES = 1 << 30
"""Each takes one row."""


def as_grades(values: Any, name: str) -> npt.NDArray[Any]:
    """Return finite grades, (n,): numbers or Booleans.  O(n)."""
    column = as_column(values, name)
    if column.dtype.kind == "O":
        column = np.asarray(column.tolist())
    if column.dtype.kind in "biu":
        return column
    if column.dtype.kind == "f" and not np.isfinite(column).all():
        index = int(np.isfinite(column).argmin())
        raise EvaluationError(
            f"{name}[{index}] must be a finite grade, or -1 for an unjudged item, got {column[index]}"
        )
    return as_scores(column, name)


def check_whole_grades(columns: Mapping[str, npt.NDArray[Any]], measure: str) -> None:
    """Raise EvaluationError for grades that a measure of relevant items does not know; columns: (n,) by name.  O(n)."""
    for name, grades in columns.items():
        if grades.dtype.kind == "f" and (broken := np.flatnonzero(grades != np.rint(grades))).size:
            raise EvaluationError(
                f"{name} must hold Booleans or whole grades for {measure}, got {name}[{broken[0]}] = "
                f"{grades[broken[0]]}; the order is evaluate(groups, relevance, scores), and grades that are fractions "
                "need the least one of a relevant item, as in AP(rel=0.5)"
            )


def as_misses(misses: Any, names: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the groups and grades, (m,) each, of the items that were not retrieved; names: the groups, (n,).  O(m)."""
    if misses is None:
        return names[:0], np.empty(0)
    if hasattr(misses, "items"):
        misses = dict(misses.items())
        counts = [check_count(count, f"misses[{group!r}]", _MOST_MISSES) for group, count in misses.items()]
        if sum(counts) > _MOST_MISSES:
            raise EvaluationError(f"misses must be at most {_MOST_MISSES:,} in all, got {sum(counts):,}")
        are_objects = names.dtype.kind == "O"  # tuples among them
        groups = np.fromiter(misses, object, len(misses)) if are_objects else list(misses) or names[:0]
        groups = as_column(groups, "misses")
        return np.repeat(groups, counts), np.ones(sum(counts))
    if not isinstance(misses, tuple) or len(misses) != 2:
        raise EvaluationError("misses must be a mapping of groups to counts, or (groups, relevance)")
    groups, grades = as_column(misses[0], "misses[0]"), as_grades(misses[1], "misses[1]")
    check_equal_lengths(groups, grades, "misses[0]", "misses[1]")
    return groups, grades


def as_group_weights(weights: Any, names: npt.NDArray[Any]) -> FloatArray | None:
    """Return the weight of each group, (g,), if there are any.  O(g)."""
    if weights is None:
        return None
    if not hasattr(weights, "items"):
        raise EvaluationError(
            f"weights must be a mapping of groups to numbers, got {shown(weights)}; items have no weights, for ranks "
            "count them: evalcore.metrics.roc_auc_score takes sample_weight"
        )
    weights = dict(weights.items())
    lacking = [name for name in names.tolist() if name not in weights]
    if lacking:
        raise EvaluationError(f"weights must hold every group, but has no {lacking[0]!r}")
    given = as_non_negative_weights([weights[name] for name in names.tolist()], names.size, "weights", zeros=True)
    if given is not None:
        check_weight_sum(given, "weights")
    return given
