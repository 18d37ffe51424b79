"""The examples of the specifications: every number that the documents print."""

import math

import numpy as np
import pytest

from evalcore import (
    Classification,
    Classified,
    PrecisionRecallEvaluation,
    RankedClassification,
    RankedClassifierEvaluator,
    ScoredPrecisionRecallEvaluation,
)
from tests.differences import every
from tests.strategies import close_to

# Spec 000, the table of ten cases: score, correct, recall, precision, rejection recall after accepting the case.
RANKED = [
    (-1.21, False, "0.00", "0.00", "0.83"),  # printed precision NaN: it is 0/1, not 0/0
    (-1.27, True, "0.25", "0.50", "0.83"),
    (-1.39, False, "0.25", "0.33", "0.67"),
    (-1.47, True, "0.50", "0.50", "0.67"),
    (-1.60, True, "0.75", "0.60", "0.67"),
    (-1.65, False, "0.75", "0.50", "0.50"),
    (-1.79, False, "0.75", "0.43", "0.33"),
    (-1.80, False, "0.75", "0.38", "0.17"),
    (-2.01, True, "1.00", "0.44", "0.17"),
    (-3.70, False, "1.00", "0.40", "0.00"),
]
SCORES, CORRECT = np.array([row[0] for row in RANKED]), np.array([row[1] for row in RANKED])
CURVES = [
    ("prCurve", False, [[0.25, 0.50], [0.50, 0.50], [0.75, 0.60], [1.00, 0.44]]),
    ("prCurve", True, [[0.75, 0.60], [1.00, 0.44]]),
    ("rocCurve", False, [[0.25, 0.83], [0.50, 0.67], [0.75, 0.67], [1.00, 0.17]]),
    ("rocCurve", True, [[0.25, 0.83], [0.75, 0.67], [1.00, 0.17]]),
    ("prScoreCurve", False, [[0.25, 0.50, -1.27], [0.50, 0.50, -1.47], [0.75, 0.60, -1.60], [1.00, 0.44, -2.01]]),
    ("prScoreCurve", True, [[0.75, 0.60, -1.60], [1.00, 0.44, -2.01]]),
]
STATISTICS = [
    ("areaUnderPrCurve", [False], "0.51"),
    ("areaUnderPrCurve", [True], "0.56"),
    ("areaUnderRocCurve", [False], "0.58"),
    ("areaUnderRocCurve", [True], "0.58"),
    ("averagePrecision", [], "0.51"),
    ("maximumFMeasure", [], "0.67"),
    ("maximumFMeasure", [1], "0.67"),
    ("prBreakevenPoint", [], "0.60"),
    ("precisionAt", [5], "0.60"),
    ("precisionAt", [10], "0.40"),
    ("reciprocalRank", [], "0.50"),
]

# Specs 002 and 004, the table of the three wines.
WINES = {"Cabernet": (9, 3, 4, 11), "Syrah": (5, 4, 4, 14), "Pinot": (4, 2, 1, 20)}
WINE_TABLE = {
    "positiveReference": ("12", "9", "6"),
    "negativeReference": ("15", "18", "21"),
    "positiveResponse": ("13", "9", "5"),
    "negativeResponse": ("14", "18", "22"),
    "correctResponse": ("20", "19", "24"),
    "total": ("27", "27", "27"),
    "accuracy": ("0.7407", "0.7037", "0.8889"),
    "recall": ("0.7500", "0.5555", "0.6666"),
    "precision": ("0.6923", "0.5555", "0.8000"),
    "rejectionRecall": ("0.7333", "0.7778", "0.9524"),
    "rejectionPrecision": ("0.7858", "0.7778", "0.9091"),
    "fMeasure": ("0.7200", "0.5555", "0.7272"),
    "fowlkesMallows": ("12.49", "9.00", "5.48"),
    "jaccardCoefficient": ("0.5625", "0.3846", "0.5714"),
    "yulesQ": ("0.7838", "0.6279", "0.9512"),
    "yulesY": ("0.4835", "0.3531", "0.7269"),
    "referenceLikelihood": ("0.4444", "0.3333", "0.2222"),
    "responseLikelihood": ("0.4815", "0.3333", "0.1852"),
    "randomAccuracy": ("0.5021", "0.5556", "0.6749"),
    "kappa": ("0.4792", "0.3333", "0.6583"),
    "randomAccuracyUnbiased": ("0.5027", "0.5556", "0.6756"),
    "kappaUnbiased": ("0.4789", "0.3333", "0.6575"),
    "kappaNoPrevalence": ("0.4814", "0.4074", "0.7778"),
    "chiSquared": ("6.2382", "3.0000", "11.8519"),
    "phiSquared": ("0.2310", "0.1111", "0.4390"),
    "accuracyDeviation": ("0.0843", "0.0879", "0.0605"),
}
MISPRINTED = {  # wrong in the last digits: the golden values, computed by the documented class, differ
    ("rejectionPrecision", "Cabernet"): "0.7857",  # 11 / 14
    ("kappa", "Cabernet"): "0.4793",  # (20/27 - 366/729) / (1 - 366/729) = 174/363
    ("kappa", "Pinot"): "0.6582",  # (24/27 - 492/729) / (1 - 492/729) = 156/237
    ("kappaUnbiased", "Cabernet"): "0.4786",  # from 0.50274; the printed cell used another rounding of it
}
WINE_CELLS = [
    (wine, name, MISPRINTED.get((name, wine), printed))
    for name, row in WINE_TABLE.items()
    for wine, printed in zip(WINES, row, strict=True)
]


def printings(value, printed):
    """Texts of a value with the printed number of decimals: rounded, and cut off as some cells are."""
    decimals = len(printed.partition(".")[2])
    cut = math.trunc(value * 10**decimals) / 10**decimals
    return {f"{value:.{decimals}f}", f"{cut:.{decimals}f}"}


def ten_cases():
    evaluation = ScoredPrecisionRecallEvaluation()
    for correct, score in zip(CORRECT, SCORES, strict=True):
        evaluation.addCase(correct, score)
    return evaluation


@every(("rank", "row"), list(enumerate(RANKED)))
def test_ratios_after_each_rank(rank, row):
    score, _, *printed = row
    accepted = PrecisionRecallEvaluation.fromCases(CORRECT, score <= SCORES)
    ratios = accepted.recall(), accepted.precision(), accepted.rejectionRecall()
    assert [f"{ratio:.2f}" for ratio in ratios] == printed
    assert ten_cases().precisionAt(rank + 1) == accepted.precision()


def test_rejection_recall_after_rank_4_is_that_of_the_table():
    # The text beside the table says 2/6: that is what is not rejected.
    assert PrecisionRecallEvaluation.fromCases(CORRECT, SCORES >= -1.60).rejectionRecall() == 4 / 6


@every(("name", "interpolate", "printed"), CURVES)
def test_curves_of_the_ten_cases(name, interpolate, printed):
    np.testing.assert_array_equal(np.round(getattr(ten_cases(), name)(interpolate), 2), printed)


@every(("name", "arguments", "printed"), STATISTICS)
def test_statistics_of_the_ten_cases(name, arguments, printed):
    assert f"{getattr(ten_cases(), name)(*arguments):.2f}" == printed


def test_interpolated_areas_are_not_lower_but_may_be_equal():
    # The document says "always higher" beside two ROC areas that it prints as equal.
    evaluation = ten_cases()
    assert evaluation.areaUnderPrCurve(True) > evaluation.areaUnderPrCurve(False)
    assert evaluation.areaUnderRocCurve(True) == pytest.approx(evaluation.areaUnderRocCurve(False), rel=1e-15)


@every(("wine", "name", "printed"), WINE_CELLS)
def test_statistics_of_the_wines(wine, name, printed):
    assert printed in printings(getattr(PrecisionRecallEvaluation(*WINES[wine]), name)(), printed)


@every(("name", "wine"), MISPRINTED)
def test_misprinted_cells_are_not_what_the_formula_gives(name, wine):
    printed = WINE_TABLE[name][list(WINES).index(wine)]
    assert printed not in printings(getattr(PrecisionRecallEvaluation(*WINES[wine]), name)(), printed)


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
