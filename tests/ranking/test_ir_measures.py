"""Measures are named as ir_measures names them, and have its values, those of its providers that work offline."""

import shutil
from fractions import Fraction

import ir_measures
import numpy as np
import pytest
import pytrec_eval

from evalcore import ranking
from tests.differences import collected

pytestmark = pytest.mark.filterwarnings("ignore:.* will be removed in Python 3.14:DeprecationWarning")
"""The peer reads names of measures by nodes that Python will drop."""

TREC_EVAL = [
    *("P@5", "P(rel=2)@5", "P(judged_only=True)@5", "RR", "RR(rel=2)", "Rprec", "Rprec(rel=2)", "R@10", "Bpref"),
    *("Bpref(rel=2)", "AP", "AP(rel=2)", "AP(rel=2)@10", "AP(judged_only=True)", "nDCG", "nDCG@10", "SetP", "SetR"),
    *("nDCG(judged_only=True)@10", "SetP(rel=2)", "SetR(rel=2)", "SetF", "SetF(rel=2)", "SetF(beta=2.0)", "SetAP"),
    *("Success(rel=2)@5", "Success@1", "IPrec@0.2", "IPrec(rel=2)@0.2", "SetAP(rel=2)", "SetF(judged_only=True)"),
    *("nDCG(gains={1:3,4:1})", "nDCG(gains={0:1,1:0,2:7})@10", "nDCG(gains={4:9},judged_only=True)@5"),
]
"""By the provider pytrec_eval."""
JUDGED = ["Judged@10", "Judged"]
GDEVAL = ["ERR@10", "ERR@20", "nDCG(dcg='exp-log2')@10"]


@pytest.fixture(scope="module")
def judged_run():
    """Draw judgements and scores without ties: some retrieved documents are not judged, some judged ones are missed."""
    rng = np.random.default_rng(5)
    qrels, run = {}, {}
    for query in map(str, range(1, 25)):
        names = [f"d{number}" for number in range(40)]
        judged, retrieved = rng.random(40) < 0.6, rng.random(40) < 0.7
        grades, scores = rng.choice([0, 0, 0, 1, 2, 4], 40), rng.permutation(40) / 64
        qrels[query] = {name: int(grade) for name, grade, kept in zip(names, grades, judged, strict=True) if kept}
        run[query] = {name: float(score) for name, score, kept in zip(names, scores, retrieved, strict=True) if kept}
    return qrels, run


def check(judged_run, measures, tolerance=1e-12):
    qrels, run = judged_run
    found = ranking.from_ids(run, qrels).evaluate(measures)
    index = {query: row for row, query in enumerate(found.groups.tolist())}
    compared = 0
    with collected() as checking:
        for query, measure, value in ir_measures.iter_calc(list(map(ir_measures.parse_measure, measures)), qrels, run):
            with checking((query, str(measure))):
                assert found[str(measure)][index[query]] == pytest.approx(value, abs=tolerance)
            compared += 1
    assert compared == len(measures) * len(run)


def test_values_judgement_rates_and_geometric_means_are_those_of_peers(judged_run):
    for measure in TREC_EVAL:  # one by one: its provider mixes up some that are asked for together
        check(judged_run, [measure])
    check(judged_run, JUDGED)
    measures = [ir_measures.nDCG @ 10, ir_measures.AP(rel=2), ir_measures.nDCG(dcg="exp-log2") @ 5]
    found = ranking.from_ids(*reversed(judged_run)).evaluate(measures)
    assert list(found.values) == ["nDCG@10", "AP(rel=2)", "nDCGexp@5"]
    assert list(ranking.from_ids(*reversed(judged_run)).evaluate(ir_measures.P @ 5).values) == ["P@5"]
    qrels, run = judged_run
    # one query in which nothing that is relevant was retrieved
    qrels, run = {**qrels, "99": {"a": 1}}, {**run, "99": {"b": 1.0}}
    values = pytrec_eval.RelevanceEvaluator(qrels, {"gm_map"}).evaluate(run).values()
    expected = pytrec_eval.compute_aggregated_measure("gm_map", [one["gm_map"] for one in values])
    result = ranking.from_ids(run, qrels).evaluate("gm_map AP")
    assert result.mean("gm_map") == result.means()["gm_map"] == pytest.approx(expected, rel=1e-12)
    assert result["gm_map"].min() == 1e-5
    assert f"{expected:.4g}" in repr(result).splitlines()[-1]


@pytest.mark.process
@pytest.mark.skipif(not shutil.which("perl"), reason="gdeval is written in Perl")
def test_values_are_those_of_gdeval(judged_run):
    check(judged_run, GDEVAL, tolerance=6e-6)  # it prints five decimals


def test_rank_biased_precision_is_what_its_definition_says():
    # ir_measures has it from libraries that are not installed
    result = ranking.from_ids({"q": ["a", "b", "c", "d"]}, {"q": {"a": 1, "c": 2, "d": 1}}).evaluate(
        ["RBP", "RBP(rel=1)", "RBP(rel=2,p=0.5)", "RBP(p=0.5)@3"]
    )
    p, half = Fraction(4, 5), Fraction(1, 2)
    expected = [(1 - p) * (1 + 2 * p**2 + p**3), (1 - p) * (1 + p**2 + p**3), half**3, half * (1 + 2 * half**2)]
    assert [float(value) for value in expected] == pytest.approx(list(result.means().values()), rel=1e-14)
