"""Runs of equal scores of many groups are the tie groups of each group that hold a correct case."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from tests.kernels.dealt import DEALT, grouped
from tests.reference import scored_cases as slow
from tests.strategies import cases_of


@given(DEALT)
@example((cases_of([(0.5, False)]), [3]))
def test_runs_are_the_tie_groups_that_hold_a_correct_case(dealt):
    if not dealt[1]:
        return
    runs, groups = grouped(*dealt)
    expected = [
        (group, *slow.tie_group(cases.pairs, score))
        for group, cases in enumerate(groups)
        for score in slow.correct_scores(cases.pairs)
    ]
    columns = runs.group, runs.before, runs.tp_before, runs.size, runs.correct
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == expected
    assert runs.sizes.tolist() == [len(cases.pairs) for cases in groups]
    assert runs.positives.tolist() == [sum(correct for _, correct in cases.pairs) for cases in groups]


@given(DEALT, st.integers(0, 8))
def test_sums_maxima_and_last_runs_are_of_each_group(dealt, depth):
    if not dealt[1]:
        return
    runs, groups = grouped(*dealt)
    own = [np.flatnonzero(runs.group == group) for group in range(len(groups))]
    assert runs.add_up(runs.size).tolist() == [runs.size[rows].sum() for rows in own]
    assert runs.largest(runs.tp / 2).tolist() == [max((runs.tp[rows] / 2).tolist(), default=0) for rows in own]
    last = runs.last_above(np.full(len(groups), depth))
    assert last.tolist() == [max(rows[runs.before[rows] < depth].tolist(), default=-1) for rows in own]
    assert (runs.tp + runs.fp == runs.before + runs.size).all()
