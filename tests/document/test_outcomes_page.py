"""Pages of values of cases: their charts count every case, their groups and systems are those of the numbers."""

import functools

import numpy as np
import pytest
from matplotlib.figure import Figure

import evalcore
from evalcore.document.charts.plots import plots_of
from evalcore.document.page.comparison import comparison_plots
from evalcore.inference import mean_interval
from tests.differences import every
from tests.document.test_page import WICKED, assert_whole

SIZE = 120
TASKS = np.array(["sums", WICKED, "maps"], object)[np.arange(SIZE) % 3]
PAGES = {
    "whole": {"value": ["grade", "cost"]},
    "groups": {"value": ["passed", "cost"], "by": "task", "ci": 0.95, "lower_is_better": "cost"},
    "weights": {"value": ["grade", "passed"], "weight": "w", "ci": 0.9},
}


def table(seed, gain=0.0):
    rng = np.random.default_rng(seed)
    hardness = np.random.default_rng(7).normal(size=SIZE)
    skill = hardness + rng.normal(size=SIZE) + gain
    return {
        "id": np.arange(SIZE),
        "passed": (skill > 0).astype(int),
        "grade": np.clip(np.round(skill), -1, 1) / 2 + 0.5,
        "cost": np.exp(skill),
        "task": TASKS,
        "w": np.arange(SIZE) % 4 + 0.5,
        "prompt": np.array([f"What is {WICKED} of {number}?" for number in range(SIZE)], object),
        "answer": np.array([f"answer {seed}-{number} {WICKED}" for number in range(SIZE)], object),
    }


@functools.cache
def report_of(name):
    return evalcore.evaluate(table(1), **PAGES[name])


@functools.cache
def systems(**asked):
    old, *new = (table(seed, seed / 4) for seed in range(1, 4))
    return evalcore.compare(old, new, on="id", value=["passed", "cost"], **asked)


def drawn(plot):
    ax = Figure().add_subplot()
    plot.draw(ax=ax)
    return ax


def charts(report):
    return {plot.name: plot for plot in plots_of(report.answer, report.question)}


@pytest.mark.usefixtures("undrawn")
@every("name", PAGES)
def test_a_page_of_values_is_whole_and_begins_with_their_means(name):
    page = report_of(name).to_html()
    assert_whole(page)
    first, second = PAGES[name]["value"]
    assert f"<h1>{first} and {second}{', by task' if name == 'groups' else ''}" in page
    assert "<h2>Numbers</h2>" in page
    assert '<th scope="row">standard deviation</th>' in page
    assert "answer 1-" not in page  # nothing of the rows but what charts count


def test_each_column_has_charts_of_its_own_but_no_histogram_of_0_and_1():
    assert [*charts(report_of("whole"))] == ["values_1", "values_2"]
    assert [*charts(report_of("groups"))] == ["values_2", "groups", "groups_2"]
    assert [*charts(report_of("weights"))] == ["values_1"]
    alike = evalcore.evaluate({"cost": np.full(40, 2.5)}, value="cost")
    assert charts(alike) == {}


@every("name", ["whole", "weights"])
def test_bars_of_few_values_are_their_numbers_or_weights(name):
    columns, weighted = table(1), name == "weights"
    ax = drawn(charts(report_of(name))["values_1"])
    found = {round(bar.get_x() + bar.get_width() / 2, 6): bar.get_height() for bar in ax.patches}
    weights = columns["w"] if weighted else np.ones(SIZE)
    assert found == {grade: weights[columns["grade"] == grade].sum() for grade in (0.0, 0.5, 1.0)}
    assert ax.get_ylabel() == ("sum of weights" if weighted else "cases")
    assert ax.get_lines()[0].get_xdata()[0] == pytest.approx(np.average(columns["grade"], weights=weights))


@every("far", [0, 1, 3])
def test_a_histogram_has_every_value_however_far_out(far):
    costs = np.append(np.random.default_rng(3).uniform(1, 2, 200), [np.nan, *[1e6] * far])
    report = evalcore.evaluate({"cost": costs}, value="cost", nulls="drop")
    plot = charts(report)["values_1"]
    [bars] = drawn(plot).patches
    amounts, edges, _ = bars.get_data()
    assert amounts.sum() == 200 + far
    assert edges[0] == np.nanmin(costs)
    assert edges[-1] < 10
    assert amounts[-1] >= far
    said = {0: "", 1: " The outermost bars also hold 1 value further out."}
    assert plot.text.partition(".")[2].endswith(said.get(far, " The outermost bars also hold 3 values further out."))


def test_charts_of_groups_have_the_means_of_their_own_column():
    found = charts(report_of("groups"))
    for name, column in (("groups", "passed"), ("groups_2", "cost")):
        ax, values = drawn(found[name]), table(1)[column]
        dots = next(line for line in ax.get_lines() if line.get_label() == "_estimates").get_xdata()
        assert sorted(dots) == pytest.approx(sorted(values[task == TASKS].mean() for task in {*TASKS}))
        assert ax.get_xlabel() == f"mean of {column} (95% interval)"


def test_systems_are_drawn_by_group_in_their_colours_with_the_intervals_of_their_means():
    report = systems(by="task")
    plots = {plot.name: plot for plot in comparison_plots(report.answer, report.question, None)}
    assert [name for name in plots if name.startswith("systems")] == ["systems_1", "systems_2"]
    ax = drawn(plots["systems_2"])
    dots = {line.get_label(): line for line in ax.get_lines() if line.get_marker() == "o"}
    for seed, name in enumerate(("old", "new 1", "new 2"), 1):
        line = dots[name]
        costs = table(seed, seed / 4)["cost"]
        assert sorted(line.get_xdata()) == pytest.approx(sorted(costs[task == TASKS].mean() for task in {*TASKS}))
    ends = np.concatenate([part.vertices[:, 0] for lines in ax.collections for part in lines.get_paths()])
    own = mean_interval(table(2, 0.5)["cost"][TASKS == "maps"])
    assert min(abs(ends - own.low)) < 1e-9
    assert min(abs(ends - own.high)) < 1e-9


def test_systems_are_drawn_by_groups_of_which_one_has_a_single_case_and_no_interval():
    task = np.where(np.arange(SIZE) == 0, "lone", TASKS)
    old, *new = ({**table(seed), "task": task} for seed in (1, 2, 3))
    report = evalcore.compare(old, dict(zip("ab", new, strict=True)), on="id", value="cost", by="task")
    [plot, *_] = comparison_plots(report.answer, report.question, None)
    ax = drawn(plot)
    assert ax.get_xlabel() == "mean of cost (95% interval)"
    hollow = [line.get_xdata().item() for line in ax.get_lines() if line.get_label() == "_no interval"]
    assert sorted(hollow) == pytest.approx(sorted(each["cost"][0] for each in (old, *new)))


def test_systems_without_groups_are_rows_the_best_first():
    report = systems()
    first, *_ = comparison_plots(report.answer, report.question, None)
    ax = drawn(first)
    assert [text.get_text() for text in ax.get_yticklabels()][::-1] == ["new 2", "new 1", "old"]
    assert first.alt.endswith(".")
    two = evalcore.compare(table(1), table(2), on="id", value="cost")
    assert [*comparison_plots(two.answer, two.question, None)] == []


@pytest.mark.usefixtures("undrawn")
def test_changed_cases_have_the_prompt_once_and_the_answers_beside_each_other():
    page = systems(by="task", show=("prompt", "answer")).to_html()
    assert_whole(page)
    assert "<h2>Systems</h2>" in page
    heads = '<th scope="col" class="text">prompt</th><th scope="col" class="text">answer, old</th>'
    assert f'{heads}<th scope="col" class="text">answer, new</th>' in page
    assert "Mean of passed of old and of new 1 by task" in page
    kept = systems(by="task", show=("prompt", "answer"), changed=2).to_html()
    assert kept.count("answer 1-") == 2 * 2 * 2 * 2  # cases, won and lost, columns, new systems
