"""The command line, ``evalcore``."""

from evalcore.cli.commands import main

__all__ = ["main"]
