"""Threads that change and ask one object: no case is lost, and every answer is of one moment."""

import copy
import pickle
import random
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

import evalcore
from evalcore.streaming import ScoreSummary
from tests.differences import every

NAMES = ["a", "b", "c"]
SHARES = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.5, 0.5, 0.0]])
CHANGE = "add", "merge", "set", "increment", "update", "handle", "plot", "load", "save", "from"
OPERATIONS = {
    "bytes": lambda one: one.to_bytes(),
    "pickle": lambda one: text(pickle.loads(pickle.dumps(one))),
    "deepcopy": lambda one: text(copy.deepcopy(one)),
    "copy": lambda one: text(copy.copy(one)),
    "html": lambda one: one._repr_html_(),
}


def evaluator(kind):
    return lambda: kind(None, NAMES, True)


def add_answers(values, one):
    one.addScores(["a", "b", "a"], values, inputs=[1, 2, 3])


def add_first(one):
    one.addClassification("a", evalcore.Classification("b"), 1)
    one.addClassification("b", evalcore.Classification("b"), 2)


def add_singles(one):
    one.addCase(True, 0.5)
    one.addCase(False, 0.75)
    one.addMisses(1)


def add_counts(one):
    one.increment("a", "b")
    one.incrementByN("b", "b", 2)


def add_sets(one):
    one.add_result("a", ["a", "b"])
    one.add_results([["b"]], [["c"]])


def update(one):
    one.update([1, 0, 1], [0.9, 0.5, 0.25])


def update_with_weights(one):
    one.update([1, 0, 1], [0.9, 0.5, 0.25], sample_weight=[0.5, 1.0, 2.0])


RANKINGS = [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]]
ACCUMULATORS = {
    "ScoreSummary": (ScoreSummary, update),
    "weights": (ScoreSummary, update_with_weights),
    "decisions": (
        evalcore.PrecisionRecallEvaluation,
        lambda one: (one.addCase(True, False), one.addCases({1, 2}, {2, 3})),
    ),
    "singles": (evalcore.ScoredPrecisionRecallEvaluation, add_singles),
    "batches": (
        evalcore.ScoredPrecisionRecallEvaluation,
        lambda one: one.addCases([True, False, True], [0.9, 0.5, 0.25]),
    ),
    "ConfusionMatrix": (lambda: evalcore.ConfusionMatrix(NAMES), add_counts),
    "firsts": (evaluator(evalcore.BaseClassifierEvaluator), add_first),
    "rankings": (
        evaluator(evalcore.RankedClassifierEvaluator),
        lambda one: one.addRankings(["a", "b", "a"], RANKINGS, [1, 2, 3]),
    ),
    "scores": (evaluator(evalcore.ScoredClassifierEvaluator), partial(add_answers, SHARES)),
    "conditional": (evaluator(evalcore.ConditionalClassifierEvaluator), partial(add_answers, SHARES)),
    "joint": (evaluator(evalcore.JointClassifierEvaluator), partial(add_answers, -SHARES)),
    "Contingency": (lambda: evalcore.Contingency(NAMES), add_sets),
}
accumulators = pytest.mark.parametrize(("make", "add"), list(ACCUMULATORS.values()), ids=list(ACCUMULATORS))


def questions(one):
    """List the public methods without arguments, properties, and what copies or saves the object."""
    for name in dir(one):
        if name.startswith(("_", *CHANGE)) or name in ("scored_cases", "classifier"):
            continue
        member = getattr(type(one), name)
        if not callable(member):
            yield name, lambda one, name=name: getattr(one, name)
        elif name not in ("to_bytes", "to_arrow", "fMeasure") and takes_nothing(one, name):
            yield name, lambda one, name=name: getattr(one, name)()
    yield from ((name, ask) for name, ask in OPERATIONS.items() if name != "bytes" or hasattr(one, "to_bytes"))


def takes_nothing(one, name):
    try:
        getattr(one, name)()
    except TypeError:
        return False
    except evalcore.EvaluationError:
        return True
    return True


def answers(one):
    """Return what does not depend on the order of the cases."""
    return {name: text(ask(one)) for name, ask in questions(one) if name != "bytes"}


def text(answer):
    """Return all that is known of a number, a table, or an evaluation."""
    return f"{answer!r} {answer}"


def filled(make, add, times):
    one = make()
    for _ in range(times):
        add(one)
    return one


def at_any_instruction(task):
    """Run a task that gives way to other threads between the instructions of the package, now and then."""
    chance = random.Random(threading.get_ident())

    def within(frame, event, argument):
        if event == "opcode" and chance.random() < 0.05:
            time.sleep(0)
        return within

    def trace(frame, event, argument):
        if "/evalcore/state/" not in frame.f_code.co_filename and "/evalcore/lingpipe/" not in frame.f_code.co_filename:
            return None
        frame.f_trace_opcodes = True
        return within

    sys.settrace(trace)
    try:
        task()
    finally:
        sys.settrace(None)


def in_threads(count, task):
    """Run a task in threads, which fail the test if they raise or do not end."""
    with ThreadPoolExecutor(count) as pool:
        for future in [pool.submit(task) for _ in range(count)]:
            future.result(timeout=60)


@pytest.fixture
def switching():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("switching")
@accumulators
def test_threads_lose_no_case(make, add):
    shared, times = make(), 12

    def fill():
        for _ in range(times):
            add(shared)

    in_threads(3, lambda: at_any_instruction(fill))
    alone = filled(make, add, 3 * times)
    assert answers(shared) == answers(alone)


LAST = 64


@accumulators
def test_answers_are_of_one_moment(make, add):
    """Another thread adds at chosen lines of each question; the answer is that of some number of additions."""
    moments = [filled(make, add, times) for times in range(1, 9)]
    with ThreadPoolExecutor(1) as other:
        for name, ask in questions(moments[0]):
            one, lines = filled(make, add, 1), 0

            def trace(frame, event, argument, one=one):
                nonlocal lines
                if "/evalcore/" not in frame.f_code.co_filename or freezes(frame):
                    return None
                if event == "line":
                    lines += 1
                    if lines & (lines - 1) == 0:  # the first lines, and then fewer
                        other.submit(add, one).result(timeout=60)
                    if lines == LAST:
                        sys.settrace(None)  # nothing is added any more, and tracing takes most of the time
                return trace if lines < LAST else None

            sys.settrace(trace)
            try:
                answer = ask(one)
            finally:
                sys.settrace(None)
            assert any(text(answer) == text(ask(moment)) for moment in moments), name


def freezes(frame):
    """Whether this is part of looking at the state under the lock, for which others wait."""
    while frame:
        if frame.f_code.co_name in ("_now", "numCases"):
            return True
        frame = frame.f_back
    return False


@pytest.mark.usefixtures("switching")
@accumulators
def test_two_objects_merge_each_other_and_themselves_at_once(make, add):
    first, second = filled(make, add, 1), filled(make, add, 1)
    pairs = [(first, second), (second, first), (first, first)]
    threads = [
        threading.Thread(target=at_any_instruction, args=[partial(one.merge, other)], daemon=True)
        for one, other in pairs
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads)
    moments = {text(filled(make, add, times)) for times in range(1, 9)}
    assert text(first) in moments
    assert text(second) in moments


def test_a_classifier_is_asked_while_others_add():
    added = threading.Event()

    class Slow:
        def classify(self, case):
            threading.Thread(target=add, daemon=True).start()
            assert added.wait(timeout=60)
            return evalcore.Classification("a")

    def add():
        evaluator.addClassification("b", evalcore.Classification("b"))
        added.set()

    evaluator = evalcore.BaseClassifierEvaluator(Slow(), NAMES)
    evaluator.handle(evalcore.Classified(1, evalcore.Classification("a")))
    assert evaluator.confusionMatrix().totalCorrect() == 2


@every("count", [0, 1, 999, 1000, 1001, 1002, 2500])
def test_single_cases_keep_their_order_beside_batches(count):
    evaluation = evalcore.ScoredPrecisionRecallEvaluation()
    evaluation.addCases([True], np.array([0.1], np.float32))
    for row in range(count):
        evaluation.addCase(row % 3 == 0, float(row))
    evaluation.addCases([False], [-1.0])
    evaluation.addCase(1, 7)
    evaluation.addCase(True, np.float32(0.1))
    cases = evaluation.scored_cases()
    assert cases.scores.tolist() == [float(np.float32(0.1)), *range(count), -1.0, 7.0, float(np.float32(0.1))]
    assert cases.correct.tolist() == [True, *(row % 3 == 0 for row in range(count)), False, True, True]


def test_a_subclass_keeps_what_it_adds():
    class Named(evalcore.PrecisionRecallEvaluation):
        def __init__(self, name):
            super().__init__()
            self.name, self.asked = name, 0

        def question(self):
            self.asked += 1
            return self.accuracy()

    one = Named("x")
    one.addCase(True, True)
    assert (one.question(), one.question(), one.asked) == (1.0, 1.0, 2)
    assert pickle.loads(pickle.dumps(copy.copy(one).name)) == "x"


def test_copies_have_what_was_set_after_a_question_and_stored_rows_share_saved_scores():
    first, second = [type("Model", (), {"classify": None})() for _ in range(2)]
    one = evalcore.BaseClassifierEvaluator(first, NAMES)
    one.toString()
    one.setClassifier(second)
    assert copy.copy(one).classifier() is second
    one, other = (evalcore.ScoredClassifierEvaluator(None, NAMES, stored) for stored in (True, False))
    for each in (one, other):
        each.addScores(["a"] * 1000, np.repeat(SHARES[:1], 1000, axis=0), inputs=range(1000))
    assert len(pickle.dumps(one)) < 1.5 * len(pickle.dumps(other))
    assert copy.deepcopy(one).truePositives("a") == one.truePositives("a")


def test_a_copy_of_a_confusion_matrix_has_the_same_categories():
    cat, dog = object(), object()
    matrix = evalcore.ConfusionMatrix([cat, dog])
    copied = copy.copy(matrix)
    copied.increment(cat, dog)
    assert (matrix.totalCount(), copied.count(cat, dog)) == (0, 1)


def test_misses_keep_the_order_of_the_cases_and_classes_say_that_threads_may_share_them():
    one = evalcore.ScoredPrecisionRecallEvaluation()
    one.addCases([True, False], [0.5, 0.25])
    ordering = one.scored_cases().ordering
    one.addMisses(1)
    one.addNegativeMisses(1)
    assert one.scored_cases().ordering is ordering
    assert one.averagePrecision() == 0.5
    one.addCase(False, 1.0)
    assert one.averagePrecision() == 0.25
    for make, _ in ACCUMULATORS.values():
        assert "Threads may add to one object and ask it at once" in " ".join(type(make()).__doc__.split())
