"""The page of a comparison holds all that it shows, and runs nothing that names hold."""

import re

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import evalcore
from evalcore import metrics
from evalcore.document.comparison import document_of_comparison
from evalcore.document.documents import PAGE
from evalcore.document.page.comparison import as_comparison_html, as_report, comparison_plots
from evalcore.evaluation.cases import PairedCases
from evalcore.evaluation.differences import ModelDifferences
from evalcore.plots.axes import COLOURS
from tests.document.comparison import answers
from tests.document.comparison.answers import WICKED, answer, cases, difference, gate, question

HEADINGS = [
    *("Measures", "Curves", "Thresholds", "By carrier", "Changed decisions at threshold 0.3", "Changed scores"),
    *("Notes", "How it was computed", "What the numbers mean"),
]


def page_of(made=None, **given):
    return html_of(made or answer(), question(), **given)


def html_of(made, asked, script=True, **given):
    document = document_of_comparison(made, asked, PAGE, **given)
    return as_comparison_html(document, made, asked, script=script)


def plots_of(made, asked):
    return [*comparison_plots(made, asked, as_report(made, asked))]


@pytest.fixture(scope="module", autouse=True)
def undrawn():
    """Leave out what charts show, and keep what is said of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evalcore.document.charts.images.Plot.image", lambda self, kind: b"<svg></svg>")
        yield


@pytest.fixture(scope="module")
def page(undrawn):
    return page_of(gate=gate("any carrier: roc_auc drops by 0.02"))


def test_a_page_has_its_panels_in_order_with_full_numbers(page):
    assert re.findall(r"<h2>([^<]*)</h2>", page) == HEADINGS
    assert '<h2 class="spoken">Verdict</h2>' in page
    assert "<h1>late: boosting (new) against logistic (old)</h1>" in page
    assert page.count('role="img"') == 7
    assert "<dt>Joined on</dt><dd>id, day</dd>" in html_of(answer(), question(on=("id", "day")))
    assert re.search(r'<td title="0\.0182799\d*, 0\.01707\d*, to|<td title="0\.0182799', page)
    assert "+0.0183 <small>[0.0171, 0.0195]</small>" in page
    assert '<td title="0.7142349">0.7142</td><td title="0.7325148">0.7325</td>' in page
    assert "<td>no difference shown</td>" in page
    assert "logistic right 250,000 1,100 logistic wrong 1,234 75,012" in " ".join(re.sub("<[^>]*>", " ", page).split())


def test_the_verdict_and_the_gate_stand_first(page):
    begin = page[page.index("<main>") : page.index('id="measures"')]
    claim = "ROC AUC 0.7325 against 0.7142, difference +0.0183 [0.0171, 0.0195], p\xa0&lt;\xa00.001."
    assert f"boosting is better than logistic: {claim}" in begin
    assert "<strong>FAIL</strong>" in begin
    assert "Gate failed: the condition is met" in begin
    assert '<th scope="row">any carrier: roc_auc drops by 0.02</th>' in begin
    said = "Difference in ROC AUC, new minus old: +0.0183, interval +0.0171 to +0.0195 (higher is better)."
    assert f'<svg role="img" aria-labelledby="change-title"><title id="change-title">{said}</title>' in begin
    text = page_of(
        gate=gate("any carrier: roc_auc drops by 0.025", "any carrier: roc_auc drops by 0.5", confident=True)
    )
    results = re.findall(r"<td>(PASS|FAIL|INCONCLUSIVE)</td>", text)
    assert results == ["INCONCLUSIVE", "PASS"]
    assert "<strong>INCONCLUSIVE</strong>" in text
    assert 'class="outcome"' not in page_of()


def test_names_are_escaped_and_many_groups_shown_from_both_ends():
    model = answers.answer().models[0]._replace(model=WICKED, groups={WICKED: answers.groups(wicked=True)})
    old = f"old {WICKED}"
    made = answer(models=[model], old=old, cases=cases(old=old, new=WICKED), joins={}, notes=[WICKED])
    text = page_of(made, gate=gate())
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text
    assert "script-src &#x27;none&#x27;" in page_of(made, script=False)
    model = ModelDifferences("boosting", answers.measures(), {"carrier": answers.groups(1000)})
    text = page_of(answer(models=[model]))
    assert "the first 20 and the last 20 of 1,000 groups" in text
    assert text.count("<tr>") < 150


def test_several_models_share_charts_and_have_tables_of_their_own():
    model = answer().models[0]
    scores = cases().scores
    paired = PairedCases(cases().positive, {**scores, "forest": scores["boosting"] / 2})
    made = answer(models=[model, model._replace(model="forest")], cases=paired)
    text = page_of(made)
    plots = {plot.name: plot for plot in plots_of(made, question())}
    changes = Figure().add_subplot()
    plots["by-1-changes"].draw(ax=changes)
    assert [line.get_color() for line in changes.get_lines()[:2]] == [COLOURS[1], COLOURS[2]]
    assert text.count("<title>ROC curves of boosting, logistic and forest") == 1
    assert "<h2>By carrier: forest</h2>" in text
    assert "forest: Newly wrong at threshold 0.3" in text
    labels = re.findall(r'aria-label="([^"]*)"', text)
    assert len(set(labels)) == len(labels) == 25


def test_what_cannot_be_drawn_is_left_out():
    one_class = PairedCases(np.ones(400, bool), cases().scores)
    infinite = cases()._replace(scores={"logistic": cases().scores["logistic"], "boosting": np.full(400, np.inf)})
    for drawn in (None, one_class, infinite):
        plots = plots_of(answer(cases=drawn), question())
        assert [plot.panel for plot in plots] == ["by-0"]
    unknown = [group._replace(differences=[difference("f1", "F1", 0.5, np.nan)]) for group in answers.groups()]
    model = ModelDifferences("boosting", answers.measures(), {"carrier": unknown})
    assert plots_of(answer(models=[model], cases=None), question()) == []


def test_charts_show_the_numbers_of_the_answer():
    plots = {plot.name: plot for plot in plots_of(answer(), question())}
    curves, changes = (Figure().add_subplot() for _ in range(2))
    plots["roc"].draw(ax=curves)
    assert [line.get_label().partition(",")[0] for line in curves.get_lines()[:2]] == ["boosting", "logistic"]
    assert [line.get_color() for line in curves.get_lines()[:2]] == [*COLOURS[:2]]  # as in a report on these columns
    plots["by-0-changes"].draw(ax=changes)
    items = [group.differences[0] for group in answers.groups()]
    old, new = (line.get_xdata().tolist() for line in changes.get_lines()[:2])
    assert old[::-1] == [item.old for item in items]
    assert new[::-1] == [item.new for item in items]
    bounds = [segment[:, 0].tolist() for lines in changes.collections for segment in lines.get_segments()]
    assert bounds[::-1] == [[item.old + item.found.low, item.old + item.found.high] for item in items]
    coloured = [to_hex(colour) == COLOURS[0].lower() for colour in changes.collections[-1].get_colors()]
    assert coloured[::-1] == [item.is_certain for item in items]
    heights = [line.get_ydata().tolist() for line in changes.get_lines()[:2]]
    assert heights[0] == heights[1]  # from the old model to the new one is horizontal
    assert "boosting scores higher in 4" in plots["score_pairs_0"].alt
    areas = [metrics.roc_auc_score(cases().positive, cases().scores[name]) for name in ("boosting", "logistic")]
    assert plots["roc"].alt.endswith("Areas: boosting {:.3f}, logistic {:.3f}.".format(*areas))
    assert plots["score_pairs_0"].text.endswith("lines mark the threshold 0.3.")


def test_charts_of_groups_take_names_that_no_font_has_and_changes_that_are_all_alike():
    groups = ["a\tb", "c\nd", "e\x00f", "\xe9\r"] * 20
    late = [0] * 4 + [1] * 4
    frame = {"late": late * 10, "a": [0.1 + 0.8 * each for each in late] * 10, "b": late * 10, "site": groups}
    report = evalcore.compare(frame, label="late", score="a", old_score="b", by="site")
    plots = {plot.name: plot for plot in plots_of(report.answer, report.question)}
    ax = Figure().add_subplot()
    plots["by-0-changes"].draw(ax=ax)  # without a warning that both ends of the axis are one
    assert {"a b", "c\nd"} <= {each.get_text() for each in ax.get_yticklabels()}


def test_groups_that_are_numbers_stand_in_their_order_with_a_line_of_the_difference():
    named = [group._replace(group=name) for group, name in zip(answers.groups(), ["10", "9", "2", "1"], strict=True)]
    model = ModelDifferences("boosting", answers.measures(), {"month": named})
    made = answer(models=[model])
    table = page_of(made).partition('aria-label="boosting by month"')[2].partition("</table>")[0]
    assert re.findall(r'<th scope="row">(.*?)</th>', table) == ["1", "2", "9", "10"]
    (plot,) = (each for each in plots_of(made, question()) if each.panel == "by-0")
    ax = Figure().add_subplot()
    plot.draw(ax=ax)
    (line,) = (each for each in ax.get_lines() if each.get_label() == "_estimates")
    assert line.get_xdata().tolist() == [1, 2, 9, 10]
    assert line.get_ydata().tolist() == [each.differences[0].found.difference for each in named[::-1]]
