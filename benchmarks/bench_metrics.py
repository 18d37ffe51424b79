"""How many times faster `evalcore.metrics` is than the functions of the same names in scikit-learn.

Each case names the least ratio that is aimed at, and fails below two thirds of it: the machine is noisy.
"""

import functools
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import sklearn.calibration
import sklearn.metrics

from evalcore import metrics

ROWS = 1_000_000
LABELS = 1 << 23
CLASSES = 10
SLACK = 2 / 3


class Case(NamedTuple):
    """A function, its arguments, and how many times faster it has to be."""

    name: str
    data: Callable[[], tuple[Any, ...]]
    target: float
    options: dict[str, Any] = {}  # noqa: RUF012  never changed
    rounds: int = 3
    calls: int = 1
    quick: bool = False
    """Whether it runs without being asked for."""

    def __str__(self) -> str:
        options = (f"{key}={value!r}" if np.ndim(value) == 0 else key for key, value in self.options.items())
        return f"{self.name}({', '.join([self.data.__name__, *options])})"


def _data(make):
    """Make data once, from its own seed."""
    return functools.wraps(make)(functools.cache(lambda: make(np.random.default_rng(9))))


@_data
def scores(rng):
    return rng.integers(0, 2, ROWS), rng.random(ROWS)


@_data
def hundred_scores(rng):
    return rng.integers(0, 2, 100), rng.random(100)


@_data
def probabilities(rng):
    chances = rng.random(ROWS)
    return (rng.random(ROWS) < chances).astype(np.int64), chances


@_data
def class_scores(rng):
    y_true = rng.integers(0, CLASSES, 100_000)
    values = rng.random((y_true.size, CLASSES)) + 0.3 * np.eye(CLASSES)[y_true]
    return y_true, values / values.sum(axis=1, keepdims=True)


@_data
def label_scores(rng):
    return (rng.random((100_000, CLASSES)) < 0.3).astype(np.int64), rng.random((100_000, CLASSES))


@_data
def graded_scores(rng):
    return rng.integers(0, 5, (100_000, CLASSES)), rng.random((100_000, CLASSES))


def _answers(rng, labels, size):
    y_true = rng.integers(0, len(labels), size)
    y_pred = np.where(rng.random(size) < 0.7, y_true, rng.integers(0, len(labels), size))
    return labels[y_true], labels[y_pred]


@_data
def classes(rng):
    return _answers(rng, np.arange(CLASSES), LABELS)


@_data
def fewer_classes(rng):
    return _answers(rng, np.arange(CLASSES), LABELS // 8)


@_data
def two_classes(rng):
    return _answers(rng, np.arange(2), LABELS // 8)


@_data
def words(rng):
    return _answers(rng, np.array([f"class {number}" for number in range(CLASSES)], object), ROWS)


@_data
def fixed_width_words(rng):
    return tuple(column.astype(str) for column in words())


@_data
def label_marks(rng):
    return tuple((rng.random((100_000, CLASSES)) < 0.3).astype(np.int64) for _ in range(2))


WEIGHTS = {"sample_weight": np.random.default_rng(11).random(ROWS)}
CURVES = "roc_curve", "precision_recall_curve", "det_curve", "confusion_matrix_at_thresholds"
OF_LABELS = (
    "accuracy_score", "balanced_accuracy_score", "zero_one_loss", "hamming_loss", "multilabel_confusion_matrix",
)  # fmt: skip
OF_CLASSES = "precision_score", "recall_score", "f1_score", "jaccard_score"
CASES = [
    Case("roc_auc_score", scores, 15, quick=True),
    Case("average_precision_score", scores, 10, quick=True),
    *(Case(name, scores, 6, quick=True) for name in CURVES),
    Case("roc_auc_score", scores, 5, {"max_fpr": 0.1}),
    *(Case(name, scores, 5, WEIGHTS) for name in ("roc_auc_score", "average_precision_score", *CURVES)),
    Case("roc_auc_score", hundred_scores, 20, rounds=30, calls=100),
    Case("roc_auc_score", class_scores, 5, {"multi_class": "ovr"}),
    Case("roc_auc_score", class_scores, 5, {"multi_class": "ovo"}),
    Case("average_precision_score", class_scores, 5),
    Case("roc_auc_score", label_scores, 5),
    Case("average_precision_score", label_scores, 5, {"average": "micro"}),
    Case("ndcg_score", graded_scores, 50, rounds=1, quick=True),
    Case("dcg_score", graded_scores, 5, rounds=1),
    Case("ndcg_score", graded_scores, 5, {"ignore_ties": True}),
    Case("dcg_score", graded_scores, 5, {"ignore_ties": True}),
    Case("label_ranking_average_precision_score", label_scores, 50, rounds=1),
    Case("label_ranking_loss", label_scores, 5, rounds=1),
    Case("coverage_error", label_scores, 5),
    Case("top_k_accuracy_score", class_scores, 5, {"k": 3}),
    Case("log_loss", probabilities, 10, quick=True),
    Case("brier_score_loss", probabilities, 10),
    Case("log_loss", class_scores, 5),
    Case("brier_score_loss", class_scores, 5),
    Case("calibration_curve", probabilities, 5, {"n_bins": 10}),
    Case("calibration_curve", probabilities, 5, {"n_bins": 10, "strategy": "quantile"}),
    Case("confusion_matrix", classes, 18, rounds=2, quick=True),
    Case("cohen_kappa_score", classes, 18, rounds=2),
    Case("matthews_corrcoef", classes, 40, rounds=2),
    Case("classification_report", classes, 40, {"output_dict": True}, rounds=2),
    Case("precision_recall_fscore_support", classes, 40, rounds=2),
    *(Case(name, fewer_classes, 5) for name in OF_LABELS),
    *(Case(name, fewer_classes, 5, {"average": "macro"}) for name in OF_CLASSES),
    Case("class_likelihood_ratios", two_classes, 5),
    Case("accuracy_score", words, 10, rounds=2, quick=True),
    Case("confusion_matrix", words, 10, rounds=2),
    Case("f1_score", words, 10, {"average": "macro"}, rounds=2),
    Case("confusion_matrix", fixed_width_words, 5, rounds=2),
    Case("f1_score", label_marks, 5, {"average": "macro"}),
    Case("hamming_loss", label_marks, 5),
    Case("jaccard_score", label_marks, 5, {"average": "samples"}),
]


def peer_of(name):
    return getattr(sklearn.metrics, name, None) or getattr(sklearn.calibration, name)


def assert_same(ours, theirs):
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        ours, theirs = tuple(ours.values()), tuple(theirs.values())
    if isinstance(theirs, tuple):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_same(one, other)
    else:
        np.testing.assert_allclose(np.asarray(ours, np.float64), np.asarray(theirs, np.float64), rtol=1e-9, atol=1e-12)


@pytest.fixture(scope="module")
def table():
    rows = []
    yield rows
    print("\n\n| call | times faster | target |\n|---|---|---|")
    for case, speed in rows:
        print(f"| `{case}` | {speed:.1f} | {case.target:g}{'' if speed >= case.target else ' **missed**'} |")


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=() if case.quick else pytest.mark.slow) for case in CASES], ids=str
)
def bench_against_scikit_learn(interleaved, table, case):
    ours, theirs = getattr(metrics, case.name), peer_of(case.name)
    arguments = case.data()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_same(ours(*arguments, **case.options), theirs(*arguments, **case.options))
        medians = interleaved(
            lambda: ours(*arguments, **case.options),
            lambda: theirs(*arguments, **case.options),
            rounds=case.rounds,
            calls=case.calls,
        )
    table.append((case, 1 / medians.ratio))
    assert 1 / medians.ratio >= SLACK * case.target
