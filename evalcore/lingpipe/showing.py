"""How evaluations show themselves in a notebook, and their obvious pictures."""

from typing import Any


class ShowsScores:
    """Tables and curves of scored cases.

    >>> from evalcore import ScoredPrecisionRecallEvaluation
    >>> issubclass(ScoredPrecisionRecallEvaluation, ShowsScores)
    True
    """

    __slots__ = ()

    def plot_roc(self, *, ax: Any = None, **options: Any) -> Any:
        """Draw the ROC curve and return its axes; see `evalcore.plots.plot_roc` for the options.

        >>> from evalcore import ScoredPrecisionRecallEvaluation
        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addCases([True, False, True], [0.9, 0.5, 0.1])
        >>> from matplotlib.figure import Figure
        >>> evaluation.plot_roc(ax=Figure().add_subplot()).get_xlabel()
        'false positive rate'
        """
        from evalcore.plots import plot_roc

        return plot_roc(self, ax=ax, **options)

    def plot_precision_recall(self, *, ax: Any = None, **options: Any) -> Any:
        """Draw precision against recall and return the axes; see `evalcore.plots.plot_precision_recall`.

        >>> from evalcore import ScoredPrecisionRecallEvaluation
        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addCases([True, False, True], [0.9, 0.5, 0.1])
        >>> from matplotlib.figure import Figure
        >>> evaluation.plot_precision_recall(ax=Figure().add_subplot()).get_xlabel()
        'recall'
        """
        from evalcore.plots import plot_precision_recall

        return plot_precision_recall(self, ax=ax, **options)

    def _repr_html_(self) -> str:
        from evalcore.report.html_repr import scores_html

        return scores_html(self)


class ShowsDecisions:
    """A table of the statistics of decisions.

    >>> from evalcore import PrecisionRecallEvaluation
    >>> issubclass(PrecisionRecallEvaluation, ShowsDecisions)
    True
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        from evalcore.report.html_repr import decisions_html

        return decisions_html(self)


class ShowsCounts:
    """Tables and a heat map of a confusion matrix.

    >>> from evalcore import ConfusionMatrix
    >>> issubclass(ConfusionMatrix, ShowsCounts)
    True
    """

    __slots__ = ()

    def plot(self, *, ax: Any = None, **options: Any) -> Any:
        """Draw the counts and the shares of the rows and return the axes; see `evalcore.plots.plot_confusion_matrix`.

        >>> from evalcore import ConfusionMatrix
        >>> from matplotlib.figure import Figure
        >>> len(ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]).plot(ax=Figure().add_subplot()).get_xticks())
        2
        """
        from evalcore.plots import plot_confusion_matrix

        return plot_confusion_matrix(self, ax=ax, **options)

    def _repr_html_(self) -> str:
        from evalcore.report.html_repr import counts_html

        return counts_html(self)


class ShowsRanks:
    """A bar graph of ranks for each category.

    >>> from evalcore import RankedClassifierEvaluator
    >>> issubclass(RankedClassifierEvaluator, ShowsRanks)
    True
    """

    __slots__ = ()

    def plot_rank_histograms(self, *, ax: Any = None, **options: Any) -> Any:
        """Draw at what rank each category was found and return the axes; see `evalcore.plots.plot_rank_histograms`.

        >>> from evalcore import RankedClassifierEvaluator
        >>> evaluator = RankedClassifierEvaluator(None, ["a", "b"])
        >>> evaluator.addRankings(["a"], [["b", "a"]])
        >>> from matplotlib.figure import Figure
        >>> evaluator.plot_rank_histograms(ax=Figure().add_subplot()) is not None
        True
        """
        from evalcore.plots import plot_rank_histograms

        evaluator: Any = self
        return plot_rank_histograms(evaluator, ax=ax, **options)


class ShowsFirsts:
    """Tables of what was answered first.

    >>> from evalcore import BaseClassifierEvaluator
    >>> issubclass(BaseClassifierEvaluator, ShowsFirsts)
    True
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        from evalcore.report.html_repr import firsts_html

        return firsts_html(self)
