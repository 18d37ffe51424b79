"""The command line, ``evalcore``."""

try:
    from evalcore.cli.commands import main
except ImportError as error:
    if error.name != "evalcore.errors":
        raise
    from importlib import import_module

    main = import_module("evalcore_metrics").main  # says that files of another package are found

__all__ = ["main"]
