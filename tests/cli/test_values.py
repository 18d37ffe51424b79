"""``evalcore report`` and ``compare`` with ``--value``: every format, gates, and what is wrong in one line."""

import gzip
import json
from pathlib import Path

import pytest

import evalcore
from evalcore.io.json_files import rows_of_document
from tests.cli.command import check_refused, command
from tests.differences import every

ROWS = [
    {"id": row, "passed": row % 3 > 0, "cost": row % 5 / 4, "grade": "CPI"[row % 3], "task": "ab"[row % 2]}
    for row in range(40)
]
FILES = {
    "old.jsonl": "\n".join(map(json.dumps, ROWS)),
    "new.jsonl": "\n".join(json.dumps(row | {"passed": row["id"] % 8 > 0, "cost": row["cost"] / 2}) for row in ROWS),
    "best.jsonl": "\n".join(json.dumps(row | {"passed": True, "cost": 0.01 * row["id"]}) for row in ROWS),
    "odd.csv": "id,x,inf,e,na\n1,abc,inf,,1\n2,def,1,,NA\n3,ghi,2,,2\n",
    "mixed.csv": "x\n1.5\n2\ntimeout\n",
    "free.csv": "x\na\nb\nc\nd\ne\nf\ng\n",
    "comma.csv": "id;x\n1;0,5\n2;1,5\n",
    **dict.fromkeys(("samples.csv", "samples2.csv"), "id,x\n1,3\n1,4\n2,5\n"),
}
REFUSED = {
    "report odd.csv --value x": "odd.csv: column 'x' must hold numbers, or true and false, got 3 values (abc, def, ghi)"
    "; say what each is worth (--map abc=VALUE,...)",
    "report mixed.csv --value x": "mixed.csv: column 'x' must hold numbers, or true and false, got 1 value (timeout);"
    " say what each is worth (--map timeout=VALUE,...)",
    "report free.csv --value x": "free.csv: column 'x' must hold numbers, or true and false, got 7 values (a, b, c, d,"
    " e, f, ...); choose a column of numbers, which evalcore columns FILE lists",
    "report odd.csv --value inf": "odd.csv: column 'inf' must hold finite values, got inf in row 1 below the header;"
    " leave such rows out (--where 'isfinite(\"inf\")')",
    "report odd.csv --value e --nulls drop": "odd.csv: column 'e' has no value in any of 3 cases",
    "report odd.csv --value na": "odd.csv: column 'na' holds 1 NaN, the first in row 2 below the header; leave out"
    " the rows with nulls (--nulls drop), or name a judge of all rows, if people judged some (--judge COL)",
    "report odd.csv --value idd": "odd.csv: no column 'idd'; did you mean 'id'?",
    "report old.jsonl --value grade --positive C": "old.jsonl: column 'grade' must hold numbers, or two words"
    " beside --positive, got 3 values (C, I, P); say what each is worth (--map C=VALUE,...)",
    "report old.jsonl --value grade --map C=1,I=0": "old.jsonl: column 'grade' must hold numbers, or the words of"
    " --map, got 1 value (P); say what each is worth (--map P=VALUE,...)",
    "report old.jsonl --value cost --map C": "--map must be WORD=VALUE, each word once, such as C=1,P=0.5,I=0, got 'C'",
    "report old.jsonl --value cost --lower-is-better cots": "--lower-is-better must name columns of values, got 'cots';"
    " did you mean 'cost'?",
    "report old.jsonl --score cost --label passed --map C=1": "--map needs --value",
    "compare old.jsonl new.jsonl --id id --label passed --score cost --judge grade": "--judge needs --value",
    "report old.jsonl --value cost --score cost": "Give only one of --score cost and --value cost.",
    "report old.jsonl --value cost --quantile 1": "--quantile must be above 0 and below 1, got 1.0; write 0.01 for 1%",
    "report old.jsonl --value cost --fail-if costs<1": "measure must be one of 'cost', 'cases', 'mean',"
    " 'standard_deviation', got 'costs' in condition 'costs < 1'; did you mean 'cost' or 'cases'?",
    "compare old.jsonl --id id --value cost": "--value compares tables, got one; give each system a table of its own",
    "compare old.jsonl new.jsonl --value cost": "--id must name the column, or columns, that identify a case in both"
    " tables",
    "compare old.jsonl new.jsonl --id id --value cost --threshold 1": "--threshold cannot be combined with --value,"
    " because columns of values take the place of labels and predictions",
    "compare samples.csv again=samples2.csv --id id --value x": "--id must identify each row, got 1 row of samples with"
    " the id of an earlier row (id '1') and 1 row of again with the id of an earlier row (id '1'); name more columns"
    " that tell rows apart, or take the mean of the samples of each id (--repeats mean)",
}  # fmt: skip


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(f"{text}\n")


def asked(typed):
    return command(*typed.split())


@every(("typed", "said"), REFUSED.items())
def test_what_is_wrong_with_values_is_told_in_one_line_and_nothing_is_written(typed, said):
    check_refused(asked(f"{typed} -o out.json"), said)
    assert not Path("out.json").exists()


@pytest.mark.usefixtures("undrawn")
def test_every_format_has_the_numbers_of_the_library():
    typed = "--value passed --value cost --lower-is-better cost --by task --ci 0.9 --quantile 0.5"
    for ending in ("json", "csv", "md", "html"):
        assert asked(f"report old.jsonl {typed} -o out.{ending}").exit_code == 0
    columns = {name: [row[name] for row in ROWS] for name in ("passed", "cost", "task")}
    more = {"lower_is_better": "cost", "by": "task", "ci": 0.9, "quantile": 0.5}
    report = evalcore.evaluate(columns, value=["passed", "cost"], **more)
    tree = json.loads(Path("out.json").read_text())
    assert tree["values"] == report.to_dict()["values"]
    assert Path("out.csv").read_text() == f"{report.to_csv()}\n"
    mean = report["cost", "total", "mean"]
    assert f"{mean:.4f}" in Path("out.md").read_text()
    assert f"{mean:.3f}" in Path("out.html").read_text()


def test_words_decimal_commas_and_missing_values_are_read():
    assert json.loads(asked("report old.jsonl --value grade --map C=1,P=0.5,I=0 --format json").stdout)["values"][
        "grade"
    ]["mean"] == pytest.approx(20.5 / 40)
    assert "1.0000" in asked("report comma.csv --delimiter ; --decimal , --value x").stdout
    outcome = asked("report odd.csv --value na --nulls drop")
    assert "1.5000" in outcome.stdout
    assert "na: 1 of 3 cases is left out, without a value" in outcome.stdout


def test_a_small_document_is_read_once(monkeypatch):
    read = []

    def rows(text, *asked):
        read.append(text)
        return rows_of_document(text, *asked)

    monkeypatch.setattr("evalcore.io.json_files.rows_of_document", rows)
    Path("rows.json").write_text('[{"id": 1, "x": 1},\n {"id": 2, "x": 3}]')
    assert "2.0000" in asked("report rows.json --value x").stdout
    Path("new.json").write_text('[{"id": 1, "x": 2},\n {"id": 2, "x": 3}]')
    assert asked("compare rows.json new.json --id id --value x").exit_code == 0
    assert len(read) == 3
    Path("rows.json.gz").write_bytes(gzip.compress(Path("rows.json").read_bytes()))
    assert "2.0000" in asked("report rows.json.gz --value x").stdout
    assert len(read) > 4  # its size says nothing of what it holds


def test_a_gate_decides_by_values_and_changes():
    compared = ["compare", "old.jsonl", "new.jsonl", "--id", "id", "--value", "passed", "--value", "cost"]
    lost = command(*compared, "--fail-if", "cost drops by 0.1", "--fail-if", "passed drops by 0.1")
    assert lost.exit_code == 1
    assert "cost of new drops by 0.25" in lost.stderr
    assert command(*compared, "--fail-if", "any task: passed < 0.5", "--by", "task").exit_code == 0
    assert command("report", "old.jsonl", "--value", "passed", "--fail-if", "passed < 0.7").exit_code == 1
    asked("report old.jsonl --value passed --value cost --ci -o before.json")
    later = [
        "report",
        "new.jsonl",
        "--value",
        "passed",
        "--value",
        "cost",
        "--ci",
        "--baseline",
        "before.json",
        "--fail-if",
    ]
    assert (command(*later, "cost rises by 0.1").exit_code, command(*later, "cost drops by 0.1").exit_code) == (0, 1)


def test_a_gate_names_columns_as_they_are_even_if_a_measure_has_such_a_name():
    rows = Path("old.jsonl").read_text().replace('"passed"', '"pass@5"').replace('"cost"', '"f1"')
    Path("renamed.jsonl").write_text(rows)
    Path("later.jsonl").write_text(rows)
    values = ["--value", "pass@5", "--value", "f1"]
    gate = "--fail-if", "pass@5 < 9", "--fail-if", "f1 < 99"
    for typed in (["report", "renamed.jsonl"], ["compare", "renamed.jsonl", "later.jsonl", "--id", "id"]):
        assert command(*typed, *values, *gate).stdout.startswith("FAIL (gate: pass@5 < 9 and f1 < 99): ")


def test_three_systems_have_a_table_in_every_format():
    typed = "compare old.jsonl new.jsonl best.jsonl --id id --value passed --lower-is-better passed"
    for ending in ("json", "csv", "md", "html"):
        assert asked(f"{typed} -o out.{ending}").exit_code == 0
    standings = json.loads(Path("out.json").read_text())["standings"]
    assert [each["model"] for each in standings] == ["old", "new", "best"]
    assert all("Systems by passed" in Path(f"out.{ending}").read_text() for ending in ("md", "html"))
    assert "systems with a letter in common were not told apart" in asked(typed).stdout
