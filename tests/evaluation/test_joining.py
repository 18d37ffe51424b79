"""Tables of models are joined by id: rows in any order, ids that are missing or repeated, labels that disagree."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import evalcore
from evalcore.evaluation.joining import JoinCounts
from tests.differences import BESIDE_THE_GUIDE, check_refusals, every

OLD = {"id": [11, 12, 13, 14], "late": [1, 0, 1, 0], "score": [0.9, 0.2, 0.4, 0.6]}
NEW = {"id": [14, 13, 12, 11], "score": [0.1, 0.8, 0.3, 0.7]}
ASKED = {"on": "id", "label": "late", "score": "score"}


def compared(old=OLD, new=NEW, **asked):
    return evalcore.compare(old, new, **{**ASKED, **asked}).answer


MISSING = {"id": [14, 99, 12, 11, 98], "score": [0.1, 0.8, 0.3, 0.7, 0.2]}
NULLS = pa.table({"id": [14, 13, 12, 11], "score": [0.1, None, 0.3, 0.7]})
REPEATED = (
    {"id": [11, 11, 12], "late": [1, 0, 0], "score": [0.9, 0.2, 0.4]},
    {"id": [12, 11, 12, 12], "score": [0.1, 0.8, 0.3, 0.7]},
)
OTHER = {**NEW, "late": [0, 1, 1, 1]}
TREES = (
    {"id": [1, 2], "tree": ["ash", "elm"], "guess": ["ash", "ash"]},
    {"id": [2, 1], "tree": ["oak", "ash"], "guess": ["oak", "ash"]},
)
OF_TREES = {"label": "tree", "score": None, "predicted": "guess"}
TEXT = {**NEW, "id": ["14", "13", "12", "x"]}
IN_MONTHS = pd.DataFrame({**OLD, "month": [5, 6, 7, 8]})
REFUSED = [
    (OLD, MISSING, {}), (OLD, NULLS, {"nulls": "drop"}), (*REPEATED, {}), (OLD, OTHER, {}), (*TREES, OF_TREES),
    (OLD, {"id": [1], "score": [0.5]}, {}), (OLD, {"id": [1], "score": [0.5]}, {"allow": "missing"}), (OLD, TEXT, {}),
    (OLD, {"id": [1]}, {}), ({"id": [1], "score": [0.5]}, NEW, {}),
    (pd.DataFrame(OLD), pd.DataFrame(NEW), {"where": "month > 6"}),
    (IN_MONTHS, pd.DataFrame(NEW)[2:], {"where": "month >= 6"}),
]  # fmt: skip


def test_tables_that_do_not_belong_together_are_refused():
    check_refusals("evaluation/outputs/refused_tables.txt", lambda row: compared(*row[:2], **row[2]), REFUSED)


@every("frame", [dict, pd.DataFrame, pl.DataFrame, pa.table, lambda table: pl.DataFrame(table).lazy()])
def test_rows_are_joined_by_id_in_any_order_and_from_any_frame(frame):
    answer = compared(frame(OLD), frame(NEW))
    cases = answer.cases
    assert cases.positive.tolist() == [True, False, True, False]
    assert {model: scores.tolist() for model, scores in cases.scores.items()} == {
        "old": [0.9, 0.2, 0.4, 0.6],
        "new": [0.7, 0.3, 0.8, 0.1],
    }
    assert cases.ids.tolist() == [11, 12, 13, 14]
    assert answer.joins == {"new": JoinCounts(4, 4, 4)}


IDS = ["ash", "", "Linde Ä", "elm"]
AS_TEXT = pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())


@every("kind", AS_TEXT)
def test_ids_of_text_are_joined_listed_and_refused_as_objects_are(kind):
    def both(**asked):
        def in_arrow(table):
            return {**table, "id": pa.array(table["id"]).cast(kind)}

        for form in (dict, in_arrow, lambda table: pa.table(in_arrow(table))):
            tables = form({**OLD, "id": IDS}), form({**NEW, "id": IDS[::-1]})
            shorter = form({**NEW, "id": ["oak", *IDS[:0:-1]]})
            found = compared(*tables, **asked)
            changed = [*found.models[0].risen, *found.models[0].fallen]
            with pytest.raises(evalcore.EvaluationError) as refused:
                compared(tables[0], shorter, **asked)
            kept = compared(tables[0], shorter, allow="missing", **asked)
            yield found.cases.ids.tolist(), changed, str(found.notes), str(refused.value), kept.cases.ids.tolist()

    for asked in ({}, {"by": "id"}, {"cluster": "id"}, {"text": "id"}, {"where": "score >= 0"}, {"nulls": "drop"}):
        objects, *arrow = both(**asked)
        assert arrow == [objects] * 2
        assert objects[0] == IDS


def test_times_of_arrow_in_a_mapping_are_those_of_numpy():
    days = np.array(["2024-05-01", "2024-05-02", "2024-05-03", "2024-05-04"], "datetime64[us]")
    for kind in (pa.timestamp("us"), pa.timestamp("us", "UTC")):
        cases = compared({**OLD, "id": days}, {**NEW, "id": pa.array(days[::-1]).cast(kind)}).cases
        assert cases.scores["new"].tolist() == [0.7, 0.3, 0.8, 0.1]


def test_ids_may_be_of_several_columns_or_of_the_only_table():
    old = {"day": ["a", "a", "b"], "nr": [1, 2, 1], "late": [1, 0, 1], "score": [0.1, 0.2, 0.3]}
    new = {"day": ["b", "a", "a"], "nr": [1, 2, 1], "score": [0.6, 0.5, 0.4]}
    cases = compared(old, new, on=["day", "nr"]).cases
    assert cases.scores["new"].tolist() == [0.4, 0.5, 0.6]
    assert cases.ids.tolist() == [("a", 1), ("a", 2), ("b", 1)]
    table = {**OLD, "better": [0.8, 0.3, 0.7, 0.1]}
    answer = compared(table, None, score="better", old_score="score")
    assert answer.cases.ids.tolist() == [11, 12, 13, 14]
    assert answer.models[0].risen[0].id == 13
    assert not answer.joins
    table = {"late": [1, 0], "base": [0.5, 0.4], "a": [0.6, 0.1], "b": [0.2, 0.3]}
    answer = evalcore.compare(table, label="late", score=["a", "b"], old_score="base").answer
    assert (answer.old, list(answer.cases.scores), answer.joins) == ("base", ["base", "a", "b"], {})
    assert answer.cases.ids is None


def test_ids_that_one_table_lacks_may_be_allowed_and_nulls_are_said():
    answer = compared(new=MISSING, allow="missing")
    assert answer.joins == {"new": JoinCounts(4, 5, 3, only_old=1, only_new=2)}
    assert answer.cases.scores["old"].tolist() == [0.9, 0.2, 0.6]
    assert answer.cases.scores["new"].tolist() == [0.7, 0.3, 0.1]
    assert compared(new=NULLS, nulls="drop", allow="missing").cases.ids.tolist() == [11, 12, 14]
    old = pd.DataFrame({**OLD, "score": [0.9, None, 0.4, 0.6]})
    answer = compared(old, pd.DataFrame(NEW), nulls="drop", allow="missing")
    assert answer.notes[0] == "old: 1 of 4 rows is left out because of nulls: 1 in column 'score'"
    assert answer.cases.ids.tolist() == [11, 13, 14]


def test_repeated_ids_may_be_allowed():
    answer = compared(*REPEATED, allow=["repeated"])
    assert answer.joins == {"new": JoinCounts(3, 4, 2, repeated_old=1, repeated_new=2)}
    assert answer.cases.scores["old"].tolist() == [0.9, 0.4]
    assert answer.cases.scores["new"].tolist() == [0.8, 0.1]


def test_labels_and_classes_that_disagree_may_be_allowed():
    answer = compared(new=OTHER, allow={"labels"})
    assert answer.joins["new"].other_labels == 1
    assert answer.cases.positive.tolist() == [True, True, True, False]
    answer = compared(*TREES, **OF_TREES, allow="labels")
    assert answer.joins["new"].other_labels == 1
    assert answer.models[0].changes[0].counts["newly_right"] == 1
    old = {**OLD, "late": ["yes", "no", "yes", "maybe"]}
    notes = compared(old, positive="yes").notes
    assert notes[0] == "column 'late' holds 2 labels other than 'yes', all counted as negative: 'no', 'maybe'"


def test_groups_clusters_and_weights_that_differ_are_counted_and_those_of_the_new_table_count():
    old = {**OLD, "team": ["a", "b", "a", "a"], "day": [1, 2, 3, 4], "weight": [1, 1, 1, 0]}
    new = {**NEW, "team": ["b", "b", "b", "a"], "day": ["4", "3", "2", "1"], "weight": [1.0, 1.0, 0.0, 2.0]}
    described = {"by": "team", "cluster": "day", "weight": "weight"}
    answer = compared(old, new, **described)
    assert list(answer.notes[:2]) == [
        "team differs between old and new in 2 of 4 cases; that of new counts",
        "weight differs between old and new in 3 of 4 cases; that of new counts",
    ]
    assert not any("day differs" in note for note in answer.notes)
    assert {group.group: group.cases for group in answer.models[0].groups["team"]} == {"a": 1, "b": 2}
    assert not any("differs" in note for note in compared(OLD, new, **described).notes)


def test_ids_of_numbers_are_read_as_text_beside_text():
    assert compared(new=TEXT, text="id", allow="missing").cases.scores["new"].tolist() == [0.3, 0.8, 0.1]


def test_what_describes_cases_comes_from_new_tables_of_which_there_may_be_several():
    old = {**OLD, "w": [1, 2, 3, 4], "month": ["May", "May", "June", "June"]}
    new = {**NEW, "w": [40, 30, 20, 0]}
    cases = compared(old, new, weight="w", weight_type="frequency", by="month", cluster="month").cases
    assert cases.weights.values.tolist() == [20, 30, 40]  # a row of weight 0 counts as absent
    assert cases.scores["new"].tolist() == [0.3, 0.8, 0.1]
    assert list(cases.groups["month"].names) == ["June", "May"]  # the larger one first
    assert cases.clusters.tolist() == [1, 0, 0]
    first, second = {"id": [13, 12, 11], "score": [1.0, 2.0, 3.0]}, {"id": [14, 12, 11], "score": [4.0, 5.0, 6.0]}
    answer = compared(new={"May": first, "June": second}, allow="missing")
    assert {model: scores.tolist() for model, scores in answer.cases.scores.items()} == {
        "old": [0.9, 0.2],
        "May": [3.0, 2.0],
        "June": [6.0, 5.0],
    }
    assert [model.model for model in compared(new=[NEW, NEW]).models] == ["new 1", "new 2"]
    assert [model.model for model in compared(new=[NEW, NEW]).models] == list(compared(new=[NEW, NEW]).joins)


@BESIDE_THE_GUIDE
def test_tables_of_models_are_those_of_a_join_by_pandas_flights_too():
    draw = np.random.default_rng(3)
    old = pd.DataFrame(
        {"id": draw.permutation(5000)[:4000], "late": draw.random(4000) < 0.3, "score": draw.random(4000)}
    )
    new = pd.DataFrame({"id": draw.permutation(5000)[:4500], "score": draw.random(4500)})
    cases = compared(old, new, allow="missing").cases
    joined = old.merge(new, on="id", suffixes=("", "_new"))
    assert cases.ids.tolist() == joined["id"].tolist()
    assert cases.positive.tolist() == joined["late"].tolist()
    assert cases.scores["old"].tolist() == joined["score"].tolist()
    assert cases.scores["new"].tolist() == joined["score_new"].tolist()
    flights = pd.read_parquet("notebooks/data/flights.parquet").assign(flight=lambda table: 10 * table.index)
    old = flights[["flight", "late", "logistic"]]
    new = flights[["flight", "boosting"]].sample(frac=1, random_state=1)
    asked = {"on": "flight", "label": "late", "score": "boosting", "old_score": "logistic", "measures": "roc_auc"}
    found = evalcore.compare(old, new, **asked)["roc_auc"].found
    assert (round(found.difference, 6), round(found.low, 6), round(found.high, 6)) == (0.018280, 0.017092, 0.019467)
    beside = evalcore.compare(flights, label="late", score="boosting", old_score="logistic", measures="roc_auc")
    assert beside["roc_auc"].found == found


@every("with_month", ["old", "new", "both"])
def test_a_condition_on_columns_of_one_table_chooses_the_cases_of_all(with_month):
    old, new = pd.DataFrame(OLD), pd.DataFrame(NEW)
    if with_month != "new":
        old["month"] = [5, 6, 7, 8]
    if with_month != "old":
        new["month"] = [8, 7, 6, 5]
    answer = compared(old, new, where="month >= 6 and Month < 8")
    assert answer.cases.ids.tolist() == [12, 13]
    conditions = [f"{name}: 2 of 4 rows meet the condition 'month >= 6 and Month < 8'" for name in ("old", "new")]
    noted = [note for note in answer.notes if "condition" in note]
    assert noted == [note for note in conditions if with_month in (note[:3], "both")]
