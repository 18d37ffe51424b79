"""What is reported of rankings by score: of one or of many groups, whether cases count as one each or have weights."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from evalcore.evaluation.cases import RankedCases
from evalcore.evaluation.catalogue import DEPTH
from evalcore.evaluation.measure_choice import PRECISION_AT, RECALL_AT, Measures
from evalcore.evaluation.thresholds import Costs
from evalcore.kernels.pairs import pair_counts
from evalcore.kernels.runs import Runs
from evalcore.measures import curves, ranks
from evalcore.measures.losses import NO_LOSSES, ProbabilityLosses, probability_losses
from evalcore.state.cases import WeightedRanking
from evalcore.typing import AnyArray, FloatArray, IntArray, ScoreArray

LOSSES = tuple(NO_LOSSES.statistics(0))
"""Names of the measures of probabilities."""


class Rankings(NamedTuple):
    """The rankings of g groups, as far as measures need them."""

    runs: Callable[[], Runs]
    """Returns their runs."""
    scores_at: Callable[[IntArray], ScoreArray]
    """Returns the scores of cases by their indices among those of all groups in order."""
    losses: Callable[[], ProbabilityLosses]
    """Adds up what probabilities lose in each group."""
    sizes: AnyArray
    """Cases of each group, or their weight, shape (g,)."""
    has_ranks: bool = True
    """Whether the best cases can be counted."""
    areas: Callable[[], FloatArray] | None = None
    """Returns the ROC areas without the runs."""

    def roc_areas(self) -> FloatArray:
        """Return the ROC areas, (g,)."""
        return curves.roc_areas(self.runs()) if self.areas is None else self.areas()


def ranking_of(cases: RankedCases, *, has_ranks: bool = True) -> Rankings:
    """Return the ranking of cases; whole weights give to the bit what repeated cases give.  O(1), O(n) with weights."""
    weights = cases.weights if isinstance(cases, WeightedRanking) else None

    def losses() -> ProbabilityLosses:
        return probability_losses(cases.scores, cases.correct, weights)

    if isinstance(cases, WeightedRanking):
        total = np.array([cases.positives + cases.negatives])
        return Rankings(lambda: cases.runs, cases.scores_of_ranks, losses, total, has_ranks)

    def areas() -> FloatArray:
        return np.array([curves.roc_area(pair_counts(cases.ordering.keys), cases.positives, cases.negatives)])

    def scores_at(ranks: IntArray) -> ScoreArray:
        return cases.ordering.scores(ranks)

    return Rankings(lambda: cases.runs, scores_at, losses, np.array([cases.size]), areas=areas)


def ranking_columns(ranked: Rankings, costs: Costs | None, measures: Measures) -> dict[str, AnyArray]:
    """Return the measures of rankings that are asked for, (g,) each, by name.  O(n log n)."""
    families: dict[tuple[str, ...], Callable[[], Mapping[str, AnyArray]]] = {
        ("roc_area",): lambda: {"roc_area": ranked.roc_areas()},
        ("average_precision",): lambda: {"average_precision": curves.average_precisions(ranked.runs())},
        ("maximum_f1",): lambda: _maximum_f1s(ranked),
        ("minimum_expected_cost",): lambda: {} if costs is None else _minimum_costs(ranked, costs),
        ("break_even_point",): lambda: {"break_even_point": curves.break_even_points(ranked.runs())},
        ("r_precision",): lambda: {"r_precision": ranks.precisions_at(ranked.runs(), ranked.runs().totals[0])},
        (PRECISION_AT, RECALL_AT): lambda: _at_depths(ranked, measures) if ranked.has_ranks else {},
        ("reciprocal_rank",): lambda: (
            {"reciprocal_rank": ranks.reciprocal_ranks(ranked.runs())} if ranked.has_ranks else {}
        ),
        LOSSES: lambda: {name: np.asarray(each) for name, each in ranked.losses().statistics(ranked.sizes).items()},
    }
    found: dict[str, AnyArray] = {}
    for names, family in families.items():
        if measures.wants(*names):
            found |= family()
    return found


def _maximum_f1s(ranked: Rankings) -> dict[str, AnyArray]:
    best = curves.maximum_f_measures(ranked.runs())
    return {"maximum_f1": best.values, "maximum_f1_score": _scores_of(ranked, best.runs, np.nan)}


def _minimum_costs(ranked: Rankings, costs: Costs) -> dict[str, AnyArray]:
    """Return the least expected cost, and the threshold of it: infinity where it is cheapest to flag no case."""
    best = curves.minimum_expected_costs(ranked.runs(), costs.of_counts)
    scores = _scores_of(ranked, best.runs, np.inf)
    return {"minimum_expected_cost": best.values, "minimum_expected_cost_score": scores}


def _at_depths(ranked: Rankings, measures: Measures) -> dict[str, AnyArray]:
    runs, sizes = ranked.runs(), ranked.sizes
    found: dict[str, AnyArray] = {}
    for name, measure in ((PRECISION_AT, ranks.precisions_at), (RECALL_AT, ranks.recalls_at)):
        if not (depths := [*measures.depths_of(name)]):
            continue
        asked = np.array(depths, np.int64)[:, np.newaxis].repeat(sizes.size, axis=1)
        # a single ranking is asked for all depths at once
        columns = measure(runs, asked) if sizes.size == 1 else [measure(runs, each) for each in asked]
        for depth, values in zip(depths, columns, strict=True):
            exists = name == RECALL_AT or depth <= sizes
            found[name.replace(DEPTH, str(depth))] = np.where(exists, values, np.nan)
    return found


def _scores_of(ranked: Rankings, chosen: IntArray, otherwise: float) -> FloatArray:
    """Return the scores of runs, (g,), one of each group; -1 for none.  O(g)."""
    scores = np.full(chosen.size, otherwise)
    found = chosen >= 0
    if found.any():
        scores[found] = ranked.scores_at(ranked.runs().last_case(chosen[found]))
    return scores
