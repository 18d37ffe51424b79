"""What an assertion claims of all cases and of each group, and what it says where that does not hold."""

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.evaluation.differences import MeasureDifference
from evalcore.evaluation.score_differences import group_differences
from evalcore.evaluation.wording import listed
from evalcore.testing.scored_cases import Asserted

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
