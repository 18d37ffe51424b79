"""The order of trec_eval, which breaks ties of scores by the ids of documents."""

from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError
from evalcore.kernels.segments import order_by_group
from evalcore.typing import IntArray, ScoreArray
from evalcore.validation.labels import encode_labels

_EXACT_IN_FLOAT32 = 1 << 24


def has_ties(groups: npt.NDArray[Any], scores: ScoreArray) -> bool:
    """Whether two items of a group have one score, in float32, so that trec_eval looks at their ids.  O(n log n)."""
    _, codes = encode_labels(groups)
    return order_by_group(codes, _single(scores)).starts.size < scores.size


def trec_scores(groups: IntArray, scores: ScoreArray, documents: Any) -> ScoreArray:
    """Return scores (n,) whose descending order is trec_eval's: by float32 score, then by document.  O(n log n)."""
    if documents is None:
        raise EvaluationError("documents must hold the ids of the items for ties='trec', got None")
    order, starts = order_by_group(groups, _single(scores))
    lengths = np.diff(starts, append=order.size)
    tied = np.flatnonzero(np.repeat(lengths > 1, lengths))
    runs = np.repeat(np.arange(starts.size), lengths)[tied]
    order[tied] = order[tied][_by_run_and_id(runs, documents[order[tied]])]
    ordered_scores: ScoreArray = np.empty(order.size, np.float32 if order.size <= _EXACT_IN_FLOAT32 else np.float64)
    ordered_scores[order] = np.arange(order.size, 0, -1)
    return ordered_scores


def _single(scores: ScoreArray) -> ScoreArray:
    with np.errstate(over="ignore", under="ignore"):
        return scores.astype(np.float32)


def _by_run_and_id(runs: IntArray, ids: npt.NDArray[Any]) -> IntArray:
    """Order the documents of each run by their ids, descending, as strings, the only ids of trec_eval."""
    texts = ids if ids.dtype.kind in "UST" else np.fromiter(map(str, ids.tolist()), object, ids.size)
    _, codes = encode_labels(texts)
    ordered = order_by_group(runs, codes.astype(np.float64))
    first = np.zeros(runs.size, np.bool_)
    first[ordered.starts] = True
    if not first.all():
        repeated = str(texts[ordered.order[int(first.argmin())]])
        raise EvaluationError(f"documents must be unique within a group, got {repeated!r} twice")
    return ordered.order
