"""The action that compares models on a pull request: its steps, run as the runner does, with a stand-in for `gh`."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".github/actions/compare"
pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the archive of sources has no .github")
ACTION = yaml.safe_load((FOLDER / "action.yml").read_text("utf-8")) if FOLDER.exists() else {}
GH = """#!{python}
import json, os, sys
arguments = sys.argv[1:]
sent = json.load(sys.stdin)["body"] if "--input" in arguments else None
with open({calls!r}, "a") as file:
    print(json.dumps([arguments, sent]), file=file)
if {fails}:
    sys.exit("HTTP 403: Resource not accessible by integration")
if sent is None:
    print({comments!r})
"""
OURS = "<!-- evalcore compare: comparison -->"
COMPARE = "cases.csv --label late --new-score new --old-score old --measure roc_auc"


def evaluated(text, known):
    """Put values in place of expressions, as the runner does in `env`, where they are no part of a program."""
    return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: known[found[1]], text)


@pytest.fixture
def job(tmp_path, monkeypatch):
    """Return what runs the steps of the action in a fresh job on a pull request."""
    if sys.platform == "win32":
        pytest.skip("the stand-in for gh is a script that Windows does not start")
    rng = np.random.default_rng(1)
    late = rng.integers(0, 2, 300)
    scores = {name: late * weight + rng.random(300) for name, weight in (("new", 0.2), ("old", 0.4))}
    rows = [f"{a},{b:.4f},{c:.4f}" for a, b, c in zip(late, *scores.values(), strict=True)]
    monkeypatch.chdir(tmp_path)
    Path("cases.csv").write_text("\n".join(["late,new,old", *rows]) + "\n")
    Path("event.json").write_text(json.dumps({"pull_request": {"number": 7}}))
    Path("bin").mkdir()
    for name in ("calls", "output", "summary"):
        Path(name).write_text("")

    def run(arguments, comments="", *, fails=False, **inputs):
        stub = GH.format(python=sys.executable, calls=str(tmp_path / "calls"), comments=comments, fails=fails)
        Path("bin/gh").write_text(stub)
        Path("bin/gh").chmod(0o755)
        runner = {
            "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}", "RUNNER_TEMP": str(tmp_path),
            "GITHUB_ACTION_PATH": str(FOLDER), "GITHUB_OUTPUT": str(tmp_path / "output"),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"), "GITHUB_REPOSITORY": "a/b",
            "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
        }  # fmt: skip
        given = {name: each.get("default", "") for name, each in ACTION["inputs"].items()}
        given |= {"arguments": arguments, **inputs}
        known = {f"inputs.{name}": value for name, value in given.items()} | {"github.token": "secret"}
        known["steps.installed.outputs.python"] = sys.executable  # installing takes the network
        log, status = "", 0
        for step in ACTION["runs"]["steps"]:
            if "run" not in step or step.get("id") == "installed":
                continue
            env = os.environ | runner | {name: evaluated(each, known) for name, each in step["env"].items()}
            ran = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                env=env, capture_output=True, text=True, encoding="utf-8", check=False,
            )  # fmt: skip
            log, status = log + ran.stdout + ran.stderr, ran.returncode
            for line in Path("output").read_text("utf-8").splitlines():
                name, _, value = line.partition("=")
                known[f"steps.{step.get('id')}.outputs.{name}"] = value
        calls = [json.loads(line) for line in Path("calls").read_text("utf-8").splitlines()]
        return status, log, calls, known.get("steps.compare.outputs.folder")

    return run


@pytest.mark.process
def test_a_comparison_that_passes_is_in_the_summary_a_new_comment_and_a_page(job):
    others = json.dumps({"id": 4, "body": f"about \u2028{OURS}"}, ensure_ascii=False)
    status, log, (listed, posted), folder = job(f"{COMPARE}\n --fail-if 'roc_auc < 0.1'", others)
    assert (status, "::error" in log) == (0, False), log
    answer = Path("summary").read_text("utf-8")
    assert answer == Path(folder, "comparison.md").read_text("utf-8")
    assert "PASS" in answer
    assert "<!DOCTYPE html>" in Path(folder, "comparison.html").read_text("utf-8")
    assert listed[0][:3] == ["api", "--paginate", "repos/a/b/issues/7/comments"]
    assert posted == [["api", "--method", "POST", "repos/a/b/issues/7/comments", "--input", "-"], f"{OURS}\n{answer}"]


@pytest.mark.process
def test_a_limit_that_is_crossed_fails_the_job_is_shown_beside_it_and_replaces_the_comment(job):
    own = json.dumps({"id": 5, "body": f"{OURS}\nof an earlier run"})
    status, log, (_, patched), folder = job(f'{COMPARE} --fail-if "roc_auc drops by 0.01"', own)
    assert status == 1
    (error,) = re.findall("^::error.*", log, re.MULTILINE)
    assert error.startswith("::error title=evalcore compare::gate failed: the condition is met%0Aroc_auc of new drops ")
    assert patched[0][:4] == ["api", "--method", "PATCH", "repos/a/b/issues/comments/5"]
    assert "FAIL" in patched[1]
    assert Path(folder, "comparison.html").exists()


@pytest.mark.process
def test_an_error_is_shown_and_nothing_that_is_typed_is_run_or_commands_the_runner(job):
    typed = "x.csv --label '$(touch hacked)\n::error::hacked' --new-score `touch hacked` --old-score old; touch hacked"
    status, log, calls, folder = job(typed, fails=True)
    assert (status, folder, len(calls)) == (2, None, 1)
    assert not Path("hacked").exists()
    stopped = re.sub(r"(?ms)^::stop-commands::(\w+)$.*?^::\1::$", "", log)
    error, warning = re.findall("^::.*", stopped, re.MULTILINE)
    assert error.startswith("::error title=evalcore compare::")
    assert "no comment was written: HTTP 403" in warning
    assert Path("summary").read_text("utf-8").startswith("**evalcore compare stopped with an error.**\n\n    ")
    Path("event.json").write_text("{}")  # of a push
    assert "::arguments must be quoted as in a shell: no closing quotation" in job("'a")[1]
    assert job(typed)[2] == calls
    assert job(typed, comment="false")[2] == calls


def test_inputs_reach_programs_as_variables_alone_and_the_guide_lists_them():
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
    page = (ROOT / "notebooks/compare-in-ci.md").read_text("utf-8")
    listed = re.findall(r"^\| `([\w-]+)` \| .* \| (\S+).* \|$", page.partition("| Input |")[2], re.MULTILINE)
    defaults = {name: each.get("default", "required") or "the" for name, each in ACTION["inputs"].items()}
    assert dict(listed[: len(defaults)]) == defaults
    workflow = yaml.safe_load(re.search(r"```yaml\n(.*?)```", page, re.DOTALL)[1])
    (used,) = (each for each in workflow["jobs"]["compare"]["steps"] if "evalcore" in each.get("uses", ""))
    assert used["with"].keys() <= defaults.keys()
