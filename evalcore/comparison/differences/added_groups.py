"""Differences of models in groups of cases that lie in many parts of tables."""

from collections.abc import Sequence

import numpy as np

from evalcore.batched.group_codes import GroupCodes
from evalcore.batched.grouped_summaries import SummaryLimits
from evalcore.comparison.differences.certified_differences import AddedDifferences
from evalcore.comparison.differences.class_moments import PartGroups
from evalcore.comparison.differences.group_differences import judged_groups
from evalcore.comparison.measure_names import RANKED, RESAMPLED, ComparedMeasure
from evalcore.comparison.model import GroupDifferences
from evalcore.comparison.pairing.part_cases import PartCases
from evalcore.comparison.question import CompareQuestion
from evalcore.optional import require
from evalcore.report.options import MOST_GROUPS
from evalcore.report.wording import BETWEEN


class AddedGroups:
    """What the cases of all parts add up to in each group of a grouping."""

    def __init__(
        self,
        columns: Sequence[str],
        measures: Sequence[ComparedMeasure],
        question: CompareQuestion,
        limits: SummaryLimits,
    ) -> None:
        self.added = AddedDifferences(measures, question, limits, columns)
        self._columns = columns
        self._codes = GroupCodes(columns, MOST_GROUPS)
        self._question = question
        self._certified: list[str] = []
        """Notes on measures that are not known exactly."""

    def add(self, part: PartCases) -> None:
        """Add the cases of a part.  O(k n log n) for k models."""
        self.added.add(part.cases, self.groups_of(part))

    def differences(
        self, measures: Sequence[ComparedMeasure], old: str, new: Sequence[str]
    ) -> list[list[GroupDifferences]]:
        """Return the groups of each new model, those that got worse first.  O(g log g)."""
        added, asked = self.added, [each for each in measures if each.measure not in RESAMPLED]
        names = self._codes.ordered(added.sizes.astype(np.int64), self._question.min_cases)
        counts = added.classes.cases.astype(np.int64)
        self._certified = [note for measure in asked for note in self._certified_note(measure, old, new)]
        found = [added.differences(asked, old, model) for model in new]
        return judged_groups(names, counts, found, self._question)

    @property
    def notes(self) -> list[str]:
        """What a reader must know of the groups, after `differences`.  O(1)."""
        name = BETWEEN.join(self._columns)
        return [*(f"{name}: {note}" for note in self._codes.notes), *self._certified]

    def groups_of(self, part: PartCases) -> PartGroups:
        """Return the groups of the cases of a part.  O(n)."""
        array = require("pyarrow", "report").array
        rows = self._codes.codes([array(part.described[name]) for name in self._columns])
        return PartGroups(rows.astype(np.int64), len(self._codes))

    def _certified_note(self, measure: ComparedMeasure, old: str, new: Sequence[str]) -> list[str]:
        if measure.measure not in RANKED:
            return []
        bounds = [self.added.ranks.certain_bounds(measure.measure, old, model) for model in new]
        width = float(np.nanmax([[0.0, *(high - low).tolist()] for low, high in bounds]))
        if not width:
            return []
        return [
            f"differences of {measure.title} in groups by {BETWEEN.join(self._columns)} are certified: bounds of the "
            f"exact ones are at most {width:.2g} apart; intervals and p-values allow for them"
        ]
