"""Agreement of two and of more raters, beside definitions, irrCAC and others."""

import csv
import math
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from evalcore import EvaluationError, metrics
from evalcore.errors import UndefinedMetricWarning
from evalcore.inference import (
    agreement_interval,
    f1_interval,
    kappa_interval,
    krippendorff_interval,
    proportion_interval,
)
from evalcore.inference.cells import cells_of_counts
from evalcore.kernels.tables import BinaryCounts
from evalcore.measures import multiclass
from evalcore.measures.agreement import DISTANCES, RatedSubjects, rating_weights
from evalcore.validation.weights import disagreement_of_classes
from tests.differences import every
from tests.reference import inference as slow
from tests.strategies import TABLES, close_to, columns_of

TABLES_OF_CLASSES = st.integers(1, 4).flatmap(
    lambda classes: columns_of([*[0, 0, 1, 2, 5] * 4, *range(31)], classes**2).map(
        lambda cells: np.reshape(cells, (classes, classes)).tolist()
    )
)


def columns(table):
    """Write a table out as references and responses; of two classes, positives first."""
    cells = np.asarray(table)
    return np.divmod(np.repeat(np.arange(cells.size), cells.ravel()), len(cells))


def f1_variances(*tables):
    cells = cells_of_counts(np.array(tables))
    return cells.spread(multiclass.decision_derivatives("f1", cells.sums.sums)).variances


def kappa_variances(counts, weights=None):
    cells = cells_of_counts(np.asarray(counts)[np.newaxis])
    apart = disagreement_of_classes(weights, cells.table.shape[-1], "kappa_interval")
    return cells.spread(multiclass.kappa_derivatives(cells.table, apart)).variances


def binary_columns(table):
    return np.repeat([1, 1, 0, 0], table), np.repeat([1, 0, 1, 0], table)


SEXUAL_FUN = np.array([[7, 7, 2, 3], [2, 8, 3, 7], [1, 5, 4, 9], [2, 8, 9, 14]])
"""How often husbands and wives of 91 couples find sex fun: A. Agresti, Categorical Data Analysis (1990), table 2.10."""


@every(
    ("weights", "kappa", "error"),
    # R: vcd 1.4, Kappa(SexualFun); irrCAC's weights are these too
    (None, 0.1293, 0.06860),
    ("linear", 0.2374, 0.07832),
    (1 - np.abs(np.subtract.outer(range(4), range(4))) / 3, 0.2374, 0.07832),
)
def test_weighted_kappas_are_those_of_r(weights, kappa, error):
    found = kappa_interval(*columns(SEXUAL_FUN), weights=weights, level=0.9)
    assert found.estimate == close_to(kappa, abs=5e-5)
    assert math.sqrt(kappa_variances(SEXUAL_FUN, weights)[0]) == close_to(error, abs=5e-6)
    assert metrics.cohen_kappa_score(*columns(SEXUAL_FUN), weights=weights) == close_to(found.estimate, rel=1e-12)


@given(TABLES_OF_CLASSES, st.sampled_from(["linear", "quadratic"]), st.sampled_from([None, "sampling", "frequency"]))
def test_weighted_kappas_are_those_of_statsmodels(table, weights, kind):
    counts = np.array(table)
    present = np.flatnonzero(counts.sum(axis=0) + counts.sum(axis=1))
    assume(present.size > 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = cohens_kappa(counts[np.ix_(present, present)], wt=weights)
    assume(np.isfinite(expected.kappa) and expected.var_kappa > 1e-9)
    first, second = columns(table)
    given = {} if kind is None else {"sample_weight": np.ones(len(first), np.int64), "weight_type": kind}
    found = kappa_interval(first, second, weights=weights, level=0.9, **given)
    assert found.estimate == close_to(expected.kappa, abs=1e-12)
    assert found.low <= found.estimate <= found.high
    assert kappa_variances(counts[np.ix_(present, present)], weights) == close_to([expected.var_kappa], rel=1e-9)
    similar = kappa_interval(first, second, weights=weights, cluster=np.arange(len(first)), level=0.9)
    assert similar.estimate == close_to(expected.kappa, abs=1e-12)


@given(TABLES_OF_CLASSES, st.integers(0, 99))
def test_kappa_is_the_same_for_other_names_other_orders_and_either_judge(table, seed):
    assume(np.sum(table) and slow.kappa_variance(table))
    first, second = columns(table)
    interval = kappa_interval(first, second)
    random = np.random.default_rng(seed)
    order, words = random.permutation(first.size), random.permutation(["pear", "apple", "fig", "date"])
    renamed = kappa_interval(words[first][order], words[second][order])
    swapped = kappa_interval(second, first)
    for other in (renamed, swapped):
        assert [other.estimate, other.low, other.high] == close_to(
            [interval.estimate, interval.low, interval.high], abs=1e-12
        )


@given(TABLES)
@example(BinaryCounts(1, 1, 0, 0))
def test_f1_is_inside_its_bounds_whatever_the_negatives(table):
    tp, fn, fp, tn = table
    assume(tp + fn + fp)
    interval = f1_interval(*binary_columns(table))
    assert 0 <= interval.low <= interval.estimate <= interval.high <= 1
    assert interval.high - interval.low > 0
    assert interval.estimate == close_to(metrics.f1_score(*binary_columns(table)))
    assert f1_interval(*binary_columns(BinaryCounts(tp, fn, fp, tn + 9))) == interval
    assert [*f1_interval(*binary_columns(table)[::-1])] == close_to([*interval])
    jaccard = proportion_interval(tp, tp + fn + fp)
    assert [*interval] == close_to([2 * bound / (1 + bound) for bound in jaccard])


def test_large_tables_do_not_overflow():
    counts = np.array([[3, 1], [1, 3]]) * 2**58
    assert kappa_variances(counts) == close_to([0.09375 / 2**58])
    assert f1_variances([[2**62, 2**61], [3 * 2**61, 0]]) == close_to([0.046875 / 2**61])


NAN = math.nan
RATINGS = {
    "four": [
        *([1, 1, NAN, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4]),
        *([4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [NAN, 5, 5, 5], [NAN, NAN, 1, 1], [NAN, NAN, 3, NAN]),
    ],
    "five": [
        *([1, 1, 2, NAN, 2], [1, 1, 0, 1, NAN], [2, 3, 3, 3, NAN], [NAN, 0, 0, NAN, 0], [0, 0, 0, NAN, 0]),
        *([0, 0, 0, NAN, 0], [1, 0, 2, NAN, 1], [1, NAN, 2, 0, NAN], [2, 2, 2, NAN, 2], [2, 1, 1, 1, NAN]),
        *([NAN, 1, 0, 0, NAN], [0, 0, 0, 0, NAN], [1, 2, 2, 2, NAN], [3, 3, 2, 2, 3], [1, 1, 1, NAN, 1]),
    ],
}
"""`cac.raw4raters` and `cac.raw5obser` of irrCAC."""
METRICS = {"identity": "nominal", "quadratic": "interval", "ratio": "ratio"}
ROWS = st.integers(2, 4).flatmap(
    lambda raters: st.lists(
        st.lists(st.sampled_from([None, 1, 1, 2, 4]), min_size=raters, max_size=raters), min_size=2, max_size=6
    )
)


def printed():
    with open(Path(__file__).parents[1] / "data" / "irrcac.csv", encoding="utf-8") as lines:
        yield from csv.DictReader(lines)


@every("row", [*printed()])
def test_numbers_are_those_of_irrcac(row):
    """By irrCAC 1.0 in R 4.2.2, which rounds estimates to five digits and bounds to three."""
    ratings, weights = RATINGS[row["dataset"]], row["weights"]
    if row["coefficient"] == "krippendorff":
        found = krippendorff_interval(ratings, metric=METRICS[weights])
    else:
        found = agreement_interval(ratings, coefficient=row["coefficient"], weights=weights)
    assert found.observed == close_to(float(row["observed"]), rel=1e-9)
    assert found.by_chance == close_to(float(row["by_chance"]), rel=1e-9)
    assert found.estimate == close_to(float(row["estimate"]), abs=5.1e-6)
    assert found.standard_error == close_to(float(row["standard_error"]), abs=5.1e-6)
    assert [*found] == close_to([float(row["low"]), float(row["high"])], abs=5.1e-4)
    assert found.p_value == close_to(float(row["p_value"]), rel=1e-6, abs=1e-12)


def quietly(function, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        return function(*args, **options).estimate


def expected(value):
    return pytest.approx(NAN if value is None else float(value), abs=1e-12, nan_ok=True)


@given(ROWS)
@example([[None, None, 1], [1, 1, 1]])
@example([[None, None, 1], [None, None, 4], [None, 2, 2]])
@example([[1, 1, 2]])
def test_coefficients_are_what_their_definitions_say(rows):
    assume(any(map(slow.pairs_of, rows)))

    def equal(first, second):
        return Fraction(first == second)

    def linear(first, second):
        values = {rating for row in rows for rating in row} - {None}
        return 1 - Fraction(abs(first - second), max(max(values) - min(values), 1))

    assert quietly(agreement_interval, rows, coefficient="fleiss") == expected(slow.fleiss_kappa(rows, equal))
    assert quietly(agreement_interval, rows, coefficient="fleiss", weights="linear") == expected(
        slow.fleiss_kappa(rows, linear)
    )
    assert quietly(agreement_interval, rows, coefficient="conger", weights="linear") == expected(
        slow.conger_kappa(rows, linear)
    )
    assert quietly(agreement_interval, rows) == expected(slow.gwet_ac1(rows))
    for metric, distance in {
        "nominal": lambda first, second, _: first != second,
        "ordinal": slow.ordinal_distance,
        "interval": lambda first, second, _: (first - second) ** 2,
        "ratio": lambda first, second, _: Fraction(first - second, first + second) ** 2,
    }.items():
        assert quietly(krippendorff_interval, rows, metric=metric) == expected(slow.krippendorff_alpha(rows, distance))


@given(ROWS, st.sampled_from(["identity", "quadratic", *DISTANCES]))
def test_pairs_are_added_up_alike_by_category_and_by_pair(rows, weights):
    codes = np.array([[{None: -1, 1: 0, 2: 1, 4: 2}[rating] for rating in row] for row in rows])
    rated = RatedSubjects(codes, rating_weights(np.array([1.0, 2.0, 4.0]), weights))
    by_pair = rated._sums_by_pair(-np.sort(-codes)).tolist()
    assert rated._sums_by_category(codes).tolist() == close_to(by_pair, abs=1e-12)
    if codes.max() >= 0:
        assert rated.pair_sums().tolist() == close_to(by_pair, abs=1e-12)


def test_texts_and_frames_and_missing_ratings_are_read_alike():
    numbers = np.array(RATINGS["four"])
    plain = agreement_interval(numbers, weights="ordinal")
    rows = [[None if math.isnan(each) else "abcde"[int(each) - 1] for each in row] for row in numbers]
    frame = pd.DataFrame(numbers)
    with_gaps = [[NAN if each is None else each for each in row] for row in rows]
    nullable = frame.astype("Int64")
    others = [[None if math.isnan(each) else "edcba"[int(each) - 1] for each in row] for row in numbers]
    for ratings in (rows, with_gaps, pd.DataFrame(rows), pd.DataFrame(rows).astype("category"), frame, nullable):
        assert agreement_interval(ratings, weights="ordinal") == plain
    assert agreement_interval(others, weights="ordinal", categories=[*"edcba"]) == plain
    assert agreement_interval([*rows, [None] * 4], weights="ordinal") == plain
    assert hash(plain) == hash(agreement_interval(frame, weights="ordinal"))


def test_categories_that_no_rater_used_change_what_is_expected():
    ratings = [[1, 1], [1, 2], [2, 2], [2, 2]]
    two, three = (agreement_interval(ratings, categories=given) for given in (None, [1, 2, 3]))
    assert [two.by_chance, three.by_chance] == close_to([15 / 32, 15 / 64])


def test_as_many_values_as_ratings_may_be_compared_by_distance_and_rank():
    ratings = np.random.default_rng(2).normal(size=(3_000, 1)) + np.random.default_rng(3).normal(size=(3_000, 3))
    by_variance = 1 - ratings.var(axis=1, ddof=1).mean() / ratings.var(ddof=1)
    assert krippendorff_interval(ratings, metric="interval").estimate == close_to(by_variance)
    assert krippendorff_interval(ratings, metric="ordinal").estimate == close_to(by_variance, abs=0.05)
    with pytest.raises(EvaluationError, match="at most 4096 different values for metric='ratio', got 9000; round them"):
        krippendorff_interval(np.exp(ratings), metric="ratio")


def test_bounds_of_a_percent_are_not_below_0():
    assert agreement_interval([[1, 1], [1, 2], [2, 1]], coefficient="percent").low == 0
