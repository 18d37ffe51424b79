"""The one way to import optional libraries, when they are asked for."""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from evalcore.errors import MissingLibraryError

DISTRIBUTION = "evalcore-metrics"
"""What pip installs; the `evalcore` on PyPI is an unrelated package."""


def install_command(extra: str) -> str:
    """Return the command that installs an extra.

    >>> install_command("report")
    "pip install 'evalcore-metrics[report]'"
    """
    return f"pip install '{DISTRIBUTION}[{extra}]'"


def require(module: str, extra: str | None = None) -> ModuleType:
    """Import a module of an optional library, or say what to install.

    extra: the extra of evalcore that brings the library; None if none does.  Raises MissingLibraryError where the
    library is not installed; an installed library that cannot be imported raises what it raises.

    >>> require("json.decoder").__name__
    'json.decoder'
    >>> require("pyarow", "report")
    Traceback (most recent call last):
    evalcore.errors.MissingLibraryError: pyarow is not installed; pip install 'evalcore-metrics[report]'
    """
    library = module.partition(".")[0]
    try:
        import_module(library)
    except ModuleNotFoundError as error:
        if error.name != library:  # the library is there, and something that it needs is not
            raise
        advice = install_command(extra) if extra else f"pip install {library}"
        raise MissingLibraryError(f"{library} is not installed; {advice}", name=library) from None
    return import_module(module)


class Library:
    """A module of an optional library, which `require` imports when something of it is asked for.

    >>> decoder = Library("json.decoder", "report")
    >>> decoder.JSONDecoder.__name__
    'JSONDecoder'
    """

    def __init__(self, module: str, extra: str) -> None:
        self._wanted = module, extra
        self._found: Any = self

    def __reduce__(self) -> tuple[type["Library"], tuple[str, str]]:
        return Library, self._wanted

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self._wanted[0]) is not self._found:  # finding a module each time takes ten times as long
            self._found = require(*self._wanted)
        return getattr(self._found, name)
