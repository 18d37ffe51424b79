"""Values of cases: their means alone, in groups and between systems, against definitions and by laws over settings."""

import functools
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

import evalcore
from evalcore.errors import EvaluationError
from evalcore.evaluation.outcomes import letters_of
from evalcore.inference import holm, mcnemar_test, mean_interval
from tests.differences import check_refusals, every

COLUMNS = ["passed", "cost"]
SETTINGS = [
    {}, {"cluster": "question"}, {"weight": "w"}, {"weight": "n", "weight_type": "frequency"},
    {"weight": "w", "cluster": "question"},
]  # fmt: skip


def table(seed=0, size=90, gain=0.0):
    """One value of 0 and 1 and one of any number for each case, with groups, clusters and weights."""
    cases, own = np.random.default_rng(7), np.random.default_rng(seed)
    hardness = cases.normal(size=size)
    return {
        "id": np.arange(size),
        "passed": hardness + own.normal(size=size) < gain,
        "cost": np.round(np.exp(hardness / 3 + own.normal(size=size) / 5 - gain / 4), 3),
        "task": np.array(list("abc"), object)[np.arange(size) % 3],
        "question": np.arange(size) // 4,
        "w": np.round(cases.uniform(1, 3, size), 2),
        "n": cases.integers(1, 4, size),
    }


def taken(columns, rows):
    return {name: column[rows] for name, column in columns.items()}


def evaluated(columns, **more):
    asked = {"value": COLUMNS, "lower_is_better": "cost", "ci": 0.9}
    return evalcore.evaluate(columns, **asked | more)


def numbers(report, *, but=()):
    found = report._columns()
    keys = zip(*(found[name] for name in ("section", "score", "group", "statistic")), strict=True)
    values = zip(*(found[name] for name in ("value", "low", "high")), strict=True)
    return {key: value for key, value in zip(keys, values, strict=True) if key[-1] not in but}


def compared(old, *new, **more):
    asked = {"on": "id", "value": COLUMNS, "lower_is_better": "cost"}
    return evalcore.compare(old, list(new) if len(new) > 1 else new[0], **asked | more)


def same(one, other):
    assert one.keys() == other.keys()
    np.testing.assert_allclose(list(one.values()), list(other.values()), rtol=1e-9, atol=1e-12)


def drawn_as(columns, cluster=None, weight=None, weight_type=None):
    found = {} if cluster is None else {"cluster": columns[cluster]}
    if weight is not None:
        found |= {"sample_weight": columns[weight], "weight_type": weight_type or "sampling"}
    return found


@every("setting", SETTINGS)
def test_means_have_the_intervals_of_the_library_alone_and_by_group(setting):
    columns = table()
    report = evaluated(columns, by="task", **setting)
    for group in ("a", "b", "c", "total"):
        rows = columns["task"] == group if group != "total" else slice(None)
        own = taken(columns, rows)
        for name in COLUMNS:
            found = mean_interval(own[name], level=0.9, **drawn_as(own, **setting))
            record = report.to_dict()["values"][name][group]
            same({0: (found.estimate, *found)}, {0: (record["mean"], record["mean_low"], record["mean_high"])})
    whole = evaluated(columns, **setting)
    assert whole["cost"]["mean"] == pytest.approx(report["cost", "total", "mean"], rel=1e-12)


def test_the_standard_deviation_is_that_of_the_cases():
    columns = table()
    repeated = taken(columns, np.repeat(np.arange(90), columns["n"]))
    report = evaluated(columns, by="task")
    assert evaluated(columns)["cost"]["standard_deviation"] == pytest.approx(np.std(columns["cost"], ddof=1))
    assert report["cost", "b", "standard_deviation"] == pytest.approx(np.std(columns["cost"][1::3], ddof=1))
    weighted = evaluated(columns, weight="n", weight_type="frequency")
    assert weighted["cost"]["standard_deviation"] == pytest.approx(np.std(repeated["cost"], ddof=1))


@every("setting", SETTINGS)
def test_the_order_of_rows_and_a_factor_of_weights_change_nothing(setting):
    columns, order = table(), np.random.default_rng(1).permutation(90)
    more = {**setting, "by": "task", "compare_groups": True}
    shuffled, found = taken(columns, order), numbers(evaluated(columns, **more))
    same(found, numbers(evaluated(shuffled, **more)))
    if setting.get("weight") == "w":
        heavy = numbers(evaluated(columns | {"w": 8 * columns["w"]}, **more), but=("weight",))
        same({name: each for name, each in found.items() if name[-1] != "weight"}, heavy)


def test_frequencies_are_repeated_rows_and_clusters_of_one_case_are_none():
    columns = table()
    repeated = taken(columns, np.repeat(np.arange(90), columns["n"]))
    frequencies, by = {"weight": "n", "weight_type": "frequency"}, {"by": "task", "compare_groups": True}
    same(numbers(evaluated(columns, **by, **frequencies)), numbers(evaluated(repeated, **by)))
    same(numbers(evaluated(columns)), numbers(evaluated(columns, cluster="id")))
    new = table(1, gain=0.5)
    same(differences(compared(columns, new)), differences(compared(columns, new, cluster="id")))


def differences(report):
    found = report._columns()
    names = ("model", "grouping", "group", "measure")
    keys = zip(*(found[name] for name in names), strict=True)
    return dict(
        zip(keys, zip(*(found[name] for name in ("difference", "low", "high", "p_value")), strict=True), strict=True)
    )


@every("drop", [["passed"], ["cost"], COLUMNS])
def test_each_column_leaves_out_its_own_missing_values(drop):
    columns, missing = table(), {"passed": [3, 4, 50], "cost": [4, 70]}
    holed = {name: column.astype(float) if name in COLUMNS else column for name, column in columns.items()}
    for name in drop:
        holed[name][missing[name]] = np.nan
    report, new = evaluated(holed, nulls="drop", by="task"), table(1)
    difference = compared(holed, new, nulls="drop", by="task")
    for name in COLUMNS:
        rows = np.setdiff1d(np.arange(90), missing[name] if name in drop else [])
        own = evaluated(taken(columns, rows), value=name, lower_is_better=[], by="task")
        assert report.to_dict()["values"][name] == own.to_dict()["values"][name]
        alone = compared(taken(columns, rows), taken(new, rows), value=name, lower_is_better=[])
        assert difference[name].found == alone[name].found
        said = f"{name}: {len(missing[name])} of 90 cases are left out, without a value"
        assert (said in report.notes, said in difference.notes) == (name in drop,) * 2


def test_words_are_worth_what_is_said():
    grades = np.array(["C", "P", "I", "C"], object)
    worth = evalcore.evaluate({"g": grades}, value="g", words={"C": 1, "P": 0.5, "I": 0})
    assert worth["g"]["mean"] == 0.625
    two = {"g": grades[[0, 2, 3]]}
    assert evalcore.evaluate(two, value="g", positive="C") == evalcore.evaluate({"g": [1, 0, 1]}, value="g")
    assert evalcore.evaluate({"g": ["true", "False", "true"]}, value="g") == evalcore.evaluate(
        {"g": [1, 0, 1]}, value="g"
    )
    assert evalcore.evaluate({"g": np.array(["0.25", "1e-1"], object)}, value="g")["g"]["mean"] == 0.175


def test_a_column_is_of_0_and_1_as_a_whole_and_not_in_a_group():
    columns = {"x": [0, 1, 0, 1, 2, 1], "g": list("aaaabb")}
    report = evalcore.evaluate(columns, value="x", by="g", ci=0.95)
    [part, _] = report.sections[0].columns.parts
    assert part.intervals["mean"].method == "t"


def test_one_case_and_equal_values_have_no_interval_and_say_why():
    one = evalcore.evaluate({"x": [3.5]}, value="x", ci=0.95)
    assert "the mean of x has no interval: there is one case" in one.notes
    alike = evalcore.evaluate({"x": [2, 2, 2], "g": list("aab")}, value="x", ci=0.95, cluster="g")
    assert alike.notes[-1] == "the mean of x has no interval: all its values are equal, so their spread is unknown"
    assert evalcore.evaluate({"x": [1, 1, 1]}, value="x", ci=0.95).to_dict()["values"]["x"]["mean_high"] == 1


def test_groups_come_worst_first_unless_they_are_dates_and_a_column_may_have_the_name_of_a_measure():
    columns = table()
    columns |= {"accuracy": columns["passed"], "month": np.arange(90) % 4}
    means = {name: columns["cost"][columns["task"] == name].mean() for name in "abc"}
    report = evaluated(columns, value="cost", by="task")
    assert report.sections[0].groups == sorted("abc", key=lambda name: -means[name])
    assert report.summary.startswith("The mean of cost is ")
    assert evaluated(columns, value="accuracy", lower_is_better=[], by="month").sections[0].sort == ""
    assert evaluated(columns, value="accuracy", lower_is_better=[])["accuracy"]["mean"] == columns["passed"].mean()


def test_pairs_are_compared_as_their_differences_and_decisions_as_classifiers_are():
    old, new = table(0), table(1, gain=0.4)
    order = np.random.default_rng(3).permutation(90)
    report = compared(old, taken(new, order), by="task")
    cost, passed = report["cost"], report["passed"]
    oracle = stats.ttest_rel(new["cost"], old["cost"])
    interval = oracle.confidence_interval(0.95)
    np.testing.assert_allclose(
        (cost.found.p_value, cost.found.low, cost.found.high), (oracle.pvalue, interval.low, interval.high), rtol=1e-9
    )
    known = mcnemar_test(np.ones(90, bool), old["passed"], new["passed"])
    assert (passed.found.low, passed.found.high, passed.found.p_value) == (known.low, known.high, known.p_value)
    assert (cost.lower_is_better, cost.verdict) == (True, "better")
    group = compared(taken(old, old["task"] == "b"), taken(new, old["task"] == "b"))
    assert report["task=b", "cost"].found.difference == pytest.approx(group["cost"].found.difference)
    assert report["task=b", "cost"].found.low == pytest.approx(group["cost"].found.low)


@every("setting", SETTINGS)
def test_names_of_ids_and_the_order_of_rows_change_no_comparison(setting):
    old, new = table(0), table(1, gain=0.3)
    found = differences(compared(old, new, by="task", **setting))
    named = {"id": np.array([f"q{91 * row % 90}" for row in range(90)], object)}
    order = np.random.default_rng(5).permutation(90)
    same(found, differences(compared(old | named, taken(new | named, order), by="task", **setting)))
    backwards = differences(compared(new, old, by="task", **setting))
    for name, (difference, low, high, p_value) in backwards.items():
        np.testing.assert_allclose(found[name], (-difference, -high, -low, p_value), rtol=1e-9, atol=1e-12)


def test_what_changed_is_counted_and_listed_with_the_largest_changes_first():
    old, new = table(0), table(1, gain=0.3)
    passed, cost = compared(old, new, show="task", changed=3).models[0].changes
    assert (passed.measure, sum(passed.counts.values())) == ("passed", 90)
    assert passed.counts["newly_right"] == int(np.count_nonzero(new["passed"] & ~old["passed"]))
    change = new["cost"] - old["cost"]
    counts = [np.count_nonzero(change < 0), np.count_nonzero(change == 0), np.count_nonzero(change > 0)]
    assert cost.counts == dict(zip(("won", "tied", "lost"), counts, strict=True))
    assert [case.id for case in cost.newly_wrong] == np.argsort(-change)[:3].tolist()
    assert cost.newly_wrong[0].shown == {"task": old["task"][change.argmax()]}


def test_systems_share_a_letter_unless_they_are_told_apart():
    systems = [table(seed, gain=gain) for seed, gain in enumerate((0.0, 0.1, 0.6, 1.5))]
    answer = compared(systems[0], *systems[1:]).answer
    names = [answer.old, *(model.model for model in answer.models)]
    for column in COLUMNS:
        values = dict(zip(names, (each[column].astype(float) for each in systems), strict=True))
        pairs = [*combinations(names, 2)]
        tests = [compared({"id": np.arange(90), column: values[one]}, {"id": np.arange(90), column: values[other]},
                          value=column, lower_is_better=[])[column] for one, other in pairs]  # fmt: skip
        adjusted = holm([test.found.p_value for test in tests])
        standings = {each.model: each for each in answer.standings if each.measure == column}
        for (one, other), p_value in zip(pairs, adjusted, strict=True):
            shared = {*standings[one].letters} & {*standings[other].letters}
            assert bool(shared) == (p_value >= 0.05)
        order = [each.mean for each in answer.standings if each.measure == column]
        assert order == sorted(order, reverse=column == "passed")


@every("setting", [{}, {"cluster": "task"}])
def test_the_cases_that_tell_the_closest_systems_apart_have_normal_means(setting):
    """Few clusters leave few degrees of freedom, but the many cases that are needed have many."""
    tables = [table(seed, gain=gain) for seed, gain in enumerate((0.0, 0.1, 0.2))]
    [found] = compared(*tables, value="cost", lower_is_better=[], **setting).answer.closest
    named = dict(zip(["old", "new 1", "new 2"], tables, strict=True))
    pair = named[found.worse], named[found.better]
    error = compared(*pair, value="cost", lower_is_better=[], **setting)["cost"].error
    reach = stats.norm.isf(0.025) + stats.norm.ppf(0.8)
    assert found.cases == pytest.approx(90 * (reach * error / found.difference) ** 2, abs=1)


@every("seed", range(6))
def test_letters_say_which_pairs_are_apart_and_none_is_superfluous(seed):
    pairs = [*combinations(range(6), 2)]
    apart = {pair for pair, drawn in zip(pairs, np.random.default_rng(seed).random(15) < 0.4, strict=True) if drawn}
    letters = letters_of(6, apart)
    alike = {pair for pair in pairs if {*letters[pair[0]]} & {*letters[pair[1]]}}
    assert alike == {*pairs} - apart
    groups = [{one for one in range(6) if letter in letters[one]} for letter in sorted({*"".join(letters)})]
    assert not any(one < other for one in groups for other in groups)


def test_a_gate_reads_values_and_changes():
    old, new = table(0), table(1, gain=1.0)
    report = compared(old, new, by="task")
    assert report.check(["passed drops by 0.01", "cost rises by 0.01", "any task: passed < 0.2"], confident=True).passed
    assert not report.check("cost drops by 0.01").passed
    assert "cost of new is" in str(report.check("cost > 0").failures[0])
    named = compared(old | {"AUC": old["cost"]}, new | {"AUC": new["cost"]}, value="AUC", lower_is_better=[])
    assert not named.check("AUC > 0").passed


REFUSED = [
    {"value": "costs"}, {"value": []}, {"value": ["cost", "cost"]}, {"value": "text"}, {"value": "free"},
    {"value": "huge"}, {"value": "hole"}, {"value": "empty", "nulls": "drop"}, {"value": "nested"},
    {"value": "mixed"},
    {"value": "text", "positive": "C"}, {"value": "yes", "positive": "maybe"}, {"value": "yes"},
    {"value": "text", "words": {"C": 1, "I": 0}}, {"value": "text", "words": {"C": float("inf")}},
    {"value": "yes", "words": {"yes": 1, "no": 0}, "positive": "yes"}, {"lower_is_better": "costt"},
    {"label": "passed"}, {"score": "cost"}, {"threshold": 0.5}, {"measures": "mean"}, {"compare": "all"},
    {"show": "text"}, {"target_prevalence": 0.5}, {"compare_groups": True}, {"cluster": "cost", "ci": 0.95},
    {"by": "task", "sort": "roc_aucc"}, {"value": None, "words": {"a": 1}},
    {"words": 3}, {"quantile": "half"}, {"quantile": 2}, {"value": 3},
]  # fmt: skip
OF_TWO = [
    {"on": None}, {"on": "cost"}, {"on": "task"}, {"method": "bootstrap"}, {"allow": "repeated"}, {"threshold": 0.5},
    {"score": "cost"}, {"margin": {"passd": 0.1}}, {"measures": "passed"}, {"value": "text", "positive": "C"},
]  # fmt: skip


def test_what_cannot_be_evaluated_is_refused_by_name():
    columns = table(size=4) | {
        "text": np.array(["C", "I", "P", "C"], object), "yes": np.array(["yes", "no", "no", "yes"], object),
        "mixed": np.array([1, 2, [3], 4], object),
        "free": np.array([f"answer {row}" for row in range(4)], object), "huge": [1.0, 2.0, np.inf, 0.0],
        "hole": [1.0, np.nan, 0.0, 1.0], "empty": [np.nan] * 4, "nested": np.array([[1], [2], [3], [4]]),
    }  # fmt: skip

    def ask(row):
        tables, asked = row
        if tables == 1:
            evalcore.evaluate(columns, **{"value": "cost"} | asked)
        else:
            evalcore.compare(columns, *[columns] * (tables - 1), **{"value": COLUMNS, "on": "id"} | asked)

    rows = [*((1, asked) for asked in REFUSED), *((2, asked) for asked in OF_TWO)]
    check_refusals("evaluation/outputs/refused_values.txt", ask, rows)
    with pytest.raises(EvaluationError, match="compares tables, got one"):
        evalcore.compare(columns, value="cost")


@every(
    "words, positive",
    [(["false", "True"], "false"), ([False, True], "false"), (["0", "1"], "0"), ([0, 1], "0"), ([0.0, 1.0], "false")],
)
def test_false_is_1_where_it_is_positive(words, positive):
    report = evalcore.evaluate({"v": np.array(words).repeat([1, 3])}, value="v", positive=positive)
    assert report["v"]["mean"] == 0.25


def test_zero_as_positive_leaves_other_numbers_as_they_are():
    report = evalcore.evaluate({"v": [0, 1, 0], "cost": [0, 1, 5]}, value=["v", "cost"], positive="0")
    assert [report[name]["mean"] for name in ("v", "cost")] == [2 / 3, 2.0]


def test_groups_are_compared_where_each_has_values():
    columns = {"v": np.array([1.0, 2, 4, np.nan]), "g": list("aabc")}
    asked = {"value": "v", "by": "g", "nulls": "drop", "ci": 0.95}
    assert np.isnan(evalcore.evaluate(columns, **asked).to_dict()["values"]["v"]["c"]["mean"])
    with pytest.raises(EvaluationError, match="'v' must have values in each group for compare_groups, got none in 'c'"):
        evalcore.evaluate(columns, **asked, compare_groups="rest")


@functools.cache
def large(rows=20_000):
    rng = np.random.default_rng(0)
    return {"x": rng.random(rows), "g": rng.integers(0, 100, rows)}


def test_many_groups_are_those_of_their_rows():
    report = evalcore.evaluate(large(), value="x", by="g", ci=0.95)
    own = large()["x"][large()["g"] == 17]
    found = report.to_dict()["values"]["x"]["17"]
    interval = mean_interval(own)
    np.testing.assert_allclose((found["mean_low"], found["mean_high"]), tuple(interval), rtol=1e-9)


@every("setting", SETTINGS)
def test_quantiles_are_those_of_the_values_and_lie_within_their_bounds(setting):
    columns = table()
    report = evaluated(columns, quantile=[0.5, 0.9], by="task", **setting)
    for group in ("b", "total"):
        record = report.to_dict()["values"]["cost"][group]
        own = columns["cost"][columns["task"] == group] if group == "b" else columns["cost"]
        if not setting:
            assert record["quantile_0.5"] == np.median(own)
        assert record["quantile_0.5_low"] <= record["quantile_0.5"] <= record["quantile_0.5_high"]
        assert record["quantile_0.5"] <= record["quantile_0.9"]
    assert report.sections[1].columns.titles["quantile_0.5"] == "median"
