"""What changed since a baseline, as sections."""

from evalcore.gate.change_sections import change_sections
from evalcore.gate.numbers import GatedNumber
from evalcore.report.model import CERTIFIED

OLD = {"old": 0.5, "change": 0.25}
BOUNDS = {"change_low": 0.125, "change_high": 0.375}
AREA = GatedNumber("a", "roc_area", 0.75, **OLD, **BOUNDS)
NOTHING = str(float("nan"))


def named(items):
    return {item.name: str(item.value) for item in items}


def test_each_model_has_a_section_of_the_measures_that_have_an_old_value_with_its_bounds():
    cases = GatedNumber("a", "cases", 12.0, old=10.0, change=2.0)
    new, counted = GatedNumber("a", "f1@0.3", 0.5), GatedNumber("a", "tp@0.3", 7.0, old=5.0, change=2.0)
    first, second = change_sections([cases, AREA, new, counted, AREA._replace(model="b")], 0.95, certified=False)
    assert (first.name, list(first.records), second.name) == ("a", ["cases", "roc_area"], "b")
    assert named(first.records["cases"]) == {"baseline": "10", "now": "12", "change": "2"}
    interval = first.records["roc_area"][2].interval
    assert (interval.low, interval.high, interval.level, interval.method) == (0.125, 0.375, 0.95, "unpaired")
    assert first.records["cases"][2].interval is None
    [section] = change_sections([AREA], None, certified=True)
    assert section.records["roc_area"][2].interval.method == CERTIFIED


def test_groups_have_the_same_measures_and_nan_where_one_has_no_old_value():
    old = AREA._replace(grouping="carrier", group="UA")
    new = GatedNumber("a", "roc_area", 0.625, grouping="carrier", group="ZZ")
    [section] = change_sections([old, new, new._replace(measure="prevalence")], 0.95, certified=False)
    assert section.title == "changes of a by carrier since the baseline, unpaired"
    assert {group: list(named(items).values()) for group, items in section.records.items()} == {
        "UA": ["0.5", "0.75", "0.25"],
        "ZZ": [NOTHING, "0.625", NOTHING],
    }
    assert [item.title for item in section.records["UA"]] == ["ROC area baseline", "ROC area now", "ROC area change"]
    assert change_sections([new], 0.95, certified=False) == []
