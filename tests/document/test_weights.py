"""Reports whose rows have weights, in groups too: values, errors, words, charts, thresholds and titles."""

import json
from functools import cache

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from sklearn import metrics as sklearn

import evalcore
from evalcore import metrics
from evalcore.cli import main
from evalcore.document.charts.plots import plots_of
from evalcore.document.page.report import as_html
from evalcore.document.page.thresholds import thresholds_panel
from evalcore.document.thresholds import decided, positions_of, slider_counts, slider_grid
from evalcore.state.cases import ScoredCases, WeightedRanking
from tests.differences import check_output, check_refusals, every, items_of
from tests.plots.drawing import names_of
from tests.strategies import block_size

DEPENDENT_ON_A_FACTOR = {"weight", "tp", "fn", "fp", "tn"}


def sampled(n=4000, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    return {"y": y, "s": np.round(rng.random(n) * 0.7 + 0.3 * y, 3), "w": rng.gamma(2.0, 1.5, n)}


def test_a_target_prevalence_has_no_interval_and_leaves_thresholds_of_recall():
    found = evalcore.evaluate(sampled(), label="y", score="s", ci=0.9, target_prevalence=0.1)
    items = {item.name: item for item in found.sections[0].records["s"]}
    assert items["prevalence"].interval is None
    assert items["roc_auc"].interval is not None
    note = "positives and negatives are reweighted to a prevalence of 0.1; numbers that depend on the prevalence are as"
    assert found.notes[0] == f"{note} they would be there"
    scores, y = np.arange(60, 0, -1) / 64, np.arange(60) % 4 == 0
    asked = {"label": "y", "score": "s", "threshold_for": {"recall": [k / 15 for k in range(1, 15)]}}
    plain = evalcore.evaluate({"y": y, "s": scores}, **asked)
    for prevalence in (0.1, 0.013, 0.6180339887):
        shifted = evalcore.evaluate({"y": y, "s": scores}, target_prevalence=prevalence, **asked)
        for name in plain:
            if "recall=" in name:
                assert shifted[name, "threshold"] == plain[name, "threshold"]


def test_measures_are_those_of_scikit_learn():
    columns = sampled()
    y, s, w = columns["y"], columns["s"], columns["w"]
    found = evalcore.evaluate(columns, label="y", score="s", weight="w", threshold=0.5)["s"]
    predicted, weighted = s >= 0.5, {"sample_weight": w}
    tn, fp, fn, tp = sklearn.confusion_matrix(y, predicted, **weighted).ravel()
    both = {"average": "macro", **weighted}
    expected = {
        "cases": y.size, "positives": y.sum(), "weight": w.sum(), "effective_cases": w.sum() ** 2 / (w**2).sum(),
        "prevalence": w[y].sum() / w.sum(),
        "roc_auc": sklearn.roc_auc_score(y, s, **weighted),
        "average_precision": sklearn.average_precision_score(y, s, **weighted),
        "log_loss": sklearn.log_loss(y, s, **weighted), "brier_score": sklearn.brier_score_loss(y, s, **weighted),
        "tp": tp, "fn": fn, "fp": fp, "tn": tn,
        "accuracy": sklearn.accuracy_score(y, predicted, **weighted),
        "balanced_accuracy": sklearn.balanced_accuracy_score(y, predicted, **weighted),
        "recall": sklearn.recall_score(y, predicted, **weighted),
        "precision": sklearn.precision_score(y, predicted, **weighted),
        "specificity": sklearn.recall_score(~y, ~predicted, **weighted),
        "negative_predictive_value": sklearn.precision_score(~y, ~predicted, **weighted),
        "f1": sklearn.f1_score(y, predicted, **weighted),
        "macro_f1": sklearn.f1_score(y, predicted, **both),
        "macro_precision": sklearn.precision_score(y, predicted, **both),
        "weighted_f1": sklearn.f1_score(y, predicted, **both | {"average": "weighted"}),
        "jaccard": sklearn.jaccard_score(y, predicted, **weighted),
        "kappa": sklearn.cohen_kappa_score(y, predicted, **weighted),
        "matthews_correlation": sklearn.matthews_corrcoef(y, predicted, **weighted),
    }  # fmt: skip
    assert {name: found[name] for name in expected} == pytest.approx(expected, rel=1e-12)
    precisions, recalls, _ = sklearn.precision_recall_curve(y, s, **weighted)
    assert found["maximum_f1"] == pytest.approx((2 * precisions * recalls / (precisions + recalls)).max(), rel=1e-12)
    phi = found["matthews_correlation"]
    assert found["chi_squared"] == pytest.approx(found["effective_cases"] * phi**2, rel=1e-12)


@every("sign", [1, -1])
def test_fractions_of_perfect_and_of_wholly_wrong_rankings_stay_within_their_range(sign):
    y, w = np.arange(600) % 3 == 0, np.random.default_rng(5).random(600)
    columns = {"y": y, "s": 0.5 + sign * (y - 0.5) * (0.5 + np.arange(600) % 7 / 14), "w": w, "g": np.arange(600) // 20}
    report = evalcore.evaluate(columns, label="y", score="s", weight="w", threshold=0.5, by="g")
    for found in report.to_dict()["scores"]["s"].values():
        fractions = {name: found[name] for name in ("roc_auc", "maximum_f1", "r_precision", "phi_squared", "recall")}
        assert all(0 <= value <= 1 for value in fractions.values()), fractions
        assert found["roc_auc"] == pytest.approx(1.0 if sign > 0 else 0.0, abs=1e-15)


@every("weight", [1e20, 1e100, 1e300])
def test_a_weight_that_dominates_hides_no_other(weight):
    columns = {"y": np.arange(60) % 3 == 0, "s": np.arange(60) % 7 / 7, "w": np.ones(60)}
    columns["w"][3] = weight
    found = evalcore.evaluate(columns, label="y", score="s", weight="w", threshold=0.5).to_dict()["scores"]["s"]
    decisions = columns["s"] >= 0.5
    kappa = pytest.approx(metrics.cohen_kappa_score(columns["y"], decisions, sample_weight=columns["w"]), rel=1e-12)
    assert found["kappa"] == kappa
    assert found["r_precision"] == pytest.approx(1)
    columns |= {"y": columns["y"].astype(int), "p": decisions.astype(int)}
    assert evalcore.evaluate(columns, label="y", predicted="p", weight="w").to_dict()["statistics"]["kappa"] == kappa


@every("options", {}, {"compared": True})
def test_invalid_weights_are_named(options):
    def ask(row):
        weights, kind = row
        columns = {"y": [1, 0, 1], "s": [0.5, 0.2, 0.3], "t": [0.5, 0.2, 0.3], "w": weights}
        asked = {"label": "y", "weight": "w", "weight_type": kind}
        if options:
            evalcore.compare(columns, **asked, old_score="s", score="t")
        else:
            evalcore.evaluate(columns, **asked, score="s", ci=0.95)

    check_refusals("document/outputs/refused_weights.txt", ask, [
        ([1.0, -2.0, 1.0], None), ([0.0, 0.0, 0.0], None), ([1e-160, 2.0, 0.0], None), ([1.0, 0.5, 1.0], "frequency"),
        ([1e308, 1e308, 1e308], None), ([2**60, 2**60, 1], "frequency"), (["a", "b", "c"], None),
    ])  # fmt: skip


def test_options_that_do_not_fit_and_weights_that_vanish_beside_others_are_named():
    columns = {"y": [1, 0, 1, 0], "s": [0.5, 0.2, 0.3, 0.4], "t": [0.4, 0.1, 0.6, 0.2], "w": [1.0, 2.0, 3.0, 4.0],
               "g": list("aabb"), "far": [1e-290, 1, 1e270, 1], "many": [2**40] * 4}  # fmt: skip

    def ask(more):
        function = evalcore.compare if "old_score" in more else evalcore.evaluate
        function(columns, **{"label": "y", "score": "s", "weight": "w", **more})

    of_groups = {"by": "g", "ci": 0.9, "compare_groups": True}
    check_refusals("document/outputs/refused_weightings.txt", ask, [
        {"at_k": 5}, {"measures": "precision_at_5"}, {"measures": "reciprocal_rank"}, {"weight_type": "survey"},
        {"weight": "s"}, {"target_prevalence": 0.5, "weight_type": "frequency"}, {"target_prevalence": 1.0},
        *({"score": "t", "old_score": "s", "by": "g", "weight": "far", **more}
          for more in ({}, {"target_prevalence": 0.1})),
        {**of_groups, "weight": "many", "weight_type": "frequency"},
    ])  # fmt: skip


FACTORS = 0.3, 1e200, 2.0**-1060


def test_a_common_factor_leaves_what_is_decided_by_equal_sums():
    w = np.array([1, 2, 1, 3, 1, 2, 2, 1, 3, 4])
    y = np.array([1, 0, 1, 0, 1, 1, 0, 1, 1, 0])
    columns = {"y": y, "s": np.arange(10, 0, -1) / 16, "t": np.array([5, 5, 4, 4, 3, 3, 2, 2, 1, 1]) / 8, "w": w}
    columns["g"] = np.zeros(10, np.int64)
    asked = {"label": "y", "score": ["s", "t"], "costs": (1, 1), "weight": "w"}
    targets = {"recall": [2 / 9, 5 / 9], "precision": [0.6], "flagged": [0.35]}
    for by in (None, "g"):
        report = evalcore.evaluate(columns, **asked, by=by, threshold_for=targets)
        expected = {key: item.value for key, item in items_of(report, DEPENDENT_ON_A_FACTOR).items()}
        for factor in FACTORS:
            scaled = evalcore.evaluate(columns | {"w": w * factor}, **asked, by=by, threshold_for=targets)
            found = {key: item.value for key, item in items_of(scaled, DEPENDENT_ON_A_FACTOR).items()}
            assert found == pytest.approx(expected, rel=1e-12, nan_ok=True)


@every("by", [None, "g"])
def test_one_prevalence_gives_one_chi_squared_however_it_came(by):
    rng = np.random.default_rng(0)
    y, g = rng.random(400) < 0.4, np.tile(["a", "b"], 200)
    columns = {"y": y, "s": rng.random(400) + 0.3 * y, "g": g, "w": np.where(y, 1.0, 30.0)}
    prevalence = y.sum() / columns["w"].sum()
    options = {"label": "y", "score": "s", "threshold": 0.6, "measures": ["phi_squared", "chi_squared"], "by": by}
    weighted = evalcore.evaluate(columns, weight="w", **options)["s"]
    shifted = evalcore.evaluate(columns, target_prevalence=prevalence, **options)["s"]
    for name in ("phi_squared", "chi_squared"):
        assert shifted[name] == pytest.approx(weighted[name], rel=1e-12), name


GROUPED = {"label": "y", "score": ["s", "t"], "weight": "w", "threshold": [0.5, 0.25], "costs": (1, 3)}


def at(columns, rows):
    return {name: column[rows] for name, column in columns.items()}


def many_groups(rows, groups, seed=3):
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.4
    s = np.round(rng.random(rows) * 0.7 + 0.3 * y, 2)
    t = np.round(rng.random(rows) * 0.8 + 0.2 * y, 3)
    return {"y": y, "s": s, "t": t, "w": rng.gamma(2.0, 1.5, rows), "g": rng.integers(0, groups, rows)}


def test_groups_are_ordered_by_cases():
    columns = {
        "y": [1, 0, 1, 0, 1, 0, 1],
        "s": [0.9, 0.1, 0.8, 0.3, 0.4, 0.2, 0.5],
        "w": [1, 1, 9, 0, 2, 2, 0],
        "g": ["a", "a", "b", "b", "c", "c", "d"],
    }
    asked = {"label": "y", "score": "s", "by": "g", "weight": "w"}
    assert evalcore.evaluate(columns, **asked).sections[0].groups == ["a", "c", "b"]
    assert evalcore.evaluate(columns, **asked, weight_type="frequency").sections[0].groups == ["b", "c", "a"]
    assert evalcore.evaluate(columns, **asked, min_cases=2).sections[0].groups == ["a", "c"]
    assert evalcore.evaluate(columns, **asked, weight_type="frequency", min_cases=3).sections[0].groups == ["b", "c"]


def test_a_target_prevalence_is_that_of_all_rows_and_not_of_each_group():
    columns = many_groups(400, 3)
    asked = GROUPED | {"by": "g", "ci": 0.9, "score": "s"}
    one, other = evalcore.evaluate(columns, **asked), evalcore.evaluate(columns, **asked, target_prevalence=0.1)
    assert other["total", "prevalence"] == 0.1
    for group in one.sections[0].groups:
        for name in ("cases", "positives", "effective_cases", "recall", "specificity", "roc_auc"):
            assert other[group, name] == pytest.approx(one[group, name], rel=1e-12), name
        assert other[group, "prevalence"] < one[group, "prevalence"]
    assert other["total", "effective_cases"] == one["total", "effective_cases"]
    assert "this is the prevalence of all rows together; in a group it may be higher or lower" in other.notes
    unweighted = evalcore.evaluate(columns, label="y", score="s", by="g", target_prevalence=0.1)
    assert "weight" not in {item.name for item in unweighted.sections[0].records["total"]}


@cache
def compared_alone(group):
    """Return the record of both models on the rows of a group, whatever the blocks of the report that is compared."""
    columns = many_groups(300, 3)
    report = evalcore.evaluate(at(columns, columns["g"] == group), ci=0.9, **GROUPED)
    (record,) = next(section for section in report.sections if section.record == "pair").records.values()
    return record


@every("block", [8, 120, 1000])
def test_models_are_compared_in_groups_by_their_weights(block):
    with block_size(block):
        report = evalcore.evaluate(many_groups(300, 3), by="g", ci=0.9, **GROUPED)
    compared = next(section for section in report.sections if section.name == "s - t")
    for group in compared.groups:
        expected = compared_alone(int(group))
        found, others = ([(item.value, *(item.interval or ())) for item in items[:2]]
                         for items in (compared.records[group], expected))  # fmt: skip
        assert found == [pytest.approx(each, rel=1e-12, abs=1e-12) for each in others]


@given(st.lists(st.tuples(st.booleans(), st.floats(0.01, 3.0)), min_size=2, max_size=12))
def test_perfect_rankings_break_even_at_one_however_sums_are_rounded(rows):
    y, w = map(np.array, zip(*rows, strict=True))
    columns = {"y": y, "s": np.where(y, 0.75, 0.25) + np.arange(y.size) / 64, "w": w, "g": np.zeros(y.size, np.int64)}
    expected = float(y.any())
    for by, record in ((None, "s"), ("g", "0")):
        found = evalcore.evaluate(columns, label="y", score="s", weight="w", by=by)
        assert found[record, "break_even_point"] == expected


RNG = np.random.default_rng(5)
LATE = RNG.random(400) < 0.3
A = np.round(1 / (1 + np.exp(-RNG.normal(1.5 * LATE - 1))), 2)
COLUMNS = {"late": LATE, "a": A, "b": np.round((A + RNG.random(400)) / 2, 2), "odds": 4 * A - 2}
WHOLE, PARTS = RNG.integers(0, 4, 400), RNG.gamma(2.0, 1.5, 400)
REPEATED = {name: np.repeat(column, WHOLE) for name, column in COLUMNS.items()}
ASKED = {"label": "late", "score": ["a", "b"], "threshold": [0.3, 0.6], "costs": (1, 4)}


def panel_of(report):
    return thresholds_panel(report.answer, report.question)


def weighted(weights, **asked):
    return evalcore.evaluate(COLUMNS | {"w": weights}, **(ASKED | {"weight": "w"} | asked))


@given(
    st.lists(
        st.tuples(st.booleans(), st.sampled_from([-1.0, 0.0, 0.25, 0.3, 0.5, 1.0]), st.integers(1, 4)),
        min_size=2,
        max_size=20,
    ).filter(lambda rows: len({label for label, *_ in rows}) == 2),
    st.sampled_from([int, float]),
)
def test_whole_weights_have_the_thresholds_of_repeated_cases(rows, kind):
    label, score, weight = map(np.array, zip(*rows, strict=True))
    cases = positions_of(ScoredCases.of(np.repeat(label, weight), np.repeat(score, weight)))
    ranking = positions_of(WeightedRanking(score, label, weight.astype(kind)))
    for threshold in (0.27, 2.0, float(score[label].min()), np.inf):
        assert decided(ranking, threshold, given=False) == decided(cases, threshold, given=False)
    for scores in (score, np.array([0.0, 1.0])):
        grid = slider_grid({"a": scores}, [])
        assert slider_counts(grid, ranking) == slider_counts(grid, cases)


@every("threshold", [0.3, np.inf, float(A.min())])
@every("weights", [PARTS, WHOLE * 0.1])
def test_thresholds_of_other_weights_decide_about_their_sums(threshold, weights):
    found = decided(positions_of(WeightedRanking(A, LATE, weights)), threshold, given=False)
    flagged = found.number <= A
    expected = [weights[mask].sum() for mask in (flagged & LATE, ~flagged & LATE, flagged & ~LATE, ~flagged & ~LATE)]
    np.testing.assert_allclose(found.counts, expected, rtol=1e-12, atol=1e-12)
    assert min(found.counts) >= 0


@every("score", [["a", "b"], ["odds"]])
def test_frequencies_fill_the_panel_of_thresholds_as_repeated_rows_do(score):
    found = panel_of(weighted(WHOLE, weight_type="frequency", score=score))
    expected = panel_of(evalcore.evaluate(REPEATED, **(ASKED | {"score": score})))
    assert (found.content["weighted"], expected.content["weighted"]) == (True, False)
    assert {**found.content, "weighted": False} == expected.content


WEIGHED = [
    *({"w": np.full(400, weight)} for weight in (50.5, 0.25)), {"w": np.where(LATE, 0.001, 1)},
    {"target_prevalence": 0.01}, {"w": np.full(400, 2.0), "target_prevalence": 0.125},
    {"w": WHOLE, "weight_type": "frequency"}, {"w": PARTS, "score": "a"},
]  # fmt: skip


def test_words_of_weights_say_what_rows_stand_for_and_speak_of_no_counts():
    found, expected = weighted(WHOLE, weight_type="frequency", ci=0.9), evalcore.evaluate(REPEATED, **ASKED, ci=0.9)
    assert found.summary == expected.summary
    wrong = {"late": [1, 0, 0] * 20, "a": [0.1, 0.2, 0.9] * 20, "w": [0.5, 0.5, 0.05] * 20}
    tied = {"late": [1, 0] * 30, "a": [0.5] * 60, "w": [0.3, 0.9] * 30}
    asked = {"label": "late", "score": "a"}
    reports = [found, *(evalcore.evaluate(wrong, **asked, threshold=0.5, weight=weight) for weight in ("w", None))]
    reports += [evalcore.evaluate(tied, **asked, weight="w", costs=costs) for costs in ((1, 9), (9, 1))]
    for more in WEIGHED:
        options = {"weight": "w" if "w" in more else None} | {name: more[name] for name in more if name != "w"}
        reports.append(weighted(more.get("w", PARTS), **options))
    said = (f"{report.question.title}\n{report.summary}" for report in reports)
    check_output("document/outputs/weights.txt", "\n\n".join(said))
    page = as_html(reports[-1].answer, reports[-1].question, [])
    assert "<title>late: a, weighted by w (sampling weights)</title>" in page
    computed = page.partition('id="computed"')[2]
    assert "<dt>Weights</dt><dd>w</dd>" in computed
    assert "<dt>Weight type</dt><dd>sampling</dd>" in computed


def test_charts_draw_what_repeated_rows_draw():
    axes = {}
    frequent, plain = weighted(WHOLE, weight_type="frequency", ci=0.9), evalcore.evaluate(REPEATED, **ASKED, ci=0.9)
    for kind, report in (("found", frequent), ("expected", plain)):
        drawn = plots_of(report.answer, report.question)
        axes[kind] = {plot.name: Figure().add_subplot() for plot in drawn}
        for plot in drawn:
            plot.draw(ax=axes[kind][plot.name])
        axes[kind, "text"] = [(plot.name, plot.text, plot.alt) for plot in drawn]
    assert axes["found", "text"] == axes["expected", "text"]
    for name, ax in axes["found"].items():
        other = axes["expected"][name]
        for one, another in zip(ax.get_lines(), other.get_lines(), strict=True):
            if one.get_label() != "_few cases":
                np.testing.assert_allclose(one.get_xydata(), another.get_xydata(), atol=1e-12, err_msg=name)
        if name in ("roc", "precision_recall"):
            for one, another in zip(ax.patches, other.patches, strict=True):
                np.testing.assert_array_equal(one.get_path().vertices, another.get_path().vertices)


def test_methods_of_reports_draw_weighted_cases():
    report = weighted(PARTS, score="a", threshold=0.5, ci=0.9)
    ax = report.plot_roc(ax=Figure().add_subplot())
    fpr, tpr, _ = metrics.roc_curve(LATE, A, sample_weight=PARTS, drop_intermediate=False)
    np.testing.assert_allclose(ax.get_lines()[0].get_data(), [fpr, tpr], atol=1e-12)
    matrix = report.plot_confusion_matrix(normalize=None, ax=Figure().add_subplot()).images[0].get_array()
    expected = metrics.confusion_matrix(LATE, A >= 0.5, sample_weight=PARTS)
    np.testing.assert_allclose(matrix, expected, rtol=1e-12)
    target = evalcore.evaluate(COLUMNS, label="late", score="a", target_prevalence=0.02)
    ax = target.plot_precision_recall(ax=Figure().add_subplot())
    area = metrics.average_precision_score(LATE, A, target_prevalence=0.02)
    assert names_of(ax) == [f"a, AP = {area:.3f}", "prevalence 0.02"]
    assert target["a"]["average_precision"] == pytest.approx(area, rel=1e-12)


@every("weights", [None, PARTS])
def test_reports_at_a_target_prevalence_have_the_numbers_of_the_metrics(weights):
    weight = {} if weights is None else {"weight": "w"}
    columns = COLUMNS if weights is None else COLUMNS | {"w": weights}
    report = evalcore.evaluate(columns, label="late", score="a", threshold=0.4, target_prevalence=0.02, **weight)
    found, options = report["a"], {"sample_weight": weights, "target_prevalence": 0.02}
    decided = A >= 0.4
    expected = {
        "accuracy": metrics.accuracy_score(LATE, decided, **options),
        "precision": metrics.precision_score(LATE, decided, **options),
        "recall": metrics.recall_score(LATE, decided, sample_weight=weights),
        "f1": metrics.f1_score(LATE, decided, **options),
        "jaccard": metrics.jaccard_score(LATE, decided, **options),
        "matthews_correlation": metrics.matthews_corrcoef(LATE, decided, **options),
        "roc_auc": metrics.roc_auc_score(LATE, A, sample_weight=weights),
        "average_precision": metrics.average_precision_score(LATE, A, **options),
        "maximum_f1": np.max(metrics.metric_curves(LATE, A, **options).values(f1)),
        "prevalence": 0.02,
    }
    np.testing.assert_allclose([found[name] for name in expected], list(expected.values()), rtol=1e-12)


def f1(tp, fn, fp, tn):
    return 2 * tp / (2 * tp + fn + fp)


def test_json_names_what_weighs_the_rows(tmp_path):
    file = tmp_path / "cases.csv"
    file.write_text("late,a,w\n1,0.9,2\n0,0.1,3\n0,0.5,0\n")
    options = ["report", str(file), "--label", "late", "--score", "a", "--format", "json", "--weight", "w"]
    found = json.loads(CliRunner().invoke(main, [*options, "--target-prevalence", "0.25"]).stdout)
    asked = {name: found[name] for name in ("schema_version", "weight", "weight_type", "target_prevalence")}
    assert asked == {"schema_version": 2, "weight": "w", "weight_type": "sampling", "target_prevalence": 0.25}
    table = CliRunner().invoke(main, [*options[:-4], "--weight", "w"]).stdout
    assert "cases.csv: late, weighted by w (sampling weights) Cases: 2" in " ".join(table.split())
