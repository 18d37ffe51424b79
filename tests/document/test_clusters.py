"""Reports on scores and on classes have the intervals of `evalcore.inference`, of rows and of clusters."""

import pickle
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.stats
from click.testing import CliRunner
from matplotlib.figure import Figure

from evalcore import compare, evaluate
from evalcore.cli import main
from evalcore.document.charts.plots import plots_of_scores
from evalcore.evaluation.measure_choice import OF_ALL_CLASSES
from evalcore.evaluation.options import CI_METHODS, PROPORTION_METHODS
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
from tests.differences import check_refusals, every

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
FRACTIONS = {"accuracy": accuracy_interval, "recall": recall_interval, "specificity": specificity_interval,
             "precision": precision_interval}  # fmt: skip
CURVES = "roc", "precision_recall"
WEIGHTINGS = {}, {"weight": "weight"}, {"weight": "weight", "weight_type": "frequency"}
METHODS = [
    {},
    *({"proportion_method": fractions, "ci_method": areas}
      for fractions, areas in zip(PROPORTION_METHODS[1:], [*CI_METHODS[1:], *CI_METHODS[1:]], strict=True)),
]  # fmt: skip


def intervals(section, record):
    """Return the intervals of a record of a section, by the names of statistics."""
    return {item.name: item.interval for item in section.records[record] if item.interval is not None}


def intervals_at(report, *address):
    """Return the intervals of the record at an address."""
    (found,) = (intervals(section, record) for section in report.sections for record in section.records
                if section.address(record) == address)  # fmt: skip
    return found


def weights_of(weighting, rows=slice(None)):
    """Return what functions of inference are told of weights, where a report is asked so."""
    return {"sample_weight" if name == "weight" else name: TABLE[value][rows] if name == "weight" else value
            for name, value in weighting.items()}  # fmt: skip


def check(found, functions, *columns, **asked):
    """Assert that intervals by names are those of functions of inference."""
    for name, function in functions.items():
        expected = answered(pickle.dumps((function, columns, asked)))
        assert [*found[name]] == pytest.approx([*expected], rel=1e-9, abs=0), name
        assert found[name].method == expected.method


@cache
def answered(asked):
    """Return the answer to a pickled question, which several reports meet."""
    function, columns, options = pickle.loads(asked)
    return function(*columns, **options)


SETTINGS = [
    (methods, weighting, cluster, ("site", None)[(row + column + layer) % 2])
    for row, methods in enumerate(METHODS)
    for column, weighting in enumerate(WEIGHTINGS)
    for layer, cluster in enumerate((None, "day"))
]
"""Half of all combinations: any two of the four meet each other."""


@every(("methods", "weighting", "cluster", "by"), SETTINGS)
def test_intervals_are_those_of_inference(methods, weighting, cluster, by):
    report = evaluate(TABLE, **{**ASKED, "cluster": cluster}, by=by, **weighting, **methods)
    of_fractions, of_areas = ({"method": methods[name]} if name in methods else {}
                              for name in ("proportion_method", "ci_method"))  # fmt: skip
    rows_of = {} if by is None else {"b": TABLE["site"] == "b"}
    for group, rows in {**rows_of, "total": slice(None)}.items():
        late = LATE[rows]
        given = {"level": 0.9, **weights_of(weighting, rows)} | ({"cluster": DAY[rows]} if cluster else {})
        for score, name, threshold in (("old", "threshold 1", 1.0), ("new", "scores", 0.5)):
            own = TABLE[score][rows]
            found = intervals_at(report, name, score, group if by else None)
            check(found, FRACTIONS, late, own >= threshold, **given, **of_fractions)
            check(found, {"f1": f1_interval, "kappa": kappa_interval}, late, own >= threshold, **given)
            check(found, {"negative_predictive_value": precision_interval}, late == 0, own < threshold, **given,
                  **of_fractions)  # fmt: skip
            if not cluster and not weighting:
                either = (late == 1) | (own >= threshold)
                check(found, {"jaccard": accuracy_interval}, late[either], own[either] >= threshold, level=0.9,
                      **of_fractions)  # fmt: skip
            found = intervals_at(report, "scores", score, group if by else None)
            check(found, {"roc_auc": roc_auc_interval}, late, own, **given, **of_areas)
            check(found, {"average_precision": average_precision_interval}, late, own, **given)
            check(found, {"prevalence": prevalence_interval}, late, **given, **of_fractions)
        record = report["comparisons", "old - new", *([group] if by else [])]
        expected = compare_roc_auc(late, TABLE["new"][rows], TABLE["old"][rows], **given, **of_differences(methods))
        found = intervals_at(report, "comparisons", "old - new", group if by else None)["roc_auc_difference"]
        assert [*found] == pytest.approx([expected.low, expected.high], rel=1e-9)
        assert record["roc_auc_difference"] == pytest.approx(expected.difference, rel=1e-9)
        assert record["p_value"] == pytest.approx(expected.p_value, rel=1e-9)


def of_differences(methods):
    return {"method": "delong"} if methods.get("ci_method") == "delong" else {}


@pytest.mark.usefixtures("undrawn")
def test_titles_notes_and_summaries_say_what_is_drawn():
    report = evaluate(TABLE, **ASKED)
    assert report.question.title == "late, with 90% intervals by clusters of day"
    assert NOTE in report.to_markdown()
    assert not any("have no intervals" in note for note in report.notes)
    assert "Intervals " + SUMMED_UP in evaluate(BEERS, **OF_KINDS, predicted="said").summary
    of_one = evaluate(BEERS, **{**OF_KINDS, "label": "late"}, score=["p_ale", "p_wine"])
    assert "Intervals and tests " + SUMMED_UP in of_one.summary
    assert SUMMED_UP[:-1] in of_one.to_html()
    by_site = evaluate(BEERS, **OF_KINDS, predicted="said", by="site")
    assert "Intervals " + SUMMED_UP in by_site.summary
    assert NOTE in by_site.to_markdown()
    alone = evaluate({**BEERS, "day": np.zeros(240, np.int64)}, **OF_KINDS, predicted="said")
    assert NOTE.replace("12 clusters", "1 cluster") in alone.notes


def test_a_note_names_the_statistics_of_probabilities_that_have_no_intervals():
    chance = {name: 1 / (1 + np.exp(-TABLE[name])) for name in ("old", "new")}
    asked = {**ASKED, "threshold": (0.5, 0.7)}
    slope, error = "calibration_slope", "debiased_calibration_error"
    for changed, named in (
        ({}, None),
        ({"by": "site", "measures": "net_benefit"}, None),
        ({"measures": (slope, "net_benefit")}, None),
        ({"measures": (slope, error)}, error),
    ):
        notes = evaluate({**TABLE, **chance}, **{**asked, **changed}).notes
        found = [note for note in notes if "without an interval" in note]
        assert found == ([f"clusters leave {named} without an interval"] if named else []), changed


@every("seed", [1, 2, 6])
def test_one_cluster_leaves_calibration_without_bounds_and_without_warnings(seed):
    old, new = np.random.default_rng(seed).random((2, 12)).round(2)
    table = {"late": np.arange(12) % 4 == 0, "old": old, "new": new, "site": np.zeros(12)}
    asked = {"label": "late", "cluster": "site", "measures": ["calibration_slope", "calibration_in_the_large"]}
    alone, compared = (
        evaluate(table, **asked, score="new", ci=0.9),
        compare(table, **asked, score="new", old_score="old"),
    )
    for name in asked["measures"]:
        assert np.isnan(alone.to_dict()["scores"]["new"][f"{name}_low"])
        assert np.isnan(compared[name].found.low)


def test_clusters_at_a_known_prevalence_are_left_out_of_each_class():
    rng, clusters, target = np.random.default_rng(5), np.arange(2_000) % 40, 0.1
    positive = rng.random(2_000) < rng.beta(3, 7, 40)[clusters]
    scores = 1 / (1 + np.exp(-rng.normal(0.5 * rng.normal(size=40)[clusters] + 2 * positive - 1)))

    def precision(rows):
        recall, alarms = ((scores[rows & side] >= 0.5).mean() for side in (positive, ~positive))
        return target * recall / (target * recall + (1 - target) * alarms)

    value = precision(clusters >= 0)
    error = np.sqrt(39 / 40 * sum((precision(clusters != each) - value) ** 2 for each in range(40)))
    report = evaluate({"y": positive, "p": scores, "day": clusters}, label="y", score="p", threshold=0.5, ci=0.95,
                      cluster="day", target_prevalence=target)  # fmt: skip
    found = report.to_dict()["scores"]["p"]
    assert found["precision"] == pytest.approx(value)
    reach = scipy.stats.t.isf(0.025, 39) * error
    assert found["precision_high"] - found["precision_low"] == pytest.approx(2 * reach, rel=0.02)
    assert found["average_precision_high"] - found["average_precision_low"] < 0.2
    assert "prevalence_low" not in found


def test_what_clusters_do_not_go_with():
    far = {"w": np.where(TABLE["site"] == TABLE["site"][0], 1e-150, 1.0)}
    said = {"label": "kind", "predicted": "said", "score": None, "threshold": None}

    def ask(changed):
        evaluate(TABLE | BEERS | far, **{**ASKED, **changed})

    check_refusals("document/outputs/refused_clusters.txt", ask, [
        {"ci": None}, {"cluster": "old"},
        {"score": None, "predicted": "day", "threshold": None}, {"weight": "w"}, {"weight": "w", "by": "site"},
        {"weight": "w", "by": "site", **said},
    ])  # fmt: skip


def test_curves_have_no_bands_of_cases_and_areas_the_chosen_method():
    report = evaluate(TABLE, **ASKED, ci_method="delong")
    expected = roc_auc_interval(LATE, TABLE["old"], cluster=DAY, level=0.9, method="delong")
    assert intervals(report.sections[0], "old")["roc_auc"] == expected
    for cluster, shown in (("day", False), (None, True)):
        found = evaluate(TABLE, label="late", score="old", ci=0.9, cluster=cluster)
        own = found.plot_roc(ax=Figure().add_subplot())
        curves = [each for each in plots_of_scores(found.answer.whole, found.question) if each.name in CURVES]
        assert len(curves) == 2
        for each in curves:
            each.draw(ax=(ax := Figure().add_subplot()))
            assert bool(ax.patches) is bool(own.patches) is shown


def test_bins_of_calibration_have_the_intervals_of_cases_that_are_drawn():
    chance = 1 / (1 + np.exp(-TABLE["old"]))
    heights = {}
    for level, cluster in ((0.5, None), (0.95, None), (None, None), (0.5, "day")):
        found = evaluate({**TABLE, "old": chance}, label="late", score="old", ci=level, cluster=cluster)
        own = found.plot_calibration(ax=Figure().add_subplot())
        (chart,) = (each for each in plots_of_scores(found.answer.whole, found.question) if each.name == "calibration")
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
    "kind": KIND, "said": SAID, "day": DAYS, "site": TABLE["site"], "weight": RNG.integers(1, 4, 240),
    "w": RNG.random(240) + 0.5, "late": (KIND == "ale").astype(int),
    **{f"p_{name}": column for name, column in SCORES.items()},
}  # fmt: skip
OF_KINDS = {"label": "kind", "ci": 0.9, "cluster": "day"}
BY_SCORES = {"score": {name: f"p_{name}" for name in KINDS}}
NOTE = "intervals and p-values treat the 12 clusters of day, not the rows, as independent"
SUMMED_UP = "treat the clusters of day, not the cases, as independent."


def check_agreement(found, rows, given, **method):
    own = {name: each[rows] if name in BY_ROW else each for name, each in given.items()}
    accuracy = accuracy_interval(KIND[rows], SAID[rows], **own, **method)
    assert found.keys() >= {*OF_ALL_CLASSES}
    for name in ("accuracy", "micro_precision", "micro_f1", "weighted_recall"):
        assert [*found[name]] == pytest.approx([*accuracy], rel=1e-9)
    check(found, {"kappa": kappa_interval}, KIND[rows], SAID[rows], **own)


BY_ROW = "cluster", "sample_weight"


OF_CLASSES = [
    (method, weight, weight_type, cluster, (row + column + layer) % 2)
    for row, method in enumerate(PROPORTION_METHODS)
    for column, (weight, weight_type) in enumerate([(None, None), ("w", "sampling"), ("weight", "frequency")])
    for layer, cluster in enumerate((None, "day"))
]
"""Half of all combinations, likewise."""


@every(("method", "weight", "weight_type", "cluster", "scored"), OF_CLASSES)
def test_intervals_are_those_of_the_functions(method, weight, weight_type, cluster, scored):
    asked = {**OF_KINDS, "cluster": cluster, "proportion_method": method}
    asked |= {"weight": weight, "weight_type": weight_type, **(BY_SCORES if scored else {"predicted": "said"})}
    given = {"level": 0.9} | ({"cluster": DAYS} if cluster else {})
    given |= {} if weight is None else {"sample_weight": BEERS[weight], "weight_type": weight_type}
    areas = {"method": "delong"} if scored and method != "wilson" else {}
    overall, classes, *_ = evaluate(BEERS, **asked, **{f"ci_{name}": value for name, value in areas.items()}).sections
    check_agreement(intervals(overall, ""), slice(None), given, method=method)
    for name in KINDS:
        found, right, said = intervals(classes, name), name == KIND, name == SAID
        check(found, {name: FRACTIONS[name] for name in ("precision", "recall")}, right, said, **given, method=method)
        check(found, {"f1": f1_interval}, right, said, **given)
        if scored:
            check(found, {"roc_auc": roc_auc_interval}, right, SCORES[name], **given, **areas)
            check(found, {"average_precision": average_precision_interval}, right, SCORES[name], **given)
    (of_groups,) = evaluate(BEERS, **asked, by="site").sections
    for group, rows in (("a", BEERS["site"] == "a"), ("b", BEERS["site"] == "b"), ("total", slice(None))):
        check_agreement(intervals(of_groups, group), rows, given, method=method)


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table(BEERS), "cases.parquet")


def run(*arguments):
    return CliRunner().invoke(main, ["report", "cases.parquet", *map(str, arguments)], prog_name="evalcore")


@every("weight", [None, "weight"])
def test_measures_without_a_function_have_the_jackknife_of_reports(weight):
    """Wilson's bounds by effective trials, from reports on all clusters but one, with Student's quantiles."""
    least = {"matthews_correlation": -1.0, "balanced_accuracy": 0.0, "macro_f1": 0.0}
    asked = {"label": "late", "score": "new", "threshold": 0.5, "measures": [*least], "weight": weight}
    found = evaluate(TABLE, **asked, cluster="day", ci=0.9).to_dict()["scores"]["new"]
    without = [evaluate({name: column[day != DAY] for name, column in TABLE.items()}, **asked)["new"]
               for day in range(12)]  # fmt: skip
    shares = np.bincount(DAY, TABLE["weight"] if weight else None) / (TABLE["weight"].sum() if weight else DAY.size)
    for name, low in least.items():
        squares = np.square([each[name] - found[name] for each in without])
        freedom = min(3 * squares.sum() ** 2 / np.square(squares).sum(), 1 / np.square(shares).sum()) - 1
        reach, p = scipy.stats.t.isf(0.05, freedom), (found[name] - low) / (1 - low)
        trials = p * (1 - p) / (squares.sum() * 11 / 12) * (1 - low) ** 2
        centre, away = p + reach**2 / (2 * trials), reach * np.sqrt((p * (1 - p) + reach**2 / (4 * trials)) / trials)
        ends = (low + (1 - low) * np.array([centre - away, centre + away]) / (1 + reach**2 / trials)).tolist()
        assert [found[f"{name}_low"], found[f"{name}_high"]] == pytest.approx(ends, rel=1e-9), name


@pytest.mark.usefixtures("file")
def test_a_config_file_sets_clusters(tmp_path):
    (tmp_path / "evalcore.toml").write_text('ci = 0.9\ncluster = "day"\n')
    outcome = run("--label", "late", "--score", "p_ale", "--config", "evalcore.toml")
    assert outcome.stderr.startswith("evalcore: evalcore.toml sets --ci 0.9 --cluster day\n")
    assert f"Note: {NOTE}\n" in outcome.stdout


@pytest.mark.usefixtures("file")
@every("columns", [["--label", "kind", "--predicted", "said"], ["--label", "late", "--score", "p_ale"]])
def test_clusters_beyond_memory_are_refused_with_a_way_out(monkeypatch, columns):
    monkeypatch.setattr("evalcore.evaluation.files.exact_bytes", lambda *_: 1 << 40)
    outcome = run(*columns, "--ci", 0.9, "--cluster", "day", "--memory", "300MB")
    assert outcome.exit_code
    assert "intervals of clusters (--cluster) need all rows in memory: 240 rows take about" in outcome.stderr
    assert "allow more (--memory SIZE)" in outcome.stderr


def test_a_group_of_all_rows_has_the_interval_of_all_rows_where_clusters_do_not_vary():
    columns = {"late": [1, 0, 1, 0, 1, 0], "day": [0, 0, 0, 1, 1, 1], "site": ["a"] * 6}
    columns["model"] = [0.495141, 0.141040, 0.444470, 0.538375, 0.675554, 0.142048]
    report = evaluate(columns, label="late", score="model", cluster="day", by="site", ci=0.95)
    [group, total] = report.to_pandas().query("statistic == 'roc_auc'")[["low", "high"]].to_numpy()
    assert group.tolist() == pytest.approx(total.tolist(), rel=1e-12)
    whole = roc_auc_interval(columns["late"], columns["model"], cluster=columns["day"])
    assert [whole.low, whole.high] == pytest.approx(total.tolist(), rel=1e-12)
