"""Lists of retrieved ids, as a retriever of passages returns them, are joined with judgements."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from evalcore import EvaluationError, EvaluationTypeError, ranking
from evalcore.io import Judgements, Run, joined
from tests.differences import every

RETRIEVED = {"q1": ["d3", "d1", "d7"], "q2": ["d2"], "q3": []}
JUDGED = {"q1": {"d1": 2, "d4": 1, "d3": 0}, "q2": {"d2": 1}, "q3": {"d9": 1}, "q4": {"d1": 1}}


def columns(found):
    return [column.tolist() for column in (*found[:4], *found.misses)]


def test_ids_are_joined_with_their_grades():
    groups, grades, scores, documents, missed, missed_grades = columns(ranking.from_ids(RETRIEVED, JUDGED))
    assert (groups, documents) == (["q1", "q1", "q1", "q2"], ["d3", "d1", "d7", "d2"])
    assert grades == [0, 2, -1, 1]
    assert scores == [3, 2, 1, 1]
    assert (missed, missed_grades) == (["q1", "q3"], [1, 1])


def test_queries_without_ids_count_as_nothing_found_and_others_if_asked_for():
    few = ranking.from_ids(RETRIEVED, JUDGED).evaluate("R@5 Judged@5")
    assert few["R@5"].tolist() == [0.5, 1.0, 0.0]
    assert few["Judged@5"].tolist() == [2 / 3, 1.0, 0.0]
    every_query = ranking.from_ids(RETRIEVED, JUDGED, complete=True).evaluate("R@5")
    assert dict(zip(every_query.groups.tolist(), every_query["R@5"].tolist(), strict=True)) == {
        "q1": 0.5, "q2": 1.0, "q3": 0.0, "q4": 0.0,
    }  # fmt: skip


def test_evaluations_say_how_many_judged_queries_are_in_no_mean():
    said = "1 judged query is left out of means (complete=True counts it as 0)"
    few = ranking.from_ids(RETRIEVED, JUDGED).evaluate("R@5")
    assert repr(few).splitlines()[0] == f"3 groups, 4 items; {said}"
    assert few._repr_html_().endswith(f"</table><p>{said}</p>")
    fewer = ranking.from_ids({"q1": ["d1"]}, JUDGED).evaluate("R@5")
    assert "; 3 judged queries are left out of means (complete=True counts them as 0)\n" in repr(fewer)
    whole = ranking.from_ids(RETRIEVED, JUDGED, complete=True).evaluate("R@5")
    assert repr(whole).splitlines()[0] == "4 groups, 4 items"
    assert whole._repr_html_().endswith("</table>")


def test_frames_make_mappings_as_the_errors_say():
    columns = {"query": ["q1", "q1", "q2"], "id": ["d3", "d1", "d2"]}
    made = {"q1": ["d3", "d1"], "q2": ["d2"]}
    frame = pd.DataFrame(columns)
    assert {query: rows["id"].tolist() for query, rows in frame.groupby("query")} == made
    frame = pl.DataFrame(columns)
    assert {query: rows["id"].to_list() for (query,), rows in frame.group_by("query")} == made


def test_the_keys_of_a_dict_are_a_ranking():
    assert ranking.from_ids({"q1": {"d3": 0, "d1": 0}.keys()}, JUDGED).evaluate("RR").means() == {"RR": 0.5}


def test_queries_without_judgements_are_left_out():
    assert ranking.from_ids({"q1": ["d1"], "new": ["d1"]}, JUDGED).groups.tolist() == ["q1"]


def test_relevant_ids_may_come_without_grades():
    graded = ranking.from_ids(RETRIEVED, {"q1": {"d1": 1, "d4": 1}, "q2": {"d5": 1}})
    for kind in (set, list, tuple):
        assert ranking.from_ids(RETRIEVED, {"q1": kind(["d1", "d4"]), "q2": kind(["d5"])}).evaluate(
            "AP R@1"
        ) == graded.evaluate("AP R@1")


def test_scores_order_the_ids():
    by_score = ranking.from_ids({"q1": {"d7": 0.1, "d3": 0.9, "d1": 0.5}}, JUDGED).evaluate("RR")
    assert by_score["RR"].tolist() == [0.5]
    tied = ranking.from_ids({"q1": {"d7": 0.5, "d1": 0.5}}, JUDGED)
    assert (tied.evaluate("RR")["RR"][0], tied.evaluate("RR", ties="trec")["RR"][0]) == (0.75, 0.5)


def test_ids_and_queries_may_be_numbers():
    assert ranking.from_ids({1: [30, 20], 2: (5,)}, {1: {20: 1}, 2: {5: 2.0}}).evaluate("RR").means() == {"RR": 0.75}


def test_grades_may_be_beyond_64_bits():
    assert ranking.from_ids({"q": ["a", "b"]}, {"q": {"a": 2**70, "b": 0}}).evaluate("nDCG").means() == {"nDCG": 1.0}


def test_weights_are_those_of_queries():
    found = ranking.from_ids(RETRIEVED, JUDGED).evaluate("R@5", weights={"q1": 1, "q2": 3, "q3": 0})
    assert found.mean("R@5") == 0.875
    with pytest.raises(EvaluationTypeError, match=r"^evaluate takes no sample_weight: ranks count items, so that "):
        ranking.from_ids(RETRIEVED, JUDGED).evaluate("R@5", sample_weight=[1, 2])


def test_a_join_of_files_is_the_same():
    rng = np.random.default_rng(2)
    retrieved = {str(query): [f"d{number}" for number in rng.permutation(9)[:5]] for query in range(6)}
    judged = {str(query): {f"d{number}": int(rng.integers(3)) for number in range(2, 9)} for query in range(2, 8)}
    rows = [(query, name, 5.0 - rank) for query, names in retrieved.items() for rank, name in enumerate(names)]
    marks = [(query, name, grade) for query, grades in judged.items() for name, grade in grades.items()]
    queries, names, scores = zip(*rows, strict=True)
    run = Run(np.array(queries, object), np.array(names, object), np.array(scores))
    queries, names, grades = zip(*marks, strict=True)
    judgements = Judgements(np.array(queries, object), np.array(names, object), np.array(grades))
    for complete in (False, True):
        expected = joined(judgements, run, complete=complete)
        found = ranking.from_ids(retrieved, judged, complete=complete)
        assert columns(found) == columns(expected)


@every(
    ("retrieved", "judged", "error", "text"),
    [
        ([["d1"]], JUDGED, EvaluationTypeError, r"retrieved must be a mapping of queries to ids, got \[\['d1'\]\]"),
        (RETRIEVED, [1], EvaluationTypeError, "judgements must be a mapping of queries to ids, got"),
        ({"q1": "d1"}, JUDGED, EvaluationTypeError,
         r"retrieved\['q1'\] must be a list or mapping of ids, got 'd1' \(str"),
        ({"q1": 3}, JUDGED, EvaluationTypeError, r"retrieved\['q1'\] must be a list or mapping of ids, got 3 \(int"),
        ({"q1": []}, {"q1": "d1"}, EvaluationTypeError,
         r"judgements\['q1'\] must be a list or mapping of ids, got 'd1'"),
        ({"q1": ["d1", "d2", "d1"]}, JUDGED, EvaluationError,
         r"retrieved\['q1'\] must have each id once, got 'd1' twice; list\(dict.fromkeys\(ids\)\) keeps the first"),
        ({"q1": ["d1"]}, {"q1": {"d1": 1, "d2": "high"}}, EvaluationError,
         r"judgements\['q1'\]\['d2'\] must be a finite number, got 'high' \(str\)"),
        ({"q1": ["d1", "d2"]}, {"q1": {"d1": 1, "d2": None}}, EvaluationError,
         r"judgements\['q1'\]\['d2'\] must be a finite number, got None"),
        ({"q1": {"d1": 1, "d2": float("nan")}}, JUDGED, EvaluationError,
         r"retrieved\['q1'\]\['d2'\] must be a finite number, got nan"),
        (
            {"q1": ["d1"]},
            {"q1": {"d1": 0.75, "d2": 0.5}},
            EvaluationError,
            r"^judgements\['q1'\]\['d1'\] must be a whole grade, got 0.75 \(float\); scores of a run are the first "
            r"argument, from_ids\(retrieved, judgements\)$",
        ),
        ({"q1": ["d1"]}, {"q1": {"d1": 1.0, "d2": 0.5}}, EvaluationError, r"\['d2'\] must be a whole grade, got 0.5 "),
        (
            {"q1": {"d1", "d3"}},
            JUDGED,
            EvaluationTypeError,
            r"retrieved\['q1'\] must be a list of ids, best first, or a mapping of ids to scores, "
            r"got {.*} \(set\), which has no order",
        ),
        ({"q1": frozenset(["d1"])}, JUDGED, EvaluationTypeError, r"\(frozenset\), which has no order"),
        (
            {"q1": [("d1", 0.9)]},
            JUDGED,
            EvaluationTypeError,
            r"ids of retrieved\['q1'\] must be strings or integers, got \('d1', 0.9\) \(tuple\); for scores pass "
            r"{id: score}",
        ),
        ({"q1": [["d1", 0.9]]}, JUDGED, EvaluationTypeError,
         r"got \['d1', 0.9\] \(list\); for scores pass {id: score}"),
        ({"q1": [0.9]}, JUDGED, EvaluationTypeError, r"got 0.9 \(float\); for scores pass {id: score}"),
        ({"q1": [{"id": "d1"}]}, JUDGED, EvaluationTypeError, r"integers, got {'id': 'd1'} \(dict\)$"),
        ({"q1": ["d1", None]}, JUDGED, EvaluationTypeError, r"integers, got None \(NoneType\)$"),
        ({"q1": [True]}, JUDGED, EvaluationTypeError, r"integers, got True \(bool\)$"),
        ({"q1": ["d1"]}, {"q1": [("d1", 1)]}, EvaluationTypeError,
         r"ids of judgements\['q1'\] must be strings or integers, got .*; for grades pass {id: grade}"),
        ({"q1": ["d1"]}, {"q1": {("d1", 1): 1}}, EvaluationTypeError, r"ids of judgements\['q1'\] must be strings or"),
        ({"q1": [1, 2]}, JUDGED, EvaluationTypeError,
         r"ids must be all strings or all integers, got 2 \(int\) in retrieved and 'd3' \(str\) in judgements"),
        ({"q1": ["d1", 2]}, JUDGED, EvaluationTypeError, r"got 'd1' \(str\) in retrieved and 2 \(int\) in retrieved"),
        ({1: ["d1"]}, {"1": {"d1": 1}}, EvaluationTypeError,
         r"queries must be all strings or all integers, got 1 \(int\) in retrieved and '1' \(str\) in judgements"),
        (pd.DataFrame({"query": ["q1"], "id": ["d1"]}), JUDGED, EvaluationTypeError,
         r"got a DataFrame; make one of a frame: {query: rows\['id'\].tolist\(\) for query, rows in frame.groupby"),
        (pl.DataFrame({"query": ["q1"], "id": ["d1"]}), JUDGED, EvaluationTypeError,
         r"got a DataFrame; make one of a frame: {query: rows\['id'\].to_list\(\) for \(query,\), rows in frame"),
        (RETRIEVED, pd.Series({"q1": ["d1"]}), EvaluationTypeError, r"got a Series; pass judgements.to_dict\(\)"),
        ({"q8": ["d1"]}, JUDGED, EvaluationError, "must have at least one query in common, got none"),
        ({}, {}, EvaluationError, "must have at least one query in common, got none"),
    ],
)  # fmt: skip
def test_what_cannot_be_joined_is_refused(retrieved, judged, error, text):
    with pytest.raises(error, match=text):
        ranking.from_ids(retrieved, judged)
