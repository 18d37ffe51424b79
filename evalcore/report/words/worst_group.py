"""The group that does worst, in words: it is called so only where picking the worst of many cannot explain it."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evalcore.report.formats import count
from evalcore.report.options import option
from evalcore.report.wording import FEWEST, Sentence, listed


class MeasuredGroup(NamedTuple):
    """A group with enough cases, and its measure."""

    shown: str
    """As it stands in sentences."""
    value: float
    text: str
    """The value as it is shown."""
    within: str
    """The interval of the group alone as it is shown; empty if it is not defined."""
    upper: float
    """The upper bound at a level that is adjusted for the number of groups; infinite where none is defined."""


class GroupMeasure(NamedTuple):
    """What is measured of groups, and of all cases."""

    title: str
    model: str
    """As it stands in sentences."""
    total: float
    total_text: str
    few: str
    """What groups that are left out have few of."""
    testable: bool = True
    """Whether the report could have intervals."""


def worst_group_sentences(
    groups: Sequence[MeasuredGroup], measure: GroupMeasure, level: float | None, left_out: int
) -> Iterator[Sentence]:
    """Yield which group is below all cases, by intervals that are adjusted for picking the worst.  O(groups).

    groups: not all of one value; level: of the intervals, without which nothing is claimed beyond these cases;
    left_out: number of groups with too few cases.
    """
    number, total = f"{count(len(groups))} groups", measure.total_text
    adjusted = f"adjustment for picking the worst of {count(len(groups))}"
    if level is None:
        shows = f"; {option('ci', '0.95')} shows whether that could be chance" if measure.testable else ""
        yield Sentence(
            f"The lowest {measure.title} of {number} is {_lowest(groups)}, against {total} for all cases{shows}"
        )
    elif below := [group for group in groups if group.upper < measure.total]:
        worst = _of_lowest_value(below)
        certain = worst[0].value == min(group.value for group in groups)
        among = f"Of {number}" if certain else "Of the groups that are certainly worse than all cases"
        yield Sentence(
            f"{among}, {measure.model} does worst on {listed([group.shown for group in worst])}: {measure.title} "
            f"{worst[0].text}{f' ({worst[0].within})' if worst[0].within and len(worst) == 1 else ''}",
            [f"against {total} for all cases", f"a difference that remains after {adjusted}"],
        )
        if not certain:
            yield Sentence(
                f"The lowest {measure.title} of all {number} is {_lowest(groups)}, on too few cases to be sure that it"
                " is lower than that of all cases"
            )
    else:
        yield Sentence(
            f"None of {number} was found to have a lower {measure.title} than all cases ({total}) after {adjusted}; "
            f"the lowest is {_lowest(groups)}"
        )
    if left_out:
        noun = "group" if left_out == 1 else "groups"
        yield Sentence(f"That leaves out {count(left_out)} {noun} with fewer than {FEWEST} {measure.few}")


def _of_lowest_value(groups: Sequence[MeasuredGroup]) -> list[MeasuredGroup]:
    lowest = min(group.value for group in groups)
    return [group for group in groups if group.value == lowest]


def _lowest(groups: Sequence[MeasuredGroup]) -> str:
    """Name the lowest value, and the groups that have it."""
    found = _of_lowest_value(groups)
    return f"{found[0].text}, of {listed([group.shown for group in found])}"
