"""The law of saving: what is read back answers everything as what was saved, and goes on as that would."""

import copy
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore import ConfusionMatrix, Contingency, PrecisionRecallEvaluation, ScoredPrecisionRecallEvaluation
from evalcore.saving import Snapshot
from tests.saving.objects import KINDS, WAYS


@pytest.mark.parametrize("name", KINDS)
@given(data=st.data())
def test_what_is_read_back_answers_everything_as_what_was_saved(name, data):
    kind = KINDS[name]
    saved = data.draw(kind.drawn)
    content, answers = saved.to_bytes(), kind.answers(saved)
    for way in WAYS.values():
        loaded = way(saved)
        assert type(loaded) is kind.cls
        assert loaded.to_bytes() == content
        assert kind.answers(loaded) == answers
    assert saved.to_bytes() == content  # saving changes nothing


@pytest.mark.parametrize("way", ["bytes", "Arrow"])
@pytest.mark.parametrize("name", ["ScoredPrecisionRecallEvaluation", "PrecisionRecallEvaluation"])
@given(data=st.data())
def test_merging_goes_on(name, way, data):
    kind = KINDS[name]
    saved, other = data.draw(kind.drawn), data.draw(kind.drawn)
    if name == "ScoredPrecisionRecallEvaluation":  # there are at most 2**62 misses of a kind
        other._cases.misses = other._cases.negative_misses = 0
    loaded, loaded_other = WAYS[way](saved), WAYS[way](other)
    for _ in range(2):
        saved.merge(other)
        loaded.merge(loaded_other)
    assert loaded.to_bytes() == saved.to_bytes()
    assert kind.answers(loaded) == kind.answers(saved)


@pytest.mark.parametrize("way", ["bytes", "Arrow"])
@pytest.mark.parametrize("name", ["ConfusionMatrix", "Contingency"])
@given(data=st.data())
def test_merging_categories_goes_on(name, way, data):
    kind = KINDS[name]
    saved = data.draw(kind.drawn)
    loaded, other = WAYS[way](saved), copy.copy(saved)
    saved.merge(other)
    loaded.merge(other)
    loaded.merge(WAYS[way](kind.cls(list(saved._codes))))
    assert kind.answers(loaded) == kind.answers(saved)
    assert loaded.to_bytes() == saved.to_bytes()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_keep_their_width_and_cases_go_on(dtype, way):
    saved = ScoredPrecisionRecallEvaluation()
    saved.addCases([True, False, True], np.array([0.5, -0.0, np.inf], dtype))
    loaded = WAYS[way](saved)
    assert loaded._cases.scores.dtype == dtype
    assert np.signbit(loaded._cases.scores[1])
    for evaluation in (saved, loaded):
        for _ in range(5):
            evaluation.addCase(True, 0.25)
    loaded._cases._check()
    assert loaded.to_bytes() == saved.to_bytes()


@pytest.mark.parametrize("way", WAYS)
def test_what_is_read_back_is_of_its_own(way):
    saved = ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]])
    loaded = WAYS[way](saved)
    loaded.increment("a", "a")
    assert (saved.totalCount(), loaded.totalCount()) == (10, 11)
    assert loaded._table.counts.flags.writeable
    saved.increment("a", "b")
    assert loaded.count("a", "b") == 1
    ranking = KINDS["ScoredPrecisionRecallEvaluation"].example()
    other = WAYS[way](ranking)
    for column in (other._cases._scores, other._cases._correct):
        assert column.flags.writeable
    other._cases._check()


@pytest.mark.parametrize("way", ["Arrow", "stream"])
def test_a_table_stays_as_it_was_made(way):
    saved = ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]])
    table = saved.to_arrow()
    saved.increment("a", "b")
    assert ConfusionMatrix.from_arrow(table).matrix().tolist() == [[3, 1], [2, 4]]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("empty", [ScoredPrecisionRecallEvaluation, PrecisionRecallEvaluation, lambda: Contingency([])])
def test_what_is_empty_is_saved_too(empty, way):
    loaded = WAYS[way](empty())
    assert repr(loaded) == repr(empty())
    loaded.merge(empty())
    assert loaded.to_bytes() == empty().to_bytes()


@pytest.mark.parametrize("way", WAYS)
def test_counts_of_any_size_are_kept(way):
    most = 2**128
    saved = PrecisionRecallEvaluation(most, 0, 2**62, most)
    saved.merge(saved)  # more than the constructor takes
    assert repr(WAYS[way](saved)) == repr(saved)
    experiment = Contingency(["a"])
    experiment.set_entries(most, 0.1, 2**62, 5e-324)
    experiment.merge(experiment)
    assert repr(WAYS[way](experiment)) == repr(experiment)
    ranking = ScoredPrecisionRecallEvaluation()
    ranking.addMisses(2**62)
    ranking.addNegativeMisses(2**62)
    assert repr(WAYS[way](ranking)) == repr(ranking)
    matrix = ConfusionMatrix(["a"], [[2**63 - 1]])
    assert WAYS[way](matrix).totalCount() == 2**63 - 1


@pytest.mark.parametrize("way", WAYS)
def test_a_contingency_keeps_whether_it_prints_and_not_where(way, capsys):
    writer = io.StringIO()
    loaded = WAYS[way](Contingency(["sports"], verbose=True, writer=writer))
    loaded.add_result("sports", "sports", "doc1")
    assert capsys.readouterr().out == "doc1: assigned=(sports) correct=(sports)\n"
    assert writer.getvalue() == ""


@pytest.mark.parametrize("name", KINDS)
def test_a_subclass_reads_and_writes_what_its_parent_does(name):
    kind = KINDS[name]
    child = type("Child", (kind.cls,), {})
    saved = kind.example()
    loaded = child.from_bytes(saved.to_bytes())
    assert type(loaded) is child
    assert loaded.to_bytes() == saved.to_bytes()
    assert child.from_arrow(loaded.to_arrow()).to_bytes() == saved.to_bytes()


@pytest.mark.parametrize("name", KINDS)
def test_the_kind_is_the_name_of_the_class(name):
    snapshot = KINDS[name].example()._snapshot()
    assert isinstance(snapshot, Snapshot)
    assert snapshot.kind == name
