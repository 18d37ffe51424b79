"""Reports on scores and on classes whose rows were drawn by clusters have the intervals of `evalcore.inference`."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure

from evalcore import evaluate
from evalcore.cli import main
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
from tests.differences import every

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


def intervals_at(report, *address):
    """Return the intervals of the record at an address."""
    ((section, record),) = (
        (section, record)
        for section in report.sections
        for record in section.records
        if section.address(record) == address
    )
    return intervals(section, record)


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


@every("by", [None, "site"])
@every("weighted", [False, True])
def test_intervals_are_those_of_inference(by, weighted):
    report = evaluate(TABLE, **ASKED, by=by, weight="weight" if weighted else None)
    rows_of = {} if by is None else {site: TABLE["site"] == site for site in "ab"}
    for group, rows in {**rows_of, "total": slice(None)}.items():
        for score in ("old", "new"):
            for name, threshold in (("scores", 0.5), ("threshold 1", 1.0)):
                found = intervals_at(report, name, score, group if by else None)
                check(found, rows, score, weighted, threshold, ranked=name == "scores")
        own = {name: column[rows] for name, column in TABLE.items()}
        weights = own["weight"] if weighted else None
        expected = compare_roc_auc(
            own["late"], own["old"], own["new"], sample_weight=weights, cluster=own["day"], level=0.9
        )
        found = intervals_at(report, "comparisons", "old - new", group if by else None)["roc_area_difference"]
        assert [*found] == pytest.approx([expected.low, expected.high], rel=1e-9)
        record = report["comparisons", "old - new", *([group] if by else [])]
        assert record["roc_area_difference"] == pytest.approx(expected.difference, rel=1e-9)
        assert record["p_value"] == pytest.approx(expected.p_value, rel=1e-9)


def test_titles_notes_and_summaries_say_what_is_drawn():
    report = evaluate(TABLE, **ASKED)
    assert report.question.title == "late, with 90% intervals by clusters of day"
    assert (
        "intervals and p-values treat the clusters of day, 12 in all, as drawn at random, not the rows"
        in report.to_markdown()
    )
    assert not any("have no intervals" in note for note in report.notes)
    assert "Intervals " + SUMMED_UP in evaluate(BEERS, **OF_KINDS, predicted="said").summary
    of_one = evaluate(BEERS, **{**OF_KINDS, "label": "late"}, score=["p_ale", "p_wine"])
    assert "Intervals and tests " + SUMMED_UP in of_one.summary
    assert SUMMED_UP[:-1] in of_one.to_html()
    by_site = evaluate(BEERS, **OF_KINDS, predicted="said", by="site")
    assert "Intervals " + SUMMED_UP in by_site.summary
    assert NOTE in by_site.to_markdown()


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


@every(
    ("changed", "message"),
    [
        ({"ci": None}, "cluster needs ci, the level of the intervals"),
        ({"cluster": "old"}, "cluster must be a column of its own, got 'old', which has another role"),
        ({"target_prevalence": 0.1}, "cluster takes no target_prevalence; leave one of them out"),
        ({"by": "site", "compare_groups": True}, "cluster takes no compare_groups; leave one of them out"),
        ({"score": None, "predicted": "day", "threshold": None},
         "cluster must be a column of its own, got 'day', which has another role"),
    ],
)  # fmt: skip
def test_what_clusters_do_not_go_with(changed, message):
    with pytest.raises(EvaluationError, match=message):
        evaluate(TABLE, **{**ASKED, **changed})


def test_curves_have_no_bands_of_cases_and_areas_the_chosen_method():
    report = evaluate(TABLE, **ASKED, ci_method="delong")
    expected = roc_auc_interval(LATE, TABLE["old"], cluster=DAY, level=0.9, method="delong")
    assert intervals(report.sections[0], "old")["roc_area"] == expected
    for cluster, shown in (("day", False), (None, True)):
        found = evaluate(TABLE, label="late", score="old", ci=0.9, cluster=cluster)
        own = found.plot_roc(ax=Figure().add_subplot())
        curves = [each for each in plots_of_scores(found._whole, found.question) if each.name in CURVES]
        assert len(curves) == 2
        for each in curves:
            each.draw(ax := Figure().add_subplot())
            assert bool(ax.patches) is bool(own.patches) is shown
    table = TABLE | {"weight": np.where(DAY == 0, 1e-150, 1.0)}
    with pytest.raises(EvaluationError, match="column 'weight' must hold weights above 0 that differ by"):
        evaluate(table, **ASKED, weight="weight")


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


RNG = np.random.default_rng(3)
DAYS = RNG.integers(0, 12, 240)
KINDS = np.array(["ale", "beer", "wine"])
KIND = KINDS[(DAYS + RNG.integers(0, 2, 240)) % 3]
SCORES = {name: RNG.normal(size=12)[DAYS] + RNG.normal(size=240) + (name == KIND) for name in KINDS}
SAID = KINDS[np.argmax(list(SCORES.values()), axis=0)]
BEERS = {
    "kind": KIND,
    "said": SAID,
    "day": DAYS,
    "site": np.where(np.arange(240) % 3, "a", "b"),
    "weight": RNG.integers(1, 4, 240),
    "w": RNG.random(240) + 0.5,
    "late": (KIND == "ale").astype(int),
    **{f"p_{name}": column for name, column in SCORES.items()},
}
OF_KINDS = {"label": "kind", "ci": 0.9, "cluster": "day"}
BY_SCORES = {"score": {name: f"p_{name}" for name in KINDS}}
NOTE = "intervals and p-values treat the clusters of day, 12 in all, as drawn at random, not the rows"
SUMMED_UP = "treat the clusters of day as drawn at random, not the cases."


def intervals_of_classes(items):
    return {item.name: item.interval for item in items if item.interval is not None}


def check_agreement(items, rows, weights):
    found, own = intervals_of_classes(items), {"cluster": DAYS[rows], "level": 0.9, **weights}
    accuracy = accuracy_interval(KIND[rows], SAID[rows], **own)
    assert {*found} == {"accuracy", "micro_precision", "micro_recall", "micro_f1", "kappa"}
    for name in ("accuracy", "micro_f1"):
        assert [*found[name]] == pytest.approx([*accuracy], rel=1e-9)
    assert [*found["kappa"]] == pytest.approx([*kappa_interval(KIND[rows], SAID[rows], **own)], rel=1e-9)


def check_class(items, name, weights, *, scored):
    found, own = intervals_of_classes(items), {"cluster": DAYS, "level": 0.9, **weights}
    right, said = (name == KIND).astype(int), (name == SAID).astype(int)
    for measure, function in (("precision", precision_interval), ("recall", recall_interval), ("f1", f1_interval)):
        assert [*found[measure]] == pytest.approx([*function(right, said, **own)], rel=1e-9)
    if scored:
        area = roc_auc_interval(right, SCORES[name], **own)
        assert [*found["roc_area"]] == pytest.approx([*area], rel=1e-9)
        average = average_precision_interval(right, SCORES[name], **own)
        assert [*found["average_precision"]] == pytest.approx([*average], rel=1e-9)


@every("scored", [False, True])
@every(("weight", "weight_type"), [(None, None), ("w", "sampling"), ("weight", "frequency")])
def test_intervals_are_those_of_the_functions(scored, weight, weight_type):
    asked = {
        **OF_KINDS,
        "weight": weight,
        "weight_type": weight_type,
        **(BY_SCORES if scored else {"predicted": "said"}),
    }
    weights = {} if weight is None else {"sample_weight": BEERS[weight], "weight_type": weight_type}
    overall, classes, *_ = evaluate(BEERS, **asked).sections
    check_agreement(overall.records[""], slice(None), weights)
    for name in KINDS:
        check_class(classes.records[name], name, weights, scored=scored)
    (of_groups,) = evaluate(BEERS, **asked, by="site").sections
    for group, rows in (
        ("a", BEERS["site"] == "a"),
        ("b", BEERS["site"] == "b"),
        ("total", slice(None)),
    ):
        own = {name: value[rows] if name == "sample_weight" else value for name, value in weights.items()}
        check_agreement(of_groups.records[group], rows, own)


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table(BEERS), "cases.parquet")


def run(*arguments):
    return CliRunner().invoke(main, ["report", "cases.parquet", *map(str, arguments)], prog_name="evalcore")


@pytest.mark.usefixtures("file")
def test_a_config_file_sets_clusters(tmp_path):
    (tmp_path / "evalcore.toml").write_text('ci = 0.9\ncluster = "day"\n')
    outcome = run("--label", "late", "--score", "p_ale", "--config", "evalcore.toml")
    assert outcome.stderr.startswith("evalcore: evalcore.toml sets --ci 0.9 --cluster day\n")
    assert f"Note: {NOTE}\n" in outcome.stdout


@pytest.mark.usefixtures("file")
@every("columns", [["--label", "kind", "--predicted", "said"], ["--label", "late", "--score", "p_ale"]])
def test_clusters_beyond_memory_are_refused_with_a_way_out(monkeypatch, columns):
    monkeypatch.setattr("evalcore.batched.files.exact_bytes", lambda *_: 1 << 40)
    outcome = run(*columns, "--ci", 0.9, "--cluster", "day", "--memory", "300MB")
    assert outcome.exit_code
    assert "intervals of clusters (--cluster) need all rows in memory: 240 rows take about" in outcome.stderr
    assert "allow more (--memory SIZE)" in outcome.stderr
