"""The numbers that conditions are about, whatever report they come from."""

from typing import NamedTuple

import numpy as np


class GatedNumber(NamedTuple):
    """One measure of a model, of all cases or of a group, and how it changed."""

    model: str
    measure: str
    """Its name, with its threshold if it has one, such as "recall@0.3"."""
    value: float
    low: float = np.nan
    """The lower bound of the value; NaN without an interval."""
    high: float = np.nan
    change: float = np.nan
    """The value less that of the old model; NaN where there is none."""
    change_low: float = np.nan
    """The lower bound of the change; NaN without an interval."""
    change_high: float = np.nan
    grouping: str | None = None
    """The column of the group; None for all cases."""
    group: str | None = None
    cases: int = 0
    """Number of cases."""
    old: float = np.nan
    """The value of the old model; NaN where there is none."""
    certain: tuple[float, float] | None = None
    """The bounds between which the exact value certainly lies, where it is not known."""
    change_certain: tuple[float, float] | None = None

    @property
    def as_change(self) -> "GatedNumber":
        """The change in the place of the value.  O(1)."""
        return self._replace(value=self.change, low=self.change_low, high=self.change_high, certain=self.change_certain)

    @property
    def within(self) -> "GatedNumber":
        """The number with its certain bounds, if it has some, in the place of its intervals.  O(1)."""
        low, high = self.certain or (self.low, self.high)
        least, most = self.change_certain or (self.change_low, self.change_high)
        return self._replace(low=low, high=high, change_low=least, change_high=most)
