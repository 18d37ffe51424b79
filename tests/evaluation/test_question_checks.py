"""Questions of comparison that are refused before anything is read, also for the memory that they take."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import evalcore
from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.evaluation.measure_choice import Measures, parse_compared, score_measures
from evalcore.evaluation.memory import check_memory, comparison_bytes
from evalcore.evaluation.question import Question
from evalcore.evaluation.weighting import Weighting
from evalcore.io.rows import Rows
from tests.differences import every, refused

TABLE = {"id": [1, 2], "late": [1, 0], "s": [0.5, 0.4], "t": [0.5, 0.4], "w": [1, 1]}
TWO, ONE = {"on": "id", "score": "s"}, {"score": "s", "old_score": "t"}

OF_TWO_TABLES = [
    ({"on": None}, "on must name the column, or columns, that identify a case in both tables"),
    ({"on": ["id", "id"]}, "on must name distinct columns, got 'id', 'id'"),
    ({"on": ["id", "late"]}, "on must not name columns of labels or predictions, got 'late'"),
    ({"allow": "mising"},
     "allow must be one or more of missing, repeated, labels, got 'mising'; did you mean 'missing'?"),
    ({"allow": "missing,labels"},
     "allow must be one or more of missing, repeated, labels, got 'missing,labels'; give several as a list"),
    ({"score": None}, "compare needs either score or predicted"),
    ({"predicted": "t"}, "compare takes score or predicted, got both; give only one of them"),
    ({"score": []}, "score must name at least one column"),
    ({"score": ["s", "t"]}, "old_score must name the column of the old model"),
    ({"score": "late"}, "score must not be the column of labels, got 'late'"),
    ({"old_predicted": "t"}, "old_predicted does not fit score; give old_score"),
    ({"score": None, "predicted": "s", "positive": 1}, "positive needs score, got predicted classes"),
    ({"score": None, "predicted": "s", "threshold": 0.5}, "threshold needs score, got predicted classes"),
    ({"ci": 95}, "ci must be above 0 and below 1, got 95; write 0.95 for 95%"),
    ({"threshold": [0.5, 0.5]}, "thresholds must be distinct, got threshold 0.5 twice"),
    ({"min_cases": 5}, "min_cases needs by, which names the column of groups"),
    ({"by": ["w", "w"]}, "by must name distinct columns, got 'w', 'w'"),
    ({"weight": "s"}, "weight must be a column of its own, got 's', which has another role"),
    ({"weight_type": "frequency"}, "weight_type needs weight, which names the column of weights"),
    ({"method": "permutation"}, "method must be one of analytic, bootstrap, got 'permutation' (str)"),
    ({"ci_method": "exact"}, "ci_method must be one of delong-score, delong, got 'exact' (str)"),
    ({"ci_method": "delong", "method": "bootstrap"},
     "ci_method chooses the analytic interval of ROC AUCs, got method='bootstrap'"),
    ({"ci_method": "delong", "score": None, "predicted": "s"},
     "ci_method chooses the interval of ROC AUCs, which need score"),
    ({"method": "bootstrap", "resamples": 0}, "resamples must be at least 1, got 0"),
    ({"stratify": True}, "stratify needs method='bootstrap'"),
    ({"seed": -1}, "seed must not be negative, got -1"),
    ({"changed": -1}, "changed must not be negative, got -1"),
    ({"margin": 0}, "margin must be a finite number above 0, got 0"),
    ({"margin": {"roc_auc": float("inf")}}, "margin of 'roc_auc' must be a finite number above 0, got inf"),
    ({"margin": {"auc": 0.1, "roc_auc": 0.1}}, "margin must name each measure once, got 'auc', 'roc_auc'"),
    ({"margin": {"rocauc": 0.1}},
     "margin must name measures that are compared (roc_auc, average_precision, log_loss, brier_score), "
     "got 'rocauc'; did you mean 'roc_auc'?"),
    ({"margin": {"recall": 0.1}, "measures": "roc_auc"},
     "margin must name measures that are compared (roc_auc), got 'recall'; choose them with measures or threshold"),
    ({"text": "s"}, "text must name columns of ids, labels, predictions, groups or clusters, got 's'"),
    ({"nulls": "keep"}, "nulls must be one of refuse, drop, got 'keep' (str)"),
    ({"pos_label": 1, "positive": 1}, "positive and pos_label mean the same; give only one of them"),
]  # fmt: skip
OF_ONE_TABLE = [
    ({"old_score": None}, "old_score must name the column of the old model; or give each model a table of its own"),
    ({"old_score": "s"}, "columns of models must be distinct, got 's', 's'"),
    ({"allow": "missing"}, "allow needs several tables, got one"),
]
OF_WRONG_TYPES = [
    ({"label": None}, "label must be the name of a column, got None"),
    ({"old_score": 3}, "old_score must be the name of a column, got 3"),
    ({"by": 3}, "by must be a string or a sequence of strings, got 3"),
    ({"score": [3]}, "score must hold strings, got 3"),
    ({"score": pd.Series([1.0])},
     "score must be the name of a column, got a Series; put it into the frame as a column, and give its name"),
    ({"on": np.array([1.0])},
     "on must be the name of a column, got an array; put it into the frame as a column, and give its name"),
    ({"margin": "much"}, "margin must be a number, got 'much' (str)"),
    ({"margin": {}}, "margin must be a number, got {} (dict)"),
    ({"margin": {"auc": None}}, "margin of 'auc' must be a number, got None (NoneType)"),
]  # fmt: skip


@every(
    ("tables", "error", "asked", "message"),
    *((2, EvaluationError, *row) for row in OF_TWO_TABLES),
    *((1, EvaluationError, *row) for row in OF_ONE_TABLE),
    *((2, EvaluationTypeError, *row) for row in OF_WRONG_TYPES),
)
def test_questions_that_are_refused(tables, error, asked, message):
    with refused(message, error):
        evalcore.compare(*[TABLE] * tables, **{"label": "late", **(TWO if tables == 2 else ONE), **asked})


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


@every("name", ["", "recal@0.5", "recall@", "recall@high", "roc_auc@0.5", "kappa[ash]", 3, "ks@1"])
def test_other_names_are_refused(name):
    with pytest.raises(EvaluationError, match="measure must be one of roc_auc, average_precision, "):
        parse_compared(name)


def test_names_are_near_others_and_taken_at_each_threshold():
    with pytest.raises(EvaluationError, match=r"got 'recal@0.5'; did you mean 'recall'"):
        parse_compared("recal@0.5")
    names = [each.name for each in score_measures(["recall", "roc_auc", "f1@0.5"], [0.5, 0.2], probabilities=False)]
    assert names == ["recall@0.5", "recall@0.2", "roc_auc", "f1@0.5"]
    with pytest.raises(EvaluationError, match=r"'recall' needs a threshold: name one, such as 'recall@0.5'"):
        score_measures(["recall"], [], probabilities=False)
    with pytest.raises(EvaluationError, match=r"'recall\[ash\]' is of predicted classes, not of scores"):
        score_measures(["recall[ash]"], [], probabilities=False)
    names = [each.name for each in score_measures(["roc_auc"], [0.5], probabilities=False)]
    assert names == ["roc_auc", "accuracy@0.5", "recall@0.5", "specificity@0.5", "precision@0.5", "f1@0.5"]


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
    check_memory(QUESTION, paths, int(needed))
    refused = "the rows of 2 tables take at least 259 MB, more than the memory limit of 246 MB; allow more memory"
    with pytest.raises(EvaluationError, match=rf"{refused} \(--memory SIZE\)"):
        check_memory(QUESTION, paths, int(needed) - 1)
    alone = QUESTION._replace(old_score="other", on=())
    check_memory(alone, paths[:1], 160_000_000 + int(ROWS * (2.25 * 17 + 20)))
    with pytest.raises(EvaluationError, match="the rows of one table take at least 229 MB"):
        check_memory(alone, paths[:1], 200_000_000)
    texts = pa.schema([("id", pa.string()), ("late", pa.bool_()), ("score", pa.float64())])
    numbers = comparison_bytes(QUESTION, [(SCHEMA, ROWS)])
    assert comparison_bytes(QUESTION, [(texts, ROWS)]) - numbers == ROWS * (120 + 2.25 * 4)
    assert comparison_bytes(QUESTION._replace(rows=Rows(where="score > 0")), [(SCHEMA, ROWS)]) - numbers == 110_000_000
    assert comparison_bytes(QUESTION, [(SCHEMA, ROWS)] * 3) - numbers == 2 * ROWS * (2.25 * 17 + 20)
    monkeypatch.setattr("evalcore.io.memory.machine_memory", lambda: 2**28)
    with pytest.raises(EvaluationError, match="more than the memory limit of 134 MB"):
        check_memory(QUESTION, paths, None)
    monkeypatch.setattr("evalcore.io.memory.machine_memory", lambda: None)
    check_memory(QUESTION, paths, None)
    arrays = tmp_path / "old.npz"
    np.savez(arrays, id=np.arange(2))
    check_memory(QUESTION, ["-", paths[1]], 1)
    check_memory(QUESTION, [str(arrays), paths[1]], 1)
    check_memory(QUESTION._replace(scores=("absent",)), paths, 1)


SCHEMA = pa.schema([("id", pa.int64()), ("late", pa.bool_()), ("score", pa.float64())])


@every(
    ("asked", "bytes_of_a_case"),
    ({"weighting": Weighting("weight")}, 140),
    ({"cluster": "day"}, 60),
    ({"by": ("carrier", "month")}, 80),
    ({"method": "bootstrap"}, 100),
    ({"measures": Measures(("roc_auc", "maximum_f1"))}, 100),
)
def test_what_a_question_adds(asked, bytes_of_a_case):
    tables = [(SCHEMA, ROWS)] * 2
    more = comparison_bytes(QUESTION._replace(**asked), tables) - comparison_bytes(QUESTION, tables)
    assert more == bytes_of_a_case * ROWS
