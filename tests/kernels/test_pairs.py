"""Pairs and placements of one ranking, of groups and of few cases are those of the cases."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore import metrics
from evalcore.kernels import pairs, sorting
from evalcore.kernels.bins import runs_of_scores
from evalcore.kernels.grouping import group_layout, sorted_by_group
from evalcore.kernels.placements import moments_of, moments_of_keys, moments_of_runs, placements, placements_in_groups
from evalcore.kernels.runs import lazy_runs, runs_of_keys
from evalcore.kernels.sorting import indexed_order, order
from evalcore.measures import curves
from evalcore.validation import scores as validated
from evalcore.validation.scores import few_plain_cases
from tests.differences import every
from tests.reference import scored_cases as slow
from tests.strategies import BLOCKS, Cases, block_size, case_arrays, cases_of, columns_of


@given(case_arrays(), BLOCKS, st.sampled_from([0, 32]))
@example(cases_of([(1.0, False), (1.0, True)]), 1, 32)
def test_pairs_are_those_of_the_cases_however_ties_are_found(cases, block, searches):
    before = cases.keys.tobytes()
    with block_size(block), pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "_MANY_SEARCHES", searches)
        assert tuple(pairs.pair_counts(cases.keys)) == slow.pair_counts(cases.pairs)
    assert cases.keys.tobytes() == before


@given(case_arrays(), st.data())
def test_wins_over_classes_are_those_of_the_cases(cases, data):
    size = cases.scores.size
    codes = np.array(data.draw(columns_of(range(3), size)), np.int64)
    for own in range(3):
        wins = pairs.wins_over_classes(cases.scores, codes, own, 3)
        mine = cases.scores[codes == own].tolist()
        assert wins.tolist() == [
            sum((one > other) + (one == other) / 2 for one in mine for other in cases.scores[codes == code].tolist())
            for code in range(3)
        ]


@given(st.lists(st.tuples(*[st.integers(0, 3) | st.integers(0, 2**49)] * 2), max_size=8))
def test_pairs_of_weights_are_whole_numbers_of_any_size(weights):
    tp, fp = np.cumsum(np.array(weights, np.float64).reshape(-1, 2), axis=0).T
    above = [2 * sum(right for right, _ in weights[:row]) + own for row, (own, _) in enumerate(weights)]
    expected = sum(wrong * twice for (_, wrong), twice in zip(weights, above, strict=True))
    assert pairs.half_pairs_of_points(tp, fp) == expected


@given(st.lists(st.integers(0, 9), max_size=9), st.integers(0, 9))
def test_rises_are_differences(sums, before):
    sums = np.array(sums, np.float64)
    assert pairs.rises(sums, before).tolist() == np.diff(sums, prepend=float(before)).tolist()


def counted(cases, codes, groups):
    layout = group_layout(codes, groups)
    counts = np.zeros((3, groups), np.int64)
    counts[:, layout.groups] = pairs.pair_counts_of_groups(sorted_by_group(layout, *cases).keys, layout.starts)
    return pairs.PairCounts(*counts)


@given(case_arrays(), st.data(), BLOCKS)
def test_pairs_of_each_group_are_those_of_its_cases(cases, data, block):
    codes = np.array(data.draw(columns_of(range(4), cases.scores.size)), np.int64)
    with block_size(block):
        counts = counted(cases, codes, 5)
    for group in range(5):
        own = Cases(cases.scores[codes == group], cases.correct[codes == group])
        assert tuple(int(column[group]) for column in counts) == slow.pair_counts(own.pairs)


def test_pairs_of_many_cases_and_of_large_groups_are_whole_numbers_of_any_size():
    cases, codes = Cases(np.full(280_000, 0.5), np.arange(280_000) % 2 > 0), np.arange(280_000) // 140_000
    counts = counted(cases, codes, 2)
    assert counts.lost.tolist() == counts.tied.tolist() == [70_000**2] * 2
    assert pairs.pair_counts(cases.keys) == (140_000, 140_000**2, 140_000**2)


def _cases(rng, size, distinct):
    scores = rng.normal(size=size) if distinct is None else rng.integers(0, distinct, size) / distinct
    return Cases(scores, rng.random(size) < rng.random())


@every("distinct", [None, 2, 100, 5000])
@every("size", [1, 2, 3, 17, 255, 256, 257, 600, pairs.MOST_FEW - 1, pairs.MOST_FEW])
def test_few_cases_give_bit_for_bit_what_sorted_keys_do(size, distinct):
    rng = np.random.default_rng(size)
    for _ in range(20 if size < 1000 else 5):
        cases = _cases(rng, size, distinct)
        few = few_plain_cases(cases.correct, cases.scores)
        positives = int(cases.correct.sum())
        expected = curves.average_precisions(lazy_runs(cases.keys)).item()
        np.testing.assert_array_equal(curves.average_precision_of_few(*few), expected, strict=True)
        expected = curves.roc_auc(pairs.pair_counts(cases.keys), positives, size - positives)
        np.testing.assert_array_equal(curves.roc_auc_of_few(*few), expected, strict=True)


@pytest.mark.parametrize("function", [metrics.roc_auc_score, metrics.average_precision_score])
@pytest.mark.parametrize("distinct", [None, 50])
@pytest.mark.parametrize("size", [2, 100, pairs.MOST_FEW - 1, pairs.MOST_FEW, pairs.MOST_FEW + 1])
def test_the_kind_of_columns_and_the_border_change_no_bit(monkeypatch, function, size, distinct):
    rng = np.random.default_rng(size)
    for _ in range(3):
        scores, labels = _cases(rng, size, distinct)
        labels[:2] = False, True
        columns = [
            (labels, scores), (labels.astype(np.int64), scores), (labels.astype(">u2"), scores),
            (np.where(labels, 1.0, -0.0), scores), (labels.tolist(), scores.tolist()), (labels[::-1], scores[::-1]),
            (np.where(labels, 1, -1), scores), (labels[:, np.newaxis], scores),
        ]  # fmt: skip
        answers = {function(*each) for each in columns}
        answers.add(function(labels, scores, sample_weight=None))
        with monkeypatch.context() as patch:
            patch.setattr(validated, "MOST_FEW", 0)
            answers |= {function(*each) for each in columns}
        assert len(answers) == 1
        assert {type(answer) for answer in answers} == {float}


@every("scores", [[0.5, math.nan], [0.5, math.inf], [-math.inf, 0.5]])
@pytest.mark.filterwarnings("error")
def test_numbers_that_are_not_finite_are_refused_without_a_warning(scores):
    for function in (metrics.roc_auc_score, metrics.average_precision_score):
        with pytest.raises(ValueError, match="Input y_score contains"):
            function(np.array([0, 1]), np.array(scores))


@every(
    ("labels", "scores"),
    (np.array([0, 2]), np.array([0.5, 0.6])),
    (np.array([0, 256]), np.array([0.5, 0.6])),
    (np.array([0, 1 << 40]), np.array([0.5, 0.6])),
    (np.array([0, -1]), np.array([0.5, 0.6])),
    (np.array([1, 2**64 - 1], np.uint64), np.array([0.5, 0.6])),
    (np.array([0.5, 1.0]), np.array([0.5, 0.6])),
    (np.array([math.nan, 1.0]), np.array([0.5, 0.6])),
    (np.array(["0", "1"]), np.array([0.5, 0.6])),
    (np.array([0, 1], "m8[s]"), np.array([0.5, 0.6])),
    (np.array([0, 1]), np.array([5, 6])),
    (np.array([0, 1]), np.array([0.5, 0.6], np.float16)),
    (np.array([0, 1]), np.array([0.5, 0.6], ">f8")),
    (np.array([0, 1]), np.array([[0.5, 0.6]])),
    (np.array([0, 1]), np.array([0.5, 0.6, 0.7])),
    (np.array([], int), np.array([])),
    (np.ma.array([0, 1]), np.array([0.5, 0.6])),
    ([0, 1], np.array([0.5, 0.6])),
    (np.array([0, 1]), np.array([0.5, math.nan])),
)
def test_only_plain_columns_are_plain(labels, scores):
    assert few_plain_cases(labels, scores) is None


def test_no_cases_are_few_where_subnormal_scores_count_as_zero(monkeypatch):
    columns = np.array([True, False]), np.array([0.5, 0.25])
    assert few_plain_cases(*columns)
    monkeypatch.setattr(sorting, "_TINIEST", 0.0)
    assert few_plain_cases(*columns) is None


NEXT_TO_EACH_OTHER = [1.0, 1 + 2**-52, 1 + 2**-51, 2.0**-300, 2.0**-301, -(2.0**-300), 0.0, -1.0, -1 - 2**-52]
"""Scores of which several have one level."""


def listed(moments):
    return [(side.size, side.sums.tolist(), side.products.tolist()) for side in moments]


def listed_of_keys(keys):
    found = moments_of_runs(runs_of_keys(keys)), moments_of_keys(keys)
    one, other = ([int(column[0]) for column in each] for each in found)
    assert one == other
    correct, incorrect, total, squares, incorrect_squares = one
    return [(correct, [total], [[squares]]), (incorrect, [-total], [[incorrect_squares]])]


def joint_moments(columns, correct):
    return moments_of([placements(indexed_order(scores, correct)) for scores in columns])


def several(cases, data):
    """Draw scores of two more models for the same cases."""
    size = cases.scores.size
    pools = (NEXT_TO_EACH_OTHER, np.float64), ([0.0, 0.5, 1.0], np.float32)
    columns = [np.array(data.draw(columns_of(pool, size)), dtype) for pool, dtype in pools]
    return [cases.scores, *columns]


@given(case_arrays(), BLOCKS)
@example(cases_of([(1.0, False), (1.0, True)]), 1)
@example(cases_of([(value, place % 2 == 0) for place, value in enumerate(NEXT_TO_EACH_OTHER * 2)]), 3)
def test_moments_alone_and_beside_a_ranking_without_ties_are_those_of_the_cases(cases, block):
    before = cases.scores.tobytes(), cases.correct.tobytes()
    columns = [cases.scores, np.arange(cases.scores.size, dtype=np.float64)]
    rankings = [list(zip(column.tolist(), cases.correct.tolist(), strict=True)) for column in columns]
    keys = cases.keys
    with block_size(block):
        assert listed(joint_moments(columns, cases.correct)) == slow.moments(rankings)
        assert listed_of_keys(keys) == slow.moments([cases.pairs])
    assert (cases.scores.tobytes(), cases.correct.tobytes()) == before
    assert keys.tobytes() == cases.keys.tobytes()


@given(case_arrays(max_size=20), BLOCKS, st.data())
def test_moments_of_several_rankings_are_those_of_the_cases_and_of_chosen_pairs_alone(cases, block, data):
    columns = several(cases, data)
    pairs_of_cases = [list(zip(column.tolist(), cases.correct.tolist(), strict=True)) for column in columns]
    with block_size(block):
        assert listed(joint_moments(columns, cases.correct)) == slow.moments(pairs_of_cases)
        rankings = [placements(indexed_order(scores, cases.correct)) for scores in columns]
        whole, some = (moments_of(rankings, pairs) for pairs in (None, [(2, 0)]))
    for full, side in zip(whole, some, strict=True):
        assert (side.size, side.sums.tolist()) == (full.size, full.sums.tolist())
        assert side.products.diagonal().tolist() == full.products.diagonal().tolist()
        assert side.products[0, 2] == side.products[2, 0] == full.products[0, 2]
        assert side.products[0, 1] == side.products[1, 2] == 0


LAYOUTS = {
    "distinct": lambda scores: scores,
    "on both sides of zero": lambda scores: scores - 0.5,
    "two in three tied": lambda scores: np.where(np.arange(scores.size) % 3, np.float64(0.25), scores),
    "a thousand levels": lambda scores: np.floor(scores * 1000),
    "two levels": np.round,
    "equal": np.zeros_like,
    "far apart": lambda scores: np.exp(1000 * (scores - 0.5)),
    "infinite": lambda scores: np.log(np.maximum(np.round(scores, 3) - 0.1, 0)),
    "next to each other": lambda scores: 1 + np.floor(scores * 3000) * 2**-52,
    "next to each other, and one far away": lambda scores: np.where(scores == scores.max(), 1e300, 1 + scores * 2**-40),
}


@pytest.fixture
def _blocks_are_small():
    with block_size(1600):
        yield


@pytest.mark.usefixtures("_blocks_are_small")
@every("layout", LAYOUTS)
def test_moments_of_many_cases_agree_with_searches_in_the_sorted_scores(layout):
    rng = np.random.default_rng(8)
    correct, scores = rng.random(6000) < 0.3, rng.random(6000)
    with np.errstate(divide="ignore"):
        scores = LAYOUTS[layout](scores)
    sides = np.sort(scores[correct]), np.sort(scores[~correct])
    expected = []
    for own, other in zip((scores[correct], scores[~correct]), sides[::-1], strict=True):
        below, up_to = other.searchsorted(own, "left"), other.searchsorted(own, "right")
        placements = other.size - up_to - below
        expected.append((own.size, [int(placements.sum())], [[int(placements @ placements)]]))
    assert listed(joint_moments([scores], correct)) == expected
    assert listed_of_keys(order(scores, correct).keys) == expected


def test_moments_of_many_cases_are_whole_numbers_of_any_size():
    size = 100_000
    cases = Cases(np.repeat([0.25, 0.5], size), np.repeat([True, False], size))
    side = (size, [size**2], [[size**3]])
    other = (size, [-(size**2)], [[size**3]])
    assert listed_of_keys(cases.keys) == [side, other]
    assert listed(joint_moments([cases.scores], cases.correct)) == [side, other]
    many = 100 * size
    found = moments_of_runs(runs_of_scores(np.array([many, 1]), np.array([many, many])))
    assert [int(each[0]) for each in found[2:]] == [many - many**2, many**3 + many**2, many**3 + many]


@pytest.mark.slow
def test_products_of_which_64_bits_hold_less_than_a_block_add_up_too():
    size, positives = 15_000_000, 100_000
    correct = np.arange(size) < positives
    scores = np.where(correct, np.float32(0.25), np.float32(0.5))
    negatives = size - positives
    moments = joint_moments([scores, -scores], correct)
    for side, squares in zip(moments, (positives * negatives**2, negatives * positives**2), strict=True):
        assert side.products.tolist() == [[squares, -squares], [-squares, squares]]


CASES = st.tuples(st.sampled_from([-np.inf, -1.0, -0.0, 0.0, 0.5, np.inf]), st.booleans())


def slow_placement(case, group):
    others = [score for score, correct in group if correct != case[1]]
    return sum(score > case[0] for score in others) - sum(score < case[0] for score in others)


@given(st.lists(st.lists(CASES, min_size=1, max_size=12), min_size=1, max_size=6))
def test_placements_are_within_the_group(groups):
    scores, correct = (np.array(column) for column in zip(*(case for group in groups for case in group), strict=True))
    sizes = np.array(list(map(len, groups)))
    found = placements_in_groups(scores, correct, sizes)
    assert found.tolist() == [slow_placement(case, group) for group in groups for case in group]
