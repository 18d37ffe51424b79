"""Repeated samples of ids, and people's values with a judge's help, alone, in groups and between systems."""

import json
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from scipy import stats

import evalcore
from evalcore.errors import EvaluationError, taking_notes
from evalcore.evaluation.files import answer_files
from evalcore.evaluation.progress import Bar
from evalcore.evaluation.question import Question
from evalcore.inference import kappa_interval, mean_interval, prediction_powered_interval
from tests.differences import every

IDS, SAMPLES = 40, 5


def sampled(seed, gain=0.0):
    """Samples of 40 ids of two columns, in any order, some ids with fewer."""
    easy, own = np.random.default_rng(3).normal(size=IDS), np.random.default_rng(seed)
    ids = own.permutation(np.repeat(np.arange(IDS), own.integers(2, SAMPLES + 1, IDS)))
    passed = easy[ids] + own.normal(size=ids.size) < gain
    return {"id": ids, "passed": passed, "cost": own.lognormal(easy[ids] / 2), "task": ids % 3, "topic": ids // 4}


def means(columns, name):
    return np.array([columns[name][columns["id"] == one].mean() for one in range(IDS)])


@every("setting", [{}, {"cluster": "topic"}])
def test_an_id_with_several_samples_is_one_case_with_their_mean(setting):
    columns, new = sampled(0), sampled(1, gain=0.4)
    first = {name: np.arange(IDS) if name == "id" else np.arange(IDS) % 3 for name in ("id", "task")}
    averaged = [{**first, "topic": np.arange(IDS) // 4, "cost": means(each, "cost")} for each in (columns, new)]
    asked = {"on": "id", "repeats": "mean", "value": "cost", "ci": 0.9, **setting}
    report, plain = (
        evalcore.evaluate(each, by="task", **more).to_dict()["values"]["cost"]
        for each, more in ((columns, asked), (averaged[0], asked | {"on": None, "repeats": None}))
    )
    for group, statistics in plain.items():
        for name, value in statistics.items():
            assert report[group][name] == pytest.approx(value, rel=1e-12)
    found = evalcore.compare(columns, new, **asked)["cost"].found
    expected = evalcore.compare(*averaged, **asked | {"repeats": None})["cost"].found
    assert [found.difference, found.low, found.high] == pytest.approx(
        [expected.difference, expected.low, expected.high], rel=1e-12
    )


def test_samples_tell_variance_within_and_between_ids():
    columns = sampled(0)
    report = evalcore.evaluate(columns, value=["passed", "cost"], on="id", repeats="mean", ci=0.95)
    own = [columns["cost"][columns["id"] == one] for one in range(IDS)]
    within = sum(each.var() * each.size for each in own) / sum(each.size - 1 for each in own)
    assert report["cost"]["within"] == pytest.approx(np.sqrt(within))
    part = within * sum(1 / each.size for each in own) / IDS**2 / (means(columns, "cost").var(ddof=1) / IDS)
    said = f"cost: {part:.0%} of the variance of the mean comes from the samples; more samples of each id would"
    assert any(note.startswith(said) for note in report.notes)
    assert "cost: each id is a case, whose value is the mean of its 2 to 5 samples" in report.notes


def passed_of_pairs(columns):
    """How likely one of two samples of each id is 1, of all pairs of its samples."""
    own = [columns["passed"][columns["id"] == one] for one in range(IDS)]
    return np.array([np.mean([one | other for one, other in combinations(each, 2)]) for each in own])


@every("setting", [{}, {"cluster": "topic"}])
def test_pass_at_k_is_a_value_of_each_id(setting):
    columns, new = sampled(0), sampled(1, gain=0.4)
    ids = {"id": np.arange(IDS), "topic": np.arange(IDS) // 4}
    plain = [ids | {"passed": passed_of_pairs(each)} for each in (columns, new)]
    asked = {"value": "passed", "ci": 0.9, **setting}
    of_samples = asked | {"on": "id", "repeats": "pass@2"}
    report, expected = evalcore.evaluate(columns, **of_samples), evalcore.evaluate(plain[0], **asked)
    for name in ("mean", "standard_deviation"):
        assert report["passed"][name] == pytest.approx(expected["passed"][name])
    assert report.summary.startswith("The pass@2 of passed is ")
    found, expected = evalcore.compare(columns, new, **of_samples), evalcore.compare(*plain, on="id", **asked)
    for name in ("difference", "low", "high"):
        assert getattr(found["passed"].found, name) == pytest.approx(getattr(expected["passed"].found, name))
    once = evalcore.evaluate(columns, **of_samples | {"repeats": "pass@1"})["passed"]["mean"]
    assert once == pytest.approx(means(columns, "passed").mean())


@every("number,said", [(3, "all samples are alike"), (1, "no id has two samples")])
def test_samples_that_do_not_vary_tell_nothing_of_their_variance(number, said):
    columns = {"id": np.repeat(np.arange(9), number), "v": np.ones(9 * number)}
    report = evalcore.evaluate(columns, value="v", on="id", repeats="mean", ci=0.95)
    assert f"v: {said}, so how they vary is unknown" in report.notes


def test_what_differs_between_samples_of_an_id_or_lacks_ids_is_refused():
    columns = sampled(0)
    columns["task"] = np.arange(columns["id"].size)
    asked = {"value": "cost", "on": "id", "repeats": "mean"}
    with pytest.raises(EvaluationError, match=r"^column 'task' must be equal in all samples of an id, got several"):
        evalcore.evaluate(columns, by="task", **asked)
    for more, text in (
        ({"on": None}, "repeats needs on, the columns that identify a case"),
        ({"repeats": None}, "on needs repeats"),
        ({"repeats": "first"}, "repeats must be mean or pass@K, such as pass@5, got 'first' .str."),
        ({"repeats": "pass@2"}, "column 'cost' must hold 0 and 1 for pass@2, got other values"),
        (
            {"value": "passed", "repeats": "pass@3"},
            "column 'passed' must have 3 samples of each id.*, got 2.*",
        ),
        (
            {"judge": "passed"},
            "repeats cannot be combined with judge, because people .*; name the ids as.*",
        ),
        ({"repeats": None, "on": None, "judge": "cost"}, "judge must be another column than value"),
        (
            {"repeats": None, "on": None, "judge": "cost", "value": ["passed", "task"]},
            "judge needs one column of value.*",
        ),
        ({"at_k": 2}, "at_k cannot be combined with value, because columns of values take the place of .*"),
        ({"measures": "pass@2"}, ".*; columns of value have their mean or, with repeats='pass@K', pass@k"),
    ):
        with pytest.raises(EvaluationError, match=f"^{text}$"):
            evalcore.evaluate(columns, **asked | more)
    with pytest.raises(EvaluationError, match=r"take the mean of the samples of each id \(repeats='mean'\)$"):
        evalcore.compare(columns, columns, **asked | {"repeats": None})


def judged(seed, rate, size=300, labelled=80):
    own = np.random.default_rng(seed)
    human = (own.random(size) < rate).astype(float)
    judge = np.where(own.random(size) < 0.9, human, 1 - human)
    human[own.permutation(size)[labelled:]] = np.nan
    grade = human + own.normal(0, 0.1, size).round(1)
    return {"id": np.arange(size), "human": human, "judge": judge, "grade": grade, "g": np.arange(size) % 2}


@every("column", ["human", "grade"])
def test_people_with_a_judge_have_prediction_powered_means(column):
    columns = judged(0, 0.8)
    report = evalcore.evaluate(columns, value=column, judge="judge", ci=0.95, by="g").to_dict()["values"][column]
    for group in ("0", "1", "total"):
        rows = slice(None) if group == "total" else columns["g"] == int(group)
        people, judge = columns[column][rows], columns["judge"][rows]
        known = ~np.isnan(people)
        expected = prediction_powered_interval(people[known], judge[known], judge[~known])
        found = [report[group][name] for name in ("mean", "mean_low", "mean_high")]
        assert found == pytest.approx([expected.estimate, *expected])
        assert report[group]["judge_bias"] == pytest.approx(judge[known].mean() - people[known].mean())
        if column == "human":
            kappa = kappa_interval(people[known], judge[known])
            agreement = [report[group][name] for name in ("agreement", "agreement_low", "agreement_high")]
            assert agreement == pytest.approx([kappa.estimate, *kappa])


def test_systems_are_compared_by_what_people_and_judge_say_of_both():
    old, new = judged(0, 0.8), judged(1, 0.6)
    report = evalcore.compare(old, new, on="id", value="human", judge="judge", by="g")
    found, people, judge = report["human"].found, new["human"] - old["human"], new["judge"] - old["judge"]
    known = ~np.isnan(people)
    expected = prediction_powered_interval(2 * people[known] + 5, 2 * judge[known] + 5, 2 * judge[~known] + 5)
    assert [found.difference, found.low, found.high] == pytest.approx(
        [(each - 5) / 2 for each in (expected.estimate, *expected)]
    )
    assert found.method == "ppi++"
    assert "human: by the differences of people's values, made more precise by the judge's" in report.notes
    constant = [each | {"judge": np.ones(300)} for each in (old, new)]
    alone = evalcore.compare(*constant, on="id", value="human", judge="judge")["human"].found
    plain = stats.ttest_1samp(people[known], 0)
    assert [alone.p_value, alone.low] == pytest.approx([plain.pvalue, plain.confidence_interval().low])


def test_a_group_of_grades_above_1_is_worse_only_where_its_interval_with_a_judge_says_so():
    judge = np.tile(np.arange(1, 6), 80)
    human = np.where(np.arange(400) < 100, np.clip(judge - np.arange(400) % 3 // 2, 1, 5), np.nan)
    columns = {"human": human, "judge": judge, "task": np.where(np.arange(400) % 2, "odd", "even")}
    asked = {"value": "human", "judge": "judge", "by": "task", "ci": 0.95}
    assert "None of 2 groups was found" in evalcore.evaluate(columns, **asked).summary
    higher = 2.0 * (columns["task"] == "even")
    found = evalcore.evaluate(columns | {"human": human + higher, "judge": judge + higher}, **asked).summary
    assert "Of 2 groups, the mean of human is worst for task odd: 2.76" in found


def test_groups_nobody_looked_at_and_all_judged_by_people():
    columns = judged(0, 0.8)
    columns["human"][columns["g"] == 1] = np.nan
    report = evalcore.evaluate(columns, value="human", judge="judge", ci=0.95, by="g").to_dict()["values"]["human"]
    assert report["1"]["mean"] is None or np.isnan(report["1"]["mean"])
    everyone = columns | {"human": columns["judge"]}
    found = evalcore.evaluate(everyone, value="human", judge="judge", ci=0.95)["human"]["mean"]
    assert found == pytest.approx(mean_interval(columns["judge"]).estimate)
    with pytest.raises(EvaluationError, match=r"^column 'human' has no value in any of 300 cases$"):
        evalcore.evaluate(columns | {"human": np.full(300, np.nan)}, value="human", judge="judge")


@every("ending", ["csv", "jsonl", "parquet"])
def test_files_may_lack_values_of_people(ending, tmp_path):
    columns = judged(0, 0.8)
    people = [None if np.isnan(each) else int(each) for each in columns["human"]]
    table = pa.table({"human": pa.array(people, pa.int64()), "judge": columns["judge"]})
    file = tmp_path / f"answers.{ending}"
    if ending == "jsonl":
        file.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    else:
        {"csv": pa_csv.write_csv, "parquet": pq.write_table}[ending](table, file)
    asked = Question(values=("human",), judge="judge", level=0.95)
    expected = evalcore.evaluate(columns, value="human", judge="judge", ci=0.95)["human"]["mean"]
    found = answer_files(asked, [str(file)], Bar(lambda *_: None)).sections[0].records["human"]
    assert {item.name: item.value for item in found}["mean"] == pytest.approx(expected)


@every(
    "more,said",
    [
        (
            {"by": "g", "compare_groups": True, "ci": 0.95},
            "compare_groups cannot be combined with judge, because the weight of the judge.*",
        ),
        (
            {"quantile": 0.5},
            "quantile cannot be combined with judge, because a judge .* means; leave one of them out",
        ),
    ],
)
def test_what_does_not_fit_a_judge_is_refused_with_its_reason(more, said):
    with pytest.raises(EvaluationError, match=f"^{said}$"):
        evalcore.evaluate(judged(0, 0.8), value="human", judge="judge", **more)


def test_a_worth_of_more_than_all_cases_shows_that_people_chose_theirs():
    rng = np.random.default_rng(0)
    judge = np.append(rng.normal(0, 10, 30), rng.normal(0, 1, 300))
    columns = {"human": np.where(np.arange(330) < 30, judge + rng.normal(0, 0.1, 330), np.nan), "judge": judge}
    found = evalcore.evaluate(columns, value="human", judge="judge", ci=0.95)
    said = "human: the judge cannot be worth more than the 330 cases"
    assert found["human"]["judge_worth"] > 660
    assert any(note.startswith(said) for note in found.notes)
    at_random = evalcore.evaluate(judged(0, 0.8), value="grade", judge="judge", ci=0.95)
    assert not any("cannot be worth" in note for note in at_random.notes)


@every("asked,said", [
    ({"words": {"C": 1, "I": 0, "P": 0.5}}, "column 'v' holds no 'P', so that part of words changes nothing"),
    ({"value": "n", "positive": "3"}, "column 'n' holds no '3', so that part of positive changes nothing"),
])  # fmt: skip
def test_words_that_do_not_occur_are_told(asked, said):
    notes = []
    with taking_notes(notes.append):
        evalcore.evaluate({"v": ["C", "I"], "n": [2, 5]}, **{"value": "v"} | asked)
    assert notes == [said]
