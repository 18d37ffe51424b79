"""The example of spec 003: seven cases, three categories, and every number that the document prints."""

import math

import pytest

from evalcore import Classification, Classified, RankedClassification, RankedClassifierEvaluator
from tests.strategies import close_to

CASES = [("a", "abc"), ("a", "acb"), ("a", "abc"), ("a", "bac"), ("b", "bac"), ("b", "acb"), ("c", "cba")]
AVERAGE_RANKS = {"aa": 0.25, "ab": 1.00, "ac": 1.75, "ba": 0.50, "bb": 1.0, "bc": 1.5, "ca": 2.0, "cb": 1.0, "cc": 0.0}


class Rows:
    def classify(self, row):
        return RankedClassification(list(CASES[row][1]))


def by_classifications(evaluator):
    for row, (reference, ranking) in enumerate(CASES):
        evaluator.addClassification(reference, RankedClassification(list(ranking)), row)


def by_handling(evaluator):
    evaluator.setClassifier(Rows())
    for row, (reference, _) in enumerate(CASES):
        evaluator.handle(Classified(row, Classification(reference)))


def by_batch(evaluator):
    references, rankings = zip(*CASES, strict=True)
    evaluator.addRankings(references, list(map(list, rankings)), range(len(CASES)))


def by_codes(evaluator):
    rows = [["abc".index(name) for name in reference + ranking] for reference, ranking in CASES]
    evaluator.addRankings([row[0] for row in rows], [row[1:] for row in rows], range(len(CASES)))


def filled(fill):
    evaluator = RankedClassifierEvaluator(None, ["a", "b", "c"], storeInputs=True)
    fill(evaluator)
    return evaluator


@pytest.fixture(params=[by_classifications, by_handling, by_batch, by_codes], ids=lambda fill: fill.__name__)
def seven(request):
    return filled(request.param)


def test_the_printed_numbers(seven):
    ranks = {name: [seven.rankCount(name, rank) for rank in range(3)] for name in "abc"}
    assert ranks == {"a": [3, 1, 0], "b": [1, 0, 1], "c": [1, 0, 0]}
    assert {pair: seven.averageRank(*pair) for pair in AVERAGE_RANKS} == AVERAGE_RANKS
    assert seven.averageRankReference() == close_to((0 + 0 + 0 + 1 + 0 + 2 + 0) / 7)
    # the document prints it under another name
    assert seven.meanReciprocalRank() == close_to((1 / 1 + 1 / 1 + 1 / 1 + 1 / 2 + 1 / 1 + 1 / 3 + 1 / 1) / 7)
    assert (round(seven.averageRankReference(), 2), round(seven.meanReciprocalRank(), 2)) == (0.43, 0.83)
    # of the reference and the first column alone
    assert seven.confusionMatrix().matrix().tolist() == [[3, 1, 0], [1, 1, 0], [0, 0, 1]]
    assert (seven.numCases(), seven.categories(), seven.numCategories()) == (7, ("a", "b", "c"), 3)
    # the document says that they sum to one less than the number of cases
    assert [sum(seven.averageRank(name, response) for response in "abc") for name in "abc"] == [0 + 1 + 2] * 3
    assert seven.toString() == filled(by_classifications).toString()


def test_cases_are_found_in_the_order_they_came(seven):
    found = {
        name: [[case.getObject() for case in getattr(seven, name)(category)] for category in "abc"]
        for name in ("truePositives", "falsePositives", "falseNegatives", "trueNegatives")
    }
    assert found == {
        "truePositives": [[0, 1, 2], [4], [6]],
        "falsePositives": [[5], [3], []],
        "falseNegatives": [[3], [5], []],
        "trueNegatives": [[4, 6], [0, 1, 2, 6], [0, 1, 2, 3, 4, 5]],
    }
    for cases in map(seven.trueNegatives, "abc"):
        answers = [case.getClassification() for case in cases]
        assert answers == [RankedClassification(list(CASES[case.getObject()][1])) for case in cases]


def test_without_cases_of_a_category_its_average_ranks_are_nan():
    evaluator = RankedClassifierEvaluator(None, ["a", "b", "c"])
    evaluator.addRankings(["a"], [["a", "b", "c"]])
    assert math.isnan(evaluator.averageRank("b", "a"))
    assert evaluator.averageRank("a", "b") == 1.0
