"""Reports on classes whose rows were drawn by clusters, from Python, the command, a config file and beyond memory."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from evalcore import evaluate
from evalcore.cli import main
from evalcore.inference import (
    accuracy_interval,
    average_precision_interval,
    f1_interval,
    kappa_interval,
    precision_interval,
    recall_interval,
    roc_auc_interval,
)

GENERATOR = np.random.default_rng(3)
DAY = GENERATOR.integers(0, 12, 240)
KINDS = np.array(["ale", "beer", "wine"])
KIND = KINDS[(DAY + GENERATOR.integers(0, 2, 240)) % 3]
SCORES = {name: GENERATOR.normal(size=12)[DAY] + GENERATOR.normal(size=240) + (name == KIND) for name in KINDS}
SAID = KINDS[np.argmax(list(SCORES.values()), axis=0)]
TABLE = {
    "kind": KIND,
    "said": SAID,
    "day": DAY,
    "site": np.where(np.arange(240) % 3, "a", "b"),
    "weight": GENERATOR.integers(1, 4, 240),
    "w": GENERATOR.random(240) + 0.5,
    "late": (KIND == "ale").astype(int),
    **{f"p_{name}": column for name, column in SCORES.items()},
}
ASKED = {"label": "kind", "ci": 0.9, "cluster": "day"}
OF_SCORES = {"score": {name: f"p_{name}" for name in KINDS}}
NOTE = "intervals and p-values treat the clusters of day, 12 in all, as drawn at random, not the rows"
SUMMED_UP = "treat the clusters of day as drawn at random, not the cases."


def intervals(items):
    return {item.name: item.interval for item in items if item.interval is not None}


def check_agreement(items, rows, weights):
    found, own = intervals(items), {"cluster": DAY[rows], "level": 0.9, **weights}
    accuracy = accuracy_interval(KIND[rows], SAID[rows], **own)
    assert {*found} == {"accuracy", "micro_precision", "micro_recall", "micro_f1", "kappa"}
    for name in ("accuracy", "micro_f1"):
        assert [*found[name]] == pytest.approx([*accuracy], rel=1e-9)
    assert [*found["kappa"]] == pytest.approx([*kappa_interval(KIND[rows], SAID[rows], **own)], rel=1e-9)


def check_class(items, name, weights, *, scored):
    found, own = intervals(items), {"cluster": DAY, "level": 0.9, **weights}
    right, said = (name == KIND).astype(int), (name == SAID).astype(int)
    for measure, function in (("precision", precision_interval), ("recall", recall_interval), ("f1", f1_interval)):
        assert [*found[measure]] == pytest.approx([*function(right, said, **own)], rel=1e-9)
    if scored:
        area = roc_auc_interval(right, SCORES[name], **own)
        assert [*found["roc_area"]] == pytest.approx([*area], rel=1e-9)
        average = average_precision_interval(right, SCORES[name], **own)
        assert [*found["average_precision"]] == pytest.approx([*average], rel=1e-9)


@pytest.mark.parametrize("scored", [False, True])
@pytest.mark.parametrize(("weight", "weight_type"), [(None, None), ("w", "sampling"), ("weight", "frequency")])
def test_intervals_are_those_of_the_functions(scored, weight, weight_type):
    asked = {**ASKED, "weight": weight, "weight_type": weight_type, **(OF_SCORES if scored else {"predicted": "said"})}
    weights = {} if weight is None else {"sample_weight": TABLE[weight], "weight_type": weight_type}
    overall, classes, *_ = evaluate(TABLE, **asked).sections
    check_agreement(overall.records[""], slice(None), weights)
    for name in KINDS:
        check_class(classes.records[name], name, weights, scored=scored)
    (of_groups,) = evaluate(TABLE, **asked, by="site").sections
    for group, rows in (("a", TABLE["site"] == "a"), ("b", TABLE["site"] == "b"), ("total", slice(None))):
        own = {name: value[rows] if name == "sample_weight" else value for name, value in weights.items()}
        check_agreement(of_groups.records[group], rows, own)


def test_counts_by_class_and_estimates_stay():
    for kind in (OF_SCORES, {"predicted": "said"}):
        plain, clustered = (evaluate(TABLE, **{**ASKED, **kind, "cluster": name}) for name in (None, "day"))
        for one, other in zip(plain.sections, clustered.sections, strict=True):
            assert [*one.records] == [*other.records]
        values = [[item.value for item in each.sections[0].records[""]] for each in (plain, clustered)]
        assert values[0] == pytest.approx(values[1], nan_ok=True)


def test_summaries_say_what_is_drawn():
    assert "Intervals " + SUMMED_UP in evaluate(TABLE, **ASKED, predicted="said").summary
    of_one = evaluate(TABLE, **{**ASKED, "label": "late"}, score=["p_ale", "p_wine"])
    assert "Intervals and tests " + SUMMED_UP in of_one.summary
    assert SUMMED_UP[:-1] in of_one.to_html()
    by_site = evaluate(TABLE, **ASKED, predicted="said", by="site")
    assert "Intervals " + SUMMED_UP in by_site.summary
    assert NOTE in by_site.to_markdown()


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table(TABLE), "cases.parquet")


def run(*arguments):
    return CliRunner().invoke(main, ["report", "cases.parquet", *map(str, arguments)], prog_name="evalcore")


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize(
    ("columns", "asked"),
    [
        (["--label", "kind", "--predicted", "said"], {"predicted": "said"}),
        (["--label", "kind", "--scores", "p_"], OF_SCORES),
        (["--label", "late", "--score", "p_ale"], {"label": "late", "score": "p_ale"}),
    ],
)
def test_the_command_has_the_intervals_of_the_function(columns, asked):
    outcome = run(*columns, "--ci", 0.9, "--cluster", "day", "--format", "json")
    found, expected = json.loads(outcome.stdout), evaluate(TABLE, **{**ASKED, **asked})
    assert found["cluster"] == "day"
    assert NOTE in found["notes"]
    own = json.loads(expected.to_json())
    for name in ("statistics", "classes", "scores"):
        assert found.get(name) == own.get(name)


@pytest.mark.usefixtures("file")
def test_a_config_file_sets_clusters(tmp_path):
    (tmp_path / "evalcore.toml").write_text('ci = 0.9\ncluster = "day"\n')
    outcome = run("--label", "late", "--score", "p_ale", "--config", "evalcore.toml")
    assert outcome.stderr.startswith("evalcore: evalcore.toml sets --ci 0.9 --cluster day\n")
    assert f"Note: {NOTE}\n" in outcome.stdout


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize(
    "columns", [["--label", "kind", "--predicted", "said"], ["--label", "late", "--score", "p_ale"]]
)
def test_clusters_beyond_memory_are_refused_with_a_way_out(monkeypatch, columns):
    monkeypatch.setattr("evalcore.batched.files.exact_bytes", lambda *_: 1 << 40)
    outcome = run(*columns, "--ci", 0.9, "--cluster", "day", "--memory", "300MB")
    assert outcome.exit_code
    assert "intervals of clusters (--cluster) need all rows in memory: 240 rows take about" in outcome.stderr
    assert "allow more (--memory SIZE)" in outcome.stderr
