"""The number of threads that computations may use: a setting of the calling context."""

import operator
import os
from contextlib import AbstractContextManager
from contextvars import ContextVar

from evalcore.errors import EvaluationTypeError, check, held

_allowed: ContextVar[int | None] = ContextVar("evalcore_threads", default=None)


def threads(count: int | None) -> AbstractContextManager[None]:
    """Limit the threads that computations in a ``with`` block may use.  O(1).

    Parameters
    ----------
    count : int, optional
        At least 1; None stands for all processors of this process, which is also what holds without a limit.

    Returns
    -------
    context manager
        Inside, at most `count` threads work.

    Raises
    ------
    EvaluationError
        If `count` is below 1.
    EvaluationTypeError
        If `count` is neither an integer nor None.

    Notes
    -----
    More than one thread is used from about half a million cases on.  No result depends on the number of threads, and no
    thread outlives the call that started it, so that a process may fork.  Threads and processes that are started inside
    have no limit: call `threads` there again.

    Examples
    --------
    >>> from evalcore.metrics import roc_auc_score
    >>> with threads(1):
    ...     roc_auc_score([0, 1], [0.25, 0.5])
    1.0
    """
    return held(_allowed, None if count is None else _checked(count))


def allowed_threads() -> int:
    """Return how many threads the calling context may use, at least 1.  O(1)."""
    own = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return _allowed.get() or own or 1


def _checked(count: int) -> int:
    try:
        number = operator.index(count)
    except TypeError:
        raise EvaluationTypeError(f"threads must be an integer or None, got {count!r}") from None
    check(number >= 1, "threads", "be at least 1", f"{count!r}")
    return number
