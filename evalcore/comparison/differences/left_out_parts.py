"""Average precisions without each of few clusters whose cases lie in any part of tables."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from evalcore.comparison.differences.class_moments import PartClusters
from evalcore.inference.sampling_units import MOST_LEFT_OUT, SamplingUnits
from evalcore.kernels.score_bins import cut_points
from evalcore.kernels.sorted_weights import sort_weights
from evalcore.measures.left_out import average_precisions_left_out
from evalcore.streaming import ScoreSummary
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray

BYTES_OF_AN_ENTRY = 16
"""Of a sum of weights, and of what it is of."""

_NOTHING = np.empty(0, np.int64), np.empty(0)


class LeftOutClusters:
    """Sums of weights by cluster, class and interval of scores of each model, as long as clusters are few.

    summaries: by model; cells: the most intervals, where scores that share one count as tied.
    """

    def __init__(self, summaries: Mapping[str, ScoreSummary], cells: int) -> None:
        self._low = {model: _lowest_scores(summary, cells) for model, summary in summaries.items()}
        self._numbers: dict[Any, int] = {}
        """Of clusters, by their names."""
        self._entries: dict[str, tuple[IntArray, FloatArray]] = dict.fromkeys(summaries, _NOTHING)
        """By model, which cluster, interval and class, ascending, and their weight."""

    @property
    def few(self) -> bool:
        """Whether clusters are few so far."""
        return len(self._numbers) <= MOST_LEFT_OUT

    @property
    def bytes(self) -> int:
        """Memory that is taken.  O(models)."""
        return sum(keys.size for keys, _ in self._entries.values()) * BYTES_OF_AN_ENTRY

    def add(
        self, clusters: PartClusters, positive: BoolArray, scores: Mapping[str, ScoreArray], weights: AnyArray | None
    ) -> None:
        """Add cases, (n,) each.  O(n log n)."""
        if not self.few:
            return
        present, codes = np.unique(clusters.codes, return_inverse=True)
        names = clusters.names[present].tolist()
        numbers = np.array([self._numbers.setdefault(name, len(self._numbers)) for name in names])
        if not self.few:
            self._entries = dict.fromkeys(self._entries, _NOTHING)
            return
        own = np.ones(positive.size) if weights is None else weights.astype(np.float64, copy=False)
        for model, low in self._low.items():
            places = np.maximum(low.searchsorted(scores[model], side="right") - 1, 0)
            known, sums = self._entries[model]
            keys = np.concatenate([known, (numbers[codes] * low.size + places) * 2 + positive])
            found, inverse = np.unique(keys, return_inverse=True)
            added = np.bincount(inverse, np.concatenate([sums, own]), found.size)
            self._entries[model] = found, np.asarray(added, np.float64)

    def left_out(self, model: str, factors: FloatArray, *, known_prevalence: bool) -> FloatArray:
        """Return the average precisions of a model without each cluster, (u,); factors: of both classes.  O(u k)."""
        keys, sums = self._entries[model]
        positive, places = keys % 2 == 1, keys // 2
        clusters, cells = places // self._low[model].size, places % self._low[model].size
        ranked = sort_weights(cells.astype(np.float64), positive, sums * np.where(positive, *factors))
        return average_precisions_left_out(ranked, clusters, known_prevalence=known_prevalence)


def variance_left_out(values: FloatArray) -> float:
    """Return the jackknife's variance from estimates without each cluster, (u,).  O(u)."""
    units = SamplingUnits(np.array([values.size], np.float64), groups=np.zeros(values.size, np.int64))
    return float(units.variances_left_out(values)[0])


def _lowest_scores(summary: ScoreSummary, cells: int) -> FloatArray:
    """Return the lowest score of each of at most so many intervals, ascending.  O(k log k)."""
    intervals = summary._cases.cells.intervals
    if intervals.low.size <= cells:
        return intervals.low
    return np.concatenate([intervals.low[:1], cut_points(intervals, cells - 1)])
