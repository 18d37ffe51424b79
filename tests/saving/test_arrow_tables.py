"""Arrow tables of evaluations: people can read them, and no change goes unseen."""

import json
import sys

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import evalcore
from evalcore import ConfusionMatrix, Contingency, EvaluationError, EvaluationTypeError, PrecisionRecallEvaluation
from evalcore.saving.container import Snapshot, digest, snapshot_of, table_of
from tests.differences import every, recorded, refused
from tests.saving.objects import KINDS, by_feather, by_parquet, by_stream

FILES = {"as it is": lambda table: table, "Parquet": by_parquet, "Feather": by_feather, "stream": by_stream}
CUTS = Snapshot("ScoreSummary", {}, {"low": np.array([0.1, 0.2, 0.3]), "cuts": np.array([0.15])})


def tables():
    return {name: kind.example().to_arrow() for name, kind in KINDS.items()}


def scored(scores=(0.5, 0.25, 0.5, 1.0), correct=(True, False, True, False)):
    evaluation = evalcore.ScoredPrecisionRecallEvaluation()
    evaluation.addCases(correct, np.array(scores, np.float32))
    return evaluation


def with_column(table, name, values):
    return table.set_column(table.column_names.index(name), name, values)


def with_metadata(table, **changes):
    rest = json.loads(table.schema.metadata[b"evalcore"]) | changes
    return table.replace_schema_metadata({"evalcore": json.dumps(rest)})


def test_columns_are_those_that_people_read_of_the_types_of_the_state():
    assert scored().to_arrow().to_pydict() == {"score": [0.5, 0.25, 0.5, 1.0], "correct": [True, False, True, False]}
    assert PrecisionRecallEvaluation(9, 3, 4, 11).to_arrow().to_pylist() == [{"tp": 9, "fn": 3, "fp": 4, "tn": 11}]
    assert ConfusionMatrix(["a", 1], [[3, 1], [2, 4]]).to_arrow().to_pylist() == [
        {"reference": "a", "response": "a", "count": 3},
        {"reference": "a", "response": "1", "count": 1},
        {"reference": "1", "response": "a", "count": 2},
        {"reference": "1", "response": "1", "count": 4},
    ]
    experiment = Contingency(["sports", ("a", b"b"), None])
    experiment.add_results([["sports"], [None]], [["sports"], ["sports"]])
    assert experiment.to_arrow().to_pylist() == [
        {"category": "sports", "tp": 1, "fn": 1, "fp": 0, "tn": 0},
        {"category": "('a', b'b')", "tp": 0, "fn": 0, "fp": 0, "tn": 2},
        {"category": "None", "tp": 0, "fn": 0, "fp": 1, "tn": 1},
    ]
    assert scored().to_arrow().schema.types == [pa.float32(), pa.bool_()]
    assert set(KINDS["PrecisionRecallEvaluation"].example().to_arrow().schema.types) == {pa.int64()}
    words = pa.dictionary(pa.int32(), pa.string())
    assert KINDS["ConfusionMatrix"].example().to_arrow().schema.types == [words, words, pa.int64()]
    table = PrecisionRecallEvaluation(2**63, 2**63 - 1, 0, 2**128).to_arrow()
    assert table.to_pylist() == [{"tp": str(2**63), "fn": 2**63 - 1, "fp": 0, "tn": str(2**128)}]
    assert snapshot_of(table_of(Snapshot("Nothing", {"a": [1, None, 0.5]}, {}))).facts == {"a": [1, None, 0.5]}


@every("file", FILES)
def test_shorter_columns_end_in_nulls(file):
    table = FILES[file](table_of(CUTS))
    assert table.to_pydict() == {"low": [0.1, 0.2, 0.3], "cuts": [0.15, None, None]}
    read = snapshot_of(table)
    assert digest(read) == digest(CUTS)
    assert read.columns["cuts"].flags.writeable
    assert read.columns["cuts"].flags.owndata


@every("file", FILES)
def test_columns_may_stand_in_any_order_and_words_may_be_plain(file):
    matrix = KINDS["ConfusionMatrix"].example()
    table = matrix.to_arrow()
    for other in (
        table.select(["count", "response", "reference"]),
        with_column(table, "reference", table["reference"].cast(pa.string())),
        with_column(table, "reference", table["reference"].cast(pa.large_string())),
        pa.concat_tables([table.slice(0, 1), table.slice(1)]),
    ):
        assert ConfusionMatrix.from_arrow(FILES[file](other)).to_bytes() == matrix.to_bytes()


@every("file", FILES)
@every(("change", "said"), recorded("saving/outputs/refused_tables.txt"))
def test_every_change_is_told(change, said, file):
    kind, _, changed = change.partition(": ")
    saved = {"scored": scored(), "matrix": KINDS["ConfusionMatrix"].example()}[kind]
    known = {"pc": pc, "table": saved.to_arrow(), "COUNTS": {"columns": [["count", "<i8", 4]]}}
    with refused(said):
        type(saved).from_arrow(FILES[file](eval(changed, {**globals(), **known})))


def test_columns_that_come_twice_or_too_long_or_filled_are_told():
    table = scored().to_arrow()
    with refused("table was changed: it has 2 columns 'score'"):
        type(scored()).from_arrow(table.append_column("score", table["score"]))
    table = with_column(table_of(CUTS), "cuts", pa.array([0.15, 0.2, None]))
    with refused("table was changed: column 'cuts' has other nulls than those that were saved"):
        snapshot_of(table)
    table = table_of(CUTS)
    header = {"kind": "ScoreSummary", "facts": {}, "columns": [["low", "<f8", 3], ["cuts", "<f8", 10**30]]}
    with refused("table was changed: column 'cuts' has other nulls than those that were saved"):
        snapshot_of(with_metadata(table, header=header))


@every(
    ("cls", "name", "values"),
    *((ConfusionMatrix, "reference", values)
      for values in (["a", "b", "a", "b"], [1, 2, 3, 4], [["a"]] * 4, [None, "a", "b", "b"])),
    *((PrecisionRecallEvaluation, name, [5]) for name in ("tp", "fn", "fp", "tn")),
)  # fmt: skip
def test_changed_names_beside_counts_and_counts_are_told(cls, name, values):
    table = with_column(KINDS[cls.__name__].example().to_arrow(), name, pa.array(values))
    with refused(f"table was changed: column {name!r} is not the one that was saved"):
        cls.from_arrow(table)


@every("name", KINDS)
def test_a_table_of_other_origin_is_told(name):
    message = "table is not a saved evalcore object: its schema has no evalcore metadata"
    table = tables()[name]
    lost = pa.Table.from_pandas(table.to_pandas())
    for other in (table.replace_schema_metadata(None), lost, pa.table({"score": [0.5], "correct": [True]})):
        with refused(message):
            KINDS[name].cls.from_arrow(other)


@every(("other", "shown"), [(None, "None (NoneType)"), (b"PAR1", "b'PAR1' (bytes)"), ([1], "[1] (list)")])
def test_what_is_no_table_is_refused(other, shown):
    with refused(f"table must be a pyarrow.Table, got {shown}", EvaluationTypeError):
        ConfusionMatrix.from_arrow(other)


@every("text", [b"", b"{", b"[]", b"\xff"])
def test_metadata_that_cannot_be_read_are_told(text):
    with pytest.raises(EvaluationError, match=r"\Atable is damaged: its (header cannot be read|metadata has an)"):
        ConfusionMatrix.from_arrow(tables()["ConfusionMatrix"].replace_schema_metadata({"evalcore": text}))


def sealed(snapshot, rows, **columns):
    """Make a table whose checksum is right, of what no evaluation holds."""
    plain = table_of(snapshot._replace(kind="Other"))
    rest = json.loads(plain.schema.metadata[b"evalcore"])
    rest["header"]["kind"] = snapshot.kind
    rest |= {"sha256": digest(snapshot), "rows": rows}
    table = pa.table({**dict(zip(plain.column_names, plain.columns, strict=True)), **columns})
    return table.replace_schema_metadata({"evalcore": json.dumps(rest)})


def test_what_no_object_can_hold_is_refused():
    many = Snapshot("ConfusionMatrix", {"categories": list(range(10**4))}, {"count": np.array([1])})
    with refused("table was changed: 10000 categories do not have 1 cells"):
        ConfusionMatrix.from_arrow(sealed(many, 1))
    negative = Snapshot("ConfusionMatrix", {"categories": ["a"]}, {"count": np.array([-1])})
    with refused("table is not a valid ConfusionMatrix: matrix[0, 0] must not be negative, got -1"):
        ConfusionMatrix.from_arrow(sealed(negative, 1, reference=["a"], response=["a"]))
    nameless = negative._replace(facts={"categories": [[]]})
    with refused("categories must hold valid names: [] (list)"):
        ConfusionMatrix.from_arrow(sealed(nameless, 1))
    columns = {"score": np.array([np.nan]), "correct": np.array([True])}
    scores = Snapshot("ScoredPrecisionRecallEvaluation", {"misses": 0, "negative_misses": 0}, columns)
    why = "score[0] is NaN; a score is finite or infinite"
    with refused(f"table is not a valid ScoredPrecisionRecallEvaluation: {why}"):
        evalcore.ScoredPrecisionRecallEvaluation.from_arrow(table_of(scores))


@pytest.mark.parametrize("name", KINDS)
def test_without_pyarrow_the_error_says_what_to_install(name, monkeypatch):
    saved = KINDS[name].example()
    table = saved.to_arrow()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for call in (saved.to_arrow, lambda: type(saved).from_arrow(table)):
        with refused("pyarrow is not installed; pip install 'evalcore-metrics[report]'"):
            call()
    assert type(saved).from_bytes(saved.to_bytes()).to_bytes() == saved.to_bytes()


def test_names_that_arrow_cannot_hold_and_many_categories_are_kept():
    matrix = ConfusionMatrix(["\ud800", "1", 1])
    table = matrix.to_arrow()
    assert table["reference"].to_pylist()[::3] == ["\\ud800", "1", "1"]
    for file in FILES.values():
        assert ConfusionMatrix.from_arrow(file(table)).categories() == ("\ud800", "1", 1)
    matrix = ConfusionMatrix([f"c{code}" for code in range(300)], np.arange(90_000).reshape(300, 300))
    table = matrix.to_arrow()
    assert table.num_rows == 90_000
    assert table.slice(300 * 7 + 5, 1).to_pylist() == [{"reference": "c7", "response": "c5", "count": 2105}]
    assert ConfusionMatrix.from_arrow(by_parquet(table)).to_bytes() == matrix.to_bytes()
