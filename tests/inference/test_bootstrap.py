"""Resampling intervals have the values of weighted measures, the bounds of SciPy, and limits."""

import re
import tracemalloc
import warnings
from functools import partial
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from evalcore import metrics, threads
from evalcore.errors import EvaluationError, UndefinedMetricWarning
from evalcore.inference import bootstrap_comparison, bootstrap_interval, bootstrap_intervals
from evalcore.inference.bootstrap import Plan, bounds_and_p_value
from evalcore.kernels import draws as draws_of_rows
from evalcore.kernels.draws import draw_within, ranked_cases
from evalcore.measures.curves import parse_measure
from tests.differences import every
from tests.strategies import close_to, columns_of


def precision_where_specificity_is_high(y_true, y_score, sample_weight=None):
    curves = metrics.metric_curves(y_true, y_score, sample_weight=sample_weight)
    found = np.interp(round(0.4 * curves.fp[-1], 9), [0, *curves.fp], [0, *curves.tp])
    return np.nan_to_num(found / (found + 0.4 * curves.fp[-1]))


def negative_predictive_value_where_recall_is_high(y_true, y_score, sample_weight=None):
    reversed_scores = np.array(y_score).max() - y_score
    return precision_where_specificity_is_high(1 - np.asarray(y_true, int), reversed_scores, sample_weight)


def named(name, function, *arguments, result=lambda value: value, **options):
    """Return a function of cases with a name of its own, which calls another one with more arguments."""

    def called(y_true, y_score, sample_weight=None):
        return result(function(y_true, y_score, *arguments, sample_weight=sample_weight, **options))

    called.__name__ = f"function of {name}"
    return called


def largest_f1(curves):
    return curves.values(lambda tp, fn, fp, tn: 2 * tp / (2 * tp + fn + fp)).max()


def f1_at_half(y_true, y_score, sample_weight=None):
    return metrics.f1_score(y_true, y_score >= 0.5, sample_weight=sample_weight)


def optimum(name, *criterion):
    return named(name, metrics.optimal_threshold, *criterion, result=lambda found: found.value)


NAMES = {
    "roc_auc": metrics.roc_auc_score,
    "average_precision": metrics.average_precision_score,
    "ks": metrics.ks_statistic,
    "max_f1": named("max_f1", metrics.metric_curves, result=largest_f1),
    "partial_auc@0.3": named("partial_auc", metrics.partial_auc, fpr_range=(0, 0.3)),
    "precision_at_recall@0.6": named("precision_at_recall", metrics.precision_at_recall, 0.6),
    "precision_at_specificity@0.6": precision_where_specificity_is_high,
    "negative_predictive_value_at_recall@0.6": negative_predictive_value_where_recall_is_high,
    "recall_at_precision@0.6": named("recall_at_precision", metrics.recall_at_precision, 0.6),
    "recall_at_specificity@0.6": named("recall_at_specificity", metrics.recall_at_specificity, 0.6),
    "specificity_at_recall@0.6": named("specificity_at_recall", metrics.specificity_at_recall, 0.6),
    "eer": optimum("eer", "eer"),
    "max_mcc": optimum("max_mcc", "mcc"),
    "max_balanced_accuracy": optimum("max_balanced_accuracy", "balanced_accuracy"),
    "youden": optimum("youden"),
}
DECISIONS = {
    "accuracy": metrics.accuracy_score,
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "f1": metrics.f1_score,
    "specificity": lambda y, p, sample_weight: metrics.recall_score(y, p, pos_label=0, sample_weight=sample_weight),
}
WEIGHTS = {
    "sampling": lambda rng, size: rng.lognormal(size=size),
    "frequency": lambda rng, size: rng.integers(0, 4, size),
}
CASES = columns_of(list(product([False, True], [0.1, 0.3, 0.5, 0.7], range(4))), 2, 20)


def made(size, seed=0):
    rng = np.random.default_rng(seed)
    y_true = rng.random(size) < 0.3
    return y_true, rng.normal(size=size) + y_true


@given(CASES)
def test_a_resample_has_what_cases_of_such_weights_have(cases):
    y_true, y_score, counts = map(np.array, zip(*cases, strict=True))
    ranked = ranked_cases(y_score, y_true, np.array([0.3, 0.6]))
    points = ranked.points(counts[ranked.rows])
    drawn = y_true[counts > 0]
    if not 0 < drawn.sum() < drawn.size:
        assert np.isnan(parse_measure("roc_auc").compute(points))
        return
    for name, function in NAMES.items():
        expected = function(y_true.astype(int), y_score, sample_weight=counts)
        assert parse_measure(name).compute(points) == close_to(expected), name
    for threshold in (0.3, 0.6):
        predicted = (y_score >= threshold).astype(int)
        for stem, function in DECISIONS.items():
            value = parse_measure(f"{stem}@{threshold}").compute(points)
            if stem == "precision" and not counts[predicted == 1].any():
                assert np.isnan(value)
            else:
                assert value == close_to(function(y_true.astype(int), predicted, sample_weight=counts)), stem


@every("method", ["percentile", "basic", "bca"])
@every("draws", ["cases", "strata", "groups"])
@every("weight", [None, "sampling", "frequency"])
def test_names_and_functions_agree_of_intervals_and_of_differences(method, draws, weight):
    """Functions see the rows themselves: what is drawn, left out or paired wrongly would show."""
    rng = np.random.default_rng(8)
    y_true, y_score = made(30)
    worse = y_score + rng.normal(size=30)
    groups = rng.permutation(np.repeat(np.arange(10), rng.multinomial(30 - 10, np.ones(10) / 10) + 1))
    options = {"cases": {}, "strata": {"stratify": True}, "groups": {"cluster": groups}}[draws]
    options |= {} if weight is None else {"sample_weight": WEIGHTS[weight](rng, 30), "weight_type": weight}
    asked = {"method": method, "level": 0.5, "resamples": 6, "seed": 2, **options}
    names = {**NAMES, "f1@0.5": f1_at_half} if method == "percentile" else {"roc_auc": metrics.roc_auc_score}
    found = bootstrap_intervals(y_true, y_score, iter([*names, *names.values()]), **asked)
    for name, function in names.items():
        both = [[each.estimate, each.low, each.high] for each in (found[name], found[function.__name__])]
        assert both[0] == close_to(both[1]), name

    def repeated(y_true, y_score):
        return metrics.roc_auc_score(y_true, y_score)

    if weight != "sampling":  # where rows are repeated
        functions = metrics.roc_auc_score, repeated
        of_both = [bootstrap_interval(y_true, y_score, measure, **asked) for measure in functions]
        assert [*of_both[0]] == close_to([*of_both[1]])
        differences = [bootstrap_comparison(y_true, worse, y_score, measure, **asked) for measure in functions]
        assert differences[0].low == close_to(differences[1].low)
        assert differences[0].p_value == differences[1].p_value


@every("method", ["percentile", "basic", "bca"])
@every("groups", [1, 2, 7])
def test_areas_of_few_groups_are_those_of_their_cases(method, groups):
    """Those of few groups come from pairs of groups, to the same bits, if the area is asked for alone."""
    rng = np.random.default_rng(5)
    y_true, y_score = made(100)
    worse = np.round(y_score + rng.normal(size=100), 1)
    asked = {"cluster": np.arange(100) % groups, "method": method, "resamples": 40, "seed": 2}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)  # of one group
        alone = bootstrap_interval(y_true, worse, **asked)
        among = bootstrap_intervals(y_true, worse, ["roc_auc", "ks"], **asked)["roc_auc"]
        named, called = (
            bootstrap_comparison(y_true, worse, y_score, measure, **asked)
            for measure in ("roc_auc", metrics.roc_auc_score)
        )
    assert alone == among
    if groups > 1:
        assert (named.low, named.high) == (close_to(called.low), close_to(called.high))
        assert named.p_value == called.p_value


@every("method", ["percentile", "bca"])
def test_resamples_of_groups_hold_whole_groups_as_many_as_there_are(method):
    rng = np.random.default_rng(8)
    groups = rng.permutation(np.repeat(np.arange(12), np.arange(1, 13)))
    rows = np.arange(groups.size)
    seen = []

    def spied(y_true, y_score, sample_weight=None):
        counts = np.zeros(groups.size, int)
        counts[y_score.astype(int)] = 1 if sample_weight is None else sample_weight
        seen.append(counts)
        return float(counts @ rows)

    bootstrap_interval(rows % 2, rows, spied, cluster=groups, method=method, resamples=40, seed=0)
    whole, *drawn = seen
    assert (whole == 1).all()
    for number, counts in enumerate(drawn):
        per_group = [set(counts[groups == group].tolist()) for group in range(12)]
        assert all(len(values) == 1 for values in per_group)
        times = [values.pop() for values in per_group]
        assert sum(times) == (12 if number < 40 else 11)
    assert len(drawn) == (40 if method == "percentile" else 52)


def test_blocks_of_a_jackknife_keep_the_fractions_of_strata():
    seen = []

    def spied(y_true, y_score, sample_weight=None):
        seen.append(
            (int(sample_weight[y_true == 1].sum()), int(sample_weight.sum())) if sample_weight is not None else None
        )
        return float(np.average(y_score, weights=sample_weight))

    y_true = np.arange(200) < 20
    bootstrap_interval(y_true, np.arange(200.0), spied, method="bca", stratify=True, resamples=40, seed=0)
    assert seen[1:] == [(20, 200)] * 40 + [(19, 190)] * 20


@every("weights", [None, np.random.default_rng(5).lognormal(size=60)])
def test_a_perfect_order_has_no_bounds_made_of_rounding(weights):
    y_true, options = np.arange(60) < 23, {"stratify": True, "resamples": 40, "seed": 0, "sample_weight": weights}
    with pytest.warns(UndefinedMetricWarning, match="all resamples have the same value"):
        found = bootstrap_intervals(y_true, -np.arange(60.0), ["roc_auc", "average_precision"], **options)
    assert [interval.estimate for interval in found.values()] == [1, 1]
    assert np.isnan([interval.low for interval in found.values()]).all()


def auc(y_true, y_score):
    return metrics.roc_auc_score(y_true.astype(bool), y_score)


def bootstrapped_by_scipy(values, *columns, method, level):
    return stats.bootstrap(
        columns, auc, paired=True, vectorized=False, n_resamples=0, confidence_level=level,
        method={"bca": "BCa"}.get(method, method), bootstrap_result=SimpleNamespace(bootstrap_distribution=values),
    ).confidence_interval  # fmt: skip


def test_bounds_are_those_of_scipy():
    y_true, y_score = made(40)
    rng = np.random.default_rng(1)
    values = np.array([auc(y_true[rows], y_score[rows]) for rows in rng.integers(0, 40, (200, 40))])
    left = np.array([auc(np.delete(y_true, row), np.delete(y_score, row)) for row in range(40)])
    for method, level in product(["percentile", "basic", "bca"], [0.5, 0.95]):
        expected = bootstrapped_by_scipy(values, y_true, y_score, method=method, level=level)
        low, high, _, why = bounds_and_p_value(auc(y_true, y_score), values, level, method, left)
        assert (low, high, why) == (close_to(expected.low), close_to(expected.high), "")


def test_seeds_tell_resamples_apart_and_may_be_generators():
    interval = partial(bootstrap_interval, *made(100), resamples=40)
    assert interval(seed=np.random.default_rng(4)) == interval(seed=4) != interval(seed=6)
    assert interval().low <= interval().high


def test_too_few_resamples_for_a_level_are_warned_of():
    cases = made(100)
    for level, least in ((0.5, 4), (0.95, 40), (0.99, 200)):
        options = {"level": level, "seed": 0, "stratify": True}
        bootstrap_interval(*cases, resamples=least, **options)
        with pytest.warns(
            UserWarning, match=f"{least - 1} resamples are too few for a level of {level}: .* {least} "
        ) as told:
            bootstrap_interval(*cases, resamples=least - 1, **options)
        assert [warning.filename for warning in told] == [__file__]


def test_progress_is_reported_while_filters_of_warnings_are_as_they_were():
    before, told = list(warnings.filters), []
    bootstrap_interval(*made(50), resamples=40, seed=0, progress=lambda *at: told.append((*at, list(warnings.filters))))
    assert told == [(done, 40, before) for done in range(1, 41)]


def test_memory_does_not_grow_with_the_resamples():
    cases = made(5000)
    peaks = []
    bootstrap_interval(*cases, resamples=40, seed=0)  # whatever is loaded or traced for the first time
    for resamples in (40, 240):
        tracemalloc.start()
        with threads(1):
            bootstrap_interval(*cases, resamples=resamples, seed=0)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 200 * 1000


def test_measures_of_many_classes_and_of_probabilities_are_resampled():
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 3, 200)
    y_pred = np.where(rng.random(200) < 0.7, y_true, rng.integers(0, 3, 200))
    found = bootstrap_interval(y_true, y_pred, metrics.accuracy_score, resamples=100, seed=0)
    assert found.low < metrics.accuracy_score(y_true, y_pred) == found.estimate < found.high
    probabilities = np.eye(3)[y_pred] * 0.7 + 0.1
    loss = bootstrap_interval(y_true, probabilities, metrics.log_loss, method="basic", resamples=100, seed=0)
    assert loss.low < loss.estimate < loss.high


def test_models_are_compared_on_the_same_resamples():
    y_true, y_score = made(500)
    worse = y_score + np.random.default_rng(9).normal(size=500)
    found = bootstrap_comparison(y_true, worse, y_score, resamples=100, seed=0)
    assert found.estimates == (auc(y_true, y_score), auc(y_true, worse))
    assert found.difference == found.estimates[0] - found.estimates[1]
    assert 0 < found.low < found.difference < found.high
    assert found.p_value == close_to(2 / 101)
    turned = bootstrap_comparison(y_true, y_score, worse, metrics.roc_auc_score, resamples=40, seed=0)
    straight = bootstrap_comparison(y_true, worse, y_score, metrics.roc_auc_score, resamples=40, seed=0)
    assert (turned.low, turned.high) == (close_to(-straight.high), close_to(-straight.low))
    assert turned.p_value == straight.p_value
    apart = bootstrap_interval(y_true, y_score, resamples=100, seed=0)
    assert found.high - found.low < 2 * (apart.high - apart.low)


def weighted(size=60, seed=0):
    rng = np.random.default_rng(seed)
    y_true = rng.random(size) < 0.4
    return y_true, np.round(rng.normal(size=size) + y_true, 1), rng.lognormal(size=size)


def frequencies(size=60):
    return np.random.default_rng(9).integers(0, 4, size)


@every("options", [{}, {"stratify": True}, {"method": "bca"}, {"cluster": np.arange(60) // 3}])
def test_equal_weights_draw_what_none_draw(options):
    y_true, y_score, _ = weighted()
    options = {"resamples": 60, "seed": 1, **options}
    expected = bootstrap_interval(y_true, y_score, **options)
    assert bootstrap_interval(y_true, y_score, sample_weight=np.full(60, 0.3), **options) == expected
    some = np.arange(60) % 6 != 0
    rest = {name: value[some] if name == "cluster" else value for name, value in options.items()}
    expected = bootstrap_interval(y_true[some], y_score[some], **rest)
    assert bootstrap_interval(y_true, y_score, sample_weight=0.3 * some, **options) == expected


def test_a_common_factor_changes_nothing():
    y_true, y_score, weights = weighted()
    expected = bootstrap_interval(y_true, y_score, sample_weight=weights, resamples=60, seed=1)
    for factor in (1e-250, 1e250):
        found = bootstrap_interval(y_true, y_score, sample_weight=factor * weights, resamples=60, seed=1)
        assert [found.estimate, found.low, found.high] == pytest.approx([expected.estimate, *expected], rel=1e-12)


@every("strata", [np.zeros(60, int), np.arange(60) % 3])
@every("rows_of_each", [4, 0])  # one by one, and by how often each case comes up
def test_as_many_rows_are_drawn_as_cases_stand_for(monkeypatch, strata, rows_of_each):
    monkeypatch.setattr(draws_of_rows, "_ROWS_OF_EACH", rows_of_each)
    rows, generator = frequencies(), np.random.default_rng(3)
    draw = draw_within(strata, int(strata.max()) + 1, rows)
    draws = np.array([draw(generator) for _ in range(2000)])
    for stratum in np.unique(strata):
        assert (draws[:, strata == stratum].sum(axis=1) == rows[strata == stratum].sum()).all()
    assert draws.mean(axis=0) == pytest.approx(rows, abs=0.15)
    assert draws.var(axis=0) == pytest.approx(rows, abs=0.5)  # as Poisson's, nearly
    assert not draws[:, rows == 0].any()


@every("strata", [np.zeros(5, int), np.array([0, 0, 1, 1, 1])])
def test_each_row_is_left_out_with_one_block(strata):
    rows = np.array([100, 300, 0, 50, 250])
    source = np.random.default_rng(4)
    left = Plan(None, np.arange(5), strata, rows).without_blocks(lambda counts: rows - counts, source)
    assert (left.sum(axis=0) == rows).all()
    assert (left >= 0).all()
    for stratum in np.unique(strata):
        sizes = left[:, strata == stratum].sum(axis=1)
        assert sizes.max() - sizes.min() <= 1


def test_a_positive_row_that_stands_for_several_varies():
    y_true, y_score = [True, False, False, False], [0.5, 0.3, 0.6, 0.7]
    ask = partial(bootstrap_interval, y_true, y_score, stratify=True, resamples=40, seed=0)
    for times, kind in ((3, "sampling"), (1, "frequency")):
        with pytest.warns(UndefinedMetricWarning, match="one positive case alone does not vary"):
            found = ask(sample_weight=[times, 1, 2, 1], weight_type=kind)
        assert np.isnan(found.low)
    found = ask(sample_weight=[3, 1, 2, 1], weight_type="frequency")
    assert found.low < found.high


def test_models_are_compared_by_their_weights():
    y_true, first, weights = weighted()
    second = weighted(seed=2)[1]
    found = bootstrap_comparison(y_true, second, first, sample_weight=weights, resamples=100, seed=1)
    areas = [metrics.roc_auc_score(y_true, scores, sample_weight=weights) for scores in (first, second)]
    assert found.estimates == pytest.approx(areas, abs=1e-13)
    assert found.low < found.difference < found.high


def no_weights(y_true, y_score):
    return float(np.mean(y_true == (y_score > 0)))


def test_functions_without_weights_get_repeated_rows_of_frequencies_alone():
    y_true, y_score, weights = weighted()
    found = bootstrap_interval(
        y_true, y_score, no_weights, sample_weight=frequencies(), weight_type="frequency", resamples=40, seed=0
    )
    assert found.estimate == no_weights(y_true.repeat(frequencies()), y_score.repeat(frequencies()))
    message = "measure must take sample_weight where cases have sampling weights, got <function no_weights"
    with pytest.raises(EvaluationError, match=f"^{re.escape(message)}.*; give it that argument$"):
        bootstrap_interval(y_true, y_score, no_weights, sample_weight=weights)


def test_a_function_that_tells_no_arguments_is_called_with_weights():
    class Compiled:
        @property
        def __signature__(self):
            raise ValueError("no signature found")

        def __call__(self, y_true, y_score, sample_weight=None):
            return np.average(y_score, weights=sample_weight)

    options = {"resamples": 40, "seed": 0, "sample_weight": np.arange(1, 51), "weight_type": "sampling"}
    found = bootstrap_interval(*made(50), Compiled(), **options)
    assert found == bootstrap_interval(*made(50), Compiled().__call__, **options)


def test_resamples_without_a_class_are_left_out_with_a_warning():
    with pytest.warns(UndefinedMetricWarning, match=r"\d+ of 200 resamples have no value") as caught:
        found = bootstrap_interval([0, 1, 0, 1], [0.1, 0.2, 0.15, 0.12], resamples=200, seed=0)
    assert caught[0].filename == __file__
    assert 0 <= found.low < found.high <= 1


@every("measure", ["roc_auc", "recall@0.5"])
@every(
    ("cases", "groups", "why"),
    (1, None, "one positive case alone does not vary"),
    (2, [0, 0, *range(1, 29)], "all positive cases are in one cluster"),
)
def test_a_class_in_one_unit_has_no_bounds(measure, cases, groups, why):
    y_true = np.arange(30) < cases
    y_score = np.random.default_rng(1).random(30)
    with pytest.warns(UndefinedMetricWarning) as caught:
        found = bootstrap_interval(y_true, y_score, measure, cluster=groups, seed=0, resamples=50)
    assert why in str(caught[-1].message)
    assert np.isnan([found.low, found.high]).all()
    with pytest.warns(UndefinedMetricWarning):
        turned = bootstrap_interval(~y_true, -y_score, "roc_auc", cluster=groups, seed=0, resamples=50)
    assert np.isnan([turned.low, turned.high]).all()


def test_functions_see_the_rows_that_are_drawn():
    y_true = np.array(["a"] * 3 + ["b"] * 12)
    y_pred = np.array(["b"] + ["a"] * 2 + ["b"] * 12)
    seen = []

    def with_weights(y_true, y_pred, sample_weight=None):
        assert sample_weight is None or sample_weight.min() > 0
        return metrics.f1_score(y_true, y_pred, average="macro", sample_weight=sample_weight)

    def without_weights(y_true, y_pred):
        seen.append(y_true.size)
        return metrics.f1_score(y_true, y_pred, average="macro")

    found = bootstrap_intervals(y_true, y_pred, [with_weights, without_weights], resamples=40, seed=0)
    weighted, repeated = found["with_weights"], found["without_weights"]
    assert (weighted.low, weighted.high) == (close_to(repeated.low), close_to(repeated.high))
    assert {*seen} == {15}


def test_thresholds_are_read_in_the_width_of_the_scores():
    y_score = np.array([0.7, 0.3, 0.2, 0.9], np.float32)
    found = bootstrap_interval([1, 0, 1, 0], y_score, "recall@0.7", stratify=True, resamples=100, seed=0)
    assert (found.estimate, found.low, found.high) == (0.5, 0.0, 1.0)


def test_infinite_values_have_no_bounds():
    def reciprocal(y_true, y_score, sample_weight=None):
        tp = np.average(y_true, weights=sample_weight)
        return np.inf if tp < 0.4 else 1 / tp

    with pytest.warns(UndefinedMetricWarning, match="the measure is infinite for some resamples"):
        found = bootstrap_interval([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], reciprocal, resamples=100, seed=0)
    assert np.isnan([found.low, found.high]).all()


def test_corrected_intervals_need_both_sides_and_every_block():
    def corrected(estimate, values, without_blocks, level=0.95):
        return bounds_and_p_value(estimate, np.array(values), level, "bca", np.array(without_blocks))

    values = [0.1, 0.2, 0.3]
    assert corrected(1.0, values, [0.1, 0.2])[3] == "all resamples lie on one side of the estimate"
    wide = corrected(0.2, values, [0.1, 0.2, 0.4], 1 - 1e-16)
    assert wide[:2] == (pytest.approx(0.1), pytest.approx(0.3))
    skewed = corrected(0.5, np.linspace(0, 0.5001, 1000), np.r_[np.zeros(199), -1.0], 0.999)
    assert skewed[3] == "the resamples are too skewed for this level"
    assert corrected(0.2, values, [0.1, np.nan])[3] == "the measure is undefined without some block of cases"
    assert corrected(0.2, values, [0.1, 0.1], 0.5)[:2] == (close_to(0.15), close_to(0.25))


def test_bounds_of_named_measures_stay_in_their_range():
    separated = np.random.default_rng(2).random(40) < 0.5
    for y_true, y_score, measure, highest in (
        ([0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.55, 0.5, 0.6, 0.7], "roc_auc", 1.0),
        (separated, np.random.default_rng(3).normal(size=40) + 4 * separated, "partial_auc@0.1", 0.1),
    ):
        asked = {"method": "basic", "seed": 0, "stratify": True, "resamples": 200}
        assert bootstrap_interval(y_true, y_score, measure, **asked).high == highest
