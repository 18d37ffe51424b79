"""Laws of reports whose rows have weights, of scores, predicted classes and scores of classes, in groups too."""

import math
from functools import cache, lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore import evaluate, inference
from evalcore.evaluation.statistics.scores import CALIBRATION
from tests.differences import every, items_of
from tests.strategies import BLOCKS, block_size

NAMES = np.array(["ash", "birch", "elm"])
KINDS = {
    "scores": {"label": "y", "score": ["s", "t"], "threshold": [0.5, 0.25], "costs": (1, 3),
               "threshold_for": {"precision": 0.5}},
    "predicted": {"label": "tree", "predicted": "guess"},
    "class scores": {"label": "tree", "score": {name: f"p_{name}" for name in NAMES.tolist()}},
}  # fmt: skip
FREQUENT = {"weight": "w", "weight_type": "frequency"}
LOSSES = {"log_loss", "brier_score", "calibration_error"}
ROUNDED = {*LOSSES, "p_value", "p_value_holm", "effective_cases", "chi_squared"}
"""Sums of scores, and what follows from sums of squares: rounding may change them."""
OF_WEIGHT = {"weight", "tp", "fn", "fp", "tn", *NAMES.tolist(), "0", "1", "2"}
"""Sums of weights, which a common factor changes: the last are of the counts by class."""
LEVELS = st.sampled_from([None, 0.9])
FEW = settings(max_examples=max(settings.default.max_examples // 2, 1))
"""Each example evaluates many reports."""
every_kind = pytest.mark.parametrize("kind", KINDS)
with_groups = pytest.mark.parametrize("by", [None, "g"])


def rows_of(weights):
    score = st.sampled_from([0.0, 0.25, 0.3, 0.5, 0.75, 1.0])
    row = st.tuples(st.booleans(), score, score, st.integers(0, 2), st.integers(0, 2), weights, st.sampled_from("abc"))
    return st.lists(row, min_size=1, max_size=40).filter(lambda rows: any(row[5] for row in rows))


def columns_of(columns):
    """Return columns by their names; the scores of classes are probabilities with ties."""
    y, s, t, tree, guess, w, g = columns
    raw = np.eye(3)[guess] + np.round(np.column_stack([s, t, s * t]), 1) + 0.1
    scores = dict(zip(KINDS["class scores"]["score"].values(), (raw / raw.sum(axis=1, keepdims=True)).T, strict=True))
    return {"y": y, "s": s, "t": t, "tree": NAMES[tree], "guess": NAMES[guess], "w": w, "g": g, **scores}


def drawn(rows):
    return columns_of(map(np.array, zip(*rows, strict=True)))


def sampled(size=300, groups=3, seed=3):
    """Return columns of rows with weights of many sizes, a third of them zero."""
    rng = np.random.default_rng(seed)
    y, tree = rng.random(size) < 0.4, rng.integers(0, 3, size)
    s, t = np.round(rng.random(size) * 0.7 + 0.3 * y, 2), np.round(rng.random(size) * 0.8 + 0.2 * y, 3)
    guess = np.where(rng.random(size) < 0.6, tree, rng.integers(0, 3, size))
    w = rng.gamma(2.0, 1.5, size) * (rng.random(size) < 0.7)
    return columns_of([y, s, t, tree, guess, w, np.array(list("abcdefg"))[rng.integers(0, groups, size)]])


def at(columns, rows):
    return {name: column[rows] for name, column in columns.items()}


def repeated(columns):
    return at(columns, np.repeat(np.arange(columns["w"].size), columns["w"]))


def check_same(found, expected, values=0.0, bounds=1e-12):
    """Compare statistics by their addresses, within tolerances."""
    assert found.keys() == expected.keys()
    for address, item in found.items():
        other, close = expected[address], max(values, 1e-12 if address[-1] in ROUNDED else 0.0)
        assert item.value == pytest.approx(other.value, rel=close, abs=close, nan_ok=True), address
        assert (item.interval is None) == (other.interval is None), address
        if item.interval is not None:
            ends = [(each.low, each.high) for each in (item.interval, other.interval)]
            assert ends[0] == pytest.approx(ends[1], rel=bounds, abs=bounds, nan_ok=True), address
            assert item.interval.method == other.interval.method


@every_kind
@with_groups
@FEW
@given(rows_of(st.integers(0, 4)), LEVELS)
def test_frequencies_give_what_repeated_rows_give(kind, by, rows, level):
    columns, asked = drawn(rows), KINDS[kind] | {"by": by, "ci": level}
    found, expected = evaluate(columns, **asked, **FREQUENT), evaluate(repeated(columns), **asked)
    bounds = 0.0 if kind == "predicted" else 1e-12  # variances of areas add up squares of weights
    check_same(items_of(found, LOSSES), items_of(expected, LOSSES), bounds=bounds)
    check_same(items_of(found), items_of(expected))
    assert found.notes == expected.notes
    assert [section.title for section in found.sections] == [section.title for section in expected.sections]
    if kind == "predicted":
        assert found.to_csv() == expected.to_csv()


@every_kind
@with_groups
@FEW
@given(rows_of(st.integers(0, 4)), st.sampled_from([int, float]))
def test_whole_sampling_weights_give_the_values_of_repeated_rows(kind, by, rows, made):
    columns = drawn(rows)
    own = {"cases", "positives", "predicted", "chi_squared", *LOSSES}
    found = items_of(evaluate(columns | {"w": columns["w"].astype(made)}, weight="w", by=by, **KINDS[kind]), own)
    expected = items_of(evaluate(repeated(columns), by=by, **KINDS[kind]), own)
    common = found.keys() & expected.keys()
    np.testing.assert_equal(*({key: each[key].value for key in common} for each in (found, expected)))
    assert {name for *_, name in found.keys() - common} == {"weight", "effective_cases"}
    ranks = {"reciprocal_rank", *(f"precision_at_{depth}" for depth in (5, 10, 100, 1000))}
    assert {name for *_, name in expected.keys() - common} == (ranks if kind == "scores" else set())


@every_kind
@with_groups
@FEW
@given(rows_of(st.sampled_from([0.0, 0.1, 0.7, 3.0])))
def test_rows_of_weight_zero_are_absent(kind, by, rows):
    columns, asked = drawn(rows), KINDS[kind] | {"by": by, "weight": "w", "ci": 0.9}
    report, present = evaluate(columns, **asked), evaluate(at(columns, columns["w"] > 0), **asked)
    assert (report.to_csv(), report.notes) == (present.to_csv(), present.notes)


FACTORS = 0.5, 3.7, 2.0**600, 1e-200, 2.0**-1060


@cache
def with_weights(kind, by, *, whole):
    """Return columns whose weights may be whole numbers, and a report on them."""
    columns = sampled()
    columns |= {"w": np.rint(columns["w"])} if whole else {}
    return columns, evaluate(columns, **KINDS[kind], by=by, weight="w", ci=0.9)


@every_kind
@with_groups
@every("factor", FACTORS)
def test_a_common_factor_changes_sums_of_weights_alone(kind, by, factor):
    columns, one = with_weights(kind, by, whole=factor < 1e-300)  # denormal numbers have few digits
    other = evaluate(columns | {"w": columns["w"] * factor}, **KINDS[kind], by=by, weight="w", ci=0.9)
    exact = factor == 0.5 and kind != "scores"
    values, bounds = (0.0, 0.0) if exact else (1e-12 if kind == "scores" else 1e-9, 1e-9)
    check_same(items_of(other, OF_WEIGHT), items_of(one, OF_WEIGHT), values, bounds)
    weights = [[item.value for key, item in items_of(each).items() if key[-1] == "weight"] for each in (one, other)]
    assert weights[1] == pytest.approx(np.multiply(weights[0], factor), rel=1e-12, abs=0)


@lru_cache(typed=True)  # the integer 1 is another weight than 1.0
def of_equal_weights(kind, weight):
    """Return a report on rows that all have this weight, or none."""
    columns = sampled(400)
    columns |= {"u": columns["s"]}  # whose difference has no variance
    columns |= {} if weight is None else {"w": np.full(400, weight)}
    asked = {"score": ["s", "t", "u"], "compare": "all"} if kind == "scores" else {}
    return evaluate(columns, **KINDS[kind] | asked, ci=0.9, weight=None if weight is None else "w")


@every_kind
@every("weight", [1, 1.0, 0.3, 50.0])
def test_equal_weights_give_the_numbers_and_intervals_of_none(kind, weight):
    found = of_equal_weights(kind, weight)
    own = {*OF_WEIGHT, "effective_cases", "reciprocal_rank", *(f"precision_at_{depth}" for depth in (5, 10, 100, 1000))}
    expected = of_equal_weights(kind, None)
    check_same(items_of(found, own), items_of(expected, own), *((1e-11, 1e-11) if kind == "scores" else (1e-12, 1e-12)))
    assert any("intervals are those of a weighted sample" in note for note in found.notes) == (kind == "scores")


def check_groups_alone(kind, columns, values=0.0, **asked):
    """Compare each group with the report on its rows."""
    asked = KINDS[kind] | asked | ({"threshold_for": None} if kind == "scores" else {})  # a target is of all rows
    if kind == "scores" and asked.get("ci"):
        asked["compare"] = "none"
    report = evaluate(columns, by="g", **asked)
    present = columns["g"][columns["w"] > 0] if asked.get("weight") else columns["g"]
    assert {*report.sections[0].groups} == {*present.tolist()}
    for group in report.sections[0].groups:
        alone = items_of(evaluate(at(columns, columns["g"] == group), **asked), CALIBRATION)
        if kind != "scores":
            alone = {key: item for key, item in alone.items() if key[0] == "statistics"}
        own = {(key[0], key[1], key[3]): item for key, item in items_of(report).items() if key[2] == group}
        check_same(own, {(key[0], next(iter(own))[1] if kind != "scores" else key[1], key[3]): item
                         for key, item in alone.items()}, values)  # fmt: skip


@every("kind", ["scores", "predicted"])
@FEW
@given(rows_of(st.integers(0, 4)), st.sampled_from([{}, {"weight": "w"}, FREQUENT]), LEVELS, BLOCKS)
def test_whole_weights_give_groups_what_their_rows_alone_have_to_the_bit(kind, rows, weighing, level, block):
    with block_size(block):
        check_groups_alone(kind, drawn(rows), ci=level, **weighing)


@every("kind", ["scores", "predicted"])
@FEW
@given(rows_of(st.sampled_from([0.0, 0.1, 0.7, 3.3, 2.0])), LEVELS, BLOCKS)
def test_weights_give_groups_what_their_rows_alone_have(kind, rows, level, block):
    with block_size(block):
        check_groups_alone(kind, drawn(rows), 1e-12, ci=level, weight="w")


def test_weights_whose_sums_are_rounded_give_a_measure_that_cannot_vary_no_bounds():
    columns = {"tree": ["elm", "elm"], "guess": ["ash", "elm"], "w": [0.7, 0.7], "g": ["b", "b"]}
    for asked in ({}, {"by": "g"}, {"weight": "w"}, {"weight": "w", "by": "g"}):
        report = evaluate(columns, label="tree", predicted="guess", ci=0.9, **asked)
        items = [each for record in report.sections[0].records.values() for each in record]
        found = [each for each in items if each.name == "weighted_precision"]
        assert all(math.isnan(each.interval.low) for each in found), asked
        assert found, asked


@every_kind
@every("weight", [None, "w"])
def test_groups_of_many_rows_have_what_their_rows_alone_have(kind, weight):
    check_groups_alone(kind, sampled(), 1e-12 if weight else 0.0, ci=0.9, weight=weight)


def test_heavy_and_whole_groups_are_exact():
    columns = sampled(60, 2)
    columns["w"] = np.rint(columns["w"]).astype(np.int64) * 10**9 + 7
    check_groups_alone("scores", columns, weight="w")
    columns = sampled(groups=2)
    first = columns["g"] == "a"
    columns["w"][first] = np.rint(columns["w"][first]) + 1
    asked = KINDS["scores"] | {"weight": "w", "score": "s", "threshold_for": None}
    found, expected = evaluate(columns, by="g", **asked), evaluate(at(columns, first), **asked)
    own, other = ({("", item.name): item for item in items} for items in
                  (found.sections[0].records["a"], expected.sections[0].records["s"]))  # fmt: skip
    check_same(own, other)


@every_kind
def test_groups_of_other_orders_of_magnitude_do_not_meet(kind):
    columns = sampled(groups=4)
    spread = [1e-250, 1.0, 1e15, 1e280] if kind == "scores" else [1e-200, 1.0, 1e15, 1e20]
    factors = dict(zip("abcd", spread, strict=True))
    asked = KINDS[kind] | {"ci": 0.9, "by": "g", "weight": "w", **({"threshold_for": None} if kind == "scores" else {})}
    scaled = columns | {"w": columns["w"] * np.array([factors[group] for group in columns["g"]])}
    one, other = (items_of(evaluate(each, **asked), OF_WEIGHT) for each in (columns, scaled))
    for totals in [key for key in one if "total" in key]:
        del one[totals], other[totals]
    check_same(other, one, *((1e-12, 1e-12) if kind == "scores" else (1e-9, 1e-9)))


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")  # of all rows together
def test_fractions_of_weights_without_squares_have_the_interval_of_one_case():
    columns = {"y": [1, 1, 1, 0], "s": [0.1, 0.2, 0.9, 0.3], "g": list("aaab"), "w": [1e200, 1e200, 1e-34, 1]}
    asked = {"label": "y", "score": "s", "weight": "w", "ci": 0.95, "threshold": 0.5, "by": "g"}
    found = evaluate(columns, **asked).to_dict()["scores"]["s"]["a"]
    bounds = found["precision_low"], found["precision"], found["precision_high"]
    assert bounds == pytest.approx((inference.proportion_interval(1, 1).low, 1, 1))


@every_kind
def test_the_order_of_rows_changes_no_number(kind):
    columns, asked = sampled(groups=7), KINDS[kind] | {"by": "g", "weight": "w", "ci": 0.9}
    order = np.random.default_rng(1).permutation(300)
    check_same(items_of(evaluate(at(columns, order), **asked)), items_of(evaluate(columns, **asked)), 1e-12)


@every("kind", ["scores", "predicted"])
@FEW
@given(rows_of(st.integers(0, 3)))
def test_groups_are_compared_with_the_rest_as_repeated_rows_are(kind, rows):
    columns, asked = drawn(rows), KINDS[kind] | {"by": "g", "ci": 0.9, "compare_groups": True, "threshold_for": None}
    found, expected = evaluate(columns, **asked, **FREQUENT), evaluate(repeated(columns), **asked)
    assert found.notes == expected.notes
    check_same(items_of(found), items_of(expected))
    if kind == "predicted":
        assert found.to_csv() == expected.to_csv()
