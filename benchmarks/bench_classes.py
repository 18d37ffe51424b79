"""What reports and texts on a thousand classes cost, beside scikit-learn and beside writing as many numbers."""

import json
import os
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sklearn.metrics

import evalcore
from evalcore import BaseClassifierEvaluator, ConfusionMatrix, RankedClassifierEvaluator, ScoredClassifierEvaluator

SLACK = 1.25
GIGABYTE = 1 << 30
NAMES = [f"class {code}" for code in range(1000)]
PREDICTED = """
import sys
import pyarrow.parquet
from sklearn.metrics import classification_report, confusion_matrix

columns = pyarrow.parquet.read_table(sys.argv[1]).to_pydict()
print(classification_report(columns["label"], columns["guess"]))
print(confusion_matrix(columns["label"], columns["guess"]))
"""


@pytest.fixture(scope="module")
def predicted():
    """50,000 labels and predictions of 1,000 classes."""
    rng = np.random.default_rng(1)
    codes, others = rng.integers(0, len(NAMES), (2, 50_000))
    names = np.array(NAMES, object)
    return {"label": names[codes], "guess": names[np.where(rng.random(codes.size) < 0.6, codes, others)]}


@pytest.fixture(scope="module")
def scored():
    """2,000 rows of scores of 2,000 classes, each of them the label of one row."""
    rng = np.random.default_rng(2)
    codes = rng.permutation(2000)
    scores = rng.random((2000, 2000))
    scores[np.arange(2000), codes] += 0.3
    return codes, scores


def measured(*command):
    """Return the CPU seconds of a process and of all its threads, its peak memory in bytes, and what it printed."""
    with subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True) as process:
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    unit = 1 if sys.platform == "darwin" else 1024
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit, printed


def ratio_of_processes(task, peer, rounds=3):
    """Return the ratio of the medians of CPU time, and that of the task."""
    times, peers = np.transpose([(measured(*task)[0], measured(*peer)[0]) for _ in range(rounds)])
    return float(np.median(times) / np.median(peers)), float(np.median(times))


def right_matrix(predicted):
    found = sklearn.metrics.confusion_matrix(predicted["label"], predicted["guess"], labels=NAMES)
    return {name: dict(zip(NAMES, row, strict=True)) for name, row in zip(NAMES, found.tolist(), strict=True)}


@pytest.mark.slow
@pytest.mark.parametrize(("style", "target"), [("table", 0.6), ("markdown", 0.6), ("json", 0.8), ("csv", 1.0)])
def bench_command_on_predictions_of_a_thousand_classes(tmp_path, predicted, style, target):
    file = str(tmp_path / "cases.parquet")
    pq.write_table(pa.table(predicted), file)
    command = "-m", "evalcore", "report", file, "--label", "label", "--predicted", "guess", "--format"
    assert json.loads(measured(*command, "json")[2])["confusion_matrix"] == right_matrix(predicted)
    ratio, seconds = ratio_of_processes((*command, style), ("-c", PREDICTED, file))
    print(f"\n1,000 classes, {style}: {seconds:.2f} s, {ratio:.2f} of scikit-learn (target {target:g})")
    assert ratio <= SLACK * target


@pytest.mark.slow
def bench_command_on_scores_of_two_thousand_classes(tmp_path, scored):
    codes, scores = scored
    file = str(tmp_path / "scores.parquet")
    columns = {f"s_c{code}": scores[:, code] for code in range(scores.shape[1])}
    pq.write_table(pa.table({"label": [f"c{code}" for code in codes], **columns}), file)
    command = "-m", "evalcore", "report", file, "--label", "label", "--scores", "s_"
    found = json.loads(measured(*command, "--format", "json")[2])["classes"]
    areas = sklearn.metrics.roc_auc_score(codes[:, np.newaxis] == np.arange(codes.size), scores, average=None)
    assert [found[f"c{code}"]["roc_auc"] for code in range(codes.size)] == pytest.approx(areas.tolist(), rel=1e-12)
    seconds, peak, _ = measured(*command)
    column = np.random.default_rng(3).random(10_000_000)
    begin = time.process_time()
    np.sort(column)
    ratio = seconds / (time.process_time() - begin)
    print(f"\n2,000 x 2,000 scores: {seconds:.1f} s, {ratio:.0f} np.sort of ten million, {peak / GIGABYTE:.2f} GiB")
    assert ratio <= SLACK * 25
    assert peak <= GIGABYTE


WAYS = {
    "table": (repr, 0.3),
    "page": (lambda report: report.to_html(), 1.1),  # most of it is the chart of F1
    "json": (lambda report: report.to_json(), 0.8),
    "csv": (lambda report: report.to_csv(), 1.2),
    "all in markdown": (lambda report: report.to_markdown(full=True), 7.5),
}


@pytest.mark.parametrize("way", WAYS)
def bench_texts_of_a_thousand_classes(interleaved, predicted, way):
    write, target = WAYS[way]
    report = evalcore.evaluate(predicted, label="label", predicted="guess")
    tree = report.to_dict()
    assert tree["confusion_matrix"] == right_matrix(predicted)
    written = json.loads(report.to_json())
    assert {name: written[name] for name in tree} == json.loads(json.dumps(tree))
    ratio = interleaved(lambda: write(report), lambda: json.dumps(tree), rounds=3).ratio
    print(f"\n1,000 classes, {way}: {ratio:.2f} of json.dumps of all numbers (target {target:g})")
    assert ratio <= SLACK * target


def matrix_of(codes, scores):
    return ConfusionMatrix.fromLabels(
        [NAMES[code] for code in codes], [NAMES[code] for code in scores.argmax(1)], NAMES
    )


def filled(kind, method, *columns):
    evaluator = kind(None, NAMES)
    getattr(evaluator, method)(*columns)
    return evaluator


EVALUATORS = {
    "ConfusionMatrix": (matrix_of, 1.0),
    "RankedClassifierEvaluator": (
        lambda codes, scores: filled(RankedClassifierEvaluator, "addRankings", codes, np.argsort(-scores, axis=1)),
        2.0,
    ),
    "ScoredClassifierEvaluator": (
        lambda codes, scores: filled(ScoredClassifierEvaluator, "addScores", codes, scores),
        5.0,
    ),
}


@pytest.mark.parametrize("kind", EVALUATORS)
def bench_text_of_an_evaluator(interleaved, kind):
    make, target = EVALUATORS[kind]
    rng = np.random.default_rng(3)
    codes, scores = rng.integers(0, len(NAMES), 2000), rng.random((2000, len(NAMES)))
    scores[np.arange(codes.size), codes] += 0.5
    evaluator = make(codes, scores)
    lines = set(str(evaluator).splitlines())
    assert f"Categories=[{', '.join(NAMES)}]" in lines
    if isinstance(evaluator, BaseClassifierEvaluator):
        label = NAMES[codes[0]]
        assert f"  {','.join(repr(evaluator.averageRank(label, name)) for name in NAMES)}" in lines
    numbers = scores[: len(NAMES)].tolist()
    ratio = interleaved(lambda: str(evaluator), lambda: repr(numbers), rounds=3).ratio
    print(f"\n{kind} of 1,000 categories: {ratio:.1f} times writing a million numbers (target {target:g})")
    assert ratio <= SLACK * target
