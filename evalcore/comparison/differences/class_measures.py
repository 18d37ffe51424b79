"""Measures of predicted classes, such as "recall[ash]", and their values in tables of cases."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evalcore.comparison.measure_names import OF_CLASSES, OF_EACH_CLASS, ComparedMeasure, parse_compared
from evalcore.errors import EvaluationError, did_you_mean
from evalcore.measures import binary, multiclass
from evalcore.measures.multiclass import INFLUENCES
from evalcore.report.options import option
from evalcore.report.statistics.class_scores import class_scores, macro_averages
from evalcore.typing import AnyArray, BoolArray, FloatArray


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
        if measure.measure not in INFLUENCES or measure.threshold is not None:
            known = ", ".join(INFLUENCES)
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


def values_of_tables(tables: AnyArray, measures: Sequence[ComparedMeasure], index_of: Mapping[str, int]) -> FloatArray:
    """Return measures of tables, (t, k, k): (t, q), NaN where undefined.  O(t (k² + q)).

    tables: int64, a row for each label, or float64 sums of weights; index_of: the index of each class.  A class that
    is never found has an F1 of 0, as in reports.
    """
    tp, fn, fp, _ = multiclass.one_versus_all(tables)
    scores = class_scores(tp, fn, fp)
    values: dict[str, AnyArray] = {**scores._asdict()}
    names = {each.measure for each in measures}
    if "accuracy" in names:
        values["accuracy"] = np.asarray(binary.accuracy(tp.sum(axis=1), fn.sum(axis=1), 0, 0))
    if "balanced_accuracy" in names:
        values["balanced_accuracy"] = macro_averages(np.asarray(binary.recall(tp, fn)))
    if "macro_f1" in names:
        values["macro_f1"] = macro_averages(np.asarray(scores.f1))
    if "kappa" in names:
        values["kappa"] = np.asarray(multiclass.kappa(tables))
    return _columns(values, measures, index_of)


def are_defined(tables: AnyArray, measures: Sequence[ComparedMeasure], index_of: Mapping[str, int]) -> BoolArray:
    """Whether measures of classes are not 0/0, for which reports have 0: (t, q), as `values_of_tables`.  O(t k²)."""
    tp, fn, fp, _ = multiclass.one_versus_all(tables)
    below = {"recall": tp + fn, "precision": tp + fp, "f1": tp + fn + fp}
    every = dict.fromkeys(INFLUENCES, np.ones(len(tables)))
    return _columns(every | below, measures, index_of) > 0


def _columns(
    values: Mapping[str, AnyArray], measures: Sequence[ComparedMeasure], index_of: Mapping[str, int]
) -> AnyArray:
    return np.stack(
        [
            values[each.measure] if each.category is None else values[each.measure][:, index_of[each.category]]
            for each in measures
        ],
        axis=-1,
    )
