"""Measures of tables of classes: precision, recall and F1 that are 0, not 0/0, as in scikit-learn, and agreement."""

from typing import NamedTuple

import numpy as np

from evalcore.measures import binary, multiclass
from evalcore.measures.agreement import weighted_means_of_rows
from evalcore.typing import AnyArray, Count, FloatArray, Ratio

OF_CELLS = "cramers_v", "mutual_information"
"""Measures that need all cells of a table, in the order of reports."""


class ClassScores(NamedTuple):
    """Measures of one class or, of shape (k,), of k; NaN for a class that neither occurs nor is predicted."""

    precision: Ratio
    """0 if the class is never predicted."""
    recall: Ratio
    """0 if the class never occurs."""
    f1: Ratio
    """0 if it is never found."""


def class_scores(tp: Count, fn: Count, fp: Count) -> ClassScores:
    """Return precision, recall and F1 from counts: numbers, or arrays of shape (k,).  O(k).

    Source: scikit-learn's `precision_recall_fscore_support` with ``zero_division=0``.

    >>> [float(score) for score in class_scores(0, 3, 0)]
    [0.0, 0.0, 0.0]
    """
    defined = np.where(np.add(np.add(tp, fn), fp) > 0, 1.0, np.nan)
    precision, recall = np.nan_to_num(binary.precision(tp, fp)), np.nan_to_num(binary.recall(tp, fn))
    return ClassScores(defined * precision, defined * recall, binary.f_measure_of_counts(tp, fn, fp))


def class_averages(tp: AnyArray, fn: AnyArray, fp: AnyArray) -> dict[str, FloatArray]:
    """Return averages over the classes of g tables, (g,) each, by name, from the counts of k classes, (g, k).  O(g k).

    >>> averages = class_averages(np.array([[1, 1]]), np.array([[0, 2]]), np.array([[2, 0]]))
    >>> averages["balanced_accuracy"] == averages["macro_recall"]
    array([ True])
    """
    of_classes = {
        name: np.asarray(values) for name, values in zip(ClassScores._fields, class_scores(tp, fn, fp), strict=True)
    }
    # a class that never occurs has no recall, rather than one of 0
    recalls = np.asarray(binary.recall(tp, fn))
    return {
        "balanced_accuracy": macro_averages(recalls),
        **{f"macro_{name}": macro_averages(scores) for name, scores in of_classes.items()},
        **{f"weighted_{name}": weighted_means_of_rows(scores, tp + fn) for name, scores in of_classes.items()},
    }


def macro_averages(scores: FloatArray) -> FloatArray:
    """Return the mean of each row of (g, k) scores that are not NaN, the same in any order; NaN for none.  O(g k)."""
    return weighted_means_of_rows(scores, np.ones(scores.shape, np.int64))


def agreement_measures(tables: AnyArray) -> dict[str, AnyArray]:
    """Return how labels and predictions agree, by name, of each of the tables, (g, k, k).  O(g k²).

    tables: counts, or sums of weights.
    """
    found = agreement_of_classes(multiclass.one_versus_all(tables), multiclass.kappa(tables))
    return found | {name: np.asarray(getattr(multiclass, name)(tables)) for name in OF_CELLS}


def agreement_of_classes(counts: multiclass.CategoryCounts, kappa: Ratio) -> dict[str, AnyArray]:
    """Return what the counts of the classes, (g, k), tell of the agreement in g tables, and their kappa.  O(g k)."""
    tp, fn, fp, tn = counts
    right, wrong = tp.sum(axis=1), fn.sum(axis=1)
    micro = class_scores(right, wrong, wrong)
    return {
        "classes": np.full(len(tp), tp.shape[-1]),
        "accuracy": np.asarray(binary.accuracy(right, wrong, 0, 0)),
        **class_averages(tp, fn, fp),
        **{f"micro_{name}": np.asarray(score) for name, score in micro._asdict().items()},
        "kappa": np.asarray(kappa),
        "matthews_correlation": np.array([*map(multiclass.matthews, tp, fn, fp, tn)]),
    }
