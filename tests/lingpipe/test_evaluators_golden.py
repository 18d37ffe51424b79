"""Golden values of the classifier evaluators, recorded through both doors, and their printed text."""

import re

import evalcore
from tests.differences import collected, every
from tests.lingpipe import golden
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
ANSWERS = {
    "base": lambda case: evalcore.Classification(case["categories"][0]),
    "ranked": lambda case: evalcore.RankedClassification(case["categories"]),
    "scored": lambda case: evalcore.ScoredClassification(case["categories"], case["scores"]),
    "conditional": lambda case: evalcore.ConditionalClassification(
        case["categories"], case["scores"], case["conditional_probabilities"]
    ),
    "joint": lambda case: evalcore.JointClassification(
        case["categories"], case["scores"], case["log2_joint_probabilities"]
    ),
}
OF_THE_WHOLE = {
    "numCases",
    "numCategories",
    "averageRankReference",
    "meanReciprocalRank",
    "averageScoreReference",
    "averageConditionalProbabilityReference",
    "averageLog2JointProbabilityReference",
    "corpusLog2JointProbability",
}
OF_PAIRS = {"averageRank", "averageScore", "averageConditionalProbability", "averageLog2JointProbability"}
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


def renamed(case):
    """Spell out that the scores of a joint classification are its logarithms."""
    logs = case.get("log2_joint_probabilities (= scores)")
    return case if logs is None else case | {"scores": logs, "log2_joint_probabilities": logs}


def test_no_golden_key_is_left_unchecked():
    assert DATA.keys() == {"source", "sets", "joint_to_conditional"}
    about = {"name", "kind", "via", "has_score_ties", "partial_rankings", "categories", "cases", "outputs"}
    assert all(record.keys() == about for record in SETS.values())
    assert len(SETS) == len(DATA["sets"])
    asked = {question for record in SETS.values() for question in record["outputs"]}
    assert asked == OF_THE_WHOLE | OF_PAIRS | FOUND | RANKINGS | {TABLES, "confusionMatrix", "rankCount"}
    keys = {key for record in SETS.values() for case in record["cases"] for key in case}
    assert keys == {"reference", "categories", "scores", "conditional_probabilities", "log2_joint_probabilities"}
    assert all(
        record.keys() == {"log2_joint", "conditional", "jointLog2Probability(rank beyond end)"}
        for record in DATA["joint_to_conditional"]
    )
    assert [record["class"].split()[0] for record in PRINTED] == list(EVALUATORS)
    assert all(record.keys() == {"class", "categories", "cases", "toString"} for record in PRINTED)
    assert any(SLIP.search(record["toString"]) for record in PRINTED)
