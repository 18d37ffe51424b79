"""The options that every command has."""

from evalcore.cli.config import NO_CONFIG
from evalcore.cli.options import under
from evalcore.cli.quiet import QUIET

GENERAL = under("Options", QUIET, NO_CONFIG)
