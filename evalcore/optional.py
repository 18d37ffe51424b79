"""The one way to import optional libraries, when they are asked for."""

from importlib import import_module
from types import ModuleType

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
