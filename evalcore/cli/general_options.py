"""The options that every command has."""

from evalcore.cli.config import CONFIG
from evalcore.cli.options import under
from evalcore.cli.quiet import LONG_QUIET, QUIET

GENERAL, GENERAL_OF_TREC = (under("Options", quiet, CONFIG) for quiet in (QUIET, LONG_QUIET))
"""The second has no -q, which trec_eval uses for queries."""
