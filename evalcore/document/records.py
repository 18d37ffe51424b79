"""Every number of a report as a row of one schema, and records by their address.

The schema is the same for every question and memory limit:

section
    scores, comparisons, statistics, classes, confusion_matrix or rank_counts; changes_since_baseline and
    group_changes_since_baseline, of an earlier report; for sets of categories, categories;
    for a run of TREC, queries; for several, runs.  scores holds the decisions at the first threshold that is given.
    Those at another one, such as 0.25, are in a section "threshold 0.25", and those that reach a target, such as a
    precision of 0.9, in "threshold for precision=0.9".  Their statistics have the same names.  folds, and "folds at
    threshold 0.25", hold their means and standard deviations over folds, and pooled values.
score
    The column of scores or of predicted classes, or the run; in comparisons the pair of them; "class scores" in groups
    of rows that have a score for each class; otherwise empty if the numbers are of several columns, or of none.
group
    The group of rows, in brackets if its name is "total", which is that of all of them; or the class, the category,
    the query; in comparisons of runs, and in changes_since_baseline, the measure.  Empty if there are no groups.
statistic
    The name in JSON; in a confusion matrix the predicted class, in rank counts the rank.
value, low, high
    Numbers.  low and high are NaN, in CSV empty, where kind is exact.
kind
    exact: the value has no bounds.  interval: low and high are the bounds of the interval that was asked for.
    certified: the exact value certainly lies between low and high.  P-values are exact in this sense alone: most rest
    on an approximation or, in a randomisation test, on drawn permutations.

The first three together are the address of a record.

JSON has the same numbers as a tree: sections, records (where there are groups, within their columns of scores) and
statistics; the bounds of statistic x are x_low and x_high.  Its schema_version grows when an entry loses its name or
its meaning; entries may be added within a version.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations, repeat
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore.equality import equal_by_content
from evalcore.errors import EvaluationError, EvaluationTypeError, did_you_mean
from evalcore.evaluation.catalogue import catalogue_name
from evalcore.evaluation.model import AT_THRESHOLD, CERTIFIED, DIFFERENCES_TO_REST, FOLDS, Address, Section
from evalcore.inference.intervals import Intervals
from evalcore.typing import FloatArray

EXACT, INTERVAL = "exact", "interval"
"""Kinds of numbers, beside `CERTIFIED`."""
_LISTED = 6

_MOST_NAMES = 4
"""In an address with a statistic."""

RecordNames: TypeAlias = tuple[str, ...]


class Row(NamedTuple):
    """One number of a report."""

    section: str
    score: str
    group: str
    statistic: str
    value: int | float
    low: float
    high: float
    kind: str


@equal_by_content
class Record(dict[str, int | float]):
    """Statistics by any of their names; an unknown name is an EvaluationError.  NaN equals NaN, as in all reports.

    >>> Record(roc_auc=1.0)["AUC"]
    1.0
    >>> Record(roc_auc=1.0)["roc_aera"]
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: statistic must be one of 'roc_auc', got 'roc_aera'; did you mean 'roc_auc'?
    """

    def __missing__(self, name: object) -> float:
        if isinstance(name, str) and (understood := catalogue_name(name)) in self:
            return self[understood]
        known = ", ".join(map(repr, self))
        raise EvaluationError(f"statistic must be one of {known}, got {name!r}{did_you_mean(name, self)}")


def number_rows(sections: Iterable[Section]) -> Iterator[Row]:
    """Yield every number of a report as a row.  O(statistics)."""
    for section in sections:
        for names, part in section.columns.blocks():
            of_statistics = []
            for name, values in part.values.items():
                low, high, kind = bounds_of(part.intervals.get(name), values.size)
                kinds = [EXACT if math.isnan(least) else kind for least in low.tolist()]
                numbers = (column.tolist() for column in (values, low, high))
                of_statistics.append(zip(repeat(name), *numbers, kinds, strict=False))
            for record, found in zip(names, zip(*of_statistics, strict=True), strict=False):  # without any: no row
                where, score, group = (part or "" for part in section.address(record))
                yield from (Row(where, score, group, *number) for number in found)


def columns(sections: Iterable[Section]) -> dict[str, list[Any]]:
    """Return the rows as columns, by the names of the schema; values are floats.  O(statistics)."""
    found = dict(zip(Row._fields, map(list, zip(*number_rows(sections), strict=True)), strict=True))
    found["value"] = list(map(float, found["value"]))
    return found


class Records:
    """The records of a report, each under every part of its address.

    >>> from evalcore.evaluation.model import Statistic
    >>> area = [Statistic("roc_auc", "ROC AUC", 0.75)]
    >>> records = Records([Section("scores", "", "score", {"a": area, "b": area})])
    >>> records["a"]["roc_auc"], records["scores", "b"]["roc_auc"], records["b", "roc_auc"]
    (0.75, 0.75, 0.75)
    """

    def __init__(self, sections: Iterable[Section]) -> None:
        self._records: dict[Address, tuple[Section, str]] = {}
        self._named: dict[RecordNames, dict[Address, None]] = {}
        self._totals: set[Address] = set()
        for section in sections:
            for record in section.records:
                address = section.address(record)
                self._records[address] = section, record
                for names in _parts(address):
                    self._named.setdefault(names, {})[address] = None
            if section.whole and section.whole.has_total:
                self._totals.add(address)  # the last record is of all groups

    def __getitem__(self, names: str | int | tuple[str | int, ...]) -> Any:
        """Return a record or, if a tuple ends with a statistic, its value.  O(1), O(records) for an error.

        Integers name groups and classes.  Raises EvaluationError for names of no record or of several,
        EvaluationTypeError for names other than strings and integers.

        >>> from evalcore.evaluation.model import Statistic
        >>> area = [Statistic("roc_auc", "ROC AUC", 0.75)]
        >>> Records([Section("scores", "", "score", {"a": area, "b": area})])["scores"]
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: record must be unambiguous, got 'scores', which names 2 records; use 'a' or 'b'
        """
        given = names if isinstance(names, tuple) else (names,)
        if not all(isinstance(name, str | int | np.integer) for name in given):
            raise EvaluationTypeError(f"record must be named by strings or integers, got {names!r}")
        key = tuple(map(str, given))
        if key in self._named:
            if whole := self._only(key):
                return self._record(whole)
            meant = list(map(self._shortest, self._totals_first(self._named[key])))
            got = f"{_shown(key)}, which names {len(meant):,} records"
            raise EvaluationError(f"record must be unambiguous, got {got}; use {_either(meant)}")
        if address := self._only(key[:-1]):
            record = self._record(address)
            is_one = len(self._named[key[:-1]]) == 1
            if is_one or key[-1] in record or catalogue_name(key[-1]) in record:  # else a group that is misspelt
                return record[key[-1]]
        raise self._unknown(key)

    def _record(self, address: Address) -> Record:
        section, name = self._records[address]
        return Record((item.name, item.value) for item in section.records[name])

    def _statistics(self, address: Address) -> Sequence[str]:
        return self._records[address][0].statistics

    def __iter__(self) -> Iterator[str | RecordNames]:
        """Yield for each record its shortest unambiguous names."""
        for address in self._records:
            names = self._shortest(address)
            yield names[0] if len(names) == 1 else names

    def _unknown(self, key: RecordNames) -> EvaluationError:
        """Return the error for names of no record, with names that are close: more of them, or in another order."""
        meant = self._named.get(key[:-1], ()) if key[:-1] else self._records
        last = key[-1] if key else ""
        having = [address for address in self._totals_first(meant) if last in self._statistics(address)]
        if full := [(*self._shortest(address), last) for address in having]:
            got = f"{_shown(key)}, which lacks a score or group"
            return EvaluationError(f"record must be named before its statistic, got {got}; use {_either(full)}")
        swapped = [names for names in permutations(key) if self._finds(names)] if len(key) <= _MOST_NAMES else []
        known = [_shown(self._shortest(address)) for address in self._totals_first(self._records)[:_LISTED]]
        more = f" and {len(self._records) - _LISTED:,} more" if len(self._records) > _LISTED else ""
        statistics = {name for address in meant for name in self._statistics(address)}
        near = did_you_mean(last, statistics.union(*map(_names, self._records)))
        if swapped:
            near = f"; did you mean {_shown(swapped[0])}?"
        return EvaluationError(f"record must be one of {', '.join(known)}{more}, got {_shown(key)}{near}")

    def _finds(self, names: RecordNames) -> bool:
        """Whether names are of one record, or of one record and a statistic."""
        address = self._only(names[:-1])
        return bool(self._only(names) or (address and names[-1] in self._statistics(address)))

    def _only(self, key: RecordNames) -> Address | None:
        """Return the address that a key means: what all groups of one score have in common means their total."""
        found = list(self._named.get(key, ()))
        whole = [address for address in found if _names(address) == key]
        if not whole and len({(address.section, address.score) for address in found}) == 1:
            whole = [address for address in found if address in self._totals]
        return (whole or found)[0] if len(found) == 1 or whole else None

    def _totals_first(self, addresses: Iterable[Address]) -> list[Address]:
        """Return addresses in the order in which an error names them: what is asked for most often comes first."""
        return sorted(addresses, key=lambda address: address not in self._totals)

    def _shortest(self, address: Address) -> RecordNames:
        """Return the shortest part of an address that no other address has, or the whole."""
        return next((names for names in _parts(address) if len(self._named[names]) == 1), _names(address))


def _names(address: Address) -> RecordNames:
    return tuple(name for name in address if name is not None)


def _parts(address: Address) -> Iterator[RecordNames]:
    """Yield the parts of an address: short ones first, and groups before sections.

    Those of decisions at further thresholds, of differences to the rest, and of all folds together, name the section,
    so that more of them make no other name ambiguous.
    """
    names = _names(address)
    needs_section = address.section.startswith((AT_THRESHOLD, DIFFERENCES_TO_REST, FOLDS))
    for length in range(1, len(names) + 1):
        for part in reversed(list(combinations(names, length))):
            if part[0] == names[0] or not needs_section:
                yield part


def _shown(names: RecordNames) -> str:
    return repr(names[0]) if len(names) == 1 else f"({', '.join(map(repr, names))})"


def _either(addresses: Sequence[RecordNames]) -> str:
    more = f" or one of {len(addresses) - _LISTED:,} more" if len(addresses) > _LISTED else ""
    return " or ".join(map(_shown, addresses[:_LISTED])) + more


def bounds_of(found: Intervals | None, size: int) -> tuple[FloatArray, FloatArray, str]:
    """Return the bounds of the rows of a statistic, (g,) each, NaN where they are exact, and the kind of the others.

    found: its intervals; size: g.  O(g).
    """
    if found is None:
        return np.full(size, np.nan), np.full(size, np.nan), EXACT
    are_certified = found.method == CERTIFIED
    exact = np.isnan(found.low) | (are_certified & (found.low == found.high))
    low, high = (np.where(exact, np.nan, each) for each in (found.low, found.high))
    return low, high, CERTIFIED if are_certified else INTERVAL
