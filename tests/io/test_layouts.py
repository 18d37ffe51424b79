"""Logs as harnesses write them are tables: their rows, their tasks, and what they must not be taken for."""

import gzip
import json
import os
import shutil
import threading
import zipfile
from pathlib import Path

import pytest

from evalcore import EvaluationError
from evalcore.errors import taking_notes
from evalcore.evaluation.progress import Bar
from evalcore.io import memory
from evalcore.io.columns import Selection
from evalcore.io.datasets import read_table
from evalcore.io.layouts import logs_among
from evalcore.io.rows import RowFilter, Rows
from tests.differences import every, refused
from tests.io.written import quiet

LOGS = Path(__file__).parents[1] / "data" / "harnesses"
SAMPLES = {name: next(LOGS.glob(f"lm_eval/{name}/samples_*.jsonl")) for name in ("small", "large")}


def read(path, *names, **more):
    rows = Rows(**{name: more.pop(name) for name in ("where", "nulls") if name in more})
    kept = None if rows.are_all else RowFilter(rows, str)
    found = read_table(str(path), Selection(names, rows=kept, **more), Bar(quiet))
    return {name: values.tolist() for name, values in found.items()}


INSPECT = {
    "id": ["q0", "q1", "q2"] * 2, "epoch": ["1"] * 3 + ["2"] * 3, "task": ["capitals"] * 6,
    "model": ["mockllm/model"] * 6, "scores.partly.value": ["C", "C", "C", "I", "P", "I"],
    "scores.words.value": ["5", "4", "5", "4", "6", "NaN"], "metadata.continent": ["Europe", "Europe", "Asia"] * 2,
}  # fmt: skip
ROWS = {
    "inspect_ai/epochs.json": INSPECT,
    "inspect_ai/epochs.eval": INSPECT,
    "inspect_ai/mmlu.eval": {"task": ["inspect_evals/mmlu_0_shot"], "id": ["1"], "scores.choice.value": ["I"]},
    "inspect_ai/popularity.json": {"scores.match.value": ["C", "C", "I"], "id": ["1", "2", "3"]},
    "promptfoo/bedrock-pricing-test-results.json": {
        "success": ["false"] * 3 + ["true"] * 2, "latencyMs": ["420", "328", "265", "1743", "561"],
        "provider.id": [
            "bedrock:anthropic.claude-3-5-haiku-20241022-v1:0", "bedrock:mistral.mistral-7b-instruct-v0:2",
            "bedrock:anthropic.claude-3-5-haiku-20241022-v1:0", "bedrock:us.anthropic.claude-3-5-haiku-20241022-v1:0",
            "bedrock:amazon.nova-micro-v1:0",
        ],
        "task": ["bedrock-pricing-test-results"] * 5,
    },
    "helm": {
        "instance_id": ["id58485", "id58351"], "exact_match": ["0.0", "0.0"], "num_prompt_tokens": ["71.0", "64.0"],
        "inference_runtime": ["0.5829930305480957", "0.644780158996582"],
        "task": ["bbq_subject=all,method=multiple_choice_joint,model=google_gemini-1.5-pro-001"] * 2,
    },
    "deepeval/test_run_sample.json": {
        "Answer Relevancy.score": ["0.92"], "Faithfulness.score": ["0.45"], "Faithfulness.success": ["false"],
        "success": ["false"], "task": ["test_run_sample"],
    },
}  # fmt: skip


@every("name", ROWS)
def test_rows_of_real_logs(name):
    assert read(LOGS / name, *ROWS[name]) == ROWS[name]


def test_what_is_only_in_the_samples_of_an_archive_is_read_from_them():
    answers = read(LOGS / "inspect_ai" / "epochs.eval", "messages.1.content", "id")
    assert answers["messages.1.content"] == ["Paris", "Rome", "Tokyo", "Lyon", "Rimini", "Kyoto"]


def test_a_bare_nan_is_a_missing_number():
    log, name = LOGS / "inspect_ai" / "epochs.json", "scores.words.value"
    with refused(f"{log}: row 6: column '{name}' must hold numbers, got 'NaN'"):
        read(log, name, numbers=(name,))
    assert read(log, name, numbers=(name,), nulls="drop")[name] == [5, 4, 5, 4, 6]


@every("name", SAMPLES)
def test_samples_of_several_filters_are_never_mixed(name, tmp_path):
    rows = [json.loads(line) for line in SAMPLES[name].read_text().splitlines()]
    strict = [row["exact_match"] for row in rows if row["filter"] == "strict-match"]
    assert 0 < sum(strict) < len(strict) == 16
    one = read(SAMPLES[name], "exact_match", "task", where="filter = 'strict-match'", numbers=("exact_match",))
    assert one == {"exact_match": strict, "task": ["sums"] * 16}
    assert len(read(SAMPLES[name], "exact_match", "filter")["filter"]) == 32
    which = "flexible-extract, strict-match; choose one, such as --where \"filter = 'strict-match'\""
    for log in (SAMPLES[name], shutil.copy(SAMPLES[name], tmp_path / "renamed.jsonl")):
        with refused(f"{log}: holds the rows of 2 filters of answers, {which}"):
            read(log, "exact_match")


def test_a_folder_of_logs_is_one_table_without_the_other_files_of_the_harness(tmp_path):
    shutil.copytree(LOGS / "lm_eval" / "small", tmp_path / "m")
    text = SAMPLES["large"].read_text().splitlines(keepends=True)[:16]
    (tmp_path / "m" / "samples_other_task_2026-11-28T05-33-35.958130.jsonl").write_text("".join(text))
    found = read(tmp_path, "task", "doc_id", where="filter = 'strict-match'")
    assert found["task"] == ["other_task"] * 16 + ["sums"] * 16
    assert read(LOGS / "inspect_ai", "task")["task"] == ["capitals"] * 6 + ["inspect_evals/mmlu_0_shot"]
    assert logs_among(["a.csv", "b.csv"]) == ["a.csv", "b.csv"]


def test_samples_of_several_models_are_never_pooled():
    both = f"'sums' in {LOGS / 'lm_eval/large'} and in {LOGS / 'lm_eval/small'}"
    with refused(f"samples must be of one model, each task in one folder, got {both}; give the folder of one model"):
        read(LOGS / "lm_eval", "exact_match")


def test_folders_that_name_the_model_are_one_table(tmp_path):
    for name in ("small", "large"):
        shutil.copytree(LOGS / "lm_eval" / name, tmp_path / f"model={name}")
    assert read(tmp_path, "model", where="filter = 'strict-match'")["model"] == ["large"] * 16 + ["small"] * 16


def test_errors_that_promptfoo_scores_0_are_told():
    log, said = LOGS / "promptfoo" / "bedrock-pricing-test-results.json", []
    with taking_notes(said.append):
        read(log, "success")
        assert read(log, "success", where="failureReason <> 2")["success"] == ["true", "true"]
    way_out = "--where 'failureReason <> 2' leaves them out"
    assert said == [f"3 rows are errors of the provider or a grader, scored 0; {way_out}"]


def test_metrics_that_are_lists_are_refused_by_name(tmp_path):
    path = tmp_path / SAMPLES["small"].name
    row = json.loads(SAMPLES["small"].read_text().splitlines()[0])
    path.write_text(json.dumps({**row, "f1": ["DATE: kawuononi", ["date: 796"]]}) + "\n")
    with pytest.raises(EvaluationError, match="column 'f1' must hold one value in each row, got a list"):
        read(path, "f1", numbers=("f1",))


def test_an_archive_that_is_no_log(tmp_path):
    shutil.make_archive(str(tmp_path / "x"), "zip", LOGS / "deepeval")
    path = (tmp_path / "x.zip").rename(tmp_path / "x.eval")
    with refused(f"{path}: is no log of inspect_ai: the archive has no header.json"):
        read(path, "id")


HEADER = json.dumps({"eval": {"task": "sums", "model": "m"}})


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_folders_other_files_and_replaced_ones_of_an_archive_are_no_samples(tmp_path):
    path = tmp_path / "x.eval"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in {"samples/": "", "samples/notes.txt": "none", "samples/1.json": '{"right": 0}'}.items():
            archive.writestr(name, text)
        archive.writestr("samples/1.json", '{"right": 1}')
        archive.writestr("header.json", HEADER)
    assert read(path, "right", "task") == {"right": ["1"], "task": ["sums"]}


@every("kind", [zipfile.ZIP_DEFLATED, None])
def test_a_small_archive_or_document_of_more_than_memory_is_refused_before_it_is_read(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(memory, "default_memory", lambda: 200_000_000)
    path, samples = tmp_path / ("x.json.gz" if kind is None else "x.eval"), b'[{"right": 1},\n' + b" " * 9_000_000
    if kind is None:
        path.write_bytes(gzip.compress(samples + b'{"right": 0}]'))
    else:
        with zipfile.ZipFile(path, "w", kind) as archive:
            archive.writestr("header.json", HEADER)
            archive.writestr("summaries.json", samples)
    with pytest.raises(EvaluationError, match=r"the objects of .* of JSON take about .* MB, and the limit is 200"):
        read(path, "right")


@every("header", ["[]", "{}", '{"eval": 7}', '{"eval": {"task": "sums"}}'])
def test_an_archive_with_another_header(tmp_path, header):
    path = tmp_path / "x.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", header)
        archive.writestr("samples/1.json", '{"right": 1}')
    with refused(f"{path}: is no log of inspect_ai: its task, model or samples are not as that writes them"):
        read(path, "right")


LOOKS_LIKE_A_LOG = [
    {"results": {"results": [{"a": 1}, 7]}, "rows": [{"a": 1}]},
    {"eval": {"task": "t", "model": "m"}, "version": 2, "samples": [7], "rows": [{"a": 1}]},
    {"testCases": [{"metricsData": [{"score": 1}]}], "rows": [{"a": 1}]},
    {"testCases": [{"metricsData": 7}], "rows": [{"a": 1}]},
]


@every("document", LOOKS_LIKE_A_LOG)
def test_a_document_that_only_looks_like_a_log_is_like_any_other(tmp_path, document):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document))
    with pytest.raises(EvaluationError, match=r"name the array of rows: .*--rows rows"):
        read(path, "a")


def test_statistics_without_names_as_helm_has_them_are_columns_of_paths(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"instance_id": "1", "stats": [{"name": "x", "mean": 0.5}]}]))
    assert read(path, "stats.0.mean", numbers=("stats.0.mean",)) == {"stats.0.mean": [0.5]}


def test_a_document_comes_through_a_pipe(tmp_path):
    log = LOGS / "promptfoo" / "bedrock-pricing-test-results.json"
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writing = threading.Thread(target=lambda: pipe.write_bytes(log.read_bytes()))
    writing.start()
    assert read(pipe, "success") == read(log, "success")
    writing.join()
