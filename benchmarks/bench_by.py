"""What a report on many groups costs: twenty thousand groups of 500, beside rankings evaluated by group, and tables."""

import json
import resource
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import evalcore
from evalcore import ranking
from evalcore.inference import compare_roc_auc

GROUPS, CASES = 20_000, 500
MEASURES = "AP RR P@5 P@10 P@100 Rprec AUC maxF"
SLACK = 1.25


def made(groups, cases=CASES):
    """Make cases of groups whose rows are mixed."""
    rng = np.random.default_rng(7)
    carrier = rng.permutation(np.repeat(np.arange(groups, dtype=np.int32), cases))
    late = rng.random(carrier.size) < 0.3
    return {"late": late, "model": 0.7 * rng.random(carrier.size) + 0.3 * late, "carrier": carrier}


def reported(columns, **asked):
    asked = {"label": "late", "score": "model", "by": "carrier", "groups": GROUPS, **asked}
    return evalcore.evaluate(columns, **asked)


def ranked(columns):
    return ranking.evaluate(columns["carrier"], columns["late"], columns["model"], measures=MEASURES)


def check(columns, of_group):
    """Check that some groups have the values that `ranking.evaluate` finds; of_group: returns the record of a group."""
    expected = ranked(columns)
    for group in (0, 1, int(expected.groups[-1])):
        record = of_group(str(group))
        found = [record[name] for name in ("roc_auc", "maximum_f1", "reciprocal_rank", "precision_at_100")]
        values = [expected[name][group] for name in ("AUC", "maxF", "RR", "P@100")]
        assert found == pytest.approx(values, rel=1e-12)


@pytest.mark.parametrize(("asked", "target"), [({}, 1.0), ({"ci": 0.95}, 1.25), ({"ci": 0.95, "threshold": 0.5}, 2.0)])
def bench_two_thousand_groups(interleaved, asked, target):
    columns = made(GROUPS // 10)
    check(columns, lambda group: reported(columns, **asked)[group])
    ratio = interleaved(lambda: reported(columns, **asked), lambda: ranked(columns)).ratio
    print(f"\n2,000 groups of 500, {asked}: {ratio:.2f} of ranking.evaluate (target {target:g})")
    assert ratio <= SLACK * target


def bench_differences_of_two_models_in_each_group(interleaved):
    columns = made(GROUPS // 10)
    columns["other"] = columns["model"] + 0.1 * columns["model"][::-1]
    asked = {"score": ["model", "other"]}
    found = reported(columns, ci=0.95, **asked).to_dict()["comparisons"]["model - other"]
    for group in (0, 7):
        rows = columns["carrier"] == group
        alone = compare_roc_auc(*(columns[name][rows] for name in ("late", "other", "model")))
        assert found[str(group)]["p_value"] == pytest.approx(alone.p_value, rel=1e-9)
    ratio = interleaved(lambda: reported(columns, ci=0.95, **asked), lambda: reported(columns, **asked)).ratio
    print(f"\n2,000 groups of 500, two models: {ratio:.2f} of the report without intervals and differences (target 2)")
    assert ratio <= SLACK * 2


def cpu_seconds(*command):
    """Return the CPU time of a command, of all its threads, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run([sys.executable, "-m", "evalcore", *command], capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, run.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("asked", "target"), [([], 2.0), (["--ci", "0.95"], 2.2)])
def bench_command_on_twenty_thousand_groups(tmp_path, asked, target):
    columns = made(GROUPS)
    pq.write_table(pa.table(columns), tmp_path / "cases.parquet")
    command = ["report", str(tmp_path / "cases.parquet"), "--label", "late", "--score", "model", "--by", "carrier"]
    command += ["--max-groups", str(GROUPS), *asked]
    scores = json.loads(cpu_seconds(*command, "--format", "json")[1])["scores"]["model"]
    check(columns, scores.__getitem__)
    times, peers = [], []
    for _ in range(3):
        times.append(cpu_seconds(*command)[0])
        begin = time.process_time()
        ranked(columns)
        peers.append(time.process_time() - begin)
    ratio = float(np.median(times) / np.median(peers))
    print(
        f"\n20,000 groups of 500 {asked}: {np.median(times):.1f} s, {ratio:.2f} of ranking.evaluate (target {target})"
    )
    assert ratio <= SLACK * target


TABLES = {
    "table": (repr, 0.3),
    "markdown": (lambda report: report.to_markdown(), 0.4),
    "json": (lambda report: report.to_json(), 1.4),
    "all in markdown": (lambda report: report.to_markdown(full=True), 3.0),
}


@pytest.mark.parametrize("kind", TABLES)
def bench_tables_of_ten_thousand_groups(interleaved, kind):
    write, target = TABLES[kind]
    report = reported(made(10_000, 20))
    assert ("9,950 more" in write(report)) == (kind in ("table", "markdown"))
    tree = report.to_dict()
    ratio = interleaved(lambda: write(report), lambda: json.dumps(tree, indent=2), rounds=3).ratio
    print(f"\n10,000 groups, {kind}: {ratio:.2f} of json.dumps of all numbers (target {target:g})")
    assert ratio <= SLACK * target
