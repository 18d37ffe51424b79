import numpy as np
from hypothesis import example, given

from evalcore.kernels.tie_groups import cut_between_ties, first_correct_group, tie_group_at
from tests.reference import scored_cases as slow
from tests.strategies import BLOCKS, block_size, case_arrays, cases_of


@given(case_arrays(), BLOCKS)
@example(cases_of([(-1.0, True), (-1.0, False), (0.5, True)]), 1)
def test_tie_group_holds_all_cases_that_share_the_score_of_a_rank(cases, block):
    keys = cases.keys
    ranked = sorted(cases.scores.tolist(), reverse=True)
    with block_size(block):
        groups = [tuple(tie_group_at(keys, rank)) for rank in range(keys.size)]
    assert groups == [slow.tie_group(cases.pairs, score) for score in ranked]


@given(case_arrays(), BLOCKS)
@example(cases_of([]), 1)
@example(cases_of([(3.0, False), (2.0, False), (1.0, False), (1.0, True)]), 3)
def test_first_correct_group_is_the_best_that_holds_a_correct_case(cases, block):
    best = slow.correct_scores(cases.pairs)[:1]
    with block_size(block):
        group = first_correct_group(cases.keys)
    assert ([] if group is None else [tuple(group)]) == [slow.tie_group(cases.pairs, score) for score in best]


@given(case_arrays())
def test_groups_are_plain_integers(cases):
    groups = [tie_group_at(cases.keys, rank) for rank in range(cases.scores.size)]
    assert {type(count) for group in groups for count in group} <= {int}


@given(case_arrays(), BLOCKS)
def test_pieces_part_no_tie_group_and_hold_all_cases_once(cases, block):
    keys = cases.keys
    with block_size(block):
        pieces = cut_between_ties(keys)
    assert np.concatenate([keys[:0], *(keys[piece] for piece in pieces)]).tolist() == keys.tolist()
    assert all(keys[piece.start - 1] | 1 < keys[piece.start] | 1 for piece in pieces[1:])
    long = [keys[piece] | 1 for piece in pieces if piece.stop - piece.start > block]
    assert all((part == part[0]).all() for part in long)
