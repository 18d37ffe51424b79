"""How groups of rows are reported: which are left out, how they are sorted, and whether they are compared."""

from typing import NamedTuple

from evalcore.errors import EvaluationError, did_you_mean
from evalcore.optional import require
from evalcore.report.catalogue import MEASURES, entry_of
from evalcore.report.options import option
from evalcore.validation.values import check_integer

NAME, SIZE, VALUE, WORST = "name", "size", "value", "worst"
SORTED = NAME, SIZE, VALUE, WORST
"""How groups are sorted, beside names of statistics."""


class Grouping(NamedTuple):
    """What is asked of groups."""

    min_cases: int | None = None
    """Smaller groups are left out."""
    sort: str | None = None
    """One of `SORTED`, or the name of a statistic, the largest first."""
    compare_groups: bool = False
    """Whether each group is compared with all other cases."""


EVERY_GROUP = Grouping()


def check_grouping(grouping: Grouping, by: tuple[str, ...], scores: tuple[str, ...], level: float | None) -> None:
    """Raise EvaluationError for invalid options of groups, and for options without what they need.  O(options).

    by: columns of groups; scores: columns of scores of one label; level: of intervals.
    """
    given = grouping._asdict()
    for name, value in given.items():
        if value is not EVERY_GROUP._field_defaults[name] and not by:
            raise EvaluationError(f"{option(name)} needs {option('by')}, which names the column of groups")
    if grouping.compare_groups and level is None:
        raise EvaluationError(f"{option('compare_groups')} needs {option('ci')}, the level of the intervals")
    if grouping.compare_groups and scores:
        require("scipy.special", "inference")  # before files are read
    least, sort = grouping.min_cases, grouping.sort
    if least is not None and check_integer(least, option("min_cases")) < 1:
        raise EvaluationError(f"{option('min_cases')} must be at least 1, got {least}")
    if sort is not None and sort not in SORTED and entry_of(sort) is None:
        known, near = f"{', '.join(SORTED)} or the name of a statistic", did_you_mean(sort, [*SORTED, *MEASURES])
        raise EvaluationError(f"{option('sort')} must be {known}, got {sort!r}{near}")
