"""Groups and weights of tables that are compared in parts."""

import numpy as np
import pytest

from evalcore.comparison.comparing_parts import compared_parts
from evalcore.errors import EvaluationError
from evalcore.report.weighting import Weighting
from tests.comparison.test_comparing_parts import QUESTION, assert_same, drawn, in_memory, in_parts, tables_of
from tests.differences import every


def described(rows, seed):
    """Return a table whose rows have a weight, a carrier and a month, which depend on their ids alone."""
    table = drawn(rows, seed)
    index = table["id"] // 7
    carriers = np.array(["UA", "AA", "B6", "a, b"])[index % 11 % 4]
    return table | {"w": index % 5 + 0.5, "carrier": carriers, "month": index % 3, "day": index // 9}


WEIGHTINGS = {
    "none": Weighting(),
    "sampling": Weighting("w"),
    "prevalence": Weighting("w", None, 0.02),
}


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_certified_groups_hold_what_all_rows_say(weighting):
    question = QUESTION._replace(by=("carrier", ("carrier", "month")), weighting=WEIGHTINGS[weighting])
    tables = described(4000, 3), drawn(4000, 4)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("evalcore.comparison.comparing_parts._CAPACITY", 1 << 8)
        parts, whole = in_parts(question, 4, *tables), in_memory(question, *tables)
    assert_same(parts, whole, exact=False)
    assert any("differences of ROC area in groups by carrier, month are certified: bounds" in n for n in parts.notes)
    for by, groups in parts.models[0].groups.items():
        exact = {group.group: group.differences for group in whole.models[0].groups[by]}
        for group in groups:
            for found, expected in zip(group.differences[:2], exact[group.group], strict=False):
                assert found.found.low < expected.found.low + 1e-12
                assert found.found.high > expected.found.high - 1e-12
                assert found.error == pytest.approx(expected.error, rel=0.05)


def test_groups_of_few_cases_and_columns_that_differ_are_noted_as_in_memory():
    question = QUESTION._replace(by=("day",), min_cases=9, weighting=Weighting("w"))
    old, new = described(300, 3), described(300, 4)
    old["day"] = old["day"] + (old["day"] == 4)
    old["w"] = old["w"] + 1
    parts, whole = in_parts(question, 8, old, new), in_memory(question, old, new)
    assert_same(parts, whole)
    said = "day differs between old and new in 9 of 300 cases; that of new counts"
    others = "w differs between old and new in 300 of 300 cases; that of new counts"
    left_out = "day: 1 group of fewer than 9 cases, with 3 cases, is left out; the total is of all cases"
    for notes in (parts.notes, whole.notes):
        assert {said, others, left_out} <= set(notes)


def test_many_small_groups_leave_most_parts_without_a_class():
    question = QUESTION._replace(by=("day",), thresholds=())
    tables = described(500, 3), drawn(500, 4)
    assert_same(in_parts(question, 32, *tables), in_memory(question, *tables))


@every("change", [{"by": ("late",)}, {"cluster": "late"}])
def test_labels_may_be_groups_or_clusters_as_in_memory(change):
    question, tables = QUESTION._replace(**change), (described(300, 3), drawn(300, 4))
    assert_same(in_parts(question, 4, *tables), in_memory(question, *tables))


def test_margins_of_losses_need_probabilities_as_in_memory():
    old, new = drawn(60), drawn(60, 4)
    old["score"] = old["score"] * 3
    for compared in (in_memory, lambda question, *tables: in_parts(question, 4, *tables)):
        with pytest.raises(EvaluationError, match=r"margin must name measures that are compared .*, got 'log_loss'"):
            compared(QUESTION._replace(margin={"log_loss": 0.01}), old, new)


def test_the_order_of_rows_does_not_matter():
    question = QUESTION._replace(by=("carrier",), weighting=Weighting("w"))
    old, new = described(500, 3), drawn(500, 4)
    shuffled = np.random.default_rng(1).permutation(500)
    first = in_parts(question, 4, old, new)
    second = in_parts(question, 4, {name: values[shuffled] for name, values in old.items()}, new)
    assert_same(first, second)


def test_more_groups_than_memory_holds_are_refused_by_name(tmp_path):
    question = QUESTION._replace(by=("day",))
    tables = tables_of(described(300, 3), drawn(300, 4), folder=tmp_path, question=question)
    with pytest.raises(EvaluationError, match=r"column 'day' must hold fewer groups, got at least \d+,"):
        compared_parts(question, tables, 2, lambda *_: None, of_groups=100_000)


@every(
    ("weight", "refused"),
    [
        (-1.0, "column 'w' at index [0-9]+ .* is -1.0; weights must not be negative"),
        (1e80, r"weights of rows that are read in batches must be 0, or from 2\*\*-200 to 2\*\*200"),
        (0.0, "column 'w' must hold a weight above 0, got only zeros"),
    ],
)
def test_weights_that_cannot_count_are_refused(weight, refused):
    old = described(60, 3)
    old["w"] = np.full(60, weight)
    with pytest.raises(EvaluationError, match=refused):
        in_parts(QUESTION._replace(weighting=Weighting("w")), 4, old, drawn(60, 4))
