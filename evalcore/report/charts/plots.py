"""The plots of a report."""

from evalcore.report.charts.classes import plots_of_classes
from evalcore.report.charts.curves import plots_of_scores
from evalcore.report.charts.groups import plots_of_groups
from evalcore.report.charts.images import Plot
from evalcore.report.model import Answer
from evalcore.report.question import Question


def plots_of(answer: Answer, question: Question) -> list[Plot]:
    """Return the plots of a report: curves of scores, areas of groups, a confusion matrix.

    question: what the report answers.  Infinite scores are not drawn, nor are labels of one class.  O(n log n) for each
    plot when it is drawn.
    """
    return [*plots_of_scores(answer, question), *plots_of_groups(answer, question), *plots_of_classes(answer, question)]
