"""Areas of partitioned cases are those of all cases at once: to the last bit, or within the bounds."""

import warnings
import weakref

import numpy as np
import pandas as pd
import pytest
from dask import delayed
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from evalcore import EvaluationError, EvaluationTypeError, metrics
from evalcore.distributed import average_precision_score, roc_auc_score
from tests.differences import every
from tests.distributed.parted import equally, parted, random_cases

FUNCTIONS = {roc_auc_score: metrics.roc_auc_score, average_precision_score: metrics.average_precision_score}
ONE = st.sampled_from(list(FUNCTIONS))
DRAWN = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
pytestmark = pytest.mark.usefixtures("at_once")


def quietly(function, *arguments, **options):
    """Call a function that may warn of classes that are not there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


def answers(cases, sizes, **options):
    given = parted(cases.correct, cases.scores, sizes)
    return [quietly(function, *given, **options) for function in FUNCTIONS]


@every(("levels", "parts"), [(None, 5), (1, 2), (10, 8), (1000, 1), (1000, 5)])
def test_results_do_not_depend_on_the_partitions(levels, parts):
    cases, sizes = random_cases(1000, levels), equally(1000, parts)
    rows = np.argsort(cases.scores)
    given, in_order = parted(cases.correct, cases.scores, sizes), parted(cases.correct[rows], cases.scores[rows], sizes)
    for (function, in_memory), one, other in zip(FUNCTIONS.items(), (given, in_order), (in_order, given), strict=True):
        exact = in_memory(cases.correct, cases.scores)
        assert function(*one, exact=True) == exact
        bounded = function(*other, capacity=64)
        assert bounded.low <= exact <= bounded.high
        assert bounded.width < 0.15


@every(("parts", "levels"), [(9, 300), (40, None)])
def test_many_partitions_exchange_in_several_steps(parts, levels):
    cases = random_cases(500, levels, seed=parts)
    assert answers(cases, equally(500, parts), exact=True) == [ask(*cases[::-1]) for ask in FUNCTIONS.values()]


def test_partitions_may_differ_in_width():
    cases = random_cases(300)
    narrow = cases.scores.astype(np.float32)
    scores = [narrow[:100], narrow[100:200].astype(np.float64), np.array([]), narrow[200:]]
    labels = np.split(cases.correct, [100, 200, 200])
    for function, in_memory in FUNCTIONS.items():
        found = function(*([delayed(part) for part in parts] for parts in (labels, scores)), exact=True)
        assert found == in_memory(cases.correct, narrow)


@pytest.mark.parametrize("labels", [[True] * 6, [False] * 6])
@pytest.mark.parametrize("exact", [True, False])
def test_of_one_class_the_warning_and_the_number_are_those_in_memory(labels, exact):
    scores = [0.1, 0.2, 0.3, 0.3, 0.2, 0.1]
    for function, in_memory in FUNCTIONS.items():
        said = []
        for ask in (
            lambda function=function: function(*parted(labels, scores, [4, 2]), exact=exact),
            lambda in_memory=in_memory: in_memory(labels, scores),
        ):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                said.append((repr(float(ask())), [(each.category, str(each.message)) for each in caught]))
        assert said[0] == said[1]


@pytest.mark.parametrize("exact", [True, False])
def test_partitions_of_one_class_or_of_nothing_count_like_others(exact):
    labels, scores = [1, 1, 1, 0, 0, 1, 0], [0.9, 0.3, 0.3, 0.1, 0.3, 0.2, 0.4]
    for function, in_memory in FUNCTIONS.items():
        assert function(*parted(labels, scores, [0, 3, 0, 2, 2, 0]), exact=exact) == in_memory(labels, scores)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("exact", [True, False])
def test_no_case_at_all_is_the_error_in_memory(function, exact):
    with pytest.raises(EvaluationError) as in_memory:
        FUNCTIONS[function]([], [])
    with pytest.raises(EvaluationError) as caught:
        function(*parted(np.array([], bool), [], [0, 0]), exact=exact)
    assert str(caught.value) == str(in_memory.value)


INFINITE = (
    "is infinite; scores must be finite, as for evalcore.metrics (evalcore.distributed.report takes infinite ones)"
)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(
    ("labels", "scores", "message"),
    [
        ([1, 0, 1, 0], [0.1, 0.2, 0.3, np.nan], "partition 1: y_score[1] is NaN; a score is finite or infinite"),
        ([1, 0, 1, 0], [0.1, 0.2, 0.3, -np.inf], f"partition 1: y_score[1] {INFINITE}"),
        ([1, 0, 2, 0], [0.1, 0.2, 0.3, 0.4], "partition 1: y_true[0] is 2; a label is True or False, 1 or 0"),
    ],
)
def test_an_error_names_the_partition(labels, scores, message, exact):
    with pytest.raises(EvaluationError) as caught:
        roc_auc_score(*parted(labels, scores, [2, 2]), exact=exact)
    assert str(caught.value) == message


def test_an_error_of_type_names_the_partition():
    with pytest.raises(EvaluationTypeError, match=r"^partition 0: y_score must hold float64 or float32 numbers, got"):
        roc_auc_score(*parted([1, 0], ["a", "b"], [2]))


@pytest.mark.parametrize("exact", [True, False])
def test_the_positive_label_may_be_named(exact):
    labels = np.array(["spam", "ham", "ham", "spam", "eggs"])
    scores = np.array([0.9, 0.2, 0.95, 0.3, 0.4])
    for function, in_memory in FUNCTIONS.items():
        found = function(*parted(labels, scores, [2, 3]), pos_label="spam", exact=exact)
        assert found == in_memory(labels == "spam", scores)


@pytest.mark.parametrize("exact", [True, False])
def test_there_is_one_positive_label(exact):
    message = r"^pos_label must be a number, a Boolean or a string, got \['spam', 'ham'\] \(list\)$"
    with pytest.raises(EvaluationTypeError, match=message):
        roc_auc_score(*parted(["spam", "ham"], [0.1, 0.2], [2]), pos_label=["spam", "ham"], exact=exact)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_labels_that_are_missing_are_refused(missing):
    labels = np.array(["spam", "ham", missing], object)
    with pytest.raises(EvaluationError, match=rf"^partition 1: y_true\[0\] is missing \({missing}\)$"):
        roc_auc_score(*parted(labels, [0.1, 0.2, 0.3], [2, 1]), pos_label="spam")


def test_the_capacity_is_checked_on_either_route():
    for exact in (True, False):
        with pytest.raises(EvaluationError, match="capacity must be at least 4, got 3"):
            roc_auc_score(*parted([1, 0], [0.1, 0.2], [2]), exact=exact, capacity=3)


def test_cuts_come_from_partitions_everywhere_so_that_order_does_not_widen_the_bounds():
    cases = random_cases(20_000)
    order = np.argsort(cases.scores)
    given = parted(cases.correct[order], cases.scores[order], equally(20_000, 10))
    assert roc_auc_score(*given, capacity=256).width < 0.02


@pytest.mark.parametrize("exact", [True, False])
def test_partitions_do_not_wait_in_memory_for_each_other(exact):
    alive, most = set(), [0]

    def loaded(part):
        scores = random_cases(500, seed=part).scores
        alive.add(part)
        most[0] = max(most[0], len(alive))
        weakref.finalize(scores, alive.discard, part)
        return scores

    labels = [delayed(random_cases(500, seed=part).correct) for part in range(12)]
    scores = [delayed(loaded, pure=False)(part) for part in range(12)]
    roc_auc_score(labels, scores, exact=exact, capacity=64)
    assert most[0] <= 2
    assert not alive


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("function", [roc_auc_score, average_precision_score])
def test_a_positive_label_that_is_not_there_is_an_error(function, exact):
    with pytest.raises(EvaluationError, match="pos_label=7 is not a valid label: no value of y_true equals it"):
        function(*parted([1, 2], [0.1, 0.2], [1, 1]), pos_label=7, exact=exact)
