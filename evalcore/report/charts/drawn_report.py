"""The plots of a report, as methods."""

from functools import cached_property
from typing import Any

from evalcore.evaluation.model import Answer
from evalcore.evaluation.question import Question
from evalcore.report.charts.drawing import draw_confusion_matrix, draw_groups, draw_scores


class DrawnReport:
    """A report's plots: each is a function of `evalcore.plots`, called with the columns that the report is of."""

    answer: Answer
    question: Question

    @cached_property
    def _whole(self) -> Answer:
        """Return the answer with all statistics, which words and charts need."""
        return self.answer.whole

    def _drawn(self, name: str, options: dict[str, Any]) -> Any:
        """Draw the scores by a function of `evalcore.plots`."""
        from evalcore import plots

        return draw_scores(self._whole, self.question, getattr(plots, name), options)

    def plot_roc(self, **options: Any) -> Any:
        """Draw ROC curves, with intervals and the threshold that the report was asked for, and return the axes.

        Parameters
        ----------
        **options : Any
            Those of `evalcore.plots.plot_roc`, such as `ax`.

        Raises
        ------
        EvaluationError
            If the report holds no scores, or labels of one class only.

        Notes
        -----
        Scores of classes are drawn as each class against the rest, of the eight most frequent ones.  O(n log n) for
        each model.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> report = evalcore.evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model")
        >>> report.plot_roc(ax=Figure().add_subplot()).get_lines()[0].get_label()
        'model, AUC = 1.000'
        """
        return self._drawn("plot_roc", options)

    def plot_precision_recall(self, **options: Any) -> Any:
        """Draw precision-recall curves, and return the axes.

        Parameters
        ----------
        **options : Any
            Those of `evalcore.plots.plot_precision_recall`, such as `ax`.

        Raises
        ------
        EvaluationError
            If the report holds no scores, or labels of one class only.

        Notes
        -----
        Scores of classes are drawn as each class against the rest, of the eight most frequent ones.  O(n log n) for
        each model.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> report = evalcore.evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model")
        >>> report.plot_precision_recall(ax=Figure().add_subplot(), title="Flights").get_title()
        'Flights'
        """
        return self._drawn("plot_precision_recall", options)

    def plot_thresholds(self, **options: Any) -> Any:
        """Draw precision, recall and F1 against the threshold, and return the axes.

        Parameters
        ----------
        **options : Any
            Those of `evalcore.plots.plot_thresholds`, such as `ax`.

        Raises
        ------
        EvaluationError
            If the report holds no scores, or labels of one class only.

        Notes
        -----
        Scores of classes are drawn as each class against the rest, of the eight most frequent ones.  O(n log n) for
        each model.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> report = evalcore.evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model")
        >>> report.plot_thresholds(ax=Figure().add_subplot(), title="Flights").get_title()
        'Flights'
        """
        return self._drawn("plot_thresholds", options)

    def plot_score_distributions(self, **options: Any) -> Any:
        """Draw the distributions of scores, and return the axes.

        Parameters
        ----------
        **options : Any
            Those of `evalcore.plots.plot_score_distributions`, such as `ax`.

        Raises
        ------
        EvaluationError
            If the report holds no scores, or labels of one class only.

        Notes
        -----
        Scores of classes are drawn as each class against the rest, of the eight most frequent ones.  O(n log n) for
        each model.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> report = evalcore.evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model")
        >>> report.plot_score_distributions(ax=Figure().add_subplot(), title="Flights").get_title()
        'Flights'
        """
        return self._drawn("plot_score_distributions", options)

    def plot_calibration(self, **options: Any) -> Any:
        """Draw calibration curves of the models whose scores are probabilities, and return the axes.

        Parameters
        ----------
        **options : Any
            Those of `evalcore.plots.plot_calibration`, such as `ax`.

        Raises
        ------
        EvaluationError
            If the report holds no scores, or labels of one class only.

        Notes
        -----
        Scores of classes are drawn as each class against the rest, of the eight most frequent ones.  O(n log n) for
        each model.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> report = evalcore.evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model")
        >>> report.plot_calibration(ax=Figure().add_subplot(), title="Flights").get_title()
        'Flights'
        """
        return self._drawn("plot_calibration", options)

    def plot_decision_curve(self, **options: Any) -> Any:
        """Draw the net benefit of the models whose scores are probabilities, and return the axes.

        Parameters
        ----------
        **options : Any
            Those of `evalcore.plots.plot_decision_curve`, such as `ax`.

        Raises
        ------
        EvaluationError
            If the report holds no scores, or labels of one class only.

        Notes
        -----
        Scores of classes are drawn as each class against the rest, of the eight most frequent ones.  O(n log n) for
        each model.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> report = evalcore.evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model")
        >>> report.plot_decision_curve(ax=Figure().add_subplot(), title="Flights").get_title()
        'Flights'
        """
        return self._drawn("plot_decision_curve", options)

    def plot_gains(self, **options: Any) -> Any:
        """Draw cumulative gains, and return the axes.

        Parameters
        ----------
        **options : Any
            Those of `evalcore.plots.plot_gains`, such as `ax`.

        Raises
        ------
        EvaluationError
            If the report holds no scores, or labels of one class only.

        Notes
        -----
        Scores of classes are drawn as each class against the rest, of the eight most frequent ones.  O(n log n) for
        each model.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> report = evalcore.evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model")
        >>> report.plot_gains(ax=Figure().add_subplot(), title="Flights").get_title()
        'Flights'
        """
        return self._drawn("plot_gains", options)

    def plot_groups(self, measure: str | None = None, **options: Any) -> Any:
        """Draw a statistic of each group, by default the first that was asked for, and return the axes.  O(groups).

        Parameters
        ----------
        measure : str, optional
            The name of a statistic, such as "recall"; if no measures were named, by default the ROC AUC or else the
            accuracy.
        **options : Any
            Those of `evalcore.plots.plot_groups`, such as `ax`.

        Raises
        ------
        EvaluationError
            If the report has no groups, or lacks the statistic.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> columns = {"late": [1, 0, 1, 0], "model": [0.9, 0.1, 0.4, 0.5], "month": [1, 1, 2, 2]}
        >>> report = evalcore.evaluate(columns, label="late", score="model", by="month")
        >>> report.plot_groups(ax=Figure().add_subplot()).get_xlabel()
        'ROC AUC'
        """
        return draw_groups(self._whole, measure or next(iter(self.question.measures.names), None), options)

    def plot_confusion_matrix(self, **options: Any) -> Any:
        """Draw the cases by label and prediction, or those of one model at the threshold, and return the axes.

        Parameters
        ----------
        **options : Any
            Those of `evalcore.plots.plot_confusion_matrix`, such as `ax`.

        Raises
        ------
        EvaluationError
            If the report has neither classes nor one model and a threshold.

        Notes
        -----
        O(k²) for k classes.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> report = evalcore.evaluate({"a": [1, 0], "b": [1, 1]}, label="a", predicted="b")
        >>> report.plot_confusion_matrix(ax=Figure().add_subplot()).images[0].get_array().shape
        (2, 2)
        """
        return draw_confusion_matrix(self._whole, self.question, options)
