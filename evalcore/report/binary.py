"""Statistics of score columns against a binary label: the rows of ``evalcore report``."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from evalcore.kernels.pairs import pair_counts
from evalcore.kernels.tables import BinaryCounts, binary_counts
from evalcore.kernels.tie_groups import first_correct_group, tie_group_at
from evalcore.measures import agreement, binary, curves, ranks
from evalcore.report.class_scores import class_scores
from evalcore.report.intervals import decision_intervals, ranking_intervals, with_intervals
from evalcore.report.model import Section, Statistic
from evalcore.state.scored_cases import ScoredCases
from evalcore.typing import BoolArray
from evalcore.validation.arrays import as_cases

_DEPTHS = 5, 10, 100, 1000


def binary_report(
    positive: BoolArray, scores: Mapping[str, Any], threshold: float | None = None, level: float | None = None
) -> Section:
    """Evaluate score columns against one label column.

    Parameters
    ----------
    positive : (n,) bool
        Positive rows.
    scores : mapping of str to (n,) array
        Score columns.
    threshold : float, optional
        Where given, rows with a score of at least this are taken for positive, and counted.  It is read in
        the width of the scores, so that 0.7 finds the 0.7 of a float32 column.
    level : float, optional
        Where given, statistics have intervals of this level beside them.

    Returns
    -------
    Section
        A record for each column.  O(n log n) for each.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If a column holds NaN or what are no numbers.

    Examples
    --------
    >>> section = binary_report(np.array([True, False]), {"model": np.array([0.9, 0.1])})
    >>> section.records["model"][3]
    Statistic(name='roc_area', title='ROC area', value=1.0, interval=None)
    """
    records = {name: _statistics(positive, column, name, threshold, level) for name, column in scores.items()}
    return Section("scores", "", "score", records, across=True)


def _statistics(
    positive: BoolArray, column: Any, name: str, threshold: float | None, level: float | None
) -> list[Statistic]:
    cases = ScoredCases()
    cases.extend(*as_cases(positive, column, ("label", f"column {name!r}")))
    found = list(ranking_statistics(cases))
    intervals = {} if level is None else ranking_intervals(cases.correct, cases.scores, level)
    if threshold is not None:
        with np.errstate(over="ignore"):  # beyond float32 is infinite
            predicted = cases.scores >= cases.scores.dtype.type(threshold)
        counts = binary_counts(cases.correct, predicted)
        found += [Statistic("threshold", "at threshold", threshold), *decision_statistics(counts)]
        intervals |= {} if level is None else decision_intervals(counts, level)
    return with_intervals(found, intervals)


def decision_statistics(counts: BinaryCounts) -> Iterator[Statistic]:
    """Yield counts and what is made of them, fractions of either class as `class_scores` has them.  O(1).

    >>> next(decision_statistics(BinaryCounts(1, 2, 3, 4))).title
    'true positives'
    """
    tp, fn, fp, tn = counts
    positive, negative = class_scores(tp, fn, fp), class_scores(tn, fp, fn)
    yield Statistic("tp", "true positives", tp)
    yield Statistic("fn", "false negatives", fn)
    yield Statistic("fp", "false positives", fp)
    yield Statistic("tn", "true negatives", tn)
    yield Statistic("accuracy", "accuracy", float(binary.accuracy(*counts)))
    yield Statistic("recall", "recall", float(positive.recall))
    yield Statistic("precision", "precision", float(positive.precision))
    yield Statistic("specificity", "specificity", float(negative.recall))
    yield Statistic("negative_predictive_value", "negative predictive value", float(negative.precision))
    yield Statistic("f1", "F1", float(positive.f1))
    yield Statistic("jaccard", "Jaccard index", float(binary.jaccard(tp, fn, fp)))
    yield Statistic("kappa", "Cohen's kappa", float(agreement.kappa(tp + tn, (tp + fn, fp + tn), (tp + fp, fn + tn))))
    yield Statistic("phi_squared", "phi squared", float(binary.phi_squared(*counts)))
    yield Statistic("chi_squared", "chi squared", float(binary.chi_squared(*counts)))
    yield Statistic("yules_q", "Yule's Q", float(binary.yules_q(*counts)))


def areas(cases: ScoredCases) -> Iterator[Statistic]:
    """Yield the ROC area, ties counting half, and the average precision.  O(n log n).

    >>> cases = ScoredCases()
    >>> cases.extend(np.array([True, False]), np.array([0.5, 0.5]))
    >>> [statistic.value for statistic in areas(cases)]
    [0.5, 0.5]
    """
    positives = cases.positives
    area = curves.roc_area(pair_counts(cases.ordering.keys), positives, cases.negatives)
    yield Statistic("roc_area", "ROC area", area)
    yield Statistic("average_precision", "average precision", curves.average_precision(cases.points, positives))


def ranking_statistics(cases: ScoredCases) -> Iterator[Statistic]:
    """Yield what is reported of a ranking by score.  O(n log n).

    >>> next(ranking_statistics(ScoredCases())).value
    0
    """
    ordering, points = cases.ordering, cases.points
    positives, negatives = cases.positives, cases.negatives
    best = curves.maximum_f_measure(points, positives)
    first = first_correct_group(ordering.keys)
    yield Statistic("cases", "cases", cases.size)
    yield Statistic("positives", "positives", positives)
    yield Statistic("prevalence", "prevalence", float(binary.prevalence(positives, 0, 0, negatives)))
    yield from areas(cases)
    yield Statistic("maximum_f1", "maximum F1", best.value if best.predicted_positive else 0.0)
    best_score = ordering.scores(np.array([best.predicted_positive - 1]))[0] if best.predicted_positive else np.nan
    yield Statistic("maximum_f1_score", "  at score", float(best_score))
    yield Statistic("break_even_point", "break-even point", curves.break_even_point(points, positives))
    yield Statistic("r_precision", "R-precision", _precision_at(cases, positives))
    for depth in _DEPTHS:
        yield Statistic(f"precision_at_{depth}", f"precision at {depth:,}", _precision_at(cases, depth))
    yield Statistic("reciprocal_rank", "reciprocal rank", ranks.reciprocal_rank(first) if first else 0.0)


def _precision_at(cases: ScoredCases, depth: int) -> float:
    if not 0 < depth <= cases.size:
        return np.nan
    return ranks.precision_at(tie_group_at(cases.ordering.keys, depth - 1), depth)
