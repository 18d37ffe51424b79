"""Objects that threads may change and read at once."""

from collections.abc import Callable
from copy import copy
from functools import partial, wraps
from inspect import getattr_static, isfunction
from threading import RLock
from typing import Any, ClassVar, Self, cast

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
        return method(self._now(), *args, **kwargs)

    return answer
