"""What a report can draw when it is asked to: the plots of `evalcore.plots`, of the cases and counts that it holds."""

from collections.abc import Callable
from typing import Any

import numpy as np

from evalcore import plots
from evalcore.document.charts import plots as charts
from evalcore.document.shown import decisions_of, model_records
from evalcore.document.tables import class_sections, confusion_counts
from evalcore.errors import EvaluationError, did_you_mean, refuse
from evalcore.evaluation.cases import probabilities
from evalcore.evaluation.catalogue import catalogue_name
from evalcore.evaluation.model import Answer
from evalcore.evaluation.question import Question
from evalcore.evaluation.thresholds import section_name
from evalcore.kernels.tables import BinaryCounts

_OF_PROBABILITIES = "plot_calibration", "plot_decision_curve"


def _scores(answer: Answer, question: Question, plot: str) -> dict[str, Any]:
    """Return the scores of each model that can be drawn, (n,) each."""
    refuse({f"{plot} needs scores; this report is of predicted classes": question.predicted})
    if answer.positive is None:
        raise EvaluationError(f"{plot} needs all rows in memory; this report keeps none")
    if (found := answer.positive.all()) or not answer.positive.any():
        kind = "positive" if found else "negative"
        raise EvaluationError(f"{plot} needs positive and negative cases; all cases are {kind}")
    columns = charts.drawn_scores(answer)
    refuse({f"{plot} needs finite scores; every model has infinite ones": not columns})
    if plot in _OF_PROBABILITIES and not (columns := probabilities(columns)):
        raise EvaluationError(f"{plot} needs probabilities between 0 and 1; no model has them")
    return columns


def _decisions_of_one_model(answer: Answer, question: Question) -> BinaryCounts:
    """Return the decisions at the first threshold, or at the one that reaches the first target."""
    records = model_records(answer.sections)
    found = dict(next(iter(records.values()), {}))
    if not question.thresholds and question.targets and len(records) == 1:
        found = decisions_of(answer.sections, next(iter(records)), section_name(question.targets[0]))
    counts = [found[name].value for name in BinaryCounts._fields if name in found]
    if len(records) != 1 or not counts or np.isnan(counts).any():
        no_threshold = "no threshold that reaches the target" if counts else "no threshold"
        lacking = no_threshold if len(records) == 1 else f"{len(records)} models"
        needs = "classes, or one model and a threshold"
        raise EvaluationError(f"plot_confusion_matrix needs {needs}; this report has {lacking}")
    return BinaryCounts._make(counts)


_DOCUMENTED = """Draw {what}, and return the axes.

        Parameters are those of `evalcore.plots.{name}`, such as `ax`.  Raises EvaluationError if the report holds no
        scores that can be drawn so, or labels of one class only.  Scores of classes are drawn as each class against the
        rest, of the ten most frequent ones.  O(n log n) for each model.

        >>> from matplotlib.figure import Figure
        >>> report = evalcore.evaluate({{"late": [1, 0], "model": [0.9, 0.1]}}, label="late", score="model")
        >>> report.{name}(ax=Figure().add_subplot(), title="Flights").get_title()
        'Flights'
        """


def _of_scores(name: str, what: str) -> Callable[..., Any]:
    """Return the method of a report that draws its scores by a function of `evalcore.plots`."""

    def method(self: "DrawnReport", **options: Any) -> Any:
        answer, question, plot = self.answer.whole, self.question, getattr(plots, name)
        asked = {**charts.options_of(plot, question), **options}
        if (cases := answer.class_scores) is not None:
            if (found := class_sections(answer.sections)) is None:
                raise EvaluationError("a report by groups holds no scores of classes to draw")
            return plot(charts.cases_of_classes(cases, charts.drawn_classes(cases, found.classes)), **asked)
        scores = _scores(answer, question, name)
        if answer.weights is None:
            return plot(answer.positive, scores, **asked)
        models = charts.models_of(answer.ranked, question.weighting)
        return plot({model: models(model) for model in scores}, **asked)

    method.__name__, method.__qualname__ = name, f"DrawnReport.{name}"
    method.__doc__ = _DOCUMENTED.format(name=name, what=what)
    return method


class DrawnReport:
    """A report's plots: each is a function of `evalcore.plots`, called with the columns that the report is of."""

    answer: Answer
    question: Question

    plot_roc = _of_scores("plot_roc", "ROC curves, with intervals and the threshold that the report was asked for")
    plot_precision_recall = _of_scores("plot_precision_recall", "precision-recall curves, with the same")
    plot_thresholds = _of_scores("plot_thresholds", "precision, recall and F1 against the threshold")
    plot_score_distributions = _of_scores("plot_score_distributions", "the distributions of scores")
    plot_calibration = _of_scores("plot_calibration", "calibration curves of the models whose scores are probabilities")
    plot_decision_curve = _of_scores("plot_decision_curve", "the net benefit of models whose scores are probabilities")
    plot_gains = _of_scores("plot_gains", "cumulative gains")

    def plot_groups(self, measure: str | None = None, **options: Any) -> Any:
        """Draw a statistic of each group, by default the first that was asked for, and return the axes.  O(groups).

        Parameters
        ----------
        measure : str, optional
            The name of a statistic, such as "recall"; if no measures were named, by default the ROC AUC or else the
            accuracy.
        **options : Any
            Those of `evalcore.plots.plot_groups`, such as `ax`, or ``kind="time"`` for groups that are dates.

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
        answer, asked_for = self.answer.whole, measure or next(iter(self.question.measures.names), None)
        sections = [each for each in answer.sections if each.whole and each.whole == answer.sections[0].whole]
        refuse({"plot_groups needs groups of rows; name their column by the option `by` of evaluate": not sections})
        known = sections[0].statistics
        name = catalogue_name(asked_for) if asked_for else "roc_auc" if "roc_auc" in known else "accuracy"
        if name not in known:
            near = did_you_mean(name, known) or f"; these are {', '.join(known)}"
            raise EvaluationError(f"measure must be a statistic of the groups, got {name!r}{near}")
        found = {each.name: [item for _, (item,) in each.columns.only([name]).in_turn()] for each in sections}
        if options.keys() & {"low", "high"}:  # the bounds are given, or None
            found = {model: [item._replace(interval=None) for item in items] for model, items in found.items()}
        drawn, total = charts.estimates_of(found)
        sizes, title = sections[0].columns.column("cases")[:-1].tolist(), sections[0].columns.titles[name]
        return plots.plot_groups(
            sections[0].groups, drawn, **{"total": total, "sizes": sizes, "measure": title, **options}
        )

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
        answer = self.answer.whole
        if (matrix := confusion_counts(answer.sections)) is not None:
            cells = charts.cells_of_matrix(matrix.counts, list(matrix))
        else:
            tp, fn, fp, tn = _decisions_of_one_model(answer, self.question)
            cells = charts.cells_of_matrix(np.array([[tn, fp], [fn, tp]]), ["negative", "positive"])
        return plots.plot_confusion_matrix(**{**cells, **options})
