"""Folds of a cross-validation: what is reported of all folds together, and models compared by their means over folds.

Models of two folds share most of their training data, so that no unbiased estimator of the variance of their mean
exists: a t-test that takes folds for independent finds differences where there are none.  The corrected resampled
t-test adds n_test / n_train, that of the mean fold, to the factor 1 / J of the variance of J differences.  Of folds
that are repeated, J counts those of all repeats.  Sources: Y. Bengio and Y. Grandvalet, No unbiased estimator of the
variance of K-fold cross-validation, Journal of Machine Learning Research 5 (2004) 1089-1105; C. Nadeau and Y. Bengio,
Inference for the generalization error, Machine Learning 52 (2003) 239-281; R. R. Bouckaert and E. Frank, Evaluating the
replicability of significance tests for comparing learning algorithms, PAKDD (2004) 3-12.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace as replaced
from functools import cache

import numpy as np

from evalcore.errors import check
from evalcore.evaluation.cases import AnyCases
from evalcore.evaluation.catalogue import RANKING, entry_of, measure_name, named_by
from evalcore.evaluation.differences import (
    Find,
    Measured,
    ModelDifferences,
)
from evalcore.evaluation.model import AT_THRESHOLD, FOLDS, ColumnRecords, Columns, Section, Whole
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.groups import GroupedRows, NameOrder, columns_text
from evalcore.inference import paired_t_test
from evalcore.inference.bootstrap import without_warnings
from evalcore.inference.intervals import Comparisons, nothing_to_compare
from evalcore.inference.significance_tests import CORRECTED_T

MEAN, DEVIATION, POOLED = "mean", "standard deviation", "pooled"
"""Records of all folds together."""
NOTES = (
    "folds share training data: their standard deviation tells how far apart they are, not how certain their mean is",
    "intervals are for the trained models, without the variation from other training data",
)
"""The second one where there are intervals."""
_COUNTS = {*named_by("stays"), *named_by("why_no_interval", "counts the cases")}


def tested_per_trained(folds: Sequence[str], columns: Sequence[str]) -> float:
    """Return n_test / n_train of the mean fold: R / (J - R) of J folds in R repeats, whatever their sizes.  O(J).

    folds: their names; columns: of which the last holds folds, and those before it repeats.  Raises EvaluationError for
    a single fold of a repeat.

    >>> tested_per_trained(["1", "2", "3", "4", "5"], ["fold"])
    0.25
    >>> tested_per_trained(["1, a", "1, b", "1, c", "2, a", "2, b", "2, c"], ["repeat", "fold"])
    0.5
    """
    repeats = Counter((*parts[: len(columns) - 1],) for parts in NameOrder(folds).parts.values())
    least = min(repeats.values())
    check(least > 1, columns_text(columns), f"hold at least 2 folds{' of each repeat' * (len(columns) > 1)}", least)
    return len(repeats) / (len(folds) - len(repeats))


def over_folds(find: Find, cases: AnyCases, folds: GroupedRows, question: Question) -> Find:
    """Return what compares models in all cases by their means over folds, and in each fold as another does.  O(J)."""
    per_trained = tested_per_trained([*folds.labels], question.fold)

    @cache
    def in_folds(level: float | None) -> list[list[Measured]]:
        return find(cases, question._replace(level=level), folds)

    def found(_: AnyCases, asked: Question, groups: GroupedRows) -> list[list[Measured]]:
        if not groups.is_whole:
            return in_folds(asked.level)
        return [[_mean(each, per_trained, asked) for each in of_model] for of_model in in_folds(question.level)]

    return found


@without_warnings()
def _mean(folds: Measured, per_trained: float, question: Question) -> Measured:
    """Compare the means of one measure over the folds in which both models have it, if there are several."""
    values = np.array([folds.found.new, folds.found.old])
    new, old = values[:, np.isfinite(values).all(axis=0)]
    number, error, largest = len(new), np.nan, np.inf
    found = nothing_to_compare(question.confidence, CORRECTED_T)
    if number > 1:
        found = paired_t_test(old, new, level=question.confidence, test_train_ratio=per_trained)
        error = float(np.std(new - old, ddof=1) * np.sqrt(1 / number + per_trained))
    name = measure_name(folds.measure)
    if not question.values and (entry := entry_of(name.measure)) and (RANKING in entry.compared or entry.derivatives):
        largest = entry.largest - entry.least
    found = replaced(found, low=max(found.low, -largest), high=min(found.high, largest))
    mean = Comparisons.of_each([found], error, max(number - 1.0, 1.0))
    return folds._replace(found=mean) if question.values else Measured.by(name, mean)


def notes_of_folds(models: Sequence[ModelDifferences], grouping: str) -> Iterator[str]:
    """Say which measures are means over some folds only.  O(differences)."""
    for model in models:
        folds = model.groups[grouping]
        every = (each for fold in folds for each in fold.differences)
        lacking = Counter(each.title for each in every if np.isnan(each.found.difference))
        of_model = f" of {model.model}" if len(models) > 1 else ""
        for title, number in lacking.items():
            so = f"which {'is' if number == 1 else 'are'} left out"
            so = so if len(folds) - number > 1 else "so it has no mean"
            yield f"{title}{of_model} is not defined in {number:,} of {len(folds):,} folds, {so}"


def fold_sections(sections: Sequence[Section], columns: Sequence[str]) -> Iterator[Section]:
    """Yield for sections whose groups are folds the mean and the standard deviation over these, and the pooled value.

    Folds in which a statistic is not defined are left out, and those of fewer than two have none.  O(statistics).
    """
    for section in sections:
        whole, of_all = section.whole, section.columns
        assert whole is not None
        tested_per_trained(section.groups, columns)
        made, names = dict[str, list[float]](), [name for name in section.statistics if name not in _COUNTS]
        for name in names:
            values = of_all.column(name)[:-1].astype(np.float64)
            known = values[~np.isnan(values)]
            made[name] = [np.nan, np.nan]
            if known.size > 1:
                with np.errstate(invalid="ignore"):  # thresholds may be infinite
                    made[name] = [float(known.mean()), float(np.std(known, ddof=1))]
        pooled = of_all.ordered([[*section.records][-1]]).parts[0].only(names)
        parts = [Columns({name: np.array(each) for name, each in made.items()}), pooled]
        records = ColumnRecords([MEAN, DEVIATION, POOLED], parts, of_all.level)
        around = f"{FOLDS} at {whole.name}" if whole.name.startswith(AT_THRESHOLD) else FOLDS
        title = f"{section.title} over {len(section.groups):,} folds"
        made_of = Whole(around, whole.section, has_total=False)
        yield Section(section.name, title, whole.section, records, across=True, whole=made_of)
