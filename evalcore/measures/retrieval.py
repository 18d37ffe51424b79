"""Items of many groups, ranked by score: what measures of rankings are computed from.

Measures of many rankings at once: one value for each group of items.

Where scores are tied, precision, recall, success, reciprocal rank, average precision and discounted gains are means
over all orders of the tied items (F. McSherry and M. Najork, Computing information retrieval performance measures
efficiently in the presence of tied scores, ECIR 2008); expected reciprocal rank is, where one of them is relevant.  A
depth counts from 1; None takes the whole ranking.  A group in which nothing is relevant has 0.0, as trec_eval has it;
areas are NaN without both classes.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from dataclasses import replace as replaced
from functools import cached_property

import numpy as np

from evalcore.errors import check
from evalcore.kernels.grouping import GroupedOrder, group_layout, order_by_group, sorted_by_group
from evalcore.kernels.runs import Runs, run_starts
from evalcore.kernels.sums import ratio
from evalcore.measures import binary, curves, ranks
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray


@dataclass(eq=False)
class GroupedRankings:
    """Items of g groups.  What a measure asks for is computed when it is first asked for.

    Relevant items are known by the t runs of equal scores that hold any: group after group, best first; the totals of
    these count the ones that were not retrieved too.

    >>> ranked = GroupedRankings(np.array([0, 1, 0]), np.array([0.1, 0.2, 0.3]), np.array([1, 0, 0]), groups=2)
    >>> ranked.sizes, ranked.all_relevant, ranked.runs.group, ranked.runs.before
    (array([2, 1]), array([1., 0.]), array([0]), array([1]))
    """

    codes: IntArray
    """The group of each item, (n,), in 0 .. groups - 1."""
    scores: ScoreArray
    """Of each item, (n,), no NaN."""
    judgements: AnyArray
    """Grades, (n,) numbers or Booleans: above 0 of relevant items, 0 of irrelevant ones, below 0 of those that nobody
    judged."""
    groups: int
    """Number of groups."""
    missed: tuple[IntArray, FloatArray] = (np.empty(0, np.int64), np.empty(0))
    """Groups and grades, (m,) each, of items that were not retrieved."""
    recall_slack: float = 0.0
    """What is added to a recall times the relevant items before the number is cut; 0.0 for as many as it takes."""
    same_order: "GroupedRankings | None" = None
    """Rankings of the same groups and scores, which are sorted once."""
    _by_level: dict[float, "GroupedRankings"] = field(default_factory=dict, init=False)

    def at_level(self, level: float) -> "GroupedRankings":
        """Return the same items, relevant with grade 1 if their grade is at least a level, 0 or more.  O(n) once.

        At level 0 all judged items are relevant.

        >>> codes, grades = np.array([0, 0, 0]), np.array([2, 1, -1])
        >>> GroupedRankings(codes, np.array([0.3, 0.2, 0.1]), grades, groups=1).at_level(2).all_relevant
        array([1.])
        """
        if level not in self._by_level:
            self._by_level[level] = self._regraded(
                lambda grades: np.where(grades < 0, np.int8(-1), (grades >= level).view(np.int8))
            )
        return self._by_level[level]

    def with_gains(self, gains: Mapping[float, float]) -> "GroupedRankings":
        """Return the same items, with other grades in place of some, by the grades they replace.  O(n log gains).

        >>> codes, grades = np.array([0, 0]), np.array([2, 1])
        >>> GroupedRankings(codes, np.array([0.3, 0.2]), grades, groups=1).with_gains({2: 5.0}).wanted_grades
        array([5., 1.])
        """
        known, by = map(np.array, zip(*sorted(gains.items()), strict=True))

        def change(grades: AnyArray) -> AnyArray:
            places = np.minimum(known.searchsorted(grades), known.size - 1)
            return np.where(known[places] == grades, by[places], grades)

        return self._regraded(change)

    @cached_property
    def judged(self) -> "GroupedRankings":
        """The same rankings without the items that nobody judged.  O(n)."""
        rows = np.flatnonzero(self.judgements >= 0)
        columns = self.codes[rows], self.scores[rows], self.judgements[rows]
        return GroupedRankings(*columns, self.groups, self.missed, self.recall_slack)

    @cached_property
    def sizes(self) -> IntArray:
        """Items retrieved of each group, (g,).  O(n)."""
        return self._counts(self.codes)

    @cached_property
    def relevant_retrieved(self) -> IntArray:
        """Relevant items that were retrieved of each group, (g,).  O(n)."""
        return self._counts(self.codes[self._relevant_rows])

    @cached_property
    def all_relevant(self) -> FloatArray:
        """Relevant items of each group, retrieved or not, (g,).  O(n)."""
        codes, grades = self.missed
        return (self.relevant_retrieved + self._counts(codes[grades > 0])).astype(np.float64)

    @cached_property
    def wanted_groups(self) -> IntArray:
        """Groups of the relevant items, retrieved or not, (w,).  O(n)."""
        codes, grades = self.missed
        return np.concatenate([self.codes[self._relevant_rows], codes[grades > 0]])

    @cached_property
    def wanted_grades(self) -> FloatArray:
        """Grades of `wanted_groups`, (w,).  O(n)."""
        _, grades = self.missed
        wanted = self.judgements[self._relevant_rows], grades[grades > 0]
        return np.concatenate(wanted).astype(np.float64, copy=False)

    @cached_property
    def is_relevant(self) -> BoolArray:
        """Whether each item is relevant, (n,).  O(n)."""
        return self.judgements if self.judgements.dtype == np.bool_ else self.judgements > 0

    @cached_property
    def _relevant_rows(self) -> IntArray:
        """Rows of the relevant items that were retrieved: with these others are chosen faster than with a mask."""
        return np.flatnonzero(self.is_relevant)

    def _regraded(self, change: Callable[[AnyArray], AnyArray]) -> "GroupedRankings":
        """Return the same items in the same order with changed grades."""
        codes, grades = self.missed
        return replaced(self, judgements=change(self.judgements), missed=(codes, change(grades)), same_order=self)

    @cached_property
    def _order(self) -> GroupedOrder:
        return order_by_group(self.codes, self.scores) if self.same_order is None else self.same_order._order

    @cached_property
    def first(self) -> IntArray:
        """Where the items of each group start in order, (g,).  O(g)."""
        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def places(self) -> IntArray:
        """Where the r relevant items that were retrieved stand in order, (r,).  O(n log n)."""
        return np.flatnonzero(self.is_relevant[self._order.order])

    @cached_property
    def grades(self) -> FloatArray:
        """Grades of the relevant items that were retrieved, run after run, (r,).  O(r) beside the order."""
        return self.judgements[self._order.order[self.places]].astype(np.float64, copy=False)

    @cached_property
    def unjudged(self) -> IntArray:
        """Where the items that nobody judged stand in order, (u,).  O(n) beside the order."""
        unjudged = self.judgements < 0
        return np.flatnonzero(unjudged[self._order.order] if unjudged.any() else unjudged[:0])

    @cached_property
    def runs(self) -> Runs:
        """The runs of equal scores that hold relevant items, retrieved or not in totals.  O(n log n)."""
        order, starts = self._order
        of_places = starts.searchsorted(self.places, side="right") - 1
        heads = run_starts(of_places)
        held, through = of_places[heads], np.append(heads[1:], self.places.size)
        begins, ends = starts[held], np.append(starts, order.size)[held + 1]
        group, positives = self.codes[order[begins]], through - heads
        edges = np.append(0, np.bincount(group, minlength=self.groups).cumsum())
        tp = through - (np.cumsum(self.relevant_retrieved) - self.relevant_retrieved)[group]
        totals = np.stack([self.all_relevant.astype(np.int64), self.sizes - self.relevant_retrieved])
        return Runs(edges, positives, ends - begins - positives, tp, ends - self.first[group] - tp, totals)

    def _counts(self, codes: IntArray) -> IntArray:
        return np.bincount(codes, minlength=self.groups)


_LEAST_IN_GEOMETRIC_MEAN = 1e-5
"""Smaller average precisions count as this, as in trec_eval."""
_NEGLIGIBLE_CHANCE = 1e-20
"""A chance that does not change one less it."""


def retrieved(ranked: GroupedRankings) -> FloatArray:
    """Return the number of items that were retrieved, (g,).  O(g)."""
    return ranked.sizes.astype(np.float64)


def relevant(ranked: GroupedRankings) -> FloatArray:
    """Return the number of relevant items, retrieved or not, (g,).  O(1)."""
    return ranked.all_relevant


def relevant_retrieved(ranked: GroupedRankings) -> FloatArray:
    """Return the number of relevant items that were retrieved, (g,).  O(g)."""
    return ranked.relevant_retrieved.astype(np.float64)


def precision_at(ranked: GroupedRankings, depth: int) -> FloatArray:
    """Return the fraction of relevant items among the `depth` best, (g,) in 0 .. 1.

    Items that do not exist count as irrelevant.  O(t).  Source: C. D. Manning, P. Raghavan and H. Schütze, Introduction
    to Information Retrieval (2008), 8.4.
    """
    return _hits(ranked, depth) / depth


def recall_at(ranked: GroupedRankings, depth: int | None) -> FloatArray:
    """Return the fraction of the relevant items that is among the `depth` best, (g,) in 0 .. 1.  O(t)."""
    return _fraction(_hits(ranked, depth), ranked.all_relevant)


def r_precision(ranked: GroupedRankings) -> FloatArray:
    """Return the precision among as many items as are relevant, (g,) in 0 .. 1.  O(t).

    Source: Manning, Raghavan and Schütze (2008), 8.4.
    """
    return _fraction(_hits(ranked, ranked.all_relevant), ranked.all_relevant)


def success_at(ranked: GroupedRankings, depth: int) -> FloatArray:
    """Return the chance that a relevant item is among the `depth` best, (g,) in 0 .. 1.

    A run of t items, r of them relevant, of which m are taken, holds none with chance Π (t-r-i) / (t-i) over i < m, or
    Π (t-m-i) / (t-i) over i < r.  O(t) for each factor until the chances are negligible, √(45 longest run) at most.
    """
    relevant, size, taken = ranked.runs.positives, ranked.runs.size.astype(np.float64), _taken(ranked, depth)
    factors, others = np.minimum(taken, relevant), np.maximum(taken, relevant)
    none = np.ones(size.size)
    step, open_runs = 0, np.flatnonzero(factors > 0)
    while open_runs.size:
        left = np.maximum(size[open_runs] - others[open_runs] - step, 0.0)
        none[open_runs] *= left / (size[open_runs] - step)
        step += 1
        open_runs = open_runs[(factors[open_runs] > step) & (none[open_runs] > _NEGLIGIBLE_CHANCE)]
    failed = np.ones(ranked.groups)
    np.multiply.at(failed, ranked.runs.group, none)
    return 1 - failed


def reciprocal_rank(ranked: GroupedRankings, depth: int | None = None) -> FloatArray:
    """Return the reciprocal rank, from 1, of the best relevant item, (g,) in 0 .. 1; 0.0 beyond `depth`.

    O(t), and the length of the tie runs that hold it.  Source: E. M. Voorhees, The TREC-8 question answering track
    report (1999).
    """
    return ranks.reciprocal_ranks(ranked.runs, depth)


def average_precision(ranked: GroupedRankings, depth: int | None = None) -> FloatArray:
    """Return the precisions at the relevant items among the `depth` best, over all relevant ones, (g,) in 0 .. 1.

    Of t tied items r are relevant, and m are taken, after c items of which R are relevant: with s = (r-1)/(t-1) they
    add (r/t) Σ (R + 1 + s j) / (c + 1 + j) over j = 0 .. m-1.  With harmonic numbers instead of that sum digits would
    be lost to their differences.  O(t + items of the runs).
    """
    size, before, relevant = ranked.runs.size, ranked.runs.before, ranked.runs.positives
    taken, relevant_before = _taken(ranked, depth), ranked.runs.tp - relevant
    added = taken * (relevant_before + 1) / (before + 1)  # where a run is one item
    tied = np.flatnonzero((size > 1) & (taken > 0))
    if tied.size:
        lengths = taken[tied].astype(np.int64)
        heads = np.cumsum(lengths) - lengths
        ranks_in_run = np.arange(lengths.sum()) - np.repeat(heads, lengths)
        slopes = (relevant[tied] - 1) / (size[tied] - 1)
        terms = np.repeat(slopes, lengths) * ranks_in_run + np.repeat(relevant_before[tied] + 1, lengths)
        terms /= np.repeat(before[tied] + 1, lengths) + ranks_in_run
        added[tied] = relevant[tied] / size[tied] * np.add.reduceat(terms, heads)
    return _fraction(ranked.runs.add_up(added), ranked.all_relevant)


def average_precision_for_geometric_mean(ranked: GroupedRankings) -> FloatArray:
    """Return the average precision, at least 1e-5, (g,) in 0 .. 1: a single 0 would decide the geometric mean.

    O(t + items of the runs).  Source: S. Robertson, On GMAP: and other transformations, CIKM 2006, with the least value
    of trec_eval.
    """
    return np.maximum(average_precision(ranked), _LEAST_IN_GEOMETRIC_MEAN)


def discounted_gain(ranked: GroupedRankings, gains: FloatArray, depth: int | None = None) -> FloatArray:
    """Return the gains of the `depth` best items, each over log2(1 + its rank from 1), (g,).

    gains: (r,) of the relevant items, run after run; of tied ones each has their mean.  O(n + longest ranking).
    Source: K. Järvelin and J. Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM TOIS 20 (2002) 422-446.
    """
    return _weighted_gain(ranked, gains, depth, ranks.discounts(_longest(ranked)))


def rank_biased_precision(ranked: GroupedRankings, depth: int | None = None, *, p: float = 0.8) -> FloatArray:
    """Return (1 - p) times the grades of the `depth` best items, each times p to the power of its rank from 0, (g,).

    p: the chance, in 0 .. 1, that a reader goes on to the next item.  In 0 .. 1 if grades are 1; of tied items each has
    their mean.  O(n + longest ranking).  Source: A. Moffat and J. Zobel, Rank-biased precision for measurement of
    retrieval effectiveness, ACM TOIS 27 (2008) 2.
    """
    weights = p ** np.arange(_longest(ranked), dtype=np.float64)
    return (1 - p) * _weighted_gain(ranked, ranked.grades, depth, weights)


def ndcg(ranked: GroupedRankings, depth: int | None = None, *, exponential: bool = False) -> FloatArray:
    """Return the discounted gain as a fraction of that of the best order of all relevant items, (g,) in 0 .. 1.

    exponential: a gain is 2**grade - 1 instead of the grade.  O(n log n).  Sources: as for `discounted_gain`; C. Burges
    et al., Learning to rank using gradient descent, ICML 2005, for the exponential gain.
    """
    order = order_by_group(ranked.wanted_groups, ranked.wanted_grades).order
    groups, ideal_gains = ranked.wanted_groups[order], ranked.wanted_grades[order]
    gains, firsts = ranked.grades, first_of_each(groups)
    if exponential:
        highest = np.zeros(ranked.groups)
        highest[groups] = ideal_gains[firsts]
        gains = _exponential(gains, highest[np.repeat(ranked.runs.group, ranked.runs.positives)])
        ideal_gains = _exponential(ideal_gains, highest[groups])
    ranks_in_run = np.arange(groups.size) - firsts
    discounts = ranks.discounts(int(np.max(ranks_in_run, initial=-1)) + 1, depth)
    ideal = np.bincount(groups, weights=ideal_gains * discounts[ranks_in_run], minlength=ranked.groups)
    return _fraction(discounted_gain(ranked, gains, depth), ideal.astype(np.float64, copy=False))


def expected_reciprocal_rank(ranked: GroupedRankings, depth: int | None = None, *, max_rel: float = 4.0) -> FloatArray:
    """Return the expected reciprocal of the rank, from 1, at which a reader stops, (g,) in 0 .. 1; 0.0 beyond `depth`.

    The reader stops at an item of grade r with chance (2**r - 1) / 2**max_rel; among tied items with the chance of all
    of them together, at each of their ranks alike.  O(t log t + longest ranking).  Source: O. Chapelle et al., Expected
    reciprocal rank for graded relevance, CIKM 2009; the grades of gdeval end at 4.

    Raises EvaluationError if a grade is larger than `max_rel`.

    >>> ranked = GroupedRankings(np.array([0, 0]), np.array([0.9, 0.5]), np.array([0, 1]), groups=1)
    >>> expected_reciprocal_rank(ranked, max_rel=1)
    array([0.25])
    """
    highest = np.max(ranked.wanted_grades, initial=0.0)
    instead = f"ERR(max_rel={highest:g})" + ("" if depth is None else f"@{depth}")
    rule = f"be the largest grade, {highest:g} or more"
    check(highest <= max_rel, "max_rel of ERR", rule, f"{max_rel:g}; write {instead}")
    runs = ranked.runs
    if not runs.tp.size:
        return np.zeros(ranked.groups)
    read_on = np.multiply.reduceat(1 - np.exp2(ranked.grades - max_rel) + np.exp2(-max_rel), _heads(runs))
    reciprocals = _sums_taken(ranked, _taken(ranked, depth), 1 / np.arange(1.0, _longest(ranked) + 1))
    return runs.add_up(products_before(runs.group, read_on) * (1 - read_on) * reciprocals / runs.size)


def bpref(ranked: GroupedRankings) -> FloatArray:
    """Return how seldom items judged irrelevant stand above relevant ones, (g,) in 0 .. 1.

    Σ over the relevant items retrieved of 1 - min(irrelevant above it, R) / min(R, N), over R, of R relevant and N
    judged irrelevant; of tied items half stand above.  O(t).  Source: C. Buckley and E. M. Voorhees, Retrieval
    evaluation with incomplete information, SIGIR 2004, with min(R, N) as in trec_eval.

    >>> bpref(GroupedRankings(np.array([0, 0, 0]), np.array([0.9, 0.5, 0.1]), np.array([1.0, 0.0, 1.0]), 1))
    array([0.5])
    """
    runs, unjudged_before = ranked.runs, ranked.unjudged.searchsorted
    first = runs.of_runs(ranked.first)
    start = first + runs.before
    others, middle = unjudged_before(start), unjudged_before(start + runs.size)
    above = runs.fp - runs.negatives / 2 - (others + middle) / 2 + unjudged_before(first)
    codes, grades = ranked.missed
    irrelevant = np.append(ranked.codes[ranked.judgements == 0], codes[grades == 0])
    least = np.minimum(ranked.all_relevant, np.bincount(irrelevant, minlength=ranked.groups))
    relevant, bound = map(runs.of_runs, (ranked.all_relevant, least))
    lost = np.where(above > 0, np.minimum(above, relevant) / np.maximum(bound, 1.0), 0.0)
    return _fraction(runs.add_up(runs.positives * (1 - lost)), ranked.all_relevant)


def interpolated_precision(ranked: GroupedRankings, recall: float) -> FloatArray:
    """Return the largest precision at a recall of at least `recall`, (g,) in 0 .. 1; 0.0 where it is not reached.

    Precision is taken after whole runs of ties.  A recall is reached with as many relevant items as it takes, or with
    int(recall * R + slack) of R if the rankings have a `recall_slack`.  O(t).  Source: Manning, Raghavan and Schütze
    (2008), 8.4.

    >>> interpolated_precision(GroupedRankings(np.array([0, 0]), np.array([0.9, 0.5]), np.array([0.0, 1.0]), 1), 0.5)
    array([0.5])
    """
    runs, wanted = ranked.runs, recall * ranked.all_relevant
    needed = np.floor(wanted + ranked.recall_slack) if ranked.recall_slack else np.ceil(wanted - 1e-9)
    precisions = np.where(runs.tp >= runs.of_runs(needed), binary.precision(runs.tp, runs.fp), 0.0)
    return np.maximum(runs.largest(precisions), 0.0)


def judged_at(ranked: GroupedRankings, depth: int | None = None) -> FloatArray:
    """Return the fraction of the `depth` best items that somebody judged, (g,) in 0 .. 1.

    Of fewer items it is the fraction of all.  O(n).  Source: ir_measures, Judged.
    """
    shown = ranked.sizes.astype(np.float64) if depth is None else np.minimum(ranked.sizes, float(depth))
    return _fraction(_hits(ranked.at_level(0), depth), shown)


def set_precision(ranked: GroupedRankings) -> FloatArray:
    """Return the fraction of the retrieved items that is relevant, (g,) in 0 .. 1.  O(g)."""
    return _fraction(relevant_retrieved(ranked), retrieved(ranked))


def set_recall(ranked: GroupedRankings) -> FloatArray:
    """Return the fraction of the relevant items that was retrieved, (g,) in 0 .. 1.  O(g)."""
    return _fraction(relevant_retrieved(ranked), relevant(ranked))


def set_average_precision(ranked: GroupedRankings) -> FloatArray:
    """Return set precision times set recall, (g,) in 0 .. 1.  O(g).  Source: trec_eval, set_map."""
    return set_precision(ranked) * set_recall(ranked)


def set_f(ranked: GroupedRankings, *, beta: float = 1.0) -> FloatArray:
    """Return (1 + beta) P R / (R + beta P) of set precision P and set recall R, (g,) in 0 .. 1.

    beta is that of trec_eval, the square of van Rijsbergen's.  O(g).  Source: trec_eval, set_F.
    """
    tp = relevant_retrieved(ranked)
    values = binary.f_measure_of_counts(tp, relevant(ranked) - tp, retrieved(ranked) - tp, math.sqrt(beta))
    return np.where(tp > 0, values, 0.0)


def roc_auc(ranked: GroupedRankings) -> FloatArray:
    """Return the chance that a relevant item is ranked above another one, ties counting half, (g,) in 0 .. 1.

    Of retrieved items alone; NaN without both classes.  Items that nobody judged count as irrelevant.  O(g).  Source:
    J. A. Hanley and B. J. McNeil, Radiology 143 (1982) 29-36.
    """
    layout, areas = group_layout(ranked.codes, ranked.groups), np.full(ranked.groups, np.nan)
    keys = sorted_by_group(layout, ranked.scores, ranked.is_relevant).keys
    areas[layout.groups] = curves.roc_aucs_of_groups(keys, layout.starts)
    return areas


def maximum_f(ranked: GroupedRankings, beta: float = 1.0) -> FloatArray:
    """Return the largest F measure of the items down to any score, (g,) in 0 .. 1.

    O(t).  Source: spec 000, maximumFMeasure.
    """
    return curves.maximum_f_measures(ranked.runs, beta).values


def _hits(ranked: GroupedRankings, depth: int | FloatArray | None) -> FloatArray:
    """Return the expected number of relevant items among the `depth` best, (g,).  O(t)."""
    return ranked.runs.add_up(ranked.runs.positives * _taken(ranked, depth) / ranked.runs.size)


def _taken(ranked: GroupedRankings, depth: int | FloatArray | None) -> FloatArray:
    """How many items of each run are among the `depth` best of its group; depth: a number, or (g,)."""
    size = ranked.runs.size.astype(np.float64)
    if depth is None:
        return size
    depths = ranked.runs.of_runs(depth) if isinstance(depth, np.ndarray) else depth
    return np.asarray(np.clip(depths - ranked.runs.before, 0.0, size))


def _fraction(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.where(whole > 0, ratio(part, whole), 0.0)


def _sums_taken(ranked: GroupedRankings, taken: FloatArray, steps: FloatArray) -> FloatArray:
    """Add up, for each run, at least one, the steps of the ranks from its first, as many as are taken.

    Each sum is added up by itself: differences of running sums lose digits where there are many ranks.
    """
    edges = np.column_stack([ranked.runs.before, ranked.runs.before + taken.astype(np.int64)]).ravel()
    return np.where(taken > 0, np.add.reduceat(np.append(steps, 0.0), edges)[::2], 0.0)


def _weighted_gain(ranked: GroupedRankings, gains: FloatArray, depth: int | None, weights: FloatArray) -> FloatArray:
    """Add up the gains (r,) of the `depth` best items, each times the weight of its rank; weights: of all ranks."""
    runs = ranked.runs
    if not runs.tp.size:
        return np.zeros(ranked.groups)
    of_runs = _sums_taken(ranked, _taken(ranked, depth), weights)
    return runs.add_up(np.add.reduceat(gains, _heads(runs)) * of_runs / runs.size)


def _heads(runs: Runs) -> IntArray:
    """Return the index of the first relevant item of each run among all, (t,).  O(t)."""
    return np.cumsum(runs.positives) - runs.positives


def _longest(ranked: GroupedRankings) -> int:
    return int(np.max(ranked.runs.before + ranked.runs.size, initial=0))


def _exponential(grades: FloatArray, highest: FloatArray) -> FloatArray:
    """Return 2**grade - 1 in units of 2**highest, which no grade takes beyond float64."""
    return np.asarray(np.exp2(grades - highest) - np.exp2(-highest))


def first_of_each(group: IntArray) -> IntArray:
    """Return, for each index, the first index of the same group.  group: (t,) rising.  Returns (t,).  O(t)."""
    starts = run_starts(group)
    return np.repeat(starts, np.diff(starts, append=group.size))


def products_before(group: IntArray, values: FloatArray) -> FloatArray:
    """Multiply, for each index, the (t,) values before it in the same group; group: (t,) rising.  O(t log longest).

    >>> products_before(np.array([0, 0, 0, 1, 1]), np.array([0.5, 0.25, 0.5, 0.5, 0.5]))
    array([1.   , 0.5  , 0.125, 1.   , 0.5  ])
    """
    ranks = np.arange(group.size) - first_of_each(group)
    products = np.where(ranks > 0, np.roll(values, 1), 1.0)
    reach = 1
    while reach <= np.max(ranks, initial=0):  # each product holds the values of `reach` indices, then of twice as many
        products[reach:] *= np.where(ranks[reach:] >= reach, products[:-reach], 1.0)
        reach *= 2
    return products


def pass_at_k(right: AnyArray, samples: AnyArray, k: int) -> FloatArray:
    """Return how likely one of k samples of a query is right, (q,), from all of its samples, NaN of fewer.  O(q k).

    right, samples: numbers of each query, (q,).  Without bias: 1 - C(n - c, k) / C(n, k).  Source: M. Chen et al.,
    Evaluating large language models trained on code, arXiv 2107.03374 (2021).

    >>> pass_at_k(np.array([0, 1, 4]), np.array([5, 5, 5]), 2)
    array([0. , 0.4, 1. ])
    """
    missed = np.ones(right.shape)
    for drawn in range(k):
        missed *= ratio(np.maximum(samples - right - drawn, 0), samples - drawn)
    return np.where(samples >= k, 1 - missed, np.nan)
