"""Differences of measures of predicted classes, of all cases and of groups, from the combinations that occur."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace as replaced
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError, did_you_mean
from evalcore.evaluation.differences.judging import judged
from evalcore.evaluation.differences.resamples import bootstrap_comparisons, permutation_p_values
from evalcore.evaluation.differences.score_differences import worst_first
from evalcore.evaluation.options import ANALYTIC, option
from evalcore.evaluation.pairs.cases import PairedClasses
from evalcore.evaluation.pairs.class_cells import JointCells, cells_of_groups, joint_cells
from evalcore.evaluation.pairs.measure_names import OF_CLASSES, OF_EACH_CLASS, ComparedMeasure, parse_compared
from evalcore.evaluation.pairs.model import GroupDifferences, MeasureDifference
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.case_tallies import class_scores, macro_averages
from evalcore.inference.classifiers import mcnemar_test_of_counts
from evalcore.inference.intervals import Comparison, PairedEstimates, compare_normal
from evalcore.kernels.tables import BinaryCounts
from evalcore.measures import binary, multiclass
from evalcore.typing import AnyArray, FloatArray, IntArray

_BEYOND_CHANCE = "kappa"
"""The measure that may be negative, so that two models may differ by more than 1."""


def class_differences(cases: PairedClasses, question: Question) -> list[list[MeasureDifference]]:
    """Return the differences of each new model from the old one, judged.  O(n + k²) for each, and the resamples."""
    find, apart = _finder(cases, question), question.method != ANALYTIC
    found = [find(joint_cells(cases, model, weights_apart=apart)) for model in cases.new]
    return judged(found, question.confidence, question.margin)


def class_group_differences(cases: PairedClasses, question: Question) -> list[dict[str, list[GroupDifferences]]]:
    """Return the differences of each new model by grouping, judged, the groups that got worse first.

    P-values are adjusted for all models, groups and measures of a grouping.  The first measure says which groups got
    worse.  O(n log n + g k²) for each, and the resamples.
    """
    find, apart = _finder(cases, question), question.method != ANALYTIC
    found: list[dict[str, list[GroupDifferences]]] = [{} for _ in cases.new]
    for grouping, groups in cases.groups.items():
        of_models = [
            [
                GroupDifferences(name, int(cells.tally.cases.sum()), None, find(cells))
                for name, cells in cells_of_groups(cases, model, groups, weights_apart=apart)
            ]
            for model in cases.new
        ]
        every = [group.differences for of_model in of_models for group in of_model]
        differences = iter(judged(every, question.confidence, question.margin))
        for own, of_model in zip(found, of_models, strict=True):
            own[grouping] = worst_first([group._replace(differences=next(differences)) for group in of_model])
    return found


def _finder(cases: PairedClasses, question: Question) -> Callable[[JointCells], list[MeasureDifference]]:
    """Return what finds the differences of some cells, in O(m log m + k²); those of classes without cases are NaN."""
    categories = list(map(str, cases.categories))
    measures = class_measures(question.measures.names, categories, question.conditions)
    nothing = Comparison((np.nan, np.nan), np.nan, np.nan, np.nan, question.confidence, np.nan, np.nan, "delta"), np.nan

    def find(cells: JointCells) -> list[MeasureDifference]:
        occurring, own = cells.of_classes_that_occur()
        index_of = {categories[code]: index for index, code in enumerate(occurring.tolist())}
        present = [each for each in measures if each.category is None or each.category in index_of]
        found = dict(zip(present, _PairedTables(own, present, index_of, question).compare(), strict=True))
        return [
            MeasureDifference(each.name, each.title, *found.get(each, nothing), freedom=own.freedom)
            for each in measures
        ]

    return find


class _PairedTables(NamedTuple):
    """The cases of two models, and the measures that they are compared by, of classes that occur."""

    cells: JointCells
    measures: Sequence[ComparedMeasure]
    index_of: Mapping[str, int]
    """By class, its index in the cells."""
    question: Question

    def compare(self) -> list[tuple[Comparison, float]]:
        """Return the comparison of each measure with the standard error of its difference."""
        new, old = self._values(self.cells.tables(self.cells.tally.counts))
        if self.question.method == "bootstrap":
            return bootstrap_comparisons(self.cells, self._values, self.question, (new, old), self._largest)
        by_name = self.cells.errors({each.measure for each in self.measures})
        errors = self._columns(
            {name: column.reshape(1, -1) if name in OF_EACH_CLASS else column for name, column in by_name.items()}
        )[0]
        estimates, freedom = PairedEstimates(new, old, errors), np.full(errors.shape, self.cells.freedom)
        found = compare_normal(estimates, self.question.confidence, "delta", self._largest, freedom)
        if self.cells.tally.weights is None and self.cells.clusters is None:
            right = self._right()
            found = [self._mcnemar(each, right) or other for each, other in zip(self.measures, found, strict=True)]
        if self.question.method == "permutation":
            p_values = permutation_p_values(self.cells, self._values, self.question, new - old).tolist()
            found = [replaced(each, p_value=p) for each, p in zip(found, p_values, strict=True)]
        return list(zip(found, errors.tolist(), strict=True))

    def _values(self, tables: AnyArray) -> FloatArray:
        """Return the measures of tables, (t, k, k): (t, q), NaN where undefined.  O(t (k² + q)).

        tables: int64, a row for each label, or float64 sums of weights.  A class that is never found has an F1 of 0, as
        in reports.
        """
        tp, fn, fp, _ = multiclass.one_versus_all(tables)
        scores = class_scores(tp, fn, fp)
        values: dict[str, AnyArray] = {**scores._asdict()}
        names = {each.measure for each in self.measures}
        if "accuracy" in names:
            values["accuracy"] = np.asarray(binary.accuracy(tp.sum(axis=1), fn.sum(axis=1), 0, 0))
        if "balanced_accuracy" in names:
            values["balanced_accuracy"] = macro_averages(np.asarray(binary.recall(tp, fn)))
        if "macro_f1" in names:
            values["macro_f1"] = macro_averages(np.asarray(scores.f1))
        if "kappa" in names:
            values["kappa"] = np.asarray(multiclass.kappa(tables))
        return self._columns(values)

    def _columns(self, values: Mapping[str, AnyArray]) -> AnyArray:
        """Return the column of each measure, from that of all classes or of one: (t, q)."""
        columns = [
            values[each.measure] if each.category is None else values[each.measure][:, self.index_of[each.category]]
            for each in self.measures
        ]
        return np.stack(columns, axis=-1)

    @property
    def _largest(self) -> FloatArray:
        """The largest difference that each measure may have."""
        return np.array([2.0 if each.measure == _BEYOND_CHANCE else 1.0 for each in self.measures])

    def _right(self) -> IntArray:
        """Return how many cases both models, the new one alone, the old one alone and neither get right, (k, 4)."""
        labels, old, new, tally, _ = self.cells
        codes = 4 * labels + 2 * (new != labels) + (old != labels)
        return np.bincount(codes, tally.counts, 4 * len(self.index_of)).reshape(-1, 4).astype(np.int64)

    def _mcnemar(self, measure: ComparedMeasure, right: IntArray) -> Comparison | None:
        """Compare the fractions of the same cases that models get right; None for another measure, or without any."""
        if measure.measure not in ("accuracy", "recall"):
            return None
        own = right.sum(axis=0) if measure.category is None else right[self.index_of[measure.category]]
        return (
            mcnemar_test_of_counts(BinaryCounts(*own.tolist()), self.question.confidence, "mid-p")
            if own.any()
            else None
        )


def class_measures(names: Sequence[str], categories: Sequence[Any], more: Sequence[str] = ()) -> list[ComparedMeasure]:
    """Return the measures of names, or without any those of all classes and of each; more: beside these.  O(names k).

    The name of a measure of each class alone stands for all classes.  Raises EvaluationError for other names.

    >>> [measure.name for measure in class_measures(["kappa", "recall", "f1[elm]"], ["ash", "elm"])]
    ['kappa', 'recall[ash]', 'recall[elm]', 'f1[elm]']
    """
    classes = list(map(str, categories))
    if not names:
        each = [ComparedMeasure(name, category=text) for text in classes for name in OF_EACH_CLASS]
        found = [*map(ComparedMeasure, OF_CLASSES), *each]
    else:
        found = []
    for measure in map(parse_compared, (*names, *more)):
        if measure.measure not in (*multiclass.OF_ALL, *OF_EACH_CLASS) or measure.threshold is not None:
            known = ", ".join((*multiclass.OF_ALL, *OF_EACH_CLASS))
            raise EvaluationError(
                f"{option('measure')} must be one of {known} for predicted classes, got {measure.name!r}"
            )
        if measure.category is not None and measure.category not in classes:
            near = did_you_mean(measure.category, classes)
            raise EvaluationError(
                f"{option('measure')} must name a class of the labels or predictions, got {measure.name!r}{near}"
            )
        if measure.measure in OF_EACH_CLASS and measure.category is None:
            found += [measure._replace(category=text) for text in classes]
        else:
            found.append(measure)
    return list(dict.fromkeys(found))
