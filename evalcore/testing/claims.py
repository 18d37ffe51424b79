"""What assertions claim of checked cases, all and of each group, and what they say where that does not hold."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.evaluation.cases import PairedCases
from evalcore.evaluation.catalogue import MeasureName
from evalcore.evaluation.differences import MeasureDifference
from evalcore.evaluation.inputs import numeric_weights
from evalcore.evaluation.measure_choice import RESAMPLED, Measures, parse_compared
from evalcore.evaluation.options import FREQUENCY, WEIGHT_TYPES
from evalcore.evaluation.question import Question
from evalcore.evaluation.score_differences import group_differences
from evalcore.evaluation.statistics.groups import grouped_rows
from evalcore.evaluation.weighting import RowWeights, Weighting, check_total
from evalcore.evaluation.wording import listed
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


_SHOWN = 5
"""Groups that a message lists."""
Found = TypeVar("Found")


class FoundInGroup(NamedTuple, Generic[Found]):
    """What was found in a group."""

    name: str
    """Such as "carrier=UA"."""
    cases: int
    found: Found


class Claim(NamedTuple, Generic[Found]):
    """What must hold of all cases and of each group."""

    denied: str
    """What a message begins with."""
    required: str
    fails: Callable[[Found], bool]
    value: Callable[[Found], float]
    """The number that decides which groups are the worst, those with the least; NaN where it is not defined."""
    text: Callable[[Found], str]
    listed_below: float = np.inf
    """Groups of at least this value are not listed where only all cases fail."""


class ShownAtTheTest:
    """Lets pytest show errors about what was passed at the line of the test, without the checks that found them."""

    def __enter__(self) -> None: ...

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        __tracebackhide__ = True
        if isinstance(error, EvaluationError | EvaluationTypeError):
            raise error.with_traceback(None) from None


def found_in_groups(
    what: Asserted, found: Callable[[MeasureDifference, tuple[str, str]], Found]
) -> list[FoundInGroup[Found]]:
    """Return what is found in each group of all groupings; found: of a difference, and a grouping and its group."""
    return [
        FoundInGroup(f"{name}={group.group}", group.cases, found(group.differences[0], (name, group.group)))
        for name, groups in group_differences(what.cases, what.of_groups)[0].items()
        for group in groups
    ]


def failure(
    what: Asserted, claim: Claim[Found], whole: Found, groups: Sequence[FoundInGroup[Found]] = ()
) -> str | None:
    """Return the message of an assertion that fails; None if the claim holds.  O(groups log groups).

    whole: what was found in all cases.  Raises EvaluationError if a group has no value.
    """
    lacking = [group.name for group in groups if np.isnan(claim.value(group.found))]
    if lacking:
        raise EvaluationError(
            f"{what.measure.name} must be defined in every group, got nan in {listed(lacking)}; leave out small groups "
            "(min_cases=N), or pass another measure"
        )
    fails = claim.fails(whole)
    bad = [group for group in groups if claim.fails(group.found)]
    if not fails and not bad:
        return None
    worst = bad or [group for group in groups if claim.value(group.found) < claim.listed_below]
    where = "" if fails else f" in {len(bad):,} of {len(groups):,} group{'s' * (len(groups) != 1)}"
    lines = [
        f"{claim.denied}{where}",
        f"  {what.measure.name}: {claim.text(whole)}",
        f"  required: {claim.required}",
        *_group_lines(sorted(worst, key=lambda group: claim.value(group.found)), claim, what.of_groups.confidence),
    ]
    return "\n".join(lines)


def _group_lines(groups: Sequence[FoundInGroup[Found]], claim: Claim[Found], level: float) -> Iterator[str]:
    """Yield lines on groups, the worst first."""
    if not groups:
        return
    yield f"  worst groups, intervals at level {level:.6g}:"
    for name, cases, found in groups[:_SHOWN]:
        yield f"    {name} ({cases:,} case{'s' * (cases != 1)}): {claim.text(found)}"
    if len(groups) > _SHOWN:
        yield f"    and {len(groups) - _SHOWN:,} more"
