"""Lists of single cases: which rows they hold, and what readers asked to see beside them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from evalcore.evaluation.cases import AnyCases, PairedCases, PairedClasses
from evalcore.evaluation.differences import ChangedCase
from evalcore.evaluation.model import Mistake
from evalcore.evaluation.options import CHANGED
from evalcore.evaluation.question import Question
from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.typing import AnyArray, BoolArray, IntArray


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
    return np.asarray(chosen[np.argsort(-values[chosen], kind="stable")])


def first_rows(mask: BoolArray, size: AnyArray, most: int) -> list[int]:
    """Return the rows of a mask, (n,), with the largest sizes, (n,), in the order of `largest`.  O(n)."""
    least = [-np.inf]  # of the largest in some block: smaller ones are not among those of all

    def of_block(block: slice) -> IntArray:
        own = size[block]
        rows = np.flatnonzero(mask[block] & (own >= least[0]))
        rows = rows[largest(own[rows], most)]
        if rows.size == most > 0:
            least[0] = max(least[0], own[rows[-1]])
        return np.asarray(rows + block.start)

    rows = np.concatenate([np.empty(0, np.int64), *map_blocks(of_block, mask.size)])
    found: list[int] = rows[largest(size[rows], most)].tolist()
    return found


def plain(value: Any) -> Any:
    """Return a number of NumPy as one of Python, and anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def texts_of(cases: AnyCases, model: str, row: int) -> dict[str, str]:
    """Return the texts that are shown beside a case of a model, by their headings.  O(columns)."""
    return {heading: str(column[row]) for heading, column in cases.shown.get(model, {}).items()}


ValuesOf: TypeAlias = Callable[[int], Iterable[Any]]
"""Returns the label of a row, and its old and new value."""


def changed_cases(
    cases: AnyCases, model: str, values_of: ValuesOf, mask: BoolArray, *, size: AnyArray, most: int
) -> list[ChangedCase]:
    """Return those of a mask, (n,), with the largest changes of these sizes, (n,).  O(n)."""
    ids, rows = cases.ids, first_rows(mask, size, most)
    every = ((row, (row if ids is None else ids[row], *values_of(row))) for row in rows)
    return [ChangedCase._make((*map(plain, each), texts_of(cases, model, row))) for row, each in every]


def mistakes_of(cases: PairedCases | PairedClasses, question: Question) -> list[Mistake]:
    """Return for each model its mistakes with the highest confidence, equal ones in the order of rows.  O(n) for each.

    Confidence is how far a score is beyond the first threshold or, of scores of each class, the score of the predicted
    class; predicted classes without scores are equally certain.
    """
    found, most = list[Mistake](), CHANGED if question.mistakes is None else question.mistakes
    labels: AnyArray
    names: Sequence[Any]
    if isinstance(cases, PairedClasses):
        labels, names, label_of = cases.labels, cases.categories, None
    else:
        labels, names, label_of = cases.positive, ("negative", "positive"), cases.label_of
    for model, codes, scores, confidence in _decisions(cases, question.threshold):
        for row in first_rows(codes != labels, confidence, most):
            label = names[labels[row]] if label_of is None else label_of(row)
            label, predicted, score = map(plain, (label, names[codes[row]], None if scores is None else scores[row]))
            found.append(Mistake(model, row, label, predicted, score, texts_of(cases, model, row)))
    return found


def _decisions(
    cases: PairedCases | PairedClasses, threshold: float | None
) -> Iterator[tuple[str, IntArray, AnyArray | None, AnyArray]]:
    """Yield each model, the codes of its decisions, its scores if it has some, and its confidence, (n,) each.  O(n)."""
    if isinstance(cases, PairedClasses):
        for model, codes in cases.predicted.items():
            scored = cases.scored.get(model)
            scores = None if scored is None else scored.scores[np.arange(codes.size), codes]
            yield model, codes, scores, np.zeros(codes.size, np.int8) if scores is None else scores
        return
    assert threshold is not None
    for model, scores in cases.scores.items():
        with np.errstate(invalid="ignore"):
            beyond = np.abs(scores.astype(np.float64) - threshold)
        beyond[scores == threshold] = 0.0  # infinite ones too
        yield model, are_at_or_above(scores, threshold).astype(np.int64), scores, beyond
