"""Reports whose rows were drawn by clusters: their intervals and comparisons are those of `evalcore.inference`."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from evalcore import evaluate
from evalcore.errors import EvaluationError
from evalcore.inference import (
    accuracy_interval,
    average_precision_interval,
    compare_roc_auc,
    f1_interval,
    kappa_interval,
    precision_interval,
    prevalence_interval,
    recall_interval,
    roc_auc_interval,
    specificity_interval,
)
from evalcore.report.charts.curves import plots_of_scores

GENERATOR = np.random.default_rng(3)
DAY = GENERATOR.integers(0, 12, 240)
SHARED = GENERATOR.normal(size=12)[DAY]
LATE = (GENERATOR.random(240) < 0.4).astype(int)
TABLE = {
    "late": LATE,
    "day": DAY,
    "site": np.where(np.arange(240) % 3, "a", "b"),
    "weight": GENERATOR.integers(1, 4, 240),
    "old": LATE + SHARED + GENERATOR.normal(size=240),
    "new": LATE + SHARED + GENERATOR.normal(size=240),
}
ASKED = {"label": "late", "score": ["old", "new"], "ci": 0.9, "cluster": "day", "threshold": [0.5, 1.0]}
OF_DECISIONS = {
    "accuracy": accuracy_interval,
    "recall": recall_interval,
    "specificity": specificity_interval,
    "precision": precision_interval,
    "f1": f1_interval,
    "kappa": kappa_interval,
}
CURVES = "roc", "precision_recall"
OF_SCORES = {"roc_area": roc_auc_interval, "average_precision": average_precision_interval}


def intervals(section, record):
    """Return the intervals of a record of a section, by the names of statistics."""
    return {item.name: item.interval for item in section.records[record] if item.interval is not None}


def check(found, rows, score, weighted, threshold, *, ranked):
    """Assert that the intervals of a record are those of the functions for its rows."""
    own = {name: column[rows] for name, column in TABLE.items()}
    weights = {"sample_weight": own["weight"]} if weighted else {}
    asked = {"cluster": own["day"], "level": 0.9, **weights}
    for name, function in OF_DECISIONS.items():
        assert [*found[name]] == pytest.approx([*function(own["late"], own[score] >= threshold, **asked)], rel=1e-9)
    if ranked:
        for name, function in OF_SCORES.items():
            assert [*found[name]] == pytest.approx([*function(own["late"], own[score], **asked)], rel=1e-9)
        assert [*found["prevalence"]] == pytest.approx([*prevalence_interval(own["late"], **asked)], rel=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_intervals_of_all_rows(weighted):
    report = evaluate(TABLE, **ASKED, weight="weight" if weighted else None)
    every = slice(None)
    of_scores, compared, decided = report.sections
    for score in ("old", "new"):
        check(intervals(of_scores, score), every, score, weighted, 0.5, ranked=True)
        check(intervals(decided, score), every, score, weighted, 1.0, ranked=False)
    weights = TABLE["weight"] if weighted else None
    expected = compare_roc_auc(LATE, TABLE["old"], TABLE["new"], sample_weight=weights, cluster=DAY, level=0.9)
    ((difference, p_value),) = compared.records.values()
    assert (difference.value, *difference.interval) == pytest.approx(
        (expected.difference, expected.low, expected.high), rel=1e-9
    )
    assert p_value.value == pytest.approx(expected.p_value, rel=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_intervals_of_groups(weighted):
    report = evaluate(TABLE, **ASKED, by="site", weight="weight" if weighted else None)
    sections = {(section.whole and section.whole.name, section.name): section for section in report.sections}
    for group, rows in {"a": TABLE["site"] == "a", "b": TABLE["site"] == "b", "total": slice(None)}.items():
        for score in ("old", "new"):
            check(intervals(sections["scores", score], group), rows, score, weighted, 0.5, ranked=True)
            decided = sections["threshold 1", score]
            check(intervals(decided, group), rows, score, weighted, 1.0, ranked=False)
        own = {name: column[rows] for name, column in TABLE.items()}
        weights = own["weight"] if weighted else None
        expected = compare_roc_auc(
            own["late"], own["old"], own["new"], sample_weight=weights, cluster=own["day"], level=0.9
        )
        found = intervals(sections["comparisons", "old - new"], group)["roc_area_difference"]
        assert [*found] == pytest.approx([expected.low, expected.high], rel=1e-9)


def test_titles_and_notes_say_what_is_drawn():
    report = evaluate(TABLE, **ASKED)
    assert report.question.title == "late, with 90% intervals by clusters of day"
    assert (
        "intervals and p-values treat the clusters of day, 12 in all, as drawn at random, not the rows"
        in report.to_markdown()
    )
    assert not any("have no intervals" in note for note in report.notes)


def test_a_note_names_the_statistics_of_probabilities_that_have_no_intervals():
    chance = {name: 1 / (1 + np.exp(-TABLE[name])) for name in ("old", "new")}
    asked = {**ASKED, "threshold": (0.5, 0.7)}
    slope = {"measures": "calibration_slope"}
    for changed, named in (
        ({}, "net benefit"),
        ({"by": "site"}, "net benefit"),
        ({"measures": ("calibration_slope", "net_benefit")}, "calibration and net benefit"),
        ({"threshold": None, **slope}, "calibration"),
    ):
        notes = evaluate({**TABLE, **chance}, **{**asked, **changed}).notes
        found = [note for note in notes if "without intervals" in note]
        assert found == [f"clusters leave {named} without intervals"], changed


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"ci": None}, "cluster needs ci, the level of the intervals"),
        ({"cluster": "old"}, "cluster must be a column of its own, got 'old', which has another role"),
        ({"target_prevalence": 0.1}, "cluster takes no target_prevalence; leave one of them out"),
        ({"by": "site", "compare_groups": True}, "cluster takes no compare_groups; leave one of them out"),
        (
            {"score": None, "predicted": "day", "threshold": None},
            "cluster must be a column of its own, got 'day', which has another role",
        ),
    ],
)
def test_what_clusters_do_not_go_with(changed, message):
    with pytest.raises(EvaluationError, match=message):
        evaluate(TABLE, **{**ASKED, **changed})


def test_the_method_of_areas_is_that_which_was_chosen():
    report = evaluate(TABLE, **ASKED, ci_method="delong")
    expected = roc_auc_interval(LATE, TABLE["old"], cluster=DAY, level=0.9, method="delong")
    assert intervals(report.sections[0], "old")["roc_area"] == expected


def test_curves_have_no_bands_that_take_cases_as_drawn():
    for cluster, shown in (("day", False), (None, True)):
        found = evaluate(TABLE, label="late", score="old", ci=0.9, cluster=cluster)
        own = found.plot_roc(ax=Figure().add_subplot())
        curves = [each for each in plots_of_scores(found._whole, found.question) if each.name in CURVES]
        assert len(curves) == 2
        for each in curves:
            each.draw(ax := Figure().add_subplot())
            assert bool(ax.patches) is bool(own.patches) is shown


def test_bins_of_calibration_have_the_intervals_of_cases_that_are_drawn():
    chance = 1 / (1 + np.exp(-TABLE["old"]))
    heights = {}
    for level, cluster in ((0.5, None), (0.95, None), (None, None), (0.5, "day")):
        found = evaluate({**TABLE, "old": chance}, label="late", score="old", ci=level, cluster=cluster)
        own = found.plot_calibration(ax=Figure().add_subplot())
        (chart,) = (each for each in plots_of_scores(found._whole, found.question) if each.name == "calibration")
        chart.draw(ax=(ax := Figure().add_subplot()))
        of_both = [[bars.get_segments() for bars in axes.collections] for axes in (own, ax)]
        np.testing.assert_array_equal(*of_both)
        heights[level, cluster] = [np.ptp(np.array(bars)[:, :, 1], axis=1).max() for bars in of_both[0]]
    assert heights[0.5, "day"] == []
    assert heights[0.5, None] < heights[0.95, None] == heights[None, None]


def test_weights_that_are_too_far_apart_for_clusters_are_named():
    table = TABLE | {"weight": np.where(DAY == 0, 1e-150, 1.0)}
    with pytest.raises(EvaluationError, match="column 'weight' must hold weights above 0 that differ by"):
        evaluate(table, **ASKED, weight="weight")
