"""Classifier evaluators: golden values, what definitions say, and scikit-learn's functions."""

import copy
import itertools
import math
import pickle
import re
import warnings
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, LinearSVC

import evalcore
from evalcore.kernels.pairs import pair_counts
from evalcore.kernels.sorting import order
from tests.differences import collected, every
from tests.lingpipe import evaluations, golden
from tests.reference import rankings as slow
from tests.strategies import close_to

DATA = golden.load("evaluators")
SETS = {record["name"]: record for record in DATA["sets"]}
PRINTED = [record for record in golden.load("tostring")["records"] if record["class"].endswith("evaluator")]
EVALUATORS = {
    "base": evalcore.BaseClassifierEvaluator,
    "ranked": evalcore.RankedClassifierEvaluator,
    "scored": evalcore.ScoredClassifierEvaluator,
    "conditional": evalcore.ConditionalClassifierEvaluator,
    "joint": evalcore.JointClassifierEvaluator,
}


def of(case, name):
    return case["categories"], case["scores"], case[name]


ANSWERS = {
    "base": lambda case: evalcore.Classification(case["categories"][0]),
    "ranked": lambda case: evalcore.RankedClassification(case["categories"]),
    "scored": lambda case: evalcore.ScoredClassification(case["categories"], case["scores"]),
    "conditional": lambda case: evalcore.ConditionalClassification(*of(case, "conditional_probabilities")),
    "joint": lambda case: evalcore.JointClassification(*of(case, "log2_joint_probabilities")),
}
OF_PAIRS = {"averageRank", "averageScore", "averageConditionalProbability", "averageLog2JointProbability"}
OF_THE_WHOLE = {f"{name}Reference" for name in OF_PAIRS} | {"numCases", "numCategories", "meanReciprocalRank"}
OF_THE_WHOLE |= {"corpusLog2JointProbability"}
FOUND = {"truePositives", "falsePositives", "falseNegatives", "trueNegatives"}
RANKINGS = {"scoredOneVersusAll", "conditionalOneVersusAll"}
TABLES = "oneVersusAll [tp,fn,fp,tn]"
VIAS = "addClassification", "handle"
SLIP = re.compile(r"np\.float64\(([^)]*)\)")


class Recorded:
    """A classifier whose inputs are numbers of its answers."""

    def __init__(self, answers):
        self.answers = answers

    def classify(self, row):
        return self.answers[row]


def fill(kind, categories, cases, via):
    answers = [ANSWERS[kind](case) for case in cases]
    evaluator = EVALUATORS[kind](Recorded(answers), categories, storeInputs=True)
    for row, (case, answer) in enumerate(zip(cases, answers, strict=True)):
        if via == "handle":
            evaluator.handle(evalcore.Classified(row, evalcore.Classification(case["reference"])))
        else:
            evaluator.addClassification(case["reference"], answer, row)
    return evaluator


@every("via", VIAS)
@every("name", SETS)
def test_golden_values(name, via):
    record = SETS[name]
    evaluator = fill(record["kind"], record["categories"], record["cases"], via)
    with collected() as checking:
        for question, answer in record["outputs"].items():
            with checking(question):
                assert_golden(evaluator, record["categories"], question, answer)


def assert_golden(evaluator, categories, question, answer):
    if question in OF_THE_WHOLE:
        golden.assert_answer(question, getattr(evaluator, question)(), answer)
    elif question == "confusionMatrix":
        assert evaluator.confusionMatrix().matrix().tolist() == answer
    elif question == "rankCount":
        ranks = range(len(categories))
        assert {name: [evaluator.rankCount(name, rank) for rank in ranks] for name in categories} == answer
    elif question in OF_PAIRS:
        assert list(answer) == categories
        for reference, row in answer.items():
            assert list(row) == categories
            for response, expected in row.items():
                golden.assert_answer(question, getattr(evaluator, question)(reference, response), expected)
    elif question == TABLES:
        assert {name: golden.counts(evaluator.oneVersusAll(name)) for name in categories} == answer
    elif question in FOUND:
        found = {name: getattr(evaluator, question)(name) for name in categories}
        assert {name: [case.getObject() for case in cases] for name, cases in found.items()} == answer
        answers = evaluator.classifier().answers
        assert all(case.getClassification() is answers[case.getObject()] for cases in found.values() for case in cases)
    else:
        assert question in RANKINGS
        assert list(answer) == categories
        for category, values in answer.items():
            golden.assert_answers(getattr(evaluator, question)(category), values)


@every("record", DATA["joint_to_conditional"])
def test_golden_conditional_probabilities_of_joint_ones(record):
    logs = [float(log) for log in record["log2_joint"]]
    names = [f"c{rank}" for rank in range(len(logs))]
    answer = evalcore.JointClassification(names, logs)
    assert [answer.conditionalProbability(rank) for rank in range(len(logs))] == close_to(record["conditional"])
    assert [answer.conditionalProbability(name) for name in names] == close_to(record["conditional"])
    assert answer.jointLog2Probability(len(logs)) == float(record["jointLog2Probability(rank beyond end)"])


@every("via", VIAS)
@every("record", PRINTED)
def test_golden_text(record, via):
    kind = record["class"].split()[0]
    cases = [renamed(case) for case in record["cases"]]
    evaluator = fill(kind, record["categories"], cases, via)
    # the golden text prints the repr of a NumPy number on its break-even lines
    expected = SLIP.sub(r"\1", record["toString"])
    actual = str(evaluator) if via == "handle" else evaluator.toString()
    golden.assert_same_text(actual, expected)


def test_rankings_of_names_and_of_codes_are_batches_of_golden_cases():
    record = SETS["seed 003 seven cases"]
    categories, cases = record["categories"], record["cases"]
    references, rankings = [case["reference"] for case in cases], [case["categories"] for case in cases]
    codes = [[categories.index(name) for name in row] for row in rankings]
    one = fill("ranked", categories, cases, "addClassification")
    for batch in (references, rankings), (list(map(categories.index, references)), codes):
        evaluator = evalcore.RankedClassifierEvaluator(None, categories, storeInputs=True)
        evaluator.addRankings(*batch, range(len(cases)))
        assert evaluations.evaluator_answers(evaluator) == evaluations.evaluator_answers(one)
        for found, expected in zip(evaluator.trueNegatives("a"), one.trueNegatives("a"), strict=True):
            assert found.getClassification() == expected.getClassification()


def renamed(case):
    """Spell out that the scores of a joint classification are its logarithms."""
    logs = case.get("log2_joint_probabilities (= scores)")
    return case if logs is None else case | {"scores": logs, "log2_joint_probabilities": logs}


@given(evaluations.ranking_batches() | evaluations.score_batches(distinct=True), st.permutations(range(3)))
def test_relabelling_the_categories_permutes_the_results(batch, order):
    renamed = tuple(evaluations.NAMES[code] for code in order)
    moved = batch if batch.kind is evalcore.RankedClassifierEvaluator else replace(batch, rows=batch.rows[:, order])
    relabelled = evaluations.filled(moved, categories=renamed)
    assert evaluations.by_name(relabelled) == evaluations.by_name(evaluations.filled(batch))
    assert evaluations.objects(relabelled) == evaluations.objects(evaluations.filled(batch))
    assert relabelled.categories() == renamed


def assert_averages(references, columns, of_pair, of_reference):
    """Compare averages with those of values by case and category, NaN where a case lacks it."""
    for reference, (code, response) in itertools.product(evaluations.NAMES, enumerate(evaluations.NAMES)):
        chosen = [row[code] for case, row in zip(references, columns, strict=True) if case == reference]
        assert of_pair(reference, response) == close_to(slow.average(chosen), abs=1e-15)
    own = [row[evaluations.NAMES.index(case)] for case, row in zip(references, columns, strict=True)]
    assert of_reference() == close_to(slow.average_reference(own), abs=1e-15)


@given(evaluations.score_batches())
def test_averages_and_rankings_of_scores_are_those_of_their_definitions(batch):
    evaluator, scores = evaluations.filled(batch), batch.rows.astype(np.float64).tolist()
    columns = {"Score": scores}
    if batch.kind is evalcore.ConditionalClassifierEvaluator:
        columns["ConditionalProbability"] = scores
    elif batch.kind is evalcore.JointClassifierEvaluator:
        columns |= {"Log2JointProbability": scores, "ConditionalProbability": list(map(slow.conditional, scores))}
        assert evaluator.corpusLog2JointProbability() == close_to(math.fsum(map(slow.log2_total, scores)), abs=1e-14)
    for name, values in columns.items():
        questions = getattr(evaluator, f"average{name}"), getattr(evaluator, f"average{name}Reference")
        assert_averages(batch.references, values, *questions)
    for code, category in enumerate(evaluations.NAMES):
        pairs, misses = slow.one_versus_all(batch.references, [row[code] for row in scores], category)
        ranking = evaluator.scoredOneVersusAll(category)
        correct = sum(right for _, right in pairs)
        assert ranking.numCases() == len(pairs)
        assert ranking.numPositiveRef() == correct + misses
        held = sorted({score for score, right in pairs if right}, reverse=True)
        assert ranking.prScoreCurve(False)[:, 2].tolist() == held


class Chooser:
    """A classifier that can be pickled."""

    def classify(self, name):
        return evalcore.ScoredClassification(sorted(evaluations.NAMES, key=name.__ne__), [2, 1, 1])


def test_a_copy_shares_the_classifier_alone():
    evaluator = evalcore.ScoredClassifierEvaluator(Chooser(), evaluations.NAMES, storeInputs=True)
    copied, deep, pickled = copy.copy(evaluator), copy.deepcopy(evaluator), pickle.loads(pickle.dumps(evaluator, 5))
    assert copied.classifier() is evaluator.classifier()
    assert deep.classifier() is not evaluator.classifier()
    for each in copied, deep, pickled:
        each.handle(evalcore.Classified("b", evalcore.Classification("b")))
        assert each.oneVersusAll("b").truePositive() == 1
    assert evaluator.numCases() == 0


def kept(evaluator):
    return [columns.values for columns in evaluator._cases.columns]


@every("dtype", [np.float32, np.float64])
def test_a_batch_keeps_scores_once_and_in_their_width(dtype):
    rows = np.full((1000, 3), 0.25, dtype)
    evaluator = evalcore.ScoredClassifierEvaluator(None, evaluations.NAMES)
    evaluator.addScores(["a"] * 1000, rows)
    (scores,) = kept(evaluator)
    assert (scores.dtype, scores.nbytes) == (dtype, rows.nbytes)
    assert len(pickle.dumps(evaluator)) < rows.nbytes + 3000
    rows[:] = 9
    assert evaluator.averageScore("a", "a") == 0.25


def test_a_joint_answer_is_a_conditional_one_and_gives_its_conditional_probabilities():
    answer = evalcore.JointClassification(["a", "b"], [-1, -2])
    evaluator = evalcore.ConditionalClassifierEvaluator(None, evaluations.NAMES)
    evaluator.addClassification("a", answer)
    assert evaluator.averageScore("a", "a") == -1.0
    assert evaluator.averageConditionalProbability("a", "a") == answer.conditionalProbability("a")
    assert evaluator.averageConditionalProbabilityReference() == close_to(2 / 3)


HANDLED, CLASSES = 20, 5
MODELS = {
    "probabilities": (LogisticRegression(max_iter=20), evalcore.ConditionalClassifierEvaluator, False),
    "decisions": (LinearSVC(max_iter=50, random_state=0), evalcore.ScoredClassifierEvaluator, False),
    "binary decisions": (LinearSVC(max_iter=50, random_state=0), evalcore.ScoredClassifierEvaluator, True),
    "binary probabilities": (LogisticRegression(max_iter=20), evalcore.ConditionalClassifierEvaluator, True),
}


class Fitted(NamedTuple):
    model: object
    kind: type
    rows: np.ndarray
    labels: np.ndarray

    @property
    def adapter(self):
        return evalcore.ClassifierAdapter(self.model)

    @property
    def scores(self):
        return self.adapter.scores(self.rows)


@pytest.fixture(scope="module", params=MODELS.values(), ids=MODELS)
def fitted(request):
    model, kind, is_binary = request.param
    rows, labels = load_digits(n_class=CLASSES, return_X_y=True)
    if is_binary:
        labels = np.where(labels % 2, "odd", "even")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a few iterations are enough here
        model.fit(rows[:400] / 16, labels[:400])
    return Fitted(model, kind, rows[400:520] / 16, labels[400:520])


@pytest.fixture(scope="module")
def batch(fitted):
    evaluator = fitted.kind(fitted.adapter, fitted.adapter.categories())
    evaluator.addScores(fitted.labels, fitted.scores)
    return evaluator


@pytest.fixture(scope="module")
def handled(fitted):
    evaluator = fitted.kind(fitted.adapter, fitted.adapter.categories(), storeInputs=True)
    for row, label in zip(fitted.rows[:HANDLED], fitted.labels[:HANDLED].tolist(), strict=True):
        evaluator.handle(evalcore.Classified(row, evalcore.Classification(label)))
    return evaluator


def test_confusion_matrices_and_areas_are_those_of_scikit_learn_in_batches_and_one_by_one(fitted, batch, handled):
    assert batch.numCases() == len(fitted.labels)
    assert batch.categories() == tuple(fitted.model.classes_.tolist())
    expected = metrics.confusion_matrix(fitted.labels, fitted.model.predict(fitted.rows))
    assert batch.confusionMatrix().matrix().tolist() == expected.tolist()
    assert batch.confusionMatrix().totalAccuracy() == close_to(fitted.model.score(fitted.rows, fitted.labels))
    labels, predicted = fitted.labels[:HANDLED], fitted.model.predict(fitted.rows[:HANDLED])
    expected = metrics.confusion_matrix(labels, predicted, labels=fitted.model.classes_)
    assert handled.confusionMatrix().matrix().tolist() == expected.tolist()
    for category in handled.categories():
        wrong = [case.getObject().tolist() for case in handled.falsePositives(category)]
        chosen = (predicted == category) & (labels != category)
        assert wrong == fitted.rows[:HANDLED][chosen].tolist()
    for category, scores in zip(batch.categories(), fitted.scores.T, strict=True):
        correct = fitted.labels == category
        area = metrics.roc_auc_score(correct, scores)
        tied, positives = pair_counts(order(scores, correct).keys).tied, int(correct.sum())
        negatives = correct.size - positives
        evaluation = batch.scoredOneVersusAll(category)
        assert (evaluation.numPositiveRef(), evaluation.numNegativeRef()) == (positives, negatives)
        # a step counts a tied incorrect case as accepted, which takes half a pair from the usual area
        assert evaluation.areaUnderRocCurve(False) == close_to(area - tied / 2 / positives / negatives)
        assert evaluation.averagePrecision() == close_to(metrics.average_precision_score(correct, scores))
    if fitted.labels.dtype.kind == "U":
        evaluator = fitted.kind(None, batch.categories())
        evaluator.addScores(np.searchsorted(fitted.model.classes_, fitted.labels), fitted.scores)
        assert str(evaluator) == str(batch)
    else:
        assert batch.categories() == tuple(range(CLASSES))


def test_the_adapter_answers_in_the_order_of_the_classes(fitted):
    answer = fitted.adapter.classify(fitted.rows[0])
    is_probability = fitted.kind is evalcore.ConditionalClassifierEvaluator
    assert type(answer) is (evalcore.ConditionalClassification if is_probability else evalcore.ScoredClassification)
    scores = dict(zip(fitted.adapter.categories(), fitted.adapter.scores(fitted.rows[:1])[0].tolist(), strict=True))
    assert {answer.category(rank): answer.score(rank) for rank in range(answer.size())} == scores
    assert answer.bestCategory() == fitted.model.predict(fitted.rows[:1]).item()
    assert answer.size() == len(fitted.model.classes_)
    adapter = evalcore.ClassifierAdapter(Undecided())
    assert adapter.classify([0]) == evalcore.ScoredClassification(["beer", "wine"], [0, 0])
    assert adapter.scores([[0], [1]]).tolist() == [[0, 0], [0, 0]]


class Half:
    classes_ = np.array(["beer", "wine"])


class Undecided(Half):
    def decision_function(self, rows):
        return np.zeros(len(rows))


@every(
    ("model", "text"),
    ("svm", r"classes_, got 'svm' \(str\); fit it first"),
    (LinearSVC(), r"classes_, got LinearSVC\(\) \(LinearSVC\); fit it first"),
    (Half(), r"decision_function, got <.* \(Half\)"),
)
def test_what_is_no_fitted_model_is_refused(model, text):
    with pytest.raises(evalcore.EvaluationTypeError, match=rf"\Amodel must have {text}\Z"):
        evalcore.ClassifierAdapter(model)


def test_decisions_between_pairs_of_classes_are_no_scores_of_classes():
    rows, labels = load_digits(n_class=4, return_X_y=True)
    model = SVC(decision_function_shape="ovo").fit(rows[:200], labels[:200])
    with pytest.raises(evalcore.EvaluationError, match="decides between pairs of classes"):
        evalcore.ClassifierAdapter(model)
    model.decision_function_shape = "ovr"
    adapter = evalcore.ClassifierAdapter(model)
    model.decision_function_shape = "ovo"
    with pytest.raises(evalcore.EvaluationError, match=r"must have a column for each of 4 classes, got shape \(1, 6\)"):
        adapter.classify(rows[0])


def test_str_is_the_text_of_a_subclass():
    named = type("Named", (evalcore.RankedClassifierEvaluator,), {"toString": lambda self: "named"})
    assert str(named(None, ["a", "b"], False)) == "named"
