"""Groups of weighted rows have the numbers of reports on their rows alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sklearn

from evalcore import evaluate
from evalcore.errors import EvaluationError
from evalcore.report.statistics.calibrations import CALIBRATION
from tests.strategies import BLOCKS, block_size

ROUNDED = ["log_loss", "brier_score", "calibration_error", "p_value", "p_value_holm", "effective_cases", "chi_squared"]
"""Sums of scores, and what follows from sums of squares: rounding may change them."""
ASKED = {"label": "y", "score": ["s", "t"], "weight": "w", "threshold": [0.5, 0.25], "costs": (1, 3)}
TARGETS = {"threshold_for": {"precision": 0.5}}
SCORES = st.sampled_from([0.0, 0.25, 0.3, 0.5, 0.75, 1.0])
LEVELS = st.sampled_from([None, 0.9])
FEW = settings(max_examples=max(settings.default.max_examples // 3, 1))
"""Each example evaluates every group by itself."""


def rows_of(weights, least=1):
    row = st.tuples(st.booleans(), SCORES, SCORES, weights, st.sampled_from("abc"))
    return st.lists(row, min_size=least, max_size=40).filter(lambda rows: any(weight for *_, weight, _ in rows))


def columns_of(rows):
    return dict(zip("ystwg", map(np.array, zip(*rows, strict=True)), strict=True))


def at(columns, rows):
    return {name: column[rows] for name, column in columns.items()}


def records_of(report, group):
    """Return the records of a group, or of all rows, by sections: decisions have one for each model and threshold."""
    return [section.records[group] for section in report.sections if group in section.records]


def alone(report):
    """Return the records of each model, as sections of groups have them: without intervals of calibration."""
    ranked, *decided = [section for section in report.sections if section.record == "score"]
    models = [[item for item in items if item.name not in CALIBRATION] for items in ranked.records.values()]
    return [*models, *(items for section in decided for items in section.records.values())]


def check_same(found, expected, tolerance=0.0):
    """Compare records: names, values, and intervals to 1e-12."""
    assert [item.name for item in found] == [item.name for item in expected]
    for own, other in zip(found, expected, strict=True):
        close = max(tolerance, 1e-12 if own.name in ROUNDED else 0.0)
        assert own.value == pytest.approx(other.value, rel=close, abs=close, nan_ok=True), own.name
        assert (own.interval is None) == (other.interval is None), own.name
        if own.interval is not None:
            bounds = [(each.low, each.high) for each in (own.interval, other.interval)]
            assert bounds[0] == pytest.approx(bounds[1], rel=1e-12, abs=1e-12, nan_ok=True), own.name
            assert own.interval.method == other.interval.method


def check_groups_alone(columns, tolerance=0.0, **asked):
    report = evaluate(columns, by="g", **ASKED, **asked)
    present = columns["w"] > 0
    assert set(report.sections[0].groups) == set(map(str, np.unique(columns["g"][present])))
    for group in report.sections[0].groups:
        expected = alone(evaluate(at(columns, columns["g"].astype(str) == group), **ASKED, **asked))
        for own, other in zip(records_of(report, group), expected, strict=False):
            check_same(own, other, tolerance)


@FEW
@given(rows_of(st.integers(0, 4)), st.sampled_from(["sampling", "frequency"]), LEVELS, BLOCKS)
def test_whole_weights_give_groups_what_their_rows_alone_have_to_the_bit(rows, kind, level, block):
    with block_size(block):
        check_groups_alone(columns_of(rows), weight_type=kind, ci=level, compare="none" if level else None)


@FEW
@given(rows_of(st.sampled_from([0.0, 0.1, 0.7, 3.3, 2.0])), LEVELS, BLOCKS)
def test_weights_give_groups_what_their_rows_alone_have(rows, level, block):
    with block_size(block):
        check_groups_alone(columns_of(rows), 1e-12, ci=level, compare="none" if level else None)


@FEW
@given(rows_of(st.integers(0, 3)), LEVELS)
def test_frequencies_give_what_repeated_rows_give(rows, level):
    columns = columns_of(rows)
    asked = ASKED | TARGETS | {"by": "g", "ci": level}
    repeated = {name: np.repeat(column, columns["w"]) for name, column in columns.items()}
    expected = evaluate(repeated, **(asked | {"weight": None}))
    found = evaluate(columns, **asked, weight_type="frequency")
    assert found.notes == expected.notes
    assert [section.title for section in found.sections] == [section.title for section in expected.sections]
    for own, other in zip(found.sections, expected.sections, strict=True):
        assert list(own.records) == list(other.records)
        for group in own.records:
            check_same(own.records[group], other.records[group])


def check_order(columns, order):
    """Compare the records of rows with those of the same rows in another order."""
    asked = ASKED | {"by": "g", "ci": 0.9}
    one, other = evaluate(columns, **asked), evaluate(at(columns, order), **asked)
    for own, again in zip(one.sections, other.sections, strict=True):
        assert list(own.records) == list(again.records)
        for group in own.records:
            check_same(own.records[group], again.records[group], 1e-12)


def many_groups(rows, groups, seed=3):
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.4
    s = np.round(rng.random(rows) * 0.7 + 0.3 * y, 2)
    t = np.round(rng.random(rows) * 0.8 + 0.2 * y, 3)
    return {"y": y, "s": s, "t": t, "w": rng.gamma(2.0, 1.5, rows), "g": rng.integers(0, groups, rows)}


def test_the_order_of_rows_changes_no_number():
    columns = many_groups(300, 7)
    check_order(columns, np.random.default_rng(1).permutation(300))


def test_many_groups_have_the_measures_of_scikit_learn():
    columns = many_groups(6000, 200)
    report = evaluate(columns, by="g", **ASKED)
    ranked = {section.name: section.records for section in report.sections[:2]}
    for group in (0, 17, 199):
        own = at(columns, columns["g"] == group)
        found = {item.name: item.value for item in ranked["s"][str(group)]}
        y, s, weighted = own["y"], own["s"], {"sample_weight": own["w"]}
        expected = {
            "cases": y.size,
            "positives": y.sum(),
            "weight": own["w"].sum(),
            "effective_cases": own["w"].sum() ** 2 / (own["w"] ** 2).sum(),
            "prevalence": own["w"][y].sum() / own["w"].sum(),
            "roc_area": sklearn.roc_auc_score(y, s, **weighted),
            "average_precision": sklearn.average_precision_score(y, s, **weighted),
            "log_loss": sklearn.log_loss(y, s, **weighted),
            "brier_score": sklearn.brier_score_loss(y, s, **weighted),
            "f1": sklearn.f1_score(y, s >= 0.5, **weighted),
            "precision": sklearn.precision_score(y, s >= 0.5, **weighted),
            "kappa": sklearn.cohen_kappa_score(y, s >= 0.5, **weighted),
        }
        assert {name: found[name] for name in expected} == pytest.approx(expected, rel=1e-12)


def test_groups_of_other_orders_of_magnitude_do_not_meet():
    columns = many_groups(300, 4)
    factors = np.array([1e-250, 1.0, 1e15, 1e280])[columns["g"]]
    asked = ASKED | {"ci": 0.9, "by": "g"}
    one, other = evaluate(columns, **asked), evaluate(columns | {"w": columns["w"] * factors}, **asked)
    of_weight = {"weight", "tp", "fn", "fp", "tn"}
    for own, again in zip(one.sections, other.sections, strict=True):
        for group in map(str, range(4)):
            found, expected = (
                [item for item in section.records[group] if item.name not in of_weight] for section in (again, own)
            )
            check_same(found, expected, 1e-12)


def test_whole_groups_beside_others_are_exact():
    columns = many_groups(300, 2)
    columns["w"][columns["g"] == 0] = np.rint(columns["w"][columns["g"] == 0]) + 1
    whole = at(columns, columns["g"] == 0)
    asked = ASKED | {"score": "s"}
    found, expected = evaluate(columns, by="g", **asked), evaluate(whole, **asked)
    check_same(found.sections[0].records["0"], expected.sections[0].records["s"])


def test_heavy_groups_are_exact():
    columns = many_groups(60, 2)
    columns["w"] = np.rint(columns["w"]).astype(np.int64) * 10**9 + 7
    check_groups_alone(columns)


def test_groups_are_ordered_and_left_out_by_cases():
    columns = {
        "y": [1, 0, 1, 0, 1, 0, 1],
        "s": [0.9, 0.1, 0.8, 0.3, 0.4, 0.2, 0.5],
        "w": [1, 1, 9, 0, 2, 2, 0],
        "g": ["a", "a", "b", "b", "c", "c", "d"],
    }
    asked = {"label": "y", "score": "s", "by": "g", "weight": "w"}
    assert evaluate(columns, **asked).sections[0].groups == ["a", "c", "b"]
    assert evaluate(columns, **asked, weight_type="frequency").sections[0].groups == ["b", "c", "a"]
    assert evaluate(columns, **asked, min_cases=2).sections[0].groups == ["a", "c"]
    assert evaluate(columns, **asked, weight_type="frequency", min_cases=3).sections[0].groups == ["b", "c"]


def test_a_target_prevalence_is_that_of_all_rows_and_not_of_each_group():
    columns = many_groups(400, 3)
    asked = ASKED | {"by": "g", "ci": 0.9, "score": "s"}
    one, other = evaluate(columns, **asked), evaluate(columns, **asked, target_prevalence=0.1)
    assert other["total", "prevalence"] == 0.1
    for group in one.sections[0].groups:
        for name in ("cases", "positives", "effective_cases", "recall", "specificity", "roc_area"):
            assert other[group, name] == pytest.approx(one[group, name], rel=1e-12), name
        assert other[group, "prevalence"] < one[group, "prevalence"]
    assert other["total", "effective_cases"] == one["total", "effective_cases"]
    assert "all rows together have this prevalence: that of a group may be higher or lower" in other.notes
    unweighted = evaluate(columns, label="y", score="s", by="g", target_prevalence=0.1)
    assert "weight" not in {item.name for item in unweighted.sections[0].records["total"]}


@pytest.mark.parametrize("block", [8, 120, 1000])
def test_models_are_compared_in_groups_by_their_weights(block):
    columns = many_groups(300, 3)
    with block_size(block):
        report = evaluate(columns, by="g", ci=0.9, **ASKED)
    compared = next(section for section in report.sections if section.name == "s - t")
    for group in compared.groups:
        alone_ = evaluate(at(columns, columns["g"] == int(group)), ci=0.9, **ASKED)
        (expected,) = next(section for section in alone_.sections if section.record == "pair").records.values()
        check_same(compared.records[group][:2], expected[:2], 1e-12)


@FEW
@given(rows_of(st.integers(0, 3), least=8))
def test_groups_are_compared_with_the_rest_as_repeated_rows_are(rows):
    columns = columns_of(rows)
    asked = {"label": "y", "score": "s", "by": "g", "ci": 0.9, "compare_groups": True}
    repeated = {name: np.repeat(column, columns["w"]) for name, column in columns.items()}
    found, expected = evaluate(columns, **asked, weight="w", weight_type="frequency"), evaluate(repeated, **asked)
    assert found.notes == expected.notes
    for group, items in expected.sections[1].records.items():
        check_same(found.sections[1].records[group], items)


def test_comparisons_of_groups_take_no_sampling_weights():
    columns = many_groups(40, 2)
    asked = {"label": "y", "score": "s", "by": "g", "ci": 0.9, "compare_groups": True, "weight": "w"}
    with pytest.raises(EvaluationError, match=r"^compare_groups takes no sampling weights: leave it out and compare"):
        evaluate(columns, **asked)
    columns["w"] = np.full(40, 2**40)
    with pytest.raises(EvaluationError, match=r"^compare_groups takes fewer than 1,073,741,824 cases, got 4"):
        evaluate(columns, **asked, weight_type="frequency")


@given(st.lists(st.tuples(st.booleans(), st.floats(0.01, 3.0)), min_size=2, max_size=12))
def test_perfect_rankings_break_even_at_one_however_sums_are_rounded(rows):
    y, w = map(np.array, zip(*rows, strict=True))
    columns = {"y": y, "s": np.where(y, 0.75, 0.25) + np.arange(y.size) / 64, "w": w, "g": np.zeros(y.size, np.int64)}
    expected = float(y.any())
    for by, record in ((None, "s"), ("g", "0")):
        found = evaluate(columns, label="y", score="s", weight="w", by=by)
        assert found[record, "break_even_point"] == expected
