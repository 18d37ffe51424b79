"""A measure is one row of the catalogue: everything that names, computes, shows and gates measures reads it there."""

import json
import subprocess
import sys

import numpy as np
import pytest

from evalcore.evaluation.catalogue import ENTRIES, measure_name
from evalcore.evaluation.measure_choice import RESAMPLED, described_compared, parse_compared
from evalcore.measures.curves import OF_DECISIONS, parse_measure
from tests.differences import every

ROWS = (
    '''
    "kappa": Entry(
        "Cohen's kappa"''',
    '''
    "g_mean": Entry(
        "G-mean", "Geometric mean of recall and specificity.", aliases=("gmean",), needs=(DECISIONS,),
        compared=(AT_THRESHOLDS,), of_decisions=lambda cells: np.sqrt(cells.scores.recall.prod(axis=1)),
        derivatives=lambda tables: np.array([[1, -1], [-1, 1]]) * tables[..., ::-1]
        / (tables.diagonal(0, -2, -1) * tables.sum(-1))[..., None]
        * np.sqrt((tables.diagonal(0, -2, -1) / tables.sum(-1)).prod(-1))[..., None, None] / 2),
    "gini": Entry(
        "Gini coefficient", "Twice the ROC AUC, less 1.", why_nan=_ONE_CLASS, aliases=("somers_d",),
        of_ranking=lambda ranked: 2 * ranked.roc_aucs() - 1),
    "error_rate": Entry(
        "error rate", "Fraction of the cases that were predicted wrongly.", needs=(CLASSES,), lower_is_better=True,
        of_classes=lambda found: found.outcomes[1] / sum(found.outcomes),
        derivatives=lambda tables: -multiclass.accuracy_derivatives(tables)),
    "threat_score": Entry(
        "threat score", "True positives over all that are positive or predicted so.", needs=(CLASSES,),
        compared=(EACH_CLASS,), of_classes=lambda found: found.counts.tp / sum(found.counts[:3]),
        derivatives=partial(multiclass.decision_derivatives, "jaccard")),
    "kappa": Entry(
        "Cohen's kappa"''',
)
"""A row of the catalogue, and what stands in its place: further rows before it."""
WITH_FURTHER_ROWS = """
import importlib.util, json, sys, types
name, (old, new) = "evalcore.evaluation.catalogue", json.loads(sys.argv.pop(1))
source = importlib.util.find_spec(name).loader.get_source(name)
assert source.count(old) == 1
module = sys.modules[name] = types.ModuleType(name)
exec(compile(source.replace(old, new), name, "exec"), module.__dict__)
"""
COMMAND = "from evalcore.cli import main; main()"
IN_PYTHON = """
import evalcore, numpy as np
rng = np.random.default_rng(1)
columns = {"y": rng.integers(0, 2, 60), "s": rng.random(60), "g": np.arange(60) % 2}
report = evalcore.evaluate(columns, label="y", score="s", threshold=0.5, by="g", measures=["gmean", "Somers D"])
for group in ("0", "1", "total"):
    record = report["s", group]
    print(record["g_mean"] ** 2, record["gini"])
whole = evalcore.evaluate(columns, label="y", score="s", threshold=0.5, by="g")
for group in ("0", "1", "total"):
    record = whole["s", group]
    print(record["recall"] * record["specificity"], 2 * record["roc_auc"] - 1)
print(whole.to_html())
"""


def run(program, *arguments):
    return subprocess.run(
        [sys.executable, "-c", WITH_FURTHER_ROWS + program, json.dumps(ROWS), *arguments],
        capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip


@pytest.mark.process
def test_two_further_rows_are_measures_of_reports_and_of_their_pages():
    result = run(IN_PYTHON)
    assert result.returncode == 0, result.stderr
    *numbers, page = result.stdout.split("\n", 6)
    found = np.array([line.split() for line in numbers], np.float64)
    assert found[:3] == pytest.approx(found[3:], abs=1e-12)
    for text in ("G-mean", "Geometric mean of recall and specificity.", "Gini coefficient"):
        assert text in page


OF_CLASSES = """
import evalcore, numpy as np
rng = np.random.default_rng(2)
labels = rng.integers(0, 3, 200)
old, new = (np.where(rng.random(200) < right, labels, 0) for right in (0.2, 0.9))
columns = {"y": labels, "old": old, "new": new, "g": np.arange(200) % 2}
for group, rows in (("0", columns["g"] == 0), ("1", columns["g"] == 1), ("total", slice(None))):
    report = evalcore.evaluate(columns, label="y", predicted="new", by="g", measures="error_rate")
    print(report[group]["error_rate"], np.mean(new[rows] != labels[rows]))
report = evalcore.compare(columns, label="y", predicted="new", old_predicted="old", by="g",
                          measures=["accuracy", "error_rate"])
right, wrong = report["accuracy"], report["error_rate"]
print(wrong.found.difference, -right.found.difference)
print(wrong.error, right.error)
options = {"label": "y", "predicted": "new", "old_predicted": "old", "measures": "threat_score"}
one = evalcore.compare(columns, **options)["threat_score[1]"]
new, old = (np.sum((labels == 1) & (found == 1)) / np.sum((labels == 1) | (found == 1)) for found in (new, old))
print(one.found.difference, new - old)
drawn = evalcore.compare(columns, **options, method="bootstrap", seed=1)["threat_score[1]"]
print(np.array([one.error, one.found.low, one.found.high]) / [drawn.error, drawn.found.low, drawn.found.high])
print(wrong.verdict, right.verdict, one.verdict)
"""


@pytest.mark.process
def test_a_further_row_is_a_measure_of_classes_by_which_models_are_compared_and_judged():
    result = run(OF_CLASSES)
    assert result.returncode == 0, result.stderr
    *numbers, drawn, verdicts = result.stdout.splitlines()
    found = np.array([line.split() for line in numbers], np.float64)
    assert found[:, 0] == pytest.approx(found[:, 1], abs=1e-12)
    assert np.array(drawn.strip("[]").split(), np.float64) == pytest.approx(1, abs=0.1)
    assert verdicts == "better better better"


OF_DECISIONS_AT = """
import evalcore, numpy as np
rng = np.random.default_rng(3)
labels = rng.integers(0, 2, 400)
columns = {"y": labels, "old": rng.random(400), "new": labels + rng.normal(size=400), "g": np.arange(400) % 2}
options = {"label": "y", "score": "new", "old_score": "old", "threshold": 0.5, "by": "g", "margin": 0.01}
found = evalcore.compare(columns, **options)
for method in ("analytic", "bootstrap"):
    item = evalcore.compare(columns, **options, method=method, seed=1, measures=["gmean@0.5"])["g_mean@0.5"]
    print(item.found.difference, item.error, item.found.low, item.found.high)
recalls = [found[name].found.estimates for name in ("recall@0.5", "specificity@0.5")]
new, old = np.sqrt(np.prod(recalls, axis=0))
print(new - old, 0, 0, 0)
print(item.verdict, found["g_mean@0.5"].verdict, len(found.models[0].groups["g"][0].differences))
"""


@pytest.mark.process
def test_a_further_row_is_a_measure_of_decisions_by_which_models_are_compared_and_judged():
    result = run(OF_DECISIONS_AT)
    assert result.returncode == 0, result.stderr
    *numbers, judged = result.stdout.splitlines()
    analytic, drawn, (difference, *_) = np.array([line.split() for line in numbers], np.float64)
    assert analytic[0] == drawn[0] == pytest.approx(difference, abs=1e-12)
    assert analytic[1:] == pytest.approx(drawn[1:], rel=0.1)
    assert judged == "superior superior 8"


@pytest.mark.process
def test_two_further_rows_are_measures_of_the_command(tmp_path):
    (tmp_path / "a.csv").write_text("y,s\n1,0.9\n1,0.4\n0,0.3\n0,0.6\n", "utf-8")
    asked = "report", str(tmp_path / "a.csv"), "--label", "y", "--score", "s"
    table = run(COMMAND, *asked, "--measure", "gmean", "--measure", "GINI", "--threshold", "0.5")
    found = [line.split()[-1] for line in table.stdout.splitlines() if line.startswith(("  G-mean", "  Gini"))]
    assert found == ["0.5000", "0.5000"]
    gate = run(COMMAND, *asked, "--fail-if", "gmean@0.5 < 0.6", "--fail-if", "somers_d < 0.4", "--format", "csv")
    assert gate.returncode == 1
    assert "g_mean@0.5" in gate.stderr
    assert "gini" not in gate.stderr.replace("gini < 0.4", "")
    described = run(COMMAND, "report", "--list-measures").stdout
    assert "g_mean" in described
    assert "Twice the ROC AUC, less 1." in described
    wrong = run(COMMAND, *asked, "--measure", "g_meen")
    assert wrong.returncode == 2
    assert "did you mean 'g_mean'?" in wrong.stderr


@every("name", [*RESAMPLED.values(), *OF_DECISIONS])
def test_names_that_the_bootstrap_has_are_understood_there(name):
    at = (
        ""
        if "@" in name or name not in (*OF_DECISIONS, "partial_auc", "precision_at_recall", "recall_at_precision")
        else "@0.5"
    )
    assert parse_measure(name + at) is not None


def test_every_name_of_a_comparison_is_read_back_and_has_a_row():
    for name in described_compared():
        full = name.replace("THRESHOLD", "0.5").replace("RATE", "0.5").replace("CLASS", "a@b")
        assert parse_compared(full).name == full
        assert measure_name(full).measure in ENTRIES
