"""Tables of decisions, and the protocols by which others ask evaluations."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import evalcore
from evalcore.kernels.tables import BinaryCounts, DecisionCounts
from evalcore.ranking import evaluate
from evalcore.state.cases import ScoredCases
from evalcore.state.shared import GroupValues, HasCategoryCounts, HasRankCounts, HasScoredCases
from evalcore.state.tables import DecisionTable, PooledTable
from tests.differences import every

CATEGORIES = 3
CELLS = st.tuples(*[st.integers(0, 5) | st.integers(0, 10**12)] * 3)
WHOLE = st.builds(BinaryCounts, *[st.integers(0, 2**70)] * 4)
SMALL = [BinaryCounts(1, 2, 3, 4)] * CATEGORIES


@st.composite
def batches(draw):
    """Draw the tables (tp, fn, fp, tn) of three categories, over as many documents."""
    tables = [draw(CELLS) for _ in range(CATEGORIES)]
    documents = max(map(sum, tables)) + draw(st.integers(0, 5))
    return [BinaryCounts(*table, documents - sum(table)) for table in tables]


def counted(batch):
    tp, fn, fp, _ = (np.array(cells, np.int64) for cells in zip(*batch, strict=True))
    return DecisionCounts(both=tp, assigned=tp + fp, correct=tp + fn), sum(batch[0])


def filled(*given):
    table = DecisionTable(CATEGORIES)
    for batch in given:
        table.add(*counted(batch))
    return table


def summed(tables):
    return BinaryCounts(*map(sum, zip((0, 0, 0, 0), *tables, strict=True)))


def content(table):
    return table.documents, table.pooled, [table.of_category(code) for code in range(CATEGORIES)]


@given(st.lists(batches(), max_size=3))
def test_every_cell_is_added_per_category_and_pooled(given):
    table = filled(*given)
    assert table.documents == sum(sum(batch[0]) for batch in given)
    for code in range(CATEGORIES):
        assert table.of_category(code) == summed(batch[code] for batch in given)
    assert table.pooled == summed(counts for batch in given for counts in batch)
    for counts, kind in ((table.pooled, PooledTable), (table.of_category(0), BinaryCounts)):
        assert isinstance(counts, kind)
        assert {type(cell) for cell in counts} == {int}
    assert all(count.dtype == np.int64 for count in table.counts)


@given(st.lists(batches(), max_size=2), st.lists(batches(), max_size=2), st.permutations(range(CATEGORIES)))
@example([], [[BinaryCounts(1, 0, 0, 0), BinaryCounts(0, 1, 0, 0), BinaryCounts(0, 0, 1, 0)]], [1, 2, 0])
def test_merging_equals_filling_one(mine, others, places):
    theirs = [[batch[place] for place in places] for batch in others]  # their i-th category is our places[i]-th
    merged, other = filled(*mine), filled(*theirs)
    before = content(other)
    merged.merge(other, places)
    assert content(merged) == content(filled(*mine, *others))
    assert content(other) == before


@given(batches(), WHOLE, WHOLE)
@example(SMALL, BinaryCounts(0.5, 0, 1, 0.25), BinaryCounts(1, 0.5, 0.5, 3))
def test_a_pooled_table_that_was_set_leaves_the_categories_alone(batch, first, second):
    table, other = filled(batch), filled()
    table.pooled, other.pooled = first, second
    assert content(table)[2] == content(filled(batch))[2]
    table.merge(other, [0, 1, 2])
    assert table.pooled == summed([first, second])
    table.add(*counted(batch))
    assert table.pooled == summed([summed([first, second]), *batch])
    assert content(table)[2] == content(filled(batch, batch))[2]


def test_adding_keeps_nothing_of_what_is_handed_in():
    table, (counts, documents) = DecisionTable(CATEGORIES), counted([BinaryCounts(1, 0, 0, 0)] * CATEGORIES)
    table.add(counts, documents)
    before = content(table)
    for count in counts:
        count[:] = 9
    assert content(table) == before


def test_without_categories_documents_alone_are_counted():
    table = DecisionTable(0)
    table.add(DecisionCounts(*np.zeros((3, 0), np.int64)), documents=5)
    table.merge(table, [])
    assert (table.documents, table.pooled) == (10, (0, 0, 0, 0))


SCORED = evalcore.ScoredPrecisionRecallEvaluation()
MATRIX = evalcore.ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]])
FIRSTS = evalcore.BaseClassifierEvaluator(None, ["a", "b"])
RANKED = evalcore.RankedClassifierEvaluator(None, ["a", "b"])
GROUPS = evaluate(["x", "y"], [1, 0], [0.5, 0.25], measures="AP")
PROTOCOLS = (HasScoredCases, HasCategoryCounts, HasRankCounts, GroupValues)


@every(
    ("evaluation", "followed"),
    [
        (SCORED, {HasScoredCases}),
        (MATRIX, {HasCategoryCounts}),
        (FIRSTS, {HasCategoryCounts}),
        (RANKED, {HasCategoryCounts, HasRankCounts}),
        (GROUPS, {GroupValues}),
        (evalcore.PrecisionRecallEvaluation(1, 2, 3, 4), set()),
        (np.eye(2), set()),
        ({"values": 1}, set()),
        ("name", set()),
    ],
)
def test_each_protocol_is_followed_by_the_evaluations_that_have_it(evaluation, followed):
    assert {protocol for protocol in PROTOCOLS if isinstance(evaluation, protocol)} == followed


@every("counts_of", [FIRSTS.category_counts, RANKED.category_counts, RANKED.rank_counts])
def test_counts_of_an_evaluator_are_copies(counts_of):
    counts_of()[0, 0] = 9
    assert counts_of().sum() == 0


def test_counts_of_a_matrix_cannot_be_written_to_and_cases_are_those_that_are_kept():
    assert not MATRIX.category_counts().flags.writeable
    assert MATRIX.category_counts().tolist() == MATRIX.matrix().tolist()
    assert isinstance(SCORED.scored_cases(), ScoredCases)
    assert SCORED.scored_cases() is SCORED.scored_cases()


def test_any_name_of_a_measure_leads_to_its_values():
    assert [GROUPS.measure_name(name) for name in ("AP", "map", "average_precision")] == ["AP"] * 3
    with pytest.raises(evalcore.EvaluationError, match="measure must be one of AP, got 'RR'"):
        GROUPS.measure_name("RR")
