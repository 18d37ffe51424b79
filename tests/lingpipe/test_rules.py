"""Rules for scored cases and for counts that no golden value shows, slow twins and exact fractions."""

import io
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import evalcore
from evalcore.inference.cells import cells_of_counts
from evalcore.lingpipe.precision_recall_evaluation import statistic_lines
from evalcore.measures import agreement, binary, multiclass
from tests.differences import every
from tests.lingpipe import golden
from tests.lingpipe.evaluations import scored, ten_cases
from tests.reference import exact as slow_exact
from tests.reference import inference as slow_inference
from tests.reference import scored_cases as slow
from tests.strategies import case_arrays, cases_of, close_to
from tests.validation.refusals import refused

HUGE = 2**62
PRINTED_DEPTHS = [5, 10, 25, 100, 500]


def test_infinite_scores_and_huge_misses_are_counted_exactly():
    scores = [math.inf, 1.7976931348623157e308, -1.7976931348623157e308, -math.inf]
    assert scored([1, 1, 1, 1], scores).prScoreCurve(False)[:, 2].tolist() == scores
    evaluation = scored([1, 0], [2, 1], misses=HUGE, negative_misses=HUGE)
    assert (evaluation.numPositiveRef(), evaluation.numNegativeRef()) == (HUGE + 1, HUGE + 1)
    assert evaluation.prCurve(False).tolist() == [[1 / (HUGE + 1), 1.0]]
    assert evaluation.averagePrecision() == evaluation.rPrecision() == 1 / (HUGE + 1)


@every("beta", [math.inf, -math.inf, 1e160, 1e200])
def test_maximum_f_measure_of_a_huge_beta_is_the_largest_recall(beta):
    assert ten_cases().maximumFMeasure(beta) == max(ten_cases().prCurve(False)[:, 0])
    assert math.isnan(ten_cases().maximumFMeasure(math.nan))


@every(("positives", "tp", "level"), [(10, 3, 3), (10, 6, 6), (10, 7, 7), (30, 9, 3), (70, 49, 7)])
def test_eleven_points_compare_recall_as_integers(positives, tp, level):
    assert tp / positives < level * 0.1  # as floats, the recall misses the level that it reaches
    labels = [1] * tp + [0] * 10 + [1] * (positives - tp)
    points = scored(labels, -np.arange(len(labels))).elevenPtInterpPrecision()
    assert points.tolist() == [1.0] * (level + 1) + [positives / (positives + 10)] * (10 - level)


@every("reached", [[1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3], [1, 1, 2, 3, 3, 4, 5, 5, 6, 7, 7]])
def test_eleven_points_round_no_recall_up(reached):
    labels = [1, 0] * max(reached)  # precision tp / (2 tp - 1) falls at each point
    points = scored(labels, -np.arange(len(labels))).elevenPtInterpPrecision()
    assert points.tolist() == [tp / (2 * tp - 1) for tp in reached]


@every("method", ["addMisses", "addNegativeMisses"])
@every("before", [0, 5, HUGE - 1, HUGE])
def test_misses_of_either_kind_are_at_most_2_to_the_62_in_all(method, before):
    evaluation = ten_cases()
    add = getattr(evaluation, method)
    add(before)
    rest = HUGE - before
    for count in rest + 1, 2**63, 2**70:
        with refused(evaluation, evalcore.EvaluationError, f"count must be at most {rest}, got {count}"):
            add(count)
    add(rest)
    kinds = (HUGE, 0) if method == "addMisses" else (0, HUGE)
    assert repr(evaluation) == repr(ten_cases(*kinds))
    with refused(evaluation, evalcore.EvaluationError, "count must be at most 0, got 1"):
        add(1)
    add(0)
    assert (evaluation.numPositiveRef(), evaluation.numNegativeRef()) == (4 + kinds[0], 6 + kinds[1])


@every("cases", [0, 4, 5, 9, 10, 24, 25, 99, 100, 499, 500])
def test_text_has_precision_at_the_depths_that_exist(cases):
    text = str(scored(np.arange(cases) % 2, np.arange(cases)))
    depths = [int(line.split()[2].partition("=")[0]) for line in text.splitlines() if line.startswith("  Precision at")]
    assert depths == [depth for depth in PRINTED_DEPTHS if depth <= cases]


def test_bad_curves_write_nothing_and_text_writes_nan_as_the_original_does():
    evaluation = ten_cases(misses=2, negative_misses=3)
    assert str(evaluation) == f"{evaluation}" == evaluation.toString()
    assert repr(evaluation) == "ScoredPrecisionRecallEvaluation(cases=10, correct=4, misses=2, negativeMisses=3)"
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
    writer = io.StringIO()
    with refused(ten_cases(), evalcore.EvaluationError, "prCurve must hold two numbers in each row, got shape (4, 3)"):
        evalcore.ScoredPrecisionRecallEvaluation.printPrecisionRecallCurve(ten_cases().prScoreCurve(False), writer)
    assert writer.getvalue() == ""


@every(
    ("curve", "rows"),
    pytest.param([], "", id="empty"),
    pytest.param([[0, 0]], "0.000000 0.000000      NaN\n", id="no F"),
    pytest.param([[math.inf, math.nan]], "     NaN Infinity      NaN\n", id="no numbers"),
    pytest.param([(0.5, 1)], "1.000000 0.500000 0.666667\n", id="list of tuples"),
    pytest.param(np.array([[1, 5e-7]]), "0.000000 1.000000 0.000001\n", id="Python's rounding"),
)
def test_printed_curve(curve, rows):
    writer = io.StringIO()
    evalcore.ScoredPrecisionRecallEvaluation.printPrecisionRecallCurve(curve, writer)
    assert writer.getvalue() == "  PRECI.   RECALL        F\n" + rows


@every(("add", "name"), [("addMisses", "misses"), ("addNegativeMisses", "negative misses")])
def test_merging_too_many_misses_is_refused(add, name):
    evaluation, other = evalcore.ScoredPrecisionRecallEvaluation(), evalcore.ScoredPrecisionRecallEvaluation()
    getattr(evaluation, add)(2**62 - 1)
    getattr(other, add)(2)
    before = repr(evaluation)
    with pytest.raises(evalcore.EvaluationError, match=f"^other's {name} must be at most 1, got 2$"):
        evaluation.merge(other)
    assert repr(evaluation) == before


CASES = case_arrays(max_size=20)
MISSES = st.sampled_from([0, 0, 1, 5])


def evaluation_of(cases, misses=0, negative_misses=0):
    return scored(cases.correct, cases.scores, misses, negative_misses)


@given(CASES, MISSES, MISSES)
def test_curves_and_areas_count_misses_of_either_kind(cases, misses, negative_misses):
    evaluation = evaluation_of(cases, misses, negative_misses)
    assert evaluation.numNegativeRef() == slow.negatives(cases.pairs, negative_misses)
    for interpolate in (False, True):
        rows = slow.roc_curve(cases.pairs, misses, negative_misses, interpolate)
        curve = evaluation.rocCurve(interpolate)
        assert (curve.shape, curve.dtype, curve.flags.writeable) == ((len(rows), 2), np.float64, False)
        assert curve.ravel().tolist() == close_to([value for row in rows for value in row])
        assert evaluation.areaUnderRocCurve(interpolate) == close_to(slow.step_area(rows))
        rows = slow.pr_curve(cases.pairs, misses, interpolate)
        assert evaluation.prScoreCurve(interpolate).ravel().tolist() == close_to([each for row in rows for each in row])


@every("negative_misses", [0, 2])
@every("scores", [[], [0.5, 0.5, 0.25]])
@every(("misses", "mean_of_nothing"), [(0, math.nan), (3, 0.0)])
def test_without_a_correct_case_statistics_are_0_and_curves_empty(scores, negative_misses, misses, mean_of_nothing):
    evaluation = evaluation_of(cases_of([(score, False) for score in scores]), misses, negative_misses)
    for interpolate in (False, True):
        assert evaluation.areaUnderPrCurve(interpolate) == evaluation.areaUnderRocCurve(interpolate) == 0.0
        assert evaluation.prCurve(interpolate).shape == evaluation.rocCurve(interpolate).shape == (0, 2)
        assert evaluation.prScoreCurve(interpolate).shape == (0, 3)
    assert evaluation.maximumFMeasure() == evaluation.prBreakevenPoint() == evaluation.reciprocalRank() == 0.0
    assert evaluation.elevenPtInterpPrecision().tolist() == [0.0] * 11
    assert evaluation.averagePrecision() == close_to(mean_of_nothing)
    assert evaluation.rPrecision() == close_to(mean_of_nothing)


def counts(evaluation):
    return tuple(golden.counts(evaluation))


@every(
    ("reference", "response", "expected"),
    pytest.param({"a", "b", "c"}, {"b", "c", "d", "e"}, (2, 1, 2, 0), id="overlapping"),
    pytest.param(set(), {1}, (0, 0, 1, 0), id="nothing to find"),
    pytest.param(frozenset({1}), set(), (0, 1, 0, 0), id="nothing found"),
    pytest.param({"a": 1, "b": 2}.keys(), {"a"}, (1, 1, 0, 0), id="keys of a mapping"),
    pytest.param([], [], (0, 0, 0, 0), id="no labels"),
    pytest.param([1, 1, 0, 0, 0], [True, False, True, False, False], (1, 1, 1, 2), id="labels"),
)
def test_batches_of_sets_and_of_labels(reference, response, expected):
    evaluation = evalcore.PrecisionRecallEvaluation(10, 10, 10, 10)
    evaluation.addCases(reference, response)
    assert counts(evaluation) == tuple(10 + count for count in expected)


@every(
    ("reference", "response", "message"),
    ({1}, [1], "responsePositives must be a set like referencePositives, got [1] (list)"),
    ("ab", {"a"}, "referencePositives must be a set like responsePositives, got 'ab' (str)"),
)
def test_a_set_needs_another_set(reference, response, message):
    evaluation = evalcore.PrecisionRecallEvaluation(1, 2, 3, 4)
    with refused(evaluation, evalcore.EvaluationTypeError, message):
        evaluation.addCases(reference, response)


def test_huge_counts_are_added_exactly_or_refused():
    evaluation = evalcore.PrecisionRecallEvaluation(HUGE, HUGE + 1, HUGE + 2, HUGE + 3)
    evaluation.addCase(True, True)
    assert counts(evaluation) == (HUGE + 1, HUGE + 1, HUGE + 2, HUGE + 3)
    assert (evaluation.positiveReference(), evaluation.negativeReference()) == (2 * HUGE + 2, 2 * HUGE + 5)
    assert (evaluation.positiveResponse(), evaluation.negativeResponse()) == (2 * HUGE + 3, 2 * HUGE + 4)
    assert (evaluation.correctResponse(), evaluation.incorrectResponse()) == (2 * HUGE + 4, 2 * HUGE + 3)
    assert evaluation.total() == 4 * HUGE + 7
    largest = evalcore.PrecisionRecallEvaluation(*[2**128] * 4)
    for of_numpy in ("warn", "raise"):
        with np.errstate(all=of_numpy):
            assert (largest.accuracy(), largest.yulesQ(), largest.phiSquared()) == (0.5, 0.0, 0.0)
            assert math.isnan(evalcore.PrecisionRecallEvaluation.fMeasure(1e-200, 0.0, 0.0))
    with pytest.raises(evalcore.EvaluationError, match=f"^fp must be at most {2**128}, got {2**128 + 1}$"):
        evalcore.PrecisionRecallEvaluation(1, 1, 2**128 + 1, 1)


def test_str_is_the_text_with_floats_as_the_original_writes_them_and_repr_counts():
    evaluation = evalcore.PrecisionRecallEvaluation(9, 3, 4, 11)
    assert str(evaluation) == f"{evaluation}" == evaluation.toString()
    assert repr(evaluation) == "PrecisionRecallEvaluation(tp=9, fn=3, fp=4, tn=11)"
    statistics = [("a", math.nan), ("b", math.inf), ("c", -math.inf), ("d", 0.1), ("e", 7)]
    assert statistic_lines(statistics) == "  a=NaN\n  b=Infinity\n  c=-Infinity\n  d=0.1\n  e=7"


def test_merge_refuses_the_other_evaluation():
    ranking, table = ten_cases(), evalcore.PrecisionRecallEvaluation(1, 2, 3, 4)
    shown = "PrecisionRecallEvaluation(tp=1, fn=2, fp=3, tn=4) (PrecisionRecallEvaluation)"
    with refused(
        ranking, evalcore.EvaluationTypeError, f"other must be a ScoredPrecisionRecallEvaluation, got {shown}"
    ):
        ranking.merge(table)
    cut = "ScoredPrecisionRecallEvaluation(cases=10, correct=4, miss... (ScoredPrecisionRecallEvaluation)"
    with refused(table, evalcore.EvaluationTypeError, f"other must be a PrecisionRecallEvaluation, got {cut}"):
        table.merge(ranking)


SIZES = st.integers(0, 60).flatmap(lambda bits: st.integers(0, 2**bits)) | st.sampled_from([0, 1, 2, 2**60])
CELLS = st.lists(SIZES, min_size=4, max_size=4)
SEEN = [
    [2, 1, 1, 4999996], [0, 1, 2, 877817077], [1, 0, 0, 2**55], [1, 1, 1, 10**15], [949285436, 8, 7, 4],
    [2**60, 2**60 - 1, 2**60 + 1, 2**60], [1, 2**59, 2**59, 1],
]  # fmt: skip


@st.composite
def tables(draw):
    """Draw a table of small and large counts, or one whose references and responses are almost independent."""
    size = draw(st.integers(1, 3))
    shares = st.lists(SIZES.map(lambda count: math.isqrt(count) >> 1), min_size=size, max_size=size)
    if draw(st.booleans()):
        table = [[one * other for other in columns] for columns in [draw(shares)] for one in draw(shares)]
    else:
        cells = SIZES.map(lambda count: count >> 1 if size == 3 else count)
        table = draw(st.lists(st.lists(cells, min_size=size, max_size=size), min_size=size, max_size=size))
    table[draw(st.integers(0, size - 1))][draw(st.integers(0, size - 1))] += draw(st.integers(0, 2))
    return table


def with_seen(test):
    for tp, fn, fp, tn in SEEN:
        test = example([[tp, fn], [fp, tn]])(test)
    return test


def misses(found, exact):
    return {name: (found[name], value) for name, value in exact.items() if found[name] != close_to(value)}


@with_seen
@given(tables().filter(lambda table: len(table) == 2) | CELLS.map(lambda cells: [cells[:2], cells[2:]]))
def test_statistics_of_two_classes_are_those_of_exact_fractions(table):
    (tp, fn), (fp, tn) = table
    evaluation, exact = evalcore.PrecisionRecallEvaluation(tp, fn, fp, tn), slow_exact.binary(tp, fn, fp, tn)
    assert misses({name: getattr(evaluation, name)() for name in exact}, exact) == {}
    columns = [np.array([count, 3]) for count in (tp, fn, fp, tn)]
    found = {"yulesQ": binary.yules_q, "yulesY": binary.yules_y, "phiSquared": binary.phi_squared,
             "chiSquared": binary.chi_squared, "accuracyDeviation": binary.accuracy_deviation}  # fmt: skip
    assert misses({name: measure(*columns)[0] for name, measure in found.items()}, {n: exact[n] for n in found}) == {}


@with_seen
@given(tables())
@example([[0]])
@example([[0] * 3] * 3)
@example([[5]])
@example([[1, 2], [2, 4]])
def test_statistics_of_classes_are_those_of_exact_fractions(table):
    matrix, exact = evalcore.ConfusionMatrix(list(range(len(table))), table), slow_exact.confusion(table)
    assert misses({name: getattr(matrix, name)() for name in exact}, exact) == {}


@with_seen
@given(tables())
def test_weighted_kappa_and_the_variance_of_kappa_are_those_of_exact_fractions(table):
    counts = np.array(table)
    for power in range(3):
        found = multiclass.weighted_kappa(counts, agreement.disagreement(len(table), power))
        assert found == close_to(slow_exact.weighted_kappa(table, power))
    if counts.any():
        expected, cells = slow_inference.kappa_variance(table), cells_of_counts(counts[np.newaxis])
        found = cells.spread(multiclass.kappa_derivatives(cells.table)).variances[0]
        assert found == close_to(math.nan if expected is None else expected)
