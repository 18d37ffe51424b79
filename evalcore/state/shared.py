"""Objects that threads may change and read at once, and what is asked of an evaluation, whatever its class."""

from collections.abc import Callable, Mapping
from copy import copy, deepcopy
from functools import partial, wraps
from inspect import getattr_static, isfunction
from threading import RLock
from typing import Any, ClassVar, Protocol, Self, cast, runtime_checkable

import numpy.typing as npt

from evalcore.state.cases import ScoredCases
from evalcore.typing import FloatArray, IntArray


@runtime_checkable
class HasScoredCases(Protocol):
    """An evaluation that holds the score and the label of every case."""

    def scored_cases(self) -> ScoredCases:
        """Return the cases themselves, not a copy.  O(1)."""


@runtime_checkable
class HasCategoryCounts(Protocol):
    """An evaluation that counts cases by reference and response category."""

    def categories(self) -> tuple[Any, ...]:
        """Return the k names, in the order of rows and columns."""

    def category_counts(self) -> IntArray:
        """Return the counts, shape (k, k) int64, rows by reference."""


@runtime_checkable
class HasRankCounts(HasCategoryCounts, Protocol):
    """An evaluation that counts cases by the rank, too, that was given to their reference category."""

    def rank_counts(self) -> IntArray:
        """Return the counts, shape (k, k) int64, rows by reference, columns by rank from 0."""


@runtime_checkable
class GroupValues(Protocol):
    """An evaluation with one value of each measure for each of g groups."""

    @property
    def groups(self) -> npt.NDArray[Any]:
        """The names of the groups, shape (g,)."""

    @property
    def sizes(self) -> IntArray:
        """The number of items of each group, shape (g,)."""

    @property
    def values(self) -> Mapping[str, FloatArray]:
        """The values of each measure, shape (g,), by its name."""

    @property
    def weights(self) -> FloatArray | None:
        """The weights of the groups in means, shape (g,), if they have any."""

    @property
    def geometric(self) -> frozenset[str]:
        """The keys of `values` of the measures whose means are geometric ones."""

    def measure_name(self, measure: str) -> str:
        """Return the key of `values` for any name of a measure."""

    def mean(self, measure: str) -> float:
        """Return the mean of a measure over the groups."""


_STATES = "_cases", "_table"
_ASKED = {"__copy__", "__deepcopy__", "__repr__", "__str__", "_compared", "_repr_html_", "_snapshot"}
"""Methods that answer, although their names are not public."""


class Shared:
    """Let threads change an object one after the other, and answer from its state at one moment.

    A class of this package keeps its state in `_cases` or `_table`, whose `frozen` returns it as it is now if a shallow
    copy would not.  Methods named by ``class C(Shared, live="add merge")`` have the object itself; those that change
    its state do it in ``with self._lock``, after setting `_moment` to None there.  All other public methods and
    properties have an object with the state of one moment, which nobody changes.
    """

    __slots__ = ("_lock", "_moment", "_waiting")

    _lock: Any
    """None in an object that nobody changes."""
    _moment: Any
    """An object with the state after the last change, if somebody asked."""
    _holds_state_alone: ClassVar[bool]
    """Whether nothing else in an object changes."""
    _waiting: list[Any]
    """What was added without the lock, since extending a list needs none."""

    def __new__(cls, *_: Any, **__: Any) -> Self:  # noqa: D102  as the constructor
        self = super().__new__(cls)
        self._lock, self._moment, self._waiting = RLock(), None, []
        return self

    def __init_subclass__(cls, *, live: str = "", **rest: Any) -> None:
        super().__init_subclass__(**rest)
        cls._holds_state_alone = cls.__module__.startswith("evalcore.")
        if not cls._holds_state_alone:
            return  # what others add may change the object without telling
        for name in {*vars(cls), *_ASKED}.difference(live.split()):
            member: Any = getattr_static(cls, name, None)
            if name.startswith("_") and name not in _ASKED:
                continue
            if isinstance(member, property):
                setattr(cls, name, member.getter(_of_a_moment(cast("Any", member.fget))))
            elif isfunction(member) and not hasattr(member, "__wrapped__"):
                setattr(cls, name, _of_a_moment(member))

    def __copy__(self) -> Self:
        return deepcopy(self)  # a copy that shared the cases would miss some of those added later

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        return None, self._now()._attributes()

    def _now(self) -> Self:
        """Return an object like this one, with its state as it is now."""
        if self._lock is None:
            return self
        now = self._moment
        if now is not None and self._holds_state_alone and not self._waiting:
            return cast("Self", now)  # what changes the state drops it first, so that it needs no lock
        with self._lock:
            self._settle()
            before, now = self._moment, object.__new__(type(self))
            now._lock = None
            for name, value in self._attributes().items():
                states = name in _STATES
                if states and before is None:
                    setattr(now, name, getattr(value, "frozen", partial(copy, value))())
                else:
                    setattr(now, name, getattr(before, name) if states else value)
            self._moment = now
        return now

    def _add(self, state: Any, *added: Any) -> None:
        with self._lock:
            self._moment = None
            state.add(*added)

    def _settle(self) -> None:
        """Bring what waits into the state; called with the lock."""

    def _attributes(self) -> dict[str, Any]:
        own, slots = cast("tuple[Any, Any]", object.__getstate__(self))  # always two, since there are slots
        return {name: value for name, value in ((own or {}) | slots).items() if name not in Shared.__slots__}


def _of_a_moment(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def answer(self: Shared, *args: Any, **kwargs: Any) -> Any:
        return method(self if self._lock is None else self._now(), *args, **kwargs)

    return answer
