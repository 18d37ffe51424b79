"""The example of spec 003: seven cases, three categories, and every number that the document prints."""

import pytest

from evalcore import Classification, Classified, RankedClassification, RankedClassifierEvaluator
from tests.differences import every
from tests.strategies import close_to

CASES = [("a", "abc"), ("a", "acb"), ("a", "abc"), ("a", "bac"), ("b", "bac"), ("b", "acb"), ("c", "cba")]
RANK_COUNTS = {"a": [3, 1, 0], "b": [1, 0, 1], "c": [1, 0, 0]}
AVERAGE_RANKS = {
    ("a", "a"): ((0 + 0 + 0 + 1) / 4, 0.25),
    ("a", "b"): ((1 + 2 + 1 + 0) / 4, 1.00),
    ("a", "c"): ((2 + 1 + 2 + 2) / 4, 1.75),
    ("b", "a"): ((1 + 0) / 2, 0.50),
    ("b", "b"): ((0 + 2) / 2, 1.0),
    ("b", "c"): ((2 + 1) / 2, 1.5),
    ("c", "a"): (2 / 1, 2.0),
    ("c", "b"): (1 / 1, 1.0),
    ("c", "c"): (0 / 1, 0.0),
}


class Rows:
    def classify(self, row):
        return RankedClassification(list(CASES[row][1]))


def by_classifications():
    evaluator = RankedClassifierEvaluator(None, ["a", "b", "c"], storeInputs=True)
    for row, (reference, ranking) in enumerate(CASES):
        evaluator.addClassification(reference, RankedClassification(list(ranking)), row)
    return evaluator


def by_handling():
    evaluator = RankedClassifierEvaluator(Rows(), ["a", "b", "c"], storeInputs=True)
    for row, (reference, _) in enumerate(CASES):
        evaluator.handle(Classified(row, Classification(reference)))
    return evaluator


def by_batch():
    evaluator = RankedClassifierEvaluator(None, ["a", "b", "c"], storeInputs=True)
    references, rankings = zip(*CASES, strict=True)
    evaluator.addRankings(references, list(map(list, rankings)), range(len(CASES)))
    return evaluator


def by_codes():
    evaluator = RankedClassifierEvaluator(None, ["a", "b", "c"], storeInputs=True)
    references = [ord(reference) - ord("a") for reference, _ in CASES]
    rankings = [[ord(name) - ord("a") for name in ranking] for _, ranking in CASES]
    evaluator.addRankings(references, rankings, range(len(CASES)))
    return evaluator


FILLED = by_classifications, by_handling, by_batch, by_codes


@pytest.fixture(params=FILLED, ids=lambda fill: fill.__name__)
def seven(request):
    return request.param()


def test_rank_counts(seven):
    assert {name: [seven.rankCount(name, rank) for rank in range(3)] for name in "abc"} == RANK_COUNTS


@every("pair", AVERAGE_RANKS)
def test_average_ranks(seven, pair):
    summed, printed = AVERAGE_RANKS[pair]
    assert seven.averageRank(*pair) == summed == printed


def test_average_rank_of_the_reference(seven):
    assert seven.averageRankReference() == close_to((0 + 0 + 0 + 1 + 0 + 2 + 0) / 7)
    assert round(seven.averageRankReference(), 2) == 0.43


def test_mean_reciprocal_rank_which_the_document_prints_under_another_name(seven):
    assert seven.meanReciprocalRank() == close_to((1 / 1 + 1 / 1 + 1 / 1 + 1 / 2 + 1 / 1 + 1 / 3 + 1 / 1) / 7)
    assert round(seven.meanReciprocalRank(), 2) == 0.83


def test_the_confusion_matrix_takes_the_reference_and_the_first_column_alone(seven):
    assert seven.confusionMatrix().matrix().tolist() == [[3, 1, 0], [1, 1, 0], [0, 0, 1]]
    assert seven.numCases() == 7
    assert seven.categories() == ("a", "b", "c")
    assert seven.numCategories() == 3


@pytest.mark.parametrize("reference", "abc")
def test_average_ranks_of_complete_rankings_sum_to_the_sum_of_all_ranks(seven, reference):
    # the document says one less than the number of cases
    assert sum(seven.averageRank(reference, response) for response in "abc") == 0 + 1 + 2


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


def test_all_ways_of_adding_the_cases_print_the_same(seven):
    assert seven.toString() == by_classifications().toString()


def test_without_cases_of_a_category_its_average_ranks_are_nan():
    evaluator = RankedClassifierEvaluator(None, ["a", "b", "c"])
    evaluator.addRankings(["a"], [["a", "b", "c"]])
    assert evaluator.averageRank("b", "a") == pytest.approx(float("nan"), nan_ok=True)
    assert evaluator.averageRank("a", "b") == 1.0
