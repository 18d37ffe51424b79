"""What changed hands between two models, against lists that are sorted whole."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalcore import compare
from evalcore.evaluation.case_lists import largest
from evalcore.evaluation.cases import PairedCases, paired_classes
from evalcore.evaluation.comparing import with_changes
from evalcore.evaluation.differences import ChangedCase, ModelDifferences
from evalcore.evaluation.question import Question
from tests.differences import check_refusals, every
from tests.strategies import BLOCKS, block_size

SCORES = st.sampled_from([-np.inf, 0.0, 0.25, 0.5, 0.75, np.inf])
ROWS = st.lists(st.tuples(st.booleans(), SCORES, SCORES, SCORES), min_size=1, max_size=30)


def slow_changes(rows, threshold, new, most):
    """Return the counts and the lists of one threshold, from their definitions."""
    found = {"newly_right": [], "newly_wrong": [], "right_in_both": [], "wrong_in_both": []}
    for index, row in enumerate(rows):
        old_right, new_right = ((row[model] >= threshold) == row[0] for model in (1, new))
        name = "right_in_both" if old_right else "wrong_in_both"
        if old_right != new_right:
            name = "newly_right" if new_right else "newly_wrong"
        found[name].append((-abs(slow_change(row, new)), index))
    counts = {name: len(each) for name, each in found.items()}
    return counts, *([index for _, index in sorted(found[name])[:most]] for name in ("newly_right", "newly_wrong"))


def slow_change(row, new):
    return 0.0 if row[new] == row[1] else row[new] - row[1]


def slow_movers(rows, new, most, sign):
    moved = [(-sign * slow_change(row, new), index) for index, row in enumerate(rows)]
    return [index for change, index in sorted(moved) if change < 0][:most]


def changes_of(cases, **asked):
    """Return each new model with what changed."""
    question = Question("late", **asked)
    return [with_changes(ModelDifferences(model, []), cases, question) for model in cases.new]


def ids(listed):
    return [case.id for case in listed]


@given(ROWS, st.integers(0, 4), BLOCKS)
def test_lists_and_counts_are_what_their_definitions_say(rows, most, block):
    positive, *scores = (np.array(column) for column in zip(*rows, strict=True))
    cases = PairedCases(positive, dict(zip(("old", "new", "other"), scores, strict=True)))
    with block_size(block):
        found = changes_of(cases, changed=most, thresholds=(0.25, 0.5))
    assert len(found) == 2
    for new, model in enumerate(found, 2):
        assert ids(model.risen) == slow_movers(rows, new, most, 1)
        assert ids(model.fallen) == slow_movers(rows, new, most, -1)
        assert [changes.threshold for changes in model.changes] == [0.25, 0.5]
        for changes in model.changes:
            counts, right, wrong = slow_changes(rows, changes.threshold, new, most)
            assert changes.counts == counts
            assert (ids(changes.newly_right), ids(changes.newly_wrong)) == (right, wrong)


def test_changed_cases_have_ids_labels_and_both_scores_in_their_width():
    scores = {"old": np.array([0.1, 0.9, 0.5]), "new": np.array([0.75, 0.25, 0.5])}
    cases = PairedCases(np.array([True, True, False]), scores, ids=np.array(["a", "b", "c"], object))
    (found,) = changes_of(cases, thresholds=(0.6,))
    assert found.risen == [ChangedCase("a", True, 0.1, 0.75)] == found.changes[0].newly_right
    assert found.fallen == [ChangedCase("b", True, 0.9, 0.25)] == found.changes[0].newly_wrong
    assert {type(value) for value in found.risen[0][:4]} == {str, bool, float}
    single = np.array([0.1], np.float32)
    cases = PairedCases(np.array([True]), {"old": single, "new": single.astype(np.float64)})
    (found,) = changes_of(cases, thresholds=(0.1,))
    assert found.changes[0].counts["right_in_both"] == 1
    assert not found.risen
    assert not found.fallen


@given(st.lists(st.integers(0, 4), max_size=20), st.integers(0, 22))
def test_largest_are_the_first_of_a_stable_sort(values, count):
    column = np.array(values, dtype=np.float64)
    assert largest(column, count).tolist() == np.argsort(-column, kind="stable")[:count].tolist()


def test_changes_of_classes_name_them_in_the_order_of_rows_as_text_or_numbers():
    labels, old, new, other = (np.array(list(text), object) for text in ("aabbc", "abbac", "aabad", "abbac"))
    cases = paired_classes("tree", labels, {"old": old, "new": new, "other": other})
    models = changes_of(cases._replace(ids=np.arange(5) + 10), changed=1)
    [found], [same] = (model.changes for model in models)
    assert cases.categories == ("a", "b", "c", "d")
    assert found.threshold is None
    assert found.counts == {"newly_right": 1, "newly_wrong": 1, "right_in_both": 2, "wrong_in_both": 1}
    assert found.newly_right == [ChangedCase(11, "a", "b", "a")]
    assert found.newly_wrong == [ChangedCase(14, "c", "c", "d")]
    assert same.counts == {"newly_right": 0, "newly_wrong": 0, "right_in_both": 3, "wrong_in_both": 2}
    labels, old, new = (np.array(values, object) for values in (["1", "2"], ["2", "2"], ["1", "none"]))
    assert paired_classes("code", labels, {"old": old}).categories == (1, 2)
    assert paired_classes("code", labels, {"old": old, "new": new}).categories == ("1", "2", "none")


@every("value", ["passed", "grade", None])
def test_changes_count_rows_by_their_frequencies(value):
    draw = np.random.default_rng(3)
    table = {name: draw.integers(0, 2, 40) for name in ("late", "passed", "n")} | {"grade": draw.integers(0, 9, 40)}
    new = table | {"passed": draw.integers(0, 2, 40), "grade": draw.integers(0, 9, 40)}
    table, new = ({**each, "n": each["n"] * 3 + 1, "id": np.arange(160)[::4]} for each in (table, new))
    asked = {"value": value} if value else {"label": "late", "score": "passed", "threshold": 0.5}
    weighted = compare(table, new, on="id", weight="n", weight_type="frequency", **asked)
    rows, copies = np.repeat(np.arange(40), table["n"]), np.concatenate([np.arange(n) for n in table["n"]])
    each = [{name: column[rows] for name, column in one.items()} for one in (table, new)]
    repeated = compare(*(one | {"id": one["id"] + copies} for one in each), on="id", **asked)
    [[found], [expected]] = (report.answer.models[0].changes for report in (weighted, repeated))
    assert found.counts == expected.counts
    assert sum(found.counts.values()) == table["n"].sum()


def test_labels_and_predictions_of_two_kinds_are_refused():
    text, rows = np.array(["a"], object), [[1, {}], [1, {"new": "s"}], [True, {}]]

    def ask(row):
        paired_classes("tree", text, {"old": text, "new": np.array(row[:1])}, row[1])

    check_refusals("evaluation/outputs/refused_kinds.txt", ask, rows)
