"""Runs of ranked results compared query by query, against SciPy and the report on runs."""

import re

import numpy as np
import pytest
from scipy.stats import ttest_rel, wilcoxon

from evalcore.document.comparison import document_of_comparison
from evalcore.document.documents import FULL, PAGE
from evalcore.document.page.comparison import as_comparison_html
from evalcore.document.terminal import as_terminal
from evalcore.errors import EvaluationError
from evalcore.evaluation.joining import JoinCounts
from evalcore.evaluation.measure_choice import Measures
from evalcore.evaluation.question import Question
from evalcore.evaluation.runs import TESTED, answer_runs, runs_answer
from evalcore.evaluation.statistics.trec import trec_reports
from evalcore.inference import holm, permutation_test
from tests.differences import check_refusals, every, refused

QUERIES, DOCUMENTS = 9, 20
MEASURES = ("map", "P_5", "num_ret")
ASKED = Question("qrels", measures=Measures(MEASURES))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Judgements, a poor run and two better ones, each of all queries, and a run that lacks the last."""
    folder, rng = tmp_path_factory.mktemp("runs"), np.random.default_rng(8)
    relevant = rng.random((QUERIES, DOCUMENTS)) < 0.3
    write(folder / "qrels", [f"q{q} 0 d{d} {int(relevant[q, d])}" for q, d in np.ndindex(relevant.shape)])
    for name, better in {"old": 0.2, "new": 0.8, "other": 0.5}.items():
        scores = rng.normal(size=relevant.shape) + better * relevant
        lines = [f"q{q} Q0 d{d} 0 {scores[q, d]:.6f} {name}" for q, d in np.ndindex(relevant.shape)]
        write(folder / name, lines)
        write(folder / f"{name}.part", [line for line in lines if not line.startswith(f"q{QUERIES - 1} ")])
    return folder


def write(path, lines):
    path.write_text("\n".join(lines) + "\n")


def answer(files, *runs, **asked):
    names = runs or ("old", "new", "other")
    return answer_runs(ASKED._replace(**asked), str(files / "qrels"), {name: str(files / name) for name in names})


def values_of(files, name, measure="map"):
    """Return the values of a run by query."""
    (report,) = trec_reports(str(files / "qrels"), {name: str(files / name)}, [measure])
    return dict(zip(report.result.groups.tolist(), report.result[measure].tolist(), strict=True))


def paired(files, new, measure="map"):
    both = [values_of(files, name, measure) for name in (new, "old")]
    return [np.array([each[query] for query in both[0]]) for each in both]


def test_means_and_tests_are_those_of_scipy_and_of_the_report_on_runs(files):
    found = answer(files)
    assert (found.old, [model.model for model in found.models]) == ("old", ["new", "other"])
    reports = trec_reports(str(files / "qrels"), {name: str(files / name) for name in ("new", "old")}, MEASURES)
    (section,) = runs_answer(reports, tests=TESTED).sections[1:]
    for model in found.models:
        assert [each.measure for each in model.differences] == ["map", "P_5"]
        for each in model.differences:
            new, old = paired(files, model.model, each.measure)
            assert (each.new, each.old) == pytest.approx((new.mean(), old.mean()))
            by_scipy = ttest_rel(new, old)
            assert each.found.p_value == pytest.approx(by_scipy.pvalue)
            assert (each.found.low, each.found.high) == pytest.approx(tuple(by_scipy.confidence_interval()))
            assert each.error == pytest.approx((new - old).std(ddof=1) / np.sqrt(QUERIES))
    for each in found.models[0].differences:
        assert each.found.difference == pytest.approx(section.records[each.measure][0].value)


def test_p_values_are_adjusted_over_all_runs_and_measures_and_their_number_is_said(files):
    both = answer(files)
    differences = [each for model in both.models for each in model.differences]
    assert [each.holm for each in differences] == pytest.approx(holm([each.found.p_value for each in differences]))
    assert all(each.verdict and each.detectable > 0 for each in differences)
    said = "p-values of all queries are adjusted for {} comparisons, one for each measure{}"
    assert said.format(4, " and model") in both.notes
    assert said.format(2, "") in answer(files, "old", "new").notes


def test_tests_of_runs_are_those_of_scipy_and_of_inference(files):
    each = answer(files, method="wilcoxon").models[0].differences[0]
    new, old = paired(files, "new")
    expected = wilcoxon(new, old)
    assert (each.found.p_value, each.found.statistic) == pytest.approx((expected.pvalue, expected.statistic))
    assert (
        wilcoxon(new - old - each.found.low - 1e-9).pvalue > 0.05 > wilcoxon(new - old - each.found.low + 1e-9).pvalue
    )
    each = answer(files, method="permutation", resamples=500, seed=3).models[0].differences[0]
    assert each.found == permutation_test(old, new, resamples=500, seed=3)
    known, near = (answer(files, method=method).models[0].differences[0] for method in ("analytic", "bootstrap"))
    width = known.found.high - known.found.low
    assert near.found.low == pytest.approx(known.found.low, abs=0.2 * width)
    assert near.found.method == "percentile bootstrap"


def test_queries_that_changed_most_come_first(files):
    model = answer(files, changed=3).models[0]
    new, old = values_of(files, "new"), values_of(files, "old")
    change = {query: new[query] - old[query] for query in new}
    by_change = sorted(change, key=change.get)
    assert [each.id for each in model.fallen] == [query for query in by_change[:3] if change[query] < 0]
    assert [each.id for each in model.risen] == [query for query in by_change[:-4:-1] if change[query] > 0]
    assert (model.risen[0].old, model.risen[0].new) == (old[model.risen[0].id], new[model.risen[0].id])
    assert model.risen[0].label == sum(
        line.endswith(" 1")
        for line in (files / "qrels").read_text().splitlines()
        if line.startswith(model.risen[0].id + " ")
    )


@pytest.mark.usefixtures("undrawn")
def test_texts_and_the_page_speak_of_queries_and_their_measure(files):
    answered = answer(files)
    text = as_terminal(document_of_comparison(answered, ASKED, FULL))
    assert "new: Queries whose map rose most" in text
    assert "query   relevant" in text
    assert f"Note: new: {QUERIES} queries were compared" in text
    page = as_comparison_html(document_of_comparison(answered, ASKED, PAGE), answered, ASKED)
    assert re.findall(r"<h2>([^<]*)</h2>", page)[1:3] == ["Queries that changed", "Notes"]
    assert f"{QUERIES} queries were compared" in page
    assert not re.search("repeated in|other labels", page)
    shown = page[page.index("<main>") : page.index("How it was computed</h2>")]
    assert not re.search("[Ss]core|cases|rows", re.sub("<[^>]*>", "", shown))


@every("runs", [("old", "new.part"), ("old.part", "new")])
def test_runs_of_other_queries_are_refused_unless_allowed(files, runs):
    lacking = next(name for name in runs if name.endswith("part"))
    expected = rf"{runs[0]} and {runs[1]} must have the same queries, but {lacking} lacks 1 of the other \(q8\); allow"
    with pytest.raises(EvaluationError, match=expected):
        answer(files, *runs)
    found = answer(files, *runs, allow=frozenset({"missing"}))
    own, alone = found.models[0], answer(files, "old.part", "new.part").models[0]
    assert [each.found for each in own.differences] == [each.found for each in alone.differences]
    sizes = [QUERIES - name.endswith("part") for name in runs]
    assert found.joins == {runs[1]: JoinCounts(*sizes, QUERIES - 1, *(size - QUERIES + 1 for size in sizes))}
    assert f"{lacking} lacks 1 of the {QUERIES} judged queries (q{QUERIES - 1}), which are not compared" in found.notes


def test_runs_without_a_query_or_a_mean_in_common_are_refused(files, tmp_path):
    write(tmp_path / "first", ["q0 Q0 d1 0 1.0 a"])
    write(tmp_path / "second", ["q1 Q0 d1 0 1.0 b"])
    runs = {name: str(tmp_path / name) for name in ("first", "second")}
    with pytest.raises(EvaluationError, match="first and second must have a query in common, got none"):
        answer_runs(ASKED._replace(allow=frozenset({"missing"})), str(files / "qrels"), runs)
    with pytest.raises(EvaluationError, match="measures must include a mean over queries, got num_ret"):
        answer(files, measures=Measures(("num_ret",)))


def test_equal_runs_show_no_difference_and_margins_have_the_names_of_measures(files):
    for method in ("analytic", "wilcoxon", "permutation", "bootstrap"):
        names = {"old": str(files / "old"), "copy": str(files / "old")}
        found = answer_runs(ASKED._replace(method=method), str(files / "qrels"), names)
        assert [each.found.p_value for each in found.models[0].differences] == [1.0, 1.0]
        assert not found.models[0].risen
    first, second = answer(files, margin={"map": 0.02}).models[0].differences
    assert (first.margin, first.verdict) == (0.02, "inconclusive")
    assert np.isnan(second.margin)
    [same] = answer(files, measures=Measures(("AP",)), margin={"AP": 0.02}).models[0].differences  # by another name
    assert same.margin == 0.02
    assert second.verdict in ("better", "no difference shown")
    with refused("margin must name measures that are compared (map and P_5), got 'P_10'; choose them with measures"):
        answer(files, margin={"P_10": 0.02})


def test_options_of_runs_are_checked(files):
    asked = [{"allow": frozenset({"labels"})}, {"level": 95}, {"method": "t"}, {"margin": -1.0}]
    check_refusals("evaluation/outputs/refused_runs.txt", lambda more: answer(files, **more), asked)


@every("method", ["analytic", "permutation", "wilcoxon"])
def test_intervals_end_where_differences_do_as_in_the_report_on_runs(tmp_path, method):
    write(tmp_path / "qrels", ["1 0 a 1", "1 0 b 0", "2 0 a 1", "2 0 b 0"])
    write(tmp_path / "old", ["1 Q0 a 1 2 x", "1 Q0 b 2 1 x", "2 Q0 b 1 2 x", "2 Q0 a 2 1 x"])
    write(tmp_path / "new", ["1 Q0 b 1 2 y", "1 Q0 a 2 1 y", "2 Q0 b 1 2 y", "2 Q0 a 2 1 y"])
    (model,) = answer(tmp_path, "old", "new", measures=Measures(("map",)), method=method).models
    (found,) = [each.found for each in model.differences]
    assert found.difference == -0.25
    assert -1 <= found.low <= found.high <= 1
    if method != "wilcoxon":
        reports = trec_reports(str(tmp_path / "qrels"), {run: str(tmp_path / run) for run in ("new", "old")}, ["map"])
        (section,) = runs_answer(reports, tests=TESTED._replace(method=method)).sections[1:]
        assert (found.low, found.high) == tuple(section.records["map"][0].interval) == (-1, 1)
