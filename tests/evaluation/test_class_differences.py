"""Differences between predicted classes and in groups, against their definitions."""

import dataclasses
from functools import cache, partial

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn import metrics

from evalcore.evaluation.cases import PairedCases, paired_classes
from evalcore.evaluation.differences import verdict
from evalcore.evaluation.measure_choice import Measures
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.groups import grouped_rows
from evalcore.evaluation.weighting import RowWeights, Weighting
from evalcore.inference import mcnemar_test
from evalcore.inference.decisions import compare_decisions, measure_of_decisions, paired_decisions
from evalcore.inference.units import units_of
from evalcore.kernels import blocks
from tests.differences import check_refusals, every, group_differences, whole_differences
from tests.strategies import block_size

NAMES = ["ash", "elm", "oak"]
OF_ALL = {
    "accuracy": metrics.accuracy_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "macro_f1": partial(metrics.f1_score, average="macro"),
    "kappa": metrics.cohen_kappa_score,
}
OF_EACH = {"recall": metrics.recall_score, "precision": metrics.precision_score, "f1": metrics.f1_score}
ORACLES = OF_ALL | {f"{measure}[{name}]": partial(function, labels=[name], average="macro", zero_division=0)
                    for name in NAMES for measure, function in OF_EACH.items()}  # fmt: skip
"""By the name of a measure, scikit-learn's function."""
ALL_NAMES = tuple(ORACLES)
SIZE = 60


def drawn(seed, size=SIZE):
    """Labels, and the predictions of three models, as indices."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, size)
    models = [np.where(rng.random(size) < right, labels, rng.integers(0, 3, size)) for right in (0.5, 0.7, 0.6)]
    return np.array(NAMES, object)[np.stack([labels, *models])]


def cases_of(columns, **more):
    labels, old, *new = columns
    predicted = {"old": old} | {f"new{index}": column for index, column in enumerate(new, 1)}
    return paired_classes("tree", labels, predicted)._replace(**more)


def compared(columns, method="analytic", names=ALL_NAMES, resamples=40, **more):
    question = Question("tree", measures=Measures(names), method=method, resamples=resamples)
    return [{each.measure: each for each in model} for model in whole_differences(cases_of(columns, **more), question)]


def test_values_are_those_of_scikit_learn():
    columns = drawn(1)
    labels, old, *new = columns
    expected = {name: [measure(labels, model) for model in (old, *new)] for name, measure in ORACLES.items()}
    for method in ("analytic", "bootstrap", "permutation"):
        for model, found in enumerate(compared(columns, method), 1):
            assert list(found) == list(ALL_NAMES)
            for name, each in found.items():
                values = [expected[name][model], expected[name][0]]
                assert [each.new, each.old] == pytest.approx(values, abs=1e-12), (method, name)
                assert each.found.difference == pytest.approx(values[0] - values[1], abs=1e-12), (method, name)


@every("method", ["analytic", "bootstrap", "permutation"])
def test_frequencies_are_repeated_cases(method):
    columns, times = drawn(5), np.random.default_rng(5).integers(1, 4, SIZE)
    once = compared(columns, method, weights=RowWeights(values=times))
    assert once == compared(np.repeat(columns, times, axis=1), method)


@every("method", ["bootstrap", "permutation"])
def test_clusters_of_one_case_are_cases(method):
    columns = drawn(6)
    names = ("accuracy", "f1[ash]")
    (alone,) = compared(columns[:3], method, names, 800)
    (clustered,) = compared(columns[:3], method, names, 800, clusters=np.arange(SIZE))
    for name, each in alone.items():
        assert clustered[name].error == pytest.approx(each.error, rel=0.15), name
        assert clustered[name].found.p_value == pytest.approx(each.found.p_value, abs=0.1), name


@every("weighted", [False, True])
def test_the_bootstrap_comes_near_the_errors_of_derivatives(weighted):
    columns = drawn(7, 600)
    weights = RowWeights(Weighting("w"), np.random.default_rng(7).choice([0.5, 1.0, 2.5], 600) if weighted else None)
    (near,) = compared(columns[:3], "bootstrap", weights=weights, resamples=400)
    (known,) = compared(columns[:3], weights=weights)
    for name, each in known.items():
        assert near[name].error == pytest.approx(each.error, rel=0.12), name
        assert near[name].found.low == pytest.approx(each.found.low, abs=0.25 * (each.found.high - each.found.low))
        assert near[name].found.method == "percentile bootstrap"


def test_resamples_of_strata_and_permutations_come_near_what_is_known():
    columns = drawn(8)
    question = Question("tree", measures=Measures(("recall",)), method="bootstrap", resamples=200, stratify=True)
    (found,) = whole_differences(cases_of(columns[:3]), question)
    for each, name in zip(found, NAMES, strict=True):
        own = columns[:3, columns[0] == name]
        (alone,) = compared(own, names=(f"recall[{name}]",))
        assert each.error == pytest.approx(alone[each.measure].error, rel=0.15)
    columns = drawn(9)
    (swapped,) = compared(columns[:3], "permutation", ("accuracy",), resamples=400)
    (exact,) = compared(columns[:3], names=("accuracy",))
    assert swapped["accuracy"].found.p_value == pytest.approx(exact["accuracy"].found.p_value, abs=0.06)
    assert swapped["accuracy"].found.low == pytest.approx(exact["accuracy"].found.low, abs=0.02)


@given(st.integers(0, 200))
@settings(max_examples=20)
def test_accuracy_and_recall_are_compared_by_mcnemars_test(seed):
    columns = drawn(seed, 30)
    labels, old, new = columns[:3]
    of_all = "accuracy", "micro_precision", "micro_recall", "micro_f1", "weighted_recall"  # the same fraction
    (found,) = compared(columns[:3], names=(*of_all, "recall[elm]"))
    for name, rows in (*((each, slice(None)) for each in of_all), ("recall[elm]", labels == "elm")):
        right = [(model == labels)[rows] for model in (old, new)]
        assert found[name].found == mcnemar_test(np.ones(right[0].size), *right)


@every("clusters", [None, np.arange(SIZE) % 15])
def test_groups_are_compared_as_their_cases_alone_and_the_worst_come_first(clusters):
    columns, sites = drawn(10), np.array(["north", "south", "east"], object)[np.arange(SIZE) % 3]
    cases = cases_of(columns, groups={"site": grouped_rows({"site": sites})}, clusters=clusters)
    question = Question("tree", measures=Measures(ALL_NAMES))
    by_model = group_differences(cases, question)
    for index, found in enumerate(by_model):
        groups = found["site"]
        gains = [group.differences[0].gain for group in groups]
        assert gains == sorted(gains)
        assert {group.group for group in groups} == {*sites}
        for group in groups:
            rows = sites == group.group
            own = None if clusters is None else clusters[rows] // 3  # 0 to 4 of each site
            alone = compared(columns[:, rows], clusters=own)[index]
            assert (group.cases, group.positives) == (20, None)
            found_here = {each.measure: each.found for each in group.differences}
            assert found_here == {name: each.found for name, each in alone.items()}


@every("method", ["analytic", "bootstrap", "permutation"])
def test_equal_models_show_no_difference_and_prove_nothing_without_an_interval(method):
    labels, old, _, _ = drawn(11)
    for each in compared([labels, old, old], method)[0].values():
        assert each.found.difference == 0
        assert each.found.p_value == 1
        undefined = np.isnan(each.found.low)
        assert each.verdict == ("inconclusive" if undefined else "no difference shown")


@given(st.lists(st.tuples(*[st.sampled_from(NAMES)] * 3), min_size=2, max_size=12), *[st.booleans()] * 3)
@example([("ash", "ash", "ash"), ("elm", "elm", "elm"), ("oak", "oak", "oak")] * 2, True, False, False)
@example([("ash", "ash", "ash"), ("elm", "ash", "ash"), ("oak", "oak", "oak")] * 4, True, True, True)
def test_errors_of_a_class_are_those_of_it_against_the_rest(rows, equal, weighted, clustered):
    """Cases that are neither of the class nor predicted as it count where models decide alike, too."""
    labels, old, new = columns = np.array(rows, object).T
    new[:] = old if equal else new
    weights = np.resize([0.5, 1.0, 2.5], labels.size) if weighted else None
    clusters = np.arange(labels.size) * 2 // 3 if clustered else None
    (found,) = compared(columns, names=tuple(OF_EACH), weights=RowWeights(Weighting("w"), weights), clusters=clusters)
    units = units_of(labels.size, weights=weights, clusters=clusters)
    for name, each in found.items():
        measure, category = name.removesuffix("]").split("[")
        cells = paired_decisions(*(column == category for column in columns), units)
        [alone] = compare_decisions(cells, measure_of_decisions(measure), 0.95).errors
        assert each.error == pytest.approx(alone, rel=1e-9, abs=1e-9, nan_ok=True), name


def test_classes_that_a_model_never_predicts_have_no_interval_or_no_value():
    labels, old, new = (np.array(list(text), object) for text in ("aabbbc", "abbbab", "aabbbc"))
    (found,) = compared([labels, old, new], names=("precision", "recall"))
    of_c = found["precision[c]"]
    assert (of_c.old, of_c.new) == (0.0, 1.0)
    assert np.isnan([of_c.found.low, of_c.found.p_value, of_c.error]).all()
    assert not np.isnan(found["recall[c]"].found.low)
    labels, old, new, other = (np.array(list(text), object) for text in ("aabb", "abbb", "aabb", "aacb"))
    without, with_it = compared([labels, old, new, other], names=("f1[c]", "macro_f1"))
    assert np.isnan(without["f1[c]"].new)
    assert without["macro_f1"].new == 1
    assert with_it["macro_f1"].new == pytest.approx(metrics.f1_score(labels, other, average="macro"))


def test_measures_are_numbers_of_python_by_default_of_all_classes_and_of_each():
    found = compared(drawn(12), names=())[0]
    of_each = [f"{measure}[{name}]" for name in NAMES for measure in ("recall", "precision", "f1")]
    assert list(found) == ["accuracy", "macro_f1", "kappa", *of_each]
    assert found["recall[ash]"].title == "recall of ash"
    assert all(each.verdict and each.detectable > 0 for each in found.values())
    each = compared(drawn(15))[0]["kappa"]
    assert {type(value) for value in (*dataclasses.astuple(each.found)[1:7], each.error)} == {float}
    columns = drawn(13)
    assert compared(columns, "bootstrap") == compared(columns, "bootstrap")


def test_other_measures_are_refused():
    rows = [["recall[oaks]"], ["roc_auc"], ["recall@0.5"]]
    check_refusals("evaluation/outputs/refused_class_measures.txt", lambda row: compared(drawn(14), names=row), rows)


ROWS = 900
COMPARED = Measures(("roc_auc", "average_precision", "log_loss", "accuracy", "specificity", "f1", "kappa"))
OF_GROUPS = Question("late", thresholds=(0.5,), measures=COMPARED, margin=0.01)


def made(kind=None, clustered=False):
    generator = np.random.default_rng(8)
    positive = generator.random(ROWS) < 0.4
    carriers = generator.choice(["a", "b", "c", "d"], ROWS, p=[0.6, 0.3, 0.09, 0.01])
    positive[carriers == "d"] = False
    quality = generator.normal(size=ROWS) + positive
    old, new = 1 / (1 + np.exp(-quality - generator.normal(size=(2, ROWS))))
    weights = RowWeights()
    if kind is not None:
        values = generator.integers(1, 4, ROWS) if kind == "frequency" else generator.lognormal(size=ROWS)
        weights = RowWeights(Weighting("w", kind), values)
    clusters = np.arange(ROWS) // 3 if clustered else None
    return PairedCases(positive, {"old": old, "new": np.round(new, 1)}, weights=weights, clusters=clusters), carriers


@pytest.fixture
def grouped():
    cases, carriers = made()
    return cases._replace(groups={"carrier": grouped_rows({"carrier": carriers})})


def said_of(each):
    found = each.found
    numbers = [*found.estimates, found.low, found.high, each.error, found.p_value, each.detectable]
    alone = verdict(each._replace(judged_by=None), each.margin if each.margin > 0 else None)  # of groups, of one alone
    return (each.measure, each.title, alone, found.level, found.method), numbers


@cache
def alone(kind, clustered, carrier):
    """Return the differences of the cases of a group, in blocks of the usual size."""
    cases, carriers = made(kind, clustered)
    with block_size(USUAL):
        [found] = whole_differences(cases.where(carriers == carrier), OF_GROUPS)
    return found


USUAL = blocks.BLOCK


@every("block", [USUAL, 300])
@every("clustered", [False, True])
@every("kind", [None, "frequency", "sampling"])
def test_each_group_is_compared_as_its_cases_alone(monkeypatch, kind, clustered, block):
    monkeypatch.setattr(blocks, "BLOCK", block)
    cases, carriers = made(kind, clustered)
    groups = grouped_rows({"carrier": carriers})
    [found] = group_differences(cases._replace(groups={"carrier": groups}), OF_GROUPS)
    assert sorted(group.group for group in found["carrier"]) == ["a", "b", "c", "d"]
    methods = {group.differences[1].found.method for group in found["carrier"]}
    assert methods == ({"jackknife", "linearised"} if clustered else {"linearised"})  # groups of few, and of many
    for group in found["carrier"]:
        rows = carriers == group.group
        counts = np.ones(ROWS, np.int64) if kind != "frequency" else cases.weights.values
        assert (group.cases, group.positives) == (counts[rows].sum(), (counts * cases.positive)[rows].sum())
        for ours, theirs in zip(group.differences, alone(kind, clustered, group.group), strict=True):
            (words, numbers), (other_words, others) = said_of(ours), said_of(theirs)
            assert words == other_words
            assert numbers == pytest.approx(others, rel=1e-9, abs=1e-13, nan_ok=True), (group.group, ours.measure)


def test_p_values_are_adjusted_for_all_measures_of_groups_that_are_large_enough(grouped):
    [found] = group_differences(grouped, OF_GROUPS)
    every = [each for group in found["carrier"] for each in group.differences if not np.isnan(each.found.p_value)]
    smallest = min(every, key=lambda each: each.found.p_value)
    assert smallest.holm == pytest.approx(min(smallest.found.p_value * len(every), 1))
    assert smallest.benjamini_hochberg <= smallest.holm
    carriers = made()[1]
    several = grouped._replace(
        scores={**grouped.scores, "third": grouped.scores["old"]},
        groups={"carrier": grouped_rows({"carrier": carriers}, min_cases=50)},
    )
    second, third = group_differences(several, OF_GROUPS)
    assert {group.group for group in second["carrier"]} == {"a", "b", "c"}
    assert all(each.found.difference == 0 for each in third["carrier"][0].differences)


@every("asked", [{}, {"measures": Measures(("log_loss",)), "thresholds": ()}])
def test_groups_that_got_worse_come_first(grouped, asked):
    [found] = group_differences(grouped, OF_GROUPS._replace(**asked))
    gains = [group.differences[0].gain for group in found["carrier"]]
    defined = gains if asked else gains[:-1]
    assert defined == sorted(defined)
    if not asked:  # an area of one class is not defined
        assert found["carrier"][-1].group == "d"
        assert np.isnan(gains[-1])
