"""What is saved and read back: the largest counts, subclasses, and what tables and files leave out."""

import io

from evalcore import ConfusionMatrix, Contingency, PrecisionRecallEvaluation, ScoredPrecisionRecallEvaluation
from evalcore.saving import Snapshot
from tests.differences import every
from tests.saving.objects import KINDS, WAYS


@every("way", ["Arrow", "stream"])
def test_a_table_stays_as_it_was_made(way):
    saved = ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]])
    table = saved.to_arrow()
    saved.increment("a", "b")
    assert ConfusionMatrix.from_arrow(table).matrix().tolist() == [[3, 1], [2, 4]]


@every("way", WAYS)
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


@every("way", WAYS)
def test_a_contingency_keeps_whether_it_prints_and_not_where(way, capsys):
    writer = io.StringIO()
    loaded = WAYS[way](Contingency(["sports"], verbose=True, writer=writer))
    loaded.add_result("sports", "sports", "doc1")
    assert capsys.readouterr().out == "doc1: assigned=(sports) correct=(sports)\n"
    assert writer.getvalue() == ""


@every("name", KINDS)
def test_a_subclass_reads_and_writes_what_its_parent_does(name):
    kind = KINDS[name]
    child = type("Child", (kind.cls,), {})
    saved = kind.example()
    loaded = child.from_bytes(saved.to_bytes())
    assert type(loaded) is child
    assert loaded.to_bytes() == saved.to_bytes()
    assert child.from_arrow(loaded.to_arrow()).to_bytes() == saved.to_bytes()


@every("name", KINDS)
def test_the_kind_is_the_name_of_the_class(name):
    snapshot = KINDS[name].example()._snapshot()
    assert isinstance(snapshot, Snapshot)
    assert snapshot.kind == name
