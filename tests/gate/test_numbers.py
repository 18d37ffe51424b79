"""The numbers of reports as conditions name them: the same from a report of any kind and from its JSON."""

import json

import numpy as np

import evalcore
from evalcore.gate.numbers import numbers_of_report
from tests.differences import every

RANDOM = np.random.default_rng(1)
LABELS = RANDOM.integers(0, 2, 60)
COLUMNS = {
    "late": LABELS,
    "a": np.clip(0.3 * LABELS + 0.7 * RANDOM.random(60), 0, 1),
    "b": RANDOM.random(60),
    "carrier": np.where(np.arange(60) % 3, "UA", "AA"),
    "month": np.arange(60) % 2,
    "species": RANDOM.choice(["ash", "elm"], 60),
    "guess": RANDOM.choice(["ash", "elm"], 60),
}


def numbers_of(about, **asked):
    """Return the numbers of a report by their addresses, of its tree, after they agree with those of its JSON."""
    report = evalcore.evaluate(COLUMNS, **asked)
    numbers = numbers_of_report({**about, **report.to_dict()})
    again = numbers_of_report(json.loads(report.to_json()))
    assert repr(again) == repr(numbers)
    found = {(each.model, each.measure, each.grouping, each.group): each for each in numbers}
    assert len(found) == len(numbers)
    return report, found


def test_scores_have_numbers_of_each_model_and_threshold():
    asked = {"label": "late", "score": ["a", "b"], "threshold": [0.5, 0.3], "threshold_for": {"precision": 0.4}}
    report, found = numbers_of({}, **asked, ci=0.9)
    for model in ("a", "b"):
        area, recall = found[model, "roc_auc", None, None], found[model, "recall@0.3", None, None]
        tree = report.to_dict()
        assert (area.value, area.low) == (report["scores", model, "roc_auc"], tree["scores"][model]["roc_auc_low"])
        assert recall.high == tree["threshold 0.3"][model]["recall_high"]
        assert found[model, "recall@0.5", None, None].value == report["scores", model, "recall"]
        target = found[model, "f1@precision=0.4", None, None]
        assert target.value == report["threshold for precision=0.4", model, "f1"]
        assert np.isnan(found[model, "maximum_f1", None, None].low)
        assert area.cases == 60
    assert not [address for address in found if address[1].startswith("threshold")]


@every(("by", "grouping", "group"), [("carrier", "carrier", "UA"), (["carrier", "month"], "carrier, month", "UA, 0")])
def test_groups_have_numbers_of_their_own_and_the_total_is_of_all_cases(by, grouping, group):
    report, found = numbers_of({"by": by}, label="late", score="a", by=by, threshold=[0.5, 0.3])
    assert found["a", "roc_auc", grouping, group].value == report["a", group, "roc_auc"]
    assert found["a", "recall@0.3", grouping, group].value == report["threshold 0.3", "a", group, "recall"]
    assert found["a", "roc_auc", None, None].value == report["a", "total", "roc_auc"]
    for name in ("roc_auc", "recall@0.5", "recall@0.3"):
        assert found["a", name, grouping, group].cases == report["scores", "a", group, "cases"]


def test_classes_have_numbers_of_all_of_each_and_of_groups():
    report, found = numbers_of({"predicted": "guess"}, label="species", predicted="guess", ci=0.95)
    assert found["guess", "kappa", None, None].value == report["statistics", "kappa"]
    assert found["guess", "recall[ash]", None, None].value == report["classes", "ash", "recall"]
    assert found["guess", "recall[ash]", None, None].high == report.to_dict()["classes"]["ash"]["recall_high"]
    about = {"predicted": "guess", "by": "carrier"}
    report, found = numbers_of(about, label="species", predicted="guess", by="carrier", ci=0.95, compare_groups=True)
    assert found["guess", "accuracy", "carrier", "UA"].value == report["statistics", "guess", "UA", "accuracy"]
    assert found["guess", "accuracy", None, None].value == report["statistics", "guess", "total", "accuracy"]
    _, found = numbers_of({}, label="species", score={"ash": "a", "elm": "b"})
    assert {address[0] for address in found} == {"class scores"}
    assert ("class scores", "roc_auc[elm]", None, None) in found


def test_certified_numbers_without_bounds_are_exact():
    record = {"cases": 9, "roc_auc": 0.7, "roc_auc_low": 0.6, "roc_auc_high": 0.8, "log_loss": 0.5, "f1": None}
    exact, certified = ({"computed": computed, "scores": {"a": record}} for computed in ("exact", "certified"))
    assert [(each.low, each.high) for each in numbers_of_report(certified)[1:3]] == [(0.6, 0.8), (0.5, 0.5)]
    assert np.isnan([numbers_of_report(exact)[2].low, numbers_of_report(certified)[3].low]).all()


@every("name", ["comparisons", "notes", "gate", "confusion_matrix", "differences_to_rest"])
def test_other_parts_of_json_are_no_numbers(name):
    assert numbers_of_report({name: {"a": {"roc_auc": 1.0}}}) == []
