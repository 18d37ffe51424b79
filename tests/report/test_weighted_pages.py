"""What a reader sees of a report whose rows have weights: words, charts, thresholds, titles."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

import evalcore
from evalcore.cli import main
from evalcore.evaluation.thresholds import Costs
from evalcore.report.charts.images import Plot
from evalcore.report.charts.plots import plots_of
from evalcore.report.page.document import as_html
from evalcore.report.page.panels import View
from evalcore.report.page.thresholds import thresholds_panel
from evalcore.report.thresholds import choices, slider_counts, slider_grid
from evalcore.state.cases import ScoredCases, WeightedRanking
from tests.differences import every

RNG = np.random.default_rng(5)
LATE = RNG.random(400) < 0.3
A = np.round(1 / (1 + np.exp(-RNG.normal(1.5 * LATE - 1))), 2)
COLUMNS = {"late": LATE, "a": A, "b": np.round((A + RNG.random(400)) / 2, 2), "odds": 4 * A - 2}
WHOLE, PARTS = RNG.integers(0, 4, 400), RNG.gamma(2.0, 1.5, 400)
REPEATED = {name: np.repeat(column, WHOLE) for name, column in COLUMNS.items()}
ASKED = {"label": "late", "score": ["a", "b"], "threshold": [0.3, 0.6], "costs": (1, 4)}
FREQUENT = {"weight": "w", "weight_type": "frequency"}


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch):
    monkeypatch.setattr(Plot, "image", lambda self, kind: f"<{kind}/>".encode())


def weighted(weights, **asked):
    return evalcore.evaluate(COLUMNS | {"w": weights}, **(ASKED | {"weight": "w"} | asked))


def view_of(report):
    return View(report.answer, report.question, {})


@given(
    st.lists(
        st.tuples(st.booleans(), st.sampled_from([-1.0, 0.0, 0.25, 0.3, 0.5, 1.0]), st.integers(1, 4)),
        min_size=2,
        max_size=20,
    ).filter(lambda rows: len({label for label, *_ in rows}) == 2),
    st.sampled_from([None, Costs(1, 3)]),
    st.sampled_from([int, float]),
)
def test_whole_weights_have_the_thresholds_of_repeated_cases(rows, costs, kind):
    label, score, weight = map(np.array, zip(*rows, strict=True))
    cases = ScoredCases.of(np.repeat(label, weight), np.repeat(score, weight))
    ranking = WeightedRanking(score, label, weight.astype(kind))
    asked = ((0.27, 2.0), costs, {"recall 1": float(score[label].min()), "none": np.inf})
    assert choices(ranking, *asked) == choices(cases, *asked)
    for scores in (score, np.array([0.0, 1.0])):
        grid = slider_grid({"a": scores}, [])
        assert slider_counts(grid, ranking) == slider_counts(grid, cases)


def test_thresholds_of_other_weights_decide_about_their_sums():
    ranking = WeightedRanking(A, LATE, PARTS)
    for choice in choices(ranking, (0.3,), Costs(1, 4)):
        flagged = choice.number <= A
        expected = [PARTS[mask].sum() for mask in (flagged & LATE, ~flagged & LATE, flagged & ~LATE, ~flagged & ~LATE)]
        np.testing.assert_allclose(choice.counts, expected, rtol=1e-12, atol=1e-12)
        for name in choice.names:
            if name.endswith("%"):  # the fraction of the weight is the nearest of all thresholds
                wanted = float(name[:-1]) / 100 * PARTS.sum()
                nearest = min(abs(PARTS[threshold <= A].sum() - wanted) for threshold in A)
                assert abs(choice.counts.tp + choice.counts.fp - wanted) == pytest.approx(nearest, abs=1e-9)
    lowest = choices(ranking)[-1]
    assert min(lowest.counts) >= 0


@every("score", [["a", "b"], ["odds"]])
def test_frequencies_fill_the_panel_of_thresholds_as_repeated_rows_do(score):
    found = thresholds_panel(view_of(weighted(WHOLE, weight_type="frequency", score=score)))
    expected = thresholds_panel(view_of(evalcore.evaluate(REPEATED, **(ASKED | {"score": score}))))
    assert (found.content["weighted"], expected.content["weighted"]) == (True, False)
    assert {**found.content, "weighted": False} == expected.content


def test_words_of_weights_speak_of_no_counts():
    found, expected = weighted(WHOLE, weight_type="frequency", ci=0.9), evalcore.evaluate(REPEATED, **ASKED, ci=0.9)
    prevalence = REPEATED["late"].mean()
    assert found.summary == expected.summary
    assert f"on {WHOLE.sum()} cases, {100 * prevalence:.1f}% of them positive (late)" in found.summary
    wrong = {"late": [1, 0, 0] * 20, "a": [0.1, 0.2, 0.9] * 20, "w": [0.5, 0.5, 0.05] * 20}
    asked = {"label": "late", "score": "a", "threshold": 0.5}
    assert "a finds no positive; all its alarms are wrong." in evalcore.evaluate(wrong, **asked, weight="w").summary
    assert "a finds no positive; all its 20 alarms are wrong." in evalcore.evaluate(wrong, **asked).summary
    tied = {"late": [1, 0] * 30, "a": [0.5] * 60, "w": [0.3, 0.9] * 30}
    asked = {"label": "late", "score": "a", "weight": "w"}
    with_costs = [evalcore.evaluate(tied, **asked, costs=costs).summary for costs in ((1, 9), (9, 1))]
    assert "it is cheapest to flag every case: 0.750 a case, against 2.250 if no case is flagged" in with_costs[0]
    assert "it is cheapest to flag no case: 0.250 a case, against 6.750 if every case is flagged" in with_costs[1]
    assert f"{PARTS[~LATE].sum() / PARTS.sum():.3f} if every case is flagged" in weighted(PARTS, score="a").summary


@every(
    ("weights", "asked", "said"),
    (np.full(400, 50.5), {}, "on 400 rows that stand for 20,200 cases, 31.8% of them positive (late)"),
    (np.full(400, 0.25), {}, "on 400 weighted rows, 31.8% of the weight positive (late)"),
    (np.where(LATE, 0.001, 1), {}, "on 400 weighted rows, 0.046% of the weight positive (late)"),
    (None, {"target_prevalence": 0.01}, "on 400 cases, weighted as if 1% of cases were positive (late)"),
    (np.full(400, 2.0), {"target_prevalence": 0.125},
     "on 400 rows that stand for 800 cases, weighted as if 12.5% of cases were positive (late)"),
)  # fmt: skip
def test_sentences_say_what_rows_stand_for(weights, asked, said):
    weight = {"weight": "w"} if weights is not None else {}
    report = evalcore.evaluate(COLUMNS | {"w": weights} if weight else COLUMNS, **ASKED, **weight, **asked)
    assert said in report.summary


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
    fpr, tpr, _ = evalcore.metrics.roc_curve(LATE, A, sample_weight=PARTS, drop_intermediate=False)
    np.testing.assert_allclose(ax.get_lines()[0].get_data(), [fpr, tpr], atol=1e-12)
    matrix = report.plot_confusion_matrix(normalize=None, ax=Figure().add_subplot()).images[0].get_array()
    expected = evalcore.metrics.confusion_matrix(LATE, A >= 0.5, sample_weight=PARTS)
    np.testing.assert_allclose(matrix, expected, rtol=1e-12)
    target = evalcore.evaluate(COLUMNS, label="late", score="a", target_prevalence=0.02)
    ax = target.plot_precision_recall(ax=Figure().add_subplot())
    area = evalcore.metrics.average_precision_score(LATE, A, target_prevalence=0.02)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [f"a, AP = {area:.3f}", "prevalence 0.02"]
    assert target["a"]["average_precision"] == pytest.approx(area, rel=1e-12)


@every("weights", [None, PARTS])
def test_reports_at_a_target_prevalence_have_the_numbers_of_the_metrics(weights):
    weight = {} if weights is None else {"weight": "w"}
    columns = COLUMNS if weights is None else COLUMNS | {"w": weights}
    report = evalcore.evaluate(columns, label="late", score="a", threshold=0.4, target_prevalence=0.02, **weight)
    found, options = report["a"], {"sample_weight": weights, "target_prevalence": 0.02}
    metrics, decided = evalcore.metrics, A >= 0.4
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


@every(
    ("asked", "title"),
    ({"weight": "w"}, "weighted by w (sampling weights)"),
    (FREQUENT, "weighted by w (frequencies)"),
    ({"target_prevalence": 0.125}, "weighted to a prevalence of 0.125"),
    ({"weight": "w", "target_prevalence": 0.125}, "weighted by w (sampling weights), to a prevalence of 0.125"),
)
def test_titles_say_what_weighs_the_rows(asked, title):
    report = evalcore.evaluate(COLUMNS | {"w": WHOLE}, label="late", score="a", **asked)
    assert str(report).startswith(f"late, {title}\n")
    page = as_html(report.answer, report.question)
    assert f"<title>late: a, {title}</title>" in page
    assert title.removeprefix("weighted ").removeprefix("by ") in page.partition("How it was computed")[2]


def test_json_names_what_weighs_the_rows(tmp_path):
    file = tmp_path / "cases.csv"
    file.write_text("late,a,w\n1,0.9,2\n0,0.1,3\n0,0.5,0\n")
    options = ["report", str(file), "--label", "late", "--score", "a", "--format", "json", "--weight", "w"]
    found = json.loads(CliRunner().invoke(main, [*options, "--target-prevalence", "0.25"]).stdout)
    asked = {name: found[name] for name in ("schema_version", "weight", "weight_type", "target_prevalence")}
    assert asked == {"schema_version": 2, "weight": "w", "weight_type": "sampling", "target_prevalence": 0.25}
    table = CliRunner().invoke(main, [*options[:-4], "--weight", "w"]).stdout
    assert table.splitlines()[0].endswith("cases.csv: late, weighted by w (sampling weights)")
