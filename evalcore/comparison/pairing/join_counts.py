"""What became of the rows that were joined."""

from typing import NamedTuple


class JoinCounts(NamedTuple):
    """How many rows were compared, and how many were not."""

    old_rows: int
    new_rows: int
    cases: int
    """Rows of both."""
    only_old: int = 0
    only_new: int = 0
    repeated_old: int = 0
    """Rows of an id that an earlier row has."""
    repeated_new: int = 0
    other_labels: int = 0
    """Cases whose label differs between the two."""
