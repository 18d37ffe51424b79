"""Questions of comparison that are refused before anything is read, also for the memory that they take."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import evalcore
from evalcore.errors import EvaluationError
from evalcore.evaluation.files import check_memory, comparison_bytes
from evalcore.evaluation.measure_choice import Measures, parse_compared
from evalcore.evaluation.question import Question
from evalcore.evaluation.thresholds import Target
from evalcore.evaluation.weighting import Weighting
from evalcore.io.rows import Rows
from tests.differences import check_refusals, every

TABLE = {"id": [1, 2], "late": [1, 0], "s": [0.5, 0.4], "t": [0.5, 0.4], "w": [1, 1]}
TWO, ONE = {"on": "id", "score": "s"}, {"score": "s", "old_score": "t"}

OF_TWO_TABLES = [
    {"on": None}, {"on": ["id", "id"]}, {"on": ["id", "late"]}, {"allow": "mising"}, {"allow": "missing,labels"},
    {"score": None}, {"predicted": "t"}, {"score": []}, {"score": ["s", "t"]}, {"score": "late"},
    {"old_predicted": "t"}, {"score": None, "predicted": "s", "positive": 1},
    {"score": None, "predicted": "s", "threshold": 0.5}, {"score": None, "predicted": "s", "costs": (1, 5)},
    {"ci": 95}, {"ci": True}, {"threshold": [0.5, 0.5]}, {"min_cases": 5}, {"by": ["w", "w"]},
    {"weight": "s"}, {"cluster": "late"}, {"weight_type": "frequency"}, {"method": "permutation"},
    {"ci_method": "exact"}, {"ci_method": "delong", "method": "bootstrap"},
    {"ci_method": "delong", "score": None, "predicted": "s"}, {"method": "bootstrap", "resamples": 0},
    {"stratify": True}, {"seed": -1}, {"changed": -1}, {"margin": 0}, {"margin": {"roc_auc": float("inf")}},
    {"margin": {"auc": 0.1, "roc_auc": 0.1}}, {"margin": {"rocauc": 0.1}},
    {"margin": {"recall": 0.1}, "measures": "roc_auc"}, {"text": "s"}, {"nulls": "keep"},
    {"pos_label": 1, "positive": 1},
    {"label": None}, {"old_score": 3}, {"by": 3}, {"score": [3]}, {"score": pd.Series([1.0])}, {"on": np.array([1.0])},
    {"margin": "much"}, {"margin": {}}, {"margin": {"auc": None}},
    {"margin_level": 0.9}, {"margin": 0.1, "margin_level": 90},
    {"label": ""}, {"allow": True}, {"resamples": None}, {"score": {"a": "s"}, "old_score": {"a": 1}},
    *({"label": None, "score": None, "value": "s", "judge": judge} for judge in ("", ["t"])),
]  # fmt: skip
OF_ONE_TABLE = [{"old_score": None}, {"old_score": "s"}, {"allow": "missing"}]


def test_questions_that_are_refused():
    def ask(row):
        tables, asked = row
        evalcore.compare(*[TABLE] * tables, **{"label": "late", **(TWO if tables == 2 else ONE), **asked})

    rows = [(tables, asked) for tables, given in ((2, OF_TWO_TABLES), (1, OF_ONE_TABLE)) for asked in given]
    check_refusals("evaluation/outputs/refused_questions.txt", ask, rows)


@every(
    ("name", "full", "title"),
    ("auroc", "roc_auc", "ROC AUC"),
    ("AP", "average_precision", "average precision"),
    ("sensitivity@0.30", "recall@0.3", "recall at threshold 0.3"),
    ("f1@1e-3", "f1@0.001", "F1 at threshold 0.001"),
    ("f1[ash@home]", "f1[ash@home]", "F1 of ash@home"),
    ("max_f1", "maximum_f1", "maximum F1"),
    ("ks", "ks", "Kolmogorov-Smirnov statistic"),
    ("partial_auc@0.1", "partial_auc@0.1", "ROC AUC up to a false positive rate of 0.1"),
    ("precision_at_recall@0.8", "precision_at_recall@0.8", "precision at recall 0.8"),
    ("brier", "brier_score", "Brier score"),
)
def test_names_are_those_of_reports(name, full, title):
    found = parse_compared(name)
    assert (found.name, found.title) == (full, title)
    assert parse_compared(found.name) == found
    assert found.lower_is_better == (full == "brier_score")


def test_names_are_taken_at_each_threshold_and_others_are_refused():
    def names_of(names, thresholds=()):
        question = QUESTION._replace(measures=Measures(tuple(names)), thresholds=thresholds)
        return [each.name for each in question.score_measures(probabilities=False)]

    names = names_of(["recall", "roc_auc", "f1@0.5"], (0.5, 0.2))
    assert names == ["recall@0.5", "recall@0.2", "roc_auc", "f1@0.5"]
    names = names_of(["roc_auc"], (0.5,))
    assert names == ["roc_auc", "accuracy@0.5", "recall@0.5", "specificity@0.5", "precision@0.5", "f1@0.5"]
    others = "recal@0.5 recall@ recall@high auc@0.5 kappa[ash] ks@1 recall recall[ash] expected_cost@1 chi_squared@0.5"
    check_refusals("evaluation/outputs/refused_measures.txt", names_of, [[name] for name in ("", 3, *others.split())])


QUESTION = Question("late", ("score",), on=("id",))
ROWS = 1_000_000


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("tables")
    columns = {"id": np.arange(ROWS), "late": np.arange(ROWS) % 2 == 0} | dict.fromkeys(
        ("score", "other"), np.zeros(ROWS)
    )
    pq.write_table(pa.table(columns), tmp_path / "old.parquet")
    pq.write_table(pa.table(columns).drop("late").slice(ROWS // 2), tmp_path / "new.parquet")
    return [str(tmp_path / f"{name}.parquet") for name in ("old", "new")]


def test_columns_tables_and_conditions_decide_what_memory_is_needed(paths, monkeypatch, tmp_path):
    needed = 160_000_000 + ROWS * (2.25 * 17 + 20) + ROWS // 2 * (2.25 * 16 + 20)
    check_memory(QUESTION._replace(memory=int(needed)), paths)
    refused = "the rows of 2 tables take at least 259 MB, more than the memory limit of 246 MB; allow more memory"
    with pytest.raises(EvaluationError, match=rf"{refused} \(--memory SIZE\)"):
        check_memory(QUESTION._replace(memory=int(needed) - 1), paths)
    alone = QUESTION._replace(old_score="other", on=())
    check_memory(alone._replace(memory=160_000_000 + int(ROWS * (2.25 * 17 + 20))), paths[:1])
    with pytest.raises(EvaluationError, match="the rows of one table take at least 229 MB"):
        check_memory(alone._replace(memory=200_000_000), paths[:1])
    texts = pa.schema([("id", pa.string()), ("late", pa.bool_()), ("score", pa.float64())])
    numbers = comparison_bytes(QUESTION, [(SCHEMA, ROWS)])
    assert comparison_bytes(QUESTION, [(texts, ROWS)]) - numbers == ROWS * (120 + 2.25 * 4)
    assert comparison_bytes(QUESTION._replace(rows=Rows(where="score > 0")), [(SCHEMA, ROWS)]) - numbers == 110_000_000
    assert comparison_bytes(QUESTION, [(SCHEMA, ROWS)] * 3) - numbers == 2 * ROWS * (2.25 * 17 + 20)
    monkeypatch.setattr("evalcore.io.memory.machine_memory", lambda: 2**28)
    with pytest.raises(EvaluationError, match="more than the memory limit of 134 MB"):
        check_memory(QUESTION, paths)
    monkeypatch.setattr("evalcore.io.memory.machine_memory", lambda: None)
    check_memory(QUESTION, paths)
    arrays = tmp_path / "old.npz"
    np.savez(arrays, id=np.arange(2))
    check_memory(QUESTION._replace(memory=1), ["-", paths[1]])
    check_memory(QUESTION._replace(memory=1), [str(arrays), paths[1]])
    check_memory(QUESTION._replace(scores=("absent",), memory=1), paths)


SCHEMA = pa.schema([("id", pa.int64()), ("late", pa.bool_()), ("score", pa.float64())])


@every(
    ("asked", "bytes_of_a_case"),
    ({"weighting": Weighting("weight")}, 140),
    ({"cluster": "day"}, 60),
    ({"by": ("carrier", "month")}, 80),
    ({"method": "bootstrap"}, 100),
    ({"measures": Measures(("roc_auc", "partial_auc@0.2"))}, 100),
)
def test_what_a_question_adds(asked, bytes_of_a_case):
    tables = [(SCHEMA, ROWS)] * 2
    more = comparison_bytes(QUESTION._replace(**asked), tables) - comparison_bytes(QUESTION, tables)
    assert more == bytes_of_a_case * ROWS


def test_pages_name_all_predicted_columns_and_say_what_thresholds_and_words_are():
    asked = Question("late", predicted=("s", "t"), targets=(Target("recall", 0.9),))
    assert asked.described() == {"Label": "late", "Predicted": "s, t", "Threshold for": "recall=0.9"}
    graded = evalcore.evaluate({"grade": ["good", "bad"]}, value="grade", words={"good": 1, "bad": 0.5})
    assert graded.question.described()["Words"] == "good = 1, bad = 0.5"
