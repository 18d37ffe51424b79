"""The comparison of models in data frames, and how it is shown and converted."""

from dataclasses import dataclass

from evalcore.comparison.model import ComparisonAnswer
from evalcore.comparison.question import CompareQuestion


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonReport:
    """Differences of measures between an old model and new ones, with intervals, tests and verdicts.

    >>> columns = {"late": [1, 0, 1, 0], "base": [0.9, 0.2, 0.4, 0.6], "forest": [0.7, 0.3, 0.8, 0.1]}
    >>> report = evalcore.compare(columns, label="late", score="forest", old_score="base")
    >>> report.answer.old
    'base'
    """

    answer: ComparisonAnswer
    question: CompareQuestion
