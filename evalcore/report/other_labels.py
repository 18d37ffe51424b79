"""The labels that count as negative where the positive one is named."""

from typing import Any

import numpy.typing as npt

from evalcore.io.text_cells import MISSING_WORDS
from evalcore.report.inputs import spelling_key
from evalcore.report.options import option
from evalcore.typing import BoolArray

_LISTED = 6


class OtherLabels:
    """Distinct labels other than the positive one: at most one more than notes list.

    >>> import numpy as np
    >>> others = OtherLabels()
    >>> others.add(np.array(["yes", "no", "maybe"]), np.array([True, False, False]))
    >>> others.found
    ['no', 'maybe']
    """

    def __init__(self) -> None:
        self.found: list[str] = []

    def add(self, labels: npt.NDArray[Any], positive: BoolArray) -> None:
        """Add the labels of rows, (n,), of which some are positive, (n,).  O(n) for each label that is kept."""
        left = labels[~positive]
        while left.size and len(self.found) <= _LISTED:
            # -0.0 becomes 0.0
            label = f"{left[0] + 0.0:g}" if left.dtype.kind == "f" else str(left[0])
            if label not in self.found:
                self.found.append(label)
            left = left[left != left[0]]

    def notes(self, name: str, positive: str | None) -> tuple[str, ...]:
        """Return a note on the column if several labels count as negative beside the one that was named.  O(1).

        A single one is noted if it is another spelling of that one, such as `Yes` of `yes`.
        """
        if positive is None or (len(self.found) < 2 and spelling_key(positive) not in map(spelling_key, self.found)):
            return ()
        shown = ", ".join(map(repr, self.found[:_LISTED]))
        count, more = (f"more than {_LISTED}", ", ...") if len(self.found) > _LISTED else (len(self.found), "")
        missing = next((label for label in self.found if label in MISSING_WORDS), None)
        condition = option("where", f'"{name if name.isidentifier() else "COL"} <> {missing!r}"')
        way_out = f"; if {missing!r} marks a missing label, leave such rows out ({condition})" if missing else ""
        labels = "label" if count == 1 else "labels"
        return (
            f"column {name!r} holds {count} {labels} other than {positive!r}, all counted as negative: {shown}{more}"
            f"{way_out}",
        )
