"""How the rows of a report are weighted: by a column of weights, to another prevalence, or not at all."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import check, refuse
from evalcore.evaluation.inputs import numeric_weights
from evalcore.evaluation.options import FREQUENCY, SAMPLING, WEIGHT_TYPES, option, text_option
from evalcore.kernels.grouping import scaled_by_group
from evalcore.kernels.weights import WeightSums, in_whole_units, scaled_weights
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray
from evalcore.validation.values import check_open_fraction
from evalcore.validation.weights import check_total_weight, extent_of_weights, total_weight, weights_at_prevalence

_CALLED = {SAMPLING: "sampling weights", FREQUENCY: "frequencies"}


class Weighting(NamedTuple):
    """How the rows are weighted."""

    column: str | None = None
    """The column of weights."""
    type: str | None = None
    """One of `WEIGHT_TYPES`; None for sampling weights."""
    target_prevalence: float | None = None
    """The prevalence that rows are reweighted to."""

    @property
    def asked(self) -> bool:
        """Whether rows have weights."""
        return self.column is not None or self.target_prevalence is not None

    @property
    def of_frequencies(self) -> bool:
        """Whether a row with the weight w stands for w rows like it."""
        return self.type == FREQUENCY and self.target_prevalence is None

    @property
    def of_samples(self) -> bool:
        """Whether a row with the weight w stands for cases that were not seen."""
        return self.asked and not self.of_frequencies

    @property
    def in_titles(self) -> str:
        """How the title of a report ends.  O(1).

        >>> Weighting("w").in_titles, Weighting("w", "frequency").in_titles
        (', weighted by w (sampling weights)', ', weighted by w (frequencies)')
        >>> Weighting(target_prevalence=0.01).in_titles
        ', weighted to a prevalence of 0.01'
        """
        parts = [] if self.column is None else [f"by {self.column} ({_CALLED[self.type or SAMPLING]})"]
        parts += [] if self.target_prevalence is None else [f"to a prevalence of {self.target_prevalence:g}"]
        return f", weighted {', '.join(parts)}" if parts else ""

    @property
    def as_json(self) -> dict[str, str | float]:
        """How the rows are weighted, by the names of options.  O(1)."""
        kind = None if self.column is None else self.type or SAMPLING
        asked = {"weight": self.column, "weight_type": kind, "target_prevalence": self.target_prevalence}
        return {name: value for name, value in asked.items() if value is not None}

    def notes(self, level: float | None, *, by_group: bool) -> list[str]:
        """Say what weights mean for the numbers of a report on scores of one label; level: of intervals.  O(1)."""
        notes = []
        if self.target_prevalence is not None:
            there = "numbers that depend on the prevalence are as they would be there"
            shifted = f"positives and negatives are reweighted to a prevalence of {self.target_prevalence:g}"
            notes.append(f"{shifted}; {there}")
            if by_group:
                notes.append("this is the prevalence of all rows together; in a group it may be higher or lower")
        if level is not None and self.of_samples:
            how = "by DeLong's variance with weighted placements, fractions with the effective number of cases"
            notes.append(f"intervals are those of a weighted sample: ROC AUCs {how}")
        return notes


UNWEIGHTED = Weighting()
COUNTED = Weighting(type=FREQUENCY)
"""Of rows without weights: each occurred once."""


def check_weighting(weighting: Weighting, others: tuple[str, ...], *, of_one_label: bool) -> None:
    """Raise EvaluationError for invalid options of weights; others: names of the other columns.  O(columns)."""
    column, kind, target = weighting
    what, sampling = option("weight_type"), text_option("weight_type", SAMPLING)
    check(kind in (None, *WEIGHT_TYPES), what, f"be one of {', '.join(WEIGHT_TYPES)}", repr(kind))
    refuse({f"{what} needs {option('weight')}, which names the column of weights": kind is not None and column is None})
    check(column not in others, option("weight"), "be a column of its own", f"{column!r}, which has another role")
    if target is None:
        return
    what = option("target_prevalence")
    refuse({f"{what} needs columns of scores of one label": not of_one_label})
    check_open_fraction(target, what)
    refuse({f"{what} needs sampling weights ({sampling}), got {kind!r}": kind == FREQUENCY})


def row_weights(columns: Mapping[str, Any], weighting: Weighting, level: float | None) -> AnyArray | None:
    """Return the weights of the rows, (n,) int64 or float64, None without a column of weights.  O(n).

    Frequencies are int64.  Raises EvaluationError for invalid weights and, where intervals have a level, for those that
    are too far apart.
    """
    name = weighting.column
    if name is None:
        return None
    weights = numeric_weights(columns[name], name, whole=weighting.of_frequencies)
    check_total(total_weight(weights), weighting)
    if level is not None:
        extent_of_weights(weights if weights.all() else weights[weights > 0], f"column {name!r}")
    return weights


class RowWeights(NamedTuple):
    """What the rows of a report count by."""

    weighting: Weighting = COUNTED
    values: AnyArray | None = None
    """Above zero, and with the target prevalence if there is one, (n,) int64 or float64; None for one each."""
    given: AnyArray | None = None
    """As they were given, (n,), if these are not the values."""
    unit: FloatArray | float = 1.0
    """What the values were divided by, all of them or those of each group."""
    sums: WeightSums | None = None
    """Where the values are sums of weights of several cases, (n,), what else was added up."""

    def at(self, rows: slice | IntArray | BoolArray) -> "RowWeights":
        """Return the weights of some rows, by their indices, a slice or a mask.  O(rows)."""
        values, given = (None if column is None else column[rows] for column in (self.values, self.given))
        return self._replace(values=values, given=given)

    def of_group(self, rows: slice | IntArray) -> "RowWeights":
        """Return the weights of some rows, whose prevalence may be any.  O(rows)."""
        return self.at(rows)._replace(weighting=self.weighting._replace(target_prevalence=None))

    def by_group(self, groups: AnyArray, count: int) -> "RowWeights":
        """Return weights whose sums and products fit float64 in each group; groups: (n,) of 0 .. count - 1.  O(n)."""
        if self.values is None or self.sums is not None:
            return self
        multiples, unit = in_whole_units(self.values.astype(np.float64, copy=False))
        values, divisors = scaled_by_group(multiples, groups, count)
        return self._replace(values=values, unit=divisors * unit * self.unit)

    @property
    def frequencies(self) -> IntArray | None:
        """How many cases each row stands for, (n,) int64; None for one each and for sampling weights."""
        return self.values if self.weighting.of_frequencies else None

    @property
    def cases(self) -> IntArray | None:
        """How many cases each row stands for, of sampling weights too, (n,) int64; None for one each."""
        return self.frequencies if self.sums is None else self.sums.cases.astype(np.int64)

    def cases_of(self, rows: BoolArray) -> int:
        """Return the number of cases of a mask of rows, (n,).  O(n)."""
        cases = self.cases
        return int(np.count_nonzero(rows) if cases is None else cases.sum(where=rows))

    @property
    def known_prevalence(self) -> bool:
        """Whether cases are reweighted to a prevalence, which is no estimate then."""
        return self.weighting.target_prevalence is not None


EQUAL_WEIGHTS = RowWeights()
"""Each row counts once."""


def weights_of_rows(positive: BoolArray, given: AnyArray | None, weighting: Weighting) -> RowWeights:
    """Return what rows count by, (n,) each.  O(n).

    Raises EvaluationError if there is a target prevalence, and all rows are of one class, or some weight vanishes.
    """
    values = shifted_weights(positive, given, weighting)
    if values is given:
        return EQUAL_WEIGHTS if given is None else RowWeights(weighting, given)
    if given is not None and values is not None and not values.all():
        extent_of_weights(given, f"column {weighting.column!r}")
    return RowWeights(weighting, values, given)


def case_weights(weights: AnyArray | None, weighting: Weighting) -> RowWeights:
    """Return what weighs the cases of classes, (n,), with sums and products that fit float64.  O(n)."""
    if weights is None or weights.dtype.kind != "f":
        return EQUAL_WEIGHTS if weights is None else RowWeights(weighting, weights)
    values, unit = scaled_weights(weights)
    return RowWeights(weighting, values, unit=unit)


def check_total(total: float, weighting: Weighting) -> None:
    """Raise EvaluationError if the weights of all rows have a sum of zero, or one that is too large.  O(1)."""
    check_total_weight(total, f"column {weighting.column!r}", whole=weighting.of_frequencies)


def class_factors(sums: FloatArray, weighting: Weighting) -> FloatArray:
    """Return by what the weights of positives and of negatives, with these sums, are multiplied, (2,) each.  O(1).

    Raises EvaluationError for a target prevalence where a class has no weight.

    >>> class_factors(np.array([1.0, 3.0]), Weighting(target_prevalence=0.5))
    array([2.        , 0.66666667])
    """
    shifted = shifted_weights(np.array([True, False]), sums, weighting)
    return np.ones(2) if shifted is None or shifted is sums else shifted / sums


def shifted_weights(positive: BoolArray, weights: AnyArray | None, weighting: Weighting) -> AnyArray | None:
    """Return weights with the target prevalence, (n,) float64, or those given if there is no target.  O(n).

    Raises EvaluationError if a class has no weight.
    """
    if weighting.target_prevalence is None:
        return weights
    return weights_at_prevalence(positive, weights, weighting.target_prevalence, option("target_prevalence"))
