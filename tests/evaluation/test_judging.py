"""Verdicts against two one-sided tests of SciPy, by margins of some measures, and what a sample could have shown."""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.stats

import evalcore
from evalcore.document.words.comparison import margin_sentences
from evalcore.errors import EvaluationError
from evalcore.evaluation.differences import (
    EQUIVALENT,
    INCONCLUSIVE,
    INFERIOR,
    NON_INFERIOR,
    NOT_SHOWN,
    SUPERIOR,
    MeasureDifference,
    detectable_difference,
    judged,
    verdict,
)
from evalcore.inference import Comparison
from evalcore.inference.intervals import compare_areas, compare_normal
from evalcore.inference.units import Spread
from tests.differences import every


def difference(gain, error, level=0.95, lower_is_better=False):
    sign = -1 if lower_is_better else 1
    estimates = np.array([0.5 + sign * gain]), np.array([0.5])
    [found] = compare_normal(estimates, Spread.normal(np.array([error**2])), level, "delta").each()
    return MeasureDifference("f1", "F1", found, error, lower_is_better)


@every("lower_is_better", [False, True])
@every(
    ("gain", "margin", "expected"),
    (0.1, None, "better"),
    (-0.1, None, "worse"),
    (0.01, None, "no difference shown"),
    (0.1, 0.05, "superior"),
    (-0.1, 0.05, "inferior"),
    (0.0, 0.05, "equivalent"),
    (0.04, 0.05, "non-inferior"),
    (-0.045, 0.05, "inconclusive"),
)
def test_verdicts_with_and_without_a_margin(gain, margin, expected, lower_is_better):
    assert verdict(difference(gain, 0.02, lower_is_better=lower_is_better), margin) == expected


@every("margin", [None, 0.005])
def test_the_interval_decides_and_another_one_where_the_level_of_verdicts_is_another(margin):
    found = Comparison((0.6, 0.5), 0.1, -0.002, 0.2, 0.95, np.nan, 0.04, "delta")
    item = MeasureDifference("f1", "F1", found, 0.05)
    assert not item.is_shown
    assert verdict(item, margin) == ("no difference shown" if margin is None else "non-inferior")
    item = item._replace(judged_by=Comparison((0.6, 0.5), 0.1, 0.01, 0.19, 0.9, 2.0, 0.04, "delta"))
    assert verdict(item, margin) == ("no difference shown" if margin is None else "superior")


def one_sided(sample, side, bound=0.0):
    return scipy.stats.ttest_1samp(sample, bound, alternative=side)


@every("level", [0.9, 0.95])
def test_equivalence_is_two_one_sided_tests(level):
    """Both one-sided tests of SciPy reject at (1 - level) / 2 if and only if the verdict is equivalent."""
    generator, seen = np.random.default_rng(4), set()
    for centre in np.linspace(-0.06, 0.06, 41):
        sample = generator.normal(centre, 1.0, 4000)
        tests = [one_sided(sample, side, bound).pvalue for bound, side in ((-0.05, "greater"), (0.05, "less"))]
        both = max(tests) < (1 - level) / 2
        judgement = verdict(difference(sample.mean(), scipy.stats.sem(sample), level), 0.05)
        seen.add(judgement)
        assert (judgement == "equivalent") == both
        if judgement in ("equivalent", "non-inferior"):
            assert tests[0] < (1 - level) / 2
    assert {"equivalent", "non-inferior", "inconclusive"} <= seen


def test_what_has_no_interval_or_no_error_is_inconclusive():
    found = Comparison((0.5, 0.4), 0.1, np.nan, np.nan, 0.95, np.nan, np.nan, "delong")
    assert verdict(MeasureDifference("roc_auc", "ROC AUC", found)) == "inconclusive"
    [judgement] = judged([MeasureDifference("roc_auc", "ROC AUC", found)], 0.95)
    assert np.isnan([judgement.holm, judgement.benjamini_hochberg, judgement.detectable]).all()
    found = difference(0.0, 0.0)
    assert np.isnan(found.found.low)
    assert (verdict(found), verdict(found, 0.01)) == ("inconclusive", "inconclusive")
    low = MeasureDifference("f1", "F1", Comparison((0.1, 0.9), -0.8, -1.0, -0.4, 0.95, -4.0, 1e-4, "delta"), 0.2)
    assert verdict(low, 0.9) == "inconclusive"


def test_what_could_be_shown_has_its_power():
    shift = detectable_difference(difference(0.1, 0.01), 0.95)
    power = scipy.stats.norm.sf(scipy.stats.norm.isf(0.025) - shift / 0.01)
    assert power == pytest.approx(0.8, abs=1e-3)
    for error in (0.0, 1e-17, np.nan):  # losses that differ by a constant: an error of rounding alone
        assert np.isnan(detectable_difference(difference(0.1, error), 0.95))


def test_two_models_that_separate_the_classes_are_judged():
    [found] = compare_areas(np.ones((2, 1)), Spread.normal(np.zeros((3, 1))), np.array([20]), 0.95).each()
    perfect = MeasureDifference("roc_auc", "ROC AUC", found, error=0.0)
    assert (verdict(perfect), verdict(perfect, 0.1), verdict(perfect, 0.01)) == (NOT_SHOWN, EQUIVALENT, INCONCLUSIVE)
    assert np.isnan(detectable_difference(perfect, 0.95))


def test_few_clusters_are_judged_by_student():
    """The test and the interval of ten clusters are those of SciPy."""
    sample = np.random.default_rng(3).normal(0.01, 0.1, 10)
    estimates, errors = (np.array([sample.mean()]), np.zeros(1)), np.array([scipy.stats.sem(sample)])
    [found] = compare_normal(estimates, Spread(errors**2, np.array([9.0])), 0.95, "delta").each()
    expected = scipy.stats.ttest_1samp(sample, 0)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-12)
    assert (found.low, found.high) == pytest.approx(tuple(expected.confidence_interval(0.95)), rel=1e-9)
    difference_of_ten = MeasureDifference("f1", "F1", found, errors.item(), freedom=9.0)
    [judgement] = judged([difference_of_ten], 0.95)
    reaches = scipy.stats.t.ppf([0.975, 0.8], 9).sum()
    assert judgement.detectable == pytest.approx(reaches * errors.item(), rel=1e-9)


DRAW = np.random.default_rng(11)
LATE = DRAW.random(400) < 0.4
TABLE = pd.DataFrame({"late": LATE, "base": DRAW.random(400), "ash": DRAW.random(400) + 0.5 * LATE,
                      "day": DRAW.choice(["Mon", "Tue"], 400)})  # fmt: skip
TABLE[["tree", "guess", "better"]] = DRAW.choice(["ash", "elm"], (400, 3))
MARGINS = {"AUC": 0.005, "recall": 0.3, "recall@0.50": 0.02}


def compared(margin, **more):
    asked = {"label": "late", "score": "ash", "old_score": "base", "threshold": [0.3, 0.5]}
    return evalcore.compare(TABLE, margin=margin, **asked, **more)


@pytest.fixture(scope="module")
def report():
    return compared(MARGINS, by="day")


def test_each_measure_gets_the_verdict_of_its_own_margin(report):
    expected = {"roc_auc": 0.005, "recall@0.3": 0.3, "recall@0.5": 0.02}
    plain = compared(None)
    for differences in (report.models[0].differences, report.models[0].groups["day"][0].differences):
        for item in differences:
            assert item.margin == pytest.approx(expected.get(item.measure, np.nan), nan_ok=True)
    for item in report.models[0].differences:
        same = compared(expected[item.measure]) if item.measure in expected else plain
        assert item.verdict == same[item.measure].verdict
    assert report["roc_auc"].verdict == "superior"
    assert report["accuracy@0.3"].verdict == plain["accuracy@0.3"].verdict


def test_the_level_of_verdicts_is_that_of_a_comparison_at_this_level():
    narrow, found = (compared(MARGINS, by="day", **level) for level in ({"ci": 0.8}, {"margin_level": 0.8}))
    for one, other in zip(found.models[0].differences, narrow.models[0].differences, strict=True):
        assert one.judged_by == (other.found if one.margin > 0 else None)
        assert (one.verdict == other.verdict) | (one.judged_by is None)
    assert "(80% interval " in found.to_markdown()
    assert "verdicts with a margin follow from intervals at level 0.8" in str(found)
    tree = json.loads(found.to_json())
    assert tree["margin_level"] == 0.8
    measured = tree["models"]["ash"]["measures"]
    assert measured["roc_auc"]["margin_low"] == narrow["roc_auc"].found.low > measured["roc_auc"]["low"]
    assert measured["accuracy@0.5"]["margin_low"] is None
    assert "80% interval" in margin_sentences(found.answer, found.question)["verdict on roc_auc of ash"]


CLAIMS = {
    SUPERIOR: {SUPERIOR, NON_INFERIOR}, EQUIVALENT: {EQUIVALENT, NON_INFERIOR}, NON_INFERIOR: {NON_INFERIOR},
    INFERIOR: {INFERIOR}, INCONCLUSIVE: set(),
}  # fmt: skip
GROUPED = {
    "scores": {"label": "late", "score": "ash", "old_score": "base", "threshold": 0.5, "margin": 0.15},
    "clusters": {"label": "late", "score": "ash", "old_score": "base", "cluster": "user", "margin": 0.15},
    "classes": {"label": "tree", "predicted": "better", "old_predicted": "guess", "margin": 0.1},
    "resampled": {"label": "tree", "predicted": "better", "old_predicted": "guess", "margin": 0.1,
                  "method": "permutation", "resamples": 399},
}  # fmt: skip


@every("setting", GROUPED)
def test_verdicts_of_groups_hold_together_and_claim_no_more_than_each_alone(setting):
    asked, table = GROUPED[setting], TABLE.assign(hour=np.arange(400) % 5, user=np.arange(400) % 40, one="all")
    found = evalcore.compare(table, by=["hour", "one"], **asked)
    groups = {group.group: group.differences for group in found.models[0].groups["hour"]}
    wide = evalcore.compare(table, by="hour", **asked, ci=1 - 0.05 / 5).models[0].groups["hour"]
    for group in wide:
        for item, other in zip(groups[group.group], group.differences, strict=True):
            assert (item.judged_by, item.verdict) == (other.found, verdict(other._replace(judged_by=None), item.margin))
            alone = verdict(item._replace(judged_by=None), item.margin)
            assert CLAIMS[item.verdict] <= CLAIMS[alone]
            assert not item.judged_by.low > item.found.low
            assert not item.judged_by.high < item.found.high
    [one] = found.models[0].groups["one"]
    assert [each.verdict for each in one.differences] == [each.verdict for each in found.models[0].differences]
    assert all(each.judged_by is None for each in (*one.differences, *found.models[0].differences))
    renamed = evalcore.compare(table.assign(hour=-table["hour"]), by="hour", **asked).models[0].groups["hour"]
    for group in renamed:
        assert [item.verdict for item in group.differences] == [
            item.verdict for item in groups[group.group.removeprefix("-")]
        ]
    assert "verdicts of groups by hour with a margin follow from intervals at level 0.99, by Bonferroni" in str(found)
    assert "groups by one with a margin" not in str(found)


def test_more_groups_weaken_a_verdict():
    verdicts = []
    for groups in (1, 2, 40):
        table = pd.DataFrame({"late": LATE, "base": TABLE["base"], "ash": TABLE["ash"]})
        filler = pd.concat([table.assign(group=str(other)) for other in range(groups)])
        found = evalcore.compare(filler, label="late", score="ash", old_score="base", by="group", margin=0.26)
        verdicts.append({group.differences[0].verdict for group in found.models[0].groups["group"]})
    assert verdicts == [{SUPERIOR}, {SUPERIOR}, {NON_INFERIOR}]


@pytest.mark.usefixtures("undrawn")
def test_every_output_says_each_margin(report):
    table = str(report)
    assert "superior, margin 0.005" in table.partition("Measures")[2].partition("by day")[0]
    assert "superior, margin 0.005" in table.partition("by day")[2]
    assert "better, " not in table.partition("verdict")[2]
    assert "| superior, margin 0.005 |" in " ".join(report.to_markdown().split())
    tree = json.loads(report.to_json())
    assert tree["margin"] == MARGINS
    measures = tree["models"]["ash"]["measures"]
    assert (measures["recall@0.5"]["margin"], measures["accuracy@0.5"]["margin"]) == (0.02, None)
    frame = report.to_pandas()
    assert frame.loc[frame["measure"] == "recall@0.3", "margin"].tolist() == [0.3] * 3
    page = report.to_html(script=False)
    assert "margin 0.005" in page
    assert "AUC 0.005, recall 0.3, recall@0.50 0.02" in page
    said = margin_sentences(report.answer, report.question)
    assert said["verdict on roc_auc of ash"] == "superior, with a margin of 0.005"
    assert said["verdict on f1@0.5 of ash"].endswith(", without a margin")


def test_margins_are_of_measures_that_are_compared_classes_too():
    report = compared(None)
    assert "margin" not in repr(report)
    assert margin_sentences(report.answer, report.question) == {}
    assert json.loads(report.to_json())["margin"] is None
    asked = {"label": "tree", "predicted": "better", "old_predicted": "guess"}
    report = evalcore.compare(TABLE, **asked, margin={"recall": 0.5, "recall[ash]": 0.25})
    assert [report[f"recall[{name}]"].margin for name in ("ash", "elm")] == [0.25, 0.5]
    with pytest.raises(EvaluationError) as caught:
        evalcore.compare(TABLE, **asked, margin={"recall[oak]": 0.1})
    assert str(caught.value).startswith("margin must name measures that are compared (accuracy, macro_f1, kappa, ")
    with pytest.raises(EvaluationError) as caught:
        compared({"log_loss": 0.1}, measures=())
    assert str(caught.value).startswith("margin must name measures that are compared (roc_auc, average_precision, acc")
