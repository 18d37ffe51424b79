"""Labels and the predicted classes of models, as indices of the same categories."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.comparison.pairing.cases import PairedClasses
from evalcore.io.formats import naming
from evalcore.report.inputs import class_columns
from evalcore.typing import IntArray
from evalcore.validation.categories import CodedCases, as_coded_cases


def paired_classes(
    label: str,
    labels: npt.NDArray[Any],
    predicted: Mapping[str, npt.NDArray[Any]],
    columns: Mapping[str, str] = {},
) -> PairedClasses:
    """Return labels and predicted classes, (n,) each, by their categories, which are sorted.  O(n + k log k) a model.

    label: the name of the column of labels; predicted: by model, the old one first; columns: the names of their
    columns, by default those of the models.  Raises EvaluationError as `class_columns` does.

    >>> labels, old, new = (np.array(pair, object) for pair in (("ash", "elm"), ("elm", "elm"), ("ash", "oak")))
    >>> found = paired_classes("tree", labels, {"old": old, "new": new})
    >>> found.categories, found.labels, found.predicted["new"]
    (('ash', 'elm', 'oak'), array([0, 1]), array([0, 2]))
    """
    names = {model: columns.get(model, model) for model in predicted}
    pairs = []
    for model, name in names.items():
        with nullcontext() if name == model else naming(model):
            pairs.append(class_columns({label: labels, name: predicted[model]}))
    if len({pair[0].dtype.kind for pair in pairs}) > 1:  # text becomes numbers beside one model, but not beside all
        pairs = [[labels, column] for column in predicted.values()]
    coded = [
        as_coded_cases(first, second, None, (label, name))
        for (first, second), name in zip(pairs, names.values(), strict=True)
    ]
    categories = tuple(sorted(set().union(*(cases.categories for cases in coded))))
    of_pairs = [_codes_among(categories, cases) for cases in coded]
    return PairedClasses(
        categories, of_pairs[0][0], {model: pair[1] for model, pair in zip(predicted, of_pairs, strict=True)}
    )


def _codes_among(categories: Sequence[Any], cases: CodedCases) -> tuple[IntArray, IntArray]:
    """Return the indices of references and responses among more categories.  O(n + k)."""
    if len(categories) == len(cases.categories):
        return cases.reference, cases.response
    index = {category: code for code, category in enumerate(categories)}
    codes = np.array([index[category] for category in cases.categories])
    return codes[cases.reference], codes[cases.response]
