"""Runs are the tie groups that hold a correct case, of one ranking or of many."""

from itertools import groupby

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels.bins import runs_of_points, runs_of_scores
from evalcore.kernels.runs import cut_between_ties, lazy_runs, run_starts, runs_of_groups, runs_of_keys
from tests.differences import every
from tests.kernels.dealt import DEALT, grouped
from tests.reference import scored_cases as slow
from tests.strategies import BLOCKS, block_size, case_arrays, cases_of

TIED_THROUGHOUT = cases_of([(0.5, True), (0.5, False)] * 8)


def tie_groups(runs):
    """List what is above each run, and in it, as `slow.tie_group`."""
    found = runs.before, runs.tp - runs.positives, runs.size, runs.positives
    return list(zip(*(column.tolist() for column in found), strict=True))


def expected_groups(cases):
    return [slow.tie_group(cases.pairs, score) for score in slow.correct_scores(cases.pairs)]


def columns(runs):
    return runs.positives, runs.negatives, runs.tp, runs.fp, runs.totals


def counts(runs):
    return list(zip(runs.tp.tolist(), runs.fp.tolist(), strict=True))


@given(case_arrays(), BLOCKS)
@example(cases_of([]), 1)
@example(TIED_THROUGHOUT, 7)
def test_runs_are_the_tie_groups_that_hold_a_correct_case(cases, block):
    keys = cases.keys
    before = keys.tobytes()
    with block_size(block):
        runs = runs_of_keys(keys)
        parts = lazy_runs(keys).map(lambda part: part)
    assert counts(runs) == slow.correct_points(cases.pairs)
    assert tie_groups(runs) == expected_groups(cases)
    assert runs.totals.tolist() == [[cases.correct.sum()], [(~cases.correct).sum()]]
    assert [pair for part in parts for pair in counts(part)] == counts(runs)
    assert [own for part in parts for own in part.positives.tolist()] == runs.positives.tolist()
    assert {column.dtype for column in columns(runs)} == {np.dtype(np.int64)}
    assert keys.tobytes() == before


@given(case_arrays(), BLOCKS)
def test_runs_of_amounts_at_scores_are_those_of_their_cases(cases, block):
    runs = runs_of_keys(cases.keys)
    points = np.array(slow.operating_points(cases.pairs), np.int64).reshape(-1, 2).T
    weights = [np.diff(side, prepend=0) / 2 for side in points]
    with block_size(block):
        of_points, of_weights = runs_of_points(*points), runs_of_scores(*weights)
    for own, count in zip(columns(runs), columns(of_points), strict=True):
        assert own.tolist() == count.tolist()
    for own, weight in zip(columns(runs), columns(of_weights), strict=True):
        assert (own / 2).tolist() == weight.tolist()
    assert (of_weights.fp + of_weights.fp_after).tolist() == [weights[1].sum()] * runs.positives.size


@given(DEALT, st.integers(0, 8))
@example((cases_of([(0.5, False)]), [3]), 0)
def test_runs_of_groups_are_those_of_each(dealt, depth):
    if not dealt[1]:
        return
    runs, groups = grouped(*dealt)
    own = [np.arange(start, stop) for start, stop in zip(runs.starts, runs.starts[1:], strict=False)]
    for cases, rows in zip(groups, own, strict=True):
        assert tie_groups(runs.part(slice(rows[0], rows[-1] + 1)) if rows.size else runs.part(slice(0, 0))) == (
            expected_groups(cases)
        )
    assert runs.sizes.tolist() == [len(cases.pairs) for cases in groups]
    assert runs.totals[0].tolist() == [sum(correct for _, correct in cases.pairs) for cases in groups]
    assert runs.add_up(runs.size).tolist() == [runs.size[rows].sum() for rows in own]
    assert runs.largest(runs.tp / 2).tolist() == [
        max((runs.tp[rows] / 2).tolist(), default=np.finfo(np.float64).min) for rows in own
    ]
    assert runs.first(runs.tp > 1).tolist() == [next((row for row in rows if runs.tp[row] > 1), -1) for rows in own]
    last = [max(rows[runs.before[rows] < depth].tolist(), default=-1) for rows in own]
    assert runs.last_above(np.full(len(groups), depth)).tolist() == last
    halves = runs._replace(**{name: getattr(runs, name) / 2 for name in ("positives", "tied", "tp", "fp")})
    assert halves.last_above(np.full(len(groups), depth / 2)).tolist() == last
    cases_before = (np.cumsum(runs.sizes) - runs.sizes)[runs.group]
    assert runs.last_case(np.arange(runs.tp.size)).tolist() == (cases_before + runs.tp + runs.fp - 1).tolist()


@given(case_arrays(), st.integers(0, 12))
def test_the_last_run_above_a_rank_of_one_ranking_is_found(cases, depth):
    runs = runs_of_keys(cases.keys)
    expected = max(np.flatnonzero(runs.before < depth).tolist(), default=-1)
    assert runs.last_above(np.array([[depth], [depth]])).tolist() == [[expected], [expected]]


def test_chosen_runs_hold_those_before_them():
    chosen = runs_of_scores(np.array([1, 2, 1]), np.array([0, 2, 3])).at(np.array([False, True, True]))
    assert counts(chosen) == [(3, 2), (4, 5)]
    assert (chosen.positives.tolist(), chosen.negatives.tolist()) == ([3, 1], [2, 3])


@every("dtype", [np.uint32, np.uint64, np.int64])
def test_a_group_does_not_tie_with_the_one_before(dtype):
    runs = runs_of_groups(np.array([2, 3, 3, 4, 7], dtype), np.array([1, 1, 1, 2]))
    assert (runs.positives.tolist(), runs.negatives.tolist(), runs.group.tolist()) == ([1, 1, 1], [0, 0, 0], [1, 2, 3])


@given(case_arrays(), BLOCKS)
def test_pieces_part_no_tie_group_and_hold_all_cases_once(cases, block):
    keys = cases.keys
    with block_size(block):
        pieces = cut_between_ties(keys)
    assert np.concatenate([keys[:0], *(keys[piece] for piece in pieces)]).tolist() == keys.tolist()
    assert all(keys[piece.start - 1] | 1 < keys[piece.start] | 1 for piece in pieces[1:])
    long = [keys[piece] | 1 for piece in pieces if piece.stop - piece.start > block]
    assert all((part == part[0]).all() for part in long)


@given(st.lists(st.tuples(st.sampled_from([0, 1]), st.sampled_from([0.0, -0.0, np.inf])), max_size=12), st.booleans())
def test_runs_start_where_a_row_differs_from_the_one_before(rows, both):
    columns = np.array([first for first, _ in rows], np.int64), np.array([second for _, second in rows], np.float64)
    columns = columns if both else columns[:1]
    runs = [len(list(run)) for _, run in groupby(zip(*(column.tolist() for column in columns), strict=True))]
    assert run_starts(*columns).tolist() == [sum(runs[:index]) for index in range(len(runs))]
