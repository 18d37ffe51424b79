"""What changed hands between two models: cases newly right and newly wrong, and the largest changes of scores."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.evaluation.cases import PairedCases, PairedClasses
from evalcore.evaluation.differences import ChangedCase, Changes
from evalcore.evaluation.question import Question
from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray

OUTCOMES = "newly_right", "newly_wrong", "right_in_both", "wrong_in_both"
"""Names of the counts of `Changes`."""


class ScoreChanges(NamedTuple):
    """What changed between the scores of the old model and those of a new one."""

    changes: Sequence[Changes]
    """One for each threshold."""
    risen: Sequence[ChangedCase]
    """The largest change first."""
    fallen: Sequence[ChangedCase]


class _Largest(NamedTuple):
    """The rows with the largest values, the largest first, and these values."""

    rows: IntArray
    values: FloatArray


def score_changes(cases: PairedCases, question: Question) -> list[ScoreChanges]:
    """Return what changed for each new model, of n > 0 cases.  O(n) for each and threshold, in memory of a block."""
    return [_changes_of_model(cases, model, question.thresholds, question.changed) for model in cases.new]


def class_changes(cases: PairedClasses, question: Question) -> list[Changes]:
    """Return what changed for each new model, with the first cases of each kind.  O(n) for each."""
    return [_changes_of_classes(cases, model, question.changed) for model in cases.new]


def outcome_counts(old_right: BoolArray, new_right: BoolArray) -> IntArray:
    """Count rows by `OUTCOMES`; the masks: (n,).  Returns (4,).  O(n).

    >>> outcome_counts(np.array([True, True, False]), np.array([True, False, True])).tolist()
    [1, 1, 1, 0]
    """
    both, old, new = (int(np.count_nonzero(mask)) for mask in (old_right & new_right, old_right, new_right))
    return np.array([new - both, old - both, both, old_right.size - old - new + both])


def largest(values: AnyArray, count: int) -> IntArray:
    """Return the indices of the largest of (n,) values, the largest first, equal ones in their order.  O(n).

    >>> largest(np.array([1.0, 3.0, 2.0, 3.0, 2.0]), 3).tolist()
    [1, 3, 2]
    """
    if values.size > count > 0:
        least = np.partition(values, values.size - count)[values.size - count]
        above = np.flatnonzero(values > least)
        chosen = np.concatenate([above, np.flatnonzero(values == least)[: count - above.size]])
    else:
        chosen = np.arange(min(values.size, count))
    order: IntArray = chosen[np.argsort(-values[chosen], kind="stable")]
    return order


def id_of(ids: npt.NDArray[Any] | None, row: int) -> Any:
    """Return the id of a row, which without ids is its index.  O(1)."""
    return row if ids is None else _plain(ids[row])


def _changes_of_model(cases: PairedCases, model: str, thresholds: Sequence[float], most: int) -> ScoreChanges:
    old, new, positive = cases.scores[cases.old], cases.scores[model], cases.positive
    label_of = positive.__getitem__ if cases.labels is None else cases.labels.of
    least = [0.0] * (2 + 2 * len(thresholds))
    """What a change must reach to be among the largest: what those of some block have reached."""

    def of_block(block: slice) -> tuple[list[IntArray], list[_Largest]]:
        first, second, truth = old[block], new[block], positive[block]
        change = _change(first, second)
        counts, sides = [], [(change > 0, change), (change < 0, -change)]
        for threshold in thresholds:
            rights = [are_at_or_above(scores, threshold) == truth for scores in (first, second)]
            counts.append(outcome_counts(*rights))
            size = np.abs(change)
            sides += [(rights[1] > rights[0], size), (rights[0] > rights[1], size)]
        found = []
        for index, (mask, values) in enumerate(sides):
            largest_of_block = _largest_where(mask & (values >= least[index]), values, most)
            if largest_of_block.rows.size == most > 0:
                least[index] = max(least[index], float(largest_of_block.values[-1]))
            found.append(largest_of_block._replace(rows=largest_of_block.rows + block.start))
        return counts, found

    of_blocks = map_blocks(of_block, positive.size)
    counts = np.sum([counts for counts, _ in of_blocks], axis=0)
    risen, fallen, *changed = (
        [ChangedCase(id_of(cases.ids, row), *map(_plain, (label_of(row), old[row], new[row]))) for row in rows]
        for rows in (_merged(parts, most) for parts in zip(*(found for _, found in of_blocks), strict=True))
    )
    at_thresholds = zip(thresholds, map(_by_outcome, counts), changed[::2], changed[1::2], strict=True)
    return ScoreChanges([Changes(*each) for each in at_thresholds], risen, fallen)


def _changes_of_classes(cases: PairedClasses, model: str, most: int) -> Changes:
    old, new, names = cases.predicted[cases.old], cases.predicted[model], cases.categories
    rights = [codes == cases.labels for codes in (old, new)]
    newly_right, newly_wrong = (
        [
            ChangedCase(id_of(cases.ids, row), *(names[codes[row]] for codes in (cases.labels, old, new)))
            for row in np.flatnonzero(mask)[:most].tolist()
        ]
        for mask in (rights[1] > rights[0], rights[0] > rights[1])
    )
    return Changes(None, _by_outcome(outcome_counts(*rights)), newly_right, newly_wrong)


def _by_outcome(counts: IntArray) -> dict[str, int]:
    return dict(zip(OUTCOMES, counts.tolist(), strict=True))


def _change(old: ScoreArray, new: ScoreArray) -> FloatArray:
    """Return how far each score rose, (n,); equal infinite scores did not change.  O(n)."""
    with np.errstate(invalid="ignore"):
        change = new.astype(np.float64) - old
    change[new == old] = 0.0
    return change


def _largest_where(mask: BoolArray, values: FloatArray, count: int) -> _Largest:
    """Return the rows of a mask with the largest values.  O(n)."""
    rows = np.flatnonzero(mask)
    rows = rows[largest(values[rows], count)]
    return _Largest(rows, values[rows])


def _merged(parts: Sequence[_Largest], count: int) -> list[int]:
    """Return the rows with the largest values of all parts, which are in the order of their rows.  O(parts count)."""
    rows, values = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    # within a part equal values stand in the order of rows, and parts follow each other
    found: list[int] = rows[largest(values, count)].tolist()
    return found


def _plain(value: Any) -> Any:
    """Return a number of NumPy as one of Python, and anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value
