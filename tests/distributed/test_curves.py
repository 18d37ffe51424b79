"""Areas and curves of cases in partitions are those of all at once; ranges of scores lose no case."""

import re
import warnings
import weakref
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pytest
from dask import delayed
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from evalcore import EvaluationError, EvaluationTypeError, metrics
from evalcore.distributed import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve
from evalcore.distributed.partitions import LabelCounts, check_weight
from evalcore.distributed.ranges import _added, choose_cuts, count_range, cut_cases
from tests.differences import every, refused
from tests.distributed.parted import NAMES, equally, in_chunks, parted, partitioned, random_cases
from tests.strategies import Cases, cases_of

CURVES = {roc_curve: metrics.roc_curve, precision_recall_curve: metrics.precision_recall_curve}
DRAWN = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
TOLERANCES = st.sampled_from([1e-4, 0.001, 0.01, 0.1, 0.5])
SMALLEST = ((cases_of([(0.5, True), (0.25, False), (0.25, True)]), [2, 1]), 1e-6)  # which takes millions of columns
pytestmark = pytest.mark.usefixtures("at_once")


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [np.asarray(column) for column in function(*arguments, **options)]


def lines(curve):
    """Points as (p, 2); undefined rates lie on an axis."""
    return np.nan_to_num(np.column_stack(curve[:2]))


def distance(points, line):
    """How far the furthest of some points is from straight lines between others."""
    begin, end = line[:-1], line[1:]
    along = end - begin
    squares = np.maximum((along**2).sum(axis=1), 1e-300)
    fraction = np.clip(((points[:, None] - begin) * along).sum(axis=2) / squares, 0, 1)
    near = begin + fraction[..., None] * along
    return float(np.sqrt(((points[:, None] - near) ** 2).sum(axis=2)).min(axis=1).max())


def assert_all_points_are_of(few, whole, atol=0):
    """Every point is that of the whole curve at the same threshold."""
    ranks = {threshold: rank for rank, threshold in enumerate(whole[2].astype(np.float64).tolist())}
    chosen = [ranks[threshold] for threshold in few[2].tolist()]
    for column, full in zip(few[:2], whole[:2], strict=True):
        np.testing.assert_allclose(column[: len(chosen)], full[chosen], rtol=0, atol=atol)


@pytest.mark.parametrize("curve", CURVES)
@DRAWN
@given(partitioned(finite=True, least=1), TOLERANCES, st.booleans())
@example(*SMALLEST, True)
@example(*SMALLEST, False)
def test_a_curve_is_within_the_tolerance(curve, drawn, tolerance, exact):
    cases, sizes = drawn
    few = quietly(curve, *parted(cases.correct, cases.scores, sizes), tolerance=tolerance, exact=exact)
    whole = quietly(CURVES[curve], cases.correct, cases.scores, drop_intermediate=False)
    assert_all_points_are_of(few, whole)
    if curve is precision_recall_curve:
        assert (few[0][-1], few[1][-1]) == (1.0, 0.0)
    assert distance(lines(whole), lines(few)) <= tolerance * (1 + 1e-9)


@every(("curve", "exact"), [(curve, exact) for curve in CURVES for exact in (True, False)])
def test_weighted_curves_have_points_of_the_whole_one(curve, exact):
    rng, cases = np.random.default_rng(4), random_cases(600, levels=30)
    weights = rng.gamma(0.7, size=600) * (rng.random(600) < 0.9)
    labels, values, given_weights = in_chunks(equally(600, 4), cases.correct, cases.scores, weights)
    few = curve(labels, values, sample_weight=given_weights, exact=exact, tolerance=0.02)
    whole = CURVES[curve](cases.correct, cases.scores, sample_weight=weights, drop_intermediate=False)
    assert 4 < few[2].size < 60
    assert_all_points_are_of(few, whole, atol=1e-12)
    if curve is roc_curve:
        assert np.all(np.diff(few[:2]) >= 0)
        assert (few.fpr[-1], few.tpr[-1]) == (1.0, 1.0)


@every("exact", [True, False])
@every("parts", [1, 6])
def test_curves_of_many_cases_take_few_points(exact, parts):
    cases = random_cases(20_000)
    given = parted(cases.correct, cases.scores, equally(20_000, parts))
    fpr, tpr, thresholds = roc_curve(*given, tolerance=0.01, exact=exact)
    assert 5 < fpr.size < 60
    assert (fpr[0], tpr[0], thresholds[0], fpr[-1], tpr[-1]) == (0, 0, np.inf, 1, 1)
    whole = metrics.roc_curve(cases.correct, cases.scores)
    assert distance(lines(whole)[::7], lines((fpr, tpr))) <= 0.01


def test_a_summary_with_too_few_intervals_says_so_and_knows_lines_of_equal_scores():
    cases = random_cases(2000)
    given = parted(cases.correct, cases.scores, equally(2000, 3))
    text = r"^tolerance must be above 0\.\d+ for a summary of 8 intervals of"
    with pytest.raises(EvaluationError, match=text) as caught:
        roc_curve(*given, capacity=8)
    least = float(str(caught.value).split()[4])
    assert roc_curve(*given, capacity=8, tolerance=np.nextafter(least, 1)).fpr.size
    curve = roc_curve(*given, capacity=64, tolerance=0.1)
    assert distance(lines(metrics.roc_curve(cases.correct, cases.scores)), lines(curve)) <= 0.1
    cases = random_cases(2000)
    scores = np.where(np.arange(2000) % 3 == 0, 0.25, cases.scores)
    curve = roc_curve(*parted(cases.correct, scores, equally(2000, 3)), capacity=128, tolerance=0.02)
    assert distance(lines(metrics.roc_curve(cases.correct, scores)), lines(curve)) <= 0.02
    assert np.diff(curve.fpr).max() > 0.3


@every(
    ("tolerance", "error", "message"),
    (0, EvaluationError, "tolerance must be in 1e-06 .. 1, got 0.0"),
    (2.0, EvaluationError, "tolerance must be in 1e-06 .. 1, got 2.0"),
    (float("nan"), EvaluationError, "tolerance must be in 1e-06 .. 1, got nan"),
    ("fine", EvaluationTypeError, "tolerance must be a number, got 'fine' (str)"),
)
@every("curve", CURVES)
def test_a_tolerance_is_a_part_of_an_axis(curve, tolerance, error, message):
    with refused(message, error):
        curve(*parted([1, 0], [0.1, 0.2], [2]), tolerance=tolerance)


ALL = roc_auc_score, roc_curve, precision_recall_curve
FUNCTIONS = {roc_auc_score: metrics.roc_auc_score, average_precision_score: metrics.average_precision_score}


@every(("parts", "levels"), [(9, 300), (40, None)])
def test_many_partitions_exchange_in_several_steps(parts, levels):
    cases = random_cases(500, levels, seed=parts)
    given = parted(cases.correct, cases.scores, equally(500, parts))
    assert all(function(*given, exact=True) == in_memory(*cases[::-1]) for function, in_memory in FUNCTIONS.items())


def test_partitions_may_be_empty_or_of_no_weight_of_any_type_and_width():
    cases = random_cases(300)
    narrow = cases.scores.astype(np.float32)
    scores = [narrow[:100], narrow[100:200].astype(np.float64), np.array([]), narrow[200:]]
    labels = np.split(cases.correct, [100, 200, 200])
    for function, in_memory in FUNCTIONS.items():
        found = function(*([delayed(part) for part in parts] for parts in (labels, scores)), exact=True)
        assert found == in_memory(cases.correct, narrow)
    labels = [np.array([1, 0]), np.array([], int), np.array([1, 0]), np.array([0, 1])]
    scores = [np.array([0.5, 0.25]), np.array([]), np.array([0.9, 0.95]), np.array([0.3, 0.4])]
    weights = [np.array([2, 3]), np.array([]), np.array([0.0, 0.0]), np.array([1.0, 4.0], np.float32)]
    given = [[delayed(part) for part in column] for column in (labels, scores, weights)]
    repeated = [1, 1, 0, 0, 0, 0, 1, 1, 1, 1], [0.5, 0.5, 0.25, 0.25, 0.25, 0.3, 0.4, 0.4, 0.4, 0.4]
    for function, in_memory in FUNCTIONS.items():
        for exact in (True, False):
            assert function(*given[:2], sample_weight=given[2], exact=exact) == in_memory(*repeated)


@every("labels", [[True] * 6, [False] * 6])
@every("exact", [True, False])
@every(("function", "in_memory"), [*CURVES.items(), *FUNCTIONS.items()])
def test_of_one_class_the_warning_and_the_answer_are_those_in_memory(labels, exact, function, in_memory):
    scores, said = np.array([0.1, 0.2, 0.3, 0.3, 0.2, 0.1]), []
    for ask in (lambda: function(*parted(labels, scores, [4, 2]), exact=exact), lambda: in_memory(labels, scores)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = ask()
        answer = [np.isnan(column).any() for column in found] if function in CURVES else repr(float(found))
        said.append((answer, [(each.category, str(each.message)) for each in caught]))
        assert function is not precision_recall_curve or found[1][0] == 1.0
    assert said[0] == said[1]


def test_sums_beyond_2_to_the_53_stay_exact_and_those_beyond_int64_are_refused():
    labels, scores = [1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4]
    weights = np.array([2**52 + 1, 2**52, 2**52, 2**52 - 1])
    given = in_chunks([1, 1, 1, 1], labels, scores, weights)
    area = roc_auc_score(*given[:2], sample_weight=given[2], exact=True)
    assert area == float(Fraction(2**104, (2**53 + 1) * (2**53 - 1)))
    message = f"sample_weight must have a sum below 2**62, got {2**62}; divide the weights by a number"
    columns = in_chunks([2, 2], [1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4], [2**60] * 4)
    with refused(message):
        check_weight(2**62, ["y_true", "y_score", "sample_weight"])
    with refused(message):
        roc_auc_score(*columns[:2], sample_weight=columns[2])


@every("function", FUNCTIONS)
@every("exact", [True, False])
def test_no_case_at_all_is_the_error_in_memory(function, exact):
    with pytest.raises(EvaluationError) as in_memory:
        FUNCTIONS[function]([], [])
    with refused(str(in_memory.value)):
        function(*parted(np.array([], bool), [], [0, 0]), exact=exact)


INFINITE = (
    "is infinite; scores must be finite, as for evalcore.metrics (evalcore.distributed.evaluate takes infinite ones)"
)


@every("ask", [partial(function, exact=exact) for function in ALL for exact in (True, False)])
@every(
    ("labels", "scores", "message"),
    ([1, 0, 1, 0], [0.1, 0.2, 0.3, np.nan], r"1: y_score\[1\] is NaN; a score is finite or infinite"),
    ([1, 0, 1, 0], [0.1, 0.2, 0.3, -np.inf], rf"1: y_score\[1\] {re.escape(INFINITE)}"),
    ([1, 0, 2, 0], [0.1, 0.2, 0.3, 0.4], r"1: y_true\[0\] is 2; a label is True or False, 1 or 0"),
    ([1, 0, 1, 0], list("abab"), r"(0|1): y_score must hold float64 or float32 numbers, got dtype <U1, first .*"),
)
def test_an_error_names_the_partition(ask, labels, scores, message):
    with pytest.raises((EvaluationError, EvaluationTypeError), match=f"^partition {message}$") as caught:
        ask(*parted(labels, scores, [2, 2]))
    assert isinstance(caught.value, EvaluationTypeError) == isinstance(scores[0], str)


@every("exact", [True, False])
def test_the_positive_label_may_be_named(exact):
    labels = np.array(["spam", "ham", "ham", "spam", "eggs"])
    scores = np.array([0.9, 0.2, 0.95, 0.3, 0.4])
    for function, in_memory in FUNCTIONS.items():
        found = function(*parted(labels, scores, [2, 3]), pos_label="spam", exact=exact)
        assert found == in_memory(labels == "spam", scores)


@every("exact", [True, False])
@every(
    ("labels", "options", "error", "message"),
    (["spam", "ham", "ham"], {"pos_label": ["spam", "ham"]}, EvaluationTypeError,
     "pos_label must be a number, a Boolean or a string, got ['spam', 'ham'] (list)"),
    *((["spam", "ham", missing], {"pos_label": "spam"}, EvaluationError,
       f"partition 1: y_true[0] is missing ({missing})") for missing in (None, np.nan, pd.NA)),
    ([1, 0, 0], {"capacity": 3}, EvaluationError, "capacity must be at least 4, got 3"),
)  # fmt: skip
def test_labels_and_capacities_are_checked_on_either_route(exact, labels, options, error, message):
    with refused(message, error):
        roc_auc_score(*parted(np.array(labels, object), [0.1, 0.2, 0.3], [2, 1]), exact=exact, **options)


def test_cuts_come_from_partitions_everywhere_and_are_learnt_by_weight():
    cases = random_cases(20_000)
    order = np.argsort(cases.scores)
    given = parted(cases.correct[order], cases.scores[order], equally(20_000, 10))
    assert roc_auc_score(*given, capacity=256).width < 0.02
    # where few cases weigh much, intervals are narrow; cuts by the number of cases leave a width of 0.23
    cases = random_cases(20_000)
    weights = np.where(np.abs(cases.scores) < 0.02, 1000, 1)
    labels, values, heavy = in_chunks(equally(20_000, 5), cases.correct, cases.scores, weights)
    assert roc_auc_score(labels, values, sample_weight=heavy, capacity=256).width < 0.05


@every("exact", [True, False])
def test_partitions_do_not_wait_in_memory_for_each_other(exact):
    alive, most = set(), [0]

    def loaded(part):
        scores = random_cases(500, seed=part).scores
        alive.add(part)
        most[0] = max(most[0], len(alive))
        weakref.finalize(scores, alive.discard, part)
        return scores

    labels = [delayed(random_cases(500, seed=part).correct) for part in range(12)]
    scores = [delayed(loaded, pure=False)(part) for part in range(12)]
    roc_auc_score(labels, scores, exact=exact, capacity=64)
    assert most[0] <= 2
    assert not alive


@every("exact", [False, True])
@every("function", FUNCTIONS)
def test_a_positive_label_that_is_not_there_or_has_no_weight_is_an_error(function, exact):
    labels, values, weights = in_chunks([2, 2], [7, 2, 2, 2], [0.1, 0.2, 0.3, 0.4], [0, 1, 1, 1])
    message = "pos_label={} is not a valid label: no value of y_true{} equals it"
    for chosen, sample_weight, with_weight in ((8, None, ""), (7, weights, " with a weight above 0")):
        with refused(message.format(chosen, with_weight)):
            function(labels, values, pos_label=chosen, sample_weight=sample_weight, exact=exact)


def cut(cases, cuts, ranges, weights=None):
    more = [] if weights is None else [weights]
    return cut_cases([cases.correct, cases.scores, *more], NAMES[: 2 + len(more)], None, cuts, ranges)


@every("shuffled", [True, False])
def test_no_range_is_much_larger_than_the_mean(shuffled):
    cases = random_cases(10_000)
    rows = slice(None) if shuffled else np.argsort(cases.scores)
    splits = np.cumsum(equally(10_000, 8))[:-1]
    parts = [Cases(*part) for part in zip(*(np.split(column[rows], splits) for column in cases), strict=True)]
    cuts = choose_cuts(np.concatenate([part.scores[::5] for part in parts]), 8)
    sizes = np.sum([[piece.cases.scores.size for piece in cut(part, cuts, 8)] for part in parts], axis=0)
    assert sizes.sum() == 10_000
    assert sizes.max() < 1.2 * 10_000 / 8


@every("weight", [None, 2, 0.5])
def test_a_score_that_most_cases_share_costs_two_rows(weight):
    cases = Cases(np.repeat([0.5, 0.25], [990, 10]), np.arange(1000) % 3 == 0)
    pieces = cut(cases, np.array([0.5]), 2, None if weight is None else np.full(1000, weight))
    assert [piece.cases.scores.tolist() for piece in pieces] == [[0.5, 0.5], [0.25, 0.25]]
    each = 1 if weight is None else weight
    assert pieces[0].cases.weights.tolist() == [330 * each, -660 * each]
    assert pieces[0].cases.weights.dtype == (np.float64 if weight == 0.5 else np.int64)


def test_ranges_keep_the_width_of_scores_free_memory_and_stand_above_fractions():
    cases = Cases(np.arange(1000, dtype=np.float32), np.arange(1000) % 3 == 0)
    for weights, width in ((None, np.int8), (np.ones(1000), np.int64), (np.full(1000, 0.5), np.float64)):
        for piece in cut(cases, np.array([500.0]), 2, weights):
            assert piece.cases.scores.dtype == np.float32
            assert piece.cases.weights.dtype == width
            assert all(column.base is None for column in piece.cases)
    cases, cuts = Cases(np.array([0.9, 0.1]), np.array([True, False])), np.array([0.5])
    top, low = (cut(Cases(*(column[part] for column in cases)), cuts, 2, np.array([weight]))
                for part, weight in ((slice(0, 1), 3), (slice(1, 2), 0.5)))  # fmt: skip
    for pieces, sums in zip(zip(top, low, strict=True), ((3, 0), (3, 0.5)), strict=True):
        counted = count_range(pieces, NAMES)
        assert (counted.tp[-1], counted.fp[-1]) == sums


@given(st.lists(st.floats(0, 1e300), min_size=3, max_size=20), st.integers(0, 10**6))
def test_sums_of_weights_do_not_depend_on_the_order_of_the_pieces(weights, seed):
    pieces = [LabelCounts(weight, weight / 3) for weight in weights]
    shuffled = [pieces[index] for index in np.random.default_rng(seed).permutation(len(pieces))]
    assert _added(pieces) == _added(shuffled)
