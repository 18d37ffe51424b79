"""Rules for ScoredPrecisionRecallEvaluation that no golden value shows: borders, ties, and later additions."""

import io
import math
from fractions import Fraction

import numpy as np
import pytest

from evalcore import EvaluationError, ScoredPrecisionRecallEvaluation
from tests.lingpipe.evaluations import AREAS, CURVES, scored, ten_cases
from tests.strategies import close_to
from tests.validation.refusals import refused

HUGE = 2**62
PRINTED_DEPTHS = [5, 10, 25, 100, 500]


@pytest.fixture(params=[False, True], ids=["raw", "interpolated"])
def interpolate(request):
    return request.param


def mean_reciprocal_rank(before, size, correct):
    """Mean of 1/rank of the first correct case over all orders of a tie group, exactly."""
    places = range(1, size - correct + 2)
    ways = [math.comb(size - place, correct - 1) for place in places]
    return sum(Fraction(way, before + place) for way, place in zip(ways, places, strict=True)) / math.comb(
        size, correct
    )


@pytest.mark.parametrize("negative_misses", [0, 4])
@pytest.mark.parametrize(
    ("incorrect", "misses", "share"),
    [
        pytest.param([], 0, math.nan, id="nothing"),
        pytest.param([], 3, 0.0, id="only misses"),
        pytest.param([1.0], 0, math.nan, id="one incorrect"),
        pytest.param([1.0, 1.0, -math.inf], 2, 0.0, id="incorrect and misses"),
    ],
)
def test_without_a_correct_case(incorrect, misses, share, negative_misses, interpolate):
    evaluation = scored([False] * len(incorrect), incorrect, misses, negative_misses)
    assert {name: getattr(evaluation, name)(interpolate).shape for name in CURVES} == {
        name: (0, width) for name, width in CURVES.items()
    }
    assert [getattr(evaluation, name)(interpolate) for name in AREAS] == [0.0, 0.0]
    assert [evaluation.maximumFMeasure(beta) for beta in (0, 1, 2, math.inf)] == [0.0] * 4
    assert (evaluation.prBreakevenPoint(), evaluation.reciprocalRank()) == (0.0, 0.0)
    assert [evaluation.averagePrecision(), evaluation.rPrecision()] == close_to([share, share])
    assert evaluation.elevenPtInterpPrecision().tolist() == [0.0] * 11


def test_without_negatives_rejection_recall_is_nan_and_drops_no_row(interpolate):
    evaluation = scored([1, 1, 1], [3, 2, 1], misses=1)
    np.testing.assert_array_equal(
        evaluation.rocCurve(interpolate), [[0.25, math.nan], [0.5, math.nan], [0.75, math.nan]]
    )
    assert math.isnan(evaluation.areaUnderRocCurve(interpolate))
    assert evaluation.areaUnderPrCurve(interpolate) == 0.75


def test_negative_misses_only_are_all_rejected(interpolate):
    evaluation = scored([1, 1], [2, 1], negative_misses=5)
    assert evaluation.rocCurve(interpolate).tolist() == ([[1, 1]] if interpolate else [[0.5, 1], [1, 1]])
    assert evaluation.areaUnderRocCurve(interpolate) == 1.0


def test_negative_misses_count_as_rejected_and_move_nothing_but_the_roc_curve(interpolate):
    plain, evaluation = ten_cases(), ten_cases(negative_misses=4)
    assert (evaluation.numCases(), evaluation.numPositiveRef(), evaluation.numNegativeRef()) == (10, 4, 10)
    rejected = {0.25: 0.9, 0.5: 0.8, 0.75: 0.8, 1.0: 0.5}
    kept = [0.25, 0.75, 1.0] if interpolate else list(rejected)
    assert evaluation.rocCurve(interpolate).tolist() == [[recall, rejected[recall]] for recall in kept]
    assert evaluation.areaUnderRocCurve(interpolate) == close_to(0.25 * (0.9 + 0.8 + 0.8 + 0.5))
    assert evaluation.prScoreCurve(interpolate).tolist() == plain.prScoreCurve(interpolate).tolist()
    assert evaluation.averagePrecision() == plain.averagePrecision()


def test_misses_lower_recall_and_nothing_else(interpolate):
    evaluation = ten_cases(misses=4)
    assert (evaluation.numCases(), evaluation.numPositiveRef(), evaluation.numNegativeRef()) == (10, 8, 6)
    assert (evaluation.prCurve(interpolate) * [2, 1]).tolist() == ten_cases().prCurve(interpolate).tolist()
    assert evaluation.averagePrecision() == ten_cases().averagePrecision() / 2 == evaluation.areaUnderPrCurve(False)


def test_tied_cases_enter_together():
    evaluation = scored([1, 0, 1, 0], [2.0, 2.0, 0.0, -0.0])
    assert evaluation.prScoreCurve(False).tolist() == [[0.5, 0.5, 2.0], [1.0, 0.5, 0.0]]
    assert evaluation.rocCurve(False).tolist() == [[0.5, 0.5], [1.0, 0.0]]
    assert (evaluation.averagePrecision(), evaluation.areaUnderRocCurve(False)) == (0.5, 0.25)


def test_score_curve_holds_infinities_beside_the_largest_finite_scores():
    scores = [math.inf, 1.7976931348623157e308, -1.7976931348623157e308, -math.inf]
    assert scored([1, 1, 1, 1], scores).prScoreCurve(False)[:, 2].tolist() == scores


def test_interpolation_drops_points_that_a_later_one_equals():
    evaluation = scored([1, 0, 1, 0], [4, 3, 2, 1])
    assert evaluation.prCurve(True).tolist() == [[0.5, 1.0], [1.0, 2 / 3]]
    assert scored([1, 1, 0, 0], [4, 3, 2, 1]).prCurve(True).tolist() == [[1.0, 1.0]]


def test_break_even_is_1_for_a_perfect_ranking_and_0_where_recall_stays_below():
    assert scored([1, 1, 0], [3, 2, 1]).prBreakevenPoint() == 1.0
    assert scored([1, 1, 0], [3, 2, 1], misses=1).prBreakevenPoint() == 0.0
    assert scored([1, 0, 1], [3, 2, 1], misses=1).prBreakevenPoint() == 2 / 3


@pytest.mark.parametrize(("beta", "best"), [(0, 0.6), (0.5, 0.625), (1, 2 / 3), (-1, 2 / 3), (2, 0.8), (1e150, 1.0)])
def test_maximum_f_measure_of_a_beta(beta, best):
    assert ten_cases().maximumFMeasure(beta) == close_to(best)


@pytest.mark.parametrize("beta", [math.inf, -math.inf, 1e160, 1e200])
def test_maximum_f_measure_of_a_huge_beta_is_the_largest_recall(beta):
    assert ten_cases().maximumFMeasure(beta) == max(ten_cases().prCurve(False)[:, 0])
    assert math.isnan(ten_cases().maximumFMeasure(math.nan))


@pytest.mark.parametrize(("depth", "expected"), [(1, 1), (2, "2/3"), (3, "5/9"), (4, "1/2"), (5, "3/5")])
def test_precision_at_is_the_mean_over_the_orders_of_a_straddled_tie(depth, expected):
    evaluation = scored([1, 1, 0, 0, 1], [3, 2, 2, 2, 1])
    assert evaluation.precisionAt(depth) == close_to(Fraction(expected))


@pytest.mark.parametrize("depth", [0, 11, 2**63, 10**30])
def test_precision_at_is_nan_where_there_are_no_such_cases(depth):
    assert math.isnan(ten_cases().precisionAt(depth))


def test_precision_at_refuses_a_negative_depth():
    evaluation = ten_cases()
    with refused(evaluation, EvaluationError, "rank must not be negative, got -1"):
        evaluation.precisionAt(-1)


@pytest.mark.parametrize(
    ("evaluation", "expected"),
    [
        pytest.param(ten_cases(), "2/4", id="no ties"),
        pytest.param(ten_cases(misses=4), "3/8", id="misses deepen it"),
        pytest.param(scored([1, 0], [2, 1], misses=8), "1/9", id="cases that do not exist are incorrect"),
        pytest.param(scored([1, 1, 0, 0], [2, 1, 1, 1]), "2/3", id="straddled tie"),
        pytest.param(scored([], [], misses=1), "0", id="only a miss"),
    ],
)
def test_r_precision(evaluation, expected):
    assert evaluation.rPrecision() == close_to(Fraction(expected))


@pytest.mark.parametrize(
    ("correct", "scores", "expected"),
    [
        pytest.param([1, 0], [1, 1], "3/4", id="one of two"),
        pytest.param([0, 1, 0], [2, 1, 1], "5/12", id="behind an incorrect case"),
        pytest.param([0, 1, 1, 0], [1, 1, 1, 1], "13/18", id="two of four"),
        pytest.param([1, 1], [1, 1], "1", id="all tied and correct"),
        pytest.param([0, 0, 1], [3, 2, 1], "1/3", id="no ties"),
    ],
)
def test_reciprocal_rank_is_the_mean_over_the_orders_of_a_tie(correct, scores, expected):
    assert scored(correct, scores).reciprocalRank() == close_to(Fraction(expected))


@pytest.mark.parametrize(("before", "size", "correct"), [(0, 500, 1), (7, 400, 10), (3, 600, 300), (0, 400, 399)])
def test_reciprocal_rank_of_a_long_tie(before, size, correct):
    labels = [0] * before + [1] * correct + [0] * (size - correct)
    evaluation = scored(labels, [1.0] * before + [0.5] * size)
    assert evaluation.reciprocalRank() == close_to(mean_reciprocal_rank(before, size, correct))


def test_eleven_points_are_read_only_and_zero_beyond_the_last_recall():
    points = ten_cases(misses=1).elevenPtInterpPrecision()
    assert points.tolist() == [0.6] * 7 + [4 / 9] * 2 + [0.0] * 2  # recalls up to 4/5
    assert (points.shape, points.dtype, points.flags.writeable) == ((11,), np.float64, False)


@pytest.mark.parametrize(("positives", "tp", "level"), [(10, 3, 3), (10, 6, 6), (10, 7, 7), (30, 9, 3), (70, 49, 7)])
def test_eleven_points_compare_recall_as_integers(positives, tp, level):
    assert tp / positives < level * 0.1  # as floats, the recall misses the level that it reaches
    labels = [1] * tp + [0] * 10 + [1] * (positives - tp)
    points = scored(labels, -np.arange(len(labels))).elevenPtInterpPrecision()
    assert points.tolist() == [1.0] * (level + 1) + [positives / (positives + 10)] * (10 - level)


@pytest.mark.parametrize("reached", [[1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3], [1, 1, 2, 3, 3, 4, 5, 5, 6, 7, 7]])
def test_eleven_points_round_no_recall_up(reached):
    labels = [1, 0] * max(reached)  # precision tp / (2 tp - 1) falls at each point
    points = scored(labels, -np.arange(len(labels))).elevenPtInterpPrecision()
    assert points.tolist() == [tp / (2 * tp - 1) for tp in reached]


def test_huge_misses_are_counted_exactly():
    evaluation = scored([1, 0], [2, 1], misses=HUGE, negative_misses=HUGE)
    assert (evaluation.numPositiveRef(), evaluation.numNegativeRef()) == (HUGE + 1, HUGE + 1)
    assert evaluation.prCurve(False).tolist() == [[1 / (HUGE + 1), 1.0]]
    assert evaluation.averagePrecision() == evaluation.rPrecision() == 1 / (HUGE + 1)


@pytest.mark.parametrize("method", ["addMisses", "addNegativeMisses"])
@pytest.mark.parametrize("before", [0, 5, HUGE - 1, HUGE])
def test_misses_of_either_kind_are_at_most_2_to_the_62_in_all(method, before):
    evaluation = ten_cases()
    add = getattr(evaluation, method)
    add(before)
    rest = HUGE - before
    for count in rest + 1, 2**63, 2**70:
        with refused(evaluation, EvaluationError, f"count must be at most {rest}, got {count}"):
            add(count)
    add(rest)
    kinds = (HUGE, 0) if method == "addMisses" else (0, HUGE)
    assert repr(evaluation) == repr(ten_cases(*kinds))
    with refused(evaluation, EvaluationError, "count must be at most 0, got 1"):
        add(1)
    add(0)
    assert (evaluation.numPositiveRef(), evaluation.numNegativeRef()) == (4 + kinds[0], 6 + kinds[1])


def test_misses_and_negative_misses_have_their_own_limits():
    evaluation = ten_cases(misses=HUGE, negative_misses=HUGE)
    assert repr(evaluation).endswith(f"(cases=10, correct=4, misses={HUGE}, negativeMisses={HUGE})")


def test_roc_area_does_not_overflow_with_huge_negative_misses(interpolate):
    evaluation = scored([1] * 8, [1.0] * 4 + [0.5] * 4, negative_misses=HUGE)
    assert evaluation.areaUnderRocCurve(interpolate) == 1.0


def test_eleven_points_do_not_overflow_with_huge_misses():
    assert scored([1], [1.0], misses=HUGE).elevenPtInterpPrecision().tolist() == [1.0] + [0.0] * 10


@pytest.mark.parametrize("cases", [0, 4, 5, 9, 10, 24, 25, 99, 100, 499, 500])
def test_text_has_precision_at_the_depths_that_exist(cases):
    text = str(scored(np.arange(cases) % 2, np.arange(cases)))
    depths = [int(line.split()[2].partition("=")[0]) for line in text.splitlines() if line.startswith("  Precision at")]
    assert depths == [depth for depth in PRINTED_DEPTHS if depth <= cases]


def test_text_writes_nan_as_the_original_does():
    assert scored([1], [1.0], misses=1).toString().splitlines() == [
        "  Area Under PR Curve (interpolated)=0.5",
        "  Area Under PR Curve (uninterpolated)=0.5",
        "  Area Under ROC Curve (interpolated)=NaN",
        "  Area Under ROC Curve (uninterpolated)=NaN",
        "  Average Precision=0.5",
        "  Maximum F(1) Measure=0.6666666666666666",
        "  BEP (Precision-Recall break even point)=0.0",
        "  Reciprocal Rank=1.0",
    ]


def test_str_is_the_text_and_repr_counts():
    evaluation = ten_cases(misses=2, negative_misses=3)
    assert str(evaluation) == f"{evaluation}" == evaluation.toString()
    assert repr(evaluation) == "ScoredPrecisionRecallEvaluation(cases=10, correct=4, misses=2, negativeMisses=3)"


@pytest.mark.parametrize(
    ("curve", "rows"),
    [
        pytest.param([], "", id="empty"),
        pytest.param([[0, 0]], "0.000000 0.000000      NaN\n", id="no F"),
        pytest.param([[math.inf, math.nan]], "     NaN Infinity      NaN\n", id="no numbers"),
        pytest.param([(0.5, 1)], "1.000000 0.500000 0.666667\n", id="list of tuples"),
        pytest.param(np.array([[1, 5e-7]]), "0.000000 1.000000 0.000001\n", id="Python's rounding"),
    ],
)
def test_printed_curve(curve, rows):
    writer = io.StringIO()
    ScoredPrecisionRecallEvaluation.printPrecisionRecallCurve(curve, writer)
    assert writer.getvalue() == "  PRECI.   RECALL        F\n" + rows


def test_printed_curve_writes_nothing_of_a_bad_one():
    writer = io.StringIO()
    with refused(ten_cases(), EvaluationError, "prCurve must hold two numbers in each row, got shape (4, 3)"):
        ScoredPrecisionRecallEvaluation.printPrecisionRecallCurve(ten_cases().prScoreCurve(False), writer)
    assert writer.getvalue() == ""


@pytest.mark.parametrize(("add", "name"), [("addMisses", "misses"), ("addNegativeMisses", "negative misses")])
def test_merging_too_many_misses_is_refused(add, name):
    evaluation, other = ScoredPrecisionRecallEvaluation(), ScoredPrecisionRecallEvaluation()
    getattr(evaluation, add)(2**62 - 1)
    getattr(other, add)(2)
    before = repr(evaluation)
    with pytest.raises(EvaluationError, match=f"^other's {name} must be at most 1, got 2$"):
        evaluation.merge(other)
    assert repr(evaluation) == before
