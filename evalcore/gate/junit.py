"""Results of gates as JUnit XML, which services that run tests show."""

import re
from collections.abc import Mapping
from xml.etree import ElementTree

from evalcore.gate.checks import CheckedCondition, GateResult

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_junit(result: GateResult | str, name: str, seconds: float = 0.0, said: Mapping[str, str] | None = None) -> bytes:
    """Return the result of a gate as JUnit XML, a test case for each condition.  O(failures).

    result: or the message of the error that kept the command from one, which is a single test case.

    name: what was checked, such as the name of a file; seconds: how long it took; said: what else is known, as
    properties.

    >>> from evalcore.gate.checks import check_conditions
    >>> from evalcore.gate.numbers import GatedNumber
    >>> result = check_conditions("roc_auc < 0.7", [GatedNumber("boosting", "roc_auc", 0.72)])
    >>> print(as_junit(result, "flights.csv", 1.5).decode().rstrip())
    <?xml version='1.0' encoding='utf-8'?>
    <testsuites name="evalcore" tests="1" failures="0" errors="0" time="1.500">
      <testsuite name="flights.csv" tests="1" failures="0" errors="0" skipped="0" time="1.500">
        <testcase name="roc_auc &lt; 0.7" classname="evalcore.gate" time="0.000" />
      </testsuite>
    </testsuites>
    """
    conditions = () if isinstance(result, str) else result.conditions
    failed = sum(bool(checked.failures) for checked in conditions)
    undecided = sum(bool(checked.undecided and not checked.failures) for checked in conditions)
    numbers = (1, 0, 1) if isinstance(result, str) else (len(conditions), failed, undecided)
    counts = dict(zip(("tests", "failures", "errors"), map(str, numbers), strict=True))
    took = {"time": f"{seconds:.3f}"}
    suites = ElementTree.Element("testsuites", {"name": "evalcore", **counts, **took})
    suite = ElementTree.SubElement(suites, "testsuite", {"name": _legal(name), **counts, "skipped": "0", **took})
    properties = ElementTree.SubElement(suite, "properties") if said else suite
    for key, value in (said or {}).items():
        ElementTree.SubElement(properties, "property", {"name": _legal(key), "value": _legal(value)})
    for checked in conditions:
        _add_case(suite, checked)
    if isinstance(result, str):
        _add_error(_case(suite, name), result, result, "error")
    ElementTree.indent(suites)
    content: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return content + b"\n"


def _case(suite: ElementTree.Element, name: str) -> ElementTree.Element:
    named = {"name": _legal(name), "classname": "evalcore.gate", "time": "0.000"}
    return ElementTree.SubElement(suite, "testcase", named)


def _add_error(case: ElementTree.Element, message: str, text: str, kind: str) -> None:
    ElementTree.SubElement(case, "error", {"message": _legal(message), "type": kind}).text = _legal(text)


def _add_case(suite: ElementTree.Element, checked: CheckedCondition) -> None:
    """Add the test case of a condition."""
    case = _case(suite, str(checked.condition))
    if checked.failures:
        certain = any(failure.certain for failure in checked.failures)
        first, *others = checked.failures
        more = f", and {len(others):,} more" if others else ""
        said = {"message": _legal(f"{first}{more}"), "type": "certain" if certain else "uncertain"}
        ElementTree.SubElement(case, "failure", said).text = _legal("\n".join(map(str, checked.failures)))
    elif checked.undecided:
        _add_error(case, str(checked.undecided[0]), "\n".join(map(str, checked.undecided)), "undecided")
    if lines := [*(f"not proven: {each}" for each in checked.unproven), *map(str, checked.bounded)]:
        ElementTree.SubElement(case, "system-out").text = _legal("\n".join(lines))


def _legal(text: str) -> str:
    """Replace characters that XML cannot hold: control characters and halves of surrogate pairs."""
    return _NOT_IN_XML.sub("\ufffd", text)
