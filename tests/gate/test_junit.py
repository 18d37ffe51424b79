"""JUnit XML of gates, checked against the rules of the schema that Jenkins, GitHub and GitLab readers share."""

import re
from xml.etree import ElementTree

from evalcore.gate.checks import check_conditions
from evalcore.gate.junit import as_junit
from evalcore.gate.numbers import GatedNumber

NUMBERS = [
    GatedNumber("a<b", "f1", 0.5, 0.4, 0.6),
    GatedNumber("c\x00\x1b\ud800d", "f1", 0.3, 0.2, 0.45),
]
ALLOWED = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "time", "skipped"}, {"testcase", "properties"}),
    "properties": (set(), {"property"}),
    "property": ({"name", "value"}, set()),
    "testcase": ({"name", "classname", "time"}, {"failure", "error", "system-out"}),
    "error": ({"message", "type"}, set()),
    "failure": ({"message", "type"}, set()),
    "system-out": (set(), set()),
}
"""Attributes and children of each element, of those that the schema has."""


def checked_junit(conditions, *, confident=False, name="flights.csv", said=None, numbers=NUMBERS):
    return checked(as_junit(check_conditions(conditions, numbers, confident), name, 0.12345, said))


def checked(content):
    root = ElementTree.fromstring(content)
    for element in root.iter():
        attributes, children = ALLOWED[element.tag]
        assert set(element.attrib) == attributes
        assert {child.tag for child in element} <= children
    for suite in (root, *root.iter("testsuite")):
        assert int(suite.get("tests")) == len(list(suite.iter("testcase")))
        assert int(suite.get("failures")) == len(list(suite.iter("failure")))
        assert int(suite.get("errors")) == len(list(suite.iter("error")))
        assert re.fullmatch(r"\d+\.\d{3}", suite.get("time"))
    assert all(len(case.findall("failure")) <= 1 for case in root.iter("testcase"))
    return root


def test_each_condition_is_a_test_case_that_fails_once_if_it_is_proven():
    root = checked_junit(["f1 < 0.55", "f1 < 0.1", "f1 < 0.31"])
    assert [case.get("name") for case in root.iter("testcase")] == ["f1 < 0.55", "f1 < 0.1", "f1 < 0.31"]
    both, one = root.iter("failure")
    assert both.attrib == {
        "message": "f1 of a<b is 0.5 [0.4, 0.6], below 0.55 (uncertain), and 1 more",
        "type": "certain",
    }
    assert both.text.splitlines() == [
        "f1 of a<b is 0.5 [0.4, 0.6], below 0.55 (uncertain)",
        "f1 of c\ufffd\ufffd\ufffdd is 0.3 [0.2, 0.45], below 0.55 (certain)",
    ]
    assert one.get("type") == "uncertain"
    root = checked_junit("f1 < 0.4", confident=True)
    assert [out.text for out in root.iter("system-out")] == [
        "not proven: f1 of c\ufffd\ufffd\ufffdd is 0.3 [0.2, 0.45], below 0.4 (uncertain)"
    ]
    assert root.get("failures") == "0"


def test_names_and_properties_may_hold_what_xml_may_not():
    assert checked_junit("f1 < 0.1", name="a\udcff&").find("testsuite").get("name") == "a\ufffd&"
    suite = checked_junit("f1 < 0.1", said={"verdict\x00": "<superior>"}).find("testsuite")
    assert [child.tag for child in suite] == ["properties", "testcase"]
    assert suite.find("properties/property").attrib == {"name": "verdict\ufffd", "value": "<superior>"}


def test_what_is_undecided_or_ends_early_is_an_error():
    number = GatedNumber("a", "f1", 0.5, 0.4, 0.6, certain=(0.4, 0.6))
    root = checked_junit(["f1 < 0.45", "f1 < 0.3"], numbers=[number])
    (error,) = root.iter("error")
    assert error.attrib == {"message": "f1 of a is between 0.4 and 0.6; the limit is 0.45", "type": "undecided"}
    assert [out.text for out in root.iter("system-out")] == ["f1 of a is between 0.4 and 0.6; the limit is 0.3"]
    root = checked(as_junit("x\x1b.csv: no rows", "evalcore report"))
    (error,) = root.iter("error")
    assert error.attrib == {"message": "x\ufffd.csv: no rows", "type": "error"}
    assert [case.get("name") for case in root.iter("testcase")] == ["evalcore report"]
