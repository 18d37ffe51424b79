"""RankedClassifierEvaluator, spec 003: the ranks that a classifier gives to the right categories."""

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

import numpy as np

from evalcore.errors import EvaluationTypeError
from evalcore.kernels.label_ranks import ranks_in_rankings
from evalcore.kernels.sums import ratio
from evalcore.lingpipe.base_classifier_evaluator import BaseClassifierEvaluator
from evalcore.lingpipe.classifications import Classification, RankedClassification, RankedRows
from evalcore.lingpipe.printing import histogram_lines, printed
from evalcore.measures import ranks
from evalcore.state.tables import CaseBatch
from evalcore.typing import IntArray
from evalcore.validation.arrays import check_equal_lengths
from evalcore.validation.categories import as_code, as_rankings, as_reference_codes, check_rank
from evalcore.validation.values import takes_no_weights


class RankedClassifierEvaluator(BaseClassifierEvaluator, live="addRankings"):
    """Collect rankings of categories, and report the ranks of the right ones.

    Ranks count from 0.  A category that a ranking lacks, or names after the k-th, has the last rank.  Constructor and
    first-best statistics as in `BaseClassifierEvaluator`.  Cases have no weights here:
    `evalcore.metrics.top_k_accuracy_score` and `evalcore.evaluate` take them.  Source: spec 003.

    Threads may add to one object and ask it at once: no case is lost, and an answer is of one moment.

    >>> evaluator = _example()
    >>> evaluator.averageRank("b", "c"), evaluator.rankCount("b", 2)
    (1.5, 1)
    """

    _ANSWER: ClassVar[type[Classification]] = RankedClassification

    @takes_no_weights("top_k_accuracy_score")
    def addRankings(self, references: Any, rankings: Any, inputs: Sequence[Any] | None = None) -> None:
        """Add many rankings, as one `addClassification` for each would.  O(n (r + k²)).

        Parameters
        ----------
        references : array-like of shape (n,)
            Names of categories.
        rankings : array-like of shape (n, r)
            Names, best first; None or an unknown name where nothing is ranked.  Or codes, which index `categories`, -1
            where nothing is ranked, unless the names themselves are integers.
        inputs : sequence of n objects, optional
            For evaluators that store inputs.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If a reference or a first-best category is unknown, or lengths differ.  Nothing is added.

        Examples
        --------
        >>> evaluator = RankedClassifierEvaluator(None, ["a", "b", "c"])
        >>> evaluator.addRankings(["a", "c"], [["a", "b", "c"], ["b", "c", None]])
        >>> evaluator.meanReciprocalRank()
        0.75
        """
        if self._COLUMNS:
            raise EvaluationTypeError(f"a {type(self).__name__} takes rankings with scores; use addScores")
        reference = as_reference_codes(references, self._codes, "references")
        codes, names = as_rankings(rankings, self._codes, "rankings")
        check_equal_lengths(reference, codes, "references", "rankings")
        batch = CaseBatch(reference, ranks_in_rankings(codes, self.numCategories()))
        objects = self._checked_inputs(inputs, reference.size)
        kept = None if names is None or self._cases.objects is None else names.copy()
        self._add(self._cases, batch, RankedRows(objects, codes, kept, self._categories))

    def rankCount(self, referenceCategory: Hashable, rank: int) -> int:
        """Return the number of cases of a category whose right answer has a rank.  O(1).

        Parameters
        ----------
        referenceCategory : hashable
            One of `categories`.
        rank : int
            From 0 to numCategories - 1.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If the category is unknown, or the rank out of range or not an integer.

        Examples
        --------
        >>> [_example().rankCount("a", rank) for rank in range(3)]
        [3, 1, 0]
        """
        code = as_code(referenceCategory, self._codes, "referenceCategory")
        return int(self._cases.tallies.counts[code, check_rank(rank, "rank", self.numCategories())])

    def rank_counts(self) -> IntArray:
        """Return a copy of the counts by category and by the rank it was given, shape (k, k) int64.  O(k²).

        >>> _example().rank_counts().tolist()
        [[3, 1, 0], [1, 0, 1], [1, 0, 0]]
        """
        return self._cases.tallies.counts.copy()

    def averageRank(self, refCategory: Hashable, responseCategory: Hashable) -> float:
        """Return the mean rank of a category over the cases of another, in 0 .. k - 1; NaN without cases.  O(k).

        Parameters
        ----------
        refCategory, responseCategory : hashable
            The category of the cases, and the one whose rank is averaged.

        Raises
        ------
        EvaluationError
            If a category is unknown.

        Examples
        --------
        >>> _example().averageRank("a", "c")
        1.75
        """
        code = as_code(refCategory, self._codes, "refCategory")
        response = as_code(responseCategory, self._codes, "responseCategory")
        return float(ratio(self._cases.tallies.sums[code, response], self._cases.tallies.firsts[code].sum()))

    def averageRankReference(self) -> float:
        """Return the mean rank of the right category, in 0 .. k - 1; NaN without cases.  O(k²).

        >>> round(_example().averageRankReference(), 2)
        0.43
        """
        return float(ranks.mean_rank(self._cases.tallies.counts.sum(axis=0)))

    def meanReciprocalRank(self) -> float:
        """Return the mean of 1 / (1 + rank) of the right category, in 0 .. 1; NaN without cases.  O(k²).

        >>> round(_example().meanReciprocalRank(), 2)
        0.83
        """
        return float(ranks.mean_reciprocal_rank(self._cases.tallies.counts.sum(axis=0)))

    def plot_rank_histograms(self, *, ax: Any = None, **options: Any) -> Any:
        """Draw for each category a bar graph of the ranks that its cases were given.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; if left out, in a new figure.
        **options
            As `evalcore.plots.plot_rank_histograms` takes them.

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> [text.get_text() for text in _example().plot_rank_histograms(ax=Figure().add_subplot()).texts[:3]]
        ['3', '1', '0']
        """
        from evalcore.plots import plot_rank_histograms

        return plot_rank_histograms(self, ax=ax, **options)

    def _global_lines(self) -> list[str]:
        return [f"Average Reference Rank={printed(self.averageRankReference())}"]

    def _category_lines(self, code: int, names: str) -> list[str]:
        tallies = self._cases.tallies
        averages = np.asarray(ratio(tallies.sums[code], tallies.firsts[code].sum()))
        return [
            histogram_lines("Rank Histogram", names, tallies.counts[code]),
            histogram_lines("Average Rank Histogram", names, averages),
        ]


def _example() -> RankedClassifierEvaluator:
    """Return the seven cases of spec 003."""
    evaluator = RankedClassifierEvaluator(None, ["a", "b", "c"])
    evaluator.addRankings(
        list("aaaabbc"), [list(ranking) for ranking in ("abc", "acb", "abc", "bac", "bac", "acb", "cba")]
    )
    return evaluator
