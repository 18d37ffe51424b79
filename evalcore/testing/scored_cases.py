"""What assertions compare: arrays that people hand in, as the checked cases and the question of a comparison."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.evaluation.cases import PairedCases
from evalcore.evaluation.catalogue import MeasureName
from evalcore.evaluation.inputs import numeric_weights
from evalcore.evaluation.measure_choice import RESAMPLED, Measures, parse_compared
from evalcore.evaluation.options import FREQUENCY, WEIGHT_TYPES
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.groups import grouped_rows
from evalcore.evaluation.weighting import RowWeights, Weighting, check_total
from evalcore.inference.intervals import checked_level
from evalcore.typing import Label
from evalcore.validation.arrays import as_numbers, as_scores, check_equal_lengths, check_indices
from evalcore.validation.labels import as_group_names, encode_labels
from evalcore.validation.targets import as_positive_mask
from evalcore.validation.values import check_finite_number
from evalcore.validation.weights import total_weight

POINT_LEVEL = 0.95
"""The level of intervals that are shown where point estimates decide."""
_GROUPS = "by"
"""The name of a grouping that has none."""


class CaseColumns(NamedTuple):
    """Columns of the cases beside scores, as they were given."""

    y_true: Any
    pos_label: Label | None = 1
    by: Any = None
    min_cases: int | None = None
    sample_weight: Any = None
    weight_type: str = "sampling"
    cluster: Any = None


class Asserted(NamedTuple):
    """What an assertion is about."""

    measure: MeasureName
    cases: PairedCases
    question: Question
    """Of all cases."""

    @property
    def of_groups(self) -> Question:
        """The question of groups: its intervals hold all groups at the level together, by Bonferroni's bound."""
        count = sum(len(groups.names) for groups in self.cases.groups.values())
        return self.question._replace(level=1 - (1 - self.question.confidence) / max(count, 1))


def asserted(
    function: str,
    columns: CaseColumns,
    scores: Mapping[str, Any],
    measure: Any,
    *,
    level: float | None,
    margin: float = 0.0,
) -> Asserted:
    """Return what an assertion is about; scores: by model.  O(n log n).  Raises EvaluationError for invalid input."""
    parsed = parse_compared(measure)
    if columns.by is not None and parsed.measure in RESAMPLED:
        raise EvaluationError(f"by must be left out for {parsed.name}, whose intervals are resampled, got groups")
    check_finite_number(margin, "margin", function)
    if margin < 0:
        raise EvaluationError(f"margin must not be negative, got {margin!r}")
    check_indices(y_true=columns.y_true, **scores, sample_weight=columns.sample_weight, cluster=columns.cluster)
    positive = as_positive_mask(columns.y_true, columns.pos_label, function)
    checked = {}
    for name, column in scores.items():
        checked[name] = as_scores(column, name)
        check_equal_lengths(positive, checked[name], "y_true", name)
    question = Question(
        "y_true",
        measures=Measures((parsed.name,)),
        level=POINT_LEVEL if level is None else checked_level(level),
        margin=float(margin),
    )
    cases = PairedCases(positive, checked, _weights(columns, positive.size), _clusters(columns, positive.size))
    return Asserted(parsed, _with_groups(cases, columns), question)


def _weights(columns: CaseColumns, size: int) -> RowWeights | None:
    if columns.weight_type not in WEIGHT_TYPES:
        raise EvaluationError(f"weight_type must be one of {', '.join(WEIGHT_TYPES)}, got {columns.weight_type!r}")
    if columns.sample_weight is None:
        return None
    whole = columns.weight_type == FREQUENCY
    values = numeric_weights(as_numbers(columns.sample_weight, "sample_weight"), "sample_weight", whole=whole)
    check_equal_lengths(np.empty(size), values, "y_true", "sample_weight")
    weighting = Weighting("sample_weight", columns.weight_type)
    check_total(total_weight(values), weighting)
    return RowWeights(weighting, values, values)


def _clusters(columns: CaseColumns, size: int) -> Any:
    if columns.cluster is None:
        return None
    clusters = as_group_names(columns.cluster, "cluster")
    check_equal_lengths(np.empty(size), clusters, "y_true", "cluster")
    return encode_labels(clusters)[1]


def _with_groups(cases: PairedCases, columns: CaseColumns) -> PairedCases:
    """Return the cases with weights above zero, and their groups."""
    by = columns.by
    if by is not None and not isinstance(by, Mapping):
        by = {getattr(by, "name", None) or _GROUPS: by}  # pandas and polars know the names of columns
    by = by or {}
    check_indices(y_true=columns.y_true, **{f"by[{name!r}]": column for name, column in by.items()})
    groups = {str(name): np.asarray(column) for name, column in by.items()}
    for name, column in groups.items():
        if column.ndim != 1:
            raise EvaluationError(
                f"by must be a column, or a mapping of names to columns, got shape {column.shape}; pass several "
                "columns as {'carrier': carriers, 'month': months}"
            )
        check_equal_lengths(cases.positive, column, "y_true", name)
    if cases.weights is not None and not cases.weights.values.all():
        present = cases.weights.values > 0
        cases, groups = cases.where(present), {name: column[present] for name, column in groups.items()}
    frequencies = None if cases.weights is None else cases.weights.frequencies
    return cases._replace(
        clusters=None if cases.clusters is None else encode_labels(cases.clusters)[1],
        groups={
            name: grouped_rows({name: column}, min_cases=columns.min_cases, frequencies=frequencies)
            for name, column in groups.items()
        },
    )
