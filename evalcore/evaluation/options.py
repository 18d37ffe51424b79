"""Defaults of options, and how errors spell options: `positive=` for Python, `--positive` for the command."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from evalcore.errors import EvaluationTypeError, check, held, refuse

MOST_GROUPS = 10_000
"""Number of groups that are allowed unless another is given."""
COMPARED = "first", "best", "all", "none"
"""Which score columns are compared: each with the first or with the best, or all pairs, or none."""
REST, ALL = "rest", "all"
"""What groups are compared with: each with all other cases, or all pairs; or each with one, by its name."""
CI_METHODS = "delong-wilson", "delong", "delong-logit"
"""Intervals of ROC AUCs, the default first; a copy of the names of `AREA_METHODS`, which need NumPy."""
PROPORTION_METHODS = "wilson", "clopper-pearson", "jeffreys", "agresti-coull", "normal"
"""Intervals of fractions, the default first; a copy of the names of `ProportionMethod`."""
WEIGHT_TYPES = SAMPLING, FREQUENCY = "sampling", "frequency"
"""What weights are: how many cases of the population each row stands for, or how often it occurred."""
ALLOWED = MISSING, REPEATED, LABELS = "missing", "repeated", "labels"
"""What may be allowed by name: ids that one side lacks, ids of several rows, labels that disagree."""
METHODS = ANALYTIC, BOOTSTRAP = "analytic", "bootstrap"
"""Where intervals and p-values come from."""
METHODS_OF_CLASSES = *METHODS, "permutation"
"""Those of predicted classes."""
WILCOXON = "wilcoxon"
"""The method of runs of ranked results, beside those of classes, that ranks the differences of queries."""
DIFFERENCE_METHODS = "delong-score", "delong"
"""Intervals of differences of ROC AUCs, the default first; a copy of `DIFFERENCE_METHODS`, which need NumPy."""
PERIODS = "hour", "day", "week", "month", "quarter", "year"
"""What dates are grouped by, beside each by itself."""
RESAMPLES, CHANGED = 1000, 10
"""The number of resamples, and the most cases in a list of changed ones or of mistakes, unless others are given."""
MOST_LISTED = 100
"""Cases of each list that a page has at most."""
_TYPED = {
    "on": "id",
    "measures": "measure",
    "groups": "max-groups",
    "compare": "versus",
    "text": "as-text",
    "allow": "allow-mismatch",
    "words": "map",
}
"""Options that the command calls otherwise, by their names in Python."""
_DASHES = ContextVar("dashes", default="")
_CALLED = ContextVar[Mapping[str, str]]("called", default=_TYPED)


@contextmanager
def spelled_for_a_shell(**called: str) -> Iterator[None]:
    """Make errors inside spell options as the command does; called: those that this command calls otherwise.

    >>> with spelled_for_a_shell():
    ...     option("positive", "VALUE")
    '--positive VALUE'
    """
    with held(_DASHES, "--"), held(_CALLED, _TYPED | called):
        yield


def asked_groups(given: Any) -> str:
    """Return what groups are compared with; True for the rest, empty for nothing.  O(1).

    >>> asked_groups(True), asked_groups("UA"), asked_groups(False)
    ('rest', 'UA', '')
    """
    known = given is None or isinstance(given, bool | str)
    check(known, option("compare_groups"), "be True, False or a string", repr(given), EvaluationTypeError)
    return (REST if given else "") if not isinstance(given, str) else given


def asked_periods(by_time: str | None, every: Any) -> dict[str, str]:
    """Return the period of a column of dates; none without such a column.  O(1).

    >>> asked_periods("day", None), asked_periods(None, None)
    ({'day': 'month'}, {})
    """
    known = every is None or every in PERIODS
    check(known, option("every"), f"be one of {', '.join(map(repr, PERIODS))}", repr(every))
    refuse({f"{text_option('every', every)} needs {option('by_time', 'COLUMN')}": every and by_time is None})
    return {} if by_time is None else {by_time: every or "month"}


def spelled(typed: str, in_python: str) -> str:
    """Return an option of the command, or what Python has in its place, as the caller would write it.  O(1).

    >>> spelled("--format csv", "to_csv()")
    'to_csv()'
    """
    return typed if _DASHES.get() else in_python


def shows_all() -> str:
    """Return what shows all numbers, as the caller would write it.  O(1).

    >>> shows_all()
    'to_markdown(full=True)'
    """
    return spelled("--full", "to_markdown(full=True)")


def text_option(name: str, text: str) -> str:
    """Return an option whose value is a text, as the caller would write it.  O(1).

    >>> text_option("compare", "best")
    "compare='best'"
    """
    return option(name, text if _DASHES.get() else repr(text))


def way_out_of_nulls(*, of_values: bool = False) -> str:
    """Return what errors about missing values add, as the caller would write it.  O(1).

    of_values: whether a column has one value of each case, which people may have given to some cases alone.

    >>> way_out_of_nulls()
    "; leave out the rows with nulls (nulls='drop')"
    """
    judged = f", or name a judge of all rows, if people judged some ({option('judge', 'COL')})" if of_values else ""
    return f"; leave out the rows with nulls ({text_option('nulls', 'drop')}){judged}"


def option(name: str, value: str = "") -> str:
    """Return an option, with its value if one is given, as the caller would write it.

    >>> with spelled_for_a_shell():
    ...     option("on"), option("old_score", "COL")
    ('--id', '--old-score COL')
    """
    dashes = _DASHES.get()
    between = " " if dashes else "="
    name = _CALLED.get().get(name, name).replace("_", "-") if dashes else name
    return f"{dashes}{name}{between}{value}" if value else f"{dashes}{name}"


def listing_option(names: Iterable[str]) -> str:
    """Return names that are allowed, of many the first, or the option that lists them.  O(names).

    >>> listing_option(["f1", "kappa"])
    "'f1', 'kappa'"
    """
    from evalcore.evaluation.wording import LISTED, listed  # now: the help needs options alone

    found = [*map(repr, names)]
    many = f"{listed(found)}, which evalcore report or compare --list-measures prints"
    return spelled("the names of --list-measures", many if found[LISTED:] else ", ".join(found))
