"""Comparisons by group, and of each group with the rest, are those of the cases alone."""

import itertools
import json
import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore import EvaluationError, evaluate, inference
from evalcore.cli import main
from evalcore.document.page.report import groups_panel
from evalcore.inference.decisions import compare_decisions, measure_of_decisions, paired_decisions
from evalcore.inference.intervals import compare_fractions
from evalcore.inference.units import units_of
from evalcore.kernels.grouping import group_layout
from evalcore.kernels.placements import placements_by_group
from tests.differences import every
from tests.strategies import block_size, columns_of

pytestmark = pytest.mark.filterwarnings("ignore::evalcore.errors.UndefinedMetricWarning")

SCORES = st.sampled_from([-np.inf, -0.0, 0.0, 0.25, 0.5, np.inf])
PAIRS = {"first": [(0, 1), (0, 2)], "all": [(0, 1), (0, 2), (1, 2)]}


@given(
    st.lists(st.tuples(st.booleans(), st.sampled_from("xyz"), SCORES, SCORES, SCORES), min_size=1, max_size=40),
    st.sampled_from(sorted(PAIRS)),
    st.sampled_from([1, 4, 13, 1 << 16]),
)
def test_a_group_is_compared_as_its_cases_alone(cases, compare, block):
    late, group, *scores = (np.array(column) for column in zip(*cases, strict=True))
    columns = {"late": late, "group": group, **dict(zip("abc", scores, strict=True))}
    with block_size(block):  # groups that are larger than a block are compared one by one
        report = evaluate(columns, label="late", score=[*"abc"], by="group", ci=0.9, compare=compare)
    p_values, adjusted = [], []
    for first, second in PAIRS[compare]:
        found = report.to_dict()["comparisons"][f"{'abc'[first]} - {'abc'[second]}"]
        assert list(found) == list(report.sections[0].records)
        for name, record in found.items():
            rows = np.full(late.size, True) if name == "total" else group == name
            alone = inference.compare_roc_auc(late[rows], scores[second][rows], scores[first][rows], level=0.9)
            expected = alone.difference, alone.low, alone.high, alone.p_value
            assert list(record.values())[:4] == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True)
            if name != "total" and not math.isnan(alone.p_value):
                p_values.append(alone.p_value)
                adjusted.append(record["p_value_holm"])
    assert adjusted == pytest.approx(inference.holm(p_values).tolist() if p_values else [], rel=1e-9)


def flights(groups=30, cases=100):
    rng = np.random.default_rng(5)
    late = rng.random(groups * cases) < 0.3
    scores = {name: rng.normal(size=late.size) + weight * late for name, weight in zip("abc", (2, 1.7, 1), strict=True)}
    return {"late": late, **scores, "group": np.arange(late.size) % groups}


def test_p_values_are_adjusted_for_all_groups_and_pairs():
    columns = flights()
    for compare, pairs, family in (("first", 2, 2), ("best", 2, 3), ("all", 3, 3)):
        report = evaluate(columns, label="late", score=[*"abc"], by="group", ci=0.95, compare=compare)
        sections = report.sections[3:]
        assert len(sections) == pairs
        rows = [{item.name: item.value for item in items} for section in sections for items in section.records.values()]
        groups = [row for index, row in enumerate(rows) if (index + 1) % 31]
        expected = inference.holm([row["p_value"] for row in groups] + [1] * 30 * (family - pairs))[: len(groups)]
        assert [row["p_value_holm"] for row in groups] == expected.tolist()
        because = ", because any model could have been the best" if compare == "best" else ""
        note = f"{30 * family} comparisons, one for each group and pair{because}; intervals are for each group alone"
        assert report.notes[0] == f"P-values of groups are adjusted by Holm's method for {note}"
        plain = evaluate(columns, label="late", score=[*"abc"], ci=0.95, compare=compare).to_dict()["comparisons"]
        assert {pair: found["total"] for pair, found in report.to_dict()["comparisons"].items()} == plain


def test_a_group_that_is_too_small_has_no_p_value_and_a_note():
    columns = flights(2, 50)
    columns["group"] = np.array(["large", "tiny"])[(np.arange(100) > 96).astype(int)]
    report = evaluate(columns, label="late", score=["a", "b"], by="group", ci=0.95)
    record = report["a - b", "tiny"]
    assert math.isnan(record["p_value"])
    assert math.isnan(record["p_value_holm"])
    assert report["a - b", "large", "p_value_holm"] == report["a - b", "large", "p_value"]
    why = "p and p, Holm are NaN where a class has fewer than two cases, or the difference has no variance"
    assert f"{why}: 'tiny'" in report.notes


def test_nothing_is_compared_unless_there_are_intervals_and_several_models():
    columns = flights(2, 50)
    asked = {"label": "late", "by": "group"}
    for report in (
        evaluate(columns, score=["a", "b"], **asked),
        evaluate(columns, score="a", ci=0.95, **asked),
        evaluate(columns, score=["a", "b"], ci=0.95, compare="none", **asked),
    ):
        assert list(report.to_dict()) == ["scores", "notes"]
    report = evaluate(columns, score=["a", "b"], ci=0.95, **asked)
    assert list(report.to_dict()) == ["scores", "comparisons", "notes"]
    assert "comparisons,a - b,1,p_value_holm," in report.to_csv()
    assert "ROC AUCs compared: a - b, on the same cases" in repr(report)


CASES = st.lists(st.tuples(st.booleans(), st.integers(0, 3), SCORES, SCORES), min_size=1, max_size=40)


def test_sums_of_many_ties_do_not_overflow():
    size = 1 << 22
    correct, groups = np.arange(size) % 2 == 0, (np.arange(size) > 5).astype(np.int64)
    inside, outside = placements_by_group(np.zeros(size, np.float32), correct, group_layout(groups, 2))
    assert inside.squares.tolist() == outside.squares.tolist() == [0, 0]
    inside, _ = placements_by_group(correct.astype(np.float32), correct, group_layout(groups, 2))
    half = size // 2 - 3
    assert (inside.sums[1], inside.squares[1], inside.incorrect_squares[1]) == (-(half**2), half**3, half**3)


@given(CASES, st.sampled_from([1, 4, 13, 1 << 16]))
def test_a_group_is_compared_with_the_rest_as_two_samples(cases, block):
    late, group, *scores = (np.array(column) for column in zip(*cases, strict=True))
    columns = {"late": late, "group": group, **dict(zip("ab", scores, strict=True))}
    with block_size(block):  # groups that are larger than a block are added up one by one
        report = evaluate(columns, label="late", score=["a", "b"], by="group", ci=0.9, compare_groups=True)
    p_values, adjusted = [], []
    are_one = len(report.sections[0].groups) == 2
    for name, column in zip("ab", scores, strict=True):
        records = report.to_dict()["differences_to_rest"][name]
        assert list(records) == list(map(str, report.sections[0].groups))
        for label, record in records.items():
            rows = group == int(label)
            alone = inference.compare_unpaired_roc_auc(late[~rows], column[~rows], late[rows], column[rows], level=0.9)
            expected = alone.estimates[1], alone.difference, alone.low, alone.high, alone.p_value
            assert list(record.values())[:5] == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True)
            if not math.isnan(alone.p_value):
                p_values.append(alone.p_value)
                adjusted.append(record["p_value_holm"])
        if are_one and p_values:  # the same comparison twice
            assert adjusted.pop() == adjusted[-1]
            p_values.append(max(p_values.pop(), p_values.pop()))
    assert adjusted == pytest.approx(inference.holm(p_values).tolist() if p_values else [], rel=1e-9)


def columns(groups=4, cases=100):
    rng = np.random.default_rng(3)
    late = rng.random(groups * cases) < 0.5
    return {"late": late, "model": rng.normal(size=late.size) + late, "group": np.arange(late.size) % groups}


def report_of(given, **asked):
    return evaluate(given, label="late", score="model", by="group", ci=0.9, compare_groups=True, **asked)


@pytest.mark.usefixtures("undrawn")
def test_notes_say_what_p_values_are_adjusted_for():
    assert report_of(columns()).notes[0] == (
        "P-values of differences to the rest are adjusted by Holm's method for 4 comparisons, one for each group; "
        "intervals are for each group alone"
    )
    given = {**columns(), "other": columns()["model"] ** 3}
    both = evaluate(given, label="late", score=["model", "other"], by="group", ci=0.9, compare_groups=True)
    panel = groups_panel(both.answer, both.question)
    (table,) = panel.tables
    assert table.head[3:5] == ["difference model - other", "p, Holm"]
    assert both.to_html().count("each group minus all other cases: all groups</h3>") == 2
    assert [note.split(" are ")[0] for note in panel.after] == [
        "P-values of groups",
        "P-values of differences to the rest",
    ]
    assert any("8 comparisons, one for each group and score; " in note for note in both.notes)


@pytest.mark.usefixtures("undrawn")
def test_differences_stand_in_every_output():
    report = report_of(columns(), sort="value")
    names = report.sections[0].groups
    assert [section.groups for section in report.sections[:2]] == [names, names]
    assert list(report.sections[1].records) == names  # all cases have no rest
    value = report["differences_to_rest", "model", "2", "difference_to_rest"]
    assert f"differences_to_rest,model,2,difference_to_rest,{value}," in report.to_csv()
    for text in (repr(report), report.to_markdown(), report.to_html()):
        assert "difference to the rest" in text
        assert "ROC AUC of the rest" in text
    assert "ROC AUC of model: each group minus all other cases: all groups<" in report.to_html()
    table = groups_panel(report.answer, report.question).tables[0]
    assert table.head == ["group", "ROC AUC of model", "difference to the rest", "p, Holm", "cases", "positives"]
    assert [row[0] for row in table.rows] == [*names, "total"]
    assert table.rows[-1][2:4] == ["", ""]
    assert table.rows[0][2].value == report["differences_to_rest", "model", names[0]]["difference_to_rest"]
    assert report.plot_groups(ax=axes()).get_xlabel() == "ROC AUC (90% interval)"


def axes():
    from matplotlib.figure import Figure

    return Figure().add_subplot()


def test_of_many_groups_the_differences_of_those_that_are_left_out_are_not_adjusted_for():
    given = columns()
    given["group"] = np.where(np.arange(400) < 20, 9, given["group"])
    report = report_of(given, min_cases=50)
    assert list(report.sections[1].records) == report.sections[0].groups
    p_values = [record["p_value"] for record in report.to_dict()["differences_to_rest"]["model"].values()]
    adjusted = [record["p_value_holm"] for record in report.to_dict()["differences_to_rest"]["model"].values()]
    assert len(adjusted) == 4
    assert min(adjusted) >= 4 * min(p_values)


def agreement(groups, seed=5):
    rng = np.random.default_rng(seed)
    tree = rng.integers(0, 3, 60 * groups)
    guess = np.where(rng.random(tree.size) < 0.7, tree, rng.integers(0, 3, tree.size))
    return {"tree": tree, "guess": guess, "group": np.arange(tree.size) * np.arange(tree.size) % groups}


def test_the_accuracy_of_classes_is_compared_too(tmp_path):
    given = agreement(5)
    report = evaluate(given, label="tree", predicted="guess", by="group", ci=0.9, compare_groups=True)
    right = given["tree"] == given["guess"]
    records = report.to_dict()["differences_to_rest"]["guess"]
    assert list(records) == report.sections[0].groups
    for name, record in records.items():
        rows = given["group"] == int(name)
        table = [[side.sum(), (~side).sum()] for side in (right[rows], right[~rows])]
        [expected] = compare_fractions(*zip(*([[good], [good + bad]] for good, bad in table), strict=True), 0.9).each()
        numbers = expected.estimates[1], expected.difference, expected.low, expected.high, expected.p_value
        assert list(record.values())[:5] == pytest.approx(numbers, rel=1e-12)
    p_values = [record["p_value"] for record in records.values()]
    assert [record["p_value_holm"] for record in records.values()] == inference.holm(p_values).tolist()
    assert report.notes[0] == (
        f"P-values of differences to the rest are adjusted by Holm's method for {len(records)} comparisons, one for "
        "each group; intervals are for each group alone"
    )
    for part in range(2):
        pq.write_table(
            pa.table({name: column[part::2] for name, column in given.items()}), tmp_path / f"{part}.parquet"
        )
    asked = ("--label", "tree", "--predicted", "guess", "--by", "group", "--ci", "0.9", "--compare-groups")
    outcome = CliRunner().invoke(main, ["report", str(tmp_path), *asked, "--format", "json"])
    assert json.loads(outcome.stdout)["differences_to_rest"]["guess"] == records


def test_groups_that_are_all_right_and_a_single_group_have_no_test():
    right = {"tree": [1, 2, 1, 2], "guess": [1, 2, 1, 2], "group": [1, 1, 2, 2], "one": [1] * 4}
    same = evaluate(right, label="tree", predicted="guess", by="group", ci=0.9, compare_groups=True)
    assert same["differences_to_rest", "guess", "1", "p_value"] == 1
    alone = evaluate(right, label="tree", predicted="guess", by="one", ci=0.9, compare_groups=True)
    assert math.isnan(alone["differences_to_rest", "guess", "1", "p_value"])
    of_rest = (
        "accuracy of the rest and accuracy difference to the rest are NaN where there is nothing to compute it from"
    )
    assert f"{of_rest}, in the group or in what it is compared with: '1'" in alone.notes


BAD = {
    "groups": ({"score": "model", "ci": 0.9}, "compare_groups needs by, which names the column of groups"),
    "measure": (
        {"score": "model", "by": "group", "ci": 0.9, "measures": ["prevalence"]},
        "compare_groups needs a measure of rankings or losses, like roc_auc, or threshold for those of decisions",
    ),
    "level": ({"score": "model", "by": "group"}, "compare_groups needs ci, the level of the intervals"),
}


@every("lacking", BAD)
def test_groups_are_compared_only_with_scores_and_intervals(lacking):
    asked, message = BAD[lacking]
    with pytest.raises(EvaluationError, match=f"^{message}$"):
        evaluate(columns(), label="late", compare_groups=True, **asked)


def test_what_groups_are_not_compared_by_is_said():
    given, asked = columns(groups=2), {"label": "late", "by": "group", "ci": 0.9, "compare_groups": True}
    of_scores = evaluate(given, score="model", measures=["roc_auc", "maximum_f1", "prevalence"], **asked).notes
    those = "measures of rankings, losses and decisions"
    assert f"groups are compared by {those}, and not by maximum_f1 and prevalence" in of_scores
    of_classes = evaluate(
        {**given, "guess": given["model"] > 0.5}, predicted="guess", measures=["kappa", "cramers_v"], **asked
    )
    assert "groups are compared by measures of predicted classes, and not by cramers_v" in of_classes.notes


@every("asked", [{"score": "model"}, {"score": ["model", "other"]}, {"predicted": "guess"}])
def test_the_differences_of_two_groups_that_are_all_cases_are_one_comparison(asked):
    given = columns(groups=2) | {"other": columns(groups=2)["model"] ** 3}
    given["guess"] = given["model"] > 0.5
    report = evaluate(given, label="late", by="group", ci=0.9, compare_groups=True, **asked)
    models = report.to_dict()["differences_to_rest"]
    each = [[record["p_value_holm"] for record in records.values()] for records in models.values()]
    assert all(first == second for first, second in each)
    what = "2 comparisons, one for each score" if len(models) > 1 else "1 comparison"
    begin = (
        f"P-values of differences to the rest are adjusted by Holm's method for {what}, because each of the 2 groups "
    )
    assert any(note.startswith(f"{begin}is the rest of the other; intervals ") for note in report.notes)
    if "predicted" in asked:
        assert each[0][0] == models["guess"]["0"]["p_value"]
    given["group"][:3] = 2  # which is left out, but belongs to the rest of the others
    three = evaluate(given, label="late", by="group", ci=0.9, compare_groups=True, min_cases=50, **asked)
    assert any(f"{2 * len(models)} comparisons, one for each group" in note for note in three.notes)


@given(columns_of([*itertools.product((0, 1, 2), *[(False, True)] * 3, (1, 2))], 3, 24), st.booleans())
@example([(0, True, True, True, 1)] * 3 + [(1, True, True, True, 1), (1, True, False, False, 1)], False)
def test_decisions_of_a_group_are_compared_as_its_cases_alone(rows, weighted):
    """Cells that other groups have, or open, say nothing of it, not even where two models decide all alike."""
    groups, positive, old, new, weights = map(np.array, zip(*rows, strict=True))

    def compared(name, chosen, **given):
        units = units_of(chosen.size, weights=weights[chosen].astype(float) if weighted else None, **given)
        cells = paired_decisions(positive[chosen], old[chosen], new[chosen], units)
        return compare_decisions(cells, measure_of_decisions(name), 0.95)

    numbered = np.unique(groups, return_inverse=True)[1]
    for name in ("accuracy", "recall", "precision", "kappa"):
        found = compared(name, np.arange(groups.size), groups=numbered, count=numbered.max() + 1)
        for group, own in enumerate(found.each()):
            expected = compared(name, np.flatnonzero(numbered == group))
            [alone] = expected.each()
            assert [own.low, own.high] == pytest.approx([alone.low, alone.high], rel=1e-6, abs=1e-9, nan_ok=True)
            assert found.errors[group] == pytest.approx(expected.errors[0], rel=1e-9, abs=1e-9, nan_ok=True)
