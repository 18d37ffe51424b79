"""Measures of rankings and of ranked labels, beside slow twins."""

import math
from typing import NamedTuple

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels.bins import runs_of_scores
from evalcore.measures import ranks, retrieval
from evalcore.measures.ranks import label_roc_auc
from evalcore.measures.retrieval import GroupedRankings
from tests.differences import every
from tests.reference import scored_cases as slow
from tests.strategies import close_to


class TieGroup(NamedTuple):
    """Cases of one score, and what stands above them."""

    before: int
    tp_before: int
    size: int
    correct: int

    @property
    def runs(self):
        """The group and what is above it as runs: one of each."""
        positives = np.array([self.tp_before, self.correct])
        return runs_of_scores(positives, np.array([self.before, self.size]) - positives)


@st.composite
def groups(draw, largest=60, with_correct=False):
    """Draw a tie group and what stands above it."""
    before = draw(st.integers(0, largest))
    size = draw(st.integers(1, largest))
    return TieGroup(before, draw(st.integers(0, before)), size, draw(st.integers(int(with_correct), size)))


def cases_of(group):
    """Write a group out as cases: what stands above it, each at a score of its own, then the group."""
    above = [(1.0 + i, i < group.tp_before) for i in range(group.before)]
    return above + [(0.0, i < group.correct) for i in range(group.size)]


def first_reciprocal(group):
    return ranks.first_reciprocals(*np.array([[group.before], [group.size], [group.correct]], np.float64))[0]


@given(groups(largest=4), st.integers(1, 8))
def test_the_formula_of_precision_at_is_the_mean_over_all_orders(group, past):
    depth = group.before + min(past, group.size)
    assert slow.precision_at_of_group(*group, depth) == slow.precision_at(cases_of(group), depth)


@given(groups(largest=5, with_correct=True))
def test_the_formula_of_reciprocal_rank_is_the_mean_over_all_orders(group):
    first = group._replace(tp_before=0)
    formula = slow.reciprocal_rank_of_group(first.before, first.size, first.correct)
    assert formula == slow.reciprocal_rank(cases_of(first))


@given(groups(), st.integers(1, 100))
def test_precision_at_is_its_formula(group, past):
    depth = group.before + past  # beyond the cases above, whose order does not matter
    assert ranks.precisions_at(group.runs, np.array([depth]))[0] == close_to(slow.precision_at_of_group(*group, depth))


@given(groups(largest=60, with_correct=True))
@example(TieGroup(0, 0, 1, 1))
@example(TieGroup(0, 0, 300, 1))
@example(TieGroup(7, 0, 300, 299))
@example(TieGroup(0, 0, 700, 245))
@example(TieGroup(10, 0, 700, 60))
def test_reciprocal_rank_is_its_formula(group):
    exact = slow.reciprocal_rank_of_group(group.before, group.size, group.correct)
    assert first_reciprocal(group) == close_to(exact)


@every("before", [0, 3])
def test_reciprocal_rank_of_one_correct_among_very_many_is_the_mean_of_all_reciprocals(before):
    size = 100_000
    exact = math.fsum(1 / np.arange(before + 1.0, before + size + 1)) / size
    assert first_reciprocal(TieGroup(before, 0, size, 1)) == close_to(exact)


def test_reciprocal_rank_of_half_a_billion_correct_in_a_billion_is_a_logarithm():
    # the first correct case comes j-th with chance 2**-j, and the sum of 2**-j / j is ln 2
    group = TieGroup(0, 0, 10**9, 5 * 10**8)
    assert first_reciprocal(group) == close_to(math.log(2), rel=1e-8)


@every(
    ("positives", "negatives", "misses", "depth", "expected"),
    [(3, 1, (2**62, 2**62), 2**62 + 3, 3 / (2**62 + 3)), (50_000, 50_000, (0, 0), 10**14, 5e-10)],
)
def test_neither_misses_nor_depths_leave_int64(positives, negatives, misses, depth, expected):
    runs = runs_of_scores(np.array([positives]), np.array([negatives]))
    runs = runs._replace(totals=runs.totals + np.array(misses)[:, np.newaxis])
    assert ranks.precisions_at(runs, np.array([depth])).tolist() == [expected]


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.booleans()), min_size=1, max_size=50))
def test_area_of_the_labels_of_a_case_is_that_of_as_many_cases(labels):
    scores, relevant = (np.array(column) for column in zip(*labels, strict=True))
    found = label_roc_auc(scores[:, np.newaxis], relevant[:, np.newaxis])
    assert found.tolist() == close_to([float(slow.roc_auc(labels))])


def test_areas_near_0_are_rounded_once():
    scores = np.arange(101.0)
    relevant = scores == 1
    assert label_roc_auc(scores[:, np.newaxis], relevant[:, np.newaxis]).tolist() == [0.01]
    ranked = GroupedRankings(np.zeros(101, np.int64), scores, relevant, 1)
    assert retrieval.roc_auc(ranked).tolist() == [0.01]
