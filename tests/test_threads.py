"""Whatever the number of threads, the answers are the same to the last bit, and no thread stays behind."""

import multiprocessing
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore import EvaluationError, EvaluationTypeError, evaluate, inference, metrics, threads
from evalcore.kernels.blocks import MANY, map_blocks, map_parts
from evalcore.kernels.sorting import sort
from evalcore.parallel import allowed_threads
from tests.differences import every
from tests.strategies import case_arrays, many_threads

COUNTS = st.sampled_from([2, 3, 5])
FUNCTIONS = [
    metrics.roc_auc_score,
    metrics.average_precision_score,
    metrics.roc_curve,
    metrics.precision_recall_curve,
    metrics.det_curve,
]
OTHERS = {
    "interval": lambda labels, scores: [*inference.roc_auc_interval(labels, scores)],
    "comparison": lambda labels, scores: repr(inference.compare_roc_auc(labels, scores, scores[::-1])),
    "covariance": lambda labels, scores: inference.roc_auc_covariance(labels, [scores, scores[::-1]]).covariance,
    "columns": lambda labels, scores: tuple(
        function(labels.reshape(-1, 40), scores.reshape(-1, 40), average=None) for function in FUNCTIONS[:2]
    ),
    "groups": lambda labels, scores: evaluate(
        {"y": labels, "s": scores, "g": np.arange(labels.size) % 7}, label="y", score="s", by="g", ci=0.9
    ).to_json(),
    "resamples": lambda labels, scores: repr(
        inference.bootstrap_intervals(
            labels[:1200], scores[:1200], ["roc_auc", "max_f1"], resamples=40, seed=5, method="bca"
        )
    ),
    "sorted": lambda labels, scores: metrics.roc_auc_score(labels[np.argsort(scores)], np.sort(scores)),
}


def bits(answer):
    return [np.asarray(part).tobytes() for part in (answer if isinstance(answer, tuple) else (answer,))]


def check_threads(function, count, block, *columns, **options):
    answers = []
    for allowed in (1, count):
        with many_threads(allowed, block):
            answers.append(bits(function(*columns, **options)))
    assert answers[0] == answers[1]


@every("function", FUNCTIONS)
@every("levels", [100, None])
@every("weighted", [False, True])
def test_threads_change_no_bit_of_many_cases(function, levels, weighted):
    rng = np.random.default_rng(3)
    labels, scores = rng.random(4_000) < 0.1, rng.random(4_000)
    if levels:
        scores = np.floor(scores * levels) / levels
    options = {"sample_weight": rng.random(4_000)} if weighted else {}
    check_threads(function, 3, 600, labels, scores, **options)
    for other in OTHERS.values() if function is metrics.roc_auc_score and not weighted else ():
        check_threads(other, 3, 600, labels, scores)


@given(case_arrays().filter(lambda cases: cases.scores.size), COUNTS)
def test_parts_sort_to_the_whole(cases, count):
    values = cases.scores.copy()
    with many_threads(count, block=2):
        sort(values)
    assert np.array_equal(values, np.sort(cases.scores))


def at_once(count):
    """Return a task that ends only when as many threads have come to it."""
    barrier = threading.Barrier(count, timeout=20)

    def task(_):
        barrier.wait()
        return threading.current_thread()

    return task


def test_caller_and_new_threads_share_the_work_the_settings_and_their_end():
    others = threading.active_count()  # of libraries that other tests have used
    with threads(3):
        workers = map_parts(at_once(3), [0, 1, 2], MANY)
    assert len(set(workers)) == 3
    assert threading.current_thread() in workers
    assert threading.active_count() == others

    def task(_):
        return allowed_threads(), len(set(map_blocks(lambda _: threading.current_thread(), MANY)))

    with threads(3):
        assert set(map_blocks(task, MANY)) == {(1, 1)}
        assert allowed_threads() == 3
    wait = at_once(2)
    with threads(2), np.errstate(divide="raise"):
        settings = map_parts(lambda part: (wait(part), np.geterr()["divide"]), [0, 1], MANY)
    assert len({worker for worker, _ in settings}) == 2
    assert {setting for _, setting in settings} == {"raise"}
    before = allowed_threads()
    with threads(before + 1):
        with threads(None):
            assert allowed_threads() == before
        assert allowed_threads() == before + 1
    assert allowed_threads() == before


@every("count", [1, 2])
def test_where_no_other_thread_may_or_can_start_the_caller_does_the_work(count):
    def refuse(*_):
        raise RuntimeError("can't start new thread")

    with pytest.MonkeyPatch.context() as patch, threads(count):
        patch.setattr("evalcore.kernels.blocks.ThreadPoolExecutor.submit", refuse)
        assert set(map_blocks(lambda _: threading.current_thread(), MANY)) == {threading.current_thread()}


def test_an_error_in_any_thread_is_the_callers():
    wait = at_once(2)

    def task(part):
        if wait(part) is not threading.main_thread():
            raise KeyError(part)

    with threads(2), pytest.raises(KeyError):
        map_parts(task, [0, 1], MANY)


@every(
    ("count", "error", "text"),
    (0, EvaluationError, "threads must be at least 1, got 0"),
    (1.5, EvaluationTypeError, "threads must be an integer or None, got 1.5"),
    ("all", EvaluationTypeError, "threads must be an integer or None, got 'all'"),
)
def test_a_count_that_is_none_is_refused(count, error, text):
    with pytest.raises(error, match=f"^{text}$"), threads(count):
        pass


def _area(scores):
    return metrics.roc_auc_score(np.arange(scores.size) % 3 == 0, scores)


@pytest.mark.process
@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="there is no fork on this system")
def test_a_forked_child_computes_as_its_parent_did():
    scores = np.random.default_rng(4).random(MANY)
    with threads(2):
        before = _area(scores)
        with multiprocessing.get_context("fork").Pool(1) as pool:
            assert pool.apply_async(_area, [scores]).get(timeout=60) == before
