"""What is reported of rankings by score: of one or of many groups, whether cases count as one each or have weights."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evalcore.evaluation.catalogue import COSTS, DEPTH, ENTRIES, RANKS
from evalcore.evaluation.measure_choice import Measures
from evalcore.evaluation.statistics.case_tallies import Tally
from evalcore.evaluation.thresholds import Costs
from evalcore.kernels.runs import Runs
from evalcore.measures import curves
from evalcore.measures.losses import ProbabilityLosses
from evalcore.typing import AnyArray, FloatArray, IntArray, Ratio, ScoreArray


@dataclass
class Rankings:
    """The rankings of g groups, as far as measures need them: each part is found once, when a measure asks for it."""

    classes: Tally
    """Positives and negatives, shape (2, g)."""
    runs_of: Callable[[], Runs]
    """Returns their runs."""
    scores_at: Callable[[IntArray], ScoreArray]
    """Returns the scores of cases by their indices among those of all groups in order."""
    losses_of: Callable[[], ProbabilityLosses]
    """Adds up what probabilities lose in each group."""
    area_variances: Callable[[], FloatArray]
    """Returns the variances of the ROC AUCs, (g,)."""
    sizes: AnyArray
    """Cases of each group, or their weight, shape (g,)."""
    has_ranks: bool = True
    """Whether the best cases can be counted."""
    areas: Callable[[], FloatArray] | None = None
    """Returns the ROC AUCs without the runs."""
    cases: AnyArray | None = None
    """The number of cases, shape (g,), where misses are among the classes."""
    costs: Costs | None = None
    """Of wrong decisions."""

    @cached_property
    def runs(self) -> Runs:
        """The runs of scores."""
        return self.runs_of()

    @cached_property
    def best_f1(self) -> curves.BestRuns:
        """The largest F1 of each ranking, and the run that reaches it."""
        return curves.maximum_f_measures(self.runs)

    @cached_property
    def least_cost(self) -> curves.BestRuns:
        """The least expected cost of each ranking, and the run that has it; -1 where it is cheapest to flag no case."""
        assert self.costs is not None
        return curves.minimum_expected_costs(self.runs, self.costs.of_counts)

    @cached_property
    def losses(self) -> Mapping[str, Ratio]:
        """The measures of probabilities."""
        return self.losses_of().statistics(self.sizes)

    def roc_aucs(self) -> FloatArray:
        """Return the ROC AUCs, (g,)."""
        return curves.roc_aucs(self.runs) if self.areas is None else self.areas()

    def scores_of(self, chosen: IntArray, otherwise: float) -> FloatArray:
        """Return the scores of runs, (g,), one of each group; -1 for none.  O(g)."""
        scores = np.full(chosen.size, otherwise)
        found = chosen >= 0
        if found.any():
            scores[found] = self.scores_at(self.runs.last_case(chosen[found]))
        return scores


_FORMULAS = [(name, entry, entry.of_ranking) for name, entry in ENTRIES.items() if entry.of_ranking is not None]


def ranking_columns(ranked: Rankings, costs: Costs | None, measures: Measures) -> dict[str, AnyArray]:
    """Return the measures of rankings that are asked for, (g,) each, by name, by the formulas of the catalogue.

    O(n log n).
    """
    ranked.costs = costs
    found: dict[str, AnyArray] = {}
    lacking = {need for need, lacks in ((RANKS, not ranked.has_ranks), (COSTS, costs is None)) if lacks}
    for name, entry, formula in _FORMULAS:
        if not lacking.isdisjoint(entry.needs) or not measures.wants(name):
            continue
        if entry.depths is None:
            found[name] = np.asarray(formula(ranked))
        elif depths := measures.depths_of(name):
            asked = np.array(depths, np.int64)[:, np.newaxis].repeat(ranked.sizes.size, axis=1)
            # a single ranking is asked for all depths at once
            together = [asked] if ranked.sizes.size == 1 else asked
            values = np.reshape([formula(ranked, each) for each in together], asked.shape)
            found |= {name.replace(DEPTH, str(depth)): each for depth, each in zip(depths, values, strict=True)}
    return found
