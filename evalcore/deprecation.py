"""How public names are retired: they work for two minor releases more, and say what to use instead."""

import warnings
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from evalcore._version import __version__
from evalcore.errors import EvaluationError

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")
_MINOR_RELEASES = 2


def _release(version: str) -> tuple[int, int]:
    """Return major and minor number.  O(1)."""
    major, minor = version.split(".")[:2]
    return int(major), int(minor)


def deprecated(
    *, since: str, removed_in: str, instead: str, parameter: str | None = None, version: str = __version__
) -> Callable[[Callable[_Given, _Result]], Callable[_Given, _Result]]:
    """Mark a function, or one of its parameters, as one that will be removed.

    Who uses it gets a FutureWarning, and what it always did.

    Parameters
    ----------
    since, removed_in : str
        Versions, such as "1.2": the first that warns, and the one without the name, two minor releases later at least.
    instead : str
        What to use.  With `parameter`, the name of that which takes its values now.
    parameter : str, optional
        The former name of a parameter, which the function no longer has.
    version : str
        The present version.

    Raises
    ------
    EvaluationError
        If `removed_in` comes too early, or has come and the name has not been removed.  When called, if a parameter is
        given under both of its names.

    Examples
    --------
    >>> @deprecated(since="1.1", removed_in="1.3", instead="cluster", parameter="groups", version="1.1.0")
    ... def interval(cluster=None):
    ...     return cluster
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     found = interval(groups=[1, 2])
    >>> found
    [1, 2]
    >>> print(caught[0].message)
    interval: groups was renamed to cluster in version 1.1, and will be removed in 1.3; use cluster
    """
    major, minor = _release(since)
    if _release(removed_in) < (major, minor + _MINOR_RELEASES):
        raise EvaluationError(
            f"removed_in must be {_MINOR_RELEASES} minor releases after {since}, or a major one, got {removed_in}"
        )

    def mark(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
        name = getattr(function, "__qualname__", repr(function))
        if _release(version) >= _release(removed_in):
            late = f"{parameter} of {name}" if parameter else name
            raise EvaluationError(f"{late} was to be removed in {removed_in}, got version {version}; remove it")
        change = f"{parameter} was renamed to {instead}" if parameter else "deprecated"
        message = f"{name}: {change} in version {since}, and will be removed in {removed_in}; use {instead}"

        @wraps(function)
        def marked(*args: _Given.args, **kwargs: _Given.kwargs) -> _Result:
            if parameter is None:
                warnings.warn(message, FutureWarning, stacklevel=2)
            elif parameter in kwargs:
                if instead in kwargs:
                    raise EvaluationError(f"{instead} must be given under one name, got {parameter} too; drop that")
                warnings.warn(message, FutureWarning, stacklevel=2)
                kwargs[instead] = kwargs.pop(parameter)
            return function(*args, **kwargs)

        return marked

    return mark
