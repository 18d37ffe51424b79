"""Laws of differences between groups: of any measure, with weights, frequencies and clusters."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from evalcore import EvaluationError, EvaluationTypeError, evaluate, inference
from evalcore.cli import main
from evalcore.inference.intervals import bounds_of_difference, compare_fractions
from tests.differences import every

RANKED = "roc_auc", "average_precision", "log_loss", "brier_score"
DECIDED = "recall", "precision", "fpr", "selection_rate", "f1", "mcc", "kappa", "balanced_accuracy", "expected_cost"
SOME = ["average_precision", "log_loss", "recall", "mcc"]
SETTINGS = {
    "rows": {},
    "clusters": {"cluster": "day"},
    "weights": {"weight": "w"},
    "frequencies": {"weight": "often", "weight_type": "frequency"},
    "weighted clusters": {"weight": "w", "cluster": "day"},
}


def flights(groups=3, cases=240, seed=3):
    rng = np.random.default_rng(seed)
    late, day = rng.random(cases) < 0.4, rng.integers(0, 40, cases)
    scores = 1 / (1 + np.exp(-(rng.normal(size=cases) + 1.5 * late - 0.5 + rng.normal(size=40)[day] / 2)))
    group = np.array([*"abcd"])[rng.integers(0, groups, cases)]
    weights = {"w": rng.lognormal(size=cases), "often": rng.integers(1, 4, cases)}
    return {"late": late, "model": scores, "group": group, "day": day, **weights}


def asked(given, against=True, level=0.9, **more):
    question = {"measures": [*RANKED, *DECIDED], "threshold": 0.5, "costs": (1, 5), "by": "group", **more}
    report = evaluate(given, label="late", score="model", ci=level, compare_groups=against, **question)
    return {
        (section, record): numbers
        for section, models in report.to_dict().items()
        if section not in ("scores", "notes")
        for record, numbers in models["model"].items()
    }


def differences(found, ending):
    """Return each difference with its bounds and p-value, by section and record."""
    return {
        key: np.array([*(numbers[name + end] for end in ("", "_low", "_high")), numbers["p_value"]])
        for key, numbers in found.items()
        for name in numbers
        if name.endswith(ending)
    }


@every("setting", SETTINGS)
def test_of_two_groups_each_is_the_rest_of_the_other_whatever_they_are_called(setting):
    given, how = flights(2), SETTINGS[setting]
    answer = asked(given, **how)
    found, every_gap = (differences(answer, ending) for ending in ("difference_to_rest", "_gap"))
    assert len(found) == 2 * len((*RANKED, *DECIDED))
    for (section, group), own in found.items():
        low, high = -found[section, "ab"[group == "a"]][[2, 1]]
        np.testing.assert_allclose([own[1], own[2]], [low, high], rtol=1e-9, atol=1e-12)
        if group == "a":
            of = section.partition(" of ")[2]
            [gap] = [each for (name, _), each in every_gap.items() if name.partition(" of ")[2] == of]
            assert gap == pytest.approx([abs(own[0]), max(own[1], -own[2], 0), max(-own[1], own[2]), own[3]], rel=1e-9)
    how = {**how, "measures": ["roc_auc", *SOME]}
    renamed = differences(asked({**given, "group": np.where(given["group"] == "a", "z", "b")}, **how), "to_rest")
    for (section, group), own in renamed.items():
        np.testing.assert_allclose(own, found[section, "ba"[group == "z"]], rtol=1e-9, atol=1e-12)
    for (section, _), own in differences(asked(given, "b", **how), "difference_to_reference").items():
        np.testing.assert_allclose(own, found[section.replace("reference", "rest"), "a"], rtol=1e-9)


def test_each_side_is_evaluated_by_itself_and_a_p_value_is_the_level_at_which_bounds_touch_0():
    given = flights()
    found = differences(asked(given, "c"), "difference_to_reference")
    late = [given["late"] & (given["group"] == group) for group in "ac"]
    found_of = [(given["model"][own] >= 0.5).sum() for own in late]
    [expected] = compare_fractions([[each] for each in found_of], [[own.sum()] for own in late], 0.9).each()
    own = found["differences_to_reference of recall@0.5", "a"]
    assert own == pytest.approx([expected.difference, expected.low, expected.high, expected.p_value])
    for how in SETTINGS.values():
        found = differences(asked(given, "c", **how), "difference_to_reference")
        key, own = min(found.items(), key=lambda each: each[1][3])
        alone = {**how, "measures": ["roc_auc", key[0].partition(" of ")[2] or "log_loss"]}
        touching = differences(asked(given, "c", 1 - own[3], **alone), "difference_to_reference")[key]
        assert np.abs(touching[1:3]).min() == pytest.approx(0, abs=1e-9)


def test_bounds_of_average_precisions_combine_the_intervals_of_both_sides():
    given = flights()
    rows = (given["group"] == group for group in "ac")
    sides = [inference.average_precision_interval(given["late"][own], given["model"][own], level=0.9) for own in rows]
    bounds = bounds_of_difference(*((side.estimate, side.low, side.high) for side in sides))
    found = differences(asked(given, "c"), "difference_to_reference")
    own = found["differences_to_reference of average_precision", "a"]
    assert own[1:3] == pytest.approx(bounds, rel=1e-12)


def test_fairness_is_asked_by_fractions_of_the_decisions_in_each_group():
    given, asked = flights(), {"label": "late", "score": "model", "by": "group", "threshold": 0.5, "ci": 0.9}
    report = evaluate(given, **asked, compare_groups=True, measures=["selection_rate", "fpr"])
    for group in "abc":
        late, flagged = (column[given["group"] == group] for column in (given["late"], given["model"] >= 0.5))
        assert report["scores", "model", group]["selection_rate"] == flagged.mean()
        assert report["scores", "model", group]["fpr"] == flagged[~late].mean()


def test_frequencies_stand_for_repeated_rows():
    given = flights()
    repeated = {name: column.repeat(given["often"]) for name, column in given.items()}
    for against in (True, "all"):
        weighted, rows = asked(given, against, weight="often", weight_type="frequency"), asked(repeated, against)
        assert weighted.keys() == rows.keys()
        for key, numbers in rows.items():
            np.testing.assert_allclose([*weighted[key].values()], [*numbers.values()], rtol=1e-7, atol=1e-9)


def test_bounds_of_clusters_with_rows_in_both_groups_are_those_of_resampled_clusters():
    given, rng = flights(2, 2000), np.random.default_rng(5)
    found = differences(asked(given, "b", cluster="day", measures=SOME), "difference_to_reference")
    rows = [np.flatnonzero(given["day"] == day) for day in range(40)]
    drawn = []
    for _ in range(60):
        chosen = np.concatenate([rows[day] for day in rng.integers(0, 40, 40)])
        resample = {name: column[chosen] for name, column in given.items()}
        of = evaluate(resample, label="late", score="model", by="group", threshold=0.5, measures=SOME)
        drawn.append([of["a"][name] - of["b"][name] for name in SOME])
    reaches = [(own[2] - own[1]) / 2 for own in found.values()]
    np.testing.assert_allclose(np.std(drawn, axis=0) * 1.7, reaches, rtol=0.3)


def test_classes_are_compared_by_any_measure_and_all_pairs():
    rng = np.random.default_rng(7)
    tree = rng.integers(0, 3, 300)
    given = {"tree": tree, "guess": np.where(rng.random(300) < 0.7, tree, 0), "group": np.array([*"abc"] * 100)}
    names = ["accuracy", "kappa", "macro_f1", "mcc"]
    report = evaluate(
        given | {"day": np.arange(300) // 6}, label="tree", predicted="guess", by="group", ci=0.9, compare_groups="all",
        measures=names, cluster="day",
    )  # fmt: skip
    for name in names[1:3]:
        record = report[f"differences_of_groups of {name}", "guess", "a - b"]
        assert record["p_value"] <= record["p_value_holm"]
        assert record[f"{name}_difference_of_groups"] == report["a", name] - report["b", name]
    assert list(report.to_dict())[:3] == ["statistics", "differences_of_groups", "differences_of_groups of kappa"]
    assert "one for each pair and measure; intervals are for each pair alone" in report.to_markdown()


def test_equal_losses_have_no_bounds_and_gaps_leave_out_groups_without_any():
    equal = {**flights(), "model": np.full(240, 0.5)}
    found = differences(asked(equal, measures=["log_loss"]), "to_rest")
    assert len(found) == 3
    assert all(abs(own[0]) < 1e-15 and np.isnan(own[1:3]).all() and own[3] == 1 for own in found.values())
    given = flights()
    given["model"] = np.where(given["group"] == "b", 0.5, given["model"])  # whatever happens, their loss is ln 2
    of_two = {name: np.asarray(column)[given["group"] != "b"] for name, column in given.items()}
    how = {"measures": ["log_loss"], "cluster": "day"}
    [gap], [expected] = (differences(asked(each, **how), "_gap").values() for each in (given, of_two))
    assert 0 < gap[0] < gap[2] < 0.5
    assert gap == pytest.approx(expected)
    noted = evaluate(given, label="late", score="model", by="group", threshold=0.5, ci=0.9, compare_groups=True, **how)
    assert "the largest gap of log loss leaves out groups without bounds: 'b'" in noted.notes


def test_the_unit_of_weights_does_not_matter():
    given = flights()
    found, small, large = (asked({**given, "w": given["w"] * unit}, weight="w") for unit in (1, 1e-300, 1e300))
    for key, numbers in differences(found, "to_rest").items():
        for others in (small, large):
            np.testing.assert_allclose(differences(others, "to_rest")[key], numbers, rtol=1e-7, atol=1e-9)


GATES = {
    "any group: recall_difference_to_rest@0.5 < 2": (1, "where group is a is", "below 2 (certain)"),
    "fpr_gap@0.5 >= 1": (0, "the condition is not met"),
    "group=b: accuracy_difference_to_reference@0.5 > 0.9": (0, "1 group by group judged"),
    "kappa_gap@0.5 rises by 0.1": (2, "needs --baseline FILE"),
    "precision_gap@0.5 > 0": (2, "needs --compare-groups"),
    "fpr_gap > 0.1": (2, "needs a threshold, such as false_positive_rate_gap@0.5"),
}


@every("condition", GATES)
def test_conditions_are_about_differences_of_groups_and_gaps(condition, tmp_path):
    pq.write_table(pa.table(flights()), file := str(tmp_path / "flights.parquet"))
    against = () if "precision" in condition else ("--compare-groups", *(["c"] if "reference" in condition else []))
    question = ("--label", "late", "--score", "model", "--by", "group", "--ci", "0.9", "--fail-if", condition)
    outcome = CliRunner().invoke(main, ["report", *against, file, *question])
    code, *said = GATES[condition]
    assert outcome.exit_code == code
    assert all(text in outcome.stderr for text in said)


@pytest.mark.parametrize("more", [{}, {"weight": "w"}, {"cluster": "day"}])
def test_groups_without_a_rest_or_a_class_have_no_bounds(more):
    given = flights() | {"one": np.zeros(240)}
    found = differences(asked(given, by="one", **more), "difference_to_rest")
    assert np.isnan([*found.values()]).all()
    assert len(asked(given, "all", by="one", measures=["roc_auc", *SOME], **more)) == 0
    given["late"] |= given["group"] == "a"
    found = differences(asked(given, measures=["roc_auc", "fpr"], **more), "difference_to_rest")
    assert np.isnan(found["differences_to_rest of false_positive_rate@0.5", "a"]).all()


REFUSED = {
    "rest, all or the name of a group, got 'e'": {"compare_groups": "e"},
    "be True, False or a string, got 3": {"compare_groups": 3},
    "compare_groups takes no target_prevalence": {"compare_groups": True, "target_prevalence": 0.1},
    "the number of groups must be less than 301 for compare_groups=all, got 301": {
        "compare_groups": "all",
        "by": "many",
    },
}


@every("message", REFUSED)
def test_what_groups_cannot_be_compared_with_is_refused(message):
    given = flights(cases=602)
    question = {"label": "late", "score": "model", "by": "group", "ci": 0.9, **REFUSED[message]}
    with pytest.raises((EvaluationError, EvaluationTypeError), match=message):
        evaluate({**given, "many": np.arange(602) // 2}, **question)
